"""An elastic solid in space as a system: blocks (x (N, 3), x0, Q) with velocities (v, x0', Ω), all in space; mass and forces are in
the first, the frame follows by its condition."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Self

import numpy as np

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
from floating_frame.frame.kinematics import Array, FloatingFrame, FrameMotion
from floating_frame.frame.rotations import exponential, hat, rotation_vector, turn_rate
from floating_frame.system.elastic.carried import LONG, Carried
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import ElasticBody
from floating_frame.system.elastic.points import PlatePoints
from floating_frame.system.protocol import (
    Consistent,
    Guess,
    Partial,
    Stage,
    StageHistory,
    System,
    applied,
    effects_at,
)
from floating_frame.system.solid.frame import FrameOf
from floating_frame.system.solid.ground import Answer, Ground
from floating_frame.system.solid.results import SolidResults, displacement, frame_of
from floating_frame.system.solid.stage import SolidStage, advanced
from floating_frame.system.space.ground import Impacts
from floating_frame.system.state import Counts, InSpace, State

NO_FORCE = np.zeros(3)
"""Forces act on the nodes; the frame has none of its own."""
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


def with_frame(x: Array, v: Array, a: Array, frame: FloatingFrame) -> Motion:
    """Return the motion of nodes (N, 3), inertial, and of the frame."""
    return Motion(
        (x, frame.origin, frame.rotation), (v, frame.velocity, frame.spin), (a, frame.acceleration, frame.spin_rate)
    )


class SolidSystem(System):
    """An elastic solid on the ground with its ``frame``; ``effects``: loads, springs and others, then penalty contacts;
    ``start``: nodal x, v (N, 3) and Q; ``stress``: whether its series have the cells' stresses."""

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
        others, self.penalties = effects
        self.effects, self.friction = (*others, *self.penalties), ground.friction
        clamp = () if frame.free else (Clamp(),)
        self.sources: tuple[Source, ...] = (*self.effects, self.friction, Strain(), *clamp, Impacts())
        self.results = SolidResults(solid, frame, ground, self.effects, self.penalties, stress=stress)

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

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        Q = motion.configuration[2]
        return self._own(displacement(self.solid, motion), motion.velocity[0] @ Q, Q, None)

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
        body, u = self.solid.body, displacement(self.solid, motion)
        jacobian, cell = body.smallest_jacobian(u)
        if not jacobian > 0.0:
            raise InvertedElement(cell, jacobian, body.X[body.cells[cell]].mean(axis=0))
        return (body.strain_energy(u), *(() if self.frame.free else (0.0,)), 0.0)

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

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        force = applied(self.effects, effects_at(self.effects, time, internal, left=left), *motion[:2])[0]
        (x, _, Q), v = motion.configuration, motion.velocity[0]
        answer = self.ground.instant(time, force + self.own(time, motion)[0].force[0], motion, left=left)
        a = answer.velocity
        now = with_frame(x, v, a, self.frame.of(x, v, a, Q))
        return Consistent(now, answer.friction, self._own(displacement(self.solid, motion), v @ Q, Q, answer))
