"""Many steps of a rigid body in space in one compiled call, and what they end with as blocks of arrays: see ``kernels``.

The twin is ``scheme.step``: it takes what is left over, such as a step that the guard against reversals looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from floating_frame.coefficients import Scheme, backward_euler
from floating_frame.effect.protocol import Friction, Motion, Record
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross, quaternions
from floating_frame.loads.load_assembly import AssembledLoads
from floating_frame.system.protocol import Series
from floating_frame.system.space.ground import TOUCHING
from floating_frame.system.space.kernels.records import ENDS, GIVEN, LINEAR, LOADS, PLAN, SCHEME, STEP
from floating_frame.system.space.kernels.step import advance
from floating_frame.system.space.painleve import MOST
from floating_frame.system.space.system import APPROACHES, PUSHES, SpaceRigidSystem
from floating_frame.system.state import DISSIPATED, State
from floating_frame.system.stepper import Batch, CompiledStep, Numbers
from friction.cone import OPEN, STICKS

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
            energy=kinetic,
            parts=np.ones(count, np.int64),
            diagnostics=diagnostics_of(system, course),
        )

    def head(self, count: int) -> SpaceBatch:
        return SpaceBatch.of(self.system, self.before, self.times[:count], rows_of(self.course, slice(count)))

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

    def series(self, rows: Numbers, energy_at_start: float) -> Series:
        course, system, count = rows_of(self.course, rows), self.system, len(rows)
        body, x, (v, spin) = system.body, course["place"], np.split(course["velocity"], 2, axis=1)
        reference = np.broadcast_to(body.shape.reference, course["slip"].shape)
        arms = reference @ course["rotation"].transpose(0, 2, 1) if not body.shape.radius else reference
        velocity, force, momentum = v[:, None] + cross(spin[:, None], arms), -course["multiplier"], body.mass * v
        velocity[course["status"] == STICKS, :2] = 0.0
        friction_force = force.copy()
        friction_force[:, :, 2] = 0.0
        h = moments_of_momentum(system, course)
        return {
            "time": self.times[rows],
            "frame_position": x,
            "frame_velocity": v,
            "frame_rotation": quaternions(course["rotation"]),
            "frame_spin": spin,
            "position": x[:, None] + arms,
            "velocity": velocity,
            "contact_force": force,
            "normal_force": force[:, :, 2],
            "friction_force": friction_force,
            "stick": np.where(course["status"] == OPEN, -1, course["status"] == STICKS),
            "J": np.broadcast_to(body.inertia, (count, 3, 3)),
            "rigid_residual": self._residual(course, h, self.lengths[rows]),
            "linear_momentum": momentum,
            "angular_momentum": cross(x, momentum) + h,
            "slip_path": course["path"],
            "friction_work": course["heat"],
            **self.ledger(rows, 1, np.zeros(count), energy_at_start),
            "dissipation_viscous": np.zeros(count),
            "dissipation_impact": self.work[rows, 2, DISSIPATED],
        }

    def _residual(self, course: Course, h: Array, lengths: Array) -> Array:
        """Return the residuals (K,): see ``SpaceRigidSystem._residual``."""
        body, size, largest = self.system.body, np.abs(course["multiplier"]).sum(axis=(1, 2)), np.zeros(len(lengths))
        momenta = np.stack([body.mass * course["velocity"][:, :3], h], axis=1)
        rates = np.stack([body.mass * course["acceleration"][:, :3], course["acceleration"][:, 3:]], axis=1)
        forces = np.stack([course["force"][:, 2, :3], course["force"][:, 2, 3:]], axis=1)
        for block, arm in enumerate((1.0, body.radius)):
            size = np.maximum.reduce([*(np.abs(f[:, block]).max(axis=1) for f in (rates, forces)), size * arm])
            counts = size > 64.0 * np.finfo(float).eps * np.abs(momenta[:, block]).max(axis=1) / lengths
            rest = np.abs(rates[:, block] - forces[:, block]).max(axis=1)
            largest = np.maximum(largest, np.divide(rest, size, out=np.zeros(len(size)), where=counts))
        return largest


def moments_of_momentum(system: SpaceRigidSystem, course: Course) -> Array:
    """Return h = QJQᵀΩ (K, 3) N m s."""
    Q, spin = course["rotation"], course["velocity"][:, 3:, None]
    return np.asarray((Q @ (system.body.inertia @ (Q.transpose(0, 2, 1) @ spin)))[:, :, 0])


def diagnostics_of(system: SpaceRigidSystem, course: Course) -> Mapping[str, Array]:
    """Return what the verdict looks at, (K, …): see ``Rows``."""
    heights = course["place"][:, 2, None] + course["rotation"][:, 2] @ system.body.outline.T
    h, spin = moments_of_momentum(system, course), course["velocity"][:, 3:]
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
