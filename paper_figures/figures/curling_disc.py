"""Thick discs curl: paths, terminal ratio and side force over the height of the centre of mass, beside the quadrature.

The 3-D rigid body on its base, and the body in the plane whose pressure reacts to friction, at the same points.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREY, ORANGE, PURPLE, SKY
from cases.curling_disc import side_force, speeds
from cases.references.space.curling_disc import LIFTS, terminal
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Run

FILE = "curling_disc"
ORIGIN = "beyond"
SOURCE = "Farkas, Bartels, Unger, Wolf, PRL 90 (2003) 248302, for the flat disc; quadrature for thick ones"
CLAIM = (
    "A disc whose centre of mass is above the ground curls: its side force grows with mu h/R, as the quadrature says."
)
COST = 60.0

RADIUS, MU, MASS = 0.1, 0.3, 1.0
STARTS = {0.015: 0.6531, 0.06: 0.6548, 0.15: 0.6634, 0.24: 0.6758}
"""mu h/R, and the initial v/(R omega): near the terminal value, which is approached only as the speed falls."""
SHARES = tuple(STARTS)
COLOURS = (SKY, BLUE, ORANGE, PURPLE)
LATE = (0.3, 0.03)
"""Remaining parts of the initial speed between which the values near a disc's stop are taken."""

_GIVEN = {"radius": RADIUS, "mu": MU, "mass": MASS, "spin0": 8.0, "nr": 14, "nt": 40, "t_end": 0.3}
RUNS = {
    f"{model}_{k}": Run(
        "curling_disc",
        _GIVEN | {"vx0": 8.0 * RADIUS * ratio, "half_height": share * RADIUS / MU, "model": model, "dt": 2e-3},
    )
    for k, (share, ratio) in enumerate(STARTS.items())
    for model in ("space", "plane")
}
QUICK = {label: {"dt": 0.01, "nr": 6, "nt": 16} for label in RUNS}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """By model, near each disc's stop, ``ratio_*`` v/(R omega) and ``side_*`` force over drag (n,), to the right; ``path_k``
    (t, 2) m in space; ``apart`` m, the largest distance between the models; exact ``curve`` (3, m): share, ratio and side."""
    shares = np.linspace(0.0, LIFTS, 26)
    exact = [terminal(share) for share in shares]
    curve = np.array([(s, e.ratio, e.side) for s, e in zip(shares, exact, strict=True) if e is not None]).T
    known = [terminal(share) for share in SHARES]
    result: Numbers = {"share": np.array(SHARES), "curve": curve}
    result["exact"] = np.array([(e.ratio, e.side) for e in known if e is not None]).T
    for model in ("space", "plane"):
        ends = np.array([_end(data[f"{model}_{k}"]) for k in range(len(SHARES))])
        result |= {f"ratio_{model}": ends[:, 0], f"side_{model}": ends[:, 1]}
    apart = []
    for k in range(len(SHARES)):
        space, plane = (data[f"{model}_{k}"].frame_position.values[:, :2] for model in ("space", "plane"))
        result[f"path_{k}"] = space
        apart.append(np.abs(space - plane).max())
    return result | {"apart": float(max(apart))}


def _end(data: xr.Dataset) -> tuple[float, float]:
    """Last ratio, and the mean side force to the right over the drag, while little of the speed is left."""
    speed, spin = speeds(data)
    late = (speed < LATE[0] * speed[0]) & (speed > LATE[1] * speed[0])
    ratio = speed[late][-1] / (RADIUS * spin[late][-1])
    return float(ratio), -float(side_force(data)[late].mean())


def draw(numbers: Numbers) -> Figure:
    """Draw the paths, the terminal ratio and the side force."""
    figure = column_figure(125)
    path, ratio, side = figure.subplots(3, 1, height_ratios=[1.25, 1, 1])
    _paths(path, numbers)
    curve = numbers["curve"]
    for axes, row, name, label in (
        (ratio, 1, "ratio", r"$v\,/\,(R\omega)$"),
        (side, 2, "side", "side force / drag"),
    ):
        axes.plot(curve[0], curve[row], color=BLACK, linewidth=0.9, label="quadrature")
        axes.plot(
            numbers["share"], numbers[f"{name}_plane"], linestyle="none", marker="o", markersize=6.5, color=ORANGE,
            markerfacecolor="none", label="in the plane, pressure reacts",
        )  # fmt: skip
        axes.plot(numbers["share"], numbers[f"{name}_space"], "+", markersize=6, color=BLUE, label="body in space")
        axes.axvline(LIFTS, color=GREY, linewidth=0.7, linestyle=(0, (3, 2)))
        axes.set(ylabel=label, xlim=(0.0, 0.27))
    ratio.annotate(
        "base lifts",
        (LIFTS, 0.655),
        (-3, 0),
        textcoords="offset points",
        rotation=90,
        ha="right",
        va="bottom",
        color=GREY,
    )
    ratio.sharex(side)
    ratio.tick_params(labelbottom=False)
    ratio.set_ylim(0.649, 0.680)
    side.set(xlabel=r"friction times height over radius, $\mu h/R$", ylim=(0.0, 0.3))
    side.legend(loc="upper left")
    letter(path, "a", "thrown along $x$, spinning to the left")
    letter(ratio, "b", "near rest; flat disc: 0.6530")
    letter(side, "c", "to the right, near rest")
    return figure


def _paths(axes: Axes, numbers: Numbers) -> None:
    for k in range(len(SHARES)):
        x, y = 1e3 * numbers[f"path_{k}"].T
        axes.plot(x, y, color=COLOURS[k], linewidth=1.4)
        axes.plot(x[-1:], y[-1:], "o", color=COLOURS[k], markersize=3)
        text = rf"$\mu h/R$ = {SHARES[k]:g}" if k == 0 else f"{SHARES[k]:g}"
        axes.annotate(text, (x[-1], y[-1]), (4, -2.5), textcoords="offset points", color=BLACK, fontsize=7)
    axes.axhline(0.0, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)))
    axes.set(xlabel="$x$ [mm]", ylabel="$y$ [mm], enlarged", xlim=(0.0, 92.0))
