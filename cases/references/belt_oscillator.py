"""The exact motion of a block on a belt, tied to a fixed point by a spring and a damper.

With the spring's stretch s, m v' = −k s − c v + f, s' = v, and the belt at v_b:

- stick: v = v_b, f = k s + c v_b, while |f| <= F_s = μ_s N;
- slip of sign σ = sgn(v − v_b): f = −σ F_k, F_k = μ_k N, until v = v_b again.

In slip q = s + σ F_k/k obeys q'' + 2 δ q' + ω² q = 0, δ = c/(2m), ω² = k/m, with β² = ω² − δ² of either sign and
C, S = cos βt, sin βt/β (cosh and sinh where β² < 0, 1 and t where it is 0):

    q = e^{−δt} (q₀ C + (q'₀ + δ q₀) S),    and likewise q' from q'₀ and q''₀, and q'' from q''₀ and q'''₀.

The velocity is monotone between the zeros of q'', which are known in closed form; the end of a slip phase is bracketed by them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Oscillator:
    """The block on the belt.

    Parameters
    ----------
    mass : float
        Mass m, kg.
    stiffness, damping : float
        Of the spring k > 0, N/m, and of the damper c >= 0, N s/m.
    belt_speed : float
        v_b along +x, m/s.
    static, kinetic : float
        Bounds of friction F_s >= F_k >= 0 in stick and in slip, N.
    """

    mass: float
    stiffness: float
    damping: float
    belt_speed: float
    static: float
    kinetic: float

    def needed(self, stretch: float) -> float:
        """Friction force k s + c v_b, N, that keeps the block on the belt at the stretch s, m."""
        return self.stiffness * stretch + self.damping * self.belt_speed


@dataclass(frozen=True)
class Phase:
    """A phase of stick (sign 0) or slip (sign of v − v_b) from `start` s on, with the stretch, m, and velocity, m/s, there."""

    oscillator: Oscillator
    start: float
    stretch: float
    velocity: float
    sign: int

    def at(self, times: Array) -> tuple[Array, Array]:
        """Stretch, m, and velocity, m/s, at `times`, s, after the start of the phase."""
        t = np.asarray(times, float) - self.start
        if self.sign == 0:
            v_b = self.oscillator.belt_speed
            return self.stretch + v_b * t, np.full_like(t, v_b)
        q, v, a, _ = self._initial()
        return self._free(t, q, v) - self._offset, self._free(t, v, a)

    def end(self) -> float:
        """End of the phase, s; infinity if it never ends."""
        own = self.oscillator
        if self.sign == 0:
            if own.belt_speed == 0.0:
                return math.inf
            reserve = math.copysign(own.static, own.belt_speed) - own.needed(self.stretch)
            return self.start + reserve / (own.stiffness * own.belt_speed)
        before = 0.0
        for after in self._extrema():
            if self.sign * self._relative(after) < 0.0 < self.sign * self._relative(before):
                return self.start + float(scipy.optimize.brentq(self._relative, before, after, xtol=1e-16, rtol=1e-14))
            before = after
        return math.inf

    @property
    def _offset(self) -> float:
        return self.sign * self.oscillator.kinetic / self.oscillator.stiffness

    def _initial(self) -> tuple[float, float, float, float]:
        """q, q', q'', q''' at the start."""
        own = self.oscillator
        q, v = self.stretch + self._offset, self.velocity
        decay, square = own.damping / own.mass, own.stiffness / own.mass
        a = -square * q - decay * v
        return q, v, a, -square * v - decay * a

    def _free(self, t: Array, y: float, rate: float) -> Array:
        """Solution of the oscillator's equation with y and y' at t = 0."""
        own = self.oscillator
        delta = own.damping / (2.0 * own.mass)
        beta2 = own.stiffness / own.mass - delta**2
        beta = math.sqrt(abs(beta2))
        if beta2 > 0.0:
            c, s = np.cos(beta * t), np.sin(beta * t) / beta
        elif beta2 < 0.0:
            c, s = np.cosh(beta * t), np.sinh(beta * t) / beta
        else:
            c, s = np.ones_like(t), t
        return np.exp(-delta * t) * (y * c + (rate + delta * y) * s)

    def _relative(self, t: float) -> float:
        _, v, a, _ = self._initial()
        return float(self._free(np.asarray(t, float), v, a)) - self.oscillator.belt_speed

    def _extrema(self) -> Iterator[float]:
        """Yield the zeros of q'' after the start, in order, and a time after all motion."""
        own = self.oscillator
        delta = own.damping / (2.0 * own.mass)
        beta2 = own.stiffness / own.mass - delta**2
        beta = math.sqrt(abs(beta2))
        _, _, a, jerk = self._initial()
        slope = -(jerk + delta * a)  # q'' = 0 where S/C = a/slope
        if beta2 > 0.0:
            first = math.atan2(beta * a, slope) / beta % (math.pi / beta)
            yield from (first + turn * math.pi / beta for turn in range(3))
            return
        ratio = a / slope if slope != 0.0 else math.inf
        if beta2 == 0.0:
            zero = ratio
        else:
            zero = math.atanh(beta * ratio) / beta if abs(beta * ratio) < 1.0 else math.inf
        if 0.0 < zero < math.inf:
            yield zero
        yield (0.0 if not 0.0 < zero < math.inf else zero) + 40.0 * delta * own.mass / own.stiffness * 2.0


def phases(oscillator: Oscillator, stretch: float, velocity: float, t_end: float) -> list[Phase]:
    """Phases from t = 0 with `stretch`, m, and `velocity`, m/s, to `t_end`, s, in order."""
    series = [_begun(oscillator, 0.0, stretch, velocity)]
    while (end := series[-1].end()) < t_end:
        before = series[-1]
        s = float(before.at(np.array(end))[0])
        if before.sign == 0:
            series.append(Phase(oscillator, end, s, oscillator.belt_speed, -_sign(oscillator.needed(s))))
        else:
            series.append(_begun(oscillator, end, s, oscillator.belt_speed))
    return series


def _begun(oscillator: Oscillator, time: float, stretch: float, velocity: float) -> Phase:
    """Phase that begins with a state: stick at the belt's speed where friction can hold."""
    relative, needed = velocity - oscillator.belt_speed, oscillator.needed(stretch)
    if relative != 0.0:
        return Phase(oscillator, time, stretch, velocity, _sign(relative))
    sign = 0 if abs(needed) <= oscillator.static else -_sign(needed)
    return Phase(oscillator, time, stretch, velocity, sign)


def _sign(value: float) -> int:
    return 1 if value > 0.0 else -1


def motion(oscillator: Oscillator, stretch: float, velocity: float, times: Array) -> tuple[Array, Array, list[Phase]]:
    """Stretch (n,), m, and velocity (n,), m/s, at increasing `times` (n,), s, from t = 0, and the phases."""
    known = phases(oscillator, stretch, velocity, float(times[-1]))
    s, v = np.empty(len(times)), np.empty(len(times))
    starts = [phase.start for phase in known] + [math.inf]
    for phase, end in zip(known, starts[1:], strict=True):
        inside = (times >= phase.start) & (times < end)
        s[inside], v[inside] = phase.at(times[inside])
    return s, v, known


def limit_cycle(oscillator: Oscillator) -> tuple[float, float] | None:
    """Period, s, and amplitude (half the range of the stretch), m, of stick–slip; None where there is none.

    Without damping, with q₀ = (F_s − F_k)/k: the slip lasts (π + 2 arctan(v_b/(ω q₀)))/ω, the stick 2 q₀/v_b, and the amplitude
    is √(q₀² + (v_b/ω)²). With damping `Phase` gives the end of the slip.
    """
    own = oscillator
    if own.belt_speed <= 0.0 or own.static <= own.kinetic:
        return None
    release = (own.static - own.damping * own.belt_speed) / own.stiffness
    slip = Phase(own, 0.0, release, own.belt_speed, -1)
    end = slip.end()
    if not math.isfinite(end):
        return None
    back = float(slip.at(np.array(end))[0])
    if not abs(own.needed(back)) <= own.static:
        return None
    turns = _velocity_zeros(slip, end)
    reached = [release, back, *(float(slip.at(np.array(t))[0]) for t in turns)]
    return end + (release - back) / own.belt_speed, 0.5 * (max(reached) - min(reached))


def _velocity_zeros(slip: Phase, end: float) -> list[float]:
    """Times in (0, end) at which the block is at rest in space, where the stretch is largest or smallest."""
    marks = [0.0, *(t for t in slip._extrema() if t < end), end]
    zeros = []
    for low, high in itertools.pairwise(marks):
        first, last = (float(slip.at(np.array(t))[1]) for t in (low, high))
        if first * last < 0.0:
            zeros.append(
                float(
                    scipy.optimize.brentq(lambda t: float(slip.at(np.array(t))[1]), low, high, xtol=1e-16, rtol=1e-14)
                )
            )
    return zeros


def cycle(times: Array, x: Array, stuck: NDArray[np.bool_]) -> tuple[float, float] | tuple[None, None]:
    """Period, s, and amplitude, m, of the last whole stick–slip cycle; None where the block did not break loose twice."""
    (releases,) = np.nonzero(stuck[:-1] & ~stuck[1:])
    if len(releases) < 2:
        return None, None
    last = x[releases[-2] : releases[-1] + 1]
    return float(times[releases[-1]] - times[releases[-2]]), 0.5 * float(last.max() - last.min())


def turns(velocity: Array) -> int:
    """Number of times that a velocity (n,) passes or reaches zero."""
    before, after = velocity[:-1], velocity[1:]
    return int(np.sum((after * before < 0.0) | ((after == 0.0) & (before != 0.0))))
