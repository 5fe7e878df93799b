"""Triples of numbers, rotations in space and the wrench of tabulated loads, compiled: the twins of ``frame.rotations``."""

from __future__ import annotations

import numpy as np
from numba import njit

SMALL = 1e-4


@njit(cache=True, error_model="numpy", forceinline=True)
def cross3(a, b):  # type: ignore[no-untyped-def]
    """a × b of two triples."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(cache=True, error_model="numpy", forceinline=True)
def dot(a, b):  # type: ignore[no-untyped-def]
    """a·b of two triples."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def plus(a, b):  # type: ignore[no-untyped-def]
    """a + b of two triples."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def largest(a):  # type: ignore[no-untyped-def]
    """Largest size of three numbers."""
    return max(abs(a[0]), abs(a[1]), abs(a[2]))


@njit(cache=True, error_model="numpy", forceinline=True)
def triple(a, first):  # type: ignore[no-untyped-def]
    """Three entries of an array."""
    return a[first], a[first + 1], a[first + 2]


@njit(cache=True, error_model="numpy", forceinline=True)
def times(A, b):  # type: ignore[no-untyped-def]
    """A b of a matrix (3, 3) and a triple."""
    return (
        A[0, 0] * b[0] + A[0, 1] * b[1] + A[0, 2] * b[2],
        A[1, 0] * b[0] + A[1, 1] * b[1] + A[1, 2] * b[2],
        A[2, 0] * b[0] + A[2, 1] * b[1] + A[2, 2] * b[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def at(P, i, c):  # type: ignore[no-untyped-def]
    """Three entries from column ``c`` of a row (cheaper than a view)."""
    return P[i, c], P[i, c + 1], P[i, c + 2]


@njit(cache=True, error_model="numpy", forceinline=True)
def put(P, i, c, b):  # type: ignore[no-untyped-def]
    """Write the three entries from column ``c`` of a row."""
    P[i, c], P[i, c + 1], P[i, c + 2] = b


@njit(cache=True, error_model="numpy", forceinline=True)
def times_at(P, i, c, b):  # type: ignore[no-untyped-def]
    """A b of the matrix (3, 3) from column ``c`` of a point's row."""
    return (
        P[i, c] * b[0] + P[i, c + 1] * b[1] + P[i, c + 2] * b[2],
        P[i, c + 3] * b[0] + P[i, c + 4] * b[1] + P[i, c + 5] * b[2],
        P[i, c + 6] * b[0] + P[i, c + 7] * b[1] + P[i, c + 8] * b[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def back_at(P, i, c, b):  # type: ignore[no-untyped-def]
    """Aᵀ b of the matrix (3, 3) from column ``c`` of a point's row."""
    return (
        P[i, c] * b[0] + P[i, c + 3] * b[1] + P[i, c + 6] * b[2],
        P[i, c + 1] * b[0] + P[i, c + 4] * b[1] + P[i, c + 7] * b[2],
        P[i, c + 2] * b[0] + P[i, c + 5] * b[1] + P[i, c + 8] * b[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def back(A, b):  # type: ignore[no-untyped-def]
    """Aᵀ b of a matrix (3, 3) and a triple."""
    return (
        A[0, 0] * b[0] + A[1, 0] * b[1] + A[2, 0] * b[2],
        A[0, 1] * b[0] + A[1, 1] * b[1] + A[2, 1] * b[2],
        A[0, 2] * b[0] + A[1, 2] * b[1] + A[2, 2] * b[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def product(a, b, out):  # type: ignore[no-untyped-def]
    """Write A B (3, 3)."""
    for i in range(3):
        put(out, i, 0, back(b, at(a, i, 0)))


@njit(cache=True, error_model="numpy", forceinline=True)
def turned_tensor(Q, tensor, half, out):  # type: ignore[no-untyped-def]
    """Write Q A Qᵀ (3, 3)."""
    product(Q, tensor, half)
    for i in range(3):
        put(out, i, 0, times(Q, at(half, i, 0)))


@njit(cache=True, error_model="numpy", forceinline=True)
def momentum(inertia, Q, spin):  # type: ignore[no-untyped-def]
    """h = QJQᵀΩ."""
    return times(Q, times(inertia, back(Q, spin)))


@njit(cache=True, error_model="numpy", forceinline=True)
def series(turn, a, b, out):  # type: ignore[no-untyped-def]
    """Write 1 + a hat(Θ) + b hat(Θ)²."""
    x, y, z = turn
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - b * (y * y + z * z), b * x * y - a * z, b * x * z + a * y
    out[1, 0], out[1, 1], out[1, 2] = b * x * y + a * z, 1.0 - b * (x * x + z * z), b * y * z - a * x
    out[2, 0], out[2, 1], out[2, 2] = b * x * z - a * y, b * y * z + a * x, 1.0 - b * (x * x + y * y)


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy", forceinline=True)
def turn_of(history, spin, tau):  # type: ignore[no-untyped-def]
    """Θ = Θ* + τ (Ω − ½ Θ × Ω), and c = ½ τ Ω, of which (1 − hat c)⁻¹ = (1 + hat c + c cᵀ)/(1 + c²)."""
    c = (0.5 * tau * spin[0], 0.5 * tau * spin[1], 0.5 * tau * spin[2])
    b = (history[0] + tau * spin[0], history[1] + tau * spin[1], history[2] + tau * spin[2])
    across, along, size = cross3(c, b), dot(c, b), 1.0 + dot(c, c)
    turn = (
        (b[0] + across[0] + along * c[0]) / size,
        (b[1] + across[1] + along * c[1]) / size,
        (b[2] + across[2] + along * c[2]) / size,
    )
    return turn, c


@njit(cache=True, error_model="numpy")
def attitude(start, history, spin, tau, linear, Q, T):  # type: ignore[no-untyped-def]
    """Write Q and T after Θ = Θ* + τ (Ω − ½ Θ × Ω) from ``start``."""
    turn, c = turn_of(history, spin, tau)
    rotation, factor, right = linear.first, linear.second, linear.third
    first, second = exponential(turn, rotation)
    product(rotation, start, Q)
    series(turn, first, second, factor)  # dexp(Θ)
    series(c, 1.0, 1.0, right)
    share = tau / (1.0 + dot(c, c))
    for i in range(3):
        right[i, i] += dot(c, c)
        for j in range(3):
            right[i, j] *= share
    product(factor, right, rotation)
    series((-0.5 * turn[0], -0.5 * turn[1], -0.5 * turn[2]), 1.0, 0.0, right)
    product(rotation, right, T)


@njit(cache=True, error_model="numpy", forceinline=True)
def minus(a, b):  # type: ignore[no-untyped-def]
    """a − b of two triples."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def scaled(c, a):  # type: ignore[no-untyped-def]
    """c a of a number and a triple."""
    return c * a[0], c * a[1], c * a[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def add_outer(G, a, f):  # type: ignore[no-untyped-def]
    """Add a ⊗ f to a matrix (3, 3)."""
    for b in range(3):
        put(G, b, 0, (G[b, 0] + a[b] * f[0], G[b, 1] + a[b] * f[1], G[b, 2] + a[b] * f[2]))


@njit(cache=True, error_model="numpy", forceinline=True)
def couple_of(couple, Q, out):  # type: ignore[no-untyped-def]
    """Write Σ QX ⊗ f (3, 3); return its moment (3,)."""
    product(Q, couple, out)
    return out[1, 2] - out[2, 1], out[2, 0] - out[0, 2], out[0, 1] - out[1, 0]
