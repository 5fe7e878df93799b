"""Straight Euler–Bernoulli beams with cubic Hermite elements (scikit-fem): stiffness, mass, loads, geometric stiffness.

Degrees of freedom: deflection and slope of each node in turn, (w_0, w_0', w_1, w_1', ...), m and 1. A beam of length L, in-plane
width b and thickness h has the section area b h, the bending stiffness EJ = E h b³/12 in the plane, and lies on the plane with b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from skfem import Basis, BilinearForm, ElementLineHermite, LinearForm, MeshLine
from skfem.helpers import dd

from fem.meshes import check_cells

Array = NDArray[np.float64]
Profile = Callable[[Array], Array]

_ORDER = 7
"""Exact for mass (degree 6); loads and axial forces are integrated to this degree."""

SUPPORTS = {"free": (), "simply-supported": (0, -2), "cantilever": (0, 1)}
"""Supports by name: the degrees of freedom that they hold (simply supported at both ends, clamped at the left one)."""


@BilinearForm
def _curvatures(u, v, _):  # type: ignore[no-untyped-def]
    return dd(u)[0, 0] * dd(v)[0, 0]


@BilinearForm
def _products(u, v, _):  # type: ignore[no-untyped-def]
    return u * v


@BilinearForm
def _slopes(u, v, w):  # type: ignore[no-untyped-def]
    return w.axial * u.grad[0] * v.grad[0]


@LinearForm
def _load(v, w):  # type: ignore[no-untyped-def]
    return w.load * v


@dataclass(frozen=True)
class Beam:
    """A uniform beam on ``ne`` equal elements, N = ne + 1 nodes, X from −L/2 to L/2.

    ``X`` (N, 2) m, reference axis; ``cells`` (ne, 2); ``stiffness`` N/m, N, N m and ``mass_matrix`` kg, kg m, kg m² (2N, 2N) csr;
    ``nodal_area`` (N,) m²: b ∫φ_i dX of the hat functions, the strictly positive quadrature weights of friction.
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

    @classmethod
    def build(cls, *, length: float, width: float, thickness: float, E: float, density: float, ne: int) -> Beam:
        """The beam on ``ne`` elements; SI units. Raises ValueError for sizes that are not > 0, ne < 2, too many elements."""
        sizes = {"length": length, "width": width, "thickness": thickness, "E": E, "density": density}
        for name, value in sizes.items():
            if not (np.isfinite(value) and value > 0.0):
                raise ValueError(f"beam: {name} must be a finite number > 0, got {value!r}")
        if ne < 2:
            raise ValueError(f"beam: ne must be an integer >= 2, got {ne!r}")
        check_cells(ne=ne)
        x = length * (np.arange(ne + 1) / ne - 0.5)
        basis = Basis(MeshLine(x), ElementLineHermite(), intorder=_ORDER)
        order = basis.nodal_dofs.T.ravel()  # (deflection, slope) node by node

        def ordered(matrix: csr_matrix) -> csr_matrix:
            found = csr_matrix(csr_matrix(matrix)[order][:, order])
            found = csr_matrix(0.5 * (found + found.T))
            found.sort_indices()
            return found

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
        """Nodal forces and couples (2N,), N and N m, of a lateral load per length ``profile`` (X m) -> N/m: ∫ p φ dX."""
        points = self._basis.global_coordinates()[0]
        values = np.broadcast_to(np.asarray(profile(np.asarray(points)), dtype=float), points.shape)
        return np.asarray(_load.assemble(self._basis, load=values))[self._order]

    def end_load(self, node: int) -> Array:
        """Nodal forces (2N,) of a unit lateral force at a ``node`` (0 or −1 for the ends), N."""
        force = np.zeros(2 * len(self.X))
        force[2 * (node % len(self.X))] = 1.0
        return force

    def geometric_stiffness(self, axial: Profile) -> csr_matrix:
        """∫ N φ_i' φ_j' dX (2N, 2N), of the axial force ``axial`` N(X) N (tension positive): weak form of −(N w')'."""
        points = self._basis.global_coordinates()[0]
        values = np.broadcast_to(np.asarray(axial(np.asarray(points)), dtype=float), points.shape)
        found = csr_matrix(csr_matrix(_slopes.assemble(self._basis, axial=values))[self._order][:, self._order])
        found.sort_indices()
        return found

    def free_dofs(self, support: str) -> NDArray[np.int64]:
        """Degrees of freedom that a ``support`` (a name in SUPPORTS) leaves free. Raises ValueError for an unknown name."""
        if support not in SUPPORTS:
            raise ValueError(f"support must be one of {', '.join(SUPPORTS)}, got {support!r}")
        count = 2 * len(self.X)
        held = [dof % count for dof in SUPPORTS[support]]
        return np.setdiff1d(np.arange(count), held)

    def bending_moment(self, dofs: Array) -> Array:
        """Nodal bending moment EJ w'' (N,), N m, of ``dofs`` (2N,): mean of the two elements' values."""
        h = self.element_length
        w0, s0, w1, s1 = dofs[:-2:2], dofs[1:-2:2], dofs[2::2], dofs[3::2]
        left = (6.0 * (w1 - w0) - h * (4.0 * s0 + 2.0 * s1)) / h**2
        right = (-6.0 * (w1 - w0) + h * (2.0 * s0 + 4.0 * s1)) / h**2
        total = np.concatenate([left, [0.0]]) + np.concatenate([[0.0], right])
        total[1:-1] *= 0.5
        result: np.ndarray = self.bending_stiffness * total
        return result
