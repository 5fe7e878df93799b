"""Lemke's method for linear complementarity problems: w = M z + b, w >= 0, z >= 0, w'z = 0.

Complementary pivoting from the ray of an artificial variable z0 with covering vector 1 (Cottle, Pang & Stone, The Linear
Complementarity Problem, 1992, section 4.4), ties broken lexicographically, so that it ends after finitely many pivots. For
copositive M it ends at a solution whenever b'z >= 0 for every solution z of the problem with b = 0 (their theorem 4.4.13).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from friction.arrays import Array

_TIE = 1e-12


def lemke(matrix: Array, vector: Array, max_pivots: int = 1000) -> tuple[Array | None, int]:
    """Solve a linear complementarity problem by Lemke's method, in at most ``max_pivots`` pivots.

    ``matrix`` M (n, n) and ``vector`` b (n,) are scaled so that entries are about one. Returns z (n,), None where the path ends
    on a ray (no solution found) or pivots run out, and the number of pivots.
    """
    n = len(vector)
    if vector.min(initial=0.0) >= 0.0:
        return np.zeros(n), 0
    # Columns: w (n), z (n), z0, right-hand side. The w columns hold the inverse of the basis.
    table = np.hstack([np.eye(n), -matrix, -np.ones((n, 1)), vector[:, None]])
    basis = np.arange(n)
    row = _lexicographic(table, np.arange(n), np.ones(n), n)  # the smallest b, in lexicographic order
    entering = 2 * n
    for pivots in range(1, max_pivots + 1):
        leaving = int(basis[row])
        table[row] /= table[row, entering]
        others = table[:, entering].copy()
        others[row] = 0.0
        table -= np.outer(others, table[row])
        basis[row] = entering
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = table[:, -1]
            return np.maximum(z[n : 2 * n], 0.0), pivots
        entering = leaving + n if leaving < n else leaving - n
        column = table[:, entering]
        rows = np.flatnonzero(column > 1e-11 * max(1.0, float(np.abs(column).max())))
        if len(rows) == 0:
            return None, pivots
        (artificial,) = np.nonzero(basis == 2 * n)
        ratios = table[rows, -1] / column[rows]
        at = np.flatnonzero(rows == artificial[0])
        if len(at) and ratios[at[0]] <= ratios.min() + _TIE:  # z0 may leave: done
            row = int(artificial[0])
        else:
            row = _lexicographic(table, rows, column[rows], n)
    return None, max_pivots


def _lexicographic(table: Array, rows: NDArray[np.intp], pivots: Array, n: int) -> int:
    """The row of the lexicographically smallest (b, inverse basis)/pivot."""
    for column in (-1, *range(n)):
        values = table[rows, column] / pivots
        keep = values <= values.min() + _TIE
        rows, pivots = rows[keep], pivots[keep]
        if len(rows) == 1:
            break
    return int(rows[0])
