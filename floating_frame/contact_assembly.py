"""All penalty contacts of a problem put on its body: nodal forces, wrench, energy and powers at one instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fem.beam_axis import BeamAxis
from floating_frame.contact import Contact
from floating_frame.contact_bristles import ContactBristles, bristles_of, inherited_bristles, joined
from floating_frame.contact_force import PointForce, point_force
from floating_frame.contact_points import ContactPoints
from floating_frame.kernels import cross_sum
from floating_frame.kinematics import Array
from floating_frame.schemes import EXPLICIT, LINEARLY_IMPLICIT, RUNGE_KUTTA

if TYPE_CHECKING:
    from floating_frame.state import State

NOWHERE = np.zeros((0, 2))


@dataclass(frozen=True)
class ContactState:
    """What contacts do at one instant: ``force`` (N, 2) N on the nodes, inertial; ``energy`` J that will come back; powers, W:
    ``lost`` in dampers and friction (>= 0 but for tensile or users' laws and what bristles give back), ``driven`` by the
    obstacles' motion on the body; ``bristles`` of the points, where friction on a contact remembers."""

    force: Array
    energy: float = 0.0
    lost: float = 0.0
    driven: float = 0.0
    bristles: ContactBristles | None = None

    def wrench(self, position: Array, about: Array) -> Array:
        """(F_C, M^C) (3,) with nodes at ``position`` (N, 2), M^C about ``about`` (2,)."""
        if not len(self.force):
            return np.zeros(3)
        return np.array([*self.force.sum(axis=0), cross_sum(position - about, self.force)])


NO_CONTACT = ContactState(NOWHERE)


@dataclass(frozen=True)
class AssembledContacts:
    """The penalty contacts of a problem, each with its points on the body; as seen ``during`` a stage of length ``tau`` s, with the
    ``deformation`` Δ* (P,) m of all points' bristles (None: at an instant, undeformed)."""

    parts: tuple[tuple[Contact, ContactPoints], ...] = field(default=())
    deformation: Array | None = None
    tau: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.parts)

    @property
    def remembers(self) -> bool:
        """Whether friction on one of the contacts has a memory."""
        return any(_remembers(contact) for contact, _ in self.parts)

    def during(self, state: State, stages: Sequence[Any], dt: float, row: Array) -> AssembledContacts:
        """The contacts within the stage that follows ``stages`` of a step, by its position coefficients ``row`` (S + 1,)."""
        deformation = inherited_bristles(state, stages, dt, row)
        return self if deformation is None else replace(self, deformation=deformation, tau=dt * row[len(stages) + 1])

    def starts(self) -> list[Array | None]:
        """Δ* (Q,) m of each contact; None of one that does not remember."""
        ends = np.cumsum([len(points.weights) for _, points in self.parts])
        whole = np.zeros(ends[-1] if len(ends) else 0) if self.deformation is None else self.deformation
        shares = np.split(whole, ends[:-1])
        return [d if _remembers(contact) else None for (contact, _), d in zip(self.parts, shares, strict=False)]

    def points(self, time: float, x: Array, v: Array) -> list[tuple[ContactPoints, PointForce]]:
        """Every contact at nodal (x, v) (N, 2), inertial, at ``time`` s."""
        return [
            (p, point_force(contact, p.at(x), p.at(v), time, p.weights, start, self.tau))
            for (contact, p), start in zip(self.parts, self.starts(), strict=True)
        ]

    def smallest_gap(self, time: float, x: Array) -> float:
        """Smallest gap, m, with nodes at ``x`` (N, 2), inertial, at ``time`` s; infinite without contacts."""
        gaps = [contact.obstacle.gap(points.at(x), time).gap.min(initial=np.inf) for contact, points in self.parts]
        return float(min(gaps, default=np.inf))

    def state(self, time: float, x: Array, v: Array) -> ContactState:
        """Force, energy and powers at nodal (x, v) (N, 2), inertial, at ``time`` s."""
        if not self.parts:
            return NO_CONTACT
        force, energy, lost, driven = np.zeros_like(x), 0.0, 0.0, 0.0
        all_found = self.points(time, x, v)
        for points, found in all_found:
            force += points.gathered(points.weights[:, None] * found.force, len(x))
            energy += float(points.weights @ found.energy)
            lost += float(points.weights @ found.lost)
            driven += float(points.weights @ found.driven)
        bristles = None
        if self.remembers:
            pairs = zip(all_found, self.starts(), strict=True)
            bristles = joined([bristles_of(found, start, self.tau) for (_, found), start in pairs])
        return ContactState(force, energy, lost, driven, bristles)


NO_CONTACTS = AssembledContacts()


def _remembers(contact: Contact) -> bool:
    return contact.mu > 0.0 and contact.law.remembers


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
        if scheme == RUNGE_KUTTA and _remembers(
            contact
        ):  # a bristle that is released jumps, its law has no rate for that
            raise ValueError(
                f"friction with memory on a contact takes an implicit scheme with stages, got scheme {scheme!r}; choose sdirk2"
            )
        parts.append((contact, ContactPoints.of(contact, body)))
    return AssembledContacts(tuple(parts))
