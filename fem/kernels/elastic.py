"""Compiled element loops: internal force, tangent in a fixed sparsity, strain energy, smallest det F.

All take plain C-contiguous arrays, so that other compiled loops (explicit time integration) can call them:

    u          (N, 2) float64   nodal displacement, m
    nodes      (C, B) int32     the B nodes of each of the C cells
    gradients  (C, Q, B, 2)     ∂φ_b/∂X_J at the Q quadrature points, 1/m
    volumes    (C, Q)           thickness × quadrature weight × area element, m³
    code, parameters            material id (fem/kernels/constitutive.py) and its (λ, μ), Pa

The scatter is serial, in the order of the cells, so results are the same bits in every run. Arrays are C-contiguous and not flagged
read-only (``fem.elastic.for_loops``): each kernel is compiled anew for another kind.

    cells, rest, rotated        what the loops of Q1 cells (fem/kernels/bilinear.py) read beside: their table, ĝ₀ (C, 2), m, and
                                whether ĝ turns with F̄ (fem/elements/hourglass.py)

Forces and tangents of Q1 are in bilinear.py; its one quadrature point sees its mean strain, and fem/elements/hourglass.py adds the
rest of its energy. ``fem.kernels.internal_force`` is that of either.

Numba's cache does not see that a function called from here has changed: after editing this file, bilinear.py or
fem/kernels/constitutive.py delete the __pycache__ folders of fem/ and of whoever calls these kernels from compiled code.
"""

import math

import numpy as np
from numba import njit

from fem.kernels.constitutive import energy, stress, tangent


@njit(cache=True, error_model="numpy", forceinline=True)
def displacement_gradient(u, nodes, gradients, c, q):  # type: ignore[no-untyped-def]
    """Return H₁₁, H₁₂, H₂₁, H₂₂ of H = Σ_b u_b ⊗ ∇φ_b of cell c at its quadrature point q."""
    h11, h12, h21, h22 = 0.0, 0.0, 0.0, 0.0
    for b in range(nodes.shape[1]):
        i = nodes[c, b]
        g1, g2 = gradients[c, q, b, 0], gradients[c, q, b, 1]
        h11 += u[i, 0] * g1
        h12 += u[i, 0] * g2
        h21 += u[i, 1] * g1
        h22 += u[i, 1] * g2
    return h11, h12, h21, h22


@njit(cache=True, error_model="numpy")
def internal_force(  # type: ignore[no-untyped-def]
    u, nodes, gradients, volumes, code, parameters, cells, rest, rotated, out
):  # fmt: skip
    """Write the force that the strained plate exerts on its nodes, −∂U/∂u, into out (N, 2) [N].

    Never raises: where det F ≤ 0 St. Venant-Kirchhoff goes on formally and the neo-Hookean law gives NaN.
    """
    lam, mu = parameters[0], parameters[1]
    out[:] = 0.0
    for c in range(nodes.shape[0]):
        for q in range(gradients.shape[1]):
            h11, h12, h21, h22 = displacement_gradient(u, nodes, gradients, c, q)
            p11, p12, p21, p22 = stress(code, lam, mu, h11, h12, h21, h22)
            v = volumes[c, q]
            for b in range(nodes.shape[1]):
                i = nodes[c, b]
                g1, g2 = v * gradients[c, q, b, 0], v * gradients[c, q, b, 1]
                out[i, 0] -= p11 * g1 + p12 * g2
                out[i, 1] -= p21 * g1 + p22 * g2


@njit(cache=True, error_model="numpy")
def tangent_data(  # type: ignore[no-untyped-def]
    u, nodes, gradients, volumes, code, parameters, cells, rest, rotated, entries, row_length, share, inertia, mass, data
):  # fmt: skip
    """Write ``inertia`` × mass + ``share`` × ∂²U/∂u² into data (nnz,) of the fixed sparsity; ``mass`` (nnz,).

    entries (C, B, B): where the 2 × 2 block of nodes (nodes[c, a], nodes[c, b]) begins in data; row_length
    (N,): entries per row of node i, that is, the distance between the block's two rows.
    """
    lam, mu = parameters[0], parameters[1]
    count = nodes.shape[1]
    block = np.empty((count, count, 4))
    y = np.empty((count, 2))
    for k in range(len(data)):
        data[k] = inertia * mass[k]
    for c in range(nodes.shape[0]):
        block[:] = 0.0
        for q in range(gradients.shape[1]):
            h11, h12, h21, h22 = displacement_gradient(u, nodes, gradients, c, q)
            t11, t12, t22, b11, b12, b22, y11, y12, y21, y22, alpha, beta = tangent(code, lam, mu, h11, h12, h21, h22)
            for b in range(count):
                g1, g2 = gradients[c, q, b, 0], gradients[c, q, b, 1]
                y[b, 0] = y11 * g1 + y12 * g2
                y[b, 1] = y21 * g1 + y22 * g2
            v = share * volumes[c, q]
            va, vb = v * alpha, v * beta
            for b in range(count):
                g1, g2 = v * gradients[c, q, b, 0], v * gradients[c, q, b, 1]
                tg1, tg2 = t11 * g1 + t12 * g2, t12 * g1 + t22 * g2
                for a in range(b + 1):
                    ga1, ga2 = gradients[c, q, a, 0], gradients[c, q, a, 1]
                    geometric = ga1 * tg1 + ga2 * tg2
                    slopes = ga1 * g1 + ga2 * g2
                    block[a, b, 0] += geometric + (va + vb) * y[a, 0] * y[b, 0] + b11 * slopes
                    block[a, b, 1] += va * y[a, 0] * y[b, 1] + vb * y[b, 0] * y[a, 1] + b12 * slopes
                    block[a, b, 2] += va * y[a, 1] * y[b, 0] + vb * y[b, 1] * y[a, 0] + b12 * slopes
                    block[a, b, 3] += geometric + (va + vb) * y[a, 1] * y[b, 1] + b22 * slopes
        for a in range(count):
            stride = row_length[nodes[c, a]]
            for b in range(count):
                e = entries[c, a, b]
                if a <= b:
                    data[e] += block[a, b, 0]
                    data[e + 1] += block[a, b, 1]
                    data[e + stride] += block[a, b, 2]
                    data[e + stride + 1] += block[a, b, 3]
                else:
                    data[e] += block[b, a, 0]
                    data[e + 1] += block[b, a, 2]
                    data[e + stride] += block[b, a, 1]
                    data[e + stride + 1] += block[b, a, 3]


@njit(cache=True, error_model="numpy")
def cell_energies(u, nodes, gradients, volumes, code, parameters, out):  # type: ignore[no-untyped-def]
    """Write the strain energy of each cell into out (C,) [J].

    The caller sums, pairwise, so that an energy balance keeps its digits.
    """
    lam, mu = parameters[0], parameters[1]
    for c in range(nodes.shape[0]):
        total = 0.0
        for q in range(gradients.shape[1]):
            h11, h12, h21, h22 = displacement_gradient(u, nodes, gradients, c, q)
            total += volumes[c, q] * energy(code, lam, mu, h11, h12, h21, h22)
        out[c] = total


@njit(cache=True, error_model="numpy")
def smallest_jacobian(u: np.ndarray, nodes: np.ndarray, gradients: np.ndarray) -> tuple[float, int]:
    """Return min det F over all quadrature points and its cell; (NaN, cell) at the first non-finite one."""
    smallest, where = math.inf, -1
    for c in range(nodes.shape[0]):
        for q in range(gradients.shape[1]):
            h11, h12, h21, h22 = displacement_gradient(u, nodes, gradients, c, q)
            j = 1.0 + (h11 + h22 + h11 * h22 - h12 * h21)
            if not math.isfinite(j):
                return math.nan, c
            if j < smallest:
                smallest, where = j, c
    return smallest, where
