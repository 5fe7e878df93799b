"""Elastic solids on paper: their outer faces in the oblique view of `space`, deformed, and pressure under them."""

from __future__ import annotations

import itertools

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray

from cases.app.drawing.space import LIGHT, TOWARDS, VIEW, turned
from cases.app.drawing.style import BLACK, BLUE, GREY, SKY, VERMILION
from cases.app.parts.solids import base_of
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
    """Return the corners (F, 3 or 4) of the faces that belong to one of the ``cells`` (C, corners) alone, and the cells (F,)."""
    local = _local_faces(cells.shape[1])
    faces = np.concatenate([cells[:, face] for face in local])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    alone = first[count == 1]
    return np.asarray(faces[alone]), np.tile(np.arange(len(cells)), len(local))[alone]


def outer_faces(cells: Integers) -> Integers:
    """Return the faces of ``owned_faces``."""
    return owned_faces(cells)[0]


def outward(X: Array, faces: Integers, inside: Array) -> Integers:
    """Return the ``faces`` with their corners counter-clockwise seen from outside, each off its point ``inside`` (F, 3) m."""
    a, b, c = (X[faces[:, k]] for k in range(3))
    inwards = np.einsum("fi,fi->f", np.cross(b - a, c - a), a - inside) < 0.0
    turned_round: Integers = np.where(inwards[:, None], faces[:, ::-1], faces)
    return turned_round


def skin(axes: Axes, places: Array, faces: Integers, *, edges: float = 0.3) -> None:
    """Draw the ``faces`` of a body with nodes at ``places`` (N, 3) m that are seen from the viewer, shaded by the light."""
    corners = places[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outward = np.einsum("fi,fi->f", normal, corners.mean(axis=1) - places.mean(axis=0))
    normal *= np.where(outward < 0.0, -1.0, 1.0)[:, None] / np.linalg.norm(normal, axis=1, keepdims=True)
    seen = np.flatnonzero(normal @ TOWARDS > 0.0)
    order = seen[np.argsort(corners[seen].mean(axis=1) @ TOWARDS)]
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


def view(axes: Axes, data: xr.Dataset, instants: list[int], *, magnified: float = 1.0) -> None:
    """Draw the body at some instants on the ground, one beside the other, its displacements ``magnified``; each with its time."""
    faces, X = outer_faces(data.cells.values), data.X.values
    size = np.ptp(X, axis=0)
    pitch = 1.25 * float(np.linalg.norm(size[:2]))
    for k, instant in enumerate(instants):
        place, centre = data.position.values[instant], data.frame_position.values[instant]
        shown = place - centre + (magnified - 1.0) * _strained(data, instant)
        shown[:, 2] -= shown[:, 2].min()
        shift = np.array([k * pitch, 0.0, 0.0])
        ground = np.array([[-0.6, -0.7], [0.6, -0.7], [0.6, 0.7], [-0.6, 0.7]]) * size[:2]
        corners = np.column_stack([ground, np.zeros(4)]) + shift
        axes.add_collection(PolyCollection([corners @ VIEW.T], facecolors="0.93", edgecolors="none", zorder=0))
        skin(axes, shown + shift, faces)
        low = (corners[0] @ VIEW.T)[1]
        axes.text(
            float((shift @ VIEW.T)[0]), float(low) - 0.1 * pitch, f"$t$ = {float(data.time.values[instant]):.3g} s", ha="center",
            va="top", fontsize=7,
        )  # fmt: skip
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_axis_off()


def _strained(data: xr.Dataset, instant: int) -> Array:
    """The displacement in the frame (N, 3) m, turned into space."""
    return turned(data.frame_rotation.values[instant], data.displacement.values[instant])


def base_pressure(axes: Axes, data: xr.Dataset, instant: int) -> None:
    """Draw the normal forces of the base's nodes as the areas of discs, from below the body's centre; open nodes as crosses."""
    base = base_of(data)
    place = (data.position.values[instant, base] - data.frame_position.values[instant])[:, :2]
    press, stick = data.normal_force.values[instant, base], data.stick.values[instant, base]
    largest = max(float(press.max()), 1e-300)
    for code, colour, name in ((1, BLUE, "sticks"), (0, VERMILION, "slips")):
        chosen = stick == code
        axes.scatter(
            place[chosen, 0],
            place[chosen, 1],
            s=90.0 * press[chosen] / largest,
            color=colour,
            linewidths=0,
            label=name if chosen.any() else None,
        )
    axes.scatter(place[stick == -1, 0], place[stick == -1, 1], s=12.0, color=GREY, marker="x", linewidths=0.6)
    axes.set_aspect("equal")
    axes.set(xlabel="$x - x_0$ [m]", ylabel="$y - y_0$ [m]")
