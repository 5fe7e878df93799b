"""One stage of a body on a clamp: of one that turns, or may, and of one that is led along its guide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Friction, Mask, Record
from floating_frame.frame.clamp import Clamped, spread, without_moment
from floating_frame.frame.kinematics import Array, to_body, to_inertial, turned
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.clamped.merged import Merged, MergedBody, MergedEffects
from floating_frame.system.clamped.newton import ClampProblem, Nodes, solve_clamp
from floating_frame.system.clamped.parts import ClampedEquilibrium, clamp_motion
from floating_frame.system.elastic.blocks import on_nodes
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import NodeHistory, StageEquilibrium
from floating_frame.system.elastic.ground import Answer, ElasticStage
from floating_frame.system.model import Model
from floating_frame.system.protocol import StageHistory
from floating_frame.system.state import Counts
from friction import Law, TrescaOptions, TrescaResult
from friction.nodal.problem import NodalProblem
from friction.nodal.solve import solved
from friction.result import FREE, HELD, REVERSED, SLIP, STICK


class ClampedStage:
    """One stage of a body on a ``clamp``; one all of whose nodes are ``fixed`` is kept at rest on the ground as a whole."""

    def __init__(
        self, model: Model, clamp: Clamped, stage: ElasticStage, acting: NodeEffects, fixed: Mask | None
    ) -> None:
        history = stage.history
        self._model, self._history, self._acting, self._stage = model, history, acting, stage
        self._nodes, self._free_mask, self._bound = model.clamp, clamp.free_mask, history.friction.bound
        prescribed, at_ground = clamp.prescribed(history.time), np.array([*history.friction.ground, 0.0])
        self._driven = bool(np.any((prescribed != at_ground) & ~clamp.free_mask))
        kept = np.zeros(len(self._bound), dtype=np.bool_) if fixed is None else fixed.copy()
        self._at_rest = bool(kept[model.clamp].all()) and not self._driven
        kept[model.clamp] = True
        self._fixed, self._free = kept, clamp.free_mask & (not self._at_rest)
        self._prescribed = at_ground if self._at_rest else prescribed

    def held(self, velocity: Array, reference: Array) -> Answer:
        """Solve the nodes and the clamp, with their states of friction and without its force. Raises as ``solve``."""
        raise NotImplementedError

    def solve(self, velocity: Array, reference: Array) -> Answer:
        """Solve the stage from an inertial nodal ``velocity`` (N, 2) m/s.

        ``reference`` (N, 2): inertial slip velocity, m/s, against which nodes count as reversed. Raises NotConverged,
        RigidFrictionError and what the friction solver raises.
        """
        model, history, nodes = self._model, self._stage.nodes, self._nodes
        found = self.held(velocity, reference)
        frame, (slip, multiplier, state, *_), v = found.frame, found.friction, found.velocity
        internal, acceleration = found.internal, found.acceleration
        assert frame is not None
        assert internal is not None
        assert acceleration is not None
        arms = model.body.X[nodes] @ frame.rotation.T
        position = history.position + history.tau_x * v
        position[nodes] = frame.origin + arms
        applied = history.load + history.theta * internal + self._acting.force(position, v) - multiplier
        rest = model.mass.times(acceleration) - applied
        reaction = np.where(self._free_mask, 0.0, wrench(arms, rest[nodes]))
        friction = Friction(slip, multiplier, self._status(state, slip, reference), on_nodes(-multiplier))
        return found._replace(friction=friction, own=(self._reaction(rest, arms, reaction),))

    def _law(self, angle: float, nodes: Nodes) -> Law:
        """Return the law at nodes in axes turned by an angle."""
        bristles, law = self._history.internal[-1], self._history.friction.shared.rotated(angle)
        return law if bristles is None else law.for_stage(to_body(bristles[nodes], angle), self._history.tau_x)

    def _reaction(self, rest: Array, arms: Array, reaction: Array) -> Record:
        """Return the record of the clamp's reaction (3,), where ``rest`` (N, 2), N, is what the nodes' balance leaves."""
        held, holding = rest[self._nodes], np.zeros_like(rest)
        # What the solver leaves of the free motions' balance is no reaction.
        missed = wrench(arms, held) - reaction
        holding[self._nodes] = held - spread(missed, arms, np.ones(len(arms)), np.ones(3, np.bool_))
        return driven(holding, reaction)

    def _status(self, state: NDArray[np.int8], slip: Array, reference: Array) -> NDArray[np.int8]:
        """Return the nodes' status, of the clamp's from how it moves: reversed where all of it is, and no motion is driven."""
        status, nodes = state.copy(), self._nodes
        backwards = np.einsum("ia,ia->i", slip[nodes], reference[nodes]) < 0.0
        moving = REVERSED if backwards.all() and not self._driven else SLIP
        status[nodes] = np.where(np.any(slip[nodes], axis=1), moving, HELD if self._at_rest else STICK)
        status[nodes[self._bound[nodes] == 0.0]] = FREE
        return status


def driven(holding: Array, reaction: Array) -> Record:
    """Return the record of a clamp that holds nodes by forces (N, 2), N, with the ``reaction`` (3,) on its motions."""
    return Record(on_nodes(holding), driving=(np.zeros_like(holding), reaction[:2], reaction[2:]), mixed=False)


class TurningStage(ClampedStage):
    """That of a clamp that turns, or whose friction is not along its guide: the clamp's rates by Newton's method."""

    def _part(self, rates: Array, pivot: int, last: Array) -> ClampedEquilibrium:
        model, history = self._model, self._history
        if pivot >= 0:  # that node stands still also where the stage's own angle has put it
            arm = to_inertial(model.body.X[self._nodes[pivot]], clamp_motion(history, rates).angle)
            rates = np.where(self._free, [*(history.friction.ground - rates[2] * turned(arm)), rates[2]], rates)
        frame, nodes = clamp_motion(history, rates), self._stage.nodes
        effects = self._acting.frozen(nodes.position + nodes.tau_x * last, last)
        return ClampedEquilibrium(model, self._stage, frame, self._nodes, effects)

    def held(self, velocity: Array, reference: Array) -> Answer:
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
            key=self._stage.key,
            what=f"of the stage ending at t = {history.time:.9g} s",
        )
        ahead = self._stage.frame
        start = np.where(self._free, [*ahead.velocity, *ahead.spin], self._prescribed)
        solution = solve_clamp(problem, start, velocity - history.friction.ground, reference)
        part, slip, multiplier, frame = solution.part, solution.slip, solution.multiplier, solution.part.motion
        if self._at_rest:
            multiplier[nodes] = spread(-solution.demand, part.arms, self._bound[nodes], self._free_mask)
        velocity = slip + history.friction.ground
        velocity[nodes] = part.clamp_velocity
        v = solution.result.velocity
        acceleration, internal = (to_inertial(f, frame.angle) for f in (part.acceleration(v), part.internal_force(v)))
        state, counts = solution.result.state, solution.counts
        friction = Friction(slip, multiplier, state, ())
        return Answer(velocity, friction, counts, frame=frame.floating, internal=internal, acceleration=acceleration)


def is_led(clamp: Clamped, history: StageHistory) -> bool:
    """Say whether a clamp moves along axes without turning, with friction, if any acts on it, along these alone: then its nodes are
    one node of a friction problem (``GuidedStage``)."""
    free = clamp.free_mask[:2]
    if clamp.turns or history.friction.law.metric is not None:
        return False
    moved = clamp.prescribed(history.time)[:2] != history.friction.ground
    return not (free.any() and (moved & ~free).any())


class GuidedStage(ClampedStage):
    """That of a clamp that ``is_led``: its nodes are ``merged`` into one, the frame's origin, which keeps what is not free."""

    def __init__(
        self,
        model: Model,
        clamp: Clamped,
        stage: ElasticStage,
        acting: NodeEffects,
        fixed: Mask | None,
        merged: Merged,
    ) -> None:
        super().__init__(model, clamp, stage, acting, fixed)
        self.merged = merged

    def held(self, velocity: Array, reference: Array) -> Answer:
        history, merged, nodes = self._history, self.merged, self._nodes
        ground, free = history.friction.ground, self._free_mask[:2]
        lift = np.repeat(ground[None], len(merged.X), axis=0)
        lift[0] = np.where(free, ground, self._prescribed[:2])
        part, result = self._solved(velocity, reference, lift)
        slip = merged.expanded(result.velocity + (lift - ground))
        led = self._law(0.0, nodes).force(slip[nodes], self._bound[nodes])
        multiplier = merged.under(result.multiplier, self._bound, free, led)
        velocity, internal = slip + ground, self._internal(part, result.velocity)
        frame = clamp_motion(history, np.array([*(result.velocity[0] + lift[0]), 0.0]))
        velocity[nodes] = frame.velocity
        return Answer(
            velocity,
            Friction(slip, multiplier, merged.expanded(result.state), ()),
            Counts.of(result),
            frame=frame.floating,
            internal=internal,
            acceleration=merged.expanded(part.acceleration(result.velocity)),
        )

    def _solved(self, velocity: Array, reference: Array, lift: Array) -> tuple[StageEquilibrium, TrescaResult]:
        """Solve the nodes from an inertial velocity (N, 2) m/s, unknown beside the ``lift`` (N', 2) m/s."""
        model, history, merged = self._model, self._history, self.merged
        place, rates, (x, v, load, *weights) = history.configuration[1], history.velocity[1], self._stage.nodes
        nodes = NodeHistory(merged.headed(place, x), merged.headed(rates, v), merged.gathered(load), *weights)
        fixed = merged.headed(np.full((), self._at_rest), self._fixed)
        laws = merged.laws(self._bound, self._free_mask[:2], fixed)
        order = np.concatenate([merged.together[:1], merged.others])
        law, elastic = self._law(0.0, order), merged.of(self._stage.elastic)
        start, against = (merged.headed(f[self._nodes[0]], f) for f in (velocity, reference))
        start = start - lift
        start[laws.kept] = start[laws.fixed] = 0.0
        effects = MergedEffects(self._stage.effects, merged)
        part = StageEquilibrium(elastic, nodes, place, np.eye(2), effects, merged.cache.data)
        part.lift_by(lift)
        options = model.friction_options
        problem = NodalProblem(part=part, laws=laws, law=law, cache=merged.cache, key=self._stage.key, options=options)
        return part, solved(problem, start, against)

    def _internal(self, part: StageEquilibrium, velocity: Array) -> Array:
        """Return the internal force (N, 2) N on all nodes, without a resultant moment."""
        model, X = self._model, self._model.body.X
        part.internal_force(velocity)
        body = part.body
        assert isinstance(body, MergedBody)
        internal: Array = body.internal
        if model.objective:
            return internal
        r = X + self.merged.expanded(part.displacement(velocity))
        return without_moment(internal, r, X, self._nodes)
