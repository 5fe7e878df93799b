"""the wave in a pushed rod on rough ground, in the x-t plane with its characteristics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREY, LIGHT, ORANGE, VERMILION
from cases.rod_wave import Parameters, sections, wave
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Run

FILE = "rod_wave"
ORIGIN = "beyond"
SOURCE = "characteristics of the 1-D wave equation with dry friction (cases/references/rods/rod_wave.py)"
CLAIM = "Friction stops the wave at once, at t* = 2P/(qc), leaving twice the quasi-static end displacement."
COST = 4.0

RUNS = {
    "step": Run("rod_wave", {"nx": 400, "t_end": 0.05}),
    "implicit": Run("rod_wave", {"nx": 400, "t_end": 0.05, "scheme": "sdirk2"}),
}
QUICK = {"step": {"nx": 50}, "implicit": {"nx": 50}}
STUCK = 1e-9
"""Speeds below this part of P c/(EA) are drawn as stick (rounding in the arrested rod at c dt = dx)."""


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Velocity v EA/(P c) in the x-t plane; residual displacements of both schemes, exact and quasi-static, over the exact
    end's; times over t*, places over the penetration 2 P/q; ``arrest``: when the last node stops, over t*.
    """
    run = data["step"]
    params = Parameters.model_validate_json(run.attrs["parameters"], strict=False)
    known = wave(params)
    end = known.friction * known.penetration**2 / (4 * known.stiffness)
    x, _, v = sections(params, run)
    v = v / known.first_velocity
    moving = np.flatnonzero(np.abs(v).max(axis=1) > 1e-3)
    result: Numbers = {
        "x": x / known.penetration,
        "t": run.time.values / known.arrest,
        "velocity": v,
        "arrest": float(run.time.values[moving[-1] + 1] / known.arrest),
        "exact": known.displacement(x, float(run.time[-1])) / end,
        "quasi_static": np.maximum(known.penetration / 2 - x, 0) ** 2 * known.friction / (2 * known.stiffness) / end,
    }
    for label, each in data.items():
        own = Parameters.model_validate_json(each.attrs["parameters"], strict=False)
        result[f"residual_{label}"] = sections(own, each)[1][-1] / end
    return result


def draw(numbers: Numbers) -> Figure:
    """Draw the plane, and the residual displacements."""
    figure = column_figure(115)
    plane, residual = figure.subplots(2, 1, height_ratios=[1.35, 1])
    moving = np.ma.masked_array(numbers["velocity"], np.abs(numbers["velocity"]) <= STUCK)
    plane.set_facecolor(LIGHT)
    field = plane.pcolormesh(
        numbers["x"], numbers["t"], moving, cmap="YlGnBu", vmin=0, vmax=1, shading="nearest", rasterized=True
    )
    bar = figure.colorbar(field, ax=plane, pad=0.02, aspect=30)
    bar.set_label(r"$v\,/\,(Pc/EA)$;  grey: sticks")
    plane.plot([0, 1], [0, 1], color=BLACK, linewidth=0.9, linestyle=(0, (4, 2)))
    plane.plot([0, 1], [1, 1], color=BLACK, linewidth=0.9, linestyle=":")
    plane.text(0.66, 0.56, "front $x = ct$", rotation=0, fontsize=7)
    plane.text(0.5, 1.03, "all stops at $t^* = 2P/(qc)$", fontsize=7, ha="center")
    plane.set(ylabel="time $t\\,/\\,t^*$", xlim=(0, 1.2), ylim=(0, 1.2), xlabel="distance $x$ over penetration $2P/q$")
    residual.plot(
        numbers["x"], numbers["residual_step"], color=BLUE, linewidth=2.2, label="explicit, $c\\Delta t = \\Delta x$"
    )
    residual.plot(numbers["x"], numbers["residual_implicit"], color=VERMILION, linewidth=1.1, label="SDIRK2")
    exact: dict[str, Any] = {"color": BLACK, "linewidth": 0.9, "linestyle": (0, (2, 2)), "zorder": 4}
    residual.plot(numbers["x"], numbers["exact"], **exact, label="exact")
    residual.plot(numbers["x"], numbers["quasi_static"], color=ORANGE, linewidth=0.9, label="quasi-static")
    residual.set(xlabel="distance $x$ over penetration $2P/q$", xlim=(0, 1.2), ylim=(0, 1.06))
    residual.set_ylabel("residual $u\\,/\\,(P^2/qEA)$")
    residual.legend(loc="upper right")
    gap = residual.inset_axes((0.62, 0.14, 0.36, 0.3))
    gap.axhline(0, color=GREY, linewidth=0.4)
    gap.plot(numbers["x"], 1e3 * (numbers["residual_step"] - numbers["exact"]), color=BLUE, linewidth=1.6)
    gap.plot(numbers["x"], 1e3 * (numbers["residual_implicit"] - numbers["exact"]), color=VERMILION, linewidth=1.0)
    gap.set(xlim=(0, 1.2), xticks=[])
    gap.set_title("error x $10^3$", fontsize=7, pad=2)
    letter(plane, "a")
    letter(residual, "b")
    return figure
