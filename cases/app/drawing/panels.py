"""Panels that the pictures of several cases share, each a function of the axes and of a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon
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
    number,
    shade,
    thinned,
)
from cases.app.parts.body_mesh import body_mesh
from floating_frame import Obstacle

Array = NDArray[np.float64]
Integers = NDArray[np.int_]

STICKS, SLIPS, BACKWARD = SKY, YELLOW, PURPLE
SNAPSHOTS = 6
LEDGER = {
    "work_external": (BLACK, "work of the loads"),
    "dissipation_friction": (VERMILION, "friction"),
    "energy_kinetic": (BLUE, "kinetic"),
    "energy_strain": (GREEN, "strain"),
    "contact_energy": (GREY, "in the contact"),
    "dissipation_contact": (PURPLE, "lost in the contact"),
    "dissipation_numerical": (ORANGE, "numerical"),
}
"""Variables of the energy ledger, their colours and names."""
INVISIBLE = 1e-6
"""Share of the largest energy below which a curve is left out."""


def letters(*panels: Axes, first: str = "a") -> None:
    """Name panels (a), (b), ... in their order, from the ``first`` letter on."""
    for code, axes in enumerate(panels, start=ord(first)):
        letter(axes, chr(code))


def stacked(figure: Figure, *heights: float) -> list[SubFigure]:
    """Divide a figure into parts, one above the other, with the given ratios of heights."""
    return list(np.ravel(np.array(figure.subfigures(len(heights), 1, height_ratios=heights))))


def prefix(largest: float) -> tuple[float, str]:
    """Factor and prefix of metres in which the ``largest`` value, m, has one to three digits."""
    for limit, factor, name in ((0.5, 1.0, ""), (5e-4, 1e3, "m"), (5e-7, 1e6, "µ")):
        if largest >= limit:
            return factor, name
    return 1e9, "n"


def second_axis(axes: Axes, label: str, colour: str) -> Axes:
    """Axes with the same abscissa and an ordinate of their own on the right, its label in a colour."""
    right: Axes = axes.twinx()
    right.spines["right"].set_visible(True)
    right.set_ylabel(label, color=colour)
    return right


def common_zero(*axes: Axes) -> None:
    """Bring the zeros of ordinates to one height, and mark it."""
    ranges = [one.get_ylim() for one in axes]
    sizes = [max(1e-300, *map(abs, limits)) for limits in ranges]
    low = min(limits[0] / size for limits, size in zip(ranges, sizes, strict=True))
    high = max(limits[1] / size for limits, size in zip(ranges, sizes, strict=True))
    for one, size in zip(axes, sizes, strict=True):
        one.set_ylim(low * size, high * size)
    axes[0].axhline(0.0, color=LIGHT, linewidth=0.8, zorder=0)


def beside_exact(
    axes: Axes,
    abscissa: Array,
    computed: Array,
    exact: Array | None,
    reference: str = "exact",
    *,
    over: Array | None = None,
) -> None:
    """Draw a computed quantity (n,) and, where it is known, the exact one, over an abscissa of its own if that is given."""
    axes.plot(abscissa, computed, color=BLUE, label="computed", linewidth=1.6)
    if exact is not None:
        dashed: dict[str, Any] = {"color": BLACK, "linestyle": (0, (3, 2)), "linewidth": 0.9}
        axes.plot(abscissa if over is None else over, exact, label=reference, **dashed)


def beside_limit(
    axes: Axes, times: Array, values: Array, limit: float | None, name: str, *, known: str = "limit"
) -> None:
    """Draw a number over time beside its limit, or beside another ``known`` value, where there is one."""
    axes.plot(times, values, color=BLUE, label="computed")
    if limit is not None:
        axes.axhline(limit, color=BLACK, linestyle=(0, (3, 2)), linewidth=0.8, label=f"{known} {number(limit, 4)}")
    axes.set(xlabel="time $t$ [s]", ylabel=name)
    axes.margins(x=0.0, y=0.25)
    axes.legend(loc="best")


def sticking(axes: Axes, data: xr.Dataset, label: str = "stick") -> None:
    """Shade the time in which all nodes stick."""
    shade(axes, data.time.values, data.stick.values.astype(bool).all(axis=1), color=LIGHT, label=label)


def energies(axes: Axes, data: xr.Dataset) -> None:
    """Draw the energy ledger over time; what stays below ``INVISIBLE`` of the largest energy is left out."""
    curves = {name: data[name].values for name in LEDGER if name in data}
    largest = max(float(np.abs(values).max()) for values in curves.values())
    for name, values in curves.items():
        colour, label = LEDGER[name]
        if float(np.abs(values).max()) > INVISIBLE * largest:
            axes.plot(data.time.values, values, color=colour, label=label, linewidth=1.0)
    times = data.time.values
    axes.set(xlabel="time $t$ [s]", ylabel="energy [J]", xlim=(times[0], times[-1]))
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="best")


def sticking_share(axes: Axes, data: xr.Dataset) -> None:
    """Draw the share of nodes that stick over time."""
    times = data.time.values
    sticking(axes, data, label="_")
    axes.plot(times, data.stick.values.mean(axis=1), color=GREY, label="nodes that stick")
    axes.set(xlabel="time $t$ [s]", ylabel="share", xlim=(times[0], times[-1]), ylim=(0, 1.02))


def speeds(axes: Axes, data: xr.Dataset, instants: Sequence[int] | Integers = ()) -> None:
    """Draw speed of the frame's origin, spin times half the body's length, and on the right the share of nodes that stick."""
    times, arm = data.time.values, float(np.ptp(data.X.values, axis=0).max()) / 2
    sticking(axes, data, label="all nodes stick")
    axes.plot(times, np.hypot(*data.frame_velocity.values.T), color=BLUE, label=r"$|\dot{x}_0|$")
    axes.plot(times, arm * data.frame_spin.values, color=VERMILION, label=rf"$\omega\cdot$ {number(arm)} m")
    axes.margins(y=0.12)
    axes.set(xlabel="time $t$ [s]", ylabel="speed [m/s]", xlim=(times[0], times[-1]))
    right = second_axis(axes, "share of nodes that stick", GREY)
    right.plot(times, data.stick.values.mean(axis=1), color=GREY, linewidth=0.8)
    right.set_ylim(0, 1.02)
    if len(instants):
        instants_named(right, times[np.asarray(instants)])
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.2, columnspacing=1.2)


def chosen_instants(data: xr.Dataset) -> Integers:
    """Six instants: slip over half of the plate; four along path and turn, the last with half of the plate arrested; the stop.

    Without these phases six instants evenly along the path, and without a path evenly in time.
    """
    share = data.stick.values.mean(axis=1)
    lengths = np.hypot(*np.diff(data.frame_position.values, axis=0).T)
    size = np.ptp(data.X.values, axis=0).max() / 2
    path = np.concatenate([[0.0], np.cumsum(lengths + size * np.abs(np.diff(data.frame_angle.values)))])
    if path[-1] <= 1e-9 * size:  # rounding
        return np.linspace(0, len(path) - 1, SNAPSHOTS).round().astype(int)
    late = (0.4, 0.75, 0.95) if share[-1] > 0.0 else (0.3, 0.53, 0.76)  # a plate that stops shows its last instants
    instants = np.searchsorted(path, np.array([0, 0.12, *late, 1]) * path[-1] * (1 - 1e-12))
    partial = np.flatnonzero((share > 0.15) & (share < 0.85))
    for place, mine in ((0, partial[partial < instants[1]]), (4, partial[partial > instants[3]])):
        if mine.size:
            instants[place] = mine[np.argmin(np.abs(share[mine] - 0.5))]
    result: Integers = instants
    return result


def node_state(data: xr.Dataset, instant: int) -> Integers:
    """State of each node, (node,): 0 sticks; 1 slips; 2 slips against the motion of the frame's origin."""
    against = data.velocity.values[instant] @ data.frame_velocity.values[instant] < 0
    return np.where(data.stick.values[instant].astype(bool), 0, np.where(against, 2, 1))


def snapshots(
    figure: Figure | SubFigure,
    data: xr.Dataset,
    instants: Integers,
    beside: Callable[[Axes, int], None] | None = None,
    handles: Sequence[Line2D] = (),
) -> None:
    """Draw a plate at six instants, with a legend. ``beside`` adds to an instant's panel; ``handles`` explain the additions."""
    panels = figure.subplots(2, SNAPSHOTS // 2, sharex=True, sharey=True)
    for name, axes, instant in zip("abcdef", panels.flat, instants, strict=True):
        _snapshot(axes, data, int(instant), f"({name})")
        if beside is not None:
            beside(axes, int(instant))
    for axes in panels[-1]:
        axes.set_xlabel("$x$ [m]")
    for axes in panels[:, 0]:
        axes.set_ylabel("$y$ [m]")
        axes.locator_params(axis="y", nbins=4)
    backward = any(np.any(node_state(data, int(instant)) == 2) for instant in instants)
    entries = [*_key(backward=backward), *handles]
    figure.legend(handles=entries, loc="outside upper center", ncols=-(-len(entries) // 2), columnspacing=1.4)


def clamped_snapshots(figure: Figure | SubFigure, data: xr.Dataset, instants: Integers) -> None:
    """Draw ``snapshots`` of a plate whose left edge is clamped to a guide along x."""
    rail: dict[str, Any] = {"color": GREY, "linewidth": 0.6, "linestyle": (0, (6, 3))}
    clamp = np.isclose(data.X.values[:, 0], data.X.values[:, 0].min())

    def guide(axes: Axes, instant: int) -> None:
        x, y = data.position.values[instant][clamp].T
        ends = (y.min() - 0.06 * np.ptp(y), y.max() + 0.06 * np.ptp(y))
        axes.plot([x[0], x[0]], ends, color=BLACK, linewidth=3.0, zorder=6)
        for side in ends:
            axes.axhline(side, zorder=0.5, **rail)

    snapshots(figure, data, instants, guide, [Line2D([], [], **rail, label="rails of the clamp")])


def snapshots_height(data: xr.Dataset) -> float:
    """Height in inches that ``snapshots`` need on a page's width."""
    low, high = _extent(data)
    across, up = high - low
    return float(2.0 * (0.27 * PAGE * up / across + 0.35) + 0.6)


def _extent(data: xr.Dataset) -> tuple[Array, Array]:
    """Lower left and upper right corner, m, of the snapshots: all places of the plate, and the frame's axes."""
    size = np.ptp(data.X.values, axis=0).max()
    low, high = data.position.values.min(axis=(0, 1)), data.position.values.max(axis=(0, 1))
    margin = max(0.03 * (high - low).max(), size / 8.5)
    high = np.maximum(high, [high[0], 0.42 * size])  # room for the frame's axis
    return low - margin, high + margin


def _snapshot(axes: Axes, data: xr.Dataset, instant: int, name: str) -> None:
    """Draw the plate at a stored instant: stick and slip, friction, frame and the path of its origin."""
    position, cells = data.position.values[instant], data.cells.values
    mesh(axes, data.position.values[0], cells, LIGHT, edgecolors="none", zorder=0)
    states = node_state(data, instant)[cells]
    colours = np.array([STICKS, SLIPS, BACKWARD])
    # A cell takes the state that most of its corners have; on a tie the one that moves more.
    votes = (states[:, :, None] == np.arange(3)).sum(axis=1)
    mesh(axes, position, cells, colours[2 - np.argmax(votes[:, ::-1], axis=1)])
    axes.plot(*data.frame_position.values[: instant + 1].T, color=BLACK, linewidth=0.8, zorder=4)
    size = np.ptp(data.X.values, axis=0).max()
    weight, nodes = data.friction_weight.values, thinned(data.X.values, size / 8.5)
    nodes = nodes[weight[nodes] > 0]
    if nodes.size:
        share = data.friction_force.values[instant][nodes] / weight[nodes, None]
        heads = {"width": 0.0055, "headwidth": 3.2, "headlength": 3.6, "headaxislength": 3.2}
        arrows = (0.8 * size / 8.5 * share).T
        scale = {"angles": "xy", "scale_units": "xy", "scale": 1}
        axes.quiver(*position[nodes].T, *arrows, color=BLACK, zorder=3, **heads, **scale)
    frame_axes(axes, data, instant, 0.32 * size)
    axes.set_title(f"{name}  $t$ = {number(float(data.time.values[instant]))} s", loc="left", pad=3)
    low, high = _extent(data)
    axes.set(aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def _key(*, backward: bool) -> list[Patch | Line2D]:
    """Handles of the snapshots' legend."""
    arrow = Line2D([], [], color=BLACK, marker=r"$\rightarrow$", linestyle="none", markersize=9)
    arrow.set_label(r"friction (full length: $\mu p_n$)")
    instants = Line2D([], [], color=BLACK, marker="|", linestyle="none", markersize=5, label="instants of (a) to (f)")
    states = [Patch(color=STICKS, label="sticks"), Patch(color=SLIPS, label="slips")]
    if backward:
        states.append(Patch(color=BACKWARD, label="slips against the plate's motion"))
    return [*states, arrow, Line2D([], [], color=BLACK, linewidth=0.8, label="path of the frame's origin"), instants]


def outlines(axes: Axes, data: xr.Dataset, shown: Sequence[tuple[int, str, str]]) -> None:
    """Draw a body's outline at instants, each (instant, colour, name), the first dashed, the last but one with its mesh."""
    times, (_, places, cells) = data.time.values, body_mesh(data)
    sides = np.sort(np.stack([cells, np.roll(cells, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    ends, count = np.unique(sides, axis=0, return_counts=True)
    rim = ends[count == 1]  # sides of one cell only
    mesh(axes, places[shown[-2][0]], cells, "#CFE6F5", linewidths=0.3, zorder=1)
    for instant, colour, name in shown:
        dashes: Any = (0, (3, 2)) if instant == 0 else "-"
        lines = LineCollection(list(places[instant][rim]), colors=colour, linewidths=1.0, linestyles=dashes, zorder=2)
        axes.add_collection(lines)
        axes.plot([], [], color=colour, linestyle=dashes, label=f"{name}, {number(1e3 * float(times[instant]))} ms")


def impact_height(data: xr.Dataset) -> float:
    """Height in inches that ``impact`` needs on a page's width."""
    low, high = _reach(data)
    return float(np.clip(0.88 * PAGE * (high - low)[1] / (high - low)[0], 1.5, 2.8)) + 0.8


def impact(axes: Axes, data: xr.Dataset, obstacle: Obstacle) -> None:
    """Draw a body before, at and after its impact, the obstacle, and the contact force at its largest, over a page's width."""
    sizes, last = np.hypot(*data.contact_force.values.T), data.sizes["time"] - 1
    hardest, length = int(np.argmax(sizes)), float(np.ptp(data.X.values, axis=0).max())
    touched = [(0, GREY, "before"), (hardest, ORANGE, "at impact"), (last, BLUE, "after")]
    outlines(axes, data, touched if hardest else [(0, GREY, "start"), (last, BLUE, "end")])
    low, high = _reach(data)
    broad = max(high[0] - low[0], (high[1] - low[1]) * 0.88 * PAGE / (impact_height(data) - 0.8))
    middle = 0.5 * (low[0] + high[0])
    axes.set(xlim=(middle - 0.5 * broad, middle + 0.5 * broad), ylim=(low[1], high[1]), aspect="equal")
    axes.set(xlabel="$x$ [m]", ylabel="$y$ [m]")
    time = float(data.time.values[hardest])
    for line in obstacle.outline(time, 10.0 * length):
        axes.plot(*line.T, color=BLACK, linewidth=1.5, zorder=3, scalex=False, scaley=False)
    if sizes[hardest] > 0.0:
        corners = body_mesh(data).places[hardest]
        depth = -obstacle.gap(corners, time).gap
        foot = corners[depth >= depth.max() - 1e-3 * length].mean(axis=0)
        tip = foot + 0.35 * length * data.contact_force.values[hardest] / sizes[hardest]
        head = {"arrowstyle": "-|>", "color": VERMILION, "lw": 1.2, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", tuple(tip), tuple(foot), arrowprops=head, zorder=5)
        axes.annotate(
            "$F_C$", tuple(tip), (-3, 0), textcoords="offset points", color=VERMILION, ha="right", va="center"
        )
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, columnspacing=1.2)


def _reach(data: xr.Dataset) -> tuple[Array, Array]:
    """Lower left and upper right corner, m, of all places of a body, with a margin."""
    places = body_mesh(data).places
    low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
    margin = 0.12 * float((high - low).max())
    return low - margin, high + margin


def strip(axes: Axes, data: xr.Dataset, instants: Integers, size: tuple[float, float]) -> None:
    """Draw a rectangular plate of ``size`` m at instants side by side with e_1; dashed: its reference shape in the frame."""
    reach = np.linalg.norm(data.displacement.values, axis=2).max()
    pitch = 1.06 * (np.hypot(*size) + 2.0 * float(reach))
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * np.divide(size, 2.0)
    for place, instant in enumerate(instants):
        angle, centre = float(data.frame_angle.values[instant]), np.array([place * pitch, 0.0])
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        shape = data.position.values[instant] - data.frame_position.values[instant] + centre
        mesh(axes, shape, data.cells.values, SKY, linewidths=0.3)
        axes.plot(*(corners @ turn.T + centre).T, color=BLACK, linestyle=(0, (3, 2)), linewidth=0.7)
        arrow = {"arrowstyle": "-|>", "lw": 0.9, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", tuple(centre + turn @ [0.42 * size[0], 0.0]), tuple(centre), arrowprops=arrow)
        text = f"$t$ = {number(float(data.time.values[instant]))} s"
        axes.text(centre[0], -0.52 * pitch, text, ha="center", va="top", fontsize=7)
    end = (len(instants) - 0.45) * pitch
    axes.plot([end, end], [-size[0] / 4, size[0] / 4], color=BLACK, linewidth=1.5)
    axes.text(end + 0.04 * pitch, 0, f"{number(size[0] / 2)} m", fontsize=7, va="center")
    axes.set(aspect="equal", xlim=(-0.55 * pitch, (len(instants) - 0.2) * pitch), ylim=(-0.67 * pitch, 0.5 * pitch))
    axes.set_axis_off()


def above_graphs(figure: Figure, data: xr.Dataset, reach: float) -> tuple[Axes, SubFigure]:
    """Axes over a page's width for the path of a body of radius ``reach`` m, and 2.5 inches below them."""
    span = np.ptp(data.frame_position.values, axis=0) + 2.2 * reach
    height = float(np.clip(6.2 * span[1] / span[0], 1.2, 3.2)) + 0.5
    figure.set_size_inches(PAGE, height + 2.5)
    above, below = stacked(figure, height, 2.5)
    return above.subplots(), below


def path(axes: Axes, data: xr.Dataset, size: float | tuple[float, float], count: int = 5) -> None:
    """Draw the path of a body and the body at ``count`` places along it: a disc of radius ``size`` m, or a rectangle.

    A line from its centre along e_1 shows its angle.
    """
    centre, angle = data.frame_position.values, data.frame_angle.values
    travelled = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(centre, axis=0).T))])
    places = np.searchsorted(travelled, np.linspace(0, 1, count) * travelled[-1])
    around = np.linspace(0, 2 * np.pi, 90)
    rim = np.column_stack([np.cos(around), np.sin(around)]) * size
    if isinstance(size, tuple):
        rim = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.divide(size, 2.0)
    for instant in np.unique(places.clip(max=len(angle) - 1)):
        cosine, sine = np.cos(angle[instant]), np.sin(angle[instant])
        turn = np.array([[cosine, -sine], [sine, cosine]])
        shape = centre[instant] + rim @ turn.T
        axes.add_patch(Polygon(shape, facecolor=BLUE, alpha=0.13, edgecolor="none"))
        axes.add_patch(Polygon(shape, fill=False, edgecolor=BLUE, linewidth=0.8))
        mark = centre[instant] + turn @ [rim[:, 0].max(), 0.0]
        axes.plot(*np.transpose([centre[instant], mark]), color=ORANGE, linewidth=1.4, zorder=4)
    axes.plot(*centre.T, color=BLACK, linewidth=0.9, zorder=3)
    axes.set(aspect="equal", xlabel="$x$ [m]", ylabel="$y$ [m]")
    axes.autoscale_view()
