"""The picture of curling_disc: its path, the ratio of sliding to spinning, and the side force."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from cases.curling_disc import Parameters, reference, side_force, speeds
from cases.drawing.style import BLACK, BLUE, GREY, LIGHT, ORANGE, PAGE, letter


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the path with its curl enlarged, v/(R omega) and the side force over time with what they tend to."""
    figure.set_size_inches(PAGE, 2.5)
    path, ratio, side = figure.subplots(1, 3, width_ratios=[1.25, 1.0, 1.0])
    _path(path, params, data)
    times, (speed, spin) = data.time.values, speeds(data)
    moves = speed > 1e-3 * max(float(speed[0]), 1e-300)
    known = reference(params)
    for axes, values, goal, colour, label in (
        (
            ratio,
            speed / np.maximum(params.radius * np.abs(spin), 1e-300),
            None if known is None else known.ratio,
            BLUE,
            r"$v/(R\omega)$ [1]",
        ),
        (
            side,
            np.abs(side_force(data)),
            None if known is None else abs(known.side),
            ORANGE,
            "side force / drag [1]",
        ),
    ):
        axes.plot(times[moves], values[moves], color=colour, label="computed")
        if goal is not None:
            axes.axhline(goal, color=BLACK, linestyle=(0, (3, 2)), linewidth=0.8, label=f"tends to {goal:.4f}")
        axes.set(xlabel="time $t$ [s]", ylabel=label, xlim=(0.0, times[moves][-1] if moves.any() else times[-1]))
        axes.set_ylim(bottom=0.0)
        axes.legend(loc="lower right")
    for name, axes in zip("abc", (path, ratio, side), strict=True):
        letter(axes, name)


def _path(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    place = 1e3 * data.frame_position.values[:, :2]
    axes.plot(place[:, 0], place[:, 1], color=BLUE, linewidth=1.4)
    axes.axhline(0.0, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)))
    axes.plot(*place[0], "o", color=BLUE, markersize=3)
    axes.set(xlabel="$x$ [mm]", ylabel="$y$ [mm], enlarged")
    axes.margins(0.06)
    inset = axes.inset_axes((0.04, 0.06, 0.34, 0.34))
    inset.add_patch(Circle((0.0, 0.0), 1.0, facecolor=LIGHT, edgecolor=BLACK, linewidth=0.6))
    sense = np.sign(params.spin0) or 1.0
    inset.annotate("", (0.9, 0.0), (-0.5, 0.0), arrowprops={"arrowstyle": "-|>", "lw": 0.9, "color": BLUE})
    inset.annotate(
        "",
        (-0.55, 0.45 * sense),
        (0.55, 0.45 * sense),
        arrowprops={"arrowstyle": "-|>", "lw": 0.8, "color": GREY, "connectionstyle": f"arc3,rad={0.6 * sense}"},
    )
    inset.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
    inset.set_axis_off()
