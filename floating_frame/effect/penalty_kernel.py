"""Penalty contact at points of a rigid body, compiled: see ``penalty`` and ``contact.contact_force``.

Constants: ``contact_numbers``. A stage has of a moving obstacle its pivot (3) m, the pivot's velocity (3) m/s, its axes R (9) and
its spin (3) rad/s; of a law with memory the bristles (2, P) m at its start. Points are centres of balls of radius ρ (of feet 0),
which act at e = −ρ n from them; ∂e/∂x = −ρ ∇∇g.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.contact.contact_force import ROUNDING
from floating_frame.contact.kernels import (
    axes_at,
    combine,
    cross,
    dot,
    force_at,
    gap_at,
    own_place,
    rotate,
    rotate_tensor,
    tensor_entry,
    triple,
)
from friction.laws.common import CAP
from friction.laws.kernels import bristle_end, bristle_rate, law_at
from friction.normal.kernels import normal_at

(DIMENSION, KIND, MU, SIZE, MOVES, MOST, CUT, BALL, HAS_BRISTLES, SHAPE, NORMAL, LAW, PIVOT, WEIGHTS) = (*range(13), 15)
"""Places of the constants: d, the shape's kind, μ, the obstacle's size, 1 if it moves, the largest total friction force, the law's
own cap, ρ, 1 for a law with memory, first numbers of shape, normal law and law of friction, its pivot (3), then weights (P,)."""
MOTION, BRISTLES = 18, 6
"""Numbers of a motion; of a point of a law with memory: bristles at the start and end of a stage, and their rate."""
ROWS_IN_PLANE, ROWS_IN_SPACE = 14, 39
"""Numbers of a point in an effect's block: place, velocity, force, its derivatives by both; in space e and ∂e/∂x."""


@njit(cache=True, error_model="numpy")
def space_gap(own, motion, x):  # type: ignore[no-untyped-def]
    """Gap, normal, curvature, both tangents and their twist at a point x in space, and the obstacle's velocity there."""
    kind, plane, moves = int(own[KIND]), own[DIMENSION] == 2.0, own[MOVES] != 0.0
    shape, y, still = own[int(own[SHAPE]) : int(own[NORMAL])], x, (0.0, 0.0, 0.0)
    if moves:
        y = own_place(x, triple(motion, 0), motion, 6, triple(own, PIVOT))
    gap, n, H = gap_at(kind, shape, y)
    t1, t2, q = axes_at(n, H, plane)
    if not moves:
        return gap, n, H, t1, t2, q, still
    n, t1, t2, q = rotate(motion, 6, n), rotate(motion, 6, t1), rotate(motion, 6, t2), rotate(motion, 6, q)
    arm = combine(1.0, combine(1.0, x, -gap, n), -1.0, triple(motion, 0))
    velocity = combine(1.0, triple(motion, 3), 1.0, cross(triple(motion, 15), arm))
    return gap, n, rotate_tensor(motion, 6, H), t1, t2, q, velocity


@njit(cache=True, error_model="numpy", inline="always")
def vector_at(block, first, points, p, plane):  # type: ignore[no-untyped-def]
    """Vector of a point p among those (d, P) that begin at ``first``."""
    return (
        block[first + p],
        block[first + points + p],
        0.0 if plane else block[first + 2 * points + p],
    )


@njit(cache=True, error_model="numpy")
def total_bound(own, block, head, points, least):  # type: ignore[no-untyped-def]
    """Σ μ f_n, N, of all points deeper than ``least``: see ``contact_forces``."""
    d, total, ball = int(own[DIMENSION]), 0.0, own[BALL]
    rows, normal_law = ROWS_IN_PLANE if d == 2 else ROWS_IN_SPACE, own[int(own[NORMAL]) : int(own[LAW])]
    for p in range(points):
        x = vector_at(block, head, points, p, d == 2)
        gap, n, _, _, _, _, carrying = space_gap(own, block[head + rows * points :], x)
        if ball - gap > least:
            c = combine(1.0, vector_at(block, head + d * points, points, p, d == 2), -1.0, carrying)
            rate = -dot(n, c)  # a ball's turning moves its nearest point along the obstacle
            total += own[MU] * max(own[WEIGHTS + p] * normal_at(normal_law, ball - gap, rate)[0], 0.0)
    return total


@njit(cache=True, error_model="numpy", inline="always")
def write_ball(block, slope, points, p, ball, n, H, turning):  # type: ignore[no-untyped-def]
    """Write e and ∂e/∂x of a ball, and add to ∂F/∂x its part ∂F/∂v (``turning`` × ∂e/∂x)."""
    arm = slope + 18 * points
    for j in range(3):
        by_place = (-ball * tensor_entry(H, 0, j), -ball * tensor_entry(H, 1, j), -ball * tensor_entry(H, 2, j))
        velocity = cross(turning, by_place)
        block[arm + j * points + p] = -ball * n[j]
        for i in range(3):
            block[arm + (3 + 3 * i + j) * points + p] = by_place[i]
            for k in range(3):
                block[slope + (3 * i + j) * points + p] += block[slope + (9 + 3 * i + k) * points + p] * velocity[k]


@njit(cache=True, error_model="numpy", inline="always")
def write_bristles(block, first, points, p, law, touches, u, tau):  # type: ignore[no-untyped-def]
    """Write the bristles of a point at the end of a stage and their rate, nan where it does not touch: they are released; at an
    instant (``tau`` 0) their rate alone."""
    x, y, _ = vector_at(block, first, points, p, True)
    end, rate = (x, y), (0.0, 0.0)
    if tau > 0.0:
        end = bristle_end(law, x, y, u[0], u[1], tau) if touches else (0.0, 0.0)
        rate = ((end[0] - x) / tau, (end[1] - y) / tau) if touches else (np.nan, np.nan)
    elif touches:
        rate = bristle_rate(law, x, y, u[0], u[1])
    for a in range(2):
        block[first + (2 + a) * points + p], block[first + (4 + a) * points + p] = end[a], rate[a]


@njit(cache=True, error_model="numpy")
def contact_forces(own, block, head, points, turning, tau):  # type: ignore[no-untyped-def]
    """Write forces and their derivatives behind the places (d, P) and velocities of a block whose numbers begin at ``head``, of
    balls also e (3, P) m and ∂e/∂x (3, 3, P), at its end in space the rates of slip path, m/s, and friction work, W (2, P), and
    bristles; return stored energy J, power of the obstacle W, and dissipation W. ``turning``: the body's spin (3) rad/s; ``tau`` s:
    the stage's length."""
    d = int(own[DIMENSION])
    plane, rate_at, force, slope = d == 2, head + d * points, head + 2 * d * points, head + 3 * d * points
    end, ball, has_bristles = (
        head + (ROWS_IN_PLANE if plane else ROWS_IN_SPACE) * points,
        own[BALL],
        own[HAS_BRISTLES] != 0.0,
    )
    motion = block[end:]
    stored, given, lost, mu, size = 0.0, 0.0, 0.0, own[MU], 0.0
    spin = triple(motion, 15) if own[MOVES] != 0.0 else (0.0, 0.0, 0.0)
    normal_law, law = own[int(own[NORMAL]) : int(own[LAW])], own[int(own[LAW]) :]
    for i in range(d * points):
        size = max(size, abs(block[head + i]))
    density, least = end + (MOTION if own[MOVES] != 0.0 else 0), ROUNDING * (size + own[SIZE] + ball)
    bristles, start = density + (0 if plane else 2 * points), (0.0, 0.0, 0.0)
    for i in range(force, end):
        block[i] = 0.0
    for i in range(density, bristles):
        block[i] = 0.0
    if mu > 0.0 and own[MOST] < np.inf:
        law[CAP] = min(own[CUT], own[MOST] / total_bound(own, block, head, points, least))
    for p in range(points):
        gap, n, H, t1, t2, q, carrying = space_gap(own, motion, vector_at(block, head, points, p, plane))
        if not gap < ball:
            if has_bristles:
                write_bristles(block, bristles, points, p, law, False, (0.0, 0.0), tau)
            continue
        nearest = combine(1.0, vector_at(block, rate_at, points, p, plane), -ball, cross(turning, n))
        c = combine(1.0, nearest, -1.0, carrying)
        rate, weight, depth = -dot(n, c), own[WEIGHTS + p], ball - gap
        normal, a, b, elastic, energy = normal_at(normal_law, depth, rate)
        normal, a, b, elastic = weight * normal, weight * a, weight * b, weight * elastic
        u, rubs, viscous = (dot(t1, c), dot(t2, c)), (0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
        if has_bristles:
            start = vector_at(block, bristles, points, p, True)
            write_bristles(block, bristles, points, p, law, normal > 0.0, u, tau)
        if mu > 0.0 and depth > least and normal > 0.0:
            w = mu * normal
            fx, fy, xx, xy, yx, yy = law_at(has_bristles, law, u[0], u[1], start[0], start[1], tau)
            rubs, viscous = (w * fx, w * fy), (w * xx, w * xy, w * yx, w * yy)
        of_depth = (normal, a, b, elastic)
        F, K, C, power, loss = force_at(gap, n, H, t1, t2, q, spin, carrying, c, rate, of_depth, u, rubs, viscous)
        for i in range(d):
            block[force + i * points + p] = F[i]
            for j in range(d):
                entry = slope + (d * i + j) * points + p
                block[entry], block[entry + d * d * points] = K[3 * i + j], C[3 * i + j]
        if ball > 0.0:
            write_ball(block, slope, points, p, ball, n, H, turning)
        if not plane and normal != 0.0:
            block[density + p], block[density + points + p] = np.hypot(u[0], u[1]), rubs[0] * u[0] + rubs[1] * u[1]
        stored, given, lost = stored + weight * energy, given + power, lost + loss
    return stored, given, lost


@njit(cache=True, error_model="numpy")
def forces_at_instants(own, blocks, points, spins):  # type: ignore[no-untyped-def]
    """Write the forces of a body in space at K instants into its blocks (K, n), see ``contact_forces``; ``spins`` (K, 3) rad/s."""
    for k in range(len(blocks)):
        contact_forces(own, blocks[k], np.int64(0), points, triple(spins[k], 0), 0.0)
