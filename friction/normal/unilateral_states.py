"""States of unilateral contacts with friction: semismooth Newton over them, and Lemke's method where that does not end.

The linear problem of ``unilateral`` with a positive definite compliance, forces p (m, 2) N, velocities u = W p + q (m, 2) m/s.
"""

from __future__ import annotations

import numpy as np

from friction.arrays import Array
from friction.normal.lemke import lemke

_MAX_STATES = 30


def solve_definite(w: Array, q: Array, mu: Array, start: Array, r: Array) -> tuple[Array | None, int]:
    """Solve the problem with a definite compliance: p (m, 2), N, None where none was found, and the pivots of Lemke's method.

    ``w`` W (2m, 2m), m/(N s); ``q`` (m, 2), m/s; ``mu`` (m,); ``start`` p and the scaling ``r`` of velocities, N s/m, (m, 2).
    """
    p = _newton(w, q, mu, start, r)
    if p is not None:
        return p, 0
    unit, size = 1.0 / float(np.diag(w).max()), float(np.abs(q).max())  # forces in size x unit, velocities in size
    z, pivots = lemke(*_complementarity(w * unit, q / size, mu))
    if z is None:
        return None, pivots
    m = len(q)
    near = np.stack([z[:m], z[m : 2 * m] - z[2 * m : 3 * m]], axis=1) * size * unit
    polished = _newton(w, q, mu, near, r)  # the same states, once more without the rounding of the pivots
    return (near if polished is None else polished), pivots


def _newton(w: Array, q: Array, mu: Array, start: Array, r: Array) -> Array | None:
    """Semismooth Newton: p for given states until these repeat; None where they cycle or their matrix is singular."""
    p = start
    seen: set[tuple[bytes, ...]] = set()
    last: tuple[bytes, ...] = ()
    for _ in range(_MAX_STATES):
        u = (w @ p.ravel()).reshape(q.shape) + q
        ahead = p - r * u
        closed = ahead[:, 0] > 0.0
        bound = mu * np.maximum(ahead[:, 0], 0.0)
        slips = closed & (np.abs(ahead[:, 1]) >= bound)
        sign = np.where(slips, np.sign(ahead[:, 1]), 0.0)
        states = (closed.tobytes(), slips.tobytes(), sign.tobytes())
        if states in seen:
            return p if states == last else None
        seen.add(states)
        last = states
        matrix, right = w.copy(), -q.ravel()
        given = np.flatnonzero(np.stack([~closed, ~closed | slips], axis=1))  # forces that are 0, or follow from p_n
        matrix[given], right[given] = 0.0, 0.0
        matrix[given, given] = 1.0
        normal = 2 * np.flatnonzero(slips)
        matrix[normal + 1, normal] = -(sign * mu)[slips]
        # Rows of velocities and of forces side by side: scaled alike.
        scale = np.where(np.repeat(closed, 2), np.abs(matrix).max(axis=1), 1.0)
        try:
            p = np.reshape(np.linalg.solve(matrix / scale[:, None], right / scale), q.shape)
        except np.linalg.LinAlgError:
            return None
        p[~closed] = 0.0
        p[slips, 1] = (sign * mu * p[:, 0])[slips]
    return None


def _complementarity(w: Array, q: Array, mu: Array) -> tuple[Array, Array]:
    """M (4m, 4m) and b (4m,) of the complementarity problem in z = (p_n, p_t+, p_t-, s)."""
    m = len(q)
    nn, nt, tn, tt = w[0::2, 0::2], w[0::2, 1::2], w[1::2, 0::2], w[1::2, 1::2]
    zero, one = np.zeros((m, m)), np.eye(m)
    matrix = np.block([[nn, nt, -nt, zero], [tn, tt, -tt, one], [-tn, -tt, tt, one], [np.diag(mu), -one, -one, zero]])
    return matrix, np.concatenate([q[:, 0], q[:, 1], -q[:, 1], np.zeros(m)])
