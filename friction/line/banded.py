"""Cholesky's factorisation of a matrix with three subdiagonals, and its solution: each one sweep over the rows."""

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def factorise(band: np.ndarray, factor: np.ndarray) -> bool:
    """Write L and D of K = L D Lᵀ into ``factor``; return whether K is positive definite.

    ``band`` (4, n): K[j + k, j] at [k, j]; ``factor`` (4, n): D at [0, j], L[j + k, j] at [k, j].
    """
    for j in range(band.shape[1]):
        d, s1, s2, s3 = band[0, j], band[1, j], band[2, j], band[3, j]
        if j >= 1:
            t = factor[1, j - 1] * factor[0, j - 1]
            d -= factor[1, j - 1] * t
            s1 -= factor[2, j - 1] * t
            s2 -= factor[3, j - 1] * t
        if j >= 2:
            t = factor[2, j - 2] * factor[0, j - 2]
            d -= factor[2, j - 2] * t
            s1 -= factor[3, j - 2] * t
        if j >= 3:
            d -= factor[3, j - 3] * factor[3, j - 3] * factor[0, j - 3]
        if not d > 0.0:
            return False
        factor[0, j], factor[1, j], factor[2, j], factor[3, j] = d, s1 / d, s2 / d, s3 / d
    return True


@njit(cache=True, error_model="numpy")
def solve(factor: np.ndarray, rhs: np.ndarray, x: np.ndarray) -> None:
    """Write the solution of L D Lᵀ x = rhs into x (n,)."""
    n = len(rhs)
    last, second, third = 0.0, 0.0, 0.0
    for i in range(n):
        s = rhs[i]
        if i >= 1:
            s -= factor[1, i - 1] * last
        if i >= 2:
            s -= factor[2, i - 2] * second
        if i >= 3:
            s -= factor[3, i - 3] * third
        x[i] = s
        last, second, third = s, last, second
    last, second, third = 0.0, 0.0, 0.0
    for i in range(n - 1, -1, -1):
        s = x[i] / factor[0, i] - factor[1, i] * last - factor[2, i] * second - factor[3, i] * third
        x[i] = s
        last, second, third = s, last, second
