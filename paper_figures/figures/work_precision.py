"""Error and work of error-controlled runs over their tolerance, beside equal steps: the promise of ``error_tolerance``.

Five motions: a rigid body and a soft plate that slide and turn, a plate that sticks, slips, slides and stops (README's), a
clamped plate and a beam that run through stick and slip. The error is the largest of a nodal component of the positions at the
stored instants, over the body's size R; the reference is SDIRK2 in many equal steps. Work is counted in solved steps of
the last run: with error control four for each two accepted ones, with the whole step and the companion's; abandoned runs are not
counted. At the largest tolerances the stored instants determine the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases import beam_bending, plate_clamped
from cases.app.drawing.style import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION
from fem import Plate, StVenantKirchhoff, rectangle
from floating_frame import (
    BodyForce,
    EdgeLoad,
    Function,
    InitialState,
    Options,
    Problem,
    Ramp,
    RigidBody,
    assemble,
    simulate,
)
from friction import Coulomb, Foundation
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Study

FILE = "work_precision"
ORIGIN = "beyond"
SOURCE = "error-controlled runs of this code against equal steps"
CLAIM = "The error of a run is at most its tolerance, in smooth motions not below a hundredth of it, and falls in proportion."
COST = 120.0

ROUGH = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)
OUTPUTS = 4
"""Stored instants, on which steps have to end."""

LOOK: dict[str, dict[str, Any]] = {
    "rigid": {"color": BLUE, "marker": "o", "label": "rigid body, slides, turns"},
    "sliding": {"color": GREEN, "marker": "s", "label": "plate, slides, turns"},
    "pulled": {"color": VERMILION, "marker": "^", "label": "plate, stick–slip, stops"},
    "clamped": {"color": PURPLE, "marker": "v", "label": "clamped plate, stick–slip"},
    "beam": {"color": ORANGE, "marker": "D", "label": "beam, stick–slip"},
}


def soft_plate() -> Plate:
    """The plate of README, on a coarser mesh."""
    material = StVenantKirchhoff(E=2e5, nu=0.3)
    return Plate.build(rectangle(0.4, 0.2, 4, 2), thickness=0.01, density=1000.0, material=material)


def rigid() -> Problem:
    """Thrown, spinning rigid body under a force that swings: friction never stops it."""
    load = BodyForce((5.0, 8.0), Function(lambda t: np.sin(12.0 * t + 0.3)))
    return Problem(RigidBody.from_plate(soft_plate()), 0.3, ROUGH, (load,), initial=InitialState((2.8, 0.2), 8.0))


def sliding() -> Problem:
    """Thrown plate, pushed sideways as sin^4: all nodes slide."""
    load = EdgeLoad("right", (0.0, 8.0), Function(lambda t: np.sin(np.pi * t / 0.4) ** 4))
    return Problem(soft_plate(), 0.2, ROUGH, (load,), initial=InitialState((2.5, 0.5)))


def pulled() -> Problem:
    """README's plate: pulled at its edge from rest, released, stopped by friction."""
    load = EdgeLoad("right", (4.0, 3.0), Ramp(ramp=0.05, release=0.12))
    return Problem(soft_plate(), 0.4, ROUGH, (load,))


def clamped() -> Problem:
    """The case plate_clamped, coarser and shorter."""
    return plate_clamped.problem(plate_clamped.Parameters(nx=4, ny=2, t_end=0.4))


def beam() -> Problem:
    """The case beam_bending."""
    return beam_bending.problem(beam_bending.Parameters())


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "rigid": rigid,
    "sliding": sliding,
    "pulled": pulled,
    "clamped": clamped,
    "beam": beam,
}


def errors(name: str, tolerances: Sequence[float], steps: Sequence[int], reference: int) -> xr.Dataset:
    """Errors over R, steps solved and estimated errors (tolerance,) with error control; errors (equal,) of equal ``steps``.

    The reference takes ``reference`` equal ones.
    """
    problem = PROBLEMS[name]()
    end = problem.t_end

    def run(count: int, **options: Any) -> xr.Dataset:
        return simulate(assemble(problem, Options(end / count, output_every=count // OUTPUTS, **options)))

    exact = run(reference)
    size: float = assemble(problem, Options(end)).radius

    def error(data: xr.Dataset) -> float:
        return float(np.abs(data.position.values - exact.position.values).max()) / size

    controlled = [run(8 * OUTPUTS, error_tolerance=tolerance) for tolerance in tolerances]
    # Two accepted steps take four; three rejected ones give none, and the companion has taken no step yet.
    work = [2 * int(data.steps.sum()) + 3 * int(data.rejected_steps.sum()) for data in controlled]
    return xr.Dataset(
        {
            "error": ("tolerance", [error(data) for data in controlled]),
            "estimate": ("tolerance", [data.attrs["estimated_error"] for data in controlled]),
            "work": ("tolerance", work),
            "equal_error": ("equal", [error(run(count)) for count in steps]),
        },
        {"tolerance": list(tolerances), "equal": list(steps)},
    )


TOLERANCES = [1e-1, 1e-2, 1e-3, 1e-4]
RUNS = {
    name: Study(errors, {"name": name, "tolerances": TOLERANCES, "steps": [20, 40, 80, 160, 320], "reference": 3200})
    for name in PROBLEMS
}
QUICK: Mapping[str, Mapping[str, object]] = {
    name: {"tolerances": [1e-1, 1e-2, 1e-3], "steps": [20, 80], "reference": 400} for name in PROBLEMS
}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``tolerance``; by motion ``error_*``, ``estimate_*``, ``work_*``; ``steps`` and ``equal_*`` of equal steps.

    ``slope_*``: log error over log tolerance.
    """
    first = next(iter(data.values()))
    result: Numbers = {"tolerance": first.tolerance.values, "steps": first.equal.values}
    for name, table in data.items():
        result[f"error_{name}"], result[f"estimate_{name}"] = table.error.values, table.estimate.values
        result[f"work_{name}"], result[f"equal_{name}"] = table.work.values, table.equal_error.values
        fit = np.polyfit(np.log(table.tolerance.values), np.log(table.error.values), 1)
        result[f"slope_{name}"] = float(fit[0])
    return result


def draw(numbers: Numbers) -> Figure:
    """Draw errors over the tolerance with the promised band, and work over precision."""
    figure = column_figure(135)
    promise, work = figure.subplots(2, 1)
    tolerance = numbers["tolerance"]
    promise.fill_between(tolerance, tolerance / 100.0, tolerance, color=GREY, alpha=0.15, linewidth=0)
    promise.loglog(tolerance, tolerance, color=GREY, linewidth=0.8)
    for name, look in LOOK.items():
        style = {"linewidth": 1.0, "markersize": 3.5} | look
        promise.loglog(tolerance, numbers[f"error_{name}"], **style)
        work.loglog(numbers[f"error_{name}"], numbers[f"work_{name}"], **(style | {"label": None}))
        work.loglog(
            numbers[f"equal_{name}"], numbers["steps"], color=look["color"], linewidth=0.8, linestyle=(0, (4, 3))
        )
    promise.set(xlabel="error_tolerance [–]", ylabel="error of positions over size [–]")
    promise.set_ylim(top=3.0 * tolerance.max(), bottom=1e-3 * tolerance.min())
    promise.legend(loc="lower right", borderaxespad=0.2, fontsize=7)
    _work_axes(work)
    letter(promise, "a", "the promise: below the grey line")
    letter(work, "b", "work: controlled (solid), equal (dashed)")
    return figure


def _work_axes(axes: Axes) -> None:
    axes.set(xlabel="error of positions over size [–]", ylabel="steps solved [–]")
    axes.invert_xaxis()
