"""Steps of a rigid body in the plane, compiled: what depends on time is tabulated for the stages of many steps first.

A step in which an arrest may throw the body backwards is left to the guard (``scheme.guard``): the call ends with LOOKS."""

from __future__ import annotations

import numpy as np
from numba import njit

from fem.kernels.abreast import call
from floating_frame.system.rigid.kernels.borrowed import borrowed
from floating_frame.system.rigid.kernels.forces import acted, friction_of
from floating_frame.system.rigid.kernels.records import (
    ASKED,
    BY_RATE,
    ENDS,
    EXPLICIT,
    FALLBACKS,
    FINITE,
    LOOKS,
    NEWTON,
    ORIGIN,
    PASSES,
    PLACE,
    RAISED,
    RATES,
    RECORDS,
    SOLVED,
    START,
)
from floating_frame.system.rigid.kernels.stage import asked, solve_stage, start_rates
from friction.rigid.newton import dot3


@njit(cache=True, error_model="numpy")
def advance(plan, tables, room, course, fields, starts, rows, looks, holds):  # type: ignore[no-untyped-def]
    """Take the steps of the tables from rows ``starts`` of the course, row 0 and the last but one of the ``fields`` given, and
    write what they end with, the fields into ``rows``, -1: not stored, which the next step alone may start from. Return how many
    were taken, why the next was not, and the row of the last fields.

    ``looks``: whether the guard looks at steps; ``holds``: whether their last stages hold the body at rest."""
    plan, tables, room, course, fields = (
        borrowed(plan), borrowed(tables), borrowed(room), borrowed(course), borrowed(fields),
    )  # fmt: skip
    last = fields.path.shape[0] - 1
    at = last - 1
    for k in range(tables.lengths.shape[0]):
        first = starts[k]
        if first < k:  # not where the last step has led
            at = last - 1 if first == 0 else rows[first - 1]
        told = step(plan, tables, k, first, at, room, course, fields, looks, holds)
        if told != SOLVED:
            return k, told, at
        end = rows[k] if rows[k] >= 0 else 2 * last - 1 - max(at, last - 1)
        keep(plan, tables, k, first, room, course)
        course.slides[k + 1] = write_fields(plan, tables.lengths[k], room, fields, at, end)
        at = end
    return tables.lengths.shape[0], SOLVED, at


@njit(cache=True, error_model="numpy", inline="always")
def step(plan, tables, k, first, at, room, course, fields, looks, holds):  # type: ignore[no-untyped-def]
    """Take one step from row ``first`` of the course and ``at`` of the fields: its start, its stages, what the guard has to look
    at, and the ledger; return SOLVED, or why it is not taken."""
    stages, told = plan.weights.shape[0], began(plan, tables, k, first, at, room, course, fields)
    for s in range(1, stages + 1):
        if told == SOLVED:
            told = solve_stage(plan, tables, k, s, room, holds and s == stages)
    if told == SOLVED and looks and backwards(plan, tables, k, room.velocity):
        told = LOOKS
    if told == SOLVED and (plan.rubs != 0 or plan.acts.shape[0] > 0):
        told = ended(plan, tables, k, room)
    if told == SOLVED and not np.isfinite(ledger(plan, tables.lengths[k], course.stored[first], room)):
        told = FINITE
    return told


@njit(cache=True, error_model="numpy", inline="always")
def began(plan, tables, k, first, at, room, course, fields):  # type: ignore[no-untyped-def]
    """Put the step's start into row 0, at the right limits of what depends on time; return SOLVED or RAISED."""
    room.head[PASSES] = room.head[NEWTON] = room.head[FALLBACKS] = room.head[EXPLICIT] = 0.0
    for j in range(3):
        room.small[ORIGIN, j] = room.small[PLACE, j] = course.place[first, j]
        room.velocity[0, j] = room.small[RATES, j] = course.rates[first, j]
        room.gained[0, j] = course.acceleration[first, j]
    for i in range(plan.feet.shape[1]):
        for a in range(2):
            room.multiplier[0, a, i], room.slip[0, a, i] = -fields.friction[at, i, a], fields.slip[at, i, a]
            if plan.bristles:
                room.first[a, i] = fields.bristles[at, i, a]
    if plan.bristles and plan.rubs == 0 and plan.position[0, 0] != 0.0:
        start_rates(plan, tables.ground[k, 0], room)
    if plan.mixes and acted(plan, tables, k, START, 0.0, RECORDS, room) < 0.0:
        return RAISED
    return SOLVED


@njit(cache=True, error_model="numpy", inline="always")
def ended(plan, tables, k, room):  # type: ignore[no-untyped-def]
    """Let what is Python keep what it ends the step with; return SOLVED or RAISED."""
    for e in range(plan.acts.shape[0]):
        block = room.blocks[plan.blocks[e] : plan.blocks[e + 1]]
        block[ASKED] = ENDS
        if call(plan.acts[e], plan.constants[e], block.ctypes.data, 0) < 0.0:
            return RAISED
    s = plan.weights.shape[0]
    if plan.rubs != 0 and asked(plan, ENDS, k, s, 0, tables.times[k, s], 0.0, 0.0, 0.0, room) < 0.0:
        return RAISED
    return SOLVED


@njit(cache=True, error_model="numpy", inline="always")
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


@njit(cache=True, error_model="numpy", inline="always")
def ledger(plan, dt, stored, room):  # type: ignore[no-untyped-def]
    """Write the step's works (n + 1, 3), J: see ``scheme.ledger``; return their sum."""
    stages, friction, entries, total = plan.weights.shape[0], friction_of(plan), room.entries, 0.0
    sources, loads, working = friction + 1 + plan.own, 1 + plan.followers.shape[0], room.matrices[BY_RATE, 0]
    for source in range(sources + 1):
        for i in range(3):
            entries[source, i] = 0.0
    for s in range(stages):
        share = dt * plan.weights[s]
        for i in range(3):
            working[i] = 0.0
            for j in range(stages + 1):
                working[i] += plan.work[s, j] * room.velocity[j, i]
        for source in range(sources):
            for row in range(0 if plan.mixes and source < friction else s + 1, s + 2, s + 1):
                part_of = share * plan.force[s, row] if source < friction else share
                worked = part_of * dot3(room.force[row, source], working)
                given = room.powers[row, source, 0]  # NaN: all the work that it does
                entries[source, 0] += worked if source < loads or np.isnan(given) else part_of * given
                entries[source, 1] += 0.0 if source < loads else part_of * room.powers[row, source, 1]
                entries[source, 2] -= worked
        for j in range(stages):
            for i in range(3):
                inertial = plan.form[s, j] * room.gained[s + 1, i] * plan.inertia[i] * room.gained[j + 1, i]
                entries[sources, 2] += 0.5 * dt * dt * inertial
    entries[friction, 0] += room.head[EXPLICIT]
    for source in range(sources):
        grown = room.stored[source] - stored[source]
        entries[source, 2] += entries[source, 0] - grown - entries[source, 1]
        total += entries[source, 0] + entries[source, 1] + entries[source, 2]
    return total + entries[sources, 2]


@njit(cache=True, error_model="numpy", inline="always")
def write_fields(plan, dt, room, fields, at, end):  # type: ignore[no-untyped-def]
    """Write the fields at the points into a row from those in another; return whether any slides."""
    stages, slides = plan.weights.shape[0], False
    slip, multiplier = room.slip[stages], room.multiplier[stages]
    for i in range(slip.shape[1]):
        path, heat = 0.0, 0.0
        for s in range(stages):
            path += plan.weights[s] * room.density[s + 1, 0, i]
            heat += plan.weights[s] * room.density[s + 1, 1, i]
        fields.path[end, i], fields.heat[end, i] = fields.path[at, i] + dt * path, fields.heat[at, i] + dt * heat
        fields.rests[end, i] = slip[0, i] == 0.0 and slip[1, i] == 0.0
        slides = slides or not fields.rests[end, i]
        for a in range(2):
            fields.slip[end, i, a], fields.friction[end, i, a] = slip[a, i], -multiplier[a, i]
            if plan.bristles:
                fields.bristles[end, i, a] = room.bent[a, i]
    return slides


@njit(cache=True, error_model="numpy", inline="always")
def keep(plan, tables, k, first, room, course):  # type: ignore[no-untyped-def]
    """Write what moves, works and energies at the end of step ``k`` from row ``first``."""
    stages, friction, force = plan.weights.shape[0], friction_of(plan), room.force
    course.counts[k + 1, 0], course.counts[k + 1, 1] = room.head[PASSES], room.head[NEWTON]
    course.counts[k + 1, 3] = room.head[FALLBACKS]
    for source in range(force.shape[1]):
        course.stored[k + 1, source] = room.stored[source]
    tau = tables.lengths[k] * plan.position[stages - 1, stages]
    for j in range(3):
        course.place[k + 1, j] = room.small[PLACE, j] + tau * room.small[RATES, j]
        course.rates[k + 1, j], course.acceleration[k + 1, j] = room.velocity[stages, j], room.gained[stages, j]
        course.balance[k + 1, j] = 0.0
        for source in range(force.shape[1] + 1):
            course.work[k + 1, source, j] = course.work[first, source, j] + room.entries[source, j]
        for source in range(force.shape[1]):
            course.force[k + 1, source, j] = force[stages, source, j]
            mixed = source < friction
            share = plan.force[stages - 1, stages] if mixed else 1.0
            course.balance[k + 1, j] += share * force[stages, source, j]
            if mixed and plan.mixes:
                course.balance[k + 1, j] += plan.force[stages - 1, 0] * force[0, source, j]
