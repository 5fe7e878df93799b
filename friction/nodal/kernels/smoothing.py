"""Compiled inner loops of the smoothing path; notation and twins as in `friction.nodal.kernels.newton`."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def projected(lam, w):  # type: ignore[no-untyped-def]
    """Return lambda (N, 2) projected on the discs ``|lambda|`` <= w."""
    out = lam.copy()
    for i in range(len(w)):
        size = math.hypot(lam[i, 0], lam[i, 1])
        if size > w[i]:
            out[i, 0] *= w[i] / size
            out[i, 1] *= w[i] / size
    return out


@njit(cache=True, error_model="numpy")
def smoothed_terms(v, lam, g, w, fixed, eps, d, rhs):  # type: ignore[no-untyped-def]
    """Write d = (w - sym(lambda v')/s)/s (N, 3) and rhs = -(g + w v/s) (N, 2), s = ``sqrt(|v|^2 + eps^2)``."""
    for i in range(len(w)):
        s = math.hypot(math.hypot(v[i, 0], v[i, 1]), eps)
        nx = v[i, 0] / s
        ny = v[i, 1] / s
        d[i, 0] = (w[i] - lam[i, 0] * nx) / s
        d[i, 1] = -0.5 * (lam[i, 0] * ny + lam[i, 1] * nx) / s
        d[i, 2] = (w[i] - lam[i, 1] * ny) / s
        rhs[i, 0] = 0.0 if fixed[i] else -(g[i, 0] + w[i] * nx)
        rhs[i, 1] = 0.0 if fixed[i] else -(g[i, 1] + w[i] * ny)


@njit(cache=True, error_model="numpy")
def advance(v, lam, step, w, fixed, r, eps):  # type: ignore[no-untyped-def]
    """Add the step (N, 2) to v and its dual step to lambda, in place, lambda cut back to its disc.

    Returns which nodes ``|lambda + r v|`` <= w would have stick (N,), and the friction power sum ``w|v|``, W.
    """
    sticking = np.zeros(len(w), np.bool_)
    power = 0.0
    for i in range(len(w)):
        if fixed[i]:
            continue
        s = math.hypot(math.hypot(v[i, 0], v[i, 1]), eps)
        turn = (v[i, 0] * step[i, 0] + v[i, 1] * step[i, 1]) / s
        lx = (w[i] * (v[i, 0] + step[i, 0]) - lam[i, 0] * turn) / s
        ly = (w[i] * (v[i, 1] + step[i, 1]) - lam[i, 1] * turn) / s
        size = math.hypot(lx, ly)
        cut = w[i] / size if size > w[i] else 1.0
        lam[i, 0] = cut * lx
        lam[i, 1] = cut * ly
        v[i, 0] += step[i, 0]
        v[i, 1] += step[i, 1]
        power += w[i] * math.hypot(v[i, 0], v[i, 1])
        sticking[i] = math.hypot(lam[i, 0] + r[i] * v[i, 0], lam[i, 1] + r[i] * v[i, 1]) <= w[i]
    return sticking, power
