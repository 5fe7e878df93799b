"""The picture of beam_bending: the beam over time, its swings or its frame's motion, and where the energy goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, LIGHT, ORANGE, PAGE, PURPLE, SKY, VERMILION, letter, shade
from cases.beam_bending import Parameters
from cases.beam_on_rough_foundation import friction_per_length
from cases.references.beams.swings import equivalent_load, half_swing, middle, swings


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the beam at several instants, its motion over time, and the energies."""
    figure.set_size_inches(PAGE, 4.4)
    free = params.motion == "free"
    rows = [["beam", "motion"], ["beam", "energy"]] if free else [["beam", "beam"], ["motion", "energy"]]
    layout: dict[str, Axes] = figure.subplot_mosaic(rows, height_ratios=[1.0, 1.15])
    if free:
        _in_space(layout["beam"], data)
    else:
        _deflections(layout["beam"], params, data)
    if params.motion == "fixed":
        _swings(layout["motion"], params, data)
    else:
        _frame(layout["motion"], params, data)
    _energies(layout["energy"], data)
    for name, key in zip("abc", ("beam", "motion", "energy"), strict=True):
        letter(layout[key], name)


def _in_space(axes: Axes, data: xr.Dataset, count: int = 9) -> None:
    chosen = np.unique(np.linspace(0, data.sizes["time"] - 1, count).round().astype(int))
    largest = np.abs(data.displacement.values[..., 1]).max()
    enlarged = max(1.0, float(f"{0.06 * np.ptp(data.X.values[:, 0]) / largest:.0e}")) if largest > 0 else 1.0
    for place, instant in enumerate(chosen):
        turn, w = float(data.frame_angle.values[instant]), data.displacement.values[instant, :, 1]
        drawn = (enlarged - 1.0) * np.outer(w, [-np.sin(turn), np.cos(turn)])
        x, y = (data.position.values[instant] + drawn).T
        shade_of = 0.8 * (1 - place / max(1, len(chosen) - 1))
        colour = (shade_of, shade_of, shade_of)
        axes.plot(x, y, color=colour, linewidth=1.0 if place < len(chosen) - 1 else 1.6)
        stuck = (data.stick.values[instant] == 1) & (instant > 0)
        label = "sticking nodes" if stuck.any() and not axes.get_legend_handles_labels()[0] else None
        axes.plot(x[stuck], y[stuck], linestyle="none", marker="o", markersize=2.0, color=VERMILION, label=label)
        text = f"{float(data.time.values[instant]):.3g} s"
        axes.annotate(text, (x[-1], y[-1]), (3, 0), textcoords="offset points", fontsize=6, va="center")
    path = data.frame_position.values
    axes.plot(path[:, 0], path[:, 1], color=BLUE, linewidth=0.8, label="path of the frame's origin")
    axes.set(xlabel="$x$ [m]", ylabel="$y$ [m]", aspect="equal")
    axes.margins(x=0.15, y=0.08)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.2 * (high - low))
    axes.plot([], [], color="none", label=f"deflection drawn {enlarged:g} times")
    axes.legend(loc="upper left")


def _deflections(axes: Axes, params: Parameters, data: xr.Dataset, count: int = 9) -> None:
    X = data.X.values[:, 0]
    held = {"simply-supported": [0, -1], "cantilever": [0]}[params.support] if params.motion == "fixed" else []
    rubs = data.friction_weight.values > 0
    rubs[held] = False
    until = (
        min(float(data.time.values[-1]), 2 * half_swing(params))
        if params.motion == "fixed"
        else float(data.time.values[-1])
    )
    last = int(np.searchsorted(data.time.values, until * (1 - 1e-9)))
    chosen = np.unique(np.linspace(0, last, count).round().astype(int))
    shades = colormaps["viridis_r"]
    furthest = int(np.abs(data.displacement.values[: last + 1, :, 1]).max(axis=1).argmax())
    for place, instant in enumerate(chosen):
        w = 1e3 * data.displacement.values[instant, :, 1]
        way = float(data.time.values[instant]) / until
        back = instant > furthest  # the way there and the way back
        label = "on the way back" if back and place == len(chosen) - 1 else None
        axes.plot(X, w, color=shades(way), linewidth=1.0, linestyle="--" if back else "-", label=label)
        stuck = (data.stick.values[instant] == 1) & rubs
        if instant:
            axes.plot(X[stuck], w[stuck], linestyle="none", marker=".", markersize=2.5, color=VERMILION, zorder=3)
    if (data.stick.values[chosen[1:]] == 1).any():
        axes.plot([], [], linestyle="none", marker=".", markersize=4, color=VERMILION, label="at rest")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left" if params.support == "cantilever" else "upper right")
    marks = ScalarMappable(Normalize(0.0, until), shades)
    bar = axes.inset_axes((0.05, 0.5, 0.2, 0.05) if params.support == "cantilever" else (0.03, 0.86, 0.2, 0.05))
    axes.figure.colorbar(marks, cax=bar, label="time $t$ [s]", orientation="horizontal")
    axes.axhline(0.0, color=GREY, linewidth=0.4, zorder=0)
    axes.set(xlabel="$X$ [m]", ylabel="deflection $w$ [mm]")


def _swings(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times, exact = data.time.values, swings(params)
    stuck = np.all(data.stick.values == 1, axis=1)
    shade(axes, times, stuck, label="at rest")
    if exact is None:
        tip = -1 if params.support == "cantilever" else None
        w = data.displacement.values[:, -1, 1] if tip else middle(data)
        axes.plot(times, 1e3 * w, color=BLUE, label="right end" if tip else "middle")
        axes.set(ylabel="deflection $w$ [mm]")
    else:
        axes.plot(times, equivalent_load(params, middle(data)), color=BLUE, label="middle")
        half, p, q = half_swing(params), params.load, friction_per_length(params)
        turns = np.arange(len(exact)) * half
        shown = turns <= times[-1]
        axes.plot(
            turns[shown],
            np.array(exact)[shown],
            "o",
            color=BLACK,
            markersize=3,
            fillstyle="none",
            label="exact turning points",
        )
        axes.axhspan(p - q, p + q, color=ORANGE, alpha=0.2, linewidth=0, zorder=0, label=r"rests if $|p - p_w| \leq q$")
        axes.set(ylabel="static load that holds $w$, $p_w$ [N/m]")
    axes.set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.42 * (high - low))
    axes.legend(loc="upper right", ncols=2, columnspacing=1.0)


def _frame(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times = data.time.values
    shade(axes, times, np.all(data.stick.values == 1, axis=1), color=LIGHT)
    for axis, colour in ((0, SKY), (1, BLUE)):
        axes.plot(times, data.frame_velocity.values[:, axis], color=colour, label=f"$\\dot {'xy'[axis]}_0$")
    axes.set(xlabel="time $t$ [s]", ylabel="velocity of the frame [m/s]", xlim=(times[0], times[-1]))
    handles, labels = axes.get_legend_handles_labels()
    if params.motion == "free":
        right = axes.twinx()
        right.spines["right"].set_visible(True)
        right.plot(times, data.frame_spin.values, color=VERMILION, linewidth=0.9, label=r"$\omega$")
        right.set_ylabel(r"spin $\omega$ [rad/s]", color=VERMILION)
        handles, labels = handles + right.get_legend_handles_labels()[0], labels + right.get_legend_handles_labels()[1]
    style: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 3, "borderaxespad": 0.2}
    axes.legend(handles, labels, columnspacing=1.2, **style)


def _energies(axes: Axes, data: xr.Dataset) -> None:
    times = data.time.values
    curves = (
        ("work_external", BLACK, "work of the load"),
        ("energy_kinetic", BLUE, "kinetic"),
        ("energy_strain", GREEN, "bending"),
        ("dissipation_friction", VERMILION, "friction"),
        ("dissipation_numerical", PURPLE, "numerical"),
    )
    for name, colour, label in curves:
        axes.plot(times, data[name].values, color=colour, linewidth=0.9, label=label)
    axes.set(xlabel="time $t$ [s]", ylabel="energy [J]", xlim=(times[0], times[-1]))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.35 * (high - low))
    axes.legend(loc="upper left", ncols=3, columnspacing=1.0)
