"""An elastic solid in space as a system: blocks (x (N, 3), x0, Q) with velocities (v, x0', Ω), all in space; mass and forces are in
the first, the frame follows by its condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.between import depth_between
from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.tunnelling import refuse_passage
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import (
    STRAIN,
    Blocks,
    Effect,
    Internal,
    Mask,
    Motion,
    Record,
    Source,
)
from floating_frame.errors import InvertedElement, NotFinite
from floating_frame.frame.inertia import integrals, residual
from floating_frame.frame.kinematics import Array, FloatingFrame, FrameMotion, deformation
from floating_frame.frame.rigid_modes import resultant
from floating_frame.frame.rotations import cross, exponential, hat, quaternion, rotation_vector, turn_rate
from floating_frame.frame.skew import inertia
from floating_frame.system.elastic.carried import LONG, Carried
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import EPS, ElasticBody
from floating_frame.system.elastic.points import PlatePoints
from floating_frame.system.protocol import (
    Consistent,
    Fields,
    Guess,
    Partial,
    Scales,
    Series,
    Stage,
    StageHistory,
    System,
    Way,
    applied,
    effects_at,
)
from floating_frame.system.solid.frame import FrameOf
from floating_frame.system.solid.ground import Answer, Ground
from floating_frame.system.solid.stage import SolidStage, advanced
from floating_frame.system.space.ground import Impacts
from floating_frame.system.state import Counts, InSpace, State

NO_FORCE = np.zeros(3)
"""Forces act on the nodes; the frame has none of its own."""
VOIGT = [0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]
"""Rows and columns of a symmetric matrix that are its components xx, yy, zz, yz, xz, xy."""
STIFF = 10.0
"""Number τ² K/m of a stage above which a step is long against the elastic periods."""


class Strain(Source):
    """A solid's internal forces."""

    name = STRAIN

    def in_resultant(self, *, own: bool) -> bool:
        return not own


class Clamp(Source):
    """What holds the nodes of a clamped face."""

    name = "clamp"
    results = ("held",)


def frame_of(motion: Motion) -> FloatingFrame:
    """Return the frame's part of a motion."""
    (_, x0, Q), (_, v0, spin), (_, a0, rate) = motion
    return FloatingFrame(x0, v0, a0, Q, spin, rate)


def with_frame(x: Array, v: Array, a: Array, frame: FloatingFrame) -> Motion:
    """Return the motion of nodes (N, 3), inertial, and of the frame."""
    return Motion(
        (x, frame.origin, frame.rotation), (v, frame.velocity, frame.spin), (a, frame.acceleration, frame.spin_rate)
    )


class SolidSystem(System):
    """An elastic solid on the ground with its ``frame``; ``effects``: loads, springs and others, then penalty contacts;
    ``start``: nodal x, v (N, 3) and Q; ``stress``: whether its series have the cells' stresses."""

    dimension = 3

    def __init__(
        self,
        solid: ElasticBody,
        frame: FrameOf,
        start: tuple[Array, Array, Array],
        effects: tuple[Sequence[Effect], Sequence[PenaltyContact[PlatePoints]]],
        ground: Ground,
        *,
        stress: bool = False,
    ) -> None:
        self.solid, self.frame, self._start, self.ground = solid, frame, start, ground
        self._carried: Carried
        self.results, self._stress = ("deformed", *(("stress in space",) if stress else ())), stress
        others, self.penalties = effects
        self.effects, self.friction = (*others, *self.penalties), ground.friction
        clamp = () if frame.free else (Clamp(),)
        self.sources: tuple[Source, ...] = (*self.effects, self.friction, Strain(), *clamp, Impacts())
        kind = "unique" if len(np.unique(ground.nodes)) == len(ground.nodes) else "equal-compliance"
        self.notes: Mapping[str, tuple[tuple[str, str], ...]] = {"contact_force": (("resolution", kind),)}
        self.turns_freely = frame.free

    @property
    def scales(self) -> Scales:
        moment = float(np.linalg.eigvalsh(inertia(self.solid.mass.second_moments))[-1])
        return Scales(self.solid.stiffness, self.solid.mass.total, moment)

    @property
    def friction_mass(self) -> Array:
        return np.asarray(self.solid.mass.matrix.diagonal()[self.ground.nodes])

    def in_space(self, time: float, motion: Motion) -> InSpace:
        (x, x0, _), (v, v0, _), (a, a0, _) = motion
        return InSpace(x, v, a, FrameMotion(x0, v0, a0))

    def initial_motion(self) -> Motion:
        x, v, Q = self._start
        still = np.zeros_like(x)
        return with_frame(x, v, still, self.frame.of(x, v, still, Q))

    def begin(self, state: State, end: float, *, inertia: bool, lands: bool) -> Self:
        x, x0, Q = state.motion.configuration
        begun, long = copy(self), (end - state.time) * self.solid.breathing > LONG
        begun.ground = self.ground.begin((state.time, end), state.motion, state.friction, lands=lands)
        arms = x - x0 - Q @ self.frame.pivot
        begun._carried = Carried(arms, begun.ground.kept(state.friction)) if long else Carried()
        return begun

    def retract(self, configuration: Blocks, way: Blocks) -> Blocks:
        """Return (x + C[exp(Θ) − 1] + ξ, x0 + ξ0, exp(Θ) Q), C of ``elastic.carried``."""
        (x, x0, Q), turn = configuration, exponential(way[2])
        return x + self._carried.along_arc(turn) + way[0], x0 + way[1], turn @ Q

    def way_rate(self, start: Motion, motion: Motion) -> Blocks:
        """Return (v − C[hat(Ω) exp(Θ)], x0', Θ'), Θ' = Ω − ½ Θ × Ω with Θ the turn since ``start``."""
        (v, v0, spin), Q, before = motion.velocity, motion.configuration[2], start.configuration[2]
        return v - self._carried.rate(hat(spin), Q @ before.T), v0, turn_rate(before, Q, spin)

    def _along(self, history: StageHistory, frame: FloatingFrame) -> StageHistory:
        """Return the history of a stage that ends with a ``frame``: x = x* + τ v with what it carries the nodes besides."""
        turn = frame.rotation @ history.origin[2].T
        beside = self._carried.beside(hat(frame.spin), turn, history.tau_x)
        x = history.origin[0] + history.way[0] + beside
        return replace(history, configuration=(x, *history.configuration[1:]))

    def ground_rates(self, ground: Array) -> Blocks:
        along = np.zeros_like(self.solid.body.X)
        along[:, : len(ground)] = ground
        return along, NO_FORCE, NO_FORCE

    def slip(self, time: float, motion: Motion, ground: Array) -> Array:
        return self.ground.slip(motion.velocity[0], ground)

    def apply_mass(self, acceleration: Blocks) -> Blocks:
        return self.solid.mass.matrix @ acceleration[0], NO_FORCE, NO_FORCE

    def _displacement(self, motion: Motion) -> Array:
        x, x0, Q = motion.configuration
        return np.asarray((x - x0) @ Q - self.solid.body.X)

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        Q = motion.configuration[2]
        return self._own(self._displacement(motion), motion.velocity[0] @ Q, Q, None)

    def _own(self, u: Array, velocity: Array, Q: Array, answer: Answer | None) -> tuple[Record, ...]:
        """Records of the internal forces at u and V (N, 3), body components, of a clamp's and of impacts."""
        viscous = self.solid.body.viscous_force(u, velocity)
        internal = (self.solid.body.internal_force(u) + viscous) @ Q.T
        strain = Record((internal, NO_FORCE, NO_FORCE), dissipated=-float(np.vdot(viscous, velocity)))
        none = np.zeros_like(internal), NO_FORCE, NO_FORCE
        held = none if answer is None or answer.holding is None else (answer.holding, NO_FORCE, NO_FORCE)
        impacts = Impacts().record(none, None if answer is None else answer.friction.landed)
        return (strain, impacts) if self.frame.free else (strain, Record(held, mixed=False), impacts)

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        body, u = self.solid.body, self._displacement(motion)
        jacobian, cell = body.smallest_jacobian(u)
        if not jacobian > 0.0:
            raise InvertedElement(cell, jacobian, body.X[body.cells[cell]].mean(axis=0))
        return (body.strain_energy(u), *(() if self.frame.free else (0.0,)), 0.0)

    def strains(self, state: State) -> Mapping[str, float]:
        strains: Mapping[str, float] = self.solid.body.strains(self._displacement(state.motion))
        return strains

    def predict(self, history: StageHistory, partial: Partial) -> Guess:
        """Return the last velocities and forces known; in steps long against the elastic periods the nodes are carried along by
        the frame at the last deformation, for straight paths of turning nodes would be large strains."""
        guess, mass = super().predict(history, partial), self.solid.mass
        last = partial.stages[-1] if partial.stages else partial.state
        if history.tau_x * history.tau_v * self.solid.stiffness * len(mass.nodal) / mass.total < STIFF:
            return guess
        now, ahead = frame_of(last.motion), advanced(history, *guess.acceleration[1:])
        history = self._along(history, ahead)
        carried = (last.motion.configuration[0] - now.origin) @ now.rotation @ ahead.rotation.T
        velocity = (ahead.origin + carried - history.configuration[0]) / history.tau_x
        return guess._replace(velocity=(velocity, *guess.velocity[1:]))

    def solve_stage(
        self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None
    ) -> Stage | None:
        """Solve the nodes in the predicted frame, then the frame. Raises SignoriniError, NotConverged, FrameUndefined and
        what the factor raises."""
        load, smooth = (
            history.start_force[0],
            NodeEffects.of(self.effects, history.effects, history.tau_x, history.theta),
        )
        for effect, acting in zip(self.effects, history.effects, strict=True):
            if effect.constant:
                force = acting.at(history.configuration[0], history.velocity[0]).force
                load = load + history.theta * effect.points.pull(history.configuration, force)[0]
        frame = advanced(history, *guess.acceleration[1:])
        if not all(np.isfinite(part).all() for part in frame):
            raise NotFinite(f"the frame predicted for t = {history.time:.9g} s is beyond all numbers")
        history, Q = self._along(history, frame), self.ground.axes(frame.rotation)
        stage = SolidStage(self.solid, history, frame._replace(rotation=Q), load, smooth)
        start = guess.velocity[0] @ Q, guess.multiplier
        answer = self.ground.solve(stage, start, reference, fixed)
        if answer is None:
            return None
        v, placed = answer.velocity, answer.displacement
        x = self.frame.placed(history.configuration[0] + history.tau_x * v, answer.frame)
        a = (v - history.velocity[0]) / history.tau_v
        force = load + answer.friction.force[0]
        if smooth:
            force = force + smooth.force(*stage.place(v @ Q, placed))
        frame = self.frame.after(history, (x, v, a), force, answer.frame or frame)
        return Stage(
            motion=with_frame(x, v, a, frame),
            friction=answer.friction,
            problem=history.friction,
            own=self._own(stage.displacement(v @ Q) if placed is None else placed, v @ Q, Q, answer),
            counts=answer.counts,
        )

    def resplit(self, partial: Partial) -> tuple[Motion, Counts]:
        """Return the end of the step with the frame of its condition, and by how much that of (2.3)2 is turned from it.

        Raises WentThrough."""
        state, last = partial.state, partial.stages[-1].motion
        Q = self.frame.rotation(state.motion, [stage.motion for stage in partial.stages], partial.dt * partial.position)
        (x, *_), (v, *_), (a, *_) = last
        before, size = state.motion.configuration[0], float(np.abs(self.solid.body.X).max())
        times = state.time, state.time + partial.dt
        x = self.ground.put_back(x, times[1], partial.stages[-1].friction)
        for obstacle, nodes in self.ground.touching:
            refuse_passage(obstacle, (before[nodes], x[nodes]), times, 0.0, size)
        frame = self.frame.of(x, v, a, last.configuration[2] if Q is None else Q)
        drift = rotation_vector(last.configuration[2] @ frame.rotation.T)
        off = float(np.linalg.norm(last.velocity[2] - frame.spin))
        return with_frame(x, v, a, frame), Counts(drift=float(np.linalg.norm(drift)), spin_drift=off)

    def wrench(self, force: Blocks, motion: Motion, about: Array) -> Array:
        return resultant(force[0], motion.configuration[0], about)

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        force = applied(self.effects, effects_at(self.effects, time, internal, left=left), *motion[:2])[0]
        (x, _, Q), v = motion.configuration, motion.velocity[0]
        answer = self.ground.instant(time, force + self.own(time, motion)[0].force[0], motion, left=left)
        a = answer.velocity
        now = with_frame(x, v, a, self.frame.of(x, v, a, Q))
        return Consistent(now, answer.friction, self._own(self._displacement(motion), v @ Q, Q, answer))

    def reference(self) -> Fields:
        return {"X": self.solid.body.X, "cells": self.solid.body.cells}

    def series(self, state: State, step: float) -> Series:
        mass, frame, X = self.solid.mass, frame_of(state.motion), self.solid.body.X
        x, v, a = state.position, state.velocity, state.acceleration
        values = integrals(mass.matrix, X, deformation(X, x, v, a, frame))
        net = self.resultant(state, frame.origin)
        momentum = mass.matrix @ v
        u, further = self._displacement(state.motion), {} if self.frame.free else self._reaction(state, frame)
        if self._stress:
            further |= {
                "stress": self.solid.body.stress(u)[:, *VOIGT],
                "cauchy_stress": self.solid.body.cauchy_stress(u)[:, *VOIGT],
            }
        return {
            "time": state.time,
            "frame_position": frame.origin,
            "frame_velocity": frame.velocity,
            "frame_rotation": quaternion(frame.rotation),
            "frame_spin": frame.spin,
            "displacement": u,
            "position": x,
            "velocity": v,
            "A": values.A,
            "P": values.P,
            "B": values.B,
            "L": values.L,
            "J": values.J,
            "rigid_residual": self._relative(*residual(values, frame, net), state, frame),
            "linear_momentum": momentum.sum(axis=0),
            "angular_momentum": cross(x, momentum).sum(axis=0),
            **further,
        } | self._contact(state)

    def _contact(self, state: State) -> Series:
        """Return what the ground and penalty contacts do to all nodes, and which of them stick."""
        series = dict(self.ground.series(state))
        for effect, record in zip(self.penalties, self._pressing(state), strict=True):
            now, spread = effect.seen(state.time, state.motion, record.internal), effect.points.spread
            pressed, rubs = now.normal[:, None] * now.gap.normal, spread(now.normal[:, None]).any(axis=1)
            series["contact_force"] = series["contact_force"] + spread(now.force)
            series["normal_force"] = series["normal_force"] + spread(now.normal[:, None])[:, 0]
            series["friction_force"] = series["friction_force"] + spread(now.force - pressed)
            series["stick"] = np.where(rubs, np.maximum(series["stick"], 0), series["stick"])
        return series

    def _pressing(self, state: State) -> tuple[Record, ...]:
        """Return the records of penalty contacts."""
        return state.records[len(self.effects) - len(self.penalties) : len(self.effects)]

    def _reaction(self, state: State, frame: FloatingFrame) -> Series:
        """Return the force of a clamp and its moment about x0."""
        held = resultant(state.records[-2].force[0], state.position, frame.origin)
        return {"clamp_reaction": held[:3], "clamp_moment": held[3:]}

    def at_points(self, series: Series) -> Series:
        """Return the friction points' sums as all nodes have them."""
        nodes, spread = np.concatenate([self.ground.nodes, *(e.points.nodes for e in self.penalties)]), {}
        for name in ("slip_path", "friction_work"):
            spread[name] = np.bincount(nodes, np.asarray(series[name]), len(self.solid.body.X))
        return series | spread

    def _relative(self, rest: Array, size: Array, state: State, frame: FloatingFrame) -> float:
        """Return the residual (6,) of (2.3)1 and (2.3)2 over their largest terms, or what presses; 0 where these are noise."""
        mass, arms = self.solid.mass, np.linalg.norm(state.position - frame.origin, axis=1)
        pressed, borne = np.linalg.norm(state.friction.multiplier, axis=1), np.zeros(len(arms))
        for record in self._pressing(state):
            borne = borne + np.linalg.norm(record.force[0], axis=1)
        scale = np.maximum(size, [pressed.sum() + borne.sum(), pressed @ arms[self.ground.nodes] + borne @ arms])
        forces, extent = mass.nodal * np.linalg.norm(state.acceleration, axis=1), float(arms.max())
        for record in state.records:  # loads and a clamp may cancel each other
            forces = forces + np.linalg.norm(record.force[0], axis=1)
        rounding = 8.0 * EPS * self.solid.stiffness * extent
        noise = np.maximum(1e-10 * np.array([forces.sum(), forces @ arms]), [rounding, rounding * extent])
        parts = np.array([np.abs(rest[:3]).max(), np.abs(rest[3:]).max()])
        return float(np.max(np.where(scale > noise, parts / np.where(scale > noise, scale, 1.0), 0.0)))

    def acceleration_by(self, state: State, force: Array) -> float:
        return float(np.max(np.linalg.norm(force, axis=1) / self.solid.mass.matrix.diagonal()))

    def spin_momentum(self, state: State) -> Array:
        mass, x, v = self.solid.mass, state.position, state.velocity
        y, w = x - mass.mean(x), v - mass.mean(v)
        return np.asarray(cross(y, mass.matrix @ w).sum(axis=0))

    def ways(self, before: State, after: State) -> list[Way]:
        return [
            Way(obstacle, before.position[nodes], after.position[nodes], 0.0, before.time, after.time)
            for obstacle, nodes in self._touching()
            if not obstacle.level
        ]

    def _touching(self) -> list[tuple[Obstacle, NDArray[np.intp]]]:
        """Return obstacles with the nodes that may touch them, exact ones first."""
        return [*self.ground.touching, *((effect.contact.obstacle, effect.points.nodes) for effect in self.penalties)]

    def sunk(self, state: State) -> float:
        x, time = state.position, state.time
        gaps = [obstacle.gap(x, time).gap for obstacle, _ in self.ground.touching]
        for effect in self.penalties:  # its own nodes are meant to go in
            gaps.append(effect.contact.obstacle.gap(np.delete(x, effect.points.nodes, axis=0), time).gap)
        return max(0.0, -float(np.min([gap.min(initial=np.inf) for gap in gaps], initial=np.inf)))

    def pressed_in(self, state: State) -> float:
        x, time = state.position, state.time
        gaps = [effect.contact.obstacle.gap(x[effect.points.nodes], time).gap.min() for effect in self.penalties]
        return max(0.0, -float(np.min(gaps, initial=np.inf)))

    def between(self, state: State) -> float:
        corners, time = state.position[self.solid.body.outline], state.time
        return max((depth_between(obstacle, corners, time) for obstacle, _ in self._touching()), default=0.0)

    def turn_rate(self, state: State) -> float:
        return float(np.linalg.norm(state.motion.velocity[2]))
