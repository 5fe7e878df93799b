"""What a stage inherits from the step's start and from its earlier stages, by the coefficients of the scheme.

    x*_s = x_n + Δt Σ_{j<s} a_sj v_j,    v*_s = v_n + Δt Σ_{j<s} â_sj a_j,    z*_s = z_n + Δt Σ_{j<s} a_sj z'_j

with j = 0 the start of the step. θ schemes also mix in the forces at the start, at their right limit; multipliers they do not mix.
"""

from __future__ import annotations

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.protocol import Blocks, Effect, Motion, Record, StageEffect, axpy, scaled
from floating_frame.frame.kinematics import Array
from floating_frame.system.protocol import Partial, StageHistory, System
from floating_frame.system.state import State
from friction.arrays import moving


def evaluate(effect: Effect, acting: StageEffect, motion: Motion) -> Record:
    """Return the record of an effect at a motion."""
    points, x = effect.points, motion.configuration
    place, velocity = points.place(x), points.velocity(x, motion.velocity)
    return acting.record(place, velocity, points.pull(x, acting.at(place, velocity).force))


def start_records(system: System, state: State) -> tuple[Record, ...]:
    """Return what acts at a step's start, at the right limits of loads; friction as it was (it is not mixed)."""
    smooth = [
        evaluate(e, e.for_stage(state.time, r.internal, 0.0, left=False), state.motion)
        for e, r in zip(system.effects, state.records, strict=False)
    ]
    return (*smooth, state.records[len(smooth)], *system.own(state.time, state.motion))


def mixed_force(records: tuple[Record, ...]) -> Blocks:
    """Return the sum of the forces that θ schemes mix."""
    total = scaled(0.0, records[0].force)
    for record in records:
        if record.mixed:
            total = axpy(total, 1.0, record.force)
    return total


def inherited(
    scheme: Scheme, system: System, partial: Partial, start: tuple[Record, ...] | None, time: float
) -> StageHistory:
    """Return the history of the next stage, to ``time`` s; ``start``: what acts at the step's start, where the scheme needs it."""
    state, dt, stages = partial.state, partial.dt, partial.stages
    motion, s, own = state.motion, len(stages), len(stages) + 1
    position, rates, force = scheme.position[s], scheme.velocity[s], scheme.force[s]
    way, velocity = scaled(dt * position[0], system.way_rate(motion, motion)), system.momentum(motion)
    for j, earlier in enumerate(stages, start=1):
        if position[j] != 0.0:
            way = axpy(way, dt * position[j], system.way_rate(motion, earlier.motion))
        if rates[j] != 0.0:
            velocity = axpy(velocity, dt * rates[j], earlier.motion.acceleration)
    tau = float(dt * position[own])
    internal = tuple(_internal(system, partial, position, k) for k in range(len(system.effects) + 1))
    return StageHistory(
        time=time,
        configuration=system.retract(motion.configuration, way),
        velocity=velocity,
        tau_x=tau,
        tau_v=float(dt * rates[own]) if scheme.inertia else np.inf,
        theta=float(force[own]),
        start_force=scaled(0.0, motion.velocity) if start is None else scaled(force[0], mixed_force(start)),
        effects=tuple(e.for_stage(time, z, tau) for e, z in zip(system.effects, internal, strict=False)),
        friction=system.friction.for_stage(time, internal[-1], tau),
        internal=internal,
        balance=state.balance,
        origin=motion.configuration,
        way=way,
    )


def _internal(system: System, partial: Partial, position: Array, k: int) -> Array | None:
    """Return z* of source ``k`` in a stage with coefficients ``position`` (S + 1,); where the ground's velocity jumps at the step's
    start, z' is that of the right limit."""
    state, dt, stages = partial.state, partial.dt, partial.stages
    z = state.records[k].internal
    if z is None:
        return None
    if position[0] != 0.0:
        if k == len(system.effects):
            slip = system.slip(state.time, state.motion, system.friction.ground(state.time, left=False))
            rate = system.friction.rate(state.time, z, slip)
        else:
            effect, (x, v, _) = system.effects[k], state.motion
            rate = effect.rate(state.time, z, effect.points.place(x), effect.points.velocity(x, v))
        z = z + dt * position[0] * rate
    earlier = [s.records[k] for s in stages]
    rates = (r.internal_rate for r in earlier if r.internal_rate is not None)
    for weight, rate in zip(position[1:], rates, strict=False):
        z = z + dt * weight * rate
    return z if k == len(system.effects) else system.effects[k].inherited(z, earlier)


def incoming_slip(partial: Partial) -> Array:
    """Return the slip velocities (N, 2) m/s with which points come into a stage: those at the step's start, else the last
    stage's."""
    slip = partial.state.friction.slip
    slides = moving(slip)
    if not partial.stages or slides.all():
        return slip
    return np.where(slides[:, None], slip, partial.stages[-1].friction.slip)
