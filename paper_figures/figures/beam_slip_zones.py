"""slip zones of a long beam pushed across at its end shrink geometrically, without end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, VERMILION
from cases.beam_on_rough_foundation import Parameters
from cases.references.beams.beam_on_rough_foundation import scales, zones
from cases.references.beams.self_similar import RATIO, solve
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Run

FILE = "beam_slip_zones"
ORIGIN = "beyond"
SOURCE = "Nikitin (1992); Stupkiewicz and Mroz (1994); constants derived in cases/references/beams/self_similar.py"
CLAIM = "Slip zones of alternating direction follow each other, shrinking by (3 - sqrt 5)/2."
COST = 20.0

FORCES = (0.45, 0.72, 0.85, 0.9)
"""N: one slow push in legs of finer and finer increments, which resolve the shortest zones."""
RUNS = {
    "slow": Run("beam_on_rough_foundation", {"ne": 3200, "steps": 60, "forces": FORCES, "t_end": 4.0, "length": 1.6})
}
QUICK = {"slow": {"ne": 400, "steps": 10}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Deflection over P^4/(EJ q^3) and friction over q along xi = x q/P; zone lengths over P/q, and ratios of neighbours.

    Zones shorter than eight elements, or than the motion of the last zone in ten increments, are left out.
    """
    run = data["slow"]
    params = Parameters.model_validate_json(run.attrs["parameters"], strict=False)
    length, deflection, _ = scales(params, params.forces[-1])
    exact = solve()
    increment = (1 - params.forces[-2] / params.forces[-1]) / params.steps
    shortest = max(8 * params.length / (params.ne * length), 10 * exact.reach * increment)
    lengths = np.diff(zones(params, run, -1), prepend=0.0) / length
    lengths = lengths[: int(np.argmin(np.append(lengths > shortest, False)))]
    weight = run.friction_weight.values
    xi = (run.X.values[:, 0] + params.length / 2) / length
    return {
        "xi": xi,
        "deflection": run.displacement.values[-1, :, 1] / deflection,
        "exact_deflection": exact.profile(xi),
        "friction": run.friction_force.values[-1, :, 1] / weight,
        "slides": run.velocity.values[-1, :, 1] != 0.0,
        "lengths": lengths,
        "exact_lengths": exact.lengths[:8],
        "exact_ends": exact.ends[:6],
        "reach": exact.reach,
        "ratios": lengths[1:] / lengths[:-1],
        "exact_ratios": exact.lengths[1:8] / exact.lengths[:7],
        "limit": RATIO,
    }


def draw(numbers: Numbers) -> Figure:
    """Draw deflection, friction and zones."""
    figure = column_figure(125)
    shape, force, sizes = figure.subplots(3, 1, height_ratios=[1, 0.8, 1.05])
    xi, w = numbers["xi"], numbers["deflection"]
    dashed: dict[str, Any] = {"color": BLACK, "linestyle": (0, (2, 2)), "linewidth": 0.8, "zorder": 4}
    shape.plot(xi, w, color=BLUE, linewidth=1.8, label="computed")
    shape.plot(xi, numbers["exact_deflection"], **dashed, label="self-similar, exact")
    inset = shape.inset_axes((0.5, 0.42, 0.49, 0.3))
    inset.plot(xi, 1e3 * w, color=BLUE, linewidth=1.6)
    inset.plot(xi, 1e3 * numbers["exact_deflection"], **dashed)
    inset.axhline(0, color=GREY, linewidth=0.4)
    inset.set(xlim=(1.5, 3.3), ylim=(-6.5, 1.4), xlabel=r"$\xi = xq/P$")
    inset.xaxis.labelpad = 0
    inset.set_ylabel(r"$10^3 w\,EJq^3/P^4$", fontsize=7, labelpad=1)
    shape.set(xlabel=r"distance $\xi = xq/P$", ylabel=r"$W = w\,EJq^3/P^4$", xlim=(0, 3.6), ylim=(-0.05, 0.7))
    shape.legend(loc="upper right")
    force.axhline(0, color=GREY, linewidth=0.4, zorder=0)
    force.plot(xi, numbers["friction"], color=VERMILION, linewidth=1.0)
    for end in numbers["exact_ends"]:
        force.axvline(end, color=BLACK, linewidth=0.5, linestyle=":", zorder=0)
    force.axvspan(numbers["reach"], 3.6, color="#E8E8E8", linewidth=0, zorder=0)
    force.text(3.28, -0.85, "never\nmoved", fontsize=7, va="bottom")
    force.set(xlabel=r"distance $\xi = xq/P$", ylabel="friction / $q$", xlim=(0, 3.6), ylim=(-1.15, 1.15))
    count = np.arange(1, len(numbers["lengths"]) + 1)
    sizes.semilogy(
        count, numbers["lengths"], color=BLUE, marker="o", linestyle="none", markersize=4.5, label="computed"
    )
    known = numbers["exact_lengths"]
    sizes.semilogy(
        np.arange(1, len(known) + 1), known, color=BLACK, marker="x", linestyle="none", markersize=4, label="exact"
    )
    slope = known[3] * numbers["limit"] ** (np.arange(1, 9) - 4.0)
    sizes.semilogy(
        np.arange(1, 9), slope, color=GREEN, linewidth=0.9, label=r"ratio $(3-\sqrt{5})/2 = 0.382$", zorder=0
    )
    for k, ratio in enumerate(numbers["ratios"], start=1):
        sizes.annotate(
            f"{ratio:.3f}", (k + 0.5, np.sqrt(numbers["lengths"][k] * numbers["lengths"][k - 1])), (4, 4),
            textcoords="offset points", fontsize=7, color=BLUE,
        )  # fmt: skip
    sizes.set(xlabel="number of the slip zone", ylabel="length / $(P/q)$", xlim=(0.6, 8.4))
    sizes.legend(loc="lower left")
    for name, axes in zip("abc", (shape, force, sizes), strict=True):
        letter(axes, name)
    return figure
