"""Oscillators with dry friction: Den Hartog's under a harmonic force, and Leine's block on a belt with falling friction.

Den Hartog (1931): m x'' + k x + f sgn x' = F cos(ωt). With r = ω/ω_n and no stops, from a maximum X at the phase φ of the
force half a swing leads to −X, all velocities zero:

    X k/F = √(V² − H² (f/F)²),   V = 1/(1 − r²),   H = sin(π/r)/(r (1 + cos(π/r))).

With stops the orbit is followed phase by phase, each in closed form, until it repeats.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from cases.app.suite.schema import Problem

Array = NDArray[np.float64]

PER_PERIOD = 400
"""Sampling points of the shorter period in the search for zeros of the velocity."""


def amplitude_without_stops(ratio: float, share: float) -> float:
    """X k/F at r = ``ratio``, f/F = ``share``."""
    V = 1.0 / (1.0 - ratio**2)
    H = math.sin(math.pi / ratio) / (ratio * (1.0 + math.cos(math.pi / ratio)))
    return math.sqrt(V**2 - (H * share) ** 2)


class Steady(NamedTuple):
    """Amplitude X k/F of the periodic motion, and the share of the period in stick."""

    amplitude: float
    stuck: float


class _Swing(NamedTuple):
    """Slip of ``sign`` from rest at x = ``place`` at ``start``; units in which m = k = F = 1, r and f/F given."""

    ratio: float
    share: float
    start: float
    place: float
    sign: int

    def at(self, t: float) -> tuple[float, float]:
        """x and x' at time t: x = −s f + V cos(rt) + A cos(t − t₁) + B sin(t − t₁)."""
        V, tau = 1.0 / (1.0 - self.ratio**2), t - self.start
        A = self.place + self.sign * self.share - V * math.cos(self.ratio * self.start)
        B = V * self.ratio * math.sin(self.ratio * self.start)
        forced, rate = V * math.cos(self.ratio * t), -V * self.ratio * math.sin(self.ratio * t)
        x = -self.sign * self.share + forced + A * math.cos(tau) + B * math.sin(tau)
        return x, rate - A * math.sin(tau) + B * math.cos(tau)

    def end(self) -> float:
        """First zero of the velocity after the start."""
        step = 2.0 * math.pi / max(self.ratio, 1.0) / PER_PERIOD
        t = self.start + step
        while self.sign * self.at(t)[1] > 0.0 or t <= self.start + step:
            t += step
        return float(brentq(lambda s: self.at(s)[1], t - step, t, xtol=1e-15))


def steady(ratio: float, share: float, periods: int = 400) -> Steady:
    """The periodic motion from rest, after so many ``periods`` of the force; r != 1."""
    t, x, period = 0.0, 0.0, 2.0 * math.pi / ratio
    last: list[tuple[float, float]] = []  # turning places and times of stops within the last period
    while t < periods * period:
        free = math.cos(ratio * t) - x
        stop = 0.0
        if abs(free) <= share:
            begun, t = t, _break_away(ratio, share, t, x)
            stop = t - begun
            free = math.cos(ratio * t) - x
        swing = _Swing(ratio, share, t, x, 1 if free > 0.0 else -1)
        t = swing.end()
        x = swing.at(t)[0]
        if t > (periods - 1) * period:
            last.append((abs(x), stop))
    return Steady(
        float(np.mean([place for place, _ in last])), sum(stop for _, stop in last) / (len(last) * period / 2.0)
    )


def _break_away(ratio: float, share: float, t: float, x: float) -> float:
    """First instant after t at which the force cos(rt) − x exceeds the bound."""

    def excess(s: float) -> float:
        return abs(math.cos(ratio * s) - x) - share

    step = 2.0 * math.pi / ratio / PER_PERIOD
    while excess(t + step) <= 0.0:
        t += step
    low = max(excess(t), -1.0)
    return t if low > 0.0 else float(brentq(excess, t, t + step, xtol=1e-15))


def den_hartog(problem: Problem) -> dict[str, float]:
    """Amplitude of the steady motion, in closed form without stops; with stops the share of the time in stick."""
    p = problem.parameters
    motion = steady(p["ratio"], p["share"])
    scale = p["force"] / p["stiffness"]
    if motion.stuck == 0.0:
        return {"amplitude": scale * amplitude_without_stops(p["ratio"], p["share"]), "stuck": 0.0}
    return {"amplitude": scale * motion.amplitude, "stuck": motion.stuck}


class Cycle(NamedTuple):
    """Period s, time of slip s, least and largest place m of the limit cycle on the belt."""

    period: float
    slip: float
    low: float
    high: float


def belt_cycle(mass: float, stiffness: float, speed: float, static: float, falling: float) -> Cycle:
    """Limit cycle of a block on a belt with friction F_s/(1 + falling |v − v_b|) (Leine et al. 1998), integrated to 1e-12.

    It breaks away at x = F_s/k, slips back until it has the belt's velocity again, and sticks to the belt until x = F_s/k."""

    def rates(t: float, y: Array) -> list[float]:
        slip = speed - y[1]
        friction = static / (1.0 + falling * slip)
        return [y[1], (friction - stiffness * y[0]) / mass]

    def caught(t: float, y: Array) -> float:
        return float(y[1] - speed) if t > 1e-3 else -1.0

    def turned(t: float, y: Array) -> float:
        return float(y[1])

    caught.terminal, caught.direction = True, 1.0  # type: ignore[attr-defined]
    release = static / stiffness
    # At the release all forces balance: only the growth of the spring's force starts the slip.
    begun = _just_after(mass, stiffness, speed, static, falling)
    done = solve_ivp(
        rates, (begun[0], 1e3), begun[1:], "DOP853", rtol=1e-13, atol=1e-15, events=(caught, turned), first_step=1e-5
    )
    slip, back = float(done.t_events[0][0]), float(done.y_events[0][0][0])
    places = [float(y[0]) for y in done.y_events[1]]
    return Cycle(slip + (release - back) / speed, slip, min(places), max(places))


def _just_after(
    mass: float, stiffness: float, speed: float, static: float, falling: float
) -> tuple[float, float, float]:
    """Time, place and velocity a little after the release, by the series of the slip q = v_b − v in the time:
    m q' = k v_b t − k ∫q + F_s (falling q − falling² q² + ...), q = a t²/2 + b t³/6 + c t⁴/24 to O(t⁵)."""
    t = 1e-3 * math.sqrt(mass / stiffness)
    a = stiffness * speed / mass
    b = static * falling * a / mass
    c = static * falling * b / mass - stiffness * a / mass
    q = a * t**2 / 2.0 + b * t**3 / 6.0 + c * t**4 / 24.0
    slipped = a * t**3 / 6.0 + b * t**4 / 24.0 + c * t**5 / 120.0
    return t, static / stiffness + speed * t - slipped, speed - q


def leine_belt(problem: Problem) -> dict[str, float]:
    """Period, time of slip and range of the limit cycle."""
    p = problem.parameters
    cycle = belt_cycle(p["mass"], p["stiffness"], p["belt_speed"], p["static_force"], p["falling"])
    return {"period": cycle.period, "slip_time": cycle.slip, "x_min": cycle.low, "x_max": cycle.high}
