"""The time that a run still takes."""

from __future__ import annotations

from collections.abc import Callable

TOGETHER = 0.5
"""Wall-clock time, s, within which reports belong to one batch of steps: they come together as it ends, and show no pace."""


class TimeToGo:
    """Estimates from a run's reports how long it still takes to its ``end``, s.

    The ``clock``, s, stands still while loops are compiled. The estimate is from the pace since the first batch of steps, and there
    is none before a second batch has ended: what comes before the first report, such as tabulated loads, says nothing about steps.
    """

    def __init__(self, end: float, clock: Callable[[], float]) -> None:
        self._end, self._clock = end, clock
        self._first: tuple[float, float] | None = None
        self._last = (0.0, 0.0)

    def report(self, reached: float) -> None:
        """Note that simulated time ``reached``, s, is computed; a run that is begun again is measured anew."""
        now = self._clock()
        if self._first is None or reached < self._last[1]:
            self._first = now, reached
        elif now - self._first[0] < TOGETHER:
            self._first = self._first[0], reached
        self._last = now, reached

    @property
    def left(self) -> float | None:
        """Wall-clock time to go, s, at the pace so far; None where that is not known yet."""
        if self._first is None or not self._last[1] > self._first[1]:
            return None
        (begun, start), (now, reached) = self._first, self._last
        return (now - begun) * (self._end - reached) / (reached - start)
