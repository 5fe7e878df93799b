"""Set-valued laws as Coulomb problems: other bounds, other variables, or what varies with speed moved to the smooth part.

- Coulomb with a cap, static/kinetic: Tresca friction with the law's own bounds.
- With a metric D (elliptic): the radial law in v' = D v (`transformed.LocalPart`).
- Stribeck, splines that do not vanish at rest: Coulomb with the bound w m(0), and w (m - m(0)) n in the part
  (`transformed.Varying`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from friction.arrays import Array
from friction.errors import NotPositiveDefinite
from friction.laws.protocol import RadialLaw
from friction.nodal import coulomb
from friction.nodal.problem import Iterate, NodalProblem, ended
from friction.nodal.regularised import judged
from friction.nodal.transformed import LocalPart, Varying


def solve(problem: NodalProblem, v: Array, reference: Array | None) -> tuple[Iterate, str]:
    """Return the last iterate of a set-valued law's problem, in the problem's own variables, and the method's name.

    It starts from ``v`` (N, d), m/s; ``reference`` are the incoming slip velocities (N, 2), m/s. The factor's error becomes the
    reason "step too long" where falling friction causes it.
    """
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


def _static_kinetic(problem: NodalProblem, law: RadialLaw, v: Array, reference: Array | None) -> tuple[Iterate, str]:
    """Nodes that come in at rest have the static bound; those found to slip fall to the kinetic one and stay there."""
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


def _varying(problem: NodalProblem, law: RadialLaw, v: Array) -> tuple[Iterate, str]:
    """Newton's method with the exact tangent first; if it does not converge, all methods with a definite one."""
    problem.bound = law.kinetic * problem.w
    part = Varying(problem, law)
    first = replace(problem.options, max_fallback_iterations=0, fallback_only=False)
    try:
        end, name = coulomb.solve(problem.as_coulomb(problem.bound, part, options=first), v)
    except NotPositiveDefinite:
        return ended(problem.evaluate(v), "step too long"), coulomb.TRIES[0]
    if end.reason != "converged":
        end, name = coulomb.solve(problem.as_coulomb(problem.bound, Varying(problem, law, clamped=True), "clamped"), v)
    return (judged(problem, end) if end.reason == "converged" else end), name
