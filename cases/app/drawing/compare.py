"""The picture of compared runs: path, angle, speed, energies and stick share laid over each other, and their differences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cases.app.drawing import style
from cases.app.studies.compare import Comparison, Run

COLOURS = (style.BLUE, style.VERMILION, style.GREEN, style.PURPLE, style.ORANGE, style.SKY, style.BLACK, style.GREY)
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (2, 1.2)), (0, (5, 1.5, 1, 1.5)))
PANELS = (
    "frame_angle",
    "speed",
    "stick",
    "energy_kinetic",
    "energy_strain",
    "dissipation_friction",
    "displacement",
)
"""Quantities with a panel of their own over time, where all runs have them and one is more than rounding."""
ROUNDING = 1e-12
"""Share of the largest value of the same unit, or of 1 rad, below which a quantity is rounding."""


def draw_comparison(comparison: Comparison, path: Path) -> None:
    """Draw the comparison into a PNG."""
    keys = panel_keys(comparison)
    rows = -(-(len(keys) + 2) // 3)
    with matplotlib.rc_context(style.STYLE):
        figure = Figure(figsize=(style.PAGE, 2.0 * rows + 0.4), dpi=style.DPI)
        FigureCanvasAgg(figure)
        panels = figure.subplots(rows, 3, squeeze=False).ravel()
        for axes in panels[len(keys) + 2 :]:
            axes.set_axis_off()
        _path(panels[0], comparison)
        for axes, key in zip(panels[1:], keys, strict=False):
            for number, run in enumerate(comparison.runs):
                axes.plot(run.times, run.series[key].values, **_line(number))
            series = comparison.runs[0].series[key]
            unit = "" if series.unit == "1" else f" [{series.unit}]"
            axes.set(
                xlabel="time $t$ [s]",
                ylabel=f"{series.name}{unit}",
                xlim=(0.0, max(r.times[-1] for r in comparison.runs)),
            )
        _differences(panels[len(keys) + 1], comparison)
        for letter, axes in zip("abcdefghijkl", panels[: len(keys) + 2], strict=False):
            style.letter(axes, letter)
        handles = [panels[0].plot([], [], label=run.label, **_line(k))[0] for k, run in enumerate(comparison.runs)]
        figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 4))
        figure.savefig(path, format="png", metadata={"Software": None})


def panel_keys(comparison: Comparison) -> list[str]:
    """Quantities with a panel: those that are larger than rounding in one of the runs."""
    series = {key: [run.series[key] for run in comparison.runs] for key in comparison.keys}
    largest = {key: max(np.abs(one.values).max() for one in runs) for key, runs in series.items()}
    scales = {"rad": 1.0}
    for key, (first, *_) in series.items():
        scales[first.unit] = max(scales.get(first.unit, 0.0), largest[key])
    return [key for key in PANELS if key in comparison.keys and largest[key] > ROUNDING * scales[series[key][0].unit]]


def _line(number: int) -> dict[str, Any]:
    """Colour, dashes and width of a run; the first lies wide under the others."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": DASHES[number % len(DASHES)],
        "linewidth": 2.4 if number == 0 else 1.1,
        "alpha": 0.5 if number == 0 else 1.0,
    }


def _path(axes: Axes, comparison: Comparison) -> None:
    for number, run in enumerate(comparison.runs):
        x, y = run.series["x"].values, run.series["y"].values
        axes.plot(x, y, **_line(number))
        axes.plot(x[-1:], y[-1:], "o", color=COLOURS[number % len(COLOURS)], markersize=3)
    axes.set(xlabel="$x_0$ [m]", ylabel="$y_0$ [m]")
    places = [np.concatenate([run.series[key].values for run in comparison.runs]) for key in ("x", "y")]
    spans = [float(np.ptp(place)) for place in places]
    if min(spans) > 0.1 * max(spans):
        axes.set_aspect("equal", adjustable="datalim")
    margin = 0.5 * max(spans)
    for place, span, which in zip(places, spans, ("xlim", "ylim"), strict=True):
        if span < ROUNDING * max(spans):
            axes.set(**{which: (place[0] - margin, place[0] + margin)})


def _differences(axes: Axes, comparison: Comparison) -> None:
    """Draw the distance of the frames from that of the first run over time."""
    shown = False
    for number, run in enumerate(comparison.runs[1:], start=1):
        distance = _distance(comparison, run)
        if distance.any():
            axes.semilogy(comparison.times, np.where(distance > 0.0, distance, np.nan), **_line(number))
            shown = True
    if not shown:
        axes.text(0.5, 0.5, "none", ha="center", va="center", transform=axes.transAxes)
    axes.set(xlabel="time $t$ [s]", ylabel="distance from run 1 [m]", xlim=(0.0, comparison.times[-1]))


def _distance(comparison: Comparison, run: Run) -> NDArray[np.float64]:
    return np.hypot(comparison.differences("x", run), comparison.differences("y", run))
