"""RecurDyn, Figure 6.292: the sliding & stiction type, whose bristles carry a load at rest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.recurdyn_laws import BLOCK, CLEAR, STICTION, block_motion, draw_motion, stiction_curves
from paper_figures.runs.jobs import Job, Study

FILE = "recurdyn_fig6_292"
ORIGIN = "recurdyn"
SOURCE = "RecurDyn, Fig. 6.292"
CLAIM = "at rest bristles carry up to mu_s; from v_s on the law is the sliding type; a block below the bound stays within Delta_max"
COST = 12.0
RUNS: Mapping[str, Job] = {
    "curves": Study(stiction_curves, STICTION),
    "block": BLOCK["sliding-stiction"],
    "coulomb": BLOCK["coulomb"],
}
QUICK: Mapping[str, Mapping[str, object]] = {"block": {"dt": 0.04}, "coulomb": {"dt": 0.04}}
COLOURS = (PURPLE, SKY, GREEN, BLUE)


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Curves, the motions of the block, and the largest deviation from the printed formulas."""
    curves = {str(name): variable.values for name, variable in data["curves"].data_vars.items()}
    deviations = [np.abs(curves[name] - curves[f"{printed}printed"]).max() for name, printed in PAIRS.items()]
    return (
        STICTION
        | curves
        | {"deviation": float(max(deviations))}
        | {label: block_motion(data[label]) for label in ("block", "coulomb")}
    )


PAIRS = {"coefficient": "", "at_rest": "at_rest_"}


def draw(numbers: Numbers) -> Figure:
    """Draw mu over the deformation at rest, mu over v at four deformations, and the block under a force below the bound."""
    figure = column_figure(140)
    top, middle, bottom = figure.subplots(3, 1, height_ratios=[1, 1.3, 1])
    draw_rest(top, numbers)
    draw_slip(middle, numbers)
    draw_motion(bottom, numbers["block"], numbers["coulomb"], "sliding & stiction type", 0.17)
    for side in (-1, 1):
        bottom.axhline(side * 1e3 * numbers["max_stiction_deformation"], color=GREY, linewidth=0.5, linestyle=":")
    letter(top, "a", r"at rest; dotted: $\pm\Delta_\mathrm{max}$")
    letter(middle, "b", r"at four $\Delta$; dotted: $\pm v_s$, $\pm v_d$")
    letter(bottom, "c", r"block under $0.7\,\mu_s |f_n| \cos t$; dotted: $\pm\Delta_\mathrm{max}$")
    return figure


def draw_rest(axes: Axes, numbers: Numbers) -> None:
    """Draw the coefficient at rest over the bristles' deformation."""
    bent = 1e3 * numbers["deformations"]
    most = 1e3 * numbers["max_stiction_deformation"]
    axes.axhline(0.0, color=BLACK, linewidth=0.4)
    for side in (-1, 1):
        axes.axvline(side * most, color=GREY, linewidth=0.5, linestyle=":")
    axes.plot(bent, numbers["at_rest"], color=BLACK, linewidth=2.4, label="computed")
    axes.plot(bent, numbers["at_rest_printed"], color=ORANGE, linewidth=0.9, linestyle=(0, (4, 2.5)), label="printed")
    axes.set(xlabel=r"deformation $\Delta$ [mm]", ylabel=r"$\mu_\Delta$ [1]", xlim=(bent[0], bent[-1]))
    axes.legend(loc="upper right", borderaxespad=0.1, **CLEAR)


def draw_slip(axes: Axes, numbers: Numbers) -> None:
    """Draw the coefficient over the velocity at each deformation, the printed formulas dashed over it."""
    v = 1e3 * numbers["velocity"]
    axes.axhline(0.0, color=BLACK, linewidth=0.4)
    for speed in ("v_s", "v_d"):
        for side in (-1, 1):
            axes.axvline(side * 1e3 * numbers[speed], color=GREY, linewidth=0.5, linestyle=":")
    shares = numbers["deformation"] / numbers["max_stiction_deformation"]
    for share, curve, printed, colour in zip(shares, numbers["coefficient"], numbers["printed"], COLOURS, strict=True):
        size = {1.0: "", -1.0: "-"}.get(share, f"{share:g}\\,")
        label = rf"$\Delta = {size}\Delta_\mathrm{{max}}$" if share else r"$\Delta = 0$"
        axes.plot(v, curve, color=colour, linewidth=2.2, label=label)
        axes.plot(v, printed, color=ORANGE, linewidth=0.8, linestyle=(0, (4, 2.5)))
    axes.set(xlabel="relative velocity $v$ [mm/s]", ylabel=r"$f_f/|f_n|$ [1]", xlim=(v[0], v[-1]))
    axes.legend(loc="upper right", borderaxespad=0.1, labelspacing=0.2, **CLEAR)
