"""Semismooth Newton's method for contact nodes, the contact rows eliminated: fast from a warm start, not globally convergent.

With σ = p_n − κ u_n and τ = p_t − κ u_t both laws are p_n = max(0, σ) and p_t = projection of τ on the disc of radius μ max(0, σ)
(Alart & Curnier 1991), p = g(v) at the contact nodes. An iterate's open nodes have p = 0, sticking ones u = 0; a slipping one
has u_n = 0 and, with n̂ = τ/|τ|, q = μσ/|τ| and Q = q/(1 − q),

    p_t = μ p_n n̂ − κ Q (1 − n̂n̂ᵀ) u_t,    p = g + K d,    u + d for u

Prescribed components leave the matrix as identity rows. What remains has the sparsity of K; rows along the ground of slipping
nodes lose μ n̂ times the normal row. With friction bounds w given instead of μσ the matrix is symmetric.
"""

from __future__ import annotations

import math

import numpy as np

from friction.arrays import Array
from friction.errors import NotPositiveDefinite
from friction.signorini import kernels
from friction.signorini.problem import Iterate, Laws, SignoriniProblem

_SHORTENINGS = 6


def iterate(
    problem: SignoriniProblem, at: Iterate, laws: Laws, *, start: Array | None = None, weight: float = 1.0,
    limit: int = 30, patience: int = 8, descends: bool = False,
) -> Iterate:  # fmt: skip
    """Run at most ``limit`` steps; return the converged iterate, or the best one with the reason why the method gave up.

    ``start``: forces (m, 3), N, that classify the first iterate (None: those at it); ``weight`` on κ; ``descends``: steps are
    shortened until the residual falls.
    """
    best, best_step, nodes = at, 0, problem.contact.nodes
    before, changed, found = None, False, None
    for step in range(limit + 1):
        if not math.isfinite(at.residual):
            return found or ended(best, "non-finite")
        settled = step > 0
        if at.residual <= at.tolerance:
            if found is not None or not changed:
                return ended(at, "converged")
            found, settled = ended(at, "converged"), False  # once more from no forces: equal compliance
        if at.residual < best.residual:
            best, best_step = at, step
        if step == limit or step - best_step >= patience:
            break
        if not (problem.part.linear and step):
            problem.assemble(at.v)
        p = at.p if start is None or step else start
        bound = laws.mu if laws.bound is None else laws.bound
        closed, along, *terms = kernels.linearise(
            p, at.u, laws.mu, bound, laws.bound is None, weight * problem.kappa[nodes]
        )
        states = closed, along
        if len(problem.shared) and before is not None and not all(map(np.array_equal, before, states)):
            changed = True
            if found is not None:
                break
        before = states
        try:
            v, u, force = problem.step(at, states, terms, settled=settled)
        except NotPositiveDefinite:
            return found or ended(best, "singular")
        problem.counts.iterations += 1
        at = _shortened(problem, at, (v, u, force), laws, at.residual if descends else math.inf)
    return found or ended(best, "converged" if best.residual <= best.tolerance else "stagnated")


def _shortened(
    problem: SignoriniProblem, at: Iterate, ahead: tuple[Array, Array, Array], laws: Laws, most: float
) -> Iterate:
    """Return the iterate at v, u and p ``ahead``, or nearer to the last one where forces there are not finite (inverted cells), or
    the residual is not below ``most``."""
    v, u, p = ahead
    for _ in range(_SHORTENINGS):
        new = problem.evaluate(v, u, laws, p)
        if new.residual < most:
            break
        u, p = 0.5 * (at.u + u), 0.5 * (at.p + p)
        v = problem.placed(0.5 * (at.v + v), u)
    return new


def ended(at: Iterate, reason: str) -> Iterate:
    """Return the iterate, changed in place, with the ``reason`` why a method ended there."""
    at.reason = reason
    return at
