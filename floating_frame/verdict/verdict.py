"""The verdict of a run: what of it should not be believed, found out step by step while it goes.

A run that ends is not yet right. Checks look at every step that is kept, stored or not, and keep what they need of it in the
state (``State.verdict``), so that a step which error control or a halving throws away leaves no trace. At the end, complete or not,
each says what lies beyond its limit (``verdict_limits``). A check applies to what a model can do, not to what it is called:
``verdict_energy`` has energies and angular momentum, ``verdict_strain`` the range of materials and beams, ``verdict_contact``
penetration, ``verdict_steps`` steps that resolve too little.

The warnings of a trajectory are its attribute ``warnings``, a JSON list of {name, value, limit, advice}.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

from floating_frame.errors import NotFinite
from floating_frame.model import RunModel
from floating_frame.scheme.ledger import EXTERNAL
from floating_frame.stepper import Stepper
from floating_frame.system.state import Counts, State

ATTRIBUTE = "warnings"
"""Name of the attribute of a trajectory, and of the entry of summary.json."""


@dataclass(frozen=True)
class RunWarning:
    """Why a run should not be believed: a quantity by ``name``, its ``value`` and the ``limit`` that it passes, and ``advice``, one
    line that says what was found and what to try."""

    name: str
    value: float
    limit: float
    advice: str

    @property
    def line(self) -> str:
        """The line for a terminal."""
        return f"warning: {self.advice}"


class Kept(NamedTuple):
    """A step that is kept: from ``before`` to ``after`` in ``steps`` equal parts of ``length`` s."""

    before: State
    after: State
    length: float
    steps: int


Record = TypeVar("Record")


class Check(Protocol[Record]):
    """One check of a run; its record is a value that the state carries, of a type that only the check knows."""

    def begin(self, model: RunModel, state: State) -> Record:
        """Return the record of the state at t = 0."""
        ...

    def observe(self, model: RunModel, record: Record, kept: Kept) -> Record:
        """Return the record after one more step. Pure."""
        ...

    def judge(self, model: RunModel, record: Record) -> list[RunWarning]:
        """Return what the record says against the run."""
        return []

    def attributes(self, model: RunModel, record: Record) -> dict[str, float]:
        """Return what is worth telling whatever its value, as global attributes of the trajectory."""
        return {}


Checks = Sequence[Check[Any]]
"""Checks, each with a record of its own type."""


class Verdict:
    """The checks of one model: ``begin`` with its initial state, take steps with ``stepper``, ``judge`` the last state."""

    def __init__(self, model: RunModel, checks: Checks) -> None:
        self._model, self._checks = model, tuple(checks)

    def begin(self, state: State) -> State:
        """Return the initial state with the records of all checks."""
        return replace(state, verdict=tuple(check.begin(self._model, state) for check in self._checks))

    def stepper(self, one: Stepper) -> Stepper:
        """Return the step function ``one`` whose states carry the records on; it raises NotFinite where energies are no numbers."""

        def observed(model: RunModel, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                new, counts = one(model, state, dt, end)
            check_finite(new)
            steps = max(counts.steps, 1)
            kept = Kept(state, new, (new.time - state.time) / steps, steps)
            pairs = zip(self._checks, state.verdict, strict=True)
            return replace(new, verdict=tuple(c.observe(self._model, record, kept) for c, record in pairs)), counts

        return observed

    def judge(self, state: State) -> list[RunWarning]:
        """Return everything that speaks against the run up to ``state``, in the order of the checks."""
        pairs = zip(self._checks, state.verdict, strict=True)
        return [warning for check, record in pairs for warning in check.judge(self._model, record)]

    def attributes(self, state: State) -> dict[str, float]:
        """Return what checks tell besides."""
        attributes: dict[str, float] = {}
        for check, record in zip(self._checks, state.verdict, strict=True):
            attributes |= check.attributes(self._model, record)
        return attributes


def check_finite(state: State) -> None:
    """Raise NotFinite where a state's energies or works are no finite numbers."""
    energies = {
        "kinetic energy": state.kinetic_energy,
        "stored energy": state.stored_energy,
        "work": float(state.work[:, EXTERNAL].sum()),
    }
    for name, value in energies.items():
        if not math.isfinite(value):
            raise NotFinite(
                f"at t = {state.time:.6g} s the {name} is {value:g}: loads or velocities are beyond all numbers"
            )


def as_json(warnings: Sequence[RunWarning]) -> str:
    """Return the attribute ``warnings``."""
    return json.dumps([asdict(warning) for warning in warnings])


def run_warnings(trajectory: xr.Dataset | None) -> list[RunWarning]:
    """Return the warnings of a trajectory (an xarray Dataset), none where it was written before there were any, or is None."""
    attributes = {} if trajectory is None else trajectory.attrs
    return [RunWarning(**entry) for entry in json.loads(attributes.get(ATTRIBUTE, "[]"))]
