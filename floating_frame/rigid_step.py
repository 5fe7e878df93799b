"""One time step of a rigid body: (3.4)₁ with u = 0, friction integrated over its sample points, through the same schemes.

A stage solves D (q' − q'*)/τ_v = wrench − Σ Gᵢᵀ λᵢ with D = diag(M, M, J_zz), arms turned by the stage's own angle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from floating_frame.coupling import resultant
from floating_frame.errors import NotConverged
from floating_frame.kinematics import Array, Deformation, FrameMotion, cross, motion_in_space, to_inertial
from floating_frame.model import Model
from floating_frame.rigid_friction import RigidSlip, solve_rigid_friction
from floating_frame.rigid_regular import solve_rigid_regular
from floating_frame.schemes import Scheme
from floating_frame.state import Counts, State, Totals
from friction.result import SLIP, STICK

MAX_TURNS = 60


@dataclass(frozen=True)
class RigidStage:
    """A solved stage: q, q', q'' (3,), λ (N, 2) inertial, external ``wrench`` (F_x, F_y, M_z), nodal velocities (N, 2)."""

    coordinates: Array
    rates: Array
    accelerations: Array
    multiplier: Array
    wrench: Array
    velocity: Array
    weights: Array


def inertia_of(model: Model) -> Array:
    """D = (M, M, J_zz), kg, kg, kg m²."""
    return np.array([model.mass.total, model.mass.total, model.mass.second_moment])


def point_velocity(rates: Array, arms: Array) -> Array:
    """v_i = x0' + ω J d_i, (N, 2), exactly zero for q' = 0."""
    return np.stack([rates[0] - rates[2] * arms[:, 1], rates[1] + rates[2] * arms[:, 0]], axis=1)


def external_wrench(model: Model, time: float, arms: Array, *, left: bool = True) -> Array:
    """(F_x, F_y, M_z) of the loads about x0."""
    force = model.loads.nodal_force(time, left=left)
    return np.array([*force.sum(axis=0), cross(arms, force).sum()])


def solve_slip(
    model: Model, inertia: Array, wrench: Array, arms: Array, weights: Array, start: Array, multiplier: Array
) -> RigidSlip:
    """Friction under the body by the model's law, set-valued or regularised."""
    if model.law.set_valued:
        return solve_rigid_friction(inertia, wrench, arms, weights, start=start, multiplier=multiplier)
    return solve_rigid_regular(model.law, inertia, wrench, arms, weights, start=start)


def rigid_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body by ``dt`` s to ``end_time`` (default time + dt). Raises FrictionSolveError, NotConverged."""
    scheme = model.scheme
    assert scheme is not None
    end = state.time + dt if end_time is None else end_time
    d = inertia_of(model)
    start_arms = to_inertial(model.body.X, state.motion.angle)
    start_wrench = (
        external_wrench(model, state.time, start_arms, left=False) if scheme.needs_start_force else np.zeros(3)
    )
    stages: list[RigidStage] = []
    counts = Counts(steps=1)
    for index in range(scheme.stages):
        time = end if scheme.nodes[index] == 1.0 else state.time + scheme.nodes[index] * dt
        a_x, a_v, mix = scheme.position[index], scheme.velocity[index], scheme.force[index]
        coordinates = state.motion.coordinates + dt * a_x[0] * state.motion.rates
        rates = state.motion.rates
        for j, earlier in enumerate(stages, start=1):
            coordinates = coordinates + dt * a_x[j] * earlier.rates
            rates = rates + dt * a_v[j] * earlier.accelerations
        tau_x, tau_v = dt * a_x[index + 1], dt * a_v[index + 1]
        weights = model.friction_weights(time)
        guess = stages[-1].rates if stages else state.motion.rates
        multiplier = stages[-1].multiplier if stages else state.multiplier
        angle = coordinates[2] + tau_x * guess[2]
        newton, fallbacks = 0, 0
        for turn in range(1, MAX_TURNS + 1):  # noqa: B007
            arms = to_inertial(model.body.X, angle)
            wrench = mix[index + 1] * external_wrench(model, time, arms) + mix[0] * start_wrench
            slip = solve_slip(model, d / tau_v, wrench + d * rates / tau_v, arms, weights, guess, multiplier)
            newton, fallbacks = newton + slip.iterations, fallbacks + int(slip.fallback)
            guess, multiplier = slip.rates, slip.multiplier
            new_angle = coordinates[2] + tau_x * slip.rates[2]
            turned_by, angle = abs(new_angle - angle), new_angle
            if turned_by <= 1e-14 * (1.0 + abs(angle)):
                break
        else:
            raise NotConverged(
                f"the angle of the stage ending at t = {time:.9g} s did not settle (still {turned_by:.3g} rad)"
            )
        stages.append(
            RigidStage(
                coordinates + tau_x * slip.rates,
                slip.rates,
                (slip.rates - rates) / tau_v,
                slip.multiplier,
                wrench,
                point_velocity(slip.rates, arms),
                weights,
            )
        )
        counts = counts.plus(Counts(passes=turn, newton=newton, fallbacks=fallbacks))
    held = scheme.guards_reversal and would_reverse(model, state, stages, dt)
    if held:
        stages[-1] = held_at_rest(stages, scheme, state, dt)
    return finish_rigid(model, state, stages, dt, end, held), counts


def would_reverse(model: Model, state: State, stages: list[RigidStage], dt: float) -> bool:
    """Whether the step ends sliding backwards although friction could have kept the body at rest in the mean.

    Backwards: q'·D q'_n < 0 with q'_n the incoming velocity. In the mean: the wrench that stops the body over the step,
    D q'_n/Δt + Σ b_s wrench_s, lies inside the limit surface of the mean weights.
    """
    scheme = model.scheme
    assert scheme is not None
    incoming = state.motion.rates if np.any(state.motion.rates) else stages[0].rates
    d = inertia_of(model)
    if not (model.law.set_valued and float(stages[-1].rates @ (d * incoming)) < 0.0):
        return False
    mean_wrench = np.array([s.wrench for s in stages]).T @ scheme.weights
    mean_weights = np.array([s.weights for s in stages]).T @ scheme.weights
    needed = d * state.motion.rates / dt + mean_wrench
    arms = to_inertial(model.body.X, stages[-1].coordinates[2])
    none = np.zeros_like(arms)
    slip = solve_rigid_friction(d, needed, arms, mean_weights, start=np.zeros(3), multiplier=none)
    return not np.any(slip.rates)


def held_at_rest(stages: list[RigidStage], scheme: Scheme, state: State, dt: float) -> RigidStage:
    """The last stage with the body held: q' = 0 and q'' such that q'* + τ_v q'' = 0."""
    last = stages[-1]
    earlier = [s.accelerations for s in stages[:-1]]
    rates = state.motion.rates + dt * np.tensordot(scheme.velocity[-1][1:-1], np.array(earlier).reshape(-1, 3), 1)
    zero = np.zeros_like(last.velocity)
    coordinates = last.coordinates - dt * scheme.position[-1][-1] * last.rates
    accelerations = -rates / (dt * scheme.velocity[-1][-1])
    return replace(
        last,
        coordinates=coordinates,
        rates=np.zeros(3),
        accelerations=accelerations,
        multiplier=zero,
        velocity=zero,
    )


def rigid_acceleration_at(
    model: Model, time: float, coordinates: Array, rates: Array, *, left: bool = True
) -> tuple[Array, Array, Array]:
    """(q'' (3,), λ (N, 2), external wrench (3,)) at one instant: points at rest may start to slide along q''."""
    arms = to_inertial(model.body.X, coordinates[2])
    wrench = external_wrench(model, time, arms, left=left)
    weights = model.friction_weights(time)
    velocity = point_velocity(rates, arms)
    multiplier = model.law.force(velocity, weights)
    if np.any(rates):
        return (wrench - resultant(multiplier, arms, np.zeros(2))) / inertia_of(model), multiplier, wrench
    if not model.law.set_valued:
        return wrench / inertia_of(model), multiplier, wrench
    slip = solve_rigid_friction(
        inertia_of(model), wrench, arms, weights, start=np.zeros(3), multiplier=np.zeros_like(arms)
    )
    return slip.rates, slip.multiplier, wrench


def finish_rigid(model: Model, state: State, stages: list[RigidStage], dt: float, end: float, held: bool) -> State:
    """The state at the end of the step and its ledger (see ``ledger``; here with three-vectors and no strain energy)."""
    scheme = model.scheme
    assert scheme is not None
    d, last, b = inertia_of(model), stages[-1], scheme.weights
    forms = scheme.kinetic_form
    rates = np.array([state.motion.rates, *(s.rates for s in stages)])
    accelerations = np.array([s.accelerations for s in stages])
    working = scheme.work @ rates
    powers = [np.einsum("ia,ia->i", s.multiplier, s.velocity) for s in stages]
    friction_work = dt * np.tensordot(b, powers, 1)
    friction_wrenches = [
        resultant(s.multiplier, to_inertial(model.body.X, s.coordinates[2]), np.zeros(2)) for s in stages
    ]
    external = dt * sum(b[i] * float(working[i] @ s.wrench) for i, s in enumerate(stages))
    mismatch = sum(b[i] * float((working[i] - rates[i + 1]) @ friction_wrenches[i]) for i in range(len(stages)))
    kinetic_part = 0.5 * dt * dt * float(np.einsum("ij,ik,jk,k->", forms, accelerations, accelerations, d))
    if held:
        end_acceleration, multiplier, wrench = rigid_acceleration_at(model, end, last.coordinates, last.rates)
    else:
        end_acceleration, multiplier, wrench = last.accelerations, last.multiplier, last.wrench
    motion = FrameMotion(last.coordinates, last.rates, end_acceleration)
    still = Deformation(*(np.zeros_like(model.body.X) for _ in range(3)))
    position, _, acceleration = motion_in_space(model.body.X, still, motion)
    speeds = [np.hypot(s.velocity[:, 0], s.velocity[:, 1]) for s in stages]
    return State(
        time=end,
        position=position,
        velocity=last.velocity,
        acceleration=acceleration,
        multiplier=multiplier,
        condition=np.where(np.any(last.velocity, axis=1), SLIP, STICK).astype(np.int8),
        motion=motion,
        resultant=wrench - resultant(multiplier, position, motion.coordinates[:2]),
        slip_path=state.slip_path + dt * np.tensordot(b, speeds, 1),
        friction_work=state.friction_work + friction_work,
        strain_energy=0.0,
        kinetic_energy=0.5 * float(last.rates @ (d * last.rates)),
        totals=state.totals.plus(
            Totals(external=external, friction=float(friction_work.sum()), numerical=kinetic_part + dt * mismatch)
        ),
    )


def initial_rigid_state(model: Model) -> State:
    """The state at t = 0, accelerations at the loads' right limit. Raises ValueError for an initial deformation."""
    initial = model.problem.initial
    if initial.displacement is not None or initial.rate is not None:
        raise ValueError("a rigid body takes no initial displacement or displacement rate")
    position, velocity = initial.fields(model.body.X)
    coordinates, rates = np.zeros(3), np.array([*initial.velocity, initial.spin], float)
    accelerations, multiplier, wrench = rigid_acceleration_at(model, 0.0, coordinates, rates, left=False)
    motion = FrameMotion(coordinates, rates, accelerations)
    still = Deformation(*(np.zeros_like(position) for _ in range(3)))
    zero = np.zeros(len(position))
    return State(
        time=0.0,
        position=position,
        velocity=velocity,
        acceleration=motion_in_space(model.body.X, still, motion)[2],
        multiplier=multiplier,
        condition=np.where(np.any(velocity, axis=1), SLIP, STICK).astype(np.int8),
        motion=motion,
        resultant=wrench - resultant(multiplier, position, np.zeros(2)),
        slip_path=zero,
        friction_work=zero,
        strain_energy=0.0,
        kinetic_energy=0.5 * float(rates @ (inertia_of(model) * rates)),
    )
