"""The explicit scheme of rigid bodies: central differences of (3.4)₁ with u = 0, friction exact in the kick.

q'_{n+½} solves D (q'_{n+½} − q'_{n−½})/Δ = wrench(t_n) − Σ Gᵢᵀλᵢ(q'_{n+½}), arms at t_n; q_{n+1} = q_n + h q'_{n+½}. At output
times half a kick completes the velocity, as for elastic bodies. A rigid body has no stable step, so ``dt`` must be given.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floating_frame.coupling import resultant
from floating_frame.explicit import weights_at
from floating_frame.kinematics import Array, FrameMotion, to_inertial
from floating_frame.model import Model
from floating_frame.rigid_stage import external_wrench, inertia_of, rates_of
from floating_frame.rigid_step import initial_rigid_state, nodal_motion
from floating_frame.state import Counts, Leapfrog, State, Totals
from friction.result import SLIP, STICK
from friction.rigid.coulomb import RigidSlip, solve_rigid_friction
from friction.rigid.set_valued import point_velocity

_EXTERNAL, _FRICTION, _MISMATCH = range(3)


def explicit_rigid_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body by ``dt`` s in equal steps no longer than the model's. Pure. Raises RigidFrictionError."""
    end = state.time + dt if end_time is None else end_time
    carried = leapfrog_at(model, state)
    assert model.explicit is not None
    steps = max(1, int(np.ceil(dt / model.explicit.step * (1.0 - 1e-9))))
    h = dt / steps
    before, rates = carried.step, carried.rates
    coordinates, sums = state.motion.coordinates, carried.sums.copy()
    slip_path, work = state.slip_path.copy(), carried.friction_work.copy()
    starts = state.time + h * np.arange(steps)
    multiplier, newton, fallbacks = state.multiplier, 0, 0
    for time in starts:
        kick, ground = 0.5 * (before + h), rates_of(model.ground_velocity(float(time) + 0.5 * h))
        arms = to_inertial(model.body.friction.points, coordinates[2])
        wrench = _wrench(model, float(time), float(coordinates[2]), h, before)
        weights = weights_at(model, float(time), h, before)
        slip = _kick(model, arms, wrench, weights, rates - ground, kick, multiplier)
        sliding = point_velocity(slip.rates, arms)
        lost = kick * np.einsum("ia,ia->i", slip.multiplier, sliding)
        moved = slip.rates + ground
        _account(sums, kick, 0.5 * (rates + moved), slip, arms, wrench, ground, float(lost.sum()))
        rates, multiplier = moved, slip.multiplier
        coordinates = coordinates + h * rates
        slip_path += h * np.hypot(sliding[:, 0], sliding[:, 1])
        work += lost
        newton, fallbacks, before = newton + slip.iterations, fallbacks + int(slip.fallback), h
    carried = Leapfrog(np.zeros((0, 2)), h, rates, sums, work, 0.0)
    new = _synchronised(model, end, coordinates, carried, slip_path, multiplier)
    return new, Counts(steps=steps, passes=steps, newton=newton, fallbacks=fallbacks)


def leapfrog_at(model: Model, state: State) -> Leapfrog:
    """What is carried at the start of a step; as for elastic bodies a kick is cut in two where loads or the ground jump."""
    carried, totals = state.leapfrog, state.totals
    assert carried is not None
    if carried.step == 0.0 or not model.loads.breaks.at(state.time):
        return carried
    sums = np.array([totals.external, totals.friction, totals.numerical])
    return Leapfrog(carried.velocity, 0.0, state.motion.rates, sums, state.friction_work, 0.0)


def _wrench(model: Model, time: float, angle: float, h: float, before: float) -> Array:
    """Wrench (3,) of the loads; at a jump the limits weighted by the half steps around it."""
    left, right = (external_wrench(model, time, angle, left=side) for side in (True, False))
    return (before * left + h * right) / (before + h)


def _kick(
    model: Model, arms: Array, wrench: Array, weights: Array, slip: Array, kick: float, multiplier: Array
) -> RigidSlip:
    """The slip rates after a kick of length ``kick`` s under ``wrench`` (3,), from ``slip`` (3,): q' less the ground's."""
    d = inertia_of(model)
    return solve_rigid_friction(d / kick, wrench + d * slip / kick, arms, weights, start=slip, multiplier=multiplier)


def _account(
    sums: Array, kick: float, middle: Array, slip: RigidSlip, arms: Array, wrench: Array, ground: Array, lost: float
) -> None:
    """Add a kick's external work (that of the ground too), friction work and their mismatch to ``sums``."""
    friction = resultant(slip.multiplier, arms, np.zeros(2))
    by_ground = -kick * float(ground @ friction)
    sums[_EXTERNAL] += kick * float(middle @ wrench) + by_ground
    sums[_FRICTION] += lost
    sums[_MISMATCH] += kick * float(middle @ friction) - lost + by_ground


def _synchronised(
    model: Model, time: float, coordinates: Array, carried: Leapfrog, slip_path: Array, multiplier: Array
) -> State:
    """The state at an integer time: half a kick completes the velocity and the ledger."""
    rest = 0.5 * carried.step
    arms = to_inertial(model.body.friction.points, coordinates[2])
    ground, wrench = rates_of(model.ground_velocity(time)), external_wrench(model, time, float(coordinates[2]))
    slip = _kick(model, arms, wrench, model.friction_weights(time), carried.rates - ground, rest, multiplier)
    d, sums, rates = inertia_of(model), carried.sums.copy(), slip.rates + ground
    sliding = point_velocity(slip.rates, arms)
    lost = rest * np.einsum("ia,ia->i", slip.multiplier, sliding)
    _account(sums, rest, 0.5 * (carried.rates + rates), slip, arms, wrench, ground, float(lost.sum()))
    accelerations = (wrench - resultant(slip.multiplier, arms, np.zeros(2))) / d
    motion = FrameMotion(coordinates, rates, accelerations)
    position, velocity, acceleration = nodal_motion(model, motion)
    return State(
        time=time,
        position=position,
        velocity=velocity,
        slip=sliding,
        acceleration=acceleration,
        multiplier=slip.multiplier,
        condition=np.where(np.any(sliding, axis=1), SLIP, STICK).astype(np.int8),
        motion=motion,
        resultant=wrench - resultant(slip.multiplier, arms, np.zeros(2)),
        slip_path=slip_path,
        friction_work=carried.friction_work + lost,
        strain_energy=0.0,
        kinetic_energy=0.5 * float(rates @ (d * rates)),
        totals=Totals(
            external=float(sums[_EXTERNAL]), friction=float(sums[_FRICTION]), numerical=float(sums[_MISMATCH])
        ),
        leapfrog=carried,
        ground=ground[:2],
    )


def initial_explicit_rigid_state(model: Model) -> State:
    """The state at t = 0, at the loads' right limit; the first kick is half a step long."""
    state = initial_rigid_state(model)
    zero = np.zeros(len(model.body.friction.points))
    return replace(state, leapfrog=Leapfrog(np.zeros((0, 2)), 0.0, state.motion.rates, np.zeros(3), zero, 0.0))
