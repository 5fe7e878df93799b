"""Regularised friction under a rigid body: λ is a function of v, so a stage is a smooth, monotone 3 × 3 system."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from floating_frame.errors import RigidFrictionError
from floating_frame.kinematics import Array
from floating_frame.rigid_friction import RigidSlip
from friction.laws import Law


def solve_rigid_regular(
    law: Law,
    inertia_over_tau: Array,
    wrench: Array,
    arms: Array,
    weights: Array,
    *,
    start: Array,
    free: ArrayLike = (True, True, True),
    prescribed: ArrayLike = (0.0, 0.0, 0.0),
) -> RigidSlip:
    """H p − c + Σ Gᵢᵀ λᵢ(v_i(p)) = 0 for a law whose λ is a function of v, by Newton with backtracking on the residual.

    Arguments as ``solve_rigid_friction``. Raises RigidFrictionError.
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
            return RigidSlip(p, lam, iteration, False)
        blocks = law.tangent(velocity, weights)
        matrix = h + np.einsum("nak,nab,nbl->kl", maps, blocks, maps)
        matrix = np.where(np.outer(mask, mask), matrix, np.eye(3))
        direction = -np.linalg.solve(matrix, g)
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
