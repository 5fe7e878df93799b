"""Step doubling: one step of h and two of h/2, and the distance of their ends relative to the body's size.

The distance is the largest difference of a nodal component, of positions and bristles in units of R = max |X|, of velocities in
units of R/h; of positions alone in quasi-static increments. A damper with m3 = 0 makes the acceleration jump by A: a velocity error
up to A times the step. Exact contact makes the velocity jump by J: an error of an impact of (h/2) J beside the position's
(docs/theory.md, section 8).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact_force import ContactForce, point_force
from floating_frame.contact.signorini import ExactContacts
from floating_frame.frame.kernels import cross_sum
from floating_frame.frame.kinematics import Array
from floating_frame.stepping.penalty_steps import with_entry_normals
from floating_frame.system.model import RunModel
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import Compared, Instant, Stepper, Trial
from friction.arrays import nonzero_rows, row_norms
from friction.status import OPEN, SLIP, STICK
from friction.stick import stick_load_and_bound

EVENT_SHARE = 0.1
"""Error allowed for one stick-slip event over the tolerance."""


@dataclass(frozen=True)
class StateInstant:
    """The ``current`` state of a ``model`` with the step function ``one``."""

    model: RunModel
    one: Stepper[RunModel]
    current: State

    @property
    def time(self) -> float:
        """Time, s."""
        return self.current.time

    @property
    def compared(self) -> Compared:
        """See ``Instant``."""
        state, friction = self.current, self.current.records[len(self.model.system.effects)]
        return Compared(state.position, state.velocity, state.sliding, state.multiplier, friction.internal)

    def tried(self, middle: float, end: float) -> Trial:
        """See ``Instant``; the verdict does not check the whole step."""
        whole, spent = replace(self, current=replace(self.current, verdict=())).stepped(end)
        half, first = self.stepped(middle)
        new, second = half.stepped(end)
        return whole, half, new, (spent, first, second)

    def stepped(self, end: float) -> tuple[Self, Counts]:
        """See ``Instant``."""
        state, counts = self.one(self.model, self.current, end - self.current.time, end)
        return replace(self, current=state), counts

    def follows(self, earlier: Self) -> Self:
        """See ``Instant``: with normals at entry of penalty contacts. Raises StepFailure past the middle of an obstacle."""
        return replace(self, current=with_entry_normals(self.model, self.current, earlier.current))

    def state(self) -> State:
        """See ``Instant``."""
        return self.current


def instant_of(model: RunModel, one: Stepper[RunModel], state: State) -> Instant:
    """Instant at which trials start."""
    make = model.integrator.instant
    return StateInstant(model, one, state) if make is None else make(model, state)


@dataclass(frozen=True)
class Doubled:
    """Result of step doubling: ``end`` of the two halves, relative difference ``gap``, ``error``: gap over the allowed one,
    exponent ``k`` of h, ``event``: True if one lies within."""

    end: Instant
    gap: float
    error: float
    k: float
    event: bool
    counts: Counts


def doubled(model: RunModel, run: Instant, end: float, tolerance: float) -> Doubled:
    """Take one step to ``end`` s and two halves, and compare them at ``tolerance``. Raises the step function's errors."""
    length = end - run.time
    whole, half, new, (spent, first, second) = run.tried(run.time + 0.5 * length, end)
    kinks = model.law.set_valued and model.problem.foundation is not None
    ends = start, middle, last, other = [instant.compared for instant in (run, half, new, whole)]
    event = kinks and any(has_stick_slip_change(a, b) for a, b in itertools.pairwise(ends))
    speed = max(float(np.abs(start.velocity).max()), float(np.abs(last.velocity).max()))
    slow = EVENT_SHARE * tolerance * (model.radius / model.problem.t_end + speed)
    missed, (touches, jumps, accelerations) = missed_start_velocity(model, middle, last, end, length), (False, 0.0, 0.0)
    if model.has_contacts:
        touches, jumps, accelerations = contact_event(
            model, run.state(), half.state(), new.state(), whole.state(), slow
        )
    event = event or missed > 0.0 or touches
    if kinks and not event and model.steps.inertia:
        event = is_near_rest(start, last, slow)
    order = 1 if event else model.steps.order
    apart = relative_distance(model, last, other, 0.0 if jumps > 0.0 else length) / (2.0**order - 1.0)
    lasting = model.problem.t_end / model.radius  # relative displacement until the end at 1 m/s
    if event and not jumps > 0.0 and model.steps.inertia:
        apart = max(apart, lasting * rigid_speed(last, other))
    gap = max(apart, lasting * missed, 0.5 * length * max(jumps / model.radius, lasting * accelerations))
    allowed = tolerance * (EVENT_SHARE if event else length / model.problem.t_end)
    counts = spent._replace(steps=0).plus(first).plus(second)
    counts = counts._replace(smallest_step=0.5 * length / max(first.steps, 1))
    k = 0.5 if event and not max(jumps, accelerations) > 0.0 else 1.0 / order
    return Doubled(new, gap, max(gap / allowed, 1e-12), k, event, counts)


def missed_start_velocity(model: RunModel, half: Compared, new: Compared, time: float, length: float) -> float:
    """Velocity error, m/s, of nodes at rest in a step of ``length`` s with mean forces, whose bound is exceeded at its end."""
    if not (model.steps.mean_forces and model.law.set_valued):
        return 0.0
    ahead = _rows(1.5 * new.multiplier - 0.5 * half.multiplier)
    problem = model.system.friction.for_stage(time, None, 0.0)
    size, bound = stick_load_and_bound(problem.law, ahead, problem.bound)
    rests = ~(nonzero_rows(_rows(half.sliding)) | nonzero_rows(_rows(new.sliding)))
    excess = np.where(rests, size - bound * (1.0 + 1e-9), 0.0)
    return float(np.max(np.maximum(excess, 0.0) * 0.5 * length / model.system.results.friction_mass))


def has_stick_slip_change(a: Compared, b: Compared) -> bool:
    """True if a node rests in one state and slides in the other, or reverses its sliding direction."""
    one, two = _rows(a.sliding), _rows(b.sliding)
    return bool(np.any((nonzero_rows(one) != nonzero_rows(two)) | (np.einsum("ia,ia->i", one, two) < 0.0)))


def is_near_rest(start: Compared, end: Compared, slow: float) -> bool:
    """True if a node slides slower than ``slow`` m/s at the start or the end, with a velocity change of a percent or more."""
    one, two = _rows(start.sliding), _rows(end.sliding)
    sizes = row_norms(one), row_norms(two)
    least, most = np.minimum(*sizes), np.maximum(*sizes)
    return bool(np.any((most > 0.0) & (least <= slow) & (row_norms(two - one) > 0.01 * most)))


def _rows(field: Array) -> Array:
    return field.reshape(len(field), -1)


def relative_distance(model: RunModel, a: Compared, b: Compared, length: float) -> float:
    """Relative distance of two ends of a step of ``length`` h s, see the module; h = 0: of positions alone."""
    apart = largest_difference(a.position, b.position)
    bent, other = a.bristles, b.bristles
    if bent is not None and other is not None:
        apart = max(apart, largest_difference(bent, other))
    if model.steps.inertia:
        apart = max(apart, length * largest_difference(a.velocity, b.velocity))
    return apart / model.radius


def largest_difference(one: Array, other: Array) -> float:
    """Largest difference of two fields."""
    return float(np.abs(one - other).max())


def rigid_speed(a: Compared, b: Compared) -> float:
    """Difference of the rigid velocities of two states, m/s: the larger of ``|v̄|`` and ``|ω|`` times the rms arm of the nodal
    velocity difference; of beams ``|v̄|``."""
    apart = a.velocity - b.velocity
    mean = float(np.linalg.norm(np.atleast_1d(apart.mean(axis=0))))
    if apart.ndim == 1:
        return mean
    arms = a.position - a.position.mean(axis=0)
    return max(mean, abs(float(cross_sum(arms, apart))) / float(np.sqrt(len(arms) * np.sum(arms * arms))))


def contact_event(
    model: RunModel, state: State, half: State, new: State, whole: State, slow: float
) -> tuple[bool, float, float]:
    """Contact events in one step from ``state`` to ``whole`` and two over ``half`` to ``new``: True if a point opens, closes, hits,
    or starts or stops sliding on an exact contact; J m/s, the largest velocity change of an impact with an approach above ``slow``
    m/s; A m/s², the largest jump of an acceleration."""
    codes = [contact_conditions(model, s) for s in (state, half, new, whole)]
    happens = any(bool(np.any(a != b)) for a, b in itertools.pairwise(codes))
    largest = max(impact_velocity_change(model, a, b, slow) for a, b in ((state, half), (half, new), (state, whole)))
    largest_acceleration = max(damper_jump(model, a, b) for a, b in ((state, half), (half, new))) if happens else 0.0
    return happens or largest > 0.0, largest, largest_acceleration


def contact_conditions(model: RunModel, state: State) -> NDArray[np.int8]:
    """Conditions of the points of penalty contacts (OPEN, SLIP), then of exact ones, in the mean of the step that ends at
    ``state``: ±SLIP on the edge of the cone (− for friction along −t), STICK within it."""
    codes = [np.where(f.normal != 0.0, SLIP, OPEN).astype(np.int8) for f in penalty_forces(model, state)]
    if model.exact is not None:
        force = exact_force(model.exact, state)
        bound = model.exact.mu * force[:, 0]
        slides = np.where(force[:, 1] < 0.0, -SLIP, SLIP)
        kind = np.where(np.abs(force[:, 1]) < bound * (1.0 - 1e-9), STICK, slides)
        codes.append(np.where(force[:, 0] > 0.0, kind, OPEN).astype(np.int8))
    return np.concatenate(codes)


def penalty_forces(model: RunModel, state: State) -> list[ContactForce]:
    """Forces of the penalty contacts at a ``state``, bristles undeformed."""
    x, v, time = state.position, state.velocity, state.time
    return [point_force(contact, p.at(x), p.at(v), time, p.weights) for contact, p in model.contacts]


def exact_force(exact: ExactContacts, state: State) -> Array:
    """Forces (m, 2), N, along n and t of exact contacts, means of the step that ends at ``state``; 0 at t = 0."""
    force = state.records[-1].multiplier
    return np.zeros((len(exact.mu), 2)) if force is None else force


def impact_velocity_change(model: RunModel, before: State, after: State, slow: float) -> float:
    """Largest velocity change J, m/s, of a point that hits an exact contact faster than ``slow`` m/s in one step."""
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


def damper_jump(model: RunModel, before: State, after: State) -> float:
    """Acceleration A, m/s², caused by dampers whose contact closes between ``before`` and ``after``."""
    if not any(contact.normal.jumps for contact, _ in model.contacts):
        return 0.0
    force = np.zeros_like(after.position)
    earlier, later = penalty_forces(model, before), penalty_forces(model, after)
    for (contact, points), was, now in zip(model.contacts, earlier, later, strict=True):
        if contact.normal.jumps:
            closes = (was.normal == 0.0) & (now.normal != 0.0)
            force += points.gathered(np.where(closes[:, None], now.force, 0.0), len(force))
    return model.system.results.acceleration_by(after, force)
