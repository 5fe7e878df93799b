"""A deformable body on a clamp as a system: the same blocks; the clamp's reaction is a source of its own.

Its force acts at the clamp's nodes, what holds them there; the outside works through the frame's wrench R on q'. What the two
differ by in a step is numerical: the working velocity of a turning clamp's nodes is no rigid motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.protocol import Effect, Mask, Motion, Record, Source, axpy
from floating_frame.frame.clamp import Clamped
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import resultant
from floating_frame.model import Model
from floating_frame.system.clamped.instant import clamped_acceleration_at
from floating_frame.system.clamped.stage import ClampedStage
from floating_frame.system.limit_load import check_limit
from floating_frame.system.plate.elastic import NO_FRAME_FORCE, frame_of
from floating_frame.system.plate.pass_forces import ActingEffects
from floating_frame.system.plate.results import PlateResults
from floating_frame.system.plate.system import PlateSystem
from floating_frame.system.protocol import Consistent, Guess, Partial, Stage, StageHistory, System, friction_at
from floating_frame.system.state import Counts, State


class Reaction(Source):
    """What the clamp's guide does to the body; ``external`` of its records is (0, R), R = (F_x, F_y, M about x0)."""

    name, results = "reaction", ("clamp",)

    def outputs(self, record: Record) -> Mapping[str, Array | float]:
        """Return force and moment of the guide."""
        wrench = reaction_of(record)
        return {"clamp_reaction": wrench[:2], "clamp_moment": float(wrench[2])}


def reaction_of(record: Record) -> Array:
    """Return R (3,)."""
    assert isinstance(record.external, tuple)
    return record.external[1]


class ClampedSystem(PlateSystem):
    """A deformable body whose frame is held by a clamp."""

    constant_mass = turns_freely = False

    def __init__(
        self, model: Model, effects: Sequence[Effect], friction: FoundationFriction, stored_as: PlateResults
    ) -> None:
        super().__init__(model, effects, friction, stored_as, [Reaction()])
        assert isinstance(model.frame, Clamped)
        self.clamp = model.frame

    def initial_motion(self) -> Motion:
        """Return the given motion, which agrees with the clamp (checked by ``assemble``)."""
        initial = self.model.problem.initial
        x, v = initial.fields(self.model.body.X)
        rates = np.array([*initial.velocity, initial.spin], dtype=float)
        return Motion((x, np.zeros(3)), (v, rates), (np.zeros_like(x), np.zeros(3)))

    def check_limit(self, state: State, end: float) -> None:
        """Raise LimitLoad where friction, and a clamp at rest, cannot hold the body under the loads at ``end`` s."""
        model, frame = self.model, self.clamp
        if not frame.free_mask.any() or np.any(frame.prescribed(end)):
            return
        load, about = model.loads.total_force(end, state.position), state.frame.coordinates[:2]
        bound = self.friction.bound(end)
        check_limit(load, state.position, bound, end, about=about, free=frame.free_mask, law=model.law)

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        """Return the records of the strain and of no reaction."""
        none = np.zeros_like(motion.configuration[0])
        return (*super().own(time, motion), Record((none, NO_FRAME_FORCE), external=(none, np.zeros(3)), mixed=False))

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        """Return the strain energy, and nothing in the reaction."""
        return (*super().stored(time, motion), 0.0)

    def resplit(self, partial: Partial) -> tuple[Motion, Counts]:
        """Return the last stage's motion: the frame moves with the clamp."""
        return System.resplit(self, partial)

    def resultant(self, state: State, about: Array) -> Array:
        """Return that of all that acts, with the reaction on the free motions exactly 0."""
        reaction = state.records[-1]
        rest = axpy(state.balance, -1.0, reaction.force)
        return resultant(rest[0], state.position, about) + reaction_of(reaction)

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        """Solve one stage by bordered solves."""
        acting = ActingEffects(self.effects, history)
        return ClampedStage(self.model, self.clamp, self.nodal(history), acting, fixed).solve(guess, reference)

    def consistent(
        self, time: float, motion: Motion, internal: Sequence[Array | None], *, left: bool = True
    ) -> Consistent:
        """The same with the clamp's q'' as unknowns (``clamped_instant``)."""
        (x, q), (v, rates) = motion.configuration, motion.velocity
        problem = self.friction.for_stage(time, internal[len(self.effects)], 0.0, left=left)
        slip, force = v - problem.ground, self.force_at(time, motion, internal, left=left)
        along = self.friction.ground_acceleration(time, left=left)
        a, multiplier, reaction, q2 = clamped_acceleration_at(
            self.model, self.clamp, time, frame_of(motion), force, slip, problem, along
        )
        started = Motion((x, q), (v, rates), (a, q2))
        friction = friction_at(slip, multiplier, (-multiplier, NO_FRAME_FORCE))
        strain, none = self.own(time, started)
        return Consistent(started, friction, (strain, none._replace(external=(np.zeros_like(x), reaction))))
