"""An elastic solid on a scikit-fem mesh of tetrahedra or hexahedra: mass, internal force, tangent, energy, named faces.

Total Lagrangian: all integrals are over the reference shape, P = F S(E) (Szefer (2.3)3 corrected).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from scipy.sparse.csgraph import connected_components
from skfem import FacetBasis, Mesh

from fem.elastic import Elastic
from fem.elements import discretise
from fem.elements import element as element_named
from fem.elements.outline import checked
from fem.given import check_positive, is_number, part_of, shown
from fem.materials import Material, material_of
from fem.solid.viscosity import viscous_force


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Solid(Elastic):
    """Represent an elastic solid; build it with ``Solid.build``. What is not named here is that of ``Elastic``.

    ``viscosity``: Retardation time of Kelvin and Voigt, s; 0: none.
    ``volume``: m³.
    ``faces``: ∫φ_i dA (N,), m², over the named faces of the reference shape.
    ``face_nodes``: nodes (n,) of these.
    ``outline``: (T, 3) corners of triangles that cover the boundary; a face of four corners is covered twice.
    """

    viscosity: float = 0.0
    volume: float
    faces: Mapping[str, np.ndarray] = field(default_factory=dict)
    face_nodes: Mapping[str, np.ndarray] = field(default_factory=dict)
    outline: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), np.intp))

    def __repr__(self) -> str:
        size = f"{len(self.X)} nodes, {len(self.cells)} cells, {self.volume:.6g} m3, {self.mass:.6g} kg"
        return f"Solid({self.element}, {size}, {self.material.name})"

    @classmethod
    def build(
        cls,
        mesh: Mesh,
        *,
        density: float,
        material: Material | tuple[Any, ...],
        element: str = "Q1",
        viscosity: float = 0.0,
    ) -> Self:
        """Build a solid from a mesh of tetrahedra (P1, P2) or hexahedra (Q1).

        ``mesh``: of scikit-fem, m. ``density``: kg/m³, finite and > 0. ``material``: one of ``MATERIALS``, of which E and nu count,
        or a law from outside (``register_material``). ``element``: name in ``SOLID_ELEMENTS``. ``viscosity``: Retardation time, s,
        >= 0; see ``viscous_force``. Raises ValueError for bad numbers, an incompressible material, cells of another kind, without
        volume, or unconnected.
        """
        law, table = _checked(mesh, element, density, material, viscosity), discretise(mesh, element, 3)
        named = {"boundary": mesh.boundary_facets(), **(mesh.boundaries or {})}
        on_faces = {name: _on_face(mesh, element, np.asarray(facets)) for name, facets in named.items()}
        body = cls.assembled(
            table,
            element,
            law,
            density,
            viscosity=float(viscosity),
            cells=np.ascontiguousarray(mesh.t.T, dtype=np.int32),
            volume=float(table.sizes.sum()),
            faces=MappingProxyType({name: shares for name, (shares, _) in on_faces.items()}),
            face_nodes=MappingProxyType({name: nodes for name, (_, nodes) in on_faces.items()}),
            outline=_triangles(mesh.facets[:, mesh.boundary_facets()].T),
        )
        parts, _ = connected_components(body.mass_matrix, directed=False)
        if parts > 1:
            raise ValueError(f"the mesh is in {parts} unconnected parts; nodes may lie on each other")
        return body

    def viscous_force(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the force of viscosity on the nodes (N, 3), N, at u (N, 3) m and velocities v (N, 3) m/s; see ``viscosity``."""
        if not self.viscosity:
            return np.zeros_like(self.X)
        return self.viscosity * viscous_force(self, u, v)

    def face_area(self, name: str) -> np.ndarray:
        """Return ∫φ_i dA (N,), m², over one of the ``faces``. ValueError lists these for another name."""
        self.boundary(name)
        return self.faces[name]

    def boundary(self, name: str) -> np.ndarray:
        """Return the nodes (n,), sorted, of one of the ``faces``. ValueError lists these for another name."""
        return part_of(self.face_nodes, "face", name)


def _checked(mesh: Mesh, element: str, density: float, material: object, viscosity: float) -> Material:
    check_positive("", density=density)
    if not (is_number(viscosity) and viscosity >= 0.0):
        raise ValueError(f"viscosity must be a finite time >= 0 s, got {shown(viscosity)}")
    law = material_of(material, 3)
    checked(mesh, element, 3)
    return law


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
