"""The explicit scheme of rigid bodies: central differences of (3.4)₁ with u = 0, friction exact in the kick.

q'_{n+½} solves D (q'_{n+½} − q'_{n−½})/Δ = wrench(t_n) − Σ Gᵢᵀλᵢ(q'_{n+½}), arms at t_n; q_{n+1} = q_n + h q'_{n+½}. At output
times half a kick completes the velocity, as for elastic bodies. A rigid body has no stable step, so ``dt`` must be given.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floating_frame.coupling import resultant
from floating_frame.explicit import history_values
from floating_frame.kinematics import Array, Deformation, FrameMotion, cross, motion_in_space, to_inertial
from floating_frame.model import Model
from floating_frame.rigid_friction import RigidSlip, solve_rigid_friction
from floating_frame.rigid_step import inertia_of, initial_rigid_state, point_velocity
from floating_frame.state import Counts, Leapfrog, State, Totals
from friction.result import SLIP, STICK

_EXTERNAL, _FRICTION, _MISMATCH = range(3)


def explicit_rigid_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body by ``dt`` s in equal steps no longer than the model's. Pure. Raises RigidFrictionError."""
    end = state.time + dt if end_time is None else end_time
    assert model.explicit_step is not None
    assert state.leapfrog is not None
    steps = max(1, int(np.ceil(dt / model.explicit_step * (1.0 - 1e-9))))
    h = dt / steps
    before, rates = state.leapfrog.step, state.leapfrog.rates
    coordinates, sums = state.motion.coordinates, state.leapfrog.sums.copy()
    slip_path, work = state.slip_path.copy(), state.leapfrog.friction_work.copy()
    starts = state.time + h * np.arange(steps)
    values = history_values(model, starts, h, before)
    multiplier, newton, fallbacks = state.multiplier, 0, 0
    for time, value in zip(starts, values, strict=True):
        kick = 0.5 * (before + h)
        slip, arms, wrench = _kick(model, float(time), coordinates, rates, kick, value, multiplier)
        velocity = point_velocity(slip.rates, arms)
        lost = kick * np.einsum("ia,ia->i", slip.multiplier, velocity)
        _account(sums, kick, 0.5 * (rates + slip.rates), slip, arms, wrench, float(lost.sum()))
        rates, multiplier = slip.rates, slip.multiplier
        coordinates = coordinates + h * rates
        slip_path += h * np.hypot(velocity[:, 0], velocity[:, 1])
        work += lost
        newton, fallbacks, before = newton + slip.iterations, fallbacks + int(slip.fallback), h
    carried = Leapfrog(np.zeros((0, 2)), h, rates, sums, work, 0.0)
    new = _synchronised(model, end, coordinates, carried, slip_path, multiplier)
    return new, Counts(steps=steps, passes=steps, newton=newton, fallbacks=fallbacks)


def _kick(
    model: Model, time: float, coordinates: Array, rates: Array, kick: float, values: Array, multiplier: Array
) -> tuple[RigidSlip, Array, Array]:
    """The velocity after a kick of length ``kick`` s at ``time``; also arms (N, 2) m and wrench (3,) of the loads."""
    d, arms = inertia_of(model), to_inertial(model.body.X, coordinates[2])
    force = model.loads.shapes.T @ (values[:, None] * model.loads.forces)
    wrench = np.array([*force.sum(axis=0), cross(arms, force).sum()])
    weights = model.friction_weights(time)
    drive = wrench + d * rates / kick
    slip = solve_rigid_friction(d / kick, drive, arms, weights, start=rates, multiplier=multiplier)
    return slip, arms, wrench


def _account(sums: Array, kick: float, middle: Array, slip: RigidSlip, arms: Array, wrench: Array, lost: float) -> None:
    """Add a kick's external work, friction work and their mismatch to ``sums``."""
    friction = resultant(slip.multiplier, arms, np.zeros(2))
    sums[_EXTERNAL] += kick * float(middle @ wrench)
    sums[_FRICTION] += lost
    sums[_MISMATCH] += kick * float(middle @ friction) - lost


def _synchronised(
    model: Model, time: float, coordinates: Array, carried: Leapfrog, slip_path: Array, multiplier: Array
) -> State:
    """The state at an integer time: half a kick completes the velocity and the ledger."""
    rest = 0.5 * carried.step
    values = np.array([f.value(time) for f in model.loads.histories])
    slip, arms, wrench = _kick(model, time, coordinates, carried.rates, rest, values, multiplier)
    d, sums = inertia_of(model), carried.sums.copy()
    velocity = point_velocity(slip.rates, arms)
    lost = rest * np.einsum("ia,ia->i", slip.multiplier, velocity)
    _account(sums, rest, 0.5 * (carried.rates + slip.rates), slip, arms, wrench, float(lost.sum()))
    accelerations = (wrench - resultant(slip.multiplier, arms, np.zeros(2))) / d
    motion = FrameMotion(coordinates, slip.rates, accelerations)
    still = Deformation(*(np.zeros_like(model.body.X) for _ in range(3)))
    position, _, acceleration = motion_in_space(model.body.X, still, motion)
    return State(
        time=time,
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        multiplier=slip.multiplier,
        condition=np.where(np.any(velocity, axis=1), SLIP, STICK).astype(np.int8),
        motion=motion,
        resultant=wrench - resultant(slip.multiplier, arms, np.zeros(2)),
        slip_path=slip_path,
        friction_work=carried.friction_work + lost,
        strain_energy=0.0,
        kinetic_energy=0.5 * float(slip.rates @ (d * slip.rates)),
        totals=Totals(
            external=float(sums[_EXTERNAL]), friction=float(sums[_FRICTION]), numerical=float(sums[_MISMATCH])
        ),
        leapfrog=carried,
    )


def initial_explicit_rigid_state(model: Model) -> State:
    """The state at t = 0, at the loads' right limit; the first kick is half a step long."""
    state = initial_rigid_state(model)
    zero = np.zeros(len(model.body.X))
    return replace(state, leapfrog=Leapfrog(np.zeros((0, 2)), 0.0, state.motion.rates, np.zeros(3), zero, 0.0))
