"""Damped Newton's method for laws that are a function of v (no stick): g(v) + lambda(v) = 0."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from friction.problem import Iterate, Problem, ended

Array = NDArray[np.float64]


def iterate(problem: Problem, at: Iterate, limit: int) -> Iterate:
    """Return the converged iterate, or the last one with the reason why the method gave up.

    A full step is taken when it lowers the residual, else it is halved until the energy (smooth part + potential of
    the law) falls. The factor is kept while the residual falls fast. Nodes that are held stay at v = 0.
    """
    problem.fixed[:] = problem.held
    previous = math.inf
    for _ in range(limit):
        if not math.isfinite(at.residual):
            return ended(at, "non-finite")
        if at.residual <= at.tolerance:
            return ended(at, "converged")
        force = problem.force(at.v, at.g)
        keep = problem.contracts(at, previous) and np.array_equal(problem.fixed, problem.cache.fixed)
        new = _stepped(problem, at, force, keep)
        if keep and not new.residual < at.residual:  # the old factor does not contract: once more with a new one
            new = _stepped(problem, at, force, False)
        previous, at = at.residual, new
        if at.reason:
            return at
    return ended(at, "converged" if at.residual <= at.tolerance else "out of iterations")


def _stepped(problem: Problem, at: Iterate, force: Array, keep: bool) -> Iterate:
    """Return the next iterate: Newton's step, with the factor at hand (keep) or else a new one and a line search."""
    if not keep:
        data = problem.hessian(at.v)
        tangent = problem.law.tangent(at.v, problem.w)
        problem.d[:] = tangent[:, (0, 0, 1), (0, 1, 1)]
        problem.factorise(data)
    step = problem.solve(-force)
    step[problem.held] = 0.0
    problem.iterations += 1
    new = problem.evaluate(at.v + step)
    if keep or new.residual < 0.9 * at.residual:
        return new
    start, slope, t = problem.energy(at.v), float(np.vdot(force, step)), 1.0
    rounding = 64.0 * float(np.finfo(float).eps) * (abs(start) + float(np.abs(at.g * at.v).sum()))
    for _ in range(50):
        if problem.energy(at.v + t * step) <= start + 1e-4 * t * slope:
            return new if t == 1.0 else problem.evaluate(at.v + t * step)
        if -t * slope <= rounding:  # the energy can no longer tell
            return new if new.residual < at.residual else ended(at, "stagnated")
        t *= 0.5
    return ended(at, "stagnated")
