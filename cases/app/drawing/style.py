"""The look of the pictures: sizes, fonts, colours that the colour-blind tell apart, common marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import ArrayLike, NDArray
from PIL import Image

Array = NDArray[np.float64]

COLUMN, PAGE = 3.5, 7.0  # inches: one and two columns
DPI = 300
# Okabe and Ito's palette.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY, LIGHT = "#888888", "#E8E8E8"

MOST_CELLS, CELLS_IN_A_PIXEL = 20_000, 6.0
"""Largest number of cells drawn one by one, and mean number of cells in a pixel of the image that replaces more."""

STYLE = {
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "lines.linewidth": 1.2,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "mathtext.fontset": "dejavusans",
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 4),
    "figure.constrained_layout.use": True,
    "figure.dpi": DPI,
    "savefig.dpi": DPI,
}


def write_drawn(figure: Figure, path: Path) -> None:
    """Write a figure on Agg's canvas into a PNG without drawing it again, as ``savefig`` does twice."""
    drawn_once = Image.fromarray(np.asarray(figure.canvas.buffer_rgba()))  # type: ignore[attr-defined]  # of Agg
    drawn_once.save(path, format="PNG", dpi=(figure.dpi, figure.dpi), compress_level=2)


def number(value: float, digits: int = 3) -> str:
    """Text of a number with a minus sign and a power of ten, as in −0.31 and 1.9·10⁻¹⁴."""
    mantissa, _, power = f"{value:.{digits}g}".replace("-", "\N{MINUS SIGN}").partition("e")
    exponent = power.replace("\N{MINUS SIGN}", "-").lstrip("+")
    return rf"{mantissa}$\cdot 10^{{{int(exponent)}}}$" if power else mantissa


def letter(axes: Axes, name: str) -> None:
    """Name a panel (a), (b), ... at its upper left corner, outside."""
    axes.set_title(f"({name})", loc="left", fontweight="bold", pad=3)


def page(
    figure: Figure, *, panels: int, widths: Sequence[float], upper: Sequence[float] | None = None, height: float = 4.4
) -> tuple[list[Axes], list[Axes]]:
    """Divide a page of ``height`` inches into a row of ``panels`` and, below, one of graphs of relative ``widths``.

    ``upper``: relative widths of the panels; left out, they are equal."""
    figure.set_size_inches(PAGE, height)
    parts: Any = figure.subfigures(2, 1, height_ratios=[1.0, 1.2])
    above, below = parts
    first = above.subplots(1, panels, width_ratios=upper, squeeze=False)[0]
    second = below.subplots(1, len(widths), width_ratios=widths, squeeze=False)[0]
    for axes in second:
        axes.locator_params(nbins=5)  # ticks that changed with the size would change the size again
    return list(first), list(second)


def instants_named(axes: Axes, times: Array, marker: str = "|", height: float = 0.0) -> None:
    """Mark the instants (n,) s of snapshots (a), (b), ... at one height of the axes' own; neighbours share a label."""
    size = {"|": 5}.get(marker, 3)
    axes.plot(times, np.full(len(times), height), marker, color=BLACK, markersize=size, clip_on=False)
    left, right = axes.get_xlim()
    near = 0.03 * (right - left)
    groups = np.split(np.arange(len(times)), np.flatnonzero(np.diff(times) >= near) + 1)
    for group in groups:
        first, last = float(times[group[0]]), float(times[group[-1]])
        side, at = "center", 0.5 * (first + last)
        if last > right - near:
            side, at = "right", last
        elif first < left + near:
            side, at = "left", first
        names = ",".join("abcdefghi"[k] for k in group)
        axes.annotate(names, (at, height), (0, 4), textcoords="offset points", ha=side, fontsize=7)


def spans(times: Array, mask: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Intervals (start, end) s over which consecutive instants have `mask` true, both (times,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    starts, ends = edges[::2], edges[1::2] - 1
    return [(float(times[a]), float(times[b])) for a, b in zip(starts, ends, strict=True) if b > a]


def shade(axes: Axes, times: Array, mask: NDArray[np.bool_], **style: Any) -> None:
    """Shade the intervals in which `mask` is true, behind the curves."""
    for k, (start, end) in enumerate(spans(times, mask)):
        options = style if k == 0 else {name: v for name, v in style.items() if name != "label"}
        axes.axvspan(start, end, linewidth=0, zorder=0, **({"color": LIGHT} | options))


def mesh(axes: Axes, position: Array, cells: NDArray[np.int_], colours: ArrayLike, **style: Any) -> None:
    """Draw the cells (cell, corner) of a body with nodes at `position` (node, 2), m, each in its colour. More than `MOST_CELLS`,
    which no print resolves, are drawn as an image."""
    if len(cells) > MOST_CELLS:
        image = _image_of(axes, position[cells], colours)
        image.set(zorder=style.get("zorder", 1), alpha=style.get("alpha"))
        axes.add_image(image)
        return
    options: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.15, "zorder": 1} | style
    axes.add_collection(PolyCollection(list(position[cells]), facecolors=colours, **options))


def _image_of(axes: Axes, corners: Array, colours: ArrayLike) -> AxesImage:
    """Image of cells with `corners` (cell, corner, 2) m in their colours, names or one name: a square of the image has the colour
    of most of its cells."""
    centres, following = corners.mean(axis=1), np.roll(corners, -1, axis=1)
    area = 0.5 * np.abs(np.sum(corners[..., 0] * following[..., 1] - corners[..., 1] * following[..., 0], axis=1)).sum()
    side = max(CELLS_IN_A_PIXEL**0.5 * np.sqrt(area / len(corners)), 1e-300)
    low = centres.min(axis=0) - 0.5 * side
    columns, rows = (np.floor((centres - low) / side).astype(int)).T
    shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    names, which = np.unique(np.asarray(colours), return_inverse=True)
    shades, which = to_rgba_array(names.tolist()), np.broadcast_to(which.ravel(), len(corners))
    place = rows * shape[1] + columns
    votes = np.bincount(place * len(shades) + which, minlength=shape[0] * shape[1] * len(shades))
    votes = votes.reshape(-1, len(shades))
    filled = np.asarray(votes.sum(axis=1) > 0)
    pixels = np.where(filled[:, None], shades[votes.argmax(axis=1)], 0.0).reshape(*shape, 4)
    high = low + side * np.array(shape[::-1])
    image = AxesImage(axes, extent=(low[0], high[0], low[1], high[1]), origin="lower", interpolation="nearest")
    image.set_data(pixels)
    image.set_clip_path(axes.patch)
    axes.update_datalim([low, high])
    return image


def frame_axes(axes: Axes, data: xr.Dataset, instant: int, size: float) -> None:
    """Draw the floating frame's two axes, `size` m long, at a stored instant."""
    origin = data.frame_position.values[instant]
    angle = float(data.frame_angle.values[instant])
    for turn, name in ((0.0, "$e_1$"), (np.pi / 2, "$e_2$")):
        tip = origin + size * np.array([np.cos(angle + turn), np.sin(angle + turn)])
        arrow = {
            "arrowstyle": "-|>,head_width=0.12,head_length=0.3",
            "lw": 0.9,
            "color": BLACK,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        axes.annotate("", tip, origin, arrowprops=arrow, zorder=5)
        label = origin + 1.22 * (tip - origin)
        box = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.6}
        axes.text(float(label[0]), float(label[1]), name, fontsize=6, ha="center", va="center", zorder=6, bbox=box)


def thinned(reference: Array, spacing: float) -> NDArray[np.int_]:
    """Nodes about `spacing` m apart, at most one in each square of that size; `reference` (node, 2) m."""
    squares = np.floor((reference - reference.min(axis=0)) / spacing + 0.5).astype(int)
    distance = np.linalg.norm((reference - reference.min(axis=0)) / spacing - squares, axis=1)
    order = np.argsort(distance, kind="stable")
    _, first = np.unique(squares[order], axis=0, return_index=True)
    return np.sort(order[first])


def incomplete_note(figure: Figure, data: xr.Dataset) -> None:
    """Note above the picture that the run did not reach its end."""
    if not int(data.attrs.get("complete", 1)):
        note = f"incomplete: stopped at t = {number(float(data.time.values[-1]), 4)} s"
        figure.suptitle(note, x=0.99, ha="right", fontsize=7, color=VERMILION)
