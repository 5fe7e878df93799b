"""An elastic body in the plane or in space as a system: nodes, and a floating frame determined by them (``blocks``). A stage is
solved by passes: the nodes with their supports (``ground``), then the frame. One pass is enough where no force on the nodes depends
on the frame or is frozen (docs/theory.md, section 6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import Self

import numpy as np

from floating_frame.contact.tunnelling import refuse_tunnelling
from floating_frame.effect.protocol import (
    STRAIN,
    Blocks,
    Effect,
    Instant,
    Internal,
    Mask,
    Motion,
    OwnSource,
    Record,
    Source,
)
from floating_frame.errors import Unsolved, in_pass
from floating_frame.frame.kinematics import Array, FloatingFrame, skew_of
from floating_frame.frame.rigid_pass import FrameHistory
from floating_frame.frame.rotations import rotate_attitude, rotation_by, rotation_of, turn_between, turn_rate
from floating_frame.system.elastic.arc_predictor import LONG_STEP, ArcPredictor
from floating_frame.system.elastic.blocks import elastic_motion, frame_history, frame_in_space, frame_of, on_nodes
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import ElasticStage
from floating_frame.system.elastic.frame import NodalFrame
from floating_frame.system.elastic.ground import Ground, NodalSolution
from floating_frame.system.model import Model
from floating_frame.system.protocol import (
    Consistent,
    Guess,
    Partial,
    Results,
    Stage,
    StageHistory,
    System,
    applied,
    effects_at,
)
from floating_frame.system.state import Counts, InSpace, State
from friction.stick import incoming_slip

MAX_STIFFNESS_NUMBER = 10.0
"""Number τ² K/m of a stage above which a step is long against the elastic periods."""
MAX_PASSES = 30
FRAME_TOLERANCE = 1e-10
"""Tolerance of the frame's change between two passes, over its scale."""


class ElasticSystem(System):
    """An elastic body under ``effects`` on its ``ground``, with its ``frame``; ``start``: nodal x, v (N, d), the frame's attitude
    and place (d,) m at t = 0, None: by its condition, with the attitude; ``stored_as``: makes its results."""

    def __init__(
        self,
        model: Model,
        effects: Sequence[Effect],
        ground: Ground,
        frame: NodalFrame,
        start: tuple[Array, Array, Array, Array | None],
        stored_as: Callable[[ElasticSystem], Results],
    ) -> None:
        self.model, self.effects, self.ground, self.frame, self._start = model, tuple(effects), ground, frame, start
        self.friction, self.constant_mass = ground.friction, ground.constant_mass
        # an internal force of another configuration may have a moment
        strain = OwnSource(STRAIN, resultant=(False, True), explicit_work=self._heat)
        self.sources: tuple[Source, ...] = (*self.effects, self.friction, strain, *ground.sources)
        self._arc: ArcPredictor | None = None  # in long steps
        self.results = stored_as(self)

    def in_space(self, time: float, motion: Motion) -> InSpace:
        x, v, a = (blocks[0] for blocks in motion)
        return InSpace(x, v, a, frame_in_space(motion))

    def initial_motion(self) -> Motion:
        x, v, attitude, place = self._start
        still = np.zeros_like(x)
        frame = self.frame.of(x, v, still, rotation_of(attitude))
        if place is not None:  # the mass average has rounding
            frame = frame._replace(origin=place, rotation=rotation_of(attitude))
        return elastic_motion(x, v, still, frame, attitude)

    def begin(self, state: State, end: float, *, inertia: bool, lands: bool) -> Self:
        if not inertia:
            self.ground.check_limit(self.effects, state, end)
        begun = copy(self)
        begun.ground = self.ground.begin((state.time, end), state.motion, state.friction, lands=lands)
        (x, x0, attitude), breathing = state.motion.configuration, self.model.elastic_at(state.time).breathing
        if inertia and (end - state.time) * breathing > LONG_STEP[x.shape[1]]:
            arms = x - x0 - rotation_of(attitude) @ self.frame.pivot
            begun._arc = begun.ground.arc(state.time, state.friction, arms)
        return begun

    def retract(self, configuration: Blocks, increment: Blocks) -> Blocks:
        """(x + C[R − 1] + ξ, x0 + ξ0, attitude + Θ), C of ``elastic.arc_predictor``, R the turn by Θ."""
        x, x0, attitude = configuration
        if self._arc:
            x = x + self._arc.along_arc(rotation_by(increment[2]))
        return x + increment[0], x0 + increment[1], rotate_attitude(attitude, increment[2])

    def increment_rate(self, start: Motion, motion: Motion) -> Blocks:
        """(v − C[Ω R], x0', Θ'), R the turn since ``start``."""
        (v, v0, spin), before, now = motion.velocity, start.configuration[2], motion.configuration[2]
        if self._arc:
            v = v - self._arc.velocity(skew_of(spin, len(v0)), rotation_of(now) @ rotation_of(before).T)
        return v, v0, turn_rate(before, now, spin)

    def _with_arc(self, history: StageHistory, frame: FloatingFrame) -> StageHistory:
        """History of a stage that ends with a ``frame``: x = x* + τ v with the arcs' part in x*."""
        if not self._arc:
            return history
        turn = frame.rotation @ rotation_of(history.origin[2]).T
        beside = self._arc.remainder(skew_of(frame.spin, len(turn)), turn, history.tau_x)
        x = history.origin[0] + history.increment[0] + beside
        return history._replace(configuration=(x, *history.configuration[1:]))

    def friction_arms(self, motion: Motion) -> Array:
        x = motion.configuration[0]
        return np.asarray(x - self.model.mass.mean(x))

    def ground_rates(self, ground: Array) -> Blocks:
        along = np.zeros(self.model.body.X.shape)
        if ground.any():
            along[:, : len(ground)] = ground
        return on_nodes(along)

    def slip(self, time: float, motion: Motion, ground: Array) -> Array:
        return self.ground.slip(motion.velocity[0], ground)

    def apply_mass(self, acceleration: Blocks) -> Blocks:
        return on_nodes(self.model.mass.times(acceleration[0]))

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        internal = self.model.internal_force(time, motion.configuration[0], rotation_of(motion.configuration[2]))
        return (self._strain(motion, internal), *self.ground.zero_records(motion))

    def _strain(self, motion: Motion, elastic: Array) -> Record:
        """Record of the ``elastic`` force (N, d), N, space, and the viscous force at a motion."""
        body = self.model.body
        if not body.viscosity:
            return Record(on_nodes(elastic))
        frame = frame_of(motion)
        velocity = motion.velocity[0] @ frame.rotation
        viscous = body.viscous_force(self.model.displacement(motion.configuration[0], frame), velocity)
        force = elastic + viscous @ frame.rotation.T
        return Record(on_nodes(force), dissipated=-float(np.vdot(viscous, velocity)))

    def _heat(self, before: Instant, after: Instant) -> float:
        """Work of heating at fixed strain, J (``thermal``)."""
        model = self.model
        if model.heating is None:
            return 0.0
        start, end = (model.displacement(i.motion.configuration[0], frame_of(i.motion)) for i in (before, after))
        return model.heating.work(before.time, after.time, start, end)

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        body, u = self.model.body, self.model.displacement(motion.configuration[0], frame_of(motion))
        jacobian, cell = body.smallest_jacobian(u)
        if not jacobian > 0.0:
            centre = ", ".join(f"{c:.4g}" for c in body.X[body.cells[cell]].mean(axis=0))
            raise Unsolved(
                f"element {cell} at X = ({centre}) m inverted: smallest det F = {jacobian:.3g}", "InvertedElement"
            )
        return (float(self.model.body_at(time).strain_energy(u)), *(0.0 for _ in self.ground.sources))

    def predict(self, history: StageHistory, partial: Partial) -> Guess:
        """The last multipliers, and the ground's predicted velocities. In steps long against the elastic periods straight paths of
        turning nodes would cause large strains: there the nodes follow the predicted frame at the last deformation. Where contacts
        may close, the last velocities remain: the start may choose among solutions."""
        guess, model = super().predict(history, partial), self.model
        last = partial.stages[-1] if partial.stages else partial.state
        if not any(effect.may_jump for effect in self.effects):
            guess = guess._replace(
                velocity=(self.ground.predicted_velocity(history, last, guess.velocity[0]), *guess.velocity[1:])
            )
        mass = model.mass
        stiffness_number = history.tau_x * history.tau_v * model.stiffness * len(mass.nodal) / mass.total
        if not MAX_STIFFNESS_NUMBER <= stiffness_number < np.inf or not self.ground.allows_rigid_start(last.friction):
            return guess
        now, ahead = frame_of(last.motion), frame_history(history).advance(*guess.acceleration[1:])
        place = self._with_arc(history, ahead).configuration[0]
        carried = (last.motion.configuration[0] - now.origin) @ now.rotation @ ahead.rotation.T
        velocity = (ahead.origin + carried - place) / history.tau_x
        return guess._replace(velocity=(velocity, *guess.velocity[1:]))

    def solve_stage(
        self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None
    ) -> Stage | None:
        """Solve the nodes in the predicted frame, then the frame, until both converge. Raises SignoriniError, Unsolved
        (FrameUndefined, NotFinite and others), friction.FrictionSolveError and the factor's errors."""
        begun = frame_history(history)
        frame = begun.advance(*guess.acceleration[1:])
        if not math.isfinite(sum((*frame.origin, *frame.velocity, *frame.spin))):
            raise Unsolved(f"the frame predicted for t = {history.time:.9g} s is beyond all numbers", "NotFinite")
        history = self._with_arc(history, frame)
        ground, coefficients = self.ground.for_stage(history, guess), (history.tau_x, history.theta)
        smooth = (
            NodeEffects(self.effects, history.effects, *coefficients, symmetric=ground.symmetric),
            self._load(history),
        )
        counts, velocity, multiplier = Counts(), guess.velocity[0], guess.multiplier
        if ground.iterates:
            ground.update_contacts(velocity)
        for _ in range(MAX_PASSES):
            stage = self._nodal_stage(history, ground, frame, smooth, velocity)
            with in_pass(counts.passes + 1, history.time):
                answer = ground.solve(stage, (velocity, multiplier), reference, fixed)
            if answer is None:
                return None
            before, (solved, frame) = frame, self._with_frame(stage, answer, begun, frame)
            if not ground.iterates:
                return solved
            counts = counts.plus(solved.counts)
            velocity, multiplier = answer.velocity, answer.friction.multiplier
            converged = ground.update_contacts(velocity)
            change = self._frame_change(history, frame, before)
            if counts.passes > 1 and answer.counts.newton == 0 and converged and change <= FRAME_TOLERANCE:
                return solved._replace(counts=counts)
            reference = incoming_slip(self.friction.law, reference, answer.friction.slip)
        raise Unsolved(
            f"the staggered passes of the stage ending at t = {history.time:.9g} s did not settle in {MAX_PASSES} "
            f"passes (the frame still moves by {change:.3g} of its scale)"
        )

    def _load(self, history: StageHistory) -> Array:
        """Nodal force (N, d), N, that does not depend on a stage's motion."""
        load = history.start_force[0]
        for effect, acting in zip(self.effects, history.effects, strict=True):
            if effect.constant:
                force = acting.at(history.configuration[0], history.velocity[0]).force
                load = load + history.theta * effect.points.pull(history.configuration, force)[0]
        return load

    def _nodal_stage(
        self,
        history: StageHistory,
        ground: Ground,
        frame: FloatingFrame,
        smooth: tuple[NodeEffects, Array],
        last: Array,
    ) -> ElasticStage:
        """Balance of the nodes under ``smooth`` effects and a load (N, d) N, in the ``frame`` of the last pass with velocity
        ``last`` (N, d) m/s."""
        (effects, load), elastic = smooth, self.model.elastic_at(history.time)
        axes = ground.axes(frame.rotation)
        stage = ElasticStage(elastic, history, frame._replace(rotation=axes), load, effects, ground.room)
        if self.frame.free and not self.model.objective:
            r = (history.configuration[0] + history.tau_x * last - frame.origin) @ axes
            stage.frame_force = -self.model.moment_force(r, elastic.body.internal_force(r - self.model.body.X))
        return stage

    def _with_frame(
        self, stage: ElasticStage, answer: NodalSolution, begun: FrameHistory, frame: FloatingFrame
    ) -> tuple[Stage, FloatingFrame]:
        """Stage with the frame determined by the nodes."""
        history, v = stage.history, answer.velocity
        x = self.frame.place_clamped(history.configuration[0] + history.tau_x * v, answer.frame)
        a = (v - history.velocity[0]) / history.tau_v if answer.acceleration is None else answer.acceleration
        sweeps = 0
        if answer.frame is not None:
            frame = answer.frame
        else:
            force = stage.load + answer.friction.force[0]
            if stage.effects:
                force = force + stage.effects.force(x, v)
            if answer.contact_force is not None:
                force = force + answer.contact_force
            frame, sweeps = self.frame.after(begun, (x, v, a), force, frame)
        motion = elastic_motion(x, v, a, frame, history.configuration[2])
        internal = answer.internal
        if internal is None:
            u = stage.to_axes(x - stage.origin) - self.model.body.X
            internal = stage.to_space(stage.body.internal_force(u))
        solved = Stage(
            motion=motion,
            friction=answer.friction,
            problem=history.friction,
            own=(self._strain(motion, internal), *(answer.own or self.ground.zero_records(motion))),
            counts=answer.counts._replace(sweeps=answer.counts.sweeps + sweeps),
        )
        return solved, frame

    def _frame_change(self, history: StageHistory, new: FloatingFrame, old: FloatingFrame) -> float:
        """Largest change of the frame between two passes: positions over the body's radius of gyration, angles over 1 rad, rates
        over these per τ_x."""
        mass, worst = self.model.mass, 0.0
        radius = float(np.sqrt(mass.second_moment / mass.total))
        turn = np.abs(new.rotation @ old.rotation.T - np.eye(len(new.origin)))
        for scale, places, rates in (
            (radius + np.abs(new.origin), np.abs(new.origin - old.origin), (new.velocity, old.velocity)),
            (1.0, turn.max(), (new.spin, old.spin)),
        ):
            rate_scale = scale / history.tau_x + np.abs(rates[0])
            worst = max(worst, float(np.max(places / scale)), float(np.max(np.abs(rates[0] - rates[1]) / rate_scale)))
        return worst

    def resplit(self, partial: Partial) -> tuple[Motion, Counts]:
        """End of the step with the frame of its condition, and the removed rotation of the frame of (2.3)2.

        Raises Unsolved (WentThrough)."""
        state, last = partial.state, partial.stages[-1]
        (x, _, attitude), (v, *_), (a, *_) = last.motion
        motions = [stage.motion for stage in partial.stages]
        integrated = self.frame.attitude(state.motion, motions, partial.dt * partial.position)
        near = attitude if integrated is None else integrated
        before, size = state.motion.configuration[0], self.model.mass.farthest
        times = state.time, state.time + partial.dt
        x = self.ground.project(x, times[1], last.friction)
        for obstacle, nodes in self.ground.contact_pairs:
            refuse_tunnelling(obstacle, (before[nodes], x[nodes]), times, 0.0, size)
        frame = self.frame.of(x, v, a, rotation_of(near))
        motion = elastic_motion(x, v, a, frame, near)
        drift, off = turn_between(motion.configuration[2], attitude), last.motion.velocity[2] - frame.spin
        if len(off) == 1:
            return motion, Counts(drift=float(drift[0]), spin_drift=float(off[0]))
        return motion, Counts(drift=float(np.linalg.norm(drift)), spin_drift=float(np.linalg.norm(off)))

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        """M a = f − λ with nodes at rest that may start to slide along their acceleration."""
        force = applied(self.effects, effects_at(self.effects, time, internal, left=left), *motion[:2])[0]
        strain, *none = self.own(time, motion)
        friction = self.friction, internal[len(self.effects)]
        answer = self.ground.instant(time, force + strain.force[0], motion, friction, left=left)
        (x, _, attitude), v, a = motion.configuration, motion.velocity[0], answer.velocity
        frame = answer.frame or self.frame.of(x, v, a, rotation_of(attitude))
        now = Motion(motion.configuration, (v, frame.velocity, frame.spin), (a, frame.acceleration, frame.spin_rate))
        return Consistent(now, answer.friction, (strain, *(answer.own or none)))
