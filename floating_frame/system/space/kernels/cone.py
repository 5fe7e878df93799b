"""Signorini's and Coulomb's laws under a rigid body in the six numbers of its motion, compiled: the twin of ``friction.cone``.

With the points' velocities u = u_k + R δw in the linearised stage, forces p, a weight κ, σ = p_n − κ u_n, τ = p_t − κ u_t,
n̂ = τ/|τ| and q = μσ/|τ|, Newton's method has the laws p = c − C u,

    open   σ <= 0:      p = 0
    stick  |τ| <= μσ:   p = a − u/ε
    slip   else:        p_n = a_n − u_n/ε,    p_t = μ p_n n̂ − s (1 − n̂n̂ᵀ) (u_t − ε a_t),    1/s = ε + (1 − q)/(κ q)

where a is the anchor of the proximal point method: it begins at 0, so that forces that are not unique have least norm, and is
moved until u = 0. Putting p into the balance leaves (D + Σ B C R) δw = Σ B (c − C u_k − p_k) − rest: six equations for any number
of points, whose factor serves for all anchors. Where that does not settle, or a point at its bound rests, each anchor stands until
both laws are met beside it, from the last forces, from none and from sticking. What does not settle then is left to the twin, which
has more ways."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from floating_frame.frame.kinematics import Array
from floating_frame.system.space.kernels.algebra import INLINED, cross3, deep, dot, row
from friction.cone import OPEN, SLIPS, STICKS
from friction.cone.solve import AT_REST

TURNS, MOVING, STANDING, ANCHORS = 20, 8, 60, 12
"""Linearisations; systems solved in each with an anchor that moves at once, and with one that stands; anchors of a system."""
ACCEPTED = 1e-12
"""Part of the momenta over τ, or of the forces, that balance and laws may miss."""
PROXIMAL = 1e-5
"""ε over the response of a point."""
ROUNDING = 8.9e-16
"""Part of ``stiff`` times the points' velocities below which anchors need not move: four roundings."""


class Linear(NamedTuple):
    """A linearised stage: Q, T, those at x̂, J, and scratch (7, 3, 3); rest (6,); the block (3, 3) of D that turns; R (m, 3, 6);
    u_k, arms, those of the forces, p_k, anchors, μ n̂ and status (m, 3); C (m, 3, 3); the matrix (6, 6), δw and what it has without
    anchors (6,)."""

    frames: Array
    rest: Array
    block: Array
    rows: Array
    velocity: Array
    arms: Array
    levers: Array
    before: Array
    anchor: Array
    push: Array
    law: Array
    matrix: Array
    step: Array
    moved: Array


@njit(**INLINED)
def beside_anchor(u, stiff, p, linear, i):  # type: ignore[no-untyped-def]
    """Return u + ε (p − a) of a point."""
    x, y, z = row(linear.anchor, i)
    return u[i, 0] + (p[i, 0] - x) / stiff, u[i, 1] + (p[i, 1] - y) / stiff, u[i, 2] + (p[i, 2] - z) / stiff


@njit(**INLINED)
def linear_laws(friction, weight, stiff, p, slip, linear):  # type: ignore[no-untyped-def]
    """Write C and the directions μ n̂ (2) of slipping points at p and u + ε (p − a), the third -1, 1, 0 by status."""
    for i in range(p.shape[0]):
        u = beside_anchor(slip, stiff, p, linear, i)
        sigma = p[i, 2] - weight * u[2]
        x, y = p[i, 0] - weight * u[0], p[i, 1] - weight * u[1]
        size = np.sqrt(x * x + y * y)
        for a in range(3):
            linear.push[i, a] = 0.0
            for b in range(3):
                linear.law[i, a, b] = 0.0
        if sigma <= 0.0:
            linear.push[i, 2] = OPEN
            continue
        linear.law[i, 2, 2] = stiff
        if size <= friction[i] * sigma:
            linear.push[i, 2], linear.law[i, 0, 0], linear.law[i, 1, 1] = STICKS, stiff, stiff
            continue
        x, y, q = x / size, y / size, friction[i] * sigma / size
        s = 1.0 / ((1.0 - q) / (weight * q) + 1.0 / stiff) if q > 0.0 else 0.0
        linear.push[i, 0], linear.push[i, 1] = friction[i] * x, friction[i] * y
        linear.law[i, 0, 0], linear.law[i, 1, 1], linear.law[i, 0, 1] = s * (1.0 - x * x), s * (1.0 - y * y), -s * x * y
        linear.law[i, 1, 0], linear.law[i, 0, 2], linear.law[i, 1, 2] = (
            linear.law[i, 0, 1],
            linear.push[i, 0] * stiff,
            linear.push[i, 1] * stiff,
        )


@njit(**INLINED)
def factor(a, order):  # type: ignore[no-untyped-def]
    """Put the factors of a matrix (6, 6) in its place, by elimination with pivoting; return whether it is regular."""
    for k in range(6):
        best = k
        for i in range(k + 1, 6):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        order[k] = best
        if not abs(a[best, k]) > 0.0:
            return False
        if best != k:
            for j in range(6):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        for i in range(k + 1, 6):
            a[i, k] /= a[k, k]
            for j in range(k + 1, 6):
                a[i, j] -= a[i, k] * a[k, j]
    return True


@njit(**INLINED)
def solved(a, order, x):  # type: ignore[no-untyped-def]
    """Put the solution in place of the right side x (6,)."""
    for k in range(6):
        x[k], x[order[k]] = x[order[k]], x[k]
    for k in range(6):
        for i in range(k + 1, 6):
            x[i] -= a[i, k] * x[k]
    for k in range(5, -1, -1):
        for j in range(k + 1, 6):
            x[k] -= a[k, j] * x[j]
        x[k] /= a[k, k]


@njit(**INLINED)
def assemble(mass, linear):  # type: ignore[no-untyped-def]
    """Write D + Σ B C R (6, 6); ``mass``: M/τ."""
    A = linear.matrix
    for a in range(3):
        for b in range(6):
            A[a, b] = mass if a == b else 0.0
            A[3 + a, b] = linear.block[a, b - 3] if b > 2 else 0.0
    for i in range(linear.levers.shape[0]):
        if linear.push[i, 2] == OPEN:
            continue
        arm = row(linear.levers, i)
        for b in range(6):
            r = (linear.rows[i, 0, b], linear.rows[i, 1, b], linear.rows[i, 2, b])
            column = (dot(deep(linear.law, i, 0), r), dot(deep(linear.law, i, 1), r), dot(deep(linear.law, i, 2), r))
            turning = cross3(arm, column)
            for a in range(3):
                A[a, b] += column[a]
                A[3 + a, b] += turning[a]


@njit(**INLINED)
def laws_missed(friction, weight, stiff, p, slip, linear):  # type: ignore[no-untyped-def]
    """Return how far p is from what the laws make of it at u + ε (p − a), N: the twin of ``friction.cone.kernels.residual``."""
    most = 0.0
    for i in range(p.shape[0]):
        u = beside_anchor(slip, stiff, p, linear, i)
        sigma = p[i, 2] - weight * u[2]
        if sigma <= 0.0:
            most = max(most, abs(p[i, 0]), abs(p[i, 1]), abs(p[i, 2]))
            continue
        x, y = p[i, 0] - weight * u[0], p[i, 1] - weight * u[1]
        size, bound = np.sqrt(x * x + y * y), friction[i] * sigma
        share = 1.0 if size <= bound else bound / size
        most = max(most, abs(p[i, 0] - share * x), abs(p[i, 1] - share * y), weight * abs(u[2]))
    return most


@njit(**INLINED)
def anchored(linear, order, settled, moves, p, slip):  # type: ignore[no-untyped-def]
    """Solve the linearised stage: write δw, the forces over p, and u after it. The anchor stays, or ``moves`` from 0 until it
    stays."""
    m, step = p.shape[0], linear.step
    if moves:
        for i in range(m):
            for a in range(3):
                linear.anchor[i, a] = 0.0
    base = linear.moved
    for a in range(6):
        base[a] = -linear.rest[a]
    for i in range(m):
        u = row(linear.velocity, i)
        f = (
            -linear.before[i, 0] - dot(deep(linear.law, i, 0), u),
            -linear.before[i, 1] - dot(deep(linear.law, i, 1), u),
            -linear.before[i, 2] - dot(deep(linear.law, i, 2), u),
        )
        turning = cross3(row(linear.levers, i), f)
        for a in range(3):
            base[a] += f[a]
            base[3 + a] += turning[a]
    change = np.inf
    for _ in range(ANCHORS if moves else 1):
        for a in range(6):
            step[a] = base[a]
        for i in range(m):
            f = anchor_force(linear, i)
            turning = cross3(row(linear.levers, i), f)
            for a in range(3):
                step[a] += f[a]
                step[3 + a] += turning[a]
        solved(linear.matrix, order, step)
        before, change, forces = change, 0.0, 0.0
        for i in range(m):
            c = anchor_force(linear, i)
            for a in range(3):
                slip[i, a] = linear.velocity[i, a]
                for b in range(6):
                    slip[i, a] += linear.rows[i, a, b] * step[b]
            u = row(slip, i)
            for a in range(3):
                p[i, a] = c[a] - dot(deep(linear.law, i, a), u)
                change, forces = max(change, abs(p[i, a] - linear.anchor[i, a])), max(forces, abs(p[i, a]))
        if moves:
            keep_anchor(p, linear)
        if change <= 0.1 * ACCEPTED * forces or 0.5 * before <= change <= settled:
            break


@njit(**INLINED)
def largest_of(p):  # type: ignore[no-untyped-def]
    """Return the largest of the entries' sizes."""
    most = 0.0
    for i in range(p.shape[0]):
        most = max(most, abs(p[i, 0]), abs(p[i, 1]), abs(p[i, 2]))
    return most


@njit(**INLINED)
def keep_anchor(p, linear):  # type: ignore[no-untyped-def]
    """Put the anchor at the forces; return the most by which it moves, N."""
    change = 0.0
    for i in range(p.shape[0]):
        for a in range(3):
            change = max(change, abs(p[i, a] - linear.anchor[i, a]))
            linear.anchor[i, a] = p[i, a]
    return change


@njit(**INLINED)
def anchor_force(linear, i):  # type: ignore[no-untyped-def]
    """Return c (3,) of a point."""
    x, y, z = row(linear.anchor, i)
    mx, my, status = row(linear.push, i)
    if status == OPEN:
        return 0.0, 0.0, 0.0
    if status == STICKS:
        return x, y, z
    soft, C = 1.0 / linear.law[i, 2, 2], linear.law
    return mx * z + soft * (C[i, 0, 0] * x + C[i, 0, 1] * y), my * z + soft * (C[i, 1, 0] * x + C[i, 1, 1] * y), z


@njit(**INLINED)
def same_laws(status, stiff, linear):  # type: ignore[no-untyped-def]
    """Write C of points that are all open, or all stick."""
    for i in range(linear.law.shape[0]):
        for a in range(3):
            linear.push[i, a] = status if a == 2 else 0.0
            for b in range(3):
                linear.law[i, a, b] = stiff if a == b and status == STICKS else 0.0


@njit(**INLINED)
def slowest(slip, linear):  # type: ignore[no-untyped-def]
    """Return the least velocity of a point that slips, m/s."""
    least = np.inf
    for i in range(slip.shape[0]):
        if linear.push[i, 2] == SLIPS:
            least = min(least, np.sqrt(slip[i, 0] ** 2 + slip[i, 1] ** 2))
    return least


@njit(**INLINED)
def rests(mass, size, p, slip, status, linear):  # type: ignore[no-untyped-def]
    """Let points stick that slip by rounding of the velocities that they would have without contact; ``size`` of those, m/s."""
    free = 0.0
    if slowest(slip, linear) > 1e3 * AT_REST * size:
        return
    for a in range(6):  # −rest − Σ B p_k
        linear.step[a] = -linear.rest[a]
    for i in range(p.shape[0]):
        turning = cross3(row(linear.levers, i), row(linear.before, i))
        for a in range(3):
            linear.step[a] -= linear.before[i, a]
            linear.step[3 + a] -= turning[a]
    same_laws(OPEN, 0.0, linear)
    assemble(mass, linear)
    order = np.empty(6, np.int64)
    if not factor(linear.matrix, order):
        return
    solved(linear.matrix, order, linear.step)
    for i in range(p.shape[0]):
        for a in range(2):
            u = linear.velocity[i, a]
            for b in range(6):
                u += linear.rows[i, a, b] * linear.step[b]
            free = max(free, abs(u))
    for i in range(p.shape[0]):
        if status[i] == SLIPS and np.sqrt(slip[i, 0] ** 2 + slip[i, 1] ** 2) <= AT_REST * free:
            status[i] = STICKS


@njit(**INLINED)
def solve_laws(friction, mass, weight, stiff, level, p, slip, linear):  # type: ignore[no-untyped-def]
    """Find forces p (m, 3) and velocities u that obey both laws in the linearised stage, from the last ones, from none and from
    sticking; write δw. Return the number of systems solved, negative where nothing settled."""
    m, spent, order = p.shape[0], 0, np.empty(6, np.int64)
    for i in range(m):
        for a in range(3):
            linear.before[i, a] = p[i, a]
    settled = max(0.1 * ACCEPTED * level, ROUNDING * stiff * largest_of(linear.velocity))
    for way in range(4):
        moves, fewest, missed = way == 0, way > 1, np.inf
        for i in range(m):
            for a in range(3):
                p[i, a], slip[i, a] = linear.before[i, a], linear.velocity[i, a]
                linear.anchor[i, a] = p[i, a] if moves else 0.0
        for _ in range(MOVING if moves else STANDING):
            linear_laws(friction, weight, stiff, p, slip, linear)
            if fewest:
                same_laws(OPEN if way == 2 else STICKS, stiff, linear)
                fewest = False
            assemble(mass, linear)
            spent += 1
            if not factor(linear.matrix, order):
                break
            anchored(linear, order, settled, moves, p, slip)
            before, missed = missed, laws_missed(friction, weight, stiff, p, slip, linear)
            if not missed < np.inf:
                break
            if missed <= ACCEPTED * largest_of(p) or 0.5 * before <= missed <= 0.1 * ACCEPTED * level:
                if moves and slowest(slip, linear) <= 1e3 * AT_REST * level / weight:
                    break  # at its bound a point that rests leaves more than one solution: that of least norm is asked for
                if moves or keep_anchor(p, linear) <= settled:
                    return spent
                missed = np.inf
    return -spent
