"""Elastic solids on paper: their outer faces in the oblique view of `space`, deformed, and pressure under them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from cases.app.drawing.space import LIGHT, TOWARDS, VIEW, arrow, rectangle, space_snapshots, turned
from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, PURPLE, SKY, VERMILION, number
from cases.app.parts.space import base_of
from fem.elements.hourglass import CORNERS

Array = NDArray[np.float64]
Integers = NDArray[np.int_]


def _local_faces(corners: int) -> list[list[int]]:
    """The corners of each face of a cell, in order around it."""
    if corners == 4:
        return [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    faces = []
    for axis, side in itertools.product(range(3), (-1.0, 1.0)):
        on = np.flatnonzero(CORNERS[3][:, axis] == side)
        other = np.delete(CORNERS[3][on], axis, axis=1)
        faces.append([int(k) for k in on[np.argsort(np.arctan2(other[:, 1], other[:, 0]))]])
    return faces


def owned_faces(cells: Integers) -> tuple[Integers, Integers]:
    """Corners (F, 3 or 4) of the faces that belong to a single one of the ``cells`` (C, corners), and the cells (F,)."""
    local = _local_faces(cells.shape[1])
    faces = np.concatenate([cells[:, face] for face in local])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    alone = first[count == 1]
    return np.asarray(faces[alone]), np.tile(np.arange(len(cells)), len(local))[alone]


def outer_faces(cells: Integers) -> Integers:
    """Outer faces (F, 3 or 4) of ``cells``, without their owners."""
    return owned_faces(cells)[0]


def outward(X: Array, faces: Integers, inside: Array) -> Integers:
    """``faces`` with corners counter-clockwise visible from outside; ``inside`` (F, 3) m: for each a point behind it."""
    a, b, c = (X[faces[:, k]] for k in range(3))
    inwards = np.einsum("fi,fi->f", np.cross(b - a, c - a), a - inside) < 0.0
    turned_round: Integers = np.where(inwards[:, None], faces[:, ::-1], faces)
    return turned_round


def skin(axes: Axes, places: Array, faces: Integers, *, edges: float = 0.3) -> None:
    """Draw the ``faces`` of a body with nodes at ``places`` (N, 3) m that the viewer sees, shaded by the light."""
    corners = places[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outward = np.einsum("fi,fi->f", normal, corners.mean(axis=1) - places.mean(axis=0))
    normal *= np.where(outward < 0.0, -1.0, 1.0)[:, None] / np.linalg.norm(normal, axis=1, keepdims=True)
    visible = np.flatnonzero(normal @ TOWARDS > 0.0)
    order = visible[np.argsort(corners[visible].mean(axis=1) @ TOWARDS)]
    shades = 0.6 + 0.4 * np.maximum(normal[order] @ LIGHT, 0.0)
    rgb = np.array([int(SKY[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])
    colours = np.column_stack([shades[:, None] * rgb, np.ones(len(order))])
    axes.add_collection(
        PolyCollection(
            list(corners[order] @ VIEW.T),
            facecolors=colours,
            edgecolors=BLACK if edges else "face",  # no seams
            linewidths=edges or 0.4,
        )
    )


def solid_snapshots(
    panels: Sequence[Axes], data: xr.Dataset, shown: Sequence[int], pull: Array, *, magnified: float = 1.0
) -> None:
    """Draw a solid at instants, each on its own panel, at its place on the ground; ``pull`` (times, 3) N acts at its right face.

    The displacements in its frame are drawn ``magnified`` times."""
    faces, X = outer_faces(data.cells.values), data.X.values
    size, face = np.ptp(X, axis=0), np.flatnonzero(X[:, 0] >= X[:, 0].max() - 1e-9 * np.ptp(X[:, 0]))
    scale = 0.5 * size[0] / max(float(np.linalg.norm(pull, axis=1).max()), 1e-300)

    def paint(axes: Axes, instant: int) -> None:
        places = data.position.values[instant] + (magnified - 1.0) * _strained(data, instant)
        places[:, 2] -= places[:, 2].min()
        skin(axes, places, faces)
        arrow(axes, places[face].mean(axis=0), scale * pull[instant], GREEN)

    scaled = f"; displacements × {number(magnified, 6)}" if magnified != 1.0 else ""
    space_snapshots(panels, data, shown, rectangle(size), paint, note=("arrow: pull" if np.any(pull) else "") + scaled)


def _strained(data: xr.Dataset, instant: int) -> Array:
    """The displacement in the frame (N, 3) m, turned into space."""
    return turned(data.frame_rotation.values[instant], data.displacement.values[instant])


def base_forces(axes: Axes, data: xr.Dataset, instant: int) -> None:
    """Draw the base from above: the normal forces of its nodes as areas of discs in the colours of stick and slip, friction as
    lines, with a key."""
    base = base_of(data)
    place = (data.position.values[instant, base] - data.frame_position.values[instant])[:, :2]
    press, stick = data.normal_force.values[instant, base], data.stick.values[instant, base]
    rubs = data.friction_force.values[instant, base, :2]
    largest = max(float(press.max()), 1e-300)
    cell = float(np.sqrt(np.prod(np.ptp(data.X.values[base, :2], axis=0)) / len(base)))
    strongest = max(float(np.hypot(*rubs.T).max()), 1e-300)
    for code, colour, name in ((1, BLUE, "sticks"), (0, VERMILION, "slips"), (2, PURPLE, "lands")):
        on = stick == code
        if on.any():
            axes.scatter(
                place[on, 0], place[on, 1], s=60.0 * press[on] / largest, color=colour, linewidths=0, alpha=0.6
            )
            axes.plot([], [], "o", color=colour, alpha=0.6, markersize=5, label=name)
    if np.any(stick == -1):
        axes.scatter(
            place[stick == -1, 0],
            place[stick == -1, 1],
            s=12.0,
            color=GREY,
            marker="x",
            linewidths=0.6,
            label="off the ground",
        )
    lines = np.stack([place, place + 0.9 * cell * rubs / strongest], axis=1)
    axes.add_collection(LineCollection(list(lines), colors=BLACK, linewidths=0.8))
    axes.plot([], [], color=BLACK, linewidth=0.8, label=f"friction, at most {number(strongest, 2)} N")
    outline = place[ConvexHull(place).vertices] if len(base) > 3 else place
    axes.fill(*outline.T, facecolor="none", edgecolor=GREY, linewidth=0.6)
    axes.set(xlabel="$x - x_0$ [m]", ylabel="$y - y_0$ [m]", aspect="equal")
    axes.locator_params(nbins=4)
    time = float(data.time.values[instant])
    title = f"base from above, $t$ = {number(time)} s\narea: normal force, at most {number(largest, 2)} N"
    axes.legend(
        title=title,
        title_fontsize=7,
        alignment="center",
        loc="upper center",
        bbox_to_anchor=(0.5, -0.28),
        ncols=3,
        columnspacing=1.0,
    )
