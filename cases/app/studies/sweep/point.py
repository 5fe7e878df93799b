"""One point of a sweep: from parameters to headline numbers and effort, or the reason of a failure."""

from __future__ import annotations

import time

import numpy as np

from cases.app.parts.parameters import CaseParameters
from cases.app.registry import load
from cases.app.run.estimate import Estimate, HeadlineErrors, with_errors
from cases.app.studies.sweep.outcome import EFFORT, OK, Outcome, failed
from floating_frame import StepFailure, assemble, run_warnings, simulate


@np.errstate(all="ignore")  # as `run`
def run_point(name: str, parameters: str, estimate: Estimate = "") -> Outcome:
    """Run the case `name` with `parameters` (JSON of its model) in memory; `estimate` the errors of its numbers. Failures are
    returned as outcomes, not raised."""
    start = time.perf_counter()
    case = load(name)
    params: CaseParameters = case.Parameters.model_validate_json(parameters, strict=False)
    effort: dict[str, int] = {}
    try:
        errors = HeadlineErrors(case, params, estimate) if estimate else None
        data = simulate(assemble(case.problem(params), case.options(params)), estimate=errors or False)
        effort = {key: int(data[key].sum()) for key in EFFORT}
        results = with_errors(case.summary(params, data), errors.errors if errors else {})
    except StepFailure as failure:
        return failed(failure, time.perf_counter() - start, run_warnings(failure.trajectory))
    except (ValueError, OSError, ArithmeticError, RuntimeError) as error:
        # A point that its case cannot build or evaluate fails alone.
        return failed(f"{type(error).__name__}: {error}", time.perf_counter() - start)
    seconds, warnings = time.perf_counter() - start, run_warnings(data)
    return Outcome(status=OK, reason="", results=results, effort=effort, seconds=seconds, warnings=warnings)
