"""Steps of systems that are objects: ``scheme.step`` run by Python, its rows filled from stages, and the state of its end. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from floating_frame.coefficients import Scheme, backward_euler
from floating_frame.effect.protocol import Instant, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.scheme import step as text
from floating_frame.scheme.guard import cut_fraction, without_reversal
from floating_frame.scheme.instants import evaluate, released_state, start_records, with_stored, write_records
from floating_frame.system.pressure_iteration import solve_stage
from floating_frame.system.protocol import Partial, Stage, StageHistory, System, kinetic_energy
from floating_frame.system.stages import CUT, POINT_LANDS, Stages, blocks_of, integrated, stages_of, write_blocks
from floating_frame.system.state import Counts, State
from friction.arrays import nonzero_rows
from friction.status import SOLVED

LANDING = backward_euler()
"""The scheme of a step in which a point lands."""


class StepResult(NamedTuple):
    """Result of a step: ``state`` at its end, and counts. A ``fraction`` > 0 means an event there: the step must be split, and the
    state is that at its start."""

    state: State
    counts: Counts = Counts()
    fraction: float = 0.0


def step(scheme: Scheme, system: System, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
    """Advance a system by ``dt`` s to ``end`` s (default time + dt), at the loads' left limits. Raises errors that a shorter step
    may avoid.

    A step in which a point lands is one of backward Euler: the point lands on the ground exactly and loses energy, while SDIRK2
    would throw a particle back with 1/γ − 2 = √2 times its speed (docs/space.md)."""
    end = state.time + dt if end is None else end
    for taking in (scheme, LANDING):

        def one(state: State, dt: float, end: float, cut: bool, taking: Scheme = taking) -> StepResult | None:
            return one_step(taking, system, state, dt, end, cut=cut)

        result = split_at_event(one, state, dt, end)
        if result is not None:
            return result
    raise AssertionError("a step in which points land lands them")


def split_at_event(
    one: Callable[[State, float, float, bool], StepResult | None], state: State, dt: float, end: float
) -> tuple[State, Counts] | None:
    """Take ``one`` step, split where a body reverses or breaks loose; None for a landing that the scheme excludes."""
    whole = one(state, dt, end, True)
    if whole is None or whole.fraction == 0.0:
        return None if whole is None else whole[:2]
    first = whole.fraction * dt
    before = one(state, first, state.time + first, False)
    last = None if before is None else one(before.state, dt - first, end, False)
    return None if before is None or last is None else (last.state, before.counts.plus(last.counts))


def one_step(
    scheme: Scheme, system: System, state: State, dt: float, end: float, *, cut: bool = True
) -> StepResult | None:
    """Take one step; None for a landing that the scheme excludes. ``cut``: look for events at which the step is to be cut."""
    staged = Staged(system, state, dt, end, cut=cut)
    work, looks = staged.rows(len(scheme.weights)), scheme.cuts and system.friction.law.set_valued
    status = text.step.py_func(scheme, staged, work, 0, dt, looks, False)
    if status == POINT_LANDS:
        return None
    return StepResult(state, fraction=staged.fraction) if status == CUT else staged.result(scheme, work)


class Staged:
    """A ``system`` in a step of ``dt`` s from a ``state`` to ``end`` s. Its methods are the verbs of ``scheme.step``; ``verdict``
    checks that works are finite."""

    def __init__(self, system: System, state: State, dt: float, end: float, *, cut: bool) -> None:
        self.system, self.constant_mass = system, system.constant_mass
        self.fraction, self._cut, self._end, self._fixed = 0.0, cut, end, False
        self._partial = Partial(state, dt, np.zeros(1), np.zeros(1), [])

    def rows(self, stages: int) -> Stages:
        """Rows of the step."""
        records = self._partial.state.records
        driven = [k for k, record in enumerate(records) if record.driving]
        unknowns = sum(v.size for v in self._partial.state.motion.velocity)
        work = stages_of(stages, unknowns, len(records), driven=driven, flat=False)
        work.mixed[:] = [record.mixed for record in records]
        work.resultant[:] = [[source.in_resultant(own=own) for own in (True, False)] for source in self.system.sources]
        return work

    def begin(self, scheme: Scheme, _k: int, work: Stages) -> int:
        """Write the step's start into row 0, at the right limits of data."""
        state, dt, *_ = self._partial
        self.system = self.system.begin(state, self._end, inertia=scheme.inertia, lands=scheme.lands)
        self._partial = Partial(state, dt, scheme.position[-1], scheme.weights, [])
        self._write_motion(0, state.motion, work)
        write_blocks(self.system.momentum(state.motion), work.momentum)
        work.stored[0], work.kinetic[0] = [r.stored for r in state.records], state.kinetic_energy
        if scheme.mixes:
            write_records(start_records(self.system, state), 0, work)
        return SOLVED

    def solve(self, scheme: Scheme, _k: int, s: int, dt: float, _holds: bool, work: Stages) -> int:
        """Solve stage ``s``; POINT_LANDS for a landing that the scheme excludes."""
        node = scheme.nodes[s - 1]  # the last stage ends on ``end`` exactly
        history = self._history(scheme, s, self._end if node == 1.0 else self._partial.state.time + node * dt, work)
        self._reference = self._incoming()
        stage = solve_stage(self.system, history, self.system.predict(history, self._partial), self._reference)
        if stage is None:
            return POINT_LANDS
        self._history_of_last = (
            history if stage.problem is history.friction else history._replace(friction=stage.problem)
        )
        self._add_stage(s, stage, work)
        return SOLVED

    def looks(self, scheme: Scheme, _k: int, _dt: float, work: Stages) -> int:
        """Apply the guard to the last stage: see ``scheme.guard``."""
        stage = self._partial.stages.pop()
        if self._cut and (fraction := cut_fraction(self.system, self._partial, stage)):
            self.fraction = fraction
            return CUT
        if not scheme.guards:
            self._partial.stages.append(stage)
            return SOLVED
        history = self._history_of_last
        guarded, self._fixed = without_reversal(self.system, history, self._partial, stage, self._reference)
        if guarded is None:
            return POINT_LANDS
        if guarded is stage:
            self._partial.stages.append(stage)
        else:
            self._history_of_last = history._replace(friction=guarded.problem)
            self._add_stage(len(scheme.weights), guarded, work)
        return SOLVED

    def close(self, _scheme: Scheme, _k: int, _dt: float, work: Stages) -> int:
        """Split the frame anew by its condition; write the energies stored at the end, and the explicit work."""
        system, state, end, (*_, last) = self.system, self._partial.state, self._end, self._partial.stages
        self._motion, self._drift = system.resplit(self._partial)
        self._records = with_stored(system, last.records, end, self._motion)
        for k, (source, old, new) in enumerate(zip(system.sources, state.records, self._records, strict=True)):
            work.stored[1, k] = new.stored
            instants = Instant(state.time, state.motion, old), Instant(end, self._motion, new)
            work.explicit[k] = source.explicit_work(*instants)
        self._kinetic = work.kinetic[1] = kinetic_energy(system, self._motion)
        return SOLVED

    def result(self, scheme: Scheme, work: Stages) -> StepResult:
        """Result of the step."""
        partial, motion = self._partial, self._motion
        counts = self._drift.plus(Counts(steps=1), *(stage.counts for stage in partial.stages))
        new = State(
            time=self._end,
            motion=motion,
            in_space=self.system.in_space(self._end, motion),
            friction=partial.stages[-1].friction,
            records=self._records,
            sums=integrals(partial),
            work=partial.state.work + work.entries,
            balance=blocks_of(work.balance, motion.velocity),
            kinetic_energy=self._kinetic if scheme.inertia else 0.0,
        )
        return StepResult(released_state(self.system, new) if self._fixed else new, counts)

    def _add_stage(self, s: int, stage: Stage, work: Stages) -> None:
        """Add a stage with the records of all effects, friction and the system's own sources."""
        system, history = self.system, self._history_of_last
        smooth = [evaluate(e, now, stage.motion) for e, now in zip(system.effects, history.effects, strict=True)]
        internal, ground = history.internal[-1], system.ground_rates(history.friction.ground)
        friction = system.friction.record(history.friction, internal, history.tau_x, stage.friction, ground)
        stage = stage._replace(records=(*smooth, friction, *stage.own))
        self._partial.stages.append(stage)
        self._write_motion(s, stage.motion, work)
        write_blocks(system.apply_mass(stage.motion.acceleration), work.inertia[s])
        write_records(stage.records, s, work)

    def _write_motion(self, s: int, motion: Motion, work: Stages) -> None:
        write_blocks(motion.velocity, work.velocity[s])
        write_blocks(motion.acceleration, work.momentum_rate[s])
        write_blocks(self.system.increment_rate(self._partial.state.motion, motion), work.increment_rate[s])

    def _history(self, scheme: Scheme, s: int, time: float, work: Stages) -> StageHistory:
        """History of stage ``s``, which ends at ``time`` s."""
        system, (state, dt, *_), position = self.system, self._partial, scheme.position[s - 1]
        (x, v, _), tau = state.motion, float(dt * position[s])
        increment, velocity, first = (
            blocks_of(row, v) for row in (work.increment, work.momentum_history, work.start_force)
        )
        internal = tuple(self._internal(position, k) for k in range(len(system.effects) + 1))
        return StageHistory(
            time=time,
            configuration=system.retract(x, increment),
            velocity=velocity,
            tau_x=tau,
            tau_v=float(dt * scheme.velocity[s - 1, s]) if scheme.inertia else np.inf,
            theta=float(scheme.force[s - 1, s]),
            start_force=first,
            effects=tuple(e.for_stage(time, z, tau) for e, z in zip(system.effects, internal, strict=False)),
            friction=system.friction.for_stage(time, internal[-1], tau),
            internal=internal,
            balance=state.balance,
            origin=x,
            increment=increment,
        )

    def _internal(self, position: Array, k: int) -> Array | None:
        """z* of source ``k`` in a stage with coefficients ``position`` (S + 1,); where the ground's velocity jumps at the step's
        start, z' is the right limit."""
        system, (state, dt, *_, stages) = self.system, self._partial
        z, of_friction = state.records[k].internal, k == len(system.effects)
        if z is None:
            return None
        rate: Array | None = None
        if position[0] != 0.0 and of_friction:
            slip = system.slip(state.time, state.motion, system.friction.ground(state.time, left=False))
            rate = system.friction.rate(state.time, z, slip)
        elif position[0] != 0.0:
            effect, (x, v, _) = system.effects[k], state.motion
            rate = effect.rate(state.time, z, effect.points.place(x), effect.points.velocity(x, v))
        earlier = [s.records[k] for s in stages]
        z = integrated(z, dt * position, [rate, *(r.internal_rate for r in earlier)])
        return z if of_friction else system.effects[k].inherited(z, earlier)

    def _incoming(self) -> Array:
        """Reference slip velocities (N, 2), m/s, of a stage: at the step's start, of points at rest then in the last stage."""
        slip, stages = self._partial.state.friction.slip, self._partial.stages
        if not stages or (slides := nonzero_rows(slip)).all():
            return slip
        return np.where(slides[:, None], slip, stages[-1].friction.slip)


def integrals(partial: Partial) -> tuple[tuple[Array, ...], ...]:
    """Time integrals of the sources' densities at their points: previous integrals + Δt Σ b_s × densities of stages."""
    shares = partial.dt * partial.weights
    return tuple(
        tuple(integrated(old, shares, [s.records[k].rates[i] for s in partial.stages]) for i, old in enumerate(sums))
        for k, sums in enumerate(partial.state.sums)
    )
