"""The whole step of a rigid body, compiled: stages, angle iteration, ledger and densities of many steps in one call.

The twin of ``scheme.step`` with ``RigidSystem`` for loads that are known beforehand. All that depends on time is tabulated for
the stages of all steps (``compiled``): of dead loads Σ F, Σ X × F and Σ X·F, of which a body turned by α feels

    (Σ F,  cos α Σ X × F − sin α Σ X·F),

of loads that follow the body their histories, of the foundation its bounds and velocity. The law is a code and numbers. A step
that the guard against reversals would look at, or that cannot be solved, is left to the twin: the call ends before it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array
from friction.rigid.coulomb import SOLVED
from friction.rigid.kernels import COULOMB, bristle_ends, bristle_rates, rigid_slip
from friction.rigid.newton import dot3, point_slip, turned_arms
from friction.rigid.stick_proofs import wrench_of

MAX_TURNS = 60
ANGLE_SETTLED = 1e-14


class Plan(NamedTuple):
    """What is the same in all steps: D (3,); feet X (2, N), m; the scheme's tables (S, S + 1), weights (S,) and kinetic form;
    whether it ``guards`` against reversals; forces on the body (F, 3), N, N, N m, of followers at history value one; the law's
    code and numbers, and whether it has bristles."""

    inertia: Array
    feet: Array
    position: Array
    velocity: Array
    force: Array
    work: Array
    weights: Array
    form: Array
    guards: bool
    followers: Array
    code: int
    numbers: Array
    bristles: bool


class Tables(NamedTuple):
    """What is known of K steps: lengths (K,), s; at their starts (right limits, column 0) and stages, (K, S + 1, …), dead loads
    (4), histories of followers (F) and velocity (2) of the ground; bounds (K, S, N) in the stages (K = 1: they do not change);
    velocity (K, 2) that the ground had until the start."""

    lengths: Array
    dead: Array
    histories: Array
    ground: Array
    bound: Array
    before: Array


class Moving(NamedTuple):
    """What a step starts from and is advanced in place: q, q', q'' (3,); slip, λ, bristles (2, N); slip path and friction work
    (N,); works (n + 1, 3)."""

    place: Array
    rates: Array
    acceleration: Array
    slip: Array
    multiplier: Array
    bristles: Array
    path: Array
    heat: Array
    work: Array
    stored: Array


class Course(NamedTuple):
    """What K steps end with, (K, …): q, q', q'' (3); whether a point ``slides``; works (n + 1, 3); forces of the sources (n, 3) and
    their sum in the balance (3); counts: see ``Batch``."""

    place: Array
    rates: Array
    acceleration: Array
    slides: NDArray[np.bool_]
    work: Array
    stored: Array
    force: Array
    balance: Array
    counts: NDArray[np.int64]


class Fields(NamedTuple):
    """Fields at the points at the ends of R steps, (R, …): slip, friction −λ, bristles (N, 2); which rest, path and work (N,)."""

    slip: Array
    friction: Array
    rests: NDArray[np.bool_]
    bristles: Array
    path: Array
    heat: Array


@njit(cache=True, error_model="numpy")
def load_forces(dead, histories, followers, angle, force):  # type: ignore[no-untyped-def]
    """Write the wrenches of the dead loads and of each follower into the first rows of ``force`` (n, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    force[0, 0], force[0, 1], force[0, 2] = dead[0], dead[1], c * dead[2] - s * dead[3]
    for k in range(followers.shape[0]):
        x, y = followers[k, 0], followers[k, 1]
        force[1 + k, 0] = histories[k] * (c * x - s * y)
        force[1 + k, 1] = histories[k] * (s * x + c * y)
        force[1 + k, 2] = histories[k] * followers[k, 2]


@njit(cache=True, error_model="numpy")
def slip_power(rates, arms, multiplier, slip, speed, power):  # type: ignore[no-untyped-def]
    """Write slip velocities (2, N), their sizes and λ·v (N,); return Σ λ·v."""
    p = (rates[0], rates[1], rates[2])
    ax, ay, lx, ly, sx, sy = arms[0], arms[1], multiplier[0], multiplier[1], slip[0], slip[1]
    for i in range(ax.shape[0]):
        vx, vy = point_slip(p, ax[i], ay[i])
        sx[i], sy[i] = vx, vy
        speed[i] = np.sqrt(vx * vx + vy * vy)
        power[i] = lx[i] * vx + ly[i] * vy
    total = 0.0
    for i in range(ax.shape[0]):
        total += power[i]
    return total


@njit(cache=True, error_model="numpy")
def advance(plan, tables, start, course, fields, rows):  # type: ignore[no-untyped-def]
    """Take the steps of the tables from ``start``, whose arrays are advanced, and write what they end with, the ``fields`` of each
    into its one of ``rows``, -1: none; return how many were taken."""
    sources, points, stages, D = course.force.shape[1], plan.feet.shape[1], plan.weights.shape[0], plan.inertia
    friction = sources - 1
    # Of the start and the stages: q', q'', wrenches of the sources, slip; of the stages: sizes of slip and λ·v, powers.
    velocity, gained, force = np.zeros((stages + 1, 3)), np.zeros((stages + 1, 3)), np.zeros((stages + 1, sources, 3))
    slips, densities, powers = np.zeros((stages + 1, 2, points)), np.zeros((stages, 2, points)), np.zeros((stages, 2))
    bent, old, bent_rates = np.zeros((2, points)), np.zeros((2, points)), np.zeros((stages + 1, 2, points))
    arms, multiplier = np.empty((2, points)), np.empty((2, points))
    entries, h = np.zeros((sources + 1, 3)), np.zeros((3, 3))
    place, before, first, ground, rates, drive = (
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
    )
    for k in range(tables.lengths.shape[0]):
        dt, energy, passes, newton = tables.lengths[k], 0.0, 0, 0
        load_forces(tables.dead[k, 0], tables.histories[k, 0], plan.followers, start.place[2], force[0])
        if plan.bristles and plan.position[0, 0] != 0.0:
            start_rates(plan, start, tables.ground[k, 0], arms, old, bent_rates[0])
        for j in range(3):
            velocity[0, j] = rates[j] = start.rates[j]
        for i in range(points):
            for a in range(2):
                multiplier[a, i], slips[0, a, i] = start.multiplier[a, i], start.slip[a, i]
        for s in range(stages):
            tau, tau_v, theta = dt * plan.position[s, s + 1], dt * plan.velocity[s, s + 1], plan.force[s, s + 1]
            ground[0], ground[1] = tables.ground[k, s + 1, 0], tables.ground[k, s + 1, 1]
            bound, acting, settled = tables.bound[min(k, tables.bound.shape[0] - 1), s], force[s + 1], False
            for i in range(3):
                place[i], before[i], first[i], h[i, i] = 0.0, velocity[0, i], 0.0, D[i] / tau_v
                for j in range(s + 1):
                    place[i] += dt * plan.position[s, j] * velocity[j, i]
                    before[i] += dt * plan.velocity[s, j] * gained[j, i]
                place[i] += start.place[i]
                for source in range(friction):
                    first[i] += plan.force[s, 0] * force[0, source, i]
            if plan.bristles:
                for i in range(points):
                    for a in range(2):
                        old[a, i] = start.bristles[a, i]
                        for j in range(s + 1):
                            old[a, i] += dt * plan.position[s, j] * bent_rates[j, a, i]
            lead = 0.0  # as `RigidSystem.predict`
            for i in range(3):
                drive[i] = before[i] + tau_v * (start.acceleration[i] if s == 0 else gained[s, i])
                lead += (drive[i] - ground[i]) * D[i] * (rates[i] - ground[i])
            for i in range(3):
                rates[i] = drive[i] if plan.code == COULOMB and lead >= 0.0 else rates[i]
            angle = place[2] + tau * rates[2]
            for _ in range(MAX_TURNS):
                turned_arms(plan.feet, angle, arms)
                load_forces(tables.dead[k, s + 1], tables.histories[k, s + 1], plan.followers, angle, acting)
                for i in range(3):
                    rates[i] -= ground[i]
                    drive[i] = 0.0
                    for source in range(friction):
                        drive[i] += acting[source, i]
                    drive[i] = theta * drive[i] + first[i] + D[i] / tau_v * (before[i] - ground[i])
                status, iterations = rigid_slip(
                    plan.code, plan.numbers, h, drive, arms, bound, rates, multiplier, slips[0], slips[s], old, tau
                )
                passes += 1
                newton += iterations
                if status != SOLVED:
                    return k
                for i in range(3):
                    drive[i], rates[i] = rates[i], rates[i] + ground[i]
                at, angle = angle, place[2] + tau * rates[2]
                settled = abs(angle - at) <= ANGLE_SETTLED * (1.0 + abs(angle))
                if settled:
                    break
            if not settled:
                return k
            for i in range(3):
                velocity[s + 1, i], gained[s + 1, i] = rates[i], (rates[i] - before[i]) / tau_v
                place[i] += tau * rates[i]
            powers[s, 1] = slip_power(drive, arms, multiplier, slips[s + 1], densities[s, 0], densities[s, 1])
            x, y, moment = wrench_of(multiplier, arms)
            acting[friction, 0], acting[friction, 1], acting[friction, 2] = -x, -y, -moment
            load_forces(tables.dead[k, s + 1], tables.histories[k, s + 1], plan.followers, angle, acting)
            powers[s, 0] = dot3(acting[friction], ground)
            if plan.bristles:
                energy, powers[s, 1] = bristle_ends(plan.numbers, old, slips[s + 1], bound, tau, bent, densities[s, 1])
                for i in range(points):
                    for a in range(2):
                        bent_rates[s + 1, a, i] = (bent[a, i] - old[a, i]) / tau
        if plan.guards and backwards(plan, tables, k, velocity):
            return k
        total = ledger(plan, dt, velocity, gained, force, powers, energy - start.stored[0], entries)
        if not np.isfinite(total + energy + dot3(rates, rates)):
            return k
        start.stored[0] = energy
        for j in range(3):
            start.place[j], start.rates[j], start.acceleration[j] = place[j], rates[j], gained[stages, j]
            for source in range(sources + 1):
                start.work[source, j] += entries[source, j]
        course.counts[k, 0], course.counts[k, 1] = passes, newton
        course.slides[k] = move_points(plan, dt, start, slips[stages], multiplier, bent, densities)
        if rows[k] >= 0:
            write_fields(plan, start, fields, rows[k])
        keep(plan, k, start, force, course)
    return tables.lengths.shape[0]


@njit(cache=True, error_model="numpy")
def backwards(plan, tables, k, velocity):  # type: ignore[no-untyped-def]
    """Whether the body ends the step at rest or against the way it came in, so that the guard has to look at it."""
    moves, ahead = False, 0.0
    for first in range(2):
        for i in range(3):
            start = 0.0
            if i < 2:
                start = tables.before[k, i] if first == 0 else tables.ground[k, 1, i]
            end = tables.ground[k, -1, i] if i < 2 else 0.0
            incoming = velocity[first, i] - start
            moves = moves or incoming != 0.0
            ahead += (velocity[-1, i] - end) * plan.inertia[i] * incoming
        if moves:
            break
    return moves and ahead <= 0.0


@njit(cache=True, error_model="numpy")
def ledger(plan, dt, velocity, gained, force, powers, grown, entries):  # type: ignore[no-untyped-def]
    """Write the step's works (n + 1, 3), J: see ``scheme.ledger``; return their sum."""
    stages, friction, total, inertial = plan.weights.shape[0], force.shape[1] - 1, 0.0, 0.0
    for source in range(friction + 2):
        for i in range(3):
            entries[source, i] = 0.0
    for s in range(stages):
        share, x, y, turn = dt * plan.weights[s], 0.0, 0.0, 0.0
        for j in range(stages + 1):
            x += plan.work[s, j] * velocity[j, 0]
            y += plan.work[s, j] * velocity[j, 1]
            turn += plan.work[s, j] * velocity[j, 2]
        working = (x, y, turn)
        for source in range(friction):
            worked = plan.force[s, 0] * dot3(force[0, source], working)
            worked += plan.force[s, s + 1] * dot3(force[s + 1, source], working)
            entries[source, 0] += share * worked
        entries[friction, 0] += share * powers[s, 0]
        entries[friction, 1] += share * powers[s, 1]
        entries[friction, 2] += share * (powers[s, 0] - powers[s, 1] - dot3(force[s + 1, friction], working))
        for j in range(stages):
            for i in range(3):
                inertial += plan.form[s, j] * gained[s + 1, i] * plan.inertia[i] * gained[j + 1, i]
    entries[friction, 2] -= grown
    entries[friction + 1, 2] = 0.5 * dt * dt * inertial
    for source in range(friction + 2):
        total += entries[source, 0] + entries[source, 1] + entries[source, 2]
    return total


@njit(cache=True, error_model="numpy")
def move_points(plan, dt, start, slip, multiplier, bent, densities):  # type: ignore[no-untyped-def]
    """Advance the fields at points; return whether any slides."""
    stages, slides = plan.weights.shape[0], False
    for i in range(slip.shape[1]):
        path, heat = 0.0, 0.0
        for s in range(stages):
            path += plan.weights[s] * densities[s, 0, i]
            heat += plan.weights[s] * densities[s, 1, i]
        start.path[i] += dt * path
        start.heat[i] += dt * heat
        slides = slides or slip[0, i] != 0.0 or slip[1, i] != 0.0
        for a in range(2):
            start.slip[a, i], start.multiplier[a, i] = slip[a, i], multiplier[a, i]
            if plan.bristles:
                start.bristles[a, i] = bent[a, i]
    return slides


@njit(cache=True, error_model="numpy")
def write_fields(plan, moving, fields, row):  # type: ignore[no-untyped-def]
    """Write the fields at points into a row."""
    for i in range(moving.path.shape[0]):
        fields.path[row, i], fields.heat[row, i] = moving.path[i], moving.heat[i]
        fields.rests[row, i] = moving.slip[0, i] == 0.0 and moving.slip[1, i] == 0.0
        for a in range(2):
            fields.slip[row, i, a], fields.friction[row, i, a] = moving.slip[a, i], -moving.multiplier[a, i]
            if plan.bristles:
                fields.bristles[row, i, a] = moving.bristles[a, i]


@njit(cache=True, error_model="numpy")
def keep(plan, k, start, force, course):  # type: ignore[no-untyped-def]
    """Write what moves into row ``k``."""
    stages, friction = plan.weights.shape[0], force.shape[1] - 1
    course.stored[k] = start.stored[0]
    for j in range(3):
        course.place[k, j], course.rates[k, j], course.acceleration[k, j] = (
            start.place[j],
            start.rates[j],
            start.acceleration[j],
        )
        course.balance[k, j] = force[stages, friction, j]
        for source in range(friction + 2):
            course.work[k, source, j] = start.work[source, j]
            if source <= friction:
                course.force[k, source, j] = force[stages, source, j]
            if source < friction:
                course.balance[k, j] += plan.force[stages - 1, 0] * force[0, source, j]
                course.balance[k, j] += plan.force[stages - 1, stages] * force[stages, source, j]


@njit(cache=True, error_model="numpy")
def start_rates(plan, start, ground, arms, slip, rates):  # type: ignore[no-untyped-def]
    """Write the bristles' rate (2, N), m/s, at a step's start on ground of velocity (2,), right limit."""
    turned_arms(plan.feet, start.place[2], arms)
    p = (start.rates[0] - ground[0], start.rates[1] - ground[1], start.rates[2])
    for i in range(arms.shape[1]):
        slip[0, i], slip[1, i] = point_slip(p, arms[0, i], arms[1, i])
    bristle_rates(plan.numbers, start.bristles, slip, rates)
