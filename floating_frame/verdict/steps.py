"""Checks of whether the steps resolve the motion: its turning, its contacts, and whether they could be solved at their length.

Steps chosen by the error (``error_tolerance``, or a method that controls its own) answer for themselves; of equal ones it is asked

*   that the body turns by no more than a part of a turn in each (``STEP_ANGLE``);
*   that a penalty contact that opens and closes takes some of them (``CONTACT_STEPS``), unless its impulse is negligible:
    a collision crossed in less is a matter of where its steps happen to lie;
*   that none had to be halved as often as allowed (``max_halvings``): where the smallest step only just could be solved the solver
    has found its way around something that the larger ones did not see.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floating_frame.effect.penalty import PenaltyContact
from floating_frame.frame.kinematics import Array
from floating_frame.model import RunModel
from floating_frame.output.ledger_series import wrench_of_contacts
from floating_frame.system.state import State
from floating_frame.verdict import limits
from floating_frame.verdict.energy import advice
from floating_frame.verdict.verdict import Check, Checks, Kept, RunWarning

NAME = "unresolved"


class TurnCheck(Check[float]):
    """Angle by which the body turns within a step, rad."""

    def begin(self, model: RunModel, state: State) -> float:
        return 0.0

    def observe(self, model: RunModel, record: float, kept: Kept) -> float:
        spin = max(model.system.turn_rate(kept.before), model.system.turn_rate(kept.after))
        return max(record, spin * kept.length)

    def judge(self, model: RunModel, record: float) -> list[RunWarning]:
        if not record > limits.STEP_ANGLE:
            return []
        text = f"the body turns by {record:.3g} rad within a step: {advice(model)}"
        return [RunWarning(NAME, record, limits.STEP_ANGLE, text)]


class ContactRecord(NamedTuple):
    """The contact that is going on: its ``steps`` and ``impulse`` N s; the ``fewest`` steps of one that is over, together with its
    impulse; ``energy`` J: the largest kinetic one."""

    steps: int = 0
    impulse: float = 0.0
    over: tuple[tuple[int, float], ...] = ()
    energy: float = 0.0


class ContactStepsCheck(Check[ContactRecord]):
    """Steps from touch to release of penalty contacts."""

    def begin(self, model: RunModel, state: State) -> ContactRecord:
        """A contact at t = 0 has not been seen to begin: it counts as long enough."""
        steps = limits.CONTACT_STEPS if np.any(_push(model, state)) else 0
        return ContactRecord(steps, energy=state.kinetic_energy)

    def observe(self, model: RunModel, record: ContactRecord, kept: Kept) -> ContactRecord:
        energy = max(record.energy, kept.after.kinetic_energy)
        force = _push(model, kept.after)
        if np.any(force):
            push = float(np.hypot(*force)) * kept.length * kept.steps
            return record._replace(steps=record.steps + kept.steps, impulse=record.impulse + push, energy=energy)
        if 0 < record.steps < limits.CONTACT_STEPS:  # one entry for each number of steps, with the largest impulse
            best = dict(record.over)
            best[record.steps] = max(best.get(record.steps, 0.0), record.impulse)
            record = record._replace(over=tuple(sorted(best.items())))
        return record._replace(steps=0, impulse=0.0, energy=energy)

    def judge(self, model: RunModel, record: ContactRecord) -> list[RunWarning]:
        least = limits.CONTACT_IMPULSE * float(np.sqrt(2.0 * model.system.scales.mass * record.energy))
        short = [steps for steps, impulse in record.over if impulse > least]
        if not short:
            return []
        text = f"a contact is over within {short[0]} step{'s' if short[0] > 1 else ''}: {advice(model)}"
        return [RunWarning(NAME, float(short[0]), float(limits.CONTACT_STEPS), text)]


def _push(model: RunModel, state: State) -> Array:
    """Return the force (2,) N of the penalty contacts on the body."""
    return wrench_of_contacts(model.system, state, PenaltyContact.name)[:2]


class HalvingRecord(NamedTuple):
    """``last`` s: length of the last step, 0 after a pair; ``pairs``: equal ones at the smallest length."""

    last: float = 0.0
    pairs: int = 0


class SmallestStepCheck(Check[HalvingRecord]):
    """Pairs of steps at the smallest length that halving may come to."""

    def begin(self, model: RunModel, state: State) -> HalvingRecord:
        return HalvingRecord()

    def observe(self, model: RunModel, record: HalvingRecord, kept: Kept) -> HalvingRecord:
        """A halved step leaves two of one length: the second is counted. (One that a jump of the loads cuts off is alone.)"""
        smallest = model.options.dt * 0.5**model.options.max_halvings
        twin = abs(kept.length - record.last) <= 1e-6 * kept.length
        counts = twin and model.options.max_halvings > 0 and kept.length <= smallest * (1.0 + 1e-6)
        return HalvingRecord(0.0 if counts else kept.length, record.pairs + int(counts))

    def judge(self, model: RunModel, record: HalvingRecord) -> list[RunWarning]:
        if record.pairs == 0:
            return []
        times = f"{record.pairs} time{'s' if record.pairs > 1 else ''}"
        text = (
            f"{times} a step could be solved only after being halved {model.options.max_halvings} times, as often as allowed: "
            "take a smaller dt"
        )
        return [RunWarning(NAME, float(record.pairs), 0.0, text)]


def step_checks(model: RunModel) -> Checks:
    """Return the checks of equal steps that apply to a plate or a rigid body."""
    return [TurnCheck(), *([ContactStepsCheck()] if model.contacts else [])]
