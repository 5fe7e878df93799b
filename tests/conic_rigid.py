"""Problems of friction under a rigid body, and their solution as cone programs by Clarabel, an independent solver."""

from dataclasses import dataclass, field

import clarabel
import numpy as np
from scipy import sparse

from friction.rigid.problem import RigidFrictionProblem, RigidSlip
from friction.rigid.solve import solve_rigid_friction


def maps_of(arms: np.ndarray) -> np.ndarray:
    """G (N, 2, 3) with v_i = G_i p."""
    maps = np.tile(np.eye(2, 3), (len(arms), 1, 1))
    maps[:, 0, 2], maps[:, 1, 2] = -arms[:, 1], arms[:, 0]
    return maps


def matrix(inertia) -> np.ndarray:
    """H (3, 3) of an inertia (3,) or a full stiffness (3, 3)."""
    return np.diag(inertia) if np.ndim(inertia) == 1 else inertia


def energy(p, inertia, wrench, arms, weights) -> float:
    """½ p·Hp − c·p + Σ w|v|, W."""
    return float(0.5 * p @ matrix(inertia) @ p - wrench @ p + weights @ np.linalg.norm(maps_of(arms) @ p, axis=1))


def solved(P, q, equal, cone, bound, given=None):
    """x of min ½ x·Px + q·x, equal x = given (0 by default), bound − cone x in second-order cones (3,)."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(len(equal))] + [clarabel.SecondOrderConeT(3)] * (len(cone) // 3)
    given = np.zeros(len(equal)) if given is None else given
    A, b = sparse.csc_matrix(np.vstack([equal, cone])), np.concatenate([given, bound])
    return np.array(clarabel.DefaultSolver(sparse.triu(P).tocsc(), q, A, b, cones, settings).solve().x)


def conic_rates(inertia, wrench, arms, weights, held=None):
    """The minimiser p (3,), scaled to sizes of order one before it is handed over; ``held``: {component: its prescribed rate}."""
    n, size, held = len(arms), np.array([1.0, 1.0, 1.0 / np.abs(arms).max()]), held or {}
    force, where = max(weights.sum(), np.abs(wrench * size).max()), list(held)
    given = np.array(list(held.values())) / size[where]
    speed = max(
        force / np.abs(inertia).max() if held else force / matrix(inertia)[0, 0], np.abs(given).max(initial=0.0)
    )
    P = np.zeros((3 + n, 3 + n))
    P[:3, :3] = matrix(inertia) * np.outer(size, size) * speed / force
    rows = np.zeros((n, 3, 3 + n))
    rows[:, 1:, :3], rows[np.arange(n), 0, 3 + np.arange(n)] = -maps_of(arms) * size, -1.0
    q = np.concatenate([-wrench * size / force, weights / force])
    equal = np.eye(3 + n)[where]
    return solved(P, q, equal, rows.reshape(3 * n, -1), np.zeros(3 * n), given / speed)[:3] * size * speed


def farthest_load(wrench, arms, weights):
    """The load factor s at which s·wrench leaves the limit surface: max s with |λ_i| ≤ w_i, Σ Gᵀλ = s c."""
    n, scale, size = len(arms), weights.max(), np.array([1.0, 1.0, 1.0 / np.abs(arms).max()])
    maps = maps_of(arms) * size
    equal = np.hstack([-(wrench * size / scale)[:, None], maps.transpose(2, 0, 1).reshape(3, 2 * n)])
    cone = np.hstack([np.zeros((3 * n, 1)), np.kron(np.eye(n), [[0, 0], [-1, 0], [0, -1]])])
    bound = np.kron(weights / scale, [1.0, 0.0, 0.0])
    return float(solved(np.zeros((1 + 2 * n,) * 2), np.append(-1.0, np.zeros(2 * n)), equal, cone, bound)[0])


@dataclass(frozen=True)
class Draw:
    inertia: np.ndarray
    wrench: np.ndarray
    arms: np.ndarray
    weights: np.ndarray
    inside: bool = False
    held: dict[int, float] = field(default_factory=dict)

    @property
    def force(self) -> float:
        return max(self.weights.sum(), np.hypot(*self.wrench[:2]))

    def solve(self, start: RigidSlip | None = None) -> RigidSlip:
        start = start or RigidSlip(np.zeros(3), np.zeros_like(self.arms))
        given = {"inertia": self.inertia, "wrench": self.wrench, "arms": self.arms, "bound": self.weights}
        if self.held:
            free, prescribed = np.ones(3, bool), np.zeros(3)
            free[[*self.held]], prescribed[[*self.held]] = False, [*self.held.values()]
            given |= {"free": free, "prescribed": prescribed}
        return solve_rigid_friction(RigidFrictionProblem(**given), RigidSlip(start.rates, start.multiplier))

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


def optimality(problem: Draw, computed: RigidSlip) -> tuple[float, float, float]:
    """Relative residual of equilibrium, excess of |λ| over w, and defect of λ·v = w|v|."""
    maps = maps_of(problem.arms)
    rest = matrix(problem.inertia) @ computed.rates - problem.wrench + np.einsum("nak,na->k", maps, computed.multiplier)
    rest[[*problem.held]] = 0.0
    reach = np.linalg.norm(problem.arms, axis=1).max()
    velocity = maps @ computed.rates
    speed = np.linalg.norm(velocity, axis=1)
    excess = np.linalg.norm(computed.multiplier, axis=1) - problem.weights
    defect = np.abs(problem.weights * speed - (velocity * computed.multiplier).sum(axis=1))
    size = max(speed.max(), np.finfo(float).tiny)
    unbalanced = np.abs(rest / np.array([1.0, 1.0, reach])).max() / problem.force
    return unbalanced, excess.max() / problem.weights.max(), defect.max() / (problem.force * size)
