"""Compiled laws: energy W, stress P = ∂W/∂F and moduli A = ∂P/∂F at H = F − 1, so that small strains lose no digits.

A law is its parameters and three functions of one point, generic in d = 2, 3 where the law is written for both,

    energy(p, dims, H) -> W        stress(p, dims, H, P)        moduli(p, dims, H, A)

p the parameters (a tuple), dims a tuple of length d (which the compiler knows), H and P (d, d), A (d, d, d, d). Element loops
call a ``block`` of them by its address, for ``LANES`` points abreast. In the plane a law written for space alone is evaluated at

    F₃₃ = 1                                                         in plane strain,
    F₃₃ = e^y with P₃₃ = 0, by Newton in y: (P₃₃F₃₃)' = P₃₃F₃₃ + A₃₃₃₃F₃₃²          in plane stress,

with A_ij33 condensed out, A_ijkl − A_ij33 A_33kl / A_3333; it has no shear across the plane there, as isotropic laws have not.
Sources: Holzapfel, Nonlinear Solid Mechanics (2000), section 6.5; Bonet & Wood (2008), section 6.4.3.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import carray, cfunc, njit
from numba.extending import overload, register_jitable

from fem.kernels.abreast import BLOCK, LANES, call, in_rows

ENERGY, STRESS, MODULI, THICKNESS = range(4)
"""What a block writes behind H: W, P, A, or F₃₃."""
TOLERANCE = 1e-10
"""Last change of y = ln F₃₃; the error then left is its square."""
MAX_ITERATIONS = 60

formula = register_jitable(error_model="numpy", forceinline=True)
"""Makes a function of one point one that compiled code calls."""


class Law(NamedTuple):
    """Hold a law's functions.

    Parameters
    ----------
    energy, stress, moduli : Callable
        See the head of this file.
    in_plane : bool
        They take d = 2 as well, with the parameters that the material has in its plane; else they are evaluated with d = 3.
    """

    energy: Callable[..., Any]
    stress: Callable[..., Any]
    moduli: Callable[..., Any]
    in_plane: bool = False


@formula
def _trace(dims, H):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(dims)):
        total += H[i, i]
    return total


@formula
def _twice_green(dims, H, i, j):  # type: ignore[no-untyped-def]
    """Return 2 E_ij."""
    total = H[i, j] + H[j, i]
    for m in range(len(dims)):
        total += H[m, i] * H[m, j]
    return total


@formula
def _green_trace(dims, H):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(dims)):
        for m in range(len(dims)):
            total += H[m, i] * H[m, i]
    return 0.5 * total + _trace(dims, H)


@formula
def _second_piola(p, dims, H, spherical, i, j):  # type: ignore[no-untyped-def]
    """Return S_ij = λ tr E δ_ij + 2 μ E_ij; ``spherical``: λ tr E."""
    return p[1] * _twice_green(dims, H, i, j) + (spherical if i == j else 0.0)


@formula
def _deformation(H, i, j):  # type: ignore[no-untyped-def]
    """Return F_ij."""
    return H[i, j] + (1.0 if i == j else 0.0)


@formula
def st_venant_kirchhoff_energy(p, dims, H):  # type: ignore[no-untyped-def]
    """Return λ/2 (tr E)² + μ E:E."""
    d, squares, trace = len(dims), 0.0, _green_trace(dims, H)
    for i in range(d):
        for j in range(d):
            squares += _twice_green(dims, H, i, j) ** 2
    return 0.5 * p[0] * trace * trace + 0.25 * p[1] * squares


@formula
def st_venant_kirchhoff_stress(p, dims, H, P):  # type: ignore[no-untyped-def]
    """Write F S."""
    d, spherical = len(dims), p[0] * _green_trace(dims, H)
    for j in range(d):
        a, b = _second_piola(p, dims, H, spherical, 0, j), _second_piola(p, dims, H, spherical, 1, j)
        c = _second_piola(p, dims, H, spherical, d - 1, j)
        for i in range(d):
            turned = H[i, 0] * a + H[i, 1] * b + (H[i, 2] * c if d == 3 else 0.0)
            P[i, j] = (a if i == 0 else b if i == 1 else c) + turned


@formula
def st_venant_kirchhoff_moduli(p, dims, H, A):  # type: ignore[no-untyped-def]
    """Write δ_ik S_jl + μ (F Fᵀ)_ik δ_jl + λ F_ij F_kl + μ F_il F_kj."""
    d, spherical = len(dims), p[0] * _green_trace(dims, H)
    for i in range(d):
        for j in range(d):
            for k in range(d):
                for l in range(d):  # noqa: E741
                    both = p[0] * _deformation(H, i, j) * _deformation(H, k, l)
                    A[i, j, k, l] = both + p[1] * _deformation(H, i, l) * _deformation(H, k, j)
    for i in range(d):
        for k in range(d):
            square = 0.0
            for q in range(d):
                square += _deformation(H, i, q) * _deformation(H, k, q)
            for j in range(d):
                A[i, j, k, j] += p[1] * square
                A[j, i, j, k] += _second_piola(p, dims, H, spherical, i, k)


@formula
def small_strain_energy(p, dims, H):  # type: ignore[no-untyped-def]
    """Return λ/2 (tr ε)² + μ ε:ε."""
    d, squares, trace = len(dims), 0.0, _trace(dims, H)
    for i in range(d):
        for j in range(d):
            squares += (H[i, j] + H[j, i]) ** 2
    return 0.5 * p[0] * trace * trace + 0.25 * p[1] * squares


@formula
def small_strain_stress(p, dims, H, P):  # type: ignore[no-untyped-def]
    """Write λ tr ε 1 + 2 μ ε."""
    d, spherical = len(dims), p[0] * _trace(dims, H)
    for i in range(d):
        for j in range(d):
            P[i, j] = p[1] * (H[i, j] + H[j, i]) + (spherical if i == j else 0.0)


@formula
def small_strain_moduli(p, dims, H, A):  # type: ignore[no-untyped-def]
    """Write λ δ_ij δ_kl + μ (δ_ik δ_jl + δ_il δ_jk)."""
    d = len(dims)
    for i in range(d):
        for j in range(d):
            for k in range(d):
                for l in range(d):  # noqa: E741
                    value = p[0] if i == j and k == l else 0.0
                    value += p[1] if i == k and j == l else 0.0
                    A[i, j, k, l] = value + (p[1] if i == l and j == k else 0.0)


@formula
def _cofactor(dims, H, i, j):  # type: ignore[no-untyped-def]
    """Return the cofactor of F_ij less δ_ij: Σ_{m ≠ i} H_mm δ_ij, or −H_ji, and the cofactor of H_ij in space; none cancel."""
    total = -H[j, i] if i != j else 0.0
    for m in range(len(dims)):
        total += H[m, m] if i == j and m != i else 0.0
    if len(dims) == 3:
        p, q, r, s = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
        total += H[p, r] * H[q, s] - H[p, s] * H[q, r]
    return total


@formula
def volume_change(dims, H):  # type: ignore[no-untyped-def]
    """Return det F − 1."""
    total = H[0, 0] + _cofactor(dims, H, 0, 0)
    for j in range(len(dims)):
        total += H[0, j] * _cofactor(dims, H, 0, j)
    return total


@njit(cache=True, error_model="numpy")
def log_thickness_stretch(lam: float, mu: float, log_area_ratio: float) -> float:
    """Solve S₃₃ = 0 of the neo-Hookean law for y = ln F₃₃: μ (e^{2y} − 1) + λ (ln j + y) = 0, j = det F.

    The function is convex in y, so Newton from y = 0 (whose first step is the linear-elastic answer)
    approaches the root monotonically after one step. NaN where no equilibrium thickness exists (j ≤ 0; λ <
    0 at strong compression).
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
def _neo_hookean(p, change):  # type: ignore[no-untyped-def]
    """Return (μ − a, a, λ') of P = μ F − a F⁻ᵀ and A = μ δδ + a F⁻ᵀF⁻ᵀ + λ' F⁻ᵀ ⊗ F⁻ᵀ at det F − 1; NaN where det F <= 0."""
    if not change > -1.0:
        return math.nan, math.nan, math.nan
    log_j = math.log1p(change)
    if p[2] == 0.0:
        return p[0] * log_j, p[1] - p[0] * log_j, p[0]
    excess = math.expm1(2.0 * log_thickness_stretch(p[0], p[1], log_j))
    square = 1.0 + excess
    return -p[1] * excess, p[1] * square, 2.0 * p[1] * p[0] * square / (2.0 * p[1] * square + p[0])


@formula
def neo_hookean_energy(p, dims, H):  # type: ignore[no-untyped-def]
    """Return μ/2 (tr C − 3) − μ ln J + λ/2 (ln J)²; p = (λ, μ, 1 in plane stress and else 0)."""
    d, change, squares = len(dims), volume_change(dims, H), 0.0
    if not change > -1.0:
        return math.nan
    for i in range(d):
        for j in range(d):
            squares += H[i, j] * H[i, j]
    log_j = math.log1p(change)
    y = 0.0 if p[2] == 0.0 else log_thickness_stretch(p[0], p[1], log_j)
    strain = 2.0 * (_trace(dims, H) - log_j) + squares + math.expm1(2.0 * y) - 2.0 * y
    return 0.5 * p[1] * strain + 0.5 * p[0] * (log_j + y) ** 2


@formula
def neo_hookean_stress(p, dims, H, P):  # type: ignore[no-untyped-def]
    """Write μ (F − F⁻ᵀ) + (μ − a) F⁻ᵀ, each part without cancellation at small H."""
    d, change = len(dims), volume_change(dims, H)
    volumetric, _, _ = _neo_hookean(p, change)
    r = 1.0 / (1.0 + change)
    for i in range(d):
        for j in range(d):
            one, cofactor = 1.0 if i == j else 0.0, _cofactor(dims, H, i, j)
            away = change * one + (1.0 + change) * H[i, j] - cofactor
            P[i, j] = (p[1] * away + volumetric * (one + cofactor)) * r


@formula
def neo_hookean_moduli(p, dims, H, A):  # type: ignore[no-untyped-def]
    """Write μ δ_ik δ_jl + a Y_il Y_kj + λ' Y_ij Y_kl, Y = F⁻ᵀ."""
    d, change = len(dims), volume_change(dims, H)
    _, a, effective = _neo_hookean(p, change)
    r = 1.0 / (1.0 + change)
    for i in range(d):
        for j in range(d):
            first = r * (_cofactor(dims, H, i, j) + (1.0 if i == j else 0.0))
            for k in range(d):
                for l in range(d):  # noqa: E741
                    second = r * (_cofactor(dims, H, k, l) + (1.0 if k == l else 0.0))
                    A[i, j, k, l] = effective * first * second + (p[1] if i == k and j == l else 0.0)
    for i in range(d):
        for j in range(d):
            first = a * r * (_cofactor(dims, H, i, j) + (1.0 if i == j else 0.0))
            for k in range(d):
                for l in range(d):  # noqa: E741
                    A[i, l, k, j] += first * r * (_cofactor(dims, H, k, l) + (1.0 if k == l else 0.0))


def _as_tuple(numbers: Any, like: Any) -> Any:
    """Return the last numbers of an array as a tuple as long as ``like``."""


@overload(_as_tuple)
def _(numbers, like):  # type: ignore[no-untyped-def]
    if len(like) == 0:
        return lambda numbers, like: ()
    return lambda numbers, like: (numbers[len(numbers) - len(like)], *_as_tuple(numbers, like[1:]))


def _point_by_point(kind: int, function: Callable[..., Any], d: int, count: int) -> Callable[..., float]:
    """Return a block's function of a law's ``function`` for d axes, of ``count`` parameters."""
    dims, like = (0,) * d, (0.0,) * count
    gradient, moduli = (d, d, LANES), (d, d, d, d, LANES)

    def block(parameters, gradients, out):  # type: ignore[no-untyped-def]
        p, H = _as_tuple(carray(parameters, (count,)), like), carray(gradients, gradient)
        if kind == ENERGY:
            W = carray(out, (LANES,))
            for k in range(LANES):
                W[k] = function(p, dims, H[:, :, k])
        elif kind == STRESS:
            P = carray(out, gradient)
            for k in range(LANES):
                function(p, dims, H[:, :, k], P[:, :, k])
        else:
            A = carray(out, moduli)
            for k in range(LANES):
                function(p, dims, H[:, :, k], A[:, :, :, :, k])
        return 0.0

    return block


def _condensed(kind: int, law: Law, free: bool, count: int) -> Callable[..., float]:
    """Return a block's function, in the plane, of a ``law`` that is written for space; ``free``: its thickness is."""
    like, dims, (energy, stress, moduli, _) = (0.0,) * count, (0, 0, 0), law

    def block(parameters, gradients, rows):  # type: ignore[no-untyped-def]
        p, given = _as_tuple(carray(parameters, (count,)), like), carray(gradients, (4, LANES))
        out = carray(rows, (16, LANES))
        H, P, A = np.zeros((3, 3)), np.empty((3, 3)), np.empty((3, 3, 3, 3))
        for k in range(LANES):
            for i in range(4):
                H[i // 2, i % 2] = given[i, k]
            y = H[2, 2] = 0.0
            change = 1.0 if free else 0.0
            for _ in range(MAX_ITERATIONS):
                if not abs(change) >= TOLERANCE:
                    break
                stress(p, dims, H, P)
                moduli(p, dims, H, A)
                pull, stretch = P[2, 2] * (1.0 + H[2, 2]), 1.0 + H[2, 2]
                slope = pull + A[2, 2, 2, 2] * stretch * stretch
                change = pull / slope if slope > 0.0 else math.nan
                y -= change
                H[2, 2] = math.expm1(y)
            if abs(change) >= TOLERANCE:
                H[2, 2] = math.nan
            if kind == ENERGY:
                out[0, k] = energy(p, dims, H)
            elif kind == THICKNESS:
                out[0, k] = 1.0 + H[2, 2]
            elif kind == STRESS:
                stress(p, dims, H, P)
                for i in range(4):
                    out[i, k] = P[i // 2, i % 2]
            else:
                moduli(p, dims, H, A)
                for i in range(4):
                    for j in range(4):
                        away = A[i // 2, i % 2, 2, 2] * A[2, 2, j // 2, j % 2] / A[2, 2, 2, 2] if free else 0.0
                        out[4 * i + j, k] = A[i // 2, i % 2, j // 2, j % 2] - away
        return 0.0

    return block


@functools.cache
def block(kind: int, law: Law, d: int, free: bool, count: int) -> Any:
    """Return the compiled block of a law's ``kind`` of values for d axes, whose ``address`` element loops take.

    ``free``: in plane stress, where the law does not take d = 2 itself; ``count``: of its parameters. Blocks of laws from outside
    are compiled in every process: neither their names nor their text are in a cache of this package.
    """
    if d == 3 or (law.in_plane and kind != THICKNESS):
        function = _point_by_point(kind, law[:3][kind], d, count)
    else:
        function = _condensed(kind, law, free, count)
    own = all((each.__module__ or "").startswith("fem.") for each in law[:3])  # None: from text that was executed
    return cfunc(BLOCK, error_model="numpy", cache=own)(function)


@njit(cache=True, error_model="numpy")
def _each(address, parameters, given, out):  # type: ignore[no-untyped-def]
    for n in range(len(given)):
        call(address, parameters.ctypes.data, given[n].ctypes.data, out[n].ctypes.data)


def values(address: int, parameters: np.ndarray, H: np.ndarray, count: int) -> np.ndarray:
    """Return what the block at an address writes, ``count`` numbers a point, (..., count), at H (..., d, d)."""
    points, q = H[..., 0, 0].size, H.shape[-1] ** 2
    given = in_rows(np.asarray(H, float).reshape(points, q)).reshape(-1, q * LANES)
    out = np.empty((len(given), count * LANES))
    _each(address, parameters, given, out)
    found = np.moveaxis(out.reshape(-1, count, LANES), 1, 2).reshape(-1, count)
    return found[:points].reshape(*H.shape[:-2], count)


LAWS = {
    "st-venant-kirchhoff": Law(
        st_venant_kirchhoff_energy, st_venant_kirchhoff_stress, st_venant_kirchhoff_moduli, in_plane=True
    ),
    "small-strain": Law(small_strain_energy, small_strain_stress, small_strain_moduli, in_plane=True),
    "neo-hookean": Law(neo_hookean_energy, neo_hookean_stress, neo_hookean_moduli, in_plane=True),
}
"""The laws of ``fem.MATERIALS``, by name."""
