"""The picture of plate_sliding: the deformed plate along its way, where it sticks and slips, friction, speeds, energy."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from cases.plate_sliding import Parameters
from cases.plot_style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    LIGHT,
    ORANGE,
    PAGE,
    PURPLE,
    SKY,
    VERMILION,
    YELLOW,
    frame_axes,
    letter,
    mesh,
    shade,
    thinned,
)

STICKS, SLIPS, BACKWARD = SKY, YELLOW, PURPLE
SNAPSHOTS = 6


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw six snapshots in space, then speeds with the stick fraction, and the energy ledger."""
    figure.set_size_inches(PAGE, 6.2)
    snapshots, histories = figure.subfigures(2, 1, height_ratios=[1.75, 1])
    panels = snapshots.subplots(2, SNAPSHOTS // 2, sharex=True, sharey=True)
    instants = chosen_instants(data)
    for number, (axes, instant) in enumerate(zip(panels.flat, instants, strict=True)):
        _snapshot(axes, params, data, int(instant), f"({'abcdef'[number]})")
    for axes in panels[-1]:
        axes.set_xlabel("$x$ [m]")
    for axes in panels[:, 0]:
        axes.set_ylabel("$y$ [m]")
    snapshots.legend(handles=_key(params), loc="outside upper center", ncols=5, columnspacing=1.4)
    motion, energy = histories.subplots(1, 2)
    _motion(motion, data, instants)
    _energy(energy, data)
    letter(motion, "g")
    letter(energy, "h")


def chosen_instants(data: xr.Dataset) -> NDArray[np.int_]:
    """Return six instants: half of the plate slips for the first time; then evenly along the way and turn; the stop."""
    share = data.stick.values.mean(axis=1)
    moved = np.hypot(*np.diff(data.frame_position.values, axis=0).T)
    size = np.ptp(data.X.values, axis=0).max() / 2
    way = np.concatenate([[0.0], np.cumsum(moved + size * np.abs(np.diff(data.frame_angle.values)))])
    shares = np.linspace(0, 1, SNAPSHOTS) * way[-1] * (1 - 1e-9)
    instants = np.searchsorted(way, shares).clip(max=len(way) - 1)
    partial = np.flatnonzero((share > 0.15) & (share < 0.85))
    if partial.size and (len(way) > 2) and partial[0] < instants[1]:
        early = partial[partial < instants[1]]
        instants[0] = early[np.argmin(np.abs(share[early] - 0.5))]
    return instants


def node_state(data: xr.Dataset, instant: int) -> NDArray[np.int_]:
    """Return per node, (node,), 0: sticks; 1: slips; 2: slips against the motion of the frame's origin."""
    against = data.velocity.values[instant] @ data.frame_velocity.values[instant] < 0
    return np.where(data.stick.values[instant].astype(bool), 0, np.where(against, 2, 1))


def _snapshot(axes: Axes, params: Parameters, data: xr.Dataset, instant: int, name: str) -> None:
    position, cells = data.position.values[instant], data.cells.values
    mesh(axes, data.position.values[0], cells, LIGHT, edgecolors="none", zorder=0)
    states = node_state(data, instant)[cells]
    colours = np.array([STICKS, SLIPS, BACKWARD])
    # A cell takes the state that most of its corners have; on a tie the one that moves more.
    votes = (states[:, :, None] == np.arange(3)).sum(axis=1)
    mesh(axes, position, cells, colours[2 - np.argmax(votes[:, ::-1], axis=1)])
    way = data.frame_position.values[: instant + 1]
    axes.plot(*way.T, color=BLACK, linewidth=0.8, zorder=4)
    size = np.ptp(data.X.values, axis=0)
    spacing = size.max() / 8.5
    nodes = thinned(data.X.values, spacing)
    weight = data.friction_weight.values
    nodes = nodes[weight[nodes] > 0]
    if nodes.size:
        share = data.friction_force.values[instant][nodes] / weight[nodes, None]
        axes.quiver(
            *position[nodes].T,
            *(0.8 * spacing * share).T,
            angles="xy",
            scale_units="xy",
            scale=1,
            width=0.0055,
            headwidth=3.2,
            headlength=3.6,
            headaxislength=3.2,
            color=BLACK,
            zorder=3,
        )
    frame_axes(axes, data, instant, 0.32 * size.max())
    axes.set_title(f"{name}  $t$ = {float(data.time[instant]):.3g} s", loc="left", pad=3)
    low, high = data.position.values.min(axis=(0, 1)), data.position.values.max(axis=(0, 1))
    margin = 0.04 * (high - low).max()
    axes.set(
        aspect="equal", xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin)
    )


def _key(params: Parameters) -> list[Patch | Line2D]:
    arrow = Line2D([], [], color=BLACK, marker=r"$\rightarrow$", linestyle="none", markersize=9)
    arrow.set_label(r"friction (full length: $\mu p_n$)")
    way = Line2D([], [], color=BLACK, linewidth=0.8, label="way of the frame")
    return [
        Patch(color=STICKS, label="sticks"),
        Patch(color=SLIPS, label="slips"),
        Patch(color=BACKWARD, label="slips backward"),
        arrow,
        way,
    ]


def _motion(axes: Axes, data: xr.Dataset, instants: NDArray[np.int_]) -> None:
    times = data.time.values
    speed = np.hypot(*data.frame_velocity.values.T)
    arm = np.ptp(data.X.values, axis=0).max() / 2
    shade(axes, times, data.stick.values.all(axis=1), color=LIGHT)
    axes.plot(times, speed, color=BLUE, label=r"$|\dot{x}_0|$")
    axes.plot(times, arm * data.frame_spin.values, color=VERMILION, label=rf"$\omega\cdot${arm:.3g} m")
    axes.set(xlabel="time $t$ [s]", ylabel="speed [m/s]", xlim=(times[0], times[-1]))
    right = axes.twinx()
    right.spines["right"].set_visible(True)
    right.plot(times, data.stick.values.mean(axis=1), color=GREY, linewidth=0.8)
    right.set(ylim=(0, 1.02), ylabel="share of nodes that stick")
    right.yaxis.label.set_color(GREY)
    axes.plot(times[instants], np.zeros(len(instants)), "|", color=BLACK, markersize=5, clip_on=False)
    axes.legend(loc="upper center")


def _energy(axes: Axes, data: xr.Dataset) -> None:
    curves = (
        ("work_external", BLACK, "work of the pull"),
        ("dissipation_friction", VERMILION, "friction"),
        ("energy_kinetic", BLUE, "kinetic"),
        ("energy_strain", GREEN, "strain"),
        ("dissipation_numerical", ORANGE, "numerical"),
    )
    times = data.time.values
    for name, colour, label in curves:
        axes.plot(times, data[name].values, color=colour, label=label, linewidth=1.0)
    worst = float(np.abs(data.balance_error.values).max())
    axes.set(xlabel="time $t$ [s]", ylabel="energy [J]", xlim=(times[0], times[-1]))
    axes.legend(title=f"balance closes to {worst:.1e} J", title_fontsize=7, loc="center right")
