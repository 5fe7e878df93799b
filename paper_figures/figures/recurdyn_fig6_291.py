"""RecurDyn, Figure 6.291: the sliding type, whose force depends only on the velocity: a block below the bound creeps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREY, ORANGE
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.recurdyn_laws import BLOCK, CLEAR, PARAMETERS, block_motion, draw_motion, sliding_curve
from paper_figures.runs.jobs import Job, Study

FILE = "recurdyn_fig6_291"
ORIGIN = "recurdyn"
SOURCE = "RecurDyn, Fig. 6.291"
CLAIM = (
    "the sliding type is a step5 of the velocity through 0 at rest, so that a block below its bound creeps to and fro"
)
COST = 12.0
RUNS: Mapping[str, Job] = {
    "curve": Study(sliding_curve, PARAMETERS | {"max_share": 1.0}),
    "block": BLOCK["sliding"],
    "coulomb": BLOCK["coulomb"],
}
QUICK: Mapping[str, Mapping[str, object]] = {"block": {"dt": 0.04}, "coulomb": {"dt": 0.04}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Curve in `|v| <= 1.2 v_s`, the motions of the block (block_motion), and the deviation from the printed formula."""
    curve = {str(name): variable.values for name, variable in data["curve"].data_vars.items()}
    near = np.abs(curve["velocity"]) <= 1.2 * PARAMETERS["v_s"]
    shown = {name: curve[name][near] for name in ("velocity", "coefficient", "printed")}
    return (
        PARAMETERS
        | shown
        | {"deviation": float(np.max(np.abs(shown["coefficient"] - shown["printed"])))}
        | {label: block_motion(data[label]) for label in ("block", "coulomb")}
    )


def draw(numbers: Numbers) -> Figure:
    """Draw mu over v up to the static threshold, and the block's coordinate under a force below the bound."""
    figure = column_figure(92)
    top, bottom = figure.subplots(2, 1)
    v, v_s = 1e3 * numbers["velocity"], 1e3 * numbers["v_s"]
    top.axhline(0.0, color=BLACK, linewidth=0.4)
    for side in (-1, 1):
        top.axvline(side * v_s, color=GREY, linewidth=0.5, linestyle=":")
    top.plot(v, numbers["coefficient"], color=BLUE, linewidth=2.4, label="computed")
    top.plot(v, numbers["printed"], color=ORANGE, linewidth=0.9, linestyle=(0, (4, 2.5)), label="printed")
    top.set(xlabel="relative velocity $v$ [mm/s]", ylabel=r"coefficient $\mu$ [1]", xlim=(v[0], v[-1]))
    top.text(-v_s, 0, " $-v_s$", va="bottom")
    top.text(v_s, 0, "$v_s$ ", va="bottom", ha="right")
    top.legend(loc="upper right", borderaxespad=0.1, **CLEAR)
    draw_motion(bottom, numbers["block"], numbers["coulomb"], "sliding type", 7.0)
    letter(top, "a", "the law")
    letter(bottom, "b", r"block under $0.7\,\mu_s |f_n| \cos t$")
    return figure
