"""Methods for laws that are a function of v (no stick), F(v) = g(v) + lambda(v) = 0: damped Newton, pseudo-transient continuation.

The matrix S is the hessian plus the symmetric part of the law's tangent; where that is not positive definite, because friction
falls with speed, plus what is positive semidefinite of it (node by node). So dv = -S^-1 F is a descent direction: of the energy,
for a law with a potential; else of F . S^-1 F. Where a line search stalls, (S + c r) dv = -F follows the transient
c r v' + F(v) = 0, r the hessian's diagonal, in which c falls with the residual (Kelley and Keyes 1998).

Of several solutions under friction that falls with speed, that one is accepted which the motion reaches: the root b, if on the
straight way d from the incoming slip a

    d . H(b) d + sum l_i |d_i|^2 > 0,   l_i <= the eigenvalues of sym(d lambda_i/dv) at node i anywhere between a_i and b_i.

Derived in docs/theory.md, section 5, "Laws that are functions of the velocity".
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import scipy.sparse.linalg

from friction.arrays import Array
from friction.nodal import coulomb
from friction.nodal.problem import Iterate, NodalProblem, ended
from friction.nodal.transformed import definite, symmetric

MOST = 1e12
"""c beyond which nothing moves."""
FALLING = 1e-9
"""A fall of friction with speed, in units of the hessian's diagonal, below which it needs no look."""


def solve(problem: NodalProblem, v: Array, reference: Array | None) -> tuple[Iterate, str]:
    """Return the last iterate under a law that is a function of v, and the method's name.

    It starts from ``v`` (N, d), m/s, and, if need be, from Coulomb's solution; else as ``set_valued.solve``.
    """
    if problem.part.linear and not problem.w.any():
        return coulomb.solve_linear(problem), "linear"
    limit = problem.options.max_fallback_iterations
    end = iterate(problem, problem.evaluate(v), limit)
    if end.reason in ("stagnated", "out of iterations"):
        # of the bound that the law's own profile rises to
        near = problem.evaluate(coulomb.solve(problem.as_coulomb(problem.law.peak * problem.w), v)[0].v)
        for again in (iterate, follow_transient):
            end = min(end, again(problem, replace(near), limit), key=lambda at: at.residual)
            if end.reason not in ("stagnated", "out of iterations"):
                break
    if reference is not None and end.reason == "converged" and too_long(problem, reference, end.v):
        end = ended(end, "step too long")
    return end, "regularised"


def iterate(problem: NodalProblem, at: Iterate, limit: int) -> Iterate:
    """Run at most ``limit`` steps of damped Newton from an iterate; return the converged one, or the last with the reason why not.

    A full step is taken when it lowers the residual, else it is halved until the energy, or F · S⁻¹ F, falls. The factor is kept
    while the residual falls fast. A solution at which the exact matrix is not positive definite is one that the motion leaves:
    "step too long". Where it is, ``too_long`` looks at the way to the solution from the incoming slip.
    """
    held = problem.imposed
    previous = math.inf
    for _ in range(limit):
        if not math.isfinite(at.residual):
            return ended(at, "non-finite")
        if at.residual <= at.tolerance:
            return judged(problem, at)
        force = problem.force(at.v, at.g)
        keep = problem.contracts(at, previous) and np.array_equal(held, problem.cache.held)
        new = _stepped(problem, at, force, keep)
        if keep and not new.residual < at.residual:  # the old factor does not contract: once more with a new one
            new = _stepped(problem, at, force, False)
        previous, at = at.residual, new
        if at.reason:
            return at
    return judged(problem, at) if at.residual <= at.tolerance else ended(at, "out of iterations")


def follow_transient(problem: NodalProblem, at: Iterate, limit: int) -> Iterate:
    """Follow the transient for at most ``limit`` steps; return the converged iterate, or the best one with the reason why not."""
    best, c = at, 1.0
    for _ in range(limit):
        if at.residual <= at.tolerance or not math.isfinite(at.residual) or c > MOST:
            break
        tangent = symmetric(_tangent(problem, at.v))
        data = problem.hessian(at.v)
        faster = 4.0
        if problem.factorised(data, tangent + c * problem.cache.r[:, None, None] * np.eye(2), problem.imposed):
            step = problem.solve(-problem.force(at.v, at.g))
            problem.counts.fallback_iterations += 1
            new = problem.evaluate(at.v + step)
            if new.residual < 10.0 * at.residual:
                faster = min(max(new.residual / at.residual, 0.1), 2.0)
                at, best = new, min(best, new, key=lambda one: one.residual)
        c *= faster
    if best.residual <= best.tolerance:
        return judged(problem, best)
    return ended(
        best, "non-finite" if not math.isfinite(at.residual) else "stagnated" if c > MOST else "out of iterations"
    )


def judged(problem: NodalProblem, at: Iterate) -> Iterate:
    """Return a solution, whose residual is below the tolerance, as converged, unless friction falls too fast there."""
    exact = symmetric(_tangent(problem, at.v))
    mean, half = 0.5 * (exact[:, 0, 0] + exact[:, 1, 1]), 0.5 * (exact[:, 0, 0] - exact[:, 1, 1])
    smallest = mean - np.hypot(half, exact[:, 0, 1])  # eigenvalue of each block
    if np.any((smallest < -FALLING * problem.cache.r) & ~problem.fixed):
        held = problem.imposed
        if problem.law.set_valued:
            held[~at.v[:, : problem.nt].any(axis=1) & (problem.bound > 0.0), : problem.nt] = True
        if not problem.factorised(problem.hessian(at.v), exact, held):
            return ended(at, "step too long")
    return ended(at, "converged")


def _tangent(problem: NodalProblem, v: Array) -> Array:
    """Return dλ/dv (N, 2, 2), N s/m, along the ground."""
    return problem.law.tangent(v[:, : problem.nt], problem.w)


def too_long(problem: NodalProblem, start: Array, end: Array) -> bool:
    """Say whether friction may fall too fast between the incoming slip velocities ``start`` and the root ``end`` (N, 2), m/s."""
    law = problem.law
    if not law.velocity_weakening:
        return False
    data, along = problem.hessian(end), slice(problem.nt)
    start = np.where(problem.fixed[:, None], end[:, along], start)
    least = law.least_tangent(start, end[:, along], problem.w)
    if not np.any((least < -FALLING * problem.cache.r) & ~problem.fixed):
        return False
    way, full = end[:, along] - start, np.zeros_like(end)
    full[:, along] = way
    inertia = float(full.ravel() @ (problem.matrix(data) @ full.ravel()))
    return not inertia + float(least @ np.einsum("ia,ia->i", way, way)) > 0.0


def _stepped(problem: NodalProblem, at: Iterate, force: Array, keep: bool) -> Iterate:
    """Return the next iterate: Newton's step, with the factor at hand (keep) or else a new one and a line search."""
    skew = np.zeros(0)
    if not keep:
        data, held = problem.hessian(at.v), problem.imposed
        tangent = _tangent(problem, at.v)
        if problem.factorised(data, symmetric(tangent), held):
            skew = np.where(problem.fixed, 0.0, 0.5 * (tangent[:, 0, 1] - tangent[:, 1, 0]))
        else:
            problem.factorise(data, definite(tangent), held)
    step = problem.solve(-force)
    if skew.any():
        step = _unsymmetric(problem, skew, step)
    problem.counts.iterations += 1
    new = problem.evaluate(at.v + step)
    if keep or new.residual < 0.9 * at.residual:
        return new
    return (_by_energy if problem.law.has_potential else _by_residual)(problem, at, force, step, new)


def _unsymmetric(problem: NodalProblem, skew: Array, step: Array) -> Array:
    """Return the solution of (S + W) dv = -F from S^-1 (-F), both (N, d), W the nodal skew blocks [[0, x], [-x, 0]], x (N,).

    By GMRES: the eigenvalues of 1 + S^-1 W have the real part 1, so a few solves give Newton's step.
    """

    def product(x: Array) -> Array:
        v = x.reshape(step.shape)
        skewed = np.zeros_like(step)
        skewed[:, 0], skewed[:, 1] = skew * v[:, 1], -skew * v[:, 0]
        return x + problem.solve(skewed).ravel()

    operator = scipy.sparse.linalg.LinearOperator((step.size, step.size), product)
    solution, _ = scipy.sparse.linalg.gmres(operator, step.ravel(), rtol=1e-3, atol=0.0, restart=8, maxiter=1)
    result: Array = solution.reshape(step.shape)
    return result


def _by_energy(problem: NodalProblem, at: Iterate, force: Array, step: Array, new: Iterate) -> Iterate:
    """Return the first of v + step, v + step/2, ... at which the energy has fallen enough."""
    start, slope, t = problem.energy(at.v), float(np.vdot(force, step)), 1.0
    rounding = 64.0 * float(np.finfo(float).eps) * (abs(start) + float(np.abs(at.g * at.v).sum()))
    for _ in range(50):
        if problem.energy(at.v + t * step) <= start + 1e-4 * t * slope:
            return new if t == 1.0 else problem.evaluate(at.v + t * step)
        if -t * slope <= rounding:  # the energy can no longer tell
            return new if new.residual < at.residual else ended(at, "stagnated")
        t *= 0.5
    return ended(at, "stagnated")


def _by_residual(problem: NodalProblem, at: Iterate, force: Array, step: Array, new: Iterate) -> Iterate:
    """Return the first of v + step, v + step/2, ... at which F . S^-1 F has fallen enough, S being the factor at hand."""
    start, t = -float(np.vdot(force, step)), 1.0
    for _ in range(40):
        residual = problem.force(new.v, new.g)
        if (
            np.isfinite(residual).all()
            and float(np.vdot(residual, problem.solve(residual))) <= (1.0 - 2e-4 * t) * start
        ):
            return new
        t *= 0.5
        new = problem.evaluate(at.v + t * step)
    return ended(at, "stagnated")
