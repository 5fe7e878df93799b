"""A plate on a rough plane with no frame at all: the test's own inertial total-Lagrangian integration, dense NumPy.

Written apart from the code under test, with which it shares the elastic forces of `fem` only: Alexander's SDIRK2 in nodal positions
and velocities in space, and Coulomb friction solved in each stage by Newton's method on the projection form of the law,
λ = proj_w(λ + ρ v).
"""

import numpy as np

GAMMA = 1.0 - np.sqrt(0.5)


class Elastic:
    """The forces of a plate at nodal positions in space, and its mass matrix M (N, N)."""

    def __init__(self, plate):
        self.plate, self.X, self.M = plate, plate.X, plate.mass_matrix.toarray()

    def forces(self, x):
        """Force on the nodes (N, 2), strain energy, and stiffness (N, 2, N, 2) of nodal positions x in space."""
        u = x - self.X
        stiffness = self.plate.tangent_matrix(u).toarray().reshape(*x.shape, *x.shape)
        return self.plate.internal_force(u), self.plate.strain_energy(u), stiffness

    def largest_strain(self, x):
        """Largest |stretch − 1| of the cells' sides."""
        start, end = self.plate.cells, np.roll(self.plate.cells, 1, axis=1)
        sides, lengths = (np.linalg.norm(places[end] - places[start], axis=2) for places in (x, self.X))
        return float(np.abs(sides / lengths - 1.0).max())


def stage(body, x_star, v_star, tau, load, w, v, lam, tolerance):
    """(v, λ, a) with M (v − v*)/τ = f(x* + τ v) + load − λ and |λ| ≤ w, λ = w v/|v| where v ≠ 0."""
    n = len(v)
    M = np.einsum("ab,ij->aibj", body.M, np.eye(2))
    rho = body.M.sum(1) / tau
    for _ in range(100):
        internal, _, K = body.forces(x_star + tau * v)
        balance = body.M @ (v - v_star) / tau - internal - load + lam
        trial = lam + rho[:, None] * v
        size = np.linalg.norm(trial, axis=1)
        slides = (size > w) | (w == 0.0)
        shrink = np.where(slides, w / np.where(size > 0.0, size, 1.0), 1.0)
        law = lam - shrink[:, None] * trial
        scale = max(np.abs(internal).max(), np.abs(load).max(), w.max())
        if max(np.abs(balance).max(), np.abs(law).max()) <= tolerance * scale:
            v = np.where(slides[:, None], v, 0.0)
            return v, lam, (v - v_star) / tau
        unit = trial / np.where(size > 0.0, size, 1.0)[:, None]
        D = shrink[:, None, None] * np.eye(2)
        D -= np.where(slides, shrink, 0.0)[:, None, None] * unit[:, :, None] * unit[:, None, :]
        Jv = (M / tau + tau * K).reshape(2 * n, 2 * n)
        D_full = np.zeros((n, 2, n, 2))
        D_full[np.arange(n), :, np.arange(n), :] = D
        D_full = D_full.reshape(2 * n, 2 * n)
        system = np.block([[Jv, np.eye(2 * n)], [-D_full * np.repeat(rho, 2), np.eye(2 * n) - D_full]])
        change = np.linalg.solve(system, -np.concatenate([balance.ravel(), law.ravel()]))
        v = v + change[: 2 * n].reshape(n, 2)
        lam = lam + change[2 * n :].reshape(n, 2)
    raise RuntimeError("the twin's Newton iteration did not converge")


def run(body, x, v, *, dt, steps, load, w, tolerance=1e-12):
    """Positions and velocities (steps + 1, N, 2); ``load(t)`` nodal forces (N, 2), ``w`` friction bounds (N,)."""
    lam = np.zeros_like(v)
    xs, vs = [x], [v]
    for k in range(steps):
        t = k * dt
        tau = GAMMA * dt
        v1, lam, a1 = stage(body, x, v, tau, load(t + tau), w, v, lam, tolerance)
        x_star = x + (1 - GAMMA) * dt * v1
        v_star = v + (1 - GAMMA) * dt * a1
        v2, lam, _ = stage(body, x_star, v_star, tau, load(t + dt), w, v1, lam, tolerance)
        x, v = x_star + tau * v2, v2
        xs.append(x)
        vs.append(v)
    return np.array(xs), np.array(vs)
