"""All penalty contacts of a problem put on its body: nodal forces, wrench, energy and powers at one instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem.beam_axis import BeamAxis
from floating_frame.contact import Contact
from floating_frame.contact_force import PointForce, point_force
from floating_frame.contact_points import ContactPoints
from floating_frame.kernels import cross_sum
from floating_frame.kinematics import Array
from floating_frame.schemes import EXPLICIT, LINEARLY_IMPLICIT
from friction import ForceSpline, Limited

NOWHERE = np.zeros((0, 2))


@dataclass(frozen=True)
class ContactState:
    """What contacts do at one instant: ``force`` (N, 2) N on the nodes, inertial; ``energy`` J that will come back; powers, W:
    ``lost`` in dampers and friction (>= 0 but for tensile or users' laws), ``driven`` by the obstacles' motion on the body."""

    force: Array
    energy: float = 0.0
    lost: float = 0.0
    driven: float = 0.0

    def wrench(self, position: Array, about: Array) -> Array:
        """(F_C, M^C) (3,) with nodes at ``position`` (N, 2), M^C about ``about`` (2,)."""
        if not len(self.force):
            return np.zeros(3)
        return np.array([*self.force.sum(axis=0), cross_sum(position - about, self.force)])


NO_CONTACT = ContactState(NOWHERE)


@dataclass(frozen=True)
class AssembledContacts:
    """The penalty contacts of a problem, each with its points on the body."""

    parts: tuple[tuple[Contact, ContactPoints], ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.parts)

    def points(self, time: float, x: Array, v: Array) -> list[tuple[ContactPoints, PointForce]]:
        """Every contact at nodal (x, v) (N, 2), inertial, at ``time`` s."""
        return [(p, point_force(contact, p.at(x), p.at(v), time)) for contact, p in self.parts]

    def smallest_gap(self, time: float, x: Array) -> float:
        """Smallest gap, m, with nodes at ``x`` (N, 2), inertial, at ``time`` s; infinite without contacts."""
        gaps = [contact.obstacle.gap(points.at(x), time).gap.min(initial=np.inf) for contact, points in self.parts]
        return float(min(gaps, default=np.inf))

    def state(self, time: float, x: Array, v: Array) -> ContactState:
        """Force, energy and powers at nodal (x, v) (N, 2), inertial, at ``time`` s."""
        if not self.parts:
            return NO_CONTACT
        force, sums = np.zeros_like(x), np.zeros(3)
        for points, found in self.points(time, x, v):
            force += points.gathered(points.weights[:, None] * found.force, len(x))
            sums += [float(points.weights @ values) for values in (found.energy, found.lost, found.driven)]
        return ContactState(force, *map(float, sums))


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
                "choose a regularised law, or exact (Signorini) contact, which takes set-valued Coulomb friction"
            )
        if contact.mu > 0.0 and contact.law.remembers:
            raise ValueError(f"a penalty contact takes friction without memory, got {type(contact.law).__name__}")
        if contact.mu > 0.0 and isinstance(contact.law, (Limited, ForceSpline)):
            raise ValueError(
                f"a penalty contact takes friction in proportion to its normal force, got {type(contact.law).__name__}"
            )
        parts.append((contact, ContactPoints.of(contact, body)))
    return AssembledContacts(tuple(parts))
