"""Coulomb's law at the nodes: semismooth Newton from a warm start, then with other weights of velocities against forces, last along
a path of smoothed problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from friction.nodal import newton, path
from friction.nodal.problem import Iterate, NodalProblem, stopped

WEIGHTS = (1.0, 0.1, 10.0)
"""Factors of the weight r, in turn: the matrix diagonal is the inertia in short steps, too stiff for contacts in long ones."""
MAX_DESCENT_STEPS = 80
"""Newton steps where no node obeys a nonsmooth law; they are shortened, as under smooth friction plain steps may oscillate."""
NEWTON_METHODS = ("newton", "newton, smaller weight", "newton, larger weight")
PATH = "smoothed"


def solve(problem: NodalProblem, v: np.ndarray) -> tuple[Iterate, str]:
    """Solve a Coulomb problem from v (N, d), m/s; return the last iterate and the name of the method."""
    options = problem.options
    if problem.part.linear and not problem.nonsmooth:
        return solve_linear(problem), "linear"
    if problem.has_unilateral and not problem.cache.r.any():
        problem.hessian(v)
    start = problem.evaluate(v)
    if not np.isfinite(start.residual):
        return stopped(start, "non-finite"), NEWTON_METHODS[0]
    end, limits = start, (options.max_iterations, newton.PATIENCE)
    if not problem.nonsmooth:
        limits = MAX_DESCENT_STEPS, MAX_DESCENT_STEPS
    for weight, name in zip(WEIGHTS, NEWTON_METHODS, strict=True) if not options.fallback_only else ():
        weighed = problem if weight == 1.0 else replace(problem, weight=weight)
        if weight != 1.0:
            problem.cache.valid = problem.cache.swept = False
        begun = start if weight == 1.0 else replace(start, reason="")
        near = newton.iterate(weighed, begun, *limits, descends=not problem.nonsmooth)
        if near.reason == "converged":
            if weight != 1.0:
                problem.cache.r /= weight
                problem.cache.valid = problem.cache.swept = False
            return near, name
        end = near if near.residual < end.residual else end
        if not problem.nonsmooth:
            return near, name
    if options.max_fallback_iterations == 0:
        return (end if end.reason else stopped(end, "stagnated")), NEWTON_METHODS[-1]
    for reduction in path.DELTA_FACTORS:
        near = path.follow(problem, replace(start, reason=""), reduction, options.max_fallback_iterations)
        end = near if near.residual < end.residual or near.reason == "converged" else end
        if near.reason == "converged":
            break
    return end, PATH


def solve_linear(problem: NodalProblem) -> Iterate:
    """Frictionless solution of a linear part: one direct solve from rest.

    Its tolerance is a direct solver's backward error, which may be some hundred times the rounding of a residual.
    """
    start = problem.evaluate(np.zeros_like(problem.rhs))
    data = problem.hessian(start.v)
    problem.linearise(start.v, start.g, 0.0)
    problem.factorise(data)
    v = problem.solve(problem.rhs)
    v[problem.constrained] = 0.0
    end = problem.evaluate(v)
    end.tolerance = max(end.tolerance, 1e3 * problem.part.rounding(v))
    finite = np.isfinite(end.residual)
    end.reason = "converged" if end.residual <= end.tolerance else "stagnated" if finite else "non-finite"
    return end
