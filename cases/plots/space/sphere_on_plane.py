"""The picture of sphere_on_plane: the path seen from above, velocities over time, and their error."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.drawing.style import BLACK, BLUE, GREEN, GREY, LIGHT, ORANGE, PAGE, letter, shade
from cases.sphere_on_plane import Parameters, exact, rolls_from


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the path with the exact one, v_x, v_y and the slip over time, and the error of place."""
    figure.set_size_inches(PAGE, 2.6)
    path, speeds, error = figure.subplots(1, 3, width_ratios=[1.3, 1.3, 1.1])
    times, place, velocity = data.time.values, data.frame_position.values, data.frame_velocity.values
    known, known_velocity = exact(params, times)
    rolls, rolling = rolls_from(params), data.stick.values[:, 0] == 1
    dashed = {"color": BLACK, "linestyle": (0, (3, 2)), "linewidth": 0.8}
    path.plot(place[:, 0], place[:, 1], color=BLUE, linewidth=1.6, label="computed")
    path.plot(known[:, 0], known[:, 1], **dashed, label="exact")
    if rolls < times[-1]:
        at = exact(params, np.array([rolls]))[0][0]
        path.plot(*at, "o", color=GREY, markersize=3.5)
        path.annotate("rolls", at, xytext=(4, -9), textcoords="offset points", fontsize=7)
    path.set(xlabel="$x$ [m]", ylabel="$y$ [m]")
    path.margins(0.08)
    path.set_aspect("equal", adjustable="datalim")
    path.legend(loc="upper left")
    shade(speeds, times, rolling, color=LIGHT)
    slip = np.hypot(data.velocity.values[:, 0, 0], data.velocity.values[:, 0, 1])
    for values, expected, colour, name in (
        (velocity[:, 0], known_velocity[:, 0], BLUE, "$v_x$"),
        (velocity[:, 1], known_velocity[:, 1], GREEN, "$v_y$"),
    ):
        speeds.plot(times, values, color=colour, label=name)
        speeds.plot(times, expected, **dashed)
    speeds.plot(times, slip, color=ORANGE, label="slip $|u_t|$")
    speeds.set(xlabel="time $t$ [s]", ylabel="velocity [m/s]", xlim=(times[0], times[-1]))
    speeds.legend(loc="upper right", bbox_to_anchor=(1.0, 0.98))
    if rolls < times[-1]:
        middle = 0.5 * (rolls + times[-1])
        speeds.text(middle, 0.42, "rolls", transform=speeds.get_xaxis_transform(), ha="center", fontsize=7)
    off = np.abs(place[:, :2] - known).max(axis=1)
    shade(error, times, rolling, color=LIGHT)
    error.semilogy(times, np.where(off > 0.0, off, np.nan), color=ORANGE)
    error.set(xlabel="time $t$ [s]", ylabel="error of place [m]", xlim=(times[0], times[-1]))
    for name, axes in zip("abc", (path, speeds, error), strict=True):
        letter(axes, name)
