"""Pseudo-transient continuation: the way to a solution that a body with more inertia would take, where a line search stalls.

c r v' + F(v) = 0 is followed by linearised implicit steps, (S + c r) dv = -F with S as in `friction.nodal.regularised` and r the
hessian's diagonal, in which c falls with the residual (Kelley and Keyes 1998): at first like the motion in shorter steps, at
last Newton's method. Where friction falls with speed faster than S holds it, c grows until S + c r is positive definite.
"""

from __future__ import annotations

import math

import numpy as np

from friction.nodal.problem import Iterate, NodalFrictionProblem, ended
from friction.nodal.regularised import judged
from friction.nodal.transformed import symmetric

MOST = 1e12  # c beyond which nothing moves


def iterate(problem: NodalFrictionProblem, at: Iterate, limit: int) -> Iterate:
    """Follow the transient for at most ``limit`` steps; return the converged iterate, or the best one with the reason why not."""
    problem.eliminated[:] = problem.fixed
    best, c = at, 1.0
    for _ in range(limit):
        if at.residual <= at.tolerance or not math.isfinite(at.residual) or c > MOST:
            break
        tangent = problem.law.tangent(at.v, problem.w)
        data = problem.hessian(at.v)
        slow = c * problem.cache.r[:, None, None] * np.eye(2)
        if not problem.factorised(data, symmetric(tangent) + slow):
            c *= 4.0
            continue
        step = problem.solve(-problem.force(at.v, at.g))
        step[problem.fixed] = 0.0
        problem.fallback_iterations += 1
        new = problem.evaluate(at.v + step)
        if not new.residual < 10.0 * at.residual:
            c *= 4.0
            continue
        c *= min(max(new.residual / at.residual, 0.1), 2.0)
        at = new
        best = at if at.residual < best.residual else best
    if best.residual <= best.tolerance:
        return judged(problem, best)
    return ended(
        best, "non-finite" if not math.isfinite(at.residual) else "stagnated" if c > MOST else "out of iterations"
    )
