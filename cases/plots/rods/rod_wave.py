"""The picture of rod_wave: the particle velocity in the x-t plane, profiles of velocity and of residual displacement."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, TwoSlopeNorm
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREEN, LIGHT, ORANGE, PAGE, VERMILION, letter
from cases.app.parts import laws
from cases.references.rods.rod_wave import RodWave
from cases.rod_wave import Parameters, sections, wave

STUCK = 1e-9
"""Of P c/(EA): slower than this is drawn as stick. At c dt = dx the arrested rod is at the limit of friction at every other
node, and rounding decides there."""
EXACT: dict[str, Any] = {"color": BLACK, "linestyle": (0, (3, 2)), "linewidth": 0.9}


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw v(x, t) with the characteristics, v(x) at three instants, and u(x) at the end beside exact and quasi-static."""
    figure.set_size_inches(PAGE, 3.5)
    layout: dict[str, Axes] = figure.subplot_mosaic([["plane", "velocity"], ["plane", "end"]], width_ratios=[1.25, 1])
    layout["velocity"].sharex(layout["end"])
    layout["velocity"].tick_params(labelbottom=False)
    known = wave(params)
    _plane(figure, layout["plane"], params, data, known)
    _velocity(layout["velocity"], params, data, known)
    _displacement(layout["end"], params, data, known)
    for name, key in zip("abc", ("plane", "velocity", "end"), strict=True):
        letter(layout[key], name)


def _valid(params: Parameters, known: RodWave, time: float) -> bool:
    return laws.plain_coulomb(params) and known.force > 0 and known.known(time, params.length)


def _plane(figure: Figure, axes: Axes, params: Parameters, data: xr.Dataset, known: RodWave) -> None:
    x, v = sections(params, data, "velocity")
    times = data.time.values
    scale = known.first_velocity if known.force > 0 else 1.0
    relative = v / scale
    moving = np.ma.masked_array(relative, np.abs(relative) <= STUCK)
    back = bool(np.any(relative < -0.02))
    norm: Normalize = TwoSlopeNorm(0.0, -1.0, 1.0) if back else Normalize(0.0, 1.0)
    axes.set_facecolor(LIGHT)
    field = axes.pcolormesh(x, times, moving, cmap="RdBu_r" if back else "YlGnBu", norm=norm, shading="nearest")
    field.set_rasterized(True)
    bar = figure.colorbar(field, ax=axes, location="right", aspect=40, pad=0.02)
    bar.set_label(r"relative velocity $v\,/\,(Pc/EA)$; grey: sticks")
    _characteristics(axes, known)
    axes.set(xlabel="distance $x$ from the loaded end [m]", ylabel="time $t$ [s]")
    axes.set(xlim=(0, params.length), ylim=(0, times[-1]))


def _characteristics(axes: Axes, known: RodWave) -> None:
    """Draw the fronts, dashed, and the instants of arrest, dotted, each with its equation beside it."""
    c, end = known.speed, axes.get_ylim()[1]
    last = min(known.arrest, end)
    line: dict[str, Any] = {"color": BLACK, "linewidth": 0.9}
    axes.plot([0, c * last], [0, last], linestyle=(0, (4, 2)), **line)
    box: dict[str, Any] = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.0}
    axes.annotate(
        "$x = ct$", (0.62 * c * last, 0.62 * last), (8, -8), textcoords="offset points", fontsize=7, va="top", bbox=box
    )
    if known.duration < last:
        stop = min(2 * known.duration, end)
        axes.plot([0, c * (last - known.duration)], [known.duration, last], linestyle=(0, (4, 2)), **line)
        axes.plot([0, c * (stop - known.duration)], [stop, stop], linestyle=":", **line)
        axes.annotate("$t = 2T$", (0, stop), (4, 3), textcoords="offset points", fontsize=7, bbox=box)
    if known.arrest <= end:
        start = c * (known.arrest - known.duration) if known.duration < known.arrest else 0.0
        axes.plot([start, known.penetration], [known.arrest] * 2, linestyle=":", **line)
        axes.annotate(
            "$t^* = 2P/(qc)$",
            (0.5 * (start + known.penetration), known.arrest),
            (0, 4),
            textcoords="offset points",
            fontsize=7,
            ha="center",
            bbox=box,
        )


def _velocity(axes: Axes, params: Parameters, data: xr.Dataset, known: RodWave) -> None:
    x, v = sections(params, data, "velocity")
    times = data.time.values
    fine = np.linspace(0, params.length, 2001)
    last = min(known.arrest, times[-1])
    for share, colour in zip((0.2, 0.5, 0.8), (BLUE, GREEN, VERMILION), strict=True):
        k = int(np.argmin(np.abs(times - share * last)))
        axes.plot(x, v[k], color=colour, label=f"$t$ = {times[k]:.3g} s")
        if _valid(params, known, times[k]):
            axes.plot(fine, known.velocity(fine, times[k]), **EXACT)
    axes.set(ylabel="velocity $v$ [m/s]", xlim=(0, params.length))
    axes.plot([], [], **EXACT, label="exact")
    axes.legend(loc="upper right")


def _displacement(axes: Axes, params: Parameters, data: xr.Dataset, known: RodWave) -> None:
    x, u = sections(params, data, "position")
    time = float(data.time.values[-1])
    axes.plot(x, 1e3 * u[-1], color=BLUE, linewidth=1.6, label="computed")
    if _valid(params, known, time):
        axes.plot(x, 1e3 * known.displacement(x, time), **EXACT, label="exact")
    if known.friction > 0 and known.duration > time:
        slow = known.friction * np.maximum(known.force / known.friction - x, 0) ** 2 / (2 * known.stiffness)
        axes.plot(x, 1e3 * slow, color=ORANGE, linewidth=0.9, label="quasi-static")
    axes.set(xlabel="distance $x$ from the loaded end [m]", xlim=(0, params.length))
    axes.set_ylabel(f"$u$ at $t$ = {time:.3g} s [mm]")
    axes.legend(loc="upper right")
