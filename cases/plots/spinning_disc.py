"""The picture of spinning_disc: the ratio of sliding to spinning, both over time, and the path."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from cases.app.drawing.style import BLACK, BLUE, GREY, ORANGE, PAGE, letter
from cases.references.spinning_disc import terminal_ratio
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
    _portrait(portrait, rim, speed, name, tends=reference(params) is not None)
    _history(history, params, data, speed, rim, name)
    _path(path, params, data)
    for label, axes in zip("abc", (portrait, history, path), strict=True):
        letter(axes, label)


def _portrait(axes: Axes, rim: np.ndarray, speed: np.ndarray, name: str, *, tends: bool) -> None:
    right, top = 1.08 * max(rim.max(), 1e-12), 1.08 * max(speed.max(), 1e-12)
    if tends:
        ratio = terminal_ratio()
        axes.plot([0, right], [0, ratio * right], color=GREY, linestyle=(0, (3, 2)), linewidth=0.9)
        label = f"dashed: $v/{name} = {ratio:.4f}$"
        axes.text(0.97, 0.04, label, ha="right", fontsize=7, transform=axes.transAxes)
    axes.plot(rim, speed, color=BLUE)
    axes.plot(rim[0], speed[0], "o", color=BLUE, markersize=3.5, clip_on=False)
    axes.set(xlim=(0, right), ylim=(0, top), xlabel=f"${name}$ [m/s]", ylabel="$v$ [m/s]")


def _history(axes: Axes, params: Parameters, data: xr.Dataset, speed: np.ndarray, rim: np.ndarray, name: str) -> None:
    times = data.time.values
    known, stopped = reference(params), stop_time(data)
    end = times[-1] if stopped is None else min(times[-1], 1.45 * stopped)
    quarter = int(np.searchsorted(times, end / 4))
    for values, colour, label in ((speed, BLUE, "$v$"), (rim, ORANGE, f"${name}$")):
        axes.plot(times, values, color=colour)
        spot = (times[quarter], values[quarter])
        axes.annotate(label, spot, (3, 2), textcoords="offset points", color=colour, fontsize=8)
    axes.set(xlim=(0, end or times[-1]), ylim=(0, 1.08 * max(speed.max(), rim.max(), 1e-12)))
    axes.set(xlabel="time $t$ [s]", ylabel="speed [m/s]")
    if known is not None and 0.0 < known.time < times[-1]:
        axes.axvline(known.time, color=BLACK, linestyle=(0, (1, 1.5)), linewidth=0.9)
        body = "exact stop" if params.body == "rigid" else "stop of the\nrigid disc"
        text = f"{body}\n{known.time:.4f} s"
        spot = (known.time, 0.98)
        style: dict[str, Any] = {"xycoords": axes.get_xaxis_transform(), "textcoords": "offset points", "fontsize": 7}
        axes.annotate(text, spot, (-3, 0), ha="right", va="top", **style)


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
        axes.plot(*np.transpose([centre[instant], mark]), color=ORANGE, linewidth=1.4, zorder=4)
    axes.plot(*centre.T, color=BLACK, linewidth=0.9, zorder=3)
    axes.set(aspect="equal", xlabel="$x$ [m]", ylabel="$y$ [m]")
    axes.autoscale_view()
