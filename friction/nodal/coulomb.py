"""Coulomb's law at the nodes: semismooth Newton from a warm start, with other weights of velocities against forces where it fails,
and last along a path of smoothed problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from friction.nodal import newton, path
from friction.nodal.problem import Iterate, NodalProblem, ended

WEIGHTS = (1.0, 0.1, 10.0)
"""On the diagonal of the matrix, in turn: it is the inertia in short steps, in long ones more than the compliance of contacts asks
for."""
MOST_SHORTENED = 80
"""Newton steps that are shortened until residuals fall, where no node obeys a law: smooth friction may throw plain ones to and
fro."""
TRIES = ("newton", "newton, smaller weight", "newton, larger weight")
SMOOTH, PATH = "newton, shortened", "smoothed"
METHODS = (*TRIES, SMOOTH, PATH, "linear")


def solve(problem: NodalProblem, v: np.ndarray) -> tuple[Iterate, str]:
    """Return the last iterate of a Coulomb problem from v (N, d), m/s, and the name of the method that found it."""
    options = problem.options
    if problem.part.linear and not problem.obeys:
        return solve_linear(problem), "linear"
    if problem.opens and not problem.cache.r.any():
        problem.hessian(v)
    start = problem.evaluate(v)
    if not np.isfinite(start.residual):
        return ended(start, "non-finite"), TRIES[0]
    end = start
    for weight, name in zip(WEIGHTS, TRIES, strict=True) if not options.fallback_only else ():
        weighed = problem if weight == 1.0 else replace(problem, weight=weight)
        if weight != 1.0:
            problem.cache.valid = False
        near = newton.iterate(weighed, replace(start, reason=""), options.max_iterations)
        if near.reason == "converged":
            if weight != 1.0:
                problem.cache.r /= weight
                problem.cache.valid = False
            return near, name
        end = near if near.residual < end.residual else end
        if not problem.obeys:
            problem.cache.valid = False
            smooth = newton.iterate(problem, replace(start, reason=""), MOST_SHORTENED, MOST_SHORTENED, descends=True)
            return smooth, SMOOTH
    if options.max_fallback_iterations == 0:
        return (end if end.reason else ended(end, "stagnated")), TRIES[-1]
    for fall in path.FALLS:
        near = path.follow(problem, replace(start, reason=""), fall, options.max_fallback_iterations)
        end = near if near.residual < end.residual or near.reason == "converged" else end
        if near.reason == "converged":
            break
    return end, PATH


def solve_linear(problem: NodalProblem) -> Iterate:
    """Return the frictionless solution of a linear part: one direct solve from rest, bit for bit what the factor gives.

    It is judged by a direct solver's backward error, which may be some hundred times the rounding of a residual.
    """
    start = problem.evaluate(np.zeros_like(problem.rhs))
    data = problem.hessian(start.v)
    problem.linearise(start.v, start.g, 0.0)
    problem.factorise(data)
    v = problem.solve(problem.rhs)
    v[problem.held] = 0.0
    end = problem.evaluate(v)
    end.tolerance = max(end.tolerance, 1e3 * problem.part.rounding(v))
    finite = np.isfinite(end.residual)
    end.reason = "converged" if end.residual <= end.tolerance else "stagnated" if finite else "non-finite"
    return end
