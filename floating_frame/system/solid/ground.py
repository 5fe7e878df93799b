"""The ground z = 0 under the nodes of an elastic solid, normal forces unknown: Signorini's law with Coulomb's.

A node's gap at a stage's end is x*_z + τ v_z, linear in its velocity, so that u_n >= (min(0, gap at the start) − x*_z)/τ holds the
gap itself: nothing drifts. A node that does not touch at a step's start, or comes nearer, may not get a force in a step of a scheme
that would throw it back (``Landing``)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Friction, Mask, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.frame.space_inertia import SpaceFrame
from floating_frame.system.factors import ElasticFactor
from floating_frame.system.protocol import Landing, Series
from floating_frame.system.solid.clamp import UnknownPart, Unknowns
from floating_frame.system.solid.stage import SolidBody, SolidInertia, SolidStage
from floating_frame.system.space.ground import APPROACHES, TOUCHING, GroundContact, instant_of
from floating_frame.system.state import Counts, State
from friction.cone import OPEN, STICKS
from friction.signorini import ContactFactor, ContactNodes, SignoriniResult, solve_contact


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


class NodesOnGround:
    """Solve stages and instants of a ``solid`` whose ``nodes`` (m,) may touch the ground of a ``friction``; ``unknowns``: all
    nodes, or a clamp's as one."""

    def __init__(self, solid: SolidBody, nodes: NDArray[np.intp], friction: GroundContact, unknowns: Unknowns) -> None:
        self._solid, self.nodes, self._unknowns = solid, nodes, unknowns
        self.friction, free = friction, not len(nodes)
        factor = ElasticFactor(unknowns.indptr, unknowns.indices, symmetric=free)
        self._cache = ContactFactor(unknowns.indptr, unknowns.indices, factor, symmetric=free)
        self._landing = np.zeros(len(nodes), bool)
        self._floor = np.zeros(len(nodes))

    def begin_step(self, x: Array, v: Array, *, lands: bool) -> None:
        """Forget the factor; see which nodes touch and which approach."""
        self._cache.forget()
        gaps, rise, speed = x[self.nodes, 2], v[self.nodes, 2], float(np.abs(v).max())
        self._floor = np.minimum(gaps, 0.0)
        self._landing = ~lands & ((gaps > TOUCHING) | (rise < -APPROACHES * speed))

    def slip(self, velocity: Array, ground: Array) -> Array:
        """Return the velocities (m, 3) m/s against the ground."""
        return np.asarray(velocity[self.nodes])

    def solve(self, stage: SolidStage, start: tuple[Array, Array], reference: Array, fixed: Mask | None) -> Answer:
        """Solve a stage. Raises SignoriniError, Landing, what the factor raises."""
        history, Q = stage.history, stage.frame.rotation
        coefficients = np.stack([self.friction.coefficient, self.friction.at_rest(reference)])
        if fixed is not None:
            coefficients[:, fixed] = np.inf
        ahead = (self._floor - history.configuration[0][self.nodes, 2]) / history.tau_x
        nodes = self._contact(Q, coefficients, np.column_stack([np.zeros((len(ahead), 2)), ahead]), self.nodes)
        part = self._unknowns.of_stage(stage)
        result = self._solved(part, nodes, start[0], -start[1])
        presses = result.force[:, 2] > result.tolerance  # less is rounding
        if np.any(self._landing & presses):
            raise Landing
        force, status = np.where(presses[:, None], result.force, 0.0), np.where(presses, result.status, OPEN)
        slip = result.slip + nodes.ground
        slip[:, 2] = np.where((status != OPEN) & (np.abs(slip[:, 2]) * history.tau_x <= TOUCHING), 0.0, slip[:, 2])
        pull = nodal(self._solid.body.X, self.nodes, force)
        friction = Friction(slip, -force, status.astype(np.int8), (pull, np.zeros(3), np.zeros(3)))
        found = part.expanded(result.velocity)
        velocity, exact = found @ Q.T, np.column_stack([(status == STICKS)[:, None] & [True, True], slip[:, 2] == 0.0])
        velocity[self.nodes] = np.where(exact, slip, velocity[self.nodes])
        frame, u = part.frame(result.velocity), part.displacement(result.velocity)
        return Answer(velocity, friction, _counts(result), _holding(part, result, Q), frame, u)

    def instant(self, time: float, force: Array, motion: Motion, *, left: bool) -> Answer:
        """Return accelerations and contact forces under the nodal ``force`` (N, 3) N, space, of all but the ground.

        Nodes touch within ``TOUCHING`` and do not move away; those that move along the ground go on as they do."""
        (x, _, Q), v = motion.configuration, motion.velocity[0]
        slip = v[self.nodes].copy()
        speed = float(np.abs(v).max())
        touches = (x[self.nodes, 2] <= TOUCHING) & (slip[:, 2] <= APPROACHES * speed)
        slip[np.abs(slip) <= 1e-12 * speed] = 0.0
        chosen, now = self.nodes[touches], slip[touches]
        now[:, 2] = 0.0
        coefficients = np.stack([self.friction.coefficient, self.friction.at_rest(slip)])[:, touches]
        ground = -now / instant_of(speed)
        nodes = self._contact(Q, coefficients, ground, chosen)
        self._cache.forget()
        instant = SolidInertia(self._solid, force @ Q, float(np.abs(ground).max(initial=0.0)))
        part = self._unknowns.of_instant(instant, motion)
        result = self._solved(part, nodes, np.zeros_like(v), None)
        self._cache.forget()
        multiplier, status = np.zeros((len(self.nodes), 3)), np.full(len(self.nodes), OPEN, np.int8)
        presses = result.force[:, 2] > result.tolerance
        multiplier[touches], status[touches] = -result.force * presses[:, None], np.where(presses, result.status, OPEN)
        pull = nodal(self._solid.body.X, self.nodes, -multiplier)
        friction = Friction(slip, multiplier, status, (pull, np.zeros(3), np.zeros(3)))
        rates = part.expanded(result.velocity)
        return Answer(rates @ Q.T, friction, _counts(result), _holding(part, result, Q))

    def _solved(self, part: UnknownPart, nodes: ContactNodes, start: Array, force: Array | None) -> SignoriniResult:
        """Solve for the unknown velocities from nodal V (N, 3) and forces (m, 3)."""
        return solve_contact(part, nodes, part.start(start), force=force, fixed=self._unknowns.fixed, cache=self._cache)

    def _contact(self, Q: Array, coefficients: Array, ground: Array, nodes: NDArray[np.intp]) -> ContactNodes:
        """The nodes with the axes of space as their own, rows of Q; ``coefficients`` (2, m) in slip and until a node slips."""
        nodes, (mu, static) = self._unknowns.numbers(nodes), coefficients
        axes = np.broadcast_to(Q, (len(nodes), 3, 3))
        return ContactNodes(nodes=nodes, axes=axes, mu=mu, ground=ground, static=static, resting=static > mu)

    def series(self, state: State) -> Series:
        """Return what the ground does to all nodes, and which of them stick."""
        X, status = self._solid.body.X, state.friction.status
        force, stick = nodal(X, self.nodes, -state.friction.multiplier), np.full(len(X), -1)
        stick[self.nodes] = np.where(status == OPEN, -1, status == STICKS)
        along = force * [1.0, 1.0, 0.0]
        return {"contact_force": force, "normal_force": force[:, 2], "friction_force": along, "stick": stick}


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
