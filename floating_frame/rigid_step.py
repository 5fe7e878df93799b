"""One time step of a rigid body: (3.4)₁ with u = 0, friction integrated over its sample points, through the same schemes.

A stage solves D (q' − q'*)/τ_v = wrench − Σ Gᵢᵀ λᵢ with D = diag(M, M, J_zz), arms turned by the stage's own angle.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floating_frame.bristle_energy import step_stored
from floating_frame.contact_assembly import NO_CONTACT
from floating_frame.coupling import resultant
from floating_frame.errors import NotConverged, in_pass
from floating_frame.kinematics import Array, Deformation, FrameMotion, motion_in_space, to_inertial
from floating_frame.ledger import contact_totals
from floating_frame.memory import at_end, at_rest, inherited, stage_law
from floating_frame.model import Model
from floating_frame.rigid_contact import RigidPenalty, contact_state, contact_wrench
from floating_frame.rigid_stage import (
    RigidStage,
    external_wrench,
    held_at_rest,
    inertia_of,
    rates_of,
    slip_before,
    solve_slip,
    would_reverse,
)
from floating_frame.signorini_rigid import RigidContact
from floating_frame.state import Counts, State, Totals
from friction.result import SLIP, STICK
from friction.rigid.set_valued import point_velocity, solve_at_rest

MAX_TURNS = 60
SETTLED = 1e-13
"""Part of the contact force, or of the momenta over tau, that a linearisation of penalty contacts may miss."""


def rigid_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body by ``dt`` s to ``end_time`` (default time + dt). Raises FrictionSolveError, NotConverged."""
    scheme = model.scheme
    assert scheme is not None
    end = state.time + dt if end_time is None else end_time
    d = inertia_of(model)
    friction = model.body.friction.points
    start_wrench = (
        external_wrench(model, state.time, state.motion.angle, left=False) if scheme.needs_start_force else np.zeros(3)
    )
    start_contact = state.contact.wrench(state.position, state.motion.coordinates[:2])
    stages: list[RigidStage] = []
    counts, pressing = Counts(steps=1), model
    for index in range(scheme.stages):
        time = end if scheme.nodes[index] == 1.0 else state.time + scheme.nodes[index] * dt
        a_x, a_v, mix = scheme.position[index], scheme.velocity[index], scheme.force[index]
        coordinates = state.motion.coordinates + dt * a_x[0] * state.motion.rates
        rates = state.motion.rates
        for j, earlier in enumerate(stages, start=1):
            coordinates = coordinates + dt * a_x[j] * earlier.rates
            rates = rates + dt * a_v[j] * earlier.accelerations
        tau_x, tau_v = dt * a_x[index + 1], dt * a_v[index + 1]
        incoming = slip_before(state, stages)
        weights, ground = model.friction_weights(time), rates_of(model.ground_velocity(time))
        memory = inherited(model, state, stages, dt, a_x)
        law = stage_law(model.law, weights, memory, tau_x)
        guess = stages[-1].rates if stages else state.motion.rates
        multiplier = stages[-1].multiplier if stages else state.multiplier
        angle = coordinates[2] + tau_x * guess[2]
        touch = None
        if model.exact is not None:
            touch = RigidContact(model, model.exact, coordinates, rates, tau_x, tau_v, time, state.exact_force)
            touch.settled(guess, angle)
        soft = None
        if model.contacts:
            symmetric = model.law.set_valued and bool(weights.any())
            pressing = replace(model, contacts=model.contacts.during(state, stages, dt, a_x))
            soft = RigidPenalty(
                pressing, time, coordinates, tau_x, mix[index + 1], mix[0] * start_contact, d / tau_v, symmetric
            )
        newton, fallbacks, pushed, exact = 0, 0, np.zeros(3), NO_CONTACT
        for turn in range(1, MAX_TURNS + 1):
            arms = to_inertial(friction, angle)
            wrench = mix[index + 1] * external_wrench(model, time, angle) + mix[0] * start_wrench
            drive, h, start = wrench + d * (rates - ground) / tau_v, d / tau_v, guess - ground
            if soft is not None:  # about the guess, as the arms are
                h, acting = soft.linearised(guess, ground)
                drive = drive + acting
            with in_pass(turn, time):
                if touch is None:
                    slip = solve_slip(law, h, drive, arms, weights, start, multiplier, incoming)
                else:
                    slip, pushed = touch.solve(law, incoming, h, drive, angle, weights, ground, start, multiplier)
            newton, fallbacks = newton + slip.iterations, fallbacks + int(slip.fallback)
            whole, guess, multiplier = True, slip.rates + ground, slip.multiplier
            if soft is not None:
                guess, whole = soft.damped(guess)
            new_angle = coordinates[2] + tau_x * guess[2]
            at, turned_by, angle, missed = angle, abs(new_angle - angle), new_angle, 0.0 if soft is None else soft.left
            if (
                whole
                and turned_by <= (1e-14 if touch is None else 1e-12) * (1.0 + abs(angle))
                and missed <= SETTLED
                and (touch is None or touch.settled(guess, at))
            ):
                break
        else:
            raise NotConverged(
                f"the angle of the stage ending at t = {time:.9g} s did not settle in {turn} passes (still {turned_by:.3g} rad; "
                f"contact force still by {missed:.3g} of the forces)"
            )
        sliding = point_velocity(slip.rates, arms)
        if touch is not None:
            exact = touch.state(pushed, rates, guess)
        stages.append(
            RigidStage(
                coordinates + tau_x * guess,
                guess,
                (guess - rates) / tau_v,
                slip.multiplier,
                wrench,
                sliding,
                weights,
                ground,
                at_end(model.law, weights, memory, sliding, tau_x),
                exact,
                None if touch is None else touch.points.force,
                pushed,
                *(() if soft is None else soft.result(guess)),
            )
        )
        counts = counts.plus(Counts(passes=turn, newton=newton, fallbacks=fallbacks))
    held = scheme.guards_reversal and would_reverse(model, state, stages, dt)
    if held:
        last = held_at_rest(stages, scheme, state, dt)
        at = (pressing, end, last.coordinates, last.rates)
        stages[-1] = replace(last, contact=contact_state(*at), contact_wrench=contact_wrench(*at))
    return finish_rigid(pressing, state, stages, dt, end, held), counts


def nodal_motion(model: Model, motion: FrameMotion) -> tuple[Array, Array, Array]:
    """(x, v, a) (N, 2) of a rigid body's nodes, inertial."""
    still = Deformation(*(np.zeros_like(model.body.X) for _ in range(3)))
    return motion_in_space(model.body.X, still, motion)


def rigid_acceleration_at(
    model: Model, time: float, coordinates: Array, rates: Array, *, left: bool = True
) -> tuple[Array, Array, Array]:
    """(q'' (3,), λ (N, 2), wrench (3,) of loads and contacts) at one instant: points at rest on the ground may start to slide
    along q''. A law that remembers has nothing to remember yet."""
    arms = to_inertial(model.body.friction.points, coordinates[2])
    wrench = external_wrench(model, time, coordinates[2], left=left) + contact_wrench(model, time, coordinates, rates)
    weights = model.friction_weights(time, left=left)
    sliding = rates - rates_of(model.ground_velocity(time, left=left))
    law = stage_law(model.law, weights, at_rest(model.law, len(arms)), 0.0)
    multiplier = law.force(point_velocity(sliding, arms), weights)
    if np.any(sliding) or not law.set_valued:
        return (wrench - resultant(multiplier, arms, np.zeros(2))) / inertia_of(model), multiplier, wrench
    d, ground = inertia_of(model), rates_of(model.ground_acceleration(time, left=left))
    slip = solve_at_rest(law, d, wrench - d * ground, arms, weights)
    return slip.rates + ground, slip.multiplier, wrench


def finish_rigid(model: Model, state: State, stages: list[RigidStage], dt: float, end: float, held: bool) -> State:
    """The state at the end of the step and its ledger (see ``ledger``; here with three-vectors and no strain energy)."""
    scheme = model.scheme
    assert scheme is not None
    d, last, b = inertia_of(model), stages[-1], scheme.weights
    forms = scheme.kinetic_form
    rates = np.array([state.motion.rates, *(s.rates for s in stages)])
    accelerations = np.array([s.accelerations for s in stages])
    working = scheme.work @ rates
    powers = [np.einsum("ia,ia->i", s.multiplier, s.sliding) for s in stages]
    stored = step_stored(model, state, [s.bristles for s in stages], b, dt, end)
    friction_work = dt * np.tensordot(b, powers, 1) - stored.nodal
    turned = [to_inertial(model.body.friction.points, s.coordinates[2]) for s in stages]
    friction_wrenches = [resultant(s.multiplier, at, np.zeros(2)) for s, at in zip(stages, turned, strict=True)]
    if held:  # its λ are left open; their resultant is what keeps the body on the ground
        friction_wrenches[-1] = last.effort - d * last.accelerations
    # The ground works on the body through the friction force −λ.
    external = dt * sum(
        b[i] * (float(working[i] @ s.wrench) - float(s.ground @ friction_wrenches[i])) for i, s in enumerate(stages)
    )
    mismatch = sum(b[i] * float((working[i] - rates[i + 1]) @ friction_wrenches[i]) for i in range(len(stages)))
    impact = float(last.exact_wrench @ (0.5 * (rates[0] + rates[-1]) - working[-1]))  # see ``signorini_stage``
    contact = Totals()
    if model.contacts:
        powers = [float(working[i] @ s.contact_wrench) for i, s in enumerate(stages)]
        contact = contact_totals(scheme, state.contact, [s.contact for s in stages], powers, dt)
    kinetic_part = 0.5 * dt * dt * float(np.einsum("ij,ik,jk,k->", forms, accelerations, accelerations, d))
    if held:
        end_acceleration, multiplier, wrench = rigid_acceleration_at(model, end, last.coordinates, last.rates)
    else:
        end_acceleration, multiplier, wrench = last.accelerations, last.multiplier, last.effort
    motion = FrameMotion(last.coordinates, last.rates, end_acceleration)
    position, velocity, acceleration = nodal_motion(model, motion)
    speeds = [np.hypot(*s.sliding.T) for s in stages]
    return State(
        time=end,
        position=position,
        velocity=velocity,
        slip=last.sliding,
        memory=None if last.bristles is None else last.bristles.deformation,
        acceleration=acceleration,
        multiplier=multiplier,
        condition=np.where(np.any(last.sliding, axis=1), SLIP, STICK).astype(np.int8),
        motion=motion,
        resultant=wrench + last.exact_wrench - resultant(multiplier, turned[-1], np.zeros(2)),
        slip_path=state.slip_path + dt * np.tensordot(b, speeds, 1),
        friction_work=state.friction_work + friction_work,
        strain_energy=0.0,
        kinetic_energy=0.5 * float(last.rates @ (d * last.rates)),
        totals=state.totals.plus(
            Totals(
                external=external + dt * last.exact.driven + stored.external,
                friction=float(friction_work.sum()),
                numerical=kinetic_part + dt * (mismatch + impact) + stored.numerical,
                contact=dt * last.exact.lost,
            )
        ).plus(contact),
        ground=last.ground[:2],
        contact=last.contact,
        exact=last.exact,
        exact_force=last.exact_force,
    )


def initial_rigid_state(model: Model) -> State:
    """The state at t = 0, accelerations at the loads' right limit. Raises ValueError for an initial deformation."""
    initial = model.problem.initial
    if initial.displacement is not None or initial.rate is not None:
        raise ValueError("a rigid body takes no initial displacement or displacement rate")
    initial.fields(model.body.X)  # checks them
    coordinates, rates = np.zeros(3), np.array([*initial.velocity, initial.spin], float)
    accelerations, multiplier, wrench = rigid_acceleration_at(model, 0.0, coordinates, rates, left=False)
    motion = FrameMotion(coordinates, rates, accelerations)
    position, velocity, acceleration = nodal_motion(model, motion)
    friction, ground = model.body.friction.points, model.ground_velocity(0.0)
    zero, slip = np.zeros(len(friction)), point_velocity(rates - rates_of(ground), friction)
    return State(
        time=0.0,
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        slip=slip,
        multiplier=multiplier,
        condition=np.where(np.any(slip, axis=1), SLIP, STICK).astype(np.int8),
        motion=motion,
        resultant=wrench - resultant(multiplier, friction, np.zeros(2)),
        slip_path=zero,
        friction_work=zero,
        strain_energy=0.0,
        kinetic_energy=0.5 * float(rates @ (inertia_of(model) * rates)),
        ground=ground,
        memory=at_rest(model.law, len(friction)),
        contact=contact_state(model, 0.0, coordinates, rates),
    )
