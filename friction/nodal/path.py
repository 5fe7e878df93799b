"""Contact laws at nodes, along a path of smoothed problems: from any start, at a higher cost than Newton's method.

With a length δ, m/s, that falls to 0, both laws are smooth, f a force of the problem's size, p the force on the body:

    u_n p_n = f δ,    p_t √(|u_t|² + δ²) = −w u_t,    w = bound + μ p_n

p_n and p_t are unknowns beside u (Chan, Golub & Mulet 1999 for the friction), eliminated from each Newton step; u_n and p_n stay
positive. Where w is given the problem is convex, and this is an interior point method; else w follows p_n from step to
step. Semismooth Newton is tried from the path every few steps: its limit is a solution without δ.
The unknown is u, which keeps the digits of small u_n.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from friction.arrays import Array, row_norms
from friction.errors import NotPositiveDefinite
from friction.nodal.kernels import UNILATERAL
from friction.nodal.newton import iterate, step_length
from friction.nodal.problem import Iterate, NodalProblem, stopped

DELTA_FACTORS = (0.2, 0.6)
"""Factors of δ per step, tried in turn."""
BOUNDARY_FRACTION = 0.95
"""Largest fraction of the step to u_n = 0 or p_n = 0."""
INITIAL_DELTA = 0.1
"""First δ over the largest speed."""
NEWTON_INTERVAL, NEWTON_STEPS, NEWTON_PATIENCE = 3, 6, 2


@np.errstate(over="ignore", invalid="ignore")  # values that are not finite end the path
def follow(problem: NodalProblem, at: Iterate, reduction: float, limit: int) -> Iterate:
    """Follow the path for at most ``limit`` steps, δ falling by the factor ``reduction`` in each; return the solution, or the last
    iterate with its ``reason``."""
    laws, n, end = problem.laws, problem.nt, at
    opens, rubs = laws.kind == UNILATERAL, ((laws.bound > 0.0) | (laws.mu > 0.0)) & ~laws.fixed
    force, unilateral = max(float(np.abs(at.g).max()), np.finfo(float).tiny), bool(opens.any())
    data = problem.hessian(at.v)
    u, pressure, friction = (
        problem.relative(at.v).copy(),
        np.where(opens, force, 0.0),
        np.where(rubs[:, None], at.g[:, :n], 0.0),
    )
    if unilateral:
        delta = force / float(problem.cache.r[rubs | opens].mean())
        u[opens, n], friction[:] = np.maximum(u[opens, n], delta), 0.0
    else:
        delta = _initial_delta(problem, at, data)
    for step in range(1, limit + 1):
        v = problem.absolute(u)
        now = problem.evaluate(v)
        if not np.isfinite(now.residual):
            return stopped(end, "non-finite")
        if not problem.part.linear:
            data = problem.hessian(v)
        bound, size, gap = np.where(rubs, laws.bound + laws.mu * pressure, 0.0), row_norms(friction), u[opens, -1]
        friction *= np.minimum(1.0, bound / np.where(size > 0.0, size, 1.0))[:, None]
        smoothed, tangent = _smoothed(u[:, :n], friction, bound, delta)
        target, stiffness = np.zeros((2, len(u)))
        target[opens], stiffness[opens] = force * delta / gap, pressure[opens] / gap
        try:
            du = _step(problem, data, -now.g, (smoothed, tangent), (target, stiffness))
        except NotPositiveDefinite:
            return stopped(end, "singular")
        problem.counts["fallback_iterations"] += 1
        change = smoothed - friction - np.einsum("mab,mb->ma", tangent, du[:, :n])
        rise, share = target - pressure - stiffness * du[:, -1], 1.0
        if unilateral:
            share = min(_step_to_boundary(gap, du[opens, -1]), _step_to_boundary(pressure[opens], rise[opens]))
        elif not problem.part.linear:
            forces = partial(_forces, problem, bound, delta, u, du)
            share = step_length(forces, forces(0.0), du)
        u, friction, pressure = u + share * du, friction + share * change, pressure + share * rise
        if share > 0.5:
            delta *= reduction
        if not unilateral:
            delta = min(delta, reduction * float(bound @ row_norms(u[:, :n])) / float(bound.sum()))
        if step % NEWTON_INTERVAL == 0:
            end = iterate(problem, problem.evaluate(problem.absolute(u)), NEWTON_STEPS, NEWTON_PATIENCE)
            if end.reason == "converged":
                return end
    return stopped(end, "out of iterations")


def _initial_delta(problem: NodalProblem, at: Iterate, data: Array) -> float:
    """First δ, m/s, under given bounds: a fraction of the largest speed; from rest, the velocity of the body as if rigid."""
    along = slice(problem.nt)
    if fastest := float(np.abs(at.v[:, along]).max()):
        return INITIAL_DELTA * fastest
    ones = np.zeros_like(at.v)
    ones[:, along] = 1.0
    forces = float(row_norms(at.g[:, along]).sum() + problem.w.sum())
    return 2.0 * forces / float(ones.ravel() @ (problem.matrix(data) @ ones.ravel()))


def _smoothed(u: Array, friction: Array, bound: Array, delta: float) -> tuple[Array, Array]:
    """Force (m, nt), N, and tangent (m, nt, nt), N s/m, of the smoothed law at u (m, nt) with forces ``friction``."""
    root = np.sqrt(np.einsum("ma,ma->m", u, u) + delta * delta)
    across = np.einsum("ma,mb->mab", friction, u)
    across = 0.5 * (across + across.transpose(0, 2, 1)) / root[:, None, None]
    tangent = (bound[:, None, None] * np.eye(u.shape[1]) + across) / root[:, None, None]
    return -(bound / root)[:, None] * u, tangent


def _step(
    problem: NodalProblem, data: Array, rhs: Array, along: tuple[Array, Array], across: tuple[Array, Array]
) -> Array:
    """Newton step (N, d) with forces f − S du at the nodes: ``along`` (N, nt) and ``across`` (N,) the ground hold f and S."""
    n, rows = problem.nt, problem.cache.diagonal.reshape(*rhs.shape, -1)
    stiffened = data.copy()
    rhs[:, :n] += along[0]
    rhs[:, -1] += across[0]
    stiffened[rows[:, :n, :n]] += along[1]
    stiffened[rows[:, -1, -1]] += across[1]
    problem.factorise(stiffened, np.zeros(()), problem.imposed)
    problem.cache.valid = False
    return problem.solve(np.where(problem.constrained, 0.0, rhs))


def _forces(problem: NodalProblem, bound: Array, delta: float, u: Array, step: Array, share: float) -> Array:
    """Sum (N, d), N, of the part's forces and smoothed friction after a ``share`` of the ``step`` (N, d) from u (N, d)."""
    v = u + share * step
    g, n = problem.part.gradient(v).copy(), problem.nt
    g[:, :n] -= _smoothed(v[:, :n], np.zeros_like(v[:, :n]), bound, delta)[0]
    return g


def _step_to_boundary(x: Array, step: Array) -> float:
    """Fraction of a ``step``, at most 1, at which x stays positive."""
    falls = step < 0.0
    return min(1.0, BOUNDARY_FRACTION * float((-x[falls] / step[falls]).min(initial=np.inf)))
