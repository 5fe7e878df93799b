"""The picture of belt_oscillator: place and velocity over time beside the exact ones, and the orbit in the phase plane."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, COLUMN, GREY, LIGHT, letter, shade
from cases.belt_oscillator import Parameters, exact


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw x(t) and v(t) with stick shaded, and v over x, each beside the exact motion where it is known."""
    figure.set_size_inches(COLUMN, 5.2)
    top, middle, bottom = figure.subplots(3, 1, height_ratios=[1.2, 1.2, 2])
    top.sharex(middle)
    times = data.time.values
    x, v = data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    known = exact(params, times)
    stuck = data.stick.values.all(axis=1)
    shade(top, times, stuck, color=LIGHT, label="stick")
    shade(middle, times, stuck, color=LIGHT)
    reference = "exact" if params.body == "rigid" else "exact, rigid block"
    for axes, computed, wanted in (
        (top, x, None if known is None else known[0]),
        (middle, v, None if known is None else known[1]),
    ):
        axes.plot(times, 1e3 * computed, color=BLUE, label="computed", linewidth=1.6)
        if wanted is not None:
            axes.plot(times, 1e3 * wanted, color=BLACK, linestyle=(0, (3, 2)), linewidth=0.9, label=reference)
    middle.axhline(1e3 * params.belt_speed, color=GREY, linewidth=0.8, linestyle=":")
    top.set_ylabel("place $x$ [mm]")
    top.tick_params(labelbottom=False)
    top.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, borderaxespad=0.2, columnspacing=1.2)
    middle.set(ylabel="velocity $v_x$ [mm/s]", xlabel="time $t$ [s]", xlim=(times[0], times[-1]))
    bottom.plot(1e3 * x, 1e3 * v, color=BLUE, linewidth=1.4)
    if known is not None:
        bottom.plot(1e3 * known[0], 1e3 * known[1], color=BLACK, linestyle=(0, (3, 2)), linewidth=0.9)
    bottom.axhline(1e3 * params.belt_speed, color=GREY, linewidth=0.8, linestyle=":")
    bottom.annotate(
        "belt", (1.0, 1e3 * params.belt_speed), xycoords=("axes fraction", "data"), ha="right", va="bottom", color=GREY
    )
    bottom.set(xlabel="place $x$ [mm]", ylabel="velocity $v_x$ [mm/s]")
    for name, axes in zip("abc", (top, middle, bottom), strict=True):
        letter(axes, name)
