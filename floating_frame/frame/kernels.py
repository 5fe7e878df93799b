"""Compiled sums over nodes. They run in one thread and in the order of the nodes, so results are the same bits in every run.

(A BLAS dot product of this size waits for threads that the sparse solver keeps spinning, which costs more than the sum.)
"""

from __future__ import annotations

from numba import njit, types

# Any layout, writable or not: one signature, compiled once.
_FIELD, _WEIGHTS = (types.Array(types.float64, n, "A", readonly=True) for n in (2, 1))


@njit(types.float64(_FIELD, _FIELD), cache=True)
def dot(a, b):  # type: ignore[no-untyped-def]
    """Σ_i a_i·b_i of two nodal fields (N, 2)."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i, 0] * b[i, 0] + a[i, 1] * b[i, 1]
    return total


@njit(types.float64(_FIELD, _FIELD), cache=True)
def cross_sum(a, b):  # type: ignore[no-untyped-def]
    """Σ_i a_i × b_i of two nodal fields (N, 2)."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i, 0] * b[i, 1] - a[i, 1] * b[i, 0]
    return total


@njit(types.UniTuple(types.float64, 2)(_WEIGHTS, _FIELD), cache=True)
def weighted_sum(weights, field):  # type: ignore[no-untyped-def]
    """Σ_i w_i f_i, both components, of nodal weights (N,) and a nodal field (N, 2)."""
    x, y = 0.0, 0.0
    for i in range(field.shape[0]):
        x += weights[i] * field[i, 0]
        y += weights[i] * field[i, 1]
    return x, y
