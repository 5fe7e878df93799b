"""Records of all sources at one instant, and states made of them: the start of a motion, the end of an arrest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.protocol import Blocks, Effect, Internal, Motion, Record, StageEffect, axpy, scaled
from floating_frame.system.pressure_iteration import consistent
from floating_frame.system.protocol import Consistent, System, kinetic_energy
from floating_frame.system.stages import Stages, write_blocks
from floating_frame.system.state import State


def evaluate(effect: Effect, acting: StageEffect, motion: Motion) -> Record:
    """Record of an effect at a motion."""
    points, x = effect.points, motion.configuration
    place, velocity = points.place(x), points.velocity(x, motion.velocity)
    return acting.record(place, velocity, points.pull(x, acting.at(place, velocity).force))


def start_records(system: System, state: State) -> tuple[Record, ...]:
    """Records at a step's start, at the right limits of loads; friction is unchanged (it is not mixed)."""
    smooth = [
        evaluate(e, e.for_stage(state.time, r.internal, 0.0, left=False), state.motion)
        for e, r in zip(system.effects, state.records, strict=False)
    ]
    return (*smooth, state.records[len(smooth)], *system.own(state.time, state.motion))


def instant_records(
    system: System, time: float, instant: Consistent, internal: Internal, *, left: bool = True
) -> tuple[Record, ...]:
    """Records of all sources at one instant."""
    motion, friction, own = instant
    smooth = [
        evaluate(e, e.for_stage(time, z, 0.0, left=left), motion)
        for e, z in zip(system.effects, internal, strict=False)
    ]
    problem = system.friction.for_stage(time, internal[len(smooth)], 0.0, left=left)
    ground = system.ground_rates(problem.ground)
    rubbing = system.friction.record(problem, internal[len(smooth)], 0.0, friction, ground)
    return (*smooth, rubbing, *own)


def write_records(records: Sequence[Record], row: int, work: Stages) -> None:
    """Write the records of all sources into a row of stages."""
    for k, record in enumerate(records):
        write_blocks(record.force, work.force[row, k])
        work.power[row, k] = np.nan if record.external is None else record.external, record.dissipated
        if record.driving:
            write_blocks(record.driving, work.driving[row, work.driven[k]])


def instant_balance(system: System, records: Sequence[Record]) -> Blocks:
    """Generalised force in the balance at one instant, of sources with a resultant."""
    total = scaled(0.0, records[0].force)
    for source, record in zip(system.sources, records, strict=True):
        total = axpy(total, 1.0, record.force) if source.in_resultant(own=True) else total
    return total


def with_stored(system: System, records: tuple[Record, ...], time: float, motion: Motion) -> tuple[Record, ...]:
    """Records with the energies, J, stored by the system itself at an instant."""
    energies = system.stored(time, motion)
    first = len(records) - len(energies)
    return (*records[:first], *(r._replace(stored=e) for r, e in zip(records[first:], energies, strict=True)))


def released_state(system: System, state: State) -> State:
    """State at the end of an arrest with the accelerations of the continuous problem, no point fixed; internal states and energies
    are unchanged."""
    internal = [r.internal for r in state.records]
    continuous = consistent(system, state.time, state.motion, internal)
    released = tuple(
        new._replace(
            stored=old.stored, internal=old.internal, internal_rate=old.internal_rate, multiplier=old.multiplier
        )
        for new, old in zip(instant_records(system, state.time, continuous, internal), state.records, strict=True)
    )
    return replace(
        state,
        motion=continuous.motion,
        in_space=system.in_space(state.time, continuous.motion),
        friction=continuous.friction,
        records=released,
        balance=instant_balance(system, released),
        kinetic_energy=kinetic_energy(system, continuous.motion),
    )


def initial_state(scheme: Scheme, system: System) -> State:
    """State at t = 0, with accelerations at the loads' right limits (none without inertia)."""
    motion = system.initial_motion()
    internal = [*(e.initial() for e in system.effects), system.friction.initial()]
    if scheme.inertia:
        start = consistent(system, 0.0, motion, internal, left=False)
    else:
        start = system.at_rest(motion)
    acting = with_stored(system, instant_records(system, 0.0, start, internal, left=False), 0.0, start.motion)
    begun = [r._replace(internal=z) for r, z in zip(acting, internal, strict=False)]
    records = (*begun, *acting[len(internal) :])
    return State(
        time=0.0,
        motion=start.motion,
        in_space=system.in_space(0.0, start.motion),
        friction=start.friction,
        records=records,
        sums=tuple(tuple(np.zeros_like(x) for x in r.rates) for r in records),
        work=np.zeros((len(records) + 1, 3)),
        balance=instant_balance(system, records) if scheme.inertia else scaled(0.0, start.motion.velocity),
        kinetic_energy=kinetic_energy(system, start.motion),
    )
