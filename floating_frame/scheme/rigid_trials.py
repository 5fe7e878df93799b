"""Trials of error control for a rigid body: one step and two of half its length in one compiled call. Their ends are rows of
arrays; states are made of stored ones only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.scheme.rigid import RigidSteps
from floating_frame.system.model import Model
from floating_frame.system.rigid.batch import Batch, copy_row, course_from, fields_from
from floating_frame.system.rigid.kernels.records import Course, Fields
from floating_frame.system.rows import Numbers
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import Compared, Trial
from friction.rigid.problem import point_velocity

TRIAL = np.array([0, 0, 2])
"""Rows of a course at the start of one step and of two halves; they end in the following rows."""


@dataclass(frozen=True, kw_only=True)
class RigidInstant:
    """End of a step of a rigid ``model`` by ``steps`` at ``time`` s: row ``k`` of a ``course``, row ``at`` of ``fields``.
    ``earlier``: its start; None: the first state, ``origin``."""

    model: Model
    steps: RigidSteps
    origin: State
    time: float
    course: Course
    fields: Fields
    k: int = 0
    at: int = 0
    earlier: RigidInstant | None = None

    @classmethod
    def of(cls, steps: RigidSteps, model: Model, state: State) -> RigidInstant:
        """Instant of a state."""
        course = course_from(state, 0, steps.plan.numbers(state))
        plan = steps.plan
        fields = fields_from(state, 0, len(steps.system.effects), plan.densities, plan.bristle_sources)
        return cls(model=model, steps=steps, origin=state, time=state.time, course=course, fields=fields)

    @cached_property
    def compared(self) -> Compared:
        """See ``Instant``."""
        place, fields = self.course.place[self.k], self.fields
        arms = to_inertial(self.model.body.X, float(place[2]))
        velocity = point_velocity(self.course.rates[self.k], arms)
        bristles = fields.bristles[self.at] if self.steps.plan.bristle_sources else None  # there are no contacts here
        return Compared(place[:2] + arms, velocity, fields.slip[self.at], -fields.friction[self.at], bristles)

    def tried(self, middle: float, end: float) -> Trial:
        """See ``Instant``; by states where one of the three compiled steps needs the guard."""
        ends = self._taken(np.array([self.time, self.time, middle]), np.array([end, middle, end]), TRIAL)
        if ends is not None:
            whole, half, new = ends
            counts = whole.counts, half.counts, new.counts
            return whole, half, self._to(end, new.course, new.fields, new.at, half), counts
        (whole, spent), (half, first) = self._by_state(end), self._by_state(middle)
        new, second = half._by_state(end)
        return whole, half, new, (spent, first, second)

    def stepped(self, end: float) -> tuple[RigidInstant, Counts]:
        """See ``Instant``."""
        ends = self._taken(np.array([self.time]), np.array([end]), TRIAL[:1])
        return self._by_state(end) if ends is None else (ends[0], ends[0].counts)

    def follows(self, earlier: RigidInstant) -> RigidInstant:
        """See ``Instant``."""
        return self

    @property
    def counts(self) -> Counts:
        """Counts of the step that ended here."""
        passes, newton, _, fallbacks = self.course.counts[self.k].tolist()
        return Counts(passes=passes, newton=newton, fallbacks=fallbacks, steps=1)

    def _taken(self, starts: Array, ends: Array, rows: Numbers) -> list[RigidInstant] | None:
        """Ends of steps between instants, from ``rows`` of a course; None where one needs a state."""
        count = len(ends)
        course = copy_row(self.course, self.k, count + 1, 0)
        fields = copy_row(self.fields, self.at, count + 2, count)
        if not self.steps.take_branches(starts, ends, course, fields, rows):
            return None
        return [self._to(time, course, fields, j, self) for j, time in enumerate(ends.tolist())]

    def _to(self, time: float, course: Course, fields: Fields, j: int, earlier: RigidInstant) -> RigidInstant:
        """End of step ``j`` of a course."""
        return replace(self, time=time, course=course, fields=fields, k=1 + j, at=j, earlier=earlier)

    def _by_state(self, end: float) -> tuple[RigidInstant, Counts]:
        start = self.origin if self.earlier is None else self._batch([self]).state(0)
        state, counts = self.steps.step(start, end - self.time, end)
        new = self.of(self.steps, self.model, state)
        return replace(new, origin=self.origin, earlier=self), counts

    def state(self) -> State:
        """See ``Instant``."""
        if self.earlier is None:
            return self.origin
        chain = [self]
        while chain[-1].earlier is not None:
            chain.append(chain[-1].earlier)
        batch = self._batch(chain[-2::-1])
        checks = tuple(check.after(self.model, batch) for check in self.origin.verdict)
        return replace(batch.state(len(batch.times) - 1), verdict=checks)

    def _batch(self, chain: list[RigidInstant]) -> Batch:
        """Batch of successive steps, with the fields of the last."""
        course = Course(*(np.stack([one.course[i][one.k] for one in chain]) for i in range(len(self.course))))
        times, fields = np.array([one.time for one in chain]), copy_row(chain[-1].fields, chain[-1].at, 1, 0)
        return self.steps.batch(self.origin, times, course, np.array([len(chain) - 1]), fields, {}, ())
