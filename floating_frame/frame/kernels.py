"""Compiled sums over nodes. They run in one thread and in the order of the nodes, so results are the same bits in every run.

(A BLAS dot product of this size waits for threads that the sparse solver keeps spinning, which costs more than the sum.)
"""

from __future__ import annotations

from numba import njit


@njit(cache=True, error_model="numpy")
def dot(a, b):  # type: ignore[no-untyped-def]
    """Σ_i a_i·b_i of two nodal fields (N, 2)."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i, 0] * b[i, 0] + a[i, 1] * b[i, 1]
    return total


@njit(cache=True, error_model="numpy")
def cross_sum(a, b):  # type: ignore[no-untyped-def]
    """Σ_i a_i × b_i of two nodal fields (N, 2)."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i, 0] * b[i, 1] - a[i, 1] * b[i, 0]
    return total


@njit(cache=True, error_model="numpy")
def weighted_sum(weights, field):  # type: ignore[no-untyped-def]
    """Σ_i w_i f_i, both components, of nodal weights (N,) and a nodal field (N, 2)."""
    x, y = 0.0, 0.0
    for i in range(field.shape[0]):
        x += weights[i] * field[i, 0]
        y += weights[i] * field[i, 1]
    return x, y


@njit(cache=True, error_model="numpy")
def resultant_sums(forces, position, about):  # type: ignore[no-untyped-def]
    """Σ_i f_i, both components, and Σ_i (x_i − about) × f_i of nodal fields (N, 2)."""
    x, y, moment = 0.0, 0.0, 0.0
    for i in range(forces.shape[0]):
        x += forces[i, 0]
        y += forces[i, 1]
        moment += (position[i, 0] - about[0]) * forces[i, 1] - (position[i, 1] - about[1]) * forces[i, 0]
    return x, y, moment


@njit(cache=True, error_model="numpy")
def moment_sums(indptr, indices, data, nodal, weighted, x, v, a):  # type: ignore[no-untyped-def]
    """The numbers of ``moments.Moments`` in its order, of a CSR mass, ``nodal`` M 1 (N,), ``weighted`` M X and x, v, a (N, 2)."""
    total, cx, cy, vx, vy, ax, ay = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(x.shape[0]):
        m = nodal[i]
        total += m
        cx += m * x[i, 0]
        cy += m * x[i, 1]
        vx += m * v[i, 0]
        vy += m * v[i, 1]
        ax += m * a[i, 0]
        ay += m * a[i, 1]
    cx, cy = cx / total, cy / total
    x_dot, x_cross, v_dot, v_cross, a_dot, a_cross = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    yy, yv, cross_yv, cross_ya = 0.0, 0.0, 0.0, 0.0
    for i in range(x.shape[0]):
        y1, y2, w1, w2 = x[i, 0] - cx, x[i, 1] - cy, weighted[i, 0], weighted[i, 1]
        m1, m2 = 0.0, 0.0
        for p in range(indptr[i], indptr[i + 1]):
            m1 += data[p] * (x[indices[p], 0] - cx)
            m2 += data[p] * (x[indices[p], 1] - cy)
        x_dot += w1 * y1 + w2 * y2
        x_cross += w1 * y2 - w2 * y1
        v_dot += w1 * v[i, 0] + w2 * v[i, 1]
        v_cross += w1 * v[i, 1] - w2 * v[i, 0]
        a_dot += w1 * a[i, 0] + w2 * a[i, 1]
        a_cross += w1 * a[i, 1] - w2 * a[i, 0]
        yy += m1 * y1 + m2 * y2
        yv += m1 * v[i, 0] + m2 * v[i, 1]
        cross_yv += m1 * v[i, 1] - m2 * v[i, 0]
        cross_ya += m1 * a[i, 1] - m2 * a[i, 0]
    return (
        cx, cy, vx / total, vy / total, ax / total, ay / total, x_dot, x_cross, v_dot, v_cross, a_dot, a_cross,
        yy, yv, cross_yv, cross_ya,
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def unbalanced(indptr, indices, data, a, internal, load, theta, out):  # type: ignore[no-untyped-def]
    """Write M a − θ f − load (N, 2) into out; return the largest entries of f, M a and the load."""
    largest, inertia, loaded = 0.0, 0.0, 0.0
    for i in range(a.shape[0]):
        x, y = 0.0, 0.0
        for p in range(indptr[i], indptr[i + 1]):
            x += data[p] * a[indices[p], 0]
            y += data[p] * a[indices[p], 1]
        fx, fy, lx, ly = internal[i, 0], internal[i, 1], load[i, 0], load[i, 1]
        out[i, 0], out[i, 1] = x - theta * fx - lx, y - theta * fy - ly
        largest = max(largest, abs(fx), abs(fy))
        inertia = max(inertia, abs(x), abs(y))
        loaded = max(loaded, abs(lx), abs(ly))
    return largest, inertia, loaded


@njit(cache=True, error_model="numpy")
def product(indptr, indices, data, field, out):  # type: ignore[no-untyped-def]
    """Write the product of a CSR matrix with a nodal field (N, 2) into out."""
    for i in range(out.shape[0]):
        x, y = 0.0, 0.0
        for p in range(indptr[i], indptr[i + 1]):
            x += data[p] * field[indices[p], 0]
            y += data[p] * field[indices[p], 1]
        out[i, 0], out[i, 1] = x, y
