"""The points of a body in the plane with exact contact: Signorini's condition with Newton's restitution.

How it enters a stage is derived in docs/theory.md, section 8; ``system.rigid.exact_contact`` and ``system.elastic.exact_contact``
put it into those of rigid bodies and of plates, beside the exact friction of the foundation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_points import ContactPoints, check_fineness
from floating_frame.contact.obstacles import Obstacles
from floating_frame.contact.sides import MaterialPoints, Sides, sides_of
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.loads.edges import Body


@dataclass(frozen=True, kw_only=True)
class ExactContacts(Obstacles):
    """All m points of a body with exact contact: ``nodes``, then the side points of ``sides`` (rigid bodies); ``mu`` in stick,
    ``kinetic`` (m,) its share in slip, and ``restitution`` (m,) by ``laws`` (m,). Points that are not ``active`` (m,) (None: all
    are) are taken to be apart."""

    nodes: NDArray[np.intp]
    mu: Array
    restitution: Array
    kinetic: Array
    laws: tuple[str, ...] = ()
    active: NDArray[np.bool_] | None = None
    sides: tuple[Sides, ...] = ()

    def of_rigid(self, X: Array, coordinates: Array, time: float) -> MaterialPoints:
        """Return all points of a rigid body of nodes at X (N, 2) m, with ``coordinates`` (x0, α) (3,) at ``time`` s."""
        beside = [side.at(coordinates, time) for side in self.sides]
        nodes = X[self.nodes]
        return MaterialPoints(
            np.concatenate([nodes, *(f.reference for f in beside)]),
            np.concatenate([np.zeros(len(nodes), np.bool_), *(f.idle for f in beside)]),
        )

    def without_impacts(self, active: NDArray[np.bool_]) -> ExactContacts:
        """Return the points ``active`` (m,) alone, without restitution."""
        return replace(self, restitution=np.zeros_like(self.restitution), active=active)

    def smallest_gap(self, position: Array, coordinates: Array, time: float) -> float:
        """Return the smallest gap, m, of a body of nodes at ``position`` (N, 2) m, in space, with frame ``coordinates`` (3,)."""
        own = [side.at(coordinates, time).reference for side in self.sides]
        places = [position[self.nodes], *(coordinates[:2] + to_inertial(X, coordinates[2]) for X in own)]
        return float(self.gap(np.concatenate(places), time).gap.min(initial=np.inf))


def exact_contacts(contacts: Sequence[Contact], body: Body) -> ExactContacts | None:
    """Return the points of a body with exact contact, None without any. Raises ValueError for points that the body lacks."""
    chosen = [contact for contact in contacts if not contact.penalty]
    if not chosen:
        return None
    nodes = [ContactPoints.of(replace(contact, integration="nodes"), body).nodes[:, 0] for contact in chosen]
    beside = [None if body.deformable else sides_of(contact, body) for contact in chosen]
    for contact, side in zip(chosen, beside, strict=True):
        if side is None:
            check_fineness(contact, body)
    sides = [side for side in beside if side is not None]
    chosen += [contact for contact, side in zip(chosen, beside, strict=True) if side is not None]
    counts = [*(len(own) for own in nodes), *(side.count for side in sides)]
    ends = np.cumsum([0, *counts])
    laws = [contact.normal.restitution_law for contact in chosen]
    static = [contact.mu * contact.law.radial.static for contact in chosen]
    kinetic = [contact.law.radial.kinetic / contact.law.radial.static for contact in chosen]
    return ExactContacts(
        nodes=np.concatenate(nodes).astype(np.intp),
        mu=np.repeat(static, counts).astype(float),
        restitution=np.repeat([contact.normal.restitution for contact in chosen], counts).astype(float),
        groups=tuple((c.obstacle, slice(a, b)) for c, a, b in zip(chosen, ends[:-1], ends[1:], strict=True)),
        kinetic=np.repeat(kinetic, counts).astype(float),
        laws=tuple(law for law, count in zip(laws, counts, strict=True) for _ in range(count)),
        sides=tuple(sides),
    )
