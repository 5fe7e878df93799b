"""Events of contact that error control looks for: points that open or close, and velocities that jump.

A damper that acts at once (m3 = 0) makes the acceleration jump by A: the velocity may be wrong by A times the step's length. Exact
contact makes the velocity jump by J, so an impact is judged by the position, and by (h/2) J (docs/theory.md, section 8).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.signorini import ExactContacts
from floating_frame.frame.kinematics import Array
from floating_frame.system.model import RunModel
from floating_frame.system.state import State


@dataclass(frozen=True)
class ContactEvent:
    """What contacts do within a step that is compared with two halves.

    ``happens``: a point opens or closes, or starts or stops sliding along an exact contact; ``hits``: a velocity jumps; ``jump``
    J m/s, the largest change of the velocity of a point that hits; ``kick`` A m/s², the largest jump of an acceleration.
    """

    happens: bool = False
    hits: bool = False
    jump: float = 0.0
    kick: float = 0.0

    @property
    def steep(self) -> bool:
        """Whether a force or a velocity jumps, so that errors go with h and not with h²."""
        return self.hits or self.kick > 0.0


APART, STICK, SLIDE = 0, 1, 2


def contact_event(model: RunModel, state: State, half: State, new: State, whole: State, slow: float) -> ContactEvent:
    """Compare one step from ``state`` to ``whole`` with two over ``half`` to ``new``; jumps up to ``slow`` m/s are none."""
    start, middle, end, other = (conditions(model, s) for s in (state, half, new, whole))
    pairs = ((start, middle), (middle, end), (end, other))
    happens = any(bool(np.any(a != b)) for a, b in pairs)
    jumps = [jump(model, a, b, slow) for a, b in ((state, half), (half, new), (state, whole))]
    hits = max(jumps) > 0.0
    kicked = max(kick(model, a, b) for a, b in ((state, half), (half, new))) if happens else 0.0
    return ContactEvent(happens or hits, hits, max(jumps), kicked)


def conditions(model: RunModel, state: State) -> NDArray[np.int8]:
    """Return what points of penalty contacts (APART, SLIDE), then of exact ones do at ``state``, the latter in the mean of the step
    before: SLIDE, or −SLIDE where friction acts along −t, on the edge of the cone, STICK within it."""
    forces = model.contacts.points(state.time, state.position, state.velocity)
    codes = [np.where(f.normal != 0.0, SLIDE, APART).astype(np.int8) for _, f in forces]
    if model.exact is not None:
        force = exact_force(model.exact, state)
        bound = model.exact.mu * force[:, 0]
        slides = np.where(force[:, 1] < 0.0, -SLIDE, SLIDE)
        kind = np.where(np.abs(force[:, 1]) < bound * (1.0 - 1e-9), STICK, slides)
        codes.append(np.where(force[:, 0] > 0.0, kind, APART).astype(np.int8))
    return np.concatenate(codes)


def exact_force(exact: ExactContacts, state: State) -> Array:
    """Return the forces (m, 2), N, along n and t of exact contacts, means of the step that ends at ``state``; 0 at t = 0."""
    force = state.records[-1].multiplier
    return np.zeros((len(exact.mu), 2)) if force is None else force


def jump(model: RunModel, before: State, after: State, slow: float) -> float:
    """Return J, m/s, of one step: the largest change of velocity of a point that pushes and came faster than ``slow`` m/s."""
    exact = model.exact
    if exact is None or model.steps.locates_impacts:
        return 0.0
    pushes = exact_force(exact, after)[:, 0] > 0.0
    if not pushes.any():
        return 0.0
    place, incoming = before.position[exact.nodes], before.velocity[exact.nodes]
    normal = exact.gap(place, before.time).normal
    approach = np.einsum("ma,ma->m", normal, incoming - exact.velocity(place, before.time))
    hits = pushes & (approach < -slow)
    change = np.linalg.norm(after.velocity[exact.nodes] - incoming, axis=1)
    return float(np.max(np.where(hits, change, 0.0)))


def kick(model: RunModel, before: State, after: State) -> float:
    """Return A, m/s²: what points of dampers that act at once, apart ``before``, pushing ``after``, do to a node or rigid body."""
    if not any(contact.normal.jumps for contact, _ in model.contacts.parts):
        return 0.0
    force = np.zeros_like(after.position)
    earlier = model.contacts.points(before.time, before.position, before.velocity)
    later = model.contacts.points(after.time, after.position, after.velocity)
    for (_, was), (points, now) in zip(earlier, later, strict=True):
        if now.contact.normal.jumps:
            closes = was.opens & ~now.opens
            force += points.gathered(np.where(closes[:, None], now.force, 0.0), len(force))
    return model.system.results.acceleration_by(after, force)
