"""One stage of a rigid body in space by compiled kernels (``kernels.stage``), with their data from Python; without convergence the
globally convergent method (``friction.cone.solve_cone``) solves the same linearised balance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from floating_frame.contact.axes import contact_axes
from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.shapes import formula_of
from floating_frame.effect.loads import DeadLoads
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.penalty_kernel import BRISTLES
from floating_frame.effect.protocol import Blocks, Effect, StageEffect
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross, hat
from floating_frame.rigid_solid import RigidSolid
from floating_frame.system.protocol import StageHistory
from floating_frame.system.rigid.effects import Callback, EffectLayout, compiled_effect
from floating_frame.system.rigid.kernels.records import EFFECT_TAU, EffectTable
from floating_frame.system.space.body import SpacePoints
from floating_frame.system.space.contacts import Contacts
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.stage import finish_stage, linearise, solve_stage
from floating_frame.system.stages import ANGLE_UNSETTLED, EXCEPTION
from floating_frame.system.state import Counts
from friction.cone import solve_cone
from friction.status import OPEN

MAX_TURNS = 60
ACCEPTED = ((20, 1e-12), (40, 1e-10), (MAX_TURNS, 1e-8))
"""Iterations, and the accepted residual of the balance over the momenta over τ, or the forces, until then: rounding, then
ill-conditioned contacts, then slip so small that rounding turns its friction."""


def filled(kind: np.dtype[np.void], **fields: ArrayLike) -> NDArray[np.void]:
    """Record (1,) with these fields, in the first rows of longer ones."""
    record = np.zeros(1, kind)
    for name, values in fields.items():
        record[name][(slice(1), *(slice(n) for n in np.shape(values)))] = values
    return record


def obstacle_rows(obstacles: Sequence[Obstacle], time: float) -> Array:
    """Rows (n, OBSTACLE) of obstacles at one time."""
    rows, origin = np.zeros((len(obstacles), rec.OBSTACLE)), np.zeros((1, 3))
    for row, obstacle in zip(rows, obstacles, strict=True):
        row[rec.OB_KIND] = rec.FLAT if obstacle.flat else rec.CURVED
        motion, formula = obstacle.motion, formula_of(obstacle)
        if obstacle.flat:
            gap, normal, _ = obstacle.gap(origin, time)
            row[: rec.OB_OFFSET], row[rec.OB_OFFSET] = contact_axes(normal)[0].ravel(), -gap[0]
        elif formula is None:
            row[rec.OB_SHAPE] = rec.PYTHON_SHAPE
        else:
            row[rec.OB_SHAPE], numbers = formula
            row[rec.OB_NUMBERS : rec.OB_NUMBERS + len(numbers)] = numbers
            row[: rec.OB_OFFSET] = motion.turn(time).ravel()
            if motion.moves:
                row[rec.OB_PLACE : rec.OB_PIVOT] = motion.pivot_position(time)
                row[rec.OB_PIVOT : rec.OB_SHAPE] = motion.pivot
        if motion.moves:
            row[rec.OB_VELOCITY : rec.OB_SPIN] = motion.velocity_at(origin, time)[0]
            row[rec.OB_SPIN : rec.OB_KIND] = motion.turning
    return rows


def load_row(force: Array, points: SpacePoints) -> Array:
    """Numbers (19,) of loads (P, 3) N at points: see ``records.LOADS``."""
    X, total, none = points.X, force.sum(axis=0), np.zeros(12)
    size = [np.abs(force).sum()]
    if points.follow:
        return np.concatenate([none, total, cross(X, force).sum(axis=0), size])
    return np.concatenate([total, (X.T @ force).ravel(), none[:6], size])


def write_loads(rows: Array, loads: NDArray[np.void] | np.void) -> None:
    """Write rows (…, 19) into records ``LOADS`` (…,)."""
    loads["force"], loads["couple"] = rows[..., :3], rows[..., 3:12].reshape(*rows.shape[:-1], 3, 3)
    loads["follower"], loads["size"] = rows[..., 12:18], rows[..., 18]


class CompiledSpaceBody:
    """Arrays and records of a ``body``, its ``contacts`` and ``effects`` for the kernels. ``table``, ``layout`` and ``blocks`` of
    those that are compiled; ``called``: the others, evaluated by Python."""

    def __init__(self, body: RigidSolid, contacts: Contacts, effects: Sequence[Effect]) -> None:
        self.contacts = contacts
        inverse: Array = np.asarray(np.linalg.inv(body.inertia), float)
        self.loads = tuple(
            (k, e.points)
            for k, e in enumerate(effects)
            if isinstance(e, DeadLoads) and isinstance(e.points, SpacePoints)
        )
        placed = {k: e.points.X for k, e in enumerate(effects) if isinstance(e.points, SpacePoints)}
        each = ((k, compiled_effect(effects[k])) for k in placed)
        compiled = {k: effect for k, effect in each if effect is not None}
        self.layout = EffectLayout(list(compiled.values()), [placed[k] for k in compiled], 3)
        self.table = self.layout.table([effect.address for effect in compiled.values()])
        self.blocks = np.zeros(self.layout.first[-1])
        ends = zip(compiled.items(), self.layout.first[1:].tolist(), strict=True)
        self._bristle_blocks = tuple((k, end) for (k, effect), end in ends if effect.bristles)
        known = {k for k, _ in self.loads} | set(compiled)
        self.called = tuple((k, e) for k, e in enumerate(effects) if k not in known)
        straight = all(o.flat and not o.motion.may_turn for o in contacts.obstacles)
        bent = bool(self.called) or bool(compiled)
        self.body = filled(
            rec.BODY,
            feet=max(1, len(body.shape.reference)),
            mass=body.mass,
            inertia=body.inertia,
            inverse=inverse,
            ball=body.shape.radius,
            radius=body.radius,
            size=contacts.size,
            soft=1.0 / body.mass + body.radius**2 * float(np.trace(inverse)) / 3.0,
            bends=bent or not straight,
        )
        m = len(contacts.reference)
        self.surface, self.effects = np.zeros((m + 1, rec.CURVED_POINT)), np.zeros(rec.ACTING)
        self.linear, self.stage, self.load = (np.zeros(1, kind) for kind in (rec.LINEAR, rec.STAGE, rec.LOADS))
        self._history: tuple[StageEffect, ...] = ()
        self._tau = 0.0
        self._curved = [(part, o) for o, part in contacts.groups if not o.flat]
        self.callbacks = [Callback(self._obstacles), Callback(self._effects)]
        addresses = [callback.address for callback in self.callbacks]
        called = any(formula_of(o) is None for _, o in self._curved)
        self.python = filled(
            rec.PYTHON,
            obstacles=addresses[0] if called else 0,
            effects=addresses[1] if self.called else 0,
            curved=bool(self._curved),
        )
        self._still = (
            None if any(o.motion.moves for o in contacts.obstacles) else obstacle_rows(contacts.obstacles, 0.0)
        )

    def ground(self, time: float) -> Array:
        """Rows (n, OBSTACLE) of the obstacles at one time."""
        return obstacle_rows(self.contacts.obstacles, time) if self._still is None else self._still

    def evaluate_obstacles(self, centres: Array, time: float) -> None:
        """Write the gaps of curved obstacles at the points' centres (m, 3) m for the kernels."""
        self.surface[:-1, :3], self.surface[-1, 0] = centres, time
        self._obstacles()

    def _obstacles(self) -> float:
        time = float(self.surface[-1, 0])
        for part, obstacle in self._curved:
            rows = self.surface[:-1][part]
            gap, normal, curvature = obstacle.gap(rows[:, :3], time)
            rows[:, rec.AS_GAP], rows[:, rec.AS_NORMAL : rec.AS_CURVATURE] = gap, normal
            rows[:, rec.AS_CURVATURE :] = curvature.reshape(-1, 9)
        return 0.0

    def _effects(self) -> float:
        """Write force and moment (6,) of effects in Python, their derivative (6, 6) by (v, Ω), and the size of the forces, N."""
        x, Q, velocity, T = np.split(self.effects[: rec.AC_WRENCH], (rec.AC_ROTATION, rec.AC_VELOCITY, rec.AC_TANGENT))
        configuration = (x.copy(), Q.reshape(3, 3).copy())
        w = np.split(velocity.copy(), 2)
        T = T.reshape(3, 3)
        tau = self._tau
        total, slope, size = np.zeros(6), np.zeros((6, 6)), 0.0
        for k, effect in self.called:
            place, v = effect.points.place(configuration), effect.points.velocity(configuration, (w[0], w[1]))
            now, arms = self._history[k].at(place, v), place - configuration[0]
            total += np.concatenate(effect.points.pull(configuration, now.force))
            size += float(np.abs(now.force[:, :3]).sum())
            slope[:, 3:] += effect.points.turn_slope(configuration, now.force) @ T
            if now.by_place is None and now.by_velocity is None:
                continue
            maps = effect.points.rates(configuration)
            if now.by_place is not None:
                rates = np.concatenate([tau * maps[:, :3, :3], -hat(arms) @ T], axis=2)
                slope += np.einsum("pak,pab,pbl->kl", maps, now.by_place, rates)
            if now.by_velocity is not None:
                turned = maps.copy()
                turned[:, :3, 3:] -= hat(w[1]) @ hat(arms) @ T
                slope += np.einsum("pak,pab,pbl->kl", maps, now.by_velocity, turned)
        self.effects[rec.AC_WRENCH : rec.AC_STIFFNESS], self.effects[rec.AC_SIZE] = total, size
        self.effects[rec.AC_STIFFNESS : rec.AC_SIZE] = slope.ravel()
        return 0.0

    def solve(self, history: StageHistory, velocity: Blocks, P: Array, ground: Array) -> tuple[Blocks, Blocks, Counts]:
        """Solve a stage from (v, Ω) and the forces of the points P (m, POINT), by the kernels, else by ``solve_cone``. Return
        velocity and configuration at its end, and counts: iterations, systems, restarts of Newton's method. Raises Unsolved and
        ConeError."""
        given = self.arguments(history, ground)
        linear = self.linear[0]
        linear["velocity"][:3], linear["velocity"][3:] = velocity
        linear["spent"], started = 0, P[:, rec.FORCE : rec.SLIP].copy()
        status = solve_stage(*given, linear, P)
        turns, systems = linear["spent"].tolist()
        fallbacks = 0
        if status == ANGLE_UNSETTLED:
            linear["velocity"][:3], linear["velocity"][3:] = velocity
            P[:, rec.FORCE : rec.SLIP] = started
            status, more, solved, fallbacks = self._solve_globally(given, linear, P, history.time)
            turns, systems = turns + more, systems + solved
        if status == EXCEPTION:
            self.raise_error()
        w, configuration = linear["velocity"].copy(), (linear["place"].copy(), linear["rotation"].copy())
        return (w[:3], w[3:]), configuration, Counts(passes=turns, newton=systems, fallbacks=fallbacks)

    def raise_error(self) -> None:
        """Raise the error of a Python function called by the kernels."""
        for callback in self.callbacks:
            error = callback.take_error()
            if error is not None:
                raise error

    def arguments(self, history: StageHistory, ground: Array) -> tuple[np.void | Array | EffectTable, ...]:
        """The arguments of ``kernels.stage.linearise`` before the velocity."""
        stage, load = self.stage[0], self.load[0]
        stage["tau"], stage["tau_v"], stage["theta"] = history.tau_x, history.tau_v, history.theta
        lag = history.tau_v - history.tau_x
        stage["time"], stage["time_ahead"] = history.time, history.time + lag
        for name, blocks in (
            ("increment", history.increment),
            ("before", history.velocity),
            ("first", history.start_force),
        ):
            stage[name][:3], stage[name][3:] = blocks
        stage["place"], stage["rotation"] = history.origin
        each = [load_row(history.effects[k].at(NOWHERE, NOWHERE).force, points) for k, points in self.loads]
        write_loads(np.sum(each, axis=0), load)
        self._history, self._tau = history.effects, history.tau_x
        self.blocks[self.layout.first[:-1] + EFFECT_TAU] = history.tau_x
        for k, end in self._bristle_blocks:
            acting = history.effects[k]
            assert isinstance(acting, PenaltyContact)
            assert acting.start is not None
            start = end - BRISTLES * len(acting.start)
            self.blocks[start : start + acting.start.size] = acting.start.T.ravel()
        at_time = self.layout.time_data(np.full((1, 1), history.time))[0, 0]
        ahead = self.ground(history.time + lag) if lag and self._still is None else ground
        return (
            self.body[0],
            stage,
            load,
            ground,
            ahead,
            self.table,
            at_time,
            self.blocks,
            self.python[0],
            self.surface,
            self.effects,
        )

    def _solve_globally(
        self, given: tuple[np.void | Array | EffectTable, ...], linear: np.void, P: Array, time: float
    ) -> tuple[int, int, int, int]:
        """Solve a stage by the globally convergent method; return the kernel's status, iterations, Newton iterations, and
        fallbacks."""
        w, radius, m, fallbacks, iterations = linear["velocity"], float(self.body["radius"][0]), len(P), 0, 0
        missed, level = np.zeros(6), 1.0
        size = radius + float(np.abs(self.stage["place"]).max())
        rounding = 4.0 * np.finfo(float).eps * size / float(self.stage["tau"][0])  # m/s, of gaps over τ
        for turn in range(1, MAX_TURNS + 1):
            level = linearise(*given, w, linear, P)
            if level < 0.0:
                return EXCEPTION, turn, iterations, fallbacks
            D, rest = linear["stiffness"].copy(), linear["rest"].copy()
            blocks = [P[:, c : c + 9].reshape(m, 3, 3) for c in (rec.BY_VELOCITY, rec.BY_SPIN, rec.PULL, rec.MOMENT)]
            rows = np.concatenate(blocks[:2], axis=2).reshape(-1, 6)
            pulls = np.concatenate(blocks[2:], axis=2).reshape(-1, 6).T
            p = P[:, rec.FORCE : rec.SLIP]
            inverse = np.linalg.inv(D)
            response = rows @ inverse @ pulls
            free = P[:, rec.VELOCITY : rec.BEFORE].ravel() - rows @ inverse @ rest - response @ p.ravel()
            may = P[:, rec.OPEN_ONLY] == 0.0
            each = np.repeat(may, 3)
            contact = solve_cone(
                response[np.ix_(each, each)], free.reshape(-1, 3)[may], P[may, rec.FRICTION], p[may], level, rounding
            )
            force, status = np.zeros_like(p), np.full(m, OPEN, np.int8)
            force[may], status[may] = contact.force, contact.status
            iterations, fallbacks = iterations + contact.iterations, fallbacks + int(contact.fallback)
            step = -inverse @ (rest - pulls @ (force - p).ravel())
            w += step
            P[:, rec.FORCE : rec.SLIP], P[:, rec.STATUS] = force, status
            arms = np.repeat([1.0, radius], 3)
            missed, part = np.abs(D @ step) / arms / level, next(part for last, part in ACCEPTED if turn <= last)
            if np.all(missed <= part) or np.all(np.abs(step) * arms <= rounding):
                body, stage, _, ground, *_, python, surface, _ = given
                return finish_stage(body, stage, ground, python, surface, linear, P), turn, iterations, fallbacks
        raise Unsolved(
            f"momentum and contact of the stage ending at t = {time:.9g} s did not settle in {MAX_TURNS} turns "
            f"(still {float(missed.max()):.3g} of the forces)"
        )


NOWHERE = np.zeros((0, 3))
"""Empty positions for dead loads, which depend on time alone."""
