"""The state of the explicit scheme at an integer time, and what it carries half a step behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from floating_frame.effect.protocol import Blocks, Friction, Motion, axpy
from floating_frame.frame.kinematics import Array
from floating_frame.leapfrog import loop
from floating_frame.leapfrog.effects import REST
from floating_frame.scheme.step import instant_records
from floating_frame.system.model import Model
from floating_frame.system.protocol import Consistent, kinetic_energy
from floating_frame.system.state import DISSIPATED, EXTERNAL, NUMERICAL, State


@dataclass(frozen=True, kw_only=True)
class Leapfrog:
    """What the explicit scheme carries beside x.

    ``velocity`` of the nodes (N, 2), m/s (of a rigid body without rows), and ``rates`` of the frame (3,), half a step before; the
    length of the last ``step``, s, 0 where the next kick is the half after a start; the ledgers so far, ``sums`` (6,), see
    ``leapfrog.loop``, and that of the ``effects`` (n, 3), J, see ``leapfrog.effects``; ``slip_path`` and ``friction_work`` so far
    (N,), m and J; ``strain_energy_at_start``, J; ``stiffening``, the largest ω_max² over that of the reference; ``produced`` energy
    and the ``largest`` so far, J, see ``leapfrog.stability``; ``look``: steps to the next look at the body.
    """

    velocity: Array
    rates: Array
    step: float = 0.0
    sums: Array
    effects: Array
    slip_path: Array
    friction_work: Array
    strain_energy_at_start: float = 0.0
    stiffening: float = 1.0
    produced: float = 0.0
    largest: float = 0.0
    look: int = 0


def mean_of_limits(value: Callable[..., Array], h: float, before: float) -> Array:
    """Return value(left=...) at a time around which a kick lies: at a jump its limits weighted by the half steps before and
    after."""
    left, right = value(left=True), value(left=False)
    return (before * left + h * right) / (before + h)


def bound_in_kick(model: Model, time: float, h: float, before: float) -> Array:
    """Return the friction bounds (N,) N in a kick about ``time``."""
    friction = model.system.friction
    return friction.bound(time) if friction.constant else mean_of_limits(partial(friction.bound, time), h, before)


def booked(sums: Array, length: float, middle: Array, loads: Array, rubs: Array, lost: float, ground: float) -> Array:
    """Return the ledger after a kick of ``length`` s under ``loads`` and friction, ``rubs``, with the kick's ``middle`` velocity.

    ``lost`` J to friction, at the velocity after the kick; ``ground`` J: work of the ground."""
    new = sums.copy()
    new[loop.EXTERNAL] += length * float(np.vdot(middle, loads)) + ground
    new[loop.FRICTION] += lost
    new[loop.FRICTION_NUMERICAL] += length * float(np.vdot(middle, rubs)) - lost + ground
    return new


def leapfrog_at(model: Model, state: State, *, whole: bool = False) -> Leapfrog:
    """Return what is carried at the start of a step, the kick around a jump cut in two unless it is to stay ``whole``.

    The half before the jump is the one that completed the state's velocity, under the load and on the ground as they were; a first
    half kick follows, as they are. In one kick, friction that the load before did not use would hold a resting body against the
    load after. Where the body slides, friction was used in full, and one kick under the mean load keeps the waves of a rod exact.
    """
    carried: Leapfrog = state.leapfrog
    if whole or carried.step == 0.0 or not model.loads.breaks.at(state.time):
        return carried
    rubs, first = len(model.system.effects), len(model.system.effects) - len(carried.effects)
    stored = np.array([r.stored for r in state.records])
    grown = float(stored[rubs:].sum()) - carried.strain_energy_at_start
    work, sums = state.work, np.zeros(6)
    sums[loop.EXTERNAL], sums[loop.FRICTION] = work[:first, EXTERNAL].sum(), work[rubs, DISSIPATED]
    sums[loop.FRICTION_NUMERICAL], sums[loop.INTERNAL] = work[rubs, NUMERICAL], -work[-1, NUMERICAL] - grown
    sums[loop.PATH] = carried.produced - grown
    effects = work[first:rubs].copy()
    effects[:, REST] += stored[first:rubs]
    return replace(
        carried,
        velocity=state.velocity if len(carried.velocity) else carried.velocity,
        step=0.0,
        rates=state.frame.rates,
        sums=sums,
        effects=effects,
        slip_path=state.sums[rubs][0],
        friction_work=state.sums[rubs][1],
    )


def leapfrog_state(
    model: Model,
    time: float,
    motion: Motion,
    friction: Friction,
    acts: Blocks,
    completed: Leapfrog,
    carried: Leapfrog,
    *,
    left: bool = True,
) -> State:
    """Return the state at ``time`` s, loads at their ``left`` or right limit, its velocity completed by half a kick.

    ``acts``: the generalised force of all but the friction and what has no resultant, N; ``completed``: what is ``carried`` with
    the ledgers of that half kick.
    """
    system = model.system
    rubs, first = len(system.effects), len(system.effects) - len(carried.effects)
    internal: list[Array | None] = [None] * (rubs + 1)
    own = system.own(time, motion)
    records = instant_records(system, time, Consistent(motion, friction, own), internal, left=left)
    energies = system.stored(time, motion)
    records = (*records[: rubs + 1], *(r._replace(stored=e) for r, e in zip(own, energies, strict=True)))
    work = np.zeros((len(records) + 1, 3))
    work[0, EXTERNAL], work[rubs, DISSIPATED] = completed.sums[loop.EXTERNAL], completed.sums[loop.FRICTION]
    work[rubs, NUMERICAL] = completed.sums[loop.FRICTION_NUMERICAL]
    work[-1, NUMERICAL] = -(sum(energies) - carried.strain_energy_at_start) - completed.sums[loop.INTERNAL]
    work[first:rubs] += completed.effects
    work[first:rubs, NUMERICAL] -= [r.stored for r in records[first:rubs]]
    return State(
        time=time,
        motion=motion,
        in_space=system.in_space(time, motion),
        friction=friction,
        records=records,
        sums=tuple((completed.slip_path, completed.friction_work) if k == rubs else () for k in range(len(records))),
        work=work,
        balance=axpy(acts, 1.0, friction.force),
        kinetic_energy=kinetic_energy(system, motion),
        leapfrog=carried,
    )
