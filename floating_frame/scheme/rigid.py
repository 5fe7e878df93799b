"""Steps of rigid bodies by a scheme with stages: ``scheme.step`` compiled for the bodies of ``system.rigid.kernels`` and
``system.space.kernels``, many steps in a call; in the plane also single steps with the guard."""

from __future__ import annotations

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.protocol import Motion, Record
from floating_frame.errors import RigidFrictionError, Unsolved, in_pass
from floating_frame.frame.kinematics import Array
from floating_frame.scheme.guard import cut_fraction
from floating_frame.scheme.instants import released_state
from floating_frame.scheme.staged import StepResult, split_at_event
from floating_frame.scheme.step import advance
from floating_frame.system.pressure_iteration import MAX_PRESSURE_ROUNDS
from floating_frame.system.protocol import Partial, Stage, friction_at
from floating_frame.system.rigid.batch import Batch, StepRecords, course_from, fields_from, rows_of
from floating_frame.system.rigid.kernels.records import Course, Fields, Tables
from floating_frame.system.rigid.plan import RigidPlan, total_shifts
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.rows import Numbers
from floating_frame.system.space.plan import SpacePlan
from floating_frame.system.stages import ANGLE_UNSETTLED, GUARD_CHECK, WORK_NOT_FINITE
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import CompiledStep
from friction.redistribution import tipping_error
from friction.status import MESSAGES, PRESSURE_UNSETTLED, TIPS

BATCH_NUMBERS = 2**18
"""Approximate number of values of each field in a batch."""
MAX_BATCH, POINT_STEPS = 2048, 2**21
"""Largest number of steps in a batch, and of points times steps: limits the delay of progress reports."""


class ManySteps(CompiledStep):
    """Compiled steps of a rigid body, in the plane or in space, with the tables of a ``plan``."""

    def __init__(self, plan: RigidPlan | SpacePlan, longest: int, max_stored: int) -> None:
        self.plan, self.longest, self.max_stored = plan, longest, max_stored

    def take(self, state: State, ends: Array, stored: Numbers) -> Batch | None:
        """See ``CompiledStep``."""
        return self.take_steps(state, ends, stored, looks=self.plan.cuts)[0]

    def take_steps(
        self, state: State, ends: Array, stored: Numbers, *, looks: bool, holds: bool = False
    ) -> tuple[Batch | None, int]:
        """Steps without interpreted code, None for none, and the status that stopped them."""
        plan, rows = self.plan, np.full(len(ends), -1)
        rows[stored] = np.arange(len(stored))
        course = course_from(state, len(ends), plan.numbers(state))
        fields = fields_from(state, len(stored), len(plan.system.effects), plan.densities, plan.bristle_sources)
        body = plan.begin(state, ends, course, fields, rows)
        count, status = advance(plan.scheme, body, plan.work, body.tables.lengths, looks, holds)
        clear = plan.clear_steps(state, ends[:count], course)
        if 0 < clear < count:
            return self.take_steps(state, ends[:clear], stored[stored < clear], looks=looks, holds=holds)
        if not clear:
            return None, status
        rows_stored = stored[stored < count]
        if not len(rows_stored) or rows_stored[-1] < count - 1:  # the end is needed to go on
            for array in fields:
                array[len(rows_stored) : len(rows_stored) + 1] = array[plan.last : plan.last + 1]
            rows_stored = np.append(rows_stored, count - 1)
        course, own = rows_of(course, np.arange(1, count + 1)), plan.own(state, course.force[count])
        return self.batch(state, ends[:count], course, rows_stored, fields, plan.step_records, own), status

    def batch(
        self,
        before: State,
        times: Array,
        course: Course,
        with_fields: Numbers,
        fields: Fields,
        effects: StepRecords,
        own: tuple[Record, ...],
    ) -> Batch:
        """Batch of steps from a state to ``times`` (K,) s: see ``Batch``."""
        kinetic, drift, diagnostics = self.plan.diagnostics(times, course)
        return Batch(
            rerun=self.take,
            system=self.plan.system,
            course=course,
            with_fields=with_fields,
            fields=fields,
            effects=effects,
            own=own,
            loads=self.plan.loads,
            densities=self.plan.densities,
            bristle_sources=self.plan.bristle_sources,
            nodes=self.plan.nodes,
            before=before,
            times=times,
            lengths=np.diff(times, prepend=before.time),
            counts=course.counts,
            drift=drift,
            work=course.work,
            kinetic=kinetic,
            stored=course.stored,
            parts=np.ones(len(times), np.int64),
            diagnostics=diagnostics,
        )


class RigidSteps(ManySteps):
    """The steps of a rigid ``system`` in the plane by a ``scheme``."""

    plan: RigidPlan

    def __init__(self, system: RigidSystem, scheme: Scheme) -> None:
        self.system, self.scheme = system, scheme
        self._known: tuple[tuple[float, float], Tables] | None = None
        points = len(system.feet)
        points += sum(len(at.weights) for _, at in (*system.model.contacts, *system.model.contact_edges))
        longest = max(1, min(MAX_BATCH, (POINT_STEPS if system.friction.constant else BATCH_NUMBERS) // points))
        super().__init__(RigidPlan(system, scheme), longest, max(1, BATCH_NUMBERS // points))

    @property
    def many(self) -> CompiledStep | None:
        """Compiled loop over many steps; None where series are made of states, or Python is called back in each step."""
        system = self.system
        plain = (system.exact is None or system.exact.idle) and not self.plan.effects
        return self if plain and self.plan.law is not None else None

    @property
    def execution(self) -> str:
        """Words for the user: "compiled", or the interpreted parts and the faster alternative."""
        system, plan = self.system, self.plan
        interpreted = [effect.effect.name for effect in plan.effects.values()]
        if plan.law is None:
            law = repr(system.friction.law)
            if total_shifts(system.friction):
                law += " under a pressure that reacts and a coefficient that varies"
            interpreted += [law if system.exact is None else "exact contact"]
        if not interpreted:
            return "compiled"
        compiled = "springs, penalty contacts, dead loads, followers and the laws of friction.LAWS"
        return f"interpreted: {', '.join(interpreted)}; compiled are {compiled}"

    def step(self, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
        """Advance by ``dt`` s to ``end`` s (default time + dt), at the loads' left limits; in two steps where the body reverses or
        breaks loose. Raises errors that a shorter step may avoid."""
        result = split_at_event(self._one, state, dt, state.time + dt if end is None else end)
        assert result is not None
        return result

    def _one(self, state: State, _dt: float, end: float, cut: bool) -> StepResult:
        """Take one step: see ``staged.one_step``."""
        batch, status = self.take_steps(state, np.array([end]), np.zeros(1, np.intp), looks=self.plan.cuts)
        holds = False
        if status == GUARD_CHECK:
            *stages, last = self._stages(state, end)
            partial = Partial(state, end - state.time, self.scheme.position[-1], self.scheme.weights, stages)
            if cut and (fraction := cut_fraction(self.system, partial, last)):
                return StepResult(state, fraction=fraction)
            holds = self.scheme.guards and self.system.thrown_back(partial, last)
            batch, status = self.take_steps(state, np.array([end]), np.zeros(1, np.intp), looks=False, holds=holds)
        if batch is None:
            raise self._failure(status, end)
        passes, newton, _, fallbacks = batch.counts[0].tolist()
        new = batch.state(0)
        counts = Counts(passes=passes, newton=newton, fallbacks=fallbacks, steps=1)
        return StepResult(released_state(self.system, new) if holds else new, counts)

    def take_branches(self, starts: Array, ends: Array, course: Course, fields: Fields, rows: Numbers) -> bool:
        """Take steps between instants (K,) s from ``rows`` of a course, row 0 and the last but one of the fields given, and store
        all fields; True where no step needs the guard or Python."""
        plan, span = self.plan, (float(starts[0]), float(ends[0]))
        if self._known is not None and self._known[0] == span and len(ends) == 1:  # error control's companion
            tables = self._known[1]
        else:
            tables = plan.tables(starts, ends)
            self._known = span, Tables(*(table[:1] for table in tables))
        body = plan.body(tables, course, fields, rows, np.arange(len(ends)))
        if body.data.callback:
            return False
        count, _ = advance(plan.scheme, body, plan.work, tables.lengths, plan.cuts, False)
        return bool(count == len(ends))

    def _stages(self, state: State, end: float) -> list[Stage]:
        """Stages of the last step, from ``state`` to ``end`` s."""
        scratch, work, dt, stages = self.plan.scratch, self.plan.work, end - state.time, list[Stage]()
        (place,) = state.motion.configuration
        friction = len(self.system.effects)
        for s, node in enumerate(self.scheme.nodes, start=1):
            time = end if node == 1.0 else state.time + node * dt
            increment = dt * self.scheme.position[s - 1] @ work.velocity
            motion = Motion((place + increment,), (work.velocity[s].copy(),), (work.momentum_rate[s].copy(),))
            slip, multiplier = scratch.slip[s].T.copy(), scratch.multiplier[s].T.copy()
            problem = self.plan.friction.problems.get(s)
            if problem is None:
                problem = self.system.friction.for_stage(time, None, 0.0)
                problem = problem._replace(bound=problem.bound * scratch.share[s])
            acting = friction_at(slip, multiplier, (work.force[s, friction].copy(),))
            stages.append(Stage(motion=motion, friction=acting, problem=problem, own=(), counts=Counts()))
        return stages

    def _failure(self, status: int, end: float) -> BaseException:
        """Error of a step to ``end`` s from its status."""
        head = self.plan.scratch.now[0]
        time, turn = float(head["time"]), int(head["iteration"])
        errors = [error for callback in self.plan.callbacks if (error := callback.take_error()) is not None]
        if status == ANGLE_UNSETTLED:
            return Unsolved(
                f"the angle of the stage ending at t = {time:.9g} s did not settle in {turn} passes (still "
                f"{head['angle_change']:.3g} rad; contact force still by {head['force_defect']:.3g} of the forces)"
            )
        if status == PRESSURE_UNSETTLED:
            return Unsolved(
                f"the pressure of the stage ending at t = {time:.9g} s did not settle in {MAX_PRESSURE_ROUNDS} rounds"
            )
        if status == WORK_NOT_FINITE:
            return Unsolved(
                f"at t = {end:.6g} s the work is nan: loads or velocities are beyond all numbers", "NotFinite"
            )
        try:
            with in_pass(turn, time):
                if status == TIPS:
                    raise tipping_error(float(head["lever"]))
                raise errors[0] if errors else RigidFrictionError(MESSAGES[status])
        except BaseException as error:
            return error
