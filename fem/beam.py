"""Straight Euler–Bernoulli beams with cubic Hermite elements: stiffness, mass, loads.

Degrees of freedom: deflection and slope of each node in turn, (w_0, w_0', w_1, w_1', ...), m and 1. A beam of length L, in-plane
width b and thickness h has the section area b h, the bending stiffness EJ = E h b³/12 in the plane, and lies on the plane with b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.polynomial.polynomial import polyder, polyval
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_matrix

from fem.input_checks import check_choice, check_counts, check_positive
from fem.meshes import check_cells

Array = NDArray[np.float64]
Profile = Callable[[Array], Array]

_CUBICS = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [-3.0, -2.0, 3.0, -1.0], [2.0, 1.0, -2.0, 1.0]])
"""Coefficients of the Hermite functions of (w_0, w_0', w_1, w_1') at element length 1, a row per power."""

SUPPORTS = {"free": (), "simply-supported": (0, -2), "cantilever": (0, 1)}
"""Supports by name: their fixed degrees of freedom (simply supported at both ends, clamped at the left end)."""


def hermite(s: ArrayLike, h: float, derivative: int = 0) -> Array:
    """Hermite functions (n, 4) of an element of length h, m, or a derivative of them by X, at s (n,) from 0 to 1."""
    values = polyval(np.asarray(s, dtype=float), polyder(_CUBICS, derivative)).T
    return np.asarray(values * np.array([1.0, h, 1.0, h]) / h**derivative)


def gauss(count: int, h: float) -> tuple[Array, Array]:
    """Gauss points s (n,) from 0 to 1 of an element of length h, m, and their weights (n,), m."""
    abscissa, weight = leggauss(count)
    return 0.5 * (abscissa + 1.0), 0.5 * h * weight


@dataclass(frozen=True, repr=False)
class Beam:
    """Uniform straight beam with equal elements, made by ``Beam.build``.

    N nodes, ne = N − 1 elements, X from −L/2 to L/2. Degrees of freedom: deflection (m) and slope (1) node by node.

    Parameters
    ----------
    length, width, thickness : float
        L, b in the plane, h, m.
    E : float
        Young's modulus, Pa.
    density : float
        Density, kg/m³.
    X : Array
        Positions (N, 2), m, reference axis along x.
    cells : ndarray
        Nodes (ne, 2) of the elements.
    stiffness : csr_matrix
        Bending stiffness (2N, 2N), N/m, N, N m.
    mass_matrix : csr_matrix
        Consistent mass (2N, 2N), kg, kg m, kg m².
    nodal_area : Array
        b ∫φ_i dX of the hat functions (N,), m²: the strictly positive quadrature weights of friction.
    """

    length: float
    width: float
    thickness: float
    E: float
    density: float
    X: Array
    cells: NDArray[np.int32]
    stiffness: csr_matrix
    mass_matrix: csr_matrix
    nodal_area: Array
    deformable: ClassVar[bool] = True
    planar: ClassVar[bool] = False

    @classmethod
    def build(cls, *, length: float, width: float, thickness: float, E: float, density: float, ne: int) -> Beam:
        """Build a beam.

        Parameters
        ----------
        length, width, thickness : float
            Sizes L, b, h, m, > 0.
        E : float
            Young's modulus, Pa, > 0.
        density : float
            Density, kg/m³, > 0.
        ne : int
            Number of elements, >= 2.

        Raises
        ------
        ValueError
            For sizes that are not > 0, ne < 2, or too many elements.
        """
        sizes = {"length": length, "width": width, "thickness": thickness, "E": E, "density": density}
        check_positive("", **sizes)
        check_counts(2, ne=ne)
        check_cells(ne=ne)
        x = length * (np.arange(ne + 1) / ne - 0.5)
        h = length / ne
        s, weights = gauss(4, h)
        cells = np.column_stack([np.arange(ne), np.arange(1, ne + 1)]).astype(np.int32)
        dofs = 2 * cells[:, :1] + np.arange(4)
        rows, columns = np.repeat(dofs, 4, axis=1).ravel(), np.tile(dofs, 4).ravel()

        def assembled(factor: float, derivative: int) -> csr_matrix:
            shapes = hermite(s, h, derivative)
            block = factor * np.einsum("g,ga,gb->ab", weights, shapes, shapes)
            block = 0.5 * (block + block.T)
            return csr_matrix(coo_array((np.tile(block.ravel(), ne), (rows, columns)), shape=(2 * ne + 2, 2 * ne + 2)))

        hats = np.full(ne + 1, h)
        hats[[0, -1]] *= 0.5
        return cls(
            length=length,
            width=width,
            thickness=thickness,
            E=E,
            density=density,
            X=np.column_stack([x, np.zeros(ne + 1)]),
            cells=cells,
            stiffness=assembled(E * thickness * width**3 / 12.0, 2),
            mass_matrix=assembled(density * thickness * width, 0),
            nodal_area=width * hats,
        )

    def __repr__(self) -> str:
        return f"Beam({self.length:g} m x {self.width:g} m x {self.thickness:g} m, {len(self.cells)} elements, {self.mass:.6g} kg)"

    @property
    def element_length(self) -> float:
        """Length of an element, m."""
        return self.length / len(self.cells)

    @property
    def bending_stiffness(self) -> float:
        """EJ = E h b³/12, N m²."""
        return self.E * self.thickness * self.width**3 / 12.0

    @property
    def axial_stiffness(self) -> float:
        """EA = E h b, N."""
        return self.E * self.thickness * self.width

    @property
    def mass_per_length(self) -> float:
        """ρA = ρ h b, kg/m."""
        return self.density * self.thickness * self.width

    @property
    def mass(self) -> float:
        """Total mass, kg."""
        return self.mass_per_length * self.length

    @property
    def area(self) -> float:
        """Area on the plane, m²."""
        return self.length * self.width

    def load_vector(self, profile: Profile) -> Array:
        """Nodal forces and couples ∫ p φ dX (2N,), N and N m, of a lateral load ``profile``: X (n,), m -> p (n,), N/m."""
        s, weights = gauss(4, self.element_length)
        points = self.X[:-1, :1] + self.element_length * s
        values = np.broadcast_to(np.asarray(profile(points), dtype=float), points.shape)
        dofs = 2 * self.cells[:, :1] + np.arange(4)
        shares = (values * weights) @ hermite(s, self.element_length)
        return np.asarray(np.bincount(dofs.ravel(), shares.ravel()), dtype=float)

    def end_load(self, node: int) -> Array:
        """Nodal forces (2N,), N, of a unit lateral force at the end ``node``, 0 or −1."""
        force = np.zeros(2 * len(self.X))
        force[2 * (node % len(self.X))] = 1.0
        return force

    def at_point(self, place: ArrayLike) -> Array:
        """Hermite functions (2N,), of w_i, -, and w_i', m, of the deflection at a ``place`` (X, 0), m, of the axis, from the
        centre of mass. Raises ValueError for a place off the axis."""
        along, across = np.asarray(place, dtype=float)
        h, start = self.element_length, self.X[0, 0]
        s = (along - start) / h
        cells, slack = len(self.X) - 1, 1e-9 * len(self.X)
        if abs(across) > slack * h or not -slack <= s <= cells + slack:
            raise ValueError(
                f"the beam has no point at ({along:.6g}, {across:.6g}) m to attach to; its axis runs from ({start:.6g}, 0) "
                f"to ({self.X[-1, 0]:.6g}, 0) m"
            )
        if abs(s - round(s)) <= slack:
            s = float(round(s))
        cell = min(int(s), cells - 1)
        shapes = np.zeros(2 * len(self.X))
        shapes[2 * cell : 2 * cell + 4] = hermite(s - cell, h)
        return shapes

    def free_dofs(self, support: str) -> NDArray[np.int64]:
        """Free degrees of freedom, sorted, with a support of ``SUPPORTS``. Raises ValueError for an unknown name."""
        count = 2 * len(self.X)
        fixed = [dof % count for dof in SUPPORTS[check_choice(SUPPORTS, "support", support)]]
        return np.setdiff1d(np.arange(count), fixed)

    def bending_moment(self, dofs: Array) -> Array:
        """Nodal bending moment EJ w'' (N,), N m, mean of the adjacent elements, for ``dofs`` (2N,), m and 1."""
        ends = dofs[2 * self.cells[:, :1] + np.arange(4)] @ hermite([0.0, 1.0], self.element_length, 2).T
        total = np.zeros(len(self.X))
        total[:-1] += ends[:, 0]
        total[1:] += ends[:, 1]
        total[1:-1] *= 0.5
        return self.bending_stiffness * total
