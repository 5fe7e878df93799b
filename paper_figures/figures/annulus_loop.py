"""the torsion loop of an annulus between rough planes, and the torque carried inside."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from cases.annulus_torsion import Parameters, annulus, carried_torque, exact, rim_angle, torque_at
from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, VERMILION
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Run

ORIGIN = "beyond"
SOURCE = "derived in cases/references/rods/annulus_torsion.py (plane elasticity, Masing's rule)"
CLAIM = "Slow torsion to and fro closes a loop whose area is the exact friction loss of a cycle."
FILE = "annulus_loop"
COST = 6.0

PARAMETERS = {"nr": 45, "nt": 60, "steps": 30, "t_end": 3.0}
RUNS = {"cycle": Run("annulus_torsion", PARAMETERS)}
QUICK = {"cycle": {"nr": 15, "nt": 24, "steps": 10}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Rim angle, rad, over torque, N m, computed and exact; T(r) at the turning points; loss of the last cycle, J."""
    run = data["cycle"]
    params = Parameters.model_validate_json(run.attrs["parameters"], strict=False)
    body, known = annulus(params), exact(params)
    assert known is not None
    torque, angle = torque_at(params, run.time.values), rim_angle(params, run)
    path = []
    for time, value in zip(run.time.values, torque, strict=True):
        turns = body.turns([*params.torques[: int(min(time, params.t_end - 1e-9))], float(value)])
        assert turns is not None
        path.append(turns[-1].displacement)
    cycle = slice(params.steps, 3 * params.steps + 1)
    lost = run.dissipation_friction.values
    legs: Numbers = {}
    for leg in (1, 2, 3):
        r, carried = carried_torque(params, run, leg * params.steps)
        legs |= {f"carried_{leg}": carried, f"exact_carried_{leg}": body.torque(known[leg - 1], r), "radius": r}
    return {
        "torque": torque,
        "angle": angle,
        "exact_angle": np.array(path),
        "loss": float(lost[3 * params.steps] - lost[params.steps]),
        "exact_loss": known[1].loss + known[2].loss,
        "area": float(np.trapezoid(torque[cycle], angle[cycle])),
        **legs,
    }


def draw(numbers: Numbers) -> Figure:
    """Draw the loop, and the torque inside."""
    figure = column_figure(105)
    loop, inside = figure.subplots(2, 1, height_ratios=[1.2, 1])
    loop.plot(1e3 * numbers["angle"], numbers["torque"], color=BLUE, linewidth=2.0, label="computed")
    dashed = (0, (3, 2))
    loop.plot(
        1e3 * numbers["exact_angle"], numbers["torque"], color=BLACK, linestyle=dashed, linewidth=0.9, label="exact"
    )
    loop.set(xlabel=r"angle of the inner rim $\varphi$ [mrad]", ylabel="torque $T$ [N m]")
    loop.text(
        0.97, 0.05, f"loss per cycle {1e3 * numbers['loss']:.4f} mJ\nexact {1e3 * numbers['exact_loss']:.4f} mJ",
        ha="right", va="bottom", fontsize=7, transform=loop.transAxes,
    )  # fmt: skip
    loop.legend(loc="upper left")
    for leg, colour in zip((1, 2, 3), (GREEN, VERMILION, BLUE), strict=True):
        r = 1e3 * numbers["radius"]
        width = 3.2 - 0.9 * leg
        inside.plot(r, numbers[f"carried_{leg}"], color=colour, linewidth=width, label=f"end of leg {leg}")
        inside.plot(r, numbers[f"exact_carried_{leg}"], color=BLACK, linestyle=dashed, linewidth=0.8, zorder=3)
    inside.axhline(0.0, color=GREY, linewidth=0.5, zorder=0)
    inside.set(xlabel="radius $r$ [mm]", ylabel="carried torque $T(r)$ [N m]")
    inside.legend(loc="upper right")
    letter(loop, "a")
    letter(inside, "b")
    return figure
