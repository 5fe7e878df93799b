"""Compiled step-size checks near penalty contacts of rigid bodies: see ``penalty_steps``."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.contact.kernels import combine, dot
from floating_frame.effect.penalty_kernel import LAW, NORMAL, WEIGHTS, space_gap
from friction.normal.kernels import normal_at

PER_HALF = 24
"""Steps in a half period of a contact."""
CALM = 0.1
"""Amplitude about equilibrium over penetration below which a contact does not limit the step."""
DEEP = 0.05
"""Penetration over the size of obstacle or body below which a reversed normal means motion around the obstacle."""
ROUNDING, MARGIN = 1e-12, 1.0 + 1e-9
"""Rounding of gaps relative to coordinates; safety factor on a step below its limit."""


@njit(cache=True, error_model="numpy")
def near_points(gap, approach, time, near):  # type: ignore[no-untyped-def]
    """Mark the points (P,) that may touch within ``time`` s, by gaps m and approach speeds m/s; return the largest depth, m."""
    least = 0.0
    for q in range(len(gap)):
        least = gap[q] if q == 0 else min(least, gap[q])
    for q in range(len(gap)):
        reach = max(least, 0.0) + max(approach[q], 0.0) * time
        near[q] = gap[q] <= reach and (approach[q] > 0.0 or gap[q] < 0.0)
    return max(-least, 0.0)


@njit(cache=True, error_model="numpy")
def stiffness_matrix(weights, arm, normal, near, mass, moment, matrix):  # type: ignore[no-untyped-def]
    """Scaled stiffness Σ w D⁻¹/² Gᵀ n nᵀ G D⁻¹/² (3, 3) of springs w n nᵀ at the points near, written to ``matrix``; return Σ w."""
    whole, row = 0.0, np.empty(3)
    matrix[:] = 0.0
    for q in range(len(weights)):
        if near[q]:
            row[0], row[1] = normal[q, 0] / np.sqrt(mass), normal[q, 1] / np.sqrt(mass)
            row[2] = (arm[q, 0] * normal[q, 1] - arm[q, 1] * normal[q, 0]) / np.sqrt(moment)
            whole += weights[q]
            for i in range(3):
                for j in range(3):
                    matrix[i, j] += weights[q] * row[i] * row[j]
    return whole


@njit(cache=True, error_model="numpy")
def oscillates(period, gap, approach, arm, normal, acceleration, spin, deepest):  # type: ignore[no-untyped-def]
    """True if the contact oscillates about equilibrium by more than ``CALM``, at a body ``acceleration`` (3)."""
    rate, most = np.pi / period, 0.0
    for q in range(len(gap)):
        if gap[q] < 0.0:
            x, y = arm[q, 0], arm[q, 1]
            ax = acceleration[0] - acceleration[2] * y - spin * spin * x
            ay = acceleration[1] + acceleration[2] * x - spin * spin * y
            push = abs(normal[q, 0] * ax + normal[q, 1] * ay)
            most = max(most, np.hypot(approach[q] / rate, push / rate**2))
    return not most < CALM * deepest


@njit(cache=True, error_model="numpy")
def depth_of_energy(law, energy, start, radius):  # type: ignore[no-untyped-def]
    """Depth, m, at which a normal law of one point stores an ``energy``, J; infinite beyond 1e3 body radii."""
    most, least = max(1e-9 * radius, start), 0.0
    while normal_at(law, most, 0.0)[4] < energy:
        least, most = most, 2.0 * most
        if most > 1e3 * radius:
            return np.inf
    for _ in range(60):
        middle = 0.5 * (least + most)
        least, most = (middle, most) if normal_at(law, middle, 0.0)[4] < energy else (least, middle)
    return least


@njit(cache=True, error_model="numpy")
def half_period(law, weights, gap, near, mass, approach, radius):  # type: ignore[no-untyped-def]
    """Approximate duration, s, of the impact of the points near from first touch to release; infinite where almost no spring
    resists. ``mass`` kg with speed ``approach`` m/s."""
    whole, energy, deepest = 0.0, 0.5 * mass * approach * approach, 0.0
    for q in range(len(gap)):
        deepest = max(deepest, -gap[q])
        if near[q]:
            whole, energy = whole + weights[q], energy + weights[q] * normal_at(law, -gap[q], 0.0)[4]
    if not energy > 0.0:
        return np.inf
    return np.pi * depth_of_energy(law, energy / whole, deepest, radius) / np.sqrt(2.0 * energy / mass)


@njit(cache=True, error_model="numpy")
def allows_step(law, weights, gap, approach, arm, normal, motion, body, time, near, matrix):  # type: ignore[no-untyped-def]
    """True if a closed contact certainly allows a step of ``time`` s; ``motion``: accelerations (3) and spin of the body,
    ``body``: its mass, moment of inertia and radius."""
    deepest = near_points(gap, approach, time, near)
    mass, moment, radius = body
    whole, fastest = stiffness_matrix(weights, arm, normal, near, mass, moment, matrix), 0.0
    for q in range(len(gap)):
        fastest = max(fastest, abs(approach[q]) if near[q] else 0.0)
    if not whole > 0.0:
        return True
    for largest in (matrix[0, 0] + matrix[1, 1] + matrix[2, 2], 0.0):  # bound first, then the eigenvalue
        share = whole / (largest if largest > 0.0 else np.linalg.eigvalsh(matrix)[2])
        period = half_period(law, weights, gap, near, share, fastest, radius)
        if period >= PER_HALF * time * MARGIN:
            return True
    return not oscillates(period * MARGIN, gap, approach, arm, normal, motion[:3], motion[3], deepest / MARGIN)


@njit(cache=True, error_model="numpy")
def update_entry_normals(gap, normal, deep, entry):  # type: ignore[no-untyped-def]
    """Update the normals (P, d) at entry, 0 outside, for these gaps and normals; return the deepest point past the middle of its
    obstacle, −1 for none."""
    worst, most = -1, 0.0
    for q in range(len(gap)):
        along, fresh = 0.0, True
        for i in range(normal.shape[1]):
            along += entry[q, i] * normal[q, i]
            fresh = fresh and entry[q, i] == 0.0
        for i in range(normal.shape[1]):
            entry[q, i] = 0.0 if not gap[q] < 0.0 else normal[q, i] if fresh else entry[q, i]
        if gap[q] < 0.0 and not fresh and along < 0.0 and -gap[q] > max(deep, most):
            worst, most = q, -gap[q]
    return worst


@njit(cache=True, error_model="numpy")
def obstacle_speed_bound(motion, place):  # type: ignore[no-untyped-def]
    """Upper bound, m/s, of the speed of an obstacle's material points near a place (2,)."""
    arm = np.hypot(place[0] - motion[0], place[1] - motion[1])
    return np.hypot(motion[3], motion[4]) + abs(motion[17]) * arm


@njit(cache=True, error_model="numpy")
def count_free_steps(own, motion, place, velocity, frame, lengths, body, deep, entry):  # type: ignore[no-untyped-def]
    """Number of steps of ``lengths`` (K,) s that certainly need no shortening near a contact and do not pass the middle of its
    obstacle; ``entry`` (P, 2), the normals at entry, are updated to their end.

    ``own``: the contact (``effect.penalty_kernel``), ``motion`` (K + 1 or 1, 18) its obstacle's; places and velocities (K + 1, P,
    2); ``frame`` (K + 1, 6): position (2), accelerations (3) and spin of the body."""
    P, d = place.shape[1], place.shape[2]
    law, weights = own[int(own[NORMAL]) : int(own[LAW])], own[WEIGHTS : WEIGHTS + P]
    gap, approach, speed, near = np.empty(P), np.empty(P), np.empty(P), np.empty(P, np.bool_)
    normal, arm, matrix, before = np.empty((P, d)), np.empty((P, d)), np.empty((3, 3)), entry.copy()
    for k in range(len(lengths) + 1):
        now, size, touches, clear = motion[min(k, len(motion) - 1)], 0.0, False, True
        length = lengths[min(k, len(lengths) - 1)]
        for q in range(P):
            gap[q], n, _, _, _, _, carried = space_gap(own, now, (place[k, q, 0], place[k, q, 1], 0.0))
            c = combine(1.0, (velocity[k, q, 0], velocity[k, q, 1], 0.0), -1.0, carried)
            approach[q], speed[q] = -dot(n, c), np.hypot(velocity[k, q, 0], velocity[k, q, 1])
            for row in range(k, k + 2) if len(motion) > 1 else range(0):
                speed[q] += obstacle_speed_bound(motion[min(row, len(motion) - 1)], place[k, q])
            for i in range(d):
                normal[q, i], arm[q, i] = n[i], place[k, q, i] - frame[k, i]
                size = max(size, abs(place[k, q, i]))
        before[:] = entry
        if k > 0 and update_entry_normals(gap, normal, deep, entry) >= 0:
            entry[:] = before
            return k - 1
        if k == len(lengths):
            return k
        for q in range(P):
            touches = touches or -gap[q] > ROUNDING * (size + body[2])
            clear = clear and gap[q] >= speed[q] * length
        if touches:
            clear = allows_step(law, weights, gap, approach, arm, normal, frame[k, 2:], body, length, near, matrix)
        if not clear:
            return k
    return len(lengths)
