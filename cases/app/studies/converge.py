"""Convergence study of a case: runs on finer and finer levels, errors of its measures, and observed orders."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from pydantic import ValidationError

from cases.app.parts.measure import Measure, Refinement
from cases.app.parts.parameters import CaseParameters, explain
from cases.app.registry import Case, load
from cases.app.run.directory import locked, refuse_other_study
from cases.app.run.errors import SOLVER_FAILURE, BadInput
from cases.app.run.inputs import read_parameters
from cases.app.run.progress.display import progress_bar
from cases.app.run.signals import Interrupted, interruption, raise_unanswered
from cases.app.studies.orders import Convergence, converge
from cases.app.studies.study import COUNTS, Level, Study
from floating_frame import StepFailure, assemble, run_warnings, simulate
from floating_frame.system.model import RunModel

OVER = ("dt", "mesh")
MIN_LEVELS, MAX_LEVELS, DEFAULT_LEVELS = 2, 8, 4
_SAME_TIME = 1e-9  # of the end time


class StudyOptions(NamedTuple):
    """Options of a study as texts of the command line. `over`: dt or mesh; `levels`: their number; `config`: a file of parameters;
    `out`: directory of the results; `force` replaces other results; `estimate`: the errors of the levels."""

    over: str | None
    levels: str | None
    config: str | None
    out: str | None
    quiet: bool
    force: bool = False
    estimate: bool = False


@np.errstate(all="ignore")  # as `run`
def converge_command(name: str, given: Mapping[str, str], how: StudyOptions) -> int:
    """Study the convergence of the case `name`, print its table, and return the exit status: 0, or 3 where a level failed.

    With `out`, converge.csv and converge.png are written there; those of another case are replaced with `force` only. Raises
    BadInput before anything is written, and Interrupted after the finished levels are written.
    """
    over, levels, config, out, quiet, force, estimate = how
    if over not in OVER:
        raise BadInput(f"over: expected one of {', '.join(OVER)}, got {'nothing' if over is None else repr(over)}")
    count = _count(levels)
    case = load(name)
    # Parameters missing in a configuration file have the case's own defaults, not those of the study.
    start = {} if config is not None else {key: str(value) for key, value in case.STUDY.start(over).items()}
    params = read_parameters(case.Parameters, start | dict(given), config)
    given_values = dict(params)
    tolerance, file = given_values.get("error_tolerance"), given_values.get("mesh")
    if over == "dt" and tolerance is not None:
        raise BadInput(f"error_tolerance: expected none with --over dt, which studies equal steps, got {tolerance:g}")
    if over == "mesh" and not case.STUDY.doubled:
        raise BadInput(f"over: expected dt for {name}, a body without a mesh, got mesh")
    if over == "mesh" and file is not None:
        raise BadInput(f"mesh: expected none with --over mesh, which doubles the cells of a rectangle, got {file!r}")
    first = _assembled(case, params)
    with nullcontext() if out is None else locked(out) as directory:
        if directory is not None and not force:
            refuse_other_study(directory, name)
        study = run_study(case, name, over, first, count, shown=not quiet, estimate=estimate)
        return _studied(study, directory, count, quiet=quiet)


def _studied(study: Study, directory: Path | None, count: int, *, quiet: bool) -> int:
    """Print and write a study of `count` levels and return the exit status. Raises Interrupted where the study was interrupted."""
    from cases.app.studies.converge_output import print_study, write_study  # matplotlib takes half a second to import

    if not quiet and study.levels:
        print_study(study)
    if directory is not None and study.levels:
        write_study(study, directory, quiet=quiet)
    if study.signal is not None:
        left = f"{len(study.levels)} of {count} levels are in {directory}" if directory else "nothing was saved"
        raise Interrupted(study.signal, f"interrupted: {left if study.levels else 'nothing was saved'}")
    for warning in study.warnings:
        print(f"warning: on the finest level {warning.advice}", file=sys.stderr)
    if study.failure:
        print(study.failure, file=sys.stderr)
        return SOLVER_FAILURE
    return 0


def _count(text: str | None) -> int:
    try:
        count = DEFAULT_LEVELS if text is None else int(text)
    except ValueError:
        count = 0
    if not MIN_LEVELS <= count <= MAX_LEVELS:
        raise BadInput(f"levels: expected an integer from {MIN_LEVELS} to {MAX_LEVELS}, got {text!r}")
    return count


def _assembled(case: Case, params: CaseParameters) -> tuple[CaseParameters, RunModel]:
    try:
        return params, assemble(case.problem(params), case.options(params))
    except (ValueError, OSError) as error:
        raise BadInput(str(error)) from error


def refined(plan: Refinement, over: str, params: CaseParameters, dt: float, level: int) -> CaseParameters:
    """Parameters `level` levels finer: the coarsest `dt` s halved, or the cells doubled, `level` times."""
    try:
        return type(params).model_validate(params.model_dump() | plan.refined(params, over, dt, level))
    except ValidationError as error:
        raise BadInput(explain(type(params), error)) from error


def run_study(
    case: Case,
    name: str,
    over: str,
    first: tuple[CaseParameters, RunModel],
    count: int,
    *,
    shown: bool = False,
    estimate: bool = False,
) -> Study:
    """Run `count` levels, beginning with the assembled `first`; every level stores the instants of the coarsest. `estimate`: also
    estimate the error of each."""
    base, dt = first[0], first[1].steps.length
    levels: list[Level] = []
    runs: list[xr.Dataset] = []
    failure, number_of_signal = "", None
    for number in range(count):
        params, model = _assembled(
            case, refined(case.STUDY, over, base, dt, number) if number or over == "dt" else base
        )
        own = model.steps.length
        every = base.output_every * max(1, round(dt / own))
        params, model = _assembled(case, params.model_copy(update={"output_every": every}))
        start = time.perf_counter()
        try:
            with progress_bar(f"{name}, level {number + 1} of {count}", params.t_end, shown=shown) as report:
                data = simulate(model, progress=report, estimate=estimate)
            raise_unanswered()
        except StepFailure as error:
            failure = f"level {number + 1} of {count}: {' '.join(str(error).split())}"
            break
        except KeyboardInterrupt as stop:
            failure, number_of_signal = f"level {number + 1} of {count}: interrupted", interruption(stop).number
            break
        counts = {key: int(data[key].sum()) for key in COUNTS}
        cells = " x ".join(str(getattr(params, key)) for key in case.STUDY.meshing(params))
        estimated = float(data.attrs.get("estimated_error", math.nan))
        levels.append(Level(params, own, cells, counts, time.perf_counter() - start, estimated))
        runs.append(data)
    warnings = tuple(run_warnings(runs[-1])) if runs else ()
    return Study(
        name=name,
        over=over,
        levels=tuple(levels),
        measures=_measured(case, levels, runs),
        failure=failure,
        warnings=warnings,
        signal=number_of_signal,
    )


def _measured(case: Case, levels: Sequence[Level], runs: Sequence[xr.Dataset]) -> dict[str, Convergence]:
    if not runs:
        return {}
    shared, measures = shared_instants([run.time.values for run in runs]), case.measures
    values: list[dict[str, Measure]] = [
        measures(level.params, run.isel(time=at)) for level, run, at in zip(levels, runs, shared, strict=True)
    ]
    return {key: converge([level[key] for level in values]) for key in values[-1]}


def shared_instants(times: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Indices, for each of several arrays of times, of the times common to all, to 1e-9 of the end."""
    reach = _SAME_TIME * times[0][-1]
    common = times[0]
    for other in times[1:]:
        nearest = other[np.abs(other[:, None] - common).argmin(axis=0)]
        common = common[np.abs(nearest - common) <= reach]
    return [np.abs(own[:, None] - common).argmin(axis=0) for own in times]
