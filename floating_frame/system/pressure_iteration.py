"""Fixed-point iteration for a stage, or an instant, whose normal pressure reacts to friction.

Each iteration solves the friction problem with given bounds, which has one solution; its friction redistributes the pressure. In a
stage the force is extrapolated (``extrapolate_force``). A given pressure takes one iteration."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

import numpy as np

from floating_frame.effect.protocol import FrictionProblem, Inclusion, Internal, Mask, Motion, scaled
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array
from floating_frame.system.protocol import Consistent, Guess, Stage, StageHistory, System
from floating_frame.system.state import Counts
from friction.rigid.reaction import BOUND_TOLERANCE, HISTORY_ROWS, extrapolate_force

MAX_PRESSURE_ROUNDS = 200
ANGLE_TOLERANCE = 1e-12
"""Tolerance of the change of an angle, rad, and of forces and moments relative to the weight and its moment."""


def solve_stage(
    system: System, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None
) -> Stage | None:
    """Solve a stage; its ``problem`` has the bounds under the redistributed pressure. Raises the errors of ``System.solve_stage``,
    Unsolved and Tips."""
    if not system.friction.reacts:
        return system.solve_stage(history, guess, reference, fixed)
    place = system.retract(history.configuration, scaled(history.tau_x, guess.velocity))
    motion, bound, counts = Motion(place, guess.velocity, guess.acceleration), history.friction.bound, Counts()
    stage: Stage | None = None
    history_rows = np.zeros((HISTORY_ROWS, 4))
    history_rows[0, :2] = guess.multiplier.sum(axis=0)

    def pressed_by(force: Array) -> FrictionProblem:
        friction = system.friction.redistributed(history.time, system.friction_arms(motion), force[None])
        return friction.for_stage(history.time, history.internal[-1], history.tau_x)

    for _ in range(MAX_PRESSURE_ROUNDS):
        problem = pressed_by(guess.multiplier.sum(axis=0))
        if stage is not None:
            if converged(problem.bound, bound):
                return stage._replace(counts=counts)
            extrapolate_force(*guess.multiplier.sum(axis=0), history_rows)
            problem = pressed_by(history_rows[0, :2])
        stage = system.solve_stage(history._replace(friction=problem), guess, reference, fixed)
        if stage is None:
            return None
        motion, bound, counts = stage.motion, stage.problem.bound, counts.plus(stage.counts)
        guess = Guess(motion.velocity, motion.acceleration, stage.friction.multiplier, guess.unilateral)
    raise Unsolved(
        f"the pressure of the stage ending at t = {history.time:.9g} s did not settle in {MAX_PRESSURE_ROUNDS} rounds"
    )


def consistent(system: System, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
    """Solve the continuous problem at one instant, under the pressure redistributed by its friction."""
    friction = system.friction
    if not friction.reacts:
        return system.consistent(time, motion, internal, left=left)

    def under(pressed: Inclusion) -> Consistent:
        loaded = copy(system)
        loaded.friction = pressed
        return loaded.consistent(time, motion, internal, left=left)

    return solve_instant(friction, system.friction_arms(motion), time, under, left=left)


def solve_instant(
    friction: Inclusion, arms: Array, time: float, under: Callable[[Inclusion], Consistent], *, left: bool
) -> Consistent:
    """Solve an instant ``under`` the pressure redistributed by its friction at points with ``arms`` (N, 2) m. Such friction has no
    memory. Raises Unsolved."""
    instant, bound = under(friction), np.zeros(0)
    for iteration in range(MAX_PRESSURE_ROUNDS):
        pressed = friction.redistributed(time, arms, instant.friction.multiplier)
        now = pressed.for_stage(time, None, 0.0, left=left).bound
        if iteration and converged(now, bound):
            return instant
        instant, bound = under(pressed), now
    raise Unsolved(f"the pressure at t = {time:.9g} s did not settle in {MAX_PRESSURE_ROUNDS} rounds")


def converged(new: Array, old: Array) -> bool:
    """True if bounds (N,), N, have converged."""
    return bool(np.abs(new - old).max(initial=0.0) <= BOUND_TOLERANCE * new.max(initial=0.0))
