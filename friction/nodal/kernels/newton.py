"""Compiled inner loops of the friction solver; each has a plain NumPy twin in `tests/friction/reference_kernels.py`.

Notation: v slip velocity (N, 2), m/s; g gradient (N, 2), N; w bound (N,), N; r scaling (N,), N s/m; a matrix is the
triple (indptr, indices, data) of a CSR matrix in dof 2 i + a with full 2x2 node blocks; diagonal (N, 4) holds the
positions in data of the entries xx, xy, yx, yy of each node's own block; d (N, 3) holds xx, xy, yy of a symmetric 2x2
block per node, N s/m. Signs: the friction force on the body is -lambda.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from friction.result import FREE, HELD, REVERSED, SLIP, STICK

ONE = np.uint64(1)  # places without a sign need no look at it
D_CAP = 1e8  # bound on the friction tangent in units of r: beyond it, slip is parallel to n to rounding anyway


@njit(cache=True, error_model="numpy")
def length(x, y):  # type: ignore[no-untyped-def]
    """Return √(x² + y²): a fifth of the cost of hypot, which takes over where squares leave the range of numbers."""
    square = x * x + y * y
    if 1e-280 < square < 1e280:
        return math.sqrt(square)
    return 0.0 if x == 0.0 and y == 0.0 else math.hypot(x, y)


def diagonal_blocks(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return the positions (N, 4) of the entries xx, xy, yx, yy of the diagonal blocks; -1 where absent."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    places = np.flatnonzero(indices // 2 == rows // 2)
    diagonal = np.full(((len(indptr) - 1) // 2, 4), -1, np.int64)
    diagonal[rows[places] // 2, 2 * (rows[places] % 2) + indices[places] % 2] = places
    return diagonal


@njit(cache=True, error_model="numpy")
def scaling(data, diagonal):  # type: ignore[no-untyped-def]
    """Return r (N,), the mean size of the two diagonal entries of each node's block.

    Sizes, because it also stands in for eliminated blocks, which need not be positive definite; 1 where both are 0.
    """
    r = np.empty(len(diagonal))
    for i in range(len(diagonal)):
        r[i] = 0.5 * (abs(data[diagonal[i, 0]]) + abs(data[diagonal[i, 3]]))
        if r[i] == 0.0:
            r[i] = 1.0
    return r


@njit(cache=True, error_model="numpy")
def residuals(v, g, w, fixed):  # type: ignore[no-untyped-def]
    """Return the largest residuals (stick, slip), N, of g + lambda = 0, lambda_i in w_i ``d|v_i|``; slip includes free."""
    stick, slip = 0.0, 0.0
    for i in range(len(w)):
        if fixed[i]:
            if not (math.isfinite(g[i, 0]) and math.isfinite(g[i, 1])):
                return math.nan, math.nan
            continue
        speed = length(v[i, 0], v[i, 1])
        if speed == 0.0 and w[i] > 0.0:
            size = length(g[i, 0], g[i, 1]) - w[i]
            stick = max(stick, size)
        else:
            pull = w[i] / speed if speed > 0.0 else 0.0
            size = length(g[i, 0] + pull * v[i, 0], g[i, 1] + pull * v[i, 1])
            slip = max(slip, size)
        if not math.isfinite(size):
            return math.nan, math.nan
    return stick, slip


@njit(cache=True, error_model="numpy")
def newton_terms(v, lam, g, w, r, fixed, tie, eliminated, d, rhs):  # type: ignore[no-untyped-def]
    """Linearise the friction law (Alart-Curnier, disc of known radius w) into fixed (N,), d (N, 3), rhs (N, 2).

    tau = lambda + r v; ``|tau|`` <= w sticks (fixed, rhs = -v: the jump to rest). Else n = ``tau/|tau|``,
    D = w ``r/(|tau| - w)`` (1 - n n') and rhs = -(g + w n + D v). Nodes at rest stick up to ``|tau|`` <= w + tie, so that a
    borderline node does not flip on rounding. Returns the number of fixed nodes that are not at rest yet.
    """
    jumps = 0
    for i in range(len(w)):
        d[i, 0], d[i, 1], d[i, 2], eliminated[i] = 0.0, 0.0, 0.0, fixed[i]
        tx, ty = lam[i, 0] + r[i] * v[i, 0], lam[i, 1] + r[i] * v[i, 1]
        size = length(tx, ty)
        if w[i] > 0.0 and not fixed[i]:
            rest = v[i, 0] == 0.0 and v[i, 1] == 0.0
            eliminated[i] = size <= (w[i] + tie if rest else w[i])
        if eliminated[i]:
            rhs[i, 0], rhs[i, 1] = -v[i, 0], -v[i, 1]
            if v[i, 0] != 0.0 or v[i, 1] != 0.0:
                jumps += 1
        elif w[i] > 0.0:
            nx, ny = tx / size, ty / size
            factor = r[i] * min(w[i] / max(size - w[i], w[i] / D_CAP), D_CAP)
            d[i, 0], d[i, 1], d[i, 2] = factor * ny * ny, -factor * nx * ny, factor * nx * nx
            rhs[i, 0] = -(g[i, 0] + w[i] * nx + d[i, 0] * v[i, 0] + d[i, 1] * v[i, 1])
            rhs[i, 1] = -(g[i, 1] + w[i] * ny + d[i, 1] * v[i, 0] + d[i, 2] * v[i, 1])
        else:
            rhs[i, 0], rhs[i, 1] = -g[i, 0], -g[i, 1]
    return jumps


@njit(cache=True, error_model="numpy")
def eliminate(indptr, indices, data, diagonal, eliminated, d, r, out):  # type: ignore[no-untyped-def]
    """Write into out (nnz,) the matrix + d, with rows and columns of fixed nodes replaced by r times the identity."""
    for i in range(len(eliminated)):
        first = np.uint64(indptr[2 * i])
        second = np.uint64(indptr[2 * i + 1])
        blocks = (second - first) >> ONE
        if eliminated[i]:
            out[first : second + second - first] = 0.0
            out[diagonal[i, 0]] = out[diagonal[i, 3]] = r[i]
            continue
        for k in range(blocks):
            e, f = first + k + k, second + k + k
            if eliminated[np.uint32(indices[e]) >> np.uint32(1)]:
                out[e] = out[e + ONE] = out[f] = out[f + ONE] = 0.0
            else:
                out[e], out[e + ONE], out[f], out[f + ONE] = data[e], data[e + ONE], data[f], data[f + ONE]
        out[diagonal[i, 0]] += d[i, 0]
        out[diagonal[i, 1]] += d[i, 1]
        out[diagonal[i, 2]] += d[i, 1]
        out[diagonal[i, 3]] += d[i, 2]


@njit(cache=True, error_model="numpy")
def close_rhs(indptr, indices, data, eliminated, r, rhs):  # type: ignore[no-untyped-def]
    """Finish rhs (N, 2), which holds the prescribed jumps at fixed nodes: couple them to the others, scale by r.

    Two passes, so that the jumps are read before they are scaled.
    """
    nodes = len(eliminated)
    for i in range(nodes):
        if not eliminated[i]:
            for a in range(2):
                total = 0.0
                for p in range(indptr[2 * i + a], indptr[2 * i + a + 1]):
                    j = indices[p] // 2
                    if eliminated[j]:
                        total += data[p] * rhs[j, indices[p] % 2]
                rhs[i, a] -= total
    for i in range(nodes):
        if eliminated[i]:
            rhs[i, 0], rhs[i, 1] = r[i] * rhs[i, 0], r[i] * rhs[i, 1]


@njit(cache=True, error_model="numpy")
def outcome(v, g, w, fixed, reference, multiplier, state):  # type: ignore[no-untyped-def]
    """Write lambda (N, 2) and the state codes (N,) of ``friction.result`` at a solution; reference may have no rows.

    In stick lambda = -g, cut to the bound where it passes it (by less than the tolerance).
    """
    for i in range(len(w)):
        speed = length(v[i, 0], v[i, 1])
        multiplier[i, 0], multiplier[i, 1] = -g[i, 0], -g[i, 1]
        if fixed[i]:
            state[i] = HELD
        elif w[i] == 0.0:
            state[i] = FREE
            multiplier[i, 0], multiplier[i, 1] = 0.0, 0.0
        elif speed > 0.0:
            state[i] = SLIP
            if len(reference) and v[i, 0] * reference[i, 0] + v[i, 1] * reference[i, 1] < 0.0:
                state[i] = REVERSED
            multiplier[i, 0], multiplier[i, 1] = w[i] / speed * v[i, 0], w[i] / speed * v[i, 1]
        else:
            state[i] = STICK
            size = length(g[i, 0], g[i, 1])
            if size > w[i]:
                cut = w[i] / size * (1.0 - 4e-16)
                multiplier[i, 0], multiplier[i, 1] = cut * multiplier[i, 0], cut * multiplier[i, 1]
