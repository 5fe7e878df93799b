"""Steps of bodies with exact contacts that are too long for their obstacles: ways of points that go through, and where they begin.

The bound of a stage (``signorini_stage``) sees an obstacle where a point gets to, x̂, not on its way there. A way that enters an
obstacle and ends, inside or behind it, where the normal is another one has gone through, or around a corner; then the step is
taken again, half as long. In space the way is taken as straight in the obstacle's axes (``refuse_passage``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact_times import first_touch, obstacle_bounds
from floating_frame.contact.obstacles import Gap, Obstacle, Obstacles
from floating_frame.errors import WentThrough
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


PACE = 1e-3
"""Part of its way by which a point is moved at least where it is looked at."""
SHALLOW = 1e-2
"""Part of the body's radius by which a way may cut a corner, and the end of a step be put back to the obstacles without a force."""


def refuse_passage(
    obstacle: Obstacle, ways: tuple[Array, Array], times: tuple[float, float], radius: float, size: float
) -> None:
    """Raise WentThrough where the centre of a ball of ``radius`` m goes through an obstacle on its way from (M, 3) m to (M, 3) m.

    ``size`` m: the body's radius."""
    start, end = (obstacle.seen(x, time) for x, time in zip(ways, times, strict=True))
    first, last, length = obstacle.shape_gap(start), obstacle.shape_gap(end), np.linalg.norm(end - start, axis=1)
    far = first.gap + last.gap - 2.0 * radius >= length  # a gap changes by no more than the way
    looked = ~far & (np.einsum("ma,ma->m", first.normal, last.normal) < SAME_SIDE)
    if not looked.any():
        return
    start, way, length, final = start[looked], (end - start)[looked], length[looked], last.normal[looked]
    deep = np.minimum(first.gap[looked] - radius, 0.0) - SHALLOW * size
    share, entry = np.zeros(len(way)), np.full((len(way), 3), np.nan)
    while np.any(share < 1.0):
        at = obstacle.shape_gap(start + share[:, None] * way)
        gap = at.gap - radius
        enters = (gap < 0.0) & np.isnan(entry[:, 0])
        entry[enters] = at.normal[enters]
        if np.any((gap < deep) & (np.einsum("ma,ma->m", entry, final) < SAME_SIDE)):
            raise WentThrough(f"a way through {obstacle!r} ends at t = {times[1]:.9g} s")
        entry[gap > 0.0] = np.nan
        share = np.where(share < 1.0, np.minimum(1.0, share + np.maximum(gap / length, PACE)), 1.0)
