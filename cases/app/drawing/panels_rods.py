"""Panels and styles that the pictures of rods and beams share."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from cases.app.drawing.style import BLACK, BLUE, GREEN, LIGHT, ORANGE, PURPLE, SKY, VERMILION, mesh
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
    """Colour the plane of place and time by a velocity `v` (times, n) over its scale, grey where it is zero to rounding.

    What follows the last motion by more than 0.4 of its time is cut off.
    """
    last = 1.4 * times[np.flatnonzero(np.any(np.abs(v) > 1e-9, axis=1))].max(initial=0.0)
    moving, back = np.ma.masked_array(v, np.abs(v) <= 1e-9), bool(np.any(v < -0.02))
    colours, low = ("RdBu_r", -1.0) if back else ("YlGnBu", 0.0)
    field = axes.pcolormesh(x, times, moving, cmap=colours, vmin=low, vmax=1.0, shading="nearest", rasterized=True)
    axes.figure.colorbar(field, ax=axes, location="right", aspect=40, pad=0.02, label=label)
    axes.set(facecolor=LIGHT, xlabel="distance $x$ from the loaded end [m]", ylabel="time $t$ [s]")
    axes.set(xlim=(0, x[-1]), ylim=(0, min(last, times[-1]) or times[-1]))


def characteristics(axes: Axes, wave: RodWave) -> None:
    """Draw fronts (dashed) and arrests (dotted) of a rod's wave with their equations, up to what comes back from the far end.

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


def loop(axes: Axes, response: Array, load: Array, exact: tuple[Array, Array] | None) -> None:
    """Draw a load over the response to it, over the `exact` responses and loads where there are any."""
    axes.plot(response, load, color=BLUE, linewidth=1.8, label="computed")
    if exact is not None:
        axes.plot(*exact, **EXACT, label="exact")
    legend_above(axes, 0.22, loc="upper left")


def profiles(axes: Axes, curves: list[tuple[str, Array, Array]], exact: list[tuple[Array, Array]], known: str) -> None:
    """Draw named curves (place, value), and over them those that are `known` by this name.

    A curve may lie on top of an earlier one: the later ones are thinner.
    """
    shown = curves[-len(SERIES) :]
    for number, ((name, x, value), colour) in enumerate(zip(shown, SERIES, strict=False)):
        axes.plot(x, value, color=colour, linewidth=2.4 - 1.4 * number / max(len(shown) - 1, 1), label=name)
    for number, (x, value) in enumerate(exact[-len(SERIES) :]):
        axes.plot(x, value, **EXACT, label=known if number == 0 else None)
    legend_above(axes, 0.35, ncols=2)


def slipped(axes: Axes, data: xr.Dataset, radius: float | None, known: str) -> None:
    """Draw the cells of a disc that have slipped, and the slip `radius` m that is `known` by this name, if any.

    Displacements are enlarged so that the largest is a tenth of the disc's radius.
    """
    path, cells, X = data.slip_path.values[-1], data.cells.values, data.X.values
    slips = (path > 1e-9 * path.max(initial=0.0))[cells].mean(axis=1) > 0.5
    moved, size = data.position.values[-1] - X, float(np.hypot(*X.T).max())
    factor = 0.1 * size / max(float(np.abs(moved).max()), 1e-300)
    mesh(axes, 1e3 * (X + factor * moved), cells, [SKY if slip else LIGHT for slip in slips])
    if radius is not None:
        turn = np.linspace(0, 2 * np.pi, 200)
        axes.plot(1e3 * radius * np.cos(turn), 1e3 * radius * np.sin(turn), **EXACT)
    marks = "blue: slipped" + ("" if radius is None else f"; dashed: {known}")
    axes.set_title(f"{marks}\ndisplacement × {factor:.2g}", fontsize=6, loc="right")
    span = (-1.12e3 * size, 1.12e3 * size)
    axes.set(aspect="equal", xlim=span, ylim=span, xlabel="$x$ [mm]", ylabel="$y$ [mm]")
