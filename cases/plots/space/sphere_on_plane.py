"""The picture of sphere_on_plane: the ball on its way, velocities over time, and the error of place."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.space import ball, contact, ground, instants, line, states, way
from cases.app.drawing.style import BLACK, BLUE, GREEN, LIGHT, ORANGE, PAGE, letter, shade
from cases.sphere_on_plane import Parameters, exact, rolls_from


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the ball on its way with the contact force, v_x, v_y and the slip over time, and the error of place."""
    figure.set_size_inches(PAGE, 4.6)
    layout: dict[str, Axes] = figure.subplot_mosaic(
        [["view", "view"], ["speeds", "error"]], height_ratios=[1.15, 1.0], width_ratios=[1.2, 1]
    )
    view, speeds, error = (layout[name] for name in ("view", "speeds", "error"))
    times, place, velocity = data.time.values, data.frame_position.values, data.frame_velocity.values
    known, known_velocity = exact(params, times)
    rolls, rolling = rolls_from(params), data.stick.values[:, 0] == 1
    dashed: dict[str, Any] = {"color": BLACK, "linestyle": (0, (3, 2)), "linewidth": 0.8}
    _view(view, params, data, known)
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
        speeds.text(middle, 1.01, "rolls", transform=speeds.get_xaxis_transform(), ha="center", va="bottom", fontsize=7)
    off = np.abs(place[:, :2] - known).max(axis=1)
    shade(error, times, rolling, color=LIGHT)
    error.semilogy(times, np.where(off > 0.0, off, np.nan), color=ORANGE)
    error.set(xlabel="time $t$ [s]", ylabel="error of place [m]", xlim=(times[0], times[-1]))
    for name, axes in zip("abc", (view, speeds, error), strict=True):
        letter(axes, name)


def _view(axes: Axes, params: Parameters, data: xr.Dataset, known: np.ndarray) -> None:
    place, stick, radius = data.frame_position.values, data.stick.values[:, 0], params.radius
    margin = 1.6 * radius
    spacing = ground(axes, place[:, :2].min(axis=0) - margin, place[:, :2].max(axis=0) + margin)
    way(axes, place, stick == 1)
    line(
        axes,
        np.column_stack([known, np.zeros(len(known))]),
        color=BLACK,
        linestyle=(0, (3, 2)),
        linewidth=0.7,
        zorder=1.1,
    )
    weight = max(params.mass * params.gravity, 1e-300)
    shown = instants(data, 3.5 * radius)
    for k in shown[np.argsort(-place[shown, 1], kind="stable")]:  # the nearest last
        ball(axes, place[k], data.frame_rotation.values[k], radius)
        contact(
            axes, data.position.values[k], data.contact_force.values[k], data.stick.values[k], 2.6 * radius / weight
        )
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_axis_off()
    axes.set_title(f"lines every {spacing:g} m; dashed: exact", loc="right", fontsize=7)
    states(axes, data.stick.values[shown])
