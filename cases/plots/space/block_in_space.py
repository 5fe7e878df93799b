"""The picture of block_in_space: the block along its way, its speed, and the forces under its feet."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.block_in_space import Parameters, exact
from cases.drawing.space import VIEW, block, line
from cases.drawing.style import BLACK, BLUE, GREEN, GREY, ORANGE, PAGE, VERMILION, letter
from cases.parts.solids import base_of

FEET = ("rear right", "front right", "front left", "rear left")


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the block in an oblique view, its speed over time and the feet's normal forces over the weight."""
    figure.set_size_inches(PAGE, 3.9)
    layout: dict[str, Axes] = figure.subplot_mosaic([["view", "view"], ["speed", "feet"]], height_ratios=[1.1, 1.2])
    _view(layout["view"], params, data)
    _speed(layout["speed"], params, data)
    _feet(layout["feet"], params, data)
    for name, key in zip("abc", ("view", "speed", "feet"), strict=True):
        letter(layout[key], name)


def _view(axes: Axes, params: Parameters, data: xr.Dataset, count: int = 5) -> None:
    times, place, attitude = data.time.values, data.frame_position.values, data.frame_rotation.values
    size = np.array([params.length, params.width, params.height])
    # Blocks stand apart on paper: the way between them is drawn longer than it is.
    instants = np.unique(np.linspace(0, len(times) - 1, count).round().astype(int))
    pitch = 1.35 * float(np.linalg.norm(size[:2])) + float(np.ptp(place[:, :2], axis=0).max()) / max(
        len(instants) - 1, 1
    )
    for k, instant in enumerate(instants):
        shift = np.array([k * pitch, 0.0, 0.0])
        centre = place[instant] - place[instant] * [1.0, 0.0, 0.0] + shift
        ground = shift + np.outer([-0.6 * pitch, 0.6 * pitch], [1.0, 0.0, 0.0])
        line(axes, ground, color=GREY, linewidth=0.5, zorder=0)
        block(axes, centre, attitude[instant], size)
        label = (shift - [0.0, 0.75 * params.width, 0.0]) @ VIEW.T
        text = f"$t$ = {times[instant]:.3g} s\n$x$ = {round(1e3 * place[instant, 0], 9):.3g} mm"
        axes.text(float(label[0]), float(label[1]) - 0.15 * pitch, text, ha="center", va="top", fontsize=7)
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.margins(0.02, 0.12)
    axes.set_axis_off()


def _speed(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times, velocity = data.time.values, data.frame_velocity.values
    axes.plot(times, np.hypot(velocity[:, 0], velocity[:, 1]), color=BLUE, label="computed")
    known = exact(params, times)
    if known is not None:
        axes.plot(times, known[1], color=BLACK, linestyle=(0, (3, 2)), linewidth=0.9, label="exact")
    axes.set(xlabel="time $t$ [s]", ylabel="speed of the centre [m/s]", xlim=(times[0], times[-1]))
    axes.legend(loc="best")


def _feet(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    if params.feet == "area" or params.body == "elastic":
        _base(axes, params, data)
        return
    times, weight = data.time.values, max(params.mass * params.gravity, 1e-300)
    styles = ("-", "-", (0, (4, 2)), (0, (4, 2)))
    for k, (name, colour, style) in enumerate(zip(FEET, (VERMILION, BLUE, GREEN, ORANGE), styles, strict=True)):
        axes.plot(times, data.normal_force.values[:, k] / weight, color=colour, linestyle=style, label=name)
    axes.set(xlabel="time $t$ [s]", ylabel="normal force / weight [1]", xlim=(times[0], times[-1]), ylim=(0, None))
    axes.legend(loc="best", ncols=2)


def _base(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the largest, mean and smallest pressure of a whole base over time, relative to that at rest."""
    base = base_of(data)
    share = data.normal_force.values[:, base] * len(base) / max(params.mass * params.gravity, 1e-300)
    for values, colour, name in ((share.max(axis=1), VERMILION, "largest"), (share.min(axis=1), BLUE, "smallest")):
        axes.plot(data.time.values, values, color=colour, label=name)
    what = "normal force of a node" if params.body == "elastic" else "normal pressure"
    axes.set(xlabel="time $t$ [s]", ylabel=f"{what} / mean [1]", ylim=(0, None))
    axes.legend(loc="best")
