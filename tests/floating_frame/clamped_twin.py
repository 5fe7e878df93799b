"""Clamped plates with no floating frame: the tests' own inertial computations, on the forces of ``inertial_twin``.

``Driven`` is the plate in minimal coordinates y = (positions of the other nodes, free ones of the clamp's x0, y0, α), integrated
by SciPy: the clamp's nodes are slaves, x = x0 + Q(α) X.
"""

from dataclasses import dataclass, field

import numpy as np
from inertial_twin import Elastic
from scipy.integrate import solve_ivp


@dataclass
class Driven:
    """``clamp`` node numbers, ``free`` (3,) bool, ``drive(t)`` -> q, q', q'' (3,) each of what is not free; ``load(t)`` (N, 2) N;
    ``w`` (N,) N: Coulomb's law, for plates that slide everywhere."""

    body: Elastic
    clamp: np.ndarray
    free: np.ndarray
    drive: object
    load: object
    w: np.ndarray
    others: np.ndarray = field(init=False)

    def __post_init__(self):
        self.others = np.setdiff1d(np.arange(len(self.body.X)), self.clamp)

    def full(self, t, y, rate):
        """q, q', nodal x, v, and the part of a that does not depend on y''."""
        q, q1, q2 = (np.array(z, float) for z in self.drive(t))
        n = 2 * len(self.others)
        q[self.free], q1[self.free], q2[self.free] = y[n:], rate[n:], 0.0
        c, s = np.cos(q[2]), np.sin(q[2])
        arms = self.body.X[self.clamp] @ np.array([[c, s], [-s, c]])
        across = np.stack([-arms[:, 1], arms[:, 0]], 1)
        x, v, a = (np.zeros_like(self.body.X) for _ in range(3))
        x[self.others], v[self.others] = y[:n].reshape(-1, 2), rate[:n].reshape(-1, 2)
        x[self.clamp], v[self.clamp] = q[:2] + arms, q1[:2] + q1[2] * across
        a[self.clamp] = q2[:2] + q2[2] * across - q1[2] ** 2 * arms
        return q, q1, x, v, a, across

    def forces(self, t, x, v):
        speed = np.linalg.norm(v, axis=1, keepdims=True)
        slip = np.where(speed > 0.0, v / np.where(speed > 0.0, speed, 1.0), 0.0)
        return self.body.forces(x)[0] + self.load(t) - self.w[:, None] * slip

    def accelerations(self, t, state):
        """(y'', nodal a, clamp wrench R): NᵀM N y'' = Nᵀ (f − M a_known), R what the prescribed motions take."""
        y, rate = np.split(state, 2)
        _, _, x, v, a, across = self.full(t, y, rate)
        size, n = x.size, 2 * len(self.others)
        modes = np.zeros((len(x), 2, 3))
        modes[self.clamp, 0, 0] = modes[self.clamp, 1, 1] = 1.0
        modes[self.clamp, :, 2] = across
        modes = modes.reshape(size, 3)
        N = np.zeros((size, len(y)))
        N[(2 * self.others[:, None] + [0, 1]).ravel(), np.arange(n)] = 1.0
        N[:, n:] = modes[:, self.free]
        M = np.kron(self.body.M, np.eye(2))
        force = self.forces(t, x, v).ravel()
        second = np.linalg.solve(N.T @ M @ N, N.T @ (force - M @ a.ravel()))
        total = a.ravel() + N @ second
        return second, total.reshape(-1, 2), modes.T @ (M @ total - force)

    def run(self, x, v, q, q1, t_end):
        """(x, v, q, q', reaction wrench (3,)) at ``t_end`` from nodal (x, v) (N, 2) and the clamp's (q, q') (3,)."""
        start = np.concatenate([x[self.others].ravel(), q[self.free], v[self.others].ravel(), q1[self.free]])

        def rhs(t, state):
            return np.concatenate([np.split(state, 2)[1], self.accelerations(t, state)[0]])

        end = solve_ivp(rhs, (0.0, t_end), start, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
        q, q1, x, v, *_ = self.full(t_end, *np.split(end, 2))
        return x, v, q, q1, self.accelerations(t_end, end)[2]
