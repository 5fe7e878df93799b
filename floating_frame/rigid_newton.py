"""Newton's method on the smoothed friction potential of a rigid body, compiled.

φ_ε(p) = ½ pᵀ H p − cᵀ p + Σ w_i √(|v_i(p)|² + ε²) with v_i = (p_x − p_ω d_y, p_y + p_ω d_x): strictly convex in the three
rates p, m/s, m/s, rad/s. H (3,) diagonal kg/s, kg/s, kg m²/s; c (3,) N, N, N m; arms d (N, 2) m; w (N,) N; ε m/s.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def evaluate(p, h, c, arms, w, eps2, gradient, hessian):  # type: ignore[no-untyped-def]
    """φ_ε(p) and the size of its terms; gradient (3,) and Hessian (3, 3) in place."""
    value, size = 0.0, 0.0
    for k in range(3):
        gradient[k] = h[k] * p[k] - c[k]
        value += 0.5 * h[k] * p[k] * p[k] - c[k] * p[k]
        size += h[k] * p[k] * p[k] + abs(c[k] * p[k])
        for j in range(3):
            hessian[k, j] = 0.0
        hessian[k, k] = h[k]
    for i in range(w.shape[0]):
        dx, dy = arms[i, 0], arms[i, 1]
        vx = p[0] - p[2] * dy
        vy = p[1] + p[2] * dx
        s = np.sqrt(vx * vx + vy * vy + eps2)
        value += w[i] * s
        size += w[i] * s
        if s == 0.0:
            continue
        nx, ny = vx / s, vy / s
        gradient[0] += w[i] * nx
        gradient[1] += w[i] * ny
        gradient[2] += w[i] * (dx * ny - dy * nx)
        k = w[i] / s
        kxx, kxy, kyy = k * (1.0 - nx * nx), -k * nx * ny, k * (1.0 - ny * ny)
        ax = -dy * kxx + dx * kxy
        ay = -dy * kxy + dx * kyy
        hessian[0, 0] += kxx
        hessian[0, 1] += kxy
        hessian[1, 1] += kyy
        hessian[0, 2] += ax
        hessian[1, 2] += ay
        hessian[2, 2] += -dy * ax + dx * ay
    hessian[1, 0] = hessian[0, 1]
    hessian[2, 0] = hessian[0, 2]
    hessian[2, 1] = hessian[1, 2]
    return value, size


@njit(cache=True)
def newton(p, h, c, arms, w, eps2, tolerance, most):  # type: ignore[no-untyped-def]
    """Damped Newton on φ_ε from p, in place; (converged, iterations). ``tolerance`` (3,) bounds the gradient."""
    g, g2 = np.empty(3), np.empty(3)
    matrix, matrix2 = np.empty((3, 3)), np.empty((3, 3))
    value, size = evaluate(p, h, c, arms, w, eps2, g, matrix)
    for iteration in range(most):
        if abs(g[0]) <= tolerance[0] and abs(g[1]) <= tolerance[1] and abs(g[2]) <= tolerance[2]:
            return True, iteration
        if eps2 == 0.0 and not matrix[0, 0] + matrix[1, 1] < 1e14 * (h[0] + h[1]):  # at rest: inertia has drowned
            return False, iteration
        direction = -np.linalg.solve(matrix, g)
        slope = g[0] * direction[0] + g[1] * direction[1] + g[2] * direction[2]
        step = 1.0
        for _ in range(40):
            trial = p + step * direction
            trial_value, trial_size = evaluate(trial, h, c, arms, w, eps2, g2, matrix2)
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
