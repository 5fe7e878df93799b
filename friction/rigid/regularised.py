"""Regularised friction under a rigid body: λ is a function of v, so a stage is a smooth 3 × 3 system.

It is monotone, and has one solution, unless friction falls with speed. Then it may have several, of which Newton's method finds
any, also one that the motion leaves. Only that one is accepted which the motion reaches from the incoming slip: see
``friction.nodal.velocity_weakening``, whose test here reads H + Σ ℓᵢ Gᵢᵀ Gᵢ positive definite on the free entries.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from friction.arrays import Array, Bools
from friction.errors import RigidFrictionError
from friction.laws.protocol import Law
from friction.rigid.coulomb import RigidSlip


def solve_rigid_regular(
    law: Law,
    inertia_over_tau: Array,
    wrench: Array,
    arms: Array,
    weights: Array,
    *,
    start: Array,
    incoming: Array,
    free: ArrayLike = (True, True, True),
    prescribed: ArrayLike = (0.0, 0.0, 0.0),
) -> RigidSlip:
    """H p − c + Σ Gᵢᵀ λᵢ(v_i(p)) = 0 for a law whose λ is a function of v, by Newton with backtracking on the residual.

    Arguments as ``solve_rigid_friction``; ``incoming`` (N, 2) m/s: the slip with which the stage begins. Raises RigidFrictionError,
    also ("step too long") where friction falls too fast between it and the solution.
    """
    h = np.asarray(inertia_over_tau, float)
    h = np.diag(h) if h.ndim == 1 else h
    mask = np.asarray(free, np.bool_)
    ones, zero = np.ones(len(arms)), np.zeros(len(arms))
    maps = np.stack([np.stack([ones, zero, -arms[:, 1]], 1), np.stack([zero, ones, arms[:, 0]], 1)], 1)  # (N, 2, 3)
    reach = float(np.abs(arms).max(initial=0.0))
    size = np.array([1.0, 1.0, max(reach, np.finfo(float).tiny)])
    level = 1e-12 * (np.abs(wrench).max() + weights.sum()) * size

    def equation(p: Array) -> tuple[Array, Array, Array]:
        velocity = maps @ p
        lam = law.force(velocity, weights)
        rest = h @ p - wrench + np.einsum("nak,na->k", maps, lam)
        return np.where(mask, rest, 0.0), velocity, lam

    p = np.where(mask, start, prescribed)
    g, velocity, lam = equation(p)
    for iteration in range(100):
        if np.all(np.abs(g) <= level):
            if law.falls and _too_long(law.least_tangent(incoming, velocity, weights), h, maps, mask):
                raise RigidFrictionError(
                    "step too long: friction falls with speed faster than the inertia of a step holds it, so that a stage may "
                    "have several solutions; use a smaller time step"
                )
            return RigidSlip(p, lam, iteration, False)
        blocks = law.tangent(velocity, weights)
        matrix = h + np.einsum("nak,nab,nbl->kl", maps, blocks, maps)
        matrix = np.where(np.outer(mask, mask), matrix, np.eye(3))
        try:
            direction = -np.linalg.solve(matrix, g)
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
