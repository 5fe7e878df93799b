"""Semismooth Newton's method for nodes that obey contact laws: fast from a warm start, not globally convergent.

The laws are linearised as in ``kernels``; what sticks or is closed is held and leaves the matrix, which keeps the sparsity of g's.
A linearisation begins where sweeps of Gauss–Seidel on the quadratic model have settled which nodes stick (of plates: inside a
solid they would only smooth). While a factor serves on, its steps are Broyden's.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from friction.arrays import Array
from friction.errors import NotPositiveDefinite
from friction.nodal import kernels as nodes
from friction.nodal.problem import Iterate, NodalProblem, ended
from friction.nodal.sweeps import relax

PATIENCE = 10
"""Steps without a new smallest residual that count as no progress."""
SHORTENINGS, HALVINGS = 6, 40
"""How often a step is halved that leads where forces are not finite, and where it does not descend."""
EPS = float(np.finfo(float).eps)
FALLS = 0.9
"""What a step leaves of the residual at most that is not looked at whether it descends."""


def iterate(
    problem: NodalProblem, at: Iterate, limit: int, patience: int = PATIENCE, *, least: int = 0, descends: bool = False
) -> Iterate:
    """Run semismooth Newton; return the converged iterate, or the best one with the reason why the method gave up.

    At ``least`` and at most ``limit`` Newton steps, chord steps included, and ``patience`` of them without a new smallest residual.
    ``descends``: of problems without laws of several branches; steps that do not lower the residual descend in the energy.
    """
    best, best_step = at, 0
    visited: dict[bytes, float] = {}
    mask, previous = b"", math.inf
    start: Iterate | None = None  # where the last step began, if it was a chord step
    taken: list[Array] = []  # steps with the factor at hand
    for step in range(limit + 1):
        if not math.isfinite(at.residual):
            return ended(best, "non-finite")
        if at.reason:
            return at
        if at.residual <= at.tolerance and step >= least:
            return ended(at, "converged")
        if at.residual < best.residual:
            best, best_step = at, step
        if step == limit:
            break
        if step - best_step >= patience:
            return ended(best, "stagnated")
        if start is not None and at.residual >= start.residual:
            at = start  # a chord step that made things worse is taken back
        chord = problem.contracts(at, previous) and problem.still_holds(at)
        previous = at.residual
        if chord:
            taken.append(_secant(problem.solve(np.where(problem.held, 0.0, problem.jump)), taken))
            start, v = at, at.v + taken[-1]
        else:
            data = problem.hessian(at.v)
            problem.linearise(at.v, at.g, at.tolerance)
            v = _relaxed(problem, at, data)
            found = problem.held.tobytes()
            # Of given forces a mask that comes back with so little gained is a cycle; of unknown ones it need not be.
            if not problem.coupled and found != mask and 2.0 * at.residual >= visited.get(found, math.inf):
                return ended(best, "cycle")
            mask = found
            visited[mask] = at.residual
            try:
                newton, p = problem.newton_step(data, at)
            except NotPositiveDefinite:
                if problem.coupled:
                    return ended(best, "singular")
                newton, p = problem.definite_step(at), None
            start, taken = None, [newton] if v is at.v else []
            v = v + newton
        nodes.rest(problem.held, problem.laws.kept, v)
        problem.counts.iterations += 1
        if start is not None:
            at = problem.evaluate(v)
        else:
            new = _shortened(problem, at, (v, p))
            at = _descended(problem, at, new) if descends and new.residual >= FALLS * at.residual else new
    return ended(best, "out of iterations")


def _shortened(problem: NodalProblem, at: Iterate, ahead: tuple[Array, Array | None]) -> Iterate:
    """Return the iterate at v and p ``ahead``, or nearer to the last one where forces are not finite (inverted cells)."""
    v, p = ahead
    new = problem.evaluate(v, p)
    for _ in range(SHORTENINGS):
        if new.residual < math.inf:
            break
        v, p = 0.5 * (at.v + v), None if p is None or at.p is None else 0.5 * (at.p + p)
        new = problem.evaluate(v, p)
    return new


def _descended(problem: NodalProblem, at: Iterate, new: Iterate) -> Iterate:
    """Return the first of the iterates at ``new``, half as far from the last one, a quarter, ... at which the energy has fallen
    enough, or F·S⁻¹F of a part without one, F the forces g on what is not held and S the factor of the step."""

    def forces(one: Iterate) -> Array:
        return np.where(problem.held, 0.0, one.g)

    step, t, energies = new.v - at.v, 1.0, problem.has_energy
    slope = float(np.vdot(forces(at), step))
    start = problem.part_energy(at.v) if energies else -slope
    rounding = 64.0 * EPS * (abs(start) + float(np.abs(at.g * at.v).sum()))
    for _ in range(HALVINGS):
        if energies and -t * slope <= rounding:  # the energy can no longer tell
            return new if new.residual < at.residual else ended(at, "stagnated")
        if energies and problem.part_energy(new.v) <= start + 1e-4 * t * slope:
            return new
        if not energies and np.isfinite(new.residual):
            left = forces(new)
            if float(np.vdot(left, problem.solve(left))) <= (1.0 - 2e-4 * t) * start:
                return new
        t *= 0.5
        new = problem.evaluate(at.v + t * step)
    return ended(at, "stagnated")


def _secant(chord: Array, taken: list[Array]) -> Array:
    """Return Broyden's step for a ``chord`` step (N, d), m/s, with the factor that made the steps ``taken`` so far.

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


def _relaxed(problem: NodalProblem, at: Iterate, data: Array) -> Array:
    """Return v (N, d), m/s, after sweeps of Gauss–Seidel on the quadratic model, with the laws linearised there; the iterate's own
    where they are not worth it.
    """
    cache = problem.cache
    if problem.nt < len(cache.dims) or not problem.w_max or not problem.held.any():
        return at.v
    v, g, matrix = at.v.copy(), at.g.copy(), (cache.indptr, cache.indices, data, cache.own)
    if not relax(*matrix, problem.w, at.tolerance, problem.passed_by, v, g):
        return at.v
    problem.linearise(v, g, at.tolerance)
    return v
