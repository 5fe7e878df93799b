"""The guard against spurious reversals: an arrest must not throw a body backwards.

A scheme that is not algebraically stable may leave a point (or a rigid body as a whole) that comes to rest within the step with
V·V_n < 0, of size O(Δt w/m). Such a group is held at rest on the ground in the last stage if friction can do so in the mean
Σ b_s λ_s over the step; otherwise it may slide back, as it may where no forces hold it. A group enters and leaves the held ones at
most once, so the rounds end.

A body whose drive exceeds the bound does not rest: friction turns round where its velocity passes zero, at t_n + θ Δt, and no stage
sees θ, which costs O(Δt w/m) of velocity for good. Such a step is taken in two, the first up to there (``DrivenBack``).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.scheme.reaction import solve_stage
from floating_frame.system.protocol import Guess, Partial, Stage, StageHistory, System
from friction.errors import RigidFrictionError

MAX_ROUNDS = 20


class DrivenBack(Exception):
    """Say after which ``part`` of a step a body passes through rest."""

    def __init__(self, part: float) -> None:
        self.part = part


def without_reversal(
    system: System, history: StageHistory, partial: Partial, stage: Stage, reference: Array
) -> tuple[Stage, bool]:
    """Return the step's last stage without reversals that friction can prevent, and whether anything is held."""
    b = partial.weights
    earlier = np.zeros_like(reference)
    for weight, before in zip(b[:-1], partial.stages, strict=True):
        earlier = earlier + weight * before.friction.multiplier
    unheld, reverses = stage, system.reversing(history, partial, stage, reference)
    fixed, released = np.zeros_like(reverses), np.zeros_like(reverses)
    for _ in range(MAX_ROUNDS):
        too_much = system.beyond_bound(history, earlier + b[-1] * stage.friction.multiplier, fixed)
        new = reverses & ~released & ~fixed
        if not (too_much.any() or new.any()):
            break
        fixed, released = (fixed & ~too_much) | new, released | too_much
        motion, friction = stage.motion, stage.friction
        guess = Guess(motion.velocity, motion.acceleration, friction.multiplier)
        try:
            again = solve_stage(system, history, guess, reference, fixed)
        except RigidFrictionError:  # what is held may have to give way: no forces hold it
            return unheld, False
        history = replace(history, friction=again.problem)
        stage = replace(again, counts=stage.counts.plus(again.counts))
        reverses = system.reversing(history, partial, stage, reference)
    return stage, bool(fixed.any())
