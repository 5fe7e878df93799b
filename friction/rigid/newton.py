"""Newton's method on the smoothed friction potential of a rigid body or row of points, compiled.

φ_ε(p) = ½ pᵀ H p − cᵀ p + Σ w_i √(|v_i(p)|² + ε²) with v_i = (p_x − p_ω d_y, p_y + p_ω d_x): strictly convex in the ``free``
rates of p, m/s, m/s, rad/s. H (3, 3) kg/s, kg m/s, kg m²/s; c (3,) N, N, N m; arms d (2, N) m; w (N,) N; ε m/s.

Newton's method is applied to the equilibrium and to s_i λ_i = w_i v_i together, s_i = √(|v_i|² + ε²), with multipliers λ
in their discs (Chan, Golub, Mulet 1999): unlike Newton's method in p alone it does not overshoot where a point comes
close to rest. The matrix is H plus a positive semidefinite one, so a line search on φ_ε makes it converge globally.

Fields at points are stored by component, (2, N), and sums over points in lanes (``friction.lanes``), so that loops use vector
units. ``sums``: workspace for them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.lanes import LANES, clear_lanes, sum_lanes

(SPEEDS, GX, GY, GZ, XX, XY, YY, XZ, YZ, ZZ, FX, FY) = range(0, 12 * LANES, LANES)
_SUMS, THREE = np.int64(10), np.int64(3)
WORK = 12 * LANES
"""Length of the workspace ``sums`` of ``evaluate`` and ``evaluate_sliding``."""


@njit(cache=True, error_model="numpy")
def point_slip(p, dx, dy):  # type: ignore[no-untyped-def]
    """Velocity of the point at (dx, dy), m/s, for rates p, a tuple, which the compiler knows to be constant.

    Components at the rounding level of the difference are exactly zero.
    """
    a, b = p[2] * dy, p[2] * dx
    vx, vy = p[0] - a, p[1] + b
    vx = 0.0 if abs(vx) <= 1e-15 * (abs(p[0]) + abs(a)) else vx
    vy = 0.0 if abs(vy) <= 1e-15 * (abs(p[1]) + abs(b)) else vy
    return vx, vy


@njit(cache=True, error_model="numpy")
def point_slips(p, arms):  # type: ignore[no-untyped-def]
    """Velocities (N, 2), m/s, of the points at ``arms`` (N, 2), m."""
    slips, rates = np.empty(arms.shape), (p[0], p[1], p[2])
    for i in range(arms.shape[0]):
        slips[i, 0], slips[i, 1] = point_slip(rates, arms[i, 0], arms[i, 1])
    return slips


@njit(cache=True, error_model="numpy")
def copy(values, out):  # type: ignore[no-untyped-def]
    """Copy a few numbers, faster than an assignment of arrays."""
    for k in range(values.shape[0]):
        out[k] = values[k]


@njit(cache=True, error_model="numpy")
def rotate_arms(points, angle, arms):  # type: ignore[no-untyped-def]
    """Write Q X into ``arms`` (2, N)."""
    c, s = np.cos(angle), np.sin(angle)
    X, Y, ax, ay = points[0], points[1], arms[0], arms[1]
    for i in range(X.shape[0]):
        ax[i] = c * X[i] - s * Y[i]
        ay[i] = s * X[i] + c * Y[i]


@njit(cache=True, error_model="numpy")
def solve_small(a, x, n):  # type: ignore[no-untyped-def]
    """Solve a (n, n) x = b by elimination with pivoting, in place: ``x`` (n,) holds b, then the solution; False for a singular
    matrix."""
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if a[best, k] == 0.0:
            return False
        if best != k:
            for j in range(n):
                a[k, j], a[best, j] = a[best, j], a[k, j]
            x[k], x[best] = x[best], x[k]
        for i in range(k + 1, n):
            part = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= part * a[k, j]
            x[i] -= part * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= a[k, j] * x[j]
        x[k] /= a[k, k]
    return True


@njit(cache=True, error_model="numpy")
def dot3(a, b):  # type: ignore[no-untyped-def]
    """a·b of vectors (3,)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy")
def evaluate(p, h, c, arms, w, free, eps2, dual, gradient, matrix, sums):  # type: ignore[no-untyped-def]
    """φ_ε(p) and the size of its terms; gradient (3,) and the primal-dual matrix (3, 3) in place."""
    ax, ay, lx, ly, rates = arms[0], arms[1], dual[0], dual[1], (p[0], p[1], p[2])
    clear_lanes(sums, _SUMS)
    for first in range(0, w.shape[0], LANES):
        for k in range(min(LANES, w.shape[0] - first)):
            i = np.uint64(first + k)
            dx, dy = ax[i], ay[i]
            vx, vy = point_slip(rates, dx, dy)
            s = np.sqrt(vx * vx + vy * vy + eps2)
            inverse = 1.0 / s if s > 0.0 else 0.0
            nx, ny = vx * inverse, vy * inverse
            sums[k + SPEEDS] += w[i] * s
            sums[k + GX] += w[i] * nx
            sums[k + GY] += w[i] * ny
            sums[k + GZ] += w[i] * (dx * ny - dy * nx)
            kxx, kyy = (w[i] - lx[i] * nx) * inverse, (w[i] - ly[i] * ny) * inverse
            kxy = -0.5 * (lx[i] * ny + ly[i] * nx) * inverse
            kx, ky = -dy * kxx + dx * kxy, -dy * kxy + dx * kyy
            sums[k + XX] += kxx
            sums[k + XY] += kxy
            sums[k + YY] += kyy
            sums[k + XZ] += kx
            sums[k + YZ] += ky
            sums[k + ZZ] += -dy * kx + dx * ky
    sum_lanes(sums, _SUMS, w.shape[0])
    return _with_inertia(p, h, c, free, sums[SPEEDS], sums, gradient, matrix)


@njit(cache=True, error_model="numpy")
def evaluate_sliding(p, h, c, arms, w, free, multiplier, gradient, matrix, sums):  # type: ignore[no-untyped-def]
    """φ_0(p), its gradient (3,) and second derivative (3, 3), and λ_i = w_i v_i/|v_i| (2, N), zero where v_i = 0, in place.

    With t_i across n_i = v_i/|v_i| the second derivative is H + Σ w_i/|v_i| g_i g_iᵀ, g_i = Gᵢᵀ t_i.
    """
    ax, ay, lx, ly, rates = arms[0], arms[1], multiplier[0], multiplier[1], (p[0], p[1], p[2])
    clear_lanes(sums, _SUMS)
    for first in range(0, w.shape[0], LANES):
        for k in range(min(LANES, w.shape[0] - first)):
            i = np.uint64(first + k)
            dx, dy = ax[i], ay[i]
            vx, vy = point_slip(rates, dx, dy)
            s = np.sqrt(vx * vx + vy * vy)
            inverse = 1.0 / s if s > 0.0 else 0.0
            nx, ny = vx * inverse, vy * inverse
            fx, fy, kink, turn = w[i] * nx, w[i] * ny, w[i] * inverse, dx * nx + dy * ny
            sums[k + FX], sums[k + FY] = fx, fy
            sums[k + GX] += fx
            sums[k + GY] += fy
            sums[k + GZ] += dx * fy - dy * fx
            sums[k + XX] += kink * ny * ny
            sums[k + XY] -= kink * nx * ny
            sums[k + YY] += kink * nx * nx
            sums[k + XZ] -= kink * ny * turn
            sums[k + YZ] += kink * nx * turn
            sums[k + ZZ] += kink * turn * turn
        for k in range(min(LANES, w.shape[0] - first)):
            i = np.uint64(first + k)
            lx[i], ly[i] = sums[k + FX], sums[k + FY]
    sum_lanes(sums, _SUMS, w.shape[0])
    _with_inertia(p, h, c, free, 0.0, sums, gradient, matrix)


@njit(cache=True, error_model="numpy")
def _with_inertia(p, h, c, free, speeds, sums, gradient, matrix):  # type: ignore[no-untyped-def]
    """Add ½ pᵀ H p − cᵀ p to friction's potential, gradient and matrix; return the potential and the size of its terms."""
    value, size, pull = speeds, speeds, (sums[GX], sums[GY], sums[GZ])
    kinks = ((sums[XX], sums[XY], sums[XZ]), (sums[XY], sums[YY], sums[YZ]), (sums[XZ], sums[YZ], sums[ZZ]))
    for k in range(3):
        force = h[k, 0] * p[0] + h[k, 1] * p[1] + h[k, 2] * p[2]
        gradient[k] = force - c[k] + pull[k]
        value += p[k] * (0.5 * force - c[k])
        size += abs(p[k] * force) + abs(c[k] * p[k])
        for j in range(3):
            matrix[k, j] = h[k, j] + kinks[k][j]
    for k in range(3):
        if not free[k]:
            gradient[k] = 0.0
            for j in range(3):
                matrix[k, j] = matrix[j, k] = 0.0
            matrix[k, k] = 1.0
    return value, size


@njit(cache=True, error_model="numpy")
def advance_dual(p, change, arms, w, eps2, dual):  # type: ignore[no-untyped-def]
    """λ ← w v/s + (w − λ vᵀ/s) dv/s in place, dv the slip of ``change`` (3,), scaled back to the disc ``|λ|`` ≤ w."""
    ax, ay, lx, ly = arms[0], arms[1], dual[0], dual[1]
    rates, by = (p[0], p[1], p[2]), (change[0], change[1], change[2])
    for i in range(w.shape[0]):
        vx, vy = point_slip(rates, ax[i], ay[i])
        s = np.sqrt(vx * vx + vy * vy + eps2)
        inverse = 1.0 / s
        ux, uy = point_slip(by, ax[i], ay[i])
        along = (vx * ux + vy * uy) * inverse
        nx = (w[i] * (vx + ux) - lx[i] * along) * inverse
        ny = (w[i] * (vy + uy) - ly[i] * along) * inverse
        size = np.sqrt(nx * nx + ny * ny)
        share = w[i] / size if size > w[i] else 1.0
        moves = s > 0.0 and w[i] > 0.0
        lx[i] = share * nx if moves else lx[i]
        ly[i] = share * ny if moves else ly[i]


@njit(cache=True, error_model="numpy")
def newton_slip(p, h, c, arms, w, free, tolerance, limit, multiplier, sums):  # type: ignore[no-untyped-def]
    """Newton's method on φ_0 in p alone, whole steps from p, in place; (converged, iterations), λ beside p.

    Sufficient where all points slide and p is close, at half the cost per iteration; it fails where residuals are not halved.
    """
    g, matrix, previous = np.empty(3), np.empty((3, 3)), np.inf
    for iteration in range(limit):
        evaluate_sliding(p, h, c, arms, w, free, multiplier, g, matrix, sums)
        error = max(abs(g[0]) / tolerance[0], abs(g[1]) / tolerance[1], abs(g[2]) / tolerance[2])
        if error <= 1.0:
            return True, iteration
        if not error < 0.5 * previous or not solve_small(matrix, g, THREE):
            break
        previous = error
        for k in range(3):
            p[k] -= g[k]
    return False, limit


@njit(cache=True, error_model="numpy")
def newton(p, h, c, arms, w, free, eps2, tolerance, limit, dual, sums):  # type: ignore[no-untyped-def]
    """Damped Newton on φ_ε from p and λ = ``dual`` (2, N), in place; (converged, iterations). ``tolerance`` (3,) bounds the
    gradient."""
    g, g2, trial, direction = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    matrix, matrix2 = np.empty((3, 3)), np.empty((3, 3))
    value, size = evaluate(p, h, c, arms, w, free, eps2, dual, g, matrix, sums)
    for iteration in range(limit):
        if abs(g[0]) <= tolerance[0] and abs(g[1]) <= tolerance[1] and abs(g[2]) <= tolerance[2]:
            return True, iteration
        entries, negligible = 0.0, eps2 == 0.0
        for k in range(3):
            direction[k] = -g[k]
            entries += matrix[k, 0] + matrix[k, 1] + matrix[k, 2]
            negligible = negligible and (not free[k] or matrix[k, k] > 1e14 * h[k, k])
        # H below the rounding of the friction terms near rest, or a matrix singular to rounding by one point.
        if negligible or not np.isfinite(entries) or not solve_small(matrix, direction, THREE):
            return False, iteration
        slope = dot3(g, direction)
        advance_dual(p, direction, arms, w, eps2, dual)
        step = 1.0
        for _ in range(40):
            for k in range(3):
                trial[k] = p[k] + step * direction[k]
            trial_value, trial_size = evaluate(trial, h, c, arms, w, free, eps2, dual, g2, matrix2, sums)
            # φ_ε is convex: a negative slope at the end means that it has fallen. Otherwise values are compared, up to
            # rounding: near the limit surface c·p and Σ w|v| cancel, so their rounding counts, not that of φ_ε.
            rounding = 4e-16 * (size + trial_size)
            if dot3(g2, direction) <= 0.0 or trial_value <= value + 1e-4 * step * slope + rounding:
                break
            step *= 0.5
        value, size, g, g2, matrix, matrix2 = trial_value, trial_size, g2, g, matrix2, matrix
        copy(trial, p)
    return False, limit
