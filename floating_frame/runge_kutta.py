"""Rigid bodies under regularised friction laws by an error-controlled Runge–Kutta method, as the paper proposes for (3.4)₁.

With u = 0 (3.4)₁ is D q'' = wrench(t, q) − Σ Gᵢᵀ λᵢ(v_i(q, q')), an ordinary differential equation for a law whose λ is a
function of v. SciPy's Radau IIA (order 5, for it is stiff) takes it from output to output at ``Options.tolerance``. Work and
dissipation are Gauss quadratures of the dense solution, so the balance closes at the integrator's tolerance.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from floating_frame.coupling import resultant
from floating_frame.errors import NotConverged
from floating_frame.kinematics import Array, Deformation, FrameMotion, motion_in_space, to_inertial
from floating_frame.model import Model
from floating_frame.rigid_step import external_wrench, inertia_of, point_velocity
from floating_frame.state import Counts, State, Totals
from friction.result import SLIP, STICK

_GAUSS = np.polynomial.legendre.leggauss(4)


def runge_kutta_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance a rigid body by ``dt`` s to ``end_time`` (default time + dt). Pure. Raises NotConverged."""
    end = state.time + dt if end_time is None else end_time
    d, about = inertia_of(model), np.zeros(2)
    radius = float(np.sqrt(model.mass.second_moment / model.mass.total))

    def rhs(time: float, y: Array) -> Array:
        arms, _, lam, wrench = _instant(model, time, y)
        return np.concatenate([y[3:], (wrench - resultant(lam, arms, about)) / d])

    speed = max(float(np.abs(state.velocity).max()), 1e-6 * radius / dt)
    tolerance = max(model.options.tolerance, 1e-12)
    absolute = tolerance * np.array([radius, radius, 1.0, speed, speed, speed / radius])
    found = solve_ivp(
        rhs,
        (state.time, end),
        np.concatenate([state.motion.coordinates, state.motion.rates]),
        method="Radau",
        dense_output=True,
        rtol=tolerance,
        atol=absolute,
    )
    if not (found.success and np.all(np.isfinite(found.y))):
        raise NotConverged(f"the Runge–Kutta integration stopped at t = {found.t[-1]:.9g} s: {found.message}")
    external, slip_path, friction_work = 0.0, state.slip_path.copy(), state.friction_work.copy()
    for left, right in zip(found.t[:-1], found.t[1:], strict=True):
        half = 0.5 * (right - left)
        for abscissa, weight in zip(*_GAUSS, strict=True):
            time = left + half * (1.0 + abscissa)
            y = found.sol(time)
            _, velocity, lam, wrench = _instant(model, time, y)
            external += weight * half * float(wrench @ y[3:])
            slip_path += weight * half * np.hypot(velocity[:, 0], velocity[:, 1])
            friction_work += weight * half * np.einsum("ia,ia->i", lam, velocity)
    y = found.y[:, -1]
    arms, velocity, lam, wrench = _instant(model, end, y)
    motion = FrameMotion(y[:3], y[3:], (wrench - resultant(lam, arms, about)) / d)
    still = Deformation(*(np.zeros_like(arms) for _ in range(3)))
    position, _, acceleration = motion_in_space(model.body.X, still, motion)
    new = State(
        time=end,
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        multiplier=lam,
        condition=np.where(np.any(velocity, axis=1), SLIP, STICK).astype(np.int8),
        motion=motion,
        resultant=wrench - resultant(lam, arms, about),
        slip_path=slip_path,
        friction_work=friction_work,
        strain_energy=0.0,
        kinetic_energy=0.5 * float(motion.rates @ (d * motion.rates)),
        totals=state.totals.plus(Totals(external, float((friction_work - state.friction_work).sum()))),
    )
    return new, Counts(steps=1, passes=len(found.t) - 1, newton=int(found.nlu))


def _instant(model: Model, time: float, y: Array) -> tuple[Array, Array, Array, Array]:
    """(arms (N, 2), nodal velocity (N, 2), λ (N, 2), external wrench (3,)) at (q, q') = ``y`` (6,)."""
    arms = to_inertial(model.body.X, float(y[2]))
    velocity = point_velocity(y[3:], arms)
    lam = model.law.force(velocity, model.friction_weights(time))
    return arms, velocity, lam, external_wrench(model, time, arms)
