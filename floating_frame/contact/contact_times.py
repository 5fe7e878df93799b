"""When points first touch obstacles on their way: continuous collision detection for motions known at all times of a step.

The gap of an obstacle is a distance: on an interval of length h in which a point moves with at most the speed L against it

    g >= (g_a + g_b − L h)/2,

and where the motion is smooth, with |g''| from above at most A = (largest acceleration) + (sharpest convex curvature) L²,

    g >= min(g_a, g_b) − A h²/8.

An interval is free where either bound is positive; others are halved, the earlier half first, until a half ends within an obstacle,
and there the crossing is bisected. So nothing is overlooked however thin an obstacle is against the way of a step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from floating_frame.contact.obstacles import Obstacles
from floating_frame.frame.kinematics import Array

DEEPEST = 14
"""Halvings of a step, after which a dip between two open ends that is not ruled out is a graze: less than 1e-4 of a step's way."""

_BISECTIONS = 60


def obstacle_bounds(
    obstacles: Obstacles, places: Callable[[float], Array], start: float, length: float, looks: int
) -> tuple[Array, Array]:
    """Return the largest speed (m,) m/s of the obstacles where points are, and their sharpest convex curvature (m,) 1/m.

    ``places``: time since ``start`` s, up to ``length`` s -> the points (m, 2) m; they are looked at ``looks`` times.
    """
    carried, sharp = np.zeros((2, len(places(0.0))))
    for obstacle, part in obstacles.groups:
        sharp[part] = np.inf if obstacle.motion.may_turn else obstacle.sharpness
        for t in np.linspace(0.0, length, looks) if obstacle.motion.moves else ():
            carried[part] = np.maximum(carried[part], np.hypot(*obstacle.velocity(places(t)[part], start + t).T))
    return carried, sharp


def first_touch(
    gaps: Callable[[float], Array],
    length: float,
    speed: Array,
    bend: Array,
    leaving: Array | None = None,
    tolerance: float = 0.0,
) -> float | None:
    """Return the first time in (0, ``length``] s at which one of the points comes closer than −``tolerance`` m; None where none
    does.

    ``gaps``: time since the start s -> gaps (m,) m of the points that are watched; ``speed`` L (m,) m/s and ``bend`` A (m,) m/s²
    (infinite: unknown) of each. ``leaving`` (m,) m/s: of points that touch at the start and leave, the speed at which they do (0 of
    others).
    """
    leaves = np.zeros(len(speed)) if leaving is None else leaving

    def free(a: float, ga: Array, b: float, gb: Array) -> bool:
        h = b - a
        low = np.maximum(0.5 * (ga + gb - speed * h), np.minimum(ga, gb) - 0.125 * bend * h * h)
        if a == 0.0:  # g >= u t - A t²/2 of those that leave
            low = np.where(leaves > 0.0, leaves - 0.5 * bend * h, low + tolerance)
            return bool(np.all(low > 0.0))
        return bool(np.all(low > -tolerance))

    start, end = gaps(0.0), gaps(length)
    stack = [(0.0, start, length, end, 0)]
    while stack:
        a, ga, b, gb, depth = stack.pop()
        inside = bool(np.any(gb < -tolerance))
        if not inside and free(a, ga, b, gb):
            continue
        if depth >= DEEPEST:
            if inside:
                return _bisected(gaps, a, b, tolerance)
            continue
        middle = 0.5 * (a + b)
        gm = gaps(middle)
        stack.append((middle, gm, b, gb, depth + 1))
        stack.append((a, ga, middle, gm, depth + 1))
    return None


def _bisected(gaps: Callable[[float], Array], a: float, b: float, tolerance: float) -> float:
    """Crossing between ``a``, open, and ``b``, within."""
    for _ in range(_BISECTIONS):
        middle = 0.5 * (a + b)
        if not a < middle < b:
            break
        a, b = (a, middle) if np.any(gaps(middle) < -tolerance) else (middle, b)
    return b
