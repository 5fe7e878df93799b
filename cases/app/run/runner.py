"""One run of a case: from parameters to trajectory, summary, picture and printed lines."""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr

from cases.app.parts.parameters import CaseParameters
from cases.app.registry import Case, load
from cases.app.run.checkpoint import Checkpoints, attributes_of, checkpoint_interval
from cases.app.run.directory import PARTIAL, TRAJECTORY, locked, refuse_foreign, remove_earlier
from cases.app.run.errors import SOLVER_FAILURE, BadInput
from cases.app.run.estimate import Estimate, HeadlineErrors, with_errors
from cases.app.run.inputs import assembled, read_parameters
from cases.app.run.notes import input_accepted, note
from cases.app.run.progress.display import assembling, progress_bar
from cases.app.run.results import Headlines, attributes, floor, retardation, write_summary
from cases.app.run.signals import Interrupted, interruption, interruption_first
from floating_frame import (
    RunState,
    RunWarning,
    StepFailure,
    load_trajectory,
    run_warnings,
    simulate,
)
from floating_frame.system.model import RunModel
from floating_frame.verdict.step_error import BASIS


class RunSettings(NamedTuple):
    """Settings of output and estimates. `force` replaces results of another case; `checkpoint_every`: wall-clock time between two
    checkpoints, s, as text; `exports`: formats written at the end; `estimate`: which errors are estimated.
    """

    force: bool = False
    checkpoint_every: str | None = None
    exports: Sequence[str] = ()
    estimate: Estimate = "steps"


DEFAULT = RunSettings()
NEGLIGIBLE = 1e-9
"""Relative error below which no error is printed: all printed digits are certain."""


@np.errstate(all="ignore")  # results that are not finite end the run with a named failure
def run(
    name: str,
    given: Mapping[str, str],
    *,
    config: str | None,
    out: str,
    quiet: bool,
    stress: bool = False,
    strict: bool = False,
    settings: RunSettings = DEFAULT,
) -> int:
    """Run the case `name` and return the exit status: 0, or 3 where the solver failed.

    `given` are the parameters of the command line as texts; they override `config`, a TOML file or summary.json. `out` is the
    results directory. Warnings go to stderr, a line each; with `strict` they make the status 3. Notes on parameters without
    effect go there too, unless `quiet`. Raises BadInput before anything is written, also for a directory that another run writes.
    """
    case, every = load(name), checkpoint_interval(settings.checkpoint_every)
    params = read_parameters(case.Parameters, given, config)
    with assembling(name, shown=not quiet):
        model = assembled(case, params, stress=stress)
    errors = HeadlineErrors(case, params, settings.estimate) if settings.estimate else None
    for text in () if quiet else params.notes():
        note(f"note: {text}")
    with locked(out) as directory:
        refuse_foreign(directory, name, TRAJECTORY, force=settings.force)
        return carry_out(
            Job(
                name=name,
                case=case,
                params=params,
                model=model,
                directory=directory,
                run=uuid.uuid4().hex,
                every=every,
                errors=errors,
                quiet=quiet,
                strict=strict,
            )
        )


@dataclass(frozen=True, kw_only=True)
class Job:
    """A run to carry out: case, parameters, model, locked results `directory`. `run` is its identifier, `start` the state from
    which it continues (None: t = 0), `every` the wall-clock time between checkpoints, s; `errors` estimates those of the headline
    numbers.
    """

    name: str
    case: Case
    params: CaseParameters
    model: RunModel
    directory: Path
    run: str
    every: float
    start: RunState | None = None
    errors: HeadlineErrors | None = None
    quiet: bool = False
    strict: bool = False

    def starting(self, start: RunState | None) -> Job:
        """The job, continued from `start`."""
        return replace(self, start=start)

    @property
    def trajectory(self) -> Path:
        """Path of the trajectory."""
        return self.directory / TRAJECTORY


def carry_out(job: Job) -> int:
    """Run, save and report; return the exit status: 0, or 3 where the solver or the disk failed.

    Raises Interrupted with its message.
    """
    input_accepted()
    began = time.perf_counter()
    ready = partial(remove_earlier, job.directory, job.name)
    keeper = Checkpoints(job.directory, job.run, job.model, job.every, ready)
    try:
        with interruption_first(), progress_bar(job.name, job.params.t_end, shown=not job.quiet) as report:
            data = simulate(
                job.model,
                path=job.trajectory,
                attributes=attributes(job.name, job.params) | attributes_of(job.run),
                progress=report,
                keeper=keeper,
                resume=job.start,
                estimate=job.errors or False,
            )
        with data:  # else the collector closes the file, in any thread: HDF5 is not safe for that
            return complete(job, data, began)
    except StepFailure as failure:
        if failure.trajectory is not None:
            failure.trajectory.close()
        print_warnings(_save_incomplete(job, str(failure)))
        print(f"{_one_line(failure)}\nwhat was computed until then is in {job.trajectory}", file=sys.stderr)
        return SOLVER_FAILURE
    except BrokenPipeError:  # nobody reads the printed lines any more; the files are complete
        raise
    except OSError as error:
        print(f"{_disk_failure(job, error)}", file=sys.stderr)
        return SOLVER_FAILURE
    except KeyboardInterrupt as stop:
        interrupt = interruption(stop)
        if interrupt.message:
            raise
        with suppress(OSError, ValueError):
            _save_incomplete(job, interrupt.words, drawn=False)  # an interrupted run ends without waiting for a picture
        raise Interrupted(interrupt.number, f"{interrupt.words}: {_saved(job)}") from stop


def complete(job: Job, data: xr.Dataset, began: float) -> int:
    """Write summary and picture of a run that reached its end, print its numbers and return the exit status."""
    steps, warnings = int(data.sizes["time"]) - 1, run_warnings(data)
    results, message = _results(job, data)
    _write_summary(job, complete=True, results=results, message=message, warnings=warnings)
    if message:
        print(f"{message}\nwhat was computed is in {job.trajectory}", file=sys.stderr)
        return SOLVER_FAILURE
    try:
        picture = f", {job.name}.png" if _draw(job.directory, data) else ""
    except KeyboardInterrupt as stop:
        interrupt = interruption(stop)
        drawn_by = f"python -m cases plot {os.fspath(job.directory)}"
        raise Interrupted(
            interrupt.number, f"{interrupt.words}: the run is complete; its picture is drawn by: {drawn_by}"
        ) from stop
    if not job.quiet:
        spent = time.perf_counter() - began
        count = f"{steps} instant{'' if steps == 1 else 's'}"
        print(f"{job.name}: {count} stored after t = 0, up to t = {job.params.t_end:g} s, in {spent:.1f} s")
        print_results(results)
        if job.errors is None:
            print("  error of the steps: not estimated (--estimate does it)")
        else:
            basis = str(data.attrs[BASIS])
            kind = ": not estimated: " if basis.startswith("none: ") else " (±): "
            print(f"  error of the {job.errors.subject}{kind}{basis.removeprefix('none: ')}{job.errors.coarser}")
        print(f"results in {job.directory}: {TRAJECTORY}, summary.json{picture}")
    print_warnings(warnings)
    return SOLVER_FAILURE if job.strict and warnings else 0


def _results(job: Job, data: xr.Dataset) -> tuple[Headlines, str]:
    """Headline numbers and an empty text, or none and the reason."""
    try:
        results = job.case.summary(job.params, data) | floor(data) | retardation(data)
        return with_errors(results, job.errors.errors if job.errors else {}), ""
    except BadInput as error:
        return {}, f"the summary cannot be computed: {error}"
    except (ArithmeticError, ValueError) as error:
        reason = _one_line(f"{type(error).__name__}: {error}")
        return {}, f"the summary cannot be computed, its numbers are too large or too small ({reason})"


def _write_summary(
    job: Job, *, complete: bool, results: Headlines, message: str, warnings: Sequence[RunWarning]
) -> None:
    write_summary(
        job.directory,
        job.name,
        job.params,
        complete=complete,
        results=results,
        message=message,
        warnings=warnings,
    )


def _save_incomplete(job: Job, message: str, *, drawn: bool = True) -> list[RunWarning]:
    """Write summary and, if ``drawn``, picture of the computed part; return its warnings."""
    instants, warnings = 0, list[RunWarning]()
    if job.trajectory.exists():
        with load_trajectory(job.trajectory) as data:
            if data.attrs.get("run") != job.run:
                return warnings  # the file is of an earlier run: this one stored nothing
            instants, warnings = data.sizes["time"], run_warnings(data)
    _write_summary(job, complete=False, results={}, message=message, warnings=warnings)
    if drawn and instants > 1:
        _draw(job.directory)
    return warnings


def _disk_failure(job: Job, error: OSError) -> str:
    """Save summary and picture where possible; return one line: the error of the disk and the saved part."""
    reason = error.strerror or _one_line(error)
    before = error.__context__
    also = f", after {_one_line(before)}" if isinstance(before, StepFailure) else ""
    with suppress(OSError, ValueError):
        if not (job.directory / PARTIAL).exists():
            _save_incomplete(job, reason)
    return f"the results in {job.directory} cannot be written: {reason}{also}; {_saved(job)}"


def _saved(job: Job) -> str:
    """One line: the saved part of a run, its file, and the command that continues it."""
    for path in (job.directory / PARTIAL, job.trajectory):
        with suppress(OSError, ValueError), load_trajectory(path) as data:
            if data.attrs.get("run") == job.run and data.sizes["time"]:
                end, count = float(data.time.values[-1]), data.sizes["time"]
                what = (
                    f"what was computed up to t = {end:.6g} s is in {path} ({count} instant{'s' if count > 1 else ''})"
                )
                return f"{what}; it continues with: python -m cases resume {os.fspath(job.directory)}"
    return "nothing was saved"


def _draw(directory: Path, opened: xr.Dataset | None = None) -> bool:
    """Draw a run's picture; return False where it cannot be drawn."""
    try:  # its import takes half a second, and fails after an earlier import was interrupted
        from cases.app.drawing.plotting import plot_directory
    except Exception as error:
        print(f"no picture: the plotter cannot be imported ({type(error).__name__})", file=sys.stderr)
        return False
    try:
        plot_directory(directory, opened)
    except BadInput as error:  # a failed picture does not change the status of the run
        print(f"no picture: {error}", file=sys.stderr)
        return False
    return True


def print_warnings(warnings: Sequence[RunWarning]) -> None:
    """Print a line on stderr for each warning."""
    for warning in warnings:
        print(warning.line, file=sys.stderr)


def print_results(results: Headlines) -> None:
    """Print each headline number beside its exact or reference value."""
    for entry in results.values():
        unit = "" if entry["unit"] == "1" else f" {entry['unit']}"
        error = f" ± {entry['error']:.1g}" if entry.get("error", 0.0) > NEGLIGIBLE * abs(entry["value"] or 0.0) else ""
        value = "none" if entry["value"] is None else f"{entry['value']:.8g}{error}{unit}"
        beside = f"  (exact {entry['exact']:.8g})" if "exact" in entry else ""
        if "reference" in entry:
            beside = f"  (reference {entry['reference']['value']:.8g})"
        print(f"  {entry['description']}: {value}{beside}")


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
