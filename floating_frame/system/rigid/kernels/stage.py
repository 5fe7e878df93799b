"""The stage of a rigid body in the plane, compiled: D (q' − q'*)/τ_v = θ W(q, q') + W_0 − Σ Gᵢᵀ λᵢ, arms turned by the stage's
own angle.

Effects with derivatives are linearised about the last guess, as the arms are, and friction under the body is solved exactly in each
turn. Springs and what is Python are called by their addresses (see ``acting`` and ``asked``), so that this is compiled once.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fem.kernels.lanes import call
from floating_frame.system.pressure_iteration import MAX_PRESSURE_ROUNDS
from floating_frame.system.rigid.kernels.forces import acted, friction_of
from floating_frame.system.rigid.kernels.records import (
    ANGLE,
    BY_PLACE,
    BY_RATE,
    DRIVE,
    FALLBACKS,
    FROM,
    FROM_TOTAL,
    GROUND,
    LEFT,
    LEVER,
    NEWTON,
    ORIGIN,
    PASSES,
    PLACE,
    RATES,
    RECORDS,
    SETTLES,
    SOLVE,
    STAGE,
    STEP,
    TANGENT,
    TAU,
    TAU_V,
    TIME,
    TOTAL,
    TURN,
    TURNED,
    WHAT,
    H,
)
from floating_frame.system.stages import ANGLE_UNSETTLED, EXCEPTION, PRESSURE_UNSETTLED, SLIP, SOLVED, TIPPING
from friction.rigid.kernels import COULOMB, bristle_ends, bristle_rates, rigid_slip
from friction.rigid.newton import dot3, point_slip, rotate_arms
from friction.rigid.reaction import SETTLED, TIPS, UNSETTLED, reacting_slip, update_bounds
from friction.rigid.stick_proofs import wrench_of

MAX_TURNS, WHOLE_TURNS = 60, 6
"""Turns of a stage, and those in which Newton's steps are taken whole whatever they miss."""
FORCE_SETTLED = 1e-13
"""Part of the wrench of effects, or of the momenta over τ, that a linearisation may miss."""


@njit(cache=True, error_model="numpy", inline="always")
def predict(plan, ground, position, s, dt, tau_v, room, holds, work):  # type: ignore[no-untyped-def]
    """Write where a stage's solver starts: the last rates, or where the last accelerations lead unless that turns the slip round;
    λ as it was. What is held rests on the ground."""
    small, lead = room.small, 0.0
    small[GROUND, 0], small[GROUND, 1], small[GROUND, 2] = ground[0], ground[1], 0.0
    for i in range(3):
        small[PLACE, i], small[RATES, i] = small[ORIGIN, i] + work.way[i], work.velocity[s - 1, i]
        small[DRIVE, i] = work.momentum_history[i] + tau_v * work.momentum_rate[s - 1, i]
        lead += (small[DRIVE, i] - small[GROUND, i]) * plan.inertia[i] * (small[RATES, i] - small[GROUND, i])
    for i in range(3):
        if holds:
            small[RATES, i] = small[GROUND, i]
        elif plan.leads and lead >= 0.0:
            small[RATES, i] = small[DRIVE, i]
    for i in range(plan.feet.shape[1]):
        for a in range(2):
            room.multiplier[s, a, i] = 0.0 if holds else room.multiplier[s - 1, a, i]
            if plan.bristles and plan.rubs == 0:
                room.old[a, i] = room.first[a, i]
                for j in range(s):
                    room.old[a, i] += dt * position[j] * room.bent_rate[j, a, i]


@njit(cache=True, error_model="numpy", inline="always")
def balanced(plan, tau, tau_v, theta, known, room, work):  # type: ignore[no-untyped-def]
    """Write H = D/τ + T and c of the slip rates, and these, T = −θ (τ ∂W/∂q + ∂W/∂q'), which misses nothing at ``RATES``."""
    small, matrices, D = room.small, room.matrices, plan.inertia
    tangent = matrices[TANGENT]
    for i in range(3):
        for j in range(3):
            tangent[i, j] = -theta * (tau * matrices[BY_PLACE, i, j] + matrices[BY_RATE, i, j]) if known else 0.0
    if known and plan.convex:
        make_convex(tangent, D / tau_v)
    for i in range(3):
        small[FROM, i], small[FROM_TOTAL, i] = small[RATES, i], small[TOTAL, i]
        drive = (
            theta * small[TOTAL, i] + work.start_force[i] + D[i] / tau_v * (work.momentum_history[i] - small[GROUND, i])
        )
        for j in range(3):
            matrices[H, i, j] = tangent[i, j] + (D[i] / tau_v if i == j else 0.0)
            drive += tangent[i, j] * (small[RATES, j] - small[GROUND, j])
        small[DRIVE, i] = drive
    for i in range(3):
        small[RATES, i] -= small[GROUND, i]


@njit(cache=True, error_model="numpy")
def make_convex(tangent, inertia):  # type: ignore[no-untyped-def]
    """Put the symmetric part of −∂W/∂p (3, 3) in place, without what would make ``inertia`` (3,) + it indefinite (softening).

    Friction under the body is a convex problem only in a symmetric, positive definite H; Newton's method loses its square
    there, not its fixed point. Eigenvalues relative to the inertia below −½ are raised to it, found by Jacobi's rotations."""
    a, vectors, scale = np.empty((3, 3)), np.eye(3), np.sqrt(inertia)
    for i in range(3):
        for j in range(3):
            a[i, j] = 0.5 * (tangent[i, j] + tangent[j, i]) / (scale[i] * scale[j])
    for sweep in range(24):
        i, j = (0, 1) if sweep % 3 == 0 else (0, 2) if sweep % 3 == 1 else (1, 2)
        if a[i, j] == 0.0:
            continue
        ratio = (a[j, j] - a[i, i]) / (2.0 * a[i, j])
        t = (1.0 if ratio >= 0.0 else -1.0) / (abs(ratio) + np.sqrt(1.0 + ratio * ratio))
        c = 1.0 / np.sqrt(1.0 + t * t)
        for k in range(3):
            a[k, i], a[k, j] = c * (a[k, i] - t * a[k, j]), c * (a[k, j] + t * a[k, i])
            vectors[k, i], vectors[k, j] = (
                c * (vectors[k, i] - t * vectors[k, j]),
                c * (vectors[k, j] + t * vectors[k, i]),
            )
        for k in range(3):
            a[i, k], a[j, k] = c * (a[i, k] - t * a[j, k]), c * (a[j, k] + t * a[i, k])
    soft = min(a[0, 0], a[1, 1], a[2, 2]) < -0.5
    for i in range(3):
        for j in range(i + 1):
            part_of = 0.5 * (tangent[i, j] + tangent[j, i])
            for k in range(3 if soft else 0):
                part_of += max(-0.5 - a[k, k], 0.0) * vectors[i, k] * vectors[j, k] * scale[i] * scale[j]
            tangent[i, j] = tangent[j, i] = part_of


@njit(cache=True, error_model="numpy", inline="always")
def damped(plan, force, theta, tau_v, turn, before, room):  # type: ignore[no-untyped-def]
    """Return whether the step is taken whole, and what the linearisation has missed of the wrench, relative to wrench and
    momenta over τ: half the way where these do not contract. Regularised friction is S-shaped, and Newton's method may go to
    and fro over its steep middle."""
    small, most, size = room.small, 0.0, 0.0
    for i in range(3):
        expected = theta * small[FROM_TOTAL, i]
        arm = np.sqrt(plan.inertia[2] / plan.inertia[0]) if i == 2 else 1.0
        for j in range(3):
            expected -= room.matrices[TANGENT, i, j] * (small[RATES, j] - small[FROM, j])
        most = max(most, abs(theta * small[TOTAL, i] - expected) / arm)
        acting = abs(plan.inertia[i] / tau_v * small[FROM, i])
        for source in range(1 + plan.followers.shape[0], friction_of(plan)):  # one by one: what acts may cancel
            acting += abs(force[source, i])
        size = max(size, acting / arm)
    left = most / size if size > 0.0 else 0.0
    if turn <= WHOLE_TURNS or left <= max(0.5 * before, 1e-12):
        return True, left
    for i in range(3):
        small[RATES, i] = 0.5 * (small[RATES, i] + small[FROM, i])
    return False, left


@njit(cache=True, error_model="numpy", inline="always")
def asked(plan, what, k, s, turn, time, tau, tau_v, angle, room):  # type: ignore[no-untyped-def]
    """Ask Python, which takes what it needs from the room, and leaves there what it finds."""
    head = room.head
    head[WHAT], head[STEP], head[STAGE], head[TURN], head[TIME] = what, k, s, turn, time
    head[TAU], head[TAU_V], head[ANGLE] = tau, tau_v, angle
    return call(plan.rubs, 0, 0, 0)


@njit(cache=True, error_model="numpy", inline="always")
def rubbed(plan, tables, k, s, turn, tau, tau_v, angle, room):  # type: ignore[no-untyped-def]
    """Solve friction under the body, arms turned by ``angle``; return SOLVED, EXCEPTION, PRESSURE_UNSETTLED, TIPPING, SLIP + k.

    With a pressure that reacts at once where all slides under Coulomb's law, else by rounds under given bounds; there is one round
    where it does not react."""
    rates, head, multiplier, rounds = room.small[RATES], room.head, room.multiplier[s], 0
    h, c, arms, share, known = room.matrices[H], room.small[DRIVE], room.arms, room.share[s], plan.rubs == 0
    at_rest = tables.bound[min(k, tables.bound.shape[0] - 1), s - 1]
    load, bound, told = tables.load[min(k, tables.load.shape[0] - 1), s - 1], at_rest, UNSETTLED
    rotate_arms(plan.feet, angle, arms)
    if plan.reacts:
        bound, room.rounds[0, 2], room.rounds[0, 3] = room.bound, 0.0, 0.0
        if known and plan.code == COULOMB:
            reaction = np.array([plan.height, 0.0, 0.0, 0.0, 0.0, tau])
            solved, iterations = reacting_slip(h, c, arms, load, at_rest, reaction, rates, multiplier, share)
            head[NEWTON] += iterations if solved else 0
            told = SETTLED if solved else UNSETTLED
        if told == UNSETTLED:
            told = update_bounds(load, arms, at_rest, plan.height, multiplier, room.rounds, share, bound)
    while told == UNSETTLED and rounds < MAX_PRESSURE_ROUNDS:
        rounds += 1
        if known:
            status, iterations, fallback = rigid_slip(
                plan.code, plan.numbers, h, c, arms, bound, rates, multiplier, room.slip[0], room.slip[s - 1], room.old, tau
            )  # fmt: skip
            head[NEWTON] += iterations
            head[FALLBACKS] += fallback
            if status != 0:
                return SLIP - 1 + status
        elif asked(plan, SOLVE, k, s, turn, tables.times[k, s], tau, tau_v, angle, room) < 0.0:
            return EXCEPTION
        told = SETTLED
        if plan.reacts:
            told = update_bounds(load, arms, at_rest, plan.height, multiplier, room.rounds, share, bound)
    head[PASSES] += max(rounds, 1)
    for i in range(3):
        rates[i] += room.small[GROUND, i]
    if told == TIPS:
        head[LEVER] = plan.height * np.sqrt(room.rounds[0, 0] ** 2 + room.rounds[0, 1] ** 2) / load.sum()
        return TIPPING
    return SOLVED if told == SETTLED else PRESSURE_UNSETTLED


@njit(cache=True, error_model="numpy", inline="always")
def solve_stage(plan, tables, room, scheme, k, s, dt, holds, work):  # type: ignore[no-untyped-def]
    """Solve stage ``s`` of step ``k``, of which row ``s`` of the room tells; ``holds``: the body rests on the ground, its λ
    left open. Return SOLVED, EXCEPTION, ANGLE_UNSETTLED, or why friction is not solved."""
    small, head, position = room.small, room.head, scheme.position[s - 1]
    tau, tau_v, theta = dt * position[s], dt * scheme.velocity[s - 1, s], scheme.force[s - 1, s]
    predict(plan, tables.ground[k, s], position, s, dt, tau_v, room, holds, work)
    turns, came, whole, left, last = 0, False, True, np.inf, np.inf
    for _ in range(2 * MAX_TURNS + 2):
        told = acted(plan, tables, k, s, tau, RECORDS if holds else SOLVE, room, work)
        if told < 0.0:
            return EXCEPTION
        angle = small[PLACE, 2] + tau * small[RATES, 2]
        if came:
            whole, left = damped(plan, work.force[s], theta, tau_v, turns, left, room) if told > 0.0 else (True, 0.0)
            head[TURNED], head[LEFT], head[TURN] = abs(angle - last), left, turns
        settled = came and whole and left <= FORCE_SETTLED and abs(angle - last) <= plan.settle * (1.0 + abs(angle))
        if settled and plan.rubs != 0:
            answer = asked(plan, SETTLES, k, s, turns, tables.times[k, s], tau, tau_v, last, room)
            if answer < 0.0:
                return EXCEPTION
            settled = answer > 0.0
        if settled or holds:
            return finished(plan, tables, k, s, tau, tau_v, theta, angle, room, holds, work)
        came = whole or not came  # what is halved is looked at once more
        if came:
            if turns == MAX_TURNS:
                return ANGLE_UNSETTLED
            turns, last = turns + 1, angle
            balanced(plan, tau, tau_v, theta, told > 0.0, room, work)
            status = rubbed(plan, tables, k, s, turns, tau, tau_v, angle, room)
            head[TURN], head[TIME] = turns, tables.times[k, s]
            if status != SOLVED:
                return status
    return ANGLE_UNSETTLED


@njit(cache=True, error_model="numpy", inline="always")
def finished(plan, tables, k, s, tau, tau_v, theta, angle, room, holds, work):  # type: ignore[no-untyped-def]
    """Write what the stage formula makes of the rates, what effects are asked to record, slip and what friction does."""
    small, f, D = room.small, friction_of(plan), plan.inertia
    slip, multiplier, density, friction = room.slip[s], room.multiplier[s], room.density[s], work.force[s, f]
    for i in range(3):
        work.velocity[s, i] = small[RATES, i]
        work.momentum_rate[s, i] = (small[RATES, i] - work.momentum_history[i]) / tau_v
        work.inertia[s, i] = D[i] * work.momentum_rate[s, i]
        if holds:
            friction[i] = work.inertia[s, i] - work.start_force[i] - theta * small[TOTAL, i]
    power = work.power[s, f]
    power[0] = power[1] = 0.0
    if plan.acts.shape[0] > 0 and not holds and acted(plan, tables, k, s, tau, RECORDS, room, work) < 0.0:
        return EXCEPTION
    if holds:
        for i in range(slip.shape[1]):
            for a in range(2):
                slip[a, i] = density[a, i] = 0.0
    elif plan.rubs == 0:
        rotate_arms(plan.feet, angle, room.arms)
        power[1] = slipped(small, room.arms, multiplier, slip, density)
        x, y, moment = wrench_of(multiplier, room.arms)
        friction[0], friction[1], friction[2] = -x, -y, -moment
    if (
        plan.rubs != 0
        and asked(plan, RECORDS, k, s, -1 if holds else 0, tables.times[k, s], tau, tau_v, angle, room) < 0.0
    ):
        return EXCEPTION
    power[0] = dot3(friction, small[GROUND])
    if plan.bristles and plan.rubs == 0:
        bound = tables.bound[min(k, tables.bound.shape[0] - 1), s - 1]
        energies = bristle_ends(plan.numbers, room.old, slip, bound, tau, room.bent, density[1])
        work.stored[1, f], power[1] = energies
        for i in range(slip.shape[1]):
            for a in range(2):
                room.bent_rate[s, a, i] = (room.bent[a, i] - room.old[a, i]) / tau
    return SOLVED


@njit(cache=True, error_model="numpy", inline="always")
def slipped(small, arms, multiplier, slip, density):  # type: ignore[no-untyped-def]
    """Write slip velocities (2, N), their sizes and λ·v (2, N); return Σ λ·v."""
    p = (small[RATES, 0] - small[GROUND, 0], small[RATES, 1] - small[GROUND, 1], small[RATES, 2] - small[GROUND, 2])
    ax, ay, lx, ly, sx, sy = arms[0], arms[1], multiplier[0], multiplier[1], slip[0], slip[1]
    speed, power, total = density[0], density[1], 0.0
    for i in range(ax.shape[0]):
        vx, vy = point_slip(p, ax[i], ay[i])
        sx[i], sy[i] = vx, vy
        speed[i] = np.sqrt(vx * vx + vy * vy)
        power[i] = lx[i] * vx + ly[i] * vy
    for i in range(ax.shape[0]):
        total += power[i]
    return total


@njit(cache=True, error_model="numpy", inline="always")
def start_rates(plan, ground, velocity, room):  # type: ignore[no-untyped-def]
    """Write the bristles' rate (2, N), m/s, at a step's start on ground of velocity (2,), right limit."""
    rotate_arms(plan.feet, room.small[ORIGIN, 2], room.arms)
    p = (velocity[0, 0] - ground[0], velocity[0, 1] - ground[1], velocity[0, 2])
    for i in range(room.arms.shape[1]):
        room.old[0, i], room.old[1, i] = point_slip(p, room.arms[0, i], room.arms[1, i])
    bristle_rates(plan.numbers, room.first, room.old, room.bent_rate[0])
