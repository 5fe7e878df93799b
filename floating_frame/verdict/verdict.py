"""The verdict of a run: checks of its results against limits, updated during the run (docs/verdict.md).

Every accepted step, stored or not, updates the checks. They are part of the state (``State.verdict``): rejected steps leave no
trace. At the end, complete or not, each warns of values beyond its limit (``limits``). A check applies to capabilities of a model,
not to its class. The warnings are the trajectory's attribute ``warnings``, a JSON list of {name, value, limit, advice}.
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
from floating_frame.system.ledger_series import wrenches_of_contacts
from floating_frame.system.model import RunModel
from floating_frame.system.rows import OneStep, Rows, SingleSteps, together
from floating_frame.system.state import EXTERNAL, Counts, State
from floating_frame.system.stepper import Stepper

ATTRIBUTE = "warnings"
"""Name of the attribute of a trajectory, and of the entry of summary.json."""


@dataclass(frozen=True)
class RunWarning:
    """Warning of a run: ``name`` of a quantity, its ``value``, the exceeded ``limit``, and ``advice``, one line with finding and
    remedy."""

    name: str
    value: float
    limit: float
    advice: str

    @property
    def line(self) -> str:
        """The line for a terminal."""
        return f"warning: {self.advice}"


def beyond(name: str, value: float, limit: float, text: str) -> list[RunWarning]:
    """Warning of a value beyond its limit; empty within it."""
    return [RunWarning(name, value, limit, text)] if value > limit else []


@dataclass(frozen=True)
class Check:
    """One check of a run with its accumulated values, immutable; part of the state. ``of`` makes it from the data at t = 0."""

    def after(self, model: RunModel, rows: Rows) -> Check:
        """Check after further steps, independent of their grouping. Pure."""
        return self

    def judge(self, model: RunModel) -> list[RunWarning]:
        """Warnings of the run."""
        return []

    def attributes(self, model: RunModel) -> dict[str, float]:
        """Global attributes of the trajectory, whatever their values."""
        return {}


def rows_of(model: RunModel, before: State, steps: Sequence[OneStep]) -> SingleSteps:
    """Steps from a state as rows with diagnostics."""
    system, states = model.system, [step.after for step in steps]
    pushes = [sum(np.abs(r.force[0]).sum() for r in s.records if r.external is None) for s in states]
    resultant = [k for k, source in enumerate(system.sources) if source.in_resultant(own=True)]
    acts = [any(np.any(block) for k in resultant for block in s.records[k].force) for s in states]
    rows = SingleSteps.of(before, steps)
    values = system.results.diagnostics_of(rows) | {"dead_load": np.array(pushes), "free": ~np.array(acts)}
    if model.has_contacts:
        chosen = {"contact_force": None, "contact_push": PenaltyContact.name}
        for name, of in chosen.items():
            values[name] = np.hypot(*wrenches_of_contacts(system, rows, of).T[:2])
    return replace(rows, diagnostics=values)


def check_batch(model: RunModel, rows: Rows, state: State) -> State:
    """State at the end of a batch, with its checks updated by all steps."""
    checks = update_checks(model, rows.before).verdict
    return replace(state, verdict=tuple(check.after(model, rows) for check in checks), unseen=())


def update_checks(model: RunModel, state: State) -> State:
    """State with its checks updated by the pending steps."""
    if not state.unseen:
        return state
    before, *steps = state.unseen
    rows = rows_of(model, before, steps)
    return replace(state, verdict=tuple(check.after(model, rows) for check in state.verdict), unseen=())


def with_checks(model: RunModel, one: Stepper[RunModel]) -> Stepper[RunModel]:
    """Step function ``one`` with an update of the checks, for several steps together; raises Unsolved where energies are not
    finite."""

    def step(given: RunModel, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            new, counts = one(given, state, dt, end)
        check_finite(new)
        parts = max(counts.steps, 1)
        unseen = state.unseen or (state,)
        unseen = (*unseen, OneStep(new, (new.time - state.time) / parts, parts)) if state.verdict else ()
        new = replace(new, verdict=state.verdict, unseen=unseen)
        return (new if len(unseen) <= together(state) else update_checks(model, new)), counts

    return step


def judge(model: RunModel, state: State) -> list[RunWarning]:
    """Warnings of the run up to ``state``, in the order of the checks."""
    return [warning for check in update_checks(model, state).verdict for warning in check.judge(model)]


def attributes(model: RunModel, state: State, further: Sequence[RunWarning] = ()) -> dict[str, str | float]:
    """Attributes of a trajectory: its ``warnings``, with ``further`` ones, and the checks' attributes."""
    state = update_checks(model, state)
    warnings = [asdict(warning) for warning in (*judge(model, state), *further)]
    result: dict[str, str | float] = {ATTRIBUTE: json.dumps(warnings)}
    for check in state.verdict:
        result |= check.attributes(model)
    return result


def check_finite(state: State) -> None:
    """Refuse a state whose energies or works are not finite: Unsolved."""
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
    """Warnings of a trajectory (an xarray Dataset); empty without the attribute, or for None."""
    attributes = {} if trajectory is None else trajectory.attrs
    return [RunWarning(**entry) for entry in json.loads(attributes.get(ATTRIBUTE, "[]"))]
