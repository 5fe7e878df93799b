"""The compiled loop of the explicit scheme: central differences, lumped mass, exact nodal friction, and the rigid pass.

One step from t_n, with Δ = (h_before + h)/2 and S_w the shrinkage of a vector by the length w (the exact nodal prox):

    v_{n+½} = S_{Δ w/m}(v_{n−½} + Δ f_n/m),   x_{n+1} = x_n + h v_{n+½},   λ_n = m (v_{n−½} − v_{n+½})/Δ + f_n;

on ground that moves at g = v_g(t_{n+½}) the length is taken off the slip velocity, v_{n+½} = g + S_{Δ w/m}(v_{n−½} − g + Δ f_n/m).

The internal force is evaluated in the frame. The frame itself is advanced by (3.4)1 with its condition put in, centred at
t_n like the nodes, and re-split at t_{n+1}; the angle that this removes is summed up.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fem.kernels import internal_force
from friction.nodal.kernels.newton import length

MEAN_AXIS, TISSERAND = 0, 1
FRAME_CODES = {"mean-axis": MEAN_AXIS, "tisserand": TISSERAND}

EXTERNAL, FRICTION, INTERNAL, FRICTION_NUMERICAL, DRIFT, PATH = range(6)
"""Entries of the accumulator: J, J, J, J, rad, J. ``PATH``: work of the internal forces along the steps by the trapezoidal rule,
without the half of the last step whose force is not known yet."""


@njit(cache=True)
def shrink(vx, vy, by):  # type: ignore[no-untyped-def]
    """The vector (vx, vy) shortened by the length ``by``; exactly zero where it is not longer."""
    size = length(vx, vy)
    if size <= by:
        return 0.0, 0.0
    scale = 1.0 - by / size
    return scale * vx, scale * vy


@njit(cache=True)
def nodal_force(  # type: ignore[no-untyped-def]
    x, frame, reference, mass, kind, objective, element, values, shapes, forces, body, external, internal
):
    """Write the external and the internal nodal force (N, 2), inertial, at positions x into ``external``, ``internal``.

    A non-objective internal force is made power-consistent in the moving frame (see ``elastic.frame_moment_force``).
    """
    nodes, gradients, volumes, code, parameters, cells, rest, rotated = element
    n = x.shape[0]
    c, s = np.cos(frame[2]), np.sin(frame[2])
    for i in range(n):
        yx, yy = x[i, 0] - frame[0], x[i, 1] - frame[1]
        body[i, 0] = c * yx + s * yy - reference[i, 0]
        body[i, 1] = -s * yx + c * yy - reference[i, 1]
    internal_force(body, nodes, gradients, volumes, code, parameters, cells, rest, rotated, internal)
    if not objective:
        moment, alignment, polar = 0.0, 0.0, 0.0
        for i in range(n):
            rx, ry = reference[i, 0] + body[i, 0], reference[i, 1] + body[i, 1]
            moment += rx * internal[i, 1] - ry * internal[i, 0]
            alignment += mass[i] * (reference[i, 0] * rx + reference[i, 1] * ry)
            polar += mass[i] * (rx * rx + ry * ry)
        for i in range(n):
            rx, ry = reference[i, 0] + body[i, 0], reference[i, 1] + body[i, 1]
            if kind == MEAN_AXIS:
                gx, gy = -mass[i] * reference[i, 1] / alignment, mass[i] * reference[i, 0] / alignment
            else:
                gx, gy = -mass[i] * ry / polar, mass[i] * rx / polar
            internal[i, 0] -= moment * gx
            internal[i, 1] -= moment * gy
    for i in range(n):
        fx, fy = internal[i, 0], internal[i, 1]
        internal[i, 0] = c * fx - s * fy
        internal[i, 1] = s * fx + c * fy
        external[i, 0] = 0.0
        external[i, 1] = 0.0
        for load in range(values.shape[0]):
            external[i, 0] += values[load] * shapes[load, i] * forces[load, 0]
            external[i, 1] += values[load] * shapes[load, i] * forces[load, 1]


@njit(cache=True)
def rigid_pass(x, before, after, kick, frame, rates, reference, mass, net_force, kind):  # type: ignore[no-untyped-def]
    """q'' (3,) from (3.4)1 at t_n with the frame condition put in; ``rates``: q' half a step before t_n.

    The compiled twin of ``frames.substitute`` and ``coupling.rigid_pass``, centred at t_n: v_n = (before + after)/2,
    a_n = (after − before)/kick, and ω_n = ω_{n−½} + kick/2 ω', hence a few sweeps.
    """
    total, force_x, force_y, moment = 0.0, 0.0, 0.0, 0.0
    xy_dot, xy_cross, xv_dot, xv_cross, xa_dot, xa_cross = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    j_zz, k, ya_cross, per_kick = 0.0, 0.0, 0.0, 1.0 / kick
    for i in range(x.shape[0]):
        m = mass[i]
        px, py = m * reference[i, 0], m * reference[i, 1]
        rx, ry = x[i, 0] - frame[0], x[i, 1] - frame[1]
        vx, vy = 0.5 * (before[i, 0] + after[i, 0]), 0.5 * (before[i, 1] + after[i, 1])
        ax, ay = per_kick * (after[i, 0] - before[i, 0]), per_kick * (after[i, 1] - before[i, 1])
        total += m
        force_x += net_force[i, 0]
        force_y += net_force[i, 1]
        moment += rx * net_force[i, 1] - ry * net_force[i, 0]
        xy_dot += px * rx + py * ry
        xy_cross += px * ry - py * rx
        xv_dot += px * vx + py * vy
        xv_cross += px * vy - py * vx
        xa_dot += px * ax + py * ay
        xa_cross += px * ay - py * ax
        j_zz += m * (rx * rx + ry * ry)
        k += m * (rx * vx + ry * vy)
        ya_cross += m * (rx * ay - ry * ax)
    c, s = np.cos(frame[2]), np.sin(frame[2])
    alignment, tilt = c * xy_dot + s * xy_cross, c * xy_cross - s * xy_dot
    spin_rate = 0.0
    for _ in range(20):
        spin = rates[2] + 0.5 * kick * spin_rate
        if kind == MEAN_AXIS:
            rate_dot = c * xv_dot + s * xv_cross + spin * tilt
            relative = ya_cross - 2.0 * spin * k - (c * xa_cross - s * xa_dot + spin**2 * tilt - 2.0 * spin * rate_dot)
            effective = alignment
        else:
            relative, effective = 0.0, j_zz
        new = (moment - 2.0 * spin * k - relative) / effective
        change = abs(new - spin_rate)
        spin_rate = new
        if change <= 1e-13 * (abs(new) + abs(rates[2]) / kick):
            break
    return np.array([force_x / total, force_y / total, spin_rate])


@njit(cache=True)
def resplit(x, x_new, half, h, frame, rates, predicted, reference, mass, kind):  # type: ignore[no-untyped-def]
    """Put the frame condition into ``frame`` (3,) at t_{n+1} and ``rates`` (3,) at t_{n+½}; return the angle removed.

    ``predicted`` (3,): what (3.4)1 gave for t_{n+1}.
    """
    total, cx, cy, ux, uy = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(x.shape[0]):
        total += mass[i]
        cx += mass[i] * x_new[i, 0]
        cy += mass[i] * x_new[i, 1]
        ux += mass[i] * half[i, 0]
        uy += mass[i] * half[i, 1]
    cx, cy, ux, uy = cx / total, cy / total, ux / total, uy / total
    dot, crossed, polar, turning = 0.0, 0.0, 0.0, 0.0
    for i in range(x.shape[0]):
        yx, yy = x_new[i, 0] - cx, x_new[i, 1] - cy
        px, py = mass[i] * reference[i, 0], mass[i] * reference[i, 1]
        dot += px * yx + py * yy
        crossed += px * yy - py * yx
        mx, my = yx - 0.5 * h * (half[i, 0] - ux), yy - 0.5 * h * (half[i, 1] - uy)
        polar += mass[i] * (mx * mx + my * my)
        turning += mass[i] * (mx * (half[i, 1] - uy) - my * (half[i, 0] - ux))
    if kind == MEAN_AXIS:
        off = np.arctan2(crossed, dot) - predicted[2]
        angle = predicted[2] + off - 2.0 * np.pi * np.round(off / (2.0 * np.pi))
    else:
        angle = frame[2] + h * turning / polar
    rates[0], rates[1], rates[2] = ux, uy, (angle - frame[2]) / h
    frame[0], frame[1], frame[2] = cx, cy, angle
    return predicted[2] - angle


@njit(cache=True)
def advance(  # type: ignore[no-untyped-def]
    h, h_before, x, half, frame, rates, slip_path, friction_work, sums, external, internal, work, weights, ground,
    reference, mass, kind,
):  # fmt: skip
    """Advance one step of length ``h`` in place under the nodal forces ``external`` and ``internal`` (N, 2) at its start.

    ``work``: three arrays (N, 2), on return v_{n−½}, x_n and the net force ``external`` − λ; the other arguments as in ``run``.
    """
    before, before_x, net_force = work
    kick = 0.5 * (h_before + h)
    gx, gy = ground[0], ground[1]
    for i in range(x.shape[0]):
        m, w = mass[i], weights[i]
        bx, by = half[i, 0], half[i, 1]
        before[i, 0], before[i, 1] = bx, by
        fx, fy = external[i, 0] + internal[i, 0], external[i, 1] + internal[i, 1]
        gain, m_rate = kick / m, m / kick
        sx, sy = shrink(bx - gx + gain * fx, by - gy + gain * fy, gain * w)
        vx, vy = sx + gx, sy + gy
        lx, ly = m_rate * (bx - vx) + fx, m_rate * (by - vy) + fy
        half[i, 0], half[i, 1] = vx, vy
        before_x[i, 0], before_x[i, 1] = x[i, 0], x[i, 1]
        x[i, 0] += h * vx
        x[i, 1] += h * vy
        net_force[i, 0], net_force[i, 1] = external[i, 0] - lx, external[i, 1] - ly
        middle_x, middle_y = 0.5 * (bx + vx), 0.5 * (by + vy)
        lost = kick * (lx * sx + ly * sy)
        carried = kick * (lx * gx + ly * gy)
        slip_path[i] += h * length(sx, sy)
        friction_work[i] += lost
        sums[EXTERNAL] += kick * (external[i, 0] * middle_x + external[i, 1] * middle_y) - carried
        sums[INTERNAL] += kick * (internal[i, 0] * middle_x + internal[i, 1] * middle_y)
        sums[PATH] += 0.5 * (internal[i, 0] * (h_before * bx + h * vx) + internal[i, 1] * (h_before * by + h * vy))
        sums[FRICTION] += lost
        sums[FRICTION_NUMERICAL] += kick * (lx * middle_x + ly * middle_y) - lost - carried
    acceleration = rigid_pass(before_x, before, half, kick, frame, rates, reference, mass, net_force, kind)
    predicted = frame + h * (rates + kick * acceleration)
    sums[DRIFT] += resplit(before_x, x, half, h, frame, rates, predicted, reference, mass, kind)


@njit(cache=True)
def run(  # type: ignore[no-untyped-def]
    steps, h, h_before, x, half, frame, rates, slip_path, friction_work, sums, values, shapes, forces, weights, ground,
    reference, mass, kind, objective, element,
):  # fmt: skip
    """Advance ``steps`` steps of length ``h`` in place: x, v_{n−½} (N, 2); frame, rates (3,); slip path, friction work (N,).

    ``h_before``: length of the step before (0 at the start); ``values`` (steps, loads): history values at the starts of the
    steps; ``ground`` (steps, 2): the ground's velocities half a step later; ``sums`` (6,): the accumulator of ledger terms and
    drift. The arguments' meaning is as in ``nodal_force``.
    """
    body, external, internal = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    work = (np.empty_like(x), np.empty_like(x), np.empty_like(x))
    for step in range(steps):
        nodal_force(
            x, frame, reference, mass, kind, objective, element, values[step], shapes, forces, body, external, internal
        )
        advance(
            h, h_before, x, half, frame, rates, slip_path, friction_work, sums, external, internal, work, weights,
            ground[step], reference, mass, kind,
        )  # fmt: skip
        h_before = h
