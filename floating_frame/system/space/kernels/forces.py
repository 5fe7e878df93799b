"""Forces on a rigid body in space besides exact contact, compiled: tabulated loads, effects on points by their addresses, and
others, which Python evaluates.

A force f at a + e, of a point at the arm a (e: from the centre of a ball, E = ∂e/∂x; 0 of others), with derivatives K and C by
position and velocity, and its moment change with (δv, δΩ), δφ = T δΩ, by

    δf = (τ K + C) δv − {K hat(a) T + C (hat(a + e) + hat(Ω) hat(a) T)} δΩ,
    (a + e) × δf + E (τ δv − hat(a) T δΩ) × f + (a fᵀ − a·f 1) T δΩ."""

from __future__ import annotations

from numba import njit

from fem.kernels.lanes import call
from floating_frame.effect.penalty_kernel import ROWS_IN_SPACE, vector_at
from floating_frame.system.rigid.kernels.records import DISSIPATION, ENERGY, HEADER, POINT_COUNT, POWER, SPIN
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.algebra import (
    add_outer,
    couple_of,
    cross3,
    dot,
    largest,
    minus,
    plus,
    put,
    times,
    triple,
)

FORCE, BY_PLACE, BY_RATE, ARM, ARM_BY_PLACE = 6, 9, 18, 27, 30
"""First rows of force, its derivatives, e and E in a block, behind position and velocity; a row has a number of each point."""


@njit(cache=True, error_model="numpy", forceinline=True)
def follower_wrench(loads, Q):  # type: ignore[no-untyped-def]
    """Force and moment of the followers."""
    return times(Q, triple(loads.follower, 0)), times(Q, triple(loads.follower, 3))


@njit(cache=True, error_model="numpy")
def evaluate_effect(table, e, at_time, blocks, place, Q, velocity):  # type: ignore[no-untyped-def]
    """Evaluate an effect on its points at x + QX, with its data among those ``at_time`` (T,). Return its block and the number
    of its points."""
    first, points = table.points[e], table.points[e + 1] - table.points[e]
    block, v, spin = blocks[table.blocks[e] : table.blocks[e + 1]], triple(velocity, 0), triple(velocity, 3)
    block[POINT_COUNT], block[SPIN], block[SPIN + 1], block[SPIN + 2] = points, spin[0], spin[1], spin[2]
    for p in range(points):
        arm = times(Q, (table.X[0, first + p], table.X[1, first + p], table.X[2, first + p]))
        moving = plus(v, cross3(spin, arm))
        for a in range(3):
            block[HEADER + a * points + p], block[HEADER + (3 + a) * points + p] = place[a] + arm[a], moving[a]
    for i in range(table.time_columns[e], table.time_columns[e + 1]):
        block[HEADER + ROWS_IN_SPACE * points + i - table.time_columns[e]] = at_time[i]
    call(table.addresses[e], table.constants[e], block.ctypes.data, 0)
    return block, points


@njit(cache=True, error_model="numpy", forceinline=True)
def arm_and_force(block, place, points, p):  # type: ignore[no-untyped-def]
    """Arms of a point of a block and of its force from the centre of mass, and the force."""
    a = minus(vector_at(block, HEADER, points, p, False), triple(place, 0))
    lever = plus(a, vector_at(block, HEADER + ARM * points, points, p, False))
    return a, lever, vector_at(block, HEADER + FORCE * points, points, p, False)


@njit(cache=True, error_model="numpy", forceinline=True)
def matrix_at(block, row, points, p):  # type: ignore[no-untyped-def]
    """Matrix (9) of a point, whose numbers begin at a ``row`` of a block."""
    first, step = HEADER + row * points, 3 * points
    top, middle = vector_at(block, first, points, p, False), vector_at(block, first + step, points, p, False)
    return top + middle + vector_at(block, first + 2 * step, points, p, False)


@njit(cache=True, error_model="numpy", forceinline=True)
def matrix_times(A, b):  # type: ignore[no-untyped-def]
    """A b of a matrix in nine numbers, row by row."""
    return dot(A[0:3], b), dot(A[3:6], b), dot(A[6:9], b)


@njit(cache=True, error_model="numpy")
def add_effects(table, at_time, blocks, tau, theta, velocity, linear):  # type: ignore[no-untyped-def]
    """Subtract the forces of effects from the residual and their derivatives from D, add Σ a ⊗ f to ``linear.first``; return the
    forces' size, N."""
    T, D, rest, size, spin = linear.tangent, linear.stiffness, linear.rest, 0.0, triple(velocity, 3)
    for e in range(table.addresses.shape[0]):
        block, points = evaluate_effect(table, e, at_time, blocks, linear.place, linear.rotation, velocity)
        for p in range(points):
            a, lever, f = arm_and_force(block, linear.place, points, p)
            K, C, moment = matrix_at(block, BY_PLACE, points, p), matrix_at(block, BY_RATE, points, p), cross3(lever, f)
            E = matrix_at(block, ARM_BY_PLACE, points, p)
            add_outer(linear.first, a, f)
            size += abs(f[0]) + abs(f[1]) + abs(f[2])
            for b in range(3):
                rest[b] -= theta * f[b]
                rest[3 + b] -= theta * moment[b]
            for b in range(3):
                by_v = (tau * K[b] + C[b], tau * K[3 + b] + C[3 + b], tau * K[6 + b] + C[6 + b])  # column b
                t = (T[0, b], T[1, b], T[2, b])
                e_b = (1.0 if b == 0 else 0.0, 1.0 if b == 1 else 0.0, 1.0 if b == 2 else 0.0)
                by_turn = cross3(t, a)  # −hat(a) T
                turned = plus(cross3(e_b, lever), cross3(spin, by_turn))
                by_spin = plus(matrix_times(K, by_turn), matrix_times(C, turned))
                arm_moment = cross3((tau * E[b], tau * E[3 + b], tau * E[6 + b]), f)
                add_column(D, b, -theta, by_v, plus(cross3(lever, by_v), arm_moment))
                add_column(D, 3 + b, -theta, by_spin, plus(cross3(lever, by_spin), cross3(matrix_times(E, by_turn), f)))
    return size


@njit(cache=True, error_model="numpy", forceinline=True)
def add_column(D, k, share, force, moment):  # type: ignore[no-untyped-def]
    """Add a share of force and moment to a column of a matrix (6, 6)."""
    for a in range(3):
        D[a, k] += share * force[a]
        D[3 + a, k] += share * moment[a]


@njit(cache=True, error_model="numpy")
def add_loads(loads, theta, linear):  # type: ignore[no-untyped-def]
    """Subtract tabulated loads from the residual, and the followers' derivatives from D; write Σ a ⊗ f of the dead loads to
    ``linear.first``. Return the forces' size, N."""
    Q, T, D, rest = linear.rotation, linear.tangent, linear.stiffness, linear.rest
    moment, (force, turning) = couple_of(loads.couple, Q, linear.first), follower_wrench(loads, Q)
    for a in range(3):
        rest[a] -= theta * (loads.force[a] + force[a])
        rest[3 + a] -= theta * (moment[a] + turning[a])
    for b in range(3):
        t = (T[0, b], T[1, b], T[2, b])
        add_column(D, 3 + b, -theta, cross3(t, force), cross3(t, turning))
    return largest(plus(triple(loads.force, 0), force)) + loads.size


@njit(cache=True, error_model="numpy")
def add_python(address, effects, theta, velocity, linear):  # type: ignore[no-untyped-def]
    """Subtract wrench and derivatives of effects in Python from residual and D; return the forces' size, N, −1: Python raised."""
    D, rest = linear.stiffness, linear.rest
    for a in range(3):
        effects[rec.AC_PLACE + a] = linear.place[a]
        for b in range(3):
            effects[rec.AC_ROTATION + 3 * a + b] = linear.rotation[a, b]
            effects[rec.AC_TANGENT + 3 * a + b] = linear.tangent[a, b]
    for a in range(6):
        effects[rec.AC_VELOCITY + a] = velocity[a]
    if call(address, 0, 0, 0) < 0.0:
        return -1.0
    for a in range(6):
        rest[a] -= theta * effects[rec.AC_WRENCH + a]
        for b in range(6):
            D[a, b] -= theta * effects[rec.AC_STIFFNESS + 6 * a + b]
    return effects[rec.AC_SIZE] + max(
        abs(effects[rec.AC_WRENCH]), abs(effects[rec.AC_WRENCH + 1]), abs(effects[rec.AC_WRENCH + 2])
    )


@njit(cache=True, error_model="numpy")
def source_rows(loads, table, at_time, blocks, followers, linear, s, work, densities):  # type: ignore[no-untyped-def]
    """Wrench (6,), powers and energy of each load and effect at the end of stage ``s``, and ``densities`` (P, 2) of contacts.

    ``followers``: the number of their source, 0 without any."""
    Q, velocity, force, row = linear.rotation, work.velocity[s], work.force[s], 0
    put(force, 0, 0, triple(loads.force, 0))
    put(force, 0, 3, couple_of(loads.couple, Q, linear.first))
    if followers:
        pull, moment = follower_wrench(loads, Q)
        put(force, followers, 0, pull)
        put(force, followers, 3, moment)
    for e in range(table.addresses.shape[0]):
        block, points = evaluate_effect(table, e, at_time, blocks, linear.place, Q, velocity)
        source = force.shape[0] - 2 - table.addresses.shape[0] + e
        total, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for p in range(points):
            _, lever, f = arm_and_force(block, linear.place, points, p)
            total, moment = plus(total, f), plus(moment, cross3(lever, f))
        put(force, source, 0, total)
        put(force, source, 3, moment)
        work.power[s, source, 0], work.power[s, source, 1] = block[POWER], block[DISSIPATION]
        work.stored[1, source] = block[ENERGY]
        first = HEADER + ROWS_IN_SPACE * points + table.time_columns[e + 1] - table.time_columns[e]
        if block.shape[0] > first:
            for p in range(points):
                densities[row + p, 0], densities[row + p, 1] = block[first + p], block[first + points + p]
            row += points
