"""Plane elastic plates and elastic solids on a scikit-fem mesh: mass, internal force, tangent, energy, named edges and faces.

Total Lagrangian: all integrals are over the reference shape, P = F S(E) (Szefer (2.3)3 and (3.4)2, corrected).

Kelvin–Voigt viscosity is objective and dissipative. With the retardation time t, s, and the elasticity C of the material at rest,

    S = S(E) + t C : Ė,    Ė = sym(Fᵀ Ḟ),    dissipated power t ∫ Ė : C : Ė dV >= 0.

A rigid motion has Ė = 0, so Ḟ may follow from the velocities in space or in the frame. The amplitudes ĝ = R̄ᵀg of a hexahedron's
hourglass modes, whose energy is ½ ĝ·K̂ĝ (fem/elements/hourglass.py), have the rate R̄ᵀ(ġ − W̄g), W̄ the spin of the mean Ḟ F⁻¹, and
the viscous force t K̂ times this rate; the contribution of W̄ makes the moment of the forces zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh
from skfem import Mesh

from fem.elastic import Elastic, contiguous
from fem.elements.hourglass import thermal_tables
from fem.elements.outline import check_mesh, counter_clockwise, orient_segments
from fem.elements.tables import element
from fem.input_checks import check_positive, is_number, shown
from fem.kernels import viscous
from fem.kernels.law_blocks import MODULI
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
        return np.asarray(self.mass_matrix.sum(axis=1).A1)

    def stable_time_step(self) -> float:
        """Largest stable step 2/ω_max, s, of central differences with lumped mass at u = 0; P1 and Q1 only.

        The larger of two safe values: Lanczos iteration with a margin, and the bound from single cells, which explicit waves with
        friction need (cases/rod_wave.py).
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
        return max(float(2 / np.sqrt(top * (1 + tolerance))), self.stable_step_of_cells())

    def stable_step_of_cells(self) -> float:
        """Lower bound of the stable step of central differences, s: 2/ω of the cell with the highest frequency.

        Irons and Treharne (1971): for K = Σ K_e and any split M = Σ M_e of the lumped mass, here by volume, the largest eigenvalue
        of (K, M) is no larger than the largest of a cell, max_e λ_max(K_e, M_e), with equality on a row of equal bars, 2/ω = Δx/c.
        """
        nodes, gradients, volumes, hourglass = self.nodes, self.gradients, self.volumes, self.hourglass
        stiffness, lumped_mass = self.material.response(np.zeros((2, 2))).tangent, self.lumped_mass
        volume = volumes.sum(axis=1)
        node_volume = np.bincount(nodes.ravel(), np.repeat(volume, nodes.shape[1]), minlength=len(lumped_mass))
        mass = lumped_mass[nodes] * (volume[:, None] / node_volume[nodes])
        K = np.einsum("cq,cqbj,ijkl,cqdl->cbidk", volumes, gradients, stiffness, gradients, optimize=True)
        if len(hourglass.vectors):
            vectors, modes = hourglass.vectors, hourglass.modes
            stiff = hourglass.stiffness.reshape(len(vectors), modes, 2, modes, 2)
            K += np.einsum("cmb,cminj,cnd->cbidj", vectors, stiff, vectors, optimize=True)
        scale = np.repeat(mass**-0.5, 2, axis=1)
        size = scale.shape[1]
        scaled = scale[:, :, None] * K.reshape(-1, size, size) * scale[:, None, :]
        return float(2.0 / np.sqrt(np.linalg.eigvalsh(scaled)[:, -1].max()))

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
        return np.asarray(np.sqrt(stretch**2 + 2 * free))

    def edge_segments(self, name: str) -> np.ndarray:
        """Nodes of the segments of an edge, (n, 2) ends or (n, 3) with midpoints last; the plate lies to their left."""
        return orient_segments(self._part(name), self.cells)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Solid(Elastic):
    """Elastic solid, made by ``Solid.build``; see ``Elastic`` for the other parameters.

    Parameters
    ----------
    viscosity : float
        Retardation time of Kelvin and Voigt, s; 0: none.
    viscosity_given : bool
        The user chose it; else it is 0, and a simulation may choose one for contact.
    outline : ndarray
        Corners (T, 3) of triangles that cover the boundary; faces with four corners are covered twice.
    """

    viscosity: float = 0.0
    viscosity_given: bool = True
    outline: np.ndarray

    @property
    def volume(self) -> float:
        """Volume, m³."""
        return self.size

    @classmethod
    def build(
        cls,
        mesh: Mesh,
        *,
        density: float,
        material: Material | tuple[Any, ...],
        element: str = "Q1",
        viscosity: float | None = None,
    ) -> Self:
        """Build a solid from a mesh of tetrahedra (P1, P2) or hexahedra (Q1).

        Parameters
        ----------
        mesh : Mesh
            Mesh of scikit-fem, m.
        density : float
            Density, kg/m³, finite and > 0.
        material : Material or tuple
            One of ``MATERIALS``, whose plane does not count, or the named tuple of a registered law (``register_material``).
        element : str
            Name in ``SOLID_ELEMENTS``.
        viscosity : float
            Retardation time, s, >= 0; see ``viscous_force``. By default a simulation chooses one for contact with friction under
            unknown pressure, and none else.

        Raises
        ------
        ValueError
            For bad numbers, an incompressible material, cells of another kind, without volume, or unconnected.
        """
        check_positive("", density=density)
        given = viscosity is not None
        viscosity = 0.0 if viscosity is None else viscosity
        if not (is_number(viscosity) and viscosity >= 0.0):
            raise ValueError(f"viscosity must be a finite time >= 0 s, got {shown(viscosity)}")
        law = material_of(material, 3)
        mesh = check_mesh(mesh, element, 3)
        facets = mesh.facets[:, mesh.boundary_facets()].T
        triangles = facets[:, list(combinations(range(facets.shape[1]), 3))].reshape(-1, 3)
        body = cls.on_mesh(
            mesh,
            element,
            law,
            density,
            viscosity=float(viscosity),
            viscosity_given=given,
            cells=np.ascontiguousarray(mesh.t.T, dtype=np.int32),
            outline=np.ascontiguousarray(triangles, dtype=np.intp),
        )
        parts, _ = connected_components(body.mass_matrix, directed=False)
        if parts > 1:
            raise ValueError(f"the mesh is in {parts} unconnected parts; nodes may lie on each other")
        return body

    @property
    def extents(self) -> np.ndarray:
        """Extents (3,) in the axes of the mesh, m."""
        return np.asarray(np.ptp(self.X, axis=0))

    @cached_property
    def crossing_time(self) -> float:
        """Time, s, that a shear wave takes across the body at rest, along the least of its ``extents``."""
        moduli = self.material.response(np.zeros((3, 3))).tangent
        shear = min(float(moduli[i, j, i, j]) for i, j in ((0, 1), (0, 2), (1, 2)))
        return float(self.extents.min() / np.sqrt(shear / self.density))

    def viscous_force(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Viscous force on the nodes (N, 3), N, at u (N, 3), m, and velocities v (N, 3), m/s, in the same axes; its power with v is
        minus the dissipation."""
        if not self.viscosity:
            return np.zeros_like(self.X)
        out = np.empty_like(self.X)
        viscous.viscous_force(self.field(u), self.field(v), *self._viscous_arguments, out)
        return self.viscosity * out

    @cached_property
    def _viscous_arguments(self) -> tuple[Any, ...]:
        """Arguments of the compiled ``viscous_force`` between v and its result."""
        (d, n), modes = (3, self.nodes.shape[1]), self.hourglass.modes
        loops = tuple((0,) * length for length in (d, d + modes, n, modes, modes * d))
        moduli = self.material.evaluate(MODULI, np.zeros((d, d))).reshape(d * d, d * d)
        return *loops, *map(contiguous, (moduli, self.nodes, *self.rows, self._modes))
