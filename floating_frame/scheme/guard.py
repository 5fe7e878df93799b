"""The guard against spurious reversals: an arrest must not throw a body backwards.

A scheme that is not algebraically stable may leave a point (or a rigid body as a whole) that comes to rest within the step with
V·V_n < 0, of size O(Δt w/m). Such a group is held at rest on the ground in the last stage if friction can do so in the mean
Σ b_s λ_s over the step; otherwise it may slide back, as it may where no forces hold it. A group enters and leaves the held ones at
most once, so the rounds end.

A body whose drive exceeds the bound does not rest: friction turns round where all its points pass rest, at t_n + θ Δt, and no
stage sees θ, which costs O(Δt w/m) of velocity for good. Such a step is taken in two, the first up to there (``driven_back``). With
v_n the velocity at the start against the ground and M_n = ⟨v_n, M v_n⟩, the powers of inertia and friction along it are

    I = (M_n − ⟨v, M v_n⟩)/Δt,    P = Σ b_s Σ λ_s·s_n,    W = Σ λ(s_n)·s_n,    θ = M_n/(Δt (I + W − P)),

and I − P is what drives the body back, more than W where sliding friction cannot hold it. Whether static friction does, the second
part says.
"""

from __future__ import annotations

import numpy as np

from floating_frame.effect.protocol import axpy, pair
from floating_frame.frame.kinematics import Array
from floating_frame.system.protocol import Guess, Partial, Stage, StageHistory, System
from floating_frame.system.reaction import solve_stage
from friction.errors import RigidFrictionError
from friction.stick import MAX_STICK_ROUNDS, slip_reverses

SHORTEST = 1e-9
"""Part of a step below which none is cut off."""


def driven_back(system: System, partial: Partial, stage: Stage) -> float:
    """Return after which part of the step the body passes through rest, 0 for none: where all friction points, which slid, end at
    rest or going back, against more than sliding friction."""
    start, first = partial.state, partial.stages[0] if partial.stages else stage
    if not system.friction.translates or not slip_reverses(start.friction.slip[:, :2], stage.friction.slip[:, :2]):
        return 0.0
    ground = system.friction.ground(start.time, left=False)
    slip, before = (
        system.slip(start.time, start.motion, ground)[:, :2],
        axpy(start.motion.velocity, -1.0, system.ground_rates(ground)),
    )
    momentum = system.apply_mass(system.momentum(start.motion._replace(velocity=before)))
    end = axpy(stage.motion.velocity, -1.0, system.ground_rates(stage.problem.ground))
    inertia, kept = pair(before, momentum), pair(end, momentum)
    multiplier = sum(
        b * s.friction.multiplier[:, :2] for b, s in zip(partial.weights, [*partial.stages, stage], strict=True)
    )
    sliding = float(np.vdot(system.friction.sliding(first.problem, slip, first.friction.multiplier), slip))
    driving = (inertia - kept) / partial.dt - float(np.vdot(multiplier, slip))
    if 0.0 < sliding < driving:
        part = inertia / (partial.dt * (driving + sliding))
        if SHORTEST < part < 1.0:
            return part
    return 0.0


def without_reversal(
    system: System, history: StageHistory, partial: Partial, stage: Stage, reference: Array
) -> tuple[Stage | None, bool]:
    """Return the step's last stage without reversals that friction can prevent, and whether anything is held; None where a point
    lands that may not."""
    unheld, reverses = stage, system.reversing(history, partial, stage, reference)
    if not reverses.any():
        return stage, False
    b, earlier = partial.weights, np.zeros_like(reference)
    for weight, before in zip(b[:-1], partial.stages, strict=True):
        earlier = earlier + weight * before.friction.multiplier
    fixed, released = np.zeros_like(reverses), np.zeros_like(reverses)
    for _ in range(MAX_STICK_ROUNDS):
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
        if again is None:
            return None, False
        history = history._replace(friction=again.problem)
        stage = again._replace(counts=stage.counts.plus(again.counts))
        reverses = system.reversing(history, partial, stage, reference)
    return stage, bool(fixed.any())
