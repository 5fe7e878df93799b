"""Regularised friction under a rigid body: λ is a function of v, so a stage is a smooth 3 × 3 system.

It is monotone, and has one solution, unless friction falls with speed. Then that one is accepted which the motion reaches from the
incoming slip: the test of ``friction.nodal.other_laws`` here reads H + Σ ℓᵢ Gᵢᵀ Gᵢ positive definite on the free entries.
"""

from __future__ import annotations

import numpy as np

from friction.arrays import Array, Bools
from friction.errors import RigidFrictionError
from friction.laws.protocol import Law
from friction.rigid.coulomb import RigidSlip
from friction.rigid.problem import RigidFrictionProblem, point_maps

SEVERAL = (
    "step too long: friction falls with speed faster than the inertia of a step holds it, so that a stage may "
    "have several solutions; use a smaller time step"
)


def solve_rigid_regular(law: Law, problem: RigidFrictionProblem, rates: Array, incoming: Array) -> RigidSlip:
    """Solve a rigid row's problem under a law whose λ is a function of v, by Newton's method with backtracking.

    The law is in inertial axes, its totals shared; ``rates`` p (3,) to start from; ``incoming`` (N, 2), m/s: the slip with which
    the stage begins. Raises RigidFrictionError, also ("step too long") where friction falls too fast from that to the solution.
    """
    h, mask, arms, wrench, bound = problem.matrix, problem.mask, problem.arms, problem.wrench, problem.bound
    maps = point_maps(arms)
    size = np.array([1.0, 1.0, max(float(np.abs(arms).max(initial=0.0)), np.finfo(float).tiny)])
    level = 1e-12 * (np.abs(wrench).max() + bound.sum()) * size

    def equation(p: Array) -> tuple[Array, Array, Array]:
        velocity = maps @ p
        lam = law.force(velocity, bound)
        rest = h @ p - wrench + np.einsum("nak,na->k", maps, lam)
        return np.where(mask, rest, 0.0), velocity, lam

    p = np.where(mask, rates, problem.prescribed)
    g, velocity, lam = equation(p)
    for iteration in range(100):
        if np.all(np.abs(g) <= level):
            if law.velocity_weakening and _too_long(law.least_tangent(incoming, velocity, bound), h, maps, mask):
                raise RigidFrictionError(SEVERAL)
            return RigidSlip(p, lam, iteration, False)
        matrix = h + np.einsum("nak,nab,nbl->kl", maps, law.tangent(velocity, bound), maps)
        try:
            direction = -np.linalg.solve(np.where(np.outer(mask, mask), matrix, np.eye(3)), g)
        except np.linalg.LinAlgError:  # on the edge of the falling branch
            raise RigidFrictionError("step too long: singular where friction falls; use a smaller time step") from None
        step, before = 1.0, np.linalg.norm(g / size)
        for _ in range(40):
            trial = p + step * direction
            g, velocity, lam = equation(trial)
            if np.linalg.norm(g / size) < before:
                break
            step *= 0.5
        p = trial
        if not np.all(np.isfinite(p)):
            raise RigidFrictionError("non-finite velocities; check the loads and the initial velocities")
    raise RigidFrictionError("the regularised friction under the rigid body did not converge; use a smaller time step")


def _too_long(least: Array, h: Array, maps: Array, mask: Bools) -> bool:
    """Whether H + Σ ℓᵢ Gᵢᵀ Gᵢ is not positive definite, ``least`` ℓ (N,) N s/m, on the entries of p in ``mask`` (3,)."""
    if not np.any(least < 0.0) or not mask.any():
        return False
    matrix = (0.5 * (h + h.T) + np.einsum("n,nak,nal->kl", least, maps, maps))[np.ix_(mask, mask)]
    size = 1.0 / np.sqrt(np.diag(h)[mask])
    return bool(np.linalg.eigvalsh(matrix * np.outer(size, size))[0] <= 0.0)
