"""Steps of bodies with exact contacts that are too long for their obstacles: ways of points that go through, and where they begin.

The bound of a stage (``signorini_stage``) sees an obstacle where a point gets to, x̂, not on its way there. A way that enters an
obstacle and ends, inside or behind it, where the normal is another one has gone through, or around a corner; then the step is
taken again, half as long.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact_times import first_touch, obstacle_bounds
from floating_frame.contact.obstacles import Gap, Obstacles
from floating_frame.frame.kinematics import Array

SAME_SIDE = 0.7
"""Cosine between the normals where a way enters an obstacle and where it ends, down to which it has stayed on its side."""

_LOOKS, _MARGIN = 5, 1.2
"""How often the speed of what moves is looked at, and a margin on it."""


class StraightWay:
    """Straight ways of points, ``start`` to ``end`` (m, 2) m between ``begin`` and ``finish`` s.

    ``tolerance`` m: how deep is not within an obstacle yet.
    """

    def __init__(
        self, obstacles: Obstacles, start: Array, end: Array, begin: float, finish: float, tolerance: float
    ) -> None:
        self._obstacles, self._start, self._begin = obstacles, start, begin
        self.length, self.tolerance = finish - begin, tolerance
        self._velocity = (end - start) / self.length
        self._floor = np.minimum(obstacles.gap(start, begin).gap, 0.0)

    def _place(self, time: float) -> Array:
        return self._start + time * self._velocity

    def _gap(self, time: float) -> Gap:
        return self._obstacles.gap(self._place(time), self._begin + time)

    def touch(self, which: NDArray[np.bool_]) -> float | None:
        """Return the time, s, after the start at which the first of the points ``which`` (m,) enters an obstacle; None for none."""
        if not which.any():
            return None
        carried, sharp = obstacle_bounds(self._obstacles, self._place, self._begin, self.length, _LOOKS)
        speed = np.hypot(*self._velocity.T) + _MARGIN * carried
        bend = np.where(speed > 0.0, sharp, 0.0) * speed**2

        def gaps(time: float) -> Array:
            return (self._gap(time).gap - self._floor)[which]

        return first_touch(gaps, self.length, speed[which], bend[which], tolerance=self.tolerance)

    def goes_through(self, which: NDArray[np.bool_]) -> bool:
        """Say whether one of the points ``which`` (m,) leaves its side of an obstacle."""
        left = which.copy()
        last = self._gap(self.length).normal
        while True:
            time = self.touch(left)
            if time is None:
                return False
            gap = self._gap(time)
            entered = left & (gap.gap - self._floor <= 0.0)
            if not entered.any():
                return False
            if np.any(np.einsum("ma,ma->m", gap.normal, last)[entered] < SAME_SIDE):
                return True
            left &= ~entered
