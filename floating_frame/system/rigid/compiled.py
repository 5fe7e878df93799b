"""Many steps of a rigid body in one compiled call, and what they end with as blocks of arrays.

What depends on time is tabulated first, so every load with a history is admitted; see ``kernels``. The twin is ``scheme.step``:
it takes what is left over, such as a step that the guard against reversals looks at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.protocol import Mask, Motion, Record
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import wrench
from floating_frame.loads.followers import Follower
from floating_frame.system.protocol import Series, friction_at
from floating_frame.system.rigid import kernels
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.state import State
from floating_frame.system.stepper import CompiledStep, PlaneBatch, Rows
from friction.rigid.known_laws import KnownLaw, known_law

STORED = 2**18
"""Numbers that a batch holds of each field, about."""
LONGEST, MOVED = 2048, 2**21
"""Steps in a batch, and points times steps, at most: what is told between batches must not come late."""


def compiled_rigid_step(system: RigidSystem, scheme: Scheme) -> CompiledStep | None:
    """Return the compiled step of a rigid body; None for contacts, springs, and laws that are not known as numbers."""
    model, friction = system.model, system.friction
    if system.exact is not None or model.contacts or model.problem.effects or friction.reacts or not scheme.inertia:
        return None
    if not friction.constant and (friction.law.has_total or friction.law.has_internal_state):
        return None
    law = known_law(friction.law.with_total_load(friction.bound(0.0)))
    return None if law is None else CompiledRigidStep(system, scheme, law)


class CompiledRigidStep(CompiledStep):
    """The compiled steps of a ``system`` by the tables of a ``scheme``, under a known ``law``."""

    def __init__(self, system: RigidSystem, scheme: Scheme, law: KnownLaw) -> None:
        self.system, self.scheme, self._law = system, scheme, law
        points, constant = len(system.feet), system.friction.constant
        self.held = max(1, STORED // points)
        self.longest = max(1, min(LONGEST, (MOVED if constant else STORED) // points))
        acting = [wrench(at, follower.local_force(at)) for follower, at in followers_of(system)]
        self._plan = kernels.Plan(
            inertia=system.inertia,
            feet=np.ascontiguousarray(system.feet.T),
            position=scheme.position,
            velocity=scheme.velocity,
            force=scheme.force,
            work=scheme.work,
            weights=scheme.weights,
            form=scheme.kinetic_form,
            guards=scheme.guards_reversal and system.friction.law.set_valued,
            followers=np.array(acting).reshape(len(acting), 3),
            code=law.code,
            numbers=law.numbers,
            bristles=system.friction.law.has_internal_state,
        )

    def _tables(self, starts: Array, ends: Array) -> kernels.Tables:
        scheme, friction, loads = self.scheme, self.system.friction, self.system.model.loads
        lengths = ends - starts
        inner = [ends if node == 1.0 else starts + node * lengths for node in scheme.nodes]
        times, X = np.stack([starts, *inner], axis=1), self.system.model.body.X
        starting, later = times[:, 0], times[:, 1:].ravel()
        dead, histories = (
            np.concatenate([right[:, None], left.reshape(len(ends), scheme.stages, right.shape[1])], axis=1)
            for right, left in (
                (loads.dead_wrenches(starting, X, left=False), loads.dead_wrenches(later, X)),
                (loads.follower_values(starting, left=False), loads.follower_values(later)),
            )
        )
        rows = times[: 1 if friction.still else None]
        ground = np.array([[friction.ground(t, left=s > 0) for s, t in enumerate(row)] for row in rows])
        before = np.array([friction.ground(t) for t in rows[:, 0]])
        bound = np.array([[friction.bound(t) for t in row] for row in times[: 1 if friction.constant else None, 1:]])
        if friction.still:
            ground, before = (np.repeat(known, len(ends), axis=0) for known in (ground, before[:1]))
        return kernels.Tables(lengths, dead, histories, ground, bound, before)

    def take(self, state: State, ends: Array, stored: Rows) -> RigidBatch | None:
        starts, system = np.array([state.time, *ends[:-1]]), self.system
        tables, friction = self._tables(starts, ends), len(system.effects)
        if self._may_have_several(tables):
            return None
        bristles = state.records[friction].internal
        moving = kernels.Moving(
            place=state.motion.configuration[0].copy(),
            rates=state.motion.velocity[0].copy(),
            acceleration=state.motion.acceleration[0].copy(),
            slip=np.array(state.friction.slip.T, order="C"),
            multiplier=np.array(state.friction.multiplier.T, order="C"),
            bristles=np.zeros((2, len(system.feet))) if bristles is None else np.array(bristles.T, order="C"),
            path=state.sums[friction][0].copy(),
            heat=state.sums[friction][1].copy(),
            work=state.work.copy(),
            stored=np.array([state.records[friction].stored]),
        )
        course = empty_course(len(ends), friction + 1)
        fields = empty_fields(len(stored) + 1, len(system.feet), bristles is not None)
        rows = np.full(len(ends), -1)
        rows[stored] = np.arange(len(stored))
        taken = kernels.advance(self._plan, tables, moving, course, fields, rows)
        if not taken:
            return None
        held = stored[stored < taken]
        if not len(held) or held[-1] < taken - 1:  # the end is needed to go on
            write_end(moving, fields, len(held))
            held = np.append(held, taken - 1)
        return RigidBatch.of(self, state, ends[:taken], rows_of(course, np.arange(taken)), (held, fields))

    def _may_have_several(self, tables: kernels.Tables) -> bool:
        """Return whether friction that falls with the speed may leave a stage several solutions: D/τ − fall Σ w Gᵀ G."""
        if self._law.fall == 0.0:
            return False
        tau, w = self.scheme.velocity.max() * tables.lengths.max(), self._law.fall * tables.bound.max(axis=(0, 1))
        x, y = w @ self.system.feet
        polar = float(w @ (self.system.feet**2).sum(axis=1))
        fall = np.array([[w.sum(), 0.0, -y], [0.0, w.sum(), x], [-y, x, polar]])
        size = np.sqrt(self.system.inertia / tau)
        return bool(np.linalg.eigvalsh(fall / np.outer(size, size))[-1] >= 1.0)


def followers_of(system: RigidSystem) -> list[tuple[Follower, Array]]:
    """Return the loads that follow the body, and the reference places (P, 2), m, on which they act."""
    followers = [follower for _, follower in system.model.loads.followers]
    X = system.model.body.X
    return [(f, X if f.nodes is None else X[f.nodes].reshape(-1, 2)) for f in followers]


def empty_course(steps: int, sources: int) -> kernels.Course:
    """Return the arrays of what moves that ``kernels.advance`` fills."""
    shapes = {"place": (3,), "rates": (3,), "acceleration": (3,), "work": (sources + 1, 3), "stored": ()}
    shapes |= {"force": (sources, 3), "balance": (3,)}
    course = {name: np.empty((steps, *shape)) for name, shape in shapes.items()}
    return kernels.Course(**course, slides=np.zeros(steps, np.bool_), counts=np.zeros((steps, 4), np.int64))


def empty_fields(rows: int, points: int, bristly: bool) -> kernels.Fields:
    """Return the arrays of fields at points that ``kernels.advance`` fills."""
    vectors = {name: np.empty((rows, points, 2)) for name in ("slip", "friction")}
    bristles, rests = np.empty((rows if bristly else 0, points, 2)), np.empty((rows, points), np.bool_)
    path, heat = np.empty((rows, points)), np.empty((rows, points))
    return kernels.Fields(**vectors, rests=rests, bristles=bristles, path=path, heat=heat)


def write_end(moving: kernels.Moving, fields: kernels.Fields, row: int) -> None:
    """Write the fields at the points into a row, as ``kernels.write_fields``."""
    fields.slip[row], fields.friction[row], fields.rests[row] = (
        moving.slip.T,
        -moving.multiplier.T,
        ~moving.slip.any(axis=0),
    )
    fields.path[row], fields.heat[row] = moving.path, moving.heat
    if len(fields.bristles):
        fields.bristles[row] = moving.bristles.T


Columns = TypeVar("Columns", kernels.Course, kernels.Fields)


def rows_of(columns: Columns, rows: Rows) -> Columns:
    """Return some rows, ascending; no copies where none between them is left out. What is empty (bristles) stays so."""
    follow = len(rows) > 0 and rows[-1] - rows[0] == len(rows) - 1
    at = slice(int(rows[0]), int(rows[-1]) + 1) if follow else rows
    return type(columns)._make(array[at] if len(array) else array for array in columns)


@dataclass(frozen=True, kw_only=True)
class RigidBatch(PlaneBatch):
    """Steps of a rigid body by the compiled ``by``, of which those ``held`` have ``fields`` at the points: what is stored, and the
    last."""

    by: CompiledRigidStep
    system: RigidSystem
    course: kernels.Course
    held: Rows
    fields: kernels.Fields

    @classmethod
    def of(
        cls,
        by: CompiledRigidStep,
        before: State,
        times: Array,
        course: kernels.Course,
        held: tuple[Rows, kernels.Fields],
    ) -> RigidBatch:
        rates, system = course.rates, by.system
        kinetic: Array = 0.5 * np.einsum("kj,kj,j->k", rates, rates, system.inertia)
        return cls(
            by=by,
            system=system,
            course=course,
            held=held[0],
            fields=held[1],
            before=before,
            times=times,
            lengths=np.diff(times, prepend=before.time),
            counts=course.counts,
            drift=np.zeros((len(times), 2)),
            work=course.work,
            kinetic=kinetic,
            energy=kinetic + course.stored,
            dead_load=np.abs(course.force[:, :-1]).sum(axis=(1, 2)),
            free=np.asarray(~course.force.any(axis=(1, 2))),
            spin_momentum=system.inertia[2] * rates[:, 2:],
            turn_rate=np.abs(rates[:, 2]),
        )

    def head(self, count: int) -> RigidBatch:
        again = self.by.take(self.before, self.times[:count], self.held[self.held < count])
        assert again is not None
        return again

    def state(self, k: int) -> State:
        course, effects, (row,) = self.course, len(self.system.effects), np.flatnonzero(self.held == k)
        motion = Motion((course.place[k],), (course.rates[k],), (course.acceleration[k],))
        friction = friction_at(self.fields.slip[row], -self.fields.friction[row], (course.force[k, effects],))
        records = [Record((force,), external=None) for force in course.force[k, :effects]]
        bristles = self.fields.bristles[row] if len(self.fields.bristles) else None
        rubbing = Record(friction.force, stored=float(course.stored[k]), internal=bristles, mixed=False)
        return State(
            time=float(self.times[k]),
            motion=motion,
            in_space=self.system.in_space(motion),
            friction=friction,
            records=(*records, rubbing),
            sums=(*((),) * effects, (self.fields.path[row], self.fields.heat[row])),
            work=course.work[k],
            balance=(course.balance[k],),
            kinetic_energy=float(self.kinetic[k]),
            verdict=self.before.verdict,
        )

    def look(self, rows: Rows) -> tuple[Array, Array, Mask, float]:
        course, X = rows_of(self.course, rows), self.system.model.body.X
        angles, rates = course.place[:, 2], course.rates
        (vx, vy, spin), (c, s), speed = rates.T, (np.cos(angles), np.sin(angles)), 0.0
        for start, by_x, by_y in ((vx, -spin * s, -spin * c), (vy, spin * c, -spin * s)):
            velocity = by_x[:, None] * X[:, 0]  # in one array: fresh ones cost more than the arithmetic
            velocity += by_y[:, None] * X[:, 1]
            velocity += start[:, None]
            speed = max(speed, float(velocity.max()), -float(velocity.min()))
        return angles, rates, course.slides, speed

    def series(self, rows: Rows, energy_at_start: float) -> Series:
        course, fields = rows_of(self.course, rows), rows_of(self.fields, np.searchsorted(self.held, rows))
        system, (c, s) = self.system, (f(course.place[:, 2, None]) for f in (np.cos, np.sin))
        (X, Y), count, mass = system.feet.T, len(rows), system.inertia[0]
        at = self.times[rows[:1] if system.friction.still else rows]
        ground = np.array([system.friction.ground(t) for t in at])[:, None]
        place, rates = course.place[:, :2], course.rates[:, :2]
        turning = mass * (place[:, 0] * rates[:, 1] - place[:, 1] * rates[:, 0])
        none, bristles, position = np.zeros((count, 2)), {}, np.empty(fields.slip.shape)
        position[:, :, 0], position[:, :, 1] = place[:, :1] + (c * X - s * Y), place[:, 1:] + (s * X + c * Y)
        if len(fields.bristles):
            bristles = {"bristle_deformation": fields.bristles, "energy_bristles": course.stored}
        return {
            "time": self.times[rows],
            "frame_position": place,
            "frame_velocity": rates,
            "frame_angle": course.place[:, 2],
            "frame_spin": course.rates[:, 2],
            "displacement": np.broadcast_to(0.0, fields.slip.shape),
            "position": position,
            "velocity": fields.slip + ground if ground.any() else fields.slip,
            "friction_force": fields.friction,
            "stick": fields.rests,
            "A": none,
            "P": none,
            "B": none,
            "L": none[:, 0],
            "J_zz": np.full(count, system.inertia[2]),
            "rigid_residual": self._residual(course, rows),
            "linear_momentum": mass * rates,
            "angular_momentum": turning + system.inertia[2] * course.rates[:, 2],
            "slip_path": fields.path,
            "friction_work": fields.heat,
            **bristles,
            **self.ledger(rows, len(system.effects), np.zeros(count), energy_at_start),
        }

    def _residual(self, course: kernels.Course, rows: Rows) -> Array:
        """Return the residual of (3.4)1 (``PlaneSystem._relative``); the solver's noise is asked for where it may count."""
        system, friction = self.system, self.system.friction
        terms = np.stack([system.inertia * course.acceleration, -course.balance])
        rest, size, arms = np.abs(terms.sum(axis=0)), np.abs(terms).max(axis=0), np.linalg.norm(system.feet, axis=1)
        bounds = np.array([friction.bound(t) for t in self.times[rows[:1] if friction.constant else rows]])
        scale = np.maximum([size[:, :2].max(axis=1), size[:, 2]], [bounds.sum(axis=1), bounds @ arms]).T
        parts = np.stack([rest[:, :2].max(axis=1), rest[:, 2]], axis=1)
        farthest, turning = system.model.radius, np.abs(course.acceleration[:, 2]) + course.rates[:, 2] ** 2
        most = np.abs(course.acceleration[:, :2]).sum(axis=1) + farthest * turning
        above = system.inertia[0] * most[:, None] * max(system.model.options.tolerance, 1e-12) * [1.0, farthest]
        noise = np.zeros_like(scale)
        for k in np.flatnonzero(((parts > 0.0) & (scale <= above)).any(axis=1)):
            state = self.state(int(rows[k]))
            noise[k] = system._noise(state, state.frame, np.inf)
        relative = np.where(scale > noise, parts / np.where(scale > noise, scale, 1.0), 0.0)
        return np.asarray(relative.max(axis=1))
