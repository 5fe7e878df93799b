"""Histories of loads: scalar functions of time with their jumps and kinks, and a left and a right limit there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array
from floating_frame.input_checks import HISTORY, check_kind, require
from friction.arrays import as_numbers, is_finite, is_number
from friction.given import Given

RESOLUTION = 1e-12
"""Times with a smaller relative difference are equal: no step could be that short."""


class History(Protocol):
    """A scalar function of time with named breaks."""

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which it jumps or kinks, s."""
        ...

    def value(self, time: float, *, left: bool = True) -> float:
        """h(t), dimensionless; at a jump the left or the right limit."""
        ...


class TimeDependent(Given):
    """Load with a ``history`` in time."""

    history: History

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kind(type(self).__name__, "history", self.history, "value", HISTORY)


@dataclass(frozen=True)
class Constant(Given):
    """h = 1."""

    breaks: tuple[float, ...] = ()

    def value(self, time: float, *, left: bool = True) -> float:
        return 1.0


@dataclass(frozen=True)
class Cosine(Given):
    """h = cos(Ω t + φ)."""

    angular_frequency: float = 1.0
    phase: float = 0.0
    breaks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("angular_frequency", "phase"):
            require(is_finite(getattr(self, name)), name, "be finite", getattr(self, name))

    def value(self, time: float, *, left: bool = True) -> float:
        return float(np.cos(self.angular_frequency * time + self.phase))


@dataclass(frozen=True)
class Table(Given):
    """Linear between (``times``, ``values``), constant beyond; a time given twice is a jump."""

    times: Sequence[float]
    values: Sequence[float]

    def __post_init__(self) -> None:
        super().__post_init__()
        t, v = (as_numbers(x, "a table's times and values") for x in (self.times, self.values))
        if t.ndim != 1 or t.shape != v.shape or len(t) < 1:
            raise ValueError(f"a table needs as many times as values, at least one; got {t.shape} and {v.shape}")
        if not (np.all(np.isfinite(t)) and np.all(np.isfinite(v)) and np.all(np.diff(t) >= 0.0)):
            raise ValueError("a table's times and values must be finite and its times must not decrease")

    @property
    def breaks(self) -> tuple[float, ...]:
        """All distinct table times."""
        return tuple(sorted(set(self._points[0])))

    @cached_property
    def _points(self) -> tuple[list[float], list[float]]:
        return np.asarray(self.times, float).tolist(), np.asarray(self.values, float).tolist()

    def value(self, time: float, *, left: bool = True) -> float:
        t, v = self._points
        after = bisect_left(t, time) if left else bisect_right(t, time)
        if after in (0, len(t)):
            return v[0 if after == 0 else -1]
        fraction = (time - t[after - 1]) / (t[after] - t[after - 1])
        return v[after - 1] + fraction * (v[after] - v[after - 1])


def Ramp(ramp: float, release: float = np.inf) -> Table:
    """Linear from 0 to 1 over ``ramp`` s (0: a step at t = 0), then constant, 0 after ``release`` s."""
    require(is_finite(ramp) and ramp >= 0.0, "ramp", "be a finite time >= 0 s", ramp)
    require(is_number(release) and release >= 0.0, "release", "be a time >= 0 s (inf: never)", release)
    end = min(ramp, release)
    times, values = (0.0, end), (0.0, end / ramp if ramp > 0.0 else 1.0)
    return Table((*times, release, release), (*values, values[1], 0.0)) if release < np.inf else Table(times, values)


@dataclass(frozen=True)
class Function(Given):
    """Any h(t) given as a callable; name its jumps and kinks in ``breaks``, where it must be left-continuous."""

    function: Callable[[float], float]
    breaks: tuple[float, ...] = ()

    def value(self, time: float, *, left: bool = True) -> float:
        """h(t); the right limit is evaluated one rounding unit later."""
        return float(self.function(time if left else float(np.nextafter(time, np.inf))))


@singledispatch
def values_at(history: History, times: Array, left: bool) -> Array:
    """``value`` at many ``times`` (n,) s, to the last bit; for histories of this module by whole arrays."""
    return np.array([history.value(t, left=left) for t in times.tolist()])


@values_at.register
def _(history: Constant, times: Array, left: bool) -> Array:
    return np.ones(len(times))


@values_at.register
def _(history: Table, times: Array, left: bool) -> Array:
    t, v = np.array(history.times, float), np.array(history.values, float)
    after = np.searchsorted(t, times, side="left" if left else "right")
    ahead, behind = np.minimum(after, len(t) - 1), np.maximum(after - 1, 0)
    fraction = np.divide(times - t[behind], t[ahead] - t[behind], out=np.zeros(len(times)), where=t[ahead] > t[behind])
    return np.asarray(v[behind] + fraction * (v[ahead] - v[behind]))


@values_at.register
def _(history: Cosine, times: Array, left: bool) -> Array:
    return np.asarray(np.cos(history.angular_frequency * times + history.phase))


@dataclass(frozen=True)
class Breaks:
    """Times of jumps and kinks, ``times`` s, ascending. A time that differs from a break by less than ``RESOLUTION`` of it, or of
    ``step`` s, the length of a step, is that break."""

    times: tuple[float, ...] = ()
    step: float = 0.0

    @classmethod
    def of(cls, times: Iterable[float], step: float = 0.0) -> Breaks:
        """Breaks at ``times`` in any order."""
        return cls(tuple(sorted({float(t) for t in times})), step)

    def at(self, time: float) -> tuple[float, ...]:
        """Breaks equal to ``time`` s up to rounding, ascending."""
        within = RESOLUTION * max(abs(time), self.step)
        first = bisect_left(self.times, time - within)
        last = first
        while last < len(self.times) and self.times[last] <= time + within:
            last += 1
        return self.times[first:last]

    def limit(self, time: float, *, left: bool = True) -> float:
        """Break that equals ``time`` s up to rounding, of several the first for the ``left`` limit, the last for the right; else
        ``time``."""
        breaks = self.at(time)
        return breaks[0 if left else -1] if breaks else time

    def limits(self, times: Array, *, left: bool = True) -> Array:
        """``limit`` of many ``times`` (n,) s."""
        breaks, within = np.array(self.times), RESOLUTION * np.maximum(np.abs(times), self.step)
        first, last = np.searchsorted(breaks, times - within), np.searchsorted(breaks, times + within, side="right")
        if not np.any(last > first):
            return times
        return np.where(last > first, breaks[np.minimum(first, len(breaks) - 1) if left else last - 1], times)

    def cut(self, starts: Array, ends: Array) -> NDArray[np.bool_]:
        """Mask (n,) of the steps from ``starts`` to ``ends`` (n,) s with a break inside (``between``)."""
        breaks = np.array(self.times)
        after = np.searchsorted(breaks, starts + RESOLUTION * np.maximum(np.abs(starts), self.step), side="right")
        return np.asarray(np.searchsorted(breaks, ends - RESOLUTION * np.maximum(np.abs(ends), self.step)) > after)

    def one_sided_time(self, time: float, *, left: bool = True) -> float:
        """One rounding unit before or after the break that equals ``time`` s, with the limit of a plain function; else ``time``."""
        breaks = self.at(time)
        if not breaks:
            return time
        return float(np.nextafter(breaks[0], -np.inf) if left else np.nextafter(breaks[-1], np.inf))

    def between(self, start: float, end: float) -> list[float]:
        """Breaks after ``start`` and before ``end`` s; of several that are equal up to rounding the first."""
        inside: list[float] = []
        inner = self.times[bisect_left(self.times, start) : bisect_left(self.times, end)]
        ends = {*self.at(start), *self.at(end)} if inner else set()
        for time in inner:
            if time > start and time not in ends and not (inside and inside[-1] in self.at(time)):
                inside.append(time)
        return inside
