"""Newton's method on the smoothed friction potential of a rigid body or row of points, compiled.

φ_ε(p) = ½ pᵀ H p − cᵀ p + Σ w_i √(|v_i(p)|² + ε²) with v_i = (p_x − p_ω d_y, p_y + p_ω d_x): strictly convex in the ``free``
ones of the three rates p, m/s, m/s, rad/s. H (3, 3) kg/s, kg m/s, kg m²/s; c (3,) N, N, N m; arms d (N, 2) m; w (N,) N; ε m/s.

Newton's method is applied to the equilibrium and to s_i λ_i = w_i v_i together, s_i = √(|v_i|² + ε²), with multipliers λ kept
in their discs (Chan, Golub, Mulet 1999): unlike Newton's method in p alone it does not overshoot where a point comes
close to a standstill. The matrix is positive semidefinite beside H, so a line search on φ_ε makes it converge from anywhere.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def point_slip(p, dx, dy):  # type: ignore[no-untyped-def]
    """Velocity of the point at (dx, dy), m/s; components that are rounding of a difference are exactly zero."""
    a, b = p[2] * dy, p[2] * dx
    vx, vy = p[0] - a, p[1] + b
    if abs(vx) <= 1e-15 * (abs(p[0]) + abs(a)):
        vx = 0.0
    if abs(vy) <= 1e-15 * (abs(p[1]) + abs(b)):
        vy = 0.0
    return vx, vy


@njit(cache=True)
def point_slips(p, arms):  # type: ignore[no-untyped-def]
    """Velocities (N, 2), m/s, of the points at ``arms`` (N, 2), m."""
    slips = np.empty_like(arms)
    for i in range(arms.shape[0]):
        slips[i, 0], slips[i, 1] = point_slip(p, arms[i, 0], arms[i, 1])
    return slips


@njit(cache=True)
def evaluate(p, h, c, arms, w, free, eps2, dual, gradient, matrix):  # type: ignore[no-untyped-def]
    """φ_ε(p) and the size of its terms; gradient (3,) and the primal-dual matrix (3, 3) in place."""
    value, size = 0.0, 0.0
    for k in range(3):
        force = h[k, 0] * p[0] + h[k, 1] * p[1] + h[k, 2] * p[2]
        gradient[k] = force - c[k]
        value += p[k] * (0.5 * force - c[k])
        size += abs(p[k] * force) + abs(c[k] * p[k])
        for j in range(3):
            matrix[k, j] = h[k, j]
    for i in range(w.shape[0]):
        dx, dy = arms[i, 0], arms[i, 1]
        vx, vy = point_slip(p, dx, dy)
        s = np.sqrt(vx * vx + vy * vy + eps2)
        value += w[i] * s
        size += w[i] * s
        if s == 0.0 or w[i] == 0.0:
            continue
        nx, ny = vx / s, vy / s
        gradient[0] += w[i] * nx
        gradient[1] += w[i] * ny
        gradient[2] += w[i] * (dx * ny - dy * nx)
        lx, ly = dual[i, 0], dual[i, 1]
        kxx, kxy, kyy = (w[i] - lx * nx) / s, -0.5 * (lx * ny + ly * nx) / s, (w[i] - ly * ny) / s
        ax = -dy * kxx + dx * kxy
        ay = -dy * kxy + dx * kyy
        matrix[0, 0] += kxx
        matrix[0, 1] += kxy
        matrix[1, 0] += kxy
        matrix[1, 1] += kyy
        matrix[0, 2] += ax
        matrix[2, 0] += ax
        matrix[1, 2] += ay
        matrix[2, 1] += ay
        matrix[2, 2] += -dy * ax + dx * ay
    for k in range(3):
        if not free[k]:
            gradient[k] = 0.0
            matrix[k, :] = 0.0
            matrix[:, k] = 0.0
            matrix[k, k] = 1.0
    return value, size


@njit(cache=True)
def advance_dual(p, change, arms, w, eps2, dual):  # type: ignore[no-untyped-def]
    """λ ← w v/s + (w − λ vᵀ/s) dv/s in place, dv the slip of ``change`` (3,), put back into the disc ``|λ|`` ≤ w."""
    for i in range(w.shape[0]):
        vx, vy = point_slip(p, arms[i, 0], arms[i, 1])
        s = np.sqrt(vx * vx + vy * vy + eps2)
        if s == 0.0 or w[i] == 0.0:
            continue
        ux, uy = point_slip(change, arms[i, 0], arms[i, 1])
        along = (vx * ux + vy * uy) / s
        lx = (w[i] * (vx + ux) - dual[i, 0] * along) / s
        ly = (w[i] * (vy + uy) - dual[i, 1] * along) / s
        excess = max(1.0, np.sqrt(lx * lx + ly * ly) / w[i])
        dual[i, 0], dual[i, 1] = lx / excess, ly / excess


@njit(cache=True)
def newton(p, h, c, arms, w, free, eps2, tolerance, most, dual):  # type: ignore[no-untyped-def]
    """Damped Newton on φ_ε from p and λ = ``dual`` (N, 2), in place; (converged, iterations). ``tolerance`` (3,) bounds the
    gradient."""
    g, g2 = np.empty(3), np.empty(3)
    matrix, matrix2 = np.empty((3, 3)), np.empty((3, 3))
    value, size = evaluate(p, h, c, arms, w, free, eps2, dual, g, matrix)
    for iteration in range(most):
        if abs(g[0]) <= tolerance[0] and abs(g[1]) <= tolerance[1] and abs(g[2]) <= tolerance[2]:
            return True, iteration
        if not np.isfinite(matrix.sum()):
            return False, iteration
        if eps2 == 0.0:  # at rest: H has drowned in the law's kink
            drowned = True
            for k in range(3):
                drowned = drowned and (not free[k] or matrix[k, k] > 1e14 * h[k, k])
            if drowned:
                return False, iteration
        try:
            direction = -np.linalg.solve(matrix, g)
        except Exception:  # singular to rounding: one point's kink outweighs all the rest
            return False, iteration
        slope = g[0] * direction[0] + g[1] * direction[1] + g[2] * direction[2]
        advance_dual(p, direction, arms, w, eps2, dual)
        step = 1.0
        for _ in range(40):
            trial = p + step * direction
            trial_value, trial_size = evaluate(trial, h, c, arms, w, free, eps2, dual, g2, matrix2)
            # φ_ε is convex: where it still falls along the direction, it has fallen. Otherwise values decide, as far as
            # they can: near the limit surface c·p and Σ w|v| cancel, so their rounding counts, not that of φ_ε.
            descending = g2[0] * direction[0] + g2[1] * direction[1] + g2[2] * direction[2] <= 0.0
            rounding = 4e-16 * (size + trial_size)
            if descending or trial_value <= value + 1e-4 * step * slope + rounding:
                break
            step *= 0.5
        p[:] = trial
        value, size = trial_value, trial_size
        g[:] = g2
        matrix[:] = matrix2
    return False, most
