"""Nodes that obey contact laws from anywhere, along a path of smoothed problems: dearer than Newton's method, hardly ever without
end.

With a length δ, m/s, that falls to 0, both laws are smooth, f a force of the problem's size, p the force on the body:

    u_n p_n = f δ,    p_t √(|u_t|² + δ²) = −w u_t,    w = bound + μ p_n

p_n and p_t are unknowns beside u (Chan, Golub & Mulet 1999 for the friction), eliminated from each Newton step; u_n and p_n stay
positive. Where w is given the problem is convex and the path is that of an interior point method; else w follows p_n from step to
step. Semismooth Newton is tried from the path again and again: what it reaches is a solution without δ.
"""

from __future__ import annotations

import numpy as np

from friction.arrays import Array
from friction.errors import NotPositiveDefinite
from friction.nodal.kernels import UNILATERAL
from friction.nodal.newton import iterate
from friction.nodal.problem import Iterate, NodalProblem, ended

FALLS = (0.2, 0.6)
"""What a step leaves of δ, in turn."""
FIRST = 0.1
"""Share of the largest speed that δ begins with."""
POLISHED_EVERY, POLISH_STEPS, POLISH_PATIENCE = 3, 6, 2
ROUNDING, LEAST = 64.0 * float(np.finfo(float).eps), 1e-9
"""Of energies, by which they may rise, and the least share of a step."""
TO_THE_WALL = 0.95
"""Share of the way to u_n = 0 or p_n = 0 that a step takes at most."""


@np.errstate(over="ignore", invalid="ignore")  # what is not finite ends the path
def follow(problem: NodalProblem, at: Iterate, fall: float, limit: int) -> Iterate:
    """Return the solution, or the last iterate with its ``reason``, after at most ``limit`` steps; ``fall``: what a step leaves of
    δ."""
    laws, n = problem.laws, problem.nt
    presses, end = np.flatnonzero(laws.kind == UNILATERAL), at
    rubs = np.flatnonzero(((laws.bound > 0.0) | (laws.mu > 0.0)) & ~laws.fixed)
    force = max(float(np.abs(at.g).max()), np.finfo(float).tiny)
    data = problem.hessian(at.v)
    u, pressure, friction = at.v.copy(), np.full(len(presses), force), at.g[rubs, :n].copy()
    if len(presses):
        delta = force / float(problem.cache.r[np.union1d(rubs, presses)].mean())
        u[presses, n], friction[:] = np.maximum(u[presses, n], delta), 0.0
    else:
        delta = _first(problem, at, data)
    of_rubbing = np.full(len(u), -1)
    of_rubbing[presses] = np.arange(len(presses))
    for step in range(1, limit + 1):
        now = problem.evaluate(u)
        if not np.isfinite(now.residual):
            return ended(end, "non-finite")
        if not problem.part.linear:
            data = problem.hessian(u)
        normal = np.where(of_rubbing[rubs] >= 0, pressure[of_rubbing[rubs]], 0.0) if len(presses) else 0.0
        bound = laws.bound[rubs] + laws.mu[rubs] * normal
        size = np.sqrt(np.einsum("ma,ma->m", friction, friction))
        friction *= np.minimum(1.0, bound / np.where(size > 0.0, size, 1.0))[:, None]
        pull, tangent = _smoothed(u[rubs, :n], friction, bound, delta)
        target, stiffness = np.zeros((2, len(presses)))
        if len(presses):
            target, stiffness = force * delta / u[presses, n], pressure / u[presses, n]
        try:
            du = _step(problem, now, data, (rubs, pull, tangent), (presses, target, stiffness))
        except NotPositiveDefinite:
            return ended(end, "singular")
        problem.counts.fallback_iterations += 1
        change = pull - friction - np.einsum("mab,mb->ma", tangent, du[rubs, :n])
        rise = np.zeros(0)
        if len(presses):
            rise = target - pressure - stiffness * du[presses, n]
            share = min(_room(u[presses, n], du[presses, n]), _room(pressure, rise))
        else:
            share = _downhill(problem, u, du, delta)
        u, friction, pressure = u + share * du, friction + share * change, pressure + share * rise
        if share > 0.5:
            delta *= fall
        if not len(presses):
            speeds = np.sqrt(np.einsum("ma,ma->m", u[rubs, :n], u[rubs, :n]))
            delta = min(delta, fall * float(bound @ speeds) / float(bound.sum()))
        if step % POLISHED_EVERY == 0:
            end = iterate(problem, problem.evaluate(u), POLISH_STEPS, POLISH_PATIENCE)
            if end.reason == "converged":
                return end
    return ended(end, "out of iterations")


def _first(problem: NodalProblem, at: Iterate, data: Array) -> float:
    """Return the first δ, m/s, under given bounds: a share of the largest speed; from rest, what the forces give a rigid whole."""
    along = slice(problem.nt)
    if fastest := float(np.abs(at.v[:, along]).max()):
        return FIRST * fastest
    ones = np.zeros_like(at.v)
    ones[:, along] = 1.0
    forces = float(np.sqrt(np.einsum("na,na->n", at.g[:, along], at.g[:, along])).sum() + problem.w.sum())
    return 2.0 * forces / float(ones.ravel() @ (problem.matrix(data) @ ones.ravel()))


def _smoothed(u: Array, friction: Array, bound: Array, delta: float) -> tuple[Array, Array]:
    """Return the force (m, nt), N, and the tangent (m, nt, nt), N s/m, of the smoothed law at u (m, nt) with forces
    ``friction``."""
    root = np.sqrt(np.einsum("ma,ma->m", u, u) + delta * delta)
    across = np.einsum("ma,mb->mab", friction, u)
    across = 0.5 * (across + across.transpose(0, 2, 1)) / root[:, None, None]
    tangent = (bound[:, None, None] * np.eye(u.shape[1]) + across) / root[:, None, None]
    return -(bound / root)[:, None] * u, tangent


def _step(
    problem: NodalProblem,
    at: Iterate,
    data: Array,
    along: tuple[np.ndarray, Array, Array],
    across: tuple[np.ndarray, Array, Array],
) -> Array:
    """Return the step (N, d) with forces f − S du at some nodes: ``along`` and ``across`` have the nodes, f and S."""
    (rubs, pull, tangent), (presses, target, stiffness) = along, across
    n, cache, rows = problem.nt, problem.cache, problem.cache.diagonal.reshape(len(at.v), *at.v.shape[1:], -1)
    stiffened, rhs = data.copy(), -at.g
    rhs[rubs, :n] += pull
    stiffened[rows[rubs][:, :n, :n]] += tangent
    if len(presses):
        rhs[presses, n] += target
        stiffened[rows[presses][:, n, n]] += stiffness
    problem.factorise(stiffened, np.zeros(()), problem.imposed)
    cache.valid = False
    return problem.solve(np.where(problem.held, 0.0, rhs))


def _downhill(problem: NodalProblem, u: Array, step: Array, delta: float) -> float:
    """Return the share of a ``step`` (N, d), one of 1, ½, ¼, ..., to which the smoothed energy, W, does not rise; 1 of linear
    parts."""
    if problem.part.linear:
        return 1.0

    def energy(v: Array) -> float:
        root = np.sqrt(np.einsum("na,na->n", v[:, : problem.nt], v[:, : problem.nt]) + delta * delta)
        return problem.part_energy(v) + float(problem.w @ root)

    start, share = energy(u), 1.0
    rounding = ROUNDING * (abs(start) + float(np.abs(problem.part.gradient(u) * u).sum()))
    while share > LEAST and not energy(u + share * step) <= start + rounding:
        share *= 0.5
    return share


def _room(x: Array, step: Array) -> float:
    """Return the share of a ``step``, at most 1, that leaves x positive."""
    falls = step < 0.0
    return min(1.0, TO_THE_WALL * float((-x[falls] / step[falls]).min(initial=np.inf)))
