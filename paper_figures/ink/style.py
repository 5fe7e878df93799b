"""The look of the figures: 85 mm wide, type of 7 points or more, colours distinct for the colour-blind, fixed dates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure

from cases.app.drawing.style import STYLE
from cases.app.run.results import write_whole

MILLIMETRE = 1 / 25.4  # inches
COLUMN = 85 * MILLIMETRE
PAGE = 178.0
"""Width of both columns, mm, for sequences of pictures."""
SMALLEST_TYPE = 7.0  # points
METADATA: dict[str, dict[str, None]] = {
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}
"""No dates and no versions in the files: the same numbers give the same bytes."""
HOUSE = STYLE | {"pdf.fonttype": 42, "legend.fontsize": 7, "figure.constrained_layout.h_pad": 0.03}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw and save in the house style."""
    with matplotlib.rc_context(HOUSE):
        yield


def column_figure(height: float, *, width: float = 85.0) -> Figure:
    """Empty figure `width` x `height` mm with constrained layout, ready to be saved."""
    figure = Figure(figsize=(width * MILLIMETRE, height * MILLIMETRE), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def above_and_below(figure: Figure, above: float, below: float) -> tuple[SubFigure, SubFigure]:
    """The two parts of a figure, one above the other, their heights in the ratio `above` to `below`."""
    parts: Any = figure.subfigures(2, 1, height_ratios=[above, below])
    return parts[0], parts[1]


def letter(axes: Axes, name: str, title: str = "") -> None:
    """Name a panel (a), (b), ... at its upper left corner, outside, with a short title after it."""
    axes.set_title(rf"$\mathbf{{({name})}}$ {title}".rstrip(), loc="left", pad=3)


def settle(figure: Figure) -> Figure:
    """Fix layout and ticks as the style in force makes them, and return the figure."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def save(figure: Figure, directory: Path, name: str) -> list[Path]:
    """Write DIRECTORY/NAME.pdf and .png, each whole or not at all, and return their paths."""
    paths = []
    for suffix, metadata in METADATA.items():
        path = directory / f"{name}.{suffix}"

        def write(target: Path, suffix: str = suffix, metadata: dict[str, None] = metadata) -> None:
            figure.savefig(target, format=suffix, metadata=metadata)

        write_whole(path, write)
        paths.append(path)
    return paths
