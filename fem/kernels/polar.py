"""Polar decomposition F̄ = 1 + H̄ = R̄Ū in blocks of LANES matrices, in the plane and in space, and the derivative of R̄.

The variation of R̄ by a skew matrix Ω, δR̄ = R̄ Ω, follows from δF̄, with S = R̄ᵀδF̄,

    Ω Ū + Ū Ω = S − Sᵀ.

A skew matrix has r = d (d − 1)/2 components, Ω = Σ_p ω_p Ê_p, Ê_p = e_i e_jᵀ − e_j e_iᵀ of the p-th pair i < j, p = i + j − 1.
In these the operator on the left is a matrix Y (r, r), in the plane tr Ū, in space tr Ū 1 − Ū up to order and signs of axes.
``L`` is the inverse of Y.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from fem.kernels.lanes import LANES, ONE, TWO, W

CONVERGED = 1e-9
"""Tolerance of R̄, -: the next change, its square, is below rounding."""
MAX_ITERATIONS = 60


@njit(cache=True, error_model="numpy")
def _polar_in_plane(H, R, L):  # type: ignore[no-untyped-def]
    """Rotation R̄, a multiple of F̄ plus its cofactors, and L = 1/tr Ū."""
    for k in range(W):
        p, q = 2.0 + H[k] + H[TWO * W + W + k], H[TWO * W + k] - H[W + k]
        r = math.sqrt(1.0 / (p * p + q * q))
        R[k] = R[TWO * W + W + k] = p * r
        R[W + k] = -q * r
        R[TWO * W + k] = q * r
        L[k] = r


@njit(cache=True, error_model="numpy")
def _polar_in_space(H, R, workspace):  # type: ignore[no-untyped-def]
    """Rotation R̄ by Newton's iteration R <- (R + R⁻ᵀ)/2 (Higham 1986), until all lanes have converged; ``workspace``: 10 rows."""
    d, last = np.uint64(3), np.uint64(9) * W
    for i in range(d):
        for j in range(d):
            one = 1.0 if i == j else 0.0
            for k in range(W):
                R[(d * i + j) * W + k] = H[(d * i + j) * W + k] + one
    for _ in range(MAX_ITERATIONS):
        for i in range(d):
            for j in range(d):
                p, q = d * ((i + ONE) % d), d * ((i + TWO) % d)
                m, n = (j + ONE) % d, (j + TWO) % d
                for k in range(W):
                    cofactor = R[(p + m) * W + k] * R[(q + n) * W + k] - R[(p + n) * W + k] * R[(q + m) * W + k]
                    workspace[(d * i + j) * W + k] = cofactor
        for k in range(W):
            determinant = R[k] * workspace[k] + R[W + k] * workspace[W + k] + R[TWO * W + k] * workspace[TWO * W + k]
            workspace[last + k] = 1.0 / determinant
        change = 0.0
        for i in range(d * d):
            for k in range(W):
                mean = 0.5 * (R[i * W + k] + workspace[last + k] * workspace[i * W + k])
                change = max(change, abs(mean - R[i * W + k]))
                R[i * W + k] = mean
        if not change > CONVERGED:
            return


@njit(cache=True, error_model="numpy")
def spin_matrix(A, Y):  # type: ignore[no-untyped-def]
    """Matrix (3, 3) of the map Ω -> Ω A + A Ω in space, A symmetric."""
    for k in range(LANES):
        xx, yy, zz = A[k], A[4 * LANES + k], A[8 * LANES + k]
        Y[k], Y[4 * LANES + k], Y[8 * LANES + k] = xx + yy, xx + zz, yy + zz
        Y[LANES + k] = Y[3 * LANES + k] = A[5 * LANES + k]
        Y[2 * LANES + k] = Y[6 * LANES + k] = -A[2 * LANES + k]
        Y[5 * LANES + k] = Y[7 * LANES + k] = A[LANES + k]


@njit(cache=True, error_model="numpy")
def _invert(L):  # type: ignore[no-untyped-def]
    """Invert symmetric matrices (3, 3) in place."""
    for k in range(LANES):
        a, b, c = L[k], L[4 * LANES + k], L[8 * LANES + k]
        e, f, g = L[LANES + k], L[2 * LANES + k], L[5 * LANES + k]
        p, q, r = b * c - g * g, f * g - e * c, e * g - f * b
        v = 1.0 / (a * p + e * q + f * r)
        L[k], L[4 * LANES + k], L[8 * LANES + k] = p * v, (a * c - f * f) * v, (a * b - e * e) * v
        L[LANES + k] = L[3 * LANES + k] = q * v
        L[2 * LANES + k] = L[6 * LANES + k] = r * v
        L[5 * LANES + k] = L[7 * LANES + k] = (e * f - a * g) * v


@njit(cache=True, error_model="numpy")
def polar(dims, objective, H, R, U, L, workspace):  # type: ignore[no-untyped-def]
    """Rotation R̄, stretch Ū (d, d), and L (r, r); for not ``objective`` laws R̄ = 1, Ū = F̄ and no L."""
    d = np.uint64(len(dims))
    if not objective:
        for i in range(d):
            for j in range(d):
                R[(d * i + j) * W : (d * i + j + ONE) * W] = 1.0 if i == j else 0.0
    elif d == TWO:
        _polar_in_plane(H, R, L)
    else:
        _polar_in_space(H, R, workspace)
    for i in range(d):
        for j in range(d):
            for k in range(W):
                total = R[(d * j + i) * W + k]
                for q in range(d):
                    total += R[(d * q + i) * W + k] * H[(d * q + j) * W + k]
                U[(d * i + j) * W + k] = total
    if objective and d > TWO:
        spin_matrix(U, L)
        _invert(L)
