"""One frame of an animation in space: the body in an oblique view, the ground, points in contact, the path of the centre."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from cases.app.drawing.scene import HEIGHTS, SLIPS, STICKS, WIDTH
from cases.app.drawing.solid import outer_faces, skin
from cases.app.drawing.space import VIEW, turned
from cases.app.drawing.style import BLACK, GREY, LIGHT, number

if TYPE_CHECKING:
    from cases.app.export.obstacles import Wire

Array = NDArray[np.float64]
Integers = NDArray[np.int_]

ROUND, UPRIGHT = 20, 10
"""Cells of a drawn ball: around, and from pole to pole."""
ON_GROUND = 1e-2
"""Largest height, over the body's size, of a point in contact that counts as on the ground."""
LARGEST_DOT, MOST_LARGE, MARGIN = 40.0, 100, 0.08
"""Largest area of a point's dot, points^2; number of points above which dots are smaller; margin of ground beside the path."""


class SpaceScene:
    """The artists of an animation in space on one pair of axes; `show` sets them to an instant.

    `data`: a trajectory in space; `instants`: those of the animation, (frames,), whose places set the limits; `obstacles`:
    drawn as lines on their surfaces, without the ground at rest.
    """

    def __init__(
        self, data: xr.Dataset, instants: NDArray[np.int_], figure: Figure, obstacles: Sequence[Wire] = ()
    ) -> None:
        figure.set_layout_engine("none")
        self._data, self._axes = data, figure.add_axes((0.02, 0.02, 0.96, 0.9))
        self._body, self._faces, self._edges = shape(data)
        places = np.concatenate([self._places(int(k)) for k in instants])
        self._grounded = grounded(data)
        self._obstacles = [wire for wire in obstacles if not (self._grounded and wire.ground)]
        if self._grounded:
            low, high = places[:, :2].min(axis=0), places[:, :2].max(axis=0)
            apart = MARGIN * (high - low).max()
            x, y = np.stack([low - apart, high + apart]).T
            self._ground = np.array([[x[0], y[0], 0.0], [x[1], y[0], 0.0], [x[1], y[1], 0.0], [x[0], y[1], 0.0]])
            places = np.concatenate([places, self._ground])
        in_view = places @ VIEW.T
        low, high = in_view.min(axis=0), in_view.max(axis=0)
        self._limits = low - 0.02 * (high - low), high + 0.02 * (high - low)
        height = 0.96 / 0.9 * WIDTH * (high - low)[1] / max((high - low)[0], 1e-300)
        # Even numbers of pixels, as video codecs want.
        figure.set_size_inches(WIDTH, round(float(np.clip(height, *HEIGHTS)) * 10) / 10)
        self._strongest = float(data.normal_force.max()) if data.sizes["node"] else 0.0

    def show(self, instant: int) -> None:
        """Draw the body at an instant, the points in contact, the path of its centre so far and the time."""
        axes, data, (low, high) = self._axes, self._data, self._limits
        axes.clear()
        axes.set_axis_off()
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        axes.set_aspect("equal")
        if self._grounded:
            axes.add_collection(PolyCollection([self._ground @ VIEW.T], facecolors=LIGHT, edgecolors="none", zorder=0))
        lines = [line @ VIEW.T for wire in self._obstacles for line in wire.at(float(data.time.values[instant]))]
        axes.add_collection(LineCollection(lines, colors=GREY, linewidths=0.5, zorder=0.5))
        skin(axes, self._places(instant), self._faces, edges=self._edges)
        path = data.frame_position.values[: instant + 1] @ VIEW.T
        axes.plot(path[:, 0], path[:, 1], color=BLACK, linewidth=0.8, zorder=4)
        if self._strongest > 0.0:
            self._contacts(instant)
        axes.set_title(f"$t$ = {number(float(data.time.values[instant]), 4)} s", loc="left", fontsize=9)

    def _places(self, instant: int) -> Array:
        """The corners (n, 3) m of the body's faces."""
        if "cells" in self._data:
            nodes: Array = self._data.position.values[instant]
            return nodes
        centre, rotation = self._data.frame_position.values[instant], self._data.frame_rotation.values[instant]
        places: Array = centre + turned(rotation, self._body)
        return places

    def _contacts(self, instant: int) -> None:
        """Draw the points in contact, areas in proportion to forces."""
        data, kinds = self._data, ((1, STICKS, "sticks"), (0, SLIPS, "slips"))
        press, stick = data.normal_force.values[instant], data.stick.values[instant]
        at, few = data.position.values[instant] @ VIEW.T, min(1.0, MOST_LARGE / len(press))
        for code, colour, _ in kinds:
            chosen = (stick == code) & (press > 0.0)
            size = LARGEST_DOT * few * press[chosen] / self._strongest
            self._axes.scatter(
                at[chosen, 0], at[chosen, 1], s=size, color=colour, edgecolors=BLACK, linewidths=0.3 * few, zorder=5
            )
        dots = [Line2D([], [], marker="o", linestyle="", color=c, markeredgecolor=BLACK, label=n) for _, c, n in kinds]
        self._axes.legend(
            handles=dots, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize=7, frameon=False
        )


def grounded(data: xr.Dataset) -> bool:
    """True where the contacts are on the ground z = 0, not on other obstacles."""
    press = data.normal_force.values > 0.0
    heights = data.position.values[..., 2][press]
    return bool(press.any()) and float(np.abs(heights).max()) < ON_GROUND * float(
        np.linalg.norm(data.X.values, axis=1).max()
    )


def shape(data: xr.Dataset) -> tuple[Array, Integers, float]:
    """Corners (n, 3) m of a body from its centre of mass, its faces (F, corners), and the width of their edges, pt.

    A solid: its outer faces; a body on feet: the hull of the feet and of their mirror images in the centre; a ball: a sphere; a
    body without points: the ellipsoid with its principal moments."""
    X = data.X.values
    if "cells" in data:
        return X, outer_faces(data.cells.values), 0.3
    if len(X) > 2:
        try:
            return _hull(np.unique(np.concatenate([X, -X]), axis=0))
        except QhullError:  # flat
            pass
    if len(X):
        return (*_globe(np.full(3, float(np.linalg.norm(X, axis=1).max()))), 0.2)
    moments, directions = np.linalg.eigh(data.J.values if data.J.ndim == 2 else data.J.values[0])
    corners, faces = _globe(np.sqrt(np.maximum(0.5 * moments.sum() - moments, 0.02 * moments.max())))
    return corners @ directions.T / np.abs(corners).max(), faces, 0.2


def _hull(points: Array) -> tuple[Array, Integers, float]:
    """Corners, faces and width of edges of the hull: quadrilaterals if all faces are, else triangles without edges."""
    hull = ConvexHull(points)
    planes = np.unique(hull.equations.round(9), axis=0)
    on = [np.flatnonzero(np.abs(points @ plane[:3] + plane[3]) <= 1e-9 * np.abs(points).max()) for plane in planes]
    if any(len(corners) != 4 for corners in on):
        return points, np.asarray(hull.simplices), 0.0
    faces = []
    for plane, corners in zip(planes, on, strict=True):
        arms = points[corners] - points[corners].mean(axis=0)
        across = np.cross(plane[:3], arms[0])
        faces.append(corners[np.argsort(np.arctan2(arms @ across, arms @ arms[0] * np.linalg.norm(plane[:3])))])
    return points, np.array(faces), 0.5


def _globe(semi_axes: Array) -> tuple[Array, Integers]:
    """Corners (n, 3) and quadrilaterals (F, 4) of an ellipsoid."""
    around, up = np.linspace(0.0, 2.0 * np.pi, ROUND, endpoint=False), np.linspace(1e-3, np.pi - 1e-3, UPRIGHT + 1)
    u, a = np.meshgrid(up, around, indexing="ij")
    corners = np.stack([np.sin(u) * np.cos(a), np.sin(u) * np.sin(a), np.cos(u)], -1).reshape(-1, 3) * semi_axes
    i, j = np.meshgrid(np.arange(UPRIGHT), np.arange(ROUND), indexing="ij")
    k = (j + 1) % ROUND
    faces = np.stack([i * ROUND + j, (i + 1) * ROUND + j, (i + 1) * ROUND + k, i * ROUND + k], -1).reshape(-1, 4)
    return corners, faces
