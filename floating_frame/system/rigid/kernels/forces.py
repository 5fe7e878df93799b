"""Wrenches on a rigid body in the plane besides friction, compiled: tabulated loads, and effects on points by their addresses."""

from __future__ import annotations

import numpy as np
from numba import njit

from fem.kernels.lanes import call
from floating_frame.effect.penalty_kernel import ROWS_IN_PLANE
from floating_frame.system.rigid.kernels import records as rec


@njit(cache=True, error_model="numpy", inline="always")
def friction_source(data):  # type: ignore[no-untyped-def]
    """Index of friction among the sources: after dead loads, followers and the other effects."""
    return 1 + data.followers.shape[0] + data.effects.addresses.shape[0]


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
def effect_forces(data, tables, k, s, tau, request, scratch, work):  # type: ignore[no-untyped-def]
    """Write the wrenches of all effects at the end of stage ``s``, and their sum; for ``request`` RECORD powers and energies, too.
    Return 1 with derivatives, 0 without; −1: Python raised."""
    now, force, linearised = scratch.now[0], work.force[s], 0.0
    q = (
        now.place[0] + tau * scratch.rates[0],
        now.place[1] + tau * scratch.rates[1],
        now.place[2] + tau * scratch.rates[2],
    )
    cosine, sine = np.cos(q[2]), np.sin(q[2])
    load_forces(tables.dead[k, s], tables.histories[k, s], data.followers, cosine, sine, force)
    for i in range(3):
        for j in range(3):
            now.by_place[i, j] = now.by_rate[i, j] = 0.0
    loads, status, table = 1 + data.followers.shape[0], 0.0, data.effects
    for e in range(table.addresses.shape[0]):
        first, points = table.blocks[e], table.points[e + 1] - table.points[e]
        block = scratch.blocks[first : table.blocks[e + 1]]
        known_of_time = rec.HEADER + ROWS_IN_PLANE * points
        block[rec.POINT_COUNT], block[rec.EFFECT_TIME], block[rec.EFFECT_TAU] = points, tables.times[k, s], tau
        block[rec.EFFECT_STAGE], block[rec.EFFECT_REQUEST] = s, request
        write_points(block, table.X[:, table.points[e] : table.points[e + 1]], points, q, scratch.rates, cosine, sine)
        times = tables.effect_data[min(k, tables.effect_data.shape[0] - 1), s]
        for i in range(table.time_columns[e + 1] - table.time_columns[e]):
            block[known_of_time + i] = times[table.time_columns[e] + i]
        status = call(table.addresses[e], table.constants[e], block.ctypes.data, 0)
        if status < 0.0:
            return status
        linearised = max(linearised, status)
        assemble_wrench(block, points, q, scratch.rates[2], status > 0.0, force[loads + e], now)
        if s > 0:
            work.stored[1, loads + e] = block[rec.ENERGY]
        work.power[s, loads + e, 0], work.power[s, loads + e, 1] = block[rec.POWER], block[rec.DISSIPATION]
    for i in range(3):
        now.wrench[i] = 0.0
        for source in range(loads + table.addresses.shape[0]):
            now.wrench[i] += force[source, i]
    return linearised


@njit(cache=True, error_model="numpy", inline="always")
def write_points(block, X, points, q, rates, cosine, sine):  # type: ignore[no-untyped-def]
    """Write places m and velocities m/s of an effect's points."""
    for p in range(points):
        x, y = cosine * X[0, p] - sine * X[1, p], sine * X[0, p] + cosine * X[1, p]
        block[rec.HEADER + p], block[rec.HEADER + points + p] = q[0] + x, q[1] + y
        block[rec.HEADER + 2 * points + p] = rates[0] - rates[2] * y
        block[rec.HEADER + 3 * points + p] = rates[1] + rates[2] * x


@njit(cache=True, error_model="numpy", inline="always")
def assemble_wrench(block, points, q, spin, linearised, wrench, now):  # type: ignore[no-untyped-def]
    """Write W = Σ Gᵀ F, and add ∂W/∂q and ∂W/∂q': Σ Gᵀ ∂F/∂x G − a·F e₃e₃ᵀ − ω Gᵀ ∂F/∂v a e₃ᵀ, and Σ Gᵀ ∂F/∂v G, with G = [1, J
    a]."""
    by_place, by_rate, first = now.by_place, now.by_rate, rec.HEADER + 4 * points
    wrench[0] = wrench[1] = wrench[2] = 0.0
    for p in range(points):
        x, y = block[rec.HEADER + p] - q[0], block[rec.HEADER + points + p] - q[1]
        fx, fy, at = block[first + p], block[first + points + p], first + 2 * points + p
        wrench[0] += fx
        wrench[1] += fy
        wrench[2] += x * fy - y * fx
        if linearised:
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
