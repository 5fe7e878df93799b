"""Semismooth Newton's method in (v, lambda) for the set-valued law: fast from a warm start, not globally convergent.

Alart and Curnier's function for a disc of known radius w: lambda is the projection of tau = lambda + r v on |tau| <= w.
Inside, the node sticks and v = 0 is imposed by eliminating it. Outside, with n = tau/|tau|, the linearisation is
lambda = w n + D v, D = w r/(|tau| - w) (1 - n n'), so that (H + D) dv = -(g + w n + D v) on the nodes that slide.
After every evaluation lambda = -g(v).
"""

from __future__ import annotations

import math

import numpy as np

from friction.arrays import Array
from friction.nodal.kernels import newton as kernels
from friction.nodal.problem import Iterate, Problem, ended


def iterate(problem: Problem, at: Iterate, multiplier: Array | None, limit: int, patience: int) -> Iterate:
    """Return the converged iterate, or the best one with the reason why the method gave up.

    at: start; multiplier: lambda (N, 2), N, to classify the start with (default -g). limit: Newton steps, chord steps
    included; patience: steps without a new smallest residual. The factor's errors pass through.
    """
    cache = problem.cache
    best, best_step = at, 0
    lam = -at.g if multiplier is None else multiplier
    rhs = np.empty_like(at.v)
    visited: dict[bytes, float] = {}
    mask = b""
    start: tuple[Iterate, Array] | None = None  # where the last step began, if it was a chord step
    previous = math.inf
    for step in range(limit + 1):
        if not math.isfinite(at.residual):
            return ended(best, "non-finite")
        if at.residual <= at.tolerance:
            return ended(at, "converged")
        if at.residual < best.residual:
            best, best_step = at, step
        if step == limit:
            break
        if step - best_step >= patience:
            return ended(best, "stagnated")
        if start is not None and at.residual >= start[0].residual:
            at, lam = start  # a chord step that made things worse is taken back
        keep = problem.contracts(at, previous)
        previous = at.residual
        data = None if keep else problem.hessian(at.v)
        jumps = kernels.newton_terms(
            at.v, lam, at.g, problem.w, cache.r, problem.held, at.tolerance, problem.fixed, problem.d, rhs
        )
        if keep and (jumps or not np.array_equal(problem.fixed, cache.fixed)):
            keep, data = False, problem.hessian(at.v)
        if data is not None:
            new_mask = problem.fixed.tobytes()
            if new_mask != mask and 2.0 * at.residual >= visited.get(new_mask, math.inf):
                return ended(best, "cycle")
            mask = new_mask
            visited[mask] = at.residual
            problem.factorise(data)
            problem.close_rhs(data, rhs)
        else:
            rhs[problem.fixed] = 0.0
        start = (at, lam) if keep else None
        v = at.v + problem.solve(rhs)
        v[problem.fixed] = 0.0
        problem.iterations += 1
        at = problem.evaluate(v)
        lam = -at.g
    return ended(best, "out of iterations")
