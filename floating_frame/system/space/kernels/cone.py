"""Signorini's and Coulomb's laws under a rigid body in the six unknowns of its motion, compiled.

With the points' velocities u = u_k + R δw in the linearised stage, forces p, a weight κ, σ = p_n − κ u_n, τ = p_t − κ u_t,
n̂ = τ/|τ| and q = μσ/|τ|, Newton's method has the laws p = c − C u,

    open   σ <= 0:      p = 0
    stick  |τ| <= μσ:   p = a − u/ε
    slip   else:        p_n = a_n − u_n/ε,    p_t = μ p_n n̂ − s (1 − n̂n̂ᵀ) (u_t − ε a_t),    1/s = ε + (1 − q)/(κ q)

with the anchor a of the proximal point method: it starts at 0, which selects feet of equal compliance where forces are not unique,
and is updated until u = 0. With p the balance is (D + Σ B C R) δw = Σ B (c − C u_k − p_k) − rest: six equations for any number of
points, one factor for all anchors. Where this does not converge, or a point at its bound rests, the anchor is kept fixed until the
inner Newton iteration converges, from the last forces, from none and from sticking. ``friction.cone.solve_cone`` is the last
resort."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.algebra import at, back_at, largest, plus, put, times_at, triple
from friction.cone.kernels import factor, solved
from friction.cone.solve import AT_REST
from friction.status import OPEN, SLIP, STICK

MAX_ITERATIONS, MOVING_SOLVES, FIXED_SOLVES, MAX_ANCHORS = 20, 8, 60, 12
"""Largest numbers of linearisations; of systems in each with updated and with fixed anchors; of anchors of a system."""
TOLERANCE = 1e-12
"""Residual of balance and laws over the momenta over τ, or the forces."""
PROXIMAL = 1e-5
"""ε over the response of a point."""
ROUNDING = 8.9e-16
"""Change of anchors over ``stiff`` times the points' velocities that is rounding: four units."""


@njit(cache=True, error_model="numpy", forceinline=True)
def law_matrix(P, i):  # type: ignore[no-untyped-def]
    """C of a point: xx, xy, yy, xz, yz, zz; zx and zy are zero."""
    return P[i, rec.LAW], P[i, rec.LAW + 1], P[i, rec.LAW + 2], P[i, rec.LAW + 3], P[i, rec.LAW + 4], P[i, rec.LAW + 5]


@njit(cache=True, error_model="numpy", forceinline=True)
def law_product(C, u):  # type: ignore[no-untyped-def]
    """C u."""
    return C[0] * u[0] + C[1] * u[1] + C[3] * u[2], C[1] * u[0] + C[2] * u[1] + C[4] * u[2], C[5] * u[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def anchor_force(C, soft, a):  # type: ignore[no-untyped-def]
    """c (3,) of a point with its anchor; ``soft``: ε."""
    if C[5] == 0.0:
        return 0.0, 0.0, 0.0
    x, y = C[0] * a[0] + C[1] * a[1] + C[3] * a[2], C[1] * a[0] + C[2] * a[1] + C[4] * a[2]
    return soft * x, soft * y, a[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def trial(weight, stiff, P, i):  # type: ignore[no-untyped-def]
    """τ (2,), σ, |τ| and the normal part of u + ε (p − a) of a point."""
    f, u, a = at(P, i, rec.FORCE), at(P, i, rec.SLIP), at(P, i, rec.ANCHOR)
    if P[i, rec.OPEN_ONLY] != 0.0:
        return 0.0, 0.0, -1.0, 0.0, 0.0
    up = u[2] + (f[2] - a[2]) / stiff
    x, y = f[0] - weight * (u[0] + (f[0] - a[0]) / stiff), f[1] - weight * (u[1] + (f[1] - a[1]) / stiff)
    return x, y, f[2] - weight * up, np.sqrt(x * x + y * y), up


@njit(cache=True, error_model="numpy", forceinline=True)
def branch_of(weight, stiff, P, i):  # type: ignore[no-untyped-def]
    """Branch of the law at a point."""
    _, _, sigma, size, _ = trial(weight, stiff, P, i)
    return OPEN if sigma <= 0.0 else STICK if size <= P[i, rec.FRICTION] * sigma else SLIP


@njit(cache=True, error_model="numpy", forceinline=True)
def write_law(P, i, state, stiff):  # type: ignore[no-untyped-def]
    """Write C of a point that is open or sticks."""
    P[i, rec.STATE], stiff = state, stiff if state == STICK else 0.0
    for b in range(6):
        P[i, rec.LAW + b] = 0.0 if b == 1 or b == 3 or b == 4 else stiff


@njit(cache=True, error_model="numpy", forceinline=True)
def linear_laws(weight, stiff, P):  # type: ignore[no-untyped-def]
    """Write C and the states at p and u + ε (p − a)."""
    for i in range(P.shape[0]):
        x, y, sigma, size, _ = trial(weight, stiff, P, i)
        mu = P[i, rec.FRICTION]
        if sigma <= 0.0 or size <= mu * sigma:
            write_law(P, i, OPEN if sigma <= 0.0 else STICK, stiff)
            continue
        x, y, q = x / size, y / size, mu * sigma / size
        s = 1.0 / ((1.0 - q) / (weight * q) + 1.0 / stiff) if q > 0.0 else 0.0
        P[i, rec.STATE] = SLIP
        put(P, i, rec.LAW, (s * (1.0 - x * x), -s * x * y, s * (1.0 - y * y)))
        put(P, i, rec.LAW + 3, (mu * x * stiff, mu * y * stiff, stiff))


@njit(cache=True, error_model="numpy", forceinline=True)
def assemble(linear, P):  # type: ignore[no-untyped-def]
    """Write D + Σ B C R (6, 6), R = [∂u/∂v, ∂u/∂Ω]."""
    A = linear.matrix
    for a in range(6):
        for b in range(6):
            A[a, b] = linear.stiffness[a, b]
    for i in range(P.shape[0]):
        if P[i, rec.STATE] == OPEN:
            continue
        C = law_matrix(P, i)
        for first, rates in ((0, rec.BY_VELOCITY), (3, rec.BY_SPIN)):
            for b in range(3):
                force = law_product(C, (P[i, rates + b], P[i, rates + 3 + b], P[i, rates + 6 + b]))
                pull, moment = back_at(P, i, rec.PULL, force), back_at(P, i, rec.MOMENT, force)
                for a in range(3):
                    A[a, first + b] += pull[a]
                    A[3 + a, first + b] += moment[a]


@njit(cache=True, error_model="numpy", forceinline=True)
def law_residual(weight, stiff, P):  # type: ignore[no-untyped-def]
    """Residual of the laws, N, at p and u + ε (p − a): see ``friction.cone.kernels.residual``."""
    most = 0.0
    for i in range(P.shape[0]):
        x, y, sigma, size, up = trial(weight, stiff, P, i)
        if sigma <= 0.0:
            most = max(most, largest(at(P, i, rec.FORCE)))
            continue
        bound = P[i, rec.FRICTION] * sigma
        share = 1.0 if size <= bound else bound / size
        most = max(most, abs(P[i, rec.FORCE] - share * x), abs(P[i, rec.FORCE + 1] - share * y), weight * abs(up))
    return most


@njit(cache=True, error_model="numpy", forceinline=True)
def assemble_load(linear, P):  # type: ignore[no-untyped-def]
    """Write −rest − Σ B (p_k + C u_k)."""
    force, moment = triple(linear.rest, 0), triple(linear.rest, 3)
    for i in range(P.shape[0]):
        f = plus(at(P, i, rec.BEFORE), law_product(law_matrix(P, i), at(P, i, rec.VELOCITY)))
        force, moment = plus(force, back_at(P, i, rec.PULL, f)), plus(moment, back_at(P, i, rec.MOMENT, f))
    for a in range(3):
        linear.load[a], linear.load[3 + a] = -force[a], -moment[a]


@njit(cache=True, error_model="numpy", forceinline=True)
def point_velocity(step, P, i):  # type: ignore[no-untyped-def]
    """u (3,) of a point after δw."""
    linear = times_at(P, i, rec.BY_VELOCITY, triple(step, 0)), times_at(P, i, rec.BY_SPIN, triple(step, 3))
    return plus(plus(at(P, i, rec.VELOCITY), linear[0]), linear[1])


@njit(cache=True, error_model="numpy")
def solve_linearised(linear, soft, anchor_tolerance, moves, P):  # type: ignore[no-untyped-def]
    """Solve the linearised stage: write δw, the forces, and u after it. The anchor is fixed, or updated from 0 to convergence where
    it ``moves``."""
    change, step, m = np.inf, linear.step, P.shape[0]
    assemble_load(linear, P)
    for i in range(m if moves else 0):
        put(P, i, rec.ANCHOR, (0.0, 0.0, 0.0))
    for _ in range(MAX_ANCHORS if moves else 1):
        force, moment = triple(linear.load, 0), triple(linear.load, 3)
        for i in range(m):
            f = anchor_force(law_matrix(P, i), soft, at(P, i, rec.ANCHOR))
            force, moment = plus(force, back_at(P, i, rec.PULL, f)), plus(moment, back_at(P, i, rec.MOMENT, f))
        for a in range(3):
            step[a], step[3 + a] = force[a], moment[a]
        solved(linear.matrix, linear.order, step)
        before, change, forces = change, 0.0, 0.0
        for i in range(m):
            C, a, u = law_matrix(P, i), at(P, i, rec.ANCHOR), point_velocity(step, P, i)
            c, f = anchor_force(C, soft, a), law_product(C, u)
            f = (c[0] - f[0], c[1] - f[1], c[2] - f[2])
            change = max(change, abs(f[0] - a[0]), abs(f[1] - a[1]), abs(f[2] - a[2]))
            forces = max(forces, largest(f))
            put(P, i, rec.SLIP, u)
            put(P, i, rec.FORCE, f)
            if moves:
                put(P, i, rec.ANCHOR, f)
        if change <= 0.1 * TOLERANCE * forces or 0.5 * before <= change <= anchor_tolerance:
            break


@njit(cache=True, error_model="numpy", forceinline=True)
def largest_of(P, column):  # type: ignore[no-untyped-def]
    """Largest size of the points' three entries from a column."""
    most = 0.0
    for i in range(P.shape[0]):
        most = max(most, largest(at(P, i, column)))
    return most


@njit(cache=True, error_model="numpy", forceinline=True)
def update_anchor(P):  # type: ignore[no-untyped-def]
    """Set the anchor to the forces; return its largest change, N."""
    change = 0.0
    for i in range(P.shape[0]):
        for a in range(3):
            change = max(change, abs(P[i, rec.FORCE + a] - P[i, rec.ANCHOR + a]))
            P[i, rec.ANCHOR + a] = P[i, rec.FORCE + a]
    return change


@njit(cache=True, error_model="numpy", forceinline=True)
def slowest_slip(P):  # type: ignore[no-untyped-def]
    """Least speed of a slipping point, m/s."""
    least = np.inf
    for i in range(P.shape[0]):
        if P[i, rec.STATE] == SLIP:
            least = min(least, P[i, rec.SLIP] ** 2 + P[i, rec.SLIP + 1] ** 2)
    return np.sqrt(least)


@njit(cache=True, error_model="numpy")
def stick_slow_points(size, P, linear):  # type: ignore[no-untyped-def]
    """Let points stick whose slip is rounding of the velocities without contact, of ``size`` m/s."""
    free = 0.0
    if slowest_slip(P) > 1e3 * AT_REST * size:
        return
    for i in range(P.shape[0]):
        write_law(P, i, np.int64(OPEN), 0.0)
    assemble_load(linear, P)
    assemble(linear, P)
    if not factor(linear.matrix, linear.order):
        return
    for a in range(6):
        linear.step[a] = linear.load[a]
    solved(linear.matrix, linear.order, linear.step)
    for i in range(P.shape[0]):
        u = point_velocity(linear.step, P, i)
        free = max(free, abs(u[0]), abs(u[1]))
    for i in range(P.shape[0]):
        if P[i, rec.STATUS] == SLIP and np.sqrt(P[i, rec.SLIP] ** 2 + P[i, rec.SLIP + 1] ** 2) <= AT_REST * free:
            P[i, rec.STATUS] = STICK


@njit(cache=True, error_model="numpy")
def solve_laws(weight, stiff, level, P, linear):  # type: ignore[no-untyped-def]
    """Solve for forces and velocities under both laws in the linearised stage, from the last ones, from none and from sticking;
    write δw. Return the number of systems solved, negative without convergence."""
    spent, m = 0, P.shape[0]
    for i in range(m):
        put(P, i, rec.BEFORE, at(P, i, rec.FORCE))
    anchor_tolerance = max(0.1 * TOLERANCE * level, ROUNDING * stiff * largest_of(P, rec.VELOCITY))
    for attempt in range(4):
        moves, fewest, missed = attempt == 0, attempt > 1, np.inf
        for i in range(m):
            f = at(P, i, rec.BEFORE)
            put(P, i, rec.FORCE, f)
            put(P, i, rec.SLIP, at(P, i, rec.VELOCITY))
            put(P, i, rec.ANCHOR, f if moves else (0.0, 0.0, 0.0))
        for _ in range(MOVING_SOLVES if moves else FIXED_SOLVES):
            if fewest:
                for i in range(m):
                    write_law(P, i, OPEN if attempt == 2 or P[i, rec.OPEN_ONLY] != 0.0 else STICK, stiff)
                fewest = False
            else:
                linear_laws(weight, stiff, P)
            assemble(linear, P)
            spent += 1
            if not factor(linear.matrix, linear.order):
                break
            solve_linearised(linear, 1.0 / stiff, anchor_tolerance, moves, P)
            before, missed = missed, law_residual(weight, stiff, P)
            if not missed < np.inf:
                break
            if missed <= TOLERANCE * largest_of(P, rec.FORCE) or 0.5 * before <= missed <= 0.1 * TOLERANCE * level:
                if moves and slowest_slip(P) <= 1e3 * AT_REST * level / weight:
                    break  # at its bound a resting point has several solutions: equal compliance selects one
                if moves or update_anchor(P) <= anchor_tolerance:
                    return spent
                missed = np.inf
    for i in range(m):
        put(P, i, rec.FORCE, at(P, i, rec.BEFORE))
    return -spent
