"""Obstacles in the plane: signed gap, normal and curvature of a line, a circle, a circle around the body, and a box.

g(x) > 0 where x is apart from the obstacle and −g the penetration; n = ∇g, |n| = 1, points from the obstacle to the body; for a
distance ∇∇g = κ t tᵀ with t = J n, κ = 1/ρ for an obstacle that is convex (ρ the distance from its centre of curvature) and
−1/ρ for a hollow one. An obstacle that moves has the gap of its shape at rest, at the point seen in its own axes.
``obstacle_chain`` has chains of arcs and straight pieces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from floating_frame.contact.obstacle_motion import AT_REST, RigidMotion
from floating_frame.frame.kinematics import Array, finite, rotation


class Gap(NamedTuple):
    """Signed gap (M,) m, its gradient ``normal`` (M, 2), ``curvature`` (M,) 1/m of its level lines."""

    gap: Array
    normal: Array
    curvature: Array


class Obstacle(Protocol):
    """What a contact asks of an obstacle."""

    def gap(self, x: Array, time: float) -> Gap:
        """Return the gap, normal (inertial) and curvature at points x (M, 2) m in space, at ``time`` s."""
        ...

    def velocity(self, x: Array, time: float) -> Array:
        """Return the velocity (M, 2) m/s, inertial, of the obstacle's material point nearest to x (M, 2)."""
        ...

    def outline(self, time: float, reach: float) -> list[Array]:
        """Return its boundary as polylines (k, 2) m, for pictures; endless parts as far as ``reach`` m."""
        ...


@dataclass(frozen=True)
class Shape(ABC):
    """An obstacle of a shape given in its own axes (those in space at t = 0, where it is at rest), in rigid motion."""

    @property
    @abstractmethod
    def motion(self) -> RigidMotion:
        """How it moves."""

    @property
    def size(self) -> float:
        """Its least extent, m, from which penetration is judged; infinite where a side of it goes on for ever."""
        return np.inf

    @property
    def sharpness(self) -> float:
        """Largest curvature of its boundary where it bulges towards the body, 1/m; 0 for a straight or hollow one."""
        return 0.0

    @property
    def feature(self) -> float:
        """Width of what of it fits between two points whichever way it lies, m: contact points have to be nearer; else infinite."""
        return np.inf

    @property
    def bulges(self) -> Array:
        """Centres (k, 2) m, in its own axes, of the arcs by which it bulges towards the body."""
        return np.zeros((0, 2))

    @abstractmethod
    def shape_gap(self, y: Array) -> Gap:
        """Return the gap, normal and curvature at points y (M, 2) m in its own axes."""

    @abstractmethod
    def shape_outline(self, reach: float) -> list[Array]:
        """Return its boundary as polylines (k, 2) m in its own axes."""

    def gap(self, x: Array, time: float) -> Gap:
        x = np.asarray(x, float)
        if not self.motion.moves:
            return self.shape_gap(x)
        gap = self.shape_gap(self.motion.into(x, time))
        return Gap(gap.gap, self.motion.out(gap.normal, time), gap.curvature)

    def velocity(self, x: Array, time: float) -> Array:
        """Return the velocity (M, 2) m/s, inertial, of the obstacle's material point nearest to x (M, 2)."""
        if not self.motion.moves:
            return np.zeros(np.shape(x))
        gap = self.gap(x, time)
        return self.motion.velocity_at(x - gap.gap[:, None] * gap.normal, time)

    def outline(self, time: float, reach: float) -> list[Array]:
        place, angle = self.motion.pose(time)
        return [place + line @ rotation(angle).T for line in self.shape_outline(reach)]


class Traits(NamedTuple):
    """What steps and checks ask of an obstacle besides its gap, as a ``Shape`` has it; of any other the worst.

    ``size``, ``feature`` m: see ``Shape``; ``sharpness`` 1/m: convex curvature, infinite of what turns; ``moves``: whether it may.
    """

    size: float = np.inf
    feature: float = np.inf
    sharpness: float = np.inf
    moves: bool = True


def traits(obstacle: Obstacle) -> Traits:
    """Return what is known of an obstacle."""
    if not isinstance(obstacle, Shape):
        return Traits()
    turns = obstacle.motion.path is not None or obstacle.motion.spin != 0.0
    sharpness = np.inf if turns else obstacle.sharpness
    return Traits(obstacle.size, obstacle.feature, sharpness, obstacle.motion.moves)


def _length(value: float, what: str) -> float:
    if not (np.isfinite(value) and value > 0.0):
        raise ValueError(f"{what} must be a finite length > 0 m, got {value!r}")
    return float(value)


def from_centre(y: Array) -> tuple[Array, Array]:
    """Return ``|y|`` (M,) and ``y/|y|`` (M, 2); at the centre itself, where it has no direction, (1, 0)."""
    size = np.hypot(y[:, 0], y[:, 1])
    safe = np.where(size > 0.0, size, 1.0)
    return size, np.where((size > 0.0)[:, None], y / safe[:, None], np.array([1.0, 0.0]))


def _round(size: Array) -> Array:
    """Return ``1/|y|``, and 0 at the centre."""
    return np.where(size > 0.0, 1.0 / np.where(size > 0.0, size, 1.0), 0.0)


def arc_points(centre: Array, radius: float, start: float, end: float) -> Array:
    """Return the points (k, 2) of an arc, for pictures."""
    angle = np.linspace(start, end, 2 + int(abs(end - start) * 20.0))
    return centre + radius * np.column_stack([np.cos(angle), np.sin(angle)])


@dataclass(frozen=True)
class Line(Shape):
    """A straight wall through ``point`` (2,) m; ``normal`` (2,), of any length > 0, points to the body's side."""

    point: Sequence[float]
    normal: Sequence[float]
    motion: RigidMotion = AT_REST

    def __post_init__(self) -> None:
        finite(self.point, 2, "a line's point (m)")
        if not np.hypot(*finite(self.normal, 2, "a line's normal")) > 0.0:
            raise ValueError(f"a line's normal must not be zero, got {self.normal!r}")

    @property
    def unit_normal(self) -> Array:
        """n (2,) in its own axes."""
        normal = np.asarray(self.normal, float)
        return np.asarray(normal / np.hypot(*normal))

    def shape_gap(self, y: Array) -> Gap:
        """Return g = (y − point)·n."""
        n = self.unit_normal
        return Gap((y - np.asarray(self.point, float)) @ n, np.broadcast_to(n, y.shape).copy(), np.zeros(len(y)))

    def shape_outline(self, reach: float) -> list[Array]:
        along = rotation(0.5 * np.pi) @ self.unit_normal
        return [np.asarray(self.point, float) + np.outer([-reach, reach], along)]


@dataclass(frozen=True)
class Circle(Shape):
    """A disc with the body outside of it: ``centre`` (2,) m, ``radius`` m."""

    centre: Sequence[float]
    radius: float
    motion: RigidMotion = AT_REST

    def __post_init__(self) -> None:
        finite(self.centre, 2, "a circle's centre (m)")
        _length(self.radius, "a circle's radius")

    @property
    def size(self) -> float:
        """Its diameter, m."""
        return 2.0 * self.radius

    @property
    def sharpness(self) -> float:
        """1/R."""
        return 1.0 / self.radius

    @property
    def feature(self) -> float:
        """Its diameter, m."""
        return 2.0 * self.radius

    @property
    def bulges(self) -> Array:
        """Its centre."""
        return np.asarray(self.centre, float)[None]

    def shape_gap(self, y: Array) -> Gap:
        """Return ``g = |y − c| − R``, ``κ = 1/|y − c|``."""
        size, direction = from_centre(y - np.asarray(self.centre, float))
        return Gap(size - self.radius, direction, _round(size))

    def shape_outline(self, reach: float) -> list[Array]:
        return [arc_points(np.asarray(self.centre, float), self.radius, 0.0, 2.0 * np.pi)]


@dataclass(frozen=True)
class CircleInCircle(Circle):
    """A round hole with the body inside of it."""

    @property
    def sharpness(self) -> float:
        """0: it is hollow."""
        return 0.0

    @property
    def feature(self) -> float:
        """Infinite: it is hollow."""
        return np.inf

    @property
    def bulges(self) -> Array:
        """None: it is hollow."""
        return np.zeros((0, 2))

    def shape_gap(self, y: Array) -> Gap:
        """Return ``g = R − |y − c|``, ``κ = −1/|y − c|``."""
        outside = super().shape_gap(y)
        return Gap(-outside.gap, -outside.normal, -outside.curvature)


@dataclass(frozen=True)
class Box(Shape):
    """A rectangle with rounded corners: ``centre`` (2,) m, ``length`` × ``width`` m turned by ``angle`` rad, ``corner`` radius m.

    The body is outside, or ``inside`` (a room). A gap is smooth where it counts: outside, on the boundary, and inside as far from
    it as the corner radius; deeper the nearest side changes along the rectangle's diagonals. Raises ValueError unless
    0 < corner <= half the shorter side.
    """

    centre: Sequence[float]
    length: float
    width: float
    corner: float
    angle: float = 0.0
    inside: bool = False
    motion: RigidMotion = AT_REST

    def __post_init__(self) -> None:
        finite(self.centre, 2, "a box's centre (m)")
        shortest = min(_length(self.length, "a box's length"), _length(self.width, "a box's width"))
        if not (np.isfinite(self.corner) and 0.0 < self.corner <= 0.5 * shortest):
            raise ValueError(
                f"a box's corner radius must be > 0 and at most half its shorter side ({0.5 * shortest:g} m), got {self.corner!r}"
            )
        if not np.isfinite(self.angle):
            raise ValueError(f"a box's angle must be finite, got {self.angle!r}")

    @property
    def size(self) -> float:
        """Its shorter side, m."""
        return min(self.length, self.width)

    @property
    def sharpness(self) -> float:
        """1/r of its corners, 0 of a room."""
        return 0.0 if self.inside else 1.0 / self.corner

    @property
    def feature(self) -> float:
        """Its longer side, m; infinite of a room. (A thin wall is met broadside; lengthways the verdict looks between points.)"""
        return np.inf if self.inside else max(self.length, self.width)

    @property
    def bulges(self) -> Array:
        """Those of its corners; none of a room."""
        half = 0.5 * np.array([self.length, self.width]) - self.corner
        signs = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)][: 0 if self.inside else 4]).reshape(-1, 2)
        return np.asarray(np.asarray(self.centre, float) + (half * signs) @ rotation(self.angle).T)

    def shape_gap(self, y: Array) -> Gap:
        """Return ``g = |(q)₊| + min(max(q_x, q_y), 0) − r``, ``q = |z| − (half sides − r)``, z = y in the box's axes; −g inside."""
        z = (y - np.asarray(self.centre, float)) @ rotation(self.angle)
        q = np.abs(z) - (0.5 * np.array([self.length, self.width]) - self.corner)
        at_corner = np.all(q > 0.0, axis=1)
        size, direction = from_centre(q)
        nearest_x = q[:, 0] >= q[:, 1]
        flat = np.column_stack([nearest_x, ~nearest_x]).astype(float)
        signs = np.where(z < 0.0, -1.0, 1.0)
        normal = signs * np.where(at_corner[:, None], direction, flat)
        gap = np.where(at_corner, size, q.max(axis=1)) - self.corner
        side = -1.0 if self.inside else 1.0
        curvature = np.where(at_corner, _round(size), 0.0)
        return Gap(side * gap, side * normal @ rotation(self.angle).T, side * curvature)

    def shape_outline(self, reach: float) -> list[Array]:
        """Return its four sides and corners."""
        half = 0.5 * np.array([self.length, self.width]) - self.corner
        quarters = [
            arc_points(half * signs, self.corner, start, start + 0.5 * np.pi)
            for signs, start in (((1, 1), 0.0), ((-1, 1), 0.5 * np.pi), ((-1, -1), np.pi), ((1, -1), 1.5 * np.pi))
        ]
        line = np.vstack([*quarters, quarters[0][:1]])
        return [np.asarray(self.centre, float) + line @ rotation(self.angle).T]
