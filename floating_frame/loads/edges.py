"""Integrals along edges: Gauss points, shape functions and tangents of straight or quadratic segments of nodes.

A segment has two nodes (ends) or three (ends, then the one between), shape functions φ_b(ξ) on 0 ≤ ξ ≤ 1, and x(ξ) = Σ φ_b x_b. The
body lies to its left, so e = x'/|x'| runs counter-clockwise around it and −J e is the outward normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array

_ABSCISSA, _WEIGHT = np.polynomial.legendre.leggauss(4)
_XI, _STEP = 0.5 * (_ABSCISSA + 1.0), 0.5 * _WEIGHT


class Body(Protocol):
    """A body, rigid or deformable, for loads and contacts."""

    @property
    def X(self) -> Array:
        """Reference positions (N, 2), m, from the centre of mass."""
        ...

    @property
    def planar(self) -> bool:
        """True if it has an area, and edges made of segments."""
        ...

    @property
    def deformable(self) -> bool:
        """True if it has a sparsity for tangents of forces."""
        ...

    def edge_shape(self, name: str) -> Array:
        """Share (N,) of each node in a force on a named edge. Raises ValueError for another name."""
        ...

    def edge_segments(self, name: str) -> NDArray[np.int32]:
        """Nodes (n, 2) or (n, 3) of an edge's segments, the body to their left. Raises ValueError for another name."""
        ...


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A named edge of a body: ``nodes`` (n, B) of its segments; at Q Gauss points φ ``shapes`` (Q, B), ``slopes`` φ' (Q, B),
    ``weights`` (Q,); ``stretch`` ``|X'|`` (n, Q) m and ``points`` X (n, Q, 2) m of the reference."""

    nodes: NDArray[np.int32]
    shapes: Array
    slopes: Array
    weights: Array
    stretch: Array
    points: Array

    @classmethod
    def of(cls, body: Body, name: str) -> Edge:
        """Tabulate an edge. Raises ValueError for one that the body does not have, or that runs inside it, and for a beam."""
        if not body.planar:
            raise ValueError(f"a traction along the edge {name!r} takes a plate or a rigid body, got a beam")
        nodes = body.edge_segments(name)
        shapes, slopes = shape_functions(_XI, nodes.shape[1])
        corners = body.X[nodes]
        stretch = np.linalg.norm(np.einsum("qb,nbi->nqi", slopes, corners), axis=2)
        points = np.einsum("qb,nbi->nqi", shapes, corners)
        return cls(nodes=nodes, shapes=shapes, slopes=slopes, weights=_STEP, stretch=stretch, points=points)

    @property
    def length(self) -> float:
        """Reference length, m."""
        return float(np.sum(self.stretch @ self.weights))

    def shares(self, density: Array) -> Array:
        """∫ φ_b f dξ (n B, 2) of f (n, Q, 2) at the Gauss points, on the nodes of the segments."""
        return np.asarray(np.einsum("nqi,qb,q->nbi", density, self.shapes, self.weights)).reshape(-1, 2)


def shape_functions(xi: Array, nodes: int) -> tuple[Array, Array]:
    """φ and φ' (Q, B) at places ξ (Q,) of a segment of B = 2 or 3 ``nodes``."""
    one = np.ones_like(xi)
    if nodes == 2:
        return np.stack([1.0 - xi, xi], 1), np.stack([-one, one], 1)
    shapes = np.stack([(1.0 - xi) * (1.0 - 2.0 * xi), xi * (2.0 * xi - 1.0), 4.0 * xi * (1.0 - xi)], 1)
    return shapes, np.stack([4.0 * xi - 3.0, 4.0 * xi - 1.0, 4.0 - 8.0 * xi], 1)
