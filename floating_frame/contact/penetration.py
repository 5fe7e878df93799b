"""How deep obstacles are where nothing looks in a step: in a face of a solid between its nodes, which alone touch, and on the way
from one step's end to the next.

A gap changes by no more than the way, so that few triangles are near enough to look at. From the middle of one each look goes to
the point of the triangle that is nearest to the centre of curvature of the obstacle: at once the deepest one of a sphere, after
some looks that of an edge. Where an obstacle is flat or hollow the deepest point is a corner, a node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floating_frame.contact.obstacles import Obstacle
from floating_frame.frame.kinematics import Array

MAX_STEPS, STEP_REDUCTION = 24, 0.7
"""Looks, and how they shorten where an obstacle is flat, towards the ridge between two planes."""
PATH_SAMPLES, CLOSED_GAP = 32, 1e-9
"""Places at which a way is looked at; gap, m, up to which its ends touch."""


def face_penetration(obstacle: Obstacle, corners: Array, time: float) -> float:
    """Return the largest depth, m, of an obstacle in triangles of ``corners`` (T, 3, 3) m beyond that of their own corners."""
    middle = corners.mean(axis=1)
    reach = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)
    near = np.zeros(len(corners), bool) if obstacle.flat else obstacle.gap(middle, time).gap < reach
    if not near.any():
        return 0.0
    corners, x, reach = corners[near], middle[near], reach[near]
    known = np.maximum(-obstacle.gap(corners.reshape(-1, 3), time).gap.reshape(-1, 3).min(axis=1), 0.0)
    deepest = 0.0
    for look in range(MAX_STEPS):
        gap, normal, curvature = obstacle.gap(x, time)
        deepest = max(deepest, float((-gap - known).max()))
        bend = np.linalg.eigvalsh(curvature)[:, -1]
        way = np.where(bend > 0.0, 1.0 / np.where(bend > 0.0, bend, 1.0), STEP_REDUCTION**look * reach)
        x = nearest(corners, x - way[:, None] * normal)
    return deepest


def nearest(corners: Array, points: Array) -> Array:
    """Return the point (T, 3) m of each triangle, ``corners`` (T, 3, 3) m, that is nearest to one of the ``points`` (T, 3) m."""
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


class SweptPoints(NamedTuple):
    """Centres of balls of ``radius`` m (0: points) that go from ``start`` to ``end`` (M, d) m past an ``obstacle`` between
    ``begin`` and ``finish`` s."""

    obstacle: Obstacle
    start: Array
    end: Array
    radius: float
    begin: float
    finish: float


def path_penetration(way: SweptPoints, touches: float = CLOSED_GAP) -> float:
    """Return the deepest penetration, m, on ways that begin and end outside of the obstacle; 0 for none.

    A way that is shorter than the sum of the gaps at its ends enters nothing; the obstacle's own motion counts as a part
    of it. ``touches`` m: the gap up to which its ends touch."""

    def gaps(share: float, start: Array, end: Array) -> Array:
        time = way.begin + share * (way.finish - way.begin)
        return way.obstacle.gap(start + share * (end - start), time).gap - way.radius

    first, last = gaps(0.0, way.start, way.end), gaps(1.0, way.start, way.end)
    carried = [way.obstacle.velocity(x, t) for x, t in ((way.start, way.begin), (way.end, way.finish))]
    own = (way.finish - way.begin) * np.max(np.linalg.norm(carried, axis=2), axis=0)
    length = np.linalg.norm(way.end - way.start, axis=1) + own
    doubtful = (np.minimum(first, last) > touches) & (first + last < length)
    if not doubtful.any():
        return 0.0
    looks = np.arange(1, PATH_SAMPLES) / PATH_SAMPLES
    return max(0.0, -min(float(gaps(share, way.start[doubtful], way.end[doubtful]).min()) for share in looks))
