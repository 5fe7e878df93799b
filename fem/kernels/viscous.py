"""Loop over cells for the viscous force of Kelvin and Voigt in space, per unit of the retardation time (fem/bodies.py).

Arguments as in fem/kernels/elements.py, with ``v`` (N, 3) m/s, the ``moduli`` C (9, 9) Pa of the material at rest, and two more
tuples that are known to the compiler: ``modes`` of length M and ``amplitudes`` of length M d.

    P = F C : sym(FᵀḞ),    y_m = R̄ K̂ R̄ᵀ (ġ − W̄ g)_m,    W̄ = skew(Ḟ F̄⁻¹),    y_F̄ = V P − ½ (Q − Qᵀ) F̄⁻ᵀ,    Q = Σ_m y_m g_mᵀ
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fem.kernels.elements import add_forces, gather, scatter_forces, strains
from fem.kernels.hourglass import multiply
from fem.kernels.lanes import ONE, TWO, W
from fem.kernels.polar import polar


@njit(cache=True, error_model="numpy")
def viscous_force(  # type: ignore[no-untyped-def]
    u, v, dims, columns, corners, modes, amplitudes, moduli, nodes, gradients, volumes, tables, out
):  # fmt: skip
    """Viscous force into out (N, 3), N/s; its power with v is minus the dissipation."""
    d, e, n, C = np.uint64(len(dims)), np.uint64(len(columns)), np.uint64(len(corners)), np.uint64(nodes.shape[0])
    blocks, mean, table = (C + W - ONE) // W, d * (e - d) * W, d * (e - d) * (d * (e - d) + ONE) * W
    points = np.uint64(len(volumes)) // (blocks * W)
    U, rates, forces = np.zeros(n * d * W), np.zeros(n * d * W), np.empty(n * d * W)
    x, dx, y, work = (
        np.empty(mean + d * d * W),
        np.empty(mean + d * d * W),
        np.empty(mean + d * d * W),
        np.empty(TWO * mean),
    )
    free = (
        np.empty(TWO * d * d * W), np.empty(TWO * d * d * W), np.empty(TWO * d * d * W), np.empty(TWO * d * d * W),
        np.empty(TWO * d * d * W), np.empty(TWO * d * d * W), np.empty(TWO * d * d * W),
    )  # fmt: skip
    out[:] = 0.0
    for block in range(blocks):
        first = block * W
        count = min(W, C - first)
        gather(dims, corners, u, nodes, first, count, U)
        gather(dims, corners, v, nodes, first, count, rates)
        forces[:] = 0.0
        for point in range(block * points, (block + ONE) * points):
            B = gradients[point * n * e * W :]
            strains(dims, columns, corners, U, B, x)
            strains(dims, columns, corners, rates, B, dx)
            stress(dims, moduli, volumes[point * W :], x[mean:], dx[mean:], free, y[mean:])
            if len(modes):
                hourglass(dims, modes, amplitudes, tables[block * table :], (x, dx), free, work, y)
            add_forces(dims, columns, corners, y, B, forces)
        scatter_forces(dims, corners, forces, nodes, first, count, out)


@njit(cache=True, error_model="numpy")
def stress(dims, moduli, V, H, rate, free, P):  # type: ignore[no-untyped-def]
    """V P (d, d) of a block into the rows P, at H and Ḟ; the first rows of ``free`` hold F."""
    d, F, E, S = np.uint64(len(dims)), free[0], free[1], free[2]
    for i in range(d):
        for j in range(d):
            for k in range(W):
                F[(i * d + j) * W + k] = H[(i * d + j) * W + k] + (1.0 if i == j else 0.0)
    multiply(dims, (d, d), F, (1, d), rate, (d, 1), E, (d, 1), True)
    S[:] = 0.0
    for r in range(d * d):
        for i in range(d):
            for j in range(d):
                half = 0.5 * moduli[r, i * d + j]
                for k in range(W):
                    S[r * W + k] += half * (E[(i * d + j) * W + k] + E[(j * d + i) * W + k])
    multiply(dims, (d, d), F, (d, 1), S, (d, 1), P, (d, 1), True)
    for r in range(d * d):
        for k in range(W):
            P[r * W + k] *= V[k]


@njit(cache=True, error_model="numpy")
def hourglass(dims, modes, amplitudes, table, given, free, work, y):  # type: ignore[no-untyped-def]
    """Stresses y_m (M, d) of the modes, and their part of y_F̄ (d, d), into the rows y, at ``given`` x and ẋ."""
    d, M = np.uint64(len(dims)), np.uint64(len(modes))
    (g, dg), (F, inverse, spin, R, stretch, L, other) = given, free
    H, rate, size = g[M * d * W :], dg[M * d * W :], M * d * W
    polar(dims, True, H, R, stretch, L, other)
    invert(F, inverse)
    multiply(dims, (d, d), rate, (d, 1), inverse, (d, 1), other, (d, 1), True)
    skew(d, 0.5, other, spin)
    multiply(dims, (M, d), g, (d, 1), spin, (1, d), y, (d, 1), True)
    for i in range(size):
        y[i] = dg[i] - y[i]
    multiply(dims, (M, d), y, (d, 1), R, (d, 1), work, (d, 1), True)
    multiply(amplitudes, (M * d, ONE), table, (M * d, 1), work, (1, 1), work[size:], (1, 1), True)
    multiply(dims, (M, d), work[size:], (d, 1), R, (1, d), y, (d, 1), True)
    multiply(modes, (d, d), y, (1, d), g, (d, 1), other, (d, 1), True)
    skew(d, -0.5, other, spin)
    multiply(dims, (d, d), spin, (d, 1), inverse, (1, d), y[size:], (d, 1), False)


@njit(cache=True, error_model="numpy")
def skew(d, share, A, out):  # type: ignore[no-untyped-def]
    """``share`` × (A − Aᵀ) (d, d) into the rows ``out``."""
    for i in range(d):
        for j in range(d):
            for k in range(W):
                out[(i * d + j) * W + k] = share * (A[(i * d + j) * W + k] - A[(j * d + i) * W + k])


@njit(cache=True, error_model="numpy")
def invert(F, out):  # type: ignore[no-untyped-def]
    """F⁻¹ (3, 3) into the rows ``out``, by cofactors."""
    d = np.uint64(3)
    for i in range(d):
        for j in range(d):
            p, q, m, n = d * ((i + ONE) % d), d * ((i + TWO) % d), (j + ONE) % d, (j + TWO) % d
            for k in range(W):
                cofactor = F[(p + m) * W + k] * F[(q + n) * W + k] - F[(p + n) * W + k] * F[(q + m) * W + k]
                out[(j * d + i) * W + k] = cofactor
    for k in range(W):
        determinant = F[k] * out[k] + F[W + k] * out[d * W + k] + F[TWO * W + k] * out[TWO * d * W + k]
        for r in range(d * d):
            out[r * W + k] /= determinant
