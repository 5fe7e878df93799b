"""Rotations in d = 2 and 3 dimensions: spins, turns and moments are skew matrices (d, d), and no formula has a cross product.

    Q' = Ω Q,    Q = exp(Θ) Q_n,    Θ' = Ω − ½ [Θ, Ω] + ...,    W = QᵀΩQ in the body,    [a, b] = a b − b a

With W x = ω × x in space and ω J x in the plane, J = [[0, −1], [1, 0]], a vector ω (r,) of r = d(d − 1)/2 components is the skew
matrix Σ ω_k B_k of ``kinematics.BASIS``. Then for vectors a, b and symmetric S

    ⟨a × b⟩ ~ ⟨b⊗a⟩ − ⟨a⊗b⟩,    ω × (tr S 1 − S) ω ~ [W, S W + W S],    (tr S 1 − S) ω ~ S W + W S

(in the plane tr S ω and no commutators), since hat(a × b) = [hat(a), hat(b)]. One commutator of the inverse of dexp suffices for
schemes of order two (Iserles, Munthe-Kaas, Nørsett & Zanna 2000). Products of small matrices are loops: each array expression costs
a tenth of a second of compilation."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

SMALL = 1e-4


@njit(cache=True, error_model="numpy")
def components(skew):  # type: ignore[no-untyped-def]
    """Components (r,) of a skew matrix (d, d)."""
    if len(skew) == 2:
        out = np.empty(1)
        out[0] = skew[1, 0]
    else:
        out = np.empty(3)
        out[0], out[1], out[2] = skew[2, 1], skew[0, 2], skew[1, 0]
    return out


@njit(cache=True, error_model="numpy")
def skew_matrix(spin, d):  # type: ignore[no-untyped-def]
    """Skew matrix (d, d) of components (r,), as ``skew_of`` does."""
    out = np.zeros((d, d))
    if d == 2:
        out[1, 0], out[0, 1] = spin[0], -spin[0]
    else:
        out[2, 1], out[0, 2], out[1, 0] = spin[0], spin[1], spin[2]
        out[1, 2], out[2, 0], out[0, 1] = -spin[0], -spin[1], -spin[2]
    return out


@njit(cache=True, error_model="numpy")
def transpose(a):  # type: ignore[no-untyped-def]
    """aᵀ."""
    d = a.shape[0]
    out = np.empty((d, d))
    for i in range(d):
        for j in range(d):
            out[i, j] = a[j, i]
    return out


@njit(cache=True, error_model="numpy")
def mm(a, b):  # type: ignore[no-untyped-def]
    """a b (d, d)."""
    d = a.shape[0]
    out = np.empty((d, d))
    for i in range(d):
        for j in range(d):
            total = 0.0
            for k in range(d):
                total += a[i, k] * b[k, j]
            out[i, j] = total
    return out


@njit(cache=True, error_model="numpy")
def tm(a, b):  # type: ignore[no-untyped-def]
    """aᵀ b (d, d)."""
    return mm(transpose(a), b)


@njit(cache=True, error_model="numpy")
def mt(a, b):  # type: ignore[no-untyped-def]
    """a bᵀ (d, d)."""
    return mm(a, transpose(b))


@njit(cache=True, error_model="numpy")
def lincomb(a, x, b, y):  # type: ignore[no-untyped-def]
    """a x + b y (d, d)."""
    d = x.shape[0]
    out = np.empty((d, d))
    for i in range(d):
        for j in range(d):
            out[i, j] = a * x[i, j] + b * y[i, j]
    return out


@njit(cache=True, error_model="numpy")
def cross_moment(a):  # type: ignore[no-untyped-def]
    """aᵀ − a, the skew matrix of ⟨x × y⟩ for a = ⟨x⊗y⟩."""
    return lincomb(1.0, transpose(a), -1.0, a)


@njit(cache=True, error_model="numpy")
def commutator(a, b):  # type: ignore[no-untyped-def]
    """[a, b] = a b − b a: the cross product of spins, 0 in the plane."""
    return lincomb(1.0, mm(a, b), -1.0, mm(b, a))


@njit(cache=True, error_model="numpy")
def inertia_product(S, W):  # type: ignore[no-untyped-def]
    """S W + W Sᵀ: (tr S 1 − S) ω of a symmetric S."""
    return lincomb(1.0, mm(S, W), 1.0, mt(W, S))


@njit(cache=True, error_model="numpy")
def rotate_tensor(Q, a):  # type: ignore[no-untyped-def]
    """Q a Qᵀ."""
    return mm(Q, mt(a, Q))


@njit(cache=True, error_model="numpy")
def square_sum(a):  # type: ignore[no-untyped-def]
    """Σ a²."""
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j] * a[i, j]
    return total


@njit(cache=True, error_model="numpy")
def operator(N):  # type: ignore[no-untyped-def]
    """Matrix (r, r) of W -> N W + W Nᵀ on the entries above the diagonal of skew matrices."""
    d = len(N)
    r = d * (d - 1) // 2
    E, row = np.zeros((r, r)), 0
    for i in range(d):
        for j in range(i + 1, d):
            column = 0
            for k in range(d):
                for m in range(k + 1, d):
                    E[row, column] = N[i, k] * (m == j) - N[i, m] * (k == j) + (i == k) * N[j, m] - (i == m) * N[j, k]
                    column += 1
            row += 1
    return E


@njit(cache=True, error_model="numpy")
def inverse(a):  # type: ignore[no-untyped-def]
    """Inverse of a matrix whose symmetric part is positive definite, by elimination without pivots, and the least
    pivot, which is positive then."""
    d, least = a.shape[0], np.inf
    work, out = a.copy(), np.eye(d)
    for k in range(d):
        least = min(least, work[k, k])
        pivot = 1.0 / work[k, k]
        for j in range(d):
            work[k, j] *= pivot
            out[k, j] *= pivot
        for i in range(d):
            if i != k:
                factor = work[i, k]
                for j in range(d):
                    work[i, j] -= factor * work[k, j]
                    out[i, j] -= factor * out[k, j]
    return out, least


@njit(cache=True, error_model="numpy")
def skew_solve(N, right):  # type: ignore[no-untyped-def]
    """Skew W of N W + W Nᵀ = ``right``, and the size 1/|E⁻¹| of the operator, 0 where it is not positive definite.

    For S symmetric the operator is tr S 1 − S in space, tr S in the plane; its size is its least eigenvalue, or less
    by a factor below √3.
    """
    d = len(N)
    E, least = inverse(operator(N))
    W, row = np.zeros((d, d)), 0
    for i in range(d):
        for j in range(i + 1, d):
            total, column = 0.0, 0
            for k in range(d):
                for m in range(k + 1, d):
                    total += E[row, column] * right[k, m]
                    column += 1
            W[i, j], W[j, i] = total, -total
            row += 1
    return W, 1.0 / math.sqrt(square_sum(E)) if least > 0.0 else 0.0


@njit(cache=True, error_model="numpy")
def exponential(turn):  # type: ignore[no-untyped-def]
    """exp(Θ) (d, d): 1 + sin θ/θ Θ + (1 − cos θ)/θ² Θ², Rodrigues' formula, with Θ³ = −θ²Θ in the plane, too."""
    square = 0.5 * square_sum(turn)
    if square < SMALL * SMALL:
        a, b = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        angle = math.sqrt(square)
        a, b = math.sin(angle) / angle, (1.0 - math.cos(angle)) / square
    out = lincomb(a, turn, b, mm(turn, turn))
    for i in range(len(turn)):
        out[i, i] += 1.0
    return out


@njit(cache=True, error_model="numpy")
def turn_after(history, spin, tau):  # type: ignore[no-untyped-def]
    """Θ = Θ* + τ (Ω − ½ [Θ, Ω]), which is N Θ + Θ Nᵀ = Θ* + τ Ω with N = ½ (1 − τ Ω)."""
    N = lincomb(-0.5 * tau, spin, 0.0, spin)
    for i in range(len(N)):
        N[i, i] += 0.5
    return skew_solve(N, lincomb(1.0, history, tau, spin))[0]


@njit(cache=True, error_model="numpy")
def polar(A):  # type: ignore[no-untyped-def]
    """Rotation Q (d, d) with QᵀA symmetric on the branch where tr QᵀA is largest: U diag(1, ..., ±1) Vᵀ of A = U Σ Vᵀ;
    not numbers where A is not finite."""
    if not square_sum(A) < np.inf:
        return lincomb(np.nan, A, 0.0, A)
    U, _, V = np.linalg.svd(A)
    Q, last = mm(np.ascontiguousarray(U), np.ascontiguousarray(V)), len(A) - 1
    if np.linalg.det(Q) < 0.0:
        for i in range(last + 1):
            for j in range(last + 1):
                Q[i, j] -= 2.0 * U[i, last] * V[last, j]
    return Q
