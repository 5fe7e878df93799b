"""Semismooth Newton's method for nodes under contact laws: fast from a warm start, not globally convergent.

The laws are linearised as in ``kernels``; constrained components leave the matrix, which has the sparsity of the hessian. Sweeps of
Gauss–Seidel on the quadratic model choose the sticking nodes before a linearisation (of plates: inside a solid they would only
smooth); where few nodes move they solve the model. A matrix serves as long as steps contract, also in the next solve with its key,
factorised anew where other components are constrained. Steps with an old factor are Broyden's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from friction.arrays import Array
from friction.errors import NotPositiveDefinite
from friction.nodal.problem import Iterate, NodalProblem, stopped
from friction.nodal.sweeps import SOLVED_RATIO, relax

PATIENCE = 10
"""Steps without a new smallest residual that count as no progress."""
MAX_SHORTENINGS, MAX_HALVINGS = 6, 40
"""Most halvings of a step to forces that are not finite, and in the line search."""
REDUCTION = 0.9
"""Ratio of residuals below which a step needs no line search."""


def iterate(
    problem: NodalProblem, at: Iterate, limit: int, patience: int = PATIENCE, *, least: int = 0, descends: bool = False
) -> Iterate:
    """Semismooth Newton iteration; return the converged iterate, or the best one with the reason of failure.

    At ``least`` and at most ``limit`` Newton steps, chord steps included, and ``patience`` of them without a new smallest residual.
    ``descends``: of problems without laws of several branches; a step that does not lower the residual is halved while forces
    oppose it.
    """
    best, best_step, cache = at, 0, problem.cache
    residuals: dict[bytes, float] = {}
    previous, previous_residual = b"", math.inf
    start: Iterate | None = None  # where the last step began, if it was a chord step
    steps: list[Array] = []  # steps with the factor at hand
    for step in range(limit + 1):
        if not math.isfinite(at.residual):
            return stopped(best, "non-finite")
        if at.reason or (at.residual <= at.tolerance and step >= least):
            return stopped(at, at.reason or "converged")
        if at.residual < best.residual:
            best, best_step = at, step
        if step == limit:
            break
        if step - best_step >= patience:
            return stopped(best, "stagnated")
        if start is not None and at.residual >= start.residual:
            at = start  # a chord step that raised the residual is undone
        serves = problem.contracts(at, previous_residual)
        chord = serves and (cache.swept or problem.active_set_unchanged(at))
        previous_residual, p = at.residual, None
        if chord and not cache.swept:
            steps.append(_broyden_step(problem.solve(np.where(problem.constrained, 0.0, problem.jump)), steps))
            start, v = at, at.v + steps[-1]
        else:
            data = problem.hessian(at.v, keep=serves and not descends)  # smooth laws are part of it
            problem.linearise(at.v, at.g, at.tolerance)
            v, cache.swept = _gauss_seidel(problem, at, data)
            start, steps, cache.key = at if chord else None, [], problem.key
            if chord and not cache.swept:
                continue  # with the matrix of this iterate
        if start is None and not cache.swept:
            active = problem.constrained.tobytes()
            # With given normal forces an active set that returns with little gain is a cycle; with unknown ones it need not be.
            if not problem.coupled and active != previous and 2.0 * at.residual >= residuals.get(active, math.inf):
                return stopped(best, "cycle")
            previous, residuals[active] = active, at.residual
            newton, p = _newton_step(problem, at, data)
            if newton is None:
                return stopped(best, "singular")
            steps = [newton] if v is at.v else []
            v = v + newton
        if not cache.swept:
            problem.impose(v)
        problem.counts["iterations"] += 1
        if start is not None:
            at = problem.evaluate(v)
        else:
            new = _backtracked(problem, at, (v, p))
            at = _line_search(problem, at, new) if descends and new.residual >= REDUCTION * at.residual else new
    return stopped(best, "out of iterations")


def _newton_step(problem: NodalProblem, at: Iterate, data: Array) -> tuple[Array | None, Array | None]:
    """``NodalProblem.newton_step``, or ``definite_step`` where its matrix is not definite; None where friction follows unknown
    normal forces there."""
    try:
        return problem.newton_step(data, at)
    except NotPositiveDefinite:
        return (None if problem.coupled else problem.definite_step(at)), None


def _backtracked(problem: NodalProblem, at: Iterate, ahead: tuple[Array, Array | None]) -> Iterate:
    """Iterate at v and p ``ahead``, or after halved steps where forces are not finite (inverted cells)."""
    v, p = ahead
    new = problem.evaluate(v, p)
    for _ in range(MAX_SHORTENINGS):
        if new.residual < math.inf:
            break
        v, p = 0.5 * (at.v + v), None if p is None or at.p is None else 0.5 * (at.p + p)
        new = problem.evaluate(v, p)
    return new


def _line_search(problem: NodalProblem, at: Iterate, new: Iterate) -> Iterate:
    """Iterate at a fraction of the step to ``new``."""
    whole, last = new.v - at.v, new

    def forces(share: float) -> Array:
        nonlocal last
        last = new if share == 1.0 else problem.evaluate(at.v + share * whole)
        return last.g

    step_length(forces, at.g, np.where(problem.constrained, 0.0, whole))
    return last


def step_length(forces: Callable[[float], Array], start: Array, step: Array) -> float:
    """Fraction 1, ½, ¼, ... of a ``step`` δ (N, d) with forces F·δ <= −½ F₀·δ at its end, F₀ = ``start``: where F has a potential
    that is convex along δ, near its least value along the step.

    ``forces``: fraction -> F (N, d); called last with the result, but after ``MAX_HALVINGS``."""
    drive, share = -float(np.vdot(start, step)), 1.0
    for _ in range(MAX_HALVINGS):
        if float(np.vdot(forces(share), step)) <= 0.5 * drive:
            break
        share *= 0.5
    return share


def _broyden_step(chord: Array, steps: list[Array]) -> Array:
    """Broyden's step from a ``chord`` step (N, d), m/s, after earlier ``steps`` with the same factor.

    The first is Newton's or a chord step itself; each updates the inverse by the residual after it (Kelley 2003,
    Solving Nonlinear Equations with Newton's Method, section 4). Where it would more than double a step, the chord step stays.
    """
    step = chord
    for before, after in pairwise(steps):
        step = step + np.einsum("na,na", before, step) / np.einsum("na,na", before, before) * after
    if steps:
        share = np.einsum("na,na", steps[-1], step) / np.einsum("na,na", steps[-1], steps[-1])
        return step / (1.0 - share) if share < 0.5 else chord
    return chord


def _gauss_seidel(problem: NodalProblem, at: Iterate, data: Array) -> tuple[Array, bool]:
    """Velocities (N, d), m/s, after sweeps of Gauss–Seidel on the quadratic model, with the laws linearised there, or the iterate's
    own where sweeps would take too long; and True where they solve the model, so that it needs no factor (few nodes move)."""
    cache, excluded = problem.cache, problem.excluded_from_sweeps
    if problem.nt < len(cache.dims) or not problem.w_max or not problem.constrained.any():
        return at.v, False
    v, g, matrix = at.v.copy(), at.g.copy(), (cache.indptr, cache.indices, data, cache.own)
    change = relax(*matrix, problem.w, at.tolerance, excluded, v, g)
    if change <= SOLVED_RATIO and excluded is problem.fixed:
        return v, True
    if change == math.inf:
        return at.v, False
    problem.linearise(v, g, at.tolerance)
    return v, False
