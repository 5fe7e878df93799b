"""The picture of free_flight: the turning, vibrating plate, its spin and strain energy, and what drifts."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from cases.app.drawing.style import BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILION, letter, mesh
from cases.free_flight import Parameters, energy


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw deformed shapes over time, spin and strain energy, and the drift of momenta and energy."""
    figure.set_size_inches(PAGE, 3.9)
    layout: dict[str, Axes] = figure.subplot_mosaic(
        [["shapes", "shapes"], ["spin", "drift"]], height_ratios=[1.15, 1.6]
    )
    _shapes(layout["shapes"], params, data)
    _spin(layout["spin"], data)
    _drift(layout["drift"], params, data)
    for name, key in zip("abc", ("shapes", "spin", "drift"), strict=True):
        letter(layout[key], name)


def _shapes(axes: Axes, params: Parameters, data: xr.Dataset, count: int = 6) -> None:
    times = data.time.values
    pitch = 1.12 * np.hypot(params.length * (1 + params.stretch), params.width)
    cells = data.cells.values
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * [params.length / 2, params.width / 2]
    instants = np.unique(np.linspace(0, len(times) - 1, count).round().astype(int))
    for place, instant in enumerate(instants):
        shift = np.array([place * pitch, 0.0])
        angle = float(data.frame_angle.values[instant])
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        centre = data.frame_position.values[instant] + shift
        mesh(axes, data.position.values[instant] + shift, cells, SKY, linewidths=0.3)
        axes.add_patch(Polygon(corners @ turn.T + centre, fill=False, linestyle=(0, (3, 2)), linewidth=0.7))
        tip = centre + turn @ [0.42 * params.length, 0.0]
        axes.annotate("", tip, centre, arrowprops={"arrowstyle": "-|>", "lw": 0.9, "shrinkA": 0, "shrinkB": 0})
        axes.text(shift[0], -0.60 * pitch, f"$t$ = {times[instant]:.3g} s", ha="center", va="top", fontsize=7)
    axes.set(
        aspect="equal",
        xlim=(-0.55 * pitch, (len(instants) - 0.2) * pitch),
        ylim=(-0.75 * pitch, 0.5 * pitch),
    )
    bar = params.length / 2
    start = (len(instants) - 0.5) * pitch
    axes.plot([start, start], [-bar / 2, bar / 2], color="black", linewidth=1.5)
    axes.text(start + 0.04 * pitch, 0, f"{bar:g} m", fontsize=7, va="center")
    axes.set_axis_off()


def _spin(axes: Axes, data: xr.Dataset) -> None:
    times = data.time.values
    axes.plot(times, data.frame_spin.values, color=BLUE)
    axes.set(xlabel="time $t$ [s]", ylabel=r"spin $\omega$ [rad/s]")
    axes.yaxis.label.set_color(BLUE)
    axes.margins(x=0)
    right = axes.twinx()
    right.spines["right"].set_visible(True)
    right.plot(times, data.energy_strain.values, color=VERMILION, linewidth=0.9)
    right.set_ylabel("strain energy [J]", color=VERMILION)
    right.set_ylim(bottom=0)


def _drift(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times = data.time.values
    momentum = np.abs(data.linear_momentum.values).max(axis=1)
    mass = params.density * params.thickness * params.length * params.width
    total, spinning = energy(data), data.angular_momentum.values
    scale = mass * max(abs(params.spin0) * params.length, np.sqrt(2 * total[0] / mass), 1e-300)
    most = max(float(total.max()), 1e-300)
    turning = abs(spinning[0]) if params.spin0 else scale * params.length
    curves = (
        (np.abs(total - total[0]) / most, ORANGE, "energy"),
        (np.abs(spinning - spinning[0]) / turning, BLUE, "angular momentum"),
        (momentum / scale, GREEN, "linear momentum"),
        (np.abs(data.balance_error.values) / most, PURPLE, "remainder of the energy ledger"),
    )
    for values, colour, label in curves:
        shown = np.where(values > 0, values, np.nan)
        axes.semilogy(times, shown, color=colour, linewidth=0.9)
        late = shown[len(shown) // 2 :]
        if np.any(np.isfinite(late)):
            axes.text(times[-1], 2.5 * np.nanmax(late), label, color=colour, ha="right", va="bottom", fontsize=7)
    axes.set(xlabel="time $t$ [s]", ylabel="relative drift", xlim=(times[0], times[-1]))
    low, high = axes.get_ylim()
    axes.set_ylim(low, 30 * high)
