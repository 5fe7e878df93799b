"""Compiled loops over nodes under contact laws: residual, linearisation, elimination of constrained components.

A node has d components, ``nt`` = ``len(tangs)`` of them along the ground and, where nt < d, one across it. With u its velocity
relative to the ground and g the sum of all other forces, equilibrium makes the contact force on the body p = g. With a
weight r > 0, N s/m, σ = p_n − r u_n and τ = r u_t − g_t the laws are (Alart & Curnier 1991)

    across      UNGUIDED: p_n = 0  GUIDED: u_n = 0      UNILATERAL: p_n = max(0, σ)
    along       −p_t = projection of τ on the disc of radius w = bound + μ max(0, σ)

so that given and unknown normal forces obey one law: a plate's node has no row across and μ = 0. The linearisation constrains
u_n = 0 at closed nodes and u_t = 0 at sticking ones (``constrained``); slip, with n = τ/|τ| and D = r w/(|τ| − w) (1 − n nᵀ), obeys

    g_t + (bound + μ g_n) n + D u_t = 0,      D >= 0, large where |τ| is near w.

``dims`` and ``tangs`` are tuples of lengths d and nt, which the compiler unrolls. Unknowns are d i + a; matrices (indptr, indices,
data) have full d × d node blocks, the node's own beginning at ``own`` (N,) in its rows. ``prescribed`` (N, d): given
components; ``fixed`` (N,): nodes that stick under any force.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from friction.status import FREE, HELD, REVERSED, SLIP, STICK

UNGUIDED, GUIDED, UNILATERAL = range(3)
"""Kinds of the law across the ground."""
CAP = 1e8
"""Bound on the tangent D of friction over r: beyond it slip is parallel to the force to rounding."""


@njit(cache=True, error_model="numpy")
def length(x, y):  # type: ignore[no-untyped-def]
    """√(x² + y²), at a fifth of the cost of hypot, which is used only where squares over- or underflow."""
    square = x * x + y * y
    if 1e-280 < square < 1e280:
        return math.sqrt(square)
    return 0.0 if x == 0.0 and y == 0.0 else math.hypot(x, y)


@njit(cache=True, error_model="numpy")
def tangential_norm(tangs, x, i, prescribed):  # type: ignore[no-untyped-def]
    """Length of the components along the ground of x (N, d) at node i that are not prescribed."""
    first = 0.0 if prescribed[i, 0] else x[i, 0]
    if len(tangs) == 1:
        return abs(first)
    return length(first, 0.0 if prescribed[i, 1] else x[i, 1])


@njit(cache=True, error_model="numpy")
def own_blocks(dims, indptr, indices):  # type: ignore[no-untyped-def]
    """Offset (N,) of each node's own block in its rows; −1 for a node without full blocks."""
    d = len(dims)
    own = np.full((len(indptr) - 1) // d, -1, np.int64)
    for i in range(len(own)):
        first = indptr[d * i]
        width = indptr[d * i + 1] - first
        full = width % d == 0
        for a in range(d):
            start = indptr[d * i + a]
            full = full and indptr[d * i + a + 1] - start == width
            for k in range(width if full else 0):
                full = full and indices[start + k] == d * (indices[first + d * (k // d)] // d) + k % d
        for k in range(0, width if full else 0, d):
            if indices[first + k] == d * i:
                own[i] = k
    return own


@njit(cache=True, error_model="numpy")
def scaling(dims, indptr, data, own, weight, r):  # type: ignore[no-untyped-def]
    """Write r (N,), ``weight`` times the mean size of the diagonal entries of each node's block, 1 where they are 0.

    Sizes, because r also stands for eliminated blocks, which need not be positive definite.
    """
    d = len(dims)
    for i in range(len(own)):
        total = 0.0
        for a in range(d):
            total += abs(data[indptr[d * i + a] + own[i] + a])
        r[i] = weight * (total / d if total > 0.0 else 1.0)


@njit(cache=True, error_model="numpy")
def residual(dims, tangs, u, g, bound, mu, kind, fixed, prescribed, r):  # type: ignore[no-untyped-def]
    """Residuals of the laws, N: (in stick, elsewhere); NaN where something is not finite."""
    d, nt, stick, slip = len(dims), len(tangs), 0.0, 0.0
    for i in range(len(bound)):
        w = bound[i]
        if nt < d and not prescribed[i, nt]:
            across, size = g[i, nt], 0.0
            if kind[i] == UNILATERAL:
                sigma = max(across - r[i] * u[i, nt], 0.0)
                size = abs(across - sigma)
                w += mu[i] * sigma
            elif kind[i] == UNGUIDED:
                size = abs(across)
            if not size < np.inf:
                return np.nan, np.nan
            slip = max(slip, size)
        size = tangential_norm(tangs, g, i, prescribed)
        speed = tangential_norm(tangs, u, i, prescribed)
        if fixed[i]:
            if not size < np.inf:
                return np.nan, np.nan
            continue
        if speed == 0.0 and w > 0.0:
            stick = max(stick, size - w)
        elif w > 0.0:
            pull, size = w / speed, 0.0
            for a in range(nt):
                size = length(size, 0.0 if prescribed[i, a] else g[i, a] + pull * u[i, a])
            slip = max(slip, size)
        else:
            slip = max(slip, size)
        if not size < np.inf:
            return np.nan, np.nan
    return stick, slip


@njit(cache=True, error_model="numpy")
def linearise(dims, tangs, u, g, bound, mu, kind, fixed, prescribed, r, tie, constrained, D, coupling, rhs):  # type: ignore[no-untyped-def]
    """Linearise the laws at u, g (N, d).

    Writes the mask ``constrained`` (N, d) of components that change by ``rhs`` (N, d) or are prescribed; of the others
    D (N, nt, nt), the ``coupling`` (N, nt) μ n to the row across and the right side. A node at rest sticks up to w + ``tie``, so
    that rounding does not release it. Returns the number of nodes brought to rest.
    """
    d, nt, jumps = len(dims), len(tangs), 0
    for i in range(len(bound)):
        w, closed, jumped = bound[i], False, False
        for a in range(nt):
            coupling[i, a] = 0.0
            for b in range(nt):
                D[i, a, b] = 0.0
        if nt < d:
            constrained[i, nt], rhs[i, nt] = prescribed[i, nt], 0.0 if prescribed[i, nt] else -g[i, nt]
            if not prescribed[i, nt] and kind[i] != UNGUIDED:
                sigma = g[i, nt] - r[i] * u[i, nt]
                closed = kind[i] == GUIDED or sigma > 0.0
                if kind[i] == UNILATERAL:
                    w += mu[i] * max(sigma, 0.0)
            if closed:
                constrained[i, nt], rhs[i, nt] = True, -u[i, nt]
                jumped = u[i, nt] != 0.0
        size, rests = 0.0, True
        for a in range(nt):
            size = length(size, 0.0 if prescribed[i, a] else r[i] * u[i, a] - g[i, a])
            rests = rests and (u[i, a] == 0.0 or prescribed[i, a])
        sticks = fixed[i] or (w > 0.0 and size <= (w + tie if rests else w))
        jumps += jumped or (sticks and not rests)
        if not sticks and w == 0.0:
            for a in range(nt):
                constrained[i, a], rhs[i, a] = prescribed[i, a], 0.0 if prescribed[i, a] else -g[i, a]
            continue
        factor = 0.0 if sticks else r[i] * min(w / max(size - w, w / CAP), CAP)
        presses = nt < d and closed and mu[i] > 0.0
        now = bound[i] + mu[i] * g[i, d - 1] if presses else w
        for a in range(nt):
            constrained[i, a] = sticks or prescribed[i, a]
            if constrained[i, a]:
                rhs[i, a] = 0.0 if prescribed[i, a] else -u[i, a]
                continue
            na = (r[i] * u[i, a] - g[i, a]) / size
            rhs[i, a] = -g[i, a] - now * na
            for b in range(nt):
                nb = 0.0 if prescribed[i, b] else (r[i] * u[i, b] - g[i, b]) / size
                D[i, a, b] = 0.0 if prescribed[i, b] else factor * ((a == b) - na * nb)
                rhs[i, a] -= D[i, a, b] * u[i, b]
            if presses:
                coupling[i, a] = mu[i] * na
    return jumps


@njit(cache=True, error_model="numpy")
def eliminate(dims, tangs, indptr, indices, data, own, constrained, D, coupling, couple, r, jump, out, rhs):  # type: ignore[no-untyped-def]
    """Write into ``out`` (nnz,) the matrix + D, rows and columns of ``constrained`` components being r times the identity; into
    ``rhs`` (N, d) the right side, less the columns of constrained components times their ``jump``. Rows along the ground gain the
    ``coupling`` times the row across: in the right side, and in the matrix too where ``couple``."""
    d, nt, one = np.uint64(len(dims)), np.uint64(len(tangs)), np.uint64(1)  # unsigned: see ``sweeps.ONE``
    for i in range(np.uint64(len(own))):
        first, at_own = np.uint64(indptr[d * i]), np.uint64(own[i])
        width = np.uint64(indptr[d * i + one]) - first
        across = first + (d - one) * width
        for a in range(d):
            at = first + a * width
            if constrained[i, a]:
                for k in range(width):
                    out[at + k] = 0.0
                out[at + at_own + a] = r[i]
                rhs[i, a] = r[i] * jump[i, a]
                continue
            total = jump[i, a]
            share = coupling[i, a] if a < nt else 0.0
            for k in range(np.uint64(0), width, d):
                j = np.uint64(indices[at + k]) // d
                for b in range(d):
                    value = data[at + k + b]
                    joint = value + share * data[across + k + b] if share != 0.0 else value
                    if constrained[j, b]:
                        total -= joint * jump[j, b]
                        value = joint = 0.0
                    out[at + k + b] = joint if couple else value
            rhs[i, a] = total
            if a < nt:
                for b in range(nt):
                    out[at + at_own + b] += D[i, a, b]


@njit(cache=True, error_model="numpy")
def coupled_product(dims, tangs, indptr, indices, out, data, constrained, coupling, x, y):  # type: ignore[no-untyped-def]
    """Write into y (dN,) the product with x of the matrix ``out`` of ``eliminate`` plus the ``coupling``, which it lacks."""
    d, nt = len(dims), len(tangs)
    for i in range(len(constrained)):
        first, width, u, v, w = np.uint64(indptr[d * i]), np.uint64(indptr[d * i + 1] - indptr[d * i]), 0.0, 0.0, 0.0
        for k in range(width):  # the rows of a node have the same columns
            at, value = first + k, x[np.uint64(indices[first + k])]
            u += out[at] * value
            v += out[at + width] * value
            if d == 3:
                w += out[at + width + width] * value
        y[d * i], y[d * i + 1] = u, v
        if d == 3:
            y[d * i + d - 1] = w
        coupled = False
        for a in range(nt):
            coupled = coupled or coupling[i, a] != 0.0
        if coupled:
            at, total = indptr[d * i + d - 1], 0.0
            for k in range(0, np.int64(width), d):
                j = indices[at + k] // d
                for b in range(d):
                    if not constrained[j, b]:
                        total += data[at + k + b] * x[d * j + b]
            for a in range(nt):
                if not constrained[i, a]:
                    y[d * i + a] += coupling[i, a] * total


@njit(cache=True, error_model="numpy")
def forces_and_states(dims, tangs, u, g, bound, kind, fixed, prescribed, reference, force, status):  # type: ignore[no-untyped-def]
    """Write the forces −p (N, d) on the ground and the states (N,) of ``friction.result`` of a solution under given bounds, zeros
    of the laws exact.

    In stick −p_t = −g_t, cut to the bound where it exceeds it (by less than the tolerance). Nodes that slip against the
    ``reference`` (N, nt) velocity, where it has rows, are REVERSED.
    """
    d, nt = len(dims), len(tangs)
    for i in range(len(bound)):
        w = bound[i]
        for a in range(d):
            force[i, a] = -g[i, a]
        if nt < d and not prescribed[i, nt] and kind[i] == UNGUIDED:
            force[i, nt] = 0.0
        speed, size, back = tangential_norm(tangs, u, i, prescribed), tangential_norm(tangs, g, i, prescribed), 0.0
        for a in range(nt if len(reference) else 0):
            back += u[i, a] * reference[i, a]
        if fixed[i]:
            status[i] = HELD
        elif w == 0.0:
            status[i] = FREE
            for a in range(nt):
                if not prescribed[i, a]:
                    force[i, a] = 0.0
        elif speed > 0.0:
            status[i] = REVERSED if back < 0.0 else SLIP
            for a in range(nt):
                if not prescribed[i, a]:
                    force[i, a] = w / speed * u[i, a]
        else:
            status[i] = STICK
            if size > w:
                cut = w / size * (1.0 - 4e-16)
                for a in range(nt):
                    if not prescribed[i, a]:
                        force[i, a] *= cut


@njit(cache=True, error_model="numpy")
def rotate_vectors(dims, number, axes, back, field, out):  # type: ignore[no-untyped-def]
    """Write T f, or Tᵀ f where ``back``, into ``out`` (N, d), of a field (N, d), T as in ``rotate_matrix``."""
    d = len(dims)
    for i in range(len(number)):
        for a in range(d):
            if number[i] < 0:
                out[i, a] = field[i, a]
                continue
            t, total = axes[number[i]], 0.0
            for b in range(d):
                total += (t[b, a] if back else t[a, b]) * field[i, b]
            out[i, a] = total


@njit(cache=True, error_model="numpy")
def rotate_matrix(dims, indptr, indices, data, number, axes, out):  # type: ignore[no-untyped-def]
    """Write T K Tᵀ into ``out`` (nnz,), T the ``axes`` (m, d, d) of the nodes with a ``number`` (N,) and 1 where that is −1."""
    d = len(dims)
    half, block = np.empty((d, d)), np.empty((d, d))
    for i in range(len(number)):
        row, width = indptr[d * i], indptr[d * i + 1] - indptr[d * i]
        for k in range(0, width, d):
            j = indices[row + k] // d
            for a in range(d):
                for b in range(d):
                    block[a, b] = data[row + a * width + k + b]
            if number[i] >= 0:
                t = axes[number[i]]
                for a in range(d):
                    for b in range(d):
                        half[a, b] = 0.0
                        for c in range(d):
                            half[a, b] += t[a, c] * block[c, b]
                block[:] = half
            if number[j] >= 0:
                t = axes[number[j]]
                for a in range(d):
                    for b in range(d):
                        half[a, b] = 0.0
                        for c in range(d):
                            half[a, b] += block[a, c] * t[b, c]
                block[:] = half
            for a in range(d):
                for b in range(d):
                    out[row + a * width + k + b] = block[a, b]
