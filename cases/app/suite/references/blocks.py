"""A block on a rough plane under a harmonic force: stick, slip and stops in closed form, phase by phase.

With the velocity u relative to the ground, the force f(t) = F cos(ωt + φ) (inertia of the ground's motion included) and the
bound w,

    slip of sign s:  m u' = f − s w,  u = (Φ(t) − Φ(t₁) − s w (t − t₁))/m,   Φ = (F/ω) sin(ωt + φ),
    stick:           u = 0 while |f| <= w,

and slip ends at the first zero of u. Between the zeros of u', where f = s w, u is monotone: they bracket it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from cases.app.suite.references import expect
from cases.app.suite.schema import Problem

Array = NDArray[np.float64]


class Drive(NamedTuple):
    """Amplitude F N, angular frequency ω rad/s and phase φ of the force on a block of ``mass`` kg with the ``bound`` w N."""

    amplitude: float
    frequency: float
    phase: float
    mass: float
    bound: float

    def force(self, t: float) -> float:
        """f(t), N."""
        return self.amplitude * math.cos(self.frequency * t + self.phase)


class Slip(NamedTuple):
    """A phase of slip of ``sign`` from rest at ``start`` to ``end`` s; it begins ``place`` m from the origin."""

    drive: Drive
    start: float
    end: float
    sign: int
    place: float

    def velocity(self, t: float | Array) -> Array:
        """u, m/s."""
        F, omega, phi, m, w = self.drive
        push = F / omega * (np.sin(omega * t + phi) - np.sin(omega * self.start + phi))
        return np.asarray((push - self.sign * w * (t - self.start)) / m)

    def position(self, t: float | Array) -> Array:
        """Displacement relative to the ground, m."""
        F, omega, phi, m, w = self.drive
        since, begun = t - self.start, omega * self.start + phi
        push = F / omega * ((np.cos(begun) - np.cos(omega * t + phi)) / omega - np.sin(begun) * since)
        return np.asarray(self.place + (push - self.sign * w * since**2 / 2.0) / m)


def slips(drive: Drive, t_end: float) -> list[Slip]:
    """Phases of slip of a block at rest at t = 0, until ``t_end`` s; an unfinished last one ends at infinity."""
    phases: list[Slip] = []
    start, place = _release(drive, 0.0), 0.0
    while start < t_end:
        slip = Slip(drive, start, math.inf, _direction(drive, start), place)
        phases.append(slip._replace(end=_stop(slip, t_end)))
        if not phases[-1].end < t_end:
            break
        place = float(slip.position(phases[-1].end))
        start = _release(drive, phases[-1].end)
    return phases


def _crossings(drive: Drive, level: float, after: float) -> Iterator[float]:
    """Times after ``after`` at which f(t) = level, in order; none where |level| > F."""
    if abs(level) > abs(drive.amplitude):
        return
    angle = math.acos(level / drive.amplitude)
    first = math.floor((drive.frequency * after + drive.phase) / (2.0 * math.pi)) - 1
    for turn in itertools.count(first):
        for phase in sorted((2.0 * math.pi * turn - angle, 2.0 * math.pi * turn + angle)):
            time = (phase - drive.phase) / drive.frequency
            if time > after:
                yield time


def _direction(drive: Drive, t: float) -> int:
    """Sign of the force at the start of a slip, also where it is at the bound."""
    return 1 if drive.force(t) > 0.0 else -1


def _release(drive: Drive, t: float) -> float:
    """First instant from ``t`` on after which |f| exceeds the bound, s; infinity if it never does."""
    if abs(drive.force(t)) > drive.bound * (1.0 + 1e-14):
        return t
    if abs(drive.amplitude) <= drive.bound:
        return math.inf
    step = 1e-7 / drive.frequency
    both = [_crossings(drive, sign * drive.bound, t - 1e-12 / drive.frequency) for sign in (1.0, -1.0)]
    rising = [next(time for time in times if abs(drive.force(time + step)) > drive.bound) for times in both]
    return min(rising)


def _stop(slip: Slip, t_end: float) -> float:
    """First zero of the slip's velocity after its start, s; infinity if it lies beyond ``t_end`` and the next extremum."""
    begun, before = slip.start + 1e-7 / slip.drive.frequency, None
    for time in _crossings(slip.drive, slip.sign * slip.drive.bound, begun):
        if before is not None and slip.sign * slip.velocity(time) < 0.0 < slip.sign * slip.velocity(before):
            return float(brentq(slip.velocity, before, time, xtol=1e-15, rtol=1e-15))
        if time > t_end:
            return math.inf
        before = time
    return math.inf


def motion(drive: Drive, times: Array) -> tuple[Array, Array]:
    """Displacement and velocity (n,) relative to the ground at ``times`` (n,) s of a block at rest at t = 0."""
    x, u = np.zeros_like(times), np.zeros_like(times)
    for slip in slips(drive, float(times[-1])):
        inside = (times >= slip.start) & (times < slip.end)
        x[inside], u[inside] = slip.position(times[inside]), slip.velocity(times[inside])
        if slip.end < math.inf:
            x[times >= slip.end] = slip.position(slip.end)
    return x, u


def path_length(drive: Drive, start: float, end: float) -> float:
    """Length of the slip's path between two instants, m; the velocity keeps its sign within a phase."""
    length = 0.0
    for slip in slips(drive, end):
        low, high = max(start, slip.start), min(end, slip.end)
        if low < high:
            length += abs(float(slip.position(high) - slip.position(low)))
    return length


def potra(problem: Problem) -> dict[str, float]:
    """Block under amplitude cos t (Potra et al. 2006): its positions at the given instants, largest speed, and path length."""
    p = problem.parameters
    drive = Drive(p["amplitude"], p["frequency"], 0.0, p["mass"], p["mu"] * p["mass"] * p["gravity"])
    x, _ = motion(drive, np.array([0.0, 8.0, p["end"]]))
    fine = np.linspace(0.0, p["end"], 20001)
    stuck = [(slip.end, after.start) for slip, after in itertools.pairwise(slips(drive, p["end"]))]
    expect(any(high - low > 0.1 for low, high in stuck), "the block sticks for a while between slips")
    return {
        "x_8": float(x[1]),
        "x_end": float(x[2]),
        "speed_max": float(np.abs(motion(drive, fine)[1]).max()),
        "friction_path": path_length(drive, 0.0, p["end"]),
    }


def shaken_plane(problem: Problem) -> dict[str, float]:
    """Mean wear power N |u| of a block on a plane whose acceleration is A sin(2πt), from 4 to 12 s (Code_Aster SDND104).

    In the plane's axes the force is −m A sin(2πt) = m A cos(2πt + π/2)."""
    p = problem.parameters
    drive = Drive(p["mass"] * p["amplitude"], 2.0 * math.pi, math.pi / 2.0, p["mass"], p["mu"] * p["normal_force"])
    power = p["normal_force"] * path_length(drive, 4.0, 12.0) / 8.0
    return {"wear_power": power, "wear_power_barely": power}


def turns(start: float, offset: float) -> list[float]:
    """Turning points, m, of a mass on a spring released at ``start`` m against a friction that shifts its equilibrium by ``offset``
    m.

    Each half swing mirrors the position about ∓ offset: x' = −x ± 2 offset; the mass sticks where |x| <= offset."""
    places = [start]
    while abs(places[-1]) > offset:
        places.append(-places[-1] + math.copysign(2.0 * offset, places[-1]))
    return places[1:]


def release(problem: Problem) -> dict[str, float]:
    """The turns of Code_Aster SDND100, along the direction of the release."""
    p = problem.parameters
    known = turns(p["start"], p["mu"] * p["mass"] * p["gravity"] / p["stiffness"])
    expect(len(known) == 4, "the block stays after four half swings")
    return {**{f"turn_{k + 1}": place for k, place in enumerate(known)}, "rest": known[-1]}
