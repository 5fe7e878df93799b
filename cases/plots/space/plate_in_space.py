"""The picture of plate_in_space: the plate at some instants, its path and angle, and the forces under its base."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.solid import base_pressure, view
from cases.app.drawing.style import BLUE, ORANGE, PAGE, letter
from cases.plate_in_space import Parameters


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the deformed plate, path and angle of its frame, and the normal forces at its fastest."""
    figure.set_size_inches(PAGE, 4.6)
    layout: dict[str, Axes] = figure.subplot_mosaic([["view", "view"], ["path", "base"]], height_ratios=[1.0, 1.3])
    last = data.sizes["time"] - 1
    view(layout["view"], data, np.unique(np.linspace(0, last, 3).round().astype(int)).tolist())
    times, place = data.time.values, data.frame_position.values
    w, _, _, z = data.frame_rotation.values.T
    layout["path"].plot(times, np.hypot(place[:, 0], place[:, 1]), color=BLUE, label="way of the centre [m]")
    layout["path"].plot(times, np.unwrap(2.0 * np.arctan2(z, w)), color=ORANGE, label="angle about $z$ [rad]")
    layout["path"].set(xlabel="time $t$ [s]", ylabel="way [m], angle [rad]", xlim=(times[0], times[-1]))
    layout["path"].legend(loc="best")
    instant = int(np.argmax(np.linalg.norm(data.frame_velocity.values, axis=1)))
    base_pressure(layout["base"], data, instant)
    layout["base"].set_title(f"normal forces at $t$ = {times[instant]:.3g} s", fontsize=8)
    layout["base"].legend(loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=2)
    for name, key in zip("abc", ("view", "path", "base"), strict=True):
        letter(layout[key], name)
