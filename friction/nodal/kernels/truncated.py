"""Compiled inner loops of the truncated nonsmooth Newton method; NumPy twins in `tests/friction/reference_kernels.py`.

Notation as in `friction.nodal.kernels.newton`.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from friction.arrays import Bools
from friction.nodal.kernels.newton import D_CAP, ONE, length

TWO = np.uint64(2)
RUN = 64
"""Nodes that sweeps look at together."""


def all_awake(nodes: int) -> Bools:
    """Return what the first of some sweeps is told of the runs of nodes."""
    return np.ones(-(-nodes // RUN), np.bool_)


@njit(cache=True, error_model="numpy")
def product(indptr, indices, data, x, y, out):  # type: ignore[no-untyped-def]
    """Write y + A x into out, all (N, 2)."""
    for i in range(len(x)):
        for a in range(2):
            total = 0.0
            for p in range(indptr[2 * i + a], indptr[2 * i + a + 1]):
                total += data[p] * x[indices[p] // 2, indices[p] % 2]
            out[i, a] = y[i, a] + total


@njit(cache=True, error_model="numpy")
def nodal_prox(bxx, bxy, byy, cx, cy, w, speed):  # type: ignore[no-untyped-def]
    """Return the minimiser of 1/2 v'Bv - c'v + ``w|v|``, B symmetric positive definite, to rounding; ``speed``: a guess of ``|v|``.

    v = 0 if ``|c|`` <= w; else v = rho u, u = (rho B + w)^-1 c, with rho the root of ``|u(rho)|`` = 1. ``1/|u|`` is increasing and
    concave: Newton's method goes to below the root in its first step and rises from there, never below ``(|c| - w)/b_max``.
    """
    size = length(cx, cy)
    if size <= w:
        return 0.0, 0.0
    if w == 0.0:
        det = bxx * byy - bxy * bxy
        return (byy * cx - bxy * cy) / det, (bxx * cy - bxy * cx) / det
    least = (size - w) / (0.5 * (bxx + byy) + length(0.5 * (bxx - byy), bxy))
    rho = max(least, speed)
    ux, uy = 0.0, 0.0
    for k in range(60):
        mxx, mxy, myy = rho * bxx + w, rho * bxy, rho * byy + w
        inverse = 1.0 / (mxx * myy - mxy * mxy)
        ux, uy = (myy * cx - mxy * cy) * inverse, (mxx * cy - mxy * cx) * inverse
        norm = length(ux, uy)
        if norm <= 1.0 and k > 0:  # reached from below: the rest is rounding
            break
        sx, sy = bxx * ux + bxy * uy, bxy * ux + byy * uy
        slope = (ux * (myy * sx - mxy * sy) + uy * (mxx * sy - mxy * sx)) * inverse
        before, rho = rho, max(least, rho + (norm - 1.0) * norm * norm / slope)
        if abs(rho - before) <= 1e-16 * rho:
            break
    return rho * ux, rho * uy


@njit(cache=True, error_model="numpy")
def sweep(indptr, indices, data, diagonal, w, tie, fixed, forward, awake, v, g):  # type: ignore[no-untyped-def]
    """One nonlinear block Gauss-Seidel sweep in v (N, 2) on the quadratic model with gradient g (N, 2) at v + sum ``w|v|``.

    Each node in turn is given the exact minimiser over its own velocity, rest up to w + ``tie``, and g what that changes: a node
    that stays at rest costs nothing. forward: order of the nodes. ``awake``: which runs of RUN nodes may have others to visit than
    those at rest; the sweep keeps it. Returns the squared norm of the change and how many did not stay at rest.
    """
    nodes, change, visited = len(w), 0.0, 0
    for c in range(len(awake)):
        run = c if forward else len(awake) - 1 - c
        if not awake[run]:
            continue
        awake[run] = False
        start, count = RUN * run, min(RUN, nodes - RUN * run)
        for k in range(count):
            i = start + k if forward else start + count - 1 - k
            if fixed[i] or (v[i, 0] == 0.0 and v[i, 1] == 0.0 and length(g[i, 0], g[i, 1]) <= w[i] + tie):
                continue
            bxx, byy = data[diagonal[i, 0]], data[diagonal[i, 3]]
            bxy = 0.5 * (data[diagonal[i, 1]] + data[diagonal[i, 2]])
            cx, cy = bxx * v[i, 0] + bxy * v[i, 1] - g[i, 0], bxy * v[i, 0] + byy * v[i, 1] - g[i, 1]
            x, y = 0.0, 0.0
            if length(cx, cy) > w[i] + tie:
                x, y = nodal_prox(bxx, bxy, byy, cx, cy, w[i], length(v[i, 0], v[i, 1]))
            dx, dy = x - v[i, 0], y - v[i, 1]
            v[i, 0], v[i, 1] = x, y
            change += dx * dx + dy * dy
            visited += 1
            first = np.uint64(indptr[2 * i])
            below = np.uint64(indptr[2 * i + 1]) - first
            for k2 in range(first, first + below, TWO):  # by symmetry a column reads as a row
                p = np.uint64(k2)
                j = np.uint32(indices[p]) >> np.uint32(1)
                awake[j // np.uint32(RUN)] = True
                g[j, 0] += data[p] * dx + data[p + below] * dy
                g[j, 1] += data[p + ONE] * dx + data[p + below + ONE] * dy
    return change, visited


@njit(cache=True, error_model="numpy")
def truncate(v, g, w, r, fixed, eliminated, d, rhs):  # type: ignore[no-untyped-def]
    """Newton's correction of the sliding nodes: fixed (N,), d = ``w/|v|`` (1 - n n') (N, 3), rhs = -(g + w n) (N, 2).

    Nodes at rest, and nodes so slow that ``w/|v|`` exceeds D_CAP r, are left out (fixed, rhs 0).
    """
    for i in range(len(w)):
        d[i, 0], d[i, 1], d[i, 2], rhs[i, 0], rhs[i, 1] = 0.0, 0.0, 0.0, 0.0, 0.0
        speed = math.hypot(v[i, 0], v[i, 1])
        eliminated[i] = fixed[i] or (w[i] > 0.0 and w[i] >= D_CAP * r[i] * speed)
        if eliminated[i]:
            continue
        if w[i] > 0.0:
            nx, ny, pull = v[i, 0] / speed, v[i, 1] / speed, w[i] / speed
            d[i, 0], d[i, 1], d[i, 2] = pull * ny * ny, -pull * nx * ny, pull * nx * nx
            rhs[i, 0], rhs[i, 1] = -(g[i, 0] + w[i] * nx), -(g[i, 1] + w[i] * ny)
        else:
            rhs[i, 0], rhs[i, 1] = -g[i, 0], -g[i, 1]


@njit(cache=True, error_model="numpy")
def friction_slope(v, c, w, t):  # type: ignore[no-untyped-def]
    """Return the right derivative, W, of sum ``w|v + t c|`` in t."""
    total = 0.0
    for i in range(len(w)):
        if w[i] > 0.0 and (c[i, 0] != 0.0 or c[i, 1] != 0.0):
            x, y = v[i, 0] + t * c[i, 0], v[i, 1] + t * c[i, 1]
            speed = math.hypot(x, y)
            if speed > 0.0:
                total += w[i] * (x * c[i, 0] + y * c[i, 1]) / speed
            else:
                total += w[i] * math.hypot(c[i, 0], c[i, 1])
    return total


@njit(cache=True, error_model="numpy")
def line_search(v, c, w, slope, curvature):  # type: ignore[no-untyped-def]
    """Return the step t >= 0 that minimises slope t + curvature t^2/2 + sum ``w|v + t c|``.

    slope = g . c and curvature = c . A c > 0, of the smooth part, W. The derivative is monotone, with jumps where a
    node comes to rest: its root is bracketed by regula falsi (Illinois), with a bisection every third time for the jumps.
    """
    if slope + friction_slope(v, c, w, 0.0) >= 0.0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        if slope + curvature * high + friction_slope(v, c, w, high) >= 0.0:
            break
        low, high = high, 2.0 * high
    below = slope + curvature * low + friction_slope(v, c, w, low)
    above = slope + curvature * high + friction_slope(v, c, w, high)
    for k in range(150):
        if high - low <= 1e-14 * high:
            break
        t = low - below * (high - low) / (above - below) if k % 3 < 2 else 0.5 * (low + high)
        if t <= low or t >= high:
            t = 0.5 * (low + high)
        value = slope + curvature * t + friction_slope(v, c, w, t)
        if value >= 0.0:
            high, above, below = t, value, 0.5 * below  # Illinois: the end that stays counts half
        else:
            low, below, above = t, value, 0.5 * above
    return high
