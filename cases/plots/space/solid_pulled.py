"""The picture of solid_pulled: the block at some instants, its pull and speed, and the forces under its base."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.solid import base_pressure, view
from cases.app.drawing.style import BLUE, GREEN, PAGE, VERMILION, letter
from cases.app.parts.solids import base_of
from cases.solid_pulled import Parameters, weight
from floating_frame import Ramp


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the deformed block, its displacements magnified, pull, friction and speed over time, and the base when it slides."""
    figure.set_size_inches(PAGE, 4.6)
    layout: dict[str, Axes] = figure.subplot_mosaic(
        [["view", "view"], ["forces", "base"]], height_ratios=[1.0, 1.2], width_ratios=[1.2, 1.0]
    )
    last = data.sizes["time"] - 1
    largest = float(np.linalg.norm(data.displacement.values, axis=2).max())
    size = float(np.ptp(data.X.values, axis=0).max())
    scale = 1.0 if largest == 0.0 else float(np.clip(10.0 ** np.floor(np.log10(0.1 * size / largest)), 1.0, 1e4))
    view(layout["view"], data, np.unique(np.linspace(0, last, 4).round().astype(int)).tolist(), magnified=scale)
    layout["view"].set_title(f"displacements × {scale:g}", fontsize=8)
    _forces(layout["forces"], params, data)
    slips = np.flatnonzero((data.stick.values[:, base_of(data)] == 0).any(axis=1))
    instant = int(slips[len(slips) // 3]) if len(slips) else last
    base_pressure(layout["base"], data, instant)
    layout["base"].set_title(f"normal forces at $t$ = {float(data.time.values[instant]):.3g} s", fontsize=8)
    layout["base"].legend(loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=2)
    for name, key in zip("abc", ("view", "forces", "base"), strict=True):
        letter(layout[key], name)


def _forces(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times, load = data.time.values, max(weight(params), 1e-300)
    course, pull = Ramp(params.ramp, params.release), float(np.hypot(params.pull_x, params.pull_y))
    rubbing = data.friction_force.values.sum(axis=1)
    axes.plot(times, [pull * course.value(t) / load for t in times], color=GREEN, label="pull")
    axes.plot(times, np.hypot(rubbing[:, 0], rubbing[:, 1]) / load, color=VERMILION, label="friction")
    axes.plot(times, data.normal_force.values.sum(axis=1) / load, color=BLUE, label="normal force")
    axes.set(xlabel="time $t$ [s]", ylabel="force / weight [1]", xlim=(times[0], times[-1]), ylim=(0, None))
    axes.legend(loc="best")
