"""Straight Euler–Bernoulli beams with cubic Hermite elements (scikit-fem): stiffness, mass, loads.

Degrees of freedom: deflection and slope of each node in turn, (w_0, w_0', w_1, w_1', ...), m and 1. A beam of length L, in-plane
width b and thickness h has the section area b h, the bending stiffness EJ = E h b³/12 in the plane, and lies on the plane with b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from skfem import Basis, BilinearForm, ElementLineHermite, LinearForm, MeshLine
from skfem.helpers import dd

from fem.input_checks import check_choice, check_counts, check_positive
from fem.meshes import check_cells

Array = NDArray[np.float64]
Profile = Callable[[Array], Array]

_ORDER = 7
"""Quadrature order: exact for the mass (degree 6); loads are integrated with it, too."""

SUPPORTS = {"free": (), "simply-supported": (0, -2), "cantilever": (0, 1)}
"""Supports by name: their fixed degrees of freedom (simply supported at both ends, clamped at the left end)."""


@BilinearForm
def _curvatures(u, v, _):  # type: ignore[no-untyped-def]
    return dd(u)[0, 0] * dd(v)[0, 0]


@BilinearForm
def _products(u, v, _):  # type: ignore[no-untyped-def]
    return u * v


@LinearForm
def _load(v, w):  # type: ignore[no-untyped-def]
    return w.load * v


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
    _basis: Basis
    _order: NDArray[np.int64]
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
        basis = Basis(MeshLine(x), ElementLineHermite(), intorder=_ORDER)
        order = basis.nodal_dofs.T.ravel()  # (deflection, slope) node by node

        def ordered(matrix: csr_matrix) -> csr_matrix:
            matrix = csr_matrix(csr_matrix(matrix)[order][:, order])
            matrix = csr_matrix(0.5 * (matrix + matrix.T))
            matrix.sort_indices()
            return matrix

        hats = np.full(ne + 1, length / ne)
        hats[[0, -1]] *= 0.5
        return cls(
            length=length,
            width=width,
            thickness=thickness,
            E=E,
            density=density,
            X=np.column_stack([x, np.zeros(ne + 1)]),
            cells=np.column_stack([np.arange(ne), np.arange(1, ne + 1)]).astype(np.int32),
            stiffness=ordered(E * thickness * width**3 / 12.0 * _curvatures.assemble(basis)),
            mass_matrix=ordered(density * thickness * width * _products.assemble(basis)),
            nodal_area=width * hats,
            _basis=basis,
            _order=order,
        )

    def __repr__(self) -> str:
        return f"Beam({self.length:g} m x {self.width:g} m x {self.thickness:g} m, {len(self.cells)} elements, {self.mass:.6g} kg)"

    def __reduce__(self) -> tuple[Callable[[], Beam], tuple[()]]:
        """Pickle the sizes: scikit-fem's basis has functions without names."""
        sizes = {name: getattr(self, name) for name in ("length", "width", "thickness", "E", "density")}
        return partial(type(self).build, **sizes, ne=len(self.cells)), ()

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
        points = self._basis.global_coordinates()[0]
        values = np.broadcast_to(np.asarray(profile(np.asarray(points)), dtype=float), points.shape)
        return np.asarray(_load.assemble(self._basis, load=values))[self._order]

    @property
    def beam(self) -> Beam:
        """The beam itself, as ``BeamAxis.beam``."""
        return self

    def load_shape(self, nodal: Array) -> Array:
        """Nodal forces and couples (2N,), N and N m, unchanged (see ``BeamAxis.load_shape``)."""
        return nodal

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
        s -= cell
        shapes = np.zeros(2 * len(self.X))
        shapes[2 * cell : 2 * cell + 4] = (
            1.0 - s * s * (3.0 - 2.0 * s),
            h * s * (1.0 - s) ** 2,
            s * s * (3.0 - 2.0 * s),
            h * s * s * (s - 1.0),
        )
        return shapes

    def free_dofs(self, support: str) -> NDArray[np.int64]:
        """Free degrees of freedom, sorted, with a support of ``SUPPORTS``. Raises ValueError for an unknown name."""
        count = 2 * len(self.X)
        held = [dof % count for dof in SUPPORTS[check_choice(SUPPORTS, "support", support)]]
        return np.setdiff1d(np.arange(count), held)

    def bending_moment(self, dofs: Array) -> Array:
        """Nodal bending moment EJ w'' (N,), N m, mean of the adjacent elements, for ``dofs`` (2N,), m and 1."""
        h = self.element_length
        w0, s0, w1, s1 = dofs[:-2:2], dofs[1:-2:2], dofs[2::2], dofs[3::2]
        left = (6.0 * (w1 - w0) - h * (4.0 * s0 + 2.0 * s1)) / h**2
        right = (-6.0 * (w1 - w0) + h * (2.0 * s0 + 4.0 * s1)) / h**2
        total = np.concatenate([left, [0.0]]) + np.concatenate([[0.0], right])
        total[1:-1] *= 0.5
        result: np.ndarray = self.bending_stiffness * total
        return result
