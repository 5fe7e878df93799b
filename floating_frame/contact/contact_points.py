"""Integration points of a contact on the body's boundary, and their spacing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact import Contact
from floating_frame.frame.kinematics import Array, scatter
from floating_frame.loads.edges import Body, Edge, shape_functions
from friction.arrays import shown

SAMPLES_PER_SEGMENT = 9
"""Equidistant sample points on a segment of an edge, both ends included."""


@dataclass(frozen=True)
class ContactPoints:
    """Q points x_q = Σ_b φ_qb x_b of a body: ``nodes`` (Q, B), ``shapes`` φ (Q, B); ``weights`` (Q,): reference length of each, m,
    or 1 at single nodes."""

    nodes: NDArray[np.int32]
    shapes: Array
    weights: Array

    @classmethod
    def of(cls, contact: Contact, body: Body) -> ContactPoints:
        """Points of a contact on a body. Raises ValueError for an edge or nodes that the body does not have."""
        if contact.edge is None:
            nodes: NDArray[np.intp] = np.asarray(contact.nodes)
            fits = nodes.ndim == 1 and nodes.size > 0 and nodes.dtype.kind in "iu"
            if not (fits and nodes.min() >= 0 and nodes.max() < len(body.X) and len(set(nodes.tolist())) == len(nodes)):
                raise ValueError(
                    f"a contact's nodes must be different integers from 0 to {len(body.X) - 1}, got {shown(contact.nodes)}"
                )
            return cls.at_nodes(nodes, np.ones(len(nodes)))
        edge = Edge.of(body, contact.edge)
        lengths = edge.stretch * edge.weights
        if contact.integration == "nodes":
            shares = np.bincount(edge.nodes.ravel(), np.einsum("nq,qb->nb", lengths, edge.shapes).ravel(), len(body.X))
            carrying = np.flatnonzero(shares)
            return cls.at_nodes(carrying, np.asarray(shares[carrying], float))
        count = len(edge.weights)
        return cls(np.repeat(edge.nodes, count, axis=0), np.tile(edge.shapes, (len(edge.nodes), 1)), lengths.ravel())

    @classmethod
    def samples(cls, contact: Contact, body: Body) -> ContactPoints:
        """``SAMPLES_PER_SEGMENT`` points on each segment of a contact's edge, without weights: for penetration between nodes.

        Raises ValueError for an edge that the body does not have.
        """
        assert contact.edge is not None
        segments = body.edge_segments(contact.edge)
        shapes, _ = shape_functions(np.linspace(0.0, 1.0, SAMPLES_PER_SEGMENT), segments.shape[1])
        nodes = np.repeat(segments, SAMPLES_PER_SEGMENT, axis=0)
        return cls(nodes, np.tile(shapes, (len(segments), 1)), np.zeros(len(nodes)))

    @classmethod
    def at_nodes(cls, nodes: NDArray[np.integer[Any]], weights: Array) -> ContactPoints:
        """Contact points at nodes."""
        return cls(nodes.astype(np.int32)[:, None], np.ones((len(nodes), 1)), weights)

    def at(self, field: Array) -> Array:
        """Values (Q, d) of a nodal field (N, d) at the points."""
        return np.asarray(np.einsum("qb,qbi->qi", self.shapes, field[self.nodes]))

    def gathered(self, values: Array, count: int) -> Array:
        """Nodal sums Σ_q φ_qb f_q (N, d) of values f (Q, d) at the points."""
        shares = self.shapes[:, :, None] * values[:, None, :]
        return scatter(self.nodes.ravel(), shares.reshape(-1, values.shape[1]), count)


def check_fineness(contact: Contact, body: Body) -> None:
    """Refuse an obstacle whose ``feature_width`` is less than the distance of contact points: ValueError.

    A wider obstacle still penetrates between points, a circle of radius R by R − √(R² − s²/4) at spacing s; the verdict reports it.
    Obstacles without a finite width, and contacts of single nodes, are not checked.
    """
    feature = contact.obstacle.feature_width
    if contact.edge is None or not np.isfinite(feature):
        return
    apart = spacing(contact, body)
    if feature < apart * (1.0 - 1e-9):
        raise ValueError(
            f"an obstacle, or a nose of it, {feature:.3g} m wide could pass unseen between the contact points on edge "
            f"{contact.edge!r}, which are {apart:.3g} m apart: take a finer mesh, cells of at most a fifth of its width"
        )


def spacing(contact: Contact, body: Body) -> float:
    """Largest distance, m, of neighbouring contact points on the segments of a contact's edge, in the reference.

    Exact contact acts at nodes; penalty contact at four Gauss points on each segment, or at nodes.
    """
    assert contact.edge is not None
    segments = body.edge_segments(contact.edge)
    if contact.penalty and contact.integration == "gauss":
        points = ContactPoints.of(contact, body).at(body.X).reshape(len(segments), -1, 2)
    else:
        order = [0, 1] if segments.shape[1] == 2 else [0, 2, 1]  # the node between the ends is the last one
        points = body.X[segments[:, order]]
    return float(np.linalg.norm(np.diff(points, axis=1), axis=2).max())


def penalty_points(contact: Contact, body: Body) -> ContactPoints:
    """Points of a penalty contact on a body. Raises ValueError for points that it lacks, and for an obstacle that fits between."""
    points = ContactPoints.of(contact, body)
    check_fineness(contact, body)
    return points
