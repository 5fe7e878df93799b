"""The picture of plate_clamped: the plate along its guide, stick and slip, friction; what holds the clamp, what bends the plate."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cases.drawing.style import BLACK, BLUE, GREEN, GREY, LIGHT, PAGE, VERMILION, letter, shade
from cases.plate_clamped import Parameters, clamp_moment, friction_on_deformation
from cases.plots.plate_sliding import SNAPSHOTS, chosen_instants, energy_ledger, key, node_state, snapshot


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw six snapshots in space, then speed and stick, the guide's reaction, and the energy ledger."""
    figure.set_size_inches(PAGE, 5.9)
    snapshots, histories = np.ravel(np.array(figure.subfigures(2, 1, height_ratios=[1.65, 1])))
    panels = snapshots.subplots(2, SNAPSHOTS // 2, sharex=True, sharey=True)
    instants = _instants(data)
    for number, (axes, instant) in enumerate(zip(panels.flat, instants, strict=True)):
        snapshot(axes, data, int(instant), f"({'abcdef'[number]})")
        _guide(axes, data, int(instant))
    for axes in panels[-1]:
        axes.set_xlabel("$x$ [m]")
    for axes in panels[:, 0]:
        axes.set_ylabel("$y$ [m]")
    backward = any(np.any(node_state(data, int(instant)) == 2) for instant in instants)
    snapshots.legend(handles=key(backward=backward), loc="outside upper center", ncols=5, columnspacing=1.4)
    speed, reaction, energy = histories.subplots(1, 3)
    _speed(speed, data, instants)
    _reaction(reaction, params, data)
    energy_ledger(energy, data)
    if (legend := energy.get_legend()) is not None:  # a narrow panel
        legend.set_loc("center right")
        legend.set_title("")
        for text in legend.get_texts():
            text.set_fontsize(6)
    for axes, name in ((speed, "g"), (reaction, "h"), (energy, "i")):
        letter(axes, name)


def _instants(data: xr.Dataset) -> NDArray[np.int_]:
    """Return six instants in order: as for the sliding plate, but the last is the stop, or the end where there is none."""
    instants = np.sort(chosen_instants(data))
    moving = np.flatnonzero(~data.stick.values.astype(bool).all(axis=1))
    instants[-1] = min(moving[-1] + 1, data.sizes["time"] - 1) if moving.size else data.sizes["time"] - 1
    return instants


def _guide(axes: Axes, data: xr.Dataset, instant: int) -> None:
    """Draw the clamp and the rails that it runs between."""
    reference = data.X.values
    clamp = np.isclose(reference[:, 0], reference[:, 0].min())
    x, y = data.position.values[instant][clamp].T
    height = np.ptp(y)
    axes.plot([x[0], x[0]], [y.min() - 0.06 * height, y.max() + 0.06 * height], color=BLACK, linewidth=3.0, zorder=6)
    for side in (y.min() - 0.06 * height, y.max() + 0.06 * height):
        axes.axhline(side, color=GREY, linewidth=0.6, linestyle=(0, (6, 3)), zorder=0.5)


def _speed(axes: Axes, data: xr.Dataset, instants: NDArray[np.int_]) -> None:
    times = data.time.values
    shade(axes, times, data.stick.values.all(axis=1), color=LIGHT)
    axes.plot(times, data.frame_velocity.values[:, 0], color=BLUE)
    axes.set(xlabel="time $t$ [s]", ylabel=r"speed of the clamp $\dot{x}_0$ [m/s]", xlim=(times[0], times[-1]))
    axes.yaxis.label.set_color(BLUE)
    axes.plot(times[instants], np.zeros(len(instants)), "|", color=BLACK, markersize=5, clip_on=False)
    right = axes.twinx()
    right.spines["right"].set_visible(True)
    right.plot(times, data.stick.values.mean(axis=1), color=GREY, linewidth=0.8, label="nodes\nthat stick")
    right.plot(times, friction_on_deformation(data), color=VERMILION, linewidth=1.0, label="friction\nthat deforms")
    right.set(ylim=(0, 1.02), ylabel="share")
    right.legend(loc="lower right", bbox_to_anchor=(1.0, 0.1), fontsize=6)


def _reaction(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times = data.time.values
    axes.axhline(0.0, color=LIGHT, linewidth=0.8, zorder=0)
    axes.plot(times, data.clamp_reaction.values[:, 1], color=VERMILION, linewidth=0.9, label="force $R_y$")
    axes.set(xlabel="time $t$ [s]", ylabel="guide's force [N]", xlim=(times[0], times[-1]))
    axes.yaxis.label.set_color(VERMILION)
    right = axes.twinx()
    right.spines["right"].set_visible(True)
    right.plot(times, clamp_moment(params, data), color=GREEN, linewidth=0.9, label="moment")
    right.set_ylabel("guide's moment [N m]")
    right.yaxis.label.set_color(GREEN)
    low, high = (min(a.get_ylim()[0] / max(1e-300, max(map(abs, a.get_ylim()))) for a in (axes, right)),
                 max(a.get_ylim()[1] / max(1e-300, max(map(abs, a.get_ylim()))) for a in (axes, right)))  # fmt: skip
    for one in (axes, right):  # one zero line
        size = max(map(abs, one.get_ylim()))
        one.set_ylim(low * size, high * size)
