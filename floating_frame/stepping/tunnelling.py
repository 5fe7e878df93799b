"""Steps of bodies with exact contacts that are too long for their obstacles: ways of points that go through, and where they begin.

The bound of a stage (``signorini_stage``) sees an obstacle where a point gets to, x̂, not on its way there. A way that enters an
obstacle and ends, inside or behind it, where the normal is another one has gone through, or around a corner; then the step is
taken again, half as long.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.obstacles import traits_of
from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_stage import TOUCHING
from floating_frame.frame.kinematics import Array
from floating_frame.stepping.contact_times import first_touch

SAME_SIDE = 0.7
"""Cosine between the normals where a way enters an obstacle and where it ends, down to which it has stayed on its side."""


class StraightWay:
    """Straight ways of all exact contact points, ``start`` to ``end`` (m, 2) m between ``begin`` and ``finish`` s."""

    def __init__(self, exact: ExactContacts, start: Array, end: Array, begin: float, finish: float) -> None:
        self._exact, self._start, self._begin = exact, start, begin
        self.length = finish - begin
        self._velocity = (end - start) / self.length
        self.tolerance = TOUCHING * float(np.abs(start).max() + np.ptp(start, axis=0).max())
        self._floor = np.minimum(exact.gap(start, begin).gap, 0.0)

    def _place(self, time: float) -> Array:
        return self._start + time * self._velocity

    def _bounds(self) -> tuple[Array, Array]:
        """Speeds against the obstacles (m,) m/s, and how fast gaps may fall faster and faster, (m,) m/s²."""
        speed, sharp = np.hypot(*self._velocity.T), np.zeros(len(self._start))
        for obstacle, part in self._exact.groups:
            known = traits_of(obstacle)
            if known.moves:
                times = np.linspace(0.0, self.length, 5)
                carried = [np.hypot(*obstacle.velocity(self._place(t)[part], self._begin + t).T) for t in times]
                speed[part] += 1.2 * np.max(carried, axis=0)
            sharp[part] = known.sharpness
        return speed, np.where(speed > 0.0, sharp, 0.0) * speed**2

    def touch(self, which: NDArray[np.bool_]) -> float | None:
        """Return the time, s, after the start at which the first of the points ``which`` (m,) enters an obstacle; None for none."""
        if not which.any():
            return None
        speed, bend = self._bounds()

        def gaps(time: float) -> Array:
            return (self._exact.gap(self._place(time), self._begin + time).gap - self._floor)[which]

        return first_touch(gaps, self.length, speed[which], bend[which], tolerance=self.tolerance)

    def goes_through(self, which: NDArray[np.bool_]) -> bool:
        """Say whether one of the points ``which`` (m,) leaves its side of an obstacle."""
        left = which.copy()
        last = self._exact.gap(self._place(self.length), self._begin + self.length).normal
        while True:
            time = self.touch(left)
            if time is None:
                return False
            gap = self._exact.gap(self._place(time), self._begin + time)
            entered = left & (gap.gap - self._floor <= 0.0)
            if not entered.any():
                return False
            if np.any(np.einsum("ma,ma->m", gap.normal, last)[entered] < SAME_SIDE):
                return True
            left &= ~entered
