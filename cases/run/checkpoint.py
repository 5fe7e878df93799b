"""Checkpoints: the state of a run in DIR/checkpoint.npz while it goes on, and within the trajectory when it has ended."""

from __future__ import annotations

import json
import math
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cases.run.codec import CannotDecode, decode, encode
from cases.run.directory import CHECKPOINT
from cases.run.errors import BadInput
from cases.run.signals import raise_unanswered
from floating_frame import Model, RunState
from floating_frame.output.archive import load_checkpoint
from floating_frame.output.replacing import replacing
from floating_frame.output.trajectory import Kept
from floating_frame.output.variables import static_values

EVERY = 60.0
"""Wall-clock time between two checkpoints, s."""


def seconds(text: str | None) -> float:
    """Return the wall-clock time between two checkpoints, s, that a user asked for. Raises BadInput."""
    try:
        found = EVERY if text is None else float(text)
    except ValueError:
        found = math.nan
    if not found >= 0.0:
        raise BadInput(f"checkpoint_every: expected a number >= 0 (seconds of wall clock; inf: never), got {text!r}")
    return found


def identity(model: Model) -> dict[str, object]:
    """Return what a run must have in common with the one that goes on from its checkpoint: mesh and bound of friction, by their
    checksum, and the options.
    """
    found = 0
    for name, value in sorted(static_values(model).items()):
        found = zlib.crc32(np.ascontiguousarray(value).tobytes(), zlib.crc32(name.encode(), found))
    return {"problem": found, "options": repr(model.options)}


class Checkpoints:
    """Writes a checkpoint every so many seconds of wall clock, and gives the last one to the trajectory.

    `run` names the run whose trajectory it belongs to; `ready` is called when the trajectory is about to be replaced.
    """

    def __init__(self, directory: Path, run: str, model: Model, every: float, ready: Callable[[], None]) -> None:
        self._path, self._ready, self._every = directory / CHECKPOINT, ready, every
        self._head = {"run": run, **identity(model)}
        self._last, self._told = time.monotonic(), False

    def after_step(self, run: RunState, sync: Callable[[], None]) -> None:
        """Write a checkpoint if it is time. One that cannot be written is told once: the run itself goes on.

        Raises Interrupted where a signal has not been answered yet.
        """
        raise_unanswered()
        if time.monotonic() - self._last < self._every:
            return
        sync()
        try:
            with replacing(self._path) as temporary:
                temporary.write_bytes(encode(self._head | {"state": run}))
                decode(temporary.read_bytes())
        except OSError as error:
            if not self._told:
                print(f"warning: no checkpoint can be written: {error.strerror or error}", file=sys.stderr)
            self._told = True
        self._last = time.monotonic()

    def at_end(self, run: RunState) -> Kept:
        """Return the checkpoint that the trajectory takes with it."""
        return Kept(encode(self._head | {"state": run}), self._ready)


def read_checkpoint(source: Path, run: str | None, model: Model) -> RunState | None:
    """Return the state from which the trajectory in `source`, of the run called `run`, goes on with `model`; None for its start.

    Raises BadInput for a checkpoint that is damaged, or of another problem.
    """
    path = source.with_name(CHECKPOINT)
    growing = source.suffix == ".partial"
    where = path if growing else source
    if growing and not path.exists():
        return None
    try:
        data = path.read_bytes() if growing else load_checkpoint(source)
        found = None if data is None else decode(data)
    except (OSError, CannotDecode, RuntimeError) as error:
        raise BadInput(f"expected a checkpoint in {str(where)!r}, got a damaged or foreign one ({error})") from error
    if found is None:
        return None
    if growing and found.get("run") != run:  # of an earlier run: this one was killed before its first
        return None
    return _fitting(found, model, where)


def _fitting(found: object, model: Model, where: Path) -> RunState:
    wanted, entries = identity(model), found if isinstance(found, dict) else {}
    state = entries.get("state")
    if not isinstance(state, RunState):
        raise BadInput(f"expected the checkpoint of a run in {str(where)!r}, got another one")
    for key, what in (("problem", "mesh and friction bound"), ("options", "options")):
        if entries.get(key) != wanted[key]:
            raise BadInput(f"expected a checkpoint of the same {what} in {str(where)!r}, got one of others")
    return state


def attributes_of(run: str) -> dict[str, str]:
    """Return the attribute by which a trajectory and its checkpoint know each other."""
    return {"run": run}


def as_parameters(text: str) -> dict[str, object]:
    """Return the parameters that a trajectory carries. Raises BadInput."""
    try:
        return dict(json.loads(text))
    except (TypeError, ValueError) as error:
        raise BadInput(f"expected the parameters of a run as JSON, got others ({error})") from error
