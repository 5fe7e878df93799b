"""Penalty contact at points of a rigid body, compiled: see ``penalty`` and ``contact.contact_force``.

Constants: ``contact_numbers``. A stage has of a moving obstacle its pivot (3) m, the pivot's velocity (3) m/s, its axes R (9) and
its spin (3) rad/s.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.contact.contact_force import ROUNDING
from floating_frame.contact.kernels import axes_at, combine, cross, dot, force_at, gap_at, symv, triple
from friction.laws.common import CAP
from friction.laws.kernels import law_at
from friction.normal.kernels import normal_at

DIMENSION, KIND, MU, SIZE, MOVES, MOST, CUT, SHAPE, NORMAL, LAW, PIVOT, WEIGHTS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13
"""Places of the constants: d, the shape's kind, μ, the obstacle's size, 1 if it moves, the largest total friction force, the law's
own cap, first numbers of shape, normal law and law of friction, its pivot (3), then the weights (P,)."""
MOTION = 18
"""Numbers of a motion."""


@njit(cache=True, error_model="numpy", inline="always")
def rotate(R, first, v):  # type: ignore[no-untyped-def]
    """R v of a matrix (9) that begins at ``first``."""
    return dot(triple(R, first), v), dot(triple(R, first + 3), v), dot(triple(R, first + 6), v)


@njit(cache=True, error_model="numpy", inline="always")
def rotate_back(R, first, v):  # type: ignore[no-untyped-def]
    """Rᵀ v."""
    return combine(1.0, combine(v[0], triple(R, first), v[1], triple(R, first + 3)), v[2], triple(R, first + 6))


@njit(cache=True, error_model="numpy")
def rotate_tensor(R, first, H):  # type: ignore[no-untyped-def]
    """R H Rᵀ of a symmetric tensor."""
    one = rotate(R, first, symv(H, (R[first], R[first + 1], R[first + 2])))  # its columns
    two = rotate(R, first, symv(H, (R[first + 3], R[first + 4], R[first + 5])))
    return (one[0], one[1], one[2], two[1], two[2], rotate(R, first, symv(H, triple(R, first + 6)))[2])


@njit(cache=True, error_model="numpy")
def space_gap(own, motion, x):  # type: ignore[no-untyped-def]
    """Gap, normal, curvature, both tangents and their twist at a point x in space, and the obstacle's velocity there."""
    kind, plane, moves = int(own[KIND]), own[DIMENSION] == 2.0, own[MOVES] != 0.0
    shape, y, still = own[int(own[SHAPE]) : int(own[NORMAL])], x, (0.0, 0.0, 0.0)
    if moves:
        y = combine(1.0, rotate_back(motion, 6, combine(1.0, x, -1.0, triple(motion, 0))), 1.0, triple(own, PIVOT))
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
def total_bound(own, block, head, points, size):  # type: ignore[no-untyped-def]
    """Σ μ f_n, N, of all points: see ``contact_forces``."""
    d, total = int(own[DIMENSION]), 0.0
    motion, normal_law = block[head + (3 * d + 2 * d * d) * points :], own[int(own[NORMAL]) : int(own[LAW])]
    for p in range(points):
        gap, n, _, _, _, _, carrying = space_gap(own, motion, vector_at(block, head, points, p, d == 2))
        if -gap > ROUNDING * (size + own[SIZE]):
            c = combine(1.0, vector_at(block, head + d * points, points, p, d == 2), -1.0, carrying)
            total += own[MU] * max(own[WEIGHTS + p] * normal_at(normal_law, -gap, -dot(n, c))[0], 0.0)
    return total


@njit(cache=True, error_model="numpy")
def contact_forces(own, block, head, points):  # type: ignore[no-untyped-def]
    """Write forces and their derivatives behind the places (d, P) and velocities of a block whose numbers begin at ``head``, in
    space at its end the rates of slip path, m/s, and friction work, W (2, P); return stored energy J, power of the obstacle W, and
    dissipation W."""
    d = int(own[DIMENSION])
    plane, rate_at, force, slope = d == 2, head + d * points, head + 2 * d * points, head + 3 * d * points
    motion = block[slope + 2 * d * d * points :]
    stored, given, lost, mu, size = 0.0, 0.0, 0.0, own[MU], 0.0
    spin = triple(motion, 15) if own[MOVES] != 0.0 else (0.0, 0.0, 0.0)
    normal_law, law = own[int(own[NORMAL]) : int(own[LAW])], own[int(own[LAW]) :]
    for i in range(d * points):
        size = max(size, abs(block[head + i]))
    density = slope + 2 * d * d * points + (MOTION if own[MOVES] != 0.0 else 0)
    for i in range((2 * d * d + d) * points):
        block[force + i] = 0.0
    for i in range(0 if plane else 2 * points):
        block[density + i] = 0.0
    if mu > 0.0 and own[MOST] < np.inf:
        law[CAP] = min(own[CUT], own[MOST] / total_bound(own, block, head, points, size))
    for p in range(points):
        gap, n, H, t1, t2, q, carrying = space_gap(own, motion, vector_at(block, head, points, p, plane))
        if not gap < 0.0:
            continue
        c = combine(1.0, vector_at(block, rate_at, points, p, plane), -1.0, carrying)
        rate, weight = -dot(n, c), own[WEIGHTS + p]
        normal, a, b, elastic, energy = normal_at(normal_law, -gap, rate)
        normal, a, b, elastic = weight * normal, weight * a, weight * b, weight * elastic
        u, rubs, viscous = (dot(t1, c), dot(t2, c)), (0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
        if mu > 0.0 and -gap > ROUNDING * (size + own[SIZE]) and normal > 0.0:
            w = mu * normal
            fx, fy, xx, xy, yx, yy = law_at(False, law, u[0], u[1], 0.0, 0.0, 0.0)
            rubs, viscous = (w * fx, w * fy), (w * xx, w * xy, w * yx, w * yy)
        of_depth = (normal, a, b, elastic)
        F, K, C, power, loss = force_at(gap, n, H, t1, t2, q, spin, carrying, c, rate, of_depth, u, rubs, viscous)
        for i in range(d):
            block[force + i * points + p] = F[i]
            for j in range(d):
                entry = slope + (d * i + j) * points + p
                block[entry], block[entry + d * d * points] = K[3 * i + j], C[3 * i + j]
        if not plane and normal != 0.0:
            block[density + p], block[density + points + p] = np.hypot(u[0], u[1]), rubs[0] * u[0] + rubs[1] * u[1]
        stored, given, lost = stored + weight * energy, given + power, lost + loss
    return stored, given, lost
