"""Semismooth Newton's method in (v, lambda) for the set-valued law: fast from a warm start, not globally convergent.

Alart and Curnier's function for a disc of known radius w: lambda is the projection of tau = lambda + r v on |tau| <= w.
Inside, the node sticks and v = 0 is imposed by eliminating it. Outside, with n = tau/|tau|, the linearisation is
lambda = w n + D v, D = w r/(|tau| - w) (1 - n n'), so that (H + D) dv = -(g + w n + D v) on the nodes that slide.
lambda is -g(v). A linearisation begins where sweeps of Gauss-Seidel on the quadratic model have settled which nodes stick. While a
factor serves on, its steps are Broyden's.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from friction.arrays import Array, Bools
from friction.nodal.kernels import newton as kernels
from friction.nodal.kernels import truncated as kernels_truncated
from friction.nodal.problem import Iterate, NodalFrictionProblem, ended

SETTLED, FINE = 0.01, 1e-3
"""Shares of the first sweep's change: below the one sweeps may end, below the other they do."""
WORTH, WORTH_FINE = 10.0, 1.0
"""Visits a node that sweeps may take on average until they may end and until they do: those of a small region may be many."""


def iterate(problem: NodalFrictionProblem, at: Iterate, limit: int, patience: int) -> Iterate:
    """Run semismooth Newton; return the converged iterate, or the best one with the reason why the method gave up.

    At most ``limit`` Newton steps, chord steps included, and ``patience`` of them without a new smallest residual.
    """
    best, best_step = at, 0
    rhs = np.empty_like(at.v)
    visited: dict[bytes, float] = {}
    mask, previous = b"", math.inf
    start: Iterate | None = None  # where the last step began, if it was a chord step
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
        if start is not None and at.residual >= start.residual:
            at = start  # a chord step that made things worse is taken back
        kept = problem.contracts(at, previous) and _still_holds(problem, at, rhs)
        previous = at.residual
        if kept:
            rhs[problem.eliminated] = 0.0
            taken.append(_secant(problem.solve(rhs), taken))
            start, v = at, at.v + taken[-1]
        else:
            data = problem.hessian(at.v)
            _terms(problem, at.v, at.g, at.tolerance, rhs)
            v, g = _relaxed(problem, at, data) if problem.eliminated.any() else (at.v, at.g)
            if v is not at.v:
                _terms(problem, v, g, at.tolerance, rhs)
            new_mask = problem.eliminated.tobytes()
            if new_mask != mask and 2.0 * at.residual >= visited.get(new_mask, math.inf):
                return ended(best, "cycle")
            mask = new_mask
            visited[mask] = at.residual
            problem.factorise(data)
            problem.close_rhs(data, rhs)
            newton = problem.solve(rhs)
            start, v, taken = None, v + newton, [newton] if v is at.v else []
        v[problem.eliminated] = 0.0
        problem.counts.iterations += 1
        at = problem.evaluate(v)
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


def _terms(problem: NodalFrictionProblem, v: Array, g: Array, tie: float, rhs: Array) -> int:
    """Write the law linearised at v, g (N, 2) into the problem and rhs (N, 2); return how many nodes jump to rest."""
    tables = problem.w, problem.cache.r, problem.fixed, tie, problem.eliminated, problem.d, rhs
    jumps: int = kernels.newton_terms(v, -g, g, *tables)
    return jumps


def _still_holds(problem: NodalFrictionProblem, at: Iterate, rhs: Array) -> bool:
    """Write the linearised law into the problem and rhs (N, 2); say whether the factor at hand has its sticking nodes."""
    jumps = _terms(problem, at.v, at.g, at.tolerance, rhs)
    return not jumps and np.array_equal(problem.eliminated, problem.cache.eliminated)


def _relaxed(problem: NodalFrictionProblem, at: Iterate, data: Array) -> tuple[Array, Array]:
    """Return v (N, 2), m/s, and the gradient (N, 2), N, of the quadratic model there after sweeps; else the iterate as it is."""
    cache, v, g = problem.cache, at.v.copy(), at.g.copy()
    matrix = cache.indptr, cache.indices, data, cache.diagonal
    return (v, g) if relaxed(matrix, problem.w, at.tolerance, problem.fixed, v, g) else (at.v, at.g)


def relaxed(matrix: tuple[np.ndarray, ...], w: Array, tie: float, fixed: Bools, v: Array, g: Array) -> bool:
    """Sweep by nonlinear Gauss-Seidel over v (N, 2), m/s, and the gradient g (N, 2), N, of the quadratic model there, in place.

    Newton's steps alone carry slip on by a row of elements each, sweeps as far as it goes, and they turn its directions. Where that
    takes longer than it is worth, returns False: elements are then much smaller than an elastic wave's way in a step. ``matrix``:
    indptr, indices, data, diagonal; nodes rest up to w + ``tie``.
    """
    first, sweeps, visits, awake = 0.0, 0, 0, kernels_truncated.all_awake(len(v))
    while True:
        change, visited = kernels_truncated.sweep(*matrix, w, tie, fixed, sweeps % 2 == 0, awake, v, g)
        sweeps, visits = sweeps + 1, visits + visited
        if not math.isfinite(change):
            return False
        first = first or math.sqrt(change)
        share = math.sqrt(change) / first if first else 0.0
        if share <= FINE:
            return True
        settled = share <= SETTLED
        goal, worth = (FINE, WORTH_FINE) if settled else (SETTLED, WORTH)
        if sweeps > 1 and visits * math.log(goal) / math.log(min(share, 0.9)) > worth * len(v):
            return settled
