"""Compiled element loops in space: internal force, tangent in a fixed sparsity, strain energy, smallest det F.

Arguments are those of fem/kernels/elastic.py with one axis more, u (N, 3), gradients (C, Q, B, 3), 2 × 2 blocks become 3 × 3;
behind the material the hourglass tables of Q1 (fem/solid/hourglass.py), of no cells for the other elements:

    vectors    (C, 4, 8)        γ_mb of the four modes, -
    stiffness  (C, 12, 12)      K̂, N/m
    rotated                     whether ĝ turns with F̄

The scatter is serial, in the order of the cells: the same bits in every run. After editing this file or one that it calls delete
the __pycache__ folders of fem/ (see fem/kernels/elastic.py).
"""

import math

import numpy as np
from numba import njit

from fem.kernels import response, trilinear
from fem.kernels.response import displacement_gradient, volume_change


@njit(cache=True, error_model="numpy")
def internal_force(  # type: ignore[no-untyped-def]
    u, nodes, gradients, volumes, code, parameters, vectors, stiffness, rotated, out
):  # fmt: skip
    """Write −∂U/∂u into out (N, 3) [N]; where det F ≤ 0 formal values, NaN for neo-Hookean."""
    lam, mu, modes = parameters[0], parameters[1], len(vectors) > 0
    H, S, P, D = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(trilinear.Q)
    out[:] = 0.0
    for c in range(nodes.shape[0]):
        for q in range(gradients.shape[1]):
            displacement_gradient(u, nodes, gradients, c, q, H)
            response.stress(code, lam, mu, H, S, P)
            if modes:
                trilinear.derivative(u, nodes, vectors, stiffness, rotated, c, H, volumes[c, q], P, D)
                for b in range(8):
                    i = nodes[c, b]
                    for k in range(3):
                        total = 0.0
                        for m in range(4):
                            total += vectors[c, m, b] * D[3 * m + k]
                        for J in range(3):
                            total += gradients[c, q, b, J] * D[12 + 3 * k + J]
                        out[i, k] -= total
                continue
            v = volumes[c, q]
            for b in range(nodes.shape[1]):
                i = nodes[c, b]
                g1, g2, g3 = v * gradients[c, q, b, 0], v * gradients[c, q, b, 1], v * gradients[c, q, b, 2]
                for k in range(3):
                    out[i, k] -= P[k, 0] * g1 + P[k, 1] * g2 + P[k, 2] * g3


@njit(cache=True, error_model="numpy")
def _add_point(gradients, c, q, v, alpha, beta, T, b, Y, y, block):  # type: ignore[no-untyped-def]
    """Add v gᵀ A g of one quadrature point to the upper ``block`` (B, B, 3, 3); y (B, 3) is room."""
    count = gradients.shape[2]
    for n in range(count):
        for i in range(3):
            y[n, i] = 0.0
            for J in range(3):
                y[n, i] += Y[i, J] * gradients[c, q, n, J]
    tg, va, vb = np.empty(3), v * alpha, v * beta
    for n in range(count):
        g = gradients[c, q, n]
        for J in range(3):
            tg[J] = v * (T[J, 0] * g[0] + T[J, 1] * g[1] + T[J, 2] * g[2])
        for m in range(n + 1):
            h = gradients[c, q, m]
            geometric = h[0] * tg[0] + h[1] * tg[1] + h[2] * tg[2]
            product = v * (h[0] * g[0] + h[1] * g[1] + h[2] * g[2])
            for i in range(3):
                for k in range(3):
                    block[m, n, i, k] += va * y[m, i] * y[n, k] + vb * y[n, i] * y[m, k] + product * b[i, k]
                block[m, n, i, i] += geometric


@njit(cache=True, error_model="numpy")
def _chained(vectors, gradients, c, share, S, block):  # type: ignore[no-untyped-def]
    """Write the upper ``block`` (8, 8, 3, 3) of a hexahedron from its second derivatives S (21, 21)."""
    right = np.empty((trilinear.Q, 3))
    for n in range(8):
        for r in range(trilinear.Q):
            for k in range(3):
                total = 0.0
                for m in range(4):
                    total += vectors[c, m, n] * S[r, 3 * m + k]
                for J in range(3):
                    total += gradients[c, 0, n, J] * S[r, 12 + 3 * k + J]
                right[r, k] = share * total
        for m in range(n + 1):
            for i in range(3):
                for k in range(3):
                    total = 0.0
                    for a in range(4):
                        total += vectors[c, a, m] * right[3 * a + i, k]
                    for J in range(3):
                        total += gradients[c, 0, m, J] * right[12 + 3 * i + J, k]
                    block[m, n, i, k] = total


@njit(cache=True, error_model="numpy")
def _scatter(block, nodes, entries, row_length, c, data):  # type: ignore[no-untyped-def]
    """Add the upper ``block`` (B, B, 3, 3) of cell c and its transpose to data; symmetric to the bit."""
    count = nodes.shape[1]
    for a in range(count):
        stride = row_length[nodes[c, a]]
        for b in range(count):
            e = entries[c, a, b]
            for i in range(3):
                for k in range(3):
                    if a < b or (a == b and i <= k):
                        data[e + i * stride + k] += block[a, b, i, k]
                    else:
                        data[e + i * stride + k] += block[b, a, k, i]


@njit(cache=True, error_model="numpy")
def tangent_data(  # type: ignore[no-untyped-def]
    u, nodes, gradients, volumes, code, parameters, vectors, stiffness, rotated, entries, row_length, share, inertia, mass, data
):  # fmt: skip
    """Write ``inertia`` × mass + ``share`` × ∂²U/∂u² into data (nnz,) of the fixed sparsity; ``mass`` (nnz,)."""
    count, modes = nodes.shape[1], len(vectors) > 0
    block, y = np.zeros((count, count, 3, 3)), np.empty((count, 3))
    H, T, b, Y = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    S = np.empty((trilinear.Q, trilinear.Q))
    for k in range(len(data)):
        data[k] = inertia * mass[k]
    for c in range(nodes.shape[0]):
        block[:] = 0.0
        for q in range(gradients.shape[1]):
            v = volumes[c, q]
            displacement_gradient(u, nodes, gradients, c, q, H)
            if modes:
                trilinear.second_derivative(u, nodes, vectors, stiffness, rotated, c, H, v, code, parameters, S)
                _chained(vectors, gradients, c, share, S, block)
            else:
                alpha, beta = response.tangent(code, parameters[0], parameters[1], H, T, b, Y)
                _add_point(gradients, c, q, share * v, alpha, beta, T, b, Y, y, block)
        _scatter(block, nodes, entries, row_length, c, data)


@njit(cache=True, error_model="numpy")
def cell_energies(  # type: ignore[no-untyped-def]
    u, nodes, gradients, volumes, code, parameters, vectors, stiffness, rotated, out
):  # fmt: skip
    """Write the strain energy of each cell into out (C,) [J]."""
    H, S = np.empty((3, 3)), np.empty((3, 3))
    for c in range(nodes.shape[0]):
        total = 0.0
        for q in range(gradients.shape[1]):
            displacement_gradient(u, nodes, gradients, c, q, H)
            total += volumes[c, q] * response.energy(code, parameters[0], parameters[1], H, S)
        if len(vectors):
            total += trilinear.hourglass_energy(u, nodes, vectors, stiffness, rotated, c, H)
        out[c] = total


@njit(cache=True, error_model="numpy")
def smallest_jacobian(u: np.ndarray, nodes: np.ndarray, gradients: np.ndarray) -> tuple[float, int]:
    """Return min det F over all quadrature points and its cell; (NaN, cell) at the first non-finite one."""
    smallest, where, H = math.inf, -1, np.empty((3, 3))
    for c in range(nodes.shape[0]):
        for q in range(gradients.shape[1]):
            displacement_gradient(u, nodes, gradients, c, q, H)
            j = 1.0 + volume_change(H)
            if not math.isfinite(j):
                return math.nan, c
            if j < smallest:
                smallest, where = j, c
    return smallest, where
