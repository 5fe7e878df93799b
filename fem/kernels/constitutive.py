"""Compiled material response at one point, in the scalar form that the element loops of kernels.py inline.

Every law is written in the displacement gradient H (H_iJ = ∂u_i/∂X_J, F = 1 + H), so that small strains
lose no digits. A material is an integer code and two parameters; fem/materials.py defines the laws and
holds their NumPy twins.

All tangents have one shape, which is what makes the element loop short:

    A_iJkL = ∂P_iJ/∂F_kL = δ_ik T_JL + b_ik δ_JL + α Y_iJ Y_kL + β Y_iL Y_kJ

    St. Venant-Kirchhoff   T = S     b = μ F Fᵀ   Y = F     α = λ    β = μ
    neo-Hookean            T = μ 1   b = 0        Y = F⁻ᵀ   α = λ'   β = a      (P = μ F − a F⁻ᵀ)
    small strain           T = μ 1   b = 0        Y = 1     α = λ    β = μ
"""

import math

from numba import njit

SVK = 0
SMALL_STRAIN = 1
NEO_HOOKEAN_STRAIN = 2
NEO_HOOKEAN_STRESS = 3

# Newton for the thickness stretch ends on a correction below this; the error then left is its square.
THICKNESS_TOLERANCE = 1e-10
THICKNESS_ITERATIONS = 60


@njit(cache=True, error_model="numpy")
def log_thickness_stretch(lam: float, mu: float, log_area_ratio: float) -> float:
    """Solve S₃₃ = 0 of the neo-Hookean law for y = ln F₃₃: μ (e^{2y} − 1) + λ (ln j + y) = 0, j = det F.

    The function is convex in y, so Newton from y = 0 (whose first step is the linear-elastic answer)
    approaches the root monotonically after one step. NaN where no equilibrium thickness exists (j ≤ 0; λ <
    0 at strong compression).
    """
    y = 0.0
    for _ in range(THICKNESS_ITERATIONS):
        excess = math.expm1(2.0 * y)
        slope = 2.0 * mu * (1.0 + excess) + lam
        if not slope > 0.0:
            return math.nan
        step = (mu * excess + lam * (log_area_ratio + y)) / slope
        y -= step
        if abs(step) < THICKNESS_TOLERANCE:
            return y
    return math.nan


@njit(cache=True, error_model="numpy")
def neo_hookean_coefficients(code: int, lam: float, mu: float, d: float) -> tuple[float, float, float]:
    """Return (μ − a, a, λ') of P = μ F − a F⁻ᵀ and the tangent, at det F = 1 + d; NaN if det F ≤ 0."""
    if not d > -1.0:
        return math.nan, math.nan, math.nan
    log_j = math.log1p(d)
    if code == NEO_HOOKEAN_STRAIN:
        return lam * log_j, mu - lam * log_j, lam
    excess = math.expm1(2.0 * log_thickness_stretch(lam, mu, log_j))
    c2 = 1.0 + excess
    return -mu * excess, mu * c2, 2.0 * mu * lam * c2 / (2.0 * mu * c2 + lam)


@njit(cache=True, error_model="numpy", forceinline=True)
def svk_stress(lam, mu, h11, h12, h21, h22):  # type: ignore[no-untyped-def]
    """``stress`` of St. Venant-Kirchhoff."""
    e11 = h11 + 0.5 * (h11 * h11 + h21 * h21)
    e22 = h22 + 0.5 * (h12 * h12 + h22 * h22)
    s12 = mu * (h12 + h21 + h11 * h12 + h21 * h22)
    trace = lam * (e11 + e22)
    s11 = trace + 2.0 * mu * e11
    s22 = trace + 2.0 * mu * e22
    return (
        s11 + h11 * s11 + h12 * s12,
        s12 + h11 * s12 + h12 * s22,
        s12 + h21 * s11 + h22 * s12,
        s22 + h21 * s12 + h22 * s22,
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def small_strain_stress(lam, mu, h11, h12, h21, h22):  # type: ignore[no-untyped-def]
    """``stress`` at small strains."""
    trace = lam * (h11 + h22)
    shear = mu * (h12 + h21)
    return trace + 2.0 * mu * h11, shear, shear, trace + 2.0 * mu * h22


@njit(cache=True, error_model="numpy")
def neo_hookean_stress(code, lam, mu, h11, h12, h21, h22):  # type: ignore[no-untyped-def]
    """``stress`` P = μ F − a F⁻ᵀ = μ (F − F⁻ᵀ) + (μ − a) F⁻ᵀ, each part without cancellation at small H."""
    d = h11 + h22 + h11 * h22 - h12 * h21
    volumetric, _, _ = neo_hookean_coefficients(code, lam, mu, d)
    r = 1.0 / (1.0 + d)
    return (
        mu * (d + (1.0 + d) * h11 - h22) * r + volumetric * (1.0 + h22) * r,
        mu * ((1.0 + d) * h12 + h21) * r - volumetric * h21 * r,
        mu * ((1.0 + d) * h21 + h12) * r - volumetric * h12 * r,
        mu * (d + (1.0 + d) * h22 - h11) * r + volumetric * (1.0 + h11) * r,
    )


@njit(cache=True, error_model="numpy")
def stress(code, lam, mu, h11, h12, h21, h22):  # type: ignore[no-untyped-def]
    """First Piola-Kirchhoff stress (P₁₁, P₁₂, P₂₁, P₂₂) [Pa] at H."""
    if code == SVK:
        return svk_stress(lam, mu, h11, h12, h21, h22)
    if code == SMALL_STRAIN:
        return small_strain_stress(lam, mu, h11, h12, h21, h22)
    return neo_hookean_stress(code, lam, mu, h11, h12, h21, h22)


@njit(cache=True, error_model="numpy", forceinline=True)
def svk_tangent(lam, mu, h11, h12, h21, h22):  # type: ignore[no-untyped-def]
    """``tangent`` of St. Venant-Kirchhoff."""
    f11 = 1.0 + h11
    f22 = 1.0 + h22
    e11 = h11 + 0.5 * (h11 * h11 + h21 * h21)
    e22 = h22 + 0.5 * (h12 * h12 + h22 * h22)
    trace = lam * (e11 + e22)
    return (
        trace + 2.0 * mu * e11,
        mu * (h12 + h21 + h11 * h12 + h21 * h22),
        trace + 2.0 * mu * e22,
        mu * (f11 * f11 + h12 * h12),
        mu * (f11 * h21 + h12 * f22),
        mu * (h21 * h21 + f22 * f22),
        f11,
        h12,
        h21,
        f22,
        lam,
        mu,
    )


@njit(cache=True, error_model="numpy")
def neo_hookean_tangent(code, lam, mu, h11, h12, h21, h22):  # type: ignore[no-untyped-def]
    """``tangent`` of the neo-Hookean laws."""
    d = h11 + h22 + h11 * h22 - h12 * h21
    _, a, effective = neo_hookean_coefficients(code, lam, mu, d)
    r = 1.0 / (1.0 + d)
    return mu, 0.0, mu, 0.0, 0.0, 0.0, (1.0 + h22) * r, -h21 * r, -h12 * r, (1.0 + h11) * r, effective, a


@njit(cache=True, error_model="numpy")
def tangent(code, lam, mu, h11, h12, h21, h22):  # type: ignore[no-untyped-def]
    """Tangent at H as (T₁₁, T₁₂, T₂₂, b₁₁, b₁₂, b₂₂, Y₁₁, Y₁₂, Y₂₁, Y₂₂, α, β), see the head of this file."""
    if code == SVK:
        return svk_tangent(lam, mu, h11, h12, h21, h22)
    if code == SMALL_STRAIN:
        return mu, 0.0, mu, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, lam, mu
    return neo_hookean_tangent(code, lam, mu, h11, h12, h21, h22)


@njit(cache=True, error_model="numpy")
def energy(code: int, lam: float, mu: float, h11: float, h12: float, h21: float, h22: float) -> float:
    """Strain energy per reference volume [J/m³] at H."""
    if code == SVK:
        e11 = h11 + 0.5 * (h11 * h11 + h21 * h21)
        e22 = h22 + 0.5 * (h12 * h12 + h22 * h22)
        e12 = 0.5 * (h12 + h21 + h11 * h12 + h21 * h22)
    elif code == SMALL_STRAIN:
        e11, e22, e12 = h11, h22, 0.5 * (h12 + h21)
    else:
        d = h11 + h22 + h11 * h22 - h12 * h21
        if not d > -1.0:
            return math.nan
        squares = h11 * h11 + h12 * h12 + h21 * h21 + h22 * h22
        log_j = math.log1p(d)
        y = 0.0
        if code == NEO_HOOKEAN_STRESS:
            y = log_thickness_stretch(lam, mu, log_j)
        twice_e_minus_log = 2.0 * (h11 + h22 - log_j) + squares + math.expm1(2.0 * y) - 2.0 * y
        return 0.5 * mu * twice_e_minus_log + 0.5 * lam * (log_j + y) ** 2
    return 0.5 * lam * (e11 + e22) ** 2 + mu * (e11 * e11 + e22 * e22 + 2.0 * e12 * e12)
