"""Obstacles that are finer than the points at which a body is looked at: they would pass between two of them unseen."""

from __future__ import annotations

import numpy as np

from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.contact.obstacles import traits_of
from floating_frame.loads.edges import Body


def check_fineness(contact: Contact, body: Body) -> None:
    """Refuse an obstacle whose finest ``feature`` fits between two contact points: ValueError.

    A wider one is felt, though not well before it is much wider: a circle of radius R reaches R − √(R² − s²/4) between points s
    apart, which the verdict tells. Obstacles that do not say how fine they are, and contacts of single nodes, are not judged.
    """
    feature = traits_of(contact.obstacle).feature
    if contact.edge is None or not np.isfinite(feature):
        return
    apart = spacing(contact, body)
    if feature < apart * (1.0 - 1e-9):
        raise ValueError(
            f"an obstacle, or a nose of it, {feature:.3g} m wide could pass unseen between the contact points on edge "
            f"{contact.edge!r}, which are {apart:.3g} m apart: take a finer mesh, cells of at most a fifth of its width"
        )


def spacing(contact: Contact, body: Body) -> float:
    """Return the largest distance, m, of neighbouring contact points on the segments of a contact's edge, in the reference.

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
