"""Compiled loops of the step of a free plate, which ``compiled`` and ``compiled_stage`` call.

Nodal fields are rows of one array f (FIELDS, N, 2). In space: x*, v*, the load, and what the passes have come to; in the frame what
``elastic`` calls so, and the iterate with its λ. They are kept apart from the loops over elements, which compile for long."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from floating_frame.frame.conditions import MEAN_AXIS, SMALLEST_ALIGNMENT
from floating_frame.frame.kernels import cross_sum, dot, product, resultant_sums, unbalanced, weighted_sum
from friction.nodal.kernels.newton import newton_terms, residuals

# In space.
PLACE, INCOMING, LOAD, VELOCITY, MULTIPLIER, REFERENCE, POSITION, ACCELERATION, SLIP, INTERNAL, NET = range(11)
# In the frame.
RESTING, ARRIVING, APPLIED, FRAME_FORCE, AGAINST, U, A, F, V, G, LAM, RHS, FOUND = range(11, 24)
# Where a chord step began, or sweeps have led.
SAVED_V, SAVED_G = 24, 25
FIELDS = 26
EPS = float(np.finfo(float).eps)


@njit(cache=True, error_model="numpy")
def turn(field, angle, out):  # type: ignore[no-untyped-def]
    """Write Q f (N, 2) into out, which may be the field."""
    c, s = math.cos(angle), math.sin(angle)
    for i in range(field.shape[0]):
        x, y = field[i, 0], field[i, 1]
        out[i, 0], out[i, 1] = c * x - s * y, s * x + c * y


@njit(cache=True, error_model="numpy")
def combined(rows, weights, out):  # type: ignore[no-untyped-def]
    """Write Σ_j w_j r_j (N, 2) of the first rows (J, N, 2) into out."""
    for i in range(out.shape[0]):
        x, y = 0.0, 0.0
        for j in range(weights.shape[0]):
            x += weights[j] * rows[j, i, 0]
            y += weights[j] * rows[j, i, 1]
        out[i, 0], out[i, 1] = x, y


@njit(cache=True, error_model="numpy")
def displaced(x, q, X, u):  # type: ignore[no-untyped-def]
    """Write u = Qᵀ(x − x0) − X (N, 2) into u; q = (x0, α)."""
    c, s = math.cos(q[2]), math.sin(q[2])
    for i in range(x.shape[0]):
        dx, dy = x[i, 0] - q[0], x[i, 1] - q[1]
        u[i, 0], u[i, 1] = c * dx + s * dy - X[i, 0], c * dy - s * dx - X[i, 1]


@njit(cache=True, error_model="numpy")
def begin(f, slip, bound):  # type: ignore[no-untyped-def]
    """Write the incoming slip of a stage, ``slip`` (2, N, 2) of the step's start, else of the last stage; return whether all nodes
    slid last, and the largest bound and entries of x* and v*."""
    all_slid, largest, place, velocity = True, 0.0, 0.0, 0.0
    for i in range(slip.shape[1]):
        all_slid = all_slid and (slip[1, i, 0] != 0.0 or slip[1, i, 1] != 0.0)
        from_start = slip[0, i, 0] != 0.0 or slip[0, i, 1] != 0.0
        largest = max(largest, bound[i])
        for j in range(2):
            f[REFERENCE, i, j] = slip[0, i, j] if from_start else slip[1, i, j]
            place, velocity = max(place, abs(f[PLACE, i, j])), max(velocity, abs(f[INCOMING, i, j]))
    return all_slid, largest, place, velocity


@njit(cache=True, error_model="numpy")
def onward(f, a, slip, ground, tau_v):  # type: ignore[no-untyped-def]
    """Write the guess ``system.onward`` from the last accelerations and slip (N, 2)."""
    for i in range(a.shape[0]):
        x = f[INCOMING, i, 0] + tau_v * a[i, 0] - ground[0]
        y = f[INCOMING, i, 1] + tau_v * a[i, 1] - ground[1]
        goes_on = x * slip[i, 0] + y * slip[i, 1] > 0.0
        f[VELOCITY, i, 0] = ground[0] + x if goes_on else ground[0]
        f[VELOCITY, i, 1] = ground[1] + y if goes_on else ground[1]


@njit(cache=True, error_model="numpy")
def carry(f, x, q, ahead, tau_x):  # type: ignore[no-untyped-def]
    """Let the guess carry nodes at ``x`` (N, 2) along with the frame from its place ``q`` to the one ``ahead`` (3,)."""
    c, s = math.cos(ahead[2] - q[2]), math.sin(ahead[2] - q[2])
    for i in range(x.shape[0]):
        dx, dy = x[i, 0] - q[0], x[i, 1] - q[1]
        f[VELOCITY, i, 0] = (ahead[0] + c * dx - s * dy - f[PLACE, i, 0]) / tau_x
        f[VELOCITY, i, 1] = (ahead[1] + s * dx + c * dy - f[PLACE, i, 1]) / tau_x


@njit(cache=True, error_model="numpy")
def pose(f, X, q, ground, fixed, tau_x):  # type: ignore[no-untyped-def]
    """Turn what a pass starts from into the frame at ``q`` (3,): the constants of nodal equilibrium, velocities; and u and
    arms (as A) of the last pass, at which the moment of a force is taken."""
    c, s = math.cos(q[2]), math.sin(q[2])
    lift_x, lift_y = c * ground[0] + s * ground[1], c * ground[1] - s * ground[0]
    for i in range(X.shape[0]):
        x, y = f[PLACE, i, 0] - q[0], f[PLACE, i, 1] - q[1]
        f[RESTING, i, 0] = c * x + s * y - X[i, 0] + tau_x * lift_x
        f[RESTING, i, 1] = c * y - s * x - X[i, 1] + tau_x * lift_y
        x, y = f[INCOMING, i, 0], f[INCOMING, i, 1]
        f[ARRIVING, i, 0], f[ARRIVING, i, 1] = c * x + s * y - lift_x, c * y - s * x - lift_y
        x, y = f[VELOCITY, i, 0] - ground[0], f[VELOCITY, i, 1] - ground[1]
        f[V, i, 0], f[V, i, 1] = c * x + s * y, c * y - s * x
        for j in range(2):
            f[POSITION, i, j] = f[PLACE, i, j] + tau_x * f[VELOCITY, i, j]
            if fixed[i]:
                f[V, i, j] = 0.0
        x, y = f[POSITION, i, 0] - q[0], f[POSITION, i, 1] - q[1]
        f[A, i, 0], f[A, i, 1] = c * x + s * y, c * y - s * x
        f[U, i, 0], f[U, i, 1] = f[A, i, 0] - X[i, 0], f[A, i, 1] - X[i, 1]
    turn(f[LOAD], -q[2], f[APPLIED])
    turn(f[REFERENCE], -q[2], f[AGAINST])


@njit(cache=True, error_model="numpy")
def moment_force(frame, m, angle, weighted, indptr, indices, data, r, internal, out):  # type: ignore[no-untyped-def]
    """Write ``elastic.frame_moment_force`` (N, 2) of an ``internal`` force at arms r in a frame turned by angle; moments ``m``."""
    cross = cross_sum(r, internal)
    if frame == MEAN_AXIS:
        share = cross / (math.cos(angle) * m[6] + math.sin(angle) * m[7])
        for i in range(r.shape[0]):
            out[i, 0], out[i, 1] = share * weighted[i, 1], -share * weighted[i, 0]
        return
    product(indptr, indices, data, r, out)
    for i in range(r.shape[0]):
        out[i, 0], out[i, 1] = cross / m[12] * out[i, 1], -cross / m[12] * out[i, 0]


@njit(cache=True, error_model="numpy")
def spread(f, tau_x, tau_v):  # type: ignore[no-untyped-def]
    """Write u and Qᵀa at the iterate."""
    for i in range(f.shape[1]):
        for j in range(2):
            f[U, i, j] = f[RESTING, i, j] + tau_x * f[V, i, j]
            f[A, i, j] = (f[V, i, j] - f[ARRIVING, i, j]) / tau_v


@njit(cache=True, error_model="numpy")
def judged(f, indptr, indices, data, bound, fixed, theta, moment):  # type: ignore[no-untyped-def]
    """Write g at the iterate, the internal force being that of the elements, and with the ``moment`` of a force in the frame;
    return its residual and the largest force that it is made of."""
    if moment:
        for i in range(f.shape[1]):
            f[F, i, 0] += f[FRAME_FORCE, i, 0]
            f[F, i, 1] += f[FRAME_FORCE, i, 1]
    one, two, three = unbalanced(indptr, indices, data, f[A], f[F], f[APPLIED], theta, f[G])
    for i in range(f.shape[1]):
        f[LAM, i, 0], f[LAM, i, 1] = -f[G, i, 0], -f[G, i, 1]
    stick, slip = residuals(f[V], f[G], bound, fixed)
    return stick if slip <= stick or stick != stick else slip, max(one, two, three)


@njit(cache=True, error_model="numpy")
def chord_serves(f, bound, r, fixed, tie, eliminated, factorised, d):  # type: ignore[no-untyped-def]
    """Linearise the friction law; where the factor at hand serves on, note where its step begins and return True."""
    jumps = newton_terms(f[V], f[LAM], f[G], bound, r, fixed, tie, eliminated, d, f[RHS])
    for i in range(len(eliminated)):
        if jumps > 0 or eliminated[i] != factorised[i]:
            return False
    for i in range(len(eliminated)):
        for j in range(2):
            if eliminated[i]:
                f[RHS, i, j] = 0.0
            f[SAVED_V, i, j], f[SAVED_G, i, j] = f[V, i, j], f[G, i, j]
    return True


@njit(cache=True, error_model="numpy")
def take_back(f):  # type: ignore[no-untyped-def]
    """Return to the saved iterate."""
    for i in range(f.shape[1]):
        for j in range(2):
            f[V, i, j], f[G, i, j], f[LAM, i, j] = f[SAVED_V, i, j], f[SAVED_G, i, j], -f[SAVED_G, i, j]


@njit(cache=True, error_model="numpy")
def advance(f, taken, k, chord, eliminated, tau_x, tau_v):  # type: ignore[no-untyped-def]
    """Go to the next iterate by Broyden's step for the ``chord`` step (2N,), m/s, after k others (``semismooth._secant``)."""
    step = taken[k]
    for i in range(step.shape[0]):
        step[i, 0], step[i, 1] = chord[2 * i], chord[2 * i + 1]
    for j in range(k - 1):
        share = dot(taken[j], step) / dot(taken[j], taken[j])
        for i in range(step.shape[0]):
            step[i, 0] += share * taken[j + 1, i, 0]
            step[i, 1] += share * taken[j + 1, i, 1]
    share = dot(taken[k - 1], step) / dot(taken[k - 1], taken[k - 1]) if k > 0 else 0.0
    for i in range(step.shape[0]):
        for j in range(2):
            step[i, j] = step[i, j] / (1.0 - share) if share < 0.5 else chord[2 * i + j]
            f[V, i, j] = 0.0 if eliminated[i] else f[V, i, j] + step[i, j]
    spread(f, tau_x, tau_v)


@njit(cache=True, error_model="numpy")
def ended(f, angle, ground, fixed, tau_x, tau_v):  # type: ignore[no-untyped-def]
    """Turn what an elastic pass has found into space."""
    turn(f[V], angle, f[SLIP])
    turn(f[FOUND], angle, f[MULTIPLIER])
    turn(f[F], angle, f[INTERNAL])
    for i in range(f.shape[1]):
        for j in range(2):
            if fixed[i]:
                f[SLIP, i, j] = 0.0
            f[VELOCITY, i, j] = f[SLIP, i, j] + ground[j]
            f[POSITION, i, j] = f[PLACE, i, j] + tau_x * f[VELOCITY, i, j]
            f[ACCELERATION, i, j] = (f[VELOCITY, i, j] - f[INCOMING, i, j]) / tau_v
            f[NET, i, j] = f[LOAD, i, j] - f[MULTIPLIER, i, j]


@njit(cache=True, error_model="numpy")
def decomposed(kind, m, second_moment, angle, q):  # type: ignore[no-untyped-def]
    """Write q, q', q'' (3, 3) that the frame's condition gives moments ``m`` (``conditions``); return whether there are any."""
    for j in range(2):
        q[0, j], q[1, j], q[2, j] = m[j], m[2 + j], m[4 + j]
    if kind == MEAN_AXIS:
        alignment, wrapped = math.hypot(m[6], m[7]), math.atan2(m[7], m[6])
        alpha = wrapped + 2.0 * math.pi * np.round((angle - wrapped) / (2.0 * math.pi))
        c, s = math.cos(alpha), math.sin(alpha)
        spin = (c * m[9] - s * m[8]) / alignment
        q[0, 2], q[1, 2] = alpha, spin
        q[2, 2] = (c * m[11] - s * m[10] - 2.0 * spin * (c * m[8] + s * m[9])) / alignment
        return alignment > SMALLEST_ALIGNMENT * second_moment
    spin = m[14] / m[12]
    q[0, 2], q[1, 2], q[2, 2] = angle, spin, (m[15] - 2.0 * spin * m[13]) / m[12]
    return m[12] > SMALLEST_ALIGNMENT**2 * second_moment


@njit(cache=True, error_model="numpy")
def turned_by(kind, m, forces, before, star, tau_x, tau_v, settled, most):  # type: ignore[no-untyped-def]
    """Return ω' of (3.4)1 for moments ``m`` and ``forces`` (3,) by sweeps from the frame ``before`` (3, 3), and whether they came
    to stand (``staggered.rigid_pass``)."""
    angle, spin, rate = before[0, 2], before[1, 2], 0.0
    for _ in range(most):
        moment, polar = 0.0, m[12]
        if kind == MEAN_AXIS:
            c, s = math.cos(angle), math.sin(angle)
            polar, cross = c * m[6] + s * m[7], c * m[7] - s * m[6]
            rate_dot = c * m[8] + s * m[9] + spin * cross
            reference = c * m[11] - s * m[10] + spin**2 * cross - 2.0 * spin * rate_dot
            moment = m[15] - 2.0 * spin * m[13] - reference
        rate = (forces[2] - 2.0 * spin * m[13] - moment) / polar
        last, spin = spin, star[1, 2] + tau_v * rate
        turned, angle = angle, star[0, 2] + tau_x * spin
        moved = max(abs(angle - turned) / (1.0 + abs(angle)), abs(spin - last) / (1.0 / tau_x + abs(spin)))
        if moved <= settled:
            return rate, True
        if not abs(spin) < 1e100:
            break
    return rate, False


@njit(cache=True, error_model="numpy")
def densities(multiplier, slip, share, path, heat):  # type: ignore[no-untyped-def]
    """Add what nodes slide and dissipate in a ``share`` of the step, s; return Σ λ·v, W."""
    total = 0.0
    for i in range(slip.shape[0]):
        power = multiplier[i, 0] * slip[i, 0] + multiplier[i, 1] * slip[i, 1]
        path[i] += share * math.sqrt(slip[i, 0] * slip[i, 0] + slip[i, 1] * slip[i, 1])
        heat[i] += share * power
        total += power
    return total


@njit(cache=True, error_model="numpy")
def seen(X, nodal, indptr, indices, data, x, v, a, balance, q, bound, limits, u, values):  # type: ignore[no-untyped-def]
    """Write u (N, 2), m, of an instant in its frame q (3, 3), and ``values`` (12,): A, P, B, L, J_zz, the residual of (3.4)1
    relative to its terms (``PlaneSystem._relative``), linear and angular momentum.

    ``limits``: mass, tolerance, rounding of a force per metre, and 1 with inertia, else 0.
    """
    total, level, per_metre, moving = limits
    rate, second, r, image = np.empty_like(x), np.empty_like(x), np.empty_like(x), np.empty_like(x)
    c, s, spin, turns = math.cos(q[0, 2]), math.sin(q[0, 2]), moving * q[1, 2], moving * q[2, 2]
    weight, arms, forces, moments, extent = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(x.shape[0]):
        dx, dy = x[i, 0] - q[0, 0], x[i, 1] - q[0, 1]
        arm, force = math.sqrt(dx * dx + dy * dy), nodal[i] * math.sqrt(a[i, 0] * a[i, 0] + a[i, 1] * a[i, 1])
        weight, arms, forces, moments = weight + bound[i], arms + bound[i] * arm, forces + force, moments + force * arm
        extent, rx, ry = max(extent, arm), c * dx + s * dy, c * dy - s * dx
        dx, dy = moving * (v[i, 0] - q[1, 0]), moving * (v[i, 1] - q[1, 1])
        vx, vy = c * dx + s * dy + spin * ry, c * dy - s * dx - spin * rx
        dx, dy = moving * (a[i, 0] - q[2, 0]), moving * (a[i, 1] - q[2, 1])
        second[i, 0] = c * dx + s * dy + turns * ry + spin * spin * rx + 2.0 * spin * vy
        second[i, 1] = c * dy - s * dx - turns * rx + spin * spin * ry - 2.0 * spin * vx
        r[i, 0], r[i, 1], rate[i, 0], rate[i, 1] = rx, ry, vx, vy
        u[i, 0], u[i, 1] = rx - X[i, 0], ry - X[i, 1]
    product(indptr, indices, data, r, image)
    ax, ay = weighted_sum(nodal, u)
    px, py = weighted_sum(nodal, rate)
    bx, by = weighted_sum(nodal, second)
    L, J, K = cross_sum(image, second), dot(image, r), dot(image, rate)
    jx, jy, accelerated = -c * ay - s * ax, c * ax - s * ay, moving * total
    fx, fy, moment = resultant_sums(balance, x, q[0])
    xs = (
        accelerated * q[2, 0] + jx * turns,
        -2.0 * spin * (c * py + s * px),
        -spin * spin * (c * ax - s * ay),
        c * bx - s * by,
        -fx,
    )
    ys = (
        accelerated * q[2, 1] + jy * turns,
        2.0 * spin * (c * px - s * py),
        -spin * spin * (s * ax + c * ay),
        s * bx + c * by,
        -fy,
    )
    turning = (moving * (jx * q[2, 0] + jy * q[2, 1]) + J * turns, 2.0 * spin * K, L, -moment)
    rest_x, rest_y, rest_m, force, torque = 0.0, 0.0, 0.0, weight, arms
    for j in range(5):
        rest_x, rest_y, force = rest_x + xs[j], rest_y + ys[j], max(force, abs(xs[j]), abs(ys[j]))
    for j in range(4):
        rest_m, torque = rest_m + turning[j], max(torque, abs(turning[j]))
    rounding, residual = per_metre * extent, 0.0
    if force > max(level * forces, rounding):
        residual = max(abs(rest_x), abs(rest_y)) / force
    if torque > max(level * moments, rounding * extent):
        residual = max(residual, abs(rest_m) / torque)
    product(indptr, indices, data, x, image)
    mx, my = weighted_sum(nodal, v)
    values[0], values[1], values[2], values[3], values[4], values[5] = ax, ay, px, py, bx, by
    values[6], values[7], values[8], values[9], values[10] = L, J, residual, moving * mx, moving * my
    values[11] = moving * cross_sum(image, v)
