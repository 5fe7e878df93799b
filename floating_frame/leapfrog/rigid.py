"""The explicit scheme of rigid bodies: central differences of (3.4)1 with u = 0, friction exact in the kick.

q'_{n+½} solves D (q'_{n+½} − q'_{n−½})/Δ = wrench(t_n) − Σ Gᵢᵀλᵢ(q'_{n+½}), arms at t_n; q_{n+1} = q_n + h q'_{n+½}. At output
times half a kick completes the velocity, as for elastic bodies. Springs apart, a rigid body has no stable step: give ``dt``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from floating_frame.coefficients import backward_euler
from floating_frame.effect.protocol import Blocks, Friction, Motion
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.leapfrog.effects import effects_of, kick_of, stored_at_start
from floating_frame.leapfrog.state import Leapfrog, booked, bound_in_kick, leapfrog_at, leapfrog_state, mean_of_limits
from floating_frame.scheme.step import initial_state
from floating_frame.system.model import Model
from floating_frame.system.protocol import friction_at
from floating_frame.system.state import Counts, State
from friction.rigid.coulomb import RigidSlip, solve_rigid_friction
from friction.rigid.problem import RigidFrictionProblem, RigidStart, point_velocity


def explicit_rigid_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body by ``dt`` s in equal steps no longer than the model's. Pure. Raises RigidFrictionError."""
    end = state.time + dt if end_time is None else end_time
    carried, coordinates, multiplier = leapfrog_at(model, state), state.frame.coordinates, state.multiplier
    steps = max(1, int(np.ceil(dt / model.steps.longest * (1.0 - 1e-9))))
    h, newton, fallbacks = dt / steps, 0, 0
    for time in state.time + h * np.arange(steps):
        done = kicked(model, float(time), coordinates, multiplier, carried, h)
        carried, multiplier = done.carried, done.slip.multiplier
        coordinates = coordinates + h * carried.rates
        newton, fallbacks = newton + done.slip.iterations, fallbacks + int(done.slip.fallback)
    last = kicked(model, end, coordinates, multiplier, carried, 0.0)
    acceleration = (last.acts + last.friction.force[0]) / model.system.apply_mass((np.ones(3),))[0]
    motion = Motion((coordinates,), (last.carried.rates,), (acceleration,))
    new = leapfrog_state(model, end, motion, last.friction, (last.acts,), last.carried, carried)
    return new, Counts(steps=steps, passes=steps, newton=newton, fallbacks=fallbacks)


@dataclass(frozen=True, kw_only=True)
class Kicked:
    """What a kick does: what is ``carried`` from it on, the ``slip`` after it, its ``friction``, and the wrench (3,) of all that
    ``acts`` beside it."""

    carried: Leapfrog
    slip: RigidSlip
    friction: Friction
    acts: Array


def kicked(model: Model, time: float, coordinates: Array, last: Array, carried: Leapfrog, h: float) -> Kicked:
    """Return the outcome of the kick about ``time`` s, which a step of ``h`` s follows (0: the half kick that completes a
    velocity).

    ``coordinates`` q (3,) at this time, ``last``: λ (N, 2), N, so far. Raises RigidFrictionError.
    """
    system, before, rates = model.system, carried.step, carried.rates
    length, d = 0.5 * (before + h), system.apply_mass((np.ones(3),))[0]
    arms, nodes = (to_inertial(X, coordinates[2]) for X in (model.body.friction.points, model.body.X))
    loads = wrench(nodes, mean_of_limits(partial(model.loads.total_force, time, nodes), h, before))
    ground = system.ground_rates(system.friction.ground(time + 0.5 * h))[0]
    rest = loads - wrench(arms, last)

    def gained(force: Blocks) -> Blocks:
        return (0.5 * length * (rest + force[0]) / d,)

    acting = kick_of(effects_of(model), time, (coordinates,), (rates,), gained)
    incoming, acts, bound = rates - ground, loads + acting.total[0], bound_in_kick(model, time, h, before)
    problem = RigidFrictionProblem(inertia=d / length, wrench=acts + d * incoming / length, arms=arms, bound=bound)
    slip = solve_rigid_friction(problem, RigidStart(incoming, last))
    sliding, after = point_velocity(slip.rates, arms), slip.rates + ground
    middle, rubs = 0.5 * (rates + after), wrench(arms, slip.multiplier)
    lost, by_ground = length * np.einsum("ia,ia->i", slip.multiplier, sliding), -length * float(ground @ rubs)
    carried = replace(
        carried,
        rates=after,
        step=h,
        sums=booked(carried.sums, length, middle, loads, rubs, float(lost.sum()), by_ground),
        effects=carried.effects + length * acting.power((middle,)),
        slip_path=carried.slip_path + h * np.hypot(sliding[:, 0], sliding[:, 1]),
        friction_work=carried.friction_work + lost,
    )
    return Kicked(carried=carried, slip=slip, friction=friction_at(sliding, slip.multiplier, (-rubs,)), acts=acts)


def initial_explicit_rigid_state(model: Model) -> State:
    """Return the state at t = 0, at the loads' right limit; the first kick is half a step long."""
    state = initial_state(backward_euler(), model.system)  # any scheme with inertia starts there
    carried = Leapfrog(
        velocity=np.zeros((0, 2)),
        rates=state.frame.rates,
        sums=np.zeros(6),
        effects=stored_at_start(model, state.motion.configuration, state.motion.velocity),
        slip_path=np.zeros(len(state.multiplier)),
        friction_work=np.zeros(len(state.multiplier)),
    )
    return replace(state, leapfrog=carried)
