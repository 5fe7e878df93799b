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
from friction.lanes import LANES, added_up

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
    load, arms = for_loops(load), for_loops(arms)
    weight, reach = float(load.sum()), float(np.abs(arms).max(initial=0.0))
    if weight <= 0.0 or reach == 0.0:
        return np.ones(len(load))
    wanted = np.array([weight, *(moment / reach)])
    unknown = np.array([1.0, 0.0, 0.0])
    carried, tangent, value = _carried(load, arms, reach, unknown)
    missed = np.inf
    for _ in range(_ROUNDS):
        rest = carried - wanted
        before, missed = missed, float(np.abs(rest).max())
        if missed <= SETTLED * weight or 0.5 * before <= missed <= ACCEPTED * weight:  # or rounding is all that is left
            break
        # Where the points that press lie on a line the tangent is singular; what is added then vanishes with the rest.
        singular = np.linalg.det(tangent) <= _SINGULAR * weight**3
        step = np.linalg.solve(tangent + (_DAMPING * missed if singular else 0.0) * np.eye(3), rest)
        start, slope, length = value - float(wanted @ unknown), float(rest @ step), 1.0
        while True:  # the part of Newton's step that lowers ½ Σ p0 max(0, a + b·d)² − wanted·(a, b)
            ahead = unknown - length * step
            carried, tangent, value = _carried(load, arms, reach, ahead)
            lowered = value - float(wanted @ ahead) <= start - 1e-4 * length * slope + 1e-15 * abs(start)
            if lowered or length <= 1e-4:
                break
            length *= 0.5
        unknown = ahead
    if missed <= ACCEPTED * weight:
        share: Array = np.maximum(unknown[0] + arms @ (unknown[1:] / reach), 0.0)
        return share
    raise Tips(
        f"no pressure on the ground bears the moment of friction, {float(np.linalg.norm(moment)) / weight:.4g} m times the weight: "
        "the body tips"
    )


@njit(cache=True, error_model="numpy")
def _carried(load, arms, reach, unknown):  # type: ignore[no-untyped-def]
    """Return Σ p0 max(0, a + b·d) (1, d), its derivative (3, 3) by (a, b), and ½ Σ p0 max(0, a + b·d)², d over ``reach``."""
    carried, tangent, sums = np.empty(3), np.empty((3, 3)), np.zeros(10 * LANES)
    a, b, c = unknown
    for first in range(0, len(load), LANES):
        for k in range(min(LANES, len(load) - first)):
            i = np.uint64(first + k)
            x, y = arms[i, 0] / reach, arms[i, 1] / reach
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
    carried[0], carried[1], carried[2] = sums[F], sums[FX], sums[FY]
    tangent[0, 0], tangent[1, 1], tangent[2, 2] = sums[W], sums[WXX], sums[WYY]
    tangent[0, 1] = tangent[1, 0] = sums[WX]
    tangent[0, 2] = tangent[2, 0] = sums[WY]
    tangent[1, 2] = tangent[2, 1] = sums[WXY]
    return carried, tangent, sums[VALUE]
