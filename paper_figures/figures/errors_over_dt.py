"""Errors over the time step of every scheme, on the block of Potra et al. (2006) and on a sliding, turning plate.

The block has an exact solution, with changes between stick and slip. The plate is thrown, pushed at its edge as sin^4,
and slides with turning direction of friction all the time; its reference is SDIRK2 with a quarter of the smallest step,
whose own error is a sixteenth of the last level's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from cases.app.drawing.style import BLUE, GREEN, GREY, PURPLE, VERMILION
from cases.app.studies.scheme_comparison import COMPARED, compare
from fem import Plate, StVenantKirchhoff, rectangle
from floating_frame import EdgeLoad, Function, InitialState, Options, Problem, assemble, simulate
from friction import Coulomb, Foundation
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Study

FILE = "errors_over_dt"
ORIGIN = "beyond"
SOURCE = "Potra et al. (2006) (exact solution), and a sliding, turning plate (self-reference)"
CLAIM = "SDIRK2 is of second order through stick and slip; backward Euler is of first."
COST = 90.0

SCHEMES = ("sdirk2", "moreau-theta", "backward-euler")
LOOK: dict[str, dict[str, Any]] = {
    "sdirk2": {"color": BLUE, "marker": "o", "label": "SDIRK2"},
    "moreau-theta": {"color": GREEN, "marker": "s", "label": r"Moreau $\theta=\frac{1}{2}$"},
    "backward-euler": {"color": VERMILION, "marker": "^", "label": "backward Euler"},
    "linearly-implicit-trapezoidal": {"color": PURPLE, "marker": "+", "markersize": 7, "label": "Potra et al. (2006)"},
}


def block_errors(steps: Sequence[int], schemes: Sequence[str]) -> xr.Dataset:
    """Largest error of x over ten seconds, m, (scheme, dt), of the rigid block in ``steps`` equal steps."""
    sizes = [10.0 / n for n in steps]
    rows = compare(schemes, sizes)
    errors = np.array([row.max_error for row in rows]).reshape(len(schemes), len(sizes))
    return xr.Dataset({"error": (("scheme", "dt"), errors)}, {"scheme": list(schemes), "dt": sizes})


def sliding_plate() -> Problem:
    """Soft plate, thrown and pushed sideways at its right edge as sin^4: no shock anywhere, all nodes slide."""
    load = EdgeLoad("right", (0.0, 8.0), Function(lambda t: np.sin(np.pi * t / 0.4) ** 4))
    mesh = rectangle(0.4, 0.2, 12, 6)
    plate = Plate.build(mesh, thickness=0.01, density=1000.0, material=StVenantKirchhoff(2e5, 0.3))
    foundation = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)
    return Problem(plate, 0.2, foundation, (load,), initial=InitialState(velocity=(2.5, 0.5)))


def plate_errors(steps: Sequence[int], schemes: Sequence[str], reference: int) -> xr.Dataset:
    """Largest nodal error of the position at 0.2 s, m, (scheme, dt), against SDIRK2 with ``reference`` steps."""

    def end(scheme: str, count: int) -> np.ndarray:
        run = simulate(assemble(sliding_plate(), Options(0.2 / count, scheme, output_every=10**9)))
        return np.asarray(run.position.values[-1])

    exact = end("sdirk2", reference)
    errors = [[float(np.abs(end(scheme, n) - exact).max()) for n in steps] for scheme in schemes]
    coordinates = {"scheme": list(schemes), "dt": [0.2 / n for n in steps]}
    return xr.Dataset({"error": (("scheme", "dt"), np.array(errors))}, coordinates)


RUNS = {
    "block": Study(block_errors, {"steps": [125, 250, 500, 1000, 2000, 4000, 8000], "schemes": list(COMPARED)}),
    "plate": Study(plate_errors, {"steps": [10, 20, 40, 80, 160], "schemes": list(SCHEMES), "reference": 640}),
}
QUICK = {"block": {"steps": [125, 250, 500]}, "plate": {"steps": [10, 20, 40], "reference": 160}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``dt_*`` s, ``error_*`` m by problem and scheme, and ``slope_*`` of log error over log dt of the finest three."""
    result: Numbers = {}
    for problem, table in data.items():
        dt = table.dt.values
        result[f"dt_{problem}"] = dt
        for scheme in table.scheme.values:
            error = table.error.sel(scheme=scheme).values
            result[f"error_{problem}_{scheme}"] = error
            result[f"slope_{problem}_{scheme}"] = float(np.polyfit(np.log(dt[-3:]), np.log(error[-3:]), 1)[0])
    return result


def draw(numbers: Numbers) -> Figure:
    """Draw both problems, with the slopes."""
    figure = column_figure(125)
    block, plate = figure.subplots(2, 1)
    _panel(block, numbers, "block", "largest error of $x$ [m]")
    _panel(plate, numbers, "plate", "error of position [m]")
    letter(block, "a", "Potra's block: stick and slip, exact")
    letter(plate, "b", "elastic plate: slides and turns")
    return figure


def _panel(axes: Axes, numbers: Numbers, problem: str, label: str) -> None:
    dt = numbers[f"dt_{problem}"]
    for scheme, look in LOOK.items():
        if f"error_{problem}_{scheme}" in numbers:
            slope = numbers[f"slope_{problem}_{scheme}"]
            shown = look | {"label": f"{look['label']}: {slope:.2f}"}
            axes.loglog(dt, numbers[f"error_{problem}_{scheme}"], linewidth=1.0, **({"markersize": 3.5} | shown))
    lowest, highest = (numbers[f"error_{problem}_{s}"] for s in ("sdirk2", "backward-euler"))
    for order, start, factor in ((1, highest[0], 2.2), (2, lowest[0], 0.35)):
        line = factor * start * (dt / dt[0]) ** order
        axes.loglog(dt, line, color=GREY, linewidth=0.7, linestyle=(0, (4, 3)), zorder=0)
        power = r"\Delta t" if order == 1 else rf"\Delta t^{order}"
        axes.annotate(
            f"${power}$", (dt[-2], line[-2]), (0, 4 if order == 1 else -10), textcoords="offset points", fontsize=7
        )
    axes.set(xlabel=r"time step $\Delta t$ [ms]", ylabel=label)
    axes.set_xticks(dt, [f"{1e3 * step:g}" for step in dt])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(bottom=axes.get_ylim()[0] / 300)
    axes.legend(loc="lower right", title="slope of the finest three", title_fontsize=7, borderaxespad=0.2)
