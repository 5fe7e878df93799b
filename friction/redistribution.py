"""Normal pressure that reacts: where in-plane forces act at a height above the ground, friction shifts the weight.

A body whose forces act h above the ground is pressed by p_n = p0 max(0, a + b·d), d the place from its centre of mass along the
plane: of all pressures that carry its weight N and the moment of the friction force F about the horizontal axes,

    Σ p_i = N,    Σ d_i p_i = −h F,

that of least Σ p_i²/(2 p0_i), as under feet of equal compliance. It is the gradient of a convex function of (a, b), and Newton's
method finds it; there is none where −h F/N lies outside the hull of the points, and the body tips.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.arrays import Array, for_loops
from friction.errors import RigidFrictionError
from friction.lanes import LANES, added_up, cleared
from friction.rigid.newton import THREE, copied, dot3, solve_small

_ROUNDS, _DAMPING, _SINGULAR = 60, 1e-4, 1e-6
SETTLED, ACCEPTED = 1e-14, 1e-12
"""Part of the weight, and of its moment about the farthest point, that may be missed; the second is what rounding may leave."""

(F, FX, FY, VALUE, W, WX, WY, WXX, WXY, WYY) = range(0, 10 * LANES, LANES)
_SUMS = np.int64(10)


class Tips(RigidFrictionError):
    """Say that no pressure bears the moment of friction: the body would tip over an edge."""


def redistribution(load: Array, arms: Array, moment: Array) -> Array:
    """Return by what each point's load is multiplied, (N,): max(0, a + b·d). Raises ``Tips`` where no pressure bears the moment.

    ``load``: normal forces (N,), N, of the body at rest; ``arms`` d (N, 2), m, from the centre of mass; ``moment`` Σ d p (2,), N m,
    to be borne: −h F.
    """
    share = np.empty(len(load))
    if redistributed(for_loops(load), for_loops(arms.T), float(moment[0]), float(moment[1]), share):
        return share
    raise tips(float(np.hypot(*moment)) / float(load.sum()))


def tips(lever: float) -> Tips:
    """Return the failure where no pressure bears a moment over the weight, m."""
    return Tips(
        f"no pressure on the ground bears the moment of friction, {lever:.4g} m times the weight: the body tips"
    )


@njit(cache=True, error_model="numpy")
def redistributed(load, arms, x, y, share):  # type: ignore[no-untyped-def]
    """Write the shares (N,) of ``redistribution`` at ``arms`` (2, N) for a moment (x, y); return whether a pressure bears it."""
    weight, reach, ax, ay = 0.0, 0.0, arms[0], arms[1]
    for i in range(load.shape[0]):
        weight, reach, share[i] = weight + load[i], max(reach, abs(ax[i]), abs(ay[i])), 1.0
    if weight <= 0.0 or reach == 0.0:
        return True
    unknown, ahead, wanted = np.array([1.0, 0.0, 0.0]), np.empty(3), np.array([weight, x / reach, y / reach])
    rest, step, tangent, sums = np.empty(3), np.empty(3), np.empty((3, 3)), np.empty(10 * LANES)
    value, missed, left = _carried(load, arms, reach, unknown, wanted, rest, tangent, sums), np.inf, 0.0
    for _ in range(_ROUNDS):
        before, missed = missed, max(abs(rest[0]), abs(rest[1]), abs(rest[2]))
        if missed <= SETTLED * weight or 0.5 * before <= missed <= ACCEPTED * weight:  # or rounding is all that is left
            break
        # Where the points that press lie on a line the tangent is singular; what is added then vanishes with the rest.
        copied(rest, step)
        if _determinant(tangent) <= _SINGULAR * weight**3:
            for k in range(3):
                tangent[k, k] += _DAMPING * missed
        if not solve_small(tangent, step, THREE):
            break
        slope, length = dot3(rest, step), 1.0
        while True:  # the part of Newton's step that lowers ½ Σ p0 max(0, a + b·d)² − wanted·(a, b)
            for k in range(3):
                ahead[k] = unknown[k] - length * step[k]
            left = _carried(load, arms, reach, ahead, wanted, rest, tangent, sums)
            if left <= value - 1e-4 * length * slope + 1e-15 * abs(value) or length <= 1e-4:
                break
            length *= 0.5
        value = left
        copied(ahead, unknown)
    for i in range(load.shape[0]):
        share[i] = max(unknown[0] + (unknown[1] * ax[i] + unknown[2] * ay[i]) / reach, 0.0)
    return missed <= ACCEPTED * weight


@njit(cache=True, error_model="numpy")
def _determinant(a):  # type: ignore[no-untyped-def]
    """Return that of a symmetric matrix (3, 3)."""
    return (
        a[0, 0] * (a[1, 1] * a[2, 2] - a[1, 2] * a[1, 2])
        - a[0, 1] * (a[0, 1] * a[2, 2] - a[1, 2] * a[0, 2])
        + a[0, 2] * (a[0, 1] * a[1, 2] - a[1, 1] * a[0, 2])
    )


@njit(cache=True, error_model="numpy")
def _carried(load, arms, reach, unknown, wanted, rest, tangent, sums):  # type: ignore[no-untyped-def]
    """Write Σ p0 max(0, a + b·d) (1, d) less what is ``wanted`` and its derivative (3, 3) by (a, b); return ½ Σ p0 max(0, a + b·d)²
    less wanted·(a, b), d over ``reach``."""
    a, b, c, ax, ay = unknown[0], unknown[1], unknown[2], arms[0], arms[1]
    cleared(sums, _SUMS)
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
    added_up(sums, _SUMS, len(load))
    rest[0], rest[1], rest[2] = sums[F] - wanted[0], sums[FX] - wanted[1], sums[FY] - wanted[2]
    tangent[0, 0], tangent[1, 1], tangent[2, 2] = sums[W], sums[WXX], sums[WYY]
    tangent[0, 1] = tangent[1, 0] = sums[WX]
    tangent[0, 2] = tangent[2, 0] = sums[WY]
    tangent[1, 2] = tangent[2, 1] = sums[WXY]
    return sums[VALUE] - dot3(wanted, unknown)
