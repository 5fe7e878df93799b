"""What the equations of motion ask of a deformable body: a plate, the axis of a beam, and either of them heated."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from scipy.sparse import csr_matrix


@runtime_checkable
class DeformableBody(Protocol):
    """Mass, strain energy, internal force and tangent of N points that move in the plane.

    The unknowns are the points' displacements u (N, 2), m, interleaved in matrices (2 i + a). Positions count from the centre of
    mass. Energy, force and tangent belong together: ``internal_force`` is −∂U/∂u and ``tangent`` ∂²U/∂u² of ``strain_energy``.
    """

    @property
    def deformable(self) -> bool:
        """Whether it is; a ``floating_frame.RigidBody`` is not."""

    @property
    def planar(self) -> bool:
        """Whether it is a part of the plane: it has an outline that obstacles can touch, stresses and body forces."""

    @property
    def objective(self) -> bool:
        """Whether rigid rotations leave it free of force (not so for small strain)."""

    @property
    def X(self) -> np.ndarray:
        """Reference positions (N, 2), m, from the centre of mass."""

    @property
    def cells(self) -> np.ndarray:
        """Corners of the cells (C, corners), by which the body is drawn."""

    @property
    def mass(self) -> float:
        """Total mass, kg."""

    @property
    def area(self) -> float:
        """Area on the plane, m²."""

    @property
    def nodal_area(self) -> np.ndarray:
        """Quadrature weights of friction (N,), m², >= 0, whose sum is the area."""

    @property
    def viscosity(self) -> float:
        """Retardation time, s, of a body with ``viscous_force``; 0 of others."""

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
        """Return the strain energy U, J."""

    def internal_force(self, u: np.ndarray) -> np.ndarray:
        """Return the force of the strained body on its points, −∂U/∂u, (N, 2), N."""

    def tangent(
        self, u: np.ndarray, *, share: float = 1.0, inertia: float = 0.0, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Return ``share`` ∂²U/∂u² + ``inertia`` × mass (nnz,), N/m, in the fixed sparsity, symmetric; in ``out`` if given."""

    def smallest_jacobian(self, u: np.ndarray) -> tuple[float, int]:
        """Return the smallest ratio of deformed to reference size, -, and its cell; at or below 0 the cell is inverted."""

    def strains(self, u: np.ndarray) -> dict[str, float]:
        """Return how far it is strained and turned, by name, where its model holds up to some strain only.

        The names are ``strain``, -, and ``rotation``, rad, of small-strain material, ``stretch``, -, of material that softens in
        compression, and ``fibre``, -, of a beam's outermost fibres.
        """

    def boundary(self, name: str) -> np.ndarray:
        """Return the points of a named edge. Raises ValueError, which lists the names, for another one."""

    def at_point(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return points (B,) and shape functions (B,), sum 1, that interpolate at a place (2,), m. Raises ValueError outside."""

    def edge_shape(self, name: str) -> np.ndarray:
        """Return the share (N,), -, of each point in a force on a named edge; the sum is 1."""
