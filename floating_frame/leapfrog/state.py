"""The state of the explicit scheme at an integer time, and what it carries half a step behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floating_frame.effect.protocol import Blocks, Friction, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.leapfrog.stability import ExplicitPlan
from floating_frame.model import Model
from floating_frame.scheme.ledger import DISSIPATED, EXTERNAL, NUMERICAL, kinetic_energy
from floating_frame.scheme.step import instant_records
from floating_frame.system.state import State


@dataclass(frozen=True)
class Leapfrog:
    """What the explicit scheme carries beside x: nodal ``velocity`` (N, 2) m/s and frame ``rates`` (3,) half a step before, the
    last ``step``'s length s, the ledger's ``sums`` (see ``explicit_loop``), ``friction_work`` so far (N,) J,
    ``strain_energy_at_start`` J; ``stiffening``: the largest of ω_max² over that of the reference so far; ``produced`` J by the
    steps so far and ``largest`` energy J (see ``explicit_stability``); ``look``: steps to the next look at the body."""

    velocity: Array
    step: float
    rates: Array
    sums: Array
    friction_work: Array
    strain_energy_at_start: float
    stiffening: float = 1.0
    produced: float = 0.0
    largest: float = 0.0
    look: int = 0


@dataclass(frozen=True, kw_only=True)
class LeapfrogWork:
    """The ledger so far, J: ``external`` work, dissipation of ``friction``, and the numerical parts of friction and ``strain``;
    ``applied``: the generalised force of loads and friction now, N."""

    external: float
    friction: float
    friction_numerical: float
    applied: Blocks
    strain: float = 0.0


def plan_of(model: Model) -> ExplicitPlan:
    """Return the plan of a model's explicit steps."""
    assert isinstance(model.steps, ExplicitPlan)
    return model.steps


def slip_path_of(model: Model, state: State) -> Array:
    """Return the slip path (N,) m so far."""
    return state.sums[len(model.system.effects)][0]


def friction_work_of(model: Model, state: State) -> Array:
    """Return the friction work (N,) J so far."""
    return state.sums[len(model.system.effects)][1]


def leapfrog_state(
    model: Model,
    time: float,
    motion: Motion,
    friction: Friction,
    works: LeapfrogWork,
    sums: tuple[Array, Array],
    carried: Leapfrog,
    *,
    left: bool = True,
) -> State:
    """Return the state; ``sums``: slip path m and friction work J
    (N,)."""
    system = model.system
    rubs = len(system.effects)
    internal: list[Array | None] = [None] * (rubs + 1)
    own = system.own(time, motion)
    records = instant_records(system, time, motion, friction, own, internal, left=left)
    stored = (*[0.0] * (rubs + 1), *system.stored(time, motion))
    work = np.zeros((len(records) + 1, 3))
    work[0, EXTERNAL], work[rubs, DISSIPATED], work[rubs, NUMERICAL] = (
        works.external,
        works.friction,
        works.friction_numerical,
    )
    work[-1, NUMERICAL] = works.strain
    return State(
        time=time,
        motion=motion,
        in_space=system.in_space(motion),
        friction=friction,
        records=tuple(r._replace(stored=e) for r, e in zip(records, stored, strict=True)),
        sums=tuple(sums if k == rubs else () for k in range(len(records))),
        work=work,
        balance=works.applied,
        kinetic_energy=kinetic_energy(system, motion.velocity),
        leapfrog=carried,
    )
