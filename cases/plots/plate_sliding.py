"""The picture of plate_sliding: the plate along its way, stick and slip, friction, speeds, energy."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from cases.app.drawing.style import (
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
    instants_named,
    letter,
    mesh,
    shade,
    spans,
    thinned,
)
from cases.plate_sliding import Parameters

STICKS, SLIPS, BACKWARD = SKY, YELLOW, PURPLE
SNAPSHOTS = 6


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw six snapshots in space, then speeds with the stick fraction, and the energy ledger."""
    figure.set_size_inches(PAGE, 7.1)
    snapshots, histories = np.ravel(np.array(figure.subfigures(2, 1, height_ratios=[2.1, 1])))
    panels = snapshots.subplots(2, SNAPSHOTS // 2, sharex=True, sharey=True)
    instants = chosen_instants(data)
    for number, (axes, instant) in enumerate(zip(panels.flat, instants, strict=True)):
        snapshot(axes, data, int(instant), f"({'abcdef'[number]})")
    for axes in panels[-1]:
        axes.set_xlabel("$x$ [m]")
    for axes in panels[:, 0]:
        axes.set_ylabel("$y$ [m]")
    backward = any(np.any(node_state(data, int(instant)) == 2) for instant in instants)
    snapshots.legend(handles=key(backward=backward), loc="outside upper center", ncols=3, columnspacing=1.4)
    motion, energy = histories.subplots(1, 2)
    _motion(motion, data, instants)
    energy_ledger(energy, data)
    letter(motion, "g")
    letter(energy, "h")


def chosen_instants(data: xr.Dataset) -> NDArray[np.int_]:
    """Return six instants: slip has run through half of the plate; four along way and turn, the last of them
    half arrested; the stop. Where nothing of that happens, six instants evenly along the way, or in time if
    there is none.
    """
    share = data.stick.values.mean(axis=1)
    moved = np.hypot(*np.diff(data.frame_position.values, axis=0).T)
    size = np.ptp(data.X.values, axis=0).max() / 2
    way = np.concatenate([[0.0], np.cumsum(moved + size * np.abs(np.diff(data.frame_angle.values)))])
    if way[-1] <= 1e-9 * size:  # rounding
        return np.linspace(0, len(way) - 1, SNAPSHOTS).round().astype(int)
    instants = np.searchsorted(way, np.array([0, 0.12, 0.4, 0.75, 0.95, 1]) * way[-1] * (1 - 1e-12))
    partial = np.flatnonzero((share > 0.15) & (share < 0.85))
    for place, mine in ((0, partial[partial < instants[1]]), (4, partial[partial > instants[3]])):
        if mine.size:
            instants[place] = mine[np.argmin(np.abs(share[mine] - 0.5))]
    result: NDArray[np.int_] = instants
    return result


def node_state(data: xr.Dataset, instant: int) -> NDArray[np.int_]:
    """Return per node, (node,), 0: sticks; 1: slips; 2: slips against the motion of the frame's origin."""
    against = data.velocity.values[instant] @ data.frame_velocity.values[instant] < 0
    return np.where(data.stick.values[instant].astype(bool), 0, np.where(against, 2, 1))


def snapshot(axes: Axes, data: xr.Dataset, instant: int, name: str) -> None:
    """Draw the plate in space at a stored instant: where it sticks, its friction, its frame and the way of that."""
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
    axes.set_title(f"{name}  $t$ = {float(data.time.values[instant]):.3g} s", loc="left", pad=3)
    low, high = data.position.values.min(axis=(0, 1)), data.position.values.max(axis=(0, 1))
    margin = max(0.03 * (high - low).max(), spacing)
    high = np.maximum(high, [high[0], 0.42 * size.max()])  # room for the frame's axis
    axes.set(aspect="equal", xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin))


def key(*, backward: bool) -> list[Patch | Line2D]:
    """Return the handles of the snapshots' legend."""
    arrow = Line2D([], [], color=BLACK, marker=r"$\rightarrow$", linestyle="none", markersize=9)
    arrow.set_label(r"friction (full length: $\mu p_n$)")
    instants = Line2D([], [], color=BLACK, marker="|", linestyle="none", markersize=5, label="instants of (a) to (f)")
    states = [Patch(color=STICKS, label="sticks"), Patch(color=SLIPS, label="slips")]
    if backward:
        states.append(Patch(color=BACKWARD, label="slips against the plate's motion"))
    return [*states, arrow, Line2D([], [], color=BLACK, linewidth=0.8, label="way of the frame's origin"), instants]


def _motion(axes: Axes, data: xr.Dataset, instants: NDArray[np.int_]) -> None:
    times = data.time.values
    speed = np.hypot(*data.frame_velocity.values.T)
    arm = np.ptp(data.X.values, axis=0).max() / 2
    still = data.stick.values.all(axis=1)
    rest = spans(times, still)
    shade(axes, times, still, color=LIGHT)
    for values, colour, side, label in (
        (speed, BLUE, "left", r" $|\dot{x}_0|$"),
        (arm * data.frame_spin.values, VERMILION, "right", rf"$\omega\cdot${arm:.3g} m "),
    ):
        axes.plot(times, values, color=colour)
        top = int(np.argmax(np.abs(values)))
        spot = (times[top], values[top])
        axes.annotate(label, spot, (0, 2), textcoords="offset points", color=colour, ha=side, fontsize=7)
    axes.margins(y=0.12)
    axes.set(xlabel="time $t$ [s]", ylabel="speed [m/s]", xlim=(times[0], times[-1]))
    right = axes.twinx()
    right.spines["right"].set_visible(True)
    right.plot(times, data.stick.values.mean(axis=1), color=GREY, linewidth=0.8)
    right.set(ylim=(0, 1.02), ylabel="share of nodes that stick")
    right.yaxis.label.set_color(GREY)
    instants_named(axes, times[instants])
    if rest:
        middle = (rest[-1][0] + rest[-1][1]) / 2
        axes.text(middle, 0.5, "all nodes\nstick", transform=axes.get_xaxis_transform(), ha="center", fontsize=7)


def energy_ledger(axes: Axes, data: xr.Dataset) -> None:
    """Draw the energy ledger over time."""
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
    axes.legend(title=f"balance closes to {worst:.1e} J", title_fontsize=7, loc="best")
