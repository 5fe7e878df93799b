"""`resume`: a killed, failed or finished run goes on from its last checkpoint, to the last bit as if it had not stopped."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import ValidationError

from cases.app.parts.parameters import CaseParameters, explain, from_text
from cases.app.registry import load
from cases.app.run.checkpoint import EVERY, checkpoint_interval, read_checkpoint
from cases.app.run.directory import SUMMARY, locked, read_json
from cases.app.run.errors import BadInput
from cases.app.run.estimate import Estimate, HeadlineErrors
from cases.app.run.inputs import assembled, validated
from cases.app.run.notes import note
from cases.app.run.progress.display import assembling
from cases.app.run.results import OWN, versions
from cases.app.run.runner import Job, carry_out, complete
from cases.app.run.trajectories import CHANGED, open_trajectory, refused_as_bad_input, saved_trajectory
from floating_frame import RunState, load_trajectory
from floating_frame.output.archive import attributes_changed
from floating_frame.output.trajectory import contents_of
from floating_frame.output.variables import dtype_of
from floating_frame.system.model import RunModel


@np.errstate(all="ignore")  # as `run`
def resume(
    directory: str,
    *,
    t_end: str | None,
    quiet: bool,
    strict: bool,
    checkpoint_every: str | None,
    estimate: Estimate = "",
) -> int:
    """Continue the run in a results directory, to another end if `t_end` is given; return the exit status of `run`.

    Raises BadInput where there is no run to continue, or its checkpoint is damaged or of another run.
    """
    every = checkpoint_interval(checkpoint_every)
    if not (directory.strip() and Path(directory).is_dir()):
        raise BadInput(f"expected a results directory, got {directory!r}")
    saved_trajectory(directory)  # raises before anything is written
    with locked(directory) as folder:
        source = saved_trajectory(folder)
        with refused_as_bad_input(folder, "go on with"), assembling(folder.name, shown=not quiet):
            job, saved = _saved_job(source, t_end)
        errors = HeadlineErrors(job.case, job.params, estimate) if estimate else None
        job = replace(job, every=every, quiet=quiet, strict=strict, errors=errors)
        if saved.complete and job.params.t_end == saved.t_end and not estimate:
            return _complete_files(job)
        extended = job.params.t_end != saved.t_end
        if extended and not job.params.t_end > saved.reached:
            now, end = saved.reached, job.params.t_end
            raise BadInput(f"t_end: expected a time after {now:g} s, which the run has reached, got {end:g}")
        with refused_as_bad_input(folder, "go on with"):
            start = read_checkpoint(source, job.run, job.model)
            if start is not None:
                _check_instants(source, job.model, start.rows)
        if extended:
            start = _start_of_extension(start, job.params)
        if not quiet:
            print(f"{job.name}: goes on from t = {0.0 if start is None else start.state.time:.6g} s")
        return carry_out(job.starting(start))


class Saved(NamedTuple):
    """Progress of a saved run: ``complete`` or not, the time ``reached`` and its end ``t_end``, s."""

    complete: bool
    reached: float
    t_end: float


def _saved_job(source: Path, t_end: str | None) -> tuple[Job, Saved]:
    """Run of a trajectory, to another end if ``t_end`` is given, and its progress. Raises BadInput."""
    data, name = open_trajectory(source)
    with data:
        attrs, reached = dict(data.attrs), float(data.time.values[-1]) if data.sizes["time"] else 0.0
    if attributes_changed(source):
        raise BadInput(f"expected the attributes of the run, got others: {CHANGED} in {str(source)!r}")
    case = load(name)
    _same_version(attrs, source)
    old = _parameters(case.Parameters, attrs, source)
    params = old if t_end is None else _with_end(old, t_end)
    stress = bool(json.loads(attrs.get("options", "{}")).get("stress", False))
    job = Job(
        name=name,
        case=case,
        params=params,
        model=assembled(case, params, stress=stress),
        directory=source.parent,
        run=str(attrs.get("run", "")),
        every=EVERY,
    )
    return job, Saved(bool(attrs.get("complete") == 1), reached, old.t_end)


def _check_instants(source: Path, model: RunModel, count: int) -> None:
    """Raise BadInput where a trajectory has fewer instants than a checkpoint, or other series than its model."""
    with load_trajectory(source, verified=True) as data:
        if data.sizes["time"] < count:
            raise BadInput(
                f"expected the {count} instants of the checkpoint in {str(source)!r}, got {data.sizes['time']}"
            )
        wanted, stored = contents_of(model, {}), data.sizes
        for name, variable in wanted.nonempty(wanted.series).items():
            kind, shape = np.dtype(dtype_of(name)), (stored["time"], *wanted.shape(variable))
            if name not in data or (data[name].dtype, data[name].shape) != (kind, shape):
                raise BadInput(f"expected {name} of shape {shape} in {str(source)!r}, got none or another one")


def _complete_files(job: Job) -> int:
    """Write summary and picture of a complete run if they are missing."""
    picture = job.directory / f"{job.name}.png"
    if read_json(job.directory / SUMMARY).get("complete") is not True or not picture.exists():
        with load_trajectory(job.trajectory, verified=True) as data:
            return complete(job, data, time.perf_counter())
    if not job.quiet:
        print(f"{job.name}: complete up to t = {job.params.t_end:g} s; --t_end T makes it longer")
    return 0


def _start_of_extension(start: RunState | None, params: CaseParameters) -> RunState | None:
    """State from which a run continues to another end."""
    if dict(params).get("error_tolerance") is None:
        return start
    note("note: under error_tolerance every step depends on t_end: the run begins again from t = 0 s")
    return None


def _same_version(attrs: dict[str, object], source: Path) -> None:
    """Raise BadInput for results of another version; say which libraries differ."""
    try:
        before = dict(json.loads(str(attrs.get("versions", "{}"))))
    except ValueError:
        before = {}
    now = versions()
    if before.get(OWN) != now[OWN]:
        raise BadInput(
            f"expected a run of this version, {now[OWN]}, in {str(source)!r}, got one of {before.get(OWN, 'unknown')}"
        )
    others = [f"{key} {now[key]} for {value}" for key, value in before.items() if now.get(key, value) != value]
    if others:
        note(f"note: equal to the last bit only with the same libraries, here {', '.join(others)}")


def _parameters(model: type[CaseParameters], attrs: dict[str, object], source: Path) -> CaseParameters:
    try:  # the attribute is JSON, where infinity is a text: not strict
        return model.model_validate_json(str(attrs["parameters"]), strict=False)
    except KeyError:
        raise BadInput(f"expected the parameters of a run in {str(source)!r}, got none") from None
    except ValidationError as error:
        raise BadInput(
            f"expected the parameters of this version in {str(source)!r}: {explain(model, error)}"
        ) from error


def _with_end(params: CaseParameters, text: str) -> CaseParameters:
    """Parameters with another end. Raises BadInput."""
    kind = type(params)
    return validated(kind, dict(params) | {"t_end": from_text(kind.model_fields["t_end"], text)})
