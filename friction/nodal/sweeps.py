"""Compiled sweeps of nonlinear Gauss–Seidel over nodes under given bounds of friction, on the quadratic model of a Newton step.

A Newton step alone spreads slip by one row of elements; sweeps spread it over the whole region and turn its directions."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from friction.nodal.kernels import length

ONE, TWO = np.uint64(1), np.uint64(2)
"""For unsigned indices, which the compiler need not test for being negative."""
BLOCK = 64
"""Nodes per block of the list of nodes to visit."""
COARSE_RATIO, FINE_RATIO, SOLVED_RATIO = 0.01, 1e-3, 1e-6
"""Change over that of the first sweep: below the coarse ratio sweeps may end, below the last one the model counts as solved."""
MAX_VISITS_PER_NODE, MAX_FINE_VISITS_PER_NODE = 10.0, 1.0
"""End beyond this mean number of visits per node to the coarse ratio, and to each finer one: in a small region many are cheap."""


@njit(cache=True, error_model="numpy")
def minimiser(bxx, bxy, byy, cx, cy, w, speed):  # type: ignore[no-untyped-def]
    """Minimiser of ½ u·Bu − c·u + w|u|, B (2, 2) symmetric positive definite, to rounding; ``speed``: a guess of |u|.

    u = 0 if |c| <= w; else u = ρ e, e = (ρ B + w)⁻¹ c, with ρ the root of |e(ρ)| = 1. 1/|e| is increasing and concave: Newton's
    method is below the root after its first step and rises from there, never below (|c| − w)/b_max.
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
        if norm <= 1.0 and k > 0:  # the root is reached from below, to rounding
            break
        sx, sy = bxx * ux + bxy * uy, bxy * ux + byy * uy
        slope = (ux * (myy * sx - mxy * sy) + uy * (mxx * sy - mxy * sx)) * inverse
        before, rho = rho, max(least, rho + (norm - 1.0) * norm * norm / slope)
        if abs(rho - before) <= 1e-16 * rho:
            break
    return rho * ux, rho * uy


@njit(cache=True, error_model="numpy")
def sweep(indptr, indices, data, own, w, tie, fixed, forward, active, u, g):  # type: ignore[no-untyped-def]
    """One nonlinear block Gauss–Seidel sweep in u (N, 2) on the quadratic model with gradient g (N, 2) at u + Σ w|u|, two
    components along the ground.

    Each node in turn gets the exact minimiser over its own velocity, rest up to w + ``tie``, and g is updated: a node that stays at
    rest costs nothing. ``forward``: order of the nodes. ``active``: blocks of BLOCK nodes that may have some to visit; the sweep
    updates it. Returns the squared norm of the change and the number of nodes that did not stay at rest.
    """
    nodes, change, visited = len(w), 0.0, 0
    for c in range(len(active)):
        run = c if forward else len(active) - 1 - c
        if not active[run]:
            continue
        active[run] = False
        start, count = BLOCK * run, min(BLOCK, nodes - BLOCK * run)
        for k in range(count):
            i = np.uint64(start + k if forward else start + count - 1 - k)
            if fixed[i] or (u[i, 0] == 0.0 and u[i, 1] == 0.0 and length(g[i, 0], g[i, 1]) <= w[i] + tie):
                continue
            first = np.uint64(indptr[TWO * i])
            below = np.uint64(indptr[TWO * i + ONE]) - first
            at = first + np.uint64(own[i])
            bxx, byy, bxy = data[at], data[at + below + ONE], 0.5 * (data[at + ONE] + data[at + below])
            cx, cy = bxx * u[i, 0] + bxy * u[i, 1] - g[i, 0], bxy * u[i, 0] + byy * u[i, 1] - g[i, 1]
            x, y = 0.0, 0.0
            if length(cx, cy) > w[i] + tie:
                x, y = minimiser(bxx, bxy, byy, cx, cy, w[i], length(u[i, 0], u[i, 1]))
            dx, dy = x - u[i, 0], y - u[i, 1]
            u[i, 0], u[i, 1] = x, y
            change += dx * dx + dy * dy
            visited += 1
            for p in range(first, first + below, TWO):  # by symmetry a column reads as a row
                j = np.uint64(indices[p]) // TWO
                active[j // np.uint64(BLOCK)] = True
                g[j, 0] += data[p] * dx + data[p + below] * dy
                g[j, 1] += data[p + ONE] * dx + data[p + below + ONE] * dy
    return change, visited


@njit(cache=True, error_model="numpy")
def relax(indptr, indices, data, own, w, tie, fixed, u, g):  # type: ignore[no-untyped-def]
    """Sweep in u and g (N, 2), see ``sweep``; return the change over the first sweep's, infinite where even the coarse ratio
    takes too many visits: there elements are much smaller than the path of an elastic wave in a step."""
    first, sweeps, visits, active = 0.0, 0, 0, np.ones(-(-len(w) // BLOCK), np.bool_)
    while True:
        change, visited = sweep(indptr, indices, data, own, w, tie, fixed, sweeps % 2 == 0, active, u, g)
        sweeps, visits = sweeps + 1, visits + visited
        if not change < np.inf:
            return np.inf
        if first == 0.0:
            first = math.sqrt(change)
        share = math.sqrt(change) / first if first > 0.0 else 0.0
        if share <= SOLVED_RATIO:
            return share
        goal, visits_per_node = COARSE_RATIO, MAX_VISITS_PER_NODE
        if share <= COARSE_RATIO:
            goal, visits_per_node = FINE_RATIO if share > FINE_RATIO else SOLVED_RATIO, MAX_FINE_VISITS_PER_NODE
        if sweeps > 1 and visits * math.log(goal) / math.log(min(share, 0.9)) > visits_per_node * len(w):
            return share if share <= COARSE_RATIO else np.inf
