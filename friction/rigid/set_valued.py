"""Friction under a rigid body by any set-valued law, through the solver for Coulomb's (``rigid.coulomb``).

With a metric D (elliptic): λ_i ∈ w_i ∂|D v_i|. D is symmetric, so that D J = J adj(D), J the quarter turn, and D v_i is the
velocity x' + ω J d'_i of a point at d'_i = adj(D) d_i under p' = T p, T = diag(D, 1). So p' minimises the isotropic problem with
H' = T⁻¹HT⁻¹, c' = T⁻¹c and arms d', and λ_i = D λ'_i.

Bounds that depend on the speed, |λ_i| ≤ w_i m(|v_i|): a fixed point of Coulomb's problem with given bounds, which contracts by
about τ w |m'|/M over a stage of length τ. Where it does not settle the stage is too long for the law's slope: a named failure.

Static and kinetic bounds: a point that slid when the stage began has its kinetic bound, any other its static one until it
slides in the stage; then it has the kinetic one for good. The set of released points only grows, so the rounds end.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from friction.arrays import Array, Bools, moving
from friction.errors import RigidFrictionError
from friction.laws.protocol import Law, RadialLaw
from friction.rigid.coulomb import RigidSlip, solve_rigid_friction
from friction.rigid.problem import RigidFrictionProblem, RigidStart, point_velocity
from friction.stick import breakaway, is_coulomb

MAX_ROUNDS = 60
BOUND_CHANGE = 1e-13
"""Largest change of a bound between rounds that counts as none, relative to Σ w."""


def solve_set_valued(law: Law, problem: RigidFrictionProblem, start: RigidStart, slid: Bools) -> RigidSlip:
    """Solve a rigid row's problem under a set-valued law, in inertial axes, its totals shared.

    ``slid`` (N,): which points slid when the stage began. Raises RigidFrictionError where bounds do not settle, too.
    """
    if law.metric is not None:
        return _stretched(law.metric, problem, start)
    if is_coulomb(law):
        return solve_rigid_friction(problem, start)
    radial, sliding, total = law.radial, slid.copy(), float(problem.bound.sum())
    bounds = bounds_of(radial, point_velocity(start.rates, problem.arms), problem.bound, sliding)
    iterations, fallback = 0, False
    for _ in range(MAX_ROUNDS):
        slip = solve_rigid_friction(replace(problem, bound=bounds), start)
        iterations, fallback = iterations + slip.iterations, fallback or slip.fallback
        velocity = point_velocity(slip.rates, problem.arms)
        sliding |= moving(velocity)
        new = bounds_of(radial, velocity, problem.bound, sliding)
        change = float(np.abs(new - bounds).max(initial=0.0))
        if change <= BOUND_CHANGE * total:
            return RigidSlip(slip.rates, slip.multiplier, iterations, fallback)
        start, bounds = RigidStart(slip.rates, slip.multiplier), new
    raise RigidFrictionError(
        f"the friction bounds, which depend on the speed of slip, did not settle in {MAX_ROUNDS} rounds (one still changes by "
        f"{change:.3g} N); use a smaller time step"
    )


def bounds_of(law: RadialLaw, velocity: Array, bound: Array, slid: Bools) -> Array:
    """Return the bounds (N,), N, of ``|λ_i|`` at slip velocities (N, 2), m/s; at rest kinetic where points ``slid`` (N,)."""
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    at_rest = np.where(slid, law.kinetic, law.static)
    return bound * np.where(speed > 0.0, np.minimum(law.profile(speed), law.cap), at_rest)


def solve_at_rest(law: Law, problem: RigidFrictionProblem) -> RigidSlip:
    """Solve a rigid row's problem of an instant, from rest, with accelerations for velocities: how sliding begins, if it does."""
    begins, bounds = breakaway(law, problem.bound)
    points = len(problem.arms)
    return solve_set_valued(
        begins, replace(problem, bound=bounds), RigidStart.at_rest(points), np.zeros(points, dtype=np.bool_)
    )


def _stretched(metric: Array, problem: RigidFrictionProblem, start: RigidStart) -> RigidSlip:
    """Solve in p' = T p, T = diag(D, 1); see the module."""
    mask = problem.mask
    if mask[0] != mask[1] and metric[0, 1] != 0.0:
        raise RigidFrictionError("a clamp that is free along one axis takes an elliptic law whose axes are x and y")
    T = np.eye(3)
    T[:2, :2] = metric
    back = np.linalg.inv(T)
    adjugate = np.array([[metric[1, 1], -metric[0, 1]], [-metric[1, 0], metric[0, 0]]])
    slip = solve_rigid_friction(
        replace(
            problem,
            inertia=back.T @ problem.matrix @ back,
            wrench=back.T @ problem.wrench,
            arms=problem.arms @ adjugate.T,
            prescribed=T @ np.asarray(problem.prescribed, float),
        ),
        RigidStart(T @ start.rates, start.multiplier @ back[:2, :2]),
    )
    return RigidSlip(back @ slip.rates, slip.multiplier @ metric, slip.iterations, slip.fallback)
