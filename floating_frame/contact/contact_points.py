"""Where a contact is integrated: points on the body's boundary, with shape functions, weights and places in its sparsity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact import Contact
from floating_frame.frame.kinematics import Array, gathered
from floating_frame.loads.edges import Body, Edge, shape_functions

PLACES = 9
"""Places on a segment of an edge at which it is looked at, evenly from end to end."""


@dataclass(frozen=True)
class ContactPoints:
    """Q points x_q = Σ_b φ_qb x_b of a body: ``nodes`` (Q, B), ``shapes`` φ (Q, B); ``weights`` (Q,), m of reference length each
    stands for, or 1 at single nodes."""

    nodes: NDArray[np.int32]
    shapes: Array
    weights: Array

    @classmethod
    def of(cls, contact: Contact, body: Body) -> ContactPoints:
        """Return the points of a contact on a body. Raises ValueError for an edge or nodes that the body does not have."""
        if contact.edge is None:
            nodes: NDArray[np.intp] = np.asarray(contact.nodes)
            fits = nodes.ndim == 1 and nodes.size > 0 and nodes.dtype.kind in "iu"
            if not (fits and nodes.min() >= 0 and nodes.max() < len(body.X) and len(set(nodes.tolist())) == len(nodes)):
                raise ValueError(
                    f"a contact's nodes must be different integers from 0 to {len(body.X) - 1}, got {contact.nodes!r}"
                )
            return cls.at_nodes(nodes, np.ones(len(nodes)))
        edge = Edge.of(body, contact.edge)
        lengths = edge.stretch * edge.weights
        if contact.integration == "nodes":
            shares = np.bincount(edge.nodes.ravel(), np.einsum("nq,qb->nb", lengths, edge.shapes).ravel(), len(body.X))
            carrying = np.flatnonzero(shares)
            return cls.at_nodes(carrying, np.asarray(shares[carrying], float))
        count = len(edge.weights)
        return cls(
            np.repeat(edge.nodes, count, axis=0),
            np.tile(edge.shapes, (len(edge.nodes), 1)),
            lengths.ravel(),
        )

    @classmethod
    def spread(cls, contact: Contact, body: Body) -> ContactPoints:
        """Return ``PLACES`` on each segment of a contact's edge, evenly from end to end; to look at, without weights.

        Raises ValueError for an edge that the body does not have.
        """
        assert contact.edge is not None
        segments = body.edge_segments(contact.edge)
        shapes, _ = shape_functions(np.linspace(0.0, 1.0, PLACES), segments.shape[1])
        nodes = np.repeat(segments, PLACES, axis=0)
        return cls(nodes, np.tile(shapes, (len(segments), 1)), np.zeros(len(nodes)))

    @classmethod
    def at_nodes(cls, nodes: NDArray[np.intp], weights: Array) -> ContactPoints:
        """Return the nodes themselves as points."""
        return cls(nodes.astype(np.int32)[:, None], np.ones((len(nodes), 1)), weights)

    def at(self, field: Array) -> Array:
        """Return the values (Q, 2) of a nodal field (N, 2)."""
        return np.asarray(np.einsum("qb,qbi->qi", self.shapes, field[self.nodes]))

    def gathered(self, values: Array, count: int) -> Array:
        """Return the nodal shares (N, 2), φ_qb f_q of values f (Q, 2)."""
        return gathered(self.nodes.ravel(), (self.shapes[:, :, None] * values[:, None, :]).reshape(-1, 2), count)
