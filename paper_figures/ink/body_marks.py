"""Marks of bodies on the rough plane: cells by stick, slip and slip back, friction arrows, frame axes, paths; legends."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import ArrayLike, NDArray

from cases.app.drawing.style import BLACK, LIGHT, SKY, VERMILION, YELLOW, thinned
from paper_figures.ink.style import SMALLEST_TYPE
from paper_figures.numbers import Numbers
from paper_figures.parts.slip_states import SLIPS, STICKS, Array

COLOURS = (SKY, YELLOW, VERMILION)
"""Of STICKS, SLIPS and BACK; distinct for the colour-blind and in brightness."""
_BOX = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.5}


def nodal_patches(position: Array, cells: NDArray[np.integer]) -> Array:
    """Part of each cell that is nearest to each of its corners, (cell * corner, 4, 2) m, corner by corner.

    Corner, middle of the side after it, the cell's middle, middle of the side before it; `position` (node, 2) m.
    """
    corners = position[cells]
    after = 0.5 * (corners + np.roll(corners, -1, axis=1))
    middle = np.broadcast_to(corners.mean(axis=1, keepdims=True), corners.shape)
    return np.stack([corners, after, middle, np.roll(after, 1, axis=1)], axis=2).reshape(-1, 4, 2)


def nodal_field(
    axes: Axes, position: Array, cells: NDArray[np.integer], colours: ArrayLike, lines: str = "white"
) -> None:
    """Fill the body with a colour (node,) for each node, and draw its mesh in thin lines."""
    filled = np.asarray(colours)[np.asarray(cells).ravel()]
    # Edges of the same colour close the hairlines between patches.
    axes.add_collection(
        PolyCollection(
            list(nodal_patches(position, cells)),
            facecolors=filled,
            edgecolors=filled,
            linewidths=0.2,
            zorder=1,
        )
    )
    thin: dict[str, Any] = {"facecolors": "none", "edgecolors": lines, "linewidths": 0.15, "zorder": 1.1}
    axes.add_collection(PolyCollection(list(position[cells]), **thin))


def body(axes: Axes, position: Array, cells: NDArray[np.integer], colour: str, **style: Any) -> None:
    """Draw the body in one colour."""
    options: dict[str, Any] = {"facecolors": colour, "edgecolors": colour, "linewidths": 0.2, "zorder": 0.5} | style
    axes.add_collection(PolyCollection(list(position[cells]), **options))


def arrow(axes: Axes, start: Array, end: Array, colour: str = BLACK, **style: Any) -> None:
    """Draw an arrow from `start` to `end`, (2,) m each."""
    head = {
        "arrowstyle": "-|>,head_width=0.13,head_length=0.32",
        "shrinkA": 0,
        "shrinkB": 0,
        "lw": 1.0,
        "color": colour,
    }
    axes.annotate("", tuple(end), tuple(start), arrowprops=head | style, zorder=5)


def tag(axes: Axes, place: Array, text: str, colour: str = BLACK, **style: Any) -> None:
    """Write a name at `place` (2,) m on a pale ground."""
    options: dict[str, Any] = {"fontsize": SMALLEST_TYPE, "ha": "center", "va": "center", "zorder": 6, "bbox": _BOX}
    axes.text(float(place[0]), float(place[1]), text, color=colour, **options | style)


def frame_axes(axes: Axes, origin: Array, angle: float, size: float, colour: str = BLACK) -> None:
    """Draw the floating frame at `origin` (2,) m, turned by `angle` rad: two axes `size` m long and the letter beside each."""
    first, second = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    for along, place, name in ((first, first - 0.24 * second, "$e_1$"), (second, 1.25 * second, "$e_2$")):
        arrow(axes, origin, origin + size * along, colour)
        tag(axes, origin + size * place, name, colour)


def friction_arrows(axes: Axes, place: Array, share: Array, length: float, width: float = 0.005) -> None:
    """Draw the friction at `place` (n, 2) m: `share` (n, 2) of mu p_n, an arrow of `length` m where it is at the bound."""
    head = {"headwidth": 3.4, "headlength": 4.0, "headaxislength": 3.5, "width": width, "minlength": 0.6}
    axes.quiver(*place.T, *(length * share).T, angles="xy", scale_units="xy", scale=1, color=BLACK, zorder=3, **head)


def snapshot(axes: Axes, at: Numbers) -> None:
    """Draw a plate at one instant.

    `at`: position, start (node, 2) m now and at t = 0; cells; states (node,); share (node, 2) friction over mu p_n; path
    (instant, 2) m of the frame's origin so far; angle rad; nodes that carry an arrow; spacing m of these;
    lines: colour of the mesh.
    """
    body(axes, at["start"], at["cells"], LIGHT)
    nodal_field(axes, at["position"], at["cells"], np.array(COLOURS)[at["states"]], str(at["lines"]))
    nodes = at["nodes"]
    friction_arrows(axes, at["position"][nodes], at["share"][nodes], 0.8 * at["spacing"])
    axes.plot(*np.asarray(at["path"]).T, color=BLACK, linewidth=0.8, linestyle=(0, (3, 1.5)), zorder=4)
    size = 0.3 * np.ptp(at["start"], axis=0).max()
    frame_axes(axes, at["path"][-1], float(at["angle"]), size)


def snapshot_numbers(data: xr.Dataset, states: NDArray[np.int8], instant: int, spacing: float) -> Numbers:
    """Data of `snapshot` at a stored instant of a trajectory; `states` (time, node); arrows `spacing` m apart."""
    weight = data.friction_weight.values
    share = data.friction_force.values[instant] / np.where(weight > 0.0, weight, 1.0)[:, None]
    nodes = thinned(data.X.values, spacing)
    return {
        "time": float(data.time[instant]),
        "position": data.position.values[instant],
        "start": data.position.values[0],
        "cells": data.cells.values.astype(np.int64),
        "states": states[instant],
        "share": share,
        "path": data.frame_position.values[: instant + 1],
        "angle": float(data.frame_angle[instant]),
        "nodes": nodes[weight[nodes] > 0.0],
        "spacing": spacing,
        "lines": "white",
    }


def state_key(*, back_too: bool = True, path: bool = True) -> list[Patch | Line2D]:
    """Handles of a legend: stick, slip, slip back, friction arrow, path."""
    names = ("sticks, $V = 0$", "slips", r"slips back, $V\cdot(x - X) < 0$")
    patches = [Patch(color=COLOURS[k], label=names[k]) for k in (STICKS, SLIPS)]
    if back_too:
        patches.append(Patch(color=COLOURS[2], label=names[2]))
    friction = Line2D([], [], color=BLACK, marker=r"$\rightarrow$", linestyle="none", markersize=9)
    friction.set_label(r"friction $t/\mu p_n$")
    lines = [Line2D([], [], color=BLACK, linewidth=0.8, linestyle=(0, (3, 1.5)), label="path of $x_0$")] if path else []
    return [*patches, friction, *lines]
