"""The verdict of a run: what of it should not be believed, found out step by step while it goes (docs/verdict.md).

Checks look at every step that is kept, stored or not; the state carries them (``State.verdict``), so that a step which error
control or a halving throws away leaves no trace. At the end, complete or not, each says what lies beyond its limit (``limits``). A
check applies to what a model can do, not to what it is called. The warnings are the trajectory's attribute ``warnings``, a JSON
list of {name, value, limit, advice}.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

from floating_frame.effect.penalty import PenaltyContact
from floating_frame.errors import Unsolved
from floating_frame.system.ledger_series import wrench_of_contacts
from floating_frame.system.model import RunModel
from floating_frame.system.rows import OneStep, Rows, Singles, together
from floating_frame.system.state import EXTERNAL, Counts, State
from floating_frame.system.stepper import Stepper

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


def beyond(name: str, value: float, limit: float, text: str) -> list[RunWarning]:
    """Return the warning of a value beyond its limit; none of one within it."""
    return [RunWarning(name, value, limit, text)] if value > limit else []


@dataclass(frozen=True)
class Check:
    """One check of a run and what it has found so far: a frozen value, which the state carries.

    ``of`` what is known at t = 0 it begins, where it has anything to begin with.
    """

    def after(self, model: RunModel, rows: Rows) -> Check:
        """Return the check after some more steps: the same whether they come as one row each or together. Pure."""
        return self

    def judge(self, model: RunModel) -> list[RunWarning]:
        """Warnings of the run."""
        return []

    def attributes(self, model: RunModel) -> dict[str, float]:
        """Global attributes of the trajectory, whatever their values."""
        return {}


def rows_of(model: RunModel, before: State, steps: Sequence[OneStep]) -> Singles:
    """Steps from a state as rows with diagnostics."""
    system, states = model.system, [step.after for step in steps]
    pushes = [sum(np.abs(r.force[0]).sum() for r in s.records if r.external is None) for s in states]
    resultant = [k for k, source in enumerate(system.sources) if source.in_resultant(own=True)]
    acts = [any(np.any(block) for k in resultant for block in s.records[k].force) for s in states]
    rows = Singles.of(before, steps)
    values = system.results.diagnostics_of(rows) | {"dead_load": np.array(pushes), "free": ~np.array(acts)}
    if model.contacts or model.exact is not None:
        chosen = {"contact_force": None, "contact_push": PenaltyContact.name}
        for name, of in chosen.items():
            values[name] = np.array([np.hypot(*wrench_of_contacts(system, s, of)[:2]) for s in states])
    return replace(rows, diagnostics=values)


def checked(model: RunModel, rows: Rows, state: State) -> State:
    """The ``state`` at the end of some steps, with its checks after these."""
    checks = looked(model, rows.before).verdict
    return replace(state, verdict=tuple(check.after(model, rows) for check in checks), unseen=())


def looked(model: RunModel, state: State) -> State:
    """The ``state`` with its checks after the steps that they had not seen."""
    if not state.unseen:
        return state
    before, *steps = state.unseen
    rows = rows_of(model, before, steps)
    return replace(state, verdict=tuple(check.after(model, rows) for check in state.verdict), unseen=())


def observed(model: RunModel, one: Stepper[RunModel]) -> Stepper[RunModel]:
    """Return the step function ``one`` whose states carry the checks on, which look at some steps together; it raises Unsolved
    where energies are no numbers."""

    def step(given: RunModel, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            new, counts = one(given, state, dt, end)
        check_finite(new)
        parts = max(counts.steps, 1)
        unseen = state.unseen or (state,)
        unseen = (*unseen, OneStep(new, (new.time - state.time) / parts, parts)) if state.verdict else ()
        new = replace(new, verdict=state.verdict, unseen=unseen)
        return (new if len(unseen) <= together(state) else looked(model, new)), counts

    return step


def judge(model: RunModel, state: State) -> list[RunWarning]:
    """Return everything that speaks against the run up to ``state``, in the order of the checks."""
    return [warning for check in looked(model, state).verdict for warning in check.judge(model)]


def attributes(model: RunModel, state: State) -> dict[str, str | float]:
    """Return the attributes of a trajectory: its ``warnings``, and what checks tell besides."""
    state = looked(model, state)
    found: dict[str, str | float] = {ATTRIBUTE: json.dumps([asdict(warning) for warning in judge(model, state)])}
    for check in state.verdict:
        found |= check.attributes(model)
    return found


def check_finite(state: State) -> None:
    """Raise Unsolved where a state's energies or works are no finite numbers."""
    energies = {
        "kinetic energy": state.kinetic_energy,
        "stored energy": state.stored_energy,
        "work": float(state.work[:, EXTERNAL].sum()),
    }
    for name, value in energies.items():
        if not math.isfinite(value):
            raise Unsolved(
                f"at t = {state.time:.6g} s the {name} is {value:g}: loads or velocities are beyond all numbers",
                "NotFinite",
            )


def run_warnings(trajectory: xr.Dataset | None) -> list[RunWarning]:
    """Return the warnings of a trajectory (an xarray Dataset), none where it was written before there were any, or is None."""
    attributes = {} if trajectory is None else trajectory.attrs
    return [RunWarning(**entry) for entry in json.loads(attributes.get(ATTRIBUTE, "[]"))]
