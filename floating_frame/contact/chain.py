"""A chain of arcs and straight pieces as an obstacle: tangent-continuous, open or closed, the body on its left.

A chain is given by its start, its first heading, and by the length L and the curvature k (> 0: turning left) of each piece, so that
no other chain than a tangent-continuous one can be written. Its gap is that of the nearest point on any piece:

    straight     g = (y − a)·J e
    k > 0        g = R − |y − c|,  κ = −1/|y − c|        (hollow: the centre lies on the body's side)
    k < 0        g = |y − c| − R,  κ = 1/|y − c|

An open chain goes on straight beyond its ends, so every point has a side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from floating_frame.contact.motion import AT_REST, RigidMotion
from floating_frame.contact.obstacles import Gap, Obstacle
from floating_frame.contact.shapes import arc_points, round_gap
from floating_frame.frame.kinematics import Array, finite
from floating_frame.mistakes import require
from friction.arrays import as_numbers, is_finite, shown

CLOSES = 1e-9
"""A closed chain has to meet its start within this part of its length."""

NOSE = 0.5 * np.pi * (1.0 - 1e-9)
"""Turn, rad, from which on an arc that bulges towards the body is a nose of the chain."""


@dataclass(frozen=True)
class ArcChain(Obstacle):
    """``pieces`` ((length m, curvature 1/m), ...) from ``start`` (2,) m with the ``heading`` rad; ``closed`` chains return to it.

    Going along the chain the body is to the left: counter-clockwise it is a room around the body, clockwise an island. Raises
    ValueError for pieces that are none, for an arc of more than a whole turn, and for a closed chain that does not meet its start.
    """

    start: Sequence[float]
    heading: float
    pieces: Sequence[Sequence[float]]
    closed: bool = False
    motion: RigidMotion = AT_REST

    dimension = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        start = finite(self.start, 2, "an arc chain's start (m)")
        require(is_finite(self.heading), "an arc chain's heading", "be finite", self.heading)
        pieces = as_numbers(self.pieces, "an arc chain's pieces")
        if pieces.ndim != 2 or pieces.shape[1] != 2 or not np.all(np.isfinite(pieces)) or np.any(pieces[:, 0] <= 0.0):
            raise ValueError(
                f"an arc chain's pieces must be (length > 0 m, curvature 1/m) each, got {shown(self.pieces)}"
            )
        turns = np.abs(pieces[:, 0] * pieces[:, 1])
        if np.any(turns > 2.0 * np.pi * (1.0 + 1e-12)):
            raise ValueError(
                f"an arc of an arc chain turns by {turns.max():.6g} rad; a whole turn is the most that it can"
            )
        if self.closed:
            total = float(pieces[:, 0].sum())
            miss = np.hypot(*(self._joints[0][-1] - start)) / total
            turned = (self._joints[1][-1] - self.heading) / (2.0 * np.pi)
            if miss > CLOSES or abs(turned - round(turned)) > CLOSES:
                raise ValueError(
                    f"a closed arc chain must end where and as it began; it misses its start by {miss * total:.3g} m "
                    f"and {2.0 * np.pi * (turned - round(turned)):.3g} rad"
                )

    @cached_property
    def _joints(self) -> tuple[Array, Array]:
        """Points (n + 1, 2) m and headings (n + 1,) rad at the ends of the pieces."""
        points, headings = [np.asarray(self.start, float)], [float(self.heading)]
        for length, k in self.pieces:
            middle = headings[-1] + 0.5 * k * length
            chord = length * np.sinc(0.5 * k * length / np.pi)
            points.append(points[-1] + chord * np.array([np.cos(middle), np.sin(middle)]))
            headings.append(headings[-1] + k * length)
        return np.array(points), np.array(headings)

    @property
    def size(self) -> float:
        return float(np.abs(self._joints[0]).max())

    @property
    def extent(self) -> float:
        """The shorter side of a closed chain's bounding box."""
        return float(np.ptp(self.shape_outline(0.0)[0], axis=0).min()) if self.closed else np.inf

    @property
    def feature(self) -> float:
        """The diameter of its finest nose, an arc that turns right by a right angle or more: others are corners made round."""
        return min((-2.0 / float(k) for length, k in self.pieces if k * length <= -NOSE), default=np.inf)

    @property
    def sharpness(self) -> float:
        return max(0.0, *(-float(k) for _, k in self.pieces))

    @property
    def bulges(self) -> Array:
        """Those of arcs that turn right."""
        joints = zip(*self._joints, self.pieces, strict=False)
        return np.array([p + _left(h) / k for p, h, (_, k) in joints if k < 0.0]).reshape(-1, 2)

    def shape_gap(self, y: Array) -> Gap:
        """Return that of the nearest piece."""
        y = np.asarray(y, float)
        best = Gap(np.full(len(y), np.inf), np.zeros((len(y), 2)), np.zeros((len(y), 2, 2)))
        nearest = np.full(len(y), np.inf)
        for piece, distance in self._candidates(y):
            closer = distance < nearest
            nearest = np.where(closer, distance, nearest)
            best = Gap(
                np.where(closer, piece.gap, best.gap),
                np.where(closer[:, None], piece.normal, best.normal),
                np.where(closer[:, None, None], piece.curvature, best.curvature),
            )
        return best

    def _candidates(self, y: Array) -> Iterator[tuple[Gap, Array]]:
        """Return the gap of each piece as if it went on, and distance (M,) m from the piece itself; open ends go on straight."""
        points, headings = self._joints
        for point, heading, (length, k) in zip(points[:-1], headings[:-1], self.pieces, strict=True):
            if k == 0.0:
                yield _straight(y, point, heading, 0.0, length)
            else:
                yield _arc(y, point, heading, length, k)
        if not self.closed:
            yield _straight(y, points[0], headings[0], -np.inf, 0.0)
            yield _straight(y, points[-1], headings[-1], 0.0, np.inf)

    def shape_outline(self, reach: float) -> list[Array]:
        """Return the chain, its open ends ``reach`` further."""
        points, headings = self._joints
        line = [points[:1]]
        for point, heading, (length, k) in zip(points[:-1], headings[:-1], self.pieces, strict=True):
            if k == 0.0:
                line.append(point + length * _direction(heading)[None])
            else:
                centre, begin = point + _left(heading) / k, heading - np.copysign(0.5 * np.pi, k)
                line.append(arc_points(centre, 1.0 / abs(k), begin, begin + k * length)[1:])
        if not self.closed:
            line.insert(0, points[:1] - reach * _direction(headings[0]))
            line.append(points[-1:] + reach * _direction(headings[-1]))
        return [np.vstack(line)]


def _direction(heading: float) -> Array:
    return np.array([np.cos(heading), np.sin(heading)])


def _left(heading: float) -> Array:
    return np.array([-np.sin(heading), np.cos(heading)])


def _straight(y: Array, point: Array, heading: float, low: float, high: float) -> tuple[Gap, Array]:
    """Return the gap of a straight line, and the distance (M,) from its part between ``low`` and ``high`` along it."""
    n, arm = _left(heading), y - point
    gap, along = arm @ n, arm @ _direction(heading)
    beyond = along - np.clip(along, low, high)
    return Gap(gap, np.broadcast_to(n, y.shape), np.zeros((len(y), 2, 2))), np.hypot(gap, beyond)


def _arc(y: Array, point: Array, heading: float, length: float, k: float) -> tuple[Gap, Array]:
    """Return the gap of a whole circle, and the distance (M,) from its arc of ``length`` from ``point`` on."""
    radius, centre = 1.0 / abs(k), point + _left(heading) / k
    outside, hollow = round_gap(y - centre, np.eye(2), radius), np.sign(k)
    gap, direction = -hollow * outside.gap, outside.normal
    # The angle from the arc's beginning, in the sense in which it is run through, from 0 to 2 pi.
    turned = np.mod(
        hollow * (np.arctan2(direction[:, 1], direction[:, 0]) - (heading - hollow * 0.5 * np.pi)), 2.0 * np.pi
    )
    end = centre - hollow * radius * _left(heading + k * length)
    ends = [np.hypot(*(y - p).T) for p in (point, end)]
    distance = np.where(turned <= abs(k) * length, np.abs(gap), np.minimum(*ends))
    return Gap(gap, -hollow * direction, -hollow * outside.curvature), distance
