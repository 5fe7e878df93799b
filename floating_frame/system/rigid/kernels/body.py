"""A rigid body in the plane as the text of the step takes it, compiled: what depends on time is tabulated for the stages of many
steps first.

A step in which an arrest may throw the body backwards is left to the guard (``scheme.guard``): it ends with GUARD_CHECK."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.kernels.lanes import call
from floating_frame.system.rigid.kernels.forces import acted
from floating_frame.system.rigid.kernels.records import (
    ASKED,
    AT,
    ENDS,
    FALLBACKS,
    NEWTON,
    ORIGIN,
    PASSES,
    PLACE,
    PUSHED,
    RATES,
    RECORDS,
    SLIDES,
    START,
    Course,
    Fields,
    Plan,
    Room,
    Tables,
    row_after,
)
from floating_frame.system.rigid.kernels.stage import asked, solve_stage, start_rates
from floating_frame.system.stages import EXCEPTION, GUARD_CHECK, SOLVED
from friction.result import SLIP, STICK


class Body(NamedTuple):
    """A rigid body in K steps from rows ``starts`` (K,) of the ``course``, row 0 and the last but one of the ``fields`` given. The
    fields go into ``rows`` (K,), −1: not stored, which the next step alone may start from. Its methods are the verbs of
    ``scheme.step``."""

    plan: Plan
    tables: Tables
    room: Room
    course: Course
    fields: Fields
    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    constant_mass: bool

    def begin(self, scheme, k, work):  # type: ignore[no-untyped-def]
        """Put the step's start into row 0, at the right limits of what depends on time; return SOLVED or EXCEPTION."""
        plan, tables, room, course, fields = self.plan, self.tables, self.room, self.course, self.fields
        first = self.starts[k]
        if first < k or k == 0:  # not where the last step has led
            room.head[AT] = fields.path.shape[0] - 2 if first == 0 else self.rows[first - 1]
        at = np.int64(room.head[AT])
        room.head[PASSES] = room.head[NEWTON] = room.head[FALLBACKS] = 0.0
        for j in range(3):
            room.small[ORIGIN, j] = room.small[PLACE, j] = course.place[first, j]
            work.velocity[0, j] = work.momentum[j] = room.small[RATES, j] = course.rates[first, j]
            work.momentum_rate[0, j] = course.acceleration[first, j]
        for source in range(work.mixed.shape[0]):
            work.stored[0, source] = work.stored[1, source] = course.stored[first, source]
            work.explicit[source] = 0.0
        for i in range(plan.feet.shape[1]):
            for a in range(2):
                room.multiplier[0, a, i], room.slip[0, a, i] = -fields.friction[at, i, a], fields.slip[at, i, a]
                if plan.bristles:
                    room.first[a, i] = fields.bristles[at, i, a]
        if plan.bristles and plan.rubs == 0 and scheme.position[0, 0] != 0.0:
            start_rates(plan, tables.ground[k, 0], work.velocity, room)
        if scheme.mixes and acted(plan, tables, k, START, 0.0, RECORDS, room, work) < 0.0:
            return EXCEPTION
        return SOLVED

    def solve(self, scheme, k, s, dt, holds, work):  # type: ignore[no-untyped-def]
        """Solve a stage: see ``stage``."""
        return solve_stage(self.plan, self.tables, self.room, scheme, k, s, dt, holds, work)

    def looks(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """Return GUARD_CHECK where the body ends at rest or against the way it came in, so that an arrest may throw it backwards,
        else SOLVED."""
        tables, moves, ahead = self.tables, False, 0.0
        for first in range(2):
            for i in range(3):
                start = 0.0
                if i < 2:
                    start = tables.before[k, i] if first == 0 else tables.ground[k, 1, i]
                end = tables.ground[k, -1, i] if i < 2 else 0.0
                incoming = work.velocity[first, i] - start
                moves = moves or incoming != 0.0
                ahead += (work.velocity[-1, i] - end) * self.plan.inertia[i] * incoming
            if moves:
                break
        return GUARD_CHECK if moves and ahead <= 0.0 else SOLVED

    def close(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """Let what is Python keep what it ends the step with; return SOLVED or EXCEPTION."""
        plan, tables, room, s = self.plan, self.tables, self.room, scheme.weights.shape[0]
        for e in range(plan.acts.shape[0]):
            block = room.blocks[plan.blocks[e] : plan.blocks[e + 1]]
            block[ASKED] = ENDS
            if call(plan.acts[e], plan.constants[e], block.ctypes.data, 0) < 0.0:
                return EXCEPTION
        if plan.rubs != 0 and asked(plan, ENDS, k, s, 0, tables.times[k, s], 0.0, 0.0, 0.0, room) < 0.0:
            return EXCEPTION
        return SOLVED

    def keep(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """Write what a step ends with."""
        course, room, first, stages = self.course, self.room, self.starts[k], scheme.weights.shape[0]
        course.counts[k + 1, 0], course.counts[k + 1, 1] = room.head[PASSES], room.head[NEWTON]
        course.counts[k + 1, 3] = room.head[FALLBACKS]
        tau, sources = dt * scheme.position[stages - 1, stages], work.mixed.shape[0]
        for source in range(sources):
            course.stored[k + 1, source] = work.stored[1, source]
        for j in range(3):
            course.place[k + 1, j] = room.small[PLACE, j] + tau * room.small[RATES, j]
            course.rates[k + 1, j], course.acceleration[k + 1, j] = (
                work.velocity[stages, j],
                work.momentum_rate[stages, j],
            )
            course.balance[k + 1, j] = work.balance[j]
            for source in range(sources + 1):
                course.work[k + 1, source, j] = course.work[first, source, j] + work.entries[source, j]
            for source in range(sources):
                course.force[k + 1, source, j] = work.force[stages, source, j]
        for i in range(room.pushed.shape[0]):
            for a in range(2):
                course.numbers[k + 1, PUSHED + 2 * i + a] = room.pushed[i, a]
        write_fields(self.plan, scheme.weights, k, dt, room, course, self.fields, self.rows)


@njit(cache=True, error_model="numpy", inline="always")
def write_fields(plan, weights, k, dt, room, course, fields, rows):  # type: ignore[no-untyped-def]
    """Write the fields at the points at the end of step ``k``, and whether any point slides."""
    stages, slides, at = weights.shape[0], False, np.int64(room.head[AT])
    end, slip, multiplier = row_after(fields, rows, k, at), room.slip[stages], room.multiplier[stages]
    for i in range(slip.shape[1]):
        path, heat = 0.0, 0.0
        for s in range(stages):
            path += weights[s] * room.density[s + 1, 0, i]
            heat += weights[s] * room.density[s + 1, 1, i]
        fields.path[end, i], fields.heat[end, i] = fields.path[at, i] + dt * path, fields.heat[at, i] + dt * heat
        rests = slip[0, i] == 0.0 and slip[1, i] == 0.0
        fields.status[end, i], slides = STICK if rests else SLIP, slides or not rests
        for a in range(2):
            fields.slip[end, i, a], fields.friction[end, i, a] = slip[a, i], -multiplier[a, i]
            if plan.bristles:
                fields.bristles[end, i, a] = room.bent[a, i]
    course.numbers[k + 1, SLIDES], room.head[AT] = slides, end
