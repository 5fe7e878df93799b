"""Which of many steps of a rigid body need nothing else near penalty contacts, compiled: see ``penalty_steps``."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.contact.kernels import combined, dot
from floating_frame.effect.penalty_kernel import LAW, NORMAL, WEIGHTS, seen_gap
from friction.normal.kernels import normal_at

PER_HALF = 24
"""Steps in a half period of a contact."""
CALM = 0.1
"""Share of its penetration by which a contact swings about its balance, below which it asks for no steps of its own."""
DEEP = 0.05
"""Penetration over the obstacle's size, or the body's, below which a turned normal is that of a body that goes around."""
ROUNDING, MARGIN = 1e-12, 1.0 + 1e-9
"""Share of places up to which a gap is none; and of a step, by which it must be shorter than what is allowed to be sure of it."""


@njit(cache=True, error_model="numpy")
def near_points(gap, approach, left, near):  # type: ignore[no-untyped-def]
    """Write which points (P,) may press within ``left`` s at gaps m and speeds m/s of approach; return the largest depth, m."""
    least = 0.0
    for q in range(len(gap)):
        least = gap[q] if q == 0 else min(least, gap[q])
    for q in range(len(gap)):
        reach = max(least, 0.0) + max(approach[q], 0.0) * left
        near[q] = gap[q] <= reach and (approach[q] > 0.0 or gap[q] < 0.0)
    return max(-least, 0.0)


@njit(cache=True, error_model="numpy")
def stiffest(weights, arm, normal, near, mass, moment, matrix):  # type: ignore[no-untyped-def]
    """Write Σ w D⁻¹/² Gᵀ n nᵀ G D⁻¹/² (3, 3) of the points near, whose largest eigenvalue is that of the stiffest rigid motion on
    springs w n nᵀ; return Σ w."""
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
def swings(period, gap, approach, arm, normal, acceleration, spin, deepest):  # type: ignore[no-untyped-def]
    """Return whether the points that press swing about the place where the contact balances the rest: body ``acceleration`` (3)."""
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
def deepest_place(law, energy, start, radius):  # type: ignore[no-untyped-def]
    """Return the depth, m, at which a normal law of one point holds an energy, J; infinite beyond 1e3 of the body's radius."""
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
def allows(law, weights, gap, approach, arm, normal, motion, body, left, near, matrix):  # type: ignore[no-untyped-def]
    """Return whether a contact that touches surely allows a step of ``left`` s; ``motion``: accelerations (3) and spin of the body,
    ``body``: its mass, moment of inertia and radius."""
    deepest = near_points(gap, approach, left, near)
    mass, moment, radius = body
    whole, energy, fastest = stiffest(weights, arm, normal, near, mass, moment, matrix), 0.0, 0.0
    for q in range(len(gap)):
        if near[q]:
            fastest = max(fastest, abs(approach[q]))
        energy += weights[q] * normal_at(law, -gap[q], 0.0)[4] if near[q] else 0.0
    if not whole > 0.0:
        return True
    for largest in (matrix[0, 0] + matrix[1, 1] + matrix[2, 2], 0.0):  # no less than that, and that
        share = whole / (largest if largest > 0.0 else np.linalg.eigvalsh(matrix)[2])
        held = energy + 0.5 * share * fastest * fastest
        if not held > 0.0:
            return True
        depth = deepest_place(law, held / whole, deepest, radius)
        period = np.pi * depth / np.sqrt(2.0 * held / share)
        if period >= PER_HALF * left * MARGIN:
            return True
    return not swings(period * MARGIN, gap, approach, arm, normal, motion[:3], motion[3], deepest / MARGIN)


@njit(cache=True, error_model="numpy")
def entered(gap, normal, deep, entry):  # type: ignore[no-untyped-def]
    """Bring the normals (P, d) at which points came in, 0 outside, to these gaps and normals; return the point deepest past the
    middle, −1: none is."""
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
def carrying(motion, place):  # type: ignore[no-untyped-def]
    """Return a speed, m/s, that an obstacle's material points near a place (2,) do not have."""
    arm = np.hypot(place[0] - motion[0], place[1] - motion[1])
    return np.hypot(motion[3], motion[4]) + abs(motion[17]) * arm


@njit(cache=True, error_model="numpy")
def looked_at(own, motion, place, velocity, frame, lengths, body, deep, entry):  # type: ignore[no-untyped-def]
    """Return how many steps of ``lengths`` (K,) s surely need no shortening near a contact, and none of which leads past the middle
    of its obstacle; the normals ``entry`` (P, 2) are brought to the end of these.

    ``own``: the contact (``effect.penalty_kernel``), ``motion`` (K + 1 or 1, 18) its obstacle's; places and velocities (K + 1, P,
    2); ``frame`` (K + 1, 6): where the body is (2), accelerations (3) and spin."""
    P, d = place.shape[1], place.shape[2]
    law, weights = own[int(own[NORMAL]) : int(own[LAW])], own[WEIGHTS : WEIGHTS + P]
    gap, approach, speed, near = np.empty(P), np.empty(P), np.empty(P), np.empty(P, np.bool_)
    normal, arm, matrix, before = np.empty((P, d)), np.empty((P, d)), np.empty((3, 3)), entry.copy()
    for k in range(len(lengths) + 1):
        moved, size, touches, clear = motion[min(k, len(motion) - 1)], 0.0, False, True
        left = lengths[min(k, len(lengths) - 1)]
        for q in range(P):
            gap[q], n, _, _, _, _, carried = seen_gap(own, moved, (place[k, q, 0], place[k, q, 1], 0.0))
            c = combined(1.0, (velocity[k, q, 0], velocity[k, q, 1], 0.0), -1.0, carried)
            approach[q], speed[q] = -dot(n, c), np.hypot(velocity[k, q, 0], velocity[k, q, 1])
            for row in range(k, k + 2) if len(motion) > 1 else range(0):
                speed[q] += carrying(motion[min(row, len(motion) - 1)], place[k, q])
            for i in range(d):
                normal[q, i], arm[q, i] = n[i], place[k, q, i] - frame[k, i]
                size = max(size, abs(place[k, q, i]))
        before[:] = entry
        if k > 0 and entered(gap, normal, deep, entry) >= 0:
            entry[:] = before
            return k - 1
        if k == len(lengths):
            return k
        for q in range(P):
            touches = touches or -gap[q] > ROUNDING * (size + body[2])
            clear = clear and gap[q] >= speed[q] * left
        if touches:
            clear = allows(law, weights, gap, approach, arm, normal, frame[k, 2:], body, left, near, matrix)
        if not clear:
            return k
    return len(lengths)
