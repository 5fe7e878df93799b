"""Loops over the cells of a mesh, for any dimension, element and law: internal force, tangent in a fixed sparsity, energies.

The arguments of all:

    u             (N, d)      displacement of the nodes, m
    dims, columns, corners    tuples of length d, e = d + M and n, that are known to the compiler: axes, columns of the gradients,
                              nodes of a cell; M is the number of hourglass modes, 0 but for Q1
    offsets, size             first rows of the fields of a block (``lanes.BlockRows``), and the size of all
    law, hourglass            addresses of the block functions (fem/kernels/law_blocks.py, hourglass.py); 0: none
    parameters                parameters of the law
    nodes         (C, n)      int32, nodes of the cells
    gradients     (blocks Q n e W,)   ∂φ_a/∂X_J, 1/m, at the Q quadrature points, then γ_ma of the hourglass modes
    volumes       (blocks Q W,)       thickness × quadrature weight × area element, or weight × volume element, m³
    tables        (blocks M d (M d + 1) W,)    K̂ and ĝ₀ of the hourglass modes

With x = (g, H) the generalised strains of a cell at a point, x_ij = Σ_a u_ai B_aj for B = (∇φ, γ), and y = ∂U/∂x,

    −f_ai = Σ_j y_ij B_aj,    K_ab,im = Σ_jl B_aj D_ij,ml B_bl,    D = ∂y/∂x = V A + (part of fem/kernels/hourglass.py).

The assembly is serial, in the order of the cells, so results are the same bits in every run.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fem.kernels.lanes import ONE, TWO, W, call


@njit(cache=True, error_model="numpy")
def gather(dims, corners, u, nodes, first, count, U):  # type: ignore[no-untyped-def]
    """Nodal displacements (n, d) of ``count`` cells from the ``first`` on, into the rows U."""
    d, n = np.uint64(len(dims)), np.uint64(len(corners))
    for k in range(count):
        for a in range(n):
            node = np.uint64(nodes[first + k, a])
            for i in range(d):
                U[(a * d + i) * W + k] = u[node, i]


@njit(cache=True, error_model="numpy")
def strains(dims, columns, corners, U, B, x):  # type: ignore[no-untyped-def]
    """Generalised strains x (g, H) of a block, from displacements U (n, d) and gradients B (n, e)."""
    d, e, n = np.uint64(len(dims)), np.uint64(len(columns)), np.uint64(len(corners))
    for i in range(d):
        for j in range(e):
            row = ((e - d) * d + i * d + j) * W if j < d else ((j - d) * d + i) * W
            for k in range(W):
                total = 0.0
                for a in range(n):
                    total += U[(a * d + i) * W + k] * B[(a * e + j) * W + k]
                x[row + k] = total


@njit(cache=True, error_model="numpy")
def add_forces(dims, columns, corners, y, B, F):  # type: ignore[no-untyped-def]
    """Add Σ_j y_ij B_aj of a block to the rows F (n, d)."""
    d, e, n = np.uint64(len(dims)), np.uint64(len(columns)), np.uint64(len(corners))
    for a in range(n):
        for i in range(d):
            for k in range(W):
                total = F[(a * d + i) * W + k]
                for j in range(e):
                    row = ((e - d) * d + i * d + j) * W if j < d else ((j - d) * d + i) * W
                    total += y[row + k] * B[(a * e + j) * W + k]
                F[(a * d + i) * W + k] = total


@njit(cache=True, error_model="numpy")
def scatter_forces(dims, corners, F, nodes, first, count, out):  # type: ignore[no-untyped-def]
    """Subtract the rows F (n, d) of ``count`` cells from the ``first`` on at their nodes of out (N, d)."""
    for k in range(count):
        for a in range(np.uint64(len(corners))):
            node = np.uint64(nodes[first + k, a])
            for i in range(np.uint64(len(dims))):
                out[node, i] -= F[(a * len(dims) + i) * W + k]


@njit(cache=True, error_model="numpy")
def internal_force(  # type: ignore[no-untyped-def]
    u, dims, columns, corners, offsets, size, law, hourglass, parameters, nodes, gradients, volumes, tables, out
):  # fmt: skip
    """Internal force −∂U/∂u into out (N, d), N. Never raises: where det F <= 0 the law gives formal values or NaN."""
    d, e, n, C = np.uint64(len(dims)), np.uint64(len(columns)), np.uint64(len(corners)), np.uint64(nodes.shape[0])
    gradient_row, law_row, result_row = np.uint64(offsets[0]), np.uint64(offsets[1]), np.uint64(offsets[2])
    blocks, table = (C + W - ONE) // W, d * (e - d) * (d * (e - d) + ONE) * W
    points = np.uint64(len(volumes)) // (blocks * W)
    U, F, x = np.zeros(n * d * W), np.empty(n * d * W), np.empty(size)
    H, P, y = x[gradient_row * W :], x[law_row * W :], x[result_row * W :]
    out[:] = 0.0
    for block in range(blocks):
        first = block * W
        count = min(W, C - first)
        gather(dims, corners, u, nodes, first, count, U)
        F[:] = 0.0
        for point in range(block * points, (block + ONE) * points):
            B, V = gradients[point * n * e * W :], volumes[point * W :]
            strains(dims, columns, corners, U, B, x)
            call(law, parameters.ctypes.data, H.ctypes.data, P.ctypes.data)
            for r in range(d * d):
                for k in range(W):
                    y[(gradient_row + r) * W + k] = V[k] * P[r * W + k]
            if hourglass != 0:
                call(hourglass, tables[block * table :].ctypes.data, B.ctypes.data, x.ctypes.data)
            add_forces(dims, columns, corners, y, B, F)
        scatter_forces(dims, corners, F, nodes, first, count, out)


@njit(cache=True, error_model="numpy")
def weight_moduli(count, offset, V, A, D):  # type: ignore[no-untyped-def]
    """Weighted moduli V A (d², d²) into D, behind ``offset`` rows and columns of zeros, for the modes."""
    size = offset + count
    D[: size * size * W] = 0.0
    for r in range(count):
        for s in range(count):
            for k in range(W):
                D[((offset + r) * size + offset + s) * W + k] = V[k] * A[(r * count + s) * W + k]


@njit(cache=True, error_model="numpy")
def add_blocks(dims, columns, corners, D, B, T, K):  # type: ignore[no-untyped-def]
    """Add the stiffness B_a · D · B_b to the rows K (a <= b, d, d); T (e d, d): workspace."""
    d, e, n = np.uint64(len(dims)), np.uint64(len(columns)), np.uint64(len(corners))
    at, modes, size = np.uint64(0), e - d, d * e
    for b in range(n):
        for r in range(size):
            for k in range(W):
                for m in range(d):
                    total = 0.0
                    for l in range(modes):  # noqa: E741
                        total += D[(r * size + l * d + m) * W + k] * B[(b * e + d + l) * W + k]
                    for l in range(d):  # noqa: E741
                        total += D[(r * size + (modes + m) * d + l) * W + k] * B[(b * e + l) * W + k]
                    T[(r * d + m) * W + k] = total
        for a in range(b + ONE):
            for i in range(d):
                for k in range(W):
                    for m in range(d):
                        total = K[at + m * W + k]
                        for j in range(modes):
                            total += B[(a * e + d + j) * W + k] * T[((j * d + i) * d + m) * W + k]
                        for j in range(d):
                            total += B[(a * e + j) * W + k] * T[(((modes + i) * d + j) * d + m) * W + k]
                        K[at + m * W + k] = total
                at += d * W


@njit(cache=True, error_model="numpy")
def scatter(dims, corners, share, K, nodes, entries, row_length, first, count, data):  # type: ignore[no-untyped-def]
    """Assemble ``share`` × the blocks K of ``count`` cells, and their transposes, into a sparse matrix, symmetric to the bit."""
    d, n, steps = np.uint64(len(dims)), np.uint64(len(corners)), np.empty(len(corners), np.uint64)
    for k in range(count):
        cell, at = first + k, np.uint64(k)
        for a in range(n):
            steps[a] = row_length[np.uint64(nodes[cell, a])]
        for b in range(n):
            for a in range(b):
                upper, lower = np.uint64(entries[cell, a, b]), np.uint64(entries[cell, b, a])
                for i in range(d):
                    for m in range(d):
                        value = share * K[at + (i * d + m) * W]
                        data[upper + i * steps[a] + m] += value
                        data[lower + m * steps[b] + i] += value
                at += d * d * W
            own = np.uint64(entries[cell, b, b])
            for i in range(d):
                for m in range(i, d):
                    value = share * K[at + (i * d + m) * W]
                    data[own + i * steps[b] + m] += value
                    if i < m:
                        data[own + m * steps[b] + i] += value
            at += d * d * W


@njit(cache=True, error_model="numpy")
def tangent(  # type: ignore[no-untyped-def]
    u, dims, columns, corners, offsets, size, law, hourglass, parameters, nodes, gradients, volumes, tables,
    entries, row_length, share, inertia, mass, data
):  # fmt: skip
    """Tangent ``share`` × ∂²U/∂u² + ``inertia`` × mass into data (nnz,); ``mass`` (nnz,).

    entries (C, n, n): first index in data of the d × d block of the nodes (nodes[c, a], nodes[c, b]); row_length (N,): entries
    per row of node i, the distance from one row of the block to the next.
    """
    d, e, n, C = np.uint64(len(dims)), np.uint64(len(columns)), np.uint64(len(corners)), np.uint64(nodes.shape[0])
    gradient_row, law_row, result_row = np.uint64(offsets[0]), np.uint64(offsets[1]), np.uint64(offsets[2])
    blocks, table = (C + W - ONE) // W, d * (e - d) * (d * (e - d) + ONE) * W
    points = np.uint64(len(volumes)) // (blocks * W)
    U, T, K = np.zeros(n * d * W), np.empty(e * d * d * W), np.empty(n * (n + ONE) // TWO * d * d * W)
    x = np.empty(size)
    H, A, D = x[gradient_row * W :], x[law_row * W :], x[result_row * W :]
    for p in range(np.uint64(len(data))):
        data[p] = inertia * mass[p]
    for block in range(blocks):
        first = block * W
        count = min(W, C - first)
        gather(dims, corners, u, nodes, first, count, U)
        K[:] = 0.0
        for point in range(block * points, (block + ONE) * points):
            B, V = gradients[point * n * e * W :], volumes[point * W :]
            strains(dims, columns, corners, U, B, x)
            call(law, parameters.ctypes.data, H.ctypes.data, A.ctypes.data)
            weight_moduli(d * d, gradient_row, V, A, D)
            if hourglass != 0:
                call(hourglass, tables[block * table :].ctypes.data, B.ctypes.data, x.ctypes.data)
            add_blocks(dims, columns, corners, D, B, T, K)
        scatter(dims, corners, share, K, nodes, entries, row_length, first, count, data)


@njit(cache=True, error_model="numpy")
def cell_energies(  # type: ignore[no-untyped-def]
    u, dims, columns, corners, offsets, size, law, hourglass, parameters, nodes, gradients, volumes, tables, out
):  # fmt: skip
    """Strain energy of each cell into out (C,), J. The caller sums pairwise, so that an energy balance keeps its digits."""
    d, e, n, C = np.uint64(len(dims)), np.uint64(len(columns)), np.uint64(len(corners)), np.uint64(nodes.shape[0])
    gradient_row, law_row, result_row = np.uint64(offsets[0]), np.uint64(offsets[1]), np.uint64(offsets[2])
    blocks, table = (C + W - ONE) // W, d * (e - d) * (d * (e - d) + ONE) * W
    points = np.uint64(len(volumes)) // (blocks * W)
    U, x = np.zeros(n * d * W), np.empty(size)
    H, w, y = x[gradient_row * W :], x[law_row * W :], x[result_row * W :]
    out[:] = 0.0
    for block in range(blocks):
        first = block * W
        count = min(W, C - first)
        gather(dims, corners, u, nodes, first, count, U)
        for point in range(block * points, (block + ONE) * points):
            B, V = gradients[point * n * e * W :], volumes[point * W :]
            strains(dims, columns, corners, U, B, x)
            if law != 0:
                call(law, parameters.ctypes.data, H.ctypes.data, w.ctypes.data)
                for k in range(count):
                    out[first + k] += V[k] * w[k]
            if hourglass != 0:
                call(hourglass, tables[block * table :].ctypes.data, B.ctypes.data, x.ctypes.data)
                for k in range(count):
                    out[first + k] += y[k]
