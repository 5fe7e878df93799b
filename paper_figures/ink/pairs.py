"""Two runs that differ in one input: difference of the deformation in the frame, as superposed shapes and over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from cases.app.drawing.style import BLACK, LIGHT, SKY
from paper_figures.ink.body_marks import body
from paper_figures.ink.style import SMALLEST_TYPE
from paper_figures.numbers import Numbers

Place = tuple[float, float]
ROUNDING = 1e-17
"""Smaller differences, relative to the largest |u|, are drawn at this value."""


def pair_numbers(plain: xr.Dataset, other: xr.Dataset) -> Numbers:
    """Both shapes in the frame where they differ most, and the difference of the deformation over time.

    difference (time,): max over the nodes of `|u_other - u_plain|`, over the largest `|u|` of the plain run.
    """
    u, v = plain.displacement.values, other.displacement.values
    largest = float(np.linalg.norm(u, axis=2).max())
    difference = np.linalg.norm(v - u, axis=2).max(axis=1)
    at = int(np.argmax(difference)) if difference.max() > 1e-9 * largest else len(u) - 1
    X = plain.X.values
    return {
        "time": plain.time.values,
        "at": float(plain.time[at]),
        "reference": X,
        "cells": plain.cells.values.astype(np.int64),
        "plain": X + u[at],
        "other": X + v[at],
        "largest": largest,
        "difference": difference / largest,
        "worst": float(difference.max() / largest),
    }


def draw_shapes(axes: Axes, pair: Numbers, times: float, above: str, below: str) -> None:
    """Draw the two shapes in the frame with `times` the displacements: the plain one filled, the other one as a mesh of thin lines.

    above, below: texts there.
    """
    cells, X = pair["cells"], pair["reference"]
    body(axes, X, cells, LIGHT, zorder=0.3)
    body(axes, X + times * (pair["plain"] - X), cells, SKY)
    body(axes, X + times * (pair["other"] - X), cells, "none", edgecolors=BLACK, linewidths=0.3, zorder=1)
    for place, text, side in ((0.97, above, "top"), (0.03, below, "bottom")):
        axes.text(0.5, place, text, fontsize=SMALLEST_TYPE, ha="center", va=side, transform=axes.transAxes)
    axes.set(aspect="equal", xlim=(-0.78, 0.78), ylim=(-0.66, 0.64))


def shape_key(plain: str, other: str) -> list[Patch | Line2D]:
    """Handles of the legend of `draw_shapes`."""
    return [
        Patch(color=LIGHT, label="reference"),
        Patch(color=SKY, label=plain),
        Line2D([], [], color=BLACK, linewidth=0.6, label=other),
    ]


def draw_differences(
    axes: Axes, pairs: Mapping[str, Numbers], styles: Mapping[str, tuple[str, str, Place | None]]
) -> None:
    """Draw the differences of all pairs over time.

    styles: colour, name, and the position of the name, s and relative difference; None: in a legend, below the upper curves.
    """
    axes.axhspan(ROUNDING, 1e-12, color=LIGHT, linewidth=0, zorder=0)
    end = max(float(pairs[key]["time"][-1]) for key in styles)
    for key, (colour, name, place) in styles.items():
        t, values = pairs[key]["time"][1:], np.maximum(pairs[key]["difference"][1:], ROUNDING)
        axes.semilogy(t, values, color=colour, linewidth=1.0, label=name if place is None else None)
        if place is not None:
            axes.text(*place, name, fontsize=SMALLEST_TYPE, color=colour, ha="right", va="center")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="center", bbox_to_anchor=(0.5, 0.5), ncols=2)
    text: dict[str, Any] = {
        "fontsize": SMALLEST_TYPE,
        "ha": "left",
        "va": "bottom",
        "transform": axes.get_yaxis_transform(),
    }
    axes.text(0.02, 2e-17, "rounding, solver's tolerance", **text)
    axes.set(xlabel="time $t$ [s]", xlim=(0, end), ylim=(ROUNDING, 30), yticks=[1e-16, 1e-12, 1e-8, 1e-4, 1])


def share_text(value: float) -> str:
    """Relative difference as mathtext: in per cent from 0.1 % on, otherwise as the power of ten above it."""
    digits = ".0f" if value >= 0.1 else ".2g"
    return rf"{100 * value:{digits}}\,\%" if value >= 1e-3 else rf"< {power_above(value)}"


def power_above(value: float) -> str:
    """Smallest power of ten that is above a number, as mathtext; 0 for 0."""
    return rf"10^{{{int(np.floor(np.log10(value))) + 1}}}" if value > 0.0 else "0"
