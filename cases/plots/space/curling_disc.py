"""The picture of curling_disc: the disc and its pressure, its path, the ratio of sliding to spinning, and the side force."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.space import VIEW, disc, ground, instants
from cases.app.drawing.style import BLACK, BLUE, GREY, ORANGE, PAGE, VERMILION, letter
from cases.curling_disc import Parameters, reference, side_force, speeds
from floating_frame import RigidBody


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the disc on its way, the pressure on its base, its curl enlarged, v/(R omega) and side force with what they tend to."""
    figure.set_size_inches(PAGE, 4.7)
    parts: Any = figure.subfigures(2, 1, height_ratios=[1.05, 1.0])
    above, below = parts
    view, base = above.subplots(1, 2, width_ratios=[2.3, 1.0])
    path, ratio, side = below.subplots(1, 3, width_ratios=[1.25, 1.0, 1.0])
    _view(view, params, data)
    _base(base, params, data)
    _path(path, params, data)
    times, (speed, spin) = data.time.values, speeds(data)
    moves = speed > 1e-3 * max(float(speed[0]), 1e-300)
    known = reference(params)
    for axes, values, goal, colour, label in (
        (
            ratio,
            speed / np.maximum(params.radius * np.abs(spin), 1e-300),
            None if known is None else known.ratio,
            BLUE,
            r"$v/(R\omega)$ [1]",
        ),
        (
            side,
            np.abs(side_force(data)),
            None if known is None else abs(known.side),
            ORANGE,
            "side force / drag [1]",
        ),
    ):
        axes.plot(times[moves], values[moves], color=colour, label="computed")
        if goal is not None:
            axes.axhline(goal, color=BLACK, linestyle=(0, (3, 2)), linewidth=0.8, label=f"tends to {goal:.4f}")
        axes.set(xlabel="time $t$ [s]", ylabel=label, xlim=(0.0, times[moves][-1] if moves.any() else times[-1]))
        axes.set_ylim(bottom=0.0)
        axes.legend(loc="lower right")
    for name, axes in zip("abcde", (view, base, path, ratio, side), strict=True):
        letter(axes, name)


def _path(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    place = 1e3 * data.frame_position.values[:, :2]
    axes.plot(place[:, 0], place[:, 1], color=BLUE, linewidth=1.4)
    axes.axhline(0.0, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)))
    axes.plot(*place[0], "o", color=BLUE, markersize=3)
    axes.set(xlabel="$x$ [mm]", ylabel="$y$ [mm], enlarged")
    axes.margins(0.06)


def _view(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the disc along its way, with the diameter that turns with it."""
    place = np.column_stack([data.frame_position.values[:, :2], np.full(data.sizes["time"], params.half_height)])
    margin = 1.3 * params.radius
    shown = instants(data, 0.35 * params.radius, most=4)
    pitch = 2.4 * params.radius
    for k, instant in enumerate(shown):
        shift = np.array([k * pitch, 0.0, 0.0]) - [place[instant, 0], 0.0, 0.0]
        middle = place[instant, :2]
        ground(axes, middle - margin, middle + margin, shift=shift)
        half = 0.5 * angle_turned(data)[instant]
        disc(
            axes,
            place[instant] + shift,
            np.array([np.cos(half), 0.0, 0.0, np.sin(half)]),
            params.radius,
            params.half_height,
        )
        low = VIEW @ (shift + np.array([middle[0], middle[1] - margin, 0.0]))
        text = f"$t$ = {float(data.time.values[instant]):.3g} s\n$x$ = {round(1e3 * place[instant, 0], 9) + 0.0:.3g} mm"
        axes.text(float(low[0]), float(low[1]) - 0.1 * pitch, text, ha="center", va="top", fontsize=7)
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_axis_off()


def angle_turned(data: xr.Dataset) -> np.ndarray:
    """Return the angle (n,) rad turned since the start, the trapezium of the spin, which both models have."""
    spin = speeds(data)[1]
    steps = 0.5 * np.diff(data.time.values) * (spin[1:] + spin[:-1])
    return np.concatenate([[0.0], np.cumsum(steps)])


def _base(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the pressure on the base, seen from above, half way through the motion, with the velocity."""
    speed, _ = speeds(data)
    instant = int(np.argmin(np.abs(speed - 0.5 * speed[0])))
    place = data.position.values[instant, :, :2] - data.frame_position.values[instant, :2]
    weights = RigidBody.disc(params.radius, params.mass, params.nr, params.nt).friction.weights
    normal = data.normal_force.values[instant] / np.maximum(weights, 1e-300)
    share = normal * weights.sum() / max(params.mass * params.gravity, 1e-300)
    top = max(2.0, float(share.max()))
    shown = axes.scatter(
        1e3 * place[:, 0], 1e3 * place[:, 1], c=share, s=3.0, cmap="cividis", vmin=0.0, vmax=top, linewidths=0
    )
    velocity = data.frame_velocity.values[instant, :2]
    tip = 0.8e3 * params.radius * velocity / max(float(np.hypot(*velocity)), 1e-300)
    axes.annotate("", tip, (0.0, 0.0), arrowprops={"arrowstyle": "-|>", "lw": 1.1, "color": VERMILION})
    axes.set(xlabel="$x - x_0$ [mm]", ylabel="$y - y_0$ [mm]", aspect="equal")
    axes.set_title(f"from above, $t$ = {float(data.time.values[instant]):.3g} s", loc="right", fontsize=7)
    bar = axes.figure.colorbar(shown, ax=axes, shrink=0.85)
    bar.set_label("pressure / mean [1]")
