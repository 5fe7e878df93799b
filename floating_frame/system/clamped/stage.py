"""The stage of a clamped body: the free entries of q' are unknowns of the elastic pass, found with it by bordered solves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.clamp import Clamped, ClampedEquilibrium, spread
from floating_frame.frame.kinematics import Array, FrameMotion, to_body, to_inertial, turned
from floating_frame.frame.moments import moments
from floating_frame.frame.rigid_modes import wrench
from floating_frame.model import Model
from floating_frame.system.clamped.newton import ClampProblem, settle
from floating_frame.system.plate.elastic import NodalHistory
from floating_frame.system.plate.pass_forces import ActingEffects
from floating_frame.system.plate.staggered import NodalGuess, NodalStage, advance_frame
from friction import Law, TrescaOptions
from friction.result import FREE, HELD, REVERSED, SLIP, STICK


def solve_clamped_stage(
    model: Model,
    history: NodalHistory,
    guess: NodalGuess,
    acting: ActingEffects,
    *,
    reference: Array,
    held: NDArray[np.bool_] | None = None,
) -> tuple[NodalStage, Array]:
    """Solve one stage of a body with a ``Clamped`` frame: the stage, and the reaction (3,) on the clamp. Arguments and failures as
    ``coupling.solve_staggered``; a clamp all of whose nodes are in ``held`` is kept at rest on the ground as a whole."""
    frame, cache, weights = model.frame, model.cache, history.friction_weights
    assert isinstance(frame, Clamped)
    assert cache is not None
    clamp = model.clamp
    kept = np.zeros(len(weights), dtype=np.bool_) if held is None else held.copy()
    prescribed, at_ground = frame.prescribed(history.time), np.array([*history.ground, 0.0])
    driven = bool(np.any((prescribed != at_ground) & ~frame.free_mask))
    at_rest = bool(kept[clamp].all()) and not driven
    kept[clamp] = True
    free = frame.free_mask & (not at_rest)
    prescribed = at_ground if at_rest else prescribed

    def part_of(rates: Array, pivot: int, last: Array) -> ClampedEquilibrium:
        if pivot >= 0:  # that node stands still also where the stage's own angle has put it
            arm = to_inertial(model.body.X[clamp[pivot]], history.coordinates[2] + history.tau_x * rates[2])
            about = np.array([*(history.ground - rates[2] * turned(arm)), rates[2]])
            rates = np.where(free, about, rates)
        motion = stage_motion(history, rates)
        return ClampedEquilibrium(model, history, motion, clamp, last, acting.in_pass(motion.angle, last))

    def law_at(angle: float, nodes: Any) -> Law:
        seen = history.friction.shared.rotated(angle)
        return (
            seen if history.bristles is None else seen.for_stage(to_body(history.bristles[nodes], angle), history.tau_x)
        )

    problem = ClampProblem(
        part_of=part_of,
        clamp=clamp,
        weights=weights,
        held=kept,
        free=free,
        prescribed=prescribed,
        law_at=law_at,
        cache=cache,
        options=TrescaOptions(rtol=model.options.tolerance),
        key=(history.tau_x, history.tau_v, history.force_weight),
        what=f"of the stage ending at t = {history.time:.9g} s",
    )
    start = np.where(free, advance_frame(history, guess.accelerations).rates, prescribed)
    sliding = guess.velocity - history.ground
    part, result, sliding, multiplier, demand, counts = settle(problem, start, sliding, guess.multiplier, reference)
    motion = part.motion
    if at_rest:
        multiplier[clamp] = spread(-demand, part.arms, weights[clamp], frame.free_mask)
    velocity = sliding + history.ground
    velocity[clamp] = part.clamp_velocity
    position = history.position + history.tau_x * velocity
    position[clamp] = motion.coordinates[:2] + part.arms
    acceleration = to_inertial(part.acceleration(result.velocity), motion.angle)
    stage = NodalStage(
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        multiplier=multiplier,
        slip=sliding,
        status=conditions(result.state, sliding, reference, weights, clamp, at_rest=at_rest, driven=driven),
        motion=motion,
        internal=to_inertial(part.internal_force(result.velocity), motion.angle),
        found=moments(model.mass, position, velocity, acceleration),
        counts=counts,
    )
    return stage, np.where(frame.free_mask, 0.0, demand + wrench(part.arms, multiplier[clamp]))


def stage_motion(history: NodalHistory, rates: Array) -> FrameMotion:
    """Frame motion at the end of a stage whose q' is ``rates`` (3,), by the stage formula."""
    return FrameMotion(history.coordinates + history.tau_x * rates, rates, (rates - history.rates) / history.tau_v)


def conditions(
    state: NDArray[np.int8],
    sliding: Array,
    reference: Array,
    weights: Array,
    clamp: NDArray[np.intp],
    *,
    at_rest: bool,
    driven: bool,
) -> NDArray[np.int8]:
    """Nodal conditions, those of the clamp's nodes from how the clamp moves: it counts as reversed where all of it is, and no
    motion is ``driven``."""
    found = state.copy()
    moving = np.any(sliding[clamp], axis=1)
    backwards = np.einsum("ia,ia->i", sliding[clamp], reference[clamp]) < 0.0
    code = REVERSED if backwards.all() and not driven else SLIP
    found[clamp] = np.where(moving, code, HELD if at_rest else STICK)
    found[clamp[weights[clamp] == 0.0]] = FREE
    return found
