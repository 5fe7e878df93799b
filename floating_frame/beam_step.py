"""One time step, or quasi-static increment, of a linear beam: stages, reversal guard and ledger, as ``step`` does for plates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from floating_frame.beam_model import BeamModel
from floating_frame.beam_stage import BeamHistory, BeamStage, LinearPart, solve_beam, solve_stage, vector
from floating_frame.contact_assembly import NO_CONTACT, ContactState
from floating_frame.errors import LimitLoad
from floating_frame.kinematics import Array
from floating_frame.ledger import working_velocity
from floating_frame.quasi_static import carried, limit_factor
from floating_frame.state import Counts, Totals
from friction.result import REVERSED
from friction.stick import beyond_stick, breakaway

MAX_GUARD_ROUNDS = 20


@dataclass(frozen=True)
class BeamState:
    """One instant, free unknowns (n,): deflections m, velocities, accelerations, λ N, slip paths m, friction work J; no contact,
    no bristles. ``load`` and ``internal`` (2N,) N, N m: forces and couples of the loads and of the strained beam on all nodes,
    held ones too, that with −λ and the supports' reactions make the accelerations; of a θ scheme their mean."""

    time: float
    deflection: Array
    velocity: Array
    acceleration: Array
    multiplier: Array
    slip_path: Array
    friction_work: Array
    strain_energy: float
    kinetic_energy: float
    load: Array
    internal: Array
    totals: Totals = field(default_factory=Totals)
    contact: ContactState = NO_CONTACT
    memory: None = None
    verdict: tuple[Any, ...] = ()

    @property
    def position(self) -> Array:
        """The deflections: what moves."""
        return self.deflection

    @property
    def sliding(self) -> Array:
        """The velocities: the ground is at rest."""
        return self.velocity


def initial_beam_state(model: BeamModel) -> BeamState:
    """The straight beam at rest at t = 0, with the accelerations of the loads' right limit."""
    none = np.zeros(len(model.free))
    a, lam = none, none
    if not model.quasi_static:
        a, lam = acceleration_at(model, 0.0, none, none, left=False)
    load = model.natural_load(0.0, left=False)
    return BeamState(0.0, none, none, a, lam, none, none, 0.0, 0.0, load, np.zeros_like(load))


def acceleration_at(
    model: BeamModel, time: float, deflection: Array, velocity: Array, *, left: bool = True
) -> tuple[Array, Array]:
    """(a, λ) (n,) of the continuous problem: M a = f − K d − λ with the law's λ_i(v_i); where v_i = 0, λ_i ∈ s_i ∂|a_i|
    with the bound s_i that the law has at no speed yet (``breakaway``): a is no speed, and the law's profile not one of a."""
    law, weights = model.law_at(time), model.friction_weights(time)
    moving = velocity != 0.0
    known = np.where(moving, law.force(vector(velocity), weights)[:, 0], 0.0)
    force = model.load(time, left=left) - model.stiffness @ deflection - known
    begins, bounds = breakaway(law, weights)
    still = np.where(moving, 0.0, bounds)
    none = np.zeros_like(velocity)
    size = abs(model.stiffness) @ np.abs(deflection) + np.abs(force)
    result = solve_beam(model, LinearPart(model, 1.0, 0.0, force, size), still, none, none, law=begins, key=(1.0, 0.0))
    return result.velocity[:, 0].copy(), known + np.where(moving, 0.0, result.multiplier[:, 0])


def beam_step(model: BeamModel, state: BeamState, dt: float, end_time: float | None = None) -> tuple[BeamState, Counts]:
    """Advance by ``dt`` s to ``end_time`` (loads' left limit). Raises FrictionSolveError, NotPositiveDefinite, LimitLoad."""
    scheme = model.scheme
    end = state.time + dt if end_time is None else end_time
    if model.quasi_static and model.problem.support == "free":
        check_limit(model, end)
    model.cache.forget()  # a step's result must not depend on what was factorised before it
    start = (np.zeros_like(state.velocity), np.zeros_like(state.velocity))
    if scheme.needs_start_force:
        start = model.load(state.time, left=False), -(model.stiffness @ state.deflection)
    stages: list[BeamStage] = []
    counts, arrested = Counts(steps=1), False
    for index in range(scheme.stages):
        time = end if scheme.nodes[index] == 1.0 else state.time + scheme.nodes[index] * dt
        history = stage_history(model, state, stages, start, dt, index, time)
        guess = (stages[-1].velocity, stages[-1].multiplier) if stages else (state.velocity, state.multiplier)
        incoming = state.velocity
        if stages:
            incoming = np.where(incoming == 0.0, stages[-1].velocity, incoming)
        stage = solve_stage(model, history, *guess, reference=incoming)
        counts = counts.plus(stage.counts)
        if scheme.guards_reversal and model.law.set_valued and index == scheme.stages - 1:
            stage, more, arrested = guard_reversal(model, history, stages, stage, incoming)
            counts = counts.plus(more)
        stages.append(stage)
    return finish(model, state, stages, dt, end, arrested), counts


def stage_history(
    model: BeamModel,
    state: BeamState,
    stages: list[BeamStage],
    start: tuple[Array, Array],
    dt: float,
    index: int,
    time: float,
) -> BeamHistory:
    """What stage ``index`` inherits by the coefficients of the scheme."""
    scheme = model.scheme
    a_x, a_v, mix = scheme.position[index], scheme.velocity[index], scheme.force[index]
    deflection, velocity = state.deflection + dt * a_x[0] * state.velocity, state.velocity
    for j, earlier in enumerate(stages, start=1):
        deflection = deflection + dt * a_x[j] * earlier.velocity
        velocity = velocity + dt * a_v[j] * earlier.acceleration
    return BeamHistory(
        deflection=deflection,
        velocity=velocity,
        external=mix[index + 1] * model.load(time) + mix[0] * start[0],
        start_internal=mix[0] * start[1],
        tau_x=dt * a_x[index + 1],
        tau_v=dt * a_v[index + 1] if scheme.inertia else np.inf,
        force_weight=mix[index + 1],
        weights=model.friction_weights(time),
        law=model.law_at(time),
    )


def guard_reversal(
    model: BeamModel, history: BeamHistory, stages: list[BeamStage], stage: BeamStage, incoming: Array
) -> tuple[BeamStage, Counts, bool]:
    """Hold at rest the nodes that an arrest would throw backwards where friction can do so in the mean (``step``)."""
    b = model.scheme.weights
    earlier = sum((w * s.multiplier for w, s in zip(b[:-1], stages, strict=True)), np.zeros_like(incoming))
    held = np.zeros(len(incoming), dtype=np.bool_)
    released = np.zeros_like(held)
    counts = Counts()
    for _ in range(MAX_GUARD_ROUNDS):
        mean = earlier + b[-1] * stage.multiplier
        too_much = held & beyond_stick(history.law, vector(mean), history.weights)
        reverses = (stage.condition == REVERSED) & ~released & ~held
        if not (too_much.any() or reverses.any()):
            break
        held = (held & ~too_much) | reverses
        released |= too_much
        stage = solve_stage(model, history, stage.velocity, stage.multiplier, reference=incoming, held=held)
        counts = counts.plus(stage.counts)
    return stage, counts, bool(held.any())


def finish(
    model: BeamModel, state: BeamState, stages: list[BeamStage], dt: float, end: float, arrested: bool
) -> BeamState:
    """The state at the end of a step, with the ledger of ``ledger`` (there derived)."""
    scheme, last = model.scheme, stages[-1]
    velocities = [state.velocity, *(s.velocity for s in stages)]
    inertia = [model.mass @ s.acceleration for s in stages]
    external = internal = kinetic = mismatch = 0.0
    slip, friction_work = np.zeros_like(state.velocity), np.zeros_like(state.velocity)
    forms = scheme.kinetic_form
    for i, (stage, b) in enumerate(zip(stages, scheme.weights, strict=True)):
        working = working_velocity(scheme.work[i], velocities)
        external += b * float(working @ stage.external)
        internal += b * float(working @ stage.internal)
        mismatch += b * float(stage.multiplier @ (working - stage.velocity))
        friction_work += dt * b * stage.multiplier * stage.velocity
        slip += dt * b * np.abs(stage.velocity)
        kinetic += 0.5 * float(sum(forms[i, j] * (stage.acceleration @ f) for j, f in enumerate(inertia)))
    strain = 0.5 * float(last.deflection @ (model.stiffness @ last.deflection))
    motion = 0.5 * float(last.velocity @ (model.mass @ last.velocity)) if scheme.inertia else 0.0
    numerical = dt * dt * kinetic - (strain - state.strain_energy) - dt * internal + dt * mismatch
    acceleration, multiplier = last.acceleration, last.multiplier
    load, inner = nodal_forces(model, end, last.deflection)
    if arrested:
        acceleration, multiplier = acceleration_at(model, end, last.deflection, last.velocity)
    elif scheme.needs_start_force:
        at_start = nodal_forces(model, state.time, state.deflection, left=False)
        start, own = scheme.force[-1][0], scheme.force[-1][-1]
        load, inner = (own * now + start * before for now, before in zip((load, inner), at_start, strict=True))
    return BeamState(
        time=end,
        deflection=last.deflection,
        velocity=last.velocity,
        acceleration=acceleration,
        multiplier=multiplier,
        slip_path=state.slip_path + slip,
        friction_work=state.friction_work + friction_work,
        strain_energy=strain,
        kinetic_energy=motion,
        load=load,
        internal=inner,
        totals=state.totals.plus(
            Totals(external=dt * external, friction=float(friction_work.sum()), numerical=numerical)
        ),
    )


def nodal_forces(model: BeamModel, time: float, deflection: Array, *, left: bool = True) -> tuple[Array, Array]:
    """Forces and couples of the loads and of the beam strained by ``deflection`` (n,), (2N,) N, N m each, on all nodes."""
    return model.natural_load(time, left=left), -(model.beam.stiffness @ model.natural(deflection))


def check_limit(model: BeamModel, time: float) -> None:
    """Raise LimitLoad where friction |λ_i| ≤ w_i cannot balance the load's force and moment on a beam without supports."""
    load, X = model.natural_load(time), model.beam.X
    weights = breakaway(model.law, model.nodal_weights(time))[1]
    wrench = np.array([0.0, load[0::2].sum(), X[:, 0] @ load[0::2] + load[1::2].sum()])
    if not carried(wrench, X, weights):
        raise LimitLoad(time, limit_factor(wrench, X, weights))
