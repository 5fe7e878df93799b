"""All penalty contacts of a problem put on its body, their points and their forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_force import PointForce, point_force
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.contact.fineness import check_fineness
from floating_frame.frame.kinematics import Array
from floating_frame.loads.edges import Body


@dataclass(frozen=True)
class AssembledContacts:
    """The penalty contacts of a problem, each with its points on the body."""

    parts: tuple[tuple[Contact, ContactPoints], ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.parts)

    def points(self, time: float, x: Array, v: Array) -> list[tuple[ContactPoints, PointForce]]:
        """Return every contact at nodal (x, v) (N, 2), inertial, at ``time`` s, its bristles undeformed."""
        return [(p, point_force(contact, p.at(x), p.at(v), time, p.weights)) for contact, p in self.parts]

    def smallest_gap(self, time: float, x: Array) -> float:
        """Return the smallest gap, m, with nodes at ``x`` (N, 2), inertial, at ``time`` s; infinite without contacts."""
        gaps = [contact.obstacle.gap(points.at(x), time).gap.min(initial=np.inf) for contact, points in self.parts]
        return float(min(gaps, default=np.inf))


NO_CONTACTS = AssembledContacts()


def assemble_contacts(contacts: Sequence[Contact], body: Body) -> AssembledContacts:
    """Put penalty contacts on a body. Raises ValueError for points that it does not have and obstacles that they would miss."""
    parts = []
    for contact in contacts:
        parts.append((contact, ContactPoints.of(contact, body)))
        check_fineness(contact, body)
    return AssembledContacts(tuple(parts))
