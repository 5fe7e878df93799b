"""Signorini's and Coulomb's laws under a rigid body in the six numbers of its motion, compiled: the twin of ``friction.cone``.

With the points' velocities u = u_k + R δw in the linearised stage, forces p, a weight κ, σ = p_n − κ u_n, τ = p_t − κ u_t,
n̂ = τ/|τ| and q = μσ/|τ|, Newton's method has the laws p = c − C u,

    open   σ <= 0:      p = 0
    stick  |τ| <= μσ:   p = a − u/ε
    slip   else:        p_n = a_n − u_n/ε,    p_t = μ p_n n̂ − s (1 − n̂n̂ᵀ) (u_t − ε a_t),    1/s = ε + (1 − q)/(κ q)

where a is the anchor of the proximal point method: it begins at 0, so that forces that are not unique are those of feet of equal
compliance, and is moved until u = 0. Putting p into the balance leaves (D + Σ B C R) δw = Σ B (c − C u_k − p_k) − rest: six
equations for any number of points, whose factor serves for all anchors. Where that does not settle, or a point at its bound rests,
each anchor stands until both laws are met beside it, from the last forces, from none and from sticking. What does not settle then
is left to the twin, which has more ways."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.system.space.kernels.algebra import cross3, largest, plus, row, times_of, triple, write
from friction.cone import OPEN, SLIPS, STICKS
from friction.cone.kernels import factor, solved
from friction.cone.solve import AT_REST

TURNS, MOVING, STANDING, ANCHORS = 20, 8, 60, 12
"""Linearisations; systems solved in each with an anchor that moves at once, and with one that stands; anchors of a system."""
ACCEPTED = 1e-12
"""Part of the momenta over τ, or of the forces, that balance and laws may miss."""
PROXIMAL = 1e-5
"""ε over the response of a point."""
ROUNDING = 8.9e-16
"""Part of ``stiff`` times the points' velocities below which anchors need not move: four roundings."""


@njit(cache=True, error_model="numpy", forceinline=True)
def law_of(linear, i):  # type: ignore[no-untyped-def]
    """Return C of a point: xx, xy, yy, xz, yz, zz; zx and zy are zero."""
    C = linear.law
    return C[i, 0], C[i, 1], C[i, 2], C[i, 3], C[i, 4], C[i, 5]


@njit(cache=True, error_model="numpy", forceinline=True)
def by_law(C, u):  # type: ignore[no-untyped-def]
    """Return C u."""
    return C[0] * u[0] + C[1] * u[1] + C[3] * u[2], C[1] * u[0] + C[2] * u[1] + C[4] * u[2], C[5] * u[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def anchor_force(C, soft, a):  # type: ignore[no-untyped-def]
    """Return c (3,) of a point with its anchor; ``soft``: ε."""
    if C[5] == 0.0:
        return 0.0, 0.0, 0.0
    x, y = C[0] * a[0] + C[1] * a[1] + C[3] * a[2], C[1] * a[0] + C[2] * a[1] + C[4] * a[2]
    return soft * x, soft * y, a[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def trial(weight, stiff, p, slip, linear, i):  # type: ignore[no-untyped-def]
    """Return τ (2,), σ, |τ| and the normal part of u + ε (p − a) of a point."""
    f, u, a = row(p, i), row(slip, i), row(linear.anchor, i)
    up = u[2] + (f[2] - a[2]) / stiff
    x, y = f[0] - weight * (u[0] + (f[0] - a[0]) / stiff), f[1] - weight * (u[1] + (f[1] - a[1]) / stiff)
    return x, y, f[2] - weight * up, np.sqrt(x * x + y * y), up


@njit(cache=True, error_model="numpy", forceinline=True)
def same_law(linear, i, state, stiff):  # type: ignore[no-untyped-def]
    """Write C of a point that is open or sticks."""
    linear.state[i], stiff = state, stiff if state == STICKS else 0.0
    for b in range(6):
        linear.law[i, b] = 0.0 if b == 1 or b == 3 or b == 4 else stiff


@njit(cache=True, error_model="numpy", forceinline=True)
def linear_laws(friction, weight, stiff, p, slip, linear, m):  # type: ignore[no-untyped-def]
    """Write C and the states at p and u + ε (p − a)."""
    for i in range(m):
        x, y, sigma, size, _ = trial(weight, stiff, p, slip, linear, i)
        if sigma <= 0.0 or size <= friction[i] * sigma:
            same_law(linear, i, OPEN if sigma <= 0.0 else STICKS, stiff)
            continue
        x, y, q, C = x / size, y / size, friction[i] * sigma / size, linear.law
        s = 1.0 / ((1.0 - q) / (weight * q) + 1.0 / stiff) if q > 0.0 else 0.0
        linear.state[i], C[i, 5] = SLIPS, stiff
        C[i, 0], C[i, 1], C[i, 2] = s * (1.0 - x * x), -s * x * y, s * (1.0 - y * y)
        C[i, 3], C[i, 4] = friction[i] * x * stiff, friction[i] * y * stiff


@njit(cache=True, error_model="numpy", forceinline=True)
def pull(A, b, arm, force):  # type: ignore[no-untyped-def]
    """Add a force at an arm, and its moment, to a column of the matrix."""
    moment = cross3(arm, force)
    for a in range(3):
        A[a, b] += force[a]
        A[3 + a, b] += moment[a]


@njit(cache=True, error_model="numpy", forceinline=True)
def assemble(mass, linear, m):  # type: ignore[no-untyped-def]
    """Write D + Σ B C R (6, 6), R = [1, ∂u/∂Ω]; ``mass``: M/τ."""
    A, K = linear.matrix, linear.turning
    for a in range(3):
        for b in range(3):
            A[a, b] = mass if a == b else 0.0
            A[a, 3 + b] = A[3 + a, b] = 0.0
            A[3 + a, 3 + b] = linear.block[a, b]
    for i in range(m):
        if linear.state[i] == OPEN:
            continue
        arm, C = row(linear.levers, i), law_of(linear, i)
        columns = ((C[0], C[1], 0.0), (C[1], C[2], 0.0), (C[3], C[4], C[5]))
        for b in range(3):
            pull(A, b, arm, columns[b])
            pull(A, 3 + b, arm, by_law(C, (K[i, 0, b], K[i, 1, b], K[i, 2, b])))


@njit(cache=True, error_model="numpy", forceinline=True)
def laws_missed(friction, weight, stiff, p, slip, linear, m):  # type: ignore[no-untyped-def]
    """Return how far p is from what the laws make of it at u + ε (p − a), N: the twin of ``friction.cone.kernels.residual``."""
    most = 0.0
    for i in range(m):
        x, y, sigma, size, up = trial(weight, stiff, p, slip, linear, i)
        if sigma <= 0.0:
            most = max(most, largest(row(p, i)))
            continue
        bound = friction[i] * sigma
        share = 1.0 if size <= bound else bound / size
        most = max(most, abs(p[i, 0] - share * x), abs(p[i, 1] - share * y), weight * abs(up))
    return most


@njit(cache=True, error_model="numpy", forceinline=True)
def unanchored(linear, m):  # type: ignore[no-untyped-def]
    """Write −rest − Σ B (p_k + C u_k)."""
    force, moment = triple(linear.rest, 0), triple(linear.rest, 3)
    for i in range(m):
        f = plus(row(linear.before, i), by_law(law_of(linear, i), row(linear.velocity, i)))
        force, moment = plus(force, f), plus(moment, cross3(row(linear.levers, i), f))
    for a in range(3):
        linear.moved[a], linear.moved[3 + a] = -force[a], -moment[a]


@njit(cache=True, error_model="numpy", forceinline=True)
def point_velocity(linear, i):  # type: ignore[no-untyped-def]
    """Return u (3,) of a point after δw."""
    step = linear.step
    return plus(plus(row(linear.velocity, i), triple(step, 0)), times_of(linear.turning, i, triple(step, 3)))


@njit(cache=True, error_model="numpy")
def anchored(linear, soft, settled, moves, p, slip, m):  # type: ignore[no-untyped-def]
    """Solve the linearised stage: write δw, the forces over p, and u after it. The anchor stays, or ``moves`` from 0 until it
    stays."""
    change, step = np.inf, linear.step
    unanchored(linear, m)
    for i in range(m if moves else 0):
        write(linear.anchor, i, (0.0, 0.0, 0.0))
    for _ in range(ANCHORS if moves else 1):
        force, moment = triple(linear.moved, 0), triple(linear.moved, 3)
        for i in range(m):
            f = anchor_force(law_of(linear, i), soft, row(linear.anchor, i))
            force, moment = plus(force, f), plus(moment, cross3(row(linear.levers, i), f))
        for a in range(3):
            step[a], step[3 + a] = force[a], moment[a]
        solved(linear.matrix, linear.order, step)
        before, change, forces = change, 0.0, 0.0
        for i in range(m):
            C, a, u = law_of(linear, i), row(linear.anchor, i), point_velocity(linear, i)
            c, f = anchor_force(C, soft, a), by_law(C, u)
            f = (c[0] - f[0], c[1] - f[1], c[2] - f[2])
            change = max(change, abs(f[0] - a[0]), abs(f[1] - a[1]), abs(f[2] - a[2]))
            forces = max(forces, largest(f))
            write(slip, i, u)
            write(p, i, f)
            if moves:
                write(linear.anchor, i, f)
        if change <= 0.1 * ACCEPTED * forces or 0.5 * before <= change <= settled:
            break


@njit(cache=True, error_model="numpy", forceinline=True)
def largest_of(p, m):  # type: ignore[no-untyped-def]
    """Return the largest of the entries' sizes."""
    most = 0.0
    for i in range(m):
        most = max(most, largest(row(p, i)))
    return most


@njit(cache=True, error_model="numpy", forceinline=True)
def keep_anchor(p, linear, m):  # type: ignore[no-untyped-def]
    """Put the anchor at the forces; return the most by which it moves, N."""
    change = 0.0
    for i in range(m):
        for a in range(3):
            change = max(change, abs(p[i, a] - linear.anchor[i, a]))
            linear.anchor[i, a] = p[i, a]
    return change


@njit(cache=True, error_model="numpy", forceinline=True)
def slowest(slip, linear, m):  # type: ignore[no-untyped-def]
    """Return the least velocity of a point that slips, m/s."""
    least = np.inf
    for i in range(m):
        if linear.state[i] == SLIPS:
            least = min(least, slip[i, 0] ** 2 + slip[i, 1] ** 2)
    return np.sqrt(least)


@njit(cache=True, error_model="numpy")
def rests(mass, size, p, slip, status, linear, m):  # type: ignore[no-untyped-def]
    """Let points stick that slip by rounding of the velocities that they would have without contact; ``size`` of those, m/s."""
    free = 0.0
    if slowest(slip, linear, m) > 1e3 * AT_REST * size:
        return
    for i in range(m):
        same_law(linear, i, np.int64(OPEN), 0.0)
    unanchored(linear, m)
    assemble(mass, linear, m)
    if not factor(linear.matrix, linear.order):
        return
    for a in range(6):
        linear.step[a] = linear.moved[a]
    solved(linear.matrix, linear.order, linear.step)
    for i in range(m):
        u = point_velocity(linear, i)
        free = max(free, abs(u[0]), abs(u[1]))
    for i in range(m):
        if status[i] == SLIPS and np.sqrt(slip[i, 0] ** 2 + slip[i, 1] ** 2) <= AT_REST * free:
            status[i] = STICKS


@njit(cache=True, error_model="numpy")
def solve_laws(friction, mass, weight, stiff, level, p, slip, linear, m):  # type: ignore[no-untyped-def]
    """Find forces p (m, 3) and velocities u that obey both laws in the linearised stage, from the last ones, from none and from
    sticking; write δw. Return the number of systems solved, negative where nothing settled."""
    spent = 0
    for i in range(m):
        write(linear.before, i, row(p, i))
    settled = max(0.1 * ACCEPTED * level, ROUNDING * stiff * largest_of(linear.velocity, m))
    for way in range(4):
        moves, fewest, missed = way == 0, way > 1, np.inf
        for i in range(m):
            f = row(linear.before, i)
            write(p, i, f)
            write(slip, i, row(linear.velocity, i))
            write(linear.anchor, i, f if moves else (0.0, 0.0, 0.0))
        for _ in range(MOVING if moves else STANDING):
            if fewest:
                for i in range(m):
                    same_law(linear, i, OPEN if way == 2 else STICKS, stiff)
                fewest = False
            else:
                linear_laws(friction, weight, stiff, p, slip, linear, m)
            assemble(mass, linear, m)
            spent += 1
            if not factor(linear.matrix, linear.order):
                break
            anchored(linear, 1.0 / stiff, settled, moves, p, slip, m)
            before, missed = missed, laws_missed(friction, weight, stiff, p, slip, linear, m)
            if not missed < np.inf:
                break
            if missed <= ACCEPTED * largest_of(p, m) or 0.5 * before <= missed <= 0.1 * ACCEPTED * level:
                if moves and slowest(slip, linear, m) <= 1e3 * AT_REST * level / weight:
                    break  # at its bound a point that rests leaves more than one solution: that of equal compliance is asked for
                if moves or keep_anchor(p, linear, m) <= settled:
                    return spent
                missed = np.inf
    return -spent
