"""Problems of friction under a rigid body, and their solution as cone programs by Clarabel, an independent solver."""

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy import sparse

from friction.rigid.problem import RigidFrictionProblem, RigidSlip
from friction.rigid.solve import solve_rigid_friction


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


@dataclass(frozen=True)
class Draw:
    inertia: np.ndarray
    wrench: np.ndarray
    arms: np.ndarray
    weights: np.ndarray
    inside: bool

    @property
    def force(self) -> float:
        return max(self.weights.sum(), np.hypot(*self.wrench[:2]))

    def solve(self, start: RigidSlip | None = None) -> RigidSlip:
        cold = RigidSlip(np.zeros(3), np.zeros_like(self.arms), 0, False)
        start = start or cold
        problem = RigidFrictionProblem(inertia=self.inertia, wrench=self.wrench, arms=self.arms, bound=self.weights)
        return solve_rigid_friction(problem, RigidSlip(start.rates, start.multiplier))

    def scaled(self, factor: float) -> "Draw":
        return Draw(self.inertia, factor * self.wrench, self.arms, self.weights, self.inside)


def draw(rng, distance: float | None, zero_weights: bool = False) -> Draw:
    """Random size, mass, weights and direction; load factor 1 + distance times the limit, or 0.2 to 3 times it."""
    n = int(rng.integers(4, 30))
    arms = rng.normal(size=(n, 2)) * 10 ** rng.uniform(-2, 1)
    weights = rng.uniform(0.1, 1.0, n) * 10 ** rng.uniform(-2, 3)
    if zero_weights:
        weights[: n // 2] = 0.0
    reach = np.abs(arms).max()
    mass = 10 ** rng.uniform(-2, 2)
    inertia = np.array([mass, mass, mass * reach**2 * rng.uniform(0.1, 1.0)]) * 10 ** rng.uniform(0, 6)
    direction = rng.normal(size=3) * np.array([1.0, 1.0, reach])
    limit = farthest_load(direction, arms, weights)
    factor = rng.uniform(0.2, 3.0) if distance is None else 1.0 + distance
    return Draw(inertia, direction * limit * factor, arms, weights, factor < 1.0)


def optimality(problem: Draw, found: RigidSlip) -> tuple[float, float, float]:
    """Relative residual of equilibrium, excess of |λ| over w, and defect of λ·v = w|v|."""
    maps = maps_of(problem.arms)
    rest = problem.inertia * found.rates - problem.wrench + np.einsum("nak,na->k", maps, found.multiplier)
    reach = np.linalg.norm(problem.arms, axis=1).max()
    velocity = maps @ found.rates
    speed = np.linalg.norm(velocity, axis=1)
    excess = np.linalg.norm(found.multiplier, axis=1) - problem.weights
    defect = np.abs(problem.weights * speed - (velocity * found.multiplier).sum(axis=1))
    size = max(speed.max(), np.finfo(float).tiny)
    return (
        float(np.abs(rest / np.array([1.0, 1.0, reach])).max() / problem.force),
        float(excess.max() / problem.weights.max()),
        float(defect.max() / (problem.force * size)),
    )
