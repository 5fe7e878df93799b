"""A chain of arcs and straight pieces as an obstacle: tangent-continuous, open or closed, the body on its left.

A chain is given by its start, its first heading, and the length L and curvature k (> 0: turning left) of each piece, so that it is
tangent-continuous by construction. Its gap is the distance from the nearest point on any piece:

    straight     g = (y − a)·J e
    k > 0        g = R − |y − c|,  κ = −1/|y − c|        (hollow: the centre lies on the body's side)
    k < 0        g = |y − c| − R,  κ = 1/|y − c|

An open chain goes on straight beyond its ends, so every point has a side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from floating_frame.contact.motion import AT_REST, RigidMotion
from floating_frame.contact.obstacles import CHAIN
from floating_frame.contact.shapes import Shape, arc_points
from floating_frame.frame.kinematics import Array
from floating_frame.input_checks import require, vector
from friction.arrays import as_numbers, is_finite

CLOSURE_TOLERANCE = 1e-9
"""Largest distance of the end of a closed chain from its start, over its length."""

NOSE_TURN = 0.5 * np.pi * (1.0 - 1e-9)
"""Least turning angle, rad, of a convex arc that counts as a nose of the chain."""


@dataclass(frozen=True)
class ArcChain(Shape):
    """``pieces`` ((length m, curvature 1/m), ...) from ``start`` (2,) m with the ``heading`` rad; ``closed`` chains return to it.

    The body is to the left of the chain: a counter-clockwise chain is a room, a clockwise one an island. Raises ValueError for
    unfit pieces, an arc of more than a whole turn, and a closed chain that does not end at its start.
    """

    start: Sequence[float]
    heading: float
    pieces: Sequence[Sequence[float]]
    closed: bool = False
    motion: RigidMotion = AT_REST

    dimension = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        start = vector(self.start, "an arc chain's start (m)", 2)
        require(is_finite(self.heading), "an arc chain's heading", "be finite", self.heading)
        pieces = as_numbers(self.pieces, "an arc chain's pieces")
        fits = pieces.ndim == 2 and pieces.shape[1] == 2 and np.all(np.isfinite(pieces)) and np.all(pieces[:, 0] > 0.0)
        require(fits, "an arc chain's pieces", "be (length > 0 m, curvature 1/m) each", self.pieces)
        turns = np.abs(pieces[:, 0] * pieces[:, 1])
        if np.any(turns > 2.0 * np.pi * (1.0 + 1e-12)):
            raise ValueError(
                f"an arc of an arc chain turns by {turns.max():.6g} rad; a whole turn is the most that it can"
            )
        if self.closed:
            total = float(pieces[:, 0].sum())
            miss = np.hypot(*(self._joints[0][-1] - start)) / total
            turned = (self._joints[1][-1] - self.heading) / (2.0 * np.pi)
            if miss > CLOSURE_TOLERANCE or abs(turned - round(turned)) > CLOSURE_TOLERANCE:
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
    def feature_width(self) -> float:
        """Diameter of the finest nose, an arc that turns right by a right angle or more; other arcs are rounded corners."""
        return min((-2.0 / float(k) for length, k in self.pieces if k * length <= -NOSE_TURN), default=np.inf)

    @property
    def sharpness(self) -> float:
        return max(0.0, *(-float(k) for _, k in self.pieces))

    @property
    def bulge_centres(self) -> Array:
        """Centres (k, 2) m of the arcs that turn right."""
        joints = zip(*self._joints, self.pieces, strict=False)
        return np.array([p + _left(h) / k for p, h, (_, k) in joints if k < 0.0]).reshape(-1, 2)

    @cached_property
    def formula(self) -> tuple[int, Array]:
        """Kind and numbers of the pieces; open ends are continued by straight pieces."""
        points, headings = self._joints
        rows = zip(points[:-1], headings[:-1], self.pieces, points[1:], strict=True)
        pieces = [_piece(point, heading, 0.0, length, k, end) for point, heading, (length, k), end in rows]
        if not self.closed:
            pieces.append(_piece(points[0], headings[0], -np.inf, 0.0, 0.0, points[0]))
            pieces.append(_piece(points[-1], headings[-1], 0.0, np.inf, 0.0, points[-1]))
        return CHAIN, np.concatenate(pieces)

    def shape_outline(self, reach: float) -> list[Array]:
        """Polyline of the chain, its open ends extended by ``reach`` m."""
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


def _piece(point: Array, heading: float, low: float, high: float, k: float, end: Array) -> Array:
    """Numbers (PIECE,) of a piece for ``contact.kernels``."""
    return np.array([*point, *_direction(heading), heading, low, high, k, *end])
