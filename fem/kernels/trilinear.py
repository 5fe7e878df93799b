"""Energy, force and tangent of one hexahedron of eight nodes (Q1): mean strain and hourglass modes (fem/solid/hourglass.py).

The energy of a cell is a function of 21 numbers, the amplitudes g_m (m = 1..4) of the hourglass modes and the mean F̄ = 1 + H̄,

    U(g, F̄) = V W(F̄) + ½ ĝ·K̂ ĝ,    ĝ_m = R̄ᵀ g_m,    F̄ = R̄ Ū,    g_m = Σ_b γ_mb u_b,    H̄ = Σ_b u_b ⊗ b_b,

whose first and second derivatives are chained to the nodes at once. With t = K̂ĝ, μ = Σ t_m × ĝ_m, Y = tr Ū 1 − Ū, ν = Y⁻¹μ and
ρ_k = R̄ᵀe_k, a change δF̄ = e_k ⊗ e_l turns R̄ by R̄ hat(w), w = Y⁻¹ (e_l × ρ_k), so that

    ∂U/∂g_m = R̄ t_m,    ∂U/∂F̄ = V P + R̄ hat(ν),
    δĝ_m = ĝ_m × w,  δŪ = ρ_k ⊗ e_l − hat(w) Ū,  δν = Y⁻¹ (δμ − tr δŪ ν + δŪ ν),  δ(R̄ hat(ν)) = R̄ (hat(w) hat(ν) + hat(δν)).
"""

import numpy as np
from numba import njit

from fem.kernels import response
from fem.kernels.response import cofactors, determinant

G = 12
"""Amplitudes of hourglass modes in a cell: four modes of three components."""
Q = 21
"""Those, and the nine components of F̄."""


@njit(cache=True, error_model="numpy")
def polar(H, R):  # type: ignore[no-untyped-def]
    """Write the rotation R of F = 1 + H = R U, by Newton's iteration R <- (R + R⁻ᵀ)/2 (Higham 1986)."""
    other = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            R[i, j] = H[i, j] + (1.0 if i == j else 0.0)
    for _ in range(60):
        cofactors(R, other)
        r, change = 1.0 / determinant(R), 0.0
        for i in range(3):
            for j in range(3):
                mean = 0.5 * (R[i, j] + r * other[i, j])
                change = max(change, abs(mean - R[i, j]))
                R[i, j] = mean
        if not change > 1e-9:
            return


@njit(cache=True, error_model="numpy")
def _stretching(H, R, U, Y):  # type: ignore[no-untyped-def]
    """Write U = Rᵀ F, symmetric, and the inverse Y of tr U 1 − U."""
    room = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            room[i, j] = R[j, i] + R[0, i] * H[0, j] + R[1, i] * H[1, j] + R[2, i] * H[2, j]
    for i in range(3):
        for j in range(3):
            U[i, j] = 0.5 * (room[i, j] + room[j, i])
    trace = U[0, 0] + U[1, 1] + U[2, 2]
    for i in range(3):
        for j in range(3):
            room[i, j] = (trace if i == j else 0.0) - U[i, j]
    cofactors(room, Y)
    r = 1.0 / determinant(room)
    for i in range(3):
        for j in range(3):
            Y[i, j] *= r


@njit(cache=True, error_model="numpy")
def _cross(a, b, out):  # type: ignore[no-untyped-def]
    """Add a × b."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]


@njit(cache=True, error_model="numpy")
def _amplitudes(u, nodes, vectors, rotated, c, H, R, seen):  # type: ignore[no-untyped-def]
    """Write R̄ and ĝ (4, 3) of cell c at H̄."""
    R[:] = 0.0
    for i in range(3):
        R[i, i] = 1.0
    if rotated:
        polar(H, R)
    for m in range(4):
        for i in range(3):
            seen[m, i] = 0.0
        for b in range(8):
            at, weight = nodes[c, b], vectors[c, m, b]
            for i in range(3):
                seen[m, i] += weight * (R[0, i] * u[at, 0] + R[1, i] * u[at, 1] + R[2, i] * u[at, 2])


@njit(cache=True, error_model="numpy")
def _tension(stiffness, c, seen, t):  # type: ignore[no-untyped-def]
    """Write t = K̂ ĝ (4, 3)."""
    for m in range(4):
        for i in range(3):
            total = 0.0
            for n in range(4):
                for j in range(3):
                    total += stiffness[c, 3 * m + i, 3 * n + j] * seen[n, j]
            t[m, i] = total


@njit(cache=True, error_model="numpy")
def hourglass_energy(u, nodes, vectors, stiffness, rotated, c, H):  # type: ignore[no-untyped-def]
    """Return ½ ĝ·K̂ ĝ [J] of cell c."""
    R, seen, t = np.empty((3, 3)), np.empty((4, 3)), np.empty((4, 3))
    _amplitudes(u, nodes, vectors, rotated, c, H, R, seen)
    _tension(stiffness, c, seen, t)
    total = 0.0
    for m in range(4):
        for i in range(3):
            total += 0.5 * t[m, i] * seen[m, i]
    return total


@njit(cache=True, error_model="numpy")
def _turning_force(H, R, seen, t, U, Y, nu):  # type: ignore[no-untyped-def]
    """Write Ū, Y⁻¹ and ν."""
    _stretching(H, R, U, Y)
    moment = np.zeros(3)
    for m in range(4):
        _cross(t[m], seen[m], moment)
    for i in range(3):
        nu[i] = Y[i, 0] * moment[0] + Y[i, 1] * moment[1] + Y[i, 2] * moment[2]


@njit(cache=True, error_model="numpy")
def derivative(u, nodes, vectors, stiffness, rotated, c, H, V, P, D):  # type: ignore[no-untyped-def]
    """Write ∂U/∂(g, F̄) (21,) of cell c into D; P: the stress at F̄."""
    R, seen, t = np.empty((3, 3)), np.empty((4, 3)), np.empty((4, 3))
    U, Y, nu = np.empty((3, 3)), np.empty((3, 3)), np.zeros(3)
    _amplitudes(u, nodes, vectors, rotated, c, H, R, seen)
    _tension(stiffness, c, seen, t)
    for m in range(4):
        for i in range(3):
            D[3 * m + i] = R[i, 0] * t[m, 0] + R[i, 1] * t[m, 1] + R[i, 2] * t[m, 2]
    if rotated:
        _turning_force(H, R, seen, t, U, Y, nu)
    for i in range(3):  # R hat(ν): row i is ρ_i × ν
        turned = np.zeros(3)
        _cross(R[i], nu, turned)
        for J in range(3):
            D[G + 3 * i + J] = V * P[i, J] + turned[J]


@njit(cache=True, error_model="numpy")
def _material(lam_mu, code, H, V, S):  # type: ignore[no-untyped-def]
    """Write V ∂P/∂F̄ into the last nine rows and columns of S (21, 21), and 0 elsewhere."""
    T, b, Y = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    alpha, beta = response.tangent(code, lam_mu[0], lam_mu[1], H, T, b, Y)
    S[:] = 0.0
    for i in range(3):
        for J in range(3):
            for k in range(3):
                for L in range(3):
                    entry = alpha * Y[i, J] * Y[k, L] + beta * Y[i, L] * Y[k, J]
                    if i == k:
                        entry += T[J, L]
                    if J == L:
                        entry += b[i, k]
                    S[G + 3 * i + J, G + 3 * k + L] = V * entry


@njit(cache=True, error_model="numpy")
def _modes(stiffness, c, R, S):  # type: ignore[no-untyped-def]
    """Write R̄ K̂ R̄ᵀ, mode by mode, into the first twelve rows and columns of S."""
    half = np.empty((3, 3))
    for m in range(4):
        for n in range(4):
            for i in range(3):
                for j in range(3):
                    half[i, j] = 0.0
                    for a in range(3):
                        half[i, j] += R[i, a] * stiffness[c, 3 * m + a, 3 * n + j]
            for i in range(3):
                for j in range(3):
                    S[3 * m + i, 3 * n + j] = half[i, 0] * R[j, 0] + half[i, 1] * R[j, 1] + half[i, 2] * R[j, 2]


@njit(cache=True, error_model="numpy")
def second_derivative(u, nodes, vectors, stiffness, rotated, c, H, V, code, lam_mu, S):  # type: ignore[no-untyped-def]
    """Write ∂²U/∂(g, F̄)² (21, 21) of cell c into S."""
    R, seen, t = np.empty((3, 3)), np.empty((4, 3)), np.empty((4, 3))
    U, Y, nu = np.empty((3, 3)), np.empty((3, 3)), np.zeros(3)
    _amplitudes(u, nodes, vectors, rotated, c, H, R, seen)
    _material(lam_mu, code, H, V, S)
    _modes(stiffness, c, R, S)
    if not rotated:
        return
    _tension(stiffness, c, seen, t)
    _turning_force(H, R, seen, t, U, Y, nu)
    a, w, change, pull = np.empty(3), np.empty(3), np.empty((4, 3)), np.empty((4, 3))
    for k in range(3):
        for l in range(3):  # noqa: E741
            a[:] = 0.0
            p, q = (l + 1) % 3, (l + 2) % 3  # e_l × ρ
            a[p], a[q] = -R[k, q], R[k, p]
            for i in range(3):
                w[i] = Y[i, 0] * a[0] + Y[i, 1] * a[1] + Y[i, 2] * a[2]
            change[:] = 0.0
            for m in range(4):
                _cross(seen[m], w, change[m])
            _tension(stiffness, c, change, pull)
            _column(R, U, Y, nu, seen, t, w, change, pull, k, l, S)


@njit(cache=True, error_model="numpy")
def _column(R, U, Y, nu, seen, t, w, change, pull, k, l, S):  # type: ignore[no-untyped-def]  # noqa: E741
    """Add the derivative of ∂U/∂(g, F̄) by F̄_kl, but for the material's, to S, from w, δĝ and K̂ δĝ."""
    rest, spun, grown = np.zeros(3), np.empty(3), np.empty((3, 3))
    column = G + 3 * k + l
    for m in range(4):
        spun[:] = pull[m]
        _cross(w, t[m], spun)
        for i in range(3):
            entry = R[i, 0] * spun[0] + R[i, 1] * spun[1] + R[i, 2] * spun[2]
            S[3 * m + i, column] += entry
            S[column, 3 * m + i] += entry
        _cross(pull[m], seen[m], rest)
        _cross(t[m], change[m], rest)
    for j in range(3):
        spun[:] = 0.0
        _cross(w, U[j], spun)  # U is symmetric; a column would be an array of another kind
        for i in range(3):
            grown[i, j] = (R[k, i] if j == l else 0.0) - spun[i]
    trace = grown[0, 0] + grown[1, 1] + grown[2, 2]
    for i in range(3):
        rest[i] += grown[i, 0] * nu[0] + grown[i, 1] * nu[1] + grown[i, 2] * nu[2] - trace * nu[i]
    for i in range(3):
        spun[i] = Y[i, 0] * rest[0] + Y[i, 1] * rest[1] + Y[i, 2] * rest[2]
    for i in range(3):  # R (hat(w) hat(ν) + hat(δν)): row i of R hat(w) is ρ_i × w
        first, second = np.zeros(3), np.zeros(3)
        _cross(R[i], w, first)
        _cross(first, nu, second)
        _cross(R[i], spun, second)
        for J in range(3):
            S[G + 3 * i + J, column] += second[J]
