"""The ground z = 0, or an obstacle, under the nodes of an elastic solid, normal forces unknown: Signorini's law with Coulomb's.

A node's gap g at a stage's end is linear in its velocity where the obstacle is flat, so that n·v >= (min(0, gap at the start) −
g(x*))/τ holds the gap itself: nothing drifts. Against a curved one the stage is solved again with g(x_k) + n_k·(x − x_k) until
nodes stay where they were. A node that does not touch at a step's start, or comes nearer, may not get a force in a step of a scheme
that would throw it back (``Landing``)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Friction, Mask, Motion
from floating_frame.errors import NotConverged
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from floating_frame.frame.space_inertia import SpaceFrame
from floating_frame.space_contact.obstacles import GROUND, SpaceGap, SpaceObstacle, contact_axes
from floating_frame.system.factors import ElasticFactor
from floating_frame.system.protocol import Landing, Series
from floating_frame.system.solid.carried import Kept
from floating_frame.system.solid.clamp import UnknownPart, Unknowns
from floating_frame.system.solid.stage import SolidBody, SolidInertia, SolidStage
from floating_frame.system.space.ground import APPROACHES, TOUCHING, GroundContact, instant_of
from floating_frame.system.state import Counts, State
from friction.cone import OPEN, STICKS
from friction.signorini import ContactFactor, ContactNodes, SignoriniResult, solve_contact

MAX_ROUNDS = 30
SETTLED = 1e-14
"""Part of the size of places by which nodes may still move on a curved obstacle."""


class Answer(NamedTuple):
    """Nodal velocity (N, 3), space, of a solved stage (of an instant: acceleration), exactly that of the ground where nodes stick;
    friction and counts. Of a clamped body: ``holding`` (N, 3) N, space, the force of the clamp, and in a stage the clamp's
    ``frame`` and u (N, 3) m in the frame of the stage."""

    velocity: Array
    friction: Friction
    counts: Counts
    holding: Array | None = None
    frame: SpaceFrame | None = None
    displacement: Array | None = None


class Facing(NamedTuple):
    """Nodes before an obstacle, at one instant: its ``gap``, the ``axes`` (m, 3, 3) of contact, rows t1, t2, n, and its velocity
    there, ``carrying`` (m, 3) m/s along them."""

    gap: SpaceGap
    axes: Array
    carrying: Array

    def along(self, vectors: Array) -> Array:
        """Return the components along the axes of vectors (m, 3)."""
        return np.asarray(np.einsum("mab,mb->ma", self.axes, vectors))

    def in_space(self, components: Array) -> Array:
        """Return the vectors (m, 3) of components along the axes."""
        return np.asarray(np.einsum("mab,ma->mb", self.axes, components))


class NodesOnGround:
    """Solve stages and instants of a ``solid`` whose ``nodes`` (m,) may touch an ``obstacle`` by the law of a ``friction``;
    ``unknowns``: all nodes, or a clamp's as one; ``symmetric``: whether stages have symmetric matrices without contact."""

    def __init__(
        self,
        solid: SolidBody,
        nodes: NDArray[np.intp],
        friction: GroundContact,
        unknowns: Unknowns,
        obstacle: SpaceObstacle = GROUND,
        *,
        symmetric: bool = True,
    ) -> None:
        self._solid, self.nodes, self._unknowns, self.obstacle = solid, nodes, unknowns, obstacle
        self.friction, free = friction, symmetric and not len(nodes)
        factor = ElasticFactor(unknowns.indptr, unknowns.indices, symmetric=free)
        self._cache = ContactFactor(unknowns.indptr, unknowns.indices, factor, symmetric=free)
        self._landing = np.zeros(len(nodes), bool)
        self._floor = np.zeros(len(nodes))

    def _facing(self, x: Array, time: float) -> Facing:
        """Return the obstacle as seen from places (m, 3) m."""
        gap, motion = self.obstacle.gap(x, time), self.obstacle.motion
        axes = contact_axes(gap.normal)
        carrying = motion.velocity_at(x, time) if motion.moves else np.zeros_like(x)
        return Facing(gap, axes, np.asarray(np.einsum("mab,mb->ma", axes, carrying)))

    def begin_step(self, time: float, x: Array, v: Array, *, lands: bool) -> None:
        """Forget the factor; see which nodes touch and which approach."""
        self._cache.forget()
        self._start = at = self._facing(x[self.nodes], time)
        gaps, rise = at.gap.gap, self.slip(v, at.carrying)[:, 2]
        speed = float(np.abs(v).max()) + float(np.abs(at.carrying).max(initial=0.0))
        self._floor = np.minimum(gaps, 0.0)
        self._landing = ~lands & ((gaps > TOUCHING) | (rise < -APPROACHES * speed))

    def kept(self, friction: Friction) -> Kept:
        gap = self._start.gap
        touches = gap.gap <= TOUCHING
        presses = friction.status[touches] != OPEN
        return Kept(self.nodes[friction.status == STICKS], self.nodes[touches], gap.normal[touches], presses)

    def slip(self, velocity: Array, ground: Array) -> Array:
        """Return the velocities (m, 3) m/s against the obstacle at the step's start, along the axes of contact."""
        return self._start.along(velocity[self.nodes]) - self._start.carrying

    def solve(self, stage: SolidStage, start: tuple[Array, Array], reference: Array, fixed: Mask | None) -> Answer:
        """Solve a stage. Raises SignoriniError, Landing, what the factor raises."""
        history, Q = stage.history, stage.frame.rotation
        coefficients = np.stack([self.friction.coefficient, self.friction.at_rest(reference)])
        if fixed is not None:
            coefficients[:, fixed] = np.inf
        part = self._unknowns.of_stage(stage)
        at, nodes, result = self._settled(stage, part, start, coefficients)
        presses = result.force[:, 2] > result.tolerance  # less is rounding
        if np.any(self._landing & presses):
            raise Landing
        force, status = np.where(presses[:, None], result.force, 0.0), np.where(presses, result.status, OPEN)
        slip = result.slip + nodes.ground - at.carrying
        slip[:, :2] = result.slip[:, :2]
        slip[:, 2] = np.where((status != OPEN) & (np.abs(slip[:, 2]) * history.tau_x <= TOUCHING), 0.0, slip[:, 2])
        in_space = at.in_space(force)
        pull, driven = nodal(self._solid.body.X, self.nodes, in_space), float(np.vdot(force, at.carrying))
        friction = Friction(slip, -force, status.astype(np.int8), (pull, np.zeros(3), np.zeros(3)), driven)
        # over a curved obstacle the way to it counts
        still = (slip[:, 2] == 0.0) & ~at.gap.curvature.any(axis=(1, 2))
        velocity, exact = part.expanded(result.velocity) @ Q.T, np.column_stack([*2 * [status == STICKS], still])
        velocity[self.nodes] = at.in_space(np.where(exact, slip + at.carrying, at.along(velocity[self.nodes])))
        frame, u = part.frame(result.velocity), part.displacement(result.velocity)
        return Answer(velocity, friction, _counts(result), _holding(part, result, Q), frame, u)

    def _settled(
        self, stage: SolidStage, part: UnknownPart, start: tuple[Array, Array], coefficients: Array
    ) -> tuple[Facing, ContactNodes, SignoriniResult]:
        """Return the stage's solution, and the obstacle where its nodes then are. Raises NotConverged."""
        history, Q, (v, multiplier) = stage.history, stage.frame.rotation, start
        origin, force = history.configuration[0][self.nodes], -multiplier
        at, place = self._facing(origin, history.time), origin
        extent = float(np.abs(origin).max(initial=0.0)) + self.obstacle.size
        for _ in range(MAX_ROUNDS):
            way = np.einsum("ma,ma->m", at.gap.normal, place - origin)
            ahead = (self._floor - at.gap.gap + way) / history.tau_x
            ground = np.column_stack([at.carrying[:, :2], ahead])
            nodes = self._contact(at.axes @ Q, coefficients, ground, self.nodes)
            result = self._solved(part, nodes, v, force)
            if not at.gap.curvature.any():
                return at, nodes, result
            found = part.expanded(result.velocity)
            v, force, before = found, result.force, place
            place = origin + history.tau_x * (found @ Q.T)[self.nodes]
            at = self._facing(place, history.time)
            near = (result.force[:, 2] > result.tolerance) | (at.gap.gap < self._floor)
            if np.abs(place - before)[near].max(initial=0.0) <= SETTLED * extent:
                return at, nodes, result
        raise NotConverged(
            f"nodes on a curved obstacle did not settle in {MAX_ROUNDS} rounds of the stage ending at t = {history.time:.9g} s"
        )

    def instant(self, time: float, force: Array, motion: Motion, *, left: bool) -> Answer:
        """Return accelerations and contact forces under the nodal ``force`` (N, 3) N, space, of all but the ground.

        Nodes touch within ``TOUCHING`` and do not move away; those that move along the ground go on as they do."""
        (x, _, Q), v = motion.configuration, motion.velocity[0]
        at = self._facing(x[self.nodes], time)
        slip = at.along(v[self.nodes]) - at.carrying
        speed = float(np.abs(v).max()) + float(np.abs(at.carrying).max(initial=0.0))
        touches = (at.gap.gap <= TOUCHING) & (slip[:, 2] <= APPROACHES * speed)
        slip[np.abs(slip) <= 1e-12 * speed] = 0.0
        chosen, now = self.nodes[touches], slip[touches]
        now[:, 2] = 0.0
        coefficients = np.stack([self.friction.coefficient, self.friction.at_rest(slip)])[:, touches]
        ground = self._carried_rate(at, v[self.nodes], time)[touches] - now / instant_of(speed)
        nodes = self._contact(at.axes[touches] @ Q, coefficients, ground, chosen)
        self._cache.forget()
        instant = SolidInertia(self._solid, force @ Q, float(np.abs(ground).max(initial=0.0)))
        part = self._unknowns.of_instant(instant, motion)
        result = self._solved(part, nodes, np.zeros_like(v), None)
        self._cache.forget()
        multiplier, status = np.zeros((len(self.nodes), 3)), np.full(len(self.nodes), OPEN, np.int8)
        presses = result.force[:, 2] > result.tolerance
        multiplier[touches], status[touches] = -result.force * presses[:, None], np.where(presses, result.status, OPEN)
        pull = nodal(self._solid.body.X, self.nodes, at.in_space(-multiplier))
        driven = -float(np.vdot(multiplier, at.carrying))
        friction = Friction(slip, multiplier, status, (pull, np.zeros(3), np.zeros(3)), driven)
        rates = part.expanded(result.velocity)
        return Answer(rates @ Q.T, friction, _counts(result), _holding(part, result, Q))

    def _carried_rate(self, at: Facing, v: Array, time: float) -> Array:
        """Return the accelerations (m, 3) m/s², along the axes, of nodes that go on with the obstacle: n·a from g'' = 0."""
        motion = self.obstacle.motion
        against = v - at.in_space(at.carrying)
        bent = np.einsum("mab,mb->ma", at.gap.curvature, against) + cross(motion.turning, at.gap.normal)
        rate = at.along(motion.velocity_rate(v, time))
        rate[:, 2] -= np.einsum("ma,ma->m", against, bent)
        return rate

    def _solved(self, part: UnknownPart, nodes: ContactNodes, start: Array, force: Array | None) -> SignoriniResult:
        """Solve for the unknown velocities from nodal V (N, 3) and forces (m, 3)."""
        return solve_contact(part, nodes, part.start(start), force=force, fixed=self._unknowns.fixed, cache=self._cache)

    def _contact(self, axes: Array, coefficients: Array, ground: Array, nodes: NDArray[np.intp]) -> ContactNodes:
        """The nodes with the axes (m, 3, 3) of contact, body components; ``coefficients`` (2, m) in slip and until a node slips."""
        nodes, (mu, static) = self._unknowns.numbers(nodes), coefficients
        return ContactNodes(nodes=nodes, axes=axes, mu=mu, ground=ground, static=static, resting=static > mu)

    def series(self, state: State) -> Series:
        """Return what the ground does to all nodes, and which of them stick."""
        X, status = self._solid.body.X, state.friction.status
        at, pressed = self._facing(state.position[self.nodes], state.time), -state.friction.multiplier
        stick = np.full(len(X), -1)
        stick[self.nodes] = np.where(status == OPEN, -1, status == STICKS)
        return {
            "contact_force": nodal(X, self.nodes, at.in_space(pressed)),
            "normal_force": nodal(X, self.nodes, pressed[:, 2:])[:, 0],
            "friction_force": nodal(X, self.nodes, at.in_space(pressed * [1.0, 1.0, 0.0])),
            "stick": stick,
        }


def _holding(part: UnknownPart, result: SignoriniResult, Q: Array) -> Array | None:
    held = part.holding(result.velocity)
    return None if held is None else held @ Q.T


def nodal(X: Array, nodes: NDArray[np.intp], values: Array) -> Array:
    """Return ``values`` (m, 2) or (m, 3) of some nodes as those of all (N, 3), 0 elsewhere."""
    field = np.zeros_like(X)
    field[nodes, : values.shape[1]] = values
    return field


def _counts(result: SignoriniResult) -> Counts:
    newton, fallback = result.iterations, result.fallback_iterations
    return Counts(
        passes=1,
        newton=newton,
        factorisations=result.factorisations,
        fallbacks=int(fallback > 0 or result.method != "newton"),
    )
