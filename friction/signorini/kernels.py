"""Compiled inner loops of frictional contact at nodes: turned matrix, laws linearised, contact rows eliminated.

Unknowns are nodal, 3 i + a; a matrix is (indptr, indices, data) with full 3 × 3 node blocks. ``contact`` (N,) is the number of
a node's contact or −1. At contact nodes the components are (t1, t2, n). Signs: p is the force on the body.
"""

import math

import numpy as np
from numba import njit

from friction.arrays import Array

SLIP_CAP = 1e8
"""Bound on the friction tangent in units of κ: beyond it the slip is parallel to the force to rounding anyway."""
FREE, STICK, SLIP = 0, 1, 2
"""What a node does along the ground, in ``linearise``: no friction, no motion, motion against its bound."""


@njit(cache=True, error_model="numpy")
def blocks_start(indptr, indices):  # type: ignore[no-untyped-def]
    """Return the place (N,) in its row of a node's own block; −1 for a node without full 3 × 3 blocks."""
    own = np.full((len(indptr) - 1) // 3, -1, np.int64)
    for i in range(len(own)):
        first, end = indptr[3 * i], indptr[3 * i + 1]
        full = (end - first) % 3 == 0
        for a in range(3):
            start = indptr[3 * i + a]
            full = full and indptr[3 * i + a + 1] - start == end - first
            for k in range(end - first if full else 0):
                full = full and indices[start + k] == 3 * (indices[first + 3 * (k // 3)] // 3) + k % 3
        for k in range(0, end - first if full else 0, 3):
            if indices[first + k] == 3 * i:
                own[i] = k
    return own


@njit(cache=True, error_model="numpy")
def turn(indptr, indices, data, contact, axes, out):  # type: ignore[no-untyped-def]
    """Write T K Tᵀ into out, with T the ``axes`` (m, 3, 3) at contact nodes and 1 elsewhere."""
    half, block = np.empty((3, 3)), np.empty((3, 3))
    for i in range(len(contact)):
        row, width = indptr[3 * i], indptr[3 * i + 1] - indptr[3 * i]
        for k in range(0, width, 3):
            j = indices[row + k] // 3
            for a in range(3):
                for b in range(3):
                    block[a, b] = data[row + a * width + k + b]
            if contact[i] >= 0:
                t = axes[contact[i]]
                for a in range(3):
                    for b in range(3):
                        half[a, b] = t[a, 0] * block[0, b] + t[a, 1] * block[1, b] + t[a, 2] * block[2, b]
                block[:] = half
            if contact[j] >= 0:
                t = axes[contact[j]]
                for a in range(3):
                    for b in range(3):
                        half[a, b] = block[a, 0] * t[b, 0] + block[a, 1] * t[b, 1] + block[a, 2] * t[b, 2]
                block[:] = half
            for a in range(3):
                for b in range(3):
                    out[row + a * width + k + b] = block[a, b]


@njit(cache=True, error_model="numpy")
def linearise(p, u, mu, bound, coulomb, kappa):  # type: ignore[no-untyped-def]
    """Linearise both laws at forces p and velocities u (m, 3), κ (m,).

    Returns (closed (m,), along (m,), coupling (m, 2), pull (m, 2), tangent (m, 3)): whether u_n = 0 is imposed; FREE, STICK or
    SLIP; of a slipping node p_t = coupling p_n + pull − tangent u_t. ``coulomb``: the bound is μ max(0, σ), else ``bound`` (m,).
    """
    count = len(p)
    closed, along = np.zeros(count, np.bool_), np.zeros(count, np.int8)
    coupling, pull, tangent = np.zeros((count, 2)), np.zeros((count, 2)), np.zeros((count, 3))
    for i in range(count):
        sigma = p[i, 2] - kappa[i] * u[i, 2]
        closed[i] = sigma > 0.0
        w = (mu[i] * sigma if closed[i] and mu[i] > 0.0 else 0.0) if coulomb else bound[i]
        if w == 0.0:
            continue
        x, y = p[i, 0] - kappa[i] * u[i, 0], p[i, 1] - kappa[i] * u[i, 1]
        size = math.sqrt(x * x + y * y)
        if size <= w:
            along[i] = STICK
            continue
        along[i] = SLIP
        x, y = x / size, y / size
        factor = kappa[i] * min(w / max(size - w, w / SLIP_CAP), SLIP_CAP)
        tangent[i, 0], tangent[i, 1], tangent[i, 2] = factor * y * y, -factor * x * y, factor * x * x
        if coulomb:
            coupling[i, 0], coupling[i, 1] = mu[i] * x, mu[i] * y
        else:
            pull[i, 0], pull[i, 1] = w * x, w * y
    return closed, along, coupling, pull, tangent


@njit(cache=True, error_model="numpy")
def eliminate(indptr, indices, data, own, contact, fixed, jump, kappa, coupling, tangent, rhs, out):  # type: ignore[no-untyped-def]
    """Write into out the matrix with rows and columns of ``fixed`` (N, 3) unknowns replaced by κ (N,) times the identity.

    Rows along the ground of contact nodes lose ``coupling`` (m, 2) times their normal row and gain the ``tangent`` (m, 3). The
    prescribed ``jump`` (N, 3) of fixed unknowns goes into rhs (N, 3).
    """
    for i in range(len(contact)):
        row, width, c = indptr[3 * i], indptr[3 * i + 1] - indptr[3 * i], contact[i]
        normal = row + 2 * width
        for a in range(3):
            at = row + a * width
            if fixed[i, a]:
                for k in range(width):
                    out[at + k] = 0.0
                out[at + own[i] + a] = kappa[i]
                rhs[i, a] = kappa[i] * jump[i, a]
                continue
            share = coupling[c, a] if c >= 0 and a < 2 else 0.0
            for k in range(width):
                value = data[at + k] - share * data[normal + k] if share != 0.0 else data[at + k]
                j, b = indices[at + k] // 3, k % 3
                if fixed[j, b]:
                    rhs[i, a] -= value * jump[j, b]
                    value = 0.0
                out[at + k] = value
            if c >= 0 and a < 2:
                out[at + own[i]] += tangent[c, a]
                out[at + own[i] + 1] += tangent[c, a + 1]


def given_residual(p: Array, u: Array, bound: Array, kappa: Array) -> Array:
    """Return how far p (m, 3) N is from p_n = max(0, σ), p_t = projection of τ on the disc of the given ``bound`` (m,) N."""
    trial = p - kappa[:, None] * u
    size = np.hypot(trial[:, 0], trial[:, 1])
    share = np.where(size > bound, bound / np.where(size > 0.0, size, 1.0), 1.0)
    rest: Array = p - np.column_stack([share[:, None] * trial[:, :2], np.maximum(trial[:, 2], 0.0)])
    return rest
