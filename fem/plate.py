"""Plane elastic plates on a scikit-fem mesh: mass, internal force, tangent, energy, nodal weights, named edges.

Total Lagrangian: all integrals are over the reference shape, P = F S(E) (Szefer (3.4)2 corrected).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh
from skfem import Mesh

from fem.elastic import Elastic
from fem.elements import element
from fem.elements.hourglass import thermal_tables
from fem.elements.outline import check_mesh, counter_clockwise, orient_segments
from fem.elements.stable_step import stable_step_bound
from fem.input_checks import check_positive
from fem.materials import Isotropic, Material, material_of


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plate(Elastic):
    """Plane elastic plate, made by ``Plate.build``; see ``Elastic`` for the other parameters.

    Parameters
    ----------
    thickness : float
        Thickness, m.
    nodal_area : ndarray
        Positive weights (N,), m², of sum A: ∫φ_i dA; for P2 the P1 rule on the four sub-triangles (corner A/12, midpoint A/4).
    thermal_strain, eigenstress : ndarray
        θ, -, and s, Pa, (C, Q, 3) at the quadrature points of a heated plate (``fem/thermal.py``), else (3,) of zeros.
    """

    viscosity: ClassVar[float] = 0.0
    planar: ClassVar[bool] = True

    thickness: float
    nodal_area: np.ndarray
    thermal_strain: np.ndarray = field(default_factory=lambda: np.zeros(3))
    eigenstress: np.ndarray = field(default_factory=lambda: np.zeros(3))

    @classmethod
    def build(
        cls,
        mesh: Mesh,
        *,
        thickness: float,
        density: float,
        material: Material | tuple[Any, ...],
        element: str = "P1",
        plane: str | None = None,
    ) -> Self:
        """Build a plate from a mesh of triangles (P1, P2) or quadrilaterals (Q1, Q2).

        Parameters
        ----------
        mesh : Mesh
            Coordinates in m; P2 and Q2 take curved sides (``MeshTri2``, ``MeshQuad2``).
        thickness, density : float
            Thickness, m, and density, kg/m³, finite and > 0.
        material : Material or tuple
            One of ``MATERIALS``, or the named tuple of a registered law (``register_material``).
        element : str
            Name in ``ELEMENTS``.
        plane : str
            "stress" or "strain"; by default the plane of the material, of a registered law "strain".

        Raises
        ------
        ValueError
            For bad numbers, and for cells that are not finite, degenerate, inverted or unconnected, with the first of these.
        """
        check_positive("", thickness=thickness, density=density)
        law = material_of(material, 2, plane)
        cells = counter_clockwise(check_mesh(mesh, element, 2))
        return cls.on_mesh(mesh, element, law, density, thickness=float(thickness), cells=cells)

    @property
    def area(self) -> float:
        """Area, m²."""
        return self.size

    @property
    def edges(self) -> Mapping[str, np.ndarray]:
        """Nodes (segments, 2 or 3) of the named edges."""
        return self.parts

    @cached_property
    def thermal_tables(self) -> tuple[np.ndarray, ...]:
        """Tables of a temperature field in Q1 cells (``fem/elements/hourglass.py``)."""
        return thermal_tables(self.X[self.nodes], self.material, self.thickness)

    @property
    def lumped_mass(self) -> np.ndarray:
        """Row-sum lumped mass (N,), kg. Raises ValueError for P2 and Q2, where it is not positive."""
        if element(self.element).curved:
            raise ValueError(f"a lumped mass needs element P1 or Q1, got {self.element}")
        result: np.ndarray = self.mass_matrix.sum(axis=1).A1
        return result

    def stable_time_step(self) -> float:
        """Largest stable step 2/ω_max, s, of central differences with lumped mass at u = 0; P1 and Q1 only.

        The larger of two safe values: Lanczos iteration with a margin, and the bound from single cells.
        """
        scale = np.repeat(self.lumped_mass**-0.5, 2)
        K = csr_array(self.tangent_matrix(np.zeros_like(self.X)))
        operator = LinearOperator(K.shape, matvec=lambda v: scale * (K @ (scale * v)), dtype=float)
        tolerance, start = 1e-4, np.random.default_rng(1).standard_normal(len(scale))
        try:
            top = eigsh(operator, k=1, which="LA", tol=tolerance, v0=start, return_eigenvectors=False)[0]
        except ArpackError:
            # Gershgorin's bound is never below the largest eigenvalue.
            top = np.max(scale * (abs(K) @ scale))
        stiffness = self.material.response(np.zeros((2, 2))).tangent
        bound = stable_step_bound(self.nodes, self.gradients, self.volumes, stiffness, self.lumped_mass, self.hourglass)
        return max(float(2 / np.sqrt(top * (1 + tolerance))), bound)

    def point_state(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """H, F and P (..., C, Q, 2, 2) at the quadrature points, at u (..., N, 2), m."""
        H, F, P = super().point_state(u)
        return H, F, P - (F if self.objective else np.eye(2)) * self.eigenstress[..., None, :2]

    def thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """F₃₃ (..., C, Q) at H (..., C, Q, 2, 2); E₃₃ − θ_z = −ν/(1 − ν) (tr E − θ_x − θ_y) in plane stress of a heated plate."""
        stretch, theta = self.material.thickness_stretch(H), self.thermal_strain
        if self.material.plane == "strain" or not theta.any():
            return stretch
        assert isinstance(self.material, Isotropic)
        free = theta[..., 2] + self.material.nu / (1 - self.material.nu) * theta[..., :2].sum(axis=-1)
        return np.sqrt(stretch**2 + 2 * free)

    def edge_segments(self, name: str) -> np.ndarray:
        """Nodes of the segments of an edge, (n, 2) ends or (n, 3) with midpoints last; the plate lies to their left."""
        return orient_segments(self._part(name), self.cells)
