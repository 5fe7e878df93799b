"""Ground whose pressure on an elastic solid is given, as under a plate: friction with given bounds, and heights that are kept.

Rubbing nodes obey Coulomb's law along the ground with their given bounds, guided nodes keep their heights (``GUIDED``): the
friction problem of plates (``friction.nodal``) with a row across the ground at every node."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.shapes import GROUND
from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.protocol import Friction, Mask, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.system.elastic.carried import Kept
from floating_frame.system.elastic.equilibrium import ElasticBody, InstantEquilibrium
from floating_frame.system.elastic.factors import ElasticFactor
from floating_frame.system.protocol import Series
from floating_frame.system.solid.clamp import SPACE
from floating_frame.system.solid.ground import Answer, nodal
from floating_frame.system.solid.stage import SolidStage
from floating_frame.system.state import Counts, State
from friction import FactorCache, TrescaOptions, TrescaResult
from friction.laws.protocol import Law
from friction.nodal.kernels import FREE, GUIDED
from friction.nodal.problem import NodalProblem, NodeLaws
from friction.nodal.smooth_objective import SmoothPart
from friction.nodal.solve import solved
from friction.stick import breakaway

PATIENCE = 10


class GroundedPart:
    """A ``part`` in the velocities of nodes against ground of velocity ``ground`` (2,) m/s, of which the ``rubbing`` (m,) slip on
    it."""

    def __init__(self, part: SolidStage | InstantEquilibrium, rubbing: NDArray[np.intp], ground: Array) -> None:
        self._part, self.lift = part, np.zeros((1, 3))
        self.indptr, self.indices, self.linear = part.indptr, part.indices, part.linear
        if ground.any():
            self.lift = np.zeros(((len(part.indptr) - 1) // 3, 3))
            self.lift[rubbing, :2] = ground

    def gradient(self, u: Array) -> Array:
        return self._part.gradient(u + self.lift)

    def hessian(self, u: Array) -> Array:
        return self._part.hessian(u + self.lift)

    def energy(self, u: Array) -> float:
        return self._part.energy(u + self.lift)

    def scale(self, u: Array) -> float:
        return self._part.scale(u + self.lift)

    def rounding(self, u: Array) -> float:
        return self._part.rounding(u + self.lift)


class PressedNodes:
    """Solve stages and instants of a ``solid`` whose ``nodes`` (m,) rub on ground of given pressure; ``guided`` ones keep heights.

    ``tolerance``: of the friction problem, relative to the largest nodal force; ``symmetric``: whether stages have symmetric
    matrices."""

    finds_pressure = False

    def __init__(
        self,
        solid: ElasticBody,
        nodes: NDArray[np.intp],
        guided: NDArray[np.intp],
        friction: FoundationFriction,
        tolerance: float,
        *,
        symmetric: bool = True,
    ) -> None:
        self._solid, self.nodes, self._guided, self.friction = solid, nodes, guided, friction
        body, count = solid.body, len(solid.body.X)
        self._options = TrescaOptions(rtol=tolerance, patience=PATIENCE)
        factor = ElasticFactor(body.indptr, body.indices, symmetric=symmetric)
        self._cache = FactorCache(body.indptr, body.indices, factor, d=3, symmetric=symmetric)
        self._kind = np.full(count, FREE, np.int8)
        self._kind[guided] = GUIDED
        self._unknown, self._kept = np.zeros(count), np.zeros((count, 3), bool)

    @property
    def touching(self) -> list[tuple[Obstacle, NDArray[np.intp]]]:
        return [(GROUND, self.nodes)]

    def put_back(self, x: Array, time: float, friction: Friction) -> Array:
        return x

    def begin(self, times: tuple[float, float], motion: Motion, friction: Friction, *, lands: bool) -> Self:
        """Forget the factor: a step's result must not depend on what was factorised before it."""
        self._cache.forget()
        return self

    def kept(self, friction: Friction) -> Kept:
        still = self.nodes[~np.any(friction.slip, axis=1)]
        count = len(self._guided)
        return Kept(still, self._guided, np.tile([0.0, 0.0, 1.0], (count, 1)), np.ones(count, bool))

    def axes(self, Q: Array) -> Array:
        return SPACE

    def slip(self, velocity: Array, ground: Array) -> Array:
        """Return the slip velocities (m, 2) m/s."""
        return np.asarray(velocity[self.nodes, :2] - ground)

    def solve(self, stage: SolidStage, start: tuple[Array, Array], reference: Array, fixed: Mask | None) -> Answer:
        """Solve a stage. Raises friction.FrictionSolveError, NotPositiveDefinite."""
        history = stage.history
        problem, part = history.friction, GroundedPart(stage, self.nodes, history.friction.ground)
        held = np.zeros(len(self._unknown), bool)
        held[self.nodes] = False if fixed is None else fixed
        key = (history.tau_x, history.tau_v, history.theta)
        nodal_problem = self._problem(part, problem.bound, problem.law, held, key)
        u = start[0] - part.lift
        u[held, :2], u[self._guided, 2] = 0.0, 0.0
        result = solved(nodal_problem, u, self._wide(reference))
        velocity = result.velocity + part.lift
        return Answer(velocity, self._friction(result), Counts.of(result))

    def instant(self, time: float, force: Array, motion: Motion, *, left: bool) -> Answer:
        """Return accelerations and friction under the nodal ``force`` (N, 3) N, space, of all but the ground: nodes at rest may
        start to slide along their acceleration, as those of a plate (``system/plate/instant``)."""
        v = motion.velocity[0]
        problem = self.friction.for_stage(time, None, 0.0, left=left)
        slip = self.slip(v, problem.ground)
        moving = np.any(slip, axis=1)
        known = np.where(moving[:, None], problem.law.force(slip, problem.bound), 0.0)
        rubbed = force.copy()
        rubbed[self.nodes, :2] -= known
        ground = self.friction.ground_acceleration(time, left=left)
        part = GroundedPart(InstantEquilibrium(self._solid, rubbed), self.nodes, ground)
        begins, bounds = breakaway(self.friction.law, problem.bound)
        self._cache.forget()
        none = np.zeros(len(self._unknown), bool)
        nodal_problem = self._problem(part, np.where(moving, 0.0, bounds), begins, none, "instant")
        result = solved(nodal_problem, np.zeros_like(v), None)
        self._cache.forget()
        found = self._friction(result)
        multiplier = np.where(moving[:, None], known, found.multiplier)
        pull = found.force[0] - nodal(self._solid.body.X, self.nodes, known)
        friction = Friction(slip, multiplier, found.status, (pull, *found.force[1:]))
        return Answer(result.velocity + part.lift, friction, Counts.of(result))

    def _problem(self, part: SmoothPart, bound: Array, law: Law, fixed: Mask, key: object) -> NodalProblem:
        wide = self._wide(bound)
        return NodalProblem(
            part=part,
            laws=NodeLaws(wide, self._unknown, self._kind, fixed, self._kept),
            cache=self._cache,
            law=law.with_total_load(wide),
            key=key,
            options=self._options,
        )

    def _wide(self, values: Array) -> Array:
        """Values (m, ...) of rubbing nodes as those of all, 0 elsewhere."""
        wide = np.zeros((len(self._unknown), *values.shape[1:]))
        wide[self.nodes] = values
        return wide

    def _friction(self, result: TrescaResult) -> Friction:
        """Return the friction of a solution: of the rubbing nodes, and with what guides others as its force."""
        nodes, along = self.nodes, slice(2)
        pull = -result.multiplier
        none = np.zeros(3), np.zeros(3)
        return Friction(
            result.velocity[nodes, along], result.multiplier[nodes, along], result.state[nodes], (pull, *none)
        )

    def series(self, state: State) -> Series:
        """Return friction, the given normal forces and which nodes stick, of all nodes."""
        X, pressed = self._solid.body.X, np.zeros((len(self.nodes), 3))
        pressed[:, :2] = -state.friction.multiplier
        pressed[:, 2] = self.friction.load(state.time)
        force, stick = nodal(X, self.nodes, pressed), np.full(len(X), -1)
        stick[self.nodes] = state.at_rest_relative()
        along = force * [1.0, 1.0, 0.0]
        return {"contact_force": force, "normal_force": force[:, 2], "friction_force": along, "stick": stick}
