"""Where a contact is integrated: points on the body's boundary, with shape functions, weights and places in its sparsity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact import Contact
from floating_frame.frame.kinematics import Array, gathered
from floating_frame.loads.edges import Edge, shape_functions
from floating_frame.loads.followers import block_places


@dataclass(frozen=True)
class ContactPoints:
    """Q points x_q = Σ_b φ_qb x_b of a body: ``nodes`` (Q, B), ``shapes`` φ (Q, B); ``weights`` (Q,), m of reference length each
    stands for, or 1 at single nodes; ``places`` (Q, B, 2, B, 2) in the body's sparsity (None: rigid)."""

    nodes: NDArray[np.int32]
    shapes: Array
    weights: Array
    places: NDArray[np.int64] | None

    @classmethod
    def of(cls, contact: Contact, body: Any) -> ContactPoints:
        """The points of a contact on a body. Raises ValueError for an edge or nodes that the body does not have."""
        if contact.edge is None:
            nodes = np.asarray(contact.nodes)
            fits = nodes.ndim == 1 and nodes.size > 0 and nodes.dtype.kind in "iu"
            if not (fits and nodes.min() >= 0 and nodes.max() < len(body.X) and len(set(nodes.tolist())) == len(nodes)):
                raise ValueError(
                    f"a contact's nodes must be different integers from 0 to {len(body.X) - 1}, got {contact.nodes!r}"
                )
            return cls.at_nodes(body, nodes, np.ones(len(nodes)))
        edge = Edge.of(body, contact.edge)
        lengths = edge.stretch * edge.weights
        if contact.integration == "nodes":
            shares = np.bincount(edge.nodes.ravel(), np.einsum("nq,qb->nb", lengths, edge.shapes).ravel(), len(body.X))
            (nodes,) = np.nonzero(shares)
            return cls.at_nodes(body, nodes, shares[nodes])
        count = len(edge.weights)
        places = block_places(body, edge.nodes)
        return cls(
            np.repeat(edge.nodes, count, axis=0),
            np.tile(edge.shapes, (len(edge.nodes), 1)),
            lengths.ravel(),
            None if places is None else np.repeat(places, count, axis=0),
        )

    @classmethod
    def spread(cls, contact: Contact, body: Any, count: int) -> ContactPoints:
        """``count`` places on each segment of a contact's edge, evenly from end to end; to look at, without weights.

        Raises ValueError for an edge that the body does not have.
        """
        assert contact.edge is not None
        segments = body.edge_segments(contact.edge)
        shapes, _ = shape_functions(np.linspace(0.0, 1.0, count), segments.shape[1])
        nodes = np.repeat(segments, count, axis=0)
        return cls(nodes, np.tile(shapes, (len(segments), 1)), np.zeros(len(nodes)), None)

    @classmethod
    def at_nodes(cls, body: Any, nodes: NDArray[Any], weights: Array) -> ContactPoints:
        """The nodes themselves as points."""
        column = nodes.astype(np.int32)[:, None]
        return cls(column, np.ones((len(nodes), 1)), weights, block_places(body, column))

    def at(self, field: Array) -> Array:
        """Values (Q, 2) of a nodal field (N, 2)."""
        return np.einsum("qb,qbi->qi", self.shapes, field[self.nodes])

    def gathered(self, values: Array, count: int) -> Array:
        """Nodal (N, 2) shares φ_qb f_q of values f (Q, 2)."""
        return gathered(self.nodes.ravel(), (self.shapes[:, :, None] * values[:, None, :]).reshape(-1, 2), count)

    def add_blocks(self, blocks: Array, data: Array) -> None:
        """Add φ_qb φ_qc T_q of blocks T (Q, 2, 2) to ``data`` (nnz,) in the body's sparsity."""
        assert self.places is not None
        pairs = np.einsum("qb,qc,qij->qbicj", self.shapes, self.shapes, blocks)
        data += np.bincount(self.places.ravel(), pairs.ravel(), len(data))
