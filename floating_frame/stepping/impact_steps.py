"""A step of a rigid body with exact contacts, cut at its impacts: free flight to each of them, the impact, and on.

Points that touch and stay are the business of the step's stages (``signorini_stage``), without restitution. For all others the step
is tried without contact, its motion is taken as the cubic in time through both ends, and the first touch on it is searched for
(``contact.tunnelling``). There a substep ends: its length is mended by Newton's method on the substeps themselves until the gap is
rounding. Then ``impacts`` changes the velocities at once, and the rest of the step follows. So instants of impacts have the
accuracy of the scheme, nothing goes through an obstacle however long a step is, and what is stored never penetrates by more than
rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import scipy
from numpy.typing import NDArray

from floating_frame.coefficients import Scheme
from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.tunnelling import first_touch, obstacle_bounds
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.scheme.rigid import RigidSteps
from floating_frame.stepping.impacts import Points, points_at, resolve_impacts, resting
from floating_frame.system.model import Model
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.state import Counts, State

LANDED = 1e-12
"""Gap of a landing over the size of places."""

MAX_EVENTS = 2000
"""Substeps of one step."""

_LANDINGS, _NEWTON, _LOOKS, _MARGIN = 80, 12, 9, 1.2


class ImpactSteps:
    """The steps of a rigid body with exact contacts. ``free``: those in which none of these is met, many in a call."""

    def __init__(self, system: RigidSystem, scheme: Scheme, exact: ExactContacts) -> None:
        none = exact.without_impacts(np.zeros(len(exact.mu), np.bool_))
        self.free = RigidSteps(system.with_contacts(none), scheme)

    def step(self, model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
        """Advance by ``dt`` s to ``end_time``. Raises what ``step`` raises, and NotConverged."""
        exact = model.exact
        assert exact is not None
        end, start, counts = state.time + dt if end_time is None else end_time, state.time, Counts()
        impulse = np.zeros(3)
        for _ in range(MAX_EVENTS):
            if not state.time < end:
                break
            state, given = resolve_impacts(model, exact, state, dt)
            points, before = points_at(model, exact, state, dt), state
            state, more = self._flight(model, exact, points, before, end)
            state = replace(state, impacts=before.impacts)
            counts = counts.plus(more)
            impulse = impulse + given + (state.time - before.time) * state.records[-1].force[0]
        else:
            raise Unsolved(
                f"{MAX_EVENTS} impacts and more in the step from t = {start:.9g} s, the last at t = {state.time:.9g} s; choose a "
                "smaller restitution"
            )
        *others, last = state.records
        return replace(state, records=(*others, last._replace(force=(impulse / (end - start),)))), counts

    def _flight(
        self, model: Model, exact: ExactContacts, points: Points, state: State, end: float
    ) -> tuple[State, Counts]:
        """From ``state`` to ``end`` s, or to the first touch of a point that does not rest already if that is earlier."""
        active, steps = resting(points, state), self.free
        if active.any():
            steps = RigidSteps(self.free.system.with_contacts(exact.without_impacts(active)), self.free.scheme)
        trial, counts = steps.step(state, end - state.time, end)
        way = _Way(model, exact, np.flatnonzero(~active), points, state, trial)
        if not len(way.which):
            return trial, counts
        touch = way.first_touch()
        if touch is None or touch >= (end - state.time) * (1.0 - 1e-12):
            return trial, counts
        return _landed(steps.step, way, state, touch, end, trial, counts)


def _landed(
    one: Callable[..., tuple[State, Counts]],
    way: _Way,
    state: State,
    touch: float,
    end: float,
    trial: State,
    counts: Counts,
) -> tuple[State, Counts]:
    """Return the state where a watched point lands, near ``touch`` s after ``state``, or one before that from which it is near."""
    open_until, closed_from, length = 0.0, end - state.time if way.lowest(trial)[0] < 0.0 else np.inf, touch
    for look in range(_LANDINGS):
        new, more = one(state, length, state.time + length)
        counts = counts.plus(replace(more, steps=0))
        gap, rate = way.lowest(new)
        done = abs(gap) <= way.landed or closed_from - open_until <= 4.0 * np.spacing(max(end, length))
        if done or (gap > 0.0 and not np.isfinite(closed_from)):
            return new, counts.plus(Counts(smallest_step=length))
        open_until, closed_from = (length, closed_from) if gap > 0.0 else (open_until, length)
        length = length - gap / rate if rate < 0.0 else np.inf
        if look >= _NEWTON or not open_until < length < closed_from:
            length = 0.5 * (open_until + closed_from) if np.isfinite(closed_from) else 0.5 * (open_until + touch)
    raise Unsolved(f"the landing on an obstacle near t = {state.time + touch:.9g} s was not found (gap {gap:.3g} m)")


class _Way:
    """The motion of the points ``which`` (k,) from ``state`` to ``trial``: the cubic in time of the body's coordinates."""

    def __init__(
        self, model: Model, exact: ExactContacts, which: NDArray[np.intp], points: Points, state: State, trial: State
    ) -> None:
        self.which, self._exact, self._model = which, exact, model
        radius = np.hypot(*model.body.X[exact.nodes].T)
        self._radius = np.concatenate([radius, np.full(len(exact.mu) - len(radius), radius.max())])
        self.length, self._time, ends = trial.time - state.time, state.time, (state.frame, trial.frame)
        places, rates = [end.coordinates for end in ends], [end.rates for end in ends]
        self._motion = scipy.interpolate.CubicHermiteSpline([0.0, self.length], places, rates)
        self.landed = LANDED * points.extent
        self._floor = np.minimum(points.gap, 0.0)
        self._leaves = np.where(points.touching, np.maximum(points.velocity[:, 0], 0.0), 0.0)

    def _places(self, coordinates: Array, time: float) -> Array:
        points = self._exact.of_rigid(self._model.body.X, coordinates, time)
        return coordinates[:2] + to_inertial(points.reference, coordinates[2])

    def _places_at(self, time: float) -> Array:
        return self._places(self._motion(time), self._time + time)

    def gaps(self, time: float) -> Array:
        """Gaps (k,) m over those that points began with inside, at ``time`` s after the start."""
        gap = self._exact.gap(self._places_at(time), self._time + time).gap
        return np.asarray((gap - self._floor)[self.which])

    def lowest(self, state: State) -> tuple[float, float]:
        """Return the smallest gap of the points at a state, m, and its rate, m/s."""
        motion = state.frame
        place = self._places(motion.coordinates, state.time)
        gaps, arm = self._exact.gap(place, state.time), place - motion.coordinates[:2]
        velocity = motion.rates[:2] + motion.spin * np.column_stack([-arm[:, 1], arm[:, 0]])
        rate = np.einsum("ma,ma->m", gaps.normal, velocity - self._exact.velocity(place, state.time))
        gap = (gaps.gap - self._floor)[self.which]
        lowest = int(np.argmin(gap))
        return float(gap[lowest]), float(rate[self.which][lowest])

    def first_touch(self) -> float | None:
        """Return when the first touch is, s after the start; None for none."""
        radius = self._radius
        speed, bend = np.zeros((2, len(radius)))
        for time in np.linspace(0.0, self.length, _LOOKS):
            rate, second = self._motion(time, 1), self._motion(time, 2)
            speed = np.maximum(speed, np.hypot(*rate[:2]) + abs(rate[2]) * radius)
            turning = abs(second[2]) + rate[2] ** 2
            bend = np.maximum(bend, np.hypot(*second[:2]) + turning * radius)
        carried, sharp = obstacle_bounds(self._exact, self._places_at, self._time, self.length, _LOOKS)
        speed = _MARGIN * (speed + carried)
        bend, which = _MARGIN * (bend + sharp * speed**2), self.which
        return first_touch(self.gaps, self.length, speed[which], bend[which], self._leaves[which], self.landed)
