"""Obstacles in the plane and in space: signed gap, normal and curvature at points, of a shape in rigid motion.

g(x) > 0 where x is apart from the obstacle and −g the penetration; n = ∇g, |n| = 1, points from the obstacle to the body, and the
curvature ∇∇g is a symmetric tensor with ∇∇g n = 0: 1/ρ along a direction of convex curvature with radius ρ at the level of x, −1/ρ
where it is concave. A moving obstacle has the gap of its shape, in its own axes. A body may touch several: two half-spaces
are a groove, or the corner of a room. d = 2 or 3 is the dimension. Shapes: ``shapes``, ``chain``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from floating_frame.contact.motion import RigidMotion
from floating_frame.frame.kinematics import Array, turned
from floating_frame.input_checks import check_kind
from friction.given import Given

HALF_SPACE, ROUND, EDGE, BOX, CHAIN = range(5)
"""Kinds of shapes for ``contact.kernels``: a half-space; a ball or cylinder; an edge, a box, a chain of arcs."""


class Gap(NamedTuple):
    """Signed gap (M,) m, its gradient ``normal`` (M, d), the ``curvature`` ∇∇g (M, d, d) 1/m."""

    gap: Array
    normal: Array
    curvature: Array

    @property
    def axes(self) -> Array:
        """The axes (M, 2, 2) of contact in the plane, n and t = J n."""
        return np.concatenate([self.normal, turned(self.normal)], axis=1).reshape(-1, 2, 2)

    @property
    def curvature_trace(self) -> Array:
        """Trace (M,) 1/m of the curvature: the curvature in the plane, twice the mean curvature in space."""
        return np.asarray(np.einsum("maa->m", self.curvature))


@dataclass(frozen=True)
class Obstacle(Given, ABC):
    """An obstacle in rigid motion; its shape is given in its own axes, the axes of space at t = 0. A user's
    obstacle has ``dimension``, ``motion`` and ``shape_gap``; all else has conservative defaults."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kind(type(self).__name__, "motion", self.motion, "velocity_rate", "RigidMotion(velocity=(1.0, 0.0))")

    @property
    @abstractmethod
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""

    @property
    @abstractmethod
    def motion(self) -> RigidMotion:
        """Its rigid motion."""

    @abstractmethod
    def shape_gap(self, y: Array) -> Gap:
        """Gap, normal and curvature at points y (M, d) m in its own axes."""

    def shape_outline(self, reach: float) -> list[Array]:
        """Boundary in the plane as polylines (k, 2) m in its own axes, for pictures; unbounded parts as far as ``reach`` m."""
        return []

    @property
    def size(self) -> float:
        """Largest coordinate, m, of its formula: scale of the rounding of gaps."""
        return 0.0

    @property
    def extent(self) -> float:
        """Least extent, m, the scale of admissible penetration; infinite for an unbounded shape."""
        return np.inf

    @property
    def feature_width(self) -> float:
        """Largest width, m, of an obstacle part that can slip between two contact points; infinite for none."""
        return np.inf

    @property
    def sharpness(self) -> float:
        """Largest convex curvature, 1/m: 0 of a straight or hollow obstacle."""
        return np.inf

    @property
    def bulge_centres(self) -> Array:
        """Centres (k, 2) m of its convex arcs in the plane, in its own axes."""
        return np.zeros((0, 2))

    @property
    def level(self) -> bool:
        """True if it is the ground z <= 0 at t = 0, on which a body may stand."""
        return False

    @property
    def flat(self) -> bool:
        """True if its normal is uniform."""
        return False

    @property
    def bends(self) -> bool:
        """True if its normal or velocity varies with position."""
        return not self.flat or self.motion.may_turn

    @property
    def steady(self) -> bool:
        """True if normal and velocity are uniform and constant: a gap satisfied at the ends of stages holds in between."""
        return not self.bends and self.motion.path is None

    def gap(self, x: Array, time: float) -> Gap:
        """Gap, normal and curvature at points x (M, d) m in space, at ``time`` s."""
        if not self.motion.moves:
            return self.shape_gap(np.asarray(x, float))
        R, gap = self.motion.turn(time, x.shape[-1]), self.shape_gap(self.motion.to_own_axes(x, time))
        return Gap(gap.gap, gap.normal @ R.T, R @ gap.curvature @ R.T)

    def gaps(self, x: Array, times: Array) -> Array:
        """Gaps (K, P) m at points (K, P, d) m, each row at one of the ``times`` (K,) s."""
        return self.shape_gap(self.own_places(x, times).reshape(-1, x.shape[-1])).gap.reshape(x.shape[:2])

    def own_places(self, x: Array, times: Array) -> Array:
        """Places (K, P, d) m of points (K, P, d) m in its own axes, each row at one of the ``times`` (K,) s."""
        if not self.motion.moves:
            return x
        d = x.shape[-1]
        table, pivot = self.motion.table(times, d), np.asarray(self.motion.pivot, float)
        turn = table[:, 6:15].reshape(-1, 3, 3)[:, :d, :d]
        return np.asarray(np.einsum("kpa,kab->kpb", x - table[:, None, :d], turn) + pivot)

    def normals_at(self, x: Array, times: Array) -> Array:
        """Normals (K, P, d) at points (K, P, d) m, each row at one of the ``times`` (K,) s."""
        d = x.shape[-1]
        normal = self.shape_gap(self.own_places(x, times).reshape(-1, d)).normal.reshape(x.shape)
        if not self.motion.moves:
            return normal
        turn = self.motion.table(times, d)[:, 6:15].reshape(-1, 3, 3)[:, :d, :d]
        return np.asarray(np.einsum("kpb,kab->kpa", normal, turn))

    def speeds(self, x: Array, times: Array) -> Array:
        """Upper bounds (K, P) m/s of its speed at points x (K, P, d) m, a row at each of the ``times`` (K,)."""
        if not self.motion.moves:
            return np.zeros(x.shape[:2])
        d, table = x.shape[-1], self.motion.table(times, x.shape[-1])
        arms = np.linalg.norm(x - table[:, None, :d], axis=2)
        return np.asarray(
            np.linalg.norm(table[:, 3:6], axis=1)[:, None] + np.linalg.norm(table[:, 15:], axis=1)[:, None] * arms
        )

    def velocity(self, x: Array, time: float, gap: Gap | None = None) -> Array:
        """Velocity (M, d) m/s of its material points nearest to x (M, d) m; ``gap``: the gap at x, if computed before."""
        if not self.motion.moves:
            return np.zeros(np.shape(x))
        gap = self.gap(x, time) if gap is None else gap
        return self.motion.velocity_at(x - gap.gap[:, None] * gap.normal, time)

    def outline(self, time: float, reach: float) -> list[Array]:
        """Boundary in the plane at ``time`` s as polylines (k, 2) m."""
        return [self.motion.to_space(line, time) for line in self.shape_outline(reach)]


@dataclass(frozen=True, kw_only=True)
class Obstacles:
    """Obstacles, each with the slice of points that may touch it: ``groups``."""

    groups: tuple[tuple[Obstacle, slice], ...]

    @classmethod
    def each(cls, obstacles: Sequence[Obstacle], count: int) -> Obstacles:
        """Obstacles with the same ``count`` points each, one group of all points after the other."""
        parts = (slice(k * count, (k + 1) * count) for k in range(len(obstacles)))
        return cls(groups=tuple(zip(obstacles, parts, strict=True)))

    def rates(self, vectors: Array, rate: Callable[[RigidMotion, Array], Array]) -> Array:
        """Rates (m, d) of ``vectors`` (m, d) at the points by ``rate``, a function of an obstacle's motion; 0 for one at rest."""
        rates = np.zeros_like(vectors)
        for obstacle, part in self.groups:
            if obstacle.motion.moves:
                rates[part] = rate(obstacle.motion, vectors[part])
        return rates

    def gap(self, points: Array, time: float) -> Gap:
        """Gap, normal and curvature at the points (m, d) m."""
        gaps = [obstacle.gap(points[part], time) for obstacle, part in self.groups]
        if not gaps:
            d = points.shape[1]
            return Gap(np.zeros(0), np.zeros((0, d)), np.zeros((0, d, d)))
        return gaps[0] if len(gaps) == 1 else Gap(*(np.concatenate(parts) for parts in zip(*gaps, strict=True)))

    def velocity(self, points: Array, time: float) -> Array:
        """Velocity of the obstacles at the points, (m, d) m/s."""
        return np.concatenate([obstacle.velocity(points[part], time) for obstacle, part in self.groups])
