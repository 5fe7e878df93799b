"""Triples of numbers, rotations in space and the wrench of tabulated loads, compiled: the twins of ``frame.rotations``."""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.rigid.newton import INNER

INLINED = INNER | {"forceinline": True}
"""A call hands on dozens of arrays, which costs as much as what it does with a few points."""
SMALL = 1e-4


@njit(**INLINED)
def cross3(a, b):  # type: ignore[no-untyped-def]
    """Return a × b of two triples."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(**INLINED)
def dot(a, b):  # type: ignore[no-untyped-def]
    """Return a·b of two triples."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(**INLINED)
def triple(a, first):  # type: ignore[no-untyped-def]
    """Return three entries of an array."""
    return a[first], a[first + 1], a[first + 2]


@njit(**INLINED)
def row(a, i):  # type: ignore[no-untyped-def]
    """Return a row (3,) of an array; a view of it would cost more than the numbers."""
    return a[i, 0], a[i, 1], a[i, 2]


@njit(**INLINED)
def deep(a, i, j):  # type: ignore[no-untyped-def]
    """Return a row (3,) of matrix ``i``."""
    return a[i, j, 0], a[i, j, 1], a[i, j, 2]


@njit(**INLINED)
def product(a, b, out):  # type: ignore[no-untyped-def]
    """Write A B (3, 3)."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@njit(**INLINED)
def turned_tensor(Q, tensor, half, out):  # type: ignore[no-untyped-def]
    """Write Q A Qᵀ (3, 3)."""
    product(Q, tensor, half)
    for i in range(3):
        for j in range(3):
            out[i, j] = half[i, 0] * Q[j, 0] + half[i, 1] * Q[j, 1] + half[i, 2] * Q[j, 2]


@njit(**INLINED)
def series(turn, a, b, out):  # type: ignore[no-untyped-def]
    """Write 1 + a hat(Θ) + b hat(Θ)²."""
    size = dot(turn, turn)
    for i in range(3):
        for j in range(3):
            out[i, j] = b * turn[i] * turn[j]
        out[i, i] += 1.0 - b * size
    out[0, 1] -= a * turn[2]
    out[1, 0] += a * turn[2]
    out[0, 2] += a * turn[1]
    out[2, 0] -= a * turn[1]
    out[1, 2] -= a * turn[0]
    out[2, 1] += a * turn[0]


@njit(**INLINED)
def exponential(turn, out):  # type: ignore[no-untyped-def]
    """Write exp(hat(Θ)); return the factors of dexp(Θ)."""
    angle2 = dot(turn, turn)
    if angle2 < SMALL * SMALL:
        a, b, c = 1.0 - angle2 / 6.0, 0.5 - angle2 / 24.0, 1.0 / 6.0 - angle2 / 120.0
    else:
        angle = np.sqrt(angle2)
        a, b = np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle2
        c = (1.0 - a) / angle2
    series(turn, a, b, out)
    return b, c


@njit(**INLINED)
def attitude(start, way, spin, tau, frames, q):  # type: ignore[no-untyped-def]
    """Write Q and T, the frames ``q`` and ``q`` + 1, after Θ = Θ* + τ (Ω − ½ Θ × Ω) from ``start``; return Θ."""
    cx, cy, cz = 0.5 * tau * spin[0], 0.5 * tau * spin[1], 0.5 * tau * spin[2]
    c, b = (cx, cy, cz), (way[0] + tau * spin[0], way[1] + tau * spin[1], way[2] + tau * spin[2])
    across, along, size = cross3(c, b), dot(c, b), 1.0 + dot(c, c)
    turn = (
        (b[0] + across[0] + along * cx) / size,
        (b[1] + across[1] + along * cy) / size,
        (b[2] + across[2] + along * cz) / size,
    )
    rotation, left, right = frames[4], frames[5], frames[6]
    first, second = exponential(turn, rotation)
    product(rotation, start, frames[q])
    series(turn, first, second, left)  # dexp(Θ)
    series(c, 1.0, 1.0, right)  # (1 − hat c)⁻¹ = (1 + hat c + c cᵀ)/(1 + c²)
    for i in range(3):
        right[i, i] += dot(c, c)
        for j in range(3):
            right[i, j] *= tau / size
    product(left, right, rotation)
    series((-0.5 * turn[0], -0.5 * turn[1], -0.5 * turn[2]), 1.0, 0.0, right)
    product(rotation, right, frames[q + 1])
    return turn


@njit(**INLINED)
def arms_of(plan, Q, arms):  # type: ignore[no-untyped-def]
    """Write the arms (m, 3) m of the feet."""
    for i in range(arms.shape[0]):
        X = row(plan.feet, i)
        for a in range(3):
            arms[i, a] = dot(row(Q, a), X) if plan.turns else X[a]


@njit(**INLINED)
def couple_of(couple, Q, out):  # type: ignore[no-untyped-def]
    """Write Σ QX ⊗ f (3, 3); return its moment (3,)."""
    product(Q, couple, out)
    return out[1, 2] - out[2, 1], out[2, 0] - out[0, 2], out[0, 1] - out[1, 0]
