"""How far a body is strained and turned: the largest of it over all quadrature points, and the smallest det F."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from fem.kernels.abreast import LANES
from fem.kernels.laws import formula, volume_change


class StrainRange(NamedTuple):
    """Hold the extremes over a body at one instant.

    Parameters
    ----------
    strain : float
        Largest absolute principal value of ε = sym ∂u/∂X, -.
    rotation : float
        Largest absolute angle of the polar rotation of F, rad.
    stretch : float
        Smallest principal stretch, -; below 0 where det F < 0.
    """

    strain: float
    rotation: float
    stretch: float


@formula
def gather(dims, corners, u, nodes, c, U):  # type: ignore[no-untyped-def]
    """Write the displacements of the nodes of cell c into U (n, d)."""
    for a in range(len(corners)):
        at = np.uint64(nodes[c, a])
        for i in range(len(dims)):
            U[a, i] = u[at, np.uint64(i)]


@formula
def displacement_gradient(dims, corners, U, gradients, H):  # type: ignore[no-untyped-def]
    """Write Σ_a u_a ⊗ ∇φ_a into lane 0 of H (d d ``LANES``,), of displacements and gradients (n, d)."""
    for i in range(len(dims)):
        for j in range(len(dims)):
            total = 0.0
            for a in range(len(corners)):
                total += U[a, i] * gradients[a, j]
            H[(len(dims) * i + j) * LANES] = total


@njit(cache=True, error_model="numpy")
def smallest_jacobian(u, dims, corners, nodes, gradients):  # type: ignore[no-untyped-def]
    """Return min det F over all quadrature points and its cell; (NaN, cell) at the first non-finite one.

    ``dims``, ``corners``: tuples of length d and n; u (N, d) m; nodes (C, n); gradients (C, Q, n, d) 1/m.
    """
    smallest, where, H, U = math.inf, -1, np.empty(len(dims) ** 2 * LANES), np.empty((len(corners), len(dims)))
    for c in range(nodes.shape[0]):
        gather(dims, corners, u, nodes, c, U)
        for q in range(gradients.shape[1]):
            displacement_gradient(dims, corners, U, gradients[c, q], H)
            j = 1.0 + volume_change(dims, H, 0)
            if not math.isfinite(j):
                return math.nan, c
            if j < smallest:
                smallest, where = j, c
    return smallest, where


@njit(cache=True, error_model="numpy")
def strain_range(u, corners, nodes, gradients):  # type: ignore[no-untyped-def]
    """Return the entries of ``StrainRange`` over all quadrature points; NaN where u is not finite.

    In the plane F = R U has the sums ``|s₁ + s₂| = |(F₁₁ + F₂₂, F₂₁ − F₁₂)|``, ``|s₁ − s₂| = |(F₁₁ − F₂₂, F₂₁ + F₁₂)|`` of its
    stretches, and R the angle atan2(F₂₁ − F₁₂, F₁₁ + F₂₂). u (N, 2) m; ``corners``: a tuple of length n; ``nodes`` (C, n);
    ``gradients`` (C, Q, n, 2) 1/m.
    """
    strain, stretch, H, U = 0.0, math.inf, np.empty(4 * LANES), np.empty((len(corners), 2))
    ahead, aside = 1.0, 0.0  # R of the largest angle so far, which is taken at the end
    for c in range(nodes.shape[0]):
        gather((0, 0), corners, u, nodes, c, U)
        for point in range(gradients.shape[1]):
            displacement_gradient((0, 0), corners, U, gradients[c, point], H)
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
