"""Extremes over all quadrature points: strain, rotation, stretch, det F.

``dims``, ``corners``: tuples of length d and n; u (N, d) m; nodes (C, n) of the cells; gradients (C, Q, n, d) 1/m.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from fem.kernels.lanes import LANES
from fem.kernels.laws import formula, twice_green, volume_change


@formula
def gather_cell(dims, corners, u, nodes, c, U):  # type: ignore[no-untyped-def]
    """Nodal displacements of cell c into U (n, d)."""
    for a in range(len(corners)):
        at = np.uint64(nodes[c, a])
        for i in range(len(dims)):
            U[a, i] = u[at, np.uint64(i)]


@formula
def displacement_gradient(dims, corners, U, gradients, H):  # type: ignore[no-untyped-def]
    """Displacement gradient Σ_a u_a ⊗ ∇φ_a into lane 0 of H (d d ``LANES``,), from displacements and gradients (n, d)."""
    for i in range(len(dims)):
        for j in range(len(dims)):
            total = 0.0
            for a in range(len(corners)):
                total += U[a, i] * gradients[a, j]
            H[(len(dims) * i + j) * LANES] = total


@njit(cache=True, error_model="numpy")
def smallest_jacobian(u, dims, corners, nodes, gradients):  # type: ignore[no-untyped-def]
    """Smallest det F over all quadrature points and its cell; (NaN, cell) at the first non-finite one."""
    smallest, where, H, U = math.inf, -1, np.empty(len(dims) ** 2 * LANES), np.empty((len(corners), len(dims)))
    for c in range(nodes.shape[0]):
        gather_cell(dims, corners, u, nodes, c, U)
        for q in range(gradients.shape[1]):
            displacement_gradient(dims, corners, U, gradients[c, q], H)
            j = 1.0 + volume_change(dims, H, 0)
            if not math.isfinite(j):
                return math.nan, c
            if j < smallest:
                smallest, where = j, c
    return smallest, where


@njit(cache=True, error_model="numpy")
def strain_range(u, dims, corners, nodes, gradients):  # type: ignore[no-untyped-def]
    """Extremes over a plate: largest absolute principal value of ε = sym ∂u/∂X, -, largest absolute angle of the polar
    rotation of F, rad, and smallest principal stretch, -, below 0 where det F < 0. NaN where u is not finite.

    F = R U has the sums ``|s₁ + s₂| = |(F₁₁ + F₂₂, F₂₁ − F₁₂)|``, ``|s₁ − s₂| = |(F₁₁ − F₂₂, F₂₁ + F₁₂)|`` of its stretches, and R
    the angle atan2(F₂₁ − F₁₂, F₁₁ + F₂₂).
    """
    strain, stretch, H, U = 0.0, math.inf, np.empty(4 * LANES), np.empty((len(corners), 2))
    ahead, aside = 1.0, 0.0  # cosine and sine, not normalised, of the largest angle so far
    for c in range(nodes.shape[0]):
        gather_cell(dims, corners, u, nodes, c, U)
        for point in range(gradients.shape[1]):
            displacement_gradient(dims, corners, U, gradients[c, point], H)
            h11, h12, h21, h22 = H[0], H[LANES], H[2 * LANES], H[3 * LANES]
            p, q = 2.0 + h11 + h22, abs(h21 - h12)
            difference = math.sqrt((h11 - h22) ** 2 + (h12 + h21) ** 2)
            largest = 0.5 * (abs(h11 + h22) + difference)
            if not math.isfinite(largest + q):
                return math.nan, math.nan, math.nan
            if q * ahead > p * aside or (q == 0.0 and p < 0.0):
                ahead, aside = p, q
            strain, stretch = max(strain, largest), min(stretch, 0.5 * (math.sqrt(p * p + q * q) - difference))
    return strain, abs(math.atan2(aside, ahead)), stretch


@njit(cache=True, error_model="numpy")
def smallest_stretch(u, dims, corners, nodes, gradients):  # type: ignore[no-untyped-def]
    """Cell and quadrature point of the smallest principal stretch of a solid, or the first point where u is not finite.

    Its square is 1 + m + 2 r cos φ, of the mean m and the deviator S of 2 E, with 6 r² = ‖S‖², cos 3φ = det S/(2 r³) and φ from
    2π/3 to π. The angle is computed only where the bound 1 + m − 2 r is below the smallest value so far.
    """
    smallest, where, H, U, S = math.inf, (0, 0), np.empty(9 * LANES), np.empty((len(corners), 3)), np.empty((3, 3))
    for c in range(nodes.shape[0]):
        gather_cell(dims, corners, u, nodes, c, U)
        for point in range(gradients.shape[1]):
            displacement_gradient(dims, corners, U, gradients[c, point], H)
            for i in range(3):
                for j in range(3):
                    S[i, j] = twice_green(dims, H, 0, i, j)
            mean, squares = (S[0, 0] + S[1, 1] + S[2, 2]) / 3.0, 0.0
            for i in range(3):
                S[i, i] -= mean
                for j in range(3):
                    squares += S[i, j] * S[i, j]
            r = math.sqrt(squares / 6.0)
            if not math.isfinite(mean + r):
                return c, point
            if mean - 2.0 * r < smallest:
                determinant = S[0, 0] * (S[1, 1] * S[2, 2] - S[1, 2] * S[2, 1])
                determinant -= S[0, 1] * (S[1, 0] * S[2, 2] - S[1, 2] * S[2, 0])
                determinant += S[0, 2] * (S[1, 0] * S[2, 1] - S[1, 1] * S[2, 0])
                cosine = 0.5 * determinant / r**3 if r > 0.0 else 1.0
                angle = (math.acos(min(max(cosine, -1.0), 1.0)) + 2.0 * math.pi) / 3.0
                value = mean + 2.0 * r * math.cos(angle)
                if value < smallest:
                    smallest, where = value, (c, point)
    return where
