"""Coulomb's law at the nodes by three methods in turn, each more robust and dearer than the one before.

Warm-started semismooth Newton comes first; where that does not converge, once more from the end of a path of smoothed problems;
then the globally convergent truncated nonsmooth Newton method.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from friction.arrays import Array
from friction.nodal import semismooth, smoothing, truncated
from friction.nodal.problem import Iterate, NodalFrictionProblem, ended


def solve(problem: NodalFrictionProblem, v: Array, multiplier: Array | None) -> tuple[Iterate, str]:
    """Return the last iterate of a Coulomb problem and the name of the method that found it."""
    options = problem.options
    if problem.part.linear and not problem.w.any():
        return solve_linear(problem), "linear"
    start = problem.evaluate(v)
    if not np.isfinite(start.residual):
        return ended(start, "non-finite"), "semismooth"
    end = start
    if not options.fallback_only:
        end = semismooth.iterate(problem, start, options.max_iterations, options.patience)
        if end.reason == "converged" or options.max_fallback_iterations == 0:
            return end, "semismooth"
        if options.path_steps and problem.w.any():
            near = problem.evaluate(smoothing.path(problem, start, multiplier, options.path_steps))
            near = semismooth.iterate(problem, near, options.max_iterations, 2 * options.patience)
            if near.reason == "converged":
                return near, "smoothed"
            end = near if near.residual < end.residual else end
    return truncated.iterate(problem, replace(end, reason=""), options.max_fallback_iterations), "truncated"


def solve_linear(problem: NodalFrictionProblem) -> Iterate:
    """Return the frictionless solution of a linear part: one direct solve from rest, bit for bit what the factor gives.

    It is judged by a direct solver's backward error, which may be some hundred times the rounding of a residual.
    """
    start = problem.evaluate(np.zeros((len(problem.w), 2)))
    data = problem.hessian(start.v)
    problem.eliminated[:] = problem.fixed
    problem.factorise(data)
    rhs = -start.g
    rhs[problem.fixed] = 0.0
    v = problem.solve(rhs)
    v[problem.fixed] = 0.0
    end = problem.evaluate(v)
    end.tolerance = max(end.tolerance, 1e3 * problem.part.rounding(v))
    finite = np.isfinite(end.residual)
    end.reason = "converged" if end.residual <= end.tolerance else "stagnated" if finite else "non-finite"
    return end
