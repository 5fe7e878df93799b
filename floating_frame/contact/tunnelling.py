"""Contact between the evaluations of a step: tunnelling, the time of first contact, and penetration in a face of a solid between
its nodes and on the path of a point.

The bound of a stage (``signorini_stage``) knows an obstacle at the end x̂ of a path alone. A path that enters an obstacle and ends
at a point with another normal has gone through it, or around a corner; the step is then repeated, half as long. In space the path
is straight in the obstacle's axes (``refuse_tunnelling``).

The time of first contact follows by continuous collision detection. The gap is a distance: on an interval of length h and for
relative speeds up to L

    g >= (g_a + g_b − L h)/2,

and for smooth motion, with g'' <= A = (largest acceleration) + (largest convex curvature) L²,

    g >= min(g_a, g_b) − A h²/8.

An interval is free where either bound is positive; others are halved, the earlier half first, until a half ends within an obstacle;
there the crossing is bisected. No obstacle is missed, however thin.

In a face the Lipschitz constant 1 of the gap excludes most triangles. From the middle of a triangle each iteration goes to its
point nearest to the centre of curvature of the obstacle: for a sphere the deepest point after one iteration, for an edge after a
few. Where an obstacle is flat or hollow the deepest point is a corner, a node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from floating_frame.contact.obstacles import Gap, Obstacle, Obstacles
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array

MAX_HALVINGS = 14
"""Most halvings of a step; penetration between open ends that is still missed is below 1e-4 of the step's path."""

_BISECTIONS = 60

SAME_SIDE = 0.7
"""Least cosine between the normals at the entry and at the end of a path that stays on its side of an obstacle."""

SAMPLES, MARGIN = 9, 1.2
"""Samples of the speed of an obstacle within a step, and the margin on their maximum."""


@dataclass(frozen=True, kw_only=True)
class Paths:
    """Paths of m points past ``obstacles``: ``places``, time since ``begin`` s, up to ``length`` s -> the points (m, 2) m.

    Bounds of the own ``speed`` (m,) m/s and acceleration ``bend`` (m,) m/s²; ``leaving`` (m,) m/s: separation speed of points that
    touch at the start and separate, 0 of others; ``tolerance`` m: admissible growth of penetration."""

    obstacles: Obstacles
    places: Callable[[float], Array]
    begin: float
    length: float
    tolerance: float
    speed: Array
    bend: Array
    leaving: Array

    def gap(self, time: float) -> Gap:
        """Gap, normal and curvature at ``time`` s after the start."""
        return self.obstacles.gap(self.places(time), self.begin + time)

    @cached_property
    def floor(self) -> Array:
        """Penetrations at the start, (m,) m, negative."""
        return np.minimum(self.gap(0.0).gap, 0.0)

    @cached_property
    def _bounds(self) -> tuple[Array, Array]:
        """Bounds of speeds L (m,) m/s against the obstacles, and of A (m,) m/s² (infinite: unknown)."""
        carried, sharp = np.zeros((2, len(self.speed)))
        for obstacle, part in self.obstacles.groups:
            sharp[part] = np.inf if obstacle.motion.may_turn else obstacle.sharpness
            for t in np.linspace(0.0, self.length, SAMPLES) if obstacle.motion.moves else ():
                own = obstacle.velocity(self.places(t)[part], self.begin + t)
                carried[part] = np.maximum(carried[part], np.hypot(*own.T))
        speed = self.speed + MARGIN * carried
        return speed, self.bend + MARGIN * np.where(speed > 0.0, sharp, 0.0) * speed**2

    def touch(self, which: NDArray[np.bool_]) -> float | None:
        """Time, s, after the start at which the first of the points ``which`` (m,) enters an obstacle; None for none."""
        if not which.any():
            return None
        (speed, bend), leaves, tolerance = (each[which] for each in self._bounds), self.leaving[which], self.tolerance

        def gaps(time: float) -> Array:
            return np.asarray((self.gap(time).gap - self.floor)[which])

        def free(a: float, ga: Array, b: float, gb: Array) -> bool:
            h = b - a
            low = np.maximum(0.5 * (ga + gb - speed * h), np.minimum(ga, gb) - 0.125 * bend * h * h)
            if a == 0.0:  # separating points have g >= u t - A t²/2
                low = np.where(leaves > 0.0, leaves - 0.5 * bend * h, low + tolerance)
                return bool(np.all(low > 0.0))
            return bool(np.all(low > -tolerance))

        stack = [(0.0, gaps(0.0), self.length, gaps(self.length), 0)]
        while stack:
            a, ga, b, gb, depth = stack.pop()
            inside = bool(np.any(gb < -tolerance))
            if not inside and free(a, ga, b, gb):
                continue
            if depth < MAX_HALVINGS:
                middle = 0.5 * (a + b)
                gm = gaps(middle)
                stack += [(middle, gm, b, gb, depth + 1), (a, ga, middle, gm, depth + 1)]
            elif inside:
                return _bisected(gaps, a, b, tolerance)
        return None

    def goes_through(self, which: NDArray[np.bool_]) -> bool:
        """True if one of the points ``which`` (m,) leaves its side of an obstacle."""
        outside, last = which.copy(), self.gap(self.length).normal
        while (time := self.touch(outside)) is not None:
            gap = self.gap(time)
            entered = outside & (gap.gap - self.floor <= 0.0)
            if not entered.any():
                return False
            if np.any(np.einsum("ma,ma->m", gap.normal, last)[entered] < SAME_SIDE):
                return True
            outside &= ~entered
        return False


def straight_paths(
    obstacles: Obstacles, start: Array, displacement: Array, begin: float, length: float, tolerance: float
) -> Paths:
    """Paths from ``start`` along a ``displacement`` (m, 2) m at constant velocity."""
    velocity, none = displacement / length, np.zeros(len(start))
    return Paths(
        obstacles=obstacles,
        places=lambda time: start + time * velocity,
        begin=begin,
        length=length,
        tolerance=tolerance,
        speed=np.hypot(*velocity.T),
        bend=none,
        leaving=none,
    )


def _bisected(gaps: Callable[[float], Array], a: float, b: float, tolerance: float) -> float:
    """Time of the crossing between ``a``, open, and ``b``, penetrated, by bisection."""
    for _ in range(_BISECTIONS):
        middle = 0.5 * (a + b)
        if not a < middle < b:
            break
        a, b = (a, middle) if np.any(gaps(middle) < -tolerance) else (middle, b)
    return b


MIN_ADVANCE = 1e-3
"""Least advance of a point between two evaluations, over its path."""
CORNER_DEPTH = 1e-2
"""Largest depth at which a path may cut a corner, and largest projection at the end of a step, over the body's radius."""


def refuse_tunnelling(
    obstacle: Obstacle, ends: tuple[Array, Array], times: tuple[float, float], radius: float, size: float
) -> None:
    """Raise Unsolved where a ball of ``radius`` m tunnels through an obstacle; ``ends``: its first and last centres (M, 3) m.

    ``size`` m: the body's radius."""
    start, end = (obstacle.motion.to_own_axes(x, time) for x, time in zip(ends, times, strict=True))
    first, last, length = obstacle.shape_gap(start), obstacle.shape_gap(end), np.linalg.norm(end - start, axis=1)
    far = first.gap + last.gap - 2.0 * radius >= length  # the gap has the Lipschitz constant 1
    doubtful = ~far & (np.einsum("ma,ma->m", first.normal, last.normal) < SAME_SIDE)
    if not doubtful.any():
        return
    start, path, length, final = start[doubtful], (end - start)[doubtful], length[doubtful], last.normal[doubtful]
    deep = np.minimum(first.gap[doubtful] - radius, 0.0) - CORNER_DEPTH * size
    share, entry = np.zeros(len(path)), np.full((len(path), 3), np.nan)
    while np.any(share < 1.0):
        at = obstacle.shape_gap(start + share[:, None] * path)
        gap = at.gap - radius
        enters = (gap < 0.0) & np.isnan(entry[:, 0])
        entry[enters] = at.normal[enters]
        if np.any((gap < deep) & (np.einsum("ma,ma->m", entry, final) < SAME_SIDE)):
            raise Unsolved(f"a path through {obstacle!r} ends at t = {times[1]:.9g} s", "WentThrough")
        entry[gap > 0.0] = np.nan
        share = np.where(share < 1.0, np.minimum(1.0, share + np.maximum(gap / length, MIN_ADVANCE)), 1.0)


MAX_ITERATIONS_IN_FACE, STEP_REDUCTION = 24, 0.7
"""Iterations, and the ratio of successive steps where an obstacle is flat, towards the ridge between two planes."""
PATH_SAMPLES, TOUCH_DISTANCE = 32, 1e-9
"""Points of a path at which the gap is evaluated; gap, m, of a closed contact at its ends."""


def penetration(gaps: ArrayLike) -> float:
    """Largest penetration, m, at these ``gaps`` m; 0 for none."""
    return max(0.0, -float(np.min(gaps, initial=np.inf)))


def face_penetration(obstacle: Obstacle, corners: Array, time: float) -> float:
    """Largest penetration, m, of an obstacle into triangles of ``corners`` (T, 3, 3) m, less the penetration at the corners."""
    middle = corners.mean(axis=1)
    reach = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)
    near = np.zeros(len(corners), bool) if obstacle.flat else obstacle.gap(middle, time).gap < reach
    if not near.any():
        return 0.0
    corners, x, reach = corners[near], middle[near], reach[near]
    at_corners = np.maximum(-obstacle.gap(corners.reshape(-1, 3), time).gap.reshape(-1, 3).min(axis=1), 0.0)
    deepest = 0.0
    for iteration in range(MAX_ITERATIONS_IN_FACE):
        gap, normal, curvature = obstacle.gap(x, time)
        deepest = max(deepest, float((-gap - at_corners).max()))
        bend = np.linalg.eigvalsh(curvature)[:, -1]
        step = np.where(bend > 0.0, 1.0 / np.where(bend > 0.0, bend, 1.0), STEP_REDUCTION**iteration * reach)
        x = nearest(corners, x - step[:, None] * normal)
    return deepest


def nearest(corners: Array, points: Array) -> Array:
    """Nearest points (T, 3) m of triangles, ``corners`` (T, 3, 3) m, to ``points`` (T, 3) m, one each."""
    sides = np.roll(corners, -1, axis=1) - corners
    along = np.einsum("tka,tka->tk", points[:, None] - corners, sides) / np.einsum("tka,tka->tk", sides, sides)
    on_sides = corners + np.clip(along, 0.0, 1.0)[:, :, None] * sides
    best = np.argmin(np.linalg.norm(on_sides - points[:, None], axis=2), axis=1)
    normal = np.cross(sides[:, 0], sides[:, 1])
    height = np.einsum("ta,ta->t", points - corners[:, 0], normal) / np.einsum("ta,ta->t", normal, normal)
    flat = points - height[:, None] * normal
    inward = np.einsum("tka,ta->tk", np.cross(sides, flat[:, None] - corners), normal)
    within = np.all(inward >= 0.0, axis=1)
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


def clear_paths(obstacle: Obstacle, places: Array, times: Array, radius: float) -> NDArray[np.bool_]:
    """Mask (K,) of the steps in which no ball of ``radius`` m on a straight path between ``places`` (K + 1, P, d) m at ``times``
    crosses an obstacle: of others ``path_penetration`` and ``refuse_tunnelling`` decide."""
    y = obstacle.own_places(places, times)
    shape, length = obstacle.shape_gap(y.reshape(-1, y.shape[-1])), np.linalg.norm(np.diff(y, axis=0), axis=2)
    gap, normal = shape.gap.reshape(y.shape[:2]) - radius, shape.normal.reshape(y.shape)
    near = gap[:-1] + gap[1:] < length
    turned = np.einsum("kpa,kpa->kp", normal[:-1], normal[1:]) < SAME_SIDE
    crosses = near & ((np.minimum(gap[:-1], gap[1:]) > TOUCH_DISTANCE) | turned)
    return np.asarray(~crosses.any(axis=1))
