"""Compiled laws: stress P = ∂W/∂F, moduli A = ∂P/∂F and energy W at H = F − 1, so that small strains lose no digits.

A law is a named tuple of its parameters and functions of one point, lane k of W = ``LANES``, generic in d = 2, 3,

    force(law, dims, H, P, k)        tangent(law, dims, H, A, k)        energy(law, dims, H, k) -> W

dims a tuple of length d (which the compiler knows). Entry (i, j) of H and P stands at (d i + j) W + k, entry (i, j, m, n) of A at
(((i d + j) d + m) d + n) W + k. d = 2 means plane strain. fem/kernels/law_blocks.py makes block functions of them.
Sources: Holzapfel, Nonlinear Solid Mechanics (2000), section 6.5; Bonet & Wood (2008), section 6.4.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from fem.kernels.lanes import LANES

TOLERANCE = 1e-10
"""Newton tolerance of y = ln F₃₃; the remaining error is its square."""
MAX_ITERATIONS = 60
W = LANES

formula = register_jitable(error_model="numpy", forceinline=True)
"""Decorator of functions of one point that compiled code calls."""


class Law(NamedTuple):
    """The functions of a law, see the head of this file; ``energy`` None: by quadrature along a path.

    ``softens_in_compression``: of a registered law, the smallest stretch has a limit.
    """

    force: Callable[..., Any]
    tangent: Callable[..., Any]
    energy: Callable[..., Any] | None = None
    softens_in_compression: bool = False


class Moduli(NamedTuple):
    """Parameters of the laws of this package: λ, μ [Pa]; ``free_thickness``: 1 if the law solves for F₃₃, else 0."""

    lam: float
    mu: float
    free_thickness: float = 0.0


@formula
def entry(dims, H, k, i, j):  # type: ignore[no-untyped-def]
    """H_ij of lane k."""
    return H[np.uint64((len(dims) * i + j) * W + k)]


@formula
def _moduli_index(d, i, j, m, n, k):  # type: ignore[no-untyped-def]
    """Index of A_ijmn of lane k, unsigned as in fem/kernels/lanes.py."""
    return np.uint64((((i * d + j) * d + m) * d + n) * W + k)


@formula
def _trace(dims, H, k):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(dims)):
        total += entry(dims, H, k, i, i)
    return total


@formula
def twice_green(dims, H, k, i, j):  # type: ignore[no-untyped-def]
    """2 E_ij of the Green strain."""
    total = entry(dims, H, k, i, j) + entry(dims, H, k, j, i)
    for m in range(len(dims)):
        total += entry(dims, H, k, m, i) * entry(dims, H, k, m, j)
    return total


@formula
def _green_trace(dims, H, k):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(dims)):
        for m in range(len(dims)):
            total += entry(dims, H, k, m, i) * entry(dims, H, k, m, i)
    return 0.5 * total + _trace(dims, H, k)


@formula
def _second_piola(law, dims, H, k, spherical, i, j):  # type: ignore[no-untyped-def]
    """S_ij = λ tr E δ_ij + 2 μ E_ij; ``spherical``: λ tr E."""
    return law.mu * twice_green(dims, H, k, i, j) + (spherical if i == j else 0.0)


@formula
def _deformation(dims, H, k, i, j):  # type: ignore[no-untyped-def]
    """F_ij of the deformation gradient."""
    return entry(dims, H, k, i, j) + (1.0 if i == j else 0.0)


@formula
def _quadratic(law, twice_strain, trace, dims, H, k):  # type: ignore[no-untyped-def]
    """Energy λ/2 (tr E)² + μ E:E of a strain E."""
    squares, spherical = 0.0, trace(dims, H, k)
    for i in range(len(dims)):
        for j in range(len(dims)):
            squares += twice_strain(dims, H, k, i, j) ** 2
    return 0.5 * law.lam * spherical * spherical + 0.25 * law.mu * squares


@formula
def st_venant_kirchhoff_energy(law, dims, H, k):  # type: ignore[no-untyped-def]
    """Energy λ/2 (tr E)² + μ E:E."""
    return _quadratic(law, twice_green, _green_trace, dims, H, k)


@formula
def st_venant_kirchhoff_stress(law, dims, H, P, k):  # type: ignore[no-untyped-def]
    """Stress P = F S."""
    d, spherical = len(dims), law.lam * _green_trace(dims, H, k)
    for j in range(d):
        a, b = _second_piola(law, dims, H, k, spherical, 0, j), _second_piola(law, dims, H, k, spherical, 1, j)
        c = _second_piola(law, dims, H, k, spherical, d - 1, j)
        for i in range(d):
            turned = entry(dims, H, k, i, 0) * a + entry(dims, H, k, i, 1) * b
            turned += entry(dims, H, k, i, 2) * c if d == 3 else 0.0
            P[np.uint64((d * i + j) * W + k)] = (a if i == 0 else b if i == 1 else c) + turned


@formula
def st_venant_kirchhoff_moduli(law, dims, H, A, k):  # type: ignore[no-untyped-def]
    """Moduli A = δ_im S_jn + μ (F Fᵀ)_im δ_jn + λ F_ij F_mn + μ F_in F_mj."""
    d, spherical = len(dims), law.lam * _green_trace(dims, H, k)
    for i in range(d):
        for j in range(d):
            for m in range(d):
                for n in range(d):
                    both = law.lam * _deformation(dims, H, k, i, j) * _deformation(dims, H, k, m, n)
                    both += law.mu * _deformation(dims, H, k, i, n) * _deformation(dims, H, k, m, j)
                    A[_moduli_index(d, i, j, m, n, k)] = both
    for i in range(d):
        for m in range(d):
            square = 0.0
            for q in range(d):
                square += _deformation(dims, H, k, i, q) * _deformation(dims, H, k, m, q)
            for j in range(d):
                A[_moduli_index(d, i, j, m, j, k)] += law.mu * square
                A[_moduli_index(d, j, i, j, m, k)] += _second_piola(law, dims, H, k, spherical, i, m)


@formula
def _twice_linear(dims, H, k, i, j):  # type: ignore[no-untyped-def]
    """2 ε_ij of the linear strain."""
    return entry(dims, H, k, i, j) + entry(dims, H, k, j, i)


@formula
def small_strain_energy(law, dims, H, k):  # type: ignore[no-untyped-def]
    """Energy λ/2 (tr ε)² + μ ε:ε."""
    return _quadratic(law, _twice_linear, _trace, dims, H, k)


@formula
def small_strain_stress(law, dims, H, P, k):  # type: ignore[no-untyped-def]
    """Stress P = λ tr ε 1 + 2 μ ε."""
    d, spherical = len(dims), law.lam * _trace(dims, H, k)
    for i in range(d):
        for j in range(d):
            P[np.uint64((d * i + j) * W + k)] = law.mu * _twice_linear(dims, H, k, i, j) + (
                spherical if i == j else 0.0
            )


@formula
def small_strain_moduli(law, dims, H, A, k):  # type: ignore[no-untyped-def]
    """Moduli A = λ δ_ij δ_mn + μ (δ_im δ_jn + δ_in δ_jm)."""
    d = len(dims)
    for i in range(d):
        for j in range(d):
            for m in range(d):
                for n in range(d):
                    value = law.lam if i == j and m == n else 0.0
                    value += law.mu if i == m and j == n else 0.0
                    A[_moduli_index(d, i, j, m, n, k)] = value + (law.mu if i == n and j == m else 0.0)


@formula
def _cofactor(dims, H, k, i, j):  # type: ignore[no-untyped-def]
    """Cofactor of F_ij less δ_ij, without cancellation: Σ_{m ≠ i} H_mm δ_ij, or −H_ji, and in space the cofactor of H_ij."""
    total = -entry(dims, H, k, j, i) if i != j else 0.0
    for m in range(len(dims)):
        total += entry(dims, H, k, m, m) if i == j and m != i else 0.0
    if len(dims) == 3:
        p, q, r, s = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
        total += entry(dims, H, k, p, r) * entry(dims, H, k, q, s) - entry(dims, H, k, p, s) * entry(dims, H, k, q, r)
    return total


@formula
def volume_change(dims, H, k):  # type: ignore[no-untyped-def]
    """Volume change det F − 1."""
    total = entry(dims, H, k, 0, 0) + _cofactor(dims, H, k, 0, 0)
    for j in range(len(dims)):
        total += entry(dims, H, k, 0, j) * _cofactor(dims, H, k, 0, j)
    return total


@njit(cache=True, error_model="numpy")
def log_thickness_stretch(lam: float, mu: float, log_area_ratio: float) -> float:
    """Solve S₃₃ = 0 of the neo-Hookean law for y = ln F₃₃: μ (e^{2y} − 1) + λ (ln j + y) = 0, j = det F.

    The function is convex in y, so Newton from y = 0 (whose first step is the linear-elastic answer) approaches the root
    monotonically after one step. NaN where no equilibrium thickness exists (j ≤ 0; λ < 0 at strong compression).
    """
    y = 0.0
    for _ in range(MAX_ITERATIONS):
        excess = math.expm1(2.0 * y)
        slope = 2.0 * mu * (1.0 + excess) + lam
        if not slope > 0.0:
            return math.nan
        step = (mu * excess + lam * (log_area_ratio + y)) / slope
        y -= step
        if abs(step) < TOLERANCE:
            return y
    return math.nan


@formula
def _neo_hookean(law, change):  # type: ignore[no-untyped-def]
    """(μ − a, a, λ') of P = μ F − a F⁻ᵀ and A = μ δδ + a F⁻ᵀF⁻ᵀ + λ' F⁻ᵀ ⊗ F⁻ᵀ at det F − 1; NaN where det F <= 0."""
    if not change > -1.0:
        return math.nan, math.nan, math.nan
    log_j = math.log1p(change)
    if law.free_thickness == 0.0:
        return law.lam * log_j, law.mu - law.lam * log_j, law.lam
    excess = math.expm1(2.0 * log_thickness_stretch(law.lam, law.mu, log_j))
    square = 1.0 + excess
    return -law.mu * excess, law.mu * square, 2.0 * law.mu * law.lam * square / (2.0 * law.mu * square + law.lam)


@formula
def neo_hookean_energy(law, dims, H, k):  # type: ignore[no-untyped-def]
    """Energy μ/2 (tr C − 3) − μ ln J + λ/2 (ln J)²."""
    d, change, squares = len(dims), volume_change(dims, H, k), 0.0
    if not change > -1.0:
        return math.nan
    for i in range(d):
        for j in range(d):
            squares += entry(dims, H, k, i, j) * entry(dims, H, k, i, j)
    log_j = math.log1p(change)
    y = 0.0 if law.free_thickness == 0.0 else log_thickness_stretch(law.lam, law.mu, log_j)
    strain = 2.0 * (_trace(dims, H, k) - log_j) + squares + math.expm1(2.0 * y) - 2.0 * y
    return 0.5 * law.mu * strain + 0.5 * law.lam * (log_j + y) ** 2


@formula
def neo_hookean_stress(law, dims, H, P, k):  # type: ignore[no-untyped-def]
    """Stress P = μ (F − F⁻ᵀ) + (μ − a) F⁻ᵀ, each part without cancellation at small H."""
    d, change = len(dims), volume_change(dims, H, k)
    volumetric, _, _ = _neo_hookean(law, change)
    r = 1.0 / (1.0 + change)
    for i in range(d):
        for j in range(d):
            one, cofactor = 1.0 if i == j else 0.0, _cofactor(dims, H, k, i, j)
            away = change * one + (1.0 + change) * entry(dims, H, k, i, j) - cofactor
            P[np.uint64((d * i + j) * W + k)] = (law.mu * away + volumetric * (one + cofactor)) * r


@formula
def neo_hookean_moduli(law, dims, H, A, k):  # type: ignore[no-untyped-def]
    """Moduli A = μ δ_im δ_jn + a Y_in Y_mj + λ' Y_ij Y_mn, Y = F⁻ᵀ."""
    d, change = len(dims), volume_change(dims, H, k)
    _, a, effective = _neo_hookean(law, change)
    r = 1.0 / (1.0 + change)
    for i in range(d):
        for j in range(d):
            first = r * (_cofactor(dims, H, k, i, j) + (1.0 if i == j else 0.0))
            for m in range(d):
                for n in range(d):
                    second = r * (_cofactor(dims, H, k, m, n) + (1.0 if m == n else 0.0))
                    value = effective * first * second + (law.mu if i == m and j == n else 0.0)
                    A[_moduli_index(d, i, j, m, n, k)] = value
    for i in range(d):
        for j in range(d):
            first = a * r * (_cofactor(dims, H, k, i, j) + (1.0 if i == j else 0.0))
            for m in range(d):
                for n in range(d):
                    second = r * (_cofactor(dims, H, k, m, n) + (1.0 if m == n else 0.0))
                    A[_moduli_index(d, i, n, m, j, k)] += first * second


LAWS = {
    "st-venant-kirchhoff": Law(st_venant_kirchhoff_stress, st_venant_kirchhoff_moduli, st_venant_kirchhoff_energy),
    "small-strain": Law(small_strain_stress, small_strain_moduli, small_strain_energy),
    "neo-hookean": Law(neo_hookean_stress, neo_hookean_moduli, neo_hookean_energy),
}
"""The laws of ``fem.MATERIALS``, by name."""
