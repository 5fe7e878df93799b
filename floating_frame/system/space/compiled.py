"""Many steps of a rigid body in space in one compiled call, and what they end with as blocks of arrays: see ``kernels``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from floating_frame.coefficients import Scheme, backward_euler
from floating_frame.effect.protocol import Friction, Motion, Record, Source
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from floating_frame.loads.load_assembly import AssembledLoads
from floating_frame.scheme.step import advance
from floating_frame.system.rows import Batch, Ends, Numbers
from floating_frame.system.space.body import FollowingPoints
from floating_frame.system.space.kernels import body as kernels
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.body import Body, Course, Room, Tables
from floating_frame.system.space.stage import filled, obstacle_rows
from floating_frame.system.space.system import SpaceRigidSystem
from floating_frame.system.stages import stages_of
from floating_frame.system.state import State
from floating_frame.system.stepper import CompiledStep

LONGEST = 2048
"""Steps in a batch at most: what is told between batches must not come late."""


def many_steps(
    system: SpaceRigidSystem, scheme: Scheme, loads: AssembledLoads, follows: NDArray[np.bool_]
) -> tuple[SpaceSteps | None, str]:
    """Return what takes many steps of a rigid body in space in one compiled call, None where any of it is Python; and whether a
    step is compiled, or what of it is interpreted, and what would be faster. ``follows``: which of the loads are followers."""
    found = [] if not system.body.shape.flat else ["a flat base"]
    found += [effect.name for _, effect in system.acting.called]
    found += [type(o).__name__ for o in system.contacts.obstacles if not (o.flat and (o.level or o.even))]
    if found:
        known = "springs, dead loads, followers and half-spaces"
        return None, f"interpreted: {', '.join(dict.fromkeys(found))}; compiled are {known} that do not turn"
    return SpaceSteps(system, scheme, loads, follows), "compiled"


class SpaceSteps(CompiledStep):
    """The compiled steps of a ``system`` by the tables of a ``scheme``, under the ``loads`` of its first effects."""

    longest = held = LONGEST

    def __init__(
        self, system: SpaceRigidSystem, scheme: Scheme, loads: AssembledLoads, follows: NDArray[np.bool_]
    ) -> None:
        self.system, self._nodes, self._loads = system, scheme.nodes, loads
        acting, S, lands = system.acting, scheme.stages, backward_euler()
        lag = np.diagonal(scheme.velocity - scheme.position, 1)
        self._lags = lag if np.any(lag) else lag[:0]
        self._schemes = scheme.tables(lands=scheme.name == lands.name), lands.tables(lands=True)
        self._followers = next((k for k, points in acting.loads if isinstance(points, FollowingPoints)), 0)
        m, self._work = len(system.contacts.reference), stages_of(S, 6, len(system.sources), flat=False)
        self._room = Room(
            points=system.points(),
            springs=acting.springs.rows,
            fields=np.zeros((S + 1, m, 9)),
            asked=acting.asked,
            acting=acting.acting,
            response=np.zeros((m, m)),
            gap=np.zeros((2, m)),
            chosen=np.zeros(m, np.int8),
            body=acting.body,
            stage=filled(rec.STAGE),
            linear=filled(rec.LINEAR),
            python=acting.python,
        )
        self._work.mixed[len(system.effects) :] = False
        for k, _ in acting.loads:
            self._work.power[:, k, 0] = np.nan  # all the work that they do
        self._each = np.zeros((len(follows), 19))
        for k, points in acting.loads:
            chosen, X = follows if k else ~follows, points.reference
            forces = loads.forces[chosen]
            if k:
                self._each[chosen, 12:18] = np.concatenate([forces, cross(X, forces)], axis=1)
            else:
                self._each[chosen, :3] = forces
                self._each[chosen, 3:12] = np.einsum("pa,pb->pab", X, forces).reshape(-1, 9)
            self._each[chosen, 18] = np.abs(forces).sum(axis=1)

    def _tables(self, starts: Array, ends: Array) -> Tables:
        lengths = ends - starts
        inner = [ends if node == 1.0 else starts + node * lengths for node in self._nodes]
        columns = [starts, *inner, *(t + lag * lengths for t, lag in zip(inner, self._lags, strict=False))]
        times = np.stack(columns, axis=1)
        tables = np.zeros((len(ends), 1 + len(inner)), rec.LOADS)
        for s, now in enumerate(columns[: 1 + len(inner)]):
            value = self._loads.separable_values(now, left=s > 0)
            each = value @ self._each[:, :18]
            tables["force"][:, s], tables["couple"][:, s] = each[:, :3], each[:, 3:12].reshape(-1, 3, 3)
            tables["follower"][:, s], tables["size"][:, s] = each[:, 12:], np.abs(value) @ self._each[:, 18]
        springs, obstacles = self.system.acting.springs, self.system.contacts.obstacles
        ground = over_time(lambda t: obstacle_rows(obstacles, t), times, not any(o.motion.moves for o in obstacles))
        return Tables(lengths, tables, ground, over_time(springs.ends, times, all(e.still for e in springs.effects)))

    def take(self, state: State, ends: Array, stored: Numbers) -> SpaceBatch | None:
        """See ``CompiledStep``."""
        (x, Q), velocity, acceleration = state.motion
        effects, sources, m, K = len(self.system.effects), len(state.records), len(self._room.points), len(ends)
        shapes: dict[str, tuple[int, ...]] = {"place": (12,), "rates": (6,), "acceleration": (6,), "balance": (6,)}
        shapes |= {
            "force": (sources, 6),
            "stored": (sources,),
            "work": (sources + 1, 3),
            "fields": (m, 9),
            "numbers": (6,),
        }
        course = Course(**{name: np.empty((K + 1, *shape)) for name, shape in shapes.items()})
        course.place[0] = np.concatenate([x, Q.ravel()])
        course.rates[0], course.acceleration[0] = np.concatenate(velocity), np.concatenate(acceleration)
        course.stored[0], course.work[0] = [record.stored for record in state.records], state.work
        fields, friction = course.fields[0], state.friction
        fields[:, :3], fields[:, 3:6], fields[:, 6] = friction.slip, -friction.multiplier, friction.status
        fields[:, 7], fields[:, 8] = state.sums[effects]
        course.numbers[0, kernels.KINETIC_ENERGY] = state.kinetic_energy
        tables = self._tables(np.array([state.time, *ends[:-1]]), ends)
        body = Body(tables, self._room, course, self._followers, False)
        taken, _ = advance(self._schemes, body, self._work, tables.lengths, True, False)
        if not taken:
            return None
        return SpaceBatch.of(self.system, state, ends[:taken], rows_of(course, slice(1, taken + 1)))


def over_time(rows: Callable[[float], Array], times: Array, still: bool) -> Array:
    """Return ``rows`` of each of the times (K, C), (K, C, …), of what is ``still`` (1, C, …)."""
    if still:
        return np.repeat(rows(float(times[0, 0]))[None, None], times.shape[1], axis=1)
    return np.array([[rows(t) for t in row] for row in times.tolist()])


def rows_of(course: Course, rows: Numbers | slice) -> Course:
    """Return some steps of a course."""
    return Course(*(array[rows] for array in course))


@dataclass(frozen=True, kw_only=True)
class SpaceBatch(Batch):
    """Steps of a rigid body in space."""

    system: SpaceRigidSystem
    course: Course

    @classmethod
    def of(cls, system: SpaceRigidSystem, before: State, times: Array, course: Course) -> SpaceBatch:
        kinetic, count = course.numbers[:, kernels.KINETIC_ENERGY], len(times)
        spent = course.numbers[:, kernels.TURNED : kernels.SYSTEMS + 1].astype(np.int64)
        drift = course.numbers[:, kernels.DRIFT]
        return cls(
            system=system,
            course=course,
            before=before,
            times=times,
            lengths=np.diff(times, prepend=before.time),
            counts=np.concatenate([spent, np.zeros((count, 2), np.int64)], axis=1),
            drift=np.stack([drift, np.zeros(count)], axis=1),
            work=course.work,
            kinetic=kinetic,
            stored=course.stored,
            parts=np.ones(count, np.int64),
            diagnostics=diagnostics_of(system, times, course),
        )

    def head(self, count: int) -> SpaceBatch:
        return SpaceBatch.of(self.system, self.before, self.times[:count], rows_of(self.course, slice(count)))

    def chosen(self, rows: Numbers) -> SpaceBatch:
        return replace(self, **self.fields_at(rows), course=rows_of(self.course, rows))

    @cached_property
    def ends(self) -> Ends:
        course, fields, sums = self.course, self.course.fields, list(self.before.sums)
        velocity, acceleration, balance = (
            tuple(np.split(part, 2, axis=1)) for part in (course.rates, course.acceleration, course.balance)
        )
        place = course.place[:, :3], course.place[:, 3:].reshape(-1, 3, 3)
        sums[len(self.system.effects)] = (fields[:, :, 7], fields[:, :, 8])
        motion, status = Motion(place, velocity, acceleration), fields[:, :, 6].astype(np.int8)
        return Ends(motion, fields[:, :, :3], fields[:, :, 3:6], status, tuple(sums), balance)

    def outputs(self, sources: Sequence[Source]) -> dict[str, Array]:
        return {}

    def state(self, k: int) -> State:
        system, course, time, effects = self.system, self.course, float(self.times[k]), len(self.system.effects)
        parts = (course.rates[k], course.acceleration[k], course.balance[k], *course.force[k])
        velocity, acceleration, balance, *forces = [(row[:3], row[3:]) for row in parts]
        place, fields = course.place[k], course.fields[k]
        motion = Motion((place[:3], place[3:].reshape(3, 3)), velocity, acceleration)
        contact, own = forces[effects], system.own(time, motion)
        friction = Friction(fields[:, :3], -fields[:, 3:6], fields[:, 6].astype(np.int8), contact)
        smooth = (Record(f, external=None, stored=e) for f, e in zip(forces[:effects], course.stored[k], strict=False))
        sums = list(self.before.sums)
        sums[effects] = (fields[:, 7], fields[:, 8])
        return State(
            time=time,
            motion=motion,
            in_space=system.in_space(time, motion),
            friction=friction,
            records=(*smooth, Record(contact, mixed=False, multiplier=friction.multiplier), *own),
            sums=tuple(sums),
            work=course.work[k],
            balance=balance,
            kinetic_energy=float(self.kinetic[k]),
            verdict=self.before.verdict,
        )


def diagnostics_of(system: SpaceRigidSystem, times: Array, course: Course) -> Mapping[str, Array]:
    """Return what the verdict looks at, (K, …): see ``Rows``."""
    x, Q = course.place[:, :3], course.place[:, 3:].reshape(-1, 3, 3)
    outline, gaps = x[:, None] + system.body.outline @ Q.transpose(0, 2, 1), np.full(len(times), np.inf)
    for obstacle in system.contacts.obstacles if outline.shape[1] else ():
        gaps = np.minimum(gaps, obstacle.gaps(outline, times).min(axis=1))
    spin = course.rates[:, 3:]
    h = system.moments_of_momentum(Q, spin)
    return {
        "dead_load": np.abs(course.force[:, 0, :3]).sum(axis=1),
        "free": np.asarray(~course.force.any(axis=(1, 2))),
        "spin_momentum": h,
        "turn_rate": np.linalg.norm(spin, axis=1),
        "painleve": course.numbers[:, kernels.PAINLEVE],
        "presses": (course.fields[:, :, 5] > 0.0).any(axis=1),
        "sunk": np.maximum(0.0, -gaps),
        "spin_energy": 0.5 * np.einsum("ka,ka->k", h, spin),
    }
