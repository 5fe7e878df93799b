"""Shapes of obstacles in the plane and in space: half-spaces, spheres, rounded boxes and edges. ``Line``, ``Circle``,
``CircleInCircle`` and ``Box`` make shapes of the plane, ``Cylinder`` a sphere in the plane across its axis."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from floating_frame.contact.motion import AT_REST, RigidMotion, Vector, rotation_matrix
from floating_frame.contact.obstacles import BOX, EDGE, HALF_SPACE, ROUND, Gap, Obstacle
from floating_frame.frame.kinematics import Array, turned
from floating_frame.input_checks import require, vector
from friction.arrays import as_numbers, contiguous, is_finite, shown
from friction.given import read_only


class Shape(Obstacle):
    """An obstacle whose gap is one of the compiled formulas of ``contact.kernels``."""

    @property
    @abstractmethod
    def formula(self) -> tuple[int, Array]:
        """The kind of the shape, and its numbers."""

    def shape_gap(self, y: Array) -> Gap:
        from floating_frame.contact.kernels import gaps

        y, (kind, numbers) = contiguous(np.asarray(y, float)), self.formula
        gap, normal, curvature = np.empty(len(y)), np.empty(y.shape), np.empty((*y.shape, y.shape[1]))
        gaps(kind, contiguous(numbers), y, gap, normal, curvature)
        return Gap(gap, normal, curvature)


def formula_of(obstacle: Obstacle) -> tuple[int, Array] | None:
    """The compiled formula of an obstacle's gap; None where Python evaluates it."""
    own = type(obstacle)
    if not (isinstance(obstacle, Shape) and own.shape_gap is Shape.shape_gap and own.gap is Obstacle.gap):
        return None
    return obstacle.formula


def widened(array: ArrayLike) -> Array:
    """A vector (d,) with 0 as third component in the plane; a matrix (d, d) with 0 in the third row and column."""
    given = np.asarray(array, float)
    result = np.zeros((3,) * given.ndim)
    result[(slice(given.shape[0]),) * given.ndim] = given
    return result


def upper(tensor: Array) -> Array:
    """Entries (6,) xx, xy, xz, yy, yz, zz of a symmetric tensor (d, d)."""
    return widened(tensor)[np.triu_indices(3)]


def unit(given: Vector, what: str, d: int) -> Array:
    """Unit vector along a vector (d,). Raises ValueError for the zero vector."""
    direction = vector(given, what, d)
    size = float(np.linalg.norm(direction))
    require(size > 0.0, what, "not be zero", given)
    return np.asarray(direction / size)


def require_length(value: float, what: str) -> None:
    """Refuse a value that is not a finite length > 0: ValueError."""
    require(is_finite(value) and value > 0.0, what, "be a finite length > 0 m", value)


def arc_points(centre: Array, radius: float, start: float, end: float) -> Array:
    """Points (k, 2) of an arc, for pictures."""
    angle = np.linspace(start, end, 2 + int(abs(end - start) * 20.0))
    return centre + radius * np.column_stack([np.cos(angle), np.sin(angle)])


@dataclass(frozen=True)
class HalfSpace(Shape):
    """Half-space behind the plane, or line, through ``point`` (d,) m; ``normal`` (d,), of any length > 0, points to the body's
    side."""

    point: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)
    motion: RigidMotion = AT_REST

    flat, sharpness = True, 0.0
    _unit = np.array([0.0, 0.0, 1.0])

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"a {'line' if len(vector(self.point, 'the point of a half-space (m)')) == 2 else 'half-space'}'s"
        d = len(vector(self.point, f"{what} point (m)"))
        object.__setattr__(self, "_unit", read_only(unit(self.normal, f"{what} normal", d)))

    @property
    def dimension(self) -> int:
        return len(self.point)

    @property
    def size(self) -> float:
        return float(np.abs(self.point).max())

    @property
    def level(self) -> bool:
        if self.dimension == 2:
            return False
        there = self.motion.to_own_axes(np.zeros((1, 3)), 0.0)[0]
        return not np.any(self._unit[:2]) and bool(self._unit[2] > 0.0) and bool(there[2] == self.point[2])

    @cached_property
    def formula(self) -> tuple[int, Array]:
        """g = (y − point)·n."""
        return HALF_SPACE, np.concatenate([widened(self.point), widened(self._unit)])

    def shape_outline(self, reach: float) -> list[Array]:
        return (
            [np.asarray(self.point, float) + np.outer([-reach, reach], turned(self._unit))]
            if self.dimension == 2
            else []
        )


GROUND = HalfSpace()
"""z <= 0, at rest."""


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball, in the plane a disc: ``centre`` (d,) m, ``radius`` m; the body is outside, or ``inside`` (a bowl, a round hole). In
    space with an ``axis`` (3,): the endless cylinder about it, see ``Cylinder``."""

    centre: Vector
    radius: float
    inside: bool = False
    motion: RigidMotion = AT_REST
    axis: Vector | None = None

    _across = np.eye(3)

    def __post_init__(self) -> None:
        super().__post_init__()
        d, kind = len(vector(self.centre, "the centre of a sphere or circle (m)")), "cylinder"
        if self.axis is None:
            kind, axis = "circle" if d == 2 else "sphere", np.zeros(d)
        else:
            vector(self.centre, "a cylinder's point (m)", 3)
            axis = unit(self.axis, "a cylinder's axis", 3)
        require_length(self.radius, f"a {kind}'s radius")
        object.__setattr__(self, "_across", read_only(np.eye(d) - np.outer(axis, axis)))

    @property
    def dimension(self) -> int:
        return len(self.centre)

    @property
    def size(self) -> float:
        return float(np.abs(self.centre).max()) + self.radius

    @property
    def extent(self) -> float:
        return 2.0 * self.radius

    @property
    def feature_width(self) -> float:
        return np.inf if self.inside or self.axis is not None else 2.0 * self.radius

    @property
    def sharpness(self) -> float:
        return 0.0 if self.inside else 1.0 / self.radius

    @property
    def bulge_centres(self) -> Array:
        return np.zeros((0, 2)) if self.inside or self.dimension == 3 else np.asarray(self.centre, float)[None]

    @cached_property
    def formula(self) -> tuple[int, Array]:
        """``g = |y − c| − R`` in the metric of the projector across the axis, the opposite ``inside``."""
        return ROUND, np.concatenate(
            [widened(self.centre), [self.radius, -1.0 if self.inside else 1.0], upper(self._across)]
        )

    def shape_outline(self, reach: float) -> list[Array]:
        circle = self.dimension == 2
        return [arc_points(np.asarray(self.centre, float), self.radius, 0.0, 2.0 * np.pi)] if circle else []


@dataclass(frozen=True)
class RoundedEdge(Shape):
    """Wedge behind both planes through ``point`` (d,) m with two ``normals`` (2, d), its edge rounded by ``radius`` m.
    Radius 0, a sharp edge, is for balls alone. Raises ValueError for parallel normals."""

    point: Vector
    normals: Sequence[Vector]
    radius: float = 0.0
    motion: RigidMotion = AT_REST

    _planes = (np.eye(3)[:2], np.eye(3))
    _axis = np.zeros(3)

    def __post_init__(self) -> None:
        super().__post_init__()
        point = vector(self.point, "an edge's point (m)")
        require(
            is_finite(self.radius) and self.radius >= 0.0, "an edge's radius", "be a finite length >= 0 m", self.radius
        )
        normals = as_numbers(self.normals, "an edge's normals")
        require(normals.shape == (2, len(point)), "an edge's normals", "be two vectors", self.normals)
        both = np.array([unit(normal, "a normal of an edge", len(point)) for normal in normals])
        if not np.linalg.svd(both, compute_uv=False)[-1] > 1e-9:
            raise ValueError(f"an edge's normals must not be parallel, got {shown(self.normals)}")
        back = np.linalg.pinv(both)
        object.__setattr__(self, "_planes", read_only((both, back @ both)))
        object.__setattr__(self, "_axis", read_only(point - self.radius * back.sum(axis=1)))

    @property
    def dimension(self) -> int:
        return len(self.point)

    @property
    def size(self) -> float:
        return float(np.abs(self.point).max()) + self.radius

    @property
    def sharpness(self) -> float:
        return 1.0 / self.radius if self.radius else np.inf

    @cached_property
    def formula(self) -> tuple[int, Array]:
        """Distance from the edge's axis less r in the sector of the edge, distance from the nearer plane elsewhere."""
        both, across = self._planes
        return EDGE, np.concatenate([*map(widened, (self._axis, *both)), upper(across), [self.radius]])


@dataclass(frozen=True)
class RoundedBox(Shape):
    """A box, in the plane a rectangle, with rounded edges and corners: ``centre`` (d,) m, ``sides`` (d,) m, ``corner`` radius m,
    turned about its centre by ``turn`` rad, in space a rotation vector (3,).

    The body is outside, or ``inside`` (a room). The gap is smooth outside, on the boundary, and inside up to the depth of the
    corner radius; deeper the nearest side changes along the diagonals. Raises ValueError unless 0 < corner <= half the shortest
    side.
    """

    centre: Vector
    sides: Vector
    corner: float
    turn: Vector | float = 0.0
    inside: bool = False
    motion: RigidMotion = AT_REST

    def __post_init__(self) -> None:
        super().__post_init__()
        centre = vector(self.centre, "a box's centre (m)")
        shortest = float(vector(self.sides, "a box's sides (m)", len(centre)).min())
        require(shortest > 0.0, "a box's sides (m)", "be > 0", self.sides)
        words = f"be > 0 and at most half its shorter side ({0.5 * shortest:g} m)"
        fits = is_finite(self.corner) and 0.0 < self.corner <= 0.5 * shortest
        require(fits, "a box's corner radius", words, self.corner)
        turn = as_numbers(self.turn, "a box's turn")
        valid = np.all(np.isfinite(turn)) and (
            turn.shape == () if len(centre) == 2 else turn.shape == (3,) or not turn.any()
        )
        require(
            bool(valid), "a box's turn", "be finite, an angle in the plane, a rotation vector (3,) in space", self.turn
        )

    @property
    def dimension(self) -> int:
        return len(self.centre)

    @property
    def size(self) -> float:
        return float(np.abs(self.centre).max()) + max(self.sides)

    @property
    def extent(self) -> float:
        return float(min(self.sides))

    @property
    def feature_width(self) -> float:
        """The longer side: a thin wall is hit broadside; the verdict checks the other direction between points."""
        return np.inf if self.inside else float(max(self.sides))

    @property
    def sharpness(self) -> float:
        return 0.0 if self.inside else 1.0 / self.corner

    @property
    def bulge_centres(self) -> Array:
        """Its corners bulge; a room has none."""
        if self.inside or self.dimension == 3:
            return np.zeros((0, 2))
        return self._out(self._half * np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]))

    @property
    def _half(self) -> Array:
        return 0.5 * np.asarray(self.sides, float) - self.corner

    def _out(self, z: Array) -> Array:
        """Points (k, d) in the obstacle's axes from z (k, d) in the box's axes."""
        return np.asarray(self.centre, float) + z @ rotation_matrix(np.asarray(self.turn, float), z.shape[1]).T

    @cached_property
    def formula(self) -> tuple[int, Array]:
        """``g = |(q)₊| + min(max q, 0) − r``, ``q = |z| − (half sides − r)``, z = y in the box's axes; −g inside."""
        d, half, R = self.dimension, np.full(3, np.inf), np.eye(3)
        half[:d], R[:d, :d] = self._half, rotation_matrix(np.asarray(self.turn, float), d)
        side = -1.0 if self.inside else 1.0
        return BOX, np.concatenate([widened(self.centre), half, [self.corner, side], R.ravel()])

    def shape_outline(self, reach: float) -> list[Array]:
        """Four sides and corners of a rectangle."""
        if self.dimension == 3:
            return []
        quarters = [
            arc_points(self._half * signs, self.corner, start, start + 0.5 * np.pi)
            for signs, start in (((1, 1), 0.0), ((-1, 1), 0.5 * np.pi), ((-1, -1), np.pi), ((1, -1), 1.5 * np.pi))
        ]
        return [self._out(np.vstack([*quarters, quarters[0][:1]]))]


def Line(point: Vector, normal: Vector, motion: RigidMotion = AT_REST) -> HalfSpace:
    """Straight wall in the plane through ``point`` (2,) m; ``normal`` (2,), of any length > 0, points to the body's side."""
    vector(point, "a line's point (m)", 2)
    return HalfSpace(point, normal, motion)


def Circle(centre: Vector, radius: float, motion: RigidMotion = AT_REST) -> Sphere:
    """Disc with the body outside of it: ``centre`` (2,) m, ``radius`` m."""
    vector(centre, "a circle's centre (m)", 2)
    return Sphere(centre, radius, motion=motion)


def CircleInCircle(centre: Vector, radius: float, motion: RigidMotion = AT_REST) -> Sphere:
    """Round hole with the body inside of it."""
    vector(centre, "a circle's centre (m)", 2)
    return Sphere(centre, radius, inside=True, motion=motion)


def Cylinder(point: Vector, axis: Vector, radius: float, inside: bool = False, motion: RigidMotion = AT_REST) -> Sphere:
    """Endless cylinder in space about the ``axis`` (3,) through ``point`` (3,) m; the body is outside, or ``inside`` (a pipe)."""
    return Sphere(point, radius, inside, motion, vector(axis, "a cylinder's axis", 3))


def Box(
    centre: Vector,
    length: float,
    width: float,
    corner: float,
    angle: float = 0.0,
    inside: bool = False,
    motion: RigidMotion = AT_REST,
) -> RoundedBox:
    """Rectangle ``length`` × ``width`` m in the plane, turned by ``angle`` rad; see ``RoundedBox``."""
    vector(centre, "a box's centre (m)", 2)
    for value, what in ((length, "a box's length"), (width, "a box's width")):
        require_length(value, what)
    require(is_finite(angle), "a box's angle", "be finite", angle)
    return RoundedBox(centre, (length, width), corner, angle, inside, motion)
