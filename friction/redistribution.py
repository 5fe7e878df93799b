"""Redistribution of the normal pressure by friction, where in-plane forces act at a height above the ground.

Forces at a height h above the ground press a body by p_n = p0 max(0, a + b·d), d the place from its centre of mass along the plane.
Of all pressures that balance its weight N and the moment of the friction force F about the horizontal axes,

    Σ p_i = N,    Σ d_i p_i = −h F,

this one has the least Σ p_i²/(2 p0_i), as under feet of equal compliance. It is the gradient of a convex function of (a, b), and
Newton's method finds it; there is none where −h F/N lies outside the hull of the points, and the body tips.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.arrays import Array, contiguous
from friction.errors import RigidFrictionError
from friction.lanes import LANES, clear_lanes, sum_lanes
from friction.rigid.newton import THREE, copy, dot3, solve_small

_ROUNDS, _DAMPING, _SINGULAR = 60, 1e-4, 1e-6
TARGET_RESIDUAL, ACCEPTED_RESIDUAL = 1e-14, 1e-12
"""Residual over the weight (over its moment about the farthest point): the target, and the limit at the rounding level."""

(F, FX, FY, VALUE, W, WX, WY, WXX, WXY, WYY) = range(0, 10 * LANES, LANES)
_SUMS = np.int64(10)


class Tips(RigidFrictionError):
    """No pressure balances the moment of friction: the body would tip over an edge."""


def redistribution(load: Array, arms: Array, moment: Array) -> Array:
    """Factors (N,) of the points' loads, max(0, a + b·d). Raises ``Tips`` where no pressure balances the moment.

    ``load``: normal forces (N,), N, of the body at rest; ``arms`` d (N, 2), m, from the centre of mass; ``moment`` Σ d p (2,), N m,
    to be balanced: −h F.
    """
    share = np.empty(len(load))
    if solve_shares(contiguous(load), contiguous(arms.T), float(moment[0]), float(moment[1]), share):
        return share
    raise tipping_error(float(np.hypot(*moment)) / float(load.sum()))


def tipping_error(lever: float) -> Tips:
    """Error for a moment over the weight, m, that no pressure balances."""
    return Tips(
        f"no pressure on the ground bears the moment of friction, {lever:.4g} m times the weight: the body tips"
    )


@njit(cache=True, error_model="numpy")
def solve_shares(load, arms, x, y, share):  # type: ignore[no-untyped-def]
    """Write the factors (N,) of ``redistribution`` at ``arms`` (2, N) for a moment (x, y); True where a pressure balances it."""
    weight, reach, ax, ay = 0.0, 0.0, arms[0], arms[1]
    for i in range(load.shape[0]):
        weight, reach, share[i] = weight + load[i], max(reach, abs(ax[i]), abs(ay[i])), 1.0
    if weight <= 0.0 or reach == 0.0:
        return True
    unknown, trial, target = np.array([1.0, 0.0, 0.0]), np.empty(3), np.array([weight, x / reach, y / reach])
    residual, step, tangent, sums = np.empty(3), np.empty(3), np.empty((3, 3)), np.empty(10 * LANES)
    value, error, new = _force_and_moments(load, arms, reach, unknown, target, residual, tangent, sums), np.inf, 0.0
    for _ in range(_ROUNDS):
        previous, error = error, max(abs(residual[0]), abs(residual[1]), abs(residual[2]))
        if error <= TARGET_RESIDUAL * weight or 0.5 * previous <= error <= ACCEPTED_RESIDUAL * weight:  # rounding level
            break
        # Where the loaded points lie on a line the tangent is singular; the shift vanishes with the residual.
        copy(residual, step)
        if _determinant(tangent) <= _SINGULAR * weight**3:
            for k in range(3):
                tangent[k, k] += _DAMPING * error
        if not solve_small(tangent, step, THREE):
            break
        slope, length = dot3(residual, step), 1.0
        while True:  # line search on ½ Σ p0 max(0, a + b·d)² − target·(a, b)
            for k in range(3):
                trial[k] = unknown[k] - length * step[k]
            new = _force_and_moments(load, arms, reach, trial, target, residual, tangent, sums)
            if new <= value - 1e-4 * length * slope + 1e-15 * abs(value) or length <= 1e-4:
                break
            length *= 0.5
        value = new
        copy(trial, unknown)
    for i in range(load.shape[0]):
        share[i] = max(unknown[0] + (unknown[1] * ax[i] + unknown[2] * ay[i]) / reach, 0.0)
    return error <= ACCEPTED_RESIDUAL * weight


@njit(cache=True, error_model="numpy")
def _determinant(a):  # type: ignore[no-untyped-def]
    """Determinant of a symmetric matrix (3, 3)."""
    return (
        a[0, 0] * (a[1, 1] * a[2, 2] - a[1, 2] * a[1, 2])
        - a[0, 1] * (a[0, 1] * a[2, 2] - a[1, 2] * a[0, 2])
        + a[0, 2] * (a[0, 1] * a[1, 2] - a[1, 1] * a[0, 2])
    )


@njit(cache=True, error_model="numpy")
def _force_and_moments(load, arms, reach, unknown, target, residual, tangent, sums):  # type: ignore[no-untyped-def]
    """Write the residual Σ p0 max(0, a + b·d) (1, d) − ``target`` and its derivative (3, 3) in (a, b); return the convex function
    ½ Σ p0 max(0, a + b·d)² − target·(a, b), d over ``reach``."""
    a, b, c, ax, ay = unknown[0], unknown[1], unknown[2], arms[0], arms[1]
    clear_lanes(sums, _SUMS)
    for first in range(0, len(load), LANES):
        for k in range(min(LANES, len(load) - first)):
            i = np.uint64(first + k)
            x, y = ax[i] / reach, ay[i] / reach
            share = max(a + b * x + c * y, 0.0)
            w = load[i] if share > 0.0 else 0.0
            f = w * share
            sums[k + F] += f
            sums[k + FX] += f * x
            sums[k + FY] += f * y
            sums[k + VALUE] += 0.5 * f * share
            sums[k + W] += w
            sums[k + WX] += w * x
            sums[k + WY] += w * y
            sums[k + WXX] += w * x * x
            sums[k + WXY] += w * x * y
            sums[k + WYY] += w * y * y
    sum_lanes(sums, _SUMS, len(load))
    residual[0], residual[1], residual[2] = sums[F] - target[0], sums[FX] - target[1], sums[FY] - target[2]
    tangent[0, 0], tangent[1, 1], tangent[2, 2] = sums[W], sums[WXX], sums[WYY]
    tangent[0, 1] = tangent[1, 0] = sums[WX]
    tangent[0, 2] = tangent[2, 0] = sums[WY]
    tangent[1, 2] = tangent[2, 1] = sums[WXY]
    return sums[VALUE] - dot3(target, unknown)
