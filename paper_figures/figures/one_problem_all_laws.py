"""one problem under every friction law: creep in place of stick, and the cost of accuracy.

A block on an incline below the friction angle, the block of Potra et al., and an elastic plate at rest by friction
(`cases.app.studies.law_comparison`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.style import BLUE, GREEN, LIGHT, VERMILION
from cases.app.studies.law_comparison import ALL_LAWS, PROBLEMS, SET_VALUED, Row, cheapest_run, compare
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Study

FILE = "one_problem_all_laws"
ORIGIN = "beyond"
SOURCE = "RecurDyn, Table 6.24, taken further: every law on one problem"
CLAIM = "Set-valued laws stick exactly; regularised ones creep, or need a tiny regularising speed and more iterations."
COST = 60.0
VOLATILE = ("seconds",)
"""Measured times, which are not reproducible."""

LOOK: dict[str, dict[str, Any]] = {
    "incline": {"color": BLUE, "marker": "o", "label": "incline"},
    "block on table": {"color": VERMILION, "marker": "s", "label": "block, Potra et al."},
    "plate held": {"color": GREEN, "marker": "^", "label": "elastic plate, held"},
}
ZERO = 1e-14
"""m/s and m: smaller values are drawn here."""


def _table(rows: Sequence[Row]) -> xr.Dataset:
    problems, laws = list(dict.fromkeys(r.problem for r in rows)), list(dict.fromkeys(r.law for r in rows))
    shape = (len(problems), len(laws))
    names = ("creep_velocity", "error", "steps", "iterations", "seconds", "dt", "speed", "reached")
    values = {name: np.full(shape, np.nan) for name in names}
    for row in rows:
        at = problems.index(row.problem), laws.index(row.law)
        for name in names:
            value = getattr(row, name)
            values[name][at] = np.nan if value is None else value
    return xr.Dataset(
        {name: (("problem", "law"), value) for name, value in values.items()}, {"problem": problems, "law": laws}
    )


def at_one_speed(problems: Sequence[str], laws: Sequence[str], speed: float) -> xr.Dataset:
    """Creep velocity, m/s, and error, m, (problem, law), of laws regularised over `speed` m/s, at one step for all."""
    return _table(compare(problems, laws, speed=speed))


def at_equal_accuracy(problems: Sequence[str], laws: Sequence[str]) -> xr.Dataset:
    """Steps, solver iterations and seconds that each law needs for the problem's tolerance, (problem, law)."""
    return _table([cheapest_run(problem, law) for problem in problems for law in laws])


CHOICE = {"problems": list(LOOK), "laws": list(ALL_LAWS)}
RUNS = {
    "creep": Study(at_one_speed, CHOICE | {"speed": 1e-3}),
    "effort": Study(at_equal_accuracy, CHOICE),
}
QUICK = {
    "creep": {"problems": ["incline"]},
    "effort": {"problems": ["incline"], "laws": ["coulomb", "sliding", "sliding-stiction"]},
}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``creep`` m/s and ``error`` m (problem, law) over 1e-3 m/s; ``steps``, ``iterations``, ``speed`` m/s,
    ``seconds``, ``reached`` at equal accuracy, with the laws of each and the ``tolerance`` m of each problem.
    """
    creep, effort = data["creep"], data["effort"]
    return {
        "problems": [str(name) for name in creep.problem.values],
        "laws": [str(name) for name in creep.law.values],
        "creep": creep.creep_velocity.values,
        "error": creep.error.values,
        "effort_problems": [str(name) for name in effort.problem.values],
        "effort_laws": [str(name) for name in effort.law.values],
        "steps": effort.steps.values,
        "iterations": effort.iterations.values,
        "speed": effort.speed.values,
        "reached": effort.reached.values,
        "seconds": effort.seconds.values,
        "tolerance": np.array([PROBLEMS[str(name)].tolerance for name in effort.problem.values]),
    }


def draw(numbers: Numbers) -> Figure:
    """Draw creep, error and steps, law by law."""
    figure = column_figure(135)
    creep, error, effort = figure.subplots(3, 1, height_ratios=[1.1, 1, 1])
    laws, problems = numbers["laws"], numbers["problems"]
    _dots(creep, laws, problems, np.maximum(numbers["creep"], ZERO))
    creep.axvspan(ZERO / 4, 4 * ZERO, color=LIGHT, linewidth=0, zorder=0)
    creep.text(6 * ZERO, 0, r"0, or below $10^{-14}$", fontsize=7, va="center")
    creep.set(xscale="log", xlim=(ZERO / 4, 3e-2), xlabel=r"creep velocity in 'stick' [m/s]")
    creep.legend(loc="upper center", bbox_to_anchor=(0.55, 0.82), fontsize=7)
    _dots(error, laws, problems, np.maximum(numbers["error"], ZERO))
    error.axvspan(ZERO / 4, 4 * ZERO, color=LIGHT, linewidth=0, zorder=0)
    error.set(xscale="log", xlim=(ZERO / 4, 3e-2), xlabel="error against exact Coulomb friction [m]")
    own, asked = numbers["effort_laws"], numbers["effort_problems"]
    reached, worst = numbers["reached"] > 0, max(float(np.nanmax(numbers["iterations"])), 10.0)
    _dots(effort, own, asked, np.where(reached, numbers["iterations"], np.nan))
    for at in np.argwhere(~reached):
        effort.text(0.05, at[1], f"{asked[at[0]].split()[0]}: not reached", fontsize=7, va="center")
    effort.set_xscale("symlog", linthresh=1)
    effort.set(xlabel="number of solver iterations", xlim=(-0.15, 4 * worst))
    letter(creep, "a", "regularised over 1 mm/s")
    letter(error, "b", "the same runs")
    tolerance = ", ".join(f"{1e3 * t:g}" for t in numbers["tolerance"])
    letter(effort, "c", f"equal accuracy: {tolerance} mm")
    return figure


def _dots(axes: Axes, laws: Sequence[str], problems: Sequence[str], values: np.ndarray) -> None:
    """Draw one row per law, one mark per problem; the set-valued laws on top."""
    rows = np.arange(len(laws), dtype=float)
    for number, (problem, line) in enumerate(zip(problems, values, strict=True)):
        shift = 0.22 * (number - (len(problems) - 1) / 2)
        axes.plot(line, rows + shift, linestyle="none", markersize=4, clip_on=False, **LOOK[problem])
    axes.set_yticks(rows, laws)
    for label in axes.get_yticklabels():
        label.set_fontweight("bold" if label.get_text() in SET_VALUED else "normal")
    axes.invert_yaxis()
    axes.grid(axis="y", color=LIGHT, linewidth=0.6)
