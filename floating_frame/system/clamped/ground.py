"""A deformable body in the plane on a clamp that moves: the clamp's reaction is a source of its own.

The free entries of q' are unknowns of the elastic pass (``motion``). The reaction acts at the clamped nodes; external work is done
by the frame's wrench R on q'. The difference of their works in a step is numerical: the working velocity of a turning clamp's nodes
is no rigid motion. A clamp at rest, like any node at rest, may start to slide along its acceleration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Friction, Inclusion, Mask, Motion, OwnSource, Record
from floating_frame.frame.clamp import Clamped, distribute_wrench, with_clamp_couple
from floating_frame.frame.kinematics import Array, FrameMotion, rotation
from floating_frame.frame.rigid_modes import wrench
from floating_frame.frame.rotations import attitude_of
from floating_frame.frame.space_clamp import Joint
from floating_frame.system.clamped.motion import ClampProblem, ClampSolution
from floating_frame.system.clamped.nodes import ClampedInstant, ClampedNodes, ClampedPart, ClampedStage
from floating_frame.system.elastic.arc_predictor import ArcPredictor
from floating_frame.system.elastic.blocks import frame_in_space, on_nodes
from floating_frame.system.elastic.equilibrium import ElasticStage, InstantEquilibrium
from floating_frame.system.elastic.factors import ElasticFactor
from floating_frame.system.elastic.given_pressure import GivenPressureGround
from floating_frame.system.elastic.ground import NodalSolution
from floating_frame.system.protocol import StageHistory, friction_at
from floating_frame.system.state import Counts
from friction import FactorCache, Law
from friction.status import FREE, HELD, REVERSED, SLIP, STICK

_RATE_INTERVAL = 1e-6
"""Step, s, for the derivative of prescribed rates (reported accelerations at t = 0 and after arrests only)."""


def reaction_series(record: Record) -> Mapping[str, Array | float]:
    """Series of the reaction of the clamp's guide on the body; ``driving`` of its records is (0, F, M), M about x0."""
    R = np.concatenate(record.driving[1:])
    return {"clamp_reaction": R[:2], "clamp_moment": float(R[2])}


class ClampedGround(GivenPressureGround):
    """Nodes on given pressure, some of them moved by a ``clamp``."""

    constant_mass, sources = False, (OwnSource("reaction", results=("clamp",), series=reaction_series),)

    def __init__(self, pressed: GivenPressureGround, clamp: Clamped) -> None:
        vars(self).update(vars(pressed))
        x, y, _ = self._free = clamp.free_mask
        joint = Joint(
            np.zeros(2), None, np.eye(1, 2), np.array([[x, y], [False, False]])
        )  # prescribed rates of rotation are given to the problem
        nodes = ClampedNodes(self.model.body, self.model.clamp, joint, rigid=True)
        factor = ElasticFactor(nodes.indptr, nodes.indices, nodes.places)
        self.iterates = False
        self._clamp, self._clamp_nodes, self._cache = clamp, nodes, FactorCache(nodes.indptr, nodes.indices, factor)

    @property
    def room(self) -> Array:
        return self._clamp_nodes.room

    def _free_motions(self, end: float) -> Sequence[bool]:
        """None for a driven clamp, which friction need not hold."""
        return [] if np.any(self._clamp.prescribed(end)) else self._free.tolist()

    def zero_records(self, motion: Motion) -> tuple[Record, ...]:
        return (_reaction_record(np.zeros_like(motion.configuration[0]), np.zeros(3)),)

    def arc(self, time: float, friction: Friction, arms: Array) -> ArcPredictor | None:
        return None

    def is_guided(self, prescribed: Array, ground: Array) -> bool:
        """True if the clamp, with ``prescribed`` rates (3,) above the ``ground`` (2,), moves along axes without turning, and its
        friction acts along these alone: then its nodes are one node of a friction problem."""
        free = self._free[:2]
        if self._clamp.turns or self.model.law.metric is not None:
            return False
        return not (free.any() and bool(np.any((prescribed[:2] != ground) & ~free)))

    def solve(
        self, stage: ElasticStage, start: tuple[Array, Array], reference: Array, fixed: Mask | None
    ) -> NodalSolution:
        """Solve a stage; a clamp all of whose nodes are ``fixed`` rests on the ground. Raises Unsolved, RigidFrictionError and the
        friction solver's errors."""
        history, clamp, velocity = stage.history, self._clamp_nodes.clamped, start[0]
        friction, prescribed = history.friction, self._clamp.prescribed(history.time)
        at_ground = np.array([*friction.ground, 0.0])
        driven = bool(np.any((prescribed != at_ground) & ~self._free))
        fixed_nodes = np.zeros(len(velocity), np.bool_) if fixed is None else fixed.copy()
        fixed_nodes[clamp] = at_rest = bool(fixed_nodes[clamp].all()) and not driven
        problem = ClampProblem(
            nodes=self._clamp_nodes,
            part_of=lambda rates: self._part(stage, rates),
            bound=friction.bound,
            fixed=fixed_nodes,
            free=self._free,
            prescribed=at_ground if at_rest else prescribed,
            ground=friction.ground,
            law_at=lambda axes, nodes: _law_of(history, axes, nodes),
            cache=self.cache,
            options=self.model.friction_options,
            key=stage.key,
            what=f"of the stage ending at t = {history.time:.9g} s",
        )
        if self.is_guided(prescribed, friction.ground):
            solution = problem.guided(velocity, reference)
        else:
            ahead = np.array([*stage.frame.velocity, *stage.frame.spin])
            rates = np.where(problem.moves, ahead, problem.prescribed)
            solution = problem.turning(rates, velocity - friction.ground, reference)
            if at_rest:
                solution.multiplier[clamp] = distribute_wrench(
                    -solution.demand, solution.arms, friction.bound[clamp], self._free
                )
        answer = self._clamp_solution(solution)
        status, slip = solution.state.copy(), solution.slip[clamp]
        backwards = np.einsum("ia,ia->i", slip, reference[clamp]) < 0.0
        moving = REVERSED if backwards.all() and not driven else SLIP
        status[clamp] = np.where(np.any(slip, axis=1), moving, HELD if at_rest else STICK)
        status[clamp[friction.bound[clamp] == 0.0]] = FREE
        friction_of = Friction(solution.slip, solution.multiplier, status, on_nodes(-solution.multiplier))
        return answer._replace(velocity=solution.slip + friction.ground, friction=friction_of, counts=solution.counts)

    def _part(self, stage: ElasticStage, rates: Array) -> ClampedPart:
        """Stage relative to the clamp's motion at ``rates`` (3,), for a non-objective material in axes that turn with it."""
        history, lift = stage.history, self._clamp_lift(rates, stage.history.friction.ground)
        if not self.model.objective:
            angle = history.origin[2] + history.increment[2] + history.tau_x * rates[2]
            frame = stage.frame._replace(rotation=rotation(float(angle[0])))
            stage = ElasticStage(stage.elastic, history, frame, stage.load, stage.effects, self.room)
            lift[0], lift[2:] = lift[0] @ stage.axes, lift[2:] @ stage.axes
        return ClampedStage(stage, self._clamp_nodes, lift)

    def _clamp_lift(self, rates: Array, ground: Array) -> Array:
        """Unknowns (N', 2) of a clamp at ``rates`` (3,) and nodes that move with the ``ground`` (2,)."""
        lift = np.tile(ground, (len(self._clamp_nodes.places), 1))
        lift[0], lift[1] = rates[:2], [rates[2], 0.0]
        return lift

    def _clamp_solution(self, solution: ClampSolution) -> NodalSolution:
        """Frame, the nodes' forces and accelerations, and the record of the reaction, 0 along free motions."""
        part, clamp, model = solution.part, self._clamp_nodes.clamped, self.model
        stage = part.part
        assert isinstance(stage, ElasticStage)
        velocity, u, a = part.nodal(solution.unknowns)
        rest = stage.to_space(stage.gradient(velocity, u, a))[clamp] + solution.multiplier[clamp]
        internal = stage.internal_force(velocity, u)
        if not model.objective:
            balanced = with_clamp_couple(internal, model.body.X + u, model.body.X, clamp)
            rest -= stage.to_space(stage.history.theta * (balanced - internal)[clamp])
            internal = balanced
        if model.body.viscosity:
            internal = internal - model.body.viscous_force(u, velocity)
        reaction = np.where(self._free, 0.0, wrench(solution.arms, rest))
        holding = np.zeros_like(velocity)
        # The solver's residual of the free motions is no reaction.
        missed = wrench(solution.arms, rest) - reaction
        holding[clamp] = rest - distribute_wrench(missed, solution.arms, np.ones(len(clamp)), np.ones(3, np.bool_))
        return NodalSolution(
            velocity,
            friction_at(solution.slip, solution.multiplier, ()),
            solution.counts,
            (_reaction_record(holding, reaction),),
            part.end_frame(solution.unknowns),
            internal=stage.to_space(internal),
            acceleration=stage.to_space(a),
        )

    def instant(
        self, time: float, force: Array, motion: Motion, friction: tuple[Inclusion, Array | None], *, left: bool
    ) -> NodalSolution:
        """Instantaneous problem with the clamp's accelerations q'' as unknowns."""
        frame, clamp, free = frame_in_space(motion), self._clamp_nodes.clamped, self._free
        slip, _, sliding, begins, bounds = self._known_friction(time, motion, friction, left=left)
        along = friction[0].ground_acceleration(time, left=left)
        earlier = max(0.0, time - _RATE_INTERVAL)
        change = self._clamp.prescribed(time + _RATE_INTERVAL) - self._clamp.prescribed(earlier)
        prescribed = np.where(free, 0.0, change / (time + _RATE_INTERVAL - earlier))
        if frame.spin != 0.0:  # a node of a turning clamp, even one that stands still, is accelerated: let it slide
            bounds[clamp] = 0.0
        balance = InstantEquilibrium(self.model.elastic_at(0.0), force - sliding)

        def part_of(rates: Array) -> ClampedPart:
            part = ClampedInstant(balance, self._clamp_nodes, motion, np.eye(2), self._clamp_lift(rates, along))
            part.force_scale = float(np.abs(self.model.mass.times(part.nodal_velocity(np.zeros_like(part.lift)))).max())
            return part

        posed = ClampProblem(
            nodes=self._clamp_nodes,
            part_of=part_of,
            bound=bounds,
            fixed=np.zeros(len(bounds), np.bool_),
            free=free,
            prescribed=prescribed,
            ground=along,
            law_at=lambda axes, nodes: begins,
            cache=self.cache,
            options=self.model.friction_options,
            key="instant",
            what=f"at t = {time:.9g} s",
        )
        none = np.zeros_like(force)
        solution = (
            posed.guided(none, none) if self.is_guided(prescribed, along) else posed.turning(prescribed, none, none)
        )
        a, multiplier = solution.part.nodal_velocity(solution.unknowns), sliding + solution.multiplier
        rest = solution.part.clamp_force(solution.unknowns)[clamp] + solution.multiplier[clamp]
        reaction = np.where(free, 0.0, wrench(solution.arms, rest))
        now = FrameMotion(frame.coordinates, frame.rates, solution.rates)
        friction_of = friction_at(slip, multiplier, on_nodes(-multiplier))
        return NodalSolution(a, friction_of, Counts(), (_reaction_record(none, reaction),), frame=now.floating)


def _reaction_record(holding: Array, reaction: Array) -> Record:
    """Record of a clamp with forces ``holding`` (N, 2), N, on its nodes and the ``reaction`` (3,) on its motions."""
    return Record(on_nodes(holding), driving=(np.zeros_like(holding), reaction[:2], reaction[2:]), mixed=False)


def _law_of(history: StageHistory, axes: Array, nodes: NDArray[np.intp]) -> Law:
    """Law at nodes in axes."""
    law, bristles = history.friction.shared, history.internal[-1]
    if not np.array_equal(axes, np.eye(2)):
        law = law.rotated(float(attitude_of(axes, np.zeros(1))[0]))
    return law if bristles is None else law.for_stage(bristles[nodes] @ axes, history.tau_x)
