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
from floating_frame.frame.kinematics import Array, finite, rotation, turned
from floating_frame.mistakes import check_kind, require
from friction.arrays import is_finite
from friction.given import Given


class Gap(NamedTuple):
    """Signed gap (M,) m, its gradient ``normal`` (M, 2), ``curvature`` (M,) 1/m of its level lines."""

    gap: Array
    normal: Array
    curvature: Array

    @property
    def axes(self) -> Array:
        """The axes (M, 2, 2) of contact, n and t = J n."""
        return np.stack([self.normal, turned(self.normal)], axis=1)


def along(axes: Array, vectors: Array) -> Array:
    """Return the components (M, 2) along ``axes`` (M, 2, 2) of ``vectors`` (M, 2)."""
    return np.asarray(np.einsum("mba,ma->mb", axes, vectors))


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


class Traits(NamedTuple):
    """What steps and checks ask of an obstacle besides its gap.

    ``size`` m: its least extent, from which penetration is judged, infinite where a side of it goes on for ever; ``feature`` m:
    width of what of it fits between two contact points whichever way it lies, else infinite; ``sharpness`` 1/m: largest curvature
    where it bulges towards the body, 0 of a straight or hollow one, infinite of one that turns; ``bulges`` (k, 2) m: centres of the
    arcs by which it does, in its own axes; ``moves``: whether it may.
    """

    size: float = np.inf
    feature: float = np.inf
    sharpness: float = 0.0
    bulges: Array = np.zeros((0, 2))
    moves: bool = False


@dataclass(frozen=True)
class Shape(Given, ABC):
    """An obstacle of a shape given in its own axes (those in space at t = 0, where it is at rest), in rigid motion."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kind(type(self).__name__, "motion", self.motion, "pose", "RigidMotion(velocity=(1.0, 0.0))")

    @property
    @abstractmethod
    def motion(self) -> RigidMotion:
        """How it moves."""

    @property
    def traits(self) -> Traits:
        """What it is at rest."""
        return Traits()

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
        if not self.motion.moves:
            return np.zeros(np.shape(x))
        gap = self.gap(x, time)
        return self.motion.velocity_at(x - gap.gap[:, None] * gap.normal, time)

    def outline(self, time: float, reach: float) -> list[Array]:
        place, angle = self.motion.pose(time)
        return [place + line @ rotation(angle).T for line in self.shape_outline(reach)]


def traits_of(obstacle: Obstacle) -> Traits:
    """Return what is known of an obstacle in its motion; of any but a ``Shape`` the worst."""
    if not isinstance(obstacle, Shape):
        return Traits(sharpness=np.inf, moves=True)
    motion, still = obstacle.motion, obstacle.traits
    turns = motion.path is not None or motion.spin != 0.0
    return still._replace(sharpness=np.inf if turns else still.sharpness, moves=motion.moves)


@dataclass(frozen=True, kw_only=True)
class Obstacles:
    """Obstacles, each with the slice of points that may touch it: ``groups``."""

    groups: tuple[tuple[Obstacle, slice], ...]

    def gap(self, points: Array, time: float) -> Gap:
        """Return the gap, normal and curvature at the points (m, 2) m."""
        gaps = [obstacle.gap(points[part], time) for obstacle, part in self.groups]
        return Gap(*(np.concatenate(parts) for parts in zip(*gaps, strict=True)))

    def velocity(self, points: Array, time: float) -> Array:
        """Return the velocity of the obstacles at the points, (m, 2) m/s."""
        return np.concatenate([obstacle.velocity(points[part], time) for obstacle, part in self.groups])


def _length(value: float, what: str) -> float:
    require(is_finite(value) and value > 0.0, what, "be a finite length > 0 m", value)
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
        super().__post_init__()
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
        super().__post_init__()
        finite(self.centre, 2, "a circle's centre (m)")
        _length(self.radius, "a circle's radius")

    @property
    def traits(self) -> Traits:
        """All of it is one bulge."""
        return Traits(2.0 * self.radius, 2.0 * self.radius, 1.0 / self.radius, np.asarray(self.centre, float)[None])

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
    def traits(self) -> Traits:
        """It is hollow: nothing of it bulges."""
        return Traits(size=2.0 * self.radius)

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
        super().__post_init__()
        finite(self.centre, 2, "a box's centre (m)")
        shortest = min(_length(self.length, "a box's length"), _length(self.width, "a box's width"))
        words = f"be > 0 and at most half its shorter side ({0.5 * shortest:g} m)"
        fits = is_finite(self.corner) and 0.0 < self.corner <= 0.5 * shortest
        require(fits, "a box's corner radius", words, self.corner)
        require(is_finite(self.angle), "a box's angle", "be finite", self.angle)

    @property
    def traits(self) -> Traits:
        """Its corners bulge; a room has none. (A thin wall is met broadside; lengthways the verdict looks between points.)"""
        sides = self.length, self.width
        if self.inside:
            return Traits(size=min(sides))
        corners = (0.5 * np.array(sides) - self.corner) * np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])
        bulges = np.asarray(self.centre, float) + corners @ rotation(self.angle).T
        return Traits(min(sides), max(sides), 1.0 / self.corner, bulges)

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
