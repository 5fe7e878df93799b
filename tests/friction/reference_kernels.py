"""Plain NumPy and SciPy twins of the compiled loops: the same sums, written to be read. Tests hold them equal.

Arguments and results as in the modules of `friction.nodal.kernels`, except that results
are returned, not written into arguments. Slow: not used by the solver.
"""

from __future__ import annotations

import numpy as np
import scipy.optimize
import scipy.sparse
from numpy.typing import NDArray

from friction.laws import Coulomb
from friction.nodal.kernels import CAP
from friction.result import FREE, HELD, REVERSED, SLIP, STICK

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


def matrix(indptr: Array, indices: Array, data: Array) -> scipy.sparse.csr_array:
    """Return the sparse matrix of the triple."""
    return scipy.sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1,) * 2)


def _size(x: Array) -> Array:
    return np.hypot(x[:, 0], x[:, 1])


def _unit(x: Array) -> Array:
    size = _size(x)[:, None]
    return np.divide(x, size, out=np.zeros_like(x), where=size > 0.0)


def scaling(A: scipy.sparse.csr_array, d: int = 2) -> Array:
    """Twin of `nodes.scaling`."""
    r = np.abs(A.diagonal()).reshape(-1, d).mean(axis=1)
    return np.where(r == 0.0, 1.0, r)


def residuals(v: Array, g: Array, w: Array, held: Bools) -> tuple[float, float]:
    """Twin of `nodes.residuals`."""
    rest = (_size(v) == 0.0) & (w > 0.0) & ~held
    moving = ~rest & ~held
    stick = np.maximum(_size(g) - w, 0.0)[rest].max(initial=0.0)
    return float(stick), float(_size(g + w[:, None] * _unit(v))[moving].max(initial=0.0))


def newton_terms(
    v: Array, lam: Array, g: Array, w: Array, r: Array, held: Bools, tie: float
) -> tuple[Bools, Array, Array, int]:
    """Twin of `nodes.newton_terms`: fixed, d, rhs, number of jumps."""
    tau = lam + r[:, None] * v
    rest = _size(v) == 0.0
    fixed = held | ((w > 0.0) & (_size(tau) <= w + np.where(rest, tie, 0.0)))
    n = _unit(tau)
    room = np.where(w > 0.0, np.maximum(_size(tau) - w, w / CAP), 1.0)
    factor = np.where(fixed | (w == 0.0), 0.0, w * r / room)
    blocks = factor[:, None, None] * (np.eye(2) - n[:, :, None] * n[:, None, :])
    rhs = -(g + w[:, None] * n + np.einsum("iab,ib->ia", blocks, v))
    rhs[fixed] = -v[fixed]
    return fixed, blocks, rhs, int(np.count_nonzero(fixed & ~rest))


def coupled(A: scipy.sparse.csr_array, coupling: Array) -> Array:
    """The dense matrix (3N, 3N) with the coupling (N, 2) times the rows across added to those along the ground."""
    full = A.toarray()
    for i, share in enumerate(coupling):
        full[3 * i : 3 * i + 2] += share[:, None] * full[3 * i + 2]
    return full


def reduced(A: scipy.sparse.csr_array, held: Bools, D: Array, coupling: Array, r: Array) -> Array:
    """Twin of `nodes.eliminate`, as a dense matrix."""
    full = coupled(A, coupling)
    for i, block in enumerate(D):
        full[3 * i : 3 * i + 2, 3 * i : 3 * i + 2] += block
    out = held.ravel()
    full[out, :] = 0.0
    full[:, out] = 0.0
    full[out, out] = np.repeat(r, 3)[out]
    return full


def minimiser(B: Array, c: Array, w: float) -> Array:
    """Twin of `nodes.minimiser`, by Brent's method on the secular equation in the eigenvectors of B."""
    if np.hypot(*c) <= w:
        return np.zeros(2)
    if w == 0.0:
        return np.asarray(np.linalg.solve(B, c), dtype=np.float64)
    beta, Q = np.linalg.eigh(B)
    y = Q.T @ c
    excess = np.hypot(*c) - w
    low, high = excess / beta[1] * 0.5, excess / beta[0] * 2.0
    rho = scipy.optimize.brentq(
        lambda rho: 1.0 / np.hypot(*(y / (rho * beta + w))) - 1.0, low, high, xtol=1e-300, rtol=1e-15
    )
    return Q @ (rho * y / (rho * beta + w))


def outcome(v: Array, g: Array, w: Array, held: Bools, reference: Array | None) -> tuple[Array, NDArray[np.int8]]:
    """Twin of `nodes.forces_and_states`: multiplier, state."""
    moving = _size(v) > 0.0
    stick = np.where((_size(g) > w)[:, None] & ~held[:, None], w[:, None] * _unit(-g), -g)
    slip = moving & (w > 0.0) & ~held
    multiplier = np.where(slip[:, None], Coulomb().force(v, w), stick)
    state = np.where(moving, SLIP, STICK).astype(np.int8)
    if reference is not None:
        state[moving & (np.einsum("ia,ia->i", v, reference) < 0.0)] = REVERSED
    state[w == 0.0] = FREE
    state[held] = HELD
    return multiplier, state


def sweep(A: scipy.sparse.csr_array, g: Array, w: Array, held: Bools, forward: bool, v: Array) -> tuple[Array, Array]:
    """Twin of `nodes.sweep`: v, g."""
    full, v, g = A.toarray(), v.copy(), g.copy()
    for i in range(len(w)) if forward else reversed(range(len(w))):
        rows = slice(2 * i, 2 * i + 2)
        B = full[rows, rows]
        new = v[i] if held[i] else minimiser(B, B @ v[i] - g[i], float(w[i]))
        g += (full[:, rows] @ (new - v[i])).reshape(g.shape)
        v[i] = new
    return v, g
