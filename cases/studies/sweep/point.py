"""One point of a sweep, run wherever it may be: parameters in, headline numbers and effort out, or the reason why not."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from cases.parts.parameters import CaseParameters
from cases.registry import load
from cases.run.results import Headlines
from floating_frame import RunWarning, StepFailure, assemble, run_warnings, simulate

OK, FAILED, NOT_RUN = "ok", "failed", "not run"
EFFORT = {
    "steps": ("1", "time steps"),
    "rejected_steps": ("1", "time steps tried and taken again smaller"),
    "passes": ("1", "staggered passes"),
    "newton_iterations": ("1", "Newton iterations of the friction problem"),
    "fallbacks": ("1", "stages that needed the globally convergent solver"),
}
"""Counts of a run, summed over its instants: unit and meaning."""


class Outcome(TypedDict):
    """What a point gives: `status`, the `reason` of a failure, `results` as in summary.json, `effort`, `seconds` of wall time,
    and the `warnings` of its verdict."""

    status: str
    reason: str
    results: Headlines
    effort: dict[str, int]
    seconds: float
    warnings: list[RunWarning]


def not_run(reason: str = "") -> Outcome:
    """Return the outcome of a point that was not reached."""
    return Outcome(status=NOT_RUN, reason=reason, results={}, effort={}, seconds=float("nan"), warnings=[])


def failed(reason: object, seconds: float = float("nan"), warnings: Sequence[RunWarning] = ()) -> Outcome:
    """Return the outcome of a point that failed, its reason in one line."""
    text = " ".join(str(reason).split())
    return Outcome(status=FAILED, reason=text, results={}, effort={}, seconds=seconds, warnings=list(warnings))


def strictly(outcome: Outcome) -> Outcome:
    """Return an outcome that counts warnings as a failure."""
    if outcome["status"] != OK or not outcome.get("warnings"):
        return outcome
    reason = "; ".join(warning.advice for warning in outcome["warnings"])
    return failed(reason, outcome["seconds"], outcome["warnings"])


@np.errstate(all="ignore")  # as `run`
def run_point(name: str, parameters: str) -> Outcome:
    """Run the case `name` with `parameters` (JSON of its model) in memory. Failures are outcomes; nothing is raised for them."""
    start = time.perf_counter()
    case = load(name)
    params: CaseParameters = case.Parameters.model_validate_json(parameters, strict=False)
    effort: dict[str, int] = {}
    try:
        data = simulate(assemble(case.problem(params), case.options(params)))
        effort = {key: int(data[key].sum()) for key in EFFORT}
        results = case.summary(params, data)
    except StepFailure as failure:
        return failed(failure, time.perf_counter() - start, run_warnings(failure.trajectory))
    except (ValueError, OSError, ArithmeticError, RuntimeError) as error:
        # Any point may be one that its case cannot build or judge: it must not take the others with it.
        return failed(f"{type(error).__name__}: {error}", time.perf_counter() - start)
    seconds, warnings = time.perf_counter() - start, run_warnings(data)
    return Outcome(status=OK, reason="", results=results, effort=effort, seconds=seconds, warnings=warnings)
