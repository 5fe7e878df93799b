"""Rigid bodies under regularised friction laws by an error-controlled Runge–Kutta method, as the paper proposes for (3.4)₁.

With u = 0 (3.4)₁ is D q'' = wrench(t, q) − Σ Gᵢᵀ λᵢ(v_i(q, q')), an ordinary differential equation for a law whose λ is a
function of v; for a law that remembers, of v and its bristles' Δ, which are further unknowns, Δ' = rate(Δ, v). SciPy's Radau IIA
(order 5, for it is stiff) takes it from output to output at ``Options.error_tolerance``, or where that is None at
``Options.tolerance``. Work and dissipation are Gauss quadratures of the dense solution, so the balance closes at the
integrator's tolerance.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from floating_frame.bristle_energy import Stored, balanced
from floating_frame.clamped import modes_of
from floating_frame.coupling import resultant
from floating_frame.errors import NotConverged
from floating_frame.kinematics import Array, FrameMotion, to_inertial
from floating_frame.memory import stage_law, with_bristles
from floating_frame.model import Model
from floating_frame.rigid_contact import contact_state, contact_tangents, contact_wrench
from floating_frame.rigid_stage import external_wrench, inertia_of, rates_of
from floating_frame.rigid_step import nodal_motion
from floating_frame.state import Counts, State, Totals
from friction.result import SLIP, STICK
from friction.rigid.set_valued import point_velocity

_GAUSS = np.polynomial.legendre.leggauss(4)
MOST_EVALUATIONS = 50_000
"""Evaluations of (3.4)₁ within one step of ``runge_kutta_step``, above which the steps within have collapsed."""

SMALL = 1e-3
"""Size of bristles' deformations over the body's, in tolerances."""


def runge_kutta_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body by ``dt`` s to ``end_time`` (default time + dt). Pure. Raises NotConverged."""
    end = state.time + dt if end_time is None else end_time
    d, about = inertia_of(model), np.zeros(2)
    radius = float(np.sqrt(model.mass.second_moment / model.mass.total))

    evaluations = count()

    def rhs(time: float, y: Array) -> Array:
        """y' at ``time``: at the start the loads' right limit; t + h c may exceed the end by rounding."""
        if next(evaluations) > MOST_EVALUATIONS:
            raise NotConverged(
                f"its own steps have collapsed, {MOST_EVALUATIONS} evaluations led to t = {time:.9g} s only"
            )
        arms, sliding, lam, wrench = _instant(model, min(time, end), y, left=time > state.time)
        return np.concatenate([y[3:6], (wrench - resultant(lam, arms, about)) / d, _bristle_rates(model, y, sliding)])

    def jacobian(time: float, y: Array) -> Any:
        """The stiff part, ∂q''/∂q' = −D⁻¹ Σ Gᵀ (∂λ/∂v) G; how q'' follows q is not stiff and left to the iteration."""
        left = time > state.time
        arms, sliding, _, _ = _instant(model, time, y, left=left)
        modes, memory, weights = modes_of(arms), _memory(model, y), model.friction_weights(time, left=left)
        blocks = stage_law(model.law, weights, memory, 0.0).tangent(sliding, weights)
        damping = np.einsum("kna,nab,lnb->kl", modes, blocks, modes)
        by_place = np.zeros((3, 3))
        if model.contacts:  # stiff in q too
            _, by_place, by_rate = contact_tangents(model, time, y[:3], y[3:6])
            damping = damping - by_rate
        rigid = np.block([[np.zeros((3, 3)), np.eye(3)], [by_place / d[:, None], -damping / d[:, None]]])
        return (
            rigid
            if memory is None
            else with_bristles(model.law.shared(weights), rigid, d, modes, memory, sliding, weights)
        )

    speed = max(float(np.abs(state.velocity).max()), 1e-6 * radius / dt)
    wanted = model.options.error_tolerance
    tolerance = max(model.options.tolerance if wanted is None else wanted, 1e-12)
    absolute = tolerance * np.array([radius, radius, 1.0, speed, speed, speed / radius])
    deformed = np.zeros(0) if state.memory is None else state.memory.ravel()
    absolute = np.concatenate([absolute, np.full(len(deformed), SMALL * tolerance * radius)])
    found = solve_ivp(
        rhs,
        (state.time, end),
        np.concatenate([state.motion.coordinates, state.motion.rates, deformed]),
        method="Radau",
        dense_output=True,
        jac=jacobian,
        rtol=tolerance,
        atol=absolute,
    )
    if not (found.success and np.all(np.isfinite(found.y))):
        raise NotConverged(f"the Runge–Kutta integration stopped at t = {found.t[-1]:.9g} s: {found.message}")
    lost, external, slip_path, friction_work = 0.0, 0.0, state.slip_path.copy(), state.friction_work.copy()
    storing = np.zeros_like(friction_work)
    for left, right in zip(found.t[:-1], found.t[1:], strict=True):
        half = 0.5 * (right - left)
        for abscissa, weight in zip(*_GAUSS, strict=True):
            time = left + half * (1.0 + abscissa)
            y = found.sol(time)
            _, sliding, lam, _ = _instant(model, time, y)
            wrench = external_wrench(model, time, float(y[2]))
            touching = contact_state(model, time, y[:3], y[3:6])
            external += weight * half * touching.driven
            lost += weight * half * touching.lost
            # The ground works on the body through the friction force −λ.
            external += weight * half * float(wrench @ y[3:6] - model.ground_velocity(time) @ lam.sum(axis=0))
            slip_path += weight * half * np.hypot(sliding[:, 0], sliding[:, 1])
            power = np.einsum("ia,ia->i", lam, sliding)
            becoming_heat = _dissipation(model, time, y, sliding, power)
            friction_work += weight * half * becoming_heat
            storing += weight * half * (power - becoming_heat)
    y = found.y[:, -1]
    arms, sliding, lam, wrench = _instant(model, end, y)
    ground, bent = model.ground_velocity(end), _memory(model, y)
    stored = Stored(storing) if bent is None else balanced(model, state, storing, bent, end)
    motion = FrameMotion(y[:3], y[3:6], (wrench - resultant(lam, arms, about)) / d)
    position, velocity, acceleration = nodal_motion(model, motion)
    new = State(
        time=end,
        position=position,
        velocity=velocity,
        slip=sliding,
        acceleration=acceleration,
        multiplier=lam,
        condition=np.where(np.any(sliding, axis=1), SLIP, STICK).astype(np.int8),
        motion=motion,
        resultant=wrench - resultant(lam, arms, about),
        slip_path=slip_path,
        friction_work=friction_work,
        strain_energy=0.0,
        kinetic_energy=0.5 * float(motion.rates @ (d * motion.rates)),
        totals=state.totals.plus(
            Totals(
                external + stored.external,
                float((friction_work - state.friction_work).sum()),
                numerical=stored.numerical,
                contact=lost,
            ),
        ),
        ground=ground,
        memory=bent,
        contact=contact_state(model, end, y[:3], y[3:6]),
    )
    taken = len(found.t) - 1
    return new, Counts(steps=taken, passes=taken, newton=int(found.nlu), smallest_step=float(np.diff(found.t).min()))


def _instant(model: Model, time: float, y: Array, *, left: bool = True) -> tuple[Array, Array, Array, Array]:
    """(arms (N, 2), nodal slip velocity (N, 2), λ (N, 2), wrench (3,) of loads and contacts) at (q, q', Δ) = ``y``; at a break
    loads and ground have one of their limits."""
    arms = to_inertial(model.body.friction.points, float(y[2]))
    sliding = point_velocity(y[3:6] - rates_of(model.ground_velocity(time, left=left)), arms)
    weights = model.friction_weights(time, left=left)
    lam = stage_law(model.law, weights, _memory(model, y), 0.0).force(sliding, weights)
    wrench = external_wrench(model, time, float(y[2]), left=left) + contact_wrench(model, time, y[:3], y[3:6])
    return arms, sliding, lam, wrench


def _dissipation(model: Model, time: float, y: Array, sliding: Array, power: Array) -> Array:
    """What of the ``power`` λ·v (N,) W becomes heat, ≥ 0: all of it, or what bristles do not store."""
    memory = _memory(model, y)
    if memory is None:
        return power
    weights = model.friction_weights(time)
    return stage_law(model.law, weights, memory, 0.0).dissipation(sliding, weights)


def _memory(model: Model, y: Array) -> Array | None:
    """Δ (N, 2) m in ``y``; None where the law does not remember."""
    return y[6:].reshape(-1, 2) if model.law.remembers else None


def _bristle_rates(model: Model, y: Array, sliding: Array) -> Array:
    """Δ' (2N,) m/s, or (0,)."""
    memory = _memory(model, y)
    return np.zeros(0) if memory is None else model.law.memory_rate(memory, sliding).ravel()
