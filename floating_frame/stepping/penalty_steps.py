"""Step limits near penalty contact: no step passes through an obstacle, an impact takes several steps, and a point past the middle
of its obstacle ends the run.

A spring of energy W E(d) stops a mass m with approach speed u at depth d_m, W E(d_m) = m u²/2 + its stored energy, within a half
period of about π d_m/u. In contact ``PER_HALF`` steps resolve it; before contact a step ends at first touch, or such a step later.
Under error control a step may end half of the half period after first touch (docs/theory.md, section 8).

A spring pushes towards the nearest side: past the middle of an obstacle towards the far side. A point is past it where the normal
is opposite to the normal at entry, at a depth above ``DEEP`` times the obstacle's size (a body may slide around an obstacle). For
an open chain, which has a middle where it is folded, the size is the body's least extent. A straight wall has no middle; the
verdict reports the penetration of a weak spring.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.contact.obstacles import Obstacle, Obstacles
from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_stage import CLOSED_GAP
from floating_frame.contact.tunnelling import straight_paths
from floating_frame.effect.penalty import PenaltyContact, contact_numbers
from floating_frame.effect.penalty_kernel import MOTION
from floating_frame.errors import StepFailure
from floating_frame.frame.kinematics import Array
from floating_frame.stepping.penalty_kernel import (
    DEEP,
    PER_HALF,
    ROUNDING,
    count_free_steps,
    half_period,
    near_points,
    oscillates,
    stiffness_matrix,
    update_entry_normals,
)
from floating_frame.system.ledger_series import energy_of_contacts
from floating_frame.system.model import RunModel
from floating_frame.system.rigid.batch import Batch
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.state import State
from friction import NormalForce

STOPPING_DEPTH, MARGIN = 0.7, 1.1
"""Depth, over the depth of the middle, at which the advised stiffness stops the body, and its safety factor."""

MARGIN_OF_SPEED = 2.0
"""Upper bound of an obstacle's speed within a step over the speeds at its ends."""


def longest_step(model: RunModel, state: State, remaining: float, *, controlled: bool = False) -> float:
    """Longest step, s, up to ``remaining`` s, that penalty contacts allow from ``state`` on; infinite where no point comes near.

    ``controlled``: steps are error-controlled.
    """
    return min((_longest(model, state, remaining, *part, controlled) for part in model.contacts), default=np.inf)


def _longest(
    model: RunModel, state: State, remaining: float, contact: Contact, points: ContactPoints, controlled: bool
) -> float:
    place, velocity = points.at(state.position), points.at(state.velocity)
    gap = contact.obstacle.gap(place, state.time)
    relative = velocity - contact.obstacle.velocity(place, state.time)
    approach = -np.einsum("qa,qa->q", gap.normal, relative)
    depth = np.maximum(-gap.gap, 0.0)
    rounding = ROUNDING * (float(np.abs(place).max()) + model.radius)
    touching = bool(np.any(depth > rounding))
    obstacles = Obstacles(groups=((contact.obstacle, slice(None)),))
    paths = straight_paths(
        obstacles, place, remaining * velocity, state.time, remaining, ROUNDING * float(np.abs(place).max())
    )
    touch = 0.0 if touching else paths.touch(np.ones(len(place), np.bool_))
    if touch is None or (touching and controlled):
        return np.inf
    arm = place - state.frame.coordinates[:2]
    near, matrix = np.empty(len(place), np.bool_), np.empty((3, 3))
    deepest = near_points(gap.gap, approach, remaining, near)
    if not near.any():
        return np.inf
    _, mass, moment = model.system.results.scales
    whole = stiffness_matrix(points.weights, arm, gap.normal, near, mass, moment, matrix)
    share = whole / float(np.linalg.eigvalsh(matrix)[-1])
    fastest, motion = float(np.abs(approach[near]).max()), state.frame
    if not isinstance(contact.normal, NormalForce):  # the spring of a user's law is unknown
        return np.inf
    law = contact.normal.numbers
    period = float(half_period(law, points.weights, gap.gap, near, share, fastest, model.radius))
    if not np.isfinite(period) or (
        touching
        and not oscillates(period, gap.gap, approach, arm, gap.normal, motion.accelerations, motion.spin, deepest)
    ):
        return np.inf
    if controlled:
        return touch + 0.5 * period
    return max(touch, period / PER_HALF)


def contact_free_steps(model: RunModel, batch: Batch) -> Batch | None:
    """First steps of a rigid body's batch that certainly touch no exact contact, need no shortening near penalty contacts and do
    not pass the middle of an obstacle, with the normals at entry; None for none."""
    effects = [e for e in model.system.effects if isinstance(e, PenaltyContact)]
    _, mass, moment = model.system.results.scales
    count = len(batch.times) if model.exact is None else exact_free_steps(model.exact, batch, model.radius)
    while count:
        entries, start, free = [], 0, count
        for effect, (contact, at) in zip(effects, model.contacts, strict=True):
            motion, own = contact.obstacle.motion, contact_numbers(effect)
            times = np.concatenate([[batch.before.time], batch.times[:count]])
            assert own is not None
            rows = motion.table(times, 2) if motion.moves else np.zeros((1, MOTION))
            (place, velocity), size = (part[: count + 1] for part in batch.points(at)), len(at.weights)
            before = batch.before.entry
            entry = np.zeros((size, 2)) if before is None else before[start : start + size].copy()
            deep, start = turned_normal_depth(model, contact), start + size
            body = float(mass), float(moment), float(model.radius)
            lengths = batch.lengths[:count]
            free = min(free, count_free_steps(own, rows, place, velocity, batch.frames, lengths, body, deep, entry))
            entries.append(entry)
        if free == count:
            whole = batch if count == len(batch.times) else batch.head(count)
            return replace(whole, entry=np.concatenate(entries)) if entries else whole
        count = free
    return None


def exact_free_steps(exact: ExactContacts, batch: Batch, radius: float) -> int:
    """Number of first steps in which a rigid body of a ``radius``, m, certainly keeps the exact contacts on which it rests and
    touches no others.

    The motion within a step is the cubic in time through both ends, with rates up to ``|q'| + |q'⁺| + 3/2 |Δq|/h``."""
    start, times = batch.before.frame, np.concatenate([[batch.before.time], batch.times])
    q, rates = batch.poses, batch.course.rates
    rates, h = np.abs(np.vstack([start.rates, rates])), batch.lengths
    most = rates[:-1] + rates[1:] + 1.5 * np.abs(np.diff(q, axis=0)) / h[:, None]
    path = h * (np.hypot(*most[:, :2].T) + radius * most[:, 2])
    place, velocity = batch.points(ContactPoints.at_nodes(exact.nodes, np.ones(len(exact.nodes))))
    system, extent = batch.system, np.abs(place).max(axis=(1, 2)) + np.ptp(place, axis=1).max(axis=1)
    assert isinstance(system, RigidSystem)
    rests = None if system.exact is None else system.exact.active
    rests = np.zeros(len(exact.mu), np.bool_) if rests is None else rests
    between = [np.diff(np.minimum(s.nodes, s.length[:, None])).max(initial=0.0) for s in exact.sides]
    clear, apart = np.ones(len(h), np.bool_), 0.5 * float(max(between, default=0.0))
    for obstacle, part in exact.groups:
        near = place[:, part]
        resting = rests[part][: near.shape[1]]  # side points never rest
        carried = MARGIN_OF_SPEED * obstacle.speeds(near, times).max(axis=1, initial=0.0)
        shift = h * np.maximum(carried[:-1], carried[1:])
        gaps = obstacle.gaps(near, times)[:-1]
        least = gaps[:, ~resting].min(axis=1, initial=np.inf) - apart
        clear &= (least > path + shift) & (least > CLOSED_GAP * extent[:-1])
        if resting.any():
            approach = normal_speeds(obstacle, near[:-1, resting], velocity[:-1, part][:, resting], times[:-1])
            stays = (gaps[:, resting] <= CLOSED_GAP * extent[:-1, None]) & (
                approach * h[:, None] <= CLOSED_GAP * extent[:-1, None]
            )
            clear[1:] &= stays[1:].all(axis=1)
    return int(np.argmin(clear)) if not clear.all() else len(h)


def turned_normal_depth(model: RunModel, contact: Contact) -> float:
    """Depth, m, below which a reversed normal means motion around the obstacle."""
    extent = contact.obstacle.extent
    return DEEP * (extent if np.isfinite(extent) else model.extent)


def with_entry_normals(model: RunModel, state: State, earlier: State) -> State:
    """State with the normals at entry of the points in penalty contacts, updated from an ``earlier`` state.

    Raises StepFailure for a point past the middle.
    """
    if not model.contacts:
        return state
    entries, start = [], 0
    for contact, points in model.contacts:
        place = points.at(state.position)
        gap = contact.obstacle.gap(place, state.time)
        before = np.zeros_like(place) if earlier.entry is None else earlier.entry[start : start + len(place)]
        start += len(place)
        entry = before.copy()
        worst = update_entry_normals(gap.gap, gap.normal, turned_normal_depth(model, contact), entry)
        if worst >= 0:
            raise _failure(model, state, contact, points, place, entry[worst], -float(gap.gap[worst]))
        entries.append(entry)
    return replace(state, entry=np.concatenate(entries))


def _failure(
    model: RunModel, state: State, contact: Contact, points: ContactPoints, place: Array, entry: Array, depth: float
) -> StepFailure:
    """Failure with advice: the stiffness that stores the body's energy before the middle."""
    carried = contact.obstacle.velocity(place, state.time).mean(axis=0)
    speed = min(float((state.frame.rates[:2] - carried) @ entry), 0.0)
    _, mass, moment = model.system.results.scales
    turning = 0.5 * moment * state.frame.spin**2
    energy = 0.5 * mass * speed**2 + turning + energy_of_contacts(model.system, state)
    back = place + (1.0 - STOPPING_DEPTH) * depth * entry
    depths = np.maximum(-contact.obstacle.gap(back, state.time).gap, 0.0)
    capacity = float(points.weights @ contact.normal.energy(depths))
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


def normal_speeds(obstacle: Obstacle, place: Array, velocity: Array, times: Array) -> Array:
    """Relative speeds (K, P) m/s along an obstacle's normal at places and velocities (K, P, 2) at times (K,) s."""
    if obstacle.motion.moves:
        each = zip(place, velocity, times.tolist(), strict=True)
        return np.array(
            [np.abs(np.einsum("pa,pa->p", obstacle.gap(x, t).normal, v - obstacle.velocity(x, t))) for x, v, t in each]
        )
    normal = obstacle.shape_gap(place.reshape(-1, 2)).normal
    speeds: Array = np.abs(np.einsum("pa,pa->p", normal, velocity.reshape(-1, 2)))
    return speeds.reshape(velocity.shape[:2])
