"""Checkpoints: the state of a run in DIR/checkpoint.npz while it goes on, and within the trajectory when it has ended."""

from __future__ import annotations

import math
import sys
import time
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from cases.app.run.codec import CannotDecode, check_alike, decode, encode
from cases.app.run.directory import CHECKPOINT
from cases.app.run.errors import BadInput
from cases.app.run.reading import read_bounded
from cases.app.run.signals import raise_unanswered
from floating_frame import RunState, StepFailure, simulate
from floating_frame.effect.protocol import Impact
from floating_frame.output.archive import load_checkpoint
from floating_frame.output.replacing import replacing
from floating_frame.output.trajectory import Checkpoint
from floating_frame.output.variables import static_values
from floating_frame.simulate import initial_run
from floating_frame.stepping.step_times import StepTimes
from floating_frame.system.model import RunModel

EVERY = 60.0
"""Wall-clock time between two checkpoints, s."""


def checkpoint_interval(text: str | None) -> float:
    """Wall-clock time between two checkpoints, s, from its text. Raises BadInput."""
    try:
        seconds = EVERY if text is None else float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0.0:
        raise BadInput(f"checkpoint_every: expected a number >= 0 (seconds of wall clock; inf: never), got {text!r}")
    return seconds


def max_bytes(model: RunModel) -> int:
    """Upper bound on the size of a model's checkpoint, bytes: some hundred fields on its points, and a margin."""
    return (1 << 26) + 1000 * sum(np.asarray(value).nbytes for value in static_values(model).values())


def identity(model: RunModel) -> dict[str, object]:
    """Checksum of mesh and friction bounds, and the options: a run continues only from a checkpoint with the same ones."""
    checksum = 0
    for name, value in sorted(static_values(model).items()):
        checksum = zlib.crc32(np.ascontiguousarray(value).tobytes(), zlib.crc32(name.encode(), checksum))
    return {"problem": checksum, "options": repr(model.options)}


class Checkpoints:
    """Writes a checkpoint every `every` seconds of wall clock; the trajectory stores the last one.

    `run` names the run whose trajectory it belongs to; `ready` is called when the trajectory is about to be replaced.
    """

    def __init__(self, directory: Path, run: str, model: RunModel, every: float, ready: Callable[[], None]) -> None:
        self._path, self._ready, self._every = directory / CHECKPOINT, ready, every
        self._head = {"run": run, **identity(model)}
        self._last, self._warned = time.monotonic(), False

    def after_step(self, run: RunState, sync: Callable[[], RunState]) -> None:
        """Write a checkpoint if it is time. A failed write is reported once, and the run goes on.

        Raises Interrupted where a signal has not been answered yet.
        """
        raise_unanswered()
        if time.monotonic() - self._last < self._every:
            return
        state = sync()
        try:
            with replacing(self._path) as temporary:
                temporary.write_bytes(encode(self._head | {"state": state}))
                decode(temporary.read_bytes())
        except OSError as error:
            if not self._warned:
                print(f"warning: no checkpoint can be written: {error.strerror or error}", file=sys.stderr)
            self._warned = True
        self._last = time.monotonic()

    def at_end(self, run: RunState) -> Checkpoint:
        """Checkpoint that is stored in the trajectory."""
        return Checkpoint(encode(self._head | {"state": run}), self._ready)


def read_checkpoint(source: Path, run: str | None, model: RunModel) -> RunState | None:
    """State from which the run `run` with the trajectory `source` continues with `model`; None: from t = 0.

    Raises BadInput for a damaged checkpoint or one of another problem.
    """
    path = source.with_name(CHECKPOINT)
    growing = source.suffix == ".partial"
    where = path if growing else source
    if growing and not path.exists():
        return None
    try:
        data = read_bounded(path, max_bytes(model)) if growing else load_checkpoint(source)
        content = None if data is None else decode(data)
    except (OSError, CannotDecode, RuntimeError) as error:
        raise BadInput(f"expected a checkpoint in {str(where)!r}, got a damaged or foreign one ({error})") from error
    if content is None:
        return None
    entries = content if isinstance(content, dict) else {}
    head = {key: value for key, value in entries.items() if isinstance(value, str | int)}
    if growing and head.get("run", run) != run:  # of an earlier run: this one was killed before its first checkpoint
        return None
    return _fitting(head, entries.get("state"), model, where)


def _fitting(head: Mapping[str, object], state: object, model: RunModel, where: Path) -> RunState:
    wanted = identity(model)
    if not isinstance(state, RunState):
        raise BadInput(f"expected the checkpoint of a run in {str(where)!r}, got another one")
    for key, what in (("problem", "mesh and friction bound"), ("options", "options")):
        if head.get(key) != wanted[key]:
            raise BadInput(f"expected a checkpoint of the same {what} in {str(where)!r}, got one of others")
    try:
        check_alike(state, template_runs(model))
        _check_numbers(state, model)
    except CannotDecode as error:
        raise BadInput(f"expected a checkpoint of this run in {str(where)!r}, got another one ({error})") from error
    return state


def template_runs(model: RunModel) -> list[RunState]:
    """Runs of a model at t = 0 and after its first steps, as templates: later ones have arrays of the same shapes."""
    runs = [initial_run(model)[0]]
    with suppress(_Stop, StepFailure):
        simulate(model, keeper=_FirstState(runs))
    return runs + [_with_optional_arrays(run) for run in runs]


def _with_optional_arrays(run: RunState) -> RunState:
    """The run with the optional arrays of later steps (impact, rates of internal states) and without rates at points."""
    friction = run.state.friction
    landed = Impact(np.zeros(len(friction.slip), np.bool_), friction.force, 0.0, 0.0)
    records = tuple(record._replace(rates=(), internal_rate=record.internal) for record in run.state.records)
    return replace(run, state=replace(run.state, friction=friction._replace(impact=landed), records=records))


class _Stop(Exception):
    """Ends a run after its first steps."""


class _FirstState:
    """Stores the state after the first steps."""

    def __init__(self, runs: list[RunState]) -> None:
        self._runs = runs

    def after_step(self, run: RunState, sync: Callable[[], RunState]) -> None:
        self._runs.append(sync())
        raise _Stop

    def at_end(self, run: RunState) -> Checkpoint:
        return Checkpoint(b"", lambda: None)


def _check_numbers(run: RunState, model: RunModel) -> None:
    """Raise CannotDecode where steps, times and instants disagree, or motion or steps are not finite."""
    times, every = StepTimes(model.problem.t_end, model.steps.length, model.loads.breaks), model.options.output_every
    if not 0 <= run.number <= len(times) or run.rows != 1 + run.number // every:
        raise CannotDecode(f"expected the instants of the steps, got {run.rows} of {run.number} steps")
    end = float(times.ends_of(np.array([run.number]))[0])
    if not abs(run.state.time - end) <= 1e-6 * model.steps.length:
        raise CannotDecode(f"expected the state at t = {end:g} s, got one at {run.state.time:g} s")
    motion = run.state.motion
    if not all(np.isfinite(block).all() for part in motion for block in part):
        raise CannotDecode("expected a motion of finite numbers, got another one")
    if run.control is not None and not (0.0 < run.control.step < math.inf and 0.0 < run.control.tolerance < math.inf):
        raise CannotDecode("expected positive steps and tolerances under error control, got others")


def attributes_of(run: str) -> dict[str, str]:
    """Attribute that links a trajectory to its checkpoint."""
    return {"run": run}
