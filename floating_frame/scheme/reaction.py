"""A stage, and an instant, whose normal pressure reacts to friction: a fixed point over bounds that are given in each round.

Each round is the friction problem with given bounds, which has one solution; its friction redistributes the pressure
(``Reacting``). The rounds contract about as μh over the body's size. Where the pressure does not react there is one round."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from floating_frame.effect.protocol import Internal, Mask, Motion, scaled
from floating_frame.errors import NotConverged
from floating_frame.frame.kinematics import Array
from floating_frame.system.protocol import Consistent, Guess, Stage, StageHistory, System
from floating_frame.system.state import Counts

MAX_ROUNDS = 200
SETTLED = 1e-12
"""Part of the largest bound by which bounds may still change, and of 1 rad by which the angle may."""


def solve_stage(
    system: System, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None
) -> Stage:
    """Return the solved stage, its ``problem`` with the bounds that its friction leaves. Raises what ``System.solve_stage`` does,
    NotConverged and Tips."""
    if not system.friction.reacts:
        return system.solve_stage(history, guess, reference, fixed)
    place = system.retract(history.configuration, scaled(history.tau_x, guess.velocity))
    motion, bound, counts = Motion(place, guess.velocity, guess.acceleration), history.friction.bound, Counts()
    stage: Stage | None = None
    for _ in range(MAX_ROUNDS):
        friction = system.friction.redistributed(history.time, system.friction_arms(motion), guess.multiplier)
        problem = friction.for_stage(history.time, history.internal[-1], history.tau_x)
        if stage is not None and stage.left <= SETTLED and _settled(problem.bound, bound):
            return replace(stage, counts=counts)
        stage = system.solve_stage(replace(history, friction=problem), guess, reference, fixed)
        motion, bound, counts = stage.motion, problem.bound, counts.plus(stage.counts)
        guess = Guess(motion.velocity, motion.acceleration, stage.friction.multiplier, guess.unilateral)
    raise NotConverged(
        f"the pressure of the stage ending at t = {history.time:.9g} s did not settle in {MAX_ROUNDS} rounds"
    )


def consistent(system: System, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
    """Return the continuous problem at one instant, under the pressure that its friction leaves."""
    instant = system.consistent(time, motion, internal, left=left)
    if not system.friction.reacts:
        return instant
    arms, bound = system.friction_arms(motion), np.zeros(0)
    loaded = copy(system)
    for rounds in range(MAX_ROUNDS):
        loaded.friction = system.friction.redistributed(time, arms, instant.friction.multiplier)
        now = loaded.friction.for_stage(time, internal[len(system.effects)], 0.0, left=left).bound
        if rounds and _settled(now, bound):
            return instant
        instant, bound = loaded.consistent(time, motion, internal, left=left), now
    raise NotConverged(f"the pressure at t = {time:.9g} s did not settle in {rounds} rounds")


def _settled(new: Array, old: Array) -> bool:
    return bool(np.abs(new - old).max(initial=0.0) <= SETTLED * new.max(initial=0.0))
