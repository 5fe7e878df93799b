"""Steps of a rigid body in space, compiled: data of time are tabulated for the stages of many steps.

A step that needs the guard, or is not solved by the kernels alone, ends the call: ``scheme.staged`` takes it, by the same
kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from floating_frame.contact.tunnelling import CORNER_DEPTH
from floating_frame.frame.kinematics import Array
from floating_frame.system.rigid.kernels.bristles import DEFORMATION, DEFORMATION_RATE, inherit_bristles, read_bristles
from floating_frame.system.rigid.kernels.records import Course, EffectTable, Fields, row_after
from floating_frame.system.space.ground import LIGHT, TURNS
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.algebra import at, cross3, dot, momentum, put, triple
from floating_frame.system.space.kernels.contact import begin_points, finish_points, release_points
from floating_frame.system.space.kernels.forces import source_rows
from floating_frame.system.space.kernels.points import evaluate_obstacles
from floating_frame.system.space.kernels.projection import project
from floating_frame.system.space.kernels.stage import solve_stage
from floating_frame.system.space.painleve import painleve_at
from floating_frame.system.stages import ANGLE_UNSETTLED, GUARD_CHECK, POINT_LANDS
from friction.status import SOLVED


class Tables(NamedTuple):
    """Data of time of K steps: ``lengths`` (K,) s; by columns C of time the ``loads`` (K, C), rows of the obstacles (K or 1, C,
    n, OBSTACLE) and data of the effects (K or 1, S + 1, T). Columns: start, S stages, and t* + τ_v of these, if later."""

    lengths: Array
    loads: NDArray[np.void]
    ground: Array
    effects: Array


class Scratch(NamedTuple):
    """Scratch arrays of a step, besides its ``Stages``: points (m, POINT), or rows ``base`` of a flat base; of the step's start and
    stages slip, force, status, path and power (S + 1, m, 9) of the points; table and blocks of the effects, their densities and
    rates of bristles (S + 1, p, 2); scratch of Python's functions and of the projection; the row (1,) of the last fields; records
    (1,)."""

    points: Array
    base: Array
    fields: Array
    table: EffectTable
    blocks: Array
    densities: Array
    bristles: Array
    surface: Array
    effects: Array
    response: Array
    gap: Array
    chosen: NDArray[np.int8]
    at: NDArray[np.int64]
    body: NDArray[np.void]
    stage: NDArray[np.void]
    linear: NDArray[np.void]
    python: NDArray[np.void]


KINETIC, PAINLEVE, DRIFT, PRESSES, NUMBERS = range(5)
"""Numbers of a course: kinetic energy, J, Painlevé's number, 1/kg, rotation of the projection, rad, 1 if any point presses; their
number."""
F_SLIP, F_FORCE, F_STATUS, F_PATH, F_POWER = 0, 3, 6, 7, 8


class Body(NamedTuple):
    """A rigid body in space in K steps from row 0 of the ``course`` and the last but one of the ``fields``, written to ``rows``
    (K,): see ``system.rigid.kernels.body``; ``followers``: the number of their source, 0 without any. Its methods are called by
    ``scheme.step``."""

    tables: Tables
    scratch: Scratch
    course: Course
    fields: Fields
    rows: NDArray[np.int64]
    followers: int
    constant_mass: bool

    def begin(self, scheme, k, work):  # type: ignore[no-untyped-def]
        """Write the step's start into row 0; return SOLVED."""
        scratch, course, linear, start = self.scratch, self.course, self.scratch.linear[0], self.course.place[k]
        body, stage, P, fields = scratch.body[0], scratch.stage[0], scratch.points, scratch.fields
        for a in range(3):
            stage.place[a] = linear.place[a] = start[a]
            for b in range(3):
                stage.rotation[a, b] = linear.rotation[a, b] = start[3 + 3 * a + b]
        scratch.at[0] = self.fields.path.shape[0] - 2 if k == 0 else scratch.at[0]
        for i in range(fields.shape[1]):
            put(fields[0], i, F_SLIP, at(self.fields.slip[scratch.at[0]], i, 0))
            put(fields[0], i, F_FORCE, at(self.fields.friction[scratch.at[0]], i, 0))
        ground = self.tables.ground[min(k, self.tables.ground.shape[0] - 1), 0]
        for a in range(6):
            work.velocity[0, a] = work.increment_rate[0, a] = work.momentum[a] = course.rates[k, a]
            work.momentum_rate[0, a] = course.acceleration[k, a]
        h = momentum(body.inertia, stage.rotation, triple(course.rates[k], 3))
        work.momentum[3], work.momentum[4], work.momentum[5] = h
        for source in range(work.mixed.shape[0]):
            work.stored[0, source] = course.stored[k, source]
        work.kinetic[0] = course.numbers[k, KINETIC]
        if scheme.mixes:
            row, deformation = min(k, self.tables.effects.shape[0] - 1), self.fields.bristles[scratch.at[0]]
            table, blocks, rates = scratch.table, scratch.blocks, scratch.bristles
            inherit_bristles(table, blocks, deformation, scheme.position[0], np.int64(0), 0.0, rates)
            source_rows(
                self.tables.loads[k, 0], scratch.table, self.tables.effects[row, 0], scratch.blocks, self.followers,
                linear, 0, work, scratch.densities[0],
            )  # fmt: skip
            read_bristles(table, blocks, DEFORMATION_RATE, rates[0])
        linear.spent[0] = linear.spent[1] = 0
        for i in range(P.shape[0]):
            put(P, i, rec.INCOMING, at(fields[0], i, F_SLIP))
            put(P, i, rec.FORCE, at(fields[0], i, F_FORCE))
        if scratch.python[0].curved:
            given = stage.time, triple(start, 0), stage.rotation, P, scratch.surface
            evaluate_obstacles(body, scratch.python[0], ground, *given)
        begin_points(body, ground, triple(start, 0), stage.rotation, course.rates[k], scheme.lands, P, scratch.surface)
        return SOLVED

    def solve(self, scheme, k, s, dt, holds, work):  # type: ignore[no-untyped-def]
        """Solve a stage: see ``SpaceRigidSystem.solve_stage``; return the status, POINT_LANDS where sliding jams and points may
        stop by an impulse."""
        if self.course.numbers[k, PAINLEVE] <= 0.0:
            return POINT_LANDS
        scratch, tables, body, stage, linear = (
            self.scratch, self.tables, self.scratch.body[0], self.scratch.stage[0], self.scratch.linear[0],
        )  # fmt: skip
        P, fields, smooth = scratch.points, scratch.fields, work.mixed.shape[0] - 2
        ahead, still, row = start_stage(self, scheme, k, s, dt, work)
        for i in range(P.shape[0]):
            came = incoming_slip(fields, s, i)
            P[i, rec.FRICTION] = P[i, rec.KINETIC] if came[0] != 0.0 or came[1] != 0.0 else P[i, rec.STATIC]
            P[i, rec.PERSISTS] = P[i, rec.PRESSED]
            put(P, i, rec.FORCE, at(fields[s - 1], i, F_FORCE))
        for _ in range(2 * P.shape[0] + 1):
            status = solve_stage(
                body, stage, tables.loads[k, s], tables.ground[still, s], tables.ground[still, ahead],
                scratch.table, tables.effects[row, s], scratch.blocks, scratch.python[0], scratch.surface,
                scratch.effects, linear, P,
            )  # fmt: skip
            if status != SOLVED:
                return status
            if not release_points(body, stage.tau_v, linear.velocity, P):
                break
        status = finish_points(
            stage.theta, stage.tau_v, scheme.lands, P, work.force[s, smooth:], work.power[s, smooth:]
        )
        if status != SOLVED:
            return status
        end_stage(self, k, s, work)
        for i in range(P.shape[0]):
            put(fields[s], i, F_SLIP, at(P, i, rec.SLIP))
            put(fields[s], i, F_FORCE, at(P, i, rec.FORCE))
            put(fields[s], i, F_STATUS, (P[i, rec.STATUS], P[i, rec.PATH], P[i, rec.POWER]))
        return SOLVED

    def looks(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """GUARD_CHECK where a loaded point opens, comes to rest or turns its slip, else SOLVED: see ``guard`` and
        ``stepping.landings``."""
        fields, last, largest = self.scratch.fields, scheme.weights.shape[0], 0.0
        if not scheme.cuts:
            return SOLVED
        for i in range(fields.shape[1]):
            largest = max(largest, fields[0, i, F_FORCE + 2])
        for i in range(fields.shape[1]):
            came, goes, pressed = at(fields[0], i, F_SLIP), at(fields[last], i, F_SLIP), fields[0, i, F_FORCE + 2]
            inherited = incoming_slip(fields, last, i)
            if not fields[last, i, F_FORCE + 2] > 0.0:
                if pressed > LIGHT * largest:
                    return GUARD_CHECK
            elif scheme.guards and goes[0] * inherited[0] + goes[1] * inherited[1] < 0.0:
                return GUARD_CHECK
            elif pressed > 0.0 and (came[0] != 0.0 or came[1] != 0.0):
                sizes = np.sqrt((came[0] ** 2 + came[1] ** 2) * (goes[0] ** 2 + goes[1] ** 2))
                if came[0] * goes[0] + came[1] * goes[1] <= TURNS * sizes:
                    return GUARD_CHECK
        return SOLVED

    def close(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """Project points on their obstacles; write kinetic energy and Painlevé's number. Return the status."""
        scratch, tables, linear = self.scratch, self.tables, self.scratch.linear[0]
        body, P, buffers = scratch.body[0], scratch.points, (scratch.response, scratch.gap, scratch.chosen)
        ground = tables.ground[min(k, tables.ground.shape[0] - 1), scratch.fields.shape[0] - 1]
        if not project(body, scratch.stage[0], ground, scratch.python[0], scratch.surface, linear, P, *buffers):
            return ANGLE_UNSETTLED
        if not linear.put + body.radius * linear.drift <= CORNER_DEPTH * body.radius:
            return ANGLE_UNSETTLED
        return close_step(self, k, painleve_at(body, linear.rotation, P, linear), work)

    def keep(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """Write the end of a step."""
        course, linear, fields, ends, at = (
            self.course,
            self.scratch.linear[0],
            self.scratch.fields,
            self.fields,
            self.scratch.at[0],
        )
        last, sources, end = scheme.weights.shape[0], work.mixed.shape[0], k + 1
        for a in range(3):
            course.place[end, a] = linear.place[a]
            for b in range(3):
                course.place[end, 3 + 3 * a + b] = linear.rotation[a, b]
                course.work[end, sources, b] = course.work[k, sources, b] + work.entries[sources, b]
        for a in range(6):
            course.rates[end, a], course.acceleration[end, a] = work.velocity[last, a], work.momentum_rate[last, a]
            course.balance[end, a] = work.balance[a]
        for r in range(sources):
            course.stored[end, r] = work.stored[1, r]
            for a in range(6):
                course.force[end, r, a] = work.force[last, r, a]
            for a in range(3):
                course.work[end, r, a] = course.work[k, r, a] + work.entries[r, a]
        course.counts[end, 0], course.counts[end, 1] = linear.spent[0], linear.spent[1]
        course.numbers[end, PRESSES] = 0.0
        to = row_after(ends, self.rows, k, at)
        for i in range(fields.shape[1]):
            path, heat = ends.path[at, i], ends.heat[at, i]
            for s in range(1, last + 1):
                path += dt * scheme.weights[s - 1] * fields[s, i, F_PATH]
                heat += dt * scheme.weights[s - 1] * fields[s, i, F_POWER]
            for a in range(3):
                ends.slip[to, i, a], ends.friction[to, i, a] = fields[last, i, a], fields[last, i, F_FORCE + a]
            ends.path[to, i], ends.heat[to, i], ends.status[to, i] = path, heat, fields[last, i, F_STATUS]
            if fields[last, i, F_FORCE + 2] > 0.0:
                course.numbers[end, PRESSES] = 1.0
        first, densities = fields.shape[1], self.scratch.densities
        for i in range(densities.shape[1]):
            path, heat = ends.path[at, first + i], ends.heat[at, first + i]
            for s in range(1, last + 1):
                path += dt * scheme.weights[s - 1] * densities[s, i, 0]
                heat += dt * scheme.weights[s - 1] * densities[s, i, 1]
            ends.path[to, first + i], ends.heat[to, first + i] = path, heat
        read_bristles(self.scratch.table, self.scratch.blocks, DEFORMATION, ends.bristles[to])
        self.scratch.at[0] = to


@njit(cache=True, error_model="numpy", forceinline=True)
def start_stage(self, scheme, k, s, dt, work):  # type: ignore[no-untyped-def]
    """Write the initial values of a stage; return its column of the obstacles after τ_v, and rows of obstacles and effects."""
    scratch, tables, stage, linear = self.scratch, self.tables, self.scratch.stage[0], self.scratch.linear[0]
    deformation, position = self.fields.bristles[scratch.at[0]], scheme.position[s - 1]
    inherit_bristles(scratch.table, scratch.blocks, deformation, position, s, dt, scratch.bristles)
    stage.tau, stage.tau_v = dt * scheme.position[s - 1, s], dt * scheme.velocity[s - 1, s]
    stage.theta = scheme.force[s - 1, s]
    for a in range(6):
        stage.increment[a], stage.before[a], stage.first[a] = (
            work.increment[a],
            work.momentum_history[a],
            work.start_force[a],
        )
        linear.velocity[a] = work.velocity[s - 1, a]
    ahead = s if stage.tau == stage.tau_v else s + scratch.fields.shape[0] - 1
    return ahead, min(k, tables.ground.shape[0] - 1), min(k, tables.effects.shape[0] - 1)


@njit(cache=True, error_model="numpy", forceinline=True)
def end_stage(self, k, s, work):  # type: ignore[no-untyped-def]
    """Write the rates of a solved stage, and the forces, powers and energies of loads and effects."""
    scratch, tables, linear = self.scratch, self.tables, self.scratch.linear[0]
    write_rates(scratch.body[0], scratch.stage[0], linear, s, work)
    row = min(k, tables.effects.shape[0] - 1)
    source_rows(
        tables.loads[k, s], scratch.table, tables.effects[row, s], scratch.blocks, self.followers,
        linear, s, work, scratch.densities[s],
    )  # fmt: skip
    read_bristles(scratch.table, scratch.blocks, DEFORMATION_RATE, scratch.bristles[s])


@njit(cache=True, error_model="numpy", forceinline=True)
def close_step(self, k, painleve, work):  # type: ignore[no-untyped-def]
    """Write Painlevé's number, kinetic energy and the projection's rotation at the end of a step; return SOLVED."""
    body, linear, numbers = self.scratch.body[0], self.scratch.linear[0], self.course.numbers
    v, spin = triple(linear.velocity, 0), triple(linear.velocity, 3)
    kinetic = 0.5 * (body.mass * dot(v, v) + dot(spin, momentum(body.inertia, linear.rotation, spin)))
    work.kinetic[1] = numbers[k + 1, KINETIC] = kinetic
    numbers[k + 1, PAINLEVE], numbers[k + 1, DRIFT] = painleve, linear.drift
    return SOLVED


@njit(cache=True, error_model="numpy", forceinline=True)
def incoming_slip(fields, s, i):  # type: ignore[no-untyped-def]
    """Incoming slip of a point in stage ``s``: see ``scheme.staged``."""
    first = at(fields[0], i, F_SLIP)
    return first if first[0] != 0.0 or first[1] != 0.0 or first[2] != 0.0 else at(fields[s - 1], i, F_SLIP)


@njit(cache=True, error_model="numpy", forceinline=True)
def write_rates(body, stage, linear, s, work):  # type: ignore[no-untyped-def]
    """Write the rates of a solved stage: velocity, increment rate, rates of the momenta."""
    v, spin = triple(linear.velocity, 0), triple(linear.velocity, 3)
    h, turning = momentum(body.inertia, linear.rotation, spin), cross3(triple(linear.turn, 0), spin)
    for a in range(3):
        work.velocity[s, a], work.velocity[s, 3 + a] = v[a], spin[a]
        work.increment_rate[s, a], work.increment_rate[s, 3 + a] = v[a], spin[a] - 0.5 * turning[a]
        work.momentum_rate[s, a] = (v[a] - stage.before[a]) / stage.tau_v
        work.momentum_rate[s, 3 + a] = (h[a] - stage.before[3 + a]) / stage.tau_v
        work.inertia[s, a], work.inertia[s, 3 + a] = body.mass * work.momentum_rate[s, a], work.momentum_rate[s, 3 + a]
