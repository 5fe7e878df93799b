"""Pictures of bodies in space: blocks, balls and discs on the ground in an oblique view, their paths, and contact forces."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Circle
from numpy.typing import NDArray

from cases.app.drawing.style import BLACK, BLUE, GREY, SKY, VERMILION, number

Array = NDArray[np.float64]
Integers = NDArray[np.int_]

_TURN, _RISE = np.radians(21.0), np.radians(26.0)
VIEW = np.array(
    [
        [np.cos(_TURN), -np.sin(_TURN), 0.0],
        [np.sin(_RISE) * np.sin(_TURN), np.sin(_RISE) * np.cos(_TURN), np.cos(_RISE)],
    ]
)
"""Parallel projection of (x, y, z), seen from the front (-y), the left (-x) and above: rows to the right and up."""
TOWARDS = np.cross(VIEW[0], VIEW[1])
STICKS, SLIPS = BLUE, VERMILION
LIGHT = np.array([0.25, -0.35, 0.90])
"""Direction to the light."""


def turned(quaternion: Array, points: Array) -> Array:
    """Points (n, 3) m turned by a unit quaternion (w, x, y, z)."""
    w, axis = float(quaternion[0]), np.asarray(quaternion[1:], float)
    result: Array = points + 2.0 * w * np.cross(axis, points) + 2.0 * np.cross(axis, np.cross(axis, points))
    return result


def block(axes: Axes, centre: Array, quaternion: Array, size: Array, *, strength: float = 1.0) -> None:
    """Draw a block of ``size`` (3,) m as its three visible faces, in the view ``VIEW``."""
    half = 0.5 * np.asarray(size, float)
    corners = np.array(list(itertools.product((-1, 1), repeat=3))) * half
    place = centre + turned(quaternion, corners)
    faces, shades = [], []
    for axis, side in itertools.product(range(3), (-1, 1)):
        normal = np.zeros(3)
        normal[axis] = side
        outward = turned(quaternion, normal[None])[0]
        facing = float(outward @ TOWARDS)
        if facing <= 0.0:
            continue
        on = np.flatnonzero(np.sign(corners[:, axis]) == side)
        order = on[[0, 1, 3, 2]]
        faces.append(place[order] @ VIEW.T)
        shades.append(0.6 + 0.4 * max(float(outward @ LIGHT), 0.0))
    rgb = np.array([int(SKY[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])
    colours = [(*(1.0 - strength * (1.0 - shade * rgb)), 1.0) for shade in shades]
    axes.add_collection(PolyCollection(faces, facecolors=colours, edgecolors=BLACK, linewidths=0.5))


def line(axes: Axes, points: Array, **style: object) -> None:
    """Draw a line through points (n, 3) m in the same view."""
    points_in_view = np.asarray(points, float) @ VIEW.T
    axes.plot(points_in_view[:, 0], points_in_view[:, 1], **style)  # type: ignore[arg-type]


def ball(axes: Axes, centre: Array, quaternion: Array, radius: float) -> None:
    """Draw a ball with three great circles that turn with it."""
    middle = VIEW @ centre
    axes.add_patch(Circle((middle[0], middle[1]), radius, facecolor=SKY, edgecolor=BLACK, linewidth=0.6, zorder=2))
    angle = np.linspace(0.0, 2.0 * np.pi, 73)
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)])
    for axis in range(3):
        circle = turned(quaternion, np.roll(ring, axis, axis=1))
        arc = np.where((circle @ TOWARDS >= 0.0)[:, None], middle + radius * circle @ VIEW.T, np.nan)
        axes.plot(arc[:, 0], arc[:, 1], color=BLACK, linewidth=0.6, zorder=2.1)


def disc(axes: Axes, centre: Array, quaternion: Array, radius: float, half_height: float) -> None:
    """Draw an upright disc with a diameter that turns with it."""
    angle = np.linspace(0.0, 2.0 * np.pi, 73)
    rim = radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)])
    up = np.array([0.0, 0.0, half_height])
    front = np.flatnonzero(rim[:-1] @ TOWARDS > 0.0)
    front = np.roll(front, -int(np.argmax(np.diff(front, append=front[0] + 73) > 1)) - 1)
    wall = np.concatenate([rim[front] - up, rim[front][::-1] + up])
    rgb = np.array([int(SKY[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])
    faces = [(centre + wall) @ VIEW.T, (centre + rim + up) @ VIEW.T]
    colours = [(*(0.75 * rgb), 1.0), (*rgb, 1.0)]
    axes.add_collection(PolyCollection(faces, facecolors=colours, edgecolors=BLACK, linewidths=0.5, zorder=2))
    mark = centre + up + turned(quaternion, np.array([[-0.9 * radius, 0.0, 0.0], [0.9 * radius, 0.0, 0.0]]))
    line(axes, mark, color=BLACK, linewidth=0.8, zorder=2.1)


def ground(axes: Axes, low: Array, high: Array, *, shift: Array | None = None) -> float:
    """Draw the ground between ``low`` and ``high`` (2,) m with lines 1, 2 or 5 times 10^n m apart; return their distance, m."""
    span = float(np.max(high - low))
    power = 10.0 ** np.floor(np.log10(span / 4.0))
    spacing = float(max(k * power for k in (1, 2, 5) if k * power <= span / 4.0))
    place = np.zeros(3) if shift is None else shift
    corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    patch = np.array([(x, y, 0.0) for x, y in corners]) + place
    axes.add_collection(PolyCollection([patch @ VIEW.T], facecolors="0.94", edgecolors="none", zorder=0))
    lines = []
    for axis in (0, 1):
        for at in np.arange(np.ceil(low[axis] / spacing), np.floor(high[axis] / spacing) + 1) * spacing:
            ends = np.zeros((2, 3))
            ends[:, axis], ends[:, 1 - axis] = at, (low[1 - axis], high[1 - axis])
            lines.append((ends + place) @ VIEW.T)
    axes.add_collection(LineCollection(lines, colors="white", linewidths=0.7, zorder=0.1))
    return spacing


def contact(
    axes: Axes, places: Array, forces: Array, stick: Integers, scale: float, behind: Integers | None = None
) -> None:
    """Draw the contact forces (m, 3) N on a body at ``places`` (m, 3) m, to ``scale`` m/N, coloured by ``stick``.

    ``stick``: 1 sticks, 0 slips, -1 open (drawn hollow). Points ``behind`` (m,) the body are drawn first."""
    for k, (place, force, state) in enumerate(zip(places, forces, stick, strict=True)):
        foot, colour = VIEW @ place, {1: STICKS, 0: SLIPS}.get(int(state), GREY)
        layer = 0.5 if behind is not None and behind[k] else 4.0
        mark: dict[str, Any] = {"color": colour, "markerfacecolor": colour if state >= 0 else "white", "zorder": layer}
        axes.plot(*foot, "o", markersize=2.6, markeredgewidth=0.6, **mark)
        if state >= 0:
            arrow(axes, place, scale * force, colour, layer=layer)


def arrow(axes: Axes, tail: Array, vector: Array, colour: str, *, layer: float = 4.0) -> None:
    """Draw an arrow from ``tail`` (3,) m along ``vector`` (3,) m; none where it is zero."""
    if not np.any(vector):
        return
    foot, tip = VIEW @ tail, VIEW @ (tail + vector)
    look = {"arrowstyle": "-|>,head_width=0.12,head_length=0.3", "color": colour, "lw": 1.0, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (tip[0], tip[1]), (foot[0], foot[1]), arrowprops=look, zorder=layer, annotation_clip=False)
    axes.update_datalim([tip])


def space_snapshots(
    panels: Sequence[Axes],
    data: xr.Dataset,
    shown: Sequence[int],
    outline: Array,
    paint: Callable[[Axes, int], None],
    *,
    note: str = "",
) -> None:
    """Draw a body at instants, each on its own panel, all to one scale, at its place on the ground.

    ``paint`` draws the body at an instant; ``note`` is a further line of the legend. The path, and the ``outline`` (n, 2) m of the
    base about its centre at the start, are drawn on the ground. The window of ground shows the whole motion; on a long path it
    follows the body."""
    place, reach = data.frame_position.values[:, :2], 1.24 * float(np.hypot(*outline.T).max())
    low, high = place[list(shown)].min(axis=0), place[list(shown)].max(axis=0)
    low, high = np.minimum(low, place[0]), np.maximum(high, place[0])
    follows = bool(np.max(high - low) > 6.0 * reach)
    half = np.full(2, reach) if follows else 0.5 * (high - low) + reach
    start, limits = place[0] + np.vstack([outline, outline[:1]]), []
    for axes, instant in zip(panels, shown, strict=False):
        middle = place[instant] if follows else 0.5 * (low + high)
        spacing = ground(axes, middle - half, middle + half)
        if not follows:
            line(axes, _on_ground(start), color=BLACK, linestyle=(0, (3, 2)), linewidth=0.7, zorder=0.2)
            line(axes, _on_ground(place[: instant + 1]), color=BLACK, linewidth=0.7, zorder=0.2)
        paint(axes, instant)
        axes.set_aspect("equal")
        axes.autoscale_view()
        axes.set_axis_off()
        centre_in_view = VIEW[:, :2] @ middle
        limits.append([np.array(axes.get_xlim()) - centre_in_view[0], np.array(axes.get_ylim()) - centre_in_view[1]])
        x, y = (round(1e3 * float(value), 6) + 0.0 for value in place[instant])
        said = f"$t$ = {number(float(data.time.values[instant]))} s\n({number(x)}, {number(y)}) mm"
        axes.text(0.5, -0.02, said, transform=axes.transAxes, ha="center", va="top", fontsize=7)
    window = np.stack([np.min(limits, axis=0)[:, 0], np.max(limits, axis=0)[:, 1]], axis=1)
    for axes, instant in zip(panels, shown, strict=False):
        centre_in_view = VIEW[:, :2] @ (place[instant] if follows else 0.5 * (low + high))
        axes.set(xlim=window[0] + centre_in_view[0], ylim=window[1] + centre_in_view[1])
    texts = [
        f"ground lines every {number(spacing, 6)} m",
        *([] if follows else ["dashed: start"]),
        *([note] if note else []),
    ]
    between = panels[len(panels) // 2]
    caption = between.text(
        0.5, 1.03, "; ".join(texts), transform=between.transAxes, ha="center", va="bottom", fontsize=7
    )
    caption.set_in_layout(False)  # wider than its panel, it would push the panels apart
    for axes in panels[len(shown) :]:
        axes.set_axis_off()


def rectangle(size: Array) -> Array:
    """Outline (4, 2) m of the base of a block of ``size`` (3,) m about its centre."""
    corners: Array = 0.5 * np.asarray(size)[:2] * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return corners


def _on_ground(place: Array) -> Array:
    """Points (n, 3) m of the ground at ``place`` (n, 2) m."""
    return np.column_stack([place, np.zeros(len(place))])


def block_with_feet(size: Array, data: xr.Dataset, weight: float | None) -> Callable[[Axes, int], None]:
    """Function that draws a block of ``size`` (3,) m at an instant; given its ``weight`` N, with the forces on its feet."""

    def paint(axes: Axes, instant: int) -> None:
        centre, attitude = data.frame_position.values[instant], data.frame_rotation.values[instant]
        block(axes, centre, attitude, size)
        if weight is None:
            return
        towards = turned(attitude * [-1.0, 1.0, 1.0, 1.0], TOWARDS[None])[0]
        behind = np.all(np.sign(data.X.values) * towards <= 0.0, axis=1)
        scale = 3.0 * min(size[2], 0.35 * float(np.hypot(*size[:2]))) / max(weight, 1e-300)
        force, stick = data.contact_force.values[instant], data.stick.values[instant]
        contact(axes, data.position.values[instant], force, stick, scale, behind)

    return paint


def disc_snapshots(panels: Sequence[Axes], data: xr.Dataset, angle: Array, radius: float, half_height: float) -> None:
    """Draw a disc at as many instants as there are ``panels``, with a diameter that turns by ``angle`` (times,) rad."""

    def paint(axes: Axes, instant: int) -> None:
        attitude = np.array([np.cos(0.5 * angle[instant]), 0.0, 0.0, np.sin(0.5 * angle[instant])])
        centre = np.array([*data.frame_position.values[instant, :2], half_height])
        disc(axes, centre, attitude, radius, half_height)

    around = np.linspace(0.0, 2.0 * np.pi, 72, endpoint=False)
    rim = radius * np.column_stack([np.cos(around), np.sin(around)])
    space_snapshots(panels, data, instants(data, 0.0, most=len(panels)).tolist(), rim, paint)


def base_pressure(axes: Axes, data: xr.Dataset, instant: int, areas: Array) -> None:
    """Draw the pressure over its mean on a base whose nodes have ``areas`` (nodes,), from above, and the velocity's direction."""
    place = 1e3 * (data.position.values[instant, :, :2] - data.frame_position.values[instant, :2])
    press = data.normal_force.values[instant]
    share = press / areas * (areas.sum() / max(float(press.sum()), 1e-300))
    shown = axes.tripcolor(*place.T, share, shading="gouraud", cmap="cividis")
    velocity = data.frame_velocity.values[instant, :2]
    tip = 0.7 * float(np.hypot(*place.T).max()) * velocity / max(float(np.hypot(*velocity)), 1e-300)
    axes.annotate("", tip, (0.0, 0.0), arrowprops={"arrowstyle": "-|>", "lw": 1.1, "color": "white"})
    axes.text(float(1.1 * tip[0]), float(1.1 * tip[1]), "$v$", color="white", fontsize=8, va="center")
    axes.set(xlabel="$x - x_0$ [mm]", ylabel="$y - y_0$ [mm]", aspect="equal")
    axes.set_title(f"$t$ = {number(float(data.time.values[instant]))} s", loc="right", fontsize=7)
    axes.figure.colorbar(shown, ax=axes, shrink=0.7).set_label("pressure / mean [1]")


def ground_path(axes: Axes, place: Array, stick: NDArray[np.bool_]) -> None:
    """Draw a path (n, 3) m on the ground in the colours of stick, where ``stick`` (n,) is true, and of slip."""
    flat = place * [1.0, 1.0, 0.0]
    for mask, colour in ((~stick, SLIPS), (stick, STICKS)):
        line(axes, np.where((mask | np.roll(mask, -1))[:, None], flat, np.nan), color=colour, linewidth=1.3, zorder=1)


def states(axes: Axes, stick: Integers, **place: Any) -> None:
    """Add a legend of the states that occur; ``place``: its position, as for Matplotlib's legends."""
    handles = []
    for code, colour, name, face in (
        (0, SLIPS, "slips", SLIPS),
        (1, STICKS, "sticks", STICKS),
        (-1, GREY, "open", "white"),
    ):
        if np.any(stick == code):
            width = 1.0 if code >= 0 else 0.0
            mark = Line2D(
                [], [], color=colour, marker="o", markersize=3, markerfacecolor=face, linewidth=width, label=name
            )
            handles.append(mark)
    title = "contact force" if "ncols" not in place else None
    axes.legend(handles=handles, title=title, title_fontsize=7, **({"loc": "upper left"} | place))


def instants(data: xr.Dataset, length: float, most: int = 6) -> Integers:
    """At most ``most`` stored instants, with the first and the last place, at least ``length`` m of path apart."""
    lengths = np.linalg.norm(np.diff(data.frame_position.values, axis=0), axis=1)
    path = np.concatenate([[0.0], np.cumsum(lengths)])
    count = int(np.clip(path[-1] / max(length, 1e-300), 1, most - 1)) + 1
    return np.unique(np.searchsorted(path, np.linspace(0.0, path[-1], count) * (1.0 - 1e-12)))
