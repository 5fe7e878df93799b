"""Forces on a rigid body in space besides contact, compiled: tabulated loads, springs, and effects evaluated by Python.

A force f on a point at the arm a, with derivatives K and C by position and velocity, and its moment change with (δv, δΩ), δφ = T
δΩ, by

    δf = (τ K + C) δv − {K hat(a) T + C (hat(a) + hat(Ω) hat(a) T)} δΩ,    a × δf + (a fᵀ − a·f 1) T δΩ."""

from __future__ import annotations

from numba import njit

from fem.kernels.lanes import call
from floating_frame.effect.spring_kernel import spring
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.algebra import (
    add_outer,
    at,
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


@njit(cache=True, error_model="numpy", forceinline=True)
def follower_wrench(loads, Q):  # type: ignore[no-untyped-def]
    """Force and moment of the followers."""
    return times(Q, triple(loads.follower, 0)), times(Q, triple(loads.follower, 3))


@njit(cache=True, error_model="numpy", forceinline=True)
def spring_force(springs, ends, p, x, Q, velocity):  # type: ignore[no-untyped-def]
    """Arm of a spring's point, and the results of ``spring``. ``ends`` (n, 6): places m, velocities m/s."""
    v, spin, arm = triple(velocity, 0), triple(velocity, 3), times(Q, at(springs, p, rec.SP_REFERENCE))
    length, rate = minus(plus(x, arm), at(ends, p, 0)), minus(plus(v, cross3(spin, arm)), at(ends, p, 3))
    k, c, rest = springs[p, rec.SP_STIFFNESS], springs[p, rec.SP_DAMPING], springs[p, rec.SP_REST]
    return arm, spring(k, c, rest, length, rate)


@njit(cache=True, error_model="numpy", forceinline=True)
def matrix_times(A, b):  # type: ignore[no-untyped-def]
    """A b of a matrix in nine numbers, row by row."""
    return dot(A[0:3], b), dot(A[3:6], b), dot(A[6:9], b)


@njit(cache=True, error_model="numpy")
def add_springs(springs, ends, tau, theta, velocity, linear):  # type: ignore[no-untyped-def]
    """Subtract the forces of springs from the residual and their derivatives from D, add Σ a ⊗ f to ``linear.first``; return the
    forces' size, N."""
    Q, T, D, rest, size = linear.rotation, linear.tangent, linear.stiffness, linear.rest, 0.0
    x, spin = triple(linear.place, 0), triple(velocity, 3)
    for p in range(springs.shape[0]):
        a, (f, K, C, _, _) = spring_force(springs, ends, p, x, Q, velocity)
        moment = cross3(a, f)
        add_outer(linear.first, a, f)
        size += abs(f[0]) + abs(f[1]) + abs(f[2])
        for b in range(3):
            rest[b] -= theta * f[b]
            rest[3 + b] -= theta * moment[b]
        for b in range(3):
            by_v = (tau * K[b] + C[b], tau * K[3 + b] + C[3 + b], tau * K[6 + b] + C[6 + b])  # column b
            t = (T[0, b], T[1, b], T[2, b])
            e = (1.0 if b == 0 else 0.0, 1.0 if b == 1 else 0.0, 1.0 if b == 2 else 0.0)
            by_turn = cross3(t, a)  # −hat(a) T
            turned = plus(cross3(e, a), cross3(spin, by_turn))
            by_spin = plus(matrix_times(K, by_turn), matrix_times(C, turned))
            add_column(D, b, -theta, by_v, cross3(a, by_v))
            add_column(D, 3 + b, -theta, by_spin, cross3(a, by_spin))
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
def source_rows(loads, springs, ends, followers, linear, s, work):  # type: ignore[no-untyped-def]
    """Wrench (6,), powers and energy of each load and spring at the end of stage ``s``.

    ``followers``: the number of their source, 0 without any."""
    Q, x, velocity, force = linear.rotation, triple(linear.place, 0), work.velocity[s], work.force[s]
    moment = couple_of(loads.couple, Q, linear.first)
    put(force, 0, 0, triple(loads.force, 0))
    put(force, 0, 3, moment)
    if followers:
        pull, moment = follower_wrench(loads, Q)
        put(force, followers, 0, pull)
        put(force, followers, 3, moment)
    for p in range(springs.shape[0]):
        source = int(springs[p, rec.SP_SOURCE])
        a, (f, _, _, energy, lost) = spring_force(springs, ends, p, x, Q, velocity)
        put(force, source, 0, f)
        put(force, source, 3, cross3(a, f))
        work.power[s, source, 0], work.power[s, source, 1] = dot(f, at(ends, p, 3)), lost
        work.stored[1, source] = energy
