"""The whole step of a rigid body in space, compiled: stages, impacts, projection, ledger and densities of many steps in one call.

What depends on time is tabulated for the stages of all steps. A step in which the guard against reversals has to look, or that the
leaves do not solve, ends the call: ``scheme.staged`` takes it, by the same leaves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from floating_frame.contact.tunnelling import SHALLOW
from floating_frame.frame.kinematics import Array
from floating_frame.system.borrowed import borrowed
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.algebra import (
    at,
    cross3,
    dot,
    momentum,
    plus,
    put,
    row,
    triple,
    write,
)
from floating_frame.system.space.kernels.contact import begin_points, finish_points, released
from floating_frame.system.space.kernels.forces import source_rows
from floating_frame.system.space.kernels.points import meet
from floating_frame.system.space.kernels.projection import project
from floating_frame.system.space.kernels.stage import HARD, LANDS, LOOKS, NOT_FINITE, SOLVED, solve_stage
from floating_frame.system.space.painleve import painleve_at


class Tables(NamedTuple):
    """What is known of K steps: ``lengths`` (K,) s; by columns C of time the ``loads`` (K, C), rows of the obstacles (K or 1, C, n,
    OBSTACLE) and ends of the springs (K or 1, C, n, 6)."""

    lengths: Array
    loads: NDArray[np.void]
    ground: Array
    ends: Array


class Room(NamedTuple):
    """Arrays of a step: points (m, POINT) and springs (n, SPRING); of its start and stages velocity, rates of momentum and way,
    (S + 1, 3, 6), forces of the sources (S + 1, R, 6), their powers (S + 1, R, 2) and energies (2, R), and of the points slip,
    force, status, path and power (S + 1, m, 9); the works (R + 1, 3); scratch of Python's functions and of the projection."""

    points: Array
    springs: Array
    rates: Array
    force: Array
    power: Array
    stored: Array
    fields: Array
    entries: Array
    asked: Array
    acting: Array
    response: Array
    gap: Array
    chosen: NDArray[np.int8]


class Course(NamedTuple):
    """What steps end with, (K + 1, …): x and Q (12,), velocity and rates of momentum (2, 6), forces of the sources and of all in
    the balance (R + 1, 6), energies (R,), works (R + 1, 3); of the points slip, λ, status, slip path and friction work (m, 9);
    kinetic energy, Painlevé's number, turn and way of the projection, turns and systems solved (6,)."""

    place: Array
    rates: Array
    force: Array
    stored: Array
    work: Array
    fields: Array
    numbers: Array


VELOCITY, GAINED, WAY_RATE = range(3)
F_SLIP, F_FORCE, F_STATUS, F_PATH, F_POWER = 0, 3, 6, 7, 8
KINETIC_ENERGY, PAINLEVE, DRIFT, PUT, TURNS, SYSTEMS = range(6)


@njit(cache=True, error_model="numpy", forceinline=True)
def came_in(fields, s, i):  # type: ignore[no-untyped-def]
    """Return the slip along the ground with which a point comes into stage ``s``: see ``scheme.staged``."""
    first = at(fields[0], i, F_SLIP)
    return first if first[0] != 0.0 or first[1] != 0.0 or first[2] != 0.0 else at(fields[s - 1], i, F_SLIP)


@njit(cache=True, error_model="numpy", forceinline=True)
def begin(body, lands, ground, course, k, room, stage):  # type: ignore[no-untyped-def]
    """Put the body at the start of step ``k``."""
    P, start = room.points, course.place[k]
    for a in range(3):
        stage.place[a] = start[a]
        for b in range(3):
            stage.rotation[a, b] = start[3 + 3 * a + b]
    for i in range(P.shape[0]):
        put(P, i, rec.INCOMING, at(room.fields[0], i, F_SLIP))
        put(P, i, rec.FORCE, at(room.fields[0], i, F_FORCE))
    begin_points(body, ground, triple(start, 0), stage.rotation, course.rates[k, 0], lands, P, room.asked)


@njit(cache=True, error_model="numpy", forceinline=True)
def inherit(scheme, s, dt, h, room, stage, linear):  # type: ignore[no-untyped-def]
    """Write what stage ``s`` inherits: see ``scheme.step.inherit``; ``h`` (3,): the moment of momentum at the start."""
    rates, smooth = room.rates, room.force.shape[1] - 2
    stage.tau, stage.tau_v = dt * scheme.position[s - 1, s], dt * scheme.velocity[s - 1, s]
    stage.theta = scheme.force[s - 1, s]
    for a in range(6):
        way, before, first = 0.0, h[a - 3] if a > 2 else rates[0, VELOCITY, a], 0.0
        for j in range(s):
            way += dt * scheme.position[s - 1, j] * rates[j, WAY_RATE, a]
            before += dt * scheme.velocity[s - 1, j] * rates[j, GAINED, a]
        if scheme.force[s - 1, 0] != 0.0:
            for r in range(smooth):
                first += scheme.force[s - 1, 0] * room.force[0, r, a]
        stage.way[a], stage.before[a], stage.first[a] = way, before, first
        linear.velocity[a] = rates[s - 1, VELOCITY, a]


@njit(cache=True, error_model="numpy", forceinline=True)
def take_stage(body, scheme, s, tables, k, followers, room, stage, linear, python):  # type: ignore[no-untyped-def]
    """Solve a stage: see ``SpaceRigidSystem.solve_stage``; return SOLVED, LANDS, LOOKS or why it is not solved."""
    P, fields, smooth = room.points, room.fields, room.force.shape[1] - 2
    column, ahead = scheme.column + s - 1, scheme.ahead + s - 1
    still, held = min(k, tables.ground.shape[0] - 1), min(k, tables.ends.shape[0] - 1)
    loads, ground, ends = tables.loads[k, column], tables.ground[still, column], tables.ends[held, column]
    for i in range(P.shape[0]):
        came = came_in(fields, s, i)
        P[i, rec.FRICTION] = P[i, rec.KINETIC] if came[0] != 0.0 or came[1] != 0.0 else P[i, rec.STATIC]
        P[i, rec.PERSISTS] = P[i, rec.PRESSED]
        put(P, i, rec.FORCE, at(fields[s - 1], i, F_FORCE))
    for _ in range(2 * P.shape[0] + 1):
        told = solve_stage(
            body,
            stage,
            loads,
            ground,
            tables.ground[still, ahead],
            room.springs,
            ends,
            python,
            room.asked,
            room.acting,
            linear,
            P,
        )
        if told != SOLVED:
            return told
        if not released(body, stage.tau_v, linear.velocity, P):
            break
    told = finish_points(stage.theta, stage.tau_v, scheme.lands, P, room.force[s, smooth:], room.power[s, smooth:])
    if told != SOLVED:
        return told
    velocity, Q = linear.velocity, linear.rotation
    v, spin = triple(velocity, 0), triple(velocity, 3)
    h, turning = momentum(body.inertia, Q, spin), cross3(triple(linear.turn, 0), spin)
    for a in range(3):
        room.rates[s, VELOCITY, a], room.rates[s, VELOCITY, 3 + a] = v[a], spin[a]
        room.rates[s, GAINED, a] = (v[a] - stage.before[a]) / stage.tau_v
        room.rates[s, GAINED, 3 + a] = (h[a] - stage.before[3 + a]) / stage.tau_v
        room.rates[s, WAY_RATE, a], room.rates[s, WAY_RATE, 3 + a] = v[a], spin[a] - 0.5 * turning[a]
    x = triple(linear.place, 0)
    source_rows(
        loads,
        room.springs,
        ends,
        followers,
        x,
        Q,
        velocity,
        linear.first,
        room.force[s],
        room.power[s],
        room.stored[1],
    )
    guards = scheme.guards and s == scheme.count
    for i in range(P.shape[0]):
        u, f = at(P, i, rec.SLIP), at(P, i, rec.FORCE)
        came = came_in(fields, s, i)
        if guards and f[2] > 0.0 and u[0] * came[0] + u[1] * came[1] < 0.0:
            return LOOKS
        put(fields[s], i, F_SLIP, u)
        put(fields[s], i, F_FORCE, f)
        put(fields[s], i, F_STATUS, (P[i, rec.STATUS], P[i, rec.PATH], P[i, rec.POWER]))
    return SOLVED


@njit(cache=True, error_model="numpy", forceinline=True)
def turns_round(fields, count):  # type: ignore[no-untyped-def]
    """Return whether all points slid and end at rest or going back: what ``scheme.guard.driven_back`` looks at."""
    for i in range(fields.shape[1]):
        came, goes = at(fields[0], i, F_SLIP), at(fields[count], i, F_SLIP)
        if (came[0] == 0.0 and came[1] == 0.0) or came[0] * goes[0] + came[1] * goes[1] > 0.0:
            return False
    return fields.shape[1] > 0


@njit(cache=True, error_model="numpy", forceinline=True)
def step(body, scheme, tables, k, followers, course, room, stage, linear, python):  # type: ignore[no-untyped-def]
    """Take one step with a scheme: stages, projection and ledger; return SOLVED, or why it is not taken."""
    dt, count = tables.lengths[k], scheme.count
    if not scheme.lands and course.numbers[k, PAINLEVE] <= 0.0:
        return LANDS
    begin(body, scheme.lands, tables.ground[min(k, tables.ground.shape[0] - 1), 0], course, k, room, stage)
    h = momentum(body.inertia, stage.rotation, triple(course.rates[k, 0], 3))
    linear.spent[0] = linear.spent[1] = 0
    for s in range(1, count + 1):
        inherit(scheme, s, dt, h, room, stage, linear)
        told = take_stage(body, scheme, s, tables, k, followers, room, stage, linear, python)
        if told != SOLVED:
            return told
    if scheme.guards and turns_round(room.fields, count):
        return LOOKS
    ground = tables.ground[min(k, tables.ground.shape[0] - 1), scheme.column + count - 1]
    P, room_of = room.points, (room.response, room.gap, room.chosen)
    if not project(body, stage, ground, python, room.asked, linear, P, *room_of):
        return HARD
    if not linear.put + body.radius * linear.drift <= SHALLOW * body.radius:
        return HARD
    return ledger(body, scheme, dt, course, k, room, linear)


@njit(cache=True, error_model="numpy", forceinline=True)
def pair(a, b):  # type: ignore[no-untyped-def]
    """Return Σ a b of six numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@njit(cache=True, error_model="numpy", forceinline=True)
def ledger(body, scheme, dt, course, k, room, linear):  # type: ignore[no-untyped-def]
    """Write the step's works (R + 1, 3) J, as ``scheme.step.ledger``, and T; return SOLVED or NOT_FINITE."""
    force, power, stored, entries, working = room.force, room.power, room.stored, room.entries, linear.moved
    sources, inertial, total = force.shape[1], 0.0, 0.0
    for r in range(sources + 1):
        entries[r, 0] = entries[r, 1] = entries[r, 2] = 0.0
    for s in range(1, scheme.count + 1):
        for a in range(6):
            working[a] = 0.0
            for j in range(scheme.count + 1):
                working[a] += scheme.work[s - 1, j] * room.rates[j, VELOCITY, a]
        share, gained = dt * scheme.weights[s - 1], room.rates[s, GAINED]
        inertial += share * (body.mass * dot(triple(gained, 0), triple(working, 0)))
        inertial += share * dot(triple(gained, 3), triple(working, 3))
        for r in range(sources):
            mixed = r < sources - 2
            for j in (0, s):
                c = scheme.force[s - 1, j] if mixed else 1.0 if j else 0.0
                if c == 0.0:
                    continue
                worked, put_in = pair(force[j, r], working), power[j, r, 0]
                given = worked if np.isnan(put_in) else put_in
                entries[r, 0] += share * c * given
                entries[r, 1] += share * c * power[j, r, 1]
                entries[r, 2] += share * c * (given - worked - power[j, r, 1])
    velocity = room.rates[scheme.count, VELOCITY]
    v, spin = triple(velocity, 0), triple(velocity, 3)
    kinetic = 0.5 * (body.mass * dot(v, v) + dot(spin, momentum(body.inertia, linear.rotation, spin)))
    for r in range(sources):
        entries[r, 2] -= stored[1, r] - stored[0, r]
        total += entries[r, 0] + entries[r, 1] + entries[r, 2]
    entries[sources, 2] = inertial - (kinetic - course.numbers[k, KINETIC_ENERGY])
    course.numbers[k + 1, KINETIC_ENERGY] = kinetic
    return SOLVED if np.isfinite(total + entries[sources, 2]) else NOT_FINITE


@njit(cache=True, error_model="numpy", forceinline=True)
def keep(scheme, dt, course, k, room, linear):  # type: ignore[no-untyped-def]
    """Write what a step ends with."""
    count, sources, end = scheme.count, room.force.shape[1], k + 1
    for a in range(3):
        course.place[end, a] = linear.place[a]
        for b in range(3):
            course.place[end, 3 + 3 * a + b] = linear.rotation[a, b]
    for a in range(6):
        course.rates[end, 0, a] = room.rates[count, VELOCITY, a]
        course.rates[end, 1, a] = room.rates[count, GAINED, a]
        acting = 0.0
        for r in range(sources):
            course.force[end, r, a] = room.force[count, r, a]
            mixed = r < sources - 2
            acting += (scheme.force[count - 1, count] if mixed else 1.0) * room.force[count, r, a]
            acting += scheme.force[count - 1, 0] * room.force[0, r, a] if mixed else 0.0
        course.force[end, sources, a] = acting
    for r in range(sources):
        course.stored[end, r] = room.stored[1, r]
    for r in range(sources + 1):
        write(course.work[end], r, plus(row(course.work[k], r), row(room.entries, r)))
    for i in range(room.points.shape[0]):
        path, heat = course.fields[k, i, F_PATH], course.fields[k, i, F_POWER]
        for s in range(1, count + 1):
            path += dt * scheme.weights[s - 1] * room.fields[s, i, F_PATH]
            heat += dt * scheme.weights[s - 1] * room.fields[s, i, F_POWER]
        for a in range(7):
            course.fields[end, i, a] = room.fields[count, i, a]
        course.fields[end, i, F_PATH], course.fields[end, i, F_POWER] = path, heat
    numbers = course.numbers
    numbers[end, DRIFT], numbers[end, PUT] = linear.drift, linear.put
    numbers[end, TURNS], numbers[end, SYSTEMS] = linear.spent[0], linear.spent[1]


@njit(cache=True, error_model="numpy", forceinline=True)
def start_rows(tables, k, followers, course, room, linear):  # type: ignore[no-untyped-def]
    """Write what is known at the start of step ``k``."""
    held, velocity = min(k, tables.ends.shape[0] - 1), course.rates[k, 0]
    for a in range(6):
        room.rates[0, VELOCITY, a] = room.rates[0, WAY_RATE, a] = velocity[a]
        room.rates[0, GAINED, a] = 0.0
    for a in range(3):
        for b in range(3):
            linear.rotation[a, b] = course.place[k, 3 + 3 * a + b]
    for i in range(room.points.shape[0]):
        for a in range(7):
            room.fields[0, i, a] = course.fields[k, i, a]
    x, Q, scratch = triple(course.place[k], 0), linear.rotation, linear.first
    ends, rows = tables.ends[held, 0], (room.force[0], room.power[0], room.stored[1])
    source_rows(tables.loads[k, 0], room.springs, ends, followers, x, Q, velocity, scratch, *rows)
    for r in range(room.stored.shape[1]):
        room.stored[0, r] = course.stored[k, r]


@njit(cache=True, error_model="numpy")
def advance(bodies, schemes, tables, followers, course, room, stages, linears, pythons):  # type: ignore[no-untyped-def]
    """Take the steps of the ``tables`` from row 0 of the ``course``, and write what they end with behind it; return how many were
    taken, and why the next one was not. ``schemes``: that of all steps, and that of those in which a point lands; other records
    are arrays of one, the caller's, for a record does not keep its array."""
    body, stage, linear, python = bodies[0], stages[0], linears[0], pythons[0]
    tables, course, room = borrowed(tables), borrowed(course), borrowed(room)
    for k in range(tables.lengths.shape[0]):
        start_rows(tables, k, followers, course, room, linear)
        if k == 0:
            course.numbers[0, PAINLEVE] = first_number(body, tables, course, room, linear)
        taking, told = schemes[0], LANDS
        for way in range(2):
            taking = schemes[way]
            told = step(body, taking, tables, k, followers, course, room, stage, linear, python)
            if told != LANDS:
                break
        if told != SOLVED:
            return k, told
        course.numbers[k + 1, PAINLEVE] = number = painleve_at(body, linear.rotation, room.points, linear)
        if np.isnan(number):
            return k, LOOKS
        keep(taking, tables.lengths[k], course, k, room, linear)
    return tables.lengths.shape[0], SOLVED


@njit(cache=True, error_model="numpy", forceinline=True)
def first_number(body, tables, course, room, linear):  # type: ignore[no-untyped-def]
    """Return Painlevé's number at the start of the first step."""
    P = room.points
    meet(body, tables.ground[0, 0], triple(course.place[0], 0), linear.rotation, P, room.asked)
    for i in range(P.shape[0]):
        put(P, i, rec.SLIP, at(room.fields[0], i, F_SLIP))
        put(P, i, rec.FORCE, at(room.fields[0], i, F_FORCE))
    return painleve_at(body, linear.rotation, P, linear)
