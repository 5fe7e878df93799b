"""Check of bodies in space whose normal forces are unknown: whether anything presses where friction was asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floating_frame.system.model import RunModel
from floating_frame.system.rows import Rows
from floating_frame.verdict.verdict import Check, RunWarning


@dataclass(frozen=True)
class PressesCheck(Check):
    """Whether any point ``has_pressed`` where friction was asked for."""

    has_pressed: bool

    @classmethod
    def of(cls, model: RunModel, rows: Rows) -> PressesCheck:
        system, state = model.system, rows.before
        slips, presses_all = np.ones_like(state.sliding), np.full_like(state.multiplier, -1.0)
        pressed = system.friction.redistributed(0.0, state.position, presses_all)
        ground = np.any(pressed.sliding(pressed.for_stage(0.0, None, 0.0), slips, presses_all))
        rubs = bool(ground) or any(effect.rubs for effect in system.effects)
        return cls(not rubs or bool(rows.diagnostics["presses"].any()))

    def after(self, model: RunModel, rows: Rows) -> PressesCheck:
        return PressesCheck(self.has_pressed or bool(rows.diagnostics["presses"].any()))

    def judge(self, model: RunModel) -> list[RunWarning]:
        if self.has_pressed:
            return []
        text = "nothing presses the body on the ground, so that mu does nothing: give it a weight or a load, or mu = 0"
        return [RunWarning("nothing-presses", 0.0, 0.0, text)]
