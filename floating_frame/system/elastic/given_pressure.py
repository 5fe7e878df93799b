"""Friction under a given pressure, of plates and solids: given bounds at nodes, and prescribed heights.

Sliding nodes obey a law along the ground with given bounds; in space guided nodes keep their heights (``GUIDED``), by a row
across the ground.

At one instant, of given x and v, a solves a friction problem, too:

    M a − f + λ = 0,   λ_i = w_i v_i/|v_i| where v_i ≠ 0,   λ_i ∈ w_i ∂|a_i| where v_i = 0,

since a node at rest starts to slide along its acceleration; on moving ground v and a are relative."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.shapes import GROUND
from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.protocol import Effect, Friction, Inclusion, Mask, Motion, support_rigid_modes
from floating_frame.frame.kernels import predicted_velocity
from floating_frame.frame.kinematics import Array, scatter
from floating_frame.frame.rigid_modes import wrench
from floating_frame.frame.rotations import attitude_of
from floating_frame.system.elastic.arc_predictor import ArcPredictor
from floating_frame.system.elastic.blocks import on_nodes
from floating_frame.system.elastic.equilibrium import LEVEL, ElasticStage, InstantEquilibrium
from floating_frame.system.elastic.ground import Ground, NodalSolution
from floating_frame.system.limit_load import ALL_FREE, check_limit
from floating_frame.system.model import Model
from floating_frame.system.protocol import Series, Stage, StageHistory
from floating_frame.system.state import Counts, State
from friction import FactorCache, Law, TrescaOptions, TrescaResult
from friction.arrays import contiguous, nonzero_rows
from friction.nodal.kernels import GUIDED, UNGUIDED
from friction.nodal.problem import NodalProblem, NodeLaws
from friction.nodal.solve import solve_problem
from friction.rigid.problem import point_maps
from friction.status import SLIP, STICK
from friction.stick import breakaway, is_coulomb

CONTACT_FALLBACK = 60
"""Most steps along the path of smoothed problems in a pass with penalty contacts."""


class GivenPressureGround(Ground):
    """Solve stages and instants of a ``model`` with friction at ``nodes`` (m,) under given pressure; ``guided`` nodes keep their
    heights.

    ``cache``: workspace of the matrices, which are symmetric or not (None: nothing is solved); ``options`` of the friction
    problem."""

    def __init__(
        self,
        model: Model,
        friction: FoundationFriction,
        nodes: NDArray[np.intp],
        guided: NDArray[np.intp],
        cache: FactorCache | None,
        options: TrescaOptions,
    ) -> None:
        self.model, self.friction, self.nodes, self._guided = model, friction, nodes, guided
        self._cache, self._options = cache, options
        self.symmetric, self.iterates = cache is None or cache.symmetric, not model.objective
        count, d = model.body.X.shape
        self._whole_plate = d == 2 and len(nodes) == count  # nodes of a plate have no row across the ground
        kind = np.full(count, UNGUIDED, np.int8)
        kind[guided] = GUIDED
        prescribed = np.zeros((count, d), bool)
        self._laws = NodeLaws(np.zeros(count), np.zeros(count), kind, np.zeros(count, bool), prescribed)

    @property
    def cache(self) -> FactorCache:
        """Workspace of the matrices."""
        assert self._cache is not None
        return self._cache

    @property
    def contact_pairs(self) -> list[tuple[Obstacle, NDArray[np.intp]]]:
        return [(GROUND, self.nodes)] if self.model.problem.dimension == 3 else []

    @property
    def room(self) -> Array | None:
        return self.cache.data

    def check_limit(self, effects: Sequence[Effect], state: State, end: float) -> None:
        """Raise Unsolved (LimitLoad) where friction cannot hold the body in its position under the loads at ``end`` s."""

        def modes(x: Array) -> Array:
            return point_maps(x - state.frame.coordinates[:2]) / [1.0, 1.0, self.model.radius]

        if not support_rigid_modes(effects, end, state.motion.configuration, modes):
            x, free = state.position, self._free_motions(end)
            about = x.mean(axis=0) if all(free) else state.frame.origin
            if any(free):
                load, bound = self.model.loads.total_force(end, x), self.friction.bound(end)
                check_limit(wrench(x - about, load), x - about, bound, end, free=free, law=self.model.law)

    def _free_motions(self, end: float) -> Sequence[bool]:
        """Mask of those of x, y and angle that friction alone must hold at ``end`` s."""
        return ALL_FREE

    def begin(self, times: tuple[float, float], motion: Motion, friction: Friction, *, lands: bool) -> Self:
        """Discard the factor: a step's result must not depend on earlier ones."""
        self.cache.forget()
        return self

    def arc(self, time: float, friction: Friction, arms: Array) -> ArcPredictor | None:
        still = self.nodes[~nonzero_rows(friction.slip) & (self.friction.bound(time) > 0.0)]
        count, up = len(self._guided), np.eye(self._laws.prescribed.shape[1])[-1]
        return ArcPredictor(arms, still, self._guided, np.tile(up, (count, 1)), np.ones(count, bool))

    def axes(self, Q: Array) -> Array:
        """Axes of space for an objective material, whose forces turn with the body."""
        return LEVEL[len(Q)] if self.model.objective else Q

    def slip(self, velocity: Array, ground: Array) -> Array:
        """Slip velocities (m, 2) m/s."""
        return self._at_contacts(velocity) - ground

    def predicted_velocity(self, history: StageHistory, last: State | Stage, velocity: Array) -> Array:
        """v* + τ_v a with the ``last`` accelerations, where all nodes obey Coulomb's law; the ground's velocity where a node rests,
        or would slide back. Under other laws the start may choose among solutions."""
        if not (self._whole_plate and np.isfinite(history.tau_v) and is_coulomb(history.friction.law)):
            return velocity
        ahead, slip = np.empty_like(velocity), contiguous(last.friction.slip)
        arriving, acceleration = history.velocity[0], contiguous(last.motion.acceleration[0])
        predicted_velocity(arriving, acceleration, slip, history.friction.ground, history.tau_v, ahead)
        return ahead

    def allows_rigid_start(self, friction: Friction) -> bool:
        return not self._whole_plate or bool(np.all(np.any(friction.slip, axis=1)))

    def solve(
        self, stage: ElasticStage, start: tuple[Array, Array], reference: Array, fixed: Mask | None
    ) -> NodalSolution:
        """Solve a stage. Raises friction.FrictionSolveError, NotPositiveDefinite."""
        problem, v, against = self._stage_problem(stage, start[0], reference, fixed)
        return self._solution(stage, solve_problem(problem, v, against))

    def _stage_problem(
        self, stage: ElasticStage, velocity: Array, reference: Array, fixed: Mask | None
    ) -> tuple[NodalProblem, Array, Array]:
        """Friction problem of a stage, and in its axes the slip velocities to start from and the incoming ones."""
        friction, axes = stage.history.friction, stage.axes
        stage.set_lift(stage.to_axes(self._lift(friction.ground)))
        fixed_nodes, v = self._laws.fixed, stage.to_axes(velocity) - stage.lift
        v[self._guided, 2:] = 0.0
        if fixed is not None:
            fixed_nodes = fixed_nodes.copy()
            fixed_nodes[self.nodes] = fixed
            v[fixed_nodes, :2] = 0.0
        law = friction.law if stage.level else friction.law.rotated(float(attitude_of(axes, np.zeros(1))[0]))
        problem = self._problem(stage, friction.bound, law, stage.key, fixed_nodes)
        return problem, v, stage.to_axes(self._to_all_nodes(reference))

    def _solution(self, stage: ElasticStage, result: TrescaResult) -> NodalSolution:
        slip, multiplier = stage.to_space(result.velocity), stage.to_space(result.multiplier)
        velocity = slip + self._lift(stage.history.friction.ground)
        internal = None if stage.body.viscosity else stage.to_space(stage.internal_force(result.velocity))
        friction = self._friction(slip, multiplier, result.state)
        return NodalSolution(velocity, friction, Counts.of(result), internal=internal)

    def _lift(self, ground: Array) -> Array:
        """Velocities of the ground at the nodes (N, d), or (1, d) for all."""
        d = self._laws.prescribed.shape[1]
        if d == 2 or not ground.any():
            return ground[None] if d == 2 else np.zeros((1, d))
        return self._to_all_nodes(np.tile(ground, (len(self.nodes), 1)), d)

    def instant(
        self, time: float, force: Array, motion: Motion, friction: tuple[Inclusion, Array | None], *, left: bool
    ) -> NodalSolution:
        slip, moves, sliding, begins, bounds = self._known_friction(time, motion, friction, left=left)
        part = InstantEquilibrium(self.model.elastic_at(0.0), force - self._to_all_nodes(sliding, force.shape[1]))
        part.lift = part.lift + self._lift(friction[0].ground_acceleration(time, left=left))
        self.cache.forget()
        posed = self._problem(part, bounds, begins, "instant", self._laws.fixed)
        result = solve_problem(posed, np.zeros_like(force), None)
        self.cache.forget()
        nodal, status = result.multiplier.copy(), np.where(moves, SLIP, STICK).astype(np.int8)
        nodal[self.nodes, :2] = np.where(moves[:, None], sliding, nodal[self.nodes, :2])
        result_friction = Friction(slip, self._at_contacts(nodal), status, on_nodes(-nodal))
        return NodalSolution(result.velocity + part.lift, result_friction, Counts.of(result))

    def _known_friction(
        self, time: float, motion: Motion, friction: tuple[Inclusion, Array | None], *, left: bool
    ) -> tuple[Array, NDArray[np.bool_], Array, Law, Array]:
        """Slip velocities at an instant, mask of the moving nodes, their λ; law and bounds of the onset of sliding of others."""
        inclusion, internal = friction
        problem = inclusion.for_stage(time, internal, 0.0, left=left)
        slip = self.slip(motion.velocity[0], problem.ground)
        moves = nonzero_rows(slip)
        begins, bounds = breakaway(inclusion.law, problem.bound)
        sliding = np.where(moves[:, None], problem.law.force(slip, problem.bound), 0.0)
        return slip, moves, sliding, begins, np.where(moves, 0.0, bounds)

    def _problem(
        self,
        part: ElasticStage | InstantEquilibrium,
        bound: Array,
        law: Law,
        key: Hashable,
        fixed: Mask,
    ) -> NodalProblem:
        wide = self._to_all_nodes(bound)
        return NodalProblem(
            part=part,
            laws=self._laws._replace(bound=wide, fixed=fixed),
            cache=self.cache,
            law=law if self._whole_plate else law.with_total_load(wide),
            key=key,
            options=self._options,
        )

    def _at_contacts(self, field: Array) -> Array:
        """Values (m, 2) along the ground of a nodal field (N, d)."""
        return field if self._whole_plate else field[self.nodes, :2]

    def _to_all_nodes(self, values: Array, width: int = 2) -> Array:
        """Values (N, ...) of all nodes from those (m, ...) with friction, 0 elsewhere."""
        shape = (len(self._laws.bound),) if values.ndim == 1 else (len(self._laws.bound), width)
        if self._whole_plate and values.shape == shape:
            return values
        wide = np.zeros(shape)
        at = wide if values.ndim == 1 else wide[:, :2]
        at[self.nodes] = values
        return wide

    def _friction(self, velocity: Array, multiplier: Array, state: NDArray[np.int8]) -> Friction:
        """Friction of a solution at the nodes with friction; its force includes the guides' forces."""
        status = state if self._whole_plate else state[self.nodes]
        return Friction(self._at_contacts(velocity), self._at_contacts(multiplier), status, on_nodes(-multiplier))

    def series(self, state: State) -> Series:
        """Friction, given normal forces and stick of all nodes."""
        count, pressed = len(self.model.body.X), np.zeros((len(self.nodes), 3))
        pressed[:, :2] = -state.friction.multiplier
        pressed[:, 2] = self.friction.load(state.time)
        force, stick = scatter(self.nodes, pressed, count), np.full(count, -1)
        stick[self.nodes] = state.sticking()
        along = force * [1.0, 1.0, 0.0]
        return {"contact_force": force, "normal_force": force[:, 2], "friction_force": along, "stick": stick}
