"""Forces that obey both laws, along a path of smoothed problems: from any start, at a higher cost than Newton's method.

For u = free + W p with a dense response W: with δ that falls to 0, u_n p_n = f δ and p_t √(|u_t|² + δ²) = −μ p_n u_t (Chan, Golub &
Mulet 1999 for the friction). A step (du, dp) has dp = c − S du from the laws, S a 3 × 3 block at each point, and
(1 + W S) du = W c + (free + W p − u), which is regular also where W is not.
"""

import numpy as np
from numba import njit

from friction.arrays import Array

BOUNDARY_FRACTION = 0.95
"""Largest fraction of the step to u_n = 0 or p_n = 0."""


@njit(cache=True, error_model="numpy")
def follow(free: Array, response: Array, friction: Array, force: float, reduction: float, steps: int) -> Array:
    """Forces p (m, 3), N, after ``steps`` from forces of size ``force`` N; ``reduction``: factor of δ per step."""
    count = len(free)
    p, u = np.zeros((count, 3)), free.copy()
    delta = force * np.trace(response) / (3.0 * count)
    p[:, 2] = force
    u[:, 2] = np.maximum(u[:, 2], delta)
    c, stiffness = np.zeros((count, 3)), np.zeros((3 * count, 3 * count))
    for _ in range(steps):
        for i in range(count):
            w = friction[i] * p[i, 2]
            root = np.sqrt(u[i, 0] ** 2 + u[i, 1] ** 2 + delta**2)
            size = np.sqrt(p[i, 0] ** 2 + p[i, 1] ** 2)
            if size > w:
                p[i, :2] *= w / size
            first = 3 * i
            across = 0.5 * (p[i, 0] * u[i, 1] + p[i, 1] * u[i, 0]) / root
            stiffness[first, first] = (w + p[i, 0] * u[i, 0] / root) / root
            stiffness[first + 1, first + 1] = (w + p[i, 1] * u[i, 1] / root) / root
            stiffness[first, first + 1] = stiffness[first + 1, first] = across / root
            stiffness[first + 2, first + 2] = p[i, 2] / u[i, 2]
            c[i, :2] = -w * u[i, :2] / root - p[i, :2]
            c[i, 2] = force * delta / u[i, 2] - p[i, 2]
        rest = response @ (c + p).ravel() + free.ravel() - u.ravel()
        du = np.linalg.solve(np.eye(3 * count) + response @ stiffness, rest)
        dp = (c.ravel() - stiffness @ du).reshape(count, 3)
        du = du.reshape(count, 3)
        share = 1.0
        for i in range(count):
            if du[i, 2] < 0.0:
                share = min(share, -BOUNDARY_FRACTION * u[i, 2] / du[i, 2])
            if dp[i, 2] < 0.0:
                share = min(share, -BOUNDARY_FRACTION * p[i, 2] / dp[i, 2])
        u, p = u + share * du, p + share * dp
        if share > 0.5:
            delta *= reduction
    return p
