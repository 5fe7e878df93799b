"""Compiled kernels of frictional contact at a few points: residual, tangent and one sweep of Signorini's and Coulomb's laws.

Per point the rows are (t1, t2, n). With a weight κ > 0, kg/s, σ = p_n − κ y and τ = p_t − κ u_t both laws are one equation each
(Alart & Curnier 1991),

    p_n = max(0, σ),    p_t = projection of τ on the disc of radius μ max(0, σ)

A point is open where σ <= 0, it sticks where |τ| <= μσ, else it slips. μ infinite holds a closed point. The last row of y may be a
velocity or a gap over the step's length.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from friction.arrays import Array
from friction.status import OPEN, SLIP, STICK

DIVERGED = 1e100
"""Force, N, beyond which sweeps have diverged."""


@njit(cache=True, error_model="numpy")
def statuses(p: Array, u: Array, friction: Array, weight: Array) -> NDArray[np.int8]:
    """States (m,) of the points at forces p and velocities u (m, 3)."""
    codes = np.empty(len(p), np.int8)
    for i in range(len(p)):
        sigma = p[i, 2] - weight[i] * u[i, 2]
        if sigma <= 0.0:
            codes[i] = OPEN
        else:
            a, b = p[i, 0] - weight[i] * u[i, 0], p[i, 1] - weight[i] * u[i, 1]
            codes[i] = STICK if np.sqrt(a * a + b * b) <= friction[i] * sigma else SLIP
    return codes


@njit(cache=True, error_model="numpy")
def residual(p: Array, u: Array, friction: Array, weight: Array) -> Array:
    """Residuals of the laws, p minus their right side, (m, 3) N, at forces p (m, 3) N."""
    defect = np.empty_like(p)
    for i in range(len(p)):
        sigma = p[i, 2] - weight[i] * u[i, 2]
        if sigma <= 0.0:
            defect[i, 0], defect[i, 1], defect[i, 2] = p[i, 0], p[i, 1], p[i, 2]
            continue
        a, b = p[i, 0] - weight[i] * u[i, 0], p[i, 1] - weight[i] * u[i, 1]
        size = np.sqrt(a * a + b * b)
        share = 1.0 if size <= friction[i] * sigma else friction[i] * sigma / size
        defect[i, 0], defect[i, 1], defect[i, 2] = p[i, 0] - share * a, p[i, 1] - share * b, weight[i] * u[i, 2]
    return defect


@njit(cache=True, error_model="numpy")
def tangent(p: Array, u: Array, friction: Array, weight: Array, response: Array) -> Array:
    """Derivative d residual / dp (3m, 3m) where du/dp = ``response`` (3m, 3m)."""
    count = len(p)
    matrix = np.zeros((3 * count, 3 * count))
    for i in range(count):
        k, first = weight[i], 3 * i
        sigma = p[i, 2] - k * u[i, 2]
        if sigma <= 0.0:
            for a in range(3):
                matrix[first + a, first + a] = 1.0
            continue
        for j in range(3 * count):
            matrix[first + 2, j] = k * response[first + 2, j]
        x, y = p[i, 0] - k * u[i, 0], p[i, 1] - k * u[i, 1]
        size = np.sqrt(x * x + y * y)
        if size <= friction[i] * sigma:
            for j in range(3 * count):
                matrix[first, j] = k * response[first, j]
                matrix[first + 1, j] = k * response[first + 1, j]
            continue
        x, y = x / size, y / size
        share = friction[i] * sigma / size
        for j in range(3 * count):
            d1 = (j == first) - k * response[first, j]
            d2 = (j == first + 1) - k * response[first + 1, j]
            d3 = (j == first + 2) - k * response[first + 2, j]
            along = x * d1 + y * d2
            matrix[first, j] = -share * (d1 - along * x) - friction[i] * d3 * x
            matrix[first + 1, j] = -share * (d2 - along * y) - friction[i] * d3 * y
        matrix[first, first] += 1.0
        matrix[first + 1, first + 1] += 1.0
    return matrix


@njit(cache=True, error_model="numpy", forceinline=True)
def factor(a: Array, order: NDArray[np.int64]) -> bool:
    """Factorise a matrix (n, n) in place by elimination with pivoting; True where it is regular.

    The diagonal holds the inverses of the pivots, ``order`` (n,) the exchanges of rows. For so few unknowns LAPACK takes longer to
    compile than to call."""
    count = a.shape[0]
    for k in range(count):
        best = k
        for i in range(k + 1, count):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        order[k] = best
        if not abs(a[best, k]) > 0.0:
            return False
        if best != k:
            for j in range(count):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        a[k, k] = 1.0 / a[k, k]
        for i in range(k + 1, count):
            part = a[i, k] * a[k, k]
            a[i, k] = part
            for j in range(k + 1, count):
                a[i, j] -= part * a[k, j]
    return True


@njit(cache=True, error_model="numpy", forceinline=True)
def solved(a: Array, order: NDArray[np.int64], x: Array) -> None:
    """Solve with the factors ``a`` in place: x (n,) is the right side, then the solution."""
    count = a.shape[0]
    for k in range(count):
        x[k], x[order[k]] = x[order[k]], x[k]
    for i in range(1, count):
        value = x[i]
        for k in range(i):
            value -= a[i, k] * x[k]
        x[i] = value
    for i in range(count - 1, -1, -1):
        value = x[i]
        for k in range(i + 1, count):
            value -= a[i, k] * x[k]
        x[i] = value * a[i, i]


@njit(cache=True, error_model="numpy")
def velocities(p: Array, free: Array, response: Array, u: Array) -> None:
    """Write u = free + response p (m, 3); loops compile faster than array expressions."""
    for i in range(3 * len(p)):
        value = free[i // 3, i % 3]
        for j in range(3 * len(p)):
            value += response[i, j] * p[j // 3, j % 3]
        u[i // 3, i % 3] = value


@njit(cache=True, error_model="numpy")
def newton(
    p: Array, free: Array, response: Array, friction: Array, weight: Array, tolerance: float, limit: int
) -> tuple[Array, int, float]:
    """Newton's method on u = free + response p; return p (m, 3), iterations and residual, N."""
    count, p, u, best = len(p), p.copy(), np.empty_like(p), np.inf
    order = np.arange(3 * count)
    for iteration in range(limit + 1):
        velocities(p, free, response, u)
        defect = residual(p, u, friction, weight)
        best = 0.0
        for i in range(count):
            for a in range(3):
                best = max(best, abs(defect[i, a])) if abs(defect[i, a]) < np.inf else np.inf  # max(0, NaN) is 0
        if best <= tolerance or iteration == limit:
            return p, iteration, best
        matrix, step = tangent(p, u, friction, weight, response), defect.reshape(3 * count)
        finite = factor(matrix, order)
        solved(matrix, order, step)
        for i in range(3 * count):
            p[i // 3, i % 3] -= step[i]
            finite = finite and abs(p[i // 3, i % 3]) < np.inf
        if not finite:
            return np.zeros_like(p), iteration, np.inf
    return p, limit, best


@njit(cache=True, error_model="numpy")
def sweep(
    p: Array, free: Array, response: Array, friction: Array, weight: Array, tolerance: float, sweeps: int
) -> Array:
    """Forces p (m, 3) after ``sweeps`` of nonlinear Gauss–Seidel, one point after another; 0 where they diverge."""
    count = len(p)
    p = p.copy()
    for _ in range(sweeps):
        for i in range(count):
            rows = slice(3 * i, 3 * i + 3)
            block = response[rows, rows].copy()
            others = free[i] + response[rows] @ p.ravel() - block @ p[i]
            one = p[i : i + 1].copy()
            apart, mu, k = others.reshape(1, 3), friction[i : i + 1], weight[i : i + 1]
            alone, _, error = newton(one, apart, block, mu, k, tolerance, 12)
            if error > tolerance:  # one step of projection instead
                u = apart + (block @ one[0]).reshape(1, 3)
                alone = one - 0.5 * residual(one, u, mu, k)
            p[i] = alone[0]
        if not np.all(np.abs(p) < DIVERGED):
            return np.zeros_like(p)
    return p
