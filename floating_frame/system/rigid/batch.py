"""Ends of the steps of a rigid body as blocks of arrays, in the plane and in space: states and series."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact_points import ContactPoints
from floating_frame.effect.protocol import Blocks, Friction, Mask, Motion, Record, Source
from floating_frame.frame.kinematics import Array
from floating_frame.system.protocol import System
from floating_frame.system.rigid.kernels.records import CONTACT_FORCE, SLIDING, Course, Fields
from floating_frame.system.rows import Ends, Numbers, Rows, stacked
from floating_frame.system.stages import blocks_of, write_blocks
from floating_frame.system.state import COUNT_NAMES, ImpactRecord, State


def course_from(state: State, steps: int, numbers: Sequence[float]) -> Course:
    """Arrays of motion, forces and work for ``scheme.step.advance``, a state in row 0, with its ``numbers``."""
    sources, n = len(state.records), sum(v.size for v in state.motion.velocity)
    shapes: dict[str, tuple[int, ...]] = {"place": (sum(x.size for x in state.motion.configuration),), "rates": (n,)}
    shapes |= {"acceleration": (n,), "work": (sources + 1, 3), "stored": (sources,), "force": (sources, n)}
    shapes |= {"balance": (n,), "numbers": (len(numbers),)}
    course = Course(
        **{name: np.empty((steps + 1, *shape)) for name, shape in shapes.items()},
        counts=np.zeros((steps + 1, 4), np.int64),
    )
    for blocks, rows in zip((*state.motion, state.balance), (*course[:3], course.balance), strict=True):
        write_blocks(blocks, rows[0])
    course.work[0], course.stored[0] = state.work, [record.stored for record in state.records]
    course.numbers[0] = numbers
    for source, record in enumerate(state.records):
        write_blocks(record.force, course.force[0, source])
    return course


def fields_from(
    state: State, rows: int, number: int, densities: Sequence[int], bristle_sources: Sequence[int]
) -> Fields:
    """Arrays of fields at points: ``rows`` rows, then the state's; ``number`` of friction; ``densities``: numbers of the contacts
    whose slip path and work follow those of friction; ``bristle_sources``: of the sources with bristles."""
    shape, none = (rows + 2, *state.friction.slip.shape), np.zeros((0, 2))
    bristles = np.concatenate([none, *(z for k in bristle_sources if (z := state.records[k].internal) is not None)])
    sums = [np.concatenate(each) for each in zip(*(state.sums[k] for k in (number, *densities)), strict=True)]
    fields = Fields(
        slip=np.empty(shape),
        friction=np.empty(shape),
        status=np.empty(shape[:2], np.int8),
        bristles=np.empty((rows + 2, *bristles.shape)),
        path=np.empty((rows + 2, len(sums[0]))),
        heat=np.empty((rows + 2, len(sums[0]))),
    )
    fields.slip[rows], fields.friction[rows] = state.friction.slip, -state.friction.multiplier
    fields.path[rows], fields.heat[rows] = sums
    fields.bristles[rows] = bristles
    return fields


Columns = TypeVar("Columns", Course, Fields)


def copy_row(columns: Columns, row: int, rows: int, start: int) -> Columns:
    """Copy a row of columns into row ``start`` of new columns of ``rows`` rows."""
    return type(columns)._make(_copied(array, row, rows, start) for array in columns)


def _copied(array: NDArray[Any], row: int, rows: int, start: int) -> NDArray[Any]:
    result = np.empty((rows, *array.shape[1:]), array.dtype)
    result[start : start + 1] = array[row : row + 1]
    return result


def rows_of(columns: Columns, rows: Numbers) -> Columns:
    """Ascending rows of columns; views where they are contiguous."""
    follow = len(rows) > 0 and rows[-1] - rows[0] == len(rows) - 1
    at = slice(int(rows[0]), int(rows[-1]) + 1) if follow else rows
    return type(columns)._make(array[at] for array in columns)


StepRecords = Mapping[int, Sequence[tuple[Record, tuple[Array, ...]]]]
"""Records, and sums of densities, at the ends of steps, of effects in Python by their numbers."""


@dataclass(frozen=True, kw_only=True)
class Batch(Rows):
    """Steps of a rigid body taken in one call: its ``course``; ``fields`` at the points of the steps ``with_fields``, which are
    stored, and of the last, and ``effects`` of these; records of the body's ``own`` sources in the last step. ``counts`` (K, 4):
    passes, Newton iterations, factorisations, fallbacks; ``drift`` (K, 2) of the frame: angle, rad, and spin, rad/s; ``entry``:
    normals at entry of points in penalty contacts, at the end. ``rerun``: repeats the first steps; ``loads``: number of loads among
    the sources; ``densities``: numbers of the contacts whose slip path and work are among the fields; ``bristle_sources``: of the
    sources whose bristles are; ``nodes`` (N, 2) m of the body in the plane, in the reference."""

    counts: NDArray[np.int64]
    drift: Array
    entry: Array | None = None
    rerun: Callable[[State, Array, Numbers], Batch | None]
    system: System
    course: Course
    with_fields: Numbers
    fields: Fields
    effects: StepRecords
    own: tuple[Record, ...]
    loads: int
    densities: tuple[int, ...]
    bristle_sources: tuple[int, ...]
    nodes: Array

    @property
    def count_rows(self) -> Array:
        """Counts of each step (K, 11), see ``Counts.row``."""
        table = np.zeros((len(self.times), len(COUNT_NAMES)))
        table[:, :4], table[:, COUNT_NAMES.index("steps")], table[:, -1] = self.counts, 1, self.lengths
        table[:, [COUNT_NAMES.index("drift"), COUNT_NAMES.index("spin_drift")]] = self.drift
        return table

    def head(self, count: int) -> Batch:
        """First steps."""
        rerun = self.rerun(self.before, self.times[:count], self.with_fields[self.with_fields < count])
        assert rerun is not None
        return rerun

    def chosen(self, rows: Numbers) -> Batch:
        """Some of the steps that may be stored, without diagnostics."""
        names = ("times", "lengths", "parts", "work", "kinetic", "stored", "counts", "drift")
        return replace(
            self,
            **{name: getattr(self, name)[rows] for name in names},
            diagnostics={},
            course=rows_of(self.course, rows),
            with_fields=np.arange(len(rows)),
            fields=rows_of(self.fields, np.searchsorted(self.with_fields, rows)),
            effects={source: [records[k] for k in rows] for source, records in self.effects.items()},
        )

    def _moved(self, rows: int | slice) -> tuple[Motion, Blocks]:
        """Motion and balance of steps."""
        (x, v, a), course = self.before.motion, self.course
        place, rates, acceleration, balance = (
            blocks_of(part[rows], like)
            for part, like in ((course.place, x), (course.rates, v), (course.acceleration, a), (course.balance, v))
        )
        return Motion(place, rates, acceleration), balance

    @cached_property
    def ends(self) -> Ends:
        """Ends of the steps, all of which must be stored."""
        fields, count, (motion, balance) = self.fields, len(self.times), self._moved(slice(None))
        sums = self._sums(slice(count))
        for source, records in self.effects.items():
            sums[source] = stacked([densities for _, densities in records])
        return Ends(
            motion,
            fields.slip[:count],
            fields.friction[:count],
            fields.status[:count],
            (*sums, *((),) * len(self.own)),
            balance,
        )

    def forces(self, source: int) -> Blocks:
        return blocks_of(self.course.force[:, source], self.before.motion.velocity)

    def internal(self, source: int) -> Array | None:
        return super().internal(source) if source in self.effects else self._bristles(slice(None)).get(source)

    @property
    def impacts(self) -> list[ImpactRecord]:
        return [self.before.impacts] * len(self.times)

    def _sums(self, rows: int | slice) -> list[tuple[Array, ...]]:
        """Slip paths and works of the effects and of friction at the points, in some rows of the fields."""
        number, first = len(self.system.effects), self.fields.slip.shape[1]
        sums: list[tuple[Array, ...]] = [()] * number
        fields = [field[rows] for field in (self.fields.path, self.fields.heat)]
        for source in self.densities:
            after = first + len(self.before.sums[source][0])
            sums[source], first = tuple(field[..., first:after] for field in fields), after
        return [*sums, tuple(field[..., : self.fields.slip.shape[1]] for field in fields)]

    def outputs(self, sources: Sequence[Source]) -> dict[str, Array]:
        number, deformations = len(self.system.effects), self._bristles(slice(len(self.times)))
        if number not in deformations:
            return {}
        return {"bristle_deformation": deformations[number], "energy_bristles": self.stored[:, number]}

    def _bristles(self, rows: int | slice) -> dict[int, Array]:
        """Bristles of the sources that have some, in some rows of the fields."""
        given = (self.before.records[k].internal for k in self.bristle_sources)
        ends = np.cumsum([0 if z is None else len(z) for z in given]).astype(int)
        return dict(zip(self.bristle_sources, np.split(self.fields.bristles[rows], ends, axis=-2), strict=False))

    def _own(self, k: int) -> list[Record]:
        """Records of the body's own sources: of the last step, but for exact contacts in the plane."""
        force, pushed = self.course.force[k, -1], self.course.numbers[k, CONTACT_FORCE:]
        return [
            r if r.multiplier is None else r._replace(force=(force,), multiplier=pushed.reshape(r.multiplier.shape))
            for r in self.own
        ]

    def state(self, k: int) -> State:
        course = self.course
        number = len(self.system.effects)
        fields = self.fields
        motion, balance = self._moved(k)
        (row,) = np.flatnonzero(self.with_fields == k)
        sums, deformations = self._sums(int(row)), self._bristles(int(row))
        *forces, contact = [blocks_of(force, motion.velocity) for force in course.force[k, : number + 1]]
        friction = Friction(fields.slip[row], -fields.friction[row], fields.status[row], contact)
        records = [
            Record(
                force,
                external=None if source < self.loads else 0.0,
                stored=float(course.stored[k, source]),
                internal=deformations.get(source),
            )
            for source, force in enumerate(forces)
        ]
        for source, of_effect in self.effects.items():
            record, sums[source] = of_effect[k]
            records[source] = record._replace(force=records[source].force)
        rubbing = Record(
            contact, stored=float(course.stored[k, number]), internal=deformations.get(number), mixed=False
        )
        return State(
            time=float(self.times[k]),
            motion=motion,
            in_space=self.system.in_space(float(self.times[k]), motion),
            friction=friction,
            records=(*records, rubbing, *self._own(k)),
            sums=(*sums, *((),) * len(self.own)),
            work=course.work[k],
            balance=balance,
            kinetic_energy=float(self.kinetic[k]),
            verdict=self.before.verdict,
            impacts=self.before.impacts,
        )

    def points(self, at: ContactPoints) -> tuple[Array, Array]:
        course, start, (X, Y) = self.course, self.before.frame, at.at(self.nodes).T
        place, rates = np.vstack([start.coordinates, course.place]), np.vstack([start.rates, course.rates])
        c, s, spin = np.cos(place[:, 2, None]), np.sin(place[:, 2, None]), rates[:, 2, None]
        x, y = c * X - s * Y, s * X + c * Y
        places, velocities = np.empty((2, *x.shape, 2))
        places[:, :, 0], places[:, :, 1] = place[:, :1] + x, place[:, 1:2] + y
        velocities[:, :, 0], velocities[:, :, 1] = rates[:, :1] - spin * y, rates[:, 1:2] + spin * x
        return places, velocities

    @property
    def poses(self) -> Array:
        return np.vstack([self.before.frame.coordinates, self.course.place])

    @property
    def frames(self) -> Array:
        """Position (2), m, accelerations (3) and spin of the frame at the start and at the ends, (K + 1, 6)."""
        course, start = self.course, self.before.frame
        first = np.array([*start.coordinates[:2], *start.accelerations, start.spin])
        return np.vstack([first, np.column_stack([course.place[:, :2], course.acceleration, course.rates[:, 2]])])

    def look(self, rows: Numbers) -> tuple[Array, Array, Mask, float]:
        course, X = rows_of(self.course, rows), self.nodes
        angles, rates = course.place[:, 2], course.rates
        (vx, vy, spin), (c, s), speed = rates.T, (np.cos(angles), np.sin(angles)), 0.0
        for start, by_x, by_y in ((vx, -spin * s, -spin * c), (vy, spin * c, -spin * s)):
            velocity = by_x[:, None] * X[:, 0]  # in one array: fresh ones cost more than the arithmetic
            velocity += by_y[:, None] * X[:, 1]
            velocity += start[:, None]
            speed = max(speed, float(velocity.max()), -float(velocity.min()))
        return angles, rates, course.numbers[:, SLIDING] > 0.0, speed
