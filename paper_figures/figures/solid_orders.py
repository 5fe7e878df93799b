"""Errors over the time step of an elastic block that slides and turns with all of its base: persistent contact.

The gap of a node is linear in its velocity, so that place, velocity and contact force have the order of the scheme once the elastic
waves are resolved; the force of a rigid block has order one (figure `orders_in_space`). Reference: SDIRK2 with a fourth of the
finest step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

from cases import block_in_space
from cases.app.drawing.style import BLUE, VERMILION
from floating_frame import assemble, simulate
from paper_figures.ink.style import column_figure
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Study

Array = NDArray[np.float64]

FILE = "solid_orders"
ORIGIN = "beyond"
SOURCE = "an elastic solid in space on rough ground, its normal pressure unknown (self-reference)"
CLAIM = "While an elastic block slides on all of its base SDIRK2 is of second order, in positions and contact forces."
COST = 60.0

END, FINER = 0.03, 4
GIVEN = {
    "body": "elastic", "length": 0.3, "width": 0.3, "height": 0.1, "mass": 9.0, "mu": 0.3, "E": 1e5, "nx": 3, "ny": 3, "nz": 2,
    "viscosity": 0.0, "vx0": 1.0, "vy0": 0.4, "spin0": 1.0, "t_end": END,
}  # fmt: skip
LOOKS = {"sdirk2": ("SDIRK2", BLUE, "o"), "backward-euler": ("backward Euler", VERMILION, "s")}


def errors(steps: Sequence[int], schemes: Sequence[str]) -> xr.Dataset:
    """Largest errors (scheme, dt) at the end of nodal ``place`` m and of ``force`` over the largest force; over all runs the
    smallest nodal force, ``least`` N, and the number of sticking nodes, ``stuck``."""
    exact_place, exact_force, least, stuck = _end(FINER * max(steps), "sdirk2")
    place, force = np.zeros((2, len(schemes), len(steps)))
    for i, scheme in enumerate(schemes):
        for j, n in enumerate(steps):
            end_place, end_force, pressed, sticks = _end(n, scheme)
            place[i, j] = np.abs(end_place - exact_place).max()
            force[i, j] = np.abs(end_force - exact_force).max() / np.abs(exact_force).max()
            least, stuck = min(least, pressed), stuck + sticks
    table = {"place": (("scheme", "dt"), place), "force": (("scheme", "dt"), force), "least": least, "stuck": stuck}
    return xr.Dataset(table, {"scheme": list(schemes), "dt": END / np.array(steps)})


def _end(steps: int, scheme: str) -> tuple[Array, Array, float, int]:
    """Nodal positions and contact forces (N, 3) at the end, smallest normal force on the base, number of nodes that ever stuck."""
    params = block_in_space.Parameters.model_validate(GIVEN | {"dt": END / steps, "scheme": scheme})
    data = simulate(assemble(block_in_space.problem(params), block_in_space.options(params)))
    base = np.flatnonzero((data.normal_force.values > 0.0).any(axis=0))
    sticks = int((data.stick.values[:, base] == 1).sum())
    return (
        data.position.values[-1],
        data.contact_force.values[-1],
        float(data.normal_force.values[:, base].min()),
        sticks,
    )


RUNS = {"sliding": Study(errors, {"steps": [15, 30, 60, 120], "schemes": list(LOOKS)})}
QUICK = {"sliding": {"steps": [15, 30]}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``dt`` s, ``place_*`` m and ``force_*`` by scheme, their ``slope_*`` of the finest two, ``least`` N and ``stuck``."""
    table = data["sliding"]
    result: Numbers = {"dt": table.dt.values, "least": float(table.least), "stuck": int(table.stuck)}
    for name in ("place", "force"):
        for scheme in table.scheme.values:
            values = table[name].sel(scheme=scheme).values
            result[f"{name}_{scheme}"] = values
            result[f"slope_{name}_{scheme}"] = float(np.log2(values[-2] / values[-1]))
    return result


def draw(numbers: Numbers) -> Figure:
    """Draw the errors over the step."""
    figure = column_figure(80)
    axes, dt = figure.subplots(), numbers["dt"]
    for scheme, (name, colour, marker) in LOOKS.items():
        for what, line, face in (("place", "-", colour), ("force", "--", "white")):
            label = f"{name}, {what}: {numbers[f'slope_{what}_{scheme}']:.2f}"
            axes.loglog(
                dt, numbers[f"{what}_{scheme}"], line, color=colour,
                marker=marker, markersize=3.5, markerfacecolor=face, linewidth=1.0, label=label,
            )  # fmt: skip
    axes.set(xlabel=r"time step $\Delta t$ [ms]", ylabel="error of positions [m],\nof contact forces over largest [1]")
    axes.set_xticks(dt, [f"{1e3 * step:.3g}" for step in dt])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(bottom=axes.get_ylim()[0] / 100.0)
    axes.legend(loc="lower right", title="slope of the finest two", title_fontsize=7)
    axes.set_title("elastic block, all of its base slides", loc="left")
    return figure
