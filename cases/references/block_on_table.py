"""A rigid block under a force F cos t (1 rad/s) with Coulomb friction on a table: slip and stick in closed form.

m v' = F cos t - s W in slip of sign s, W = mu N, from rest at t1:

    v = (F (sin t - sin t1) - s W (t - t1))/m

It ends where v is zero again; the block then sticks until `|F cos t| > W`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """A slip phase begins or ends at `time` s and position `x` m; `sign` is the direction of slip, 0 where it
    sticks.
    """

    time: float
    x: float
    sign: int


def motion(force: float, mass: float, bound: float, times: Array) -> tuple[Array, Array, tuple[Event, ...]]:
    """Position x (n,) m and velocity v (n,) m/s at `times` (n,) s from rest at t = 0, and the events.

    `force` F and `bound` W in N, `mass` in kg.
    """
    t_end = float(np.max(times))
    x, v = np.zeros_like(times), np.zeros_like(times)
    events: list[Event] = []
    start, place = _slip_start(force, bound, 0.0), 0.0
    while start < t_end:
        slip = _Slip(force, mass, bound, start, place, int(np.sign(force * np.cos(start))))
        end = slip.end(t_end)
        inside = (times > start) & (times < end)
        x[inside], v[inside] = slip.position(times[inside]), slip.velocity(times[inside])
        events.append(Event(start, place, slip.sign))
        if end <= t_end:
            place = float(slip.position(np.array(end)))
            x[times >= end] = place
            events.append(Event(end, place, 0))
        start = _slip_start(force, bound, end)
    return x, v, tuple(events)


@dataclass(frozen=True)
class _Slip:
    """One slip phase of sign s from rest at `start` and `place`."""

    force: float
    mass: float
    bound: float
    start: float
    place: float
    sign: int

    def velocity(self, t: Array) -> Array:
        """Velocity v(t) in closed form, m/s."""
        push = self.force * (np.sin(t) - np.sin(self.start))
        result: Array = (push - self.sign * self.bound * (t - self.start)) / self.mass
        return result

    def position(self, t: Array) -> Array:
        """Position x(t) in closed form, m."""
        tau = t - self.start
        push = self.force * (np.cos(self.start) - np.cos(t) - np.sin(self.start) * tau)
        result: Array = self.place + (push - self.sign * self.bound * tau**2 / 2) / self.mass
        return result

    def end(self, t_end: float) -> float:
        """First time after `start` at which the velocity is zero again; infinity if that is well
        after `t_end`.
        """
        # s v is extremal where s F cos t = w: bracket its first change of sign between a maximum and a
        # minimum.
        angle = np.arccos(self.sign * self.bound / self.force)
        turns = 2 * np.pi * np.arange(np.floor(self.start / (2 * np.pi)), t_end / (2 * np.pi) + 3)
        extrema = np.sort(np.concatenate([turns + angle, turns - angle]))
        extrema = extrema[extrema > self.start + 1e-7]
        for before, after in itertools.pairwise(extrema):
            if self.sign * self.velocity(after) < 0.0 < self.sign * self.velocity(before):
                return self._rest_between(float(before), float(after))
        return np.inf

    def _rest_between(self, slips: float, stuck: float) -> float:
        """Zero of the velocity between two times by bisection: SciPy's search takes longer to import than to run."""
        while slips < (middle := 0.5 * (slips + stuck)) < stuck:
            ahead = self.sign * self.velocity(np.array(middle)) > 0.0
            slips, stuck = (middle, stuck) if ahead else (slips, middle)
        return slips


def _slip_start(force: float, bound: float, time: float) -> float:
    """First instant from `time` on after which `|F cos t| > w`; infinity if there is none."""
    if abs(force) <= bound:
        return np.inf
    if abs(force * np.cos(time)) > bound:
        return time
    # |F cos t| grows through w at t = k pi - acos(w/|F|).
    phase = np.pi - np.arccos(bound / abs(force))
    return float(phase + np.pi * np.ceil((time - phase) / np.pi - 1e-12))
