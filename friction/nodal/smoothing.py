"""A path of smoothed problems to a good start for semismooth Newton, in a number of steps that the mesh hardly changes.

|v| is smoothed to s = sqrt(|v|^2 + eps^2) and eps is lowered with every step. Newton's method is applied to
g(v) + lambda = 0 and s lambda = w v together (Chan, Golub, Mulet 1999, for total variation), lambda kept in its disc:

    (H + D) dv = -(g + w v/s),   D = (w - sym(lambda v')/s)/s,   lambda + dlambda = w v/s + D dv,

which needs no line search where Newton's method in v alone would. The smooth part enters by its quadratic model at the
start, so that a Hessian that is positive definite there stays so. Nothing is accepted here: it is a start, no more.
"""

from __future__ import annotations

import numpy as np

from friction.arrays import Array
from friction.nodal.kernels import smoothing as kernels_smoothing
from friction.nodal.kernels import truncated as kernels_truncated
from friction.nodal.problem import Iterate, NodalFrictionProblem

LOWER = 0.1  # factor by which eps falls per step
STATUS_CHANGES = 0.002  # the path ends when fewer nodes than this share change between stick and slip ...
POWER_CHANGE = 0.03  # ... and the friction power by less than this share


def path(problem: NodalFrictionProblem, at: Iterate, multiplier: Array | None, limit: int) -> Array:
    """Return a start v (N, 2), m/s, for the semismooth method: the end of a path of at most ``limit`` steps from an iterate and
    its λ (N, 2), N (default −g)."""
    cache, w, fixed = problem.cache, problem.w, problem.fixed
    data = problem.hessian(at.v)
    matrix = (cache.indptr, cache.indices, data)
    v = at.v.copy()
    lam = kernels_smoothing.projected(-at.g if multiplier is None else multiplier, w)
    problem.eliminated[:] = fixed
    g, rhs = np.empty_like(v), np.empty_like(v)
    eps = _first(problem, at, data)
    total, power = float(w.sum()), 0.0
    sticking = np.zeros(len(w), dtype=np.bool_)
    for _ in range(limit):
        kernels_truncated.product(*matrix, v - at.v, at.g, g)
        kernels_smoothing.smoothed_terms(v, lam, g, w, fixed, eps, problem.d, rhs)
        problem.factorise(data)
        step = problem.solve(rhs)
        problem.counts.fallback_iterations += 1
        before, last_power = sticking, power
        sticking, power = kernels_smoothing.advance(v, lam, step, w, fixed, cache.r, eps)
        eps = LOWER * min(eps, power / total)
        changed = np.count_nonzero(sticking != before)
        if changed <= STATUS_CHANGES * len(w) and abs(power - last_power) <= POWER_CHANGE * power:
            break
    return v


def _first(problem: NodalFrictionProblem, at: Iterate, data: Array) -> float:
    """Return the first eps, m/s: a share of the largest speed; from rest, the speed that the forces give a rigid whole."""
    if fastest := float(np.hypot(at.v[:, 0], at.v[:, 1]).max()):
        return LOWER * fastest
    ones = np.ones_like(at.v)
    image = np.empty_like(ones)
    kernels_truncated.product(problem.cache.indptr, problem.cache.indices, data, ones, 0.0 * ones, image)
    forces = float(np.hypot(at.g[:, 0], at.g[:, 1]).sum() + problem.w.sum())
    return 2.0 * forces / float(image.sum())
