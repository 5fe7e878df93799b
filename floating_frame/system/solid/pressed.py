"""Ground whose pressure on an elastic solid is given, as under a plate: friction with given bounds, and heights that are kept.

The friction problem is that of plates (``friction.solve``), which has pairs of unknowns. Here the first m pairs are the velocities
of the rubbing nodes along the ground, against it; then come those of guided nodes across it, which are kept at 0, and all others,
in pairs as they come. With T the turn of the guided nodes' components into space, V = Tᵀ(w + lift) for the pairs w."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_matrix, kron

from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.protocol import Friction, Mask, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.space_contact.obstacles import GROUND, SpaceObstacle
from floating_frame.system.factors import ElasticFactor
from floating_frame.system.protocol import Series
from floating_frame.system.solid.carried import Kept
from floating_frame.system.solid.ground import Answer, nodal
from floating_frame.system.solid.stage import SolidBody, SolidInertia, SolidStage
from floating_frame.system.state import Counts, State
from friction import FactorCache, TrescaOptions, TrescaResult
from friction import solve as solve_friction
from friction.signorini import SpacePart
from friction.signorini.kernels import turn
from friction.stick import breakaway


class NodalPart(SpacePart, Protocol):
    """What of a stage or an instant is differentiable in V (N, 3), with its energy."""

    def energy(self, v: Array) -> float:
        """Return the potential of g, W."""


class Pairs:
    """How the unknowns 3 i + a of ``body`` stand in pairs: ``rubbing`` nodes (m,) along the ground, ``guided`` ones across it, the
    rest. ``order`` (2P,): unknown of each place, −1 of one that is filled up; pattern ``indptr``, ``indices`` with full 2 × 2
    blocks of pairs, whose values are ``source`` of the body's."""

    def __init__(self, solid: SolidBody, rubbing: NDArray[np.intp], guided: NDArray[np.intp]) -> None:
        body = solid.body
        along, across = (3 * rubbing[:, None] + [0, 1]).ravel(), 3 * guided + 2
        rest = np.setdiff1d(np.arange(body.X.size), np.concatenate([along, across]))
        groups = [np.append(g, [-1] * (len(g) % 2)) for g in (along, across, rest)]
        self.order: NDArray[np.intp] = np.concatenate(groups).astype(np.intp)
        self.count, self.kept = len(self.order) // 2, len(groups[1]) // 2
        place = np.empty(body.X.size, np.intp)
        place[self.order[self.order >= 0]] = np.flatnonzero(self.order >= 0)
        rows = np.repeat(place, np.diff(body.indptr))
        columns, own = place[body.indices], np.arange(self.count)
        at = np.concatenate([rows // 2, own]), np.concatenate([columns // 2, own])
        blocks = coo_array((np.ones(len(at[0])), at), shape=(self.count, self.count)).tocsr()
        pattern = csr_matrix(kron(blocks, np.ones((2, 2)), format="csr"))
        pattern.sort_indices()
        self.indptr, self.indices = pattern.indptr.astype(np.int32), pattern.indices.astype(np.int32)
        places = csr_matrix((np.arange(len(self.indices)), self.indices, self.indptr), shape=pattern.shape)
        self.source = np.full(len(self.indices), -1, np.intp)
        self.source[np.asarray(places[rows, columns]).ravel()] = np.arange(len(rows))
        row = np.repeat(np.arange(len(self.order)), np.diff(self.indptr))
        self.source[(row == self.indices) & (self.order[row] < 0)] = -2

    def taken(self, field: Array) -> Array:
        """Return nodal components (N, 3) in pairs (P, 2)."""
        return np.append(field.ravel(), 0.0)[self.order].reshape(-1, 2)

    def spread(self, pairs: Array) -> Array:
        """Return the nodal components (N, 3) that the pairs are."""
        flat, known = np.empty(int(self.order.max()) + 1), self.order >= 0
        flat[self.order[known]] = pairs.ravel()[known]
        return flat.reshape(-1, 3)

    def values(self, data: Array) -> Array:
        """Return the matrix of the body's ``data`` (nnz,) in the pattern of pairs; 1 on the diagonal of what is filled up."""
        values: Array = np.append(data, [1.0, 0.0])[self.source]
        return values


class InPairs:
    """A ``part`` in V (N, 3), body components, as one in pairs (P, 2); ``axes`` (n, 3, 3) of nodes by their ``number`` (N,)."""

    def __init__(self, part: NodalPart, pairs: Pairs, solid: SolidBody, number: NDArray[np.intp], axes: Array) -> None:
        self._part, self._pairs, self._body, self._number, self._axes = part, pairs, solid.body, number, axes
        self.indptr, self.indices, self.linear = pairs.indptr, pairs.indices, part.linear
        self._turned = np.flatnonzero(number >= 0)
        self.lift = np.zeros((pairs.count, 2))

    def paired(self, field: Array) -> Array:
        """Return body components (N, 3) in pairs."""
        seen = field.copy()
        seen[self._turned] = np.einsum("nab,nb->na", self._axes, field[self._turned])
        return self._pairs.taken(seen)

    def nodal(self, pairs: Array) -> Array:
        """Return the body components (N, 3) of pairs."""
        field = self._pairs.spread(pairs)
        field[self._turned] = np.einsum("nab,na->nb", self._axes, field[self._turned])
        return field

    def total(self, pairs: Array) -> Array:
        """Return V (N, 3) of the unknown pairs."""
        return self.nodal(pairs + self.lift)

    def gradient(self, pairs: Array) -> Array:
        return self.paired(self._part.gradient(self.total(pairs)))

    def hessian(self, pairs: Array) -> Array:
        data = self._part.hessian(self.total(pairs))
        turned = np.empty_like(data)
        turn(self._body.indptr, self._body.indices, data, self._number, self._axes, turned)
        return self._pairs.values(turned)

    def energy(self, pairs: Array) -> float:
        return self._part.energy(self.total(pairs))

    def scale(self, pairs: Array) -> float:
        return self._part.scale(self.total(pairs))

    def rounding(self, pairs: Array) -> float:
        return self._part.rounding(self.total(pairs))


class PressedNodes:
    """Solve stages and instants of a ``solid`` whose ``nodes`` (m,) rub on ground of given pressure; ``guided`` ones keep heights.

    ``tolerance``: of the friction problem, relative to the largest nodal force."""

    def __init__(
        self,
        solid: SolidBody,
        nodes: NDArray[np.intp],
        guided: NDArray[np.intp],
        friction: FoundationFriction,
        tolerance: float,
    ) -> None:
        self._solid, self.nodes, self._guided, self.friction = solid, nodes, guided, friction
        self._pairs, self._options = Pairs(solid, nodes, guided), TrescaOptions(rtol=tolerance)
        indptr, indices = self._pairs.indptr, self._pairs.indices
        self._cache = FactorCache(indptr, indices, ElasticFactor(indptr, indices))
        turned = np.union1d(nodes, guided)
        self._number = np.full(len(solid.body.X), -1)
        self._number[turned] = np.arange(len(turned))
        self._kept = np.zeros(self._pairs.count, bool)
        self._kept[len(nodes) : len(nodes) + self._pairs.kept] = True

    @property
    def touching(self) -> list[tuple[SpaceObstacle, NDArray[np.intp]]]:
        return [(GROUND, self.nodes)]

    def put_back(self, x: Array, time: float, friction: Friction) -> Array:
        return x

    def begin_step(self, times: tuple[float, float], motion: Motion, friction: Friction, *, lands: bool) -> None:
        """Forget the factor: a step's result must not depend on what was factorised before it."""
        self._cache.forget()

    def kept(self, friction: Friction) -> Kept:
        still = self.nodes[~np.any(friction.slip, axis=1)]
        count = len(self._guided)
        return Kept(still, self._guided, np.tile([0.0, 0.0, 1.0], (count, 1)), np.ones(count, bool))

    def slip(self, velocity: Array, ground: Array) -> Array:
        """Return the slip velocities (m, 2) m/s."""
        return np.asarray(velocity[self.nodes, :2] - ground)

    def solve(self, stage: SolidStage, start: tuple[Array, Array], reference: Array, fixed: Mask | None) -> Answer:
        """Solve a stage. Raises friction.FrictionSolveError, NotPositiveDefinite."""
        history, Q = stage.history, stage.frame.rotation
        problem, part = history.friction, self._part(stage, Q, history.friction.ground)
        held = self._kept.copy()
        held[: len(self.nodes)] = False if fixed is None else fixed
        result = solve_friction(
            part,
            self._wide(problem.bound),
            law=problem.law,
            reference=self._wide(reference),
            fixed=held,
            cache=self._cache,
            key=(history.tau_x, history.tau_v, history.theta),
            options=self._options,
            velocity=part.paired(start[0]) - part.lift,
            multiplier=self._wide(start[1]),
        )
        velocity = part.total(result.velocity) @ Q.T
        velocity[self.nodes, :2] = result.velocity[: len(self.nodes)] + problem.ground
        velocity[self._guided, 2] = 0.0
        return Answer(velocity, self._friction(part, Q, result), Counts.of(result))

    def instant(self, time: float, force: Array, motion: Motion, *, left: bool) -> Answer:
        """Return accelerations and friction under the nodal ``force`` (N, 3) N, space, of all but the ground: nodes at rest may
        start to slide along their acceleration, as those of a plate (``system/plate/instant``)."""
        Q, v = motion.configuration[2], motion.velocity[0]
        problem = self.friction.for_stage(time, None, 0.0, left=left)
        slip = self.slip(v, problem.ground)
        moving = np.any(slip, axis=1)
        known = np.where(moving[:, None], problem.law.force(slip, problem.bound), 0.0)
        rubbed = force.copy()
        rubbed[self.nodes, :2] -= known
        part = self._part(SolidInertia(self._solid, rubbed @ Q), Q, self.friction.ground_acceleration(time, left=left))
        begins, bounds = breakaway(self.friction.law, problem.bound)
        still = np.zeros((self._pairs.count, 2))
        self._cache.forget()
        result = solve_friction(
            part,
            self._wide(np.where(moving, 0.0, bounds)),
            law=begins,
            fixed=self._kept,
            cache=self._cache,
            options=self._options,
            velocity=still,
            multiplier=still,
        )
        self._cache.forget()
        found = self._friction(part, Q, result)
        multiplier = np.where(moving[:, None], known, found.multiplier)
        pull = found.force[0] - nodal(self._solid.body.X, self.nodes, known)
        friction = Friction(slip, multiplier, found.status, (pull, *found.force[1:]))
        return Answer(part.total(result.velocity) @ Q.T, friction, Counts.of(result))

    def _part(self, stage: NodalPart, Q: Array, ground: Array) -> InPairs:
        axes = np.broadcast_to(Q, (int(self._number.max()) + 1, 3, 3))
        part = InPairs(stage, self._pairs, self._solid, self._number, np.ascontiguousarray(axes))
        part.lift[: len(self.nodes)] = ground
        return part

    def _wide(self, values: Array) -> Array:
        """Values (m, ...) of rubbing nodes as those of all pairs, 0 elsewhere."""
        wide = np.zeros((self._pairs.count, *values.shape[1:]))
        wide[: len(self.nodes)] = values
        return wide

    def _friction(self, part: InPairs, Q: Array, result: TrescaResult) -> Friction:
        m = len(self.nodes)
        pull = -part.nodal(result.multiplier) @ Q.T
        return Friction(result.velocity[:m], result.multiplier[:m], result.state[:m], (pull, np.zeros(3), np.zeros(3)))

    def series(self, state: State) -> Series:
        """Return friction, the given normal forces and which nodes stick, of all nodes."""
        X, pressed = self._solid.body.X, np.zeros((len(self.nodes), 3))
        pressed[:, :2] = -state.friction.multiplier
        pressed[:, 2] = self.friction.load(state.time)
        force, stick = nodal(X, self.nodes, pressed), np.full(len(X), -1)
        stick[self.nodes] = state.at_rest_relative()
        along = force * [1.0, 1.0, 0.0]
        return {"contact_force": force, "normal_force": force[:, 2], "friction_force": along, "stick": stick}
