"""All penalty contacts of a problem put on its body, and which bodies and schemes take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem.beam_axis import BeamAxis
from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_force import PointForce, point_force
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.contact.fineness import check_fineness
from floating_frame.frame.kinematics import Array
from floating_frame.scheme.coefficients import EXPLICIT, LINEARLY_IMPLICIT, RADAU


@dataclass(frozen=True)
class ContactWork:
    """What exact contacts do in the mean of a step: ``force`` (N, 2) N on the nodes, inertial; powers, W: ``lost`` in impacts and
    friction, ``driven`` by the obstacles' motion on the body."""

    force: Array
    lost: float
    driven: float


@dataclass(frozen=True)
class AssembledContacts:
    """The penalty contacts of a problem, each with its points on the body."""

    parts: tuple[tuple[Contact, ContactPoints], ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.parts)

    def points(self, time: float, x: Array, v: Array) -> list[tuple[ContactPoints, PointForce]]:
        """Every contact at nodal (x, v) (N, 2), inertial, at ``time`` s, its bristles undeformed."""
        return [(p, point_force(contact, p.at(x), p.at(v), time, p.weights)) for contact, p in self.parts]

    def smallest_gap(self, time: float, x: Array) -> float:
        """Smallest gap, m, with nodes at ``x`` (N, 2), inertial, at ``time`` s; infinite without contacts."""
        gaps = [contact.obstacle.gap(points.at(x), time).gap.min(initial=np.inf) for contact, points in self.parts]
        return float(min(gaps, default=np.inf))


NO_CONTACTS = AssembledContacts()


def assemble_contacts(contacts: Sequence[Contact], body: Any, scheme: str, *, clamped: bool) -> AssembledContacts:
    """Put penalty contacts on a body. Raises ValueError, naming it, for what does not fit one."""
    parts = []
    for contact in contacts:
        if isinstance(body, BeamAxis):
            raise ValueError("a contact with an obstacle takes a plate or a rigid body, got a beam")
        if scheme in (EXPLICIT, LINEARLY_IMPLICIT, "quasi-static"):
            raise ValueError(f"a contact with an obstacle takes an implicit dynamic scheme, got {scheme!r}")
        if clamped:
            raise ValueError(
                "a contact with an obstacle takes a free body (frame mean-axis or tisserand), got a clamped one"
            )
        if not contact.penalty:
            raise ValueError(
                f"the normal law of a contact must be a NormalForce or a UserForce, got {contact.normal!r}"
            )
        if contact.mu > 0.0 and contact.law.set_valued:
            raise ValueError(
                f"a penalty contact takes friction that is a function of the slip velocity, got {type(contact.law).__name__}; "
                "choose a regularised law, or exact (Signorini) contact, which takes Coulomb and static-kinetic friction"
            )
        if (
            scheme == RADAU and contact.mu > 0.0 and contact.law.has_internal_state
        ):  # a bristle that is released jumps, its law has no rate for that
            raise ValueError(
                f"friction with memory on a contact takes an implicit scheme with stages, got scheme {scheme!r}; choose sdirk2"
            )
        parts.append((contact, ContactPoints.of(contact, body)))
        check_fineness(contact, body)
    return AssembledContacts(tuple(parts))
