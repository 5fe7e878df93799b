"""A deformable body in the plane on a clamp that moves: the clamp's reaction is a source of its own.

The free entries of q' are unknowns of the elastic pass: a clamp that does not turn is one node of it, the rates of one that does
are found with it by bordered solves.

Its force acts at the clamp's nodes, what holds them there; the outside works through the frame's wrench R on q'. What the two
differ by in a step is numerical: the working velocity of a turning clamp's nodes is no rigid motion. A clamp at rest, like any node
at rest, may start to slide along its acceleration."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Self

import numpy as np

from floating_frame.effect.protocol import Friction, Inclusion, Mask, Motion, Record, Source
from floating_frame.frame.clamp import Clamped
from floating_frame.frame.kinematics import Array, FrameMotion, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.clamped.merged import Merged
from floating_frame.system.clamped.newton import ClampProblem, solve_clamp
from floating_frame.system.clamped.parts import ClampedInertia
from floating_frame.system.clamped.stages import GuidedStage, TurningStage, driven, is_led
from floating_frame.system.elastic.blocks import frame_in_space, on_nodes
from floating_frame.system.elastic.carried import Kept
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import InstantEquilibrium
from floating_frame.system.elastic.given_pressure import PressedNodes
from floating_frame.system.elastic.ground import Answer, ElasticStage
from floating_frame.system.limit_load import check_limit
from floating_frame.system.protocol import Guess, StageHistory, friction_at
from floating_frame.system.state import Counts, State
from friction import Law
from friction.nodal.problem import NodalProblem
from friction.nodal.solve import solved
from friction.stick import breakaway

_DIFFERENCE = 1e-6
"""Step in seconds for the derivative of prescribed rates (reported accelerations at t = 0 and after arrests only)."""


class Reaction(Source):
    """What the clamp's guide does to the body; ``driving`` of its records is (0, F, M), M about x0."""

    name, results = "reaction", ("clamp",)

    def outputs(self, record: Record) -> Mapping[str, Array | float]:
        R = np.concatenate(record.driving[1:])
        return {"clamp_reaction": R[:2], "clamp_moment": float(R[2])}


class ClampedPlate(PressedNodes):
    """Nodes on given pressure some of which a ``clamp`` holds and moves."""

    constant_mass, sources = False, (Reaction(),)

    def __init__(self, pressed: PressedNodes, clamp: Clamped) -> None:
        vars(self).update(vars(pressed))
        self.clamp, model = clamp, self.model
        self.merged = None if clamp.turns else Merged(model.elastic_at(0.0), model.clamp)
        self._leads = False

    def _check_load(self, state: State, end: float) -> None:
        """Raise LimitLoad where friction, and a clamp at rest, cannot hold the body under the loads at ``end`` s."""
        model, frame, at = self.model, self.clamp, state.in_space
        if not frame.free_mask.any() or np.any(frame.prescribed(end)):
            return
        load, arms = model.loads.total_force(end, at.position), at.position - at.frame.coordinates[:2]
        check_limit(wrench(arms, load), arms, self.friction.bound(end), end, free=frame.free_mask, law=model.law)

    def at_instant(self, motion: Motion) -> tuple[Record, ...]:
        return (driven(np.zeros_like(motion.configuration[0]), np.zeros(3)),)

    def kept(self, time: float, friction: Friction) -> Kept | None:
        return None

    def begin(self, times: tuple[float, float], motion: Motion, friction: Friction, *, lands: bool) -> Self:
        """Forget the factor of the nodes with the clamp's as one, too."""
        if self.merged is not None:
            self.merged.cache.forget()
        return super().begin(times, motion, friction, lands=lands)

    def of_stage(self, history: StageHistory, guess: Guess) -> Self:
        stage = copy(self)
        stage._leads = self.merged is not None and is_led(self.clamp, history)
        return stage

    def repeats(self, effects: NodeEffects) -> bool:
        return self._leads and bool(effects)

    def solve(self, stage: ElasticStage, start: tuple[Array, Array], reference: Array, fixed: Mask | None) -> Answer:
        parts = self.model, self.clamp, stage, stage.acting, fixed
        if self.merged is not None and self._leads:
            return GuidedStage(*parts, self.merged).solve(start[0], reference)
        return TurningStage(*parts).solve(start[0], reference)

    def instant(
        self, time: float, force: Array, motion: Motion, friction: tuple[Inclusion, Array | None], *, left: bool
    ) -> Answer:
        """Return the same with the clamp's q'' as unknowns."""
        frame, turning, (inclusion, internal) = self.clamp, frame_in_space(motion), friction
        problem = inclusion.for_stage(time, internal, 0.0, left=left)
        along = inclusion.ground_acceleration(time, left=left)
        slip = motion.velocity[0] - problem.ground
        known = np.where(np.any(slip, axis=1)[:, None], problem.law.force(slip, problem.bound), 0.0)
        earlier = max(0.0, time - _DIFFERENCE)
        change = frame.prescribed(time + _DIFFERENCE) - frame.prescribed(earlier)
        prescribed = np.where(frame.free_mask, 0.0, change / (time + _DIFFERENCE - earlier))
        begins, open_bound = breakaway(self.model.law, problem.bound)
        open_bound = np.where(np.any(slip, axis=1), 0.0, open_bound)
        driving = (prescribed[:2] != along)[~frame.free_mask[:2]].any() and frame.free_mask[:2].any()
        led = self.merged is not None and self.model.law.metric is None and not driving
        of = self._led if led else self._turning
        a, rates, multiplier = of(time, turning, force - known, (begins, open_bound), along, prescribed)
        multiplier, arms = known + multiplier, to_inertial(self.model.body.X[self.model.clamp], turning.angle)
        rest = self.model.mass.times(a) - force + multiplier
        reaction = np.where(frame.free_mask, 0.0, wrench(arms, rest[self.model.clamp]))
        found = friction_at(slip, multiplier, on_nodes(-multiplier))
        now = FrameMotion(turning.coordinates, turning.rates, rates)
        return Answer(a, found, Counts(), (driven(np.zeros_like(slip), reaction),), frame=now.floating)

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
        laws = merged.laws(bounds, free, np.zeros(len(merged.X), np.bool_))
        options = model.friction_options
        problem = NodalProblem(part=part, laws=laws, law=begins, cache=merged.cache, key="instant", options=options)
        result = solved(problem, np.zeros_like(part.lift), None)
        a, under = result.velocity + part.lift, bounds[model.clamp]
        led = begins.force(np.repeat(prescribed[None, :2] - along, len(under), axis=0), under)
        multiplier = merged.under(result.multiplier, bounds, free, led)
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
            cache=self.cache,
            options=model.friction_options,
            key="instant",
            what=f"at t = {time:.9g} s",
        )
        zero = np.zeros_like(force)
        solution = solve_clamp(of_clamp, prescribed, zero, zero)
        return solution.result.velocity + solution.part.lift, solution.part.rates, solution.multiplier
