"""The picture of free_top: the spin in body axes beside the exact one, its path on the sphere of momentum, and what drifts."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from cases.app.drawing.space import VIEW
from cases.app.drawing.style import BLACK, BLUE, GREY, LIGHT, ORANGE, PAGE, VERMILION, letter
from cases.free_top import Parameters, body_spin, exact


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw ω(t) in body axes, the momentum's path on its sphere, and the changes of momentum and energy."""
    figure.set_size_inches(PAGE, 2.6)
    spins, sphere, drift = figure.subplots(1, 3, width_ratios=[1.6, 1.0, 1.2])
    _spins(spins, params, data)
    _sphere(sphere, params, data)
    _drift(drift, data)
    for name, axes in zip("abc", (spins, sphere, drift), strict=True):
        letter(axes, name)


def _spins(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times, computed = data.time.values, body_spin(data)
    known = exact(params, times)
    for k, (colour, name) in enumerate(zip((BLUE, VERMILION, ORANGE), "123", strict=True)):
        axes.plot(times, computed[:, k], color=colour, label=rf"$\omega_{name}$")
        axes.plot(
            times, known[:, k], color=BLACK, linestyle=(0, (3, 3)), linewidth=0.7, label="exact" if k == 2 else None
        )
    axes.set(xlabel="time $t$ [s]", ylabel="spin in body axes [rad/s]", xlim=(times[0], times[-1]))
    axes.legend(loc="lower center", bbox_to_anchor=(0.55, 1.0), ncols=4, columnspacing=0.8, borderaxespad=0.2)


def _sphere(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    momentum = body_spin(data) * [params.J1, params.J2, params.J3]
    size = max(float(np.linalg.norm(momentum[0])), 1e-300)
    angle = np.linspace(0.0, 2.0 * np.pi, 181)
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)])
    for axis in range(3):
        seen = np.roll(ring, axis, axis=1) @ VIEW.T
        axes.plot(seen[:, 0], seen[:, 1], color=LIGHT, linewidth=0.8, zorder=0)
    axes.add_patch(Circle((0.0, 0.0), 1.0, facecolor="none", edgecolor=GREY, linewidth=0.6))
    path = momentum / size @ VIEW.T
    front = (momentum @ np.cross(VIEW[0], VIEW[1]) >= 0.0)[:, None]
    for half, width in ((np.where(front, path, np.nan), 1.4), (np.where(front, np.nan, path), 0.6)):
        axes.plot(half[:, 0], half[:, 1], color=BLUE, linewidth=width)
    axes.plot(*path[0], "o", color=BLUE, markersize=3)
    for axis in range(3):
        tip = 1.25 * np.eye(3)[axis] @ VIEW.T
        axes.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "lw": 0.7, "color": GREY})
        axes.text(float(1.12 * tip[0]), float(1.12 * tip[1]), f"$e_{axis + 1}$", fontsize=7, ha="center", va="center")
    axes.set(aspect="equal", xlim=(-1.5, 1.6), ylim=(-1.4, 1.5))
    axes.set_axis_off()
    axes.text(
        0.5,
        -0.02,
        "path of $J\\omega$ on its sphere\n(thin: on the far side)",
        transform=axes.transAxes,
        ha="center",
        va="top",
        fontsize=7,
    )


def _drift(axes: Axes, data: xr.Dataset) -> None:
    times, momentum, energy = data.time.values, data.angular_momentum.values, data.energy_kinetic.values
    scale = max(float(np.linalg.norm(momentum[0])), 1e-300)
    floor = 1e-17
    off = np.linalg.norm(momentum - momentum[0], axis=1) / scale
    lost = np.abs(energy / max(float(energy[0]), 1e-300) - 1.0)
    axes.semilogy(times, np.maximum(lost, floor), color=ORANGE, label="energy")
    axes.semilogy(times, np.maximum(off, floor), color=BLUE, label="moment of momentum")
    axes.set(xlabel="time $t$ [s]", ylabel="relative change", xlim=(times[0], times[-1]), ylim=(floor, None))
    axes.legend(loc="center right")
