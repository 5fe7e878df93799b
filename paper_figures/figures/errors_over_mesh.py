"""Errors over the mesh of every element, on an elastic plate that slides and turns under an uneven pressure.

The pressure is heavier on one flank, so friction turns the plate; it grows from zero, so nothing rings. One step size for all; the
reference is Q2 on twice the finest mesh, with an error of about 1/10 of the finest Q2 level's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from scipy.spatial import cKDTree

from cases.app.drawing.style import BLUE, GREEN, GREY, PURPLE, VERMILION
from fem import Plate, StVenantKirchhoff, rectangle
from floating_frame import InitialState, Options, Problem, assemble, simulate
from friction import Coulomb, Foundation
from paper_figures.ink.style import column_figure
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Study

FILE = "errors_over_mesh"
ORIGIN = "beyond"
SOURCE = "an elastic plate that slides and turns (self-reference)"
CLAIM = "Errors fall with h^2, for Q2 with more than h^3: the order of the friction weights' quadrature."
COST = 60.0

LENGTH, WIDTH, STEPS = 0.4, 0.2, 40
LOOK: dict[str, dict[str, Any]] = {
    "P1": {"color": BLUE, "marker": "o", "markersize": 7, "markerfacecolor": "white"},
    "Q1": {"color": GREEN, "marker": "s"},
    "P2": {"color": VERMILION, "marker": "^"},
    "Q2": {"color": PURPLE, "marker": "D"},
}


def pressure(X: np.ndarray, t: float) -> np.ndarray:
    """p_n(X, t) (N,), Pa."""
    grown = np.sin(np.pi * min(t, 0.05) / 0.1) ** 2
    result: np.ndarray = 98.1 * grown * (1.0 + 1.8 * X[:, 1] / WIDTH)
    return result


def end_positions(element: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes X and their positions x at 0.2 s, (N, 2) m, on 2n x n cells."""
    mesh = rectangle(LENGTH, WIDTH, 2 * n, n, "quadrilateral" if element.startswith("Q") else "triangle")
    plate = Plate.build(mesh, thickness=0.01, density=1000.0, material=StVenantKirchhoff(2e5, 0.3), element=element)
    foundation = Foundation(law=Coulomb(), mu=0.5, pressure=pressure)
    problem = Problem(plate, 0.2, foundation, initial=InitialState(velocity=(2.5, 0.5)))
    run = simulate(assemble(problem, Options(0.2 / STEPS, output_every=10**9)))
    return plate.X, run.position.values[-1]


def mesh_errors(cells: Sequence[int], elements: Sequence[str]) -> xr.Dataset:
    """Largest error of the position, m, (element, h), at the nodes that all meshes share; h = WIDTH/n."""
    X, x = end_positions("Q2", 2 * max(cells))
    tree = cKDTree(X)
    common = end_positions("P1", min(cells))[0]
    exact = x[tree.query(common)[1]]
    errors = np.empty((len(elements), len(cells)))
    for i, element in enumerate(elements):
        for j, n in enumerate(cells):
            own, x = end_positions(element, n)
            errors[i, j] = np.abs(x[cKDTree(own).query(common)[1]] - exact).max()
    return xr.Dataset(
        {"error": (("element", "h"), errors)}, {"element": list(elements), "h": [WIDTH / n for n in cells]}
    )


RUNS = {"plate": Study(mesh_errors, {"cells": [2, 4, 8, 16], "elements": list(LOOK)})}
QUICK = {"plate": {"cells": [2, 4, 8]}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``h`` m, ``error_*`` m by element, and the ``order_*`` of the two finest levels."""
    table = data["plate"]
    h = table.h.values
    result: Numbers = {"h": h}
    for element in table.element.values:
        error = table.error.sel(element=element).values
        result[f"error_{element}"] = error
        result[f"order_{element}"] = float(np.log(error[-2] / error[-1]) / np.log(h[-2] / h[-1]))
    return result


def draw(numbers: Numbers) -> Figure:
    """Draw the errors, with the orders of the finest pair."""
    figure = column_figure(75)
    axes = figure.subplots()
    h = 1e3 * numbers["h"]
    for element, look in LOOK.items():
        label = f"{element}: {numbers[f'order_{element}']:.2f}"
        axes.loglog(h, 1e3 * numbers[f"error_{element}"], linewidth=1.0, label=label, **({"markersize": 3.5} | look))
    for order, element, factor in ((2, "P1", 1.8), (3, "Q2", 0.4)):
        line = factor * 1e3 * numbers[f"error_{element}"][-1] * (h / h[-1]) ** order
        axes.loglog(h, line, color=GREY, linewidth=0.7, linestyle=(0, (4, 3)), zorder=0)
        axes.annotate(
            f"$h^{order}$", (h[-2], line[-2]), (-2, 5 if order == 2 else -10), textcoords="offset points", fontsize=7
        )
    axes.set(xlabel="cell size $h$ [mm]", ylabel="error of position [mm]")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(h, [f"{size:g}" for size in h])
    axes.legend(loc="lower right", title="order of the finest pair", title_fontsize=7)
    axes.set_ylim(bottom=axes.get_ylim()[0] / 4)
    return figure
