"""The ground z = 0, or obstacles, at the nodes of an elastic solid, normal forces unknown: Signorini's law with Coulomb's.

A node's gap g at a stage's end is linear in its velocity where the obstacle is flat, so that n·v >= (min(0, gap at the start) −
g(x*))/τ bounds the gap itself, without drift. Against a curved one the stage is solved again with g(x_k) + n_k·(x − x_k) until the
positions converge. Constraints on gaps are for even obstacles only (flat, moving evenly): at others a node in persistent contact
has n·(v − v_o) >= 0 at its end position, and is projected on the obstacle at the step's end. A node that is open or approaches at a
step's start gets no force in a step of a scheme that would throw it back (``System.solve_stage``)."""

from __future__ import annotations

from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.obstacles import Obstacle
from floating_frame.contact.tunnelling import CORNER_DEPTH
from floating_frame.effect.protocol import Blocks, Friction, Impact, Inclusion, Mask, Motion, Record
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array, scatter
from floating_frame.system.clamped.nodes import CLAMP, ClampedInstant, ClampedNodes, ClampedPart, ClampedStage
from floating_frame.system.elastic.arc_predictor import ArcPredictor
from floating_frame.system.elastic.blocks import on_nodes
from floating_frame.system.elastic.equilibrium import ElasticBody, ElasticStage, InstantEquilibrium
from floating_frame.system.elastic.factors import ElasticFactor
from floating_frame.system.elastic.ground import Ground, NodalSolution
from floating_frame.system.protocol import Series
from floating_frame.system.solid.contact_geometry import ContactGeometry, ObstacleNodes
from floating_frame.system.space.ground import APPROACHES, IMPACTS, TOUCHING, GroundContact, impact_record, instant_of
from floating_frame.system.state import Counts, State
from friction.arrays import Bools
from friction.factors import FactorCache
from friction.nodal.contact import ContactNodes, SignoriniResult, solve_contact
from friction.status import OPEN, SLIP, STICK

Unknown = ElasticStage | InstantEquilibrium | ClampedPart
MAX_CONTACT_ROUNDS = 30
PLACE_TOLERANCE = 1e-14
"""Tolerance of positions on a curved obstacle, over their size."""


Solved = tuple[ContactGeometry, Array, Array, NDArray[np.int8], SignoriniResult]
"""A stage of m contacts: geometry at the end positions, forces and relative velocities (m, 3) along the axes, states (m,), and the
solver's result."""


class SignoriniGround(Ground):
    """Solve stages and instants of a ``solid`` with contacts ``faced`` under the laws of a ``friction``; ``clamp``: unknowns of
    clamped nodes, if any; ``symmetric``: matrices of stages are symmetric without contact. Of m contacts at a step's start:
    geometry ``_at``, relative velocities ``_incoming`` (m, 3) m/s along the axes, the ``_floor`` (m,) m, lower bounds of gaps;
    masks of persistent contacts with uneven obstacles (``_level``) and of contacts without a force in this step (``_excluded``);
    ``_lands``: points may land in it."""

    unknown_pressure = True

    def __init__(
        self,
        solid: ElasticBody,
        faced: ObstacleNodes,
        friction: GroundContact,
        clamp: ClampedNodes | None,
        *,
        symmetric: bool = True,
    ) -> None:
        self._solid, self._faced, self.nodes, self._clamp = solid, faced, faced.of, clamp
        self.friction, self.sources = friction, (IMPACTS,) if clamp is None else (CLAMP, IMPACTS)
        self._at: ContactGeometry
        self._incoming: Array
        self._floor: Array
        self._level: Bools
        self._excluded: Bools
        self._lands: bool
        of = solid.body if clamp is None else clamp
        factor = ElasticFactor(of.indptr, of.indices, symmetric=symmetric)
        self._cache = FactorCache(of.indptr, of.indices, factor, d=3, symmetric=symmetric)

    @property
    def contact_pairs(self) -> list[tuple[Obstacle, NDArray[np.intp]]]:
        return [(obstacle, self._faced.nodes) for obstacle in self._faced.obstacles if len(self.nodes)]

    def begin(self, times: tuple[float, float], motion: Motion, friction: Friction, *, lands: bool) -> Self:
        """Discard the factor; find touching and approaching nodes, and persistent contacts with uneven obstacles. After a step with
        constraints on gaps the normal velocities of nodes may be a step's length times their acceleration."""
        self._cache.forget()
        x, v = motion.configuration[0], motion.velocity[0]
        at = self._faced.at(x[self.nodes], times[0])
        gaps, incoming = at.gap.gap, at.along(v[self.nodes]) - at.obstacle_velocity
        rise, touches, level = incoming[:, 2], gaps <= TOUCHING, np.zeros(len(gaps), bool)
        speed = float(np.abs(v).max()) + float(np.abs(at.obstacle_velocity).max(initial=0.0))
        still = np.full(len(gaps), APPROACHES * speed)
        if self._faced.uneven.any() and not lands:
            turned = self._faced.obstacle_acceleration(at, v[self.nodes], times[0])[:, 2]
            still = still + (friction.status != OPEN) * (times[1] - times[0]) * np.abs(turned)
            level = self._faced.uneven & touches & (np.abs(rise) <= still)
        begun = copy(self)
        begun._at, begun._incoming, begun._floor, begun._level = at, incoming, np.minimum(gaps, 0.0), level
        begun._excluded, begun._lands = (not lands) & (~touches | (rise < -still)), lands
        return begun

    def arc(self, time: float, friction: Friction, arms: Array) -> ArcPredictor:
        """Arc predictor of the open nodes; without arcs if any node touches two obstacles or an uneven one, where a stiff block
        gained energy (along a wall over a sphere)."""
        gap = self._at.gap
        touches = gap.gap <= TOUCHING
        straight = (touches & self._faced.uneven).any() or self._faced.multiple_contacts(touches).size
        stuck = np.arange(len(self._solid.body.X)) if straight else self.nodes[friction.status == STICK]
        return ArcPredictor(arms, stuck, self.nodes[touches], gap.normal[touches], friction.status[touches] != OPEN)

    def axes(self, Q: Array) -> Array:
        return np.eye(3) if self._clamp is None else Q

    def slip(self, velocity: Array, ground: Array) -> Array:
        """Velocities (m, 3) m/s against the obstacles at the step's start, along the axes of contact."""
        return self._at.along(velocity[self.nodes]) - self._at.obstacle_velocity

    def solve(
        self, stage: ElasticStage, start: tuple[Array, Array], reference: Array, fixed: Mask | None
    ) -> NodalSolution | None:
        """Solve a stage; None for a landing that the step excludes. Raises SignoriniError and the factor's errors."""
        history, Q = stage.history, stage.frame.rotation
        start = start[0] @ Q, start[1]
        coefficients = np.stack([self.friction.coefficient, self.friction.at_rest(reference)])
        if fixed is not None:
            coefficients[:, fixed] = np.inf
        part = stage if self._clamp is None else ClampedStage(stage, self._clamp)
        at, pressed, slip, states, result = self._solve_rounds(stage, part, start, coefficients)
        presses = pressed[:, 2] > result.tolerance  # less is rounding
        if np.any(self._excluded & presses):
            return None
        force, status = np.where(presses[:, None], pressed, 0.0), np.where(presses, states, OPEN)
        slip[:, 2] = np.where((status != OPEN) & (np.abs(slip[:, 2]) * history.tau_x <= TOUCHING), 0.0, slip[:, 2])
        landed = self._landing(at, force, slip, history.tau_v) if self._lands else None
        friction = Friction(slip, -force, status.astype(np.int8), *self._force_and_power(at, force), landed)
        # over a curved obstacle the path to it counts
        sticks, still = status == STICK, (slip[:, 2] == 0.0) & ~at.gap.curvature.any(axis=(1, 2))
        velocity, exact = _nodal(part, result.velocity) @ Q.T, np.column_stack([sticks, sticks, still])
        nodal = at.in_space(np.where(exact, slip + at.obstacle_velocity, at.along(velocity[self.nodes])))
        for chosen in (still & ~sticks, sticks):
            velocity[self.nodes[chosen]] = nodal[chosen]
        frame = part.end_frame(result.velocity) if isinstance(part, ClampedPart) else None
        return NodalSolution(velocity, friction, _counts(result), self._own(part, result, Q, landed), frame=frame)

    def _own(self, part: Unknown, result: SignoriniResult, Q: Array, landed: Impact | None) -> tuple[Record, ...]:
        """Records of the clamp, if any, and of impacts."""
        impacts = impact_record(on_nodes(np.zeros_like(self._solid.body.X)), landed)
        if not isinstance(part, ClampedPart):
            return (impacts,)
        return Record(on_nodes(part.clamp_force(result.velocity) @ Q.T), mixed=False), impacts

    def _landing(self, at: ContactGeometry, force: Array, slip: Array, tau: float) -> Impact:
        """Impact of the nodes that land within τ s, with forces (m, 3) N and ``slip`` (m, 3) m/s at its end."""
        comes = (self._at.gap.gap > TOUCHING) | (self._incoming[:, 2] * tau < -TOUCHING)
        points = comes & (force[:, 2] > 0.0)
        struck = np.where(points[:, None], force, 0.0)
        before = at.along(self._at.in_space(self._incoming))  # along the axes where they land
        return Impact(
            points, *self._force_and_power(at, struck), max(-0.5 * float(np.vdot(struck, before + slip)), 0.0)
        )

    def _force_and_power(self, at: ContactGeometry, force: Array) -> tuple[Blocks, float]:
        """Generalised force of contact forces (m, 3) N, and the power of moving obstacles, W."""
        pull = scatter(self.nodes, at.in_space(force), len(self._solid.body.X))
        return on_nodes(pull), float(np.vdot(force, at.obstacle_velocity))

    def _solve_rounds(
        self, stage: ElasticStage, part: Unknown, start: tuple[Array, Array], coefficients: Array
    ) -> Solved:
        """Solve the stage, with the obstacles at the final positions of its nodes. Raises Unsolved.

        Candidates of a node: the nearest obstacle, and all that it touches or would enter."""
        history, Q, (v, multiplier) = stage.history, stage.frame.rotation, start
        origin, force = history.configuration[0][self.nodes], -multiplier
        extent = float(np.abs(origin).max(initial=0.0)) + self._faced.size
        at, place = self._faced.at(origin, history.time), origin
        candidates = self._candidates(origin + history.tau_x * (v @ Q.T)[self.nodes], force, history.time)
        for _ in range(MAX_CONTACT_ROUNDS):
            solved = self._solve_round(stage, part, (v, force, place), at, candidates, coefficients)
            _, force, *_, result = solved
            nodal = _nodal(part, result.velocity)
            place, before = origin + history.tau_x * (nodal @ Q.T)[self.nodes], place
            if candidates.all() and not self._faced.bends:
                return solved
            at = self._faced.at(place, history.time)
            v, deep = nodal, at.gap.gap < self._floor - PLACE_TOLERANCE * extent
            entered = deep & ~candidates
            near = candidates & ((force[:, 2] > result.tolerance) | deep) & self._faced.bends
            if not entered.any() and np.abs(place - before)[near].max(initial=0.0) <= PLACE_TOLERANCE * extent:
                return at, *solved[1:]
            candidates = candidates | entered
        raise Unsolved(
            f"nodes at obstacles did not settle in {MAX_CONTACT_ROUNDS} rounds of the stage ending at t = {history.time:.9g} s"
        )

    def _candidates(self, ahead: Array, force: Array, time: float) -> Bools:
        """Possible contacts (m,) of nodes at end positions ``ahead`` (m, 3) m."""
        count = max(len(self._faced.obstacles), 1)
        if count == 1:
            return np.ones(len(self.nodes), bool)
        gaps = self._faced.at(ahead, time).gap.gap
        table = gaps.reshape(count, -1)
        nearest = np.arange(count)[:, None] == table.argmin(axis=0)
        touches = (np.minimum(gaps, self._at.gap.gap) <= TOUCHING) | (force[:, 2] > 0.0)
        return np.asarray(nearest.ravel() | touches)

    def _solve_round(
        self,
        stage: ElasticStage,
        part: Unknown,
        start: tuple[Array, Array, Array],
        at: ContactGeometry,
        candidates: Bools,
        coefficients: Array,
    ) -> Solved:
        """Solve a stage with the contact geometry ``at`` given positions, from V (N, 3), forces and these positions (m, 3)."""
        (v, force, place), history, Q = start, stage.history, stage.frame.rotation
        normal_increment = np.einsum("ma,ma->m", at.gap.normal, place - history.configuration[0][self.nodes])
        ahead = np.where(
            self._level, at.obstacle_velocity[:, 2], (self._floor - at.gap.gap + normal_increment) / history.tau_x
        )
        ground = np.column_stack([at.obstacle_velocity[:, :2], ahead])
        result = self._solve_contacts(part, v, at.axes @ Q, coefficients, ground, candidates)
        slip, pressed, status = *np.zeros((2, *force.shape)), np.full(len(force), OPEN, np.int8)
        if not candidates.all():
            slip = at.along((_nodal(part, result.velocity) @ Q.T)[self.nodes]) - at.obstacle_velocity
        slip[candidates] = result.slip
        slip[candidates, 2] += ground[candidates, 2] - at.obstacle_velocity[candidates, 2]
        pressed[candidates], status[candidates] = result.force, result.status
        return at, pressed, slip, status, result

    def project(self, x: Array, time: float, friction: Friction) -> Array:
        """Nodal x (N, 3) m at a step's end, loaded nodes in persistent contact with uneven obstacles projected on them: constraints
        on velocities let them drift by O(Δt³). Raises Unsolved (WentThrough)."""
        if not self._level.any():
            return x
        rounding = PLACE_TOLERANCE * (float(np.abs(x[self.nodes]).max()) + self._faced.size)
        back = self._faced.project(x, time, friction.status != OPEN, self._floor, rounding)
        put, size = float(np.abs(back - x).max()), float(np.abs(self._solid.body.X).max())
        if put > CORNER_DEPTH * size:
            raise Unsolved(f"nodes are {put:.3g} m off an obstacle at t = {time:.9g} s", "WentThrough")
        return back

    def instant(
        self, time: float, force: Array, motion: Motion, friction: tuple[Inclusion, Array | None], *, left: bool
    ) -> NodalSolution:
        """Accelerations and contact forces under the nodal ``force`` (N, 3) N, space, without the ground's. Nodes touch within
        ``TOUCHING`` unless they separate; sliding nodes keep their direction."""
        x, v, Q = motion.configuration[0], motion.velocity[0], self.axes(motion.configuration[2])
        at = self._faced.at(x[self.nodes], time)
        slip = at.along(v[self.nodes]) - at.obstacle_velocity
        speed = float(np.abs(v).max()) + float(np.abs(at.obstacle_velocity).max(initial=0.0))
        touches = (at.gap.gap <= TOUCHING) & (slip[:, 2] <= APPROACHES * speed)
        slip[np.abs(slip) <= 1e-12 * speed] = 0.0
        coefficients = np.stack([self.friction.coefficient, self.friction.at_rest(slip)])
        ground = self._faced.obstacle_acceleration(at, v[self.nodes], time) - slip * [1.0, 1.0, 0.0] / instant_of(speed)
        self._cache.forget()
        instant = InstantEquilibrium(self._solid, force @ Q, float(np.abs(ground[touches]).max(initial=0.0)))
        part = instant if self._clamp is None else ClampedInstant(instant, self._clamp, motion, Q)
        result = self._solve_contacts(part, np.zeros_like(v), at.axes @ Q, coefficients, ground, touches)
        self._cache.forget()
        multiplier, status = np.zeros((len(self.nodes), 3)), np.full(len(self.nodes), OPEN, np.int8)
        presses = result.force[:, 2] > result.tolerance
        multiplier[touches], status[touches] = -result.force * presses[:, None], np.where(presses, result.status, OPEN)
        solution = Friction(slip, multiplier, status, *self._force_and_power(at, -multiplier))
        rates = _nodal(part, result.velocity)
        return NodalSolution(rates @ Q.T, solution, _counts(result), self._own(part, result, Q, None))

    def _solve_contacts(
        self, part: Unknown, start: Array, axes: Array, coefficients: Array, ground: Array, chosen: Bools
    ) -> SignoriniResult:
        """Solve from nodal V (N, 3) with the ``chosen`` (m,) contacts: ``axes`` (m, 3, 3) in the part's axes, coefficients (2, m)
        in slip and at rest, and velocities of the ``ground`` (m, 3)."""
        (mu, static), nodes, fixed = coefficients[:, chosen], self.nodes[chosen], None
        if self._clamp is not None:
            nodes, fixed = self._clamp.number[nodes], self._clamp.fixed
        contact = ContactNodes(
            nodes=nodes, axes=axes[chosen], mu=mu, ground=ground[chosen], static=static, resting=static > mu
        )
        start = part.start(start) if isinstance(part, ClampedPart) else start
        return solve_contact(part, contact, start, fixed=fixed, cache=self._cache)

    def series(self, state: State) -> Series:
        """Contact series of all nodes, with stick."""
        count, status = len(self._solid.body.X), state.friction.status
        at, pressed = self._faced.at(state.position[self.nodes], state.time), -state.friction.multiplier
        stick = np.full(count, -1)
        stick[self.nodes[status == STICK]] = 1
        stick[self.nodes[status == SLIP]] = 0
        return {
            "contact_force": scatter(self.nodes, at.in_space(pressed), count),
            "normal_force": scatter(self.nodes, pressed[:, 2:], count)[:, 0],
            "friction_force": scatter(self.nodes, at.in_space(pressed * [1.0, 1.0, 0.0]), count),
            "stick": stick,
        }


def _nodal(part: Unknown, unknowns: Array) -> Array:
    """Nodal V (N, 3) of the unknowns."""
    return part.nodal_velocity(unknowns) if isinstance(part, ClampedPart) else unknowns


def _counts(result: SignoriniResult) -> Counts:
    return Counts.of(result)._replace(fallbacks=int(result.method != "newton"))
