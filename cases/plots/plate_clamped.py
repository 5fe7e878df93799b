"""The picture of plate_clamped: the plate along its guide, stick and slip, friction; what holds the clamp, what bends the plate."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, LIGHT, PAGE, VERMILION, instants_named, letter, shade
from cases.plate_clamped import Parameters, clamp_moment, friction_on_deformation, release_jump, wave_speed
from cases.plots.plate_sliding import SNAPSHOTS, chosen_instants, energy_ledger, key, node_state, snapshot

RAIL: dict[str, Any] = {"color": GREY, "linewidth": 0.6, "linestyle": (0, (6, 3))}


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw six snapshots in space, then speed, stick, the guide's reaction, and the energy ledger."""
    figure.set_size_inches(PAGE, 7.4)
    snapshots, histories = np.ravel(np.array(figure.subfigures(2, 1, height_ratios=[1.0, 1.0])))
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
    handles = [*key(backward=backward), Line2D([], [], **RAIL, label="rails of the clamp")]
    snapshots.legend(handles=handles, loc="outside upper center", ncols=4, columnspacing=1.4)
    (speed, share), (reaction, energy) = histories.subplots(2, 2, sharex=True)
    _speed(speed, params, data, instants)
    _shares(share, data)
    _reaction(reaction, params, data)
    energy_ledger(energy, data)
    for axes, name in ((speed, "g"), (share, "h"), (reaction, "i"), (energy, "j")):
        letter(axes, name)
    for axes in (speed, share):
        axes.set_xlabel("")


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
        axes.axhline(side, zorder=0.5, **RAIL)


def _speed(axes: Axes, params: Parameters, data: xr.Dataset, instants: NDArray[np.int_]) -> None:
    """Draw the clamp's speed, and what the end of the push, a wave, leaves of it."""
    times, v = data.time.values, data.frame_velocity.values[:, 0]
    shade(axes, times, data.stick.values.all(axis=1), color=LIGHT, label="all nodes stick")
    axes.plot(times, v, color=BLUE)
    axes.set(xlabel="time $t$ [s]", ylabel=r"speed of the clamp $\dot{x}_0$ [m/s]", xlim=(times[0], times[-1]))
    jump = release_jump(params)
    if jump > 0.0 and params.release < times[-1]:
        at = v[np.searchsorted(times, params.release * (1 + 1e-9)) - 1]
        ends = (params.release, params.release + 0.5 * params.length / wave_speed(params))
        axes.plot(ends, [at - jump] * 2, color=VERMILION, linestyle="--", linewidth=1.0, zorder=3)
        text = "less $P/(\\rho c A)$:\nthe push on the clamp ends,\na wave runs into the plate"
        arrow = {"arrowstyle": "-", "color": VERMILION, "lw": 0.6}
        place = (params.release + 0.25 * (times[-1] - params.release), 0.62 * at)
        axes.annotate(text, (ends[1], at - jump), place, fontsize=6, color=VERMILION, va="center", arrowprops=arrow)
    instants_named(axes, times[instants])
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right")


def _shares(axes: Axes, data: xr.Dataset) -> None:
    times = data.time.values
    shade(axes, times, data.stick.values.all(axis=1), color=LIGHT)
    axes.plot(times, data.stick.values.mean(axis=1), color=GREY, label="nodes that stick")
    axes.plot(times, friction_on_deformation(data), color=VERMILION, label="friction that deforms (while all slide)")
    axes.set(xlabel="time $t$ [s]", ylabel="share", xlim=(times[0], times[-1]), ylim=(0, 1.45))
    axes.legend(loc="upper left")


def _reaction(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times = data.time.values
    axes.axhline(0.0, color=LIGHT, linewidth=0.8, zorder=0)
    axes.plot(times, data.clamp_reaction.values[:, 1], color=VERMILION, linewidth=0.9, label="force $R_y$")
    axes.set(xlabel="time $t$ [s]", ylabel="guide's force $R_y$ [N]", xlim=(times[0], times[-1]))
    axes.yaxis.label.set_color(VERMILION)
    right = axes.twinx()
    right.spines["right"].set_visible(True)
    right.plot(times, clamp_moment(params, data), color=GREEN, linewidth=0.9, label="moment")
    right.set_ylabel("guide's moment $M$ [N m]")
    right.yaxis.label.set_color(GREEN)
    low, high = (min(a.get_ylim()[0] / max(1e-300, max(map(abs, a.get_ylim()))) for a in (axes, right)),
                 max(a.get_ylim()[1] / max(1e-300, max(map(abs, a.get_ylim()))) for a in (axes, right)))  # fmt: skip
    for one in (axes, right):  # one zero line
        size = max(map(abs, one.get_ylim()))
        one.set_ylim(low * size, high * size)
