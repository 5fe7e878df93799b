"""Laws other than Coulomb's as Coulomb problems: other bounds, other variables, or a rate-dependent smooth part.

- Coulomb with a cap, static/kinetic: Tresca friction with bounds of the law.
- With a metric D (elliptic): the radial law in v' = D v (``transformed.LocalPart``).
- Rate-dependent laws (``transformed.RateDependentPart``): Coulomb with the bound w m(0), 0 of a law that is a function of v; the
  remainder, λ(v) − w m(0) n, goes into the part. Its matrix is the hessian plus the symmetric part of the law's tangent, or, where
  friction falling with speed makes that indefinite, plus the positive semidefinite part (node by node).

Laws without stick are solved by steps dv = −S⁻¹ F, F = g + λ(v), halved while F opposes them (``newton``). Where these stall,
(S + c r) dv = −F follows the transient c r v' + F(v) = 0, r the hessian's diagonal, in which c falls with the residual (Kelley
and Keyes 1998).

Of several solutions under friction that falls with speed, the one reached by the motion is accepted: the root b,
if for d = b − a, a the incoming slip,

    d . H(b) d + sum l_i |d_i|^2 > 0,   l_i <= the eigenvalues of sym(d lambda_i/dv) at node i anywhere between a_i and b_i.

Derived in docs/theory.md, section 5, "Laws that are functions of the velocity".
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from friction.arrays import Array
from friction.errors import NotPositiveDefinite
from friction.laws.protocol import Radial
from friction.nodal import coulomb, newton
from friction.nodal.problem import Iterate, NodalProblem, stopped
from friction.nodal.transformed import LocalPart, RateDependentPart, symmetric

MAX_DAMPING = 1e12
"""Largest c, beyond which steps vanish."""
WEAKENING_TOLERANCE = 1e-9
"""Slope of falling friction over the hessian's diagonal below which a solution is not checked."""
RETRIED = "stagnated", "out of iterations"
"""Reasons of failure after which Coulomb's solution is tried as a start."""


def solve(problem: NodalProblem, v: Array, reference: Array | None) -> tuple[Iterate, str]:
    """Solve a problem under a law other than Coulomb's; return the last iterate and the method's name.

    It starts from ``v`` (N, d), m/s; ``reference`` are the incoming slip velocities (N, 2), m/s. The factor's error becomes the
    reason "step too long" where falling friction causes it.
    """
    if not problem.law.set_valued:
        return _function_of_speed(problem, v, reference)
    if problem.law.metric is not None:
        D = np.eye(v.shape[1])
        D[:2, :2] = problem.law.metric
        back = np.linalg.inv(D)
        axes, size = np.tile(back, (len(v), 1, 1)), float(np.linalg.norm(back, 2))
        part = LocalPart(
            problem.part, np.arange(len(v)), axes, size=size
        )  # |g + λ| = |D (g' + y)| <= |g' + y|, |D| <= 1
        end, name = coulomb.solve(problem.as_coulomb(problem.w, part, ("stretched", D.tobytes())), v @ D)
        return replace(end, v=part.velocity(end.v), g=end.g @ D), name
    law = problem.law.radial
    if not law.constant:
        return _varying(problem, law, v)
    if law.static > law.kinetic:
        return _static_kinetic(problem, law, v, reference)
    problem.bound = law.kinetic * problem.w
    return coulomb.solve(problem.as_coulomb(problem.bound), v)


def _static_kinetic(problem: NodalProblem, law: Radial, v: Array, reference: Array | None) -> tuple[Iterate, str]:
    """Solve with the static bound at nodes at rest before, and with the kinetic one once they slip."""
    at_rest, along = (
        np.ones(len(problem.w), np.bool_) if reference is None else ~reference.any(axis=1),
        slice(problem.nt),
    )
    while True:
        problem.bound = np.where(at_rest, law.static, law.kinetic) * problem.w
        end, name = coulomb.solve(problem.as_coulomb(problem.bound), v)
        broken = at_rest & end.v[:, along].any(axis=1) & (problem.w > 0.0)
        if end.reason != "converged" or not broken.any():
            return end, name
        at_rest &= ~broken
        v = end.v


def varying_part(problem: NodalProblem, bound: Array) -> RateDependentPart:
    """The problem's part plus the difference of its law from Coulomb friction with the ``bound`` (N,), N."""
    law = problem.law.radial if problem.law.set_valued else problem.law
    d, nt = len(problem.cache.dims), problem.nt
    own = problem.cache.diagonal.reshape(-1, d, d)[:, :nt, :nt]
    return RateDependentPart(problem.part, law, problem.w, bound, own, problem.fixed)


def _varying(problem: NodalProblem, law: Radial, v: Array) -> tuple[Iterate, str]:
    """Solve by Newton's method with the exact tangent; if it does not converge, by all methods with a definite one."""
    problem.bound = law.kinetic * problem.w
    first = replace(problem.options, max_fallback_iterations=0, fallback_only=False)
    part = varying_part(problem, problem.bound)
    exact = problem.as_coulomb(problem.bound, part, options=first)
    try:
        end, name = coulomb.solve(exact, v)
    except NotPositiveDefinite:
        return stopped(exact.evaluate(v), "step too long"), coulomb.NEWTON_METHODS[0]
    if end.reason != "converged":
        part.clamped = True
        end, name = coulomb.solve(problem.as_coulomb(problem.bound, part, "clamped"), v)
    return (check_stability(problem, end) if end.reason == "converged" else end), name


def _function_of_speed(problem: NodalProblem, v: Array, reference: Array | None) -> tuple[Iterate, str]:
    """Solve under a law that is a function of v: from ``v`` and, if need be, from Coulomb's solution."""
    if problem.part.linear and not problem.w.any():
        return coulomb.solve_linear(problem), "linear"
    limit, part = problem.options.max_fallback_iterations, varying_part(problem, np.zeros_like(problem.w))
    smooth = problem.as_coulomb(part.bound, part)
    end = descend(smooth, smooth.evaluate(v), limit)
    if end.reason in RETRIED:
        # with the largest bound of the law's profile
        near = coulomb.solve(problem.as_coulomb(problem.law.peak * problem.w), v)[0].v
        for again in (descend, follow_transient):
            end = min(end, again(smooth, smooth.evaluate(near), limit), key=lambda at: at.residual)
            if end.reason not in RETRIED:
                break
    if end.reason == "converged":
        check_stability(problem, end)
    if reference is not None and end.reason == "converged" and may_be_nonunique(problem, reference, end.v):
        stopped(end, "step too long")
    return replace(end, g=end.g - part.force(end.v)), "regularised"


def descend(problem: NodalProblem, at: Iterate, limit: int) -> Iterate:
    """At most ``limit`` steps that descend; return the converged iterate, or the best one with the reason of failure."""
    return newton.iterate(problem, at, limit, descends=True)


def follow_transient(problem: NodalProblem, at: Iterate, limit: int) -> Iterate:
    """At most ``limit`` steps of the transient; return the converged iterate, or the best one with the reason of failure."""
    best, c = at, 1.0
    for _ in range(limit):
        if at.residual <= at.tolerance or not math.isfinite(at.residual) or c > MAX_DAMPING:
            break
        data, faster = problem.hessian(at.v), 4.0
        inertia = np.zeros_like(problem.D) + c * problem.cache.r[:, None, None] * np.eye(problem.nt)
        if problem.factorised(data, inertia, problem.imposed):
            step = problem.solve(np.where(problem.constrained, 0.0, -at.g))
            problem.counts["fallback_iterations"] += 1
            new = problem.evaluate(at.v + step)
            if new.residual < 10.0 * at.residual:
                faster = min(max(new.residual / at.residual, 0.1), 2.0)
                at, best = new, min(best, new, key=lambda one: one.residual)
        c *= faster
    if best.residual <= best.tolerance:
        return stopped(best, "converged")
    reason = "stagnated" if c > MAX_DAMPING else "out of iterations"
    return stopped(best, reason if math.isfinite(at.residual) else "non-finite")


def check_stability(problem: NodalProblem, at: Iterate) -> Iterate:
    """Mark a solution as converged, unless friction falls too fast there: then the exact matrix is not positive definite, and the
    motion leaves the solution."""
    exact = symmetric(problem.law.tangent(at.v[:, : problem.nt], problem.w))
    mean, half = 0.5 * (exact[:, 0, 0] + exact[:, 1, 1]), 0.5 * (exact[:, 0, 0] - exact[:, 1, 1])
    smallest = mean - np.hypot(half, exact[:, 0, 1])  # eigenvalue of each block
    if np.any((smallest < -WEAKENING_TOLERANCE * problem.cache.r) & ~problem.fixed):
        constrained = problem.imposed
        if problem.law.set_valued:
            constrained[~at.v[:, : problem.nt].any(axis=1) & (problem.bound > 0.0), : problem.nt] = True
        if not problem.factorised(problem.hessian(at.v), exact, constrained):
            return stopped(at, "step too long")
    return stopped(at, "converged")


def may_be_nonunique(problem: NodalProblem, start: Array, end: Array) -> bool:
    """True where friction may fall too fast between the incoming slip velocities ``start`` and the root ``end`` (N, 2), m/s."""
    law = problem.law
    if not law.velocity_weakening:
        return False
    data, along = problem.hessian(end), slice(problem.nt)
    start = np.where(problem.fixed[:, None], end[:, along], start)
    least = law.least_tangent(start, end[:, along], problem.w)
    if not np.any((least < -WEAKENING_TOLERANCE * problem.cache.r) & ~problem.fixed):
        return False
    path, full = end[:, along] - start, np.zeros_like(end)
    full[:, along] = path
    inertia = float(full.ravel() @ (problem.matrix(data) @ full.ravel()))
    return not inertia + float(least @ np.einsum("ia,ia->i", path, path)) > 0.0
