"""What acts on a rigid body in the plane besides friction, compiled: tabulated loads, and effects on points by their addresses."""

from __future__ import annotations

import numpy as np
from numba import njit

from fem.kernels.lanes import call
from floating_frame.system.rigid.kernels.records import (
    ASKED,
    AT_STAGE,
    AT_STEP,
    AT_TAU,
    AT_TIME,
    BY_PLACE,
    BY_RATE,
    COUNT,
    GIVEN,
    HEAD,
    LOST,
    PLACE,
    RATES,
    STORED,
    TOTAL,
)


@njit(cache=True, error_model="numpy", inline="always")
def friction_of(plan):  # type: ignore[no-untyped-def]
    """Return the number of friction among the sources: behind dead loads, followers and the other effects."""
    return 1 + plan.followers.shape[0] + plan.acts.shape[0]


@njit(cache=True, error_model="numpy")
def load_forces(dead, histories, followers, c, s, force):  # type: ignore[no-untyped-def]
    """Write the wrenches of the dead loads and of each follower into the first rows of ``force`` (n, 3)."""
    force[0, 0], force[0, 1], force[0, 2] = dead[0], dead[1], c * dead[2] - s * dead[3]
    for k in range(followers.shape[0]):
        x, y = followers[k, 0], followers[k, 1]
        force[1 + k, 0] = histories[k] * (c * x - s * y)
        force[1 + k, 1] = histories[k] * (s * x + c * y)
        force[1 + k, 2] = histories[k] * followers[k, 2]


@njit(cache=True, error_model="numpy")
def acted(plan, tables, k, s, tau, what, room, work):  # type: ignore[no-untyped-def]
    """Write what all effects do where the rates of stage ``s`` lead, and their sum; with ``what`` RECORDS powers and energies, too.

    Return 1 where derivatives are known, else 0; −1: Python raised."""
    small, force, matrices, known = room.small, work.force[s], room.matrices, 0.0
    q = (
        small[PLACE, 0] + tau * small[RATES, 0],
        small[PLACE, 1] + tau * small[RATES, 1],
        small[PLACE, 2] + tau * small[RATES, 2],
    )
    cosine, sine = np.cos(q[2]), np.sin(q[2])
    load_forces(tables.dead[k, s], tables.histories[k, s], plan.followers, cosine, sine, force)
    for i in range(3):
        for j in range(3):
            matrices[BY_PLACE, i, j] = matrices[BY_RATE, i, j] = 0.0
    loads, told = 1 + plan.followers.shape[0], 0.0
    for e in range(plan.acts.shape[0]):
        first, points = plan.blocks[e], plan.points[e + 1] - plan.points[e]
        block = room.blocks[first : plan.blocks[e + 1]]
        known_of_time = HEAD + 14 * points
        block[COUNT], block[AT_TIME], block[AT_TAU] = points, tables.times[k, s], tau
        block[AT_STEP], block[AT_STAGE], block[ASKED] = k, s, what
        put(block, plan.X[:, plan.points[e] : plan.points[e + 1]], points, q, small[RATES], cosine, sine)
        times = tables.acting[min(k, tables.acting.shape[0] - 1), s]
        for i in range(block.shape[0] - known_of_time):
            block[known_of_time + i] = times[plan.known[e] + i]
        told = call(plan.acts[e], plan.constants[e], block.ctypes.data, 0)
        if told < 0.0:
            return told
        known = max(known, told)
        pulled(block, points, q, small[RATES, 2], told > 0.0, force[loads + e], matrices)
        if s > 0:
            work.stored[1, loads + e] = block[STORED]
        work.power[s, loads + e, 0], work.power[s, loads + e, 1] = block[GIVEN], block[LOST]
    for i in range(3):
        small[TOTAL, i] = 0.0
        for source in range(loads + plan.acts.shape[0]):
            small[TOTAL, i] += force[source, i]
    return known


@njit(cache=True, error_model="numpy", inline="always")
def put(block, X, points, q, rates, cosine, sine):  # type: ignore[no-untyped-def]
    """Write places and velocities of an effect's points."""
    for p in range(points):
        x, y = cosine * X[0, p] - sine * X[1, p], sine * X[0, p] + cosine * X[1, p]
        block[HEAD + p], block[HEAD + points + p] = q[0] + x, q[1] + y
        block[HEAD + 2 * points + p] = rates[0] - rates[2] * y
        block[HEAD + 3 * points + p] = rates[1] + rates[2] * x


@njit(cache=True, error_model="numpy", inline="always")
def pulled(block, points, q, spin, known, wrench, matrices):  # type: ignore[no-untyped-def]
    """Write W = Σ Gᵀ F, and add ∂W/∂q and ∂W/∂q': Σ Gᵀ ∂F/∂x G − a·F e₃e₃ᵀ − ω Gᵀ ∂F/∂v a e₃ᵀ, and Σ Gᵀ ∂F/∂v G, with G = [1, J
    a]."""
    by_place, by_rate, first = matrices[BY_PLACE], matrices[BY_RATE], HEAD + 4 * points
    wrench[0] = wrench[1] = wrench[2] = 0.0
    for p in range(points):
        x, y = block[HEAD + p] - q[0], block[HEAD + points + p] - q[1]
        fx, fy, at = block[first + p], block[first + points + p], first + 2 * points + p
        wrench[0] += fx
        wrench[1] += fy
        wrench[2] += x * fy - y * fx
        if known:
            G = ((1.0, 0.0, -y), (0.0, 1.0, x))
            K = ((block[at], block[at + points]), (block[at + 2 * points], block[at + 3 * points]))
            at += 4 * points
            C = ((block[at], block[at + points]), (block[at + 2 * points], block[at + 3 * points]))
            for i in range(3):
                kx, ky = G[0][i] * K[0][0] + G[1][i] * K[1][0], G[0][i] * K[0][1] + G[1][i] * K[1][1]
                cx, cy = G[0][i] * C[0][0] + G[1][i] * C[1][0], G[0][i] * C[0][1] + G[1][i] * C[1][1]
                for j in range(3):
                    by_place[i, j] += kx * G[0][j] + ky * G[1][j]
                    by_rate[i, j] += cx * G[0][j] + cy * G[1][j]
                by_place[i, 2] -= spin * (cx * x + cy * y)
            by_place[2, 2] -= x * fx + y * fy
