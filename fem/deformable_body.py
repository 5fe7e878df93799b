"""Interface of deformable bodies to the equations of motion: plates, axes of beams, and heated ones."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from scipy.sparse import csr_matrix


@runtime_checkable
class DeformableBody(Protocol):
    """Mass, strain energy, internal force and tangent of N points that move in the plane.

    The unknowns are the points' displacements u (N, 2), m, interleaved in matrices (2 i + a). Positions count from the centre of
    mass. Energy, force and tangent are consistent: ``internal_force`` is −∂U/∂u and ``tangent`` ∂²U/∂u² of ``strain_energy``.
    """

    @property
    def deformable(self) -> bool:
        """True; False for a ``floating_frame.RigidBody``."""

    @property
    def planar(self) -> bool:
        """True for a region of the plane, which has an outline for contact, stresses and body forces; False for an axis."""

    @property
    def objective(self) -> bool:
        """True if rigid rotations leave the body free of force; False for small strain."""

    @property
    def X(self) -> np.ndarray:
        """Reference positions (N, 2), m, from the centre of mass."""

    @property
    def cells(self) -> np.ndarray:
        """Corners of the cells (C, corners), for drawing."""

    @property
    def mass(self) -> float:
        """Total mass, kg."""

    @property
    def area(self) -> float:
        """Area on the plane, m²."""

    @property
    def nodal_area(self) -> np.ndarray:
        """Quadrature weights of friction (N,), m², >= 0, with the area as their sum."""

    @property
    def viscosity(self) -> float:
        """Retardation time, s, of a body with ``viscous_force``, else 0."""

    @property
    def mass_matrix(self) -> csr_matrix:
        """Consistent mass per component (N, N), kg."""

    @property
    def mass_data(self) -> np.ndarray:
        """The mass (nnz,), kg, in the sparsity of the tangent."""

    @property
    def indptr(self) -> np.ndarray:
        """Row pointers (2N + 1,) of the fixed sparsity, which has full 2 × 2 node blocks."""

    @property
    def indices(self) -> np.ndarray:
        """Columns (nnz,) of the fixed sparsity, sorted."""

    def strain_energy(self, u: np.ndarray) -> float:
        """Strain energy U, J, at u (N, 2), m."""

    def internal_force(self, u: np.ndarray) -> np.ndarray:
        """Internal force −∂U/∂u (N, 2), N, on the points at u (N, 2), m."""

    def tangent(
        self, u: np.ndarray, *, share: float = 1.0, inertia: float = 0.0, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Tangent ``share`` ∂²U/∂u² + ``inertia`` × mass (nnz,), N/m, in the fixed sparsity, symmetric; in ``out`` if given."""

    def smallest_jacobian(self, u: np.ndarray) -> tuple[float, int]:
        """Smallest ratio of deformed to reference size, -, and its cell, which is inverted at values <= 0."""

    def strains(self, u: np.ndarray) -> dict[str, float]:
        """Extreme strains and rotations by name, for models with limits of them.

        The names are ``strain``, -, and ``rotation``, rad, of small-strain material, ``stretch``, -, of material that softens in
        compression, and ``fibre``, -, of a beam's outermost fibres.
        """

    def boundary(self, name: str) -> np.ndarray:
        """Points of a named edge. Raises ValueError, which lists the names, for an unknown one."""

    def at_point(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points (B,) and shape functions (B,), sum 1, that interpolate at a place (2,), m. Raises ValueError outside the body."""

    def edge_shape(self, name: str) -> np.ndarray:
        """Shares (N,), -, of the points in a uniform force on a named edge, sum 1."""
