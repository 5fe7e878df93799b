"""The picture of a run that belongs to no case: the body at four instants, energies, speeds and stick over time."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from cases.app.drawing.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PAGE,
    PURPLE,
    SKY,
    VERMILION,
    YELLOW,
    letter,
    mesh,
    number,
)
from cases.app.parts.body_mesh import body_mesh

ENERGIES = {
    "energy_kinetic": ("kinetic", BLUE),
    "energy_strain": ("strain", VERMILION),
    "work_external": ("external work", GREEN),
    "dissipation_friction": ("friction", PURPLE),
}
INSTANTS = 4


def draw_run(data: xr.Dataset, figure: Figure) -> None:
    """Draw a trajectory; cells that stick are blue, those that slip yellow."""
    figure.set_size_inches(PAGE, 4.6)
    panels = figure.subplots(2, 2).ravel()
    plane = data.sizes["axis"] == 2
    (_motion if plane else _motion_in_space)(panels[0], data)
    times = data.time.values
    for name, (label, colour) in ENERGIES.items():
        panels[1].plot(times, data[name].values, color=colour, label=label)
    panels[1].set(ylabel="energy [J]")
    panels[2].plot(times, np.linalg.norm(data.frame_velocity.values, axis=1), color=BLUE, label=r"$|v_0|$ of the frame")
    radius = float(np.linalg.norm(data.X.values, axis=1).max())
    spin = np.abs(data.frame_spin.values) if plane else np.linalg.norm(data.frame_spin.values, axis=1)
    panels[2].plot(times, spin * radius, color=ORANGE, label=r"$|\omega|\, r$, $r$ the body's size")
    panels[2].set(ylabel="speed [m/s]")
    panels[3].plot(times, (data.stick.values == 1).mean(axis=1), color=BLACK)
    panels[3].set(ylabel="share of nodes that stick", ylim=(-0.03, 1.03))
    for axes in panels[1:]:
        axes.set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]) if len(times) > 1 else None)
    for axes in panels[1:3]:
        axes.legend(loc="best")
    for name, axes in zip("abcd", panels, strict=True):
        letter(axes, name)


def _motion_in_space(axes: Axes, data: xr.Dataset) -> None:
    """Draw a body at the start, at half the time and at the end in the oblique view, and the path of its centre."""
    # Not imported for runs in the plane: the faces of solids need compiled functions.
    from cases.app.drawing.solid import skin
    from cases.app.drawing.space import ground, line, turned
    from cases.app.drawing.space_scene import grounded, shape

    body, faces, edges = shape(data)
    centres, last = data.frame_position.values, data.sizes["time"] - 1
    reach = float(np.linalg.norm(body, axis=1).max())
    if grounded(data):
        spacing = ground(axes, centres[:, :2].min(axis=0) - 1.3 * reach, centres[:, :2].max(axis=0) + 1.3 * reach)
        axes.set_title(f"ground lines every {number(spacing)} m", loc="right", fontsize=7)
    for instant in dict.fromkeys((0, last // 2, last)):
        solid = "cells" in data
        turned_body = centres[instant] + turned(data.frame_rotation.values[instant], body)
        skin(axes, data.position.values[instant] if solid else turned_body, faces, edges=edges)
    line(axes, centres, color=BLACK, linewidth=0.8, zorder=4)
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_axis_off()


def _motion(axes: Axes, data: xr.Dataset) -> None:
    shown = body_mesh(data)
    instants = np.unique(np.linspace(0, data.sizes["time"] - 1, INSTANTS).round().astype(int))
    for k, instant in enumerate(instants):
        place, sticks = shown.places[instant], data.stick.values[instant].astype(bool)
        opacity = 0.35 + 0.65 * (k + 1) / len(instants)
        if not len(shown.cells):
            axes.scatter(place[:, 0], place[:, 1], s=4, color=np.where(sticks, SKY, ORANGE).tolist(), alpha=opacity)
            continue
        stuck = sticks[data.cells.values].mean(axis=1) > 0.5
        if shown.cells.shape[1] == 2:
            colours = np.where(stuck, SKY, ORANGE).tolist()
            axes.add_collection(LineCollection(list(place[shown.cells]), colors=colours, linewidths=2.0, alpha=opacity))
        else:
            mesh(axes, place, shown.cells, np.where(stuck, SKY, YELLOW).tolist(), alpha=opacity)
    axes.plot(*data.frame_position.values.T, color=BLACK, linewidth=0.8, zorder=4)
    axes.autoscale_view()
    axes.set(xlabel="$x$ [m]", ylabel="$y$ [m]")
    axes.set_aspect("equal", adjustable="datalim")
