"""Penetration where a step evaluates no gap: in a face of a solid between its nodes, and on the path of a point within a step.

The gap has the Lipschitz constant 1, which excludes most triangles. From the middle of a triangle each iteration goes to its point
nearest to the centre of curvature of the obstacle: for a sphere the deepest point after one iteration, for an edge after a few.
Where an obstacle is flat or hollow the deepest point is a corner, a node."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from floating_frame.contact.obstacles import Obstacle
from floating_frame.frame.kinematics import Array

MAX_ITERATIONS_IN_FACE, STEP_REDUCTION = 24, 0.7
"""Iterations, and the ratio of successive steps where an obstacle is flat, towards the ridge between two planes."""
PATH_SAMPLES, TOUCH_DISTANCE = 32, 1e-9
"""Points of a path at which the gap is evaluated; gap, m, of a closed contact at its ends."""


def penetration(gaps: ArrayLike) -> float:
    """Largest penetration, m, at these ``gaps`` m; 0 for none."""
    return max(0.0, -float(np.min(gaps, initial=np.inf)))


def face_penetration(obstacle: Obstacle, corners: Array, time: float) -> float:
    """Largest penetration, m, of an obstacle into triangles of ``corners`` (T, 3, 3) m in excess of that of their corners."""
    middle = corners.mean(axis=1)
    reach = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)
    near = np.zeros(len(corners), bool) if obstacle.flat else obstacle.gap(middle, time).gap < reach
    if not near.any():
        return 0.0
    corners, x, reach = corners[near], middle[near], reach[near]
    known = np.maximum(-obstacle.gap(corners.reshape(-1, 3), time).gap.reshape(-1, 3).min(axis=1), 0.0)
    deepest = 0.0
    for iteration in range(MAX_ITERATIONS_IN_FACE):
        gap, normal, curvature = obstacle.gap(x, time)
        deepest = max(deepest, float((-gap - known).max()))
        bend = np.linalg.eigvalsh(curvature)[:, -1]
        step = np.where(bend > 0.0, 1.0 / np.where(bend > 0.0, bend, 1.0), STEP_REDUCTION**iteration * reach)
        x = nearest(corners, x - step[:, None] * normal)
    return deepest


def nearest(corners: Array, points: Array) -> Array:
    """Point (T, 3) m of each triangle, ``corners`` (T, 3, 3) m, nearest to its one of the ``points`` (T, 3) m."""
    sides = np.roll(corners, -1, axis=1) - corners
    along = np.einsum("tka,tka->tk", points[:, None] - corners, sides) / np.einsum("tka,tka->tk", sides, sides)
    on_sides = corners + np.clip(along, 0.0, 1.0)[:, :, None] * sides
    best = np.argmin(np.linalg.norm(on_sides - points[:, None], axis=2), axis=1)
    normal = np.cross(sides[:, 0], sides[:, 1])
    height = np.einsum("ta,ta->t", points - corners[:, 0], normal) / np.einsum("ta,ta->t", normal, normal)
    flat = points - height[:, None] * normal
    left = np.einsum("tka,ta->tk", np.cross(sides, flat[:, None] - corners), normal)
    within = np.all(left >= 0.0, axis=1)
    return np.asarray(np.where(within[:, None], flat, on_sides[np.arange(len(points)), best]))


def path_penetration(
    obstacle: Obstacle,
    ends: tuple[Array, Array],
    times: tuple[float, float],
    radius: float = 0.0,
    closed: float = TOUCH_DISTANCE,
) -> float:
    """Deepest penetration, m, on paths that begin and end outside of an obstacle; 0 for none.

    Straight paths of points, or of the centres of balls of ``radius`` m, between both ``ends`` (M, d) m and ``times`` s. A path
    shorter than the sum of the gaps at its ends does not penetrate; the obstacle's own motion counts as a part of its length.
    ``closed`` m: largest gap of a closed contact at an end."""
    (start, end), (begin, finish) = ends, times

    def gaps(share: float, start: Array, end: Array) -> Array:
        time = begin + share * (finish - begin)
        return obstacle.gap(start + share * (end - start), time).gap - radius

    first, last = gaps(0.0, start, end), gaps(1.0, start, end)
    velocities = [obstacle.velocity(x, t) for x, t in zip(ends, times, strict=True)]
    length = np.linalg.norm(end - start, axis=1) + (finish - begin) * np.max(np.linalg.norm(velocities, axis=2), axis=0)
    doubtful = (np.minimum(first, last) > closed) & (first + last < length)
    if not doubtful.any():
        return 0.0
    shares = np.arange(1, PATH_SAMPLES) / PATH_SAMPLES
    return max(0.0, -min(float(gaps(share, start[doubtful], end[doubtful]).min()) for share in shares))
