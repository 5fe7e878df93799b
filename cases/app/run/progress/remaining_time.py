"""Remaining time of a run."""

from __future__ import annotations

from collections.abc import Callable

TOGETHER = 0.5
"""Reports within this wall-clock time, s, belong to one batch of steps, which reports at its end."""


class RemainingTime:
    """Estimates the remaining wall-clock time to the ``end`` of a run, s, from its reports.

    The ``clock``, s, stands still while loops are compiled. The estimate needs two batches of steps and uses the pace since the
    first: what precedes it, such as tabulating loads, is not part of the steps.
    """

    def __init__(self, end: float, clock: Callable[[], float]) -> None:
        self._end, self._clock = end, clock
        self._first: tuple[float, float] | None = None
        self._last = (0.0, 0.0)

    def report(self, reached: float) -> None:
        """Record that the run has ``reached`` a simulated time, s; a restarted run is measured anew."""
        now = self._clock()
        if self._first is None or reached < self._last[1]:
            self._first = now, reached
        elif now - self._first[0] < TOGETHER:
            self._first = self._first[0], reached
        self._last = now, reached

    @property
    def left(self) -> float | None:
        """Wall-clock time to go, s, at the pace so far; None while unknown."""
        if self._first is None or not self._last[1] > self._first[1]:
            return None
        (begun, start), (now, reached) = self._first, self._last
        return (now - begun) * (self._end - reached) / (reached - start)
