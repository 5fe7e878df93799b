"""The picture of block_in_space: the block along its way, its speed, and the forces under its feet."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.space import blocks, states
from cases.app.drawing.style import BLACK, BLUE, GREEN, ORANGE, PAGE, VERMILION, letter
from cases.app.parts.solids import base_of
from cases.block_in_space import Parameters, exact

FEET = ("rear right", "front right", "front left", "rear left")


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the block on the ground with the forces on its feet, its speed over time and the normal forces over the weight."""
    figure.set_size_inches(PAGE, 4.4)
    layout: dict[str, Axes] = figure.subplot_mosaic([["view", "view"], ["speed", "feet"]], height_ratios=[1.4, 1.2])
    _view(layout["view"], params, data)
    _speed(layout["speed"], params, data)
    _feet(layout["feet"], params, data)
    for name, key in zip("abc", ("view", "speed", "feet"), strict=True):
        letter(layout[key], name)


def _view(axes: Axes, params: Parameters, data: xr.Dataset, count: int = 5) -> None:
    shown = np.unique(np.linspace(0, data.sizes["time"] - 1, count).round().astype(int))
    feet = params.feet == "corners" and params.body == "rigid"
    size = np.array([params.length, params.width, params.height])
    blocks(axes, data, size, shown, params.mass * params.gravity if feet else None)
    if feet:
        states(axes, data.stick.values[shown])


def _speed(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times, velocity = data.time.values, data.frame_velocity.values
    axes.plot(times, np.hypot(velocity[:, 0], velocity[:, 1]), color=BLUE, label="computed")
    known = exact(params, times)
    if known is not None:
        axes.plot(times, known[1], color=BLACK, linestyle=(0, (3, 2)), linewidth=0.9, label=params.known_as)
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
