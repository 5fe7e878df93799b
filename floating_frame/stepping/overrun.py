"""Penalty contacts that are too weak: a point driven past the middle of its obstacle ends the run by name.

A spring pushes towards the nearest side. Past the middle that is the far side, and it drives the body out there. A point is past it
where the normal has turned against the one at which it came in, deeper than a share of the obstacle's size (a body may go around
an obstacle in touch with it). Of an open chain, which has a middle where it is folded, it is a share of the body's least extent. A
straight wall has none: there a weak spring holds late, and the verdict tells how deep.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.errors import StepFailure
from floating_frame.frame.kinematics import Array
from floating_frame.stepping.penalty_kernel import DEEP, entered
from floating_frame.system.ledger_series import energy_of_contacts
from floating_frame.system.model import RunModel
from floating_frame.system.state import State

HOLDS, MARGIN = 0.7, 1.1
"""Share of the depth at the middle at which the stiffness that is advised stops the body, and a margin on it."""


def with_entries(model: RunModel, state: State, earlier: State) -> State:
    """Return the state with the normals at which the points in penalty contacts came in, ``earlier`` or now.

    Raises StepFailure for a point past the middle.
    """
    if not model.contacts:
        return state
    entries, start = [], 0
    for contact, points in model.contacts.parts:
        place = points.at(state.position)
        gap = contact.obstacle.gap(place, state.time)
        before = np.zeros_like(place) if earlier.entry is None else earlier.entry[start : start + len(place)]
        start += len(place)
        size = contact.obstacle.extent
        entry = before.copy()
        worst = entered(gap.gap, gap.normal, DEEP * (size if np.isfinite(size) else model.extent), entry)
        if worst >= 0:
            raise _failure(model, state, contact, points, place, entry[worst], -float(gap.gap[worst]))
        entries.append(entry)
    return replace(state, entry=np.concatenate(entries))


def _failure(
    model: RunModel, state: State, contact: Contact, points: ContactPoints, place: Array, entry: Array, depth: float
) -> StepFailure:
    """The failure, with the stiffness that would hold the body's energy before the middle."""
    carried = contact.obstacle.velocity(place, state.time).mean(axis=0)
    speed = min(float((state.frame.rates[:2] - carried) @ entry), 0.0)
    _, mass, moment = model.system.results.scales
    turning = 0.5 * moment * state.frame.spin**2
    energy = 0.5 * mass * speed**2 + turning + energy_of_contacts(model.system, state)
    back = place + (1.0 - HOLDS) * depth * entry
    left = np.maximum(-contact.obstacle.gap(back, state.time).gap, 0.0)
    capacity = float(points.weights @ contact.normal.energy(left))
    advice = "a stiffer contact"
    if capacity > 0.0:
        factor = max(MARGIN * energy / capacity, 1.0)
        advice = f"a contact at least {factor:.3g} times as stiff"
        stiffness = getattr(contact.normal, "stiffness", 0.0)
        if stiffness > 0.0 and contact.edge not in (None, "boundary"):
            whole = float(points.weights.sum())
            advice += f" (stiffness {factor * stiffness * whole:.4g} N/m^m1 in all over the {whole:.4g} m of its edge)"
    reason = f"the contact is too weak: the body is driven past the middle of an obstacle, {depth:.3g} m deep"
    return StepFailure(state.time, reason, advice)
