"""The picture of annulus_torsion: torque against rim angle, the torque carried inside, and the slipped part of the disc."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from cases.annulus_torsion import Parameters, annulus, carried_torque, exact, rim_angle, torque_at
from cases.app.drawing.style import BLACK, BLUE, GREEN, LIGHT, ORANGE, PAGE, PURPLE, SKY, VERMILION, letter, mesh
from cases.app.parts.histories import QUASI_STATIC, history, reached

DASHED = (0, (3, 2))
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the loop (or the angle over time), T(r), and where slip has been, over the exact ones where there are any."""
    figure.set_size_inches(PAGE, 2.5)
    loop, inside, disc = figure.subplots(1, 3, width_ratios=[1.2, 1.2, 1.0])
    if params.scheme == QUASI_STATIC:
        _loop(loop, params, data)
    else:
        _history(loop, params, data)
    _inside(inside, params, data)
    _disc(disc, params, data)
    for name, axes in zip("abc", (loop, inside, disc), strict=True):
        letter(axes, name)


def _loop(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    given = history(params.torques)
    if exact(params) is not None:
        fine = np.linspace(0, data.time.values[-1], 60 * len(params.torques) + 1)
        path = []
        for time in fine:
            turns = annulus(params).turns([*params.torques[: int(time)], given.value(time)])
            assert turns is not None  # no torque on the way is larger than those at the turning points
            path.append(turns[-1].displacement)
        torque = torque_at(params, fine)
        axes.plot(1e3 * np.array(path), torque, color=BLACK, linestyle=DASHED, linewidth=0.9, label="exact", zorder=3)
    angle = 1e3 * rim_angle(params, data)
    axes.plot(angle, torque_at(params, data.time.values), color=BLUE, linewidth=1.8, label="computed")
    axes.legend(loc="upper left")
    axes.set(xlabel=r"rim angle $\varphi$ [mrad]", ylabel="torque $T$ [N m]")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.22 * (high - low))


def _history(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    known = exact(params)
    axes.plot(1e3 * data.time.values, 1e3 * rim_angle(params, data), color=BLUE, label="computed")
    if known is not None:
        axes.axhline(
            1e3 * known[0].displacement, color=BLACK, linestyle=DASHED, linewidth=0.9, label="quasi-static, exact"
        )
    axes.legend(loc="lower right")
    axes.set(xlabel="time $t$ [ms]", ylabel=r"rim angle $\varphi$ [mrad]", xlim=(0, 1e3 * data.time.values[-1]))


def _inside(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    known = exact(params)
    dynamic = params.scheme != QUASI_STATIC
    count = data.sizes["time"] - 1
    shown = [1] if dynamic else [leg for leg in reached(params) if leg * params.steps <= count][-len(COLOURS) :]
    for leg, colour in zip(shown, COLOURS, strict=False):
        r, torque = carried_torque(params, data, count if dynamic else leg * params.steps)
        width = 2.4 - 1.4 * shown.index(leg) / max(len(shown) - 1, 1)
        axes.plot(1e3 * r, torque, color=colour, linewidth=width, label="at the end" if dynamic else f"leg {leg}")
        if known is not None:
            fine = np.linspace(params.inner_radius, params.outer_radius, 400)
            carried = annulus(params).torque(known[leg - 1], fine)
            axes.plot(1e3 * fine, carried, color=BLACK, linestyle=DASHED, linewidth=0.7, zorder=3)
    if shown:
        axes.legend(loc="upper right", fontsize=6)
    axes.set(xlabel="radius $r$ [mm]", ylabel="carried torque $T(r)$ [N m]")
    axes.set_xlim(1e3 * params.inner_radius, 1e3 * params.outer_radius)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.2 * (high - low))


def _disc(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Slipped cells at the end, the displacement enlarged so that the largest is a tenth of the outer radius."""
    path, cells = data.slip_path.values[-1], data.cells.values
    share = (path > 1e-9 * path.max(initial=0.0))[cells].mean(axis=1)
    moved = data.position.values[-1] - data.X.values
    size = max(float(np.abs(moved).max()), 1e-300)
    factor = 0.1 * params.outer_radius / size
    mesh(axes, 1e3 * (data.X.values + factor * moved), cells, [SKY if s > 0.5 else LIGHT for s in share])
    known = exact(params)
    if known is not None:
        largest = annulus(params).slip_radius(max(map(abs, params.torques[: max(1, len(reached(params)))])))
        axes.add_patch(Circle((0, 0), 1e3 * largest, fill=False, linestyle=DASHED, linewidth=0.9, zorder=3))
    reach = 1.12e3 * params.outer_radius
    axes.set(aspect="equal", xlim=(-reach, reach), ylim=(-reach, reach), xlabel="$x$ [mm]", ylabel="$y$ [mm]")
    marks = "blue: slipped" + ("" if known is None else "; dashed: exact")
    axes.set_title(f"{marks}\ndisplacement × {factor:.2g}", fontsize=6, loc="right")
