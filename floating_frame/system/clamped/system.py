"""A deformable body on a clamp as a system: the same blocks; the clamp's reaction is a source of its own.

The free entries of q' are unknowns of the elastic pass: a clamp that does not turn is one node of it, the rates of one that does
are found with it by bordered solves.

Its force acts at the clamp's nodes, what holds them there; the outside works through the frame's wrench R on q'. What the two
differ by in a step is numerical: the working velocity of a turning clamp's nodes is no rigid motion. A clamp at rest, like any node
at rest, may start to slide along its acceleration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Self

import numpy as np

from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.protocol import Effect, FrictionProblem, Mask, Motion, Record, Source
from floating_frame.frame.clamp import Clamped
from floating_frame.frame.kinematics import Array, FrameMotion, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.clamped.newton import ClampProblem, solve_clamp
from floating_frame.system.clamped.parts import ClampedInertia
from floating_frame.system.clamped.stages import GuidedStage, TurningStage, is_led
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import InstantEquilibrium
from floating_frame.system.elastic.merged import Merged
from floating_frame.system.limit_load import check_limit
from floating_frame.system.model import Model
from floating_frame.system.plane import PlaneSystem
from floating_frame.system.plate.elastic import NO_FRAME_FORCE, frame_of
from floating_frame.system.plate.results import PlateResults
from floating_frame.system.plate.system import PlateSystem
from floating_frame.system.protocol import Guess, Partial, Stage, StageHistory, System
from floating_frame.system.state import Counts, InSpace, State
from friction import Law, TrescaOptions
from friction.nodal.problem import NodalProblem, NodeLaws
from friction.nodal.solve import solved
from friction.stick import breakaway

_DIFFERENCE = 1e-6
"""Step in seconds for the derivative of prescribed rates (reported accelerations at t = 0 and after arrests only)."""


class Reaction(Source):
    """What the clamp's guide does to the body; ``driving`` of its records is (0, R), R = (F_x, F_y, M about x0)."""

    name, results = "reaction", ("clamp",)

    def outputs(self, record: Record) -> Mapping[str, Array | float]:
        R = record.driving[1]
        return {"clamp_reaction": R[:2], "clamp_moment": float(R[2])}


class ClampedSystem(PlateSystem):
    """A deformable body whose frame is held by a clamp."""

    constant_mass = False

    def __init__(
        self,
        model: Model,
        effects: Sequence[Effect],
        friction: FoundationFriction,
        stored_as: Callable[[PlaneSystem], PlateResults],
        clamp: Clamped,
    ) -> None:
        super().__init__(model, effects, friction, stored_as, [Reaction()])
        self.clamp = clamp
        self.merged = None if clamp.turns else Merged(model.elastic_at(0.0), model.clamp)

    def initial_motion(self) -> Motion:
        """Return the given motion, which agrees with the clamp (checked by ``assemble``)."""
        initial = self.model.problem.initial
        x, v = initial.fields(self.model.body.X)
        rates = np.array([*initial.velocity, initial.spin], dtype=float)
        return Motion((x, np.zeros(3)), (v, rates), (np.zeros_like(x), np.zeros(3)))

    def check_limit(self, at: InSpace, end: float) -> None:
        """Raise LimitLoad where friction, and a clamp at rest, cannot hold the body under the loads at ``end`` s."""
        model, frame = self.model, self.clamp
        if not frame.free_mask.any() or np.any(frame.prescribed(end)):
            return
        load, arms = model.loads.total_force(end, at.position), at.position - at.frame.coordinates[:2]
        check_limit(wrench(arms, load), arms, self.friction.bound(end), end, free=frame.free_mask, law=model.law)

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        none = np.zeros_like(motion.configuration[0])
        return (*super().own(time, motion), Record((none, NO_FRAME_FORCE), driving=(none, np.zeros(3)), mixed=False))

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        return (*super().stored(time, motion), 0.0)

    def resplit(self, partial: Partial) -> tuple[Motion, Counts]:
        """Return the last stage's motion: the frame moves with the clamp."""
        return System.resplit(self, partial)

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        nodal = self.nodal(history)
        acting = NodeEffects.of(self.effects, history.effects, history.tau_x, history.theta)
        parts = self.model, self.clamp, nodal, acting, fixed
        if self.merged is not None and is_led(self.clamp, nodal):
            return GuidedStage(*parts, self.merged).solve(guess, reference)
        return TurningStage(*parts).solve(guess, reference)

    def begin(self, state: State, end: float, *, inertia: bool, lands: bool) -> Self:
        """Forget the factor of the nodes with the clamp's as one, too."""
        if self.merged is not None:
            self.merged.cache.forget()
        return super().begin(state, end, inertia=inertia, lands=lands)

    def accelerated(
        self, time: float, motion: Motion, force: Array, problem: FrictionProblem, along: Array
    ) -> tuple[Motion, Array, tuple[Record, ...]]:
        """Return the same with the clamp's q'' as unknowns."""
        frame, turning = self.clamp, frame_of(motion)
        slip = motion.velocity[0] - problem.ground
        known = np.where(np.any(slip, axis=1)[:, None], problem.law.force(slip, problem.bound), 0.0)
        earlier = max(0.0, time - _DIFFERENCE)
        change = frame.prescribed(time + _DIFFERENCE) - frame.prescribed(earlier)
        prescribed = np.where(frame.free_mask, 0.0, change / (time + _DIFFERENCE - earlier))
        begins, open_bound = breakaway(self.model.law, problem.bound)
        open_bound = np.where(np.any(slip, axis=1), 0.0, open_bound)
        driven = (prescribed[:2] != along)[~frame.free_mask[:2]].any() and frame.free_mask[:2].any()
        led = self.merged is not None and self.model.law.metric is None and not driven
        of = self._led if led else self._turning
        a, rates, multiplier = of(time, turning, force - known, (begins, open_bound), along, prescribed)
        multiplier, arms = known + multiplier, to_inertial(self.model.body.X[self.model.clamp], turning.angle)
        rest = self.model.mass.times(a) - force + multiplier
        reaction = np.where(frame.free_mask, 0.0, wrench(arms, rest[self.model.clamp]))
        started = Motion(motion.configuration, motion.velocity, (a, rates))
        strain, none = self.own(time, started)
        return started, multiplier, (strain, none._replace(driving=(np.zeros_like(slip), reaction)))

    def _led(
        self,
        time: float,
        turning: FrameMotion,
        force: Array,
        friction: tuple[Law, Array],
        along: Array,
        prescribed: Array,
    ) -> tuple[Array, Array, Array]:
        """Return nodal accelerations (N, 2), the clamp's q'' (3,) and λ (N, 2) under the nodal ``force`` (N, 2) N, where friction
        begins by a law with bounds (N,) and the clamp's rates that are ``prescribed`` (3,) change as given; it does not turn."""
        model, merged, free = self.model, self.merged, self.clamp.free_mask[:2]
        assert merged is not None
        begins, bounds = friction
        driven = float(np.abs(prescribed).max(initial=0.0)) * len(model.clamp)
        part = InstantEquilibrium(merged.of(model.elastic_at(0.0)), merged.gathered(force), driven)
        part.lift = part.lift + along
        part.lift[0] = np.where(free, along, prescribed[:2])
        bound, kept = merged.gathered(bounds), np.zeros((len(merged.X), 2), np.bool_)
        bound[0] *= free.any()
        kept[0] = ~free
        none = np.zeros(len(bound))
        laws = NodeLaws(bound, none, none.astype(np.int8), none.astype(bool), kept)
        options = TrescaOptions(rtol=model.options.tolerance)
        problem = NodalProblem(part=part, laws=laws, law=begins, cache=merged.cache, key="instant", options=options)
        result = solved(problem, np.zeros_like(part.lift), None)
        a, multiplier = result.velocity + part.lift, merged.expanded(result.multiplier)
        under, whole = bounds[model.clamp], bound[0]
        if free.any():
            share = under / whole if whole > 0.0 else 0.0 * under
            multiplier[model.clamp] = np.outer(share, np.where(free, result.multiplier[0], 0.0))
        else:
            multiplier[model.clamp] = begins.force(np.repeat(prescribed[None, :2] - along, len(under), axis=0), under)
        return merged.expanded(a), np.array([*a[0], 0.0]), multiplier

    def _turning(
        self,
        time: float,
        turning: FrameMotion,
        force: Array,
        friction: tuple[Law, Array],
        along: Array,
        prescribed: Array,
    ) -> tuple[Array, Array, Array]:
        """Return the same of a clamp that may turn."""
        model, clamp, (begins, bounds) = self.model, self.model.clamp, friction
        assert model.cache is not None
        if turning.spin != 0.0:  # a node of a turning clamp, even one that stands still, is accelerated: let it slide
            bounds[clamp] = 0.0
        fixed = np.zeros(len(bounds), dtype=np.bool_)
        fixed[clamp] = True
        of_clamp = ClampProblem(
            part_of=lambda q2, pivot, last: ClampedInertia(model, force, clamp, turning, along, q2),
            clamp=clamp,
            bound=bounds,
            fixed=fixed,
            free=self.clamp.free_mask,
            prescribed=prescribed,
            law_at=lambda angle, nodes: begins.rotated(angle),
            cache=model.cache,
            options=TrescaOptions(rtol=model.options.tolerance),
            key="instant",
            what=f"at t = {time:.9g} s",
        )
        zero = np.zeros_like(force)
        solution = solve_clamp(of_clamp, prescribed, zero, zero)
        return solution.result.velocity + solution.part.lift, solution.part.rates, solution.multiplier
