"""Many steps of a free plate under dead loads and Coulomb friction in a row, by compiled loops on arrays that are made once.

The twin is ``scheme.step``: it takes what is left over, such as a step that semismooth Newton alone does not solve.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem import Plate
from floating_frame.coefficients import Scheme
from floating_frame.errors import LimitLoad
from floating_frame.frame.conditions import MeanAxis, Tisserand
from floating_frame.frame.kernels import dot
from floating_frame.frame.kinematics import Array
from floating_frame.system.plate import kernels as k
from floating_frame.system.plate.batch import Course, PlateBatch
from floating_frame.system.plate.compiled_stage import CompiledStage
from floating_frame.system.plate.system import STIFF, PlateSystem
from floating_frame.system.state import State
from floating_frame.system.stepper import CompiledStep, Rows
from friction.result import REVERSED
from friction.stick import HOLDS, beyond_stick, is_coulomb, turns_round

STORED = 2**16
"""Nodes times steps of a batch, about."""
LONGEST = 64
"""Steps in a batch at most: what is told between batches must not come late."""
SLACK = 0.05
"""Part of Σw that friction has left, so that a load is clearly below its limit."""
KINDS = (MeanAxis, Tisserand)
"""Frames that the kernels know."""


def compiled_plate_step(system: PlateSystem, scheme: Scheme) -> CompiledStep | None:
    """Return the compiled step of a free plate; None for other bodies, frames and laws, and where more than dead loads acts."""
    model, friction = system.model, system.friction
    known = type(model.body) is Plate and type(model.frame) in KINDS and model.heating is None
    if not known or friction.reacts or len(system.effects) > 1:  # the first are the dead loads
        return None
    if not friction.constant and friction.law.has_total:  # its bounds may pass the limit during the run
        return None
    coulomb = is_coulomb(friction.law.with_total_load(friction.bound(0.0)))
    return CompiledPlateStep(system, scheme) if coulomb else None


NODAL = ("x", "v", "a", "slip", "multiplier", "internal", "dead")
"""Fields of nodes in ``Stages``."""


class Stages(NamedTuple):
    """The start of a step (row 0) and its stages, (S + 1, …): nodal motion, slip, λ, internal force and dead loads (N, 2);
    q, q', q'' (3, 3); velocity (2,) of the ground."""

    x: Array
    v: Array
    a: Array
    slip: Array
    multiplier: Array
    internal: Array
    dead: Array
    frame: Array
    ground: Array


class CompiledPlateStep(CompiledStep):
    """The compiled steps of a ``system`` by the tables of a ``scheme``."""

    def __init__(self, system: PlateSystem, scheme: Scheme) -> None:
        self.system, self.scheme, N, rows = system, scheme, len(system.model.body.X), scheme.stages + 1
        self.longest = self.held = max(1, min(LONGEST, STORED // N))
        self._stage = CompiledStage(system.model)
        self._stages = Stages(
            **{name: np.zeros((rows, N, 2)) for name in NODAL}, frame=np.zeros((rows, 3, 3)), ground=np.zeros((rows, 2))
        )
        self._room, self._cells = np.zeros((3, N, 2)), np.zeros(len(system.model.body.nodes))
        self._refused: tuple[float, Array] | None = None
        self._limited = tuple(system.model.body.strains(np.zeros((N, 2))))
        self._course: Course | None = None

    def take(self, state: State, ends: Array, stored: Rows) -> PlateBatch | None:
        refused = self._refused
        if refused is not None and refused[0] == state.time and np.array_equal(refused[1], state.position):
            return None  # as seen at the end of the batch before
        if self._course is None:
            sources = len(state.records)
            self._course = Course.room(len(state.position), self.longest, sources, len(self._limited))
        course = self._course
        course.begin(state)
        times, taken = [state.time, *ends.tolist()], 0
        while taken < len(ends) and self._stepped(course, taken, times[taken], times[taken + 1]):
            taken += 1
        if taken < len(ends):
            self._refused = times[taken], course.x[taken].copy()
        return PlateBatch.of(self.system, state, ends[:taken], course, self._limited) if taken else None

    def _stepped(self, course: Course, row: int, time: float, end: float) -> bool:
        """Take the step from a row to the next; return whether that succeeded."""
        scheme, stage, stages, friction, dt = self.scheme, self._stage, self._stages, self.system.friction, end - time
        stage.cache.forget()
        stage.valid = False
        for held, start in zip(stages[:6], course[:6], strict=True):
            held[0] = start[row]
        stages.frame[0] = course.frame[row]
        if scheme.needs_start_force:
            self._start_force(time)
        for s, node in enumerate(scheme.nodes.tolist(), start=1):
            at = end if node == 1.0 else time + node * dt
            stages.dead[s], stages.ground[s] = self.system.model.loads.nodal_force(at), friction.ground(at)
            stage.bound[:] = friction.bound(at)
            stage.counts[:] = 0
            self._begin_stage(s, dt)
            if not stage.solve() or not (s < scheme.stages or self._guarded()):
                return False
            course.counts[row + 1, :3] += stage.counts
            f = stage.f
            stages.x[s], stages.v[s], stages.a[s] = f[k.POSITION], f[k.VELOCITY], f[k.ACCELERATION]
            stages.slip[s], stages.multiplier[s], stages.internal[s] = f[k.SLIP], f[k.MULTIPLIER], f[k.INTERNAL]
            stages.frame[s] = stage.frame
        if not self._end_step(course, row + 1, dt):
            return False
        if stage.fixed.any():
            self._continue(course, row + 1, end)
        return scheme.inertia or self._below_limit(course, row, end)

    def _start_force(self, time: float) -> None:
        """Evaluate the forces at the start of a step that the scheme mixes in (``instant.internal_force_at``)."""
        stage, stages, model = self._stage, self._stages, self.system.model
        u, internal, moment = self._room
        stages.dead[0] = model.loads.nodal_force(time, left=False)
        centre, angle = model.mass.mean(stages.x[0]), float(stages.frame[0, 0, 2])
        k.displaced(stages.x[0], np.array([*centre, angle]), model.mass.reference, u)
        stage.force(u, internal)
        if not model.objective:
            u += model.body.X
            stage.moment_force(stages.x[0], stages.v[0], angle, u, internal, moment)
            internal += moment
        k.turn(internal, angle, stages.internal[0])

    def _begin_stage(self, s: int, dt: float) -> None:
        """Give stage ``s`` (from 1) its history and its guess (``history.inherited``, ``PlateSystem.predict``)."""
        scheme, stage, stages, f, model = self.scheme, self._stage, self._stages, self._stage.f, self.system.model
        way, gain, theta = dt * scheme.position[s - 1], dt * scheme.velocity[s - 1], float(scheme.force[s - 1, s])
        k.combined(stages.v, way[:s], f[k.PLACE])
        k.combined(stages.a[1:], gain[1:s], f[k.INCOMING])
        f[k.PLACE] += stages.x[0]
        f[k.INCOMING] += stages.v[0]
        stage.star[0] = stages.frame[0, 0] + way[:s] @ stages.frame[:s, 1]
        stage.star[1] = stages.frame[0, 1] + gain[1:s] @ stages.frame[1:s, 2]
        np.multiply(stages.dead[s], theta, out=f[k.LOAD])
        if scheme.needs_start_force:
            f[k.LOAD] += scheme.force[s - 1, 0] * (stages.dead[0] + stages.internal[0])
        stage.ground[:] = stages.ground[s]
        stage.frame = stages.frame[s - 1].copy()
        tau_x, tau_v = float(way[s]), float(gain[s]) if scheme.inertia else np.inf
        if scheme.inertia:
            k.onward(f, stages.a[s - 1], stages.slip[s - 1], stage.ground, tau_v)
        else:
            f[k.VELOCITY] = stages.v[s - 1]
        all_slid = stage.begin((tau_x, tau_v, theta), stages.slip[[0, s - 1]])
        if all_slid and STIFF < tau_x * tau_v * model.stiffness * len(f[0]) / model.mass.total < np.inf:
            k.carry(f, stages.x[s - 1], stages.frame[s - 1, 0], stage.frame[0], tau_x)

    def _guarded(self) -> bool:
        """Hold nodes that the last stage would throw backwards (``guard.without_reversal``); return whether that succeeded."""
        scheme, stage, stages = self.scheme, self._stage, self._stages
        if not scheme.guards_reversal:
            return True
        if turns_round(stages.slip[0], stage.f[k.SLIP]):  # the step may have to be taken in two
            return False
        earlier, released = np.tensordot(scheme.weights[:-1], stages.multiplier[1:-1], 1), np.zeros_like(stage.fixed)
        for _ in range(HOLDS):
            fixed, new = stage.fixed, (stage.status == REVERSED) & ~released & ~stage.fixed
            if not (fixed.any() or new.any()):
                break
            mean = earlier + scheme.weights[-1] * stage.f[k.MULTIPLIER]
            too_much = fixed & beyond_stick(self.system.friction.law, mean, stage.bound)
            if not (too_much.any() or new.any()):
                break
            fixed[:], released = (fixed & ~too_much) | new, released | too_much
            stage.advance_frame(stage.frame)
            if not stage.solve():
                return False
        return True

    def _end_step(self, course: Course, row: int, dt: float) -> bool:
        """Write the end of a step; return whether all that has a meaning."""
        stage, stages, model, last = self._stage, self._stages, self.system.model, self.scheme.stages
        body, q, u = model.body, course.frame[row], self._room[0]
        for held, end in zip(stages[:6], course[:6], strict=True):
            end[row] = held[last]
        course.balance[row] = stage.f[k.NET]
        m = self._split(q, dt)
        if m is None:
            return False
        course.drift[row] = stages.frame[last, 0, 2] - q[0, 2], stages.frame[last, 1, 2] - q[1, 2]
        course.told[row] = np.abs(stages.dead[last]).sum(), m[14]
        k.displaced(stages.x[last], q[0], model.mass.reference, u)
        if not body.smallest_jacobian(u)[0] > 0.0:
            return False
        if course.strains.shape[1]:
            course.strains[row] = body.strain_range(u)
        cells = body.cell_energies(u, self._cells)
        v = stages.v[last]
        kinetic = 0.5 * dot(v, model.mass.times(v)) if self.scheme.inertia else 0.0
        course.energy[row] = kinetic, cells.sum()
        self._ledger(course, row, dt)
        return bool(np.isfinite(course.energy[row].sum() + course.work[row].sum()))

    def _split(self, q: Array, dt: float) -> tuple[float, ...] | None:
        """Write q, q', q'' (3, 3) that the frame's condition gives the end of the step into q; return the moments there, None where
        there are none (``PlateSystem.resplit``)."""
        stage, stages, frame, row = self._stage, self._stages, self.system.model.frame, self.scheme.position[-1]
        m: tuple[float, ...] = ()
        angle, turned = float(stages.frame[-1, 0, 2]), float(row[0] * stages.frame[0, 1, 2])
        for s in range(1 if not frame.holonomic else self.scheme.stages, self.scheme.stages + 1):
            m = stage.moments(stages.x[s], stages.v[s], stages.a[s])
            if not stage.decomposed(m, angle, q):
                return None
            turned += float(row[s] * q[1, 2])
        if not frame.holonomic:
            q[0, 2] = stages.frame[0, 0, 2] + dt * turned
        return m

    def _ledger(self, course: Course, row: int, dt: float) -> None:
        """Add the step's works, J, to a row (``scheme.ledger``): dead loads, friction, strain, inertia; and the densities."""
        scheme, stages, (working, *_) = self.scheme, self._stages, self._room
        given, ground, lost, worked, internal, inertial = (0.0,) * 6
        course.path[row], course.heat[row] = course.path[row - 1], course.heat[row - 1]
        for s, share in enumerate((dt * scheme.weights).tolist(), start=1):
            k.combined(stages.v, scheme.work[s - 1], working)
            for j in (0, s):
                if (mixed := float(scheme.force[s - 1, j])) != 0.0:
                    given += share * mixed * dot(stages.dead[j], working)
                    internal += share * mixed * dot(stages.internal[j], working)
            worked -= share * dot(stages.multiplier[s], working)
            if stages.ground[s].any():
                ground -= share * float(stages.multiplier[s].sum(axis=0) @ stages.ground[s])
            lost += share * k.densities(stages.multiplier[s], stages.slip[s], share, course.path[row], course.heat[row])
            if scheme.inertia:
                forces = self.system.model.mass.times(stages.a[s])
                inertial += sum(c * dot(stages.a[j], forces) for j, c in enumerate(scheme.kinetic_form[s - 1], start=1))
        grown = course.energy[row, 1] - course.energy[row - 1, 1]
        course.work[row] = course.work[row - 1]
        course.work[row, 0, 0] += given
        course.work[row, 1] += ground, lost, ground - worked - lost
        course.work[row, 2, 2] -= internal + grown
        course.work[row, 3, 2] += 0.5 * dt * dt * inertial

    def _continue(self, course: Course, row: int, end: float) -> None:
        """End a row on the continuous problem, in which nothing is held (``step.consistent_end``)."""
        q = course.frame[row]
        started, friction, own = self.system.consistent(
            end, course.motion(row), [None] * (len(self.system.effects) + 1)
        )
        course.a[row], course.slip[row], course.multiplier[row] = (
            started.acceleration[0],
            friction.slip,
            friction.multiplier,
        )
        q[1], q[2] = started.velocity[1], started.acceleration[1]
        course.internal[row], course.balance[row] = own[0].force[0], self._stages.dead[-1] - friction.multiplier

    def _below_limit(self, course: Course, row: int, end: float) -> bool:
        """Return whether friction can hold the load of a step without inertia (``PlateSystem.check_limit``).

        It does where it has something left; else it is asked for.
        """
        rests: NDArray[np.bool_] = np.logical_not(course.slip[row + 1].any(axis=1))
        bound, multiplier = self._stage.bound, course.multiplier[row + 1]
        left = float((bound - np.hypot(multiplier[:, 0], multiplier[:, 1])) @ rests)
        if left > SLACK * float(bound.sum()):
            return True
        try:
            self.system.check_limit(self.system.in_space(course.motion(row)), end)
        except LimitLoad:
            return False
        return True
