"""Coulomb friction under a rigid body or row of points: three unknowns, one multiplier a sample point.

With p = (x0', y0', ω) and arms d_i, point i slides with v_i = (p_x − p_ω d_y, p_y + p_ω d_x), and a stage is

    min over the free entries of p of  ½ pᵀ H p − cᵀ p + Σ w_i |v_i(p)|,

strictly convex, smooth but where a point stands still. H is the inertia over τ of a rigid body (diagonal), or what the rest of
an elastic body makes a clamped edge feel (full); entries of p that are not free are prescribed. Where these are zero, p = 0
is the minimiser if and only if the wrench c is carried by some |λ_i| ≤ w_i (it lies inside the limit surface).
Sliding is found by Newton's method; where that meets the kinks (all points at rest, or one at the centre of rotation) |v| is
replaced by √(v² + ε²) and ε driven to zero, and the answer is proved exactly: true stick, rotation about one point, or sliding.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.rigid.newton import ROOM, THREE, copied, evaluate_sliding, newton, slide, solve_small, turned_arms
from friction.rigid.stick_proofs import distribute_static_friction, pivot, polished, slip_multipliers, slowest_point

_DECADES = 16
_FEW, _MANY = np.int64(12), np.int64(60)  # iterations; an int would be a literal, and Newton's method compiled for each
_MARGIN = 1e-12


SOLVED, HARD, EXHAUSTED = range(3)
"""What the kernels say: solved; only by the path of smoothed problems, if at all; out of iterations."""


@njit(cache=True, error_model="numpy")
def _unbraked(h, c, free, given, p):  # type: ignore[no-untyped-def]
    """Write p without friction."""
    matrix = h.copy()
    for k in range(3):
        p[k] = c[k]
        if not free[k]:
            matrix[k, k], p[k] = 1.0, given[k]
    solve_small(matrix, p, THREE)


@njit(cache=True, error_model="numpy")
def _scales(c, arms, w, free, given, relative, tolerance):  # type: ignore[no-untyped-def]
    """Write what residuals (3,) count as none; return Σ w, the body's size, and whether the points may rest at all.

    The size is a mean arm ρ: Σ w|d| ≤ ρ Σ w with ρ² ≥ Σ w d·d / Σ w.
    """
    total, polar, plain, ax, ay = 0.0, 0.0, 0.0, arms[0], arms[1]
    for i in range(w.shape[0]):
        square = ax[i] * ax[i] + ay[i] * ay[i]
        total += w[i]
        polar += w[i] * square
        plain += square
    size = np.sqrt(max(polar / total if total > 0.0 else 0.0, plain / w.shape[0]))
    # In a short step c is mostly momentum over τ: judge against friction, down to the rounding of c (4e-15 |c|).
    force = max(4e-3 * np.sqrt(c[0] * c[0] + c[1] * c[1]), total)
    tolerance[0] = tolerance[1] = relative * force
    tolerance[2] = relative * max(4e-3 * abs(c[2]), total * size)
    # Beyond what all points together can hold, no distribution needs to be tried.
    reach = (1.0 + _MARGIN) * (1.0 + 1e-6) * total
    may_rest = True
    for k in range(3):
        may_rest = may_rest and given[k] == 0.0 and (abs(c[k]) <= reach * (size if k == 2 else 1.0) or not free[k])
    return total, size, may_rest


@njit(cache=True, error_model="numpy")
def coulomb_slip(h, c, arms, w, p, multiplier, relative, free, given):  # type: ignore[no-untyped-def]
    """Solve by a proof of stick or by Newton's method from a start; return (SOLVED or HARD, iterations).

    ``p`` (3,) and ``multiplier``, which come as start, are the solution. Arms and multipliers are (2, N): see
    ``friction.rigid.newton``.
    """
    tolerance, dual, sums = np.empty(3), np.empty_like(multiplier), np.empty(ROOM)
    total, _, may_rest = _scales(c, arms, w, free, given, relative, tolerance)
    anything = free[0] or free[1] or free[2]
    if total == 0.0 or not anything:
        _unbraked(h, c, free, given, p)
        slip_multipliers(p, arms, w, 0.0, multiplier)
        return SOLVED, 0
    if may_rest:
        for share in (1.0, 0.0):  # beside the forces that it starts from, and without them
            for i in range(w.shape[0]):
                dual[0, i], dual[1, i] = share * multiplier[0, i], share * multiplier[1, i]
            if distribute_static_friction(dual, c, arms, w, free) <= 1.0 + _MARGIN:
                p[0] = p[1] = p[2] = 0.0
                copied(dual[0], multiplier[0])
                copied(dual[1], multiplier[1])
                return SOLVED, 0
    if p[0] == 0.0 and p[1] == 0.0 and p[2] == 0.0:
        return HARD, 0
    start = np.empty(3)
    for k in range(3):
        p[k] = start[k] = p[k] if free[k] else given[k]
    converged, iterations = slide(p, h, c, arms, w, free, tolerance, _FEW, multiplier, sums)
    if not converged:
        copied(start, p)
        slip_multipliers(p, arms, w, 0.0, dual)
        converged, more = newton(p, h, c, arms, w, free, 0.0, tolerance, _FEW, dual, sums)
        slip_multipliers(p, arms, w, 0.0, multiplier)
        iterations += more
    moves = p[0] != 0.0 or p[1] != 0.0 or p[2] != 0.0
    return SOLVED if converged and moves else HARD, iterations


@njit(cache=True, error_model="numpy")
def smoothed_slip(h, c, arms, w, p, multiplier, relative, free, given):  # type: ignore[no-untyped-def]
    """Solve what is HARD by the path of smoothed problems; return (SOLVED or EXHAUSTED, iterations). ``p`` (3,) and ``multiplier``
    are the solution."""
    tolerance, trial, sums = np.empty(3), np.empty(3), np.empty(ROOM)
    dual, tried = np.empty_like(multiplier), np.empty_like(multiplier)
    _, size, may_rest = _scales(c, arms, w, free, given, relative, tolerance)
    _unbraked(h, c, free, given, p)
    speed, iterations = np.sqrt(p[0] * p[0] + p[1] * p[1]) + abs(p[2]) * size, 0
    slip_multipliers(p, arms, w, speed * speed, dual)
    for decade in range(_DECADES + 1):
        eps = speed * 10.0 ** (-decade)
        _, more = newton(p, h, c, arms, w, free, eps * eps, tolerance, _MANY, dual, sums)
        iterations += more
        slip_multipliers(p, arms, w, eps * eps, multiplier)
        bound = 1.0 + _MARGIN if decade < _DECADES else 1.0 + 1e-9
        if may_rest and distribute_static_friction(multiplier, c, arms, w, free) <= bound:
            p[0] = p[1] = p[2] = 0.0
            return SOLVED, iterations
        copied(p, trial)
        if pivot(p, h, c, arms, w, free, given, tolerance, multiplier):
            return SOLVED, iterations
        if decade == _DECADES or slowest_point(p, arms, w)[1] > 10.0 * eps:
            copied(dual[0], tried[0])
            copied(dual[1], tried[1])
            most = np.int64(6) if decade < _DECADES else _MANY
            converged, more = newton(trial, h, c, arms, w, free, 0.0, tolerance, most, tried, sums)
            iterations += more
            slip_multipliers(trial, arms, w, 0.0, multiplier)
            moves = trial[0] != 0.0 or trial[1] != 0.0 or trial[2] != 0.0
            if (converged or polished(trial, multiplier, h, c, arms, w, free, tolerance)) and moves:
                copied(trial, p)
                return SOLVED, iterations
    copied(trial, p)
    return EXHAUSTED, iterations


@njit(cache=True, error_model="numpy")
def coulomb_answers(rates, angles, points, w, wrench, answer):  # type: ignore[no-untyped-def]
    """Write the wrenches (K, 3) of Coulomb friction on a row of ``points`` X (2, N), turned by ``angles`` (K,), that slides with
    ``rates`` (K, 3), and −∂/∂p of them (K, 3, 3); points at rest do nothing."""
    arms, multiplier, p = np.empty_like(points), np.empty_like(points), np.empty(3)
    none, free, h, sums = np.zeros(3), np.ones(3, np.bool_), np.zeros((3, 3)), np.empty(ROOM)
    for k in range(rates.shape[0]):
        turned_arms(points, angles[k], arms)
        p[0], p[1], p[2] = rates[k, 0], rates[k, 1], rates[k, 2]
        evaluate_sliding(p, h, none, arms, w, free, multiplier, wrench[k], answer[k], sums)
    wrench *= -1.0
