"""Exact contact as an inclusion: its force is an unknown of the stage, and its record is that of one impulse.

An impulse Δt f between v_n and v does the work Δt f·(v_n + v)/2 (Thomson & Tait). What of it the obstacle does not do is
dissipated: the impact's loss and the wall's friction. Multipliers are not mixed by θ schemes."""

from __future__ import annotations

import numpy as np

from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_elastic import PlateContact
from floating_frame.contact.signorini_rigid import RigidContact
from floating_frame.effect.protocol import Record, Source
from floating_frame.frame.kinematics import Array
from floating_frame.system.model import Model
from floating_frame.system.protocol import StageHistory


class RigidExactContact(Source):
    """The exact ``contacts`` of a rigid body."""

    name, dissipates, results = "exact contact", "contact", ("contact", "impacts")

    def __init__(self, model: Model, contacts: ExactContacts) -> None:
        self._model, self.contacts = model, contacts

    def in_stage(self, history: StageHistory, rates: Array, force: Array | None) -> RigidContact:
        """Return the contacts of one stage, looked at where ``rates`` q' (3,) lead; ``force`` (m, 2), N, to start from."""
        contact = RigidContact(self._model, self.contacts, history, force)
        contact.settled(rates, history.configuration[0][2] + history.tau_x * rates[2])
        return contact

    def record(self, contact: RigidContact, wrench: Array, before: Array, after: Array) -> Record:
        """Return the record of a solved stage from rates ``before`` to ``after`` (3,)."""
        driven, force = contact.points.power(), contact.points.force
        lost = driven - 0.5 * float(wrench @ (before + after))
        return Record((wrench,), external=driven, dissipated=lost, mixed=False, multiplier=force)


class PlateExactContact(Source):
    """The exact contacts of a deformable body, which its stage solver makes."""

    name, dissipates, results = "exact contact", "contact", ("contact",)

    def record(self, contact: PlateContact, velocity: Array) -> Record:
        """Return the record of a solved stage that ends with the nodal ``velocity`` (N, 2), m/s."""
        (driven, lost), force = contact.powers(velocity), (contact.force, np.zeros(3))
        return Record(force, external=driven, dissipated=lost, mixed=False, multiplier=contact.points.force)
