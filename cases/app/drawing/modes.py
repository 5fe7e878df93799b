"""The picture of natural modes: the body at rest, and deformed by each shape, with its frequency."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cases.app.drawing import solid, style

MOST_PANELS = 12
SIZE = 0.15
"""Largest drawn displacement over the body's size."""


def draw_modes(modes: xr.Dataset, path: Path) -> None:
    """Draw the first twelve modes of a dataset of `floating_frame.modes` into a PNG."""
    count = min(modes.sizes["mode"], MOST_PANELS)
    columns = min(count, 3)
    rows = -(-count // columns)
    X = modes.X.values
    span = np.ptp(X, axis=0)
    size = float(span.max())
    height = float(np.clip(style.PAGE / columns * (span[1] + 2 * SIZE * size) / (size * (1 + 2 * SIZE)), 0.7, 3.0))
    with matplotlib.rc_context(style.STYLE):
        figure = Figure(figsize=(style.PAGE, rows * (height + 0.3)), dpi=style.DPI)
        FigureCanvasAgg(figure)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in panels:
            axes.set_axis_off()
        for axes, k in zip(panels, range(count), strict=False):
            _draw(axes, modes, k, size)
        figure.savefig(path, format="png", metadata={"Software": None})


def _draw(axes: Axes, modes: xr.Dataset, k: int, size: float) -> None:
    X, shape, cells = modes.X.values, modes["shape"].values[k], modes.cells.values
    amount = np.linalg.norm(shape, axis=1)
    place = X + SIZE * size / amount.max() * shape
    axes.set_title(f"{k + 1}:  {style.number(float(modes.frequency[k]), 4)} Hz", loc="left")
    if X.shape[1] == 3:
        solid.skin(axes, place, solid.outer_faces(cells))
        axes.set_aspect("equal")
        axes.autoscale_view()
        return
    colours = matplotlib.colormaps["viridis"](amount[cells].mean(axis=1) / amount.max())
    if cells.shape[1] == 2:
        axes.add_collection(LineCollection(list(X[cells]), colors=style.GREY, linewidths=0.6))
        axes.add_collection(LineCollection(list(place[cells]), colors=colours, linewidths=2.0))
    else:
        axes.add_collection(LineCollection(_outline(X, cells), colors=style.GREY, linewidths=0.6))
        axes.add_collection(PolyCollection(list(place[cells]), facecolors=colours, edgecolors="face", linewidths=0.2))
    middle, half = X.mean(axis=0), 0.5 * np.ptp(X, axis=0) + 1.1 * SIZE * size
    axes.set(
        xlim=(middle[0] - half[0], middle[0] + half[0]), ylim=(middle[1] - half[1], middle[1] + half[1]), aspect="equal"
    )


def _outline(X: NDArray[np.float64], cells: NDArray[np.int_]) -> list[NDArray[np.float64]]:
    """Sides (2, 2) m that belong to one cell only."""
    sides = np.sort(np.stack([cells, np.roll(cells, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    unique, count = np.unique(sides, axis=0, return_counts=True)
    return list(X[unique[count == 1]])
