"""The time loop: from the initial state to the end, in equal or error-controlled steps, with stored instants."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
import xarray as xr

from floating_frame.errors import StepFailure
from floating_frame.output.notebook import Progress, notebook_progress
from floating_frame.output.provenance import provenance
from floating_frame.output.trajectory import Checkpoint, FileSink, Sink, check_path
from floating_frame.output.variables import series_at
from floating_frame.stepping.adaptive import (
    ControllerState,
    RunTooInaccurate,
    advance_adaptively,
    initial_control,
    next_tolerance,
)
from floating_frame.stepping.penalty_steps import contact_free_steps
from floating_frame.stepping.step_times import StepTimes
from floating_frame.stepping.substeps import FAILURES, advance, step_failure
from floating_frame.system.ledger_series import count_series
from floating_frame.system.model import RunModel
from floating_frame.system.protocol import Series
from floating_frame.system.rigid.batch import Batch
from floating_frame.system.rows import Numbers, OneStep, SingleSteps
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import Stepper
from floating_frame.verdict import step_error, verdict
from floating_frame.verdict.checks import checks_of
from floating_frame.verdict.step_error import Companion, Estimator, StepError
from friction.arrays import shown

VERDICT_INTERVAL = 25, 50
"""Least and most compiled explicit steps between two checks of the verdict; between these limits the square root of the number
of nodes."""

RETRY_STEPS = 16
"""Compiled steps in the next trial after a contact has cut a step."""


@dataclass(frozen=True, kw_only=True)
class RunState:
    """State of a run between steps, complete for resuming it.

    ``number`` of the last step; ``state`` at its end; ``energy`` J at t = 0; ``rows``: number of stored instants; ``pending``:
    counts since the last of them; ``control``: state of error control.
    """

    number: int
    state: State
    energy: float
    rows: int = 0
    pending: Counts = field(default_factory=Counts)
    control: ControllerState | None = None


class Keeper(Protocol):
    """Stores a run so that it can be resumed."""

    def after_step(self, run: RunState, sync: Callable[[], RunState]) -> None:
        """Called after a step; ``sync`` writes the instants stored so far to disk and returns the run to store."""
        ...

    def at_end(self, run: RunState) -> Checkpoint:
        """Checkpoint for the trajectory; a longer run would continue from ``run``."""
        ...


def simulate(
    model: RunModel,
    *more: object,
    path: str | Path | None = None,
    attributes: Mapping[str, object] | None = None,
    progress: Callable[[Progress], None] | None = None,
    keeper: Keeper | None = None,
    resume: RunState | None = None,
    estimate: bool | Companion = False,
) -> xr.Dataset:
    """Run a model to its end time.

    ``path``: NetCDF file, in a directory that exists, written as the run goes (None: in memory); ``attributes``: further global
    attributes; ``progress`` is called after each step (none: a notebook shows one line). Returns the trajectory; its attribute
    ``warnings`` is the run's verdict (see ``verdict``), ``sampling_floor`` the error of a rigid body's friction points at any step.
    Raises StepFailure with ``trajectory`` (complete = 0) attached, and saved, if a step fails; RuntimeError for a model that
    another run uses; OSError for a ``path`` that cannot be written, before anything is computed. With ``Options.error_tolerance``
    the steps between the stored instants are chosen by ``adaptive``, and the run begins again where its error is too large
    (attributes ``estimated_error``, ``runs``). ``keeper`` gets the run after every step, or batch of compiled steps (``Batches``);
    ``resume``: a run that it got, which continues to the same bits, behind its first instants in ``path`` (or the growing file
    beside it); in memory only the following instants are returned. ``estimate``: a companion run with twice the step follows. The
    attribute ``estimated_error`` is the estimated error of the positions over the body's size; ``error_estimate`` names the
    companion, or the reason why there is none. A large error is the warning ``step-error`` (``verdict.step_error``). A user's
    ``Companion`` may compare further numbers.
    """
    if more or not isinstance(model, RunModel):
        kinds = " and ".join(type(given).__name__ for given in (model, *more))
        raise TypeError(f"simulate takes a model: simulate(assemble(problem, Options(dt=...))), got {kinds}")
    if path is not None:
        check_path(path)
    _check_arguments(attributes, progress, keeper, resume, estimate)
    if not model.workspace.acquire(blocking=False):
        raise RuntimeError(
            "this model is in use by another run, and a model has one workspace: assemble one for each thread, "
            "assemble(problem, options)"
        )
    try:
        with notebook_progress() if progress is None else nullcontext(progress) as report:
            run = partial(_run_to_end, attributes=None, progress=report, keeper=None, resume=None, estimate=None)
            error_of = step_error.estimator(estimate, path, run) if estimate else None
            return _run_to_end(model, path, attributes, report, keeper, resume, error_of)
    finally:
        model.workspace.release()


def _check_arguments(attributes: object, progress: object, keeper: object, resume: object, estimate: object) -> None:
    """Refuse arguments that a run cannot use or store: TypeError."""
    for name, value, fits, words in (
        ("attributes", attributes, _storable(attributes), "a dictionary of texts and numbers by their names"),
        ("progress", progress, callable(progress), "a function of the report of a step"),
        ("keeper", keeper, not isinstance(keeper, type) and hasattr(keeper, "at_end"), "a Keeper"),
        ("resume", resume, isinstance(resume, RunState), "the RunState that a keeper kept"),
        ("estimate", estimate, isinstance(estimate, bool | Companion), "true, false or a Companion"),
    ):
        if value is not None and not fits:
            raise TypeError(f"simulate: {name} must be {words}, got {shown(value)}")


def _storable(attributes: object) -> bool:
    """True if NetCDF can store attributes."""
    return isinstance(attributes, Mapping) and all(
        isinstance(name, str)
        and name.isprintable()
        and name.strip() == name != ""
        and "/" not in name
        and np.asarray(value).dtype.kind in "iufU"
        for name, value in attributes.items()
    )


def _run_to_end(
    model: RunModel,
    path: str | Path | None,
    attributes: Mapping[str, object] | None,
    progress: Callable[[Progress], None] | None,
    keeper: Keeper | None,
    resume: RunState | None,
    estimate: Estimator | None,
) -> xr.Dataset:
    """Run a model, and repeat the run where its error is too large. Arguments: see ``simulate``."""
    attempt: tuple[int, float] | None = None
    while True:
        run, first = (resume, None) if resume else initial_run(model, attempt)
        steps = model.steps
        origin = {} if path is None else provenance()
        saved = (
            {"options": json.dumps(asdict(model.options), default=np.generic.item)}
            | origin
            | dict(attributes or {})
            | steps.attributes
            | dict(model.attributes)
            | {"execution": model.execution}
        )
        given = model, saved, run.energy
        sink = Sink(*given) if path is None else FileSink(*given, Path(path), run.rows)
        try:
            return _run(model, run, first, sink, progress, keeper, estimate)
        except RunTooInaccurate as error:
            control, error_tolerance = run.control, model.options.error_tolerance
            assert control is not None
            assert error_tolerance is not None
            smaller = next_tolerance(error, control.number, control.tolerance, error_tolerance, model.problem.t_end)
            resume, attempt = None, (control.number + 1, smaller)


def _run(
    model: RunModel,
    run: RunState,
    first: Series | None,
    sink: Sink,
    progress: Callable[[Progress], None] | None,
    keeper: Keeper | None,
    estimate: Estimator | None,
) -> xr.Dataset:
    """Continue from ``run`` to the end; ``first``: values of the first instant, not stored yet. Raises also RunTooInaccurate."""
    every = model.options.output_every
    times = StepTimes(model.problem.t_end, model.steps.length, model.loads.breaks)
    # From output to output: error-controlled steps, and the compiled explicit loop without step control.
    compiled = model.steps.many and model.options.step_control is None
    stride = every if run.control or compiled else 1
    longest = stride
    if compiled and run.control is None:
        longest = int(np.clip(np.sqrt(len(run.state.position)), *VERDICT_INTERVAL))
    advance_one, total = verdict.with_checks(model, model.integrator.step), len(times)
    resumable, written, batches = run, run, Batches(model, times)

    def close(complete: bool, error: StepError | None = None) -> xr.Dataset:
        with suppress(StepFailure, OSError):  # ``sink.close`` reports a full disk and saves what it can
            sink.flush()
        saved = None if keeper is None else keeper.at_end(_up_to_date(model, resumable if sink.is_flushed else written))
        return sink.close(complete, _attributes(model, run, error), saved)

    def sync() -> RunState:
        sink.sync()
        return _up_to_date(model, run)

    try:
        if first is not None:
            sink.write(first)
            resumable = run = replace(run, rows=1)
        while run.number < total:
            before, stop, written = run, None, resumable if sink.is_flushed else written
            batch = batches.after(run.number, run.state)
            if batch is not None:
                batch, stop = report_progress(model, progress, batch, run.number, total)
                resumable = run = _store_batch(model, run, batch, batches, sink)
            else:
                number, end = next(times.every(stride, longest, run.number))
                run, newton = _advance(model, advance_one, run, number, end, sink)
                resumable = run if times.would_end(number, end, before.number, stride, longest) else before
            if keeper is not None:
                keeper.after_step(run, sync)
            if stop is not None:
                raise stop
            if progress is not None and batch is None:
                progress(Progress(run.state.time, model.problem.t_end, number, total, newton))
        sink.flush()
    except StepFailure as stopped:
        stopped.trajectory = close(complete=False)
        raise
    except BaseException:
        close(complete=False).close()
        raise
    return _with_error(model, run, sink, estimate, close)


def _with_error(
    model: RunModel, run: RunState, sink: Sink, estimate: Estimator | None, close: Callable[..., xr.Dataset]
) -> xr.Dataset:
    """Trajectory of a run that has reached its end, with the estimated error of its steps."""
    error = None
    if estimate is not None:
        try:
            with sink.so_far() as data:
                data.attrs |= _attributes(model, run, None)
                error = estimate(model, data)
        except BaseException:  # an interrupt: the run itself is complete
            close(complete=True).close()
            raise
    return close(complete=True, error=error)


def _up_to_date(model: RunModel, run: RunState) -> RunState:
    """Run with its checks updated by all of its steps."""
    return replace(run, state=verdict.update_checks(model, run.state))


def _attributes(model: RunModel, run: RunState, error: StepError | None) -> dict[str, object]:
    """Attributes of a trajectory from its run and the estimated ``error`` of its steps."""
    attributes: dict[str, object] = {**verdict.attributes(model, run.state, error.warnings if error else ())}
    attributes |= error.attributes if error else {}
    if run.control is not None:
        attributes |= {"estimated_error": run.control.run_error, "runs": run.control.number}
    return attributes


def _advance(
    model: RunModel, one: Stepper[RunModel], run: RunState, number: int, end: float, sink: Sink
) -> tuple[RunState, int]:
    """Advance to the end of step ``number`` at ``end`` s, and store it if due; return also its Newton iterations."""
    if run.control is not None:
        begun = verdict.update_checks(model, run.state)
        state, counts, control = advance_adaptively(model, one, begun, end, run.control)
    else:
        (state, counts), control = advance(model, one, run.state, end), None
    often, pending = number % model.options.output_every == 0, run.pending.plus(counts)
    if often or end == model.problem.t_end:
        sink.add(OneStep(state, counts.step_size or model.options.dt or np.inf), pending)
    pending, rows = Counts() if often else pending, run.rows + often
    return replace(run, number=number, state=state, rows=rows, pending=pending, control=control), counts.newton


def report_progress(
    model: RunModel, progress: Callable[[Progress], None] | None, batch: Batch, number: int, total: int
) -> tuple[Batch, BaseException | None]:
    """Call the progress callback per step. Return the steps before an interrupt, and the interrupt."""
    if progress is None:
        return batch, None
    for k, (time, newton) in enumerate(zip(batch.times.tolist(), batch.counts[:, 1].tolist(), strict=True), start=1):
        try:
            progress(Progress(time, model.problem.t_end, number + k, total, newton))
        except BaseException as stop:  # raised again after these steps are stored
            head = batch.head(k)
            return (contact_free_steps(model, head) or head if model.has_contacts else head), stop
    return batch, None


def _store_batch(model: RunModel, run: RunState, batch: Batch, batches: Batches, sink: Sink) -> RunState:
    """Store the output instants of a batch, and return the run at its end. Raises StepFailure for overflow."""
    count = len(batch.times)
    state = replace(verdict.check_batch(model, batch, batch.state(count - 1)), entry=batch.entry)
    numbers, regular = batches.stored(run.number, count)
    counts, pending = count_series(batch.count_rows, numbers, run.pending)
    if regular < len(numbers):
        _, pending = count_series(batch.count_rows, numbers[:regular], run.pending)
    if len(numbers):
        try:
            sink.write(series_at(model, batch.chosen(numbers), run.energy) | counts)
        except ArithmeticError as error:
            raise step_failure(error, float(batch.times[numbers[0]]), 0.0) from error
    return replace(run, number=run.number + count, state=state, rows=run.rows + regular, pending=pending)


def initial_run(model: RunModel, attempt: tuple[int, float] | None = None) -> tuple[RunState, Series]:
    """Run at t = 0 of an ``attempt`` (its number, and the tolerance of its steps; None: the first), and the values of its first
    instant. Raises StepFailure."""
    first, error_tolerance = np.zeros(1, np.intp), model.options.error_tolerance
    try:
        state = model.integrator.initial(model)
        counts, _ = count_series(Counts().row[None], first, Counts())
        start = SingleSteps.of(state, [OneStep(state, model.options.dt or np.inf)])
        values = series_at(model, start, state.energy) | counts
    except FAILURES as error:
        raise step_failure(error, 0.0, 0.0) from error
    state = replace(state, verdict=checks_of(model, state))
    control = None if error_tolerance is None else initial_control(model, state, *(attempt or (1, error_tolerance)))
    return RunState(number=0, state=state, energy=state.energy, control=control), values


class Batches:
    """Batches of equal steps of a run, each computed in one compiled call.

    The set of compiled steps depends on the run alone, not on the start of a batch: a resumed run has the same. Excluded are steps
    cut by a break of the loads, a short last one, and steps with interpreted parts.
    """

    def __init__(self, model: RunModel, times: StepTimes) -> None:
        options, self._times = model.options, times
        equal = options.error_tolerance is None and options.step_control is None
        self._step = model.integrator.compiled if equal else None
        self._longest = 0 if self._step is None else self._step.longest
        self._model, self._touches = model, model.has_contacts
        self._trial_count = RETRY_STEPS if self._touches else self._longest
        total = self._total = len(times)
        self._every = min(options.output_every, total + 1)  # NumPy's integers end at 2^63
        self._last = total if times.would_end(total, times.end(total), total - 1, 1) else total - 1

    def after(self, number: int, state: State) -> Batch | None:
        """Batch of the steps after step ``number``; None where the next is a single step."""
        if self._step is None or number >= self._last:
            return None
        limit = (number // self._every + self._step.max_stored) * self._every
        ends = self._times.ends_of(np.arange(number + 1, min(number + self._trial_count, limit, self._last) + 1))
        cut = self._times.breaks.cut(np.array([state.time, *ends[:-1]]), ends)
        ends = ends[: int(np.argmax(cut))] if cut.any() else ends
        if not len(ends):
            return None
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                batch = self._step.take(state, ends, self.stored(number, len(ends))[0])
                if self._touches and batch is not None:
                    batch = contact_free_steps(self._model, batch)
        except FAILURES:  # of one of these steps; taken alone, it raises the failure
            batch = None
        count, requested = 0 if batch is None else len(batch.times), len(ends)
        self._trial_count = min(max(4 * requested if count == requested else 2 * count, RETRY_STEPS), self._longest)
        return batch

    def stored(self, number: int, count: int) -> tuple[Numbers, int]:
        """Indices of the ``count`` steps after step ``number`` that are stored, and the number of these that are regular output (a
        longer run does not store this one's end)."""
        numbers = number + 1 + np.arange(count)
        regular = numbers % self._every == 0
        return np.flatnonzero(regular | (numbers == self._total)), int(regular.sum())
