"""One time step of an elastic body: the stages of a scheme, the reversal guard, the re-split and the ledger.

``step`` is pure: (model, state, dt) -> (new state, counts). History moves only when it returns.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floating_frame.clamped import Clamped
from floating_frame.clamped_instant import clamped_acceleration_at
from floating_frame.clamped_stage import solve_clamped_stage
from floating_frame.coupling import Guess, Stage, StageHistory, advance_frame, resultant, solve_stage
from floating_frame.errors import InvertedElement
from floating_frame.instant import acceleration_at, internal_force_at
from floating_frame.kinematics import Array, FrameMotion, to_body, to_inertial
from floating_frame.ledger import StepWork, step_work
from floating_frame.memory import inherited
from floating_frame.model import Model
from floating_frame.moments import moments
from floating_frame.quasi_static import check_limit
from floating_frame.schemes import Scheme
from floating_frame.state import Counts, State
from friction.result import REVERSED
from friction.stick import beyond_stick

MAX_GUARD_ROUNDS = 20
STIFF = 10.0
"""Number τ² K/m of a stage above which a step is long against the elastic periods."""


def step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance an elastic body by ``dt`` s; the step ends at ``end_time`` (default time + dt), at loads' left limits.

    Raises what ``solve_stage`` raises, and InvertedElement.
    """
    scheme = model.scheme
    assert scheme is not None
    assert model.cache is not None
    end = state.time + dt if end_time is None else end_time
    if model.quasi_static:
        check_quasi_static(model, state, end)
    model.cache.forget()  # a step's result must not depend on what was factorised before it
    stages: list[Stage] = []
    start = start_of(model, state)
    counts = Counts(steps=1)
    solve = solve_clamped_stage if model.clamped else solve_stage
    for index in range(scheme.stages):
        time = end if scheme.nodes[index] == 1.0 else state.time + scheme.nodes[index] * dt
        history = stage_history(model, state, stages, start, dt, index, time)
        guess = stage_guess(model, stages, state, history)
        incoming = state.sliding
        if stages:
            incoming = np.where(state.at_rest_relative()[:, None], stages[-1].sliding, incoming)
        stage = solve(model, history, guess, reference=incoming)
        counts = counts.plus(stage.counts)
        if scheme.guards_reversal and model.law.set_valued and index == scheme.stages - 1:
            stage, more, arrested = guard_reversal(model, scheme, history, stages, stage, incoming)
            counts = counts.plus(more)
        else:
            arrested = False
        stages.append(stage)
    return finish(replace(model, contacts=history.contacts), state, stages, dt, end, counts, arrested)


def check_quasi_static(model: Model, state: State, end: float) -> None:
    """Raise LimitLoad where friction, and a clamp at rest, cannot hold the body under the loads at ``end``."""
    about, free = None, np.ones(3, dtype=np.bool_)
    if isinstance(model.frame, Clamped):
        about, free = state.motion.coordinates[:2], model.frame.free_mask
        if not free.any() or np.any(model.frame.prescribed(end)):
            return
    load = model.loads.total_force(end, state.position)
    check_limit(load, state.position, model.friction_weights(end), end, about=about, free=free, law=model.law)


def start_of(model: Model, state: State) -> tuple[Array, Array]:
    """External and internal force at the start of a step (loads' right limit), inertial (N, 2), where a scheme needs them."""
    if model.scheme is None or not model.scheme.needs_start_force:
        zero = np.zeros_like(state.position)
        return zero, zero
    load = model.loads.total_force(state.time, state.position, left=False)
    return load, internal_force_at(model, state.time, state.position, state.velocity, state.motion.angle)


def stage_history(
    model: Model,
    state: State,
    stages: list[Stage],
    start: tuple[Array, Array],
    dt: float,
    index: int,
    time: float,
) -> StageHistory:
    """What stage ``index`` inherits by the coefficients of the scheme."""
    scheme = model.scheme
    assert scheme is not None
    a_x, a_v, mix = scheme.position[index], scheme.velocity[index], scheme.force[index]
    position = state.position + dt * a_x[0] * state.velocity
    coordinates = state.motion.coordinates + dt * a_x[0] * state.motion.rates
    velocity, rates = state.velocity, state.motion.rates
    for j, earlier in enumerate(stages, start=1):
        position = position + dt * a_x[j] * earlier.velocity
        velocity = velocity + dt * a_v[j] * earlier.acceleration
        coordinates = coordinates + dt * a_x[j] * earlier.motion.rates
        rates = rates + dt * a_v[j] * earlier.motion.accelerations
    return StageHistory(
        time=time,
        position=position,
        velocity=velocity,
        coordinates=coordinates,
        rates=rates,
        external=mix[index + 1] * model.loads.nodal_force(time) + mix[0] * start[0],
        start_internal=mix[0] * start[1],
        tau_x=float(dt * a_x[index + 1]),
        tau_v=float(dt * a_v[index + 1]) if scheme.inertia else np.inf,
        force_weight=float(mix[index + 1]),
        friction_weights=model.friction_weights(time),
        ground=model.ground_velocity(time),
        memory=inherited(model, state, stages, dt, a_x),
        start_contact=mix[0] * state.contact.force,
        contacts=model.contacts.during(state, stages, dt, a_x),
    )


def stage_guess(model: Model, stages: list[Stage], state: State, history: StageHistory) -> Guess:
    """Warm start: the last velocities and multipliers known; a stiff body that slides goes on as a rigid one.

    Where the step is long against the elastic periods, straight paths of turning nodes would be large strains; so there
    the nodes are carried along by the predicted frame at the last deformation.
    """
    last = stages[-1] if stages else state
    guess = Guess(last.velocity, last.multiplier, last.motion.accelerations, state.exact_force)
    stiffness_number = history.tau_x * history.tau_v * model.stiffness * len(model.body.X) / model.mass.total
    if not STIFF < stiffness_number < np.inf or not np.all(np.any(last.sliding, axis=1)):
        return guess
    ahead, now = advance_frame(history, guess.accelerations), last.motion
    carried = to_inertial(to_body(last.position - now.coordinates[:2], now.angle), ahead.angle)
    velocity = (ahead.coordinates[:2] + carried - history.position) / history.tau_x
    return replace(guess, velocity=velocity)


def guard_reversal(
    model: Model,
    scheme: Scheme,
    history: StageHistory,
    stages: list[Stage],
    stage: Stage,
    incoming: Array,
) -> tuple[Stage, Counts, bool]:
    """Hold at rest the nodes that an arrest would throw backwards, where friction can do so in the mean over the step.

    The scheme is not algebraically stable: a node that comes to rest within the step may leave it with V·V_n < 0, of
    size O(Δt w/m). Such a node is held at V = 0 in the last stage if stick can bear the mean Σ b_s λ_s; otherwise it may slide
    back. A node enters and leaves the held set at most once, so the rounds end. Returns the stage, the extra counts, and
    whether any node is held.
    """
    b = scheme.weights
    earlier = np.zeros_like(incoming)
    for weight, before in zip(b[:-1], stages, strict=True):
        earlier = earlier + weight * before.multiplier
    held = np.zeros(len(incoming), dtype=np.bool_)
    released = np.zeros_like(held)
    counts, solve = Counts(), solve_clamped_stage if model.clamped else solve_stage
    for _ in range(MAX_GUARD_ROUNDS):
        mean = earlier + b[-1] * stage.multiplier
        too_much = held & beyond_stick(model.law, mean, history.friction_weights)
        reverses = (stage.condition == REVERSED) & ~released & ~held
        if not (too_much.any() or reverses.any()):
            break
        held = (held & ~too_much) | reverses
        released |= too_much
        guess = Guess(stage.velocity, stage.multiplier, stage.motion.accelerations)
        stage = solve(model, history, guess, reference=incoming, held=held)
        counts = counts.plus(stage.counts)
    return stage, counts, bool(held.any())


def finish(
    model: Model,
    state: State,
    stages: list[Stage],
    dt: float,
    end: float,
    counts: Counts,
    arrested: bool,
) -> tuple[State, Counts]:
    """Re-split the end of the step by the frame condition, update the ledger, check the elements."""
    scheme = model.scheme
    assert scheme is not None
    last = stages[-1]
    motion, drift = (last.motion, np.zeros(3)) if model.clamped else resplit(model, state, stages, dt)
    counts = counts.plus(Counts(drift=float(drift[2]), spin_drift=last.motion.spin - motion.spin))
    displacement = model.displacement(last.position, motion)
    jacobian, cell = model.body.smallest_jacobian(displacement)
    if not jacobian > 0.0:
        raise InvertedElement(cell, jacobian, model.body.X[model.body.cells[cell]].mean(axis=0))
    work: StepWork = step_work(model, state, stages, dt, end, displacement)
    acceleration, multiplier, load, reaction = last.acceleration, last.multiplier, last.load, last.reaction
    if arrested:  # with the contacts as they are in the last stage
        acceleration, multiplier, load, reaction, motion = consistent_end(model, end, last, motion)
    total = resultant(load - multiplier, last.position, motion.coordinates[:2])
    new = State(
        time=end,
        position=last.position,
        velocity=last.velocity,
        acceleration=acceleration,
        multiplier=multiplier,
        condition=last.condition,
        motion=motion,
        resultant=total if reaction is None else total + reaction,
        slip_path=state.slip_path + work.slip_path,
        friction_work=state.friction_work + work.friction_work,
        strain_energy=work.strain_energy,
        kinetic_energy=work.kinetic_energy,
        totals=state.totals.plus(work.totals),
        reaction=reaction,
        ground=model.ground_velocity(end),
        memory=None if last.bristles is None else last.bristles.deformation,
        contact=last.contact,
        exact=last.exact,
        exact_force=last.touch,
    )
    return new, counts


def resplit(model: Model, state: State, stages: list[Stage], dt: float) -> tuple[FrameMotion, Array]:
    """The frame motion by the frame condition at the end of a step, and the change of q (3,) that this makes."""
    scheme, last = model.scheme, stages[-1]
    assert scheme is not None
    angle = last.motion.angle
    if not model.frame.holonomic:
        spins = [state.motion.spin] + [model.frame.decompose(s.found, model.mass, angle).spin for s in stages]
        angle = state.motion.angle + dt * float(scheme.position[-1] @ spins)
    motion = model.frame.decompose(last.found, model.mass, angle)
    return motion, last.motion.coordinates - motion.coordinates


def consistent_end(
    model: Model, end: float, last: Stage, motion: FrameMotion
) -> tuple[Array, Array, Array, Array | None, FrameMotion]:
    """(a, λ, load, reaction, frame motion) of the continuous problem at the end of a step in which nodes were held."""
    if model.clamped:
        a, lam, load, reaction, q2 = clamped_acceleration_at(model, end, last.position, last.velocity, motion)
        return a, lam, load, reaction, FrameMotion(motion.coordinates, motion.rates, q2)
    a, lam, load = acceleration_at(model, end, last.position, last.velocity, motion.angle)
    found = moments(model.mass, last.position, last.velocity, a)
    return a, lam, load, None, model.frame.decompose(found, model.mass, motion.angle)
