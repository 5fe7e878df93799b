"""Compiled material response at one point of a solid, in space: the laws of fem/kernels/constitutive.py with H (3, 3).

All is written into arrays that the loops keep, at H = ∂u/∂X, F = 1 + H; small strains lose no digits. The tangent has the one shape

    A_iJkL = ∂P_iJ/∂F_kL = δ_ik T_JL + b_ik δ_JL + α Y_iJ Y_kL + β Y_iL Y_kJ

with the T, b, Y, α, β of that file. λ and μ are the three-dimensional ones.
"""

import math

from numba import njit

from fem.kernels.constitutive import SMALL_STRAIN, SVK


@njit(cache=True, error_model="numpy")
def displacement_gradient(u, nodes, gradients, c, q, H):  # type: ignore[no-untyped-def]
    """Write H = Σ_b u_b ⊗ ∇φ_b of cell c at its quadrature point q."""
    H[:] = 0.0
    for b in range(nodes.shape[1]):
        at = nodes[c, b]
        for i in range(3):
            for J in range(3):
                H[i, J] += u[at, i] * gradients[c, q, b, J]


@njit(cache=True, error_model="numpy")
def determinant(A):  # type: ignore[no-untyped-def]
    """Return det A of a (3, 3) matrix."""
    return (
        A[0, 0] * (A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1])
        - A[0, 1] * (A[1, 0] * A[2, 2] - A[1, 2] * A[2, 0])
        + A[0, 2] * (A[1, 0] * A[2, 1] - A[1, 1] * A[2, 0])
    )


@njit(cache=True, error_model="numpy")
def cofactors(A, out):  # type: ignore[no-untyped-def]
    """Write det(A) A⁻ᵀ of a (3, 3) matrix, without a division."""
    for i in range(3):
        k, m = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            p, q = (j + 1) % 3, (j + 2) % 3
            out[i, j] = A[k, p] * A[m, q] - A[k, q] * A[m, p]


@njit(cache=True, error_model="numpy")
def volume_change(H):  # type: ignore[no-untyped-def]
    """Return det F − 1 = tr H + (minors of H) + det H."""
    minors = (
        H[0, 0] * H[1, 1]
        - H[0, 1] * H[1, 0]
        + H[0, 0] * H[2, 2]
        - H[0, 2] * H[2, 0]
        + H[1, 1] * H[2, 2]
        - H[1, 2] * H[2, 1]
    )
    return H[0, 0] + H[1, 1] + H[2, 2] + minors + determinant(H)


@njit(cache=True, error_model="numpy")
def _second_piola(code, lam, mu, H, S):  # type: ignore[no-untyped-def]
    """Write λ tr E 1 + 2 μ E: of Green's strain, or of the linear one."""
    for i in range(3):
        for j in range(3):
            square = 0.0
            if code == SVK:
                square = H[0, i] * H[0, j] + H[1, i] * H[1, j] + H[2, i] * H[2, j]
            S[i, j] = H[i, j] + H[j, i] + square
    trace = 0.5 * lam * (S[0, 0] + S[1, 1] + S[2, 2])
    for i in range(3):
        for j in range(3):
            S[i, j] *= mu
        S[i, i] += trace


@njit(cache=True, error_model="numpy")
def stress(code, lam, mu, H, S, P):  # type: ignore[no-untyped-def]
    """Write the first Piola–Kirchhoff stress P [Pa] at H; S is room. NaN for neo-Hookean where det F ≤ 0."""
    if code in (SVK, SMALL_STRAIN):
        _second_piola(code, lam, mu, H, S)
        for i in range(3):
            for J in range(3):
                P[i, J] = S[i, J]
                if code == SVK:
                    P[i, J] += H[i, 0] * S[0, J] + H[i, 1] * S[1, J] + H[i, 2] * S[2, J]
        return
    # P = μ (F − F⁻ᵀ) + λ ln J F⁻ᵀ with J F⁻ᵀ = 1 + tr H 1 − Hᵀ + cof H: no cancellation at small H.
    d = volume_change(H)
    log_j = math.log1p(d) if d > -1.0 else math.nan
    cofactors(H, S)
    trace, r = H[0, 0] + H[1, 1] + H[2, 2], 1.0 / (1.0 + d)
    for i in range(3):
        for J in range(3):
            one = 1.0 if i == J else 0.0
            away = one * (d - trace) + (1.0 + d) * H[i, J] + H[J, i] - S[i, J]
            P[i, J] = (mu * away + lam * log_j * (one * (1.0 + trace) - H[J, i] + S[i, J])) * r


@njit(cache=True, error_model="numpy")
def tangent(code, lam, mu, H, T, b, Y):  # type: ignore[no-untyped-def]
    """Write T, b, Y at H and return (α, β)."""
    T[:], b[:] = 0.0, 0.0
    for i in range(3):
        T[i, i] = mu
        for J in range(3):
            Y[i, J] = H[i, J] if code == SVK else 0.0
        Y[i, i] += 1.0
    if code == SMALL_STRAIN:
        return lam, mu
    if code == SVK:
        _second_piola(code, lam, mu, H, T)
        for i in range(3):
            for k in range(3):
                b[i, k] = mu * (Y[i, 0] * Y[k, 0] + Y[i, 1] * Y[k, 1] + Y[i, 2] * Y[k, 2])
        return lam, mu
    d = volume_change(H)
    log_j = math.log1p(d) if d > -1.0 else math.nan
    for i in range(3):
        for J in range(3):
            Y[i, J] += H[i, J]
    cofactors(Y, b)
    for i in range(3):
        for J in range(3):
            Y[i, J] = b[i, J] / (1.0 + d)
            b[i, J] = 0.0
    return lam, mu - lam * log_j


@njit(cache=True, error_model="numpy")
def energy(code, lam, mu, H, S):  # type: ignore[no-untyped-def]
    """Return the strain energy per reference volume [J/m³] at H; S is room."""
    trace, squares = H[0, 0] + H[1, 1] + H[2, 2], 0.0
    if code in (SVK, SMALL_STRAIN):
        _second_piola(code, 0.0, 1.0, H, S)  # 2 E
        for i in range(3):
            for j in range(3):
                squares += S[i, j] * S[i, j]
        trace = 0.5 * (S[0, 0] + S[1, 1] + S[2, 2])
        return 0.5 * lam * trace * trace + 0.25 * mu * squares
    d = volume_change(H)
    if not d > -1.0:
        return math.nan
    for i in range(3):
        for j in range(3):
            squares += H[i, j] * H[i, j]
    log_j = math.log1p(d)
    return 0.5 * mu * (2.0 * (trace - log_j) + squares) + 0.5 * lam * log_j * log_j
