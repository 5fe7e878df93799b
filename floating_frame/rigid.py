"""Rigid bodies: no u at all, friction integrated over sample points of the area."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags_array

from fem.meshes import check_cells
from floating_frame.kinematics import Array

MOST_RINGS = 2000
"""Of a rigid disc: the abscissae of its Gauss points are eigenvalues of a full matrix of this size."""


@dataclass(frozen=True)
class RigidBody:
    """A rigid body with N friction sample points.

    ``X`` (N, 2) m from the centre of mass; ``nodal_area`` (N,) m², positive quadrature weights of the area;
    ``mass_matrix`` (N, N) kg, so that ⟨1,1⟩ is the mass and ⟨X,X⟩ the moment of inertia; ``cells`` (n, corners) for
    pictures; ``edges``: nodal shapes (N,) with sum one of named edges; ``segments``: their nodes (n, 2) or (n, 3), the body to
    the left (``fem.Plate.edge_segments``).
    """

    X: Array
    nodal_area: Array
    mass_matrix: csr_matrix
    cells: NDArray[np.int32]
    edges: dict[str, Array]
    segments: dict[str, NDArray[np.int32]] = field(default_factory=dict)

    @classmethod
    def from_plate(cls, plate: Any) -> RigidBody:
        """The rigid twin of a plate: its nodes, areas, consistent mass and edges."""
        edges = {name: plate.edge_shape(name) for name, nodes in plate.edges.items() if len(nodes)}
        segments = {}
        for name in edges:
            with suppress(ValueError):  # a line inside the body has no outward side, and no follower traction
                segments[name] = plate.edge_segments(name)
        return cls(plate.X, plate.nodal_area, plate.mass_matrix, plate.cells, edges, segments)

    @classmethod
    def disc(cls, radius: float, mass: float, nr: int, nt: int) -> RigidBody:
        """A uniform disc: Gauss–Legendre points in r, equidistant in angle, so mass and J_zz = m R²/2 are exact.

        Raises ValueError for radius or mass not > 0, nr < 2 or nt < 3, or too many points.
        """
        if not (np.isfinite(radius) and radius > 0.0 and np.isfinite(mass) and mass > 0.0):
            raise ValueError(f"a disc needs a finite radius > 0 m and mass > 0 kg, got {radius} and {mass}")
        if nr < 2 or nt < 3:
            raise ValueError(f"a disc needs nr >= 2 and nt >= 3 sample points, got {nr} and {nt}")
        check_cells(nr=nr, nt=nt)
        if nr > MOST_RINGS:
            raise ValueError(f"nr = {nr} rings of Gauss points are too many: a disc may have {MOST_RINGS}")
        abscissa, weight = np.polynomial.legendre.leggauss(nr)
        r = 0.5 * radius * (abscissa + 1.0)
        ring_area = 0.5 * radius * weight * r * 2.0 * np.pi / nt
        angle = 2.0 * np.pi * (np.arange(nt) + 0.5) / nt
        points = np.stack([np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle))], axis=-1).reshape(-1, 2)
        area = np.repeat(ring_area, nt)
        index = np.arange(nr * nt, dtype=np.int32).reshape(nr, nt)
        following = np.roll(index, -1, axis=1)
        cells = np.stack([index[:-1], index[1:], following[1:], following[:-1]], axis=-1).reshape(-1, 4)
        return cls(points, area, diags_array(mass * area / area.sum()).tocsr(), cells, {})

    def edge_shape(self, name: str) -> Array:
        """Nodal shape (N,) with sum one of a named edge. Raises ValueError for an unknown one."""
        if name not in self.edges:
            known = ", ".join(sorted(self.edges)) or "none"
            raise ValueError(f"the body has no edge {name!r}; its edges: {known}")
        return self.edges[name]

    def edge_segments(self, name: str) -> NDArray[np.int32]:
        """Nodes (n, 2) or (n, 3) of a named edge's segments. Raises ValueError for an edge that has none."""
        if name not in self.segments:
            known = ", ".join(sorted(self.segments)) or "none"
            raise ValueError(f"the body has no edge {name!r} with a course; such edges: {known}")
        return self.segments[name]
