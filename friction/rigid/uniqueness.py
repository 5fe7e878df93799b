"""Uniqueness of a stage under falling friction, compiled: no other solution is nearer to the slip with which the stage begins.

It has none where H + Σ ℓᵢ Gᵢᵀ Gᵢ is positive definite, ℓᵢ a lower bound of the tangent's eigenvalues on the straight path of point
i (``solve``). First ℓᵢ is the steepest fall at any speed, which needs no path.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.laws.common import CAP, OWN
from friction.laws.kernels import law_at, profile
from friction.laws.protocol import SAMPLES
from friction.laws.stiction import PATH_SAMPLES
from friction.rigid.newton import point_slip


@njit(cache=True, error_model="numpy")
def least_slope(numbers, knots, slowest, fastest):  # type: ignore[no-untyped-def]
    """Smallest value of m' and m/s, s/m, over a range of speeds, m/s, as ``Radial.least_slope``."""
    least, cut, slopes, count = np.inf, np.ones(SAMPLES + 2, np.bool_), np.empty(SAMPLES), knots.shape[0]
    for k in range(count):
        low = min(max(knots[k], slowest), fastest)
        high = min(max(knots[k + 1], slowest), fastest) if k + 1 < count else fastest
        samples = SAMPLES if high > low else 1
        for j in range(samples):
            s = low + j / (SAMPLES - 1) * (high - low)
            m, slopes[j], secant = profile(numbers, s)
            cut[j + 1] = m > numbers[CAP]
            least = min(least, numbers[CAP] / s if cut[j + 1] and s > 0.0 else secant)
        cut[samples + 1] = True
        for j in range(samples):  # next to where the cap is crossed the slope jumps
            least = min(least, 0.0 if cut[j] and cut[j + 1] and cut[j + 2] else slopes[j])
    return least


@njit(cache=True, error_model="numpy")
def least_bristle_tangent(bristly, numbers, ax, ay, bx, by, oldx, oldy, tau):  # type: ignore[no-untyped-def]
    """Smallest eigenvalue of the symmetric tangent of λ/w, s/m, at points of the path of a slip velocity from a to b below v_s."""
    least = np.inf
    for k in range(PATH_SAMPLES):
        t = k / (PATH_SAMPLES - 1)
        _, _, xx, xy, yx, yy = law_at(bristly, numbers, ax + t * (bx - ax), ay + t * (by - ay), oldx, oldy, tau)
        least = min(least, 0.5 * (xx + yy) - 0.5 * np.sqrt((xx - yy) ** 2 + (xy + yx) ** 2))
    return least


@njit(cache=True, error_model="numpy")
def least_tangent(bristly, numbers, knots, ax, ay, bx, by, oldx, oldy, tau):  # type: ignore[no-untyped-def]
    """Lower bound ℓ/w, s/m, on the straight path of a slip velocity from a to b, m/s, and whether friction falls on it."""
    x, y, static = bx - ax, by - ay, numbers[OWN] if bristly else 0.0
    square, start, end = x * x + y * y, np.sqrt(ax * ax + ay * ay), np.sqrt(bx * bx + by * by)
    t, fastest = min(max(-(ax * x + ay * y) / (square if square > 0.0 else 1.0), 0.0), 1.0), max(start, end)
    if bristly and fastest <= static:
        return least_bristle_tangent(bristly, numbers, ax, ay, bx, by, oldx, oldy, tau), False
    slowest = min(np.sqrt((ax + t * x) ** 2 + (ay + t * y) ** 2), fastest)
    least = least_slope(numbers, knots, max(slowest, static), fastest)
    return min(least, 0.0) if bristly else least, least < 0.0


@njit(cache=True, error_model="numpy")
def may_have_several(bristly, numbers, falling, h, arms, w, p, came, last, old, tau):  # type: ignore[no-untyped-def]
    """True where H + Σ ℓᵢ Gᵢᵀ Gᵢ is not positive definite; ``falling``: see ``CompiledLaw``; the rest as ``kernels.rigid_slip``."""
    rates, steepest = (p[0], p[1], p[2]), falling[0]
    for by_path in range(2):
        xx, yy, zz = h[0, 0], h[1, 1], h[2, 2]
        xy, xz, yz = 0.5 * (h[0, 1] + h[1, 0]), 0.5 * (h[0, 2] + h[2, 0]), 0.5 * (h[1, 2] + h[2, 1])
        falls = False
        for i in range(w.shape[0]):
            x, y, least, falls_here = arms[0, i], arms[1, i], -steepest, True
            if by_path == 1:
                begun = came if came[0, i] != 0.0 or came[1, i] != 0.0 else last
                vx, vy = point_slip(rates, x, y)
                least, falls_here = least_tangent(
                    bristly, numbers, falling[1:], begun[0, i], begun[1, i], vx, vy, old[0, i], old[1, i], tau
                )
            least, falls = w[i] * least, falls or (falls_here and w[i] > 0.0)
            xx, yy, zz = xx + least, yy + least, zz + least * (x * x + y * y)
            xz, yz = xz - least * y, yz + least * x
        first, second, mixed = yy - xy * xy / xx, zz - xz * xz / xx, yz - xy * xz / xx  # xx eliminated
        if not falls or (xx > 0.0 and first > 0.0 and second - mixed * mixed / first > 0.0):
            return False
    return True
