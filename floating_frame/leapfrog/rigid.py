"""The explicit scheme of rigid bodies: central differences of (3.4)₁ with u = 0, friction exact in the kick.

q'_{n+½} solves D (q'_{n+½} − q'_{n−½})/Δ = wrench(t_n) − Σ Gᵢᵀλᵢ(q'_{n+½}), arms at t_n; q_{n+1} = q_n + h q'_{n+½}. At output
times half a kick completes the velocity, as for elastic bodies. A rigid body has no stable step, so ``dt`` must be given.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floating_frame.effect.protocol import Friction, Motion
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.leapfrog.plate import weights_at
from floating_frame.leapfrog.state import Leapfrog, LeapfrogWork, friction_work_of, leapfrog_state, slip_path_of
from floating_frame.model import Model
from floating_frame.scheme.coefficients import backward_euler
from floating_frame.scheme.step import initial_state
from floating_frame.system.plate.staggered import resultant
from floating_frame.system.rigid.points import wrench as wrench_of
from floating_frame.system.state import Counts, State
from friction.result import SLIP, STICK
from friction.rigid.coulomb import RigidSlip, solve_rigid_friction
from friction.rigid.problem import RigidFrictionProblem, RigidStart
from friction.rigid.set_valued import point_velocity

_EXTERNAL, _FRICTION, _MISMATCH = range(3)


def explicit_rigid_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body by ``dt`` s in equal steps no longer than the model's. Pure. Raises RigidFrictionError."""
    end = state.time + dt if end_time is None else end_time
    carried = leapfrog_at(model, state)
    steps = max(1, int(np.ceil(dt / model.steps.longest * (1.0 - 1e-9))))
    h = dt / steps
    before, rates = carried.step, carried.rates
    coordinates, sums = state.frame.coordinates, carried.sums.copy()
    slip_path, work = slip_path_of(model, state).copy(), carried.friction_work.copy()
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
    carried = state.leapfrog
    assert carried is not None
    if carried.step == 0.0 or not model.loads.breaks.at(state.time):
        return carried
    return Leapfrog(
        carried.velocity, 0.0, state.frame.rates, state.work.sum(axis=0), friction_work_of(model, state), 0.0
    )


def inertia_of(model: Model) -> Array:
    """D = (M, M, J_zz), kg, kg, kg m²."""
    return np.array([model.mass.total, model.mass.total, model.mass.second_moment])


def rates_of(ground: Array) -> Array:
    """(v_g, 0) (3,): the rates of a body that rests on ground of velocity v_g (2,)."""
    return np.array([*ground, 0.0])


def external_wrench(model: Model, time: float, angle: float, *, left: bool = True) -> Array:
    """(F_x, F_y, M_z) of the loads about x0, with the body turned by ``angle`` rad."""
    arms = to_inertial(model.body.X, angle)
    return wrench_of(arms, model.loads.total_force(time, arms, left=left))


def _wrench(model: Model, time: float, angle: float, h: float, before: float) -> Array:
    """Wrench (3,) of the loads; at a jump the limits weighted by the half steps around it."""
    left, right = (external_wrench(model, time, angle, left=side) for side in (True, False))
    return (before * left + h * right) / (before + h)


def _kick(
    model: Model, arms: Array, wrench: Array, weights: Array, slip: Array, kick: float, multiplier: Array
) -> RigidSlip:
    """The slip rates after a kick of length ``kick`` s under ``wrench`` (3,), from ``slip`` (3,): q' less the ground's."""
    d = inertia_of(model)
    problem = RigidFrictionProblem(inertia=d / kick, wrench=wrench + d * slip / kick, arms=arms, bound=weights)
    return solve_rigid_friction(problem, RigidStart(slip, multiplier))


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
    status = np.where(np.any(sliding, axis=1), SLIP, STICK).astype(np.int8)
    force = resultant(slip.multiplier, arms, np.zeros(2))
    friction = Friction(sliding, slip.multiplier, status, (-force,))
    works = LeapfrogWork(
        external=float(sums[_EXTERNAL]),
        friction=float(sums[_FRICTION]),
        friction_numerical=float(sums[_MISMATCH]),
        applied=(wrench - force,),
    )
    motion, spent = Motion((coordinates,), (rates,), (accelerations,)), (slip_path, carried.friction_work + lost)
    return leapfrog_state(model, time, motion, friction, works, spent, carried)


def initial_explicit_rigid_state(model: Model) -> State:
    """The state at t = 0, at the loads' right limit; the first kick is half a step long."""
    state = initial_state(backward_euler(), model.system)  # any scheme with inertia starts there
    zero = np.zeros(len(model.body.friction.points))
    return replace(state, leapfrog=Leapfrog(np.zeros((0, 2)), 0.0, state.frame.rates, np.zeros(3), zero, 0.0))
