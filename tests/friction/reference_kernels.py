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
from friction.nodal.kernels.newton import D_CAP
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


def _packed(blocks: Array) -> Array:
    """Return xx, xy, yy (N, 3) of symmetric blocks (N, 2, 2)."""
    return blocks[:, (0, 0, 1), (0, 1, 1)]


def scaling(A: scipy.sparse.csr_array) -> Array:
    """Twin of `kernels.scaling`."""
    r = np.abs(A.diagonal()).reshape(-1, 2).mean(axis=1)
    return np.where(r == 0.0, 1.0, r)


def residuals(v: Array, g: Array, w: Array, held: Bools) -> tuple[float, float]:
    """Twin of `kernels.residuals`."""
    rest = (_size(v) == 0.0) & (w > 0.0) & ~held
    moving = ~rest & ~held
    stick = np.maximum(_size(g) - w, 0.0)[rest].max(initial=0.0)
    return float(stick), float(_size(g + w[:, None] * _unit(v))[moving].max(initial=0.0))


def newton_terms(
    v: Array, lam: Array, g: Array, w: Array, r: Array, held: Bools, tie: float
) -> tuple[Bools, Array, Array, int]:
    """Twin of `kernels.newton_terms`: fixed, d, rhs, number of jumps."""
    tau = lam + r[:, None] * v
    rest = _size(v) == 0.0
    fixed = held | ((w > 0.0) & (_size(tau) <= w + np.where(rest, tie, 0.0)))
    n = _unit(tau)
    room = np.where(w > 0.0, np.maximum(_size(tau) - w, w / D_CAP), 1.0)
    factor = np.where(fixed | (w == 0.0), 0.0, w * r / room)
    blocks = factor[:, None, None] * (np.eye(2) - n[:, :, None] * n[:, None, :])
    rhs = -(g + w[:, None] * n + np.einsum("iab,ib->ia", blocks, v))
    rhs[fixed] = -v[fixed]
    return fixed, _packed(blocks), rhs, int(np.count_nonzero(fixed & ~rest))


def eliminate(A: scipy.sparse.csr_array, fixed: Bools, d: Array, r: Array) -> Array:
    """Twin of `kernels.eliminate`, as a dense matrix."""
    full = A.toarray()
    for i in range(len(fixed)):
        full[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] += np.array([[d[i, 0], d[i, 1]], [d[i, 1], d[i, 2]]])
    dofs = np.repeat(fixed, 2)
    full[dofs, :] = 0.0
    full[:, dofs] = 0.0
    full[dofs, dofs] = np.repeat(r, 2)[dofs]
    return full


def close_rhs(A: scipy.sparse.csr_array, fixed: Bools, r: Array, rhs: Array) -> Array:
    """Twin of `kernels.close_rhs`."""
    jump = np.where(fixed[:, None], rhs, 0.0)
    coupled = rhs - (A @ jump.ravel()).reshape(rhs.shape)
    return np.where(fixed[:, None], r[:, None] * jump, coupled)


def nodal_prox(B: Array, c: Array, w: float) -> Array:
    """Twin of `kernels.nodal_prox`, by Brent's method on the secular equation in the eigenvectors of B."""
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
    """Twin of `kernels.outcome`: multiplier, state."""
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
    """Twin of `kernels_truncated.sweep`: v, g."""
    full, v, g = A.toarray(), v.copy(), g.copy()
    for i in range(len(w)) if forward else reversed(range(len(w))):
        rows = slice(2 * i, 2 * i + 2)
        B = full[rows, rows]
        new = v[i] if held[i] else nodal_prox(B, B @ v[i] - g[i], float(w[i]))
        g += (full[:, rows] @ (new - v[i])).reshape(g.shape)
        v[i] = new
    return v, g


def truncate(v: Array, g: Array, w: Array, r: Array, held: Bools) -> tuple[Bools, Array, Array]:
    """Twin of `kernels_truncated.truncate`: fixed, d, rhs."""
    fixed = held | ((w > 0.0) & (w >= D_CAP * r * _size(v)))
    law = Coulomb()
    rhs = np.where(fixed[:, None], 0.0, -(g + law.force(v, w)))
    return fixed, np.where(fixed[:, None], 0.0, _packed(law.tangent(v, w))), rhs


def friction_slope(v: Array, c: Array, w: Array, t: float) -> float:
    """Twin of `kernels_truncated.friction_slope`."""
    x = v + t * c
    at_rest = _size(x) == 0.0
    return float(np.sum(w * np.where(at_rest, _size(c), np.einsum("ia,ia->i", _unit(x), c))))


def line_search(v: Array, c: Array, w: Array, slope: float, curvature: float) -> float:
    """Twin of `kernels_truncated.line_search`, by golden-section search on the energy."""

    def energy(t: float) -> float:
        return slope * t + 0.5 * curvature * t * t + float(np.sum(w * _size(v + t * c)))

    return float(scipy.optimize.minimize_scalar(energy, bracket=(0.0, 1.0), method="golden", tol=1e-12).x)


def projected(lam: Array, w: Array) -> Array:
    """Twin of `kernels_smoothing.projected`."""
    return np.where((_size(lam) > w)[:, None], w[:, None] * _unit(lam), lam)


def smoothed_terms(v: Array, lam: Array, g: Array, w: Array, held: Bools, eps: float) -> tuple[Array, Array]:
    """Twin of `kernels_smoothing.smoothed_terms`: d, rhs."""
    s = np.hypot(_size(v), eps)
    outer = lam[:, :, None] * v[:, None, :] / s[:, None, None]
    blocks = (w[:, None, None] * np.eye(2) - 0.5 * (outer + outer.transpose(0, 2, 1))) / s[:, None, None]
    return _packed(blocks), np.where(held[:, None], 0.0, -(g + (w / s)[:, None] * v))


def advance(
    v: Array, lam: Array, step: Array, w: Array, held: Bools, r: Array, eps: float
) -> tuple[Array, Array, Bools, float]:
    """Twin of `kernels_smoothing.advance`: v, lambda, sticking, power."""
    s = np.hypot(_size(v), eps)[:, None]
    turn = np.einsum("ia,ia->i", v, step)[:, None] / s
    dual = projected((w[:, None] * (v + step) - lam * turn) / s, w)
    lam = np.where(held[:, None], lam, dual)
    v = np.where(held[:, None], v, v + step)
    sticking = ~held & (_size(lam + r[:, None] * v) <= w)
    return v, lam, sticking, float(np.sum((w * _size(v))[~held]))
