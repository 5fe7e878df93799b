"""Block functions of a law, which element loops call by their address: energy, stress, moduli, and F₃₃ in plane stress.

The energy of a law without one is the work of the stress along a straight path by ``PATH_POINTS`` Gauss points, to the stretch U
of F = RU for objective laws (and to F for others),

    W = ∫₀¹ P(1 + t (U − 1)) : (U − 1) dt.

In plane stress a law without a form of its own is evaluated in space at

    F₃₃ = e^y with P₃₃ = 0, by Newton in y: (P₃₃F₃₃)' = P₃₃F₃₃ + A₃₃₃₃F₃₃²,

with A_ij33 condensed out, A_ijmn − A_ij33 A_33mn / A_3333. This assumes no transverse shear, as for isotropic laws.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import carray, cfunc, njit
from numba.extending import overload

from fem.kernels.lanes import BLOCK, LANES, call, in_rows
from fem.kernels.laws import MAX_ITERATIONS, TOLERANCE, Law, Moduli, W, formula
from fem.kernels.polar import polar

ENERGY, STRESS, MODULI, THICKNESS = range(4)
"""Results of a block function: W, P, A, or F₃₃."""
PATH_POINTS = 16
"""Gauss points of the work along a path: 1e-10 of it down to stretches of 0.2, for laws like the neo-Hookean one."""
_ABSCISSAE, _SHARES = (tuple(map(float, column)) for column in np.polynomial.legendre.leggauss(PATH_POINTS))


def _as_tuple(numbers: Any, like: Any) -> Any:
    """Last entries of an array as a tuple of the length of ``like``."""


@overload(_as_tuple)
def _(numbers, like):  # type: ignore[no-untyped-def]
    if len(like) == 0:
        return lambda numbers, like: ()
    return lambda numbers, like: (numbers[len(numbers) - len(like)], *_as_tuple(numbers, like[1:]))


def _energy_function(law: Law, objective: bool) -> Callable[..., Any]:
    """Function that writes the energies of a block; ``objective``: rotations are free of force."""
    force: Any = law.force
    energy: Any = law.energy

    @formula
    def closed_form(own, dims, H, out):  # type: ignore[no-untyped-def]
        for k in range(W):
            out[k] = energy(own, dims, H, k)

    @formula
    def by_quadrature(own, dims, H, out):  # type: ignore[no-untyped-def]
        d = len(dims)
        size = d * d
        R, U, L, workspace = np.empty(size * W), H.copy(), np.empty(size * W), np.empty((size + 1) * W)
        if objective:
            polar(dims, objective, H, R, U, L, workspace)
            for i in range(d):
                for k in range(W):
                    U[(d * i + i) * W + k] -= 1.0
        out[:W] = 0.0
        for q in range(PATH_POINTS):
            for i in range(size * W):
                workspace[i] = 0.5 * (1.0 + _ABSCISSAE[q]) * U[i]
            for k in range(W):
                force(own, dims, workspace, R, k)
                for i in range(size):
                    out[k] += 0.5 * _SHARES[q] * R[i * W + k] * U[i * W + k]

    chosen: Callable[..., Any] = by_quadrature if energy is None else closed_form
    return chosen


def _pointwise(kind: int, law: Law, parameters: Any, d: int, objective: bool) -> Callable[..., float]:
    """Block function of a ``law`` for d axes; ``parameters``: the class of its named tuples."""
    dims, rows, count = (0,) * d, (1, d**2, d**4)[kind], len(parameters._fields)
    function, like = (_energy_function(law, objective), law.force, law.tangent)[kind], (0.0,) * count

    def block(numbers, gradients, out):  # type: ignore[no-untyped-def]
        own = parameters(*_as_tuple(carray(numbers, (count,)), like))
        H, written = carray(gradients, (d * d * W,)), carray(out, (rows * W,))
        if kind == ENERGY:
            function(own, dims, H, written)
        else:
            for k in range(W):
                function(own, dims, H, written, k)
        return 0.0

    return block


def _condensed(kind: int, law: Law, parameters: Any, objective: bool) -> Callable[..., float]:
    """Block function of a ``law`` in plane stress, from its form in space."""
    dims, force, tangent, energies = (0, 0, 0), law.force, law.tangent, _energy_function(law, objective)
    count = len(parameters._fields)
    like = (0.0,) * count

    def block(numbers, gradients, rows):  # type: ignore[no-untyped-def]
        own, given = parameters(*_as_tuple(carray(numbers, (count,)), like)), carray(gradients, (4 * W,))
        out, H, P, A = carray(rows, (16 * W,)), np.zeros(9 * W), np.empty(9 * W), np.empty(81 * W)
        for k in range(W):
            for i in range(4):
                H[(3 * (i // 2) + i % 2) * W + k] = given[i * W + k]
            y, change = 0.0, 1.0
            for _ in range(MAX_ITERATIONS):
                if not abs(change) >= TOLERANCE:
                    break
                force(own, dims, H, P, k)
                tangent(own, dims, H, A, k)
                stretch = 1.0 + H[8 * W + k]
                kirchhoff = P[8 * W + k] * stretch
                slope = kirchhoff + A[80 * W + k] * stretch * stretch
                change = kirchhoff / slope if slope > 0.0 else math.nan
                y -= change
                H[8 * W + k] = math.expm1(y)
            if abs(change) >= TOLERANCE:
                H[8 * W + k] = math.nan
            if kind == THICKNESS:
                out[k] = 1.0 + H[8 * W + k]
            elif kind == STRESS:
                force(own, dims, H, P, k)
                for i in range(4):
                    out[i * W + k] = P[(3 * (i // 2) + i % 2) * W + k]
            elif kind == MODULI:
                tangent(own, dims, H, A, k)
                for i in range(4):
                    for j in range(4):
                        row, column = 3 * (i // 2) + i % 2, 3 * (j // 2) + j % 2
                        away = A[(9 * row + 8) * W + k] * A[(72 + column) * W + k] / A[80 * W + k]
                        out[(4 * i + j) * W + k] = A[(9 * row + column) * W + k] - away
        if kind == ENERGY:
            energies(own, dims, H, out)
        return 0.0

    return block


@functools.cache
def block(kind: int, law: Law, parameters: Any, d: int, condensed: bool, objective: bool) -> Any:
    """Compiled block function of a law for d axes; ``kind``: its result. Element loops call it by its ``address``.

    ``parameters``: the class of the law's named tuple; ``condensed``: plane stress, from the form in space; ``objective``:
    rotations are free of force. Functions of registered laws are compiled in every process: the package's cache keeps neither
    their names nor their source.
    """
    function = (
        _condensed(kind, law, parameters, objective) if condensed else _pointwise(kind, law, parameters, d, objective)
    )
    return cfunc(BLOCK, error_model="numpy", cache=parameters is Moduli)(function)


@njit(cache=True, error_model="numpy")
def _call_each(address, parameters, given, out):  # type: ignore[no-untyped-def]
    for n in range(len(given)):
        call(address, parameters.ctypes.data, given[n].ctypes.data, out[n].ctypes.data)


def evaluate(address: int, parameters: np.ndarray, H: np.ndarray, count: int) -> np.ndarray:
    """Results of the block function at an address, ``count`` numbers per point, (..., count), at H (..., d, d)."""
    points, q = H[..., 0, 0].size, H.shape[-1] ** 2
    given = in_rows(np.asarray(H, float).reshape(points, q)).reshape(-1, q * LANES)
    out = np.empty((len(given), count * LANES))
    _call_each(address, parameters, given, out)
    values = np.moveaxis(out.reshape(-1, count, LANES), 1, 2).reshape(-1, count)
    return values[:points].reshape(*H.shape[:-2], count)
