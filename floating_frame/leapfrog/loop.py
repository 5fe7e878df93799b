"""The compiled loop of the explicit scheme: central differences, lumped mass, exact nodal friction, and the rigid pass.

One step from t_n, with Δ = (h_before + h)/2 and S_w the shrinkage of a vector by the length w (the exact nodal prox):

    v_{n+½} = S_{Δ w/m}(v_{n−½} + Δ f_n/m),   x_{n+1} = x_n + h v_{n+½},   λ_n = m (v_{n−½} − v_{n+½})/Δ + f_n;

on ground that moves at g = v_g(t_{n+½}) the length is subtracted from the slip velocity, v_{n+½} = g + S_{Δ w/m}(v_{n−½} − g + Δ
f_n/m).

The internal force is evaluated in the frame. The frame is advanced by (3.4)1 with its condition inserted, centred at t_n like the
nodes, and re-split at t_{n+1}; the removed angles are summed up.

Nodes are processed in blocks of W by loops without branches (vector units). Every sum over nodes has W parts, added up at the end
of the step, so its bits do not depend on the width of the vector unit.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from fem.kernels import internal_force
from floating_frame.frame.kinematics import MEAN_AXIS, TISSERAND

LOADS, GROUND_WORK, FRICTION_LOSS, FRICTION_WORK, INTERNAL, PATH, DRIFT, WORKS = range(8)
"""Entries of the accumulator, J, but for the last one, rad: work of the loads at the mean velocity of the kicks, of the ground, of
friction at the slip velocity and at the mean one, and of the internal forces; ``PATH``: their work along the steps by the
trapezoidal rule, without the second half of the last step; the frame's drift. Their number."""

W = 32
"""Nodes abreast."""
(X, Y, M, PER_M, BOUND, AT_X, AT_Y, V_X, V_Y, SLID, HEAT, B_X, B_Y, E_X, E_Y, I_X, I_Y) = range(0, 17 * W, W)
ROWS = 17 * W
"""Numbers of a block of nodes: reference place, mass, 1/mass, friction bound; x, v_{n+½}, slip path, friction work; v_{n−½},
external force, internal force, inertial."""
# Sums: works, but for ``LOST_IN`` as powers of twice the mean velocity; m x, m v; m X with x and v, ``_1`` dot, ``_2`` cross;
# moments.
(LOST_IN, BY_LOADS, BY_BEFORE, BY_AFTER, BY_FRICTION, BY_GROUND) = range(0, 6 * W, W)
(MX, MY, MVX, MVY, XX_1, XX_2, XV_1, XV_2, XB_1, XB_2, TURNED) = range(6 * W, 17 * W, W)
(POLAR, RADIAL, INERTIAL, MID, MID_TURN) = range(17 * W, 22 * W, W)
SUMS = 22 * W


@njit(cache=True, error_model="numpy")
def node_table(x, half, slip_path, friction_work, reference, mass, weights):  # type: ignore[no-untyped-def]
    """Nodes in blocks of W, by quantity; the last block is padded with massless nodes."""
    table = np.zeros((-(-x.shape[0] // W), ROWS))
    for i in range(x.shape[0]):
        n, k = table[i // W], i % W
        n[k + X], n[k + Y], n[k + M], n[k + PER_M] = reference[i, 0], reference[i, 1], mass[i], 1.0 / mass[i]
        n[k + AT_X], n[k + AT_Y], n[k + V_X], n[k + V_Y] = x[i, 0], x[i, 1], half[i, 0], half[i, 1]
        n[k + BOUND], n[k + SLID], n[k + HEAT] = weights[i], slip_path[i], friction_work[i]
    return table


@njit(cache=True, error_model="numpy")
def _write_displacements(n, fx, fy, c, s, u):  # type: ignore[no-untyped-def]
    """Write the displacements of a block, in the frame at (fx, fy), into u (2 W)."""
    for k in range(W):
        yx, yy = n[k + AT_X] - fx, n[k + AT_Y] - fy
        u[2 * k] = c * yx + s * yy - n[k + X]
        u[2 * k + 1] = c * yy - s * yx - n[k + Y]


@njit(cache=True, error_model="numpy")
def without_moment(internal, u, reference, mass, kind):  # type: ignore[no-untyped-def]
    """Make a non-objective internal force power-consistent in the moving frame (``Model.moment_force``), in place."""
    moment, alignment, polar = 0.0, 0.0, 0.0
    for i in range(len(mass)):
        rx, ry = reference[i, 0] + u[i, 0], reference[i, 1] + u[i, 1]
        moment += rx * internal[i, 1] - ry * internal[i, 0]
        alignment += mass[i] * (reference[i, 0] * rx + reference[i, 1] * ry)
        polar += mass[i] * (rx * rx + ry * ry)
    for i in range(len(mass)):
        rx, ry = reference[i, 0], reference[i, 1]
        share = mass[i] * moment / alignment
        if kind == TISSERAND:
            rx, ry, share = rx + u[i, 0], ry + u[i, 1], mass[i] * moment / polar
        internal[i, 0] += share * ry
        internal[i, 1] -= share * rx


@njit(cache=True, error_model="numpy")
def _add_load(n, shape, fx, fy):  # type: ignore[no-untyped-def]
    """Add the force (fx, fy) times ``shape`` (W,) to the external ones of a block."""
    for k in range(W):
        n[k + E_X] += fx * shape[k]
        n[k + E_Y] += fy * shape[k]


@njit(cache=True, error_model="numpy")
def _kick(n, internal, kick, h, gx, gy, c, s, sums):  # type: ignore[no-untyped-def]
    """Advance a block by a kick and a step; ``internal`` (2 W): force in the frame."""
    for k in range(W):
        bx, by, f1, f2 = n[k + V_X], n[k + V_Y], internal[2 * k], internal[2 * k + 1]
        ix, iy = c * f1 - s * f2, s * f1 + c * f2
        fx, fy, gain = n[k + E_X] + ix, n[k + E_Y] + iy, kick * n[k + PER_M]
        px, py, less = bx - gx + gain * fx, by - gy + gain * fy, gain * n[k + BOUND]
        size = math.sqrt(px * px + py * py)
        share = 0.0 if size <= less else 1.0 - less / size
        sx, sy = share * px, share * py
        vx, vy, rate = sx + gx, sy + gy, n[k + M] / kick
        lx, ly, mx, my = rate * (bx - vx) + fx, rate * (by - vy) + fy, bx + vx, by + vy
        lost = kick * (lx * sx + ly * sy)
        n[k + B_X], n[k + B_Y], n[k + V_X], n[k + V_Y], n[k + I_X], n[k + I_Y] = bx, by, vx, vy, ix, iy
        n[k + AT_X] += h * vx
        n[k + AT_Y] += h * vy
        n[k + SLID] += h * (share * size)
        n[k + HEAT] += lost
        sums[k + LOST_IN] += lost
        sums[k + BY_LOADS] += n[k + E_X] * mx + n[k + E_Y] * my
        sums[k + BY_BEFORE] += ix * bx + iy * by
        sums[k + BY_AFTER] += ix * vx + iy * vy
        sums[k + BY_FRICTION] += lx * mx + ly * my
        sums[k + BY_GROUND] += lx * gx + ly * gy


@njit(cache=True, error_model="numpy")
def _add_frame_sums(n, h, fx, fy, sums):  # type: ignore[no-untyped-def]
    """Add a block to the sums that determine the frame."""
    for k in range(W):
        m, bx, by, vx, vy = n[k + M], n[k + B_X], n[k + B_Y], n[k + V_X], n[k + V_Y]
        rx, ry, px, py = n[k + AT_X] - fx, n[k + AT_Y] - fy, m * n[k + X], m * n[k + Y]
        sums[k + MX] += m * rx
        sums[k + MY] += m * ry
        sums[k + MVX] += m * vx
        sums[k + MVY] += m * vy
        sums[k + XX_1] += px * rx + py * ry
        sums[k + XX_2] += px * ry - py * rx
        sums[k + XV_1] += px * vx + py * vy
        sums[k + XV_2] += px * vy - py * vx
        sums[k + XB_1] += px * bx + py * by
        sums[k + XB_2] += px * by - py * bx
        sums[k + TURNED] += (rx - h * vx) * n[k + I_Y] - (ry - h * vy) * n[k + I_X]


@njit(cache=True, error_model="numpy")
def _add_tisserand_sums(n, h, fx, fy, sums):  # type: ignore[no-untyped-def]
    """Add a block to the further sums of Tisserand's frame."""
    for k in range(W):
        m, bx, by, vx, vy = n[k + M], n[k + B_X], n[k + B_Y], n[k + V_X], n[k + V_Y]
        ex, ey = n[k + AT_X] - fx, n[k + AT_Y] - fy
        rx, ry, mx, my = ex - h * vx, ey - h * vy, ex - 0.5 * h * vx, ey - 0.5 * h * vy
        sums[k + POLAR] += m * (rx * rx + ry * ry)
        sums[k + RADIAL] += m * (rx * (bx + vx) + ry * (by + vy))
        sums[k + INERTIAL] += m * (rx * (vy - by) - ry * (vx - bx))
        sums[k + MID] += m * (mx * mx + my * my)
        sums[k + MID_TURN] += m * (mx * vy - my * vx)


@njit(cache=True, error_model="numpy")
def _reduce_sums(sums):  # type: ignore[no-untyped-def]
    """Add the W parts of each sum into its first entry."""
    width = W // 2
    while width:
        for start in range(0, SUMS, W):
            for k in range(width):
                sums[start + k] += sums[start + k + width]
        width //= 2


@njit(cache=True, error_model="numpy")
def spin_rate(sums, h, kick, angle, rate, kind):  # type: ignore[no-untyped-def]
    """ω' from (3.4)1 at t_n with the frame condition put in; ``rate``: ω half a step before t_n, ``angle`` of the frame.

    ``rigid_pass.solve_spin`` with diagonal mass, centred at t_n: v_n = (before + after)/2, a_n = (after − before)/kick, and ω_n =
    ω_{n−½} + kick/2 ω', hence a few sweeps. With m a − f for the other forces the terms r × m a and 2 ω Σ m r·v of the mean-axis
    frame cancel.
    """
    c, s, result = np.cos(angle), np.sin(angle), 0.0
    dot, cross = sums[XX_1] - h * sums[XV_1], sums[XX_2] - h * sums[XV_2]
    alignment, tilt = c * dot + s * cross, c * cross - s * dot
    straight = 0.5 * (c * (sums[XB_1] + sums[XV_1]) + s * (sums[XB_2] + sums[XV_2]))
    aside = (c * (sums[XV_2] - sums[XB_2]) - s * (sums[XV_1] - sums[XB_1])) / kick
    for _ in range(20):
        spin = rate + 0.5 * kick * result
        if kind == MEAN_AXIS:
            new = (aside - sums[TURNED] - spin**2 * tilt - 2.0 * spin * straight) / alignment
        else:
            new = (sums[INERTIAL] / kick - sums[TURNED] - spin * sums[RADIAL]) / sums[POLAR]
        change, result = abs(new - result), new
        if change <= 1e-13 * (abs(new) + abs(rate) / kick):
            break
    return result


@njit(cache=True, error_model="numpy")
def resplit(sums, h, frame, rates, predicted, total, kind):  # type: ignore[no-untyped-def]
    """Put the frame condition into ``frame`` (3,) at t_{n+1} and ``rates`` (3,) at t_{n+½}; return the angle removed.

    ``predicted``: the angle of (3.4)1 at t_{n+1}; ``total`` kg: the mass. The reference has its mass centre in the origin.
    """
    cx, cy, ux, uy = sums[MX] / total, sums[MY] / total, sums[MVX] / total, sums[MVY] / total
    if kind == MEAN_AXIS:
        off = np.arctan2(sums[XX_2], sums[XX_1]) - predicted
        angle = predicted + off - 2.0 * np.pi * np.round(off / (2.0 * np.pi))
    else:
        mx, my = cx - 0.5 * h * ux, cy - 0.5 * h * uy
        polar = sums[MID] - total * (mx * mx + my * my)
        angle = frame[2] + h * (sums[MID_TURN] - total * (mx * uy - my * ux)) / polar
    rates[0], rates[1], rates[2] = ux, uy, (angle - frame[2]) / h
    frame[0] += cx
    frame[1] += cy
    frame[2] = angle
    return predicted - angle


@njit(cache=True, error_model="numpy")
def run(  # type: ignore[no-untyped-def]
    steps, h, h_before, x, half, frame, rates, slip_path, friction_work, works, values, shapes, forces, weights, ground,
    reference, mass, kind, objective, element,
):  # fmt: skip
    """Advance ``steps`` steps of length ``h`` in place: x, v_{n−½} (N, 2); frame, rates (3,); slip path, friction work (N,).

    ``h_before``: length of the step before (0 at the start); ``values`` (steps, loads): history values at the starts of the steps,
    of loads with ``shapes`` (loads, N) and ``forces`` (loads, 2); ``ground`` (steps, 2): the ground's velocities half a step later;
    ``works`` (7,): the accumulator; ``reference`` from the mass centre; ``element``: arguments of ``fem.kernels.internal_force``.
    """
    table = node_table(x, half, slip_path, friction_work, reference, mass, weights)
    blocks, total = len(table), mass.sum()
    displacement, internal, sums = np.zeros((blocks * W, 2)), np.zeros((blocks * W, 2)), np.empty(SUMS)
    u, f, shaped = (
        displacement.reshape((blocks, 2 * W)),
        internal.reshape((blocks, 2 * W)),
        np.zeros((len(shapes), blocks * W)),
    )
    shaped[:, : len(x)] = shapes
    for step in range(steps):
        kick, gx, gy, c, s = 0.5 * (h_before + h), ground[step, 0], ground[step, 1], np.cos(frame[2]), np.sin(frame[2])
        for block in range(blocks):
            _write_displacements(table[block], frame[0], frame[1], c, s, u[block])
        internal_force(displacement, *element, internal)
        if not objective:
            without_moment(internal, displacement, reference, mass, kind)
        sums[:] = 0.0
        for block in range(blocks):
            n = table[block]
            n[E_X : E_Y + W] = 0.0
            for load in range(len(shapes)):
                fx, fy = values[step, load] * forces[load, 0], values[step, load] * forces[load, 1]
                _add_load(n, shaped[load, block * W : (block + 1) * W], fx, fy)
            _kick(n, f[block], kick, h, gx, gy, c, s, sums)
            _add_frame_sums(n, h, frame[0], frame[1], sums)
            if kind == TISSERAND:
                _add_tisserand_sums(n, h, frame[0], frame[1], sums)
        _reduce_sums(sums)
        works[LOADS] += 0.5 * kick * sums[BY_LOADS]
        works[GROUND_WORK] += kick * sums[BY_GROUND]
        works[FRICTION_LOSS] += sums[LOST_IN]
        works[FRICTION_WORK] += 0.5 * kick * sums[BY_FRICTION]
        works[INTERNAL] += 0.5 * kick * (sums[BY_BEFORE] + sums[BY_AFTER])
        works[PATH] += 0.5 * (h_before * sums[BY_BEFORE] + h * sums[BY_AFTER])
        predicted = frame[2] + h * (rates[2] + kick * spin_rate(sums, h, kick, frame[2], rates[2], kind))
        works[DRIFT] += resplit(sums, h, frame, rates, predicted, total, kind)
        h_before = h
    for i in range(x.shape[0]):
        n, k = table[i // W], i % W
        x[i, 0], x[i, 1], half[i, 0], half[i, 1] = n[k + AT_X], n[k + AT_Y], n[k + V_X], n[k + V_Y]
        slip_path[i], friction_work[i] = n[k + SLID], n[k + HEAT]
