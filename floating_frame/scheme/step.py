"""ONE step of a scheme with stages, for every system and all that acts on it. Pure: history moves only when it returns.

The stages are solved one after the other, each with the history that the scheme's coefficients give it; an arrest within the
last one is guarded against throwing the body backwards; then the frame is split anew by its condition and the ledger is made
from the stages' records."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from floating_frame.coefficients import Scheme, backward_euler
from floating_frame.effect.protocol import Friction, Internal, Motion, Record, scaled
from floating_frame.scheme.guard import driven_back, without_reversal
from floating_frame.scheme.history import evaluate, incoming_slip, inherited, start_records
from floating_frame.scheme.ledger import balance, instant_balance, integrals, step_work
from floating_frame.system.protocol import Consistent, Partial, Stage, StageHistory, System, kinetic_energy
from floating_frame.system.reaction import consistent, solve_stage
from floating_frame.system.state import Counts, State

LANDING = backward_euler()
"""The scheme of a step in which a point lands."""


class Taken(NamedTuple):
    """What a step comes to: the ``state`` at its end, and the counts. Or the body passes through rest after a ``part`` > 0 of it,
    driven back: then it is to be taken in two, and the state is that at its start."""

    state: State
    counts: Counts = Counts()
    part: float = 0.0


def step(scheme: Scheme, system: System, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
    """Advance a system by ``dt`` s to ``end`` s (default time + dt), at the loads' left limits. Raises what a shorter step may
    cure.

    Where a point lands the step is one of backward Euler: it lands on the ground exactly and loses energy only, while the second
    stage of SDIRK2 would throw a particle back with 1/γ − 2 = √2 times its speed (docs/space.md)."""
    end = state.time + dt if end is None else end
    taken = in_parts(scheme, system, state, dt, end, lands=scheme.name == LANDING.name)
    if taken is None:
        taken = in_parts(LANDING, system, state, dt, end, lands=True)
    assert taken is not None
    return taken


def in_parts(
    scheme: Scheme, system: System, state: State, dt: float, end: float, *, lands: bool
) -> tuple[State, Counts] | None:
    """Take a step, in two where a body is driven back through rest; None where a point lands in it though none may."""
    whole = one_step(scheme, system, state, dt, end, lands=lands)
    if whole is None or whole.part == 0.0:
        return None if whole is None else whole[:2]
    first = whole.part * dt
    at_rest = one_step(scheme, system, state, first, state.time + first, lands=lands, cut=False)
    if at_rest is None:
        return None
    last = one_step(scheme, system, at_rest.state, dt - first, end, lands=lands, cut=False)
    return None if last is None else (last.state, at_rest.counts.plus(last.counts))


def one_step(
    scheme: Scheme, system: System, state: State, dt: float, end: float, *, lands: bool, cut: bool = True
) -> Taken | None:
    """Take one step: the algorithm. Points come to the ground only in one in which they may: ``lands``. With ``cut`` a body that is
    driven back is told of."""
    system = system.begin(state, end, inertia=scheme.inertia, lands=lands)
    start = start_records(system, state) if scheme.needs_start_force else None
    partial, fixed_any = Partial(state, dt, scheme.position[-1], scheme.weights, []), False
    for s, node in enumerate(scheme.nodes, start=1):  # the last stage ends on ``end`` exactly
        history = inherited(scheme, system, partial, start, end if node == 1.0 else state.time + node * dt)
        reference = incoming_slip(partial)
        stage = solve_stage(system, history, system.predict(history, partial), reference)
        if stage is None:
            return None
        history = replace(history, friction=stage.problem)
        if s == scheme.stages and scheme.guards_reversal and system.friction.law.set_valued:
            if cut and (part := driven_back(system, partial, stage)):
                return Taken(state, part=part)
            guarded, fixed_any = without_reversal(system, history, partial, stage, reference)
            if guarded is None:
                return None
            stage = guarded
        partial.stages.append(recorded(system, history, stage))
    motion, drift = system.resplit(partial)
    last = partial.stages[-1]
    partial.stages[-1] = last = replace(last, records=with_stored(system, last.records, end, motion))
    work = step_work(scheme, system, partial, start, end, motion)
    friction, records, acting = last.friction, last.records, balance(scheme, system, last, start)
    if fixed_any:  # the continuous problem at the end of an arrest, in which nothing is held
        motion, friction, records = consistent_end(system, end, motion, last.records)
        acting = instant_balance(system, records)
    new = State(
        time=end,
        motion=motion,
        in_space=system.in_space(end, motion),
        friction=friction,
        records=records,
        sums=integrals(partial),
        work=state.work + work,
        balance=acting,
        kinetic_energy=kinetic_energy(system, motion) if scheme.inertia else 0.0,
    )
    counts = drift.plus(Counts(steps=1))
    for stage in partial.stages:
        counts = counts.plus(stage.counts)
    return Taken(new, counts)


def recorded(system: System, history: StageHistory, stage: Stage) -> Stage:
    """Return the stage with the records of all effects, the friction, and what the system brings itself."""
    smooth = [evaluate(e, acting, stage.motion) for e, acting in zip(system.effects, history.effects, strict=True)]
    ground = system.ground_rates(history.friction.ground)
    friction = system.friction.record(history.friction, history.internal[-1], history.tau_x, stage.friction, ground)
    return replace(stage, records=(*smooth, friction, *stage.own))


def with_stored(system: System, records: tuple[Record, ...], time: float, motion: Motion) -> tuple[Record, ...]:
    """Return the records with the energies, J, that the system stores itself at an instant."""
    energies = system.stored(time, motion)
    first = len(records) - len(energies)
    return (*records[:first], *(r._replace(stored=e) for r, e in zip(records[first:], energies, strict=True)))


def consistent_end(
    system: System, end: float, motion: Motion, last: tuple[Record, ...]
) -> tuple[Motion, Friction, tuple[Record, ...]]:
    """Return motion, friction and records of the continuous problem; internal states and energies are those ``last`` found."""
    internal = [r.internal for r in last]
    continuous = consistent(system, end, motion, internal)
    now = instant_records(system, end, continuous, internal)
    kept = (
        new._replace(
            stored=old.stored, internal=old.internal, internal_rate=old.internal_rate, multiplier=old.multiplier
        )
        for new, old in zip(now, last, strict=True)
    )
    return continuous.motion, continuous.friction, tuple(kept)


def instant_records(
    system: System, time: float, instant: Consistent, internal: Internal, *, left: bool = True
) -> tuple[Record, ...]:
    """Return the records of all sources at one instant."""
    motion, friction, own = instant
    smooth = [
        evaluate(e, e.for_stage(time, z, 0.0, left=left), motion)
        for e, z in zip(system.effects, internal, strict=False)
    ]
    problem = system.friction.for_stage(time, internal[len(smooth)], 0.0, left=left)
    ground = system.ground_rates(problem.ground)
    rubbing = system.friction.record(problem, internal[len(smooth)], 0.0, friction, ground)
    return (*smooth, rubbing, *own)


def initial_state(scheme: Scheme, system: System) -> State:
    """Return the state at t = 0, with accelerations at the loads' right limits (none without inertia)."""
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
