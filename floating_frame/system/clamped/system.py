"""A deformable body on a clamp as a system: the same blocks; the clamp's reaction is a source of its own.

The free entries of q' are unknowns of the elastic pass, found with it by bordered solves.

Its force acts at the clamp's nodes, what holds them there; the outside works through the frame's wrench R on q'. What the two
differ by in a step is numerical: the working velocity of a turning clamp's nodes is no rigid motion. A clamp at rest, like any node
at rest, may start to slide along its acceleration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.protocol import Effect, Friction, FrictionProblem, Mask, Motion, Record, Source, axpy
from floating_frame.frame.clamp import Clamped, spread
from floating_frame.frame.kinematics import Array, FrameMotion, to_body, to_inertial, turned
from floating_frame.frame.rigid_modes import resultant, wrench
from floating_frame.system.clamped.newton import ClampProblem, Nodes, solve_clamp
from floating_frame.system.clamped.parts import ClampedEquilibrium, ClampedInertia
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.limit_load import check_limit
from floating_frame.system.model import Model
from floating_frame.system.plate.elastic import NO_FRAME_FORCE, NodalHistory, frame_of, with_frame
from floating_frame.system.plate.staggered import advance_frame
from floating_frame.system.plate.system import PlateResults, PlateSystem
from floating_frame.system.protocol import Guess, Partial, Stage, StageHistory, System
from floating_frame.system.state import Counts, InSpace, State
from friction import Law, TrescaOptions
from friction.result import FREE, HELD, REVERSED, SLIP, STICK
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

    constant_mass = turns_freely = False

    def __init__(
        self,
        model: Model,
        effects: Sequence[Effect],
        friction: FoundationFriction,
        stored_as: PlateResults,
        clamp: Clamped,
    ) -> None:
        super().__init__(model, effects, friction, stored_as, [Reaction()])
        self.clamp = clamp

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

    def resultant(self, state: State, about: Array) -> Array:
        """Return that of all that acts, with the reaction on the free motions exactly 0."""
        reaction = state.records[-1]
        rest = axpy(state.balance, -1.0, reaction.force)
        return resultant(rest[0], state.position, about) + reaction.driving[1]

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        acting = NodeEffects.of(self.effects, history.effects, history.tau_x, history.theta)
        return ClampedStage(self.model, self.clamp, self.nodal(history), acting, fixed).solve(guess, reference)

    def accelerated(
        self, time: float, motion: Motion, force: Array, problem: FrictionProblem, along: Array
    ) -> tuple[Motion, Array, tuple[Record, ...]]:
        """Return the same with the clamp's q'' as unknowns."""
        model, frame, (v, rates), bound = self.model, self.clamp, motion.velocity, problem.bound
        slip, turning, clamp = v - problem.ground, frame_of(motion), model.clamp
        assert model.cache is not None
        moving = np.any(slip, axis=1)
        known = np.where(moving[:, None], problem.law.force(slip, bound), 0.0)
        begins, bounds = breakaway(model.law, bound)
        open_bound = np.where(moving, 0.0, bounds)
        if turning.spin != 0.0:  # a node of a turning clamp, even one that stands still, is accelerated: let it slide
            open_bound[clamp] = 0.0
        fixed = np.zeros(len(bound), dtype=np.bool_)
        fixed[clamp] = True
        free, earlier = frame.free_mask, max(0.0, time - _DIFFERENCE)
        change = frame.prescribed(time + _DIFFERENCE) - frame.prescribed(earlier)
        prescribed = change / (time + _DIFFERENCE - earlier)
        of_clamp = ClampProblem(
            part_of=lambda q2, pivot, last: ClampedInertia(model, force - known, clamp, turning, along, q2),
            clamp=clamp,
            bound=open_bound,
            fixed=fixed,
            free=free,
            prescribed=prescribed,
            law_at=lambda angle, nodes: begins.rotated(angle),
            cache=model.cache,
            options=TrescaOptions(rtol=model.options.tolerance),
            key="instant",
            what=f"at t = {time:.9g} s",
        )
        zero = np.zeros_like(slip)
        solution = solve_clamp(of_clamp, np.where(free, 0.0, prescribed), zero, zero)
        part, acceleration = solution.part, solution.result.velocity + solution.part.lift
        reaction = np.where(free, 0.0, solution.demand + wrench(part.arms, solution.multiplier[clamp]))
        started = Motion(motion.configuration, (v, rates), (acceleration, part.rates))
        strain, none = self.own(time, started)
        return started, known + solution.multiplier, (strain, none._replace(driving=(zero, reaction)))


class ClampedStage:
    """One stage of a body on a ``clamp``; one all of whose nodes are ``fixed`` is kept at rest on the ground as a whole."""

    def __init__(
        self, model: Model, clamp: Clamped, history: NodalHistory, acting: NodeEffects, fixed: Mask | None
    ) -> None:
        self._model, self._history, self._acting = model, history, acting
        self._nodes, self._free_mask, self._bound = model.clamp, clamp.free_mask, history.friction.bound
        prescribed, at_ground = clamp.prescribed(history.time), np.array([*history.friction.ground, 0.0])
        self._driven = bool(np.any((prescribed != at_ground) & ~clamp.free_mask))
        kept = np.zeros(len(self._bound), dtype=np.bool_) if fixed is None else fixed.copy()
        self._at_rest = bool(kept[model.clamp].all()) and not self._driven
        kept[model.clamp] = True
        self._fixed, self._free = kept, clamp.free_mask & (not self._at_rest)
        self._prescribed = at_ground if self._at_rest else prescribed

    def _part(self, rates: Array, pivot: int, last: Array) -> ClampedEquilibrium:
        model, history = self._model, self._history
        if pivot >= 0:  # that node stands still also where the stage's own angle has put it
            arm = to_inertial(model.body.X[self._nodes[pivot]], history.coordinates[2] + history.tau_x * rates[2])
            rates = np.where(self._free, [*(history.friction.ground - rates[2] * turned(arm)), rates[2]], rates)
        frame = stage_motion(history, rates)
        effects = self._acting.frozen(history.position + history.tau_x * last, last)
        return ClampedEquilibrium(model, history, frame, self._nodes, effects)

    def _law(self, angle: float, nodes: Nodes) -> Law:
        bristles, law = self._history.bristles, self._history.friction.shared.rotated(angle)
        return law if bristles is None else law.for_stage(to_body(bristles[nodes], angle), self._history.tau_x)

    def solve(self, guess: Guess, reference: Array) -> Stage:
        """Solve the stage.

        ``reference`` (N, 2): inertial slip velocity, m/s, against which nodes count as reversed. Raises as ``solve_clamp``.
        """
        model, history, nodes = self._model, self._history, self._nodes
        assert model.cache is not None
        problem = ClampProblem(
            part_of=self._part,
            clamp=nodes,
            bound=self._bound,
            fixed=self._fixed,
            free=self._free,
            prescribed=self._prescribed,
            law_at=self._law,
            cache=model.cache,
            options=TrescaOptions(rtol=model.options.tolerance),
            key=history.key,
            what=f"of the stage ending at t = {history.time:.9g} s",
        )
        ahead = advance_frame(history, guess.acceleration[1]).rates
        start = np.where(self._free, ahead, self._prescribed)
        solution = solve_clamp(problem, start, guess.velocity[0] - history.friction.ground, reference)
        part, slip, multiplier, frame = solution.part, solution.slip, solution.multiplier, solution.part.motion
        if self._at_rest:
            multiplier[nodes] = spread(-solution.demand, part.arms, self._bound[nodes], self._free_mask)
        velocity = slip + history.friction.ground
        velocity[nodes] = part.clamp_velocity
        position = history.position + history.tau_x * velocity
        position[nodes] = frame.coordinates[:2] + part.arms
        acceleration = to_inertial(part.acceleration(solution.result.velocity), frame.angle)
        internal = to_inertial(part.internal_force(solution.result.velocity), frame.angle)
        reaction = np.where(self._free_mask, 0.0, solution.demand + wrench(part.arms, multiplier[nodes]))
        applied = history.load + history.force_weight * internal + self._acting.force(position, velocity) - multiplier
        status = self._status(solution.result.state, slip, reference)
        return Stage(
            motion=with_frame(position, velocity, acceleration, frame),
            friction=Friction(slip, multiplier, status, (-multiplier, NO_FRAME_FORCE)),
            problem=history.friction,
            own=(
                Record((internal, NO_FRAME_FORCE)),
                self._reaction(model.mass.matrix @ acceleration - applied, part.arms, reaction),
            ),
            counts=solution.counts,
        )

    def _reaction(self, rest: Array, arms: Array, reaction: Array) -> Record:
        """Return the record of the clamp's reaction (3,), where ``rest`` (N, 2), N, is what the nodes' balance leaves."""
        held, holding = rest[self._nodes], np.zeros_like(rest)
        # What the solver leaves of the free motions' balance is no reaction.
        missed = wrench(arms, held) - reaction
        holding[self._nodes] = held - spread(missed, arms, np.ones(len(arms)), np.ones(3, np.bool_))
        return Record((holding, NO_FRAME_FORCE), driving=(np.zeros_like(rest), reaction), mixed=False)

    def _status(self, state: NDArray[np.int8], slip: Array, reference: Array) -> NDArray[np.int8]:
        """Return the nodes' status, of the clamp's from how it moves: reversed where all of it is, and no motion is driven."""
        status, nodes = state.copy(), self._nodes
        backwards = np.einsum("ia,ia->i", slip[nodes], reference[nodes]) < 0.0
        moving = REVERSED if backwards.all() and not self._driven else SLIP
        status[nodes] = np.where(np.any(slip[nodes], axis=1), moving, HELD if self._at_rest else STICK)
        status[nodes[self._bound[nodes] == 0.0]] = FREE
        return status


def stage_motion(history: NodalHistory, rates: Array) -> FrameMotion:
    """Frame motion at the end of a stage whose q' is ``rates`` (3,), by the stage formula."""
    return FrameMotion(history.coordinates + history.tau_x * rates, rates, (rates - history.rates) / history.tau_v)
