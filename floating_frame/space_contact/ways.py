"""Steps that are too long for an obstacle in space: ways of points that lead through it.

A stage sees an obstacle where a point gets to, not on its way there. In the obstacle's axes the way is taken as straight. One that
enters an obstacle and ends, inside or behind it, where the normal is another one has gone through, or around a corner."""

from __future__ import annotations

import numpy as np

from floating_frame.contact.tunnelling import SAME_SIDE
from floating_frame.errors import WentThrough
from floating_frame.frame.kinematics import Array
from floating_frame.space_contact.obstacles import SpaceObstacle

PACE = 1e-3
"""Part of its way by which a point is moved at least where it is looked at."""
SHALLOW = 1e-2
"""Part of the body's radius by which a way may cut a corner, and the end of a step be put back to the obstacles without a force."""


def refuse_passage(
    obstacle: SpaceObstacle, ways: tuple[Array, Array], times: tuple[float, float], radius: float, size: float
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
