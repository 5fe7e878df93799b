"""The energy ledger of one step, from its stages: what the loads put in, what friction and the scheme take out.

With working velocities v̂_s = Σ_j work_sj v_j, weights b_s and M a_s = f_int,s + f_ext,s − λ_s,

    ΔT = Δt Σ b_s v̂_s·M a_s − ½ Δt² Σ m_st a_s·M a_t          (exact; m the algebraic-stability form)

so ΔT + ΔU = W_ext − D_friction − D_numerical with W_ext = Δt Σ b_s (v̂_s·f_ext,s − v_g,s·Σλ_s), the ground's power through the
friction force −λ on the body included, D_friction = Δt Σ b_s λ_s·(v_s − v_g,s) ≥ 0 and

    D_numerical = ½ Δt² Σ m_st a_s·M a_t  +  (−ΔU − Δt Σ b_s v̂_s·f_int,s)  +  Δt Σ b_s λ_s·(v̂_s − v_s):

the kinetic part, the error of the internal power's quadrature, and (for θ schemes) the part of the friction impulse that
does not work on the velocity of the law. What then remains of the balance is solver tolerance. Where the thermal strain
changes, its work at fixed u (``thermal``) is counted in W_ext, and ΔU stands for what remains of ΔU without it. Bristles of a
law that remembers hold a part of the power λ·v, which D_friction is without (``bristle_energy``).

Contacts with obstacles do the work W_c = Δt Σ b_s v̂_s·F_s. In continuous time it is the obstacles' work, less the growth of the
contacts' elastic energy E and what their dampers and friction dissipate; so W_ext has the first, E and D_contact stand beside U
and D_friction, and the error of this power's quadrature, −W_c + W_obstacle − ΔE − D_contact, is numerical.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from floating_frame.bristle_energy import step_stored
from floating_frame.contact_assembly import ContactState
from floating_frame.kernels import dot
from floating_frame.kinematics import Array, to_body
from floating_frame.model import Model
from floating_frame.schemes import Scheme
from floating_frame.state import State, Totals

if TYPE_CHECKING:
    from floating_frame.coupling import Stage


@dataclass(frozen=True)
class StepWork:
    """One step's work: ``totals`` J; nodal ``slip_path`` m and ``friction_work`` J (N,); energies J at its end."""

    totals: Totals
    slip_path: Array
    friction_work: Array
    strain_energy: float
    kinetic_energy: float


def step_work(model: Model, state: State, stages: list[Stage], dt: float, end: float, displacement: Array) -> StepWork:
    """Evaluate the ledger of a step from ``state`` over its ``stages``; ``displacement`` u (N, 2) at its ``end``, frame."""
    scheme = model.scheme
    assert scheme is not None
    matrix = model.mass.matrix
    velocities = [state.velocity, *(s.velocity for s in stages)]
    rates = [state.motion.rates, *(s.motion.rates for s in stages)]
    forms = scheme.kinetic_form
    inertia_forces = [matrix @ s.acceleration for s in stages]
    external = friction_numerical = internal = kinetic = inertial = 0.0
    slip_path = np.zeros(len(displacement))
    friction_work = np.zeros(len(displacement))
    for i, (stage, b) in enumerate(zip(stages, scheme.weights, strict=True)):
        working = working_velocity(scheme.work[i], velocities)
        external += b * dot(working, stage.external)
        if stage.reaction is not None:  # a moving clamp does work
            reaction_power = float(stage.reaction @ working_velocity(scheme.work[i], rates))
            external += b * reaction_power
            if (
                working is not stage.velocity
            ):  # v̂ of a turning clamp's nodes is no rigid motion: what holds them works too
                rest = inertia_forces[i] - stage.internal - stage.external + stage.multiplier
                nodes = model.clamp
                friction_numerical += b * (reaction_power - float(np.vdot(working[nodes], rest[nodes])))
        internal += b * dot(working, stage.internal)
        power = np.einsum("ia,ia->i", stage.multiplier, stage.sliding)
        if np.any(stage.ground):  # the ground's power through the friction force −λ on the body
            external -= b * float(stage.ground @ stage.multiplier.sum(axis=0))
        friction_work += dt * b * power
        slip_path += dt * b * np.hypot(stage.sliding[:, 0], stage.sliding[:, 1])
        if working is not stage.velocity:
            friction_numerical += b * dot(stage.multiplier, working - stage.velocity)
        inertial += b * dot(working, inertia_forces[i])
        for j, other in enumerate(inertia_forces):
            kinetic += 0.5 * forms[i, j] * dot(stage.acceleration, other)
    last = stages[-1].velocity
    kinetic_energy = 0.5 * dot(last, matrix @ last) if scheme.inertia else 0.0
    kinetic_part = dt * dt * kinetic
    if (
        model.clamped
    ):  # a turning clamp's nodes do not follow the nodal stage formula: the error of ΔT's quadrature itself
        kinetic_part = dt * inertial - (kinetic_energy - state.kinetic_energy)
    strain_energy = float(model.body_at(end).strain_energy(displacement))
    heat = 0.0
    if model.heating is not None:
        motion = state.motion
        before = to_body(state.position - motion.coordinates[:2], motion.angle) - model.body.X
        heat = model.heating.work(state.time, end, before, displacement)
    strain_error = -(strain_energy - state.strain_energy - heat) - dt * internal
    contact = contact_work(model, state, stages, dt, velocities).plus(exact_work(scheme, stages[-1], velocities, dt))
    stored = step_stored(model, state, [s.bristles for s in stages], scheme.weights, dt, end)
    friction_work -= stored.nodal
    return StepWork(
        totals=Totals(
            external=dt * external + heat + contact.external + stored.external,
            friction=float(friction_work.sum()),
            numerical=kinetic_part + strain_error + dt * friction_numerical + contact.numerical + stored.numerical,
            contact=contact.contact,
        ),
        slip_path=slip_path,
        friction_work=friction_work,
        strain_energy=strain_energy,
        kinetic_energy=kinetic_energy,
    )


def contact_work(model: Model, state: State, stages: list[Stage], dt: float, velocities: list[Array]) -> Totals:
    """What contacts have to do with a step of an elastic body."""
    scheme = model.scheme
    if not model.contacts or scheme is None:
        return Totals()
    forces = [dot(working_velocity(scheme.work[i], velocities), stage.contact_force) for i, stage in enumerate(stages)]
    return contact_totals(scheme, state.contact, [s.contact for s in stages], forces, dt)


def exact_work(scheme: Scheme, stage: Stage, velocities: list[Array], dt: float) -> Totals:
    """The obstacles' work, what impacts and friction on the wall take, and the impulse's part that the working velocity misses."""
    if not len(stage.exact.force):
        return Totals()
    mean = 0.5 * (velocities[0] + velocities[-1])
    missed = dot(stage.exact.force, mean - working_velocity(scheme.work[-1], velocities))
    return Totals(external=dt * stage.exact.driven, numerical=dt * missed, contact=dt * stage.exact.lost)


def contact_totals(
    scheme: Scheme, start: ContactState, contacts: list[ContactState], powers: Sequence[float], dt: float
) -> Totals:
    """The obstacles' work, what contacts dissipate, and the error of the quadrature of their power (v̂_s·F_s, the ``powers``)."""
    driven = lost = 0.0
    for i, (contact, b) in enumerate(zip(contacts, scheme.weights, strict=True)):
        for share, at in ((scheme.force[i, 0], start), (scheme.force[i, i + 1], contact)):
            driven += dt * b * share * at.driven
            lost += dt * b * share * at.lost
    worked, stored = dt * float(np.dot(scheme.weights, powers)), contacts[-1].energy - start.energy
    return Totals(external=driven, numerical=driven - worked - stored - lost, contact=lost)


def working_velocity(row: Array, velocities: list[Array]) -> Array:
    """v̂ = Σ_j work_j v_j; the stage's own velocity itself where that is all."""
    (entries,) = np.nonzero(row)
    if len(entries) == 1 and row[entries[0]] == 1.0:
        return velocities[entries[0]]
    total = np.zeros_like(velocities[0])
    for j in entries:
        total = total + row[j] * velocities[j]
    return total
