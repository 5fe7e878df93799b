"""The time loop: from the initial state to the end, in equal or error-controlled steps, storing instants on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import xarray as xr

from floating_frame.errors import StepFailure
from floating_frame.model import Model
from floating_frame.output.trajectory import open_sink
from floating_frame.output.variables import instant_values
from floating_frame.stepper import Stepper
from floating_frame.stepping.adaptive import Pace, advance_adaptively, begin
from floating_frame.stepping.attempts import FAILURES, advance, failure
from floating_frame.stepping.global_error import Attempt, RunTooInaccurate
from floating_frame.stepping.step_times import StepTimes
from floating_frame.system.state import Counts, State
from floating_frame.verdict.checks import verdict_of
from floating_frame.verdict.verdict import ATTRIBUTE, as_json

UNSEEN = 10
"""Compiled explicit steps between two looks of the verdict, where more are taken from output to output."""


@dataclass(frozen=True)
class Progress:
    """What a progress callback is told after each step: simulated ``time`` and ``end`` s, ``steps`` done, ``total_steps``,
    Newton ``iterations`` of the step."""

    time: float
    end: float
    steps: int
    total_steps: int
    iterations: int


def simulate(
    model: Model,
    *,
    path: str | Path | None = None,
    attributes: dict[str, Any] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> xr.Dataset:
    """Run a model to its end time.

    ``path``: NetCDF file, written as the run goes (None: in memory); ``attributes``: further global attributes. Returns the
    trajectory; its attribute ``warnings`` is the run's verdict (see ``verdict``), ``sampling_floor`` what a rigid body's friction
    points leave of error at any step. Raises StepFailure with ``trajectory`` (complete = 0) attached, and saved, if a step fails.
    With ``Options.error_tolerance`` the steps between the stored instants are chosen by ``adaptive``, and the run is begun again
    where its error turns out too large (``global_error``); the attributes ``estimated_error`` and ``runs`` tell both.
    """
    wanted = model.options.error_tolerance
    if wanted is None:
        return _run(model, path, attributes, progress, None)
    run = Attempt(1, wanted)
    while True:
        try:
            return _run(model, path, attributes, progress, run)
        except RunTooInaccurate as found:
            run = run.next(found, wanted, model.problem.t_end)


def _run(
    model: Model,
    path: str | Path | None,
    attributes: dict[str, Any] | None,
    progress: Callable[[Progress], None] | None,
    run: Attempt | None,
) -> xr.Dataset:
    """One run to the end, in equal steps (``run`` None) or at the tolerance of ``run``. Raises also RunTooInaccurate."""
    advance_one, state, energy, first = _start(model)
    steps = model.steps
    saved = {"options": json.dumps(asdict(model.options))} | (attributes or {}) | steps.attributes
    sink = open_sink(model, path, saved)
    times = StepTimes(model.problem.t_end, steps.length, model.loads.breaks)
    # From output to output: the compiled explicit loop, unless contact is watched, and error-controlled steps.
    compiled = steps.many and model.options.step_control is None
    stride = model.options.output_every if run or compiled else 1
    longest = UNSEEN if compiled and run is None else stride
    verdict = verdict_of(model)
    state, advance_one = verdict.begin(state), verdict.stepper(advance_one)

    def close(complete: bool) -> xr.Dataset:
        found = {"estimated_error": pace.companion.error, "runs": run.number} if run and pace else {}
        return sink.close(complete, {ATTRIBUTE: as_json(verdict.judge(state))} | verdict.attributes(state) | found)

    pace: Pace | None = None if run is None else begin(model, state, run.tolerance)
    total = len(times)
    pending = Counts()
    try:
        sink.write(first)
        for number, end in times.every(stride, longest):
            if pace is not None:
                state, counts, pace = advance_adaptively(model, advance_one, state, end, pace)
            else:
                state, counts = advance(model, advance_one, state, end)
            pending = pending.plus(counts)
            if number % model.options.output_every == 0 or number == total:
                sink.write(_values(model, state, pending, energy))
                pending = Counts()
            if progress is not None:
                progress(Progress(state.time, model.problem.t_end, number, total, counts.newton))
    except StepFailure as stopped:
        stopped.trajectory = close(complete=False)
        raise
    except BaseException:
        close(complete=False).close()
        raise
    return close(complete=True)


def _start(model: Model) -> tuple[Stepper, State, float, dict[str, Any]]:
    """The step function, the initial state, its energy in J and its values. Raises StepFailure."""
    try:
        advance_one, state = model.integrator.step, model.integrator.initial(model)
        return advance_one, state, state.energy, instant_values(model, state, Counts(), state.energy)
    except FAILURES as error:
        raise failure(error, 0.0, 0.0) from error


def _values(model: Model, state: State, counts: Counts, energy: float) -> dict[str, Any]:
    """The values of an instant. Raises StepFailure where they are too large."""
    try:
        return instant_values(model, state, counts, energy)
    except ArithmeticError as error:
        raise failure(error, state.time, 0.0) from error
