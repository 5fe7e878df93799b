"""discs thrown with any mixture of sliding and spinning all come to rest with v/(R omega) = 0.6530.

Phase portrait of the rigid uniform disc, R omega over v, and v/(R omega) over the remaining speed, beside the curves of the
autonomous equation of Farkas et al. (2003) (`cases.references.spinning_disc.ratio_path`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION
from cases.references.spinning_disc import ratio_path, terminal_ratio
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Run

ORIGIN = "beyond"
SOURCE = "Farkas, Bartels, Unger, Wolf, PRL 90 (2003) 248302"
CLAIM = "Sliding and spinning end together: v/(R omega) of a thrown disc tends to 0.6530 from any start."
FILE = "disc_phase_portrait"
COST = 10.0

RADIUS = 0.1
"""m, the case's default."""
THROWS = ((1.0, 0.1), (1.0, 0.4), (1.0, 1.0), (0.6, 1.2), (0.3, 1.2), (0.06, 1.2))
"""(v, R omega) m/s at the start."""
COLOURS = (BLUE, SKY, GREEN, ORANGE, VERMILION, PURPLE)
LEAST, END = 0.02, 1e-4
"""Parts of the initial speed at which computed and exact curves end; below the first one step of friction stops the disc."""

RUNS = {
    f"{number}": Run("spinning_disc", {"vx0": v, "spin0": w / RADIUS, "nr": 32, "nt": 96, "dt": 2e-3, "t_end": 0.8})
    for number, (v, w) in enumerate(THROWS)
}
QUICK = {label: {"dt": 8e-3, "nr": 12, "nt": 24} for label in RUNS}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Speeds of the computed discs, m/s, their ratios over the size c of the speed (relative to its start), and the exact ratios.

    c = sqrt(v^2 + (R omega)^2/2), so that the kinetic energy is m c^2/2. ``error_i``: largest deviation of v/(R omega) from the
    exact one, relative to it. ``limit``: the ratio at which discs stop.
    """
    result: Numbers = {"limit": terminal_ratio()}
    for label, run in data.items():
        v = np.hypot(*run.frame_velocity.values.T)
        turning = RADIUS * run.frame_spin.values
        size = np.sqrt(v**2 + turning**2 / 2)
        known = np.flatnonzero(size > LEAST * size[0])
        v, turning, size = v[known], turning[known], size[known] / size[0]
        exact = ratio_path(v[0] / turning[0], size)
        ahead = np.geomspace(1.0, END, 200)
        result |= {
            f"speed_{label}": v,
            f"turning_{label}": turning,
            f"size_{label}": size,
            f"ratio_{label}": v / turning,
            "ahead": ahead,
            f"exact_{label}": ratio_path(v[0] / turning[0], ahead),
            f"error_{label}": float(np.max(np.abs(v / turning / exact - 1))),
        }
    return result


def draw(numbers: Numbers) -> Figure:
    """Draw the portrait, and the ratios."""
    figure = column_figure(115)
    plane, ratio = figure.subplots(2, 1, height_ratios=[1.25, 1])
    reach = 1.32
    plane.plot([0, reach], [0, numbers["limit"] * reach], color=BLACK, linewidth=0.8, linestyle=(0, (4, 2)))
    plane.annotate(
        f"$v = {numbers['limit']:.4f}\\,R\\omega$", (1.0, numbers["limit"]), (4, 9), textcoords="offset points",
        fontsize=7, rotation=27,
    )  # fmt: skip
    for label, colour in enumerate(COLOURS):
        v, turning = numbers[f"speed_{label}"], numbers[f"turning_{label}"]
        plane.plot(turning, v, color=colour, linewidth=1.3)
        middle = len(v) // 3
        plane.annotate(
            "", (turning[middle + 1], v[middle + 1]), (turning[middle], v[middle]),
            arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.2}, zorder=4,
        )  # fmt: skip
        plane.plot(turning[:1], v[:1], marker="o", markersize=3, color=colour)
        size = numbers[f"size_{label}"]
        ratio.plot(size, numbers[f"ratio_{label}"], color=colour, linewidth=1.6)
        ratio.plot(
            numbers["ahead"], numbers[f"exact_{label}"], color=BLACK, linewidth=0.7, linestyle=(0, (2, 2)), zorder=3
        )
    plane.set(xlabel=r"spin $R\omega$ [m/s]", ylabel="speed $v$ [m/s]", xlim=(0, reach), ylim=(0, 1.08))
    ratio.axhline(numbers["limit"], color=GREY, linewidth=0.6, zorder=0)
    ratio.text(1.25 * END, numbers["limit"] * 1.15, f"{numbers['limit']:.4f}", fontsize=7, ha="right")
    ratio.plot([], [], color=BLUE, linewidth=1.6, label="computed")
    ratio.plot([], [], color=BLACK, linewidth=0.7, linestyle=(0, (2, 2)), label="exact")
    ratio.set(xscale="log", yscale="log", xlim=(1.0, END))
    ratio.set(xlabel=r"speed left, $\sqrt{v^2 + (R\omega)^2/2}$ over its start", ylabel=r"ratio $v\,/\,(R\omega)$")
    ratio.legend(loc="upper right")
    letter(plane, "a")
    letter(ratio, "b")
    return figure
