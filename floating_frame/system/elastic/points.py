"""Material points of a deformable body: interpolated places, gathered forces, and their tangents in the body's sparsity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fem import Solid
from fem.deformable_body import DeformableBody
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.effect.protocol import Attached, Blocks
from floating_frame.frame.kinematics import Array
from floating_frame.input_checks import vector
from floating_frame.loads.followers import sparsity_positions
from floating_frame.system.elastic.blocks import on_nodes


class Nodes:
    """All nodes of a body, in the plane or in space; its frame has no forces of its own."""

    def place(self, configuration: Blocks) -> Array:
        return configuration[0]

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        return velocity[0]

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        return on_nodes(force)

    def add_tangent(self, blocks: Array, turn: Array, data: Array) -> None:
        """Do nothing: forces on all nodes have no tangent."""


class PlatePoints:
    """Points x_q = Σ_b φ_qb x_b of a ``body``, a plate or a solid. Forces depend on the point alone, or on all points of its group,
    the nodes ``groups`` (n, B), one after the other."""

    def __init__(
        self, points: ContactPoints, body: DeformableBody | Solid, groups: NDArray[np.int32] | None = None
    ) -> None:
        self._points, self._count = points, len(body.X)
        cells, self._shapes = points.nodes, points.shapes[:, None]
        if groups is not None:
            cells, self._shapes = groups, np.tile(np.eye(groups.shape[1]), (len(groups), 1, 1))
        self._places = sparsity_positions(body, cells)
        self.nodes = points.nodes[:, 0].astype(np.intp)
        """First node (Q,) of each point: the point itself where it is a node."""

    def place(self, configuration: Blocks) -> Array:
        return self._points.at(configuration[0])

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        return self._points.at(velocity[0])

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        return on_nodes(self.spread(force))

    def spread(self, values: Array) -> Array:
        """Nodal shares (N, d) of values (Q, d)."""
        return self._points.gathered(values, self._count)

    def add_tangent(self, blocks: Array, turn: Array, data: Array) -> None:
        """Add ``blocks`` (Q, d, d), by groups (n, B, d, B, d), inertial, rotated by ``turn`` (d, d), to ``data`` (nnz,) in the
        body's sparsity."""
        (n, group, _), d, shapes = self._shapes.shape, len(turn), self._shapes
        rotated = turn.T @ blocks.reshape(n, group, d, group, d).swapaxes(2, 3) @ turn
        pairs = np.einsum("ngb,nhc,nghij->nbicj", shapes, shapes, rotated)
        data += np.bincount(self._places.ravel(), pairs.ravel(), len(data))


class PlateAnchors:
    """Points of a deformable ``body`` on which effects act; ``reference`` (N, d) m: force-free positions of its nodes, for the
    initial places of springs (default: X)."""

    def __init__(self, body: DeformableBody | Solid, reference: Array | None = None) -> None:
        self._body, self._reference = body, body.X if reference is None else reference

    def nodes(self) -> Nodes:
        return Nodes()

    def segments(self, nodes: NDArray[np.int32]) -> PlatePoints:
        """Nodes (n, B) of segments, one by one, in groups."""
        return PlatePoints(ContactPoints.at_nodes(nodes.ravel(), np.ones(nodes.size)), self._body, nodes)

    def places(self, points: ContactPoints) -> PlatePoints:
        return PlatePoints(points, self._body)

    def attached(self, at: str | Sequence[float]) -> Attached:
        """Nodes of a named edge, or the point at (X, Y), m. Raises ValueError for an unknown edge and outside."""
        body = self._body
        if isinstance(at, str):
            shares = np.asarray(body.edge_shape(at))
            (nodes,) = np.nonzero(shares)
            on_edge = ContactPoints.at_nodes(nodes, np.ones(len(nodes)))
            return Attached(self.places(on_edge), self._reference[nodes], shares[nodes])
        cell, shapes = body.at_point(vector(at, "'at' of an effect (m)", body.X.shape[1]))
        points = ContactPoints(cell.astype(np.int32)[None], shapes[None], np.ones(1))
        return Attached(self.places(points), points.at(self._reference), np.ones(1))
