"""Checks of bodies in space whose normal forces are unknown: Painlevé's number, and whether anything presses."""

from __future__ import annotations

import numpy as np

from floating_frame.model import RunModel
from floating_frame.system.state import State
from floating_frame.verdict import limits
from floating_frame.verdict.verdict import Check, Kept, RunWarning


class PainleveCheck(Check[float]):
    """The least W_nn − μ W_nt·n̂ of points that slide and press.

    Where it is not positive the equations in continuous time have no solution, or several; a step still has one, whose force may
    act like an impact without a collision (Painlevé 1895; Génot & Brogliato 1999)."""

    def begin(self, model: RunModel, state: State) -> float:
        return model.system.painleve(state)

    def observe(self, model: RunModel, record: float, kept: Kept) -> float:
        return min(record, model.system.painleve(kept.after))

    def judge(self, model: RunModel, record: float) -> list[RunWarning]:
        if record > limits.PAINLEVE:
            return []
        text = (
            f"mu is too large for a pose of the body (Painlevé's number {record:.3g} <= 0): its motion need be neither unique nor "
            "continuous, and forces depend on the step: take a smaller mu"
        )
        return [RunWarning("painleve", record, limits.PAINLEVE, text)]

    def attributes(self, model: RunModel, record: float) -> dict[str, float]:
        return {"painleve_number": record} if np.isfinite(record) else {}


class PressesCheck(Check[bool]):
    """Whether any point has pressed where friction was asked for."""

    def begin(self, model: RunModel, state: State) -> bool:
        return bool(np.any(state.multiplier[:, 2] < 0.0)) or not np.any(
            model.system.friction.for_stage(0.0, None, 0.0).bound
        )

    def observe(self, model: RunModel, record: bool, kept: Kept) -> bool:
        return record or bool(np.any(kept.after.multiplier[:, 2] < 0.0))

    def judge(self, model: RunModel, record: bool) -> list[RunWarning]:
        if record:
            return []
        text = "nothing presses the body on the ground, so that mu does nothing: give it a weight or a load, or mu = 0"
        return [RunWarning("nothing-presses", 0.0, 0.0, text)]
