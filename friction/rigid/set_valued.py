"""Friction under a rigid body by any set-valued law, through the solver for Coulomb's (``rigid_friction``).

With a metric D (elliptic): λ_i ∈ w_i ∂|D v_i|. D is symmetric, so that D J = J adj(D), J the quarter turn, and D v_i is the
velocity x' + ω J d'_i of a point at d'_i = adj(D) d_i under p' = T p, T = diag(D, 1). So p' minimises the isotropic problem with
H' = T⁻¹HT⁻¹, c' = T⁻¹c and arms d', and λ_i = D λ'_i.

Bounds that depend on the speed, |λ_i| ≤ w_i m(|v_i|): a fixed point of Coulomb's problem with given bounds, which contracts by
about τ w |m'|/M over a stage of length τ. Where it does not settle the stage is too long for the law's slope: a named failure.

Static and kinetic bounds: a point that slid when the stage began has its kinetic bound, any other its static one until it
slides in the stage; then it has the kinetic one for good. The set of released points only grows, so the rounds end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from friction.arrays import Array, Bools
from friction.errors import RigidFrictionError
from friction.laws.protocol import Law, RadialLaw
from friction.rigid.coulomb import RigidSlip, solve_rigid_friction
from friction.stick import breakaway

ALL = (True, True, True)
NONE = (0.0, 0.0, 0.0)
MAX_ROUNDS = 60
SETTLED = 1e-13
"""Share of Σ w by which bounds may still change once they are settled."""


def point_velocity(rates: Array, arms: Array) -> Array:
    """v_i = x0' + ω J d_i, (N, 2), exactly zero for q' = 0."""
    return np.stack([rates[0] - rates[2] * arms[:, 1], rates[1] + rates[2] * arms[:, 0]], axis=1)


def solve_set_valued(
    law: Law,
    inertia_over_tau: Array,
    wrench: Array,
    arms: Array,
    weights: Array,
    *,
    start: Array,
    multiplier: Array,
    slid: Bools,
    free: ArrayLike = ALL,
    prescribed: ArrayLike = NONE,
) -> RigidSlip:
    """H p − c + Σ Gᵢᵀ λᵢ = 0 with λ of a set-valued ``law`` in inertial axes; arguments as ``solve_rigid_friction``.

    ``slid`` (N,): which points slid when the stage began. Raises RigidFrictionError.
    """
    if law.metric is not None:
        return _stretched(law.metric, inertia_over_tau, wrench, arms, weights, start, multiplier, free, prescribed)
    radial, sliding = law.radial, slid.copy()
    bounds = bounds_of(radial, point_velocity(start, arms), weights, sliding)
    iterations, fallback, rates = 0, False, start
    for _ in range(MAX_ROUNDS):
        slip = solve_rigid_friction(
            inertia_over_tau, wrench, arms, bounds, start=rates, multiplier=multiplier, free=free, prescribed=prescribed
        )
        iterations, fallback = iterations + slip.iterations, fallback or slip.fallback
        velocity = point_velocity(slip.rates, arms)
        sliding |= np.any(velocity, axis=1)
        new = bounds_of(radial, velocity, weights, sliding)
        change = float(np.abs(new - bounds).max(initial=0.0))
        if change <= SETTLED * float(weights.sum()):
            return RigidSlip(slip.rates, slip.multiplier, iterations, fallback)
        rates, multiplier, bounds = slip.rates, slip.multiplier, new
    raise RigidFrictionError(
        f"the friction bounds, which depend on the speed of slip, did not settle in {MAX_ROUNDS} rounds (one still changes by "
        f"{change:.3g} N); use a smaller time step"
    )


def bounds_of(law: RadialLaw, velocity: Array, weights: Array, slid: Bools) -> Array:
    """|λ_i| ≤ (N,) N at slip velocities (N, 2) m/s; of points at rest the static bound, the kinetic one where they ``slid``."""
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    at_rest = np.where(slid, law.kinetic, law.static)
    return weights * np.where(speed > 0.0, np.minimum(law.profile(speed), law.cap), at_rest)


def solve_at_rest(
    law: Law, inertia: Array, wrench: Array, arms: Array, weights: Array, free: ArrayLike = ALL
) -> RigidSlip:
    """The same from rest: p = 0 where stick can bear the ``wrench`` (3,); else how sliding begins."""
    begins, bounds = breakaway(law, weights)
    return solve_set_valued(
        begins,
        inertia,
        wrench,
        arms,
        bounds,
        start=np.zeros(3),
        multiplier=np.zeros_like(arms),
        slid=np.zeros(len(arms), dtype=np.bool_),
        free=free,
    )


def _stretched(
    metric: Array,
    inertia_over_tau: Array,
    wrench: Array,
    arms: Array,
    weights: Array,
    start: Array,
    multiplier: Array,
    free: ArrayLike,
    prescribed: ArrayLike,
) -> RigidSlip:
    """Solve in p' = T p, T = diag(D, 1); see the module."""
    h, mask = np.asarray(inertia_over_tau, float), np.asarray(free, np.bool_)
    h = np.diag(h) if h.ndim == 1 else h
    if mask[0] != mask[1] and metric[0, 1] != 0.0:
        raise RigidFrictionError("a clamp that is free along one axis takes an elliptic law whose axes are x and y")
    T = np.eye(3)
    T[:2, :2] = metric
    back = np.linalg.inv(T)
    adjugate = np.array([[metric[1, 1], -metric[0, 1]], [-metric[1, 0], metric[0, 0]]])
    slip = solve_rigid_friction(
        back.T @ h @ back,
        back.T @ wrench,
        arms @ adjugate.T,
        weights,
        start=T @ start,
        multiplier=multiplier @ back[:2, :2],
        free=mask,
        prescribed=T @ np.asarray(prescribed, float),
    )
    return RigidSlip(back @ slip.rates, slip.multiplier @ metric, slip.iterations, slip.fallback)
