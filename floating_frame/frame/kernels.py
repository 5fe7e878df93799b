"""Compiled sums over nodes, and quaternions. Sums run in one thread and in the order of the nodes, so results are the same bits in
every run.

(A BLAS dot product of this size waits for threads that the sparse solver keeps spinning, which costs more than the sum.)
"""

from __future__ import annotations

import math

import numpy as np
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
def resultant_sums(dims, forces, position, about, out):  # type: ignore[no-untyped-def]
    """Write Σ_i f_i and Σ_i (x_i − about) × f_i of nodal fields (N, d) into out (d + r,); ``dims`` (d zeros) tells d to the
    compiler."""
    d = len(dims)
    out[:] = 0.0
    for i in range(forces.shape[0]):
        for j in range(d):
            out[j] += forces[i, j]
            for k in range(j):
                moment = (position[i, k] - about[k]) * forces[i, j] - (position[i, j] - about[j]) * forces[i, k]
                if j - k == 2:  # about the y axis of space, where it is z × x
                    out[4] -= moment
                else:
                    out[2 if d == 2 else 3 + (k + 2) % 3] += moment


@njit(cache=True, error_model="numpy")
def momentum_residual(dims, indptr, indices, data, a, internal, load, theta, out):  # type: ignore[no-untyped-def]
    """Write M a − θ f − load (N, d) into out; return the largest entries of f, M a and the load; ``dims`` (d zeros) tells d to the
    compiler."""
    d, largest, inertia, loaded = len(dims), 0.0, 0.0, 0.0
    for i in range(a.shape[0]):
        x, y, z = 0.0, 0.0, 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = np.uint64(indices[p])
            x += data[p] * a[j, 0]
            y += data[p] * a[j, 1]
            if d == 3:
                z += data[p] * a[j, d - 1]
        for k in range(d):
            whole = x if k == 0 else y if k == 1 else z
            out[i, k] = whole - theta * internal[i, k] - load[i, k]
            largest, inertia = max(largest, abs(internal[i, k])), max(inertia, abs(whole))
            loaded = max(loaded, abs(load[i, k]))
    return largest, inertia, loaded


@njit(cache=True, error_model="numpy")
def product(dims, indptr, indices, data, field, out):  # type: ignore[no-untyped-def]
    """Write the product of a CSR matrix with a nodal field (N, d) into out; ``dims`` (d zeros) tells d to the compiler."""
    d = len(dims)
    for i in range(out.shape[0]):
        x, y, z = 0.0, 0.0, 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = np.uint64(indices[p])
            x += data[p] * field[j, 0]
            y += data[p] * field[j, 1]
            if d == 3:
                z += data[p] * field[j, d - 1]
        out[i, 0], out[i, 1] = x, y
        if d == 3:
            out[i, d - 1] = z


@njit(cache=True, error_model="numpy")
def stage_history(dims, x, v, origin, axes, X, u, w):  # type: ignore[no-untyped-def]
    """Write Qᵀ(x − x0) − X and Qᵀv (N, d) of nodes x, v in axes Q = ``axes`` into u and w; return the largest entries of x and v;
    ``dims`` (d zeros) tells d to the compiler."""
    d, farthest, fastest = len(dims), 0.0, 0.0
    for i in range(x.shape[0]):
        for k in range(d):
            place, rate = 0.0, 0.0
            for j in range(d):
                place += axes[j, k] * (x[i, j] - origin[j])
                rate += axes[j, k] * v[i, j]
            u[i, k], w[i, k] = place - X[i, k], rate
            farthest, fastest = max(farthest, abs(x[i, k])), max(fastest, abs(v[i, k]))
    return farthest, fastest


@njit(cache=True, error_model="numpy")
def predicted_velocity(arriving, acceleration, slip, ground, tau, out):  # type: ignore[no-untyped-def]
    """Write the predicted velocity v* + τ a (N, d) into out; the ground's velocity where it would stop or reverse the slip."""
    for i in range(out.shape[0]):
        onwards = 0.0
        for k in range(out.shape[1]):
            out[i, k] = arriving[i, k] + tau * acceleration[i, k] - ground[k]
            onwards += out[i, k] * slip[i, k]
        for k in range(out.shape[1]):
            out[i, k] = ground[k] + (out[i, k] if onwards > 0.0 else 0.0)


@njit(cache=True, error_model="numpy")
def friction_power(multiplier, slip, power, speed):  # type: ignore[no-untyped-def]
    """Write λ·v (N,) W and |v| (N,) m/s of points into power and speed; return the sum of the powers."""
    total = 0.0
    for i in range(len(power)):
        square, power[i] = 0.0, 0.0
        for k in range(slip.shape[1]):
            power[i] += multiplier[i, k] * slip[i, k]
            square += slip[i, k] * slip[i, k]
        speed[i] = np.sqrt(square)
        total += power[i]
    return total


@njit(cache=True, error_model="numpy")
def stage_kinematics(dims, resting, arriving, velocity, tau_x, tau_v, u, a):  # type: ignore[no-untyped-def]
    """Write u = ``resting`` + τ_x v m and a = (v − ``arriving``)/τ_v m/s² (N, d) of a stage into u and a; ``dims`` (d zeros) tells
    d to the compiler."""
    for i in range(velocity.shape[0]):
        for k in range(len(dims)):
            u[i, k] = resting[i, k] + tau_x * velocity[i, k]
            a[i, k] = (velocity[i, k] - arriving[i, k]) / tau_v


@njit(cache=True, error_model="numpy")
def split_sums(dims, indptr, indices, data, X, u, rate, second, sums, pairs):  # type: ignore[no-untyped-def]
    """Write Σ m_i f_i (K, 3, d) of K fields f = u, u', u'' (K, N, d) and ⟨r⊗r⟩, ⟨r⊗u'⟩, ⟨r⊗u''⟩ (K, 3, d, d), r = X + u, for a CSR
    mass; return Σ m_i, kg.

    ``dims`` (d zeros) tells d to the compiler. One thread, in the order of the nodes."""
    d, total = len(dims), 0.0
    sums[:], pairs[:] = 0.0, 0.0
    image = np.empty(d)
    for row in range(u.shape[0]):
        total = 0.0
        for i in range(X.shape[0]):
            nodal = 0.0
            for j in range(d):
                image[j] = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                nodal += data[p]
                for j in range(d):
                    image[j] += data[p] * (X[indices[p], j] + u[row, indices[p], j])
            total += nodal
            for j in range(d):
                sums[row, 0, j] += nodal * u[row, i, j]
                sums[row, 1, j] += nodal * rate[row, i, j]
                sums[row, 2, j] += nodal * second[row, i, j]
                for k in range(d):
                    pairs[row, 0, k, j] += image[k] * (X[i, j] + u[row, i, j])
                    pairs[row, 1, k, j] += image[k] * rate[row, i, j]
                    pairs[row, 2, k, j] += image[k] * second[row, i, j]
    return total


@njit(cache=True, error_model="numpy")
def write_quaternions(matrices, out):  # type: ignore[no-untyped-def]
    """Write unit quaternions q of rotations (K, 3, 3) into out (K, 4): of 4 q qᵀ the row with the largest diagonal entry."""
    for row in range(len(matrices)):
        m, q, i = matrices[row], out[row], 0
        for j in range(1, 3):
            i = j if m[j, j] > m[i, i] else i
        j, k, trace = (i + 1) % 3, (i + 2) % 3, m[0, 0] + m[1, 1] + m[2, 2]
        across = m[k, j] - m[j, k]
        if trace >= m[i, i]:
            q[0], q[1 + i], q[1 + j], q[1 + k] = 1.0 + trace, across, m[i, k] - m[k, i], m[j, i] - m[i, j]
        else:
            q[0], q[1 + i] = across, 1.0 + m[i, i] - m[j, j] - m[k, k]
            q[1 + j], q[1 + k] = m[j, i] + m[i, j], m[k, i] + m[i, k]
        size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        for a in range(4):
            q[a] /= size
