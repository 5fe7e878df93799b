"""The hourglass energy of Q1 cells (fem/elements/hourglass.py) in blocks of LANES cells, in the plane and in space.

The energy of a cell's non-uniform strain is a function of the amplitudes g_m (m = 1..M) of its modes and F̄ = 1 + H̄ = R̄Ū,

    U = ½ (ĝ − ĝ₀)·K̂ (ĝ − ĝ₀),    ĝ_m = R̄ᵀ g_m,    g_m = Σ_a γ_ma u_a.

The variation of R̄, δR̄ = R̄ Σ_p ω_p Ê_p, is in fem/kernels/polar.py. With t = K̂ (ĝ − ĝ₀),
μ_p = Σ_m ĝ_mi t_mj − ĝ_mj t_mi, ν = L μ, and the skew matrix N of ν_p at (i, j),

    ∂U/∂g_m = R̄ t_m,    ∂U/∂F̄ = R̄ N.

For the second derivatives let E_p map a vector a to (E_p a)_i = a_j, (E_p a)_j = −a_i, 0 else, for the pair p of i < j. A change
of F̄ rotates R̄ by −ω, ω_p = Σ_o L_po z_o : δF̄, the rows of z_o being E_o of those of R̄, and

    ∂²U = (g: R̄K̂R̄ᵀ) + fᵀω + ωᵀf,    f_p = (g_m: R̄ (K̂ E_pĝ − E_p t)_m,   F̄: R̄ (E_p of each row of N)ᵀ + Σ_o h_po ω_o),

f the derivative of the stresses by −ω at fixed displacements, less half of h ω, h = ½ ∂²U/∂ω², which occurs in both products,

    2 h_po = E_pĝ·K̂ E_oĝ − (the spin matrix of Σ_m ĝ_m t_mᵀ − Ū N)_po.

For small strain, which is not objective, R̄ = 1, and ν, ω and f are 0.
"""

from __future__ import annotations

import functools
from itertools import pairwise
from typing import Any

import numpy as np
from numba import carray, cfunc, njit

from fem.kernels.lanes import BLOCK, LANES, ONE, BlockRows, W
from fem.kernels.law_blocks import ENERGY, STRESS
from fem.kernels.laws import formula
from fem.kernels.polar import polar, spin_matrix


@njit(cache=True, error_model="numpy", forceinline=True)
def multiply(inner, shape, A, a, B, b, C, c, fresh):  # type: ignore[no-untyped-def]
    """Matrix product C_ij = Σ_q A_iq B_qj, C of a ``shape``; added to C unless ``fresh``; q runs along the tuple ``inner``.

    a, b, c: strides in rows from an entry to the next one below and to the next one on its right.
    """
    down, right, a0, a1 = np.uint64(c[0]), np.uint64(c[1]), np.uint64(a[0]), np.uint64(a[1])
    b0, b1 = np.uint64(b[0]), np.uint64(b[1])
    for i in range(np.uint64(shape[0])):
        for j in range(np.uint64(shape[1])):
            at, row, beside = (i * down + j * right) * W, i * a0 * W, j * b1 * W
            if fresh:
                C[at : at + W] = 0.0
            for k in range(W):
                total = C[at + k]
                for q in range(np.uint64(len(inner))):
                    total += A[row + q * a1 * W + k] * B[beside + q * b0 * W + k]
                C[at + k] = total


@formula
def _apply_generator(d, count, i, j, A, C):  # type: ignore[no-untyped-def]
    """E_p A of ``count`` vectors A (count, d) into C, p the pair of i < j."""
    for m in range(np.uint64(count)):
        for k in range(W):
            for q in range(d):
                C[(m * d + q) * W + k] = 0.0
            C[(m * d + i) * W + k] = A[(m * d + j) * W + k]
            C[(m * d + j) * W + k] = -A[(m * d + i) * W + k]


@njit(cache=True, error_model="numpy")
def _spin_stress(dims, L, Q, mu, N):  # type: ignore[no-untyped-def]
    """Skew matrix N (d, d) of Q = Σ_m ĝ_m t_mᵀ."""
    d, r = np.uint64(len(dims)), np.uint64(len(dims) * (len(dims) - 1) // 2)
    for j in range(d):
        for i in range(j):
            for k in range(W):
                mu[(i + j - ONE) * W + k] = Q[(i * d + j) * W + k] - Q[(j * d + i) * W + k]
    N[: d * d * W] = 0.0
    for j in range(d):
        for i in range(j):
            for k in range(W):
                total = 0.0
                for p in range(r):
                    total += L[(r * (i + j - ONE) + p) * W + k] * mu[p * W + k]
                N[(i * d + j) * W + k] = total
                N[(j * d + i) * W + k] = -total


@njit(cache=True, error_model="numpy")
def _rotated_stiffness(dims, modes, table, R, half, D):  # type: ignore[no-untyped-def]
    """Rotated stiffness R̄ K̂ R̄ᵀ into D (M d + d d, M d + d d), mode by mode."""
    d, n, size = len(dims), len(dims) * len(modes), len(dims) * len(modes) + len(dims) ** 2
    multiply(dims, (n * len(modes), d), table, (d, 1), R, (1, d), half, (d, 1), True)
    for m in range(len(modes)):
        at, to = half[m * d * n * LANES :], D[m * d * size * LANES :]
        multiply(dims, (d, n), R, (d, 1), at, (n, 1), to, (size, 1), True)


@njit(cache=True, error_model="numpy")
def _rotation_derivatives(tuples, table, given, free, w, f):  # type: ignore[no-untyped-def]
    """Derivatives ω (r, d d) and f (r, M d + d d) of the rotation; ``tuples``: of lengths d, M, r, M d."""
    (dims, modes, spins, amplitudes), (R, U, L, rotated, t, N, Q), (C, E, KE, h) = tuples, given, free
    d, M, q, n = len(dims), len(modes), len(dims) ** 2, len(dims) * len(modes)
    r, axes = d * (d - 1) // 2, np.uint64(len(dims))
    for j in range(axes):
        for i in range(j):
            p = i + j - ONE
            _apply_generator(axes, M, i, j, rotated, E[p * n * W :])
            _apply_generator(axes, d, i, j, R, f[p * q * W :])
    multiply(spins, (r, q), L, (r, 1), f, (q, 1), w, (q, 1), True)
    multiply(amplitudes, (r, n), E, (n, 1), table, (n, 1), KE, (n, 1), True)
    multiply(dims, (d, d), U, (d, 1), N, (1, d), Q, (d, 1), False)
    if d == 2:
        h[:W] = Q[:W] + Q[3 * LANES :][:W]
    else:
        spin_matrix(Q, h)
    for i in range(r * r * LANES):
        h[i] = -h[i]
    multiply(amplitudes, (r, r), E, (n, 1), KE, (1, n), h, (r, 1), False)
    for i in range(r * r * LANES):
        h[i] *= 0.5
    for j in range(axes):
        for i in range(j):
            p = i + j - ONE
            on_modes, on_mean = f[p * (n + q) * W :], f[(p * (n + q) + n) * W :]
            _apply_generator(axes, M, i, j, t, C)
            for k in range(n * LANES):
                C[k] = KE[p * n * W + np.uint64(k)] - C[k]
            multiply(dims, (M, d), C, (d, 1), R, (1, d), on_modes, (d, 1), True)
            _apply_generator(axes, d, i, j, N, C)
            multiply(dims, (d, d), R, (d, 1), C, (1, d), on_mean, (d, 1), True)
            multiply(spins, (1, q), h[p * r * W :], (r, 1), w, (q, 1), on_mean, (q, 1), False)


@njit(cache=True, error_model="numpy")
def _add_rotation_terms(dims, modes, w, f, D):  # type: ignore[no-untyped-def]
    """Add fᵀω + ωᵀf to D (M d + d d, M d + d d); the block of the modes alone has no such term."""
    n, q = np.uint64(len(dims) * len(modes)), np.uint64(len(dims) ** 2)
    size, r = n + q, np.uint64(len(dims) * (len(dims) - 1) // 2)
    for a in range(size):
        for b in range(q):
            for k in range(W):
                total = D[(a * size + n + b) * W + k]
                for p in range(r):
                    total += f[(p * size + a) * W + k] * w[(p * q + b) * W + k]
                    if a >= n:
                        total += w[(p * q + a - n) * W + k] * f[(p * size + n + b) * W + k]
                D[(a * size + n + b) * W + k] = total
                if a < n:
                    D[((n + b) * size + a) * W + k] = total


def workspace(d: int, modes: int) -> tuple[tuple[int, int], ...]:
    """Bounds of each scratch field of ``block`` in the workspace of a block of cells."""
    n, r, q = d * modes, d * (d - 1) // 2, d * d
    sizes = q, q, r * r, q + 1, n, n, n, q, r, q, n + q, r * n, r * n, r * r, r * q, r * (n + q), n * n
    ends = np.cumsum((0, *sizes)) * LANES
    return tuple((int(a), int(b)) for a, b in pairwise(ends))


@functools.cache
def block(kind: int, d: int, modes: int, objective: bool) -> Any:
    """Compiled block function of the hourglass energy, its stresses or their derivatives; loops call it by its ``address``.

    Its arguments are the cells' table, their gradients, and the rows of the block. ``objective``: ĝ = R̄ᵀg, else ĝ = g.
    """
    dims, axes, n = (0,) * d, (0,) * modes, d * modes
    amplitudes, spins = (0,) * n, (0,) * (d * (d - 1) // 2)
    offsets, fields = BlockRows.of(d, modes), workspace(d, modes)
    gradient, result, last = (LANES * row for row in (offsets.gradient, offsets.result, offsets.workspace))
    ((r0, r1), (u0, u1), (l0, l1), (p0, p1), (g0, g1), (b0, b1), (t0, t1), (q0, q1), (m0, m1), (n0, n1)) = fields[:10]
    ((c0, c1), (e0, e1), (k0, k1), (h0, h1), (w0, w1), (f0, f1), (i0, i1)) = fields[10:]

    def hourglass(tables, _, rows):  # type: ignore[no-untyped-def]
        x, table = carray(rows, (last + fields[-1][1],)), carray(tables, (n * (n + 1) * LANES,))
        y, v = x[result:], x[last:]
        R, U, L, rotated, bend, t = v[r0:r1], v[u0:u1], v[l0:l1], v[g0:g1], v[b0:b1], v[t0:t1]
        Q, N = v[q0:q1], v[n0:n1]
        polar(dims, objective, x[gradient:], R, U, L, v[p0:p1])
        multiply(dims, (modes, d), x, (d, 1), R, (d, 1), rotated, (d, 1), True)
        for k in range(n * LANES):
            bend[k] = rotated[k] - table[n * n * LANES + k]
        multiply(amplitudes, (n, 1), table, (n, 1), bend, (1, 1), t, (1, 1), True)
        if kind == ENERGY:
            multiply(amplitudes, (1, 1), bend, (1, 1), t, (1, 1), y, (1, 1), True)
            for k in range(LANES):
                y[k] *= 0.5
            return 0.0
        if objective:
            multiply(axes, (d, d), rotated, (1, d), t, (d, 1), Q, (d, 1), True)
            _spin_stress(dims, L, Q, v[m0:m1], N)
        if kind == STRESS:
            multiply(dims, (modes, d), t, (d, 1), R, (1, d), y, (d, 1), True)
            if objective:
                multiply(dims, (d, d), R, (d, 1), N, (d, 1), y[n * LANES :], (d, 1), False)
            return 0.0
        _rotated_stiffness(dims, axes, table, R, v[i0:i1], y)
        if objective:
            w, f = v[w0:w1], v[f0:f1]
            given, free = (R, U, L, rotated, t, N, Q), (v[c0:c1], v[e0:e1], v[k0:k1], v[h0:h1])
            _rotation_derivatives((dims, axes, spins, amplitudes), table, given, free, w, f)
            _add_rotation_terms(dims, axes, w, f, y)
        return 0.0

    return cfunc(BLOCK, error_model="numpy", cache=True)(hourglass)
