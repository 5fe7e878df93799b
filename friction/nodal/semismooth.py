"""Semismooth Newton's method in (v, lambda) for the set-valued law: fast from a warm start, not globally convergent.

Alart and Curnier's function for a disc of known radius w: lambda is the projection of tau = lambda + r v on |tau| <= w.
Inside, the node sticks and v = 0 is imposed by eliminating it. Outside, with n = tau/|tau|, the linearisation is
lambda = w n + D v, D = w r/(|tau| - w) (1 - n n'), so that (H + D) dv = -(g + w n + D v) on the nodes that slide.
After every evaluation lambda = -g(v). While a factor serves on, its steps are Broyden's.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from friction.arrays import Array
from friction.nodal.kernels import newton as kernels
from friction.nodal.problem import Iterate, NodalFrictionProblem, ended


def iterate(problem: NodalFrictionProblem, at: Iterate, multiplier: Array | None, limit: int, patience: int) -> Iterate:
    """Run semismooth Newton; return the converged iterate, or the best one with the reason why the method gave up.

    ``multiplier`` λ (N, 2), N, classifies the start (default −g); at most ``limit`` Newton steps, chord steps included, and
    ``patience`` of them without a new smallest residual.
    """
    best, best_step = at, 0
    lam = -at.g if multiplier is None else multiplier
    rhs = np.empty_like(at.v)
    visited: dict[bytes, float] = {}
    mask, previous = b"", math.inf
    start: tuple[Iterate, Array] | None = None  # where the last step began, if it was a chord step
    taken: list[Array] = []  # steps with the factor at hand
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
        data = _linearised(problem, at, lam, rhs, problem.contracts(at, previous))
        previous = at.residual
        if data is not None:
            new_mask = problem.eliminated.tobytes()
            if new_mask != mask and 2.0 * at.residual >= visited.get(new_mask, math.inf):
                return ended(best, "cycle")
            mask = new_mask
            visited[mask] = at.residual
            problem.factorise(data)
            problem.close_rhs(data, rhs)
            taken.clear()
        else:
            rhs[problem.eliminated] = 0.0
        start = (at, lam) if data is None else None
        taken.append(_secant(problem.solve(rhs), taken))
        v = at.v + taken[-1]
        v[problem.eliminated] = 0.0
        problem.counts.iterations += 1
        at = problem.evaluate(v)
        lam = -at.g
    return ended(best, "out of iterations")


def _secant(chord: Array, taken: list[Array]) -> Array:
    """Return Broyden's step for a ``chord`` step (N, 2), m/s, with the factor that made the steps ``taken`` so far.

    The first of them is Newton's or a chord step itself; each corrects the inverse by what the residual did after it (Kelley 2003,
    Solving Nonlinear Equations with Newton's Method, section 4). Where it would more than double a step, the chord step stays.
    """
    step = chord
    for before, after in pairwise(taken):
        step = step + np.einsum("na,na", before, step) / np.einsum("na,na", before, before) * after
    if taken:
        share = np.einsum("na,na", taken[-1], step) / np.einsum("na,na", taken[-1], taken[-1])
        return step / (1.0 - share) if share < 0.5 else chord
    return chord


def _linearised(problem: NodalFrictionProblem, at: Iterate, lam: Array, rhs: Array, keep: bool) -> Array | None:
    """Write the linearised problem into it and rhs (N, 2); return the hessian's data, None where the factor at hand will do."""
    cache = problem.cache
    data = None if keep else problem.hessian(at.v)
    jumps = kernels.newton_terms(
        at.v, lam, at.g, problem.w, cache.r, problem.fixed, at.tolerance, problem.eliminated, problem.d, rhs
    )
    if keep and (jumps or not np.array_equal(problem.eliminated, cache.eliminated)):
        data = problem.hessian(at.v)
    return data
