"""The explicit scheme of rigid bodies: central differences of (3.4)1 with u = 0, friction exact in the kick.

q'_{n+½} solves D (q'_{n+½} − q'_{n−½})/Δ = wrench(t_n) − Σ Gᵢᵀλᵢ(q'_{n+½}), arms at t_n; q_{n+1} = q_n + h q'_{n+½}. At output
times half a kick completes the velocity, as for elastic bodies. Springs apart, a rigid body has no stable step: give ``dt``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from floating_frame.effect.protocol import Blocks, Motion
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.leapfrog import loop
from floating_frame.leapfrog.effects import effects_of, kick_of, stored_at_start
from floating_frame.leapfrog.plate import weights_at
from floating_frame.leapfrog.state import Completed, Leapfrog, leapfrog_at, leapfrog_state, slip_path_of
from floating_frame.model import Model
from floating_frame.scheme.coefficients import backward_euler
from floating_frame.scheme.step import initial_state
from floating_frame.system.protocol import friction_at
from floating_frame.system.state import Counts, State
from friction.rigid.coulomb import RigidSlip, solve_rigid_friction
from friction.rigid.problem import RigidFrictionProblem, RigidStart, point_velocity


def explicit_rigid_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body by ``dt`` s in equal steps no longer than the model's. Pure. Raises RigidFrictionError."""
    end = state.time + dt if end_time is None else end_time
    carried = leapfrog_at(model, state)
    steps = max(1, int(np.ceil(dt / model.steps.longest * (1.0 - 1e-9))))
    h = dt / steps
    before, rates = carried.step, carried.rates
    coordinates, sums, effects = state.frame.coordinates, carried.sums.copy(), carried.effects.copy()
    slip_path, work = slip_path_of(model, state).copy(), carried.friction_work.copy()
    multiplier, newton, fallbacks = state.multiplier, 0, 0
    for time in state.time + h * np.arange(steps):
        wrench = _wrench(model, float(time), float(coordinates[2]), h, before)
        ground = rates_of(model.system.friction.ground(float(time) + 0.5 * h))
        bound = weights_at(model, float(time), h, before)
        kick = Kick(
            time=float(time),
            coordinates=coordinates,
            rates=rates,
            wrench=wrench,
            bound=bound,
            ground=ground,
            length=0.5 * (before + h),
        )
        done = kicked(model, kick, multiplier, sums, effects)
        rates, multiplier = done.slip.rates + ground, done.slip.multiplier
        coordinates = coordinates + h * rates
        slip_path += h * np.hypot(done.sliding[:, 0], done.sliding[:, 1])
        work += done.lost
        newton, fallbacks, before = newton + done.slip.iterations, fallbacks + int(done.slip.fallback), h
    carried = replace(carried, rates=rates, step=h, sums=sums, effects=effects, friction_work=work)
    new = _synchronised(model, end, coordinates, carried, slip_path, multiplier)
    return new, Counts(steps=steps, passes=steps, newton=newton, fallbacks=fallbacks)


def inertia_of(model: Model) -> Array:
    """Return D = (M, M, J_zz), kg, kg, kg m²."""
    return np.array([model.mass.total, model.mass.total, model.mass.second_moment])


def rates_of(ground: Array) -> Array:
    """Return (v_g, 0) (3,): the rates of a body that rests on ground of velocity v_g (2,)."""
    return np.array([*ground, 0.0])


def external_wrench(model: Model, time: float, angle: float, *, left: bool = True) -> Array:
    """Return (F_x, F_y, M_z) of the loads about x0, with the body turned by ``angle`` rad."""
    arms = to_inertial(model.body.X, angle)
    return wrench(arms, model.loads.total_force(time, arms, left=left))


def _wrench(model: Model, time: float, angle: float, h: float, before: float) -> Array:
    """Return the wrench (3,) of the loads; at a jump the limits weighted by the half steps around it."""
    left, right = (external_wrench(model, time, angle, left=side) for side in (True, False))
    return (before * left + h * right) / (before + h)


@dataclass(frozen=True, kw_only=True)
class Kick:
    """A kick of ``length`` s about ``time`` s.

    ``coordinates`` q at this time and ``rates`` q' before it (3,); the loads' ``wrench`` (3,), N, N, N m; friction ``bound``
    (N,), N; ``ground``: rates (3,) of a body at rest on the ground.
    """

    time: float
    coordinates: Array
    rates: Array
    wrench: Array
    bound: Array
    ground: Array
    length: float


class Kicked(NamedTuple):
    """What a kick does: ``slip`` after it, ``sliding`` velocities (N, 2) m/s and heat ``lost`` (N,) J of the friction points, the
    wrenches (3,) of ``friction`` and of all that ``acts`` beside it."""

    slip: RigidSlip
    sliding: Array
    lost: Array
    friction: Array
    acts: Array


def kicked(model: Model, kick: Kick, last: Array, sums: Array, effects: Array) -> Kicked:
    """Return the outcome of a kick and add its works to ``sums`` (6,) and ``effects`` (n, 3), J. Raises RigidFrictionError.

    ``last``: λ (N, 2), N, so far.
    """
    arms, d, length = to_inertial(model.body.friction.points, kick.coordinates[2]), inertia_of(model), kick.length
    rest = kick.wrench - wrench(arms, last)

    def gained(force: Blocks) -> Blocks:
        return (0.5 * length * (rest + force[0]) / d,)

    acting = kick_of(effects_of(model), kick.time, (kick.coordinates,), (kick.rates,), gained)
    incoming, acts = kick.rates - kick.ground, kick.wrench + acting.total[0]
    problem = RigidFrictionProblem(inertia=d / length, wrench=acts + d * incoming / length, arms=arms, bound=kick.bound)
    slip = solve_rigid_friction(problem, RigidStart(incoming, last))
    sliding, middle = point_velocity(slip.rates, arms), 0.5 * (kick.rates + (slip.rates + kick.ground))
    lost, friction = length * np.einsum("ia,ia->i", slip.multiplier, sliding), wrench(arms, slip.multiplier)
    by_ground = -length * float(kick.ground @ friction)
    sums[loop.EXTERNAL] += length * float(middle @ kick.wrench) + by_ground
    sums[loop.FRICTION] += float(lost.sum())
    sums[loop.FRICTION_NUMERICAL] += length * float(middle @ friction) - float(lost.sum()) + by_ground
    effects += length * acting.power((middle,))
    return Kicked(slip, sliding, lost, friction, acts)


def _synchronised(
    model: Model, time: float, coordinates: Array, carried: Leapfrog, slip_path: Array, multiplier: Array
) -> State:
    """Return the state at an integer time: half a kick completes the velocity and the ledger."""
    wrench, bound = external_wrench(model, time, float(coordinates[2])), model.system.friction.bound(time)
    ground, sums, effects = rates_of(model.system.friction.ground(time)), carried.sums.copy(), carried.effects.copy()
    kick = Kick(
        time=time,
        coordinates=coordinates,
        rates=carried.rates,
        wrench=wrench,
        bound=bound,
        ground=ground,
        length=0.5 * carried.step,
    )
    slip, sliding, lost, friction, acts = kicked(model, kick, multiplier, sums, effects)
    now = Completed(
        motion=Motion((coordinates,), (slip.rates + ground,), ((acts - friction) / inertia_of(model),)),
        friction=friction_at(sliding, slip.multiplier, (-friction,)),
        balance=(acts - friction,),
        sums=sums,
        effects=effects,
        slip_path=slip_path,
        friction_work=carried.friction_work + lost,
    )
    return leapfrog_state(model, time, now, carried)


def initial_explicit_rigid_state(model: Model) -> State:
    """Return the state at t = 0, at the loads' right limit; the first kick is half a step long."""
    state = initial_state(backward_euler(), model.system)  # any scheme with inertia starts there
    carried = Leapfrog(
        velocity=np.zeros((0, 2)),
        rates=state.frame.rates,
        sums=np.zeros(6),
        effects=stored_at_start(model, state.motion.configuration, state.motion.velocity),
        friction_work=np.zeros(len(model.body.friction.points)),
    )
    return replace(state, leapfrog=carried)
