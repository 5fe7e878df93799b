"""Obstacles in space as lines on their surfaces: where their gap is zero on planes a fixed distance apart in their own axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from numpy.typing import NDArray

if TYPE_CHECKING:
    from floating_frame import Obstacle
    from floating_frame.problem import Problem

Array = NDArray[np.float64]

ALONG, POINTS = 10, 81
"""Number of planes, and of points in each direction of a plane, along the longest side of the motion's box."""
BESIDE = 0.5
"""Drawn margin around the motion's box, over its longest side."""
STRAIGHT = 1e-6
"""Points nearer than this to the straight line through their neighbours, over the drawn size, are left out."""


@dataclass(frozen=True, kw_only=True)
class Wire:
    """An ``obstacle`` as ``lines`` (k, 3) m in its own axes."""

    obstacle: Obstacle
    lines: list[Array]

    @property
    def moves(self) -> bool:
        """True for an obstacle that may move."""
        return self.obstacle.motion.moves

    @property
    def ground(self) -> bool:
        """True for the ground z <= 0 at rest."""
        return self.obstacle.level and not self.moves

    def at(self, time: float) -> list[Array]:
        """Lines (k, 3) m in space at ``time`` s."""
        return [self.obstacle.motion.to_space(line, time) for line in self.lines]

    def axes_at(self, time: float) -> Array:
        """Origin and unit points (4, 3) m of its own axes in space at ``time`` s."""
        return np.asarray(self.obstacle.motion.to_space(np.vstack([np.zeros(3), np.eye(3)]), time))


def wires(data: xr.Dataset, problem: Problem | None) -> list[Wire]:
    """Obstacles of the contacts of a trajectory in space, each once, drawn near the motion."""
    contacts = () if problem is None else problem.contacts
    by_obstacle: dict[int, Wire] = {}
    for contact in contacts:
        if id(contact.obstacle) not in by_obstacle:
            by_obstacle[id(contact.obstacle)] = Wire(
                obstacle=contact.obstacle, lines=_lines(contact.obstacle, *_filled(data, contact.obstacle))
            )
    return list(by_obstacle.values())


def _filled(data: xr.Dataset, obstacle: Obstacle) -> tuple[Array, Array]:
    """Lowest and highest corner (3,) m of the motion's box in an obstacle's own axes."""
    reach = float(np.linalg.norm(data.X.values, axis=1).max(initial=0.0))
    shown = np.unique(np.linspace(0, data.sizes["time"] - 1, 200).astype(int))
    centres = [
        obstacle.motion.to_own_axes(data.frame_position.values[k][None], float(data.time.values[k])) for k in shown
    ]
    places = np.concatenate(centres)
    return places.min(axis=0) - reach, places.max(axis=0) + reach


def _lines(obstacle: Obstacle, low: Array, high: Array) -> list[Array]:
    """Lines (k, 3) m of zero gap on planes across each axis between two corners (3,) m, and beside them."""
    longest = float((high - low).max())
    low, high = low - BESIDE * longest, high + BESIDE * longest
    power = 10.0 ** np.floor(np.log10(longest / ALONG))
    spacing = power * max(step for step in (1, 2, 5) if step * power <= longest / ALONG)
    lines = []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        grid = [
            np.linspace(low[k], high[k], max(21, int(POINTS * (high[k] - low[k]) / (high - low).max()))) for k in others
        ]
        for place in spacing * np.arange(np.ceil(low[axis] / spacing), np.floor(high[axis] / spacing) + 1):
            for line in _zeros(obstacle, axis, float(place), others, grid):
                points = np.full((len(line), 3), place)
                points[:, others] = line
                off = obstacle.shape_gap(points)
                points -= off.gap[:, None] * off.normal  # between points of the grid the gap is not linear
                lines.append(_without_straight(points, STRAIGHT * longest))
    return lines


def _zeros(
    obstacle: Obstacle, axis: int, place: float, others: Sequence[int], grid: Sequence[Array]
) -> list[NDArray[np.float64]]:
    """Lines (k, 2) m of zero gap on the plane across an ``axis`` at a ``place`` m, in the coordinates of the ``others``."""
    a, b = np.meshgrid(*grid, indexing="ij")
    points = np.full((a.size, 3), place)
    points[:, others[0]], points[:, others[1]] = a.ravel(), b.ravel()
    gap = obstacle.shape_gap(points).gap.reshape(a.shape)
    if not gap.min() < 0.0 < gap.max():
        return []
    lines = Figure().subplots().contour(a, b, gap, levels=[0.0]).allsegs[0]
    return [np.asarray(line, float) for line in lines if len(line) > 1]


def _without_straight(points: Array, tolerance: float) -> Array:
    """Points (k, 3) m of a line without the points on the straight line from the last remaining one to the next."""
    corners = [0]
    for k in range(1, len(points) - 1):
        start, end = points[corners[-1]], points[k + 1]
        along = end - start
        arm = points[k] - start
        off = np.linalg.norm(np.cross(along, arm)) / max(float(np.linalg.norm(along)), 1e-300)
        if off > tolerance:
            corners.append(k)
    return points[[*corners, len(points) - 1]]
