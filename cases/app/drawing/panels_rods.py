"""Panels and styles that the pictures of rods and beams share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from numpy.typing import NDArray

from cases.app.drawing.panels import prefix, sticking
from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, LIGHT, ORANGE, PURPLE, SKY, VERMILION, mesh, number
from cases.app.parts.body_mesh import displacements
from cases.references.rods.rod_wave import RodWave

Array = NDArray[np.float64]

EXACT: dict[str, Any] = {"color": BLACK, "linestyle": (0, (3, 2)), "linewidth": 0.9, "zorder": 3}
"""Look of an exact solution over a computed one."""
SERIES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
BOX: dict[str, Any] = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.0}


def legend_above(axes: Axes, share: float, **style: Any) -> None:
    """Raise the upper end of the y axis by a `share` of its span, and put a legend there."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + share * (high - low))
    axes.legend(**{"loc": "upper right", "columnspacing": 1.2} | style)


def wave_plane(axes: Axes, x: Array, times: Array, v: Array, label: str) -> None:
    """Colour the plane of place and time by a velocity `v` (times, n) over its scale, grey where it is zero within rounding.

    The axis ends at 1.4 times the time of the last motion.
    """
    last = 1.4 * times[np.flatnonzero(np.any(np.abs(v) > 1e-9, axis=1))].max(initial=0.0)
    moving, back = np.ma.masked_array(v, np.abs(v) <= 1e-9), bool(np.any(v < -0.02))
    colours, low = ("RdBu_r", -1.0) if back else ("YlGnBu", 0.0)
    field = axes.pcolormesh(x, times, moving, cmap=colours, vmin=low, vmax=1.0, shading="nearest", rasterized=True)
    axes.figure.colorbar(field, ax=axes, location="right", aspect=40, pad=0.02, label=label)
    axes.set(facecolor=LIGHT, xlabel="distance $x$ from the loaded end [m]", ylabel="time $t$ [s]")
    axes.set(xlim=(0, x[-1]), ylim=(0, min(last, times[-1]) or times[-1]))


def characteristics(axes: Axes, wave: RodWave) -> None:
    """Draw fronts (dashed) and arrests (dotted) of a rod's wave with their equations, up to the reflection from the far end.

    The axes span the rod and the run.
    """
    length, end, c = axes.get_xlim()[1], axes.get_ylim()[1], wave.speed
    text: dict[str, Any] = {"textcoords": "offset points", "fontsize": 7, "bbox": BOX}
    starts = [0.0, wave.duration] if wave.duration < min(wave.arrest, end) else [0.0]
    for start in starts:
        t = np.array([start, min(wave.arrest, end, length / c + start / 2)])
        axes.plot(c * (t - start), t, **EXACT | {"linestyle": (0, (4, 2))})
    named = 0.62 * min(wave.arrest, end, length / c)
    axes.annotate("$x = ct$", (c * named, named), (8, -8), va="top", **text)
    stops = [("$t^* = 2P/(qc)$", wave.arrest, c * (wave.arrest - wave.duration), wave.penetration)]
    if 2 * wave.duration <= wave.arrest:
        stops.append(("$t = 2T$", 2 * wave.duration, 0.0, c * wave.duration))
    for name, time, near, far in stops:
        near, far = max(near, 0.0), min(far, 2 * length - c * time)
        if time <= end and near < far:
            axes.plot([near, far], [time, time], **EXACT | {"linestyle": ":"})
            axes.annotate(name, (near, time), (4, 4), **text)


def loop(axes: Axes, response: Array, load: Array, exact: tuple[Array, Array] | None, known: str = "exact") -> None:
    """Draw a load over its response and, where there are any, the `exact` responses and loads, labelled `known`."""
    axes.plot(response, load, color=BLUE, linewidth=1.8, label="computed")
    if exact is not None:
        axes.plot(*exact, **EXACT, label=known)
    legend_above(axes, 0.22, loc="upper left")


def profiles(axes: Axes, curves: list[tuple[str, Array, Array]], exact: list[tuple[Array, Array]], known: str) -> None:
    """Draw named curves (place, value), and over them the exact ones, labelled `known`.

    A curve may lie on top of an earlier one: the later ones are thinner.
    """
    shown = curves[-len(SERIES) :]
    for k, ((name, x, value), colour) in enumerate(zip(shown, SERIES, strict=False)):
        axes.plot(x, value, color=colour, linewidth=2.4 - 1.4 * k / max(len(shown) - 1, 1), label=name)
    for k, (x, value) in enumerate(exact[-len(SERIES) :]):
        axes.plot(x, value, **EXACT, label=known if k == 0 else None)
    legend_above(axes, 0.35, ncols=2)


def slipped(axes: Axes, data: xr.Dataset, radius: float | None, known: str) -> None:
    """Draw the cells of a disc that have slipped, and the slip `radius` m, labelled `known`, if it is given.

    Displacements are enlarged so that the largest is a tenth of the disc's radius.
    """
    path, cells, X = data.slip_path.values[-1], data.cells.values, data.X.values
    slips = (path > 1e-9 * path.max(initial=0.0))[cells].mean(axis=1) > 0.5
    displacement, size = displacements(data)[-1], float(np.hypot(*X.T).max())
    factor = 0.1 * size / max(float(np.abs(displacement).max()), 1e-300)
    mesh(axes, 1e3 * (X + factor * displacement), cells, [SKY if slip else LIGHT for slip in slips])
    if radius is not None:
        turn = np.linspace(0, 2 * np.pi, 200)
        axes.plot(1e3 * radius * np.cos(turn), 1e3 * radius * np.sin(turn), **EXACT)
    marks = "blue: slipped" + ("" if radius is None else f"; dashed: {known}")
    axes.set_title(f"{marks}\ndisplacement × {number(factor)}", fontsize=6, loc="right")
    span = (-1.12e3 * size, 1.12e3 * size)
    axes.set(aspect="equal", xlim=span, ylim=span, xlabel="$x$ [mm]", ylabel="$y$ [mm]")


def beam_in_space(axes: Axes, data: xr.Dataset, instants: Sequence[int] | NDArray[np.int_]) -> None:
    """Draw a beam in space at some instants, coloured by time, its deflections enlarged, and the path of its frame's origin."""
    largest, size = np.abs(data.displacement.values[..., 1]).max(), np.ptp(data.X.values[:, 0])
    enlarged = max(1.0, float(f"{0.06 * size / largest:.0e}")) if largest > 0 else 1.0
    times, path = data.time.values, data.frame_position.values
    colours = colormaps["viridis_r"](np.linspace(0, 1, len(instants)))
    for instant, colour in zip(instants, colours, strict=True):
        turn, w = float(data.frame_angle.values[instant]), data.displacement.values[instant, :, 1]
        place = data.position.values[instant] + (enlarged - 1.0) * np.outer(w, [-np.sin(turn), np.cos(turn)])
        axes.plot(*place.T, color=colour, linewidth=1.2, label=f"$t$ = {number(times[instant])} s")
        stuck = place[(data.stick.values[instant] == 1) & (data.friction_weight.values > 0) & (instant > 0)]
        axes.plot(*stuck.T, ".", markersize=2.5, color=VERMILION, zorder=3)
        axes.plot(*path[instant], "o", color=colour, markersize=3, zorder=4)
    axes.plot(*path.T, color=BLACK, linewidth=0.8, zorder=3, label="path of the frame's origin")
    if np.any(data.stick.values[instants[1:]] == 1):
        axes.plot([], [], ".", markersize=4, color=VERMILION, label="nodes that stick")
    axes.set(xlabel="$x$ [m]", ylabel="$y$ [m]", aspect="equal")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), title=f"deflections × {number(enlarged)}")


def deflections(
    axes: Axes, data: xr.Dataset, instants: Sequence[int] | NDArray[np.int_], supports: Sequence[int] = ()
) -> None:
    """Draw deflections of a beam, coloured by time, dashed after the largest one, and dots at resting nodes except `supports`."""
    X, w, times = data.X.values[:, 0], 1e3 * data.displacement.values[..., 1], data.time.values
    rubs = data.friction_weight.values > 0
    rubs[list(supports)] = False
    furthest, last = int(np.abs(w[: instants[-1] + 1]).max(axis=1).argmax()), times[instants[-1]]
    for instant in instants:
        back, stuck = instant > furthest, (data.stick.values[instant] == 1) & rubs & (instant > 0)
        label = "after the largest deflection" if back and instant == instants[-1] else None
        colour = colormaps["viridis_r"](times[instant] / last)
        axes.plot(X, w[instant], color=colour, linewidth=1.0, linestyle="--" if back else "-", label=label)
        axes.plot(X[stuck], w[instant, stuck], ".", markersize=2.5, color=VERMILION, zorder=3)
    if np.any(data.stick.values[instants[1:]] == 1):
        axes.plot([], [], ".", markersize=4, color=VERMILION, label="at rest")
    marks = ScalarMappable(Normalize(0.0, last), colormaps["viridis_r"])
    axes.figure.colorbar(marks, ax=axes, label="time $t$ [s]", pad=0.01, aspect=15)
    axes.axhline(0.0, color=GREY, linewidth=0.4, zorder=0)
    axes.set(xlabel="$X$ [m]", ylabel="deflection $w$ [mm]")
    legend_above(axes, 0.12, ncols=2)


def frame_velocities(axes: Axes, data: xr.Dataset, length: float) -> None:
    """Draw the velocity of a beam's frame and the velocity of its end by the spin over time; shaded: all nodes stick."""
    times = data.time.values
    sticking(axes, data, label="all nodes stick")
    for axis, colour in ((0, ORANGE), (1, BLUE)):
        if np.any(data.frame_velocity.values[:, axis]):
            axes.plot(times, data.frame_velocity.values[:, axis], color=colour, label=rf"$\dot {'xy'[axis]}_0$")
    if np.any(data.frame_spin.values):
        axes.plot(times, 0.5 * length * data.frame_spin.values, color=VERMILION, label=r"$\omega L/2$")
    axes.set(xlabel="time $t$ [s]", ylabel="velocity of the frame [m/s]", xlim=(times[0], times[-1]))
    legend_above(axes, 0.2, ncols=4)


def magnified(
    axes: Axes,
    computed: tuple[Array, Array],
    exact: tuple[Array, Array],
    window: tuple[float, float],
    span: tuple[float, float],
) -> None:
    """Draw small deflections of a beam, (x m, w m), beside the exact ones in an inset: ``window`` of x, ``span`` of w."""
    inset = axes.inset_axes((0.46, 0.2, 0.52, 0.34))
    factor, name = prefix(max(map(abs, span)))
    inset.plot(computed[0], factor * computed[1], color=BLUE, linewidth=0.9)
    inset.plot(exact[0], factor * exact[1], **EXACT)
    inset.axhline(0.0, color=GREY, linewidth=0.4, zorder=0)
    inset.set(xlim=window, ylim=(factor * span[0], factor * span[1]))
    inset.set_ylabel(f"$w$ [{name}m]", fontsize=6, labelpad=1)
    inset.tick_params(labelsize=6)


def friction_over_bound(axes: Axes, data: xr.Dataset, instant: int, length: float, ends: Array | None) -> None:
    """Draw the friction across a beam over its bound at an instant, from its left end, and the exact ``ends`` (n,) m of the slip
    zones, where they are known."""
    x, weight = data.X.values[:, 0] + length / 2, data.friction_weight.values
    share = data.friction_force.values[instant, :, 1] / np.where(weight > 0.0, weight, 1.0)
    axes.fill_between(x, share, 0.0, step="mid", color=BLUE, alpha=0.25, linewidth=0)
    axes.step(x, share, where="mid", color=BLUE, linewidth=0.9)
    stuck = data.velocity.values[instant, :, 1] == 0.0
    if stuck.any():
        axes.plot(x[stuck], share[stuck], ".", markersize=2.2, color=GREY, label="sticks")
    if ends is not None:
        axes.vlines(ends, -1.2, 1.2, color=VERMILION, linewidth=0.7, label="exact ends of the zones", zorder=0)
    axes.set(xlabel="distance $x$ from the pushed end [m]", xlim=(0, length), ylim=(-1.2, 2.1), yticks=[-1, 0, 1])
    axes.set_ylabel("friction over bound,\n$-\\lambda/w$ [1]")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", ncols=2)
