"""Friction under a rigid body as a cone program for Clarabel: an independent solver of the rigid slip problem."""

import clarabel
import numpy as np
from scipy import sparse


def maps_of(arms: np.ndarray) -> np.ndarray:
    """G (N, 2, 3) with v_i = G_i p."""
    ones, zero = np.ones(len(arms)), np.zeros(len(arms))
    return np.stack([np.stack([ones, zero, -arms[:, 1]], 1), np.stack([zero, ones, arms[:, 0]], 1)], 1)


def energy(p, inertia, wrench, arms, weights) -> float:
    """½ p·Hp − c·p + Σ w|v|, W."""
    return float(0.5 * p @ (inertia * p) - wrench @ p + weights @ np.linalg.norm(maps_of(arms) @ p, axis=1))


def conic_rates(inertia, wrench, arms, weights) -> np.ndarray:
    """The minimiser p (3,), scaled to sizes of order one before it is handed over."""
    n = len(arms)
    reach = np.abs(arms).max()
    size = np.array([1.0, 1.0, 1.0 / reach])
    force = max(weights.sum(), np.abs(wrench * size).max())
    speed = force / inertia[0]
    maps = maps_of(arms) * size
    p = sparse.diags_array(np.concatenate([inertia * size * size * speed / force, np.zeros(n)])).tocsc()
    q = np.concatenate([-wrench * size / force, weights / force])
    rows = np.zeros((3 * n, 3 + n))
    for i in range(n):
        rows[3 * i, 3 + i] = -1.0
        rows[3 * i + 1 : 3 * i + 3, :3] = -maps[i]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.SecondOrderConeT(3)] * n
    solver = clarabel.DefaultSolver(p, q, sparse.csc_matrix(rows), np.zeros(3 * n), cones, settings)
    return np.array(solver.solve().x[:3]) * size * speed


def farthest_load(wrench, arms, weights) -> float:
    """The load factor s at which s·wrench leaves the limit surface: max s with |λ_i| ≤ w_i, Σ Gᵀλ = s c."""
    n = len(arms)
    reach = np.abs(arms).max()
    size = np.array([1.0, 1.0, 1.0 / reach])
    scale = weights.max()
    direction = wrench * size / scale
    maps = np.einsum("nak,k->nak", maps_of(arms), size)
    equal = np.hstack([-direction[:, None], maps.transpose(2, 0, 1).reshape(3, 2 * n)])
    cone, bound = np.zeros((3 * n, 1 + 2 * n)), np.zeros(3 * n)
    for i in range(n):
        bound[3 * i] = weights[i] / scale
        cone[3 * i + 1, 1 + 2 * i] = cone[3 * i + 2, 2 + 2 * i] = -1.0
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(3)] + [clarabel.SecondOrderConeT(3)] * n
    q = np.zeros(1 + 2 * n)
    q[0] = -1.0
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((1 + 2 * n, 1 + 2 * n)),
        q,
        sparse.csc_matrix(np.vstack([equal, cone])),
        np.concatenate([np.zeros(3), bound]),
        cones,
        settings,
    )
    return float(solver.solve().x[0])
