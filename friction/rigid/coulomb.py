"""Coulomb friction under a rigid body or row of points: three unknowns, one multiplier a sample point.

With p = (x0', y0', ω) and arms d_i, point i slides with v_i = (p_x − p_ω d_y, p_y + p_ω d_x), and a stage is

    min over the free entries of p of  ½ pᵀ H p − cᵀ p + Σ w_i |v_i(p)|,

strictly convex, smooth except where a point is at rest. H is the inertia over τ of a rigid body (diagonal), or the reduced
stiffness of an elastic body at a clamped edge (full); entries of p that are not free are prescribed. Where these are zero, p = 0
is the minimiser if and only if the wrench c is balanced by some |λ_i| ≤ w_i (it lies inside the limit surface).
Newton's method solves sliding. At the kinks (all points at rest, or one at the centre of rotation) |v| is replaced by √(v² + ε²)
with ε to zero, and the solution is verified exactly: true stick, rotation about one point, or sliding.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.rigid.newton import THREE, WORK, copy, evaluate_sliding, newton, newton_slip, rotate_arms, solve_small
from friction.rigid.stick_proofs import distribute_static_friction, pivot, polish, slip_multipliers, slowest_point
from friction.status import NEEDS_SMOOTHING, OUT_OF_ITERATIONS, SOLVED

_DECADES = 16
_MAX_STEPS, _MAX_PATH_STEPS = np.int64(12), np.int64(60)  # np.int64: each literal would be compiled anew
_MARGIN = 1e-12


@njit(cache=True, error_model="numpy")
def _frictionless(h, c, free, given, p):  # type: ignore[no-untyped-def]
    """Write the frictionless solution p."""
    matrix = h.copy()
    for k in range(3):
        p[k] = c[k]
        if not free[k]:
            matrix[k, k], p[k] = 1.0, given[k]
    solve_small(matrix, p, THREE)


@njit(cache=True, error_model="numpy")
def _scales(c, arms, w, free, given, relative, tolerance):  # type: ignore[no-untyped-def]
    """Write the tolerances (3,) of residuals; return Σ w, the body's size, and True where all points may rest.

    The size is a mean arm ρ: Σ w|d| ≤ ρ Σ w with ρ² ≥ Σ w d·d / Σ w.
    """
    total, polar, plain, ax, ay = 0.0, 0.0, 0.0, arms[0], arms[1]
    for i in range(w.shape[0]):
        square = ax[i] * ax[i] + ay[i] * ay[i]
        total += w[i]
        polar += w[i] * square
        plain += square
    size = np.sqrt(max(polar / total if total > 0.0 else 0.0, plain / w.shape[0]))
    # In a short step c is mostly momentum over τ: the scale is friction, down to the rounding of c (4e-15 |c|).
    force = max(4e-3 * np.sqrt(c[0] * c[0] + c[1] * c[1]), total)
    tolerance[0] = tolerance[1] = relative * force
    tolerance[2] = relative * max(4e-3 * abs(c[2]), total * size)
    # Beyond the sum of the bounds no distribution exists.
    reach = (1.0 + _MARGIN) * (1.0 + 1e-6) * total
    may_rest = True
    for k in range(3):
        may_rest = may_rest and given[k] == 0.0 and (abs(c[k]) <= reach * (size if k == 2 else 1.0) or not free[k])
    return total, size, may_rest


@njit(cache=True, error_model="numpy")
def coulomb_slip(h, c, arms, w, p, multiplier, relative, free, given):  # type: ignore[no-untyped-def]
    """Solve by a proof of stick or by Newton's method from a start; return (SOLVED or NEEDS_SMOOTHING, iterations).

    ``p`` (3,) and ``multiplier`` are start and solution. Arms and multipliers are (2, N): see ``friction.rigid.newton``.
    """
    tolerance, dual, sums = np.empty(3), np.empty_like(multiplier), np.empty(WORK)
    total, _, may_rest = _scales(c, arms, w, free, given, relative, tolerance)
    any_free = free[0] or free[1] or free[2]
    if total == 0.0 or not any_free:
        _frictionless(h, c, free, given, p)
        slip_multipliers(p, arms, w, 0.0, multiplier)
        return SOLVED, 0
    if may_rest:
        for share in (1.0, 0.0):  # with and without the start forces
            for i in range(w.shape[0]):
                dual[0, i], dual[1, i] = share * multiplier[0, i], share * multiplier[1, i]
            if distribute_static_friction(dual, c, arms, w, free) <= 1.0 + _MARGIN:
                p[0] = p[1] = p[2] = 0.0
                copy(dual[0], multiplier[0])
                copy(dual[1], multiplier[1])
                return SOLVED, 0
    if p[0] == 0.0 and p[1] == 0.0 and p[2] == 0.0:
        return NEEDS_SMOOTHING, 0
    start = np.empty(3)
    for k in range(3):
        p[k] = start[k] = p[k] if free[k] else given[k]
    converged, iterations = newton_slip(p, h, c, arms, w, free, tolerance, _MAX_STEPS, multiplier, sums)
    if not converged:
        copy(start, p)
        slip_multipliers(p, arms, w, 0.0, dual)
        converged, more = newton(p, h, c, arms, w, free, 0.0, tolerance, _MAX_STEPS, dual, sums)
        slip_multipliers(p, arms, w, 0.0, multiplier)
        iterations += more
    moves = p[0] != 0.0 or p[1] != 0.0 or p[2] != 0.0
    return SOLVED if converged and moves else NEEDS_SMOOTHING, iterations


@njit(cache=True, error_model="numpy")
def smoothed_slip(h, c, arms, w, p, multiplier, relative, free, given):  # type: ignore[no-untyped-def]
    """Solve by the path of smoothed problems; return (SOLVED or OUT_OF_ITERATIONS, iterations). ``p`` (3,) and ``multiplier`` are
    the solution."""
    tolerance, trial, sums = np.empty(3), np.empty(3), np.empty(WORK)
    dual, sliding = np.empty_like(multiplier), np.empty_like(multiplier)
    _, size, may_rest = _scales(c, arms, w, free, given, relative, tolerance)
    _frictionless(h, c, free, given, p)
    speed, iterations = np.sqrt(p[0] * p[0] + p[1] * p[1]) + abs(p[2]) * size, 0
    slip_multipliers(p, arms, w, speed * speed, dual)
    for decade in range(_DECADES + 1):
        eps = speed * 10.0 ** (-decade)
        _, more = newton(p, h, c, arms, w, free, eps * eps, tolerance, _MAX_PATH_STEPS, dual, sums)
        iterations += more
        slip_multipliers(p, arms, w, eps * eps, multiplier)
        largest_ratio = 1.0 + _MARGIN if decade < _DECADES else 1.0 + 1e-9
        if may_rest and distribute_static_friction(multiplier, c, arms, w, free) <= largest_ratio:
            p[0] = p[1] = p[2] = 0.0
            return SOLVED, iterations
        copy(p, trial)
        if pivot(p, h, c, arms, w, free, given, tolerance, multiplier):
            return SOLVED, iterations
        if decade == _DECADES or slowest_point(p, arms, w)[1] > 10.0 * eps:
            copy(dual[0], sliding[0])
            copy(dual[1], sliding[1])
            limit = np.int64(6) if decade < _DECADES else _MAX_PATH_STEPS
            converged, more = newton(trial, h, c, arms, w, free, 0.0, tolerance, limit, sliding, sums)
            iterations += more
            slip_multipliers(trial, arms, w, 0.0, multiplier)
            moves = trial[0] != 0.0 or trial[1] != 0.0 or trial[2] != 0.0
            if (converged or polish(trial, multiplier, h, c, arms, w, free, tolerance)) and moves:
                copy(trial, p)
                return SOLVED, iterations
    copy(trial, p)
    return OUT_OF_ITERATIONS, iterations


@njit(cache=True, error_model="numpy")
def coulomb_wrenches(rates, angles, points, w, wrench, derivative):  # type: ignore[no-untyped-def]
    """Write the wrenches (K, 3) of Coulomb friction on a row of ``points`` X (2, N), rotated by ``angles`` (K,), that slides with
    ``rates`` (K, 3), and their −∂/∂p (K, 3, 3); points at rest exert no force."""
    arms, multiplier, p = np.empty_like(points), np.empty_like(points), np.empty(3)
    none, free, h, sums = np.zeros(3), np.ones(3, np.bool_), np.zeros((3, 3)), np.empty(WORK)
    for k in range(rates.shape[0]):
        rotate_arms(points, angles[k], arms)
        p[0], p[1], p[2] = rates[k, 0], rates[k, 1], rates[k, 2]
        evaluate_sliding(p, h, none, arms, w, free, multiplier, wrench[k], derivative[k], sums)
    wrench *= -1.0
