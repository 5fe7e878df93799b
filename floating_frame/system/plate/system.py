"""A free deformable body as a system: blocks (x (N, 2), q (3,)); mass and forces are in the first, q follows by the frame's
condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Self

import numpy as np

from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.protocol import (
    STRAIN,
    Blocks,
    Effect,
    FrictionProblem,
    Instant,
    Internal,
    Mask,
    Motion,
    Record,
    Source,
    are_held,
)
from floating_frame.errors import InvertedElement
from floating_frame.frame.kinematics import Array, FrameMotion, rotation, to_body, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.frame.skew import skew_of
from floating_frame.system.elastic.carried import LONG_OF_PLATE, Carried, Kept
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.limit_load import check_limit
from floating_frame.system.model import Model
from floating_frame.system.plane import PlaneSystem
from floating_frame.system.plate.elastic import NO_FRAME_FORCE, NodalHistory, frame_of, with_frame
from floating_frame.system.plate.exact_contact import PlateContact, PlateExactContact
from floating_frame.system.plate.instant import acceleration_at, internal_force_at
from floating_frame.system.plate.results import PlateResults, displacement
from floating_frame.system.plate.staggered import ElasticPasses, advance_frame, solve_staggered
from floating_frame.system.protocol import (
    Consistent,
    Guess,
    Partial,
    Stage,
    StageHistory,
    applied,
    effects_at,
    friction_at,
)
from floating_frame.system.state import Counts, InSpace, State
from friction.arrays import moving
from friction.rigid.problem import point_maps
from friction.stick import is_coulomb

STIFF = 10.0
"""Number τ² K/m of a stage above which a step is long against the elastic periods."""


class Strain(Source):
    """A body's internal forces; heating works at fixed strain (``thermal``)."""

    name = STRAIN

    def __init__(self, model: Model) -> None:
        self._model = model

    def in_resultant(self, *, own: bool) -> bool:
        """Return whether the force is one of another configuration, where it may have a moment."""
        return not own

    def explicit_work(self, before: Instant, after: Instant) -> float:
        heating = self._model.heating
        if heating is None:
            return 0.0
        start, end = (displacement(self._model, i.motion) for i in (before, after))
        return heating.work(before.time, after.time, start, end)


def onward(history: StageHistory, last: State | Stage) -> Array:
    """Return v* + τ_v a (N, 2), m/s, with the ``last`` accelerations; the ground's where a node rests, or would slide back."""
    ground = history.friction.ground
    ahead = history.velocity[0] + history.tau_v * last.motion.acceleration[0] - ground
    goes_on = np.einsum("ia,ia->i", ahead, last.friction.slip) > 0.0
    return np.asarray(ground + np.where(goes_on[:, None], ahead, 0.0))


class PlateSystem(PlaneSystem):
    """A free deformable body under ``effects``, with exact contacts or none; ``stored_as``: makes its results."""

    def __init__(
        self,
        model: Model,
        effects: Sequence[Effect],
        friction: FoundationFriction,
        stored_as: Callable[[PlaneSystem], PlateResults],
        own: Sequence[Source] = (),
    ) -> None:
        self.exact = None if model.exact is None else PlateExactContact()
        exact = [] if self.exact is None else [self.exact]
        super().__init__(model, effects, friction, [Strain(model), *own, *exact])
        self._carried = Carried()
        self.results = stored_as(self)

    def in_space(self, time: float, motion: Motion) -> InSpace:
        return InSpace(motion.configuration[0], motion.velocity[0], motion.acceleration[0], frame_of(motion))

    def initial_motion(self) -> Motion:
        """Return nodal x and v and the frame that its condition gives them."""
        initial = self.model.problem.initial
        x, v = initial.fields(self.model.body.X)
        frame = self.model.frame_of(x, v, np.zeros_like(x), 0.0)
        # Without a displacement x0 = 0, α = 0: the mass average has rounding.
        q = np.zeros(3) if initial.displacement is None else frame.coordinates
        return Motion((x, q), (v, frame.rates), (np.zeros_like(x), np.zeros(3)))

    def friction_arms(self, motion: Motion) -> Array:
        place, mass = motion.configuration[0], self.model.mass.matrix.diagonal()
        return np.asarray(place - mass @ place / mass.sum())

    def begin(self, state: State, end: float, *, inertia: bool, lands: bool) -> Self:
        """Forget the factor; without inertia raise LimitLoad where friction cannot hold the body under the loads at ``end`` s."""

        def modes(x: Array) -> Array:
            return point_maps(x - state.frame.coordinates[:2]) / [1.0, 1.0, self.model.radius]

        if not (inertia or are_held(self.effects, end, state.motion.configuration, modes)):
            self.check_limit(state.in_space, end)
        assert self.model.cache is not None
        self.model.cache.forget()  # a step's result must not depend on what was factorised before it
        begun = copy(self)
        begun._carried = self._arcs(state, end - state.time) if inertia else Carried()
        return begun

    def _arcs(self, state: State, dt: float) -> Carried:
        """Return how nodes are carried in a step of ``dt`` s: by straight ways also where contacts are exact, or a clamp holds."""
        elastic, (x, q) = self.model.elastic_at(state.time), state.motion.configuration
        if dt * elastic.breathing <= LONG_OF_PLATE or self.exact is not None or len(self.model.clamp):
            return Carried()
        (stuck,) = np.nonzero(~moving(state.friction.slip) & (self.friction.bound(state.time) > 0.0))
        none = np.zeros(0, np.intp)
        return Carried(x - q[:2], Kept(stuck, none, np.zeros((0, 2)), np.zeros(0, np.bool_)))

    def retract(self, configuration: Blocks, way: Blocks) -> Blocks:
        """Return (x + C[R − 1] + ξ, q + ξ_q), C of ``elastic.carried``."""
        if not self._carried:
            return super().retract(configuration, way)
        (x, q), (xi, turned) = configuration, way
        return x + self._carried.along_arc(rotation(float(turned[2]))) + xi, q + turned

    def way_rate(self, start: Motion, motion: Motion) -> Blocks:
        """Return (v − C[Ω R], q'), R the turn since ``start``."""
        if not self._carried:
            return super().way_rate(start, motion)
        v, rates = motion.velocity
        turn = rotation(float(motion.configuration[1][2] - start.configuration[1][2]))
        return v - self._carried.rate(skew_of(rates[2:], 2), turn), rates

    def _along(self, nodal: NodalHistory, history: StageHistory, frame: FrameMotion) -> NodalHistory:
        """Return the history of a stage that ends with a ``frame``: x = x* + τ v with what it carries the nodes besides."""
        if not self._carried:
            return nodal
        turn, tau = rotation(frame.angle - float(history.origin[1][2])), history.tau_x
        beside = self._carried.beside(skew_of(frame.spin, 2), turn, tau)
        return replace(nodal, position=history.origin[0] + history.way[0] + beside)

    def check_limit(self, at: InSpace, end: float) -> None:
        """Raise LimitLoad where friction cannot hold the body, where it is, under the loads at ``end`` s."""
        arms, load = at.position - at.position.mean(axis=0), self.model.loads.total_force(end, at.position)
        check_limit(wrench(arms, load), arms, self.friction.bound(end), end, law=self.model.law)

    def ground_rates(self, ground: Array) -> Blocks:
        return np.broadcast_to(ground, self.model.body.X.shape), NO_FRAME_FORCE

    def slip(self, time: float, motion: Motion, ground: Array) -> Array:
        return motion.velocity[0] - ground

    def apply_mass(self, acceleration: Blocks) -> Blocks:
        return self.model.mass.times(acceleration[0]), NO_FRAME_FORCE

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        x, q = motion.configuration
        strain = Record((internal_force_at(self.model, time, x, float(q[2])), NO_FRAME_FORCE))
        if self.exact is None:
            return (strain,)
        return strain, Record((np.zeros_like(x), NO_FRAME_FORCE), mixed=False)

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        body, u = self.model.body, displacement(self.model, motion)
        jacobian, cell = body.smallest_jacobian(u)
        if not jacobian > 0.0:
            raise InvertedElement(cell, jacobian, body.X[body.cells[cell]].mean(axis=0))
        energy = float(self.model.body_at(time).strain_energy(u))
        return (energy,) if self.exact is None else (energy, 0.0)

    def predict(self, history: StageHistory, partial: Partial) -> Guess:
        """Return the last multipliers known, and velocities ``onward`` from them; a stiff body that slides goes on as a rigid one.

        Where the step is long against the elastic periods, straight paths of turning nodes would be large strains; so there
        the nodes are carried along by the predicted frame at the last deformation. The last velocities stay where the start may
        choose among solutions: under other laws than Coulomb's, and where contacts may close.
        """
        model, last = self.model, partial.stages[-1] if partial.stages else partial.state
        guess = super().predict(history, partial)
        jumps = self.exact is not None or any(e.may_jump for e in self.effects)
        if np.isfinite(history.tau_v) and not jumps and is_coulomb(history.friction.law):
            guess = guess._replace(velocity=(onward(history, last), guess.velocity[1]))
        stiffness_number = history.tau_x * history.tau_v * model.stiffness * len(model.body.X) / model.mass.total
        if not STIFF < stiffness_number < np.inf or not np.all(np.any(last.friction.slip, axis=1)):
            return guess
        nodal, now = self.nodal(history), frame_of(last.motion)
        ahead = advance_frame(nodal, guess.acceleration[1])
        place = self._along(nodal, history, ahead).position
        x, (ahead_x, ahead_angle) = last.motion.configuration[0], (ahead.coordinates[:2], ahead.angle)
        carried = to_inertial(to_body(x - now.coordinates[:2], now.angle), ahead_angle)
        return guess._replace(velocity=((ahead_x + carried - place) / history.tau_x, guess.velocity[1]))

    def nodal(self, history: StageHistory) -> NodalHistory:
        """Return the history of nodes and frame, with all nodal force that does not depend on the stage's motion."""
        load = history.start_force[0]
        for effect, acting in zip(self.effects, history.effects, strict=True):
            if effect.constant:
                force = acting.at(history.configuration[0], history.velocity[0]).force
                load = load + history.theta * effect.points.pull(history.configuration, force)[0]
        (x, q), (v, rates) = history.configuration, history.velocity
        return NodalHistory(
            time=history.time,
            position=x,
            velocity=v,
            coordinates=q,
            rates=rates,
            load=load,
            tau_x=history.tau_x,
            tau_v=history.tau_v,
            force_weight=history.theta,
            friction=history.friction,
            bristles=history.internal[-1],
        )

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        model, nodal = self.model, self.nodal(history)
        nodal = self._along(nodal, history, advance_frame(nodal, guess.acceleration[1]))
        acting = NodeEffects.of(self.effects, history.effects, history.tau_x, history.theta)
        contact = None if model.exact is None else PlateContact(model, model.exact, nodal, guess.unilateral)
        jumps = any(e.may_jump for e in self.effects)
        passes = ElasticPasses(model=model, history=nodal, acting=acting, contact=contact, fixed=fixed, may_jump=jumps)
        stage = solve_staggered(passes, guess, reference)
        if contact is None or self.exact is None:
            return stage
        return replace(stage, own=(*stage.own, self.exact.record(contact, stage.motion.velocity[0])))

    def resplit(self, partial: Partial) -> tuple[Motion, Counts]:
        """Return the end of the step with the frame that its condition gives, and how far the frame of (3.4)1 drifted from it."""
        state, last = partial.state, partial.stages[-1].motion
        predicted = frame_of(last)
        angle = predicted.angle

        def decomposed(motion: Motion) -> FrameMotion:
            x, v, a = (blocks[0] for blocks in motion)
            return self.model.frame_of(x, v, a, angle)

        if not self.model.frame.holonomic:
            spins = [state.frame.spin, *(decomposed(s.motion).spin for s in partial.stages)]
            angle = state.frame.angle + partial.dt * float(partial.position @ spins)
        split = decomposed(last)
        drift = predicted.coordinates - split.coordinates
        (x, _), (v, _), (a, _) = last
        return with_frame(x, v, a, split), Counts(drift=float(drift[2]), spin_drift=predicted.spin - split.spin)

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        """M a = f − λ with nodes at rest that may start to slide along their acceleration (``instant``)."""
        (x, q), (v, _) = motion.configuration, motion.velocity
        problem = self.friction.for_stage(time, internal[len(self.effects)], 0.0, left=left)
        pushed = applied(self.effects, effects_at(self.effects, time, internal, left=left), *motion[:2])[0]
        force = pushed + internal_force_at(self.model, time, x, float(q[2]))
        along = self.friction.ground_acceleration(time, left=left)
        started, multiplier, own = self.accelerated(time, motion, force, problem, along)
        friction = friction_at(v - problem.ground, multiplier, (-multiplier, NO_FRAME_FORCE))
        return Consistent(started, friction, own)

    def accelerated(
        self, time: float, motion: Motion, force: Array, problem: FrictionProblem, along: Array
    ) -> tuple[Motion, Array, tuple[Record, ...]]:
        """Return a motion with its accelerations, λ (N, 2), N, and the own records under the nodal ``force`` (N, 2), N, of all but
        friction, on ground with the acceleration ``along`` (2,), m/s²."""
        model, (x, q), v = self.model, motion.configuration, motion.velocity[0]
        a, multiplier = acceleration_at(model, force, v - problem.ground, problem, along)
        frame = model.frame_of(x, v, a, float(q[2]))
        started = Motion((x, q), (v, frame.rates), (a, frame.accelerations))
        return started, multiplier, self.own(time, started)
