"""The explicit scheme: central differences, friction exact in each kick, states at integer times.

Velocities are stored half a step behind. At an output time half a kick through the same prox completes the velocity, so it obeys
Coulomb's law too; the steps continue from v_{n−½}. Work is summed up kick by kick (``loop``) and booked in each state.

In the kick of length Δ about t_n a smooth effect (a spring) acts with its force at x_n and at the velocity in the middle of the
kick,

    F_n = F(x_n, v_{n−½} + ½ Δ M⁻¹ (f_n − λ_{n−1} + F(x_n, v_{n−½}))),

so that dampers are of second order without a solution of equations. The mean velocity of the kick, (v_{n−½} + v_{n+½})/2, does the
work.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import NamedTuple

import numpy as np

from floating_frame.effect.protocol import Blocks, Effect, Motion, axpy, pair, scaled
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array
from floating_frame.leapfrog import loop
from floating_frame.leapfrog.stability import allowed_step, effects_of, steps_to_next_check
from floating_frame.scheme.instants import evaluate, instant_records
from floating_frame.system.model import Model
from floating_frame.system.protocol import Consistent, friction_at, kinetic_energy
from floating_frame.system.state import DISSIPATED, EXTERNAL, NUMERICAL, Counts, State


@dataclass(frozen=True, kw_only=True)
class Leapfrog:
    """State variables of the explicit scheme besides the positions.

    ``velocity`` in the body's blocks half a step before; the length of the last ``step``, s, 0 before the half kick of a start; the
    works so far, ``sums`` (7,), see ``leapfrog.loop``, and the ledger of the ``effects`` (n, 3), J, see ``effect_forces``;
    ``slip_path`` and ``friction_work`` so far (N,), m and J; ``multiplier`` λ (N, 2), N, of the last kick;
    ``strain_energy_at_start``, J; ``stiffening``, the largest ω_max² over its value in the reference; ``produced`` energy and the
    ``largest`` so far, J, see ``leapfrog.stability``; ``next_check``: steps to the next check of the body; ``completed``: these
    variables half a kick later, at the time of the state.
    """

    velocity: Blocks
    step: float = 0.0
    sums: Array
    effects: Array
    slip_path: Array
    friction_work: Array
    multiplier: Array
    strain_energy_at_start: float = 0.0
    stiffening: float = 1.0
    produced: float = 0.0
    largest: float = 0.0
    next_check: int = 0
    completed: Leapfrog | None = None


Prox = tuple[Array, Array, Array, Counts]


class Kick(NamedTuple):
    """A kick: variables ``carried`` after it, ``slip`` velocities (N, 2), m/s, of the friction points, and generalised forces of
    the first block: ``friction`` of λ, ``internal`` ones, and ``applied`` ones; counts of its solver."""

    carried: Leapfrog
    slip: Array
    friction: Array
    internal: Array | float
    applied: Array
    counts: Counts = Counts()


class ExplicitBody(ABC):
    """A body in the explicit scheme: diagonal ``inertia`` M of its first block, other force blocks ``rest``, ``has_waves``, and
    ``effect_fraction``: fraction of the half kick that completes a velocity, with the velocity of the effects."""

    inertia: Array
    rest: Blocks
    has_waves: bool
    effect_fraction: float

    def __init__(self, model: Model) -> None:
        self.model, self.effects = model, effects_of(model)

    def start(self, motion: Motion, multiplier: Array, strain_energy: float = 0.0) -> Leapfrog:
        """Variables at t = 0; ``multiplier`` λ (N, 2), N; ``strain_energy``, J."""
        none = np.zeros(len(multiplier))
        return Leapfrog(
            velocity=motion.velocity,
            sums=np.zeros(loop.WORKS),
            effects=initial_ledger(self.model, motion),
            slip_path=none,
            friction_work=none,
            multiplier=multiplier,
            strain_energy_at_start=strain_energy,
        )

    @abstractmethod
    def forces(self, time: float, x: Blocks, h: float, before: float) -> tuple[Array, Array | float]:
        """Loads in a kick around ``time`` s, and the internal force, of the first block, N, N m."""

    @abstractmethod
    def pull(self, x: Blocks, multiplier: Array) -> Array:
        """Generalised force of λ (N, 2), N."""

    @abstractmethod
    def prox(self, x: Blocks, carried: Leapfrog, force: Array, ground: Array, length: float, bound: Array) -> Prox:
        """Velocity of the first block after a kick of a ``length``, s, with friction exact in it; slip and λ (N, 2), m/s, N, of the
        friction points; counts."""

    @abstractmethod
    def motion(self, x: Blocks, velocity: Array, acceleration: Array) -> Motion:
        """The motion at an integer time."""

    @abstractmethod
    def advance(self, x: Blocks, carried: Leapfrog, starts: Array, h: float) -> tuple[Blocks, Leapfrog, Counts]:
        """Take steps of ``h`` s from ``starts`` s."""

    @abstractmethod
    def initial_state(self) -> State:
        """The state at t = 0, at the loads' right limit; the first kick is half a step long."""

    def monitor(self, time: float, x: Blocks, carried: Leapfrog) -> Leapfrog:
        """Update energy and stiffening at ``time`` s. Raises Unsolved (EnergyGrowth)."""
        return carried

    def check_energy(self, state: State) -> State:
        """Check the energy of a state at an integer time. Raises Unsolved (EnergyGrowth)."""
        return state


def effect_forces(
    effects: Sequence[Effect], time: float, x: Blocks, before: Blocks, gained: Callable[[Blocks], Blocks]
) -> tuple[Blocks, Callable[[Blocks], Array]]:
    """Forces of ``effects``, without internal states, in the kick about ``time`` s, and their power.

    ``x``: configuration at this time, ``before``: velocity half a step before; ``gained``: generalised force of the effects ->
    velocity that the first half of the kick adds. ``power`` of the result: working velocity -> (n, 3), W, columns as in a ledger.
    """
    acting = [(e.points, e.for_stage(time, None, 0.0)) for e in effects]

    def forces(v: Blocks) -> list[Blocks]:
        return [p.pull(x, a.at(p.place(x), p.velocity(x, v)).force) for p, a in acting]

    def total(each: list[Blocks]) -> Blocks:
        return reduce(lambda force, other: axpy(force, 1.0, other), each, scaled(0.0, before))

    pushes = forces(axpy(before, 1.0, gained(total(forces(before)))))

    def power(v: Blocks) -> Array:
        rows = np.zeros((len(acting), 3))
        for row, (points, a), force in zip(rows, acting, pushes, strict=True):
            record, worked = a.record(points.place(x), points.velocity(x, v), force), pair(force, v)
            external = record.given(worked, v)
            row[:] = external, record.dissipated, external - record.dissipated - worked
        return rows

    return total(pushes), power


def initial_ledger(model: Model, motion: Motion) -> Array:
    """Ledger (n, 3), J, of the effects at t = 0; its last column is external − dissipated − worked + initially stored energy."""
    effects = effects_of(model)
    ledger = np.zeros((len(effects), 3))
    ledger[:, NUMERICAL] = [evaluate(e, e.for_stage(0.0, None, 0.0, left=False), motion).stored for e in effects]
    return ledger


def kick(body: ExplicitBody, time: float, x: Blocks, carried: Leapfrog, h: float) -> Kick:
    """Kick about ``time`` s before a step of ``h`` s (0: the half kick that completes a velocity)."""
    system, before, (half, *_) = body.model.system, carried.step, carried.velocity
    length, ground = 0.5 * (before + h), system.friction.ground(time + 0.5 * h)
    loads, internal = body.forces(time, x, h, before)
    others = loads + internal - body.pull(x, carried.multiplier)

    def gained(force: Blocks) -> Blocks:
        return ((0.5 if h else body.effect_fraction) * length * (others + force[0]) / body.inertia, *body.rest)

    pushed, power = effect_forces(body.effects, time, x, carried.velocity, gained)
    applied, bound = loads + pushed[0], bound_in_kick(body.model, time, h, before)
    velocity, slip, multiplier, counts = body.prox(x, carried, applied + internal, ground, length, bound)
    middle, lost = 0.5 * (half + velocity), length * np.einsum("ia,ia->i", multiplier, slip)
    friction, sums = body.pull(x, multiplier), carried.sums.copy()
    sums[loop.LOADS] += length * float(np.vdot(middle, loads))
    sums[loop.GROUND_WORK] += length * float(ground @ multiplier.sum(axis=0))
    sums[loop.FRICTION_LOSS] += float(lost.sum())
    sums[loop.FRICTION_WORK] += length * float(np.vdot(middle, friction))
    sums[loop.INTERNAL] += length * float(np.sum(middle * internal))
    sums[loop.PATH] += 0.5 * float(np.sum((before * half + h * velocity) * internal))
    carried = replace(
        carried,
        velocity=(velocity, *carried.velocity[1:]),
        step=h,
        sums=sums,
        effects=carried.effects + length * power((middle, *body.rest)),
        slip_path=carried.slip_path + h * np.hypot(*slip.T),
        friction_work=carried.friction_work + lost,
        multiplier=multiplier,
    )
    return Kick(carried, slip, friction, internal, applied, counts)


def explicit_step(body: ExplicitBody, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a body by ``dt`` s in equal steps no longer than the model's, shorter where it has stiffened. Pure.

    Raises Unsolved (InvertedElement where det F <= 0 at the end, NotConverged where the motion has become non-finite,
    EnergyGrowth), RigidFrictionError.
    """
    model, end, time, counts = body.model, state.time + dt if end_time is None else end_time, state.time, Counts()
    carried, x = start_of_step(body, state), tuple(block.copy() for block in state.motion.configuration)
    plan, steady = model.steps, model.system.friction.constant and model.loads.separable and not body.effects
    next_check, allowed = carried.next_check, allowed_step(plan, carried.stiffening)
    while True:
        if counts.steps >= next_check:
            carried = body.monitor(time, x, carried)
            allowed = allowed_step(plan, carried.stiffening)
            next_check = counts.steps + steps_to_next_check(plan, carried.stiffening)
        left = max(1, int(np.ceil((end - time) / allowed * (1.0 - 1e-9))))
        steps, h = min(left, next_check - counts.steps if steady else 1), (end - time) / left
        x, carried, more = body.advance(x, carried, time + h * np.arange(steps, dtype=float), h)
        counts, time = counts.plus(more), time + steps * h
        if not np.all(np.isfinite(x[0])):  # as they become after a velocity that is not
            raise Unsolved(f"the explicit motion became non-finite before t = {time:.6g} s (step {h:.3g} s)")
        if steps == left:
            break
    carried = replace(carried, next_check=next_check - counts.steps)
    done = kick(body, end, x, carried, 0.0)  # completes velocity, multiplier and works
    acceleration = (done.applied + done.internal - done.friction) / body.inertia
    motion = body.motion(x, done.carried.velocity[0], acceleration)
    return body.check_energy(explicit_state(body, motion, done, end, carried)), counts.plus(
        Counts(drift=float(carried.sums[loop.DRIFT]))
    )


def start_of_step(body: ExplicitBody, state: State) -> Leapfrog:
    """Velocities and works at the start of a step, copied; the kick around a jump is cut in two. The half before the jump completed
    the state's velocity under the old load and ground velocity; a half kick under the new ones follows. A single kick would average
    friction over the jump and hold a resting body. Where an elastic body slides, friction is fully mobilised, and one kick under
    the mean load keeps the waves of a rod exact."""
    model, ground, carried = body.model, body.model.system.friction.ground, state.leapfrog
    assert isinstance(carried, Leapfrog)
    jumps = bool(np.any(ground(state.time) != ground(state.time, left=False)))
    whole = body.has_waves and bool(state.sliding.any()) and not jumps
    if carried.step and carried.completed and not whole and model.loads.breaks.at(state.time):
        carried = replace(carried.completed, largest=carried.largest)
    arrays = {name: getattr(carried, name).copy() for name in ("sums", "effects", "slip_path", "friction_work")}
    arrays["sums"][loop.DRIFT] = 0.0
    velocity = tuple(block.copy() for block in carried.velocity)
    return replace(carried, velocity=velocity, multiplier=state.multiplier, completed=None, **arrays)


def explicit_state(
    body: ExplicitBody, motion: Motion, done: Kick, time: float, carried: Leapfrog, *, left: bool = True
) -> State:
    """State at ``time`` s, loads at their ``left`` or right limit, velocity and works completed by the half kick ``done``;
    ``carried``: variables from which the steps continue."""
    system, completed, sums = body.model.system, done.carried, done.carried.sums
    row, first = len(system.effects), len(system.effects) - len(carried.effects)
    friction = friction_at(done.slip, completed.multiplier, (-done.friction, *body.rest))
    internal: list[Array | None] = [None] * (row + 1)
    own = system.own(time, motion)
    records = instant_records(system, time, Consistent(motion, friction, own), internal, left=left)
    energies = system.stored(time, motion)
    records = (*records[: row + 1], *(r._replace(stored=e) for r, e in zip(own, energies, strict=True)))
    work = np.zeros((len(records) + 1, 3))
    work[0, EXTERNAL], work[row, DISSIPATED] = sums[loop.LOADS] - sums[loop.GROUND_WORK], sums[loop.FRICTION_LOSS]
    work[row, NUMERICAL] = sums[loop.FRICTION_WORK] - sums[loop.FRICTION_LOSS] - sums[loop.GROUND_WORK]
    work[-1, NUMERICAL] = -(sum(energies) - carried.strain_energy_at_start) - sums[loop.INTERNAL]
    work[first:row] += completed.effects
    work[first:row, NUMERICAL] -= [r.stored for r in records[first:row]]
    return State(
        time=time,
        motion=motion,
        in_space=system.in_space(time, motion),
        friction=friction,
        records=records,
        sums=tuple((completed.slip_path, completed.friction_work) if k == row else () for k in range(len(records))),
        work=work,
        balance=axpy((done.applied, *body.rest), 1.0, friction.force),
        kinetic_energy=kinetic_energy(system, motion),
        leapfrog=replace(carried, completed=completed),
    )


def mean_of_limits(value: Callable[..., Array], h: float, before: float) -> Array:
    """Mean of value(left=...) over a kick: at a jump the limits weighted by the half steps before and after."""
    left, right = value(left=True), value(left=False)
    return (before * left + h * right) / (before + h)


def bound_in_kick(model: Model, time: float, h: float, before: float) -> Array:
    """Friction bounds (N,), N, in a kick about ``time`` s."""
    friction = model.system.friction
    return friction.bound(time) if friction.constant else mean_of_limits(partial(friction.bound, time), h, before)
