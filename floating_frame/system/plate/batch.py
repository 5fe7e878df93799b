"""Steps of a free plate that were taken in one call, as blocks of arrays: the states at their ends, and their series."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Mask, Motion, Record
from floating_frame.frame.kinematics import Array
from floating_frame.system.plate.elastic import NO_FRAME_FORCE
from floating_frame.system.plate.kernels import EPS, seen
from floating_frame.system.plate.system import PlateSystem
from floating_frame.system.protocol import Series, friction_at
from floating_frame.system.state import State
from floating_frame.system.stepper import PlaneBatch, Rows

STRAINS = ("strain", "rotation", "stretch")
"""Columns of ``Course.strains``."""


class Course(NamedTuple):
    """What steps start from and end with, (K + 1, …): nodal motion, slip, λ, internal force and what the balance has besides it
    (N, 2); q, q', q'' (3, 3); slip path and friction work (N,); works (4, 3); kinetic and strain energy. ``told``: sum of the sizes
    of the dead loads, N, and angular momentum about the mass centre; ``strains``: none, or ``StrainRange``; counts as ``Batch``
    has them; drift of angle and spin."""

    x: Array
    v: Array
    a: Array
    slip: Array
    multiplier: Array
    internal: Array
    balance: Array
    frame: Array
    path: Array
    heat: Array
    work: Array
    energy: Array
    told: Array
    strains: Array
    counts: NDArray[np.int64]
    drift: Array

    @classmethod
    def room(cls, nodes: int, steps: int, sources: int, limited: int) -> Course:
        """Return room for some steps of a body with ``sources`` of records, of which ``limited`` strains are looked at."""
        rows = steps + 1
        x, v, a, slip, multiplier, internal, balance = (np.empty((rows, nodes, 2)) for _ in range(7))
        return cls(
            x=x,
            v=v,
            a=a,
            slip=slip,
            multiplier=multiplier,
            internal=internal,
            balance=balance,
            frame=np.empty((rows, 3, 3)),
            path=np.empty((rows, nodes)),
            heat=np.empty((rows, nodes)),
            work=np.empty((rows, sources + 1, 3)),
            energy=np.empty((rows, 2)),
            told=np.empty((rows, 2)),
            strains=np.empty((rows, 3 if limited else 0)),
            counts=np.zeros((rows, 4), np.int64),
            drift=np.zeros((rows, 2)),
        )

    def begin(self, state: State) -> None:
        """Start from a state."""
        (x, q), (v, rates), (a, accelerations) = state.motion
        *_, (path, heat), _ = state.sums
        self.x[0], self.v[0], self.a[0], self.frame[0] = x, v, a, (q, rates, accelerations)
        self.slip[0], self.multiplier[0] = state.friction.slip, state.friction.multiplier
        self.internal[0], self.balance[0] = state.records[-1].force[0], state.balance[0]
        self.path[0], self.heat[0], self.work[0] = path, heat, state.work
        self.energy[0] = state.kinetic_energy, state.records[-1].stored
        self.counts[:], self.drift[:] = 0, 0.0

    def row(self, row: int) -> Course:
        """Return a copy of one row."""
        return Course(**{name: array[row : row + 1].copy() for name, array in self._asdict().items()})

    def motion(self, row: int) -> Motion:
        """Return the motion in a row."""
        q, rates, accelerations = self.frame[row]
        return Motion((self.x[row], q), (self.v[row], rates), (self.a[row], accelerations))


@dataclass(frozen=True, kw_only=True)
class PlateBatch(PlaneBatch):
    """Steps of a free plate; row 0 of the ``course``, which lasts until the next batch is taken, is the state before them.

    ``limited``: names of the strains that the material limits."""

    system: PlateSystem
    course: Course
    limited: tuple[str, ...]

    @classmethod
    def of(
        cls, system: PlateSystem, before: State, times: Array, course: Course, limited: tuple[str, ...]
    ) -> PlateBatch:
        """Return the first steps of a course, to ``times`` (K,) s."""
        rows = slice(1, len(times) + 1)
        friction, loaded = course.multiplier[rows].any(axis=(1, 2)), course.told[rows, 0] > 0.0
        return cls(
            system=system,
            course=course,
            limited=limited,
            before=before,
            times=times,
            lengths=np.diff(times, prepend=before.time),
            counts=course.counts[rows],
            drift=course.drift[rows],
            work=course.work[rows],
            kinetic=course.energy[rows, 0],
            energy=course.energy[rows].sum(axis=1),
            dead_load=course.told[rows, 0],
            free=~(friction | loaded),
            spin_momentum=course.told[rows, 1:2],
            turn_rate=np.abs(course.frame[rows, 1, 2]),
        )

    def head(self, count: int) -> PlateBatch:
        return PlateBatch.of(self.system, self.before, self.times[:count], self.course, self.limited)

    def strains(self) -> Mapping[str, Array]:
        at = {name: column for column, name in enumerate(STRAINS)}
        return {name: self.course.strains[1 : len(self.times) + 1, at[name]] for name in self.limited}

    def state(self, k: int) -> State:
        course, system = self.course.row(k + 1), self.system
        motion = course.motion(0)
        rubbing = friction_at(course.slip[0], course.multiplier[0], (-course.multiplier[0], NO_FRAME_FORCE))
        dead = system.model.loads.nodal_force(float(self.times[k]))
        records = (
            Record((dead, NO_FRAME_FORCE), external=None),
            Record(rubbing.force, mixed=False),
            Record((course.internal[0], NO_FRAME_FORCE), stored=float(course.energy[0, 1])),
        )
        return State(
            time=float(self.times[k]),
            motion=motion,
            in_space=system.in_space(motion),
            friction=rubbing,
            records=records,
            sums=((), (course.path[0], course.heat[0]), ()),
            work=course.work[0],
            balance=(course.balance[0], NO_FRAME_FORCE),
            kinetic_energy=float(course.energy[0, 0]),
            verdict=self.before.verdict,
        )

    def look(self, rows: Rows) -> tuple[Array, Array, Mask, float]:
        course, at = self.course, rows + 1
        slides: Mask = course.slip[at].any(axis=(1, 2))  # type: ignore[assignment]  # an array, of an array of rows
        return course.frame[at, 0, 2], course.frame[at, 1], slides, float(np.abs(course.v[at]).max())

    def series(self, rows: Rows, energy_at_start: float) -> Series:
        course, at, friction, model = self.course, rows + 1, self.system.friction, self.system.model
        mass, matrix = model.mass, (model.mass.matrix.indptr, model.mass.matrix.indices, model.mass.matrix.data)
        limits = (
            mass.total,
            max(model.options.tolerance, 1e-12),
            8.0 * EPS * model.stiffness,
            float(model.steps.inertia),
        )
        u, values = np.empty((len(rows), *course.x.shape[1:])), np.empty((len(rows), 12))
        for k, row in enumerate(at.tolist()):
            now = (course.x[row], course.v[row], course.a[row], course.balance[row], course.frame[row])
            seen(
                mass.reference,
                mass.nodal,
                *matrix,
                *now,
                friction.bound(float(self.times[row - 1])),
                limits,
                u[k],
                values[k],
            )
        frame = course.frame[at]
        slip, multiplier = course.slip[at], course.multiplier[at]
        series: Series = {
            "time": self.times[rows],
            "frame_position": frame[:, 0, :2],
            "frame_velocity": frame[:, 1, :2],
            "frame_angle": frame[:, 0, 2],
            "frame_spin": frame[:, 1, 2],
            "displacement": u,
            "position": course.x[at],
            "velocity": course.v[at],
            "friction_force": -multiplier,
            "stick": np.logical_not(slip.any(axis=2)),
            "A": values[:, 0:2],
            "P": values[:, 2:4],
            "B": values[:, 4:6],
            "L": values[:, 6],
            "J_zz": values[:, 7],
            "rigid_residual": values[:, 8],
            "linear_momentum": values[:, 9:11],
            "angular_momentum": values[:, 11],
            "slip_path": course.path[at],
            "friction_work": course.heat[at],
        }
        if model.options.stress:
            series |= {"stress": model.body.stress(u), "cauchy_stress": model.body.cauchy_stress(u)}
        return series | self.ledger(rows, len(self.system.effects), course.energy[at, 1], energy_at_start)
