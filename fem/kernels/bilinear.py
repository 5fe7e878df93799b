"""Compiled element loops of four-node quadrilaterals (Q1): mean strain and hourglass modes together, many cells at a time.

The cells go through in blocks of W, which loops without branches can take abreast: displacements are gathered, every quantity of
a cell is worked out in a row of its own, and the results are scattered, cell by cell, so in one order in every run.

The gradients at the centre of opposite corners are opposite, b₂ = −b₀ and b₃ = −b₁. With s = (1, 1, −1, −1), m = (0, 1, 0, 1) and
γ̂_a = s_a γ_a the tangent of fem/elements/hourglass.py and of the mean strain is

    K_ab = s_a s_b (A_{m_a m_b} + γ̂_a E_{m_b} + γ̂_b E_{m_a}ᵀ + γ̂_a γ̂_b G),

A of the mean strain and the angle θ, E of ĝ with θ, G = R̄ K̂ R̄ᵀ: 21 numbers of a cell.
"""

import math

import numpy as np
from numba import njit

from fem.kernels.constitutive import (
    SMALL_STRAIN,
    SVK,
    neo_hookean_stress,
    neo_hookean_tangent,
    small_strain_stress,
    svk_stress,
    svk_tangent,
)
from fem.kernels.elastic import smallest_jacobian as smallest_jacobian

W = 32
"""Cells abreast."""
# A product in a kernel is compiled wherever it stands.
W2, W3, W4, W5, W6, W7, W8, W9, W10, W11 = range(2 * W, 12 * W, W)
ONE, ROW, BLOCK = np.uint64(1), np.uint64(2 * W), np.uint64(4 * W)  # places without a sign need no look at it
ROWS = 12
"""Numbers of a cell in the table: b₀, b₁, γ, K̂₁₁, K̂₁₂, K̂₂₂, volume."""


def table(gradients: np.ndarray, volumes: np.ndarray, vectors: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
    """Return the constants of cells, in blocks of W by quantity; empty without hourglass ``vectors``.

    Parameters
    ----------
    gradients, volumes : ndarray
        (C, 1, 4, 2), 1/m, and (C, 1), m³.
    vectors, stiffness : ndarray
        γ (C, 4), -, and K̂ (C, 2, 2), N/m.
    """
    count = -(-len(vectors) // W)
    rows = np.zeros((ROWS, count * W))
    if count:
        b, k = gradients[:, 0], stiffness
        quantities = (*b[:, 0].T, *b[:, 1].T, *vectors.T, k[:, 0, 0], k[:, 0, 1], k[:, 1, 1], volumes[:, 0])
        rows[:, : len(vectors)] = quantities
    return np.ascontiguousarray(rows.reshape(ROWS, count, W).transpose(1, 0, 2)).ravel()


@njit(cache=True, error_model="numpy")
def _modes(u, nodes, rest, cells, first, count, at, m):  # type: ignore[no-untyped-def]
    """Write H, g and ĝ₀ of ``count`` cells into m (8 W): H̄₁₁, H̄₁₂, H̄₂₁, H̄₂₂, g, ĝ₀."""
    for k in range(count):
        for b in range(4):
            i, o = np.uint64(nodes[first + k, b]), np.uint64(2 * (b * W + k))
            at[o], at[o + ONE] = u[i, 0], u[i, 1]
        m[W6 + k] = rest[first + k, 0]
        m[W7 + k] = rest[first + k, 1]
    _strains(at, cells, m)


@njit(cache=True, error_model="numpy")
def _strains(at, cells, m):  # type: ignore[no-untyped-def]
    """Write H and g from the corners' displacements ``at`` (8 W), pair by pair."""
    for k in range(W):
        x0, y0, x1, y1 = at[2 * k], at[2 * k + 1], at[2 * (k + W)], at[2 * (k + W) + 1]
        x2, y2, x3, y3 = at[2 * (k + W2)], at[2 * (k + W2) + 1], at[2 * (k + W3)], at[2 * (k + W3) + 1]
        px, py, qx, qy = x0 - x2, y0 - y2, x1 - x3, y1 - y3
        b0x, b0y, b1x, b1y = cells[k], cells[k + W], cells[k + W2], cells[k + W3]
        w0, w1, w2, w3 = cells[k + W4], cells[k + W5], cells[k + W6], cells[k + W7]
        m[k] = px * b0x + qx * b1x
        m[k + W] = px * b0y + qx * b1y
        m[k + W2] = py * b0x + qy * b1x
        m[k + W3] = py * b0y + qy * b1y
        m[k + W4] = (w0 * x0 + w1 * x1) + (w2 * x2 + w3 * x3)
        m[k + W5] = (w0 * y0 + w1 * y1) + (w2 * y2 + w3 * y3)


@njit(cache=True, error_model="numpy")
def _stresses(code, lam, mu, m, p):  # type: ignore[no-untyped-def]
    """Write P (4 W) at H; one loop for each law, for the compiler to take abreast what it can."""
    if code == SVK:
        for k in range(W):
            p[k], p[k + W], p[k + W2], p[k + W3] = svk_stress(lam, mu, m[k], m[k + W], m[k + W2], m[k + W3])
    elif code == SMALL_STRAIN:
        for k in range(W):
            p[k], p[k + W], p[k + W2], p[k + W3] = small_strain_stress(lam, mu, m[k], m[k + W], m[k + W2], m[k + W3])
    else:
        for k in range(W):
            p[k], p[k + W], p[k + W2], p[k + W3] = neo_hookean_stress(
                code, lam, mu, m[k], m[k + W], m[k + W2], m[k + W3]
            )


@njit(cache=True, error_model="numpy")
def _forces(cells, m, p, turns, out):  # type: ignore[no-untyped-def]
    """Write −∂U/∂u of the cells' corners into out (8 W), pair by pair; ``turns``: 1 where ĝ = R̄ᵀ g, 0 where ĝ = g."""
    for k in range(W):
        b0x, b0y, b1x, b1y = cells[k], cells[k + W], cells[k + W2], cells[k + W3]
        y0, y1, y2, y3 = cells[k + W4], cells[k + W5], cells[k + W6], cells[k + W7]
        k11, k12, k22, v = cells[k + W8], cells[k + W9], cells[k + W10], cells[k + W11]
        ahead, aside = (1.0 - turns) + turns * (2.0 + m[k] + m[k + W3]), turns * (m[k + W2] - m[k + W])
        inverse = 1.0 / (ahead * ahead + aside * aside)
        r = math.sqrt(inverse)
        c, s = ahead * r, aside * r
        gx, gy = m[k + W4], m[k + W5]
        g1, g2 = c * gx + s * gy, c * gy - s * gx
        d1, d2 = g1 - m[k + W6], g2 - m[k + W7]
        t1, t2 = k11 * d1 + k12 * d2, k12 * d1 + k22 * d2
        tx, ty = c * t1 - s * t2, s * t1 + c * t2
        moment = ((turns * t1) * g2 - (turns * t2) * g1) * inverse
        m1, m2 = moment * ahead, moment * aside
        p11, p12, p21, p22 = v * p[k], v * p[k + W], v * p[k + W2], v * p[k + W3]
        e0x, e0y = p11 * b0x + p12 * b0y - m1 * b0y - m2 * b0x, p21 * b0x + p22 * b0y + m1 * b0x - m2 * b0y
        e1x, e1y = p11 * b1x + p12 * b1y - m1 * b1y - m2 * b1x, p21 * b1x + p22 * b1y + m1 * b1x - m2 * b1y
        i = 2 * k
        out[i], out[i + 1] = -(y0 * tx + e0x), -(y0 * ty + e0y)
        out[i + W2], out[i + W2 + 1] = -(y1 * tx + e1x), -(y1 * ty + e1y)
        out[i + W4], out[i + W4 + 1] = e0x - y2 * tx, e0y - y2 * ty
        out[i + W6], out[i + W6 + 1] = e1x - y3 * tx, e1y - y3 * ty


@njit(cache=True, error_model="numpy")
def internal_force(u, nodes, gradients, volumes, code, parameters, cells, rest, rotated, out):  # type: ignore[no-untyped-def]
    """Write −∂U/∂u into out (N, 2) [N]. Arguments as those of ``elastic.internal_force``."""
    out[:] = 0.0
    at, m, p, forces = np.zeros(W8), np.zeros(W8), np.empty(W4), np.empty(W8)
    lam, mu, turns = parameters[0], parameters[1], 1.0 if rotated else 0.0
    for first in range(0, nodes.shape[0], W):
        count, own = min(W, nodes.shape[0] - first), cells[first * ROWS : (first + W) * ROWS]
        _modes(u, nodes, rest, own, first, count, at, m)
        _stresses(code, lam, mu, m, p)
        _forces(own, m, p, turns, forces)
        for k in range(count):
            for b in range(4):
                i, o = np.uint64(nodes[first + k, b]), np.uint64(2 * (b * W + k))
                out[i, 0], out[i, 1] = out[i, 0] + forces[o], out[i, 1] + forces[o + ONE]


@njit(cache=True, error_model="numpy")
def _coefficients(code, lam, mu, m, a):  # type: ignore[no-untyped-def]
    """Write the twelve numbers of ``constitutive.tangent`` at H into a (12 W)."""
    if code == SVK:
        for k in range(W):
            _kept(a, k, svk_tangent(lam, mu, m[k], m[k + W], m[k + W2], m[k + W3]))
    elif code == SMALL_STRAIN:
        for k in range(W):
            _kept(a, k, (mu, 0.0, mu, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, lam, mu))
    else:
        for k in range(W):
            _kept(a, k, neo_hookean_tangent(code, lam, mu, m[k], m[k + W], m[k + W2], m[k + W3]))


@njit(cache=True, error_model="numpy", forceinline=True)
def _kept(a, k, numbers):  # type: ignore[no-untyped-def]
    t11, t12, t22, b11, b12, b22, y11, y12, y21, y22, alpha, beta = numbers
    a[k], a[k + W], a[k + W2], a[k + W3], a[k + W4], a[k + W5] = t11, t12, t22, b11, b12, b22
    a[k + W6], a[k + W7], a[k + W8], a[k + W9], a[k + W10], a[k + W11] = y11, y12, y21, y22, alpha, beta


@njit(cache=True, error_model="numpy", forceinline=True)
def _affine(b0x, b0y, b1x, b1y, v, numbers):  # type: ignore[no-untyped-def]
    """Return A of the mean strain: A₀₀ (xx, xy, xy, yy), A₁₁ likewise, A₀₁ (xx, xy, yx, yy)."""
    t11, t12, t22, c11, c12, c22, y11, y12, y21, y22, alpha, beta = numbers
    va, vb, c11, c12, c22 = v * alpha, v * beta, v * c11, v * c12, v * c22
    z0x, z0y, z1x, z1y = y11 * b0x + y12 * b0y, y21 * b0x + y22 * b0y, y11 * b1x + y12 * b1y, y21 * b1x + y22 * b1y
    t0x, t0y, t1x, t1y = t11 * b0x + t12 * b0y, t12 * b0x + t22 * b0y, t11 * b1x + t12 * b1y, t12 * b1x + t22 * b1y
    f00, f01, f11 = v * (b0x * t0x + b0y * t0y), v * (b0x * t1x + b0y * t1y), v * (b1x * t1x + b1y * t1y)
    n00, n01, n11 = b0x * b0x + b0y * b0y, b0x * b1x + b0y * b1y, b1x * b1x + b1y * b1y
    w = va + vb
    xy0, xy1 = w * z0x * z0y + c12 * n00, w * z1x * z1y + c12 * n11
    return (
        (f00 + w * z0x * z0x + c11 * n00, xy0, xy0, f00 + w * z0y * z0y + c22 * n00),
        (f11 + w * z1x * z1x + c11 * n11, xy1, xy1, f11 + w * z1y * z1y + c22 * n11),
        (
            f01 + w * z0x * z1x + c11 * n01,
            va * z0x * z1y + vb * z1x * z0y + c12 * n01,
            va * z0y * z1x + vb * z1y * z0x + c12 * n01,
            f01 + w * z0y * z1y + c22 * n01,
        ),
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def _turning(ahead, aside, turns, g, rest, stiffness):  # type: ignore[no-untyped-def]
    """Return cos θ, sin θ, ∂θ/∂p, ∂θ/∂q, the force that turns with θ (2,) and the second derivatives by p and q (pp, pq, qq)."""
    k11, k12, k22 = stiffness
    inverse = 1.0 / (ahead * ahead + aside * aside)
    r = math.sqrt(inverse)
    c, s = ahead * r, aside * r
    g1, g2 = c * g[0] + s * g[1], c * g[1] - s * g[0]
    d1, d2 = g1 - rest[0], g2 - rest[1]
    t1, t2 = k11 * d1 + k12 * d2, k12 * d1 + k22 * d2
    by_p, by_q = -aside * inverse, turns * ahead * inverse
    g1, g2, t1, t2 = turns * g1, turns * g2, turns * t1, turns * t2
    moment = t1 * g2 - t2 * g1
    hpp, hpq = (-2.0 * moment) * by_p * ahead * inverse, -moment * (c * c - s * s) * inverse
    turn = k11 * g2 * g2 + k22 * g1 * g1 - 2.0 * k12 * g1 * g2 - (t1 * g1 + t2 * g2)
    turn1, turn2 = k11 * g2 - k12 * g1 - t2, k12 * g2 - k22 * g1 + t1
    return (
        (c, s, by_p, by_q),
        (c * turn1 - s * turn2, s * turn1 + c * turn2),
        (turn * by_p * by_p + hpp, turn * by_p * by_q + hpq, turn * by_q * by_q - hpp),
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def _turned(a, bx, by, dx, dy, second):  # type: ignore[no-untyped-def]
    """Return a block of A with that of θ: second derivatives between corners of the gradients b and d."""
    pp, pq, qq = second
    px, py, qx, qy = pp * dx - pq * dy, pp * dy + pq * dx, pq * dx - qq * dy, pq * dy + qq * dx
    return (
        a[0] + (bx * px - by * qx),
        a[1] + (bx * py - by * qy),
        a[2] + (by * px + bx * qx),
        a[3] + (by * py + bx * qy),
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def _own(out, o, a, w, e, g):  # type: ignore[no-untyped-def]
    """Write the block of a corner with itself at o, from its A, γ̂ and E, and G."""
    both = a[1] + w * ((e[1] + e[2]) + w * g[1])
    out[o] = a[0] + w * (2.0 * e[0] + w * g[0])
    out[o + 1] = both
    out[o + W2] = both
    out[o + W2 + 1] = a[3] + w * (2.0 * e[3] + w * g[2])


@njit(cache=True, error_model="numpy", forceinline=True)
def _pair(out, o, sign, a, w, e, other, f, g):  # type: ignore[no-untyped-def]
    """Write the block of two corners at o: their A, γ̂ ``w`` and E of the first, ``other`` and f of the second."""
    both = w * other
    out[o] = sign * (a[0] + w * f[0] + other * e[0] + both * g[0])
    out[o + 1] = sign * (a[1] + w * f[1] + other * e[2] + both * g[1])
    out[o + W2] = sign * (a[2] + w * f[2] + other * e[1] + both * g[1])
    out[o + W2 + 1] = sign * (a[3] + w * f[3] + other * e[3] + both * g[2])


@njit(cache=True, error_model="numpy")
def _blocks(cells, m, a, share, turns, out):  # type: ignore[no-untyped-def]
    """Write the blocks of the cells' corners into out (40 W): own ones, then pairs', rows apart."""
    for k in range(W):
        o = 2 * k
        b0x, b0y, b1x, b1y = cells[k], cells[k + W], cells[k + W2], cells[k + W3]
        w0, w1, w2, w3 = cells[k + W4], cells[k + W5], -cells[k + W6], -cells[k + W7]
        k11, k12, k22 = share * cells[k + W8], share * cells[k + W9], share * cells[k + W10]
        numbers = (
            *(a[k], a[k + W], a[k + W2], a[k + W3], a[k + W4], a[k + W5], a[k + W6], a[k + W7]),
            *(a[k + W8], a[k + W9], a[k + W10], a[k + W11]),
        )
        a00, a11, a01 = _affine(b0x, b0y, b1x, b1y, share * cells[k + W11], numbers)
        ahead, aside = (1.0 - turns) + turns * (2.0 + m[k] + m[k + W3]), turns * (m[k + W2] - m[k + W])
        amplitude, rest = (m[k + W4], m[k + W5]), (m[k + W6], m[k + W7])
        (c, s, by_p, by_q), (rx, ry), second = _turning(ahead, aside, turns, amplitude, rest, (k11, k12, k22))
        a00 = _turned(a00, b0x, b0y, b0x, b0y, second)
        a11 = _turned(a11, b1x, b1y, b1x, b1y, second)
        a01 = _turned(a01, b0x, b0y, b1x, b1y, second)
        n0x, n0y = by_p * b0x - by_q * b0y, by_p * b0y + by_q * b0x
        n1x, n1y = by_p * b1x - by_q * b1y, by_p * b1y + by_q * b1x
        e0, e1 = (rx * n0x, rx * n0y, ry * n0x, ry * n0y), (rx * n1x, rx * n1y, ry * n1x, ry * n1y)
        cc, cs, ss = c * c, c * s, s * s
        g = (
            cc * k11 + ss * k22 - 2.0 * cs * k12,
            cs * (k11 - k22) + (cc - ss) * k12,
            ss * k11 + cc * k22 + 2.0 * cs * k12,
        )
        _own(out, o, a00, w0, e0, g)
        _own(out, o + W4, a11, w1, e1, g)
        _own(out, o + W8, a00, w2, e0, g)
        _own(out, o + 12 * W, a11, w3, e1, g)
        _pair(out, o + 16 * W, 1.0, a01, w0, e0, w1, e1, g)
        _pair(out, o + 20 * W, -1.0, a00, w0, e0, w2, e0, g)
        _pair(out, o + 24 * W, -1.0, a01, w0, e0, w3, e1, g)
        _pair(out, o + 28 * W, -1.0, (a01[0], a01[2], a01[1], a01[3]), w1, e1, w2, e0, g)
        _pair(out, o + 32 * W, -1.0, a11, w1, e1, w3, e1, g)
        _pair(out, o + 36 * W, 1.0, a01, w2, e0, w3, e1, g)


@njit(cache=True, error_model="numpy")
def tangent_data(  # type: ignore[no-untyped-def]
    u, nodes, gradients, volumes, code, parameters, cells, rest, rotated, entries, row_length, share, inertia, mass, data
):  # fmt: skip
    """Write what ``elastic.tangent_data`` does. Symmetric to the bit: each pair of corners is worked out once.

    With the places of ``sparsity.UpperTriangle`` it is the upper triangle alone. Rows get their mass just before the first cells
    that need them.
    """
    at, m, a, out = np.zeros(W8), np.zeros(W8), np.empty(12 * W), np.empty(40 * W)
    lam, mu, turns = parameters[0], parameters[1], 1.0 if rotated else 0.0
    ready, longest = 0, 0
    for i in range(len(row_length)):
        longest = max(longest, row_length[i])
    upper = entries[0, 0, 1] < 0 or entries[0, 1, 0] < 0
    for first in range(0, nodes.shape[0], W):
        count, own = min(W, nodes.shape[0] - first), cells[first * ROWS : (first + W) * ROWS]
        _modes(u, nodes, rest, own, first, count, at, m)
        _coefficients(code, lam, mu, m, a)
        _blocks(own, m, a, share, turns, out)
        end = max(ready, min(_last(entries, first, count) + longest + 2, len(data)))
        _scale(inertia, mass[ready:end], data[ready:end])
        ready = end
        for k in range(count):
            if upper:
                _scatter_above(out, k, nodes[first + k], entries[first + k], row_length, data)
            else:
                _scatter(out, k, nodes[first + k], entries[first + k], row_length, data)
    _scale(inertia, mass[ready:], data[ready:])


@njit(cache=True, error_model="numpy")
def _last(entries, first, count):  # type: ignore[no-untyped-def]
    """Return the last place of ``count`` cells (NumPy's maximum compiles for longer than all of this)."""
    last = 0
    for c in range(first, first + count):
        for a in range(4):
            for b in range(4):
                last = max(last, entries[c, a, b])
    return last


@njit(cache=True, error_model="numpy", forceinline=True)
def _scale(factor, values, out):  # type: ignore[no-untyped-def]
    """Write factor × values into out."""
    for p in range(len(out)):
        out[p] = factor * values[p]


@njit(cache=True, error_model="numpy", forceinline=True)
def _distances(row_length, corners):  # type: ignore[no-untyped-def]
    """Return how far apart the two rows of each corner are in data."""
    i, j, k, m = row_length[corners[0]], row_length[corners[1]], row_length[corners[2]], row_length[corners[3]]
    return np.uint64(i), np.uint64(j), np.uint64(k), np.uint64(m)


@njit(cache=True, error_model="numpy", forceinline=True)
def _block(out, o):  # type: ignore[no-untyped-def]
    """Return the 2 × 2 block that begins at o."""
    return out[o], out[o + ONE], out[o + ROW], out[o + ROW + ONE]


@njit(cache=True, error_model="numpy", forceinline=True)
def _add(data, e, below, xx, xy, yx, yy):  # type: ignore[no-untyped-def]
    """Add a 2 × 2 block to the rows data[e:] and data[e + below:]; all is read before any of it is written."""
    f = e + below
    data[e], data[e + ONE], data[f], data[f + ONE] = data[e] + xx, data[e + ONE] + xy, data[f] + yx, data[f + ONE] + yy


@njit(cache=True, error_model="numpy", forceinline=True)
def _scatter(out, k, corners, entries, row_length, data):  # type: ignore[no-untyped-def]
    """Add the blocks of cell k of those abreast to data."""
    o, below = np.uint64(2 * k), _distances(row_length, corners)
    for a in range(4):
        xx, xy, yx, yy = _block(out, o)
        _add(data, np.uint64(entries[a, a]), below[a], xx, xy, yx, yy)
        o += BLOCK
    for a in range(3):
        for b in range(a + 1, 4):
            xx, xy, yx, yy = _block(out, o)
            _add(data, np.uint64(entries[a, b]), below[a], xx, xy, yx, yy)
            _add(data, np.uint64(entries[b, a]), below[b], xx, yx, xy, yy)
            o += BLOCK


@njit(cache=True, error_model="numpy", forceinline=True)
def _scatter_above(out, k, corners, entries, row_length, data):  # type: ignore[no-untyped-def]
    """Add what of the blocks of a cell is in the upper triangle to its data."""
    o, below = np.uint64(2 * k), _distances(row_length, corners)
    for a in range(4):
        e = np.uint64(entries[a, a])
        f = e + below[a] + ONE
        xx, xy, _, yy = _block(out, o)
        data[e], data[e + ONE], data[f] = data[e] + xx, data[e + ONE] + xy, data[f] + yy
        o += BLOCK
    for a in range(3):
        for b in range(a + 1, 4):
            xx, xy, yx, yy = _block(out, o)
            if entries[a, b] >= 0:
                _add(data, np.uint64(entries[a, b]), below[a], xx, xy, yx, yy)
            else:
                _add(data, np.uint64(entries[b, a]), below[b], xx, yx, xy, yy)
            o += BLOCK
