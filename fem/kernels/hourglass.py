"""The hourglass energy of Q1 cells, LANES abreast, in the plane and in space: fem/elements/hourglass.py.

A cell's energy beyond that of its mean strain is a function of the amplitudes g_m (m = 1..M) of its modes and F̄ = 1 + H̄ = R̄Ū,

    U = ½ (ĝ − ĝ₀)·K̂ (ĝ − ĝ₀),    ĝ_m = R̄ᵀ g_m,    g_m = Σ_a γ_ma u_a.

How R̄ turns is in fem/kernels/polar.py. With its L, S and Ê_p, t = K̂ (ĝ − ĝ₀), μ_p = Σ_m ĝ_mi t_mj − ĝ_mj t_mi and ν = L μ,

    ∂U/∂g_m = R̄ t_m,    ∂U/∂F̄ = Σ_p ν_p R̄ Ê_p.

For the second derivatives a node's displacement turns R̄ by ω_a (r, d) = L z_a, z_a the part of S − Sᵀ that it makes, and

    K_ab = γ_a·R̄K̂R̄ᵀ·γ_b + f_aᵀ ω_b + ω_aᵀ f_b,

f_a the change of the forces on node a with R̄ at fixed displacements, less half of ∂²U/∂ω² ω_a, which the two products have twice.
Where the material is not invariant to rotations nothing turns: R̄ = 1, and ν, ω and f are 0.
"""

from __future__ import annotations

import functools
from itertools import pairwise
from typing import Any

import numpy as np
from numba import carray, cfunc, njit

from fem.kernels.abreast import BLOCK, LANES, ONE, TWO, Rows, W
from fem.kernels.law_blocks import ENERGY, STRESS
from fem.kernels.polar import polar, spin_matrix

ZERO = np.uint64(0)


@njit(cache=True, error_model="numpy")
def _tensions(dims, modes, g, table, R, seen, t):  # type: ignore[no-untyped-def]
    """Write ĝ and t (M, d); ``table``: K̂, ĝ₀."""
    d, M = np.uint64(len(dims)), np.uint64(len(modes))
    n = d * M
    for m in range(M):
        for i in range(d):
            for k in range(W):
                total = 0.0
                for q in range(d):
                    total += R[(d * q + i) * W + k] * g[(m * d + q) * W + k]
                seen[(m * d + i) * W + k] = total
    for i in range(n):
        for k in range(W):
            total = 0.0
            for j in range(n):
                total += table[(i * n + j) * W + k] * (seen[j * W + k] - table[(n * n + j) * W + k])
            t[i * W + k] = total


@njit(cache=True, error_model="numpy")
def _energies(n, table, seen, t, out):  # type: ignore[no-untyped-def]
    """Write ½ (ĝ − ĝ₀)·t."""
    for k in range(W):
        total = 0.0
        for i in range(n):
            total += 0.5 * t[i * W + k] * (seen[i * W + k] - table[(n * n + i) * W + k])
        out[k] = total


@njit(cache=True, error_model="numpy")
def _couples(dims, modes, L, seen, t, mu, nu):  # type: ignore[no-untyped-def]
    """Write μ and ν (r,)."""
    d, M = np.uint64(len(dims)), np.uint64(len(modes))
    r = d * (d - ONE) // TWO
    for j in range(d):
        for i in range(j):
            for k in range(W):
                total = 0.0
                for m in range(M):
                    total += seen[(m * d + i) * W + k] * t[(m * d + j) * W + k]
                    total -= seen[(m * d + j) * W + k] * t[(m * d + i) * W + k]
                mu[(i + j - ONE) * W + k] = total
    for p in range(r):
        for k in range(W):
            total = 0.0
            for q in range(r):
                total += L[(r * p + q) * W + k] * mu[q * W + k]
            nu[p * W + k] = total


@njit(cache=True, error_model="numpy")
def _add_stress(dims, modes, R, nu, t, y):  # type: ignore[no-untyped-def]
    """Write ∂U/∂g (M, d) and add ∂U/∂F̄ (d, d) behind it."""
    d, M = np.uint64(len(dims)), np.uint64(len(modes))
    for m in range(M):
        for i in range(d):
            for k in range(W):
                total = 0.0
                for q in range(d):
                    total += R[(d * i + q) * W + k] * t[(m * d + q) * W + k]
                y[(m * d + i) * W + k] = total
    for j in range(d):
        for i in range(j):
            for q in range(d):
                for k in range(W):
                    y[(d * M + d * q + j) * W + k] += nu[(i + j - ONE) * W + k] * R[(d * q + i) * W + k]
                    y[(d * M + d * q + i) * W + k] -= nu[(i + j - ONE) * W + k] * R[(d * q + j) * W + k]


@njit(cache=True, error_model="numpy")
def _changes(dims, modes, table, R, seen, x, y, s):  # type: ignore[no-untyped-def]
    """Write ∂ĝ/∂ω_p, x; K̂ of that, y; and R̄ of that, s (r, M, d each)."""
    d, M = np.uint64(len(dims)), np.uint64(len(modes))
    n, r = d * M, d * (d - ONE) // TWO
    x[:] = 0.0
    for j in range(d):
        for i in range(j):
            for m in range(M):
                for k in range(W):
                    x[((i + j - ONE) * n + m * d + i) * W + k] = seen[(m * d + j) * W + k]
                    x[((i + j - ONE) * n + m * d + j) * W + k] = -seen[(m * d + i) * W + k]
    for p in range(r):
        for i in range(n):
            for k in range(W):
                total = 0.0
                for q in range(n):
                    total += table[(i * n + q) * W + k] * x[(p * n + q) * W + k]
                y[(p * n + i) * W + k] = total
    for o in range(r * M):
        for i in range(d):
            for k in range(W):
                total = 0.0
                for q in range(d):
                    total += R[(d * i + q) * W + k] * y[(o * d + q) * W + k]
                s[(o * d + i) * W + k] = total


@njit(cache=True, error_model="numpy")
def _halves(dims, modes, U, nu, seen, t, x, y, Q, h):  # type: ignore[no-untyped-def]
    """Write h (r, r), half of ∂²U/∂ω²: ½ (x·y − the spin matrix of Q), Q = Σ_m ĝ_m t_mᵀ − Ū Σ_p ν_p Ê_p."""
    d, M = np.uint64(len(dims)), np.uint64(len(modes))
    n, r = d * M, d * (d - ONE) // TWO
    for i in range(d):
        for j in range(d):
            for k in range(W):
                total = 0.0
                for m in range(M):
                    total += seen[(m * d + i) * W + k] * t[(m * d + j) * W + k]
                Q[(d * i + j) * W + k] = total
    for j in range(d):
        for i in range(j):
            for q in range(d):
                for k in range(W):
                    Q[(d * q + j) * W + k] -= nu[(i + j - ONE) * W + k] * U[(d * q + i) * W + k]
                    Q[(d * q + i) * W + k] += nu[(i + j - ONE) * W + k] * U[(d * q + j) * W + k]
    if d == TWO:
        for k in range(W):
            h[k] = Q[k] + Q[TWO * W + W + k]
    else:
        spin_matrix(Q, h)
    for p in range(r):
        for q in range(r):
            for k in range(W):
                total = -h[(r * p + q) * W + k]
                for i in range(n):
                    total += x[(p * n + i) * W + k] * y[(q * n + i) * W + k]
                h[(r * p + q) * W + k] = 0.5 * total


@njit(cache=True, error_model="numpy")
def _turns_of_nodes(dims, modes, corners, B, R, L, z, w):  # type: ignore[no-untyped-def]
    """Write ω_a (n, r, d)."""
    d, e, r = np.uint64(len(dims)), np.uint64(len(dims) + len(modes)), np.uint64(len(dims) * (len(dims) - 1) // 2)
    for a in range(np.uint64(len(corners))):
        for j in range(d):
            for i in range(j):
                for q in range(d):
                    for k in range(W):
                        ahead = R[(d * q + i) * W + k] * B[(a * e + j) * W + k]
                        z[((i + j - ONE) * d + q) * W + k] = ahead - R[(d * q + j) * W + k] * B[(a * e + i) * W + k]
        for p in range(r):
            for i in range(d):
                for k in range(W):
                    total = 0.0
                    for q in range(r):
                        total += L[(r * p + q) * W + k] * z[(q * d + i) * W + k]
                    w[((a * r + p) * d + i) * W + k] = total


@njit(cache=True, error_model="numpy")
def _nodal(dims, modes, corners, B, R, nu, t, h, s, w, T, f):  # type: ignore[no-untyped-def]
    """Write f_a (n, r, d)."""
    d, M, e = np.uint64(len(dims)), np.uint64(len(modes)), np.uint64(len(dims) + len(modes))
    n, r = d * M, d * (d - ONE) // TWO
    for a in range(np.uint64(len(corners))):
        for i in range(d):
            for k in range(W):
                total = 0.0
                for m in range(M):
                    total += B[(a * e + d + m) * W + k] * t[(m * d + i) * W + k]
                T[i * W + k] = total
        for j in range(d):
            for i in range(j):
                for k in range(W):
                    T[i * W + k] += nu[(i + j - ONE) * W + k] * B[(a * e + j) * W + k]
                    T[j * W + k] -= nu[(i + j - ONE) * W + k] * B[(a * e + i) * W + k]
        for j in range(d):
            for i in range(j):
                p = i + j - ONE
                for q in range(d):
                    for k in range(W):
                        total = R[(d * q + i) * W + k] * T[j * W + k] - R[(d * q + j) * W + k] * T[i * W + k]
                        for m in range(M):
                            total -= B[(a * e + d + m) * W + k] * s[(p * n + m * d + q) * W + k]
                        for o in range(r):
                            total += h[(r * p + o) * W + k] * w[((a * r + o) * d + q) * W + k]
                        f[((a * r + p) * d + q) * W + k] = total


@njit(cache=True, error_model="numpy")
def _turned_stiffness(dims, modes, table, R, half, D):  # type: ignore[no-untyped-def]
    """Write D = R̄ K̂ R̄ᵀ (M d, M d), mode by mode."""
    d, M = np.uint64(len(dims)), np.uint64(len(modes))
    n = d * M
    for i in range(n * M):
        for j in range(d):
            for k in range(W):
                total = 0.0
                for q in range(d):
                    total += table[(i * d + q) * W + k] * R[(d * j + q) * W + k]
                half[(i * d + j) * W + k] = total
    for m in range(M):
        for i in range(d):
            for j in range(n):
                for k in range(W):
                    total = 0.0
                    for q in range(d):
                        total += R[(d * i + q) * W + k] * half[((m * d + q) * n + j) * W + k]
                    D[((m * d + i) * n + j) * W + k] = total


@njit(cache=True, error_model="numpy")
def _add_pairs(dims, modes, corners, B, D, f, w, T, K):  # type: ignore[no-untyped-def]
    """Add γ_a·D·γ_b + f_aᵀ ω_b + ω_aᵀ f_b to the blocks K_ab, a <= b."""
    d, M, e = np.uint64(len(dims)), np.uint64(len(modes)), np.uint64(len(dims) + len(modes))
    n, r, pair = d * M, d * (d - ONE) // TWO, ZERO
    for b in range(np.uint64(len(corners))):
        for i in range(n):
            for j in range(d):
                for k in range(W):
                    total = 0.0
                    for m in range(M):
                        total += D[(i * n + m * d + j) * W + k] * B[(b * e + d + m) * W + k]
                    T[(i * d + j) * W + k] = total
        for a in range(b + ONE):
            for i in range(d):
                for j in range(d):
                    for k in range(W):
                        total, other = K[pair * W + k], 0.0
                        for m in range(M):
                            other += B[(a * e + d + m) * W + k] * T[((m * d + i) * d + j) * W + k]
                        for p in range(r):
                            total += f[((a * r + p) * d + i) * W + k] * w[((b * r + p) * d + j) * W + k]
                            other += w[((a * r + p) * d + i) * W + k] * f[((b * r + p) * d + j) * W + k]
                        K[pair * W + k] = total + other
                    pair += ONE


def room(d: int, modes: int, nodes: int) -> tuple[tuple[int, int], ...]:
    """Return the first and last number of each field that ``block`` needs in the room of a block."""
    n, r, q = d * modes, d * (d - 1) // 2, d * d
    turned = r * n, r * n, r * n, q, r * r, r * d, nodes * r * d, nodes * r * d
    sizes = q, q, r * r, q + 1, n, n, r, r, *turned, n * n, n * n
    ends = np.cumsum((0, *sizes)) * LANES
    return tuple((int(a), int(b)) for a, b in pairwise(ends))


@functools.cache
def block(kind: int, d: int, modes: int, nodes: int, turns: bool) -> Any:
    """Return the compiled block of the hourglass energy, its stresses or its part of K, whose ``address`` element loops take.

    It is given (the cells' table, their gradients, the rows of the block); ``turns``: ĝ = R̄ᵀg, and else ĝ = g.
    """
    dims, axes, corners, n, columns = (0,) * d, (0,) * modes, (0,) * nodes, d * modes, nodes * (d + modes) * LANES
    places, fields = Rows.of(d, modes, nodes), room(d, modes, nodes)
    first, stress, pairs, free = (LANES * row for row in (places.gradient, places.stress, places.pairs, places.room))
    ((r0, r1), (u0, u1), (l0, l1), (c0, c1), (g0, g1), (t0, t1), (m0, m1), (n0, n1)) = fields[:8]
    ((x0, x1), (y0, y1), (s0, s1), (q0, q1), (h0, h1), (z0, z1), (f0, f1), (w0, w1), (i0, i1), (d0, d1)) = fields[8:]
    size = free + fields[-1][1]

    def hourglass(tables, gradients, rows):  # type: ignore[no-untyped-def]
        v, table, B = carray(rows, (size,)), carray(tables, (n * (n + 1) * LANES,)), carray(gradients, (columns,))
        H, K, v = v[first:], v[pairs:free], v[free:]
        g = carray(rows, (size,))
        R, U, L, seen, t, mu, nu = v[r0:r1], v[u0:u1], v[l0:l1], v[g0:g1], v[t0:t1], v[m0:m1], v[n0:n1]
        polar(dims, turns, H, R, U, L, v[c0:c1])
        _tensions(dims, axes, g, table, R, seen, t)
        if kind == ENERGY:
            _energies(np.uint64(n), table, seen, t, g[stress:])
            return 0.0
        if turns:
            _couples(dims, axes, L, seen, t, mu, nu)
        else:
            nu[:] = 0.0
        if kind == STRESS:
            _add_stress(dims, axes, R, nu, t, g[stress:])
        else:
            w, f, half, D = v[w0:w1], v[f0:f1], v[i0:i1], v[d0:d1]
            if turns:
                x, y, s, h = v[x0:x1], v[y0:y1], v[s0:s1], v[h0:h1]
                _changes(dims, axes, table, R, seen, x, y, s)
                _halves(dims, axes, U, nu, seen, t, x, y, v[q0:q1], h)
                _turns_of_nodes(dims, axes, corners, B, R, L, v[z0:z1], w)
                _nodal(dims, axes, corners, B, R, nu, t, h, s, w, v[z0:z1], f)
            else:
                w[:], f[:] = 0.0, 0.0
            _turned_stiffness(dims, axes, table, R, half, D)
            _add_pairs(dims, axes, corners, B, D, f, w, half, K)
        return 0.0

    return cfunc(BLOCK, error_model="numpy", cache=True)(hourglass)
