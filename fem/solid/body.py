"""An elastic solid on a scikit-fem mesh of tetrahedra or hexahedra: mass, internal force, tangent, energy, named faces.

Total Lagrangian: all integrals are over the reference shape, P = F S(E) (Szefer (2.3)3 corrected).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType
from typing import ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from skfem import FacetBasis, Mesh

from fem.elastic import Elastic, cell_rows, centred
from fem.elements import discretise
from fem.elements import element as element_named
from fem.elements.hourglass import Hourglass
from fem.elements.location import at_point
from fem.elements.sparsity import scalar_in_blocks, scalar_matrix, sparsity
from fem.given import check_positive, is_number, part_of, shown
from fem.materials import Material, check_material
from fem.solid.elements import check_cells
from fem.solid.viscosity import viscous_force


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Solid(Elastic):
    """Represent an elastic solid; build it with ``Solid.build``.

    N nodes, C cells, B nodes per cell. Vector fields are (N, 3); the unknown of node i, axis a is 3i + a. All arrays are read-only,
    in the axes of the mesh.

    Parameters
    ----------
    element : str
        Name in ``SOLID_ELEMENTS``.
    material : Material
        The law, in space.
    density : float
        kg/m³.
    viscosity : float
        Retardation time of Kelvin and Voigt, s; 0: none.
    X : ndarray
        Positions (N, 3), m, from the centre of mass.
    offset : ndarray
        The centre of mass (3,), m, in the mesh's own coordinates: mesh points are ``X + offset``.
    cells, nodes : ndarray
        Corners, and all nodes of the cells, int32.
    volume, mass : float
        m³, kg.
    mass_matrix : csr_matrix
        Consistent mass per component (N, N), kg.
    indptr, indices : ndarray
        Fixed sparsity (3N, 3N), int32, sorted, in full 3 × 3 blocks, diagonal present.
    mass_data : ndarray
        The mass (nnz,), kg, in that pattern.
    gradients, volumes, jacobian_gradients, entries, row_length : ndarray
        See ``fem/kernels/elements.py``.
    rows : tuple[ndarray, ndarray]
        Gradients and volumes as the element loops take them.
    hourglass : Hourglass
        Of Q1; without cells for the other elements.
    faces : Mapping[str, ndarray]
        ∫φ_i dA (N,), m², over the named faces of the reference shape.
    outline : ndarray
        (T, 3) corners of triangles that cover the boundary; a face of four corners is covered twice.
    """

    element: str
    material: Material
    density: float
    viscosity: float = 0.0
    X: np.ndarray
    offset: np.ndarray
    cells: np.ndarray
    nodes: np.ndarray
    volume: float
    mass: float
    mass_matrix: csr_matrix
    indptr: np.ndarray
    indices: np.ndarray
    mass_data: np.ndarray
    gradients: np.ndarray
    volumes: np.ndarray
    jacobian_gradients: np.ndarray
    rows: tuple[np.ndarray, np.ndarray]
    hourglass: Hourglass
    entries: np.ndarray
    row_length: np.ndarray
    faces: Mapping[str, np.ndarray] = field(default_factory=dict)
    face_nodes: Mapping[str, np.ndarray] = field(default_factory=dict)
    outline: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), np.intp))
    deformable: ClassVar[bool] = True

    def __repr__(self) -> str:
        size = f"{len(self.X)} nodes, {len(self.cells)} cells, {self.volume:.6g} m3, {self.mass:.6g} kg"
        return f"Solid({self.element}, {size}, {self.material.name})"

    @classmethod
    def build(
        cls, mesh: Mesh, *, density: float, material: Material, element: str = "Q1", viscosity: float = 0.0
    ) -> Self:
        """Build a solid from a mesh of tetrahedra (P1, P2) or hexahedra (Q1).

        Parameters
        ----------
        mesh : Mesh
            Of scikit-fem, m.
        density : float
            kg/m³, finite and > 0.
        material : Material
            E and nu of the law count; a body in space has no plane.
        element : str
            Name in ``SOLID_ELEMENTS``.
        viscosity : float
            Retardation time, s, >= 0; see ``viscous_force``.

        Raises
        ------
        ValueError
            For bad numbers, an incompressible material, cells of another kind, without volume, or unconnected.
        """
        law, kind = _checked(mesh, element, density, material, viscosity), element_named(element, 3)
        table = discretise(mesh, element, 3)
        pattern = sparsity(table.nodes, len(table.points), 3)
        mass_matrix = scalar_matrix(pattern, density * table.mass)
        parts, _ = connected_components(mass_matrix, directed=False)
        if parts > 1:
            raise ValueError(f"the mesh is in {parts} unconnected parts; nodes may lie on each other")
        X = centred(table.points, mass_matrix.sum(axis=1).A1)
        modes = Hourglass.of(table.points[table.nodes], law) if kind.hourglass else Hourglass.none()
        named = {"boundary": mesh.boundary_facets(), **(mesh.boundaries or {})}
        on_faces = {name: _on_face(mesh, element, np.asarray(facets)) for name, facets in named.items()}
        return cls(
            element=element,
            material=law,
            density=float(density),
            viscosity=float(viscosity),
            X=X,
            offset=table.points[0] - X[0],
            cells=np.ascontiguousarray(mesh.t.T, dtype=np.int32),
            nodes=table.nodes,
            volume=float(table.sizes.sum()),
            mass=float(mass_matrix.sum()),
            mass_matrix=mass_matrix,
            indptr=pattern.indptr,
            indices=pattern.indices,
            mass_data=scalar_in_blocks(pattern, mass_matrix.data),
            gradients=table.gradients,
            volumes=table.sizes,
            jacobian_gradients=table.jacobian_gradients,
            rows=cell_rows(table.gradients, table.sizes, modes.vectors),
            hourglass=modes,
            entries=pattern.entries,
            row_length=pattern.row_length,
            faces=MappingProxyType({name: shares for name, (shares, _) in on_faces.items()}),
            face_nodes=MappingProxyType({name: nodes for name, (_, nodes) in on_faces.items()}),
            outline=_triangles(mesh.facets[:, mesh.boundary_facets()].T),
        )

    def viscous_force(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the force of viscosity on the nodes (N, 3), N, at u (N, 3) m and velocities v (N, 3) m/s; see ``viscosity``."""
        if not self.viscosity:
            return np.zeros_like(self.X)
        tables = self.nodes, self.gradients, self.volumes, self.material, self.hourglass
        return self.viscosity * viscous_force(u, v, *tables)

    def strains(self, u: np.ndarray) -> dict[str, float]:
        """Return the smallest principal stretch, -, over the cells' Gauss points, where the material softens in compression."""
        if not self.material.softens_in_compression:
            return {}
        F = self._deformation_gradient(u, self.jacobian_gradients)
        return {"stretch": float(np.linalg.svd(F, compute_uv=False)[..., -1].min())}

    def cauchy_stress(self, u: np.ndarray) -> np.ndarray:
        """Return the Cauchy stress (C, 3, 3), Pa, of the cells at u (N, 3), m: its mean, of Q1 that of the mean strain."""
        F = self._deformation_gradient(u, self.gradients)
        P = self.material.response(F - np.eye(3)).stress
        return self._mean(np.einsum("cqij,cqkj->cqik", P, F) / np.linalg.det(F)[..., None, None])

    def stress(self, u: np.ndarray) -> np.ndarray:
        """Return the second Piola-Kirchhoff stress F⁻¹P (C, 3, 3), Pa, of the cells, as ``cauchy_stress``."""
        F = self._deformation_gradient(u, self.gradients)
        return self._mean(np.linalg.solve(F, self.material.response(F - np.eye(3)).stress))

    def _mean(self, field: np.ndarray) -> np.ndarray:
        """Return the means (C, 3, 3) over the cells of a field at their Gauss points (C, Q, 3, 3)."""
        result: np.ndarray = np.einsum("cq,cqij->cij", self.volumes, field) / self.volumes.sum(axis=1)[:, None, None]
        return result

    def _deformation_gradient(self, u: np.ndarray, gradients: np.ndarray) -> np.ndarray:
        result: np.ndarray = np.eye(3) + np.einsum(
            "cbi,cqbj->cqij", self.field(u)[self.nodes], gradients, optimize=True
        )
        return result

    def face_area(self, name: str) -> np.ndarray:
        """Return ∫φ_i dA (N,), m², over one of the ``faces``. ValueError lists these for another name."""
        self.boundary(name)
        return self.faces[name]

    def boundary(self, name: str) -> np.ndarray:
        """Return the nodes (n,), sorted, of one of the ``faces``. ValueError lists these for another name."""
        return part_of(self.face_nodes, "face", name)

    def at_point(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes (B,) and shape functions (B,), sum 1, that interpolate at a place (3,), m, of the reference shape,
        between nodes too; a node itself where the place is one. Raises ValueError outside."""
        return at_point(element_named(self.element, 3).shape(), self.X, self.nodes, place)

    def edge_shape(self, name: str) -> np.ndarray:
        """Return the same as ``face_shape``, by the name that it has for all bodies."""
        return self.face_shape(name)

    def face_shape(self, name: str) -> np.ndarray:
        """Return ∫φ_i dA / area (N,), -, sum 1, over one of the ``faces``: times a total force, a uniform dead load there."""
        area = self.face_area(name)
        result: np.ndarray = area / area.sum()
        return result


def _checked(mesh: Mesh, element: str, density: float, material: Material, viscosity: float) -> Material:
    if not isinstance(mesh, Mesh):
        raise ValueError(f"mesh must be one of scikit-fem, such as box(1, 1, 1, 4, 4, 4), got {type(mesh).__name__}")
    check_positive("", density=density)
    if not (is_number(viscosity) and viscosity >= 0.0):
        raise ValueError(f"viscosity must be a finite time >= 0 s, got {shown(viscosity)}")
    check_material(material)
    if not -1 < material.nu < 0.5:
        raise ValueError(f"nu of a solid must lie in -1 < nu < 0.5 (finite bulk modulus), got {material.nu}")
    check_cells(mesh, element)
    return material.in_space()


def _triangles(facets: np.ndarray) -> np.ndarray:
    """Return all triples (T, 3) of corners of each facet (F, 3) or (F, 4), whose order is not known."""
    triples = list(combinations(range(facets.shape[1]), 3))
    return np.ascontiguousarray(facets[:, triples].reshape(-1, 3), dtype=np.intp)


def _on_face(mesh: Mesh, element: str, facets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∫φ_i dA (N,) over facets, and their nodes."""
    kind = element_named(element, 3)
    basis = FacetBasis(mesh, kind.shape(), facets=facets, intorder=3)
    shares, nodes = np.zeros(basis.N), basis.element_dofs
    for b, shape in enumerate(basis.basis):
        np.add.at(shares, nodes[b], (np.asarray(shape[0]) * basis.dx).sum(axis=1))
    return shares, np.unique(basis.get_dofs(facets).flatten())
