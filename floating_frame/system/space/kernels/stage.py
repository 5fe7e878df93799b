"""One stage of a rigid body in space, compiled: the twin of ``stage.SpaceStage``, whose equations it has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from floating_frame.frame.kinematics import Array
from floating_frame.system.space.kernels.algebra import (
    INLINED,
    arms_of,
    attitude,
    couple_of,
    cross3,
    dot,
    product,
    row,
    triple,
    turned_tensor,
)
from floating_frame.system.space.kernels.cone import ACCEPTED, PROXIMAL, TURNS, rests, solve_laws
from friction.cone import OPEN, SLIPS, STICKS


class Plan(NamedTuple):
    """What is the same in all steps: mass, J (3, 3) and its inverse in the body; feet X (m, 3) m, whether they ``turn`` with it; a
    length ``radius`` and the response of a point ``soft`` 1/kg; kinetic and static coefficients (m,); the twin's limits of gaps
    that touch, m, and of approach and of work at landing points, relative."""

    mass: float
    inertia: Array
    inverse: Array
    feet: Array
    turns: bool
    radius: float
    soft: float
    kinetic: Array
    static: Array
    touching: float
    approaches: float
    pushes: float


class Given(NamedTuple):
    """What a stage inherits: way and v*, h* (6,); what its balance has from the step's start (6,); x and Q there; gaps
    (m,) m and arms (m, 3) m there; points that persist (m,); coefficients (m,); Σ f (3,), Σ X ⊗ f (3, 3) and Σ |f| (1,) of the
    loads."""

    way: Array
    before: Array
    first: Array
    place: Array
    rotation: Array
    gaps: Array
    arms: Array
    persists: Array
    friction: Array
    load: Array
    couple: Array
    size: Array


@njit(**INLINED)
def levers_of(theta, given, linear):  # type: ignore[no-untyped-def]
    """Write the arms of the forces, in the mean of those at the step's start and the stage's end: see ``SpaceStage``."""
    for i in range(linear.arms.shape[0]):
        for a in range(3):
            linear.levers[i, a] = (1.0 - theta) * given.arms[i, a] + theta * linear.arms[i, a]


@njit(**INLINED)
def linearise(plan, given, tau, tau_v, theta, w, p, linear):  # type: ignore[no-untyped-def]
    """Write the balance and the points' velocities at (v, Ω) = ``w`` (6,) under forces p (m, 3); return what residuals are measured
    by, N."""
    frames, spin, arms, m = linear.frames, triple(w, 3), linear.arms, p.shape[0]
    attitude(given.rotation, triple(given.way, 3), spin, tau, frames, 0)
    Q, T, J, X = frames[0], frames[1], frames[4], frames[5]
    turned_tensor(Q, plan.inertia, X, J)
    h = (dot(row(J, 0), spin), dot(row(J, 1), spin), dot(row(J, 2), spin))
    arms_of(plan, Q, arms)
    levers_of(theta, given, linear)
    moment, G = couple_of(given.couple, Q, frames[6]), frames[6]
    rest, forces = linear.rest, 0.0
    for a in range(3):
        rest[a] = plan.mass / tau_v * (w[a] - given.before[a]) - theta * given.load[a] - given.first[a]
        rest[3 + a] = (h[a] - given.before[3 + a]) / tau_v - theta * moment[a] - given.first[3 + a]
    for i in range(m):
        turning = cross3(row(linear.levers, i), row(p, i))
        for a in range(3):
            rest[a] -= p[i, a]
            rest[3 + a] -= turning[a]
            forces = max(forces, abs(p[i, a]))
            for b in range(3):
                G[a, b] += arms[i, a] * p[i, b] if plan.turns else 0.0
    # X = (J hat Ω − hat h)/τ − θ (G − tr G)
    trace = theta * (G[0, 0] + G[1, 1] + G[2, 2])
    for a in range(3):
        across = cross3(row(J, a), spin)
        for b in range(3):
            X[a, b] = across[b] / tau_v - theta * G[a, b]
        X[a, a] += trace
    X[0, 1] += h[2] / tau_v
    X[1, 0] -= h[2] / tau_v
    X[0, 2] -= h[1] / tau_v
    X[2, 0] += h[1] / tau_v
    X[1, 2] += h[0] / tau_v
    X[2, 1] -= h[0] / tau_v
    product(X, T, linear.block)
    for a in range(3):
        for b in range(3):
            linear.block[a, b] += J[a, b] / tau_v
    point_rows(plan, given, tau, tau_v, w, linear)
    load = max(abs(given.load[0]), abs(given.load[1]), abs(given.load[2]))
    level = plan.mass * max(abs(w[0]), abs(w[1]), abs(w[2])) / tau_v + load + given.size[0] + forces
    return level + max(abs(h[0]), abs(h[1]), abs(h[2])) / (tau_v * plan.radius)


@njit(**INLINED)
def point_rows(plan, given, tau, tau_v, w, linear):  # type: ignore[no-untyped-def]
    """Write R and u_k: the last component a gap over τ where a point did not press at the start; see ``SpaceStage._rows``."""
    frames, rows, arms, spin, ahead = linear.frames, linear.rows, linear.arms, triple(w, 3), False
    T = frames[1]
    by = (
        dot(spin, (T[0, 0], T[1, 0], T[2, 0])),
        dot(spin, (T[0, 1], T[1, 1], T[2, 1])),
        dot(spin, (T[0, 2], T[1, 2], T[2, 2])),
    )
    for i in range(arms.shape[0]):
        arm = row(arms, i)
        turning, along = cross3(spin, arm), dot(spin, arm)
        for a in range(3):
            linear.velocity[i, a] = w[a] + turning[a]
            for b in range(3):
                rows[i, a, b] = 1.0 if a == b else 0.0
                rows[i, a, 3 + b] = along * T[a, b] - arm[a] * by[b] if plan.turns else 0.0
        rows[i, 0, 4] += arm[2]
        rows[i, 0, 5] -= arm[1]
        rows[i, 1, 3] -= arm[2]
        rows[i, 1, 5] += arm[0]
        rows[i, 2, 3] += arm[1]
        rows[i, 2, 4] -= arm[0]
        if given.persists[i]:
            continue
        if tau != tau_v and not ahead and plan.turns:
            attitude(given.rotation, triple(given.way, 3), spin, tau_v, frames, 2)
            ahead = True
        at = 2 if ahead else 0
        X, Q, slope = row(plan.feet, i), frames[at], frames[at + 1]
        x, y, z = arm
        if ahead:
            x, y, z = dot(row(Q, 0), X), dot(row(Q, 1), X), dot(row(Q, 2), X)
        gap = given.place[2] + given.way[2] + tau_v * w[2] + z
        linear.velocity[i, 2] = (gap - min(given.gaps[i], 0.0)) / tau_v
        for b in range(3):
            rows[i, 2, 3 + b] = (y * slope[0, b] - x * slope[1, b]) / tau_v if plan.turns else 0.0


@njit(**INLINED)
def solve_stage(plan, given, tau, tau_v, theta, w, p, slip, status, linear, spent):  # type: ignore[no-untyped-def]
    """Solve a stage from (v, Ω) = ``w`` (6,) and forces p (m, 3), which become the solution, with velocities ``slip`` and
    ``status`` of the points; add turns and systems solved to ``spent``. Return whether it settled."""
    weight, mass = 1.0 / (plan.soft * tau_v), plan.mass / tau_v
    stiff, m, settles = weight / PROXIMAL, p.shape[0], False
    for _ in range(TURNS):
        level = linearise(plan, given, tau, tau_v, theta, w, p, linear)
        solved_systems = solve_laws(given.friction, mass, weight, stiff, level, p, slip, linear)
        spent[0] += 1
        spent[1] += abs(solved_systems)
        if solved_systems < 0:
            return False
        step, missed = linear.step, 0.0
        turning = triple(step, 3)
        for a in range(3):  # without a turn the step is exact: balance and gaps are linear in v and in the forces
            missed = max(missed, abs(dot(row(linear.block, a), turning)) / plan.radius)
        for a in range(6):
            w[a] += step[a]
        settles = missed <= ACCEPTED * level
        if settles:
            break
    if not settles:
        return False
    for i in range(m):
        sigma = p[i, 2] - weight * slip[i, 2]
        x, y = p[i, 0] - weight * slip[i, 0], p[i, 1] - weight * slip[i, 1]
        status[i] = OPEN if sigma <= 0.0 else STICKS if np.sqrt(x * x + y * y) <= given.friction[i] * sigma else SLIPS
    rests(mass, level / weight, p, slip, status, linear)
    attitude(given.rotation, triple(given.way, 3), triple(w, 3), tau, linear.frames, 0)
    arms_of(plan, linear.frames[0], linear.arms)
    levers_of(theta, given, linear)
    for i in range(m):
        turning = cross3(triple(w, 3), row(linear.arms, i))
        for a in range(3):
            p[i, a] = 0.0 if status[i] == OPEN else p[i, a]
            slip[i, a] = w[a] + turning[a]
    return True
