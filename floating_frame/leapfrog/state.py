"""The state of the explicit scheme at an integer time, and what it carries half a step behind."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from floating_frame.effect.protocol import Blocks, Friction, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.leapfrog import loop
from floating_frame.leapfrog.effects import REST
from floating_frame.model import Model
from floating_frame.scheme.ledger import DISSIPATED, EXTERNAL, NUMERICAL
from floating_frame.scheme.step import instant_records
from floating_frame.system.state import State


@dataclass(frozen=True, kw_only=True)
class Leapfrog:
    """What the explicit scheme carries beside x.

    ``velocity`` of the nodes (N, 2), m/s (of a rigid body without rows), and ``rates`` of the frame (3,), half a step before; the
    length of the last ``step``, s, 0 where the next kick is the half after a start; the ledgers so far, ``sums`` (6,), see
    ``leapfrog.loop``, and that of the ``effects`` (n, 3), J, see ``leapfrog.effects``; ``friction_work`` so far (N,), J;
    ``strain_energy_at_start``, J; ``stiffening``, the largest ω_max² over that of the reference; ``produced`` energy and the
    ``largest`` so far, J, see ``leapfrog.stability``; ``look``: steps to the next look at the body.
    """

    velocity: Array
    rates: Array
    step: float = 0.0
    sums: Array
    effects: Array
    friction_work: Array
    strain_energy_at_start: float = 0.0
    stiffening: float = 1.0
    produced: float = 0.0
    largest: float = 0.0
    look: int = 0


def slip_path_of(model: Model, state: State) -> Array:
    """Return the slip path (N,) m so far."""
    return state.sums[len(model.system.effects)][0]


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
        friction_work=state.sums[rubs][1],
    )


@dataclass(frozen=True, kw_only=True)
class Completed:
    """An integer time, its velocity completed by half a kick.

    ``balance``: the generalised force of all that acts but what has no resultant, N; ``sums``, ``effects``: ledgers as those of
    ``Leapfrog``, J; ``slip_path`` and ``friction_work`` so far (N,), m and J.
    """

    motion: Motion
    friction: Friction
    balance: Blocks
    sums: Array
    effects: Array
    slip_path: Array
    friction_work: Array


def leapfrog_state(model: Model, time: float, now: Completed, carried: Leapfrog, *, left: bool = True) -> State:
    """Return the state at ``time`` s, loads at their ``left`` or right limit."""
    system = model.system
    rubs, first = len(system.effects), len(system.effects) - len(now.effects)
    internal: list[Array | None] = [None] * (rubs + 1)
    own = system.own(time, now.motion)
    records = instant_records(system, time, now.motion, now.friction, own, internal, left=left)
    energies = system.stored(time, now.motion)
    records = (*records[: rubs + 1], *(r._replace(stored=e) for r, e in zip(own, energies, strict=True)))
    work = np.zeros((len(records) + 1, 3))
    work[0, EXTERNAL], work[rubs, DISSIPATED] = now.sums[loop.EXTERNAL], now.sums[loop.FRICTION]
    work[rubs, NUMERICAL] = now.sums[loop.FRICTION_NUMERICAL]
    work[-1, NUMERICAL] = -(sum(energies) - carried.strain_energy_at_start) - now.sums[loop.INTERNAL]
    work[first:rubs] += now.effects
    work[first:rubs, NUMERICAL] -= [r.stored for r in records[first:rubs]]
    return State(
        time=time,
        motion=now.motion,
        in_space=system.in_space(now.motion),
        friction=now.friction,
        records=records,
        sums=tuple((now.slip_path, now.friction_work) if k == rubs else () for k in range(len(records))),
        work=work,
        balance=now.balance,
        kinetic_energy=system.kinetic_energy(now.motion),
        leapfrog=carried,
    )
