"""The picture of spinning_disc: the ratio of sliding to spinning, both over time, and the path with the turning body."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from cases.disc_reference import terminal_ratio
from cases.plot_style import BLACK, BLUE, GREY, ORANGE, PAGE, letter
from cases.spinning_disc import Parameters, reference, speeds, stop_time


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the phase portrait v against R omega, v and R omega over time, and the path."""
    figure.set_size_inches(PAGE, 2.5)
    portrait, history, path = figure.subplots(1, 3, width_ratios=[1, 1.25, 1.35])
    disc = params.shape == "disc"
    arm = params.radius if disc else math.hypot(params.length, params.width) / 2
    name = r"R\omega" if disc else r"d\omega/2"
    speed, spin = speeds(data)
    rim = arm * np.abs(spin)
    _portrait(portrait, rim, speed, name, disc=disc)
    _history(history, params, data, speed, rim, name)
    _path(path, params, data)
    for label, axes in zip("abc", (portrait, history, path), strict=True):
        letter(axes, label)


def _portrait(axes: Axes, rim: np.ndarray, speed: np.ndarray, name: str, *, disc: bool) -> None:
    top = 1.08 * max(rim.max(), speed.max(), 1e-12)
    if disc:
        ratio = terminal_ratio()
        axes.plot([0, top], [0, ratio * top], color=GREY, linestyle=(0, (3, 2)), linewidth=0.9)
        spot = 0.92 * min(top, top / ratio)
        axes.annotate(
            f"$v/{name} = {ratio:.4f}$",
            (spot, ratio * spot),
            (0, -12),
            textcoords="offset points",
            ha="right",
            fontsize=7,
        )
    axes.plot(rim, speed, color=BLUE)
    axes.plot(rim[0], speed[0], "o", color=BLUE, markersize=3.5)
    axes.set(xlim=(0, top), ylim=(0, top), aspect="equal", xlabel=f"${name}$ [m/s]", ylabel="$v$ [m/s]")


def _history(
    axes: Axes, params: Parameters, data: xr.Dataset, speed: np.ndarray, rim: np.ndarray, name: str
) -> None:
    times = data.time.values
    axes.plot(times, speed, color=BLUE, label="$v$")
    axes.plot(times, rim, color=ORANGE, label=f"${name}$")
    known, stopped = reference(params), stop_time(data)
    if known is not None and params.body == "rigid":
        axes.axvline(known.time, color=BLACK, linestyle=(0, (1, 1.5)), linewidth=0.9)
        axes.text(known.time, axes.get_ylim()[1], f" {known.time:.4f} s,\n exact stop", fontsize=7, va="top")
    axes.legend(loc="upper right" if known is None else "center right")
    end = times[-1] if stopped is None else min(times[-1], 1.35 * stopped + 1e-12)
    axes.set(xlim=(0, end or times[-1]), ylim=(0, None), xlabel="time $t$ [s]", ylabel="speed [m/s]")


def _outline(params: Parameters) -> np.ndarray:
    """Return the body's outline from its centre, (points, 2) m."""
    if params.shape == "disc":
        angle = np.linspace(0, 2 * np.pi, 90)
        return params.radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * [params.length / 2, params.width / 2]


def _path(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    centre, angle = data.frame_position.values, data.frame_angle.values
    travelled = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(centre, axis=0).T))])
    shares = np.linspace(0, 1, 4)
    instants = np.unique(np.searchsorted(travelled, shares * travelled[-1]).clip(max=len(angle) - 1))
    outline = _outline(params)
    for instant in instants:
        cosine, sine = np.cos(angle[instant]), np.sin(angle[instant])
        turn = np.array([[cosine, -sine], [sine, cosine]])
        shape = centre[instant] + outline @ turn.T
        axes.add_patch(Polygon(shape, facecolor=BLUE, alpha=0.13, edgecolor="none"))
        axes.add_patch(Polygon(shape, fill=False, edgecolor=BLUE, linewidth=0.8))
        mark = centre[instant] + turn @ [outline[:, 0].max(), 0.0]
        axes.plot(*np.transpose([centre[instant], mark]), color=ORANGE, linewidth=1.2, solid_capstyle="round")
    axes.plot(*centre.T, color=BLACK, linewidth=1.0)
    axes.set(aspect="equal", xlabel="$x$ [m]", ylabel="$y$ [m]")
    axes.autoscale_view()
