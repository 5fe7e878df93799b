"""The stage of a clamped body: the free entries of q' are unknowns of the elastic pass, found with it by bordered solves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Friction, Mask, Record
from floating_frame.frame.clamp import Clamped, ClampedEquilibrium, spread
from floating_frame.frame.kinematics import Array, FrameMotion, to_body, to_inertial, turned
from floating_frame.frame.rigid_modes import wrench
from floating_frame.model import Model
from floating_frame.system.clamped.newton import ClampProblem, Nodes, solve_clamp
from floating_frame.system.plate.elastic import NO_FRAME_FORCE, NodalHistory, with_frame
from floating_frame.system.plate.pass_forces import ActingEffects
from floating_frame.system.plate.staggered import advance_frame
from floating_frame.system.protocol import Guess, Stage
from friction import Law, TrescaOptions
from friction.result import FREE, HELD, REVERSED, SLIP, STICK


class ClampedStage:
    """One stage of a body on a ``clamp``; one all of whose nodes are ``fixed`` is kept at rest on the ground as a whole."""

    def __init__(
        self, model: Model, clamp: Clamped, history: NodalHistory, acting: ActingEffects, fixed: Mask | None
    ) -> None:
        self._model, self._history, self._acting = model, history, acting
        self._nodes, self._free_mask, self._bound = model.clamp, clamp.free_mask, history.bound
        prescribed, at_ground = clamp.prescribed(history.time), np.array([*history.ground, 0.0])
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
            rates = np.where(self._free, [*(history.ground - rates[2] * turned(arm)), rates[2]], rates)
        frame = stage_motion(history, rates)
        effects = self._acting.in_pass(frame.angle, last)
        return ClampedEquilibrium(model, history, frame, self._nodes, last, effects)

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
        solution = solve_clamp(problem, start, guess.velocity[0] - history.ground, guess.multiplier, reference)
        part, slip, multiplier, frame = solution.part, solution.slip, solution.multiplier, solution.part.motion
        if self._at_rest:
            multiplier[nodes] = spread(-solution.demand, part.arms, self._bound[nodes], self._free_mask)
        velocity = slip + history.ground
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
        return Record((holding, NO_FRAME_FORCE), external=(np.zeros_like(rest), reaction), mixed=False)

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
