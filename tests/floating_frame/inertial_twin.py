"""A plate on a rough plane with no frame at all: the test's own inertial total-Lagrangian code, dense NumPy.

Written apart from the code under test and sharing nothing with it but the mesh: three-node triangles of St.
Venant-Kirchhoff material in plane stress, consistent mass, Alexander's SDIRK2 in nodal positions and velocities in
space, and Coulomb friction solved in each stage by Newton's method on the projection form of the law,
λ = proj_w(λ + ρ v).
"""

from dataclasses import dataclass

import numpy as np

GAMMA = 1.0 - np.sqrt(0.5)


@dataclass
class Triangles:
    """Constant-strain triangles: reference shape gradients (C, 3, 2), areas (C,), consistent mass (N, N)."""

    X: np.ndarray
    cells: np.ndarray
    thickness: float
    density: float
    E: float
    nu: float

    def __post_init__(self):
        corners = self.X[self.cells]
        edges = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
        inverse = np.linalg.inv(edges)
        self.area = 0.5 * np.linalg.det(edges)
        assert np.all(self.area > 0.0)
        self.G = np.concatenate([-inverse.sum(1, keepdims=True), inverse], axis=1)
        n = len(self.X)
        self.M = np.zeros((n, n))
        self.nodal_area = np.zeros(n)
        for cell, area in zip(self.cells, self.area, strict=True):
            block = self.density * self.thickness * area / 12 * (np.ones((3, 3)) + np.eye(3))
            self.M[np.ix_(cell, cell)] += block
            self.nodal_area[cell] += area / 3

    def forces(self, x):
        """Force on the nodes (N, 2), strain energy, and stiffness (N, 2, N, 2) of nodal positions x in space."""
        F = np.einsum("cbi,cbj->cij", x[self.cells], self.G)
        strain = 0.5 * (np.einsum("cki,ckj->cij", F, F) - np.eye(2))
        shear = self.E / (2 * (1 + self.nu))
        lame = self.E * self.nu / (1 - self.nu**2)
        trace = np.trace(strain, axis1=1, axis2=2)
        S = lame * trace[:, None, None] * np.eye(2) + 2 * shear * strain
        volume = self.thickness * self.area
        nodal = -np.einsum("c,cij,cjk,cbk->cbi", volume, F, S, self.G)
        total = np.zeros_like(x)
        np.add.at(total, self.cells, nodal)
        energy = 0.5 * float(np.einsum("c,cij,cij->", volume, S, strain))
        # dP = dF S + F dS with dS = λ tr(dE) 1 + 2μ dE, dE = sym(Fᵀ dF).
        FG = np.einsum("cij,cbj->cbi", F, self.G)
        geometric = np.einsum("cbi,cij,cdj->cbd", self.G, S, self.G)
        GG = np.einsum("cbi,cdi->cbd", self.G, self.G)
        FF = np.einsum("cik,cjk->cij", F, F)
        K = (
            np.einsum("cbd,ij->cbidj", geometric, np.eye(2))
            + lame * np.einsum("cbi,cdj->cbidj", FG, FG)
            + shear * (np.einsum("cbd,cij->cbidj", GG, FF) + np.einsum("cbj,cdi->cbidj", FG, FG))
        )
        stiffness = np.zeros((len(x), 2, len(x), 2))
        for c, cell in enumerate(self.cells):
            stiffness[cell[:, None], :, cell[None, :], :] += volume[c] * K[c].transpose(0, 2, 1, 3)
        return total, energy, stiffness

    def largest_strain(self, x):
        """Largest |principal stretch − 1| over the cells."""
        F = np.einsum("cbi,cbj->cij", x[self.cells], self.G)
        return float(np.abs(np.linalg.svd(F, compute_uv=False) - 1.0).max())


def stage(body, x_star, v_star, tau, load, w, v, lam, tolerance):
    """(v, λ, a) with M (v − v*)/τ = f(x* + τ v) + load − λ and |λ| ≤ w, λ = w v/|v| where v ≠ 0."""
    n = len(v)
    M = np.einsum("ab,ij->aibj", body.M, np.eye(2))
    rho = body.M.sum(1) / tau
    for iteration in range(1, 400):
        if iteration % 20 == 0:  # cycling: sweeps that descend, then Newton again
            v, lam = descend(body, x_star, v_star, tau, load, w, v)
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


def descend(body, x_star, v_star, tau, load, w, v, sweeps=60):
    """Block Gauss-Seidel on the stage linearised at v: v_i <- shrink(v_i − g_i/L_i, w_i/L_i), L_i above the block's norm."""
    n = len(v)
    internal, _, K = body.forces(x_star + tau * v)
    A = np.einsum("ab,ij->aibj", body.M, np.eye(2)) / tau + tau * K
    g = body.M @ (v - v_star) / tau - internal - load
    L = np.linalg.eigvalsh(A[np.arange(n), :, np.arange(n), :]).max(1)
    v = v.copy()
    for _ in range(sweeps):
        for i in range(n):
            trial = v[i] - g[i] / L[i]
            size = np.linalg.norm(trial)
            new = trial * max(0.0, 1.0 - w[i] / (L[i] * size)) if size > 0.0 else trial
            g += A[:, :, i, :] @ (new - v[i])
            v[i] = new
    size = np.linalg.norm(g, axis=1)
    return v, -g * np.minimum(1.0, w / np.where(size > 0.0, size, 1.0))[:, None]


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
