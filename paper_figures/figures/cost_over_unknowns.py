"""the cost of a coupled step over the number of unknowns, beside one factorisation of its matrix."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from cases.app.drawing.style import BLACK, BLUE, GREY, VERMILION
from fem import Plate, StVenantKirchhoff, rectangle
from floating_frame import EdgeLoad, InitialState, Model, Options, Problem, Ramp, assemble
from friction import Coulomb, Foundation
from paper_figures.ink.style import column_figure
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Study

FILE = "cost_over_unknowns"
ORIGIN = "beyond"
SOURCE = "a warm, sliding, turning plate, SDIRK2, P1 triangles"
CLAIM = "A coupled step costs a fixed number of solves with one factor, nearly in proportion to the unknowns."
COST = 40.0
VOLATILE = ("step", "factorisation", "slope")
"""Measured times, which are not reproducible."""


def step_costs(unknowns: Sequence[int], steps: int, dt: float) -> xr.Dataset:
    """Median seconds of a step and of one factorisation of its matrix, and counts a step, for about so many unknowns."""
    rows: dict[str, list[float]] = {name: [] for name in ("step", "factorisation", "factorisations", "newton", "count")}
    for wanted in unknowns:
        ny = max(2, round(np.sqrt(wanted / 4.0)))
        mesh = rectangle(0.4, 0.2, 2 * ny, ny)
        plate = Plate.build(mesh, thickness=0.01, density=1000.0, material=StVenantKirchhoff(2e5, 0.3))
        problem = Problem(
            body=plate,
            t_end=1.0,
            foundation=Foundation(law=Coulomb(), mu=0.5, pressure=98.1),
            loads=(EdgeLoad("right", (4.0, 3.0), Ramp(0.05)),),
            initial=InitialState(velocity=(0.5, 0.1), spin=3.0),
        )
        model = assemble(problem, Options(dt=dt))
        state = model.integrator.initial(model)
        for _ in range(2):  # the first steps start from rest, and compile
            state, _ = model.integrator.step(model, state, dt, None)
        seconds, counts = [], []
        for _ in range(steps):
            start = time.perf_counter()
            state, count = model.integrator.step(model, state, dt, None)
            seconds.append(time.perf_counter() - start)
            counts.append(count)
        assert isinstance(model, Model)
        assert model.cache is not None
        matrix = plate.mass_data / dt + 0.3 * dt * plate.tangent(np.zeros_like(plate.X))
        factor = []
        for _ in range(3):
            start = time.perf_counter()
            model.cache.factor.refactor(matrix)
            factor.append(time.perf_counter() - start)
        model.cache.forget()
        rows["step"].append(statistics.median(seconds))
        rows["factorisation"].append(statistics.median(factor))
        rows["factorisations"].append(statistics.mean(c.factorisations for c in counts))
        rows["newton"].append(statistics.mean(c.newton for c in counts))
        rows["count"].append(plate.X.size)
    return xr.Dataset({name: ("mesh", values) for name, values in rows.items()})


RUNS = {"steps": Study(step_costs, {"unknowns": [1000, 3000, 10000, 30000, 100000], "steps": 7, "dt": 1e-3})}
QUICK = {"steps": {"unknowns": [300, 1000, 3000], "steps": 3}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Numbers of unknowns; seconds of a step and of one factorisation; counts a step; ``slope`` of log time over log unknowns."""
    table = {name: values.values for name, values in data["steps"].items()}
    slope = np.polyfit(np.log(table["count"]), np.log(table["step"]), 1)[0]
    return {
        "unknowns": table["count"],
        "step": table["step"],
        "factorisation": table["factorisation"],
        "factorisations": table["factorisations"],
        "newton": table["newton"],
        "slope": float(slope),
    }


def draw(numbers: Numbers) -> Figure:
    """Draw the seconds over the unknowns."""
    figure = column_figure(75)
    axes = figure.subplots()
    n = numbers["unknowns"]
    axes.loglog(n, numbers["step"], color=BLUE, marker="o", markersize=4, label="one coupled step (two stages)")
    axes.loglog(n, numbers["factorisation"], color=VERMILION, marker="s", markersize=4, label="one factorisation")
    line = 0.4 * numbers["factorisation"][-1] * n / n[-1]
    axes.loglog(n, line, color=GREY, linewidth=0.7, linestyle=(0, (4, 3)), zorder=0, label="in proportion")
    for x, y, k, m in zip(n, numbers["step"], numbers["factorisations"], numbers["newton"], strict=True):
        axes.annotate(
            f"{k:.1f}/{m:.0f}", (x, y), (0, 5), textcoords="offset points", fontsize=7, ha="center", color=BLACK
        )
    axes.set(xlabel="number of displacement unknowns", ylabel="median time [s]")
    axes.margins(x=0.08, y=0.12)
    axes.xaxis.set_minor_formatter(NullFormatter())
    title = "labels: factorisations/solves a step"  # outside, clear of the measured times
    figure.legend(loc="outside upper center", ncols=2, title=title, title_fontsize=7)
    return figure
