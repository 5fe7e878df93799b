"""Bodies in space on paper: an oblique view of blocks and the ground, from their attitudes."""

from __future__ import annotations

import itertools

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray

from cases.drawing.style import BLACK, SKY

Array = NDArray[np.float64]

VIEW = np.array([[0.90, -0.35, 0.0], [0.16, 0.40, 0.90]])
"""Rows: what an oblique parallel view takes of (x, y, z) to the right and up."""
TOWARDS = np.cross(VIEW[0], VIEW[1])
LIGHT = np.array([0.25, -0.35, 0.90])
"""Where the light comes from."""


def turned(quaternion: Array, points: Array) -> Array:
    """Return points (n, 3) m turned by a unit quaternion (w, x, y, z)."""
    w, axis = float(quaternion[0]), np.asarray(quaternion[1:], float)
    found: Array = points + 2.0 * w * np.cross(axis, points) + 2.0 * np.cross(axis, np.cross(axis, points))
    return found


def block(axes: Axes, centre: Array, quaternion: Array, size: Array, *, strength: float = 1.0) -> None:
    """Draw a block of ``size`` (3,) m as its three visible faces, in the view ``VIEW``."""
    half = 0.5 * np.asarray(size, float)
    corners = np.array(list(itertools.product((-1, 1), repeat=3))) * half
    place = centre + turned(quaternion, corners)
    faces, shades = [], []
    for axis, side in itertools.product(range(3), (-1, 1)):
        normal = np.zeros(3)
        normal[axis] = side
        outward = turned(quaternion, normal[None])[0]
        facing = float(outward @ TOWARDS)
        if facing <= 0.0:
            continue
        on = np.flatnonzero(np.sign(corners[:, axis]) == side)
        order = on[[0, 1, 3, 2]]
        faces.append(place[order] @ VIEW.T)
        shades.append(0.6 + 0.4 * max(float(outward @ LIGHT), 0.0))
    rgb = np.array([int(SKY[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])
    colours = [(*(1.0 - strength * (1.0 - shade * rgb)), 1.0) for shade in shades]
    axes.add_collection(PolyCollection(faces, facecolors=colours, edgecolors=BLACK, linewidths=0.5))


def line(axes: Axes, points: Array, **style: object) -> None:
    """Draw a line through points (n, 3) m in the same view."""
    seen = np.asarray(points, float) @ VIEW.T
    axes.plot(seen[:, 0], seen[:, 1], **style)  # type: ignore[arg-type]
