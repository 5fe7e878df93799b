"""Plane elastic plates on a scikit-fem mesh: mass, internal force, tangent, energy, nodal weights, named edges.

Total Lagrangian: all integrals are over the reference shape, P = F S(E) (Szefer (3.4)2 corrected).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh
from skfem import Mesh

from fem.elastic import Elastic
from fem.elements import discretise, element, nodal_area
from fem.elements.hourglass import thermal_tables
from fem.elements.outline import check_mesh, counter_clockwise, named_edges, orient_segments, segment_shares
from fem.elements.stable_step import stable_step_bound
from fem.input_checks import check_positive, named_part
from fem.materials import Material, material_of


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plate(Elastic):
    """Plane elastic plate, made by ``Plate.build``; see ``Elastic`` for the other parameters.

    Parameters
    ----------
    thickness, area : float
        Thickness, m, and area, m².
    nodal_area : ndarray
        Positive weights (N,), m², of sum A: ∫φ_i dA; for P2 the P1 rule on the four sub-triangles (corner A/12, midpoint A/4).
    edges : Mapping[str, ndarray]
        Nodes (segments, 2 or 3) of the named edges.
    """

    viscosity: ClassVar[float] = 0.0
    planar: ClassVar[bool] = True
    eigenstress: ClassVar[np.ndarray] = np.zeros(3)
    """Eigenstress of a cold plate, Pa (see ``Heated``)."""

    thickness: float
    area: float
    nodal_area: np.ndarray
    edges: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __repr__(self) -> str:
        size = f"{len(self.X)} nodes, {len(self.cells)} cells, {self.area:.6g} m2, {self.mass:.6g} kg"
        return f"Plate({self.element}, {size}, {self.material.name})"

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
        straight, table = check_mesh(mesh, element, 2), discretise(mesh, element)
        return cls.from_tables(
            table,
            element,
            law,
            density,
            thickness=float(thickness),
            cells=counter_clockwise(straight),
            area=float(table.sizes.sum()),
            nodal_area=nodal_area(element, table),
            edges=MappingProxyType(named_edges(straight, element in ("P2", "Q2"))),
        )

    @cached_property
    def thermal_tables(self) -> tuple[np.ndarray, ...]:
        """Tables of a temperature field in Q1 cells (``fem/elements/hourglass.py``)."""
        return thermal_tables(self.X[self.nodes], self.material, self.thickness)

    @property
    def lumped_mass(self) -> np.ndarray:
        """Row-sum lumped mass (N,), kg. Raises ValueError for P2 and Q2, where it is not positive."""
        if not element(self.element).lumpable:
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

    def boundary(self, name: str) -> np.ndarray:
        """Nodes (n,), sorted, of one of the ``edges``. ValueError lists these for an unknown name."""
        return np.unique(self._edge(name))

    def face_area(self, name: str) -> np.ndarray:
        """Nodal lengths ∫φ_i ds (N,), m, of one of the ``edges``. ValueError lists these for an unknown name."""
        edge = self._edge(name)
        return np.bincount(edge.ravel(), segment_shares(self.X[edge]).ravel(), minlength=len(self.X))

    def edge_segments(self, name: str) -> np.ndarray:
        """Nodes of the segments of an edge, (n, 2) ends or (n, 3) with midpoints last; the plate lies to their left."""
        return orient_segments(self._edge(name), self.cells)

    def _edge(self, name: str) -> np.ndarray:
        return named_part(self.edges, "edge", name)
