"""Truncated nonsmooth Newton's method (TNNMG): globally convergent on the convex friction problem.

Gräser, Sander, Kornhuber. One iteration: a forward and a backward nonlinear 2x2 block Gauss-Seidel sweep with the
exact nodal minimiser, Newton's correction on the nodes that slide then, and an exact line search on the convex energy
J(v) = smooth energy + sum w|v|. The smooth part enters by its quadratic model at v; where that is not exact, the whole
iteration is a descent direction for J and is shortened until J falls.
"""

from __future__ import annotations

import math

import numpy as np

from friction.arrays import Array
from friction.nodal import semismooth
from friction.nodal.kernels import truncated as kernels_truncated
from friction.nodal.problem import Iterate, NodalFrictionProblem, ended

POLISH_STEPS = 6  # semismooth steps tried once the sticking nodes have settled
STALL = 30  # iterations without a new smallest residual, near rounding, before giving up


def iterate(problem: NodalFrictionProblem, at: Iterate, limit: int) -> Iterate:
    """Run at most ``limit`` steps; return the converged iterate, or the best one with the reason why the method gave up."""
    best, best_step = at, 0
    resting_before = np.zeros(len(problem.w), dtype=np.bool_)
    for step in range(limit + 1):
        if not math.isfinite(at.residual):
            return ended(best, "non-finite")
        if at.residual <= at.tolerance:
            return ended(at, "converged")
        if at.residual < best.residual:
            best, best_step = at, step
        if step == limit:
            break
        if step - best_step >= STALL and best.residual <= 1e4 * best.tolerance:
            return ended(best, "stagnated")
        v = _model_step(problem, at)
        problem.counts.fallback_iterations += 1
        at = problem.evaluate(v if problem.part.linear else _shortened(problem, at, v))
        resting = np.logical_not(at.v.any(axis=1))
        if step and np.array_equal(resting, resting_before) and at.residual > at.tolerance:
            polished = semismooth.iterate(problem, at, POLISH_STEPS, 2)
            if polished.reason == "converged":
                return polished
        resting_before = resting
    return ended(best, "out of iterations")


def _model_step(problem: NodalFrictionProblem, at: Iterate) -> Array:
    """Return v (N, 2) after one TNNMG iteration on the quadratic model of the smooth part at the iterate."""
    cache, w, fixed = problem.cache, problem.w, problem.fixed
    data = problem.hessian(at.v)
    matrix = (cache.indptr, cache.indices, data)
    v, gradient, rhs = at.v.copy(), at.g.copy(), np.empty_like(at.v)
    v[fixed] = 0.0
    for forward in (True, False):
        awake = kernels_truncated.all_awake(len(w))
        kernels_truncated.sweep(*matrix, cache.diagonal, w, 0.0, fixed, forward, awake, v, gradient)
    kernels_truncated.truncate(v, gradient, w, cache.r, fixed, problem.eliminated, problem.d, rhs)
    problem.factorise(data)
    correction = problem.solve(rhs)
    correction[problem.eliminated] = 0.0
    bent = np.empty_like(v)
    kernels_truncated.product(*matrix, correction, np.zeros_like(v), bent)
    slope, curvature = float(np.vdot(gradient, correction)), float(np.vdot(correction, bent))
    result: Array = v + kernels_truncated.line_search(v, correction, w, slope, curvature) * correction
    return result


def _shortened(problem: NodalFrictionProblem, at: Iterate, v: Array) -> Array:
    """Return v, or a point nearer to the iterate, at which J has fallen (to rounding: at which it has not risen)."""
    start = problem.energy(at.v)
    rounding = 64.0 * float(np.finfo(float).eps) * (abs(start) + float(np.abs(at.g * at.v).sum()))
    step, t = v - at.v, 1.0
    # J is convex, so this is the model's promise: at least g . step + sum w(|v| - |v_old|) < 0 at first order
    promise = float(np.vdot(at.g, step)) + float(
        (problem.law.potential(v, problem.w) - problem.law.potential(at.v, problem.w)).sum()
    )
    for _ in range(40):
        energy = problem.energy(at.v + t * step if t < 1.0 else v)
        if energy <= start + 1e-4 * t * min(promise, 0.0) + rounding:
            break
        t *= 0.5
    return at.v + t * step if t < 1.0 else v
