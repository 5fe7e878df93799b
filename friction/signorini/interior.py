"""Contact nodes from anywhere, along a path of smoothed problems: dearer than Newton's method, and hardly ever without end.

With a length δ, m/s, that falls to 0, both laws are smooth, f a force of the problem's size:

    u_n p_n = f δ,    p_t √(|u_t|² + δ²) = −w u_t,    w = μ p_n or given

p_n and p_t are unknowns beside v (Chan, Golub & Mulet 1999 for the friction), eliminated from each Newton step; u_n and p_n stay
positive. With w given the problem is convex and the path is that of an interior point method. Coulomb's w follows p_n from step to
step. Semismooth Newton is tried from the path again and again: what it reaches is a solution without δ.
"""

from __future__ import annotations

import numpy as np

from friction.arrays import Array
from friction.errors import NotPositiveDefinite
from friction.signorini.newton import ended, iterate
from friction.signorini.problem import Iterate, Laws, SignoriniProblem

STEPS, POLISHED_EVERY = 90, 3
TO_THE_WALL = 0.95
"""Share of the way to u_n = 0 or p_n = 0 that a step takes at most."""


@np.errstate(over="ignore", invalid="ignore")  # what is not finite ends the path
def follow(problem: SignoriniProblem, at: Iterate, laws: Laws, fall: float) -> Iterate:
    """Return the solution, or the last iterate with its ``reason``; ``fall``: what a step leaves of δ."""
    nodes, end = problem.contact.nodes, at
    force = max(float(np.abs(at.g).max()), np.finfo(float).tiny)
    delta = force / float(problem.kappa[nodes].mean())
    u, pressure, friction = at.u.copy(), np.full(len(nodes), force), np.zeros((len(nodes), 2))
    u[:, 2] = np.maximum(u[:, 2], delta)
    v = problem.placed(at.v, u)
    for step in range(1, STEPS + 1):
        at = problem.evaluate(v, u, laws)
        if not np.isfinite(at.residual):
            return ended(end, "non-finite")
        if not problem.part.linear:
            problem.assemble(v)
        bound = laws.finite * pressure if laws.bound is None else laws.bound
        size = np.hypot(friction[:, 0], friction[:, 1])
        friction *= np.minimum(1.0, bound / np.where(size > 0.0, size, 1.0))[:, None]
        tangent, pull = _smoothed(u, friction, bound, delta)
        target, stiffness = force * delta / u[:, 2], pressure / u[:, 2]
        try:
            ahead, ahead_u = problem.smooth_step(
                at, np.column_stack([pull, target]), np.column_stack([tangent, stiffness])
            )
        except NotPositiveDefinite:
            return ended(end, "singular")
        du = ahead_u - u
        xx, xy, yy = tangent.T
        change = pull - friction - np.column_stack([xx * du[:, 0] + xy * du[:, 1], xy * du[:, 0] + yy * du[:, 1]])
        rise = target - pressure - stiffness * du[:, 2]
        share = min(_room(u[:, 2], du[:, 2]), _room(pressure, rise))
        v, u = v + share * (ahead - v), u + share * du
        pressure, friction = pressure + share * rise, friction + share * change
        if share > 0.5:
            delta *= fall
        if step % POLISHED_EVERY == 0:
            problem.counts.fallback_iterations += POLISHED_EVERY
            known = np.where(problem.shared.which[:, None], problem.slip(v), u)
            near = problem.evaluate(v, known, laws, np.column_stack([friction, pressure]))
            end = iterate(problem, near, laws, limit=6, patience=2)
            if end.reason == "converged":
                return end
    return ended(end, "stagnated")


def _smoothed(u: Array, friction: Array, bound: Array, delta: float) -> tuple[Array, Array]:
    """Return the tangent (m, 3), xx, xy, yy, N s/m, and the force (m, 2), N, of the smoothed law at u."""
    x, y = u[:, 0], u[:, 1]
    root = np.sqrt(x * x + y * y + delta * delta)
    across = 0.5 * (friction[:, 0] * y + friction[:, 1] * x)
    tangent = np.column_stack([bound + friction[:, 0] * x / root, across / root, bound + friction[:, 1] * y / root])
    return tangent / root[:, None], -(bound / root)[:, None] * u[:, :2]


def _room(x: Array, step: Array) -> float:
    """Return the share of a ``step``, at most 1, that leaves x positive."""
    falls = step < 0.0
    return min(1.0, TO_THE_WALL * float((-x[falls] / step[falls]).min(initial=np.inf)))
