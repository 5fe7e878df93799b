"""RecurDyn, Figure 6.293: the friction coefficient of the sliding type over the relative velocity."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREY, ORANGE, VERMILION
from paper_figures.ink.style import column_figure
from paper_figures.numbers import Numbers
from paper_figures.parts.recurdyn_laws import CLEAR, PARAMETERS, sliding_curve
from paper_figures.runs.jobs import Job, Study

FILE = "recurdyn_fig6_293"
ORIGIN = "recurdyn"
SOURCE = "RecurDyn, Fig. 6.293"
CLAIM = "the coefficient opposes the velocity, is mu_s in size at v_s and mu_d from v_d on, as printed; f_max cuts the force"
COST = 0.1
SHARE = 0.75  # of mu_s |f_n|: the limit drawn
RUNS: Mapping[str, Job] = {"curve": Study(sliding_curve, PARAMETERS | {"max_share": SHARE})}
QUICK: Mapping[str, Mapping[str, object]] = {}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Curve and its thresholds; deviation: the largest difference from the printed formulas."""
    curve = {str(name): variable.values for name, variable in data["curve"].data_vars.items()}
    return PARAMETERS | curve | {"deviation": float(np.max(np.abs(curve["coefficient"] - curve["printed"])))}


def draw(numbers: Numbers) -> Figure:
    """Draw mu over v in RecurDyn's sign, the thresholds, and the limited force."""
    figure = column_figure(62)
    axes = figure.subplots()
    v = 1e3 * numbers["velocity"]
    v_s, v_d, mu_s, mu = 1e3 * numbers["v_s"], 1e3 * numbers["v_d"], numbers["mu_s"], numbers["mu"]
    for place in (-v_d, -v_s, v_s, v_d):
        axes.axvline(place, color=GREY, linewidth=0.5, linestyle=":")
    for height in (-mu_s, -mu, mu, mu_s):
        axes.axhline(height, color=GREY, linewidth=0.5, linestyle=":")
    axes.axhline(0.0, color=BLACK, linewidth=0.4)
    axes.plot(v, numbers["coefficient"], color=BLUE, linewidth=2.4, label=r"$\mu(v)$, computed")
    axes.plot(v, numbers["printed"], color=ORANGE, linewidth=0.9, linestyle=(0, (4, 2.5)), label="printed")
    axes.plot(v, numbers["limited"], color=VERMILION, linewidth=0.9, label=r"$f_f/|f_n|$ with $f_\mathrm{max}$")
    axes.set(xlabel="relative velocity $v$ [mm/s]", ylabel=r"friction coefficient $\mu$ [1]", xlim=(v[0], v[-1]))
    axes.set_ylim(-1.45 * mu_s, 1.45 * mu_s)
    top = axes.secondary_xaxis("top")
    top.set_xticks([-v_d, -v_s, v_s, v_d], ["$-v_d$", "$-v_s$", "$v_s$", "$v_d$"])
    side = axes.secondary_yaxis("right")
    side.set_yticks([-mu_s, -mu, mu, mu_s], [r"$-\mu_s$", r"$-\mu_d$", r"$\mu_d$", r"$\mu_s$"])
    for added in (top, side):
        added.tick_params(length=0)
    axes.legend(loc="upper right", borderaxespad=0.1, **CLEAR)
    return figure
