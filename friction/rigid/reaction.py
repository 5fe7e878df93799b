"""Coulomb friction under a rigid row of points with a reacting normal pressure: six unknowns, solved together.

Forces along the plane act at a height h above it. Besides the rates p = (x0', y0', ω) the pressure s = (a, b) is unknown: point i
is pressed by ℓ_i σ_i and holds at most w_i σ_i, σ_i = max(0, a + b·d_i), where ℓ_i and w_i are load and bound at rest. With
n_i = v_i/|v_i| and λ_i = w_i σ_i n_i

    H p − c + Σ Gᵢᵀ λ_i = 0,    Σ ℓ_i σ_i = Σ ℓ_i,    Σ d_i ℓ_i σ_i = m + m' ω + h Σ λ_i.

Where all points slide this is Newton's method in (p, s) at once. With t_i across n_i, g_i = Gᵢᵀ t_i and e_i = (1, d_i) the sums are

    K = Σ w_i σ_i/|v_i| g_i g_iᵀ,    B = Σ' w_i (Gᵢᵀ n_i) e_iᵀ,    D = Σ' ℓ_i e_i e_iᵀ    (Σ': the points that press),

and friction f = Σ Gᵢᵀ λ_i = B s, Σ ℓ_i σ_i e_i = D s. The arms turn with the body: d_i is the given arm turned by θ = τ (ω − ω_0),
ω_0 the spin for which it is given. Where arms, P = (p_x, p_y, 0) and b turn together, f and D s turn with them: at fixed p and s

    ∂f/∂θ = Jf − K JP − B Js,    ∂(D s)/∂θ = J(D s) − D Js,

J the quarter turn of the parts along the plane, and 0 of the others. The Jacobian is not symmetric. Where points rest, or Newton's
method fails, the caller iterates between friction under given bounds and pressure under given friction, which contracts about
as μh over the body's size: the force Σ λ_i, on which alone the pressure depends, is extrapolated from the last rounds (Anderson
1965), as many as it has components.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.lanes import LANES, clear_lanes, sum_lanes
from friction.redistribution import solve_shares
from friction.rigid.newton import THREE, copy, dot3, point_slip, solve_small
from friction.rigid.stick_proofs import wrench_of
from friction.status import PRESSURE_UNSETTLED, SOLVED, TIPS

_TOLERANCE, _MAX_EVALUATIONS, _MIN_STEP = 1e-12, 40, 1.0 / 16.0
"""Tolerance over the forces and their moments; largest number of evaluations; shortest fraction of a Newton step."""
HISTORY_ROWS, BOUND_TOLERANCE, _MIN_ANGLE = 4, 1e-12, 1e-6
"""Rows of the history of rounds; tolerance of bounds over the largest; sine of the angle below which changes are collinear."""

(K00, K01, K02, K11, K12, K22) = range(0, 6 * LANES, LANES)
(D00, D01, D02, D11, D12, D22) = range(6 * LANES, 12 * LANES, LANES)
(B00, B01, B02, B10, B11, B12, B20, B21, B22, SHARE, LX, LY) = range(12 * LANES, 24 * LANES, LANES)
_SUMS, _SIX = np.int64(21), np.int64(6)


@njit(cache=True, error_model="numpy")
def _sums(u, turn, arms, load, bound, multiplier, share, k, b, d, sums):  # type: ignore[no-untyped-def]
    """Write K, B and D (3, 3), and λ (2, N) and σ (N,), at (p, s) = u (6,), the arms turned by ``turn``."""
    cosine, sine, rates, a, by, bz = np.cos(turn), np.sin(turn), (u[0], u[1], u[2]), u[3], u[4], u[5]
    ax, ay, lx, ly = arms[0], arms[1], multiplier[0], multiplier[1]
    clear_lanes(sums, _SUMS)
    for first in range(0, load.shape[0], LANES):
        for j in range(min(LANES, load.shape[0] - first)):
            i = np.uint64(first + j)
            x, y = cosine * ax[i] - sine * ay[i], sine * ax[i] + cosine * ay[i]
            vx, vy = point_slip(rates, x, y)
            speed = np.sqrt(vx * vx + vy * vy)
            inverse = 1.0 / speed if speed > 0.0 else 0.0
            nx, ny, pressure = vx * inverse, vy * inverse, a + by * x + bz * y
            w, n = bound[i] if pressure > 0.0 else 0.0, load[i] if pressure > 0.0 else 0.0
            part = max(pressure, 0.0)
            sums[j + SHARE], sums[j + LX], sums[j + LY] = part, w * part * nx, w * part * ny
            kink, along = w * part * inverse, x * nx + y * ny
            sums[j + K00] += kink * ny * ny
            sums[j + K01] -= kink * nx * ny
            sums[j + K02] -= kink * ny * along
            sums[j + K11] += kink * nx * nx
            sums[j + K12] += kink * nx * along
            sums[j + K22] += kink * along * along
            wx, wy, wz = w * nx, w * ny, w * (x * ny - y * nx)
            sums[j + B00] += wx
            sums[j + B01] += wx * x
            sums[j + B02] += wx * y
            sums[j + B10] += wy
            sums[j + B11] += wy * x
            sums[j + B12] += wy * y
            sums[j + B20] += wz
            sums[j + B21] += wz * x
            sums[j + B22] += wz * y
            sums[j + D00] += n
            sums[j + D01] += n * x
            sums[j + D02] += n * y
            sums[j + D11] += n * x * x
            sums[j + D12] += n * x * y
            sums[j + D22] += n * y * y
        for j in range(min(LANES, load.shape[0] - first)):
            i = np.uint64(first + j)
            share[i], lx[i], ly[i] = sums[j + SHARE], sums[j + LX], sums[j + LY]
    sum_lanes(sums, _SUMS, load.shape[0])
    _symmetric(sums, np.int64(K00), k)
    _symmetric(sums, np.int64(D00), d)
    for m in range(9):
        b[m // 3, m % 3] = sums[B00 + m * LANES]


@njit(cache=True, error_model="numpy")
def _symmetric(sums, first, matrix):  # type: ignore[no-untyped-def]
    """Write a symmetric matrix (3, 3) from the ``sums`` of its entries 00, 01, 02, 11, 12, 22, which begin at ``first``."""
    for i in range(3):
        for j in range(i, 3):
            matrix[i, j] = matrix[j, i] = sums[first + (i + j + (1 if i > 0 else 0)) * LANES]


@njit(cache=True, error_model="numpy")
def _equations(u, h, c, reaction, weight, scale, k, b, d, residual, matrix):  # type: ignore[no-untyped-def]
    """Write the ``residual`` (6,) of the six equations and its derivative (6, 6), over ``scale`` (6,), from K, B, D at u; return
    the largest residual. ``reaction``: h, m (2), m' (2), τ."""
    height, turning = reaction[0], reaction[5]
    f, q, df, dq = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        f[i], q[i] = dot3(b[i], u[3:]), dot3(d[i], u[3:])
        df[i] = k[i, 0] * u[1] - k[i, 1] * u[0] + b[i, 1] * u[5] - b[i, 2] * u[4]  # −K JP − B Js
        dq[i] = d[i, 1] * u[5] - d[i, 2] * u[4]
    df[0], df[1], dq[1], dq[2] = df[0] - f[1], df[1] + f[0], dq[1] - q[2], dq[2] + q[1]
    for i in range(3):
        residual[i] = dot3(h[i], u) - c[i] + f[i]
        for j in range(3):
            matrix[i, j], matrix[i, 3 + j] = h[i, j] + k[i, j], b[i, j]
            matrix[3 + i, j], matrix[3 + i, 3 + j] = 0.0, d[i, j]
        matrix[i, 2] += turning * df[i]
        matrix[3 + i, 2] = turning * dq[i]
    residual[3] = q[0] - weight
    for i in range(2):
        residual[4 + i] = q[1 + i] - reaction[1 + i] - reaction[3 + i] * u[2] - height * f[i]
        for j in range(3):
            matrix[4 + i, j] -= height * k[i, j]
            matrix[4 + i, 3 + j] -= height * b[i, j]
        matrix[4 + i, 2] -= reaction[3 + i] + height * turning * df[i]
    largest = 0.0
    for i in range(6):
        residual[i] /= scale[i]
        largest = max(largest, abs(residual[i])) if abs(residual[i]) < np.inf else np.inf  # max(0, NaN) is 0
        for j in range(6):
            matrix[i, j] /= scale[i]
    return largest


@njit(cache=True, error_model="numpy")
def _at_rest(arms, load, bound, multiplier, d):  # type: ignore[no-untyped-def]
    """Write D (3, 3) where all points press; return Σ w and Σ λ (2), N."""
    d00, d01, d02, d11, d12, d22, total, x, y = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    ax, ay, lx, ly = arms[0], arms[1], multiplier[0], multiplier[1]
    for i in range(load.shape[0]):
        n = load[i]
        d00 += n
        d01 += n * ax[i]
        d02 += n * ay[i]
        d11 += n * ax[i] * ax[i]
        d12 += n * ax[i] * ay[i]
        d22 += n * ay[i] * ay[i]
        total += bound[i]
        x += lx[i]
        y += ly[i]
    d[0, 0], d[0, 1], d[0, 2], d[1, 0], d[1, 1], d[1, 2], d[2, 0], d[2, 1], d[2, 2] = (
        d00, d01, d02, d01, d11, d12, d02, d12, d22,
    )  # fmt: skip
    return total, x, y


@njit(cache=True, error_model="numpy")
def reacting_slip(h, c, arms, load, bound, reaction, p, multiplier, share):  # type: ignore[no-untyped-def]
    """Newton's method from p (3,) and λ (2, N), which are written in place with σ (N,); return (converged, iterations); p and λ
    are unchanged without convergence. ``reaction``: see ``_equations``."""
    k, b, d, sums = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(24 * LANES)
    total, x, y = _at_rest(arms, load, bound, multiplier, d)
    if p[0] == p[1] == p[2] == 0.0 or not (d[0, 0] > 0.0 and np.isfinite(p[0] + p[1] + p[2] + c[0] + c[1] + c[2])):
        return False, 0
    weight, size, scale = d[0, 0], np.sqrt((d[1, 1] + d[2, 2]) / d[0, 0]), np.empty(6)
    # As with given bounds: in a short step c is mostly momentum over τ.
    scale[0] = scale[1] = max(4e-3 * np.sqrt(c[0] * c[0] + c[1] * c[1]), total, 1e-300)
    scale[2] = max(4e-3 * abs(c[2]), total * size, 1e-300)
    scale[3], scale[4], scale[5] = weight, weight * size, weight * size
    u, trial, step, residual, matrix = np.empty(6), np.empty(6), np.zeros(6), np.empty(6), np.empty((6, 6))
    spin, trial_multiplier = p[2], np.empty_like(multiplier)
    residual[0] = reaction[1] + reaction[3] * spin + reaction[0] * x
    residual[1] = reaction[2] + reaction[4] * spin + reaction[0] * y
    step[0], step[1], step[2] = weight, residual[0], residual[1]
    if not (size > 0.0 and solve_small(d, step, THREE)):
        return False, 0
    for i in range(3):
        u[i], trial[i], trial[3 + i] = p[i], p[i], step[i]
    previous, length = np.inf, 1.0
    for evaluation in range(_MAX_EVALUATIONS):
        _sums(trial, reaction[5] * (trial[2] - spin), arms, load, bound, trial_multiplier, share, k, b, d, sums)
        error = _equations(trial, h, c, reaction, weight, scale, k, b, d, residual, matrix)
        if error <= _TOLERANCE:
            copy(trial[:3], p)
            copy(trial_multiplier[0], multiplier[0])
            copy(trial_multiplier[1], multiplier[1])
            return p[0] != 0.0 or p[1] != 0.0 or p[2] != 0.0, evaluation
        if error < (1.0 - 0.1 * length) * previous and solve_small(matrix, residual, _SIX):
            previous, length = error, 1.0
            copy(trial, u)
            copy(residual, step)
        else:
            length *= 0.5
        if not (length >= _MIN_STEP and np.isfinite(previous)):
            break
        for i in range(6):
            trial[i] = u[i] - length * step[i]
    return False, _MAX_EVALUATIONS


@njit(cache=True, error_model="numpy")
def extrapolate_force(x, y, history):  # type: ignore[no-untyped-def]
    """Extrapolate the force Σ λ for the next round from the result (x, y) of this one. ``history`` (HISTORY_ROWS, 4): in the first
    row the force of the round and the number of rounds, in the others change and result of the last ones."""
    given, count = history[0], history[0, 2]
    for j in range(HISTORY_ROWS - 1, 1, -1):
        copy(history[j - 1], history[j])
    last = history[1]
    last[0], last[1], last[2], last[3] = x - given[0], y - given[1], x, y
    given[0], given[1], given[2] = x, y, count + 1.0
    if count == 0.0:
        return
    ax, ay = last[0] - history[2, 0], last[1] - history[2, 1]
    bx, by = (last[0] - history[3, 0], last[1] - history[3, 1]) if count > 1.0 else (0.0, 0.0)
    area, one, two = ax * by - ay * bx, ax * ax + ay * ay, bx * bx + by * by
    first, second = (ax * last[0] + ay * last[1]) / one if one > 0.0 else 0.0, 0.0
    if abs(area) > _MIN_ANGLE * np.sqrt(one * two):  # else changes are collinear, and the last one suffices
        first, second = (last[0] * by - last[1] * bx) / area, (ax * last[1] - ay * last[0]) / area
    for i in range(2):
        given[i] -= first * (last[2 + i] - history[2, 2 + i]) + second * (last[2 + i] - history[3, 2 + i])


@njit(cache=True, error_model="numpy")
def update_bounds(load, arms, bound_at_rest, reaction, p, multiplier, history, share, bound):  # type: ignore[no-untyped-def]
    """Write σ and bounds (N,) for a round of friction; p and λ (2, N) are the result of the last one. Return SOLVED,
    PRESSURE_UNSETTLED or TIPS. ``reaction``: see ``_equations``; ``history``: of the moments that the pressure bears, see
    ``extrapolate_force``; 0 before the first round."""
    x, y, _ = wrench_of(multiplier, arms)
    x = reaction[1] + reaction[3] * p[2] + reaction[0] * x
    y = reaction[2] + reaction[4] * p[2] + reaction[0] * y
    if not solve_shares(load, arms, x, y, share):
        history[0, 0], history[0, 1] = x, y
        return TIPS
    change, largest, first = 0.0, 0.0, history[0, 3] == 0.0
    for i in range(load.shape[0]):
        new = bound_at_rest[i] * share[i]
        change, largest, bound[i] = max(change, abs(new - bound[i])), max(largest, new), new
    if first:
        history[0, 0], history[0, 1], history[0, 3] = x, y, 1.0
        return PRESSURE_UNSETTLED
    if change <= BOUND_TOLERANCE * largest:
        return SOLVED
    extrapolate_force(x, y, history)
    if not solve_shares(load, arms, history[0, 0], history[0, 1], share):
        return TIPS
    for i in range(load.shape[0]):
        bound[i] = bound_at_rest[i] * share[i]
    return PRESSURE_UNSETTLED
