"""Obstacles in space: signed gap, normal and curvature of a half-space, a sphere, the inside of one, and a rounded edge.

g(x) > 0 where x is apart from the obstacle and −g the penetration; n = ∇g, |n| = 1, points from the obstacle to the body, and the
curvature ∇∇g is a symmetric tensor with ∇∇g n = 0: 1/ρ along each direction in which the obstacle bulges with radius of curvature
ρ at the level of x, −1/ρ where it is hollow. An obstacle that moves has the gap of its shape at rest, at the point seen in its own
axes. A body may touch several: two half-spaces are a groove, or the corner of a room."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from floating_frame.mistakes import check_kind, finite_array, require
from floating_frame.space_contact.motion import AT_REST, SpaceMotion, Triple
from friction.arrays import is_finite
from friction.given import Given, owned

UPSIDE_DOWN = 1e-12
"""1 + n_z below which a normal is −e_z."""


class SpaceGap(NamedTuple):
    """Signed gap (M,) m, its gradient ``normal`` (M, 3), the ``curvature`` ∇∇g (M, 3, 3) 1/m."""

    gap: Array
    normal: Array
    curvature: Array


def contact_axes(normal: Array) -> Array:
    """Return the axes (M, 3, 3), rows t1, t2, n, into which the shortest turn from e_z to n (M, 3) takes those of space."""
    x, y, z = normal.T
    if not (x.any() or y.any()) and z.min(initial=1.0) > 0.0:
        return np.broadcast_to(np.eye(3), (len(normal), 3, 3))
    axes = np.empty((len(normal), 3, 3))
    up = 1.0 + z
    plain = up > UPSIDE_DOWN
    share = np.where(plain, 1.0 / np.where(plain, up, 1.0), 0.0)
    axes[:, 0] = np.column_stack([1.0 - x * x * share, -x * y * share, -x])
    axes[:, 1] = np.column_stack([-x * y * share, np.where(plain, 1.0 - y * y * share, -1.0), -y])
    axes[:, 2] = normal
    return axes


def along(axes: Array, vectors: Array) -> Array:
    """Return the components (M, k) along axes (M, k, 3) of vectors (M, 3)."""
    return np.asarray(np.einsum("mab,mb->ma", axes, vectors))


def in_space(axes: Array, components: Array) -> Array:
    """Return the vectors (M, 3) of components (M, k) along axes (M, k, 3)."""
    return np.asarray(np.einsum("mab,ma->mb", axes, components))


def axes_turn(gap: SpaceGap) -> Array:
    """Return B (M, 3, 3): the axes of contact turn by dθ = B dx where x moves.

    B = (hat(n) + n wᵀ) ∇∇g, w = (n_y, −n_x, 0)/(1 + n_z)."""
    n = gap.normal
    up = np.maximum(1.0 + n[:, 2], UPSIDE_DOWN)
    about = np.column_stack([n[:, 1] / up, -n[:, 0] / up, np.zeros(len(n))])
    turned = cross(n[:, :, None].swapaxes(1, 2), gap.curvature.swapaxes(1, 2)).swapaxes(1, 2)
    along = np.einsum("ma,mab->mb", about, gap.curvature)
    return np.asarray(turned + n[:, :, None] * along[:, None, :])


@dataclass(frozen=True)
class SpaceObstacle(Given, ABC):
    """An obstacle of a shape given in its own axes (those in space at t = 0), in rigid motion. One's own has ``shape_gap``."""

    @property
    @abstractmethod
    def motion(self) -> SpaceMotion:
        """How it moves."""

    @property
    def size(self) -> float:
        """The largest length, m, of which its gaps are differences: sets their rounding."""
        return 0.0

    @property
    def level(self) -> bool:
        """Whether it is z <= 0 at t = 0, on which a body may stand."""
        return False

    @property
    def flat(self) -> bool:
        """Whether its normal is one in all places."""
        return False

    @property
    def bends(self) -> bool:
        """Whether its normal, or its velocity, is another one in other places."""
        return not self.flat or bool(self.motion.turning.any())

    @property
    def even(self) -> bool:
        """Whether it goes on as it does, so that a gap held at the ends of stages is one held at all times."""
        return not self.bends and self.motion.path is None

    def seen(self, x: Array, time: float) -> Array:
        """Return points x (M, 3) m in space as its own axes have them, at ``time`` s."""
        motion = self.motion
        return np.asarray((x - motion.place(time)) @ motion.turn(time) + np.asarray(motion.pivot, float))

    @abstractmethod
    def shape_gap(self, y: Array) -> SpaceGap:
        """Return the gap, normal and curvature at points y (M, 3) m in its own axes."""

    def gap(self, x: Array, time: float) -> SpaceGap:
        """Return the gap, normal and curvature at points x (M, 3) m in space, at ``time`` s."""
        if not self.motion.moves:
            return self.shape_gap(x)
        R, gap = self.motion.turn(time), self.shape_gap(self.seen(x, time))
        return SpaceGap(gap.gap, gap.normal @ R.T, R @ gap.curvature @ R.T)


def check_motion(obstacle: SpaceObstacle) -> None:
    """Refuse a motion that is none: ValueError."""
    check_kind(
        type(obstacle).__name__, "motion", obstacle.motion, "velocity_rate", "SpaceMotion(velocity=(1.0, 0.0, 0.0))"
    )


def unit(vector: Triple, what: str) -> Array:
    """Return a vector (3,) over its length. Raises ValueError where it has none."""
    given = finite_array(vector, (3,), what)
    size = float(np.linalg.norm(given))
    require(size > 0.0, what, "not be zero", vector)
    return np.asarray(given / size)


@dataclass(frozen=True)
class HalfSpace(SpaceObstacle):
    """All that is behind the plane through ``point`` (3,) m; ``normal`` (3,), of any length > 0, points to the body's side."""

    point: Triple = (0.0, 0.0, 0.0)
    normal: Triple = (0.0, 0.0, 1.0)
    motion: SpaceMotion = AT_REST

    def __post_init__(self) -> None:
        super().__post_init__()
        finite_array(self.point, (3,), "a half-space's point (m)")
        object.__setattr__(self, "_unit", owned(unit(self.normal, "a half-space's normal")))
        check_motion(self)

    _unit = np.array([0.0, 0.0, 1.0])
    flat = True

    @property
    def size(self) -> float:
        return float(np.abs(self.point).max())

    @property
    def level(self) -> bool:
        there = self.seen(np.zeros((1, 3)), 0.0)[0]
        return not np.any(self._unit[:2]) and bool(self._unit[2] > 0.0) and bool(there[2] == self.point[2])

    def shape_gap(self, y: Array) -> SpaceGap:
        """Return g = (y − point)·n."""
        gap = (y - np.asarray(self.point, float)) @ self._unit
        return SpaceGap(gap, np.repeat(self._unit[None], len(y), axis=0), np.zeros((len(y), 3, 3)))


GROUND = HalfSpace()
"""z <= 0, at rest."""


def round_gap(y: Array, across: Array, radius: float) -> SpaceGap:
    """Return ``|d| − radius`` for the part d of y (M, 3) in the span of the projector ``across`` (3, 3); at d = 0 n is a direction
    of the span."""
    d = y @ across
    size = np.linalg.norm(d, axis=1)
    inverse = np.where(size > 0.0, 1.0 / np.where(size > 0.0, size, 1.0), 0.0)
    n = np.where((size > 0.0)[:, None], d * inverse[:, None], across[np.argmax(np.diag(across))])
    return SpaceGap(size - radius, n, inverse[:, None, None] * (across - n[:, :, None] * n[:, None, :]))


@dataclass(frozen=True)
class Sphere(SpaceObstacle):
    """A ball-shaped obstacle: ``centre`` (3,) m, ``radius`` m; the body is outside, or ``inside`` (a bowl)."""

    centre: Triple
    radius: float
    inside: bool = False
    motion: SpaceMotion = AT_REST

    def __post_init__(self) -> None:
        super().__post_init__()
        finite_array(self.centre, (3,), "a sphere's centre (m)")
        require(
            is_finite(self.radius) and self.radius > 0.0, "a sphere's radius", "be a finite length > 0 m", self.radius
        )
        check_motion(self)

    @property
    def size(self) -> float:
        return float(np.abs(self.centre).max()) + self.radius

    def shape_gap(self, y: Array) -> SpaceGap:
        """Return ``g = |y − c| − R``, the opposite ``inside``."""
        outside = round_gap(y - np.asarray(self.centre, float), np.eye(3), self.radius)
        return SpaceGap(*(-part for part in outside)) if self.inside else outside


@dataclass(frozen=True)
class RoundedEdge(SpaceObstacle):
    """What is behind both planes through ``point`` (3,) m with two ``normals`` (2, 3), its edge rounded by ``radius`` m: that of a
    table, a kerb. Radius 0, a sharp edge, is for balls: a point does not meet it. Raises ValueError for parallel normals."""

    point: Triple
    normals: Sequence[Triple]
    radius: float = 0.0
    motion: SpaceMotion = AT_REST

    def __post_init__(self) -> None:
        super().__post_init__()
        finite_array(self.point, (3,), "an edge's point (m)")
        finite_array(np.asarray(self.normals), (2, 3), "an edge's normals")
        require(
            is_finite(self.radius) and self.radius >= 0.0, "an edge's radius", "be a finite length >= 0 m", self.radius
        )
        both = np.array([unit(normal, "a normal of an edge") for normal in self.normals])
        along = cross(both[0], both[1])
        if not np.linalg.norm(along) > 1e-9:
            raise ValueError(f"an edge's normals must not be parallel, got {self.normals!r}")
        direction = along / np.linalg.norm(along)
        inset = np.linalg.solve([*both, direction], [-self.radius, -self.radius, 0.0])
        object.__setattr__(self, "_planes", owned((both, np.eye(3) - np.outer(direction, direction))))
        object.__setattr__(self, "_axis", owned(np.asarray(self.point, float) + inset))
        check_motion(self)

    _planes = (np.eye(3)[:2], np.eye(3))
    _axis = np.zeros(3)

    @property
    def size(self) -> float:
        return float(np.abs(self.point).max()) + self.radius

    def shape_gap(self, y: Array) -> SpaceGap:
        """Return the distance from the edge's axis less r before the edge, that from the nearer plane elsewhere."""
        (both, across), arm = self._planes, y - self._axis
        heights = arm @ both.T
        cosine = float(both[0] @ both[1])
        # before the edge both planes are seen from outside, along the sector between their normals
        before = np.all(heights - cosine * heights[:, ::-1] > 0.0, axis=1)
        nearer = np.argmax(heights, axis=1)
        flat = heights[np.arange(len(y)), nearer] - self.radius
        edge = round_gap(arm, across, self.radius)
        return SpaceGap(
            np.where(before, edge.gap, flat),
            np.where(before[:, None], edge.normal, both[nearer]),
            np.where(before[:, None, None], edge.curvature, 0.0),
        )
