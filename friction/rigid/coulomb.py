"""Coulomb friction under a rigid body or row of points: three unknowns, one multiplier a sample point.

With p = (x0', y0', ω) and arms d_i, point i slides with v_i = (p_x − p_ω d_y, p_y + p_ω d_x), and a stage is

    min over the free entries of p of  ½ pᵀ H p − cᵀ p + Σ w_i |v_i(p)|,

strictly convex, smooth but where a point stands still. H is the inertia over τ of a rigid body (diagonal), or what the rest of
an elastic body makes a clamped edge feel (full); entries of p that are not free are prescribed. Where these are zero, p = 0
is the minimiser if and only if the wrench c is carried by some |λ_i| ≤ w_i (it lies inside the limit surface).
Sliding is found by Newton's method; where that meets the kinks (all points at rest, or one at the centre of rotation)
|v| is replaced by √(v² + ε²) and ε driven to zero, and the answer is then proved exactly: true stick with admissible
multipliers, rotation about one point, or sliding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from friction.arrays import Array
from friction.errors import RigidFrictionError
from friction.rigid.newton import newton
from friction.rigid.problem import RigidFrictionProblem, RigidStart
from friction.rigid.stick_proofs import distribute_static_friction, pivot, polished, slip_multipliers, slowest_point

_DECADES = 16
_FEW, _MANY = np.int64(12), np.int64(60)  # iterations; an int would be a literal, and Newton's method compiled for each
_MARGIN = 1e-12


class RigidSlip(NamedTuple):
    """Hold the solution of a rigid row's problem.

    Parameters
    ----------
    rates : Array
        p (3,), m/s, m/s, rad/s, exactly 0 in stick.
    multiplier : Array
        λ (N, 2), N.
    iterations : int
        Of Newton's method.
    fallback : bool
        Whether the smoothing path was needed.
    """

    rates: Array
    multiplier: Array
    iterations: int
    fallback: bool


@njit(cache=True)
def _unbraked(h, c, free, given):  # type: ignore[no-untyped-def]
    """p without friction."""
    if free.all() and h[0, 1] == 0.0 and h[0, 2] == 0.0 and h[1, 2] == 0.0:
        return np.array([c[0] / h[0, 0], c[1] / h[1, 1], c[2] / h[2, 2]])
    matrix, right = h.copy(), c.copy()
    for k in range(3):
        if not free[k]:
            matrix[k, k], right[k] = 1.0, given[k]
    return np.linalg.solve(matrix, right)


@njit(cache=True)
def _solve(h, c, arms, w, start, multiplier_start, relative, free, given):  # type: ignore[no-untyped-def]
    """The whole decision; returns (status, p, λ, iterations, fallback), status 0: solved, 1: out of iterations."""
    total = w.sum()
    p = _unbraked(h, c, free, given)
    if total == 0.0:
        return 0, p, np.zeros((w.shape[0], 2)), 0, False
    if not free.any():
        return 0, p, slip_multipliers(p, arms, w, 0.0), 0, False
    size = np.sqrt((arms[:, 0] ** 2 + arms[:, 1] ** 2).max())
    # In a short step c is mostly momentum over τ: judge against friction, down to the rounding of c (4e-15 |c|).
    force = max(4e-3 * np.hypot(c[0], c[1]), total)
    tolerance = relative * np.array([force, force, max(4e-3 * abs(c[2]), total * size)])
    bound = 1.0 + _MARGIN
    # Beyond what all points together can hold, no distribution needs to be tried.
    reach = bound * (1.0 + 1e-6) * total
    within_reach = (abs(c[0]) <= reach or not free[0]) and (abs(c[1]) <= reach or not free[1])
    may_rest = not np.any(given) and within_reach and (abs(c[2]) <= reach * size or not free[2])
    if may_rest:
        for previous in (multiplier_start, np.zeros((w.shape[0], 2))):
            multiplier = previous.copy()
            if distribute_static_friction(multiplier, c, arms, w, free) <= bound:
                return 0, np.zeros(3), multiplier, 0, False
    iterations = 0
    if np.any(start):
        p = np.where(free, start, given)
        dual = slip_multipliers(p, arms, w, 0.0)
        converged, iterations = newton(p, h, c, arms, w, free, 0.0, tolerance, _FEW, dual)
        if converged and np.any(p):
            return 0, p, slip_multipliers(p, arms, w, 0.0), iterations, False
    p = _unbraked(h, c, free, given)
    speed = np.hypot(p[0], p[1]) + abs(p[2]) * size
    dual = slip_multipliers(p, arms, w, speed * speed)
    for decade in range(_DECADES + 1):
        eps = speed * 10.0 ** (-decade)
        _, more = newton(p, h, c, arms, w, free, eps * eps, tolerance, _MANY, dual)
        iterations += more
        multiplier = slip_multipliers(p, arms, w, eps * eps)
        if may_rest and distribute_static_friction(multiplier, c, arms, w, free) <= (
            bound if decade < _DECADES else 1.0 + 1e-9
        ):
            return 0, np.zeros(3), multiplier, iterations, True
        trial = p.copy()
        accepted, multiplier = pivot(trial, h, c, arms, w, free, given, tolerance)
        if accepted:
            return 0, trial, multiplier, iterations, True
        if decade == _DECADES or slowest_point(p, arms, w)[1] > 10.0 * eps:
            tried = dual.copy()
            most = 6 if decade < _DECADES else 60
            converged, more = newton(trial, h, c, arms, w, free, 0.0, tolerance, most, tried)
            iterations += more
            multiplier = slip_multipliers(trial, arms, w, 0.0)
            if (converged or polished(trial, multiplier, h, c, arms, w, free, tolerance)) and np.any(trial):
                return 0, trial, multiplier, iterations, True
    return 1, trial, multiplier, iterations, True


def solve_rigid_friction(problem: RigidFrictionProblem, start: RigidStart, tolerance: float = 1e-12) -> RigidSlip:
    """Solve a rigid row's problem under Coulomb's law: minimise ½ pᵀHp − cᵀp + Σ ``w_i|v_i(p)|`` over the free entries of p.

    ``tolerance`` of equilibrium is relative to the sum of the bounds. The multipliers of a prescribed standstill of all points
    spread the least wrench.

    Raises
    ------
    RigidFrictionError
        For loads that are not finite, or when Newton's method runs out of iterations.
    """
    h, mask, wrench = problem.matrix, problem.mask, np.asarray(problem.wrench, float)
    given = np.where(mask, 0.0, np.asarray(problem.prescribed, float))
    rates = np.asarray(start.rates, float)
    if not (np.all(np.isfinite(wrench)) and np.all(np.isfinite(rates)) and np.all(np.isfinite(given))):
        raise RigidFrictionError("non-finite loads or velocities; check the loads and the initial velocities")
    # The prescribed entries' part of the forces is known; their own rows are no equations.
    c = np.where(mask, wrench - h @ given, 0.0)
    h[~mask] = 0.0
    h[:, ~mask] = 0.0
    # Copies: for every mixture of writable and read-only arrays the kernel would be compiled again, 5 s each.
    given_arrays = (problem.arms, problem.bound, rates, start.multiplier)
    arms, bound, rates, multiplier = (np.array(array, float, order="C") for array in given_arrays)
    status, p, lam, iterations, fallback = _solve(h, c, arms, bound, rates, multiplier, tolerance, mask, given)
    if not np.all(np.isfinite(p)):
        raise RigidFrictionError("non-finite velocities; check the loads and the initial velocities")
    if status != 0:
        raise RigidFrictionError("Newton's method ran out of iterations; use a smaller time step")
    return RigidSlip(p, lam, int(iterations), bool(fallback))
