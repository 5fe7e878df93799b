"""Steps of a rigid body in the plane, compiled: data of time are tabulated for the stages of many steps first.

A step in which the body comes to rest, reverses, or breaks loose from a larger bound ends with GUARD_CHECK, for
``scheme.guard``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.kernels.lanes import call
from floating_frame.system.rigid.kernels.bristles import DEFORMATION, DEFORMATION_RATE, inherit_bristles, read_bristles
from floating_frame.system.rigid.kernels.forces import effect_forces, friction_source
from floating_frame.system.rigid.kernels.records import (
    CONTACT_FORCE,
    EFFECT_REQUEST,
    END_STEP,
    RECORD,
    SLIDING,
    START,
    BodyData,
    Course,
    Fields,
    Scratch,
    Tables,
    row_after,
)
from floating_frame.system.rigid.kernels.stage import call_python, solve_stage, start_bristle_rates
from floating_frame.system.stages import EXCEPTION, GUARD_CHECK
from friction.rigid.kernels import bound_work
from friction.status import SLIP, SOLVED, STICK


class Body(NamedTuple):
    """A rigid body in K steps from rows ``starts`` (K,) of the ``course``, row 0 and the last but one of the ``fields`` given. The
    fields are written to ``rows`` (K,), −1: only for the next step. Its methods are called by ``scheme.step``."""

    data: BodyData
    tables: Tables
    scratch: Scratch
    course: Course
    fields: Fields
    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    constant_mass: bool

    def begin(self, scheme, k, work):  # type: ignore[no-untyped-def]
        """Write the step's start into row 0, at right limits of data of time; return SOLVED or EXCEPTION."""
        data, tables, scratch, course, fields = self.data, self.tables, self.scratch, self.course, self.fields
        first, now = self.starts[k], scratch.now[0]
        if first < k or k == 0:  # from another row than the end of the last step
            now.field_row = fields.path.shape[0] - 2 if first == 0 else self.rows[first - 1]
        at = now.field_row
        now.passes = now.newton = now.fallbacks = 0
        for j in range(3):
            now.origin[j] = now.place[j] = course.place[first, j]
            work.velocity[0, j] = work.momentum[j] = scratch.rates[j] = course.rates[first, j]
            work.momentum_rate[0, j] = course.acceleration[first, j]
        for source in range(work.mixed.shape[0]):
            work.stored[0, source] = work.stored[1, source] = course.stored[first, source]
            work.explicit[source] = 0.0
        for i in range(data.feet.shape[1]):
            for a in range(2):
                scratch.multiplier[0, a, i], scratch.slip[0, a, i] = -fields.friction[at, i, a], fields.slip[at, i, a]
                if data.bristles:
                    scratch.start_bristles[a, i] = fields.bristles[at, i, a]
        if data.bristles and data.callback == 0 and scheme.position[0, 0] != 0.0:
            numbers = tables.law[min(k, tables.law.shape[0] - 1), 0, 1:]
            start_bristle_rates(data, numbers, tables.ground[k, 0], work.velocity, scratch)
        if scheme.mixes:
            deformation, rates = fields.bristles[at], scratch.contact_bristles
            inherit_bristles(data.effects, scratch.blocks, deformation, scheme.position[0], START, 0.0, rates)
            if effect_forces(data, tables, k, START, 0.0, RECORD, scratch, work) < 0.0:
                return EXCEPTION
            read_bristles(data.effects, scratch.blocks, DEFORMATION_RATE, rates[0])
        return SOLVED

    def solve(self, scheme, k, s, dt, holds, work):  # type: ignore[no-untyped-def]
        """Solve a stage: see ``stage``."""
        table, scratch, rates = self.data.effects, self.scratch, self.scratch.contact_bristles
        deformation = self.fields.bristles[scratch.now[0].field_row]
        inherit_bristles(table, scratch.blocks, deformation, scheme.position[s - 1], s, dt, rates)
        status = solve_stage(self.data, self.tables, scratch, scheme, k, s, dt, holds, work)
        read_bristles(table, scratch.blocks, DEFORMATION_RATE, rates[s])
        return status

    def looks(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """GUARD_CHECK where the body ends at rest or reversed (possibly thrown backwards), or slides from rest under a bound that
        drops, else SOLVED."""
        tables, moves, slides, ahead = self.tables, False, False, 0.0
        for first in range(2):
            for i in range(3):
                start = 0.0
                if i < 2:
                    start = tables.ground_before[k, i] if first == 0 else tables.ground[k, 1, i]
                end = tables.ground[k, -1, i] if i < 2 else 0.0
                incoming = work.velocity[first, i] - start
                moves = moves or incoming != 0.0
                slides = slides or work.velocity[-1, i] != end
                ahead += (work.velocity[-1, i] - end) * self.data.inertia[i] * incoming
            if moves:
                break
            if first == 0 and slides and self.data.drops:
                return GUARD_CHECK
        return GUARD_CHECK if moves and ahead <= 0.0 else SOLVED

    def close(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """Write the work of bounds that change; end the step in effects and friction of Python; return SOLVED or EXCEPTION."""
        data, tables, scratch, s = self.data, self.tables, self.scratch, scheme.weights.shape[0]
        table = data.effects
        if data.callback == 0 and tables.bound.shape[1] > s:
            law, bound = tables.law[min(k, tables.law.shape[0] - 1)], tables.bound[k]
            work.explicit[friction_source(data)] = bound_work(law, bound, scratch.start_bristles, scratch.bristles)
        for e in range(table.addresses.shape[0]):
            block = scratch.blocks[table.blocks[e] : table.blocks[e + 1]]
            block[EFFECT_REQUEST] = END_STEP
            if call(table.addresses[e], table.constants[e], block.ctypes.data, 0) < 0.0:
                return EXCEPTION
        if data.callback != 0 and call_python(data, END_STEP, s, 0, tables.times[k, s], 0.0, 0.0, 0.0, scratch) < 0.0:
            return EXCEPTION
        return SOLVED

    def keep(self, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        """Write the end of a step."""
        course, scratch, first, stages = self.course, self.scratch, self.starts[k], scheme.weights.shape[0]
        now = scratch.now[0]
        course.counts[k + 1, 0], course.counts[k + 1, 1] = now.passes, now.newton
        course.counts[k + 1, 3] = now.fallbacks
        tau, sources = dt * scheme.position[stages - 1, stages], work.mixed.shape[0]
        for source in range(sources):
            course.stored[k + 1, source] = work.stored[1, source]
        for j in range(3):
            course.place[k + 1, j] = now.place[j] + tau * scratch.rates[j]
            course.rates[k + 1, j], course.acceleration[k + 1, j] = (
                work.velocity[stages, j],
                work.momentum_rate[stages, j],
            )
            course.balance[k + 1, j] = work.balance[j]
            for source in range(sources + 1):
                course.work[k + 1, source, j] = course.work[first, source, j] + work.entries[source, j]
            for source in range(sources):
                course.force[k + 1, source, j] = work.force[stages, source, j]
        for i in range(scratch.contact_force.shape[0]):
            for a in range(2):
                course.numbers[k + 1, CONTACT_FORCE + 2 * i + a] = scratch.contact_force[i, a]
        write_fields(self.data, scheme.weights, k, dt, scratch, course, self.fields, self.rows)


@njit(cache=True, error_model="numpy", inline="always")
def write_fields(data, weights, k, dt, scratch, course, fields, rows):  # type: ignore[no-untyped-def]
    """Write the fields at the points at the end of step ``k``, and 1 if any point slides."""
    stages, slides, now = weights.shape[0], False, scratch.now[0]
    at = now.field_row
    end, slip, multiplier = row_after(fields, rows, k, at), scratch.slip[stages], scratch.multiplier[stages]
    for i in range(slip.shape[1]):
        path, heat = 0.0, 0.0
        for s in range(stages):
            path += weights[s] * scratch.density[s + 1, 0, i]
            heat += weights[s] * scratch.density[s + 1, 1, i]
        fields.path[end, i], fields.heat[end, i] = fields.path[at, i] + dt * path, fields.heat[at, i] + dt * heat
        rests = slip[0, i] == 0.0 and slip[1, i] == 0.0
        fields.status[end, i], slides = STICK if rests else SLIP, slides or not rests
        for a in range(2):
            fields.slip[end, i, a], fields.friction[end, i, a] = slip[a, i], -multiplier[a, i]
            if data.bristles:
                fields.bristles[end, i, a] = scratch.bristles[a, i]
    read_bristles(data.effects, scratch.blocks, DEFORMATION, fields.bristles[end])
    course.numbers[k + 1, SLIDING], now.field_row = slides, end
