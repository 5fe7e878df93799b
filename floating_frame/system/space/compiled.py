"""Many steps of a rigid body in space in one compiled call, and what they end with as blocks of arrays: see ``kernels``.

The twin is ``scheme.step``: it takes what is left over, such as a step that the guard against reversals looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from floating_frame.coefficients import Scheme, backward_euler
from floating_frame.effect.protocol import Friction, Motion, Record, Source
from floating_frame.frame.kinematics import Array
from floating_frame.loads.load_assembly import AssembledLoads
from floating_frame.system.rows import Batch, Ends, Numbers
from floating_frame.system.space.ground import TOUCHING
from floating_frame.system.space.kernels.records import ENDS, GIVEN, LINEAR, LOADS, PLAN, SCHEME, STEP
from floating_frame.system.space.kernels.step import advance
from floating_frame.system.space.painleve import MOST
from floating_frame.system.space.system import APPROACHES, PUSHES, SpaceRigidSystem
from floating_frame.system.state import State
from floating_frame.system.stepper import CompiledStep

Records = NDArray[np.void]
Course = Mapping[str, Array]

LONGEST = 2048
"""Steps in a batch at most: what is told between batches must not come late."""


def compiled_space_step(system: SpaceRigidSystem, scheme: Scheme, loads: AssembledLoads) -> CompiledStep | None:
    """Return the compiled step of a rigid body in space; None for a flat base, many feet, obstacles other than the ground at rest,
    and what acts besides dead loads."""
    shape, law, obstacles = system.body.shape, system.friction.law, system.contacts.obstacles
    ground = len(obstacles) == 1 and obstacles[0].level and not obstacles[0].motion.moves
    known = ground and not shape.flat and len(shape.reference) <= MOST and not (shape.radius and shape.centres.any())
    dead = law.set_valued and law.radial.constant and len(system.effects) == 1
    return CompiledSpaceStep(system, scheme, loads) if known and dead else None


class CompiledSpaceStep(CompiledStep):
    """The compiled steps of a ``system`` by the tables of a ``scheme``, under dead ``loads`` at the points of its one effect."""

    longest = held = LONGEST

    def __init__(self, system: SpaceRigidSystem, scheme: Scheme, loads: AssembledLoads) -> None:
        self.system, self._nodes, self._loads = system, scheme.nodes, loads
        body, contact, X = system.body, system.friction, system.effects[0].points.reference
        inverse: Array = np.asarray(np.linalg.inv(body.inertia), float)
        feet = body.shape.reference
        self._plan = filled(
            PLAN,
            count=len(feet),
            turns=not body.shape.radius,
            mass=body.mass,
            inertia=body.inertia,
            inverse=inverse,
            feet=feet,
            kinetic=contact.coefficient,
            static=contact.static,
            radius=body.radius,
            soft=1.0 / body.mass + body.radius**2 * float(np.trace(inverse)) / 3.0,
            touching=TOUCHING,
            approaches=APPROACHES,
            pushes=PUSHES,
        )
        lands = backward_euler()
        self._schemes = np.concatenate(
            [
                tables_of(scheme, lands=scheme.name == lands.name, column=1),
                tables_of(lands, lands=True, column=scheme.stages),
            ]
        )
        self._each = np.concatenate(
            [
                loads.forces,
                np.einsum("pa,pb->pab", X, loads.forces).reshape(-1, 9),
                np.abs(loads.forces).sum(axis=1)[:, None],
            ],
            axis=1,
        )

    def _tables(self, starts: Array, ends: Array) -> Records:
        lengths = ends - starts
        inner = [ends if node == 1.0 else starts + node * lengths for node in self._nodes]
        tables = np.zeros(len(ends), LOADS)
        tables["length"] = lengths
        for s, times in enumerate([starts, *inner]):
            value = self._loads.separable_values(times, left=s > 0)
            signed, tables["size"][:, s] = value @ self._each[:, :12], np.abs(value) @ self._each[:, 12]
            tables["force"][:, s], tables["couple"][:, s] = signed[:, :3], signed[:, 3:].reshape(-1, 3, 3)
        return tables

    def take(self, state: State, ends: Array, stored: Numbers) -> SpaceBatch | None:
        (x, Q), velocity, acceleration = state.motion
        path, heat = state.sums[1]
        start = filled(
            ENDS,
            place=x,
            rotation=Q,
            velocity=np.concatenate(velocity),
            acceleration=np.concatenate(acceleration),
            slip=state.friction.slip,
            multiplier=state.friction.multiplier,
            status=state.friction.status,
            path=path,
            heat=heat,
            work=state.work,
            kinetic=state.kinetic_energy,
        )
        course = np.empty(len(ends) + 1, ENDS)
        course[0] = start[0]
        loads = self._tables(np.array([state.time, *ends[:-1]]), ends)
        work = (np.zeros(1, STEP), np.zeros(1, GIVEN), np.zeros(1, LINEAR))
        taken = advance(self._plan, self._schemes, loads, course, work)
        if not taken:
            return None
        return SpaceBatch.of(self.system, state, ends[:taken], course_of(course[1 : taken + 1], len(path)))


def filled(kind: np.dtype[np.void], **fields: ArrayLike) -> Records:
    """Return a record (1,) with these fields; of those with more room the first rows."""
    made = np.zeros(1, kind)
    for name, values in fields.items():
        made[name][(slice(1), *(slice(n) for n in np.shape(values)))] = values
    return made


def tables_of(scheme: Scheme, *, lands: bool, column: int) -> Records:
    """Return a scheme as the kernels take it; ``column`` of the loads of its first stage."""
    names = ("position", "velocity", "force", "work", "weights")
    tables = {name: np.array(getattr(scheme, name)) for name in names}
    return filled(SCHEME, count=scheme.stages, column=column, lands=lands, guards=scheme.guards_reversal, **tables)


def course_of(ends: Records, feet: int) -> Course:
    """Return the fields (K, …) of ``ENDS`` of K steps by name, those of points for as many ``feet`` as there are."""
    return {name: ends[name][:, :feet] if ENDS[name].shape[:1] == (MOST,) else ends[name] for name in ENDS.names or ()}


def rows_of(course: Course, rows: Numbers | slice) -> Course:
    """Return some steps of a course."""
    return {name: array[rows] for name, array in course.items()}


@dataclass(frozen=True, kw_only=True)
class SpaceBatch(Batch):
    """Steps of a rigid body in space."""

    system: SpaceRigidSystem
    course: Course

    @classmethod
    def of(cls, system: SpaceRigidSystem, before: State, times: Array, course: Course) -> SpaceBatch:
        kinetic, count = course["kinetic"], len(times)
        return cls(
            system=system,
            course=course,
            before=before,
            times=times,
            lengths=np.diff(times, prepend=before.time),
            counts=np.concatenate([course["spent"], np.zeros((count, 2), np.int64)], axis=1),
            drift=np.stack([course["drift"], np.zeros(count)], axis=1),
            work=course["work"],
            kinetic=kinetic,
            stored=np.zeros((count, course["work"].shape[1] - 1)),
            parts=np.ones(count, np.int64),
            diagnostics=diagnostics_of(system, course),
        )

    def head(self, count: int) -> SpaceBatch:
        return SpaceBatch.of(self.system, self.before, self.times[:count], rows_of(self.course, slice(count)))

    def chosen(self, rows: Numbers) -> SpaceBatch:
        return replace(self, **self.fields_at(rows), course=rows_of(self.course, rows))

    @cached_property
    def ends(self) -> Ends:
        course = self.course
        velocity, acceleration, balance = (
            (a[:, :3], a[:, 3:]) for a in (course["velocity"], course["acceleration"], course["force"][:, 2])
        )
        motion = Motion((course["place"], course["rotation"]), velocity, acceleration)
        sums = ((), (course["path"], course["heat"]), ())
        return Ends(motion, course["slip"], -course["multiplier"], course["status"].astype(np.int8), sums, balance)

    def outputs(self, sources: Sequence[Source]) -> dict[str, Array]:
        return {}

    def state(self, k: int) -> State:
        course = self.course
        blocks = [(row[:3], row[3:]) for row in (course["velocity"][k], course["acceleration"][k], *course["force"][k])]
        velocity, acceleration, load, contact, balance = blocks
        motion = Motion((course["place"][k], course["rotation"][k]), velocity, acceleration)
        friction = Friction(course["slip"][k], course["multiplier"][k], course["status"][k], contact)
        return State(
            time=float(self.times[k]),
            motion=motion,
            in_space=self.system.in_space(float(self.times[k]), motion),
            friction=friction,
            records=(
                Record(load, external=None),
                Record(contact, mixed=False, multiplier=friction.multiplier),
                *self.system.own(float(self.times[k]), motion),
            ),
            sums=((), (course["path"][k], course["heat"][k]), ()),
            work=course["work"][k],
            balance=balance,
            kinetic_energy=float(self.kinetic[k]),
            verdict=self.before.verdict,
        )


def diagnostics_of(system: SpaceRigidSystem, course: Course) -> Mapping[str, Array]:
    """Return what the verdict looks at, (K, …): see ``Rows``."""
    heights = course["place"][:, 2, None] + course["rotation"][:, 2] @ system.body.outline.T
    spin = course["velocity"][:, 3:]
    h = system.moments_of_momentum(course["rotation"], spin)
    return {
        "dead_load": np.abs(course["force"][:, 0, :3]).sum(axis=1),
        "free": np.asarray(~course["force"][:, :2].any(axis=(1, 2))),
        "spin_momentum": h,
        "turn_rate": np.linalg.norm(spin, axis=1),
        "painleve": course["painleve"],
        "presses": (course["multiplier"][:, :, 2] < 0.0).any(axis=1),
        "sunk": np.maximum(0.0, -heights.min(axis=1, initial=np.inf)),
        "spin_energy": 0.5 * np.einsum("ka,ka->k", h, spin),
    }
