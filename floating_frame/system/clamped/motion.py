"""Motion of a clamp in the plane: the free entries of its rates are unknowns of the elastic pass. A clamp with friction along its
guide alone is one node of the pass, with the friction under it as its bound. Otherwise it is a rigid body: for given rates the
friction solver solves the other nodes; bordered solves with the present factor give their reduced stiffness S; the clamp's own
problem of at most three unknowns, with the friction under it, gives the next rates. Rates and accelerations (of one instant) have
the same solver."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array
from floating_frame.system.clamped.nodes import ClampedNodes, ClampedPart
from floating_frame.system.rigid.stage import solve_slip
from floating_frame.system.state import Counts
from friction import FactorCache, Law, TrescaOptions
from friction.arrays import Bools
from friction.nodal.problem import NodalProblem, NodeLaws
from friction.nodal.sensitivity import reduced_stiffness
from friction.nodal.solve import solve_problem
from friction.rigid.problem import RigidFrictionProblem, RigidSlip, point_velocity
from friction.stick import incoming_slip

MAX_CLAMP_ROUNDS = 40
EXACT_ROUNDS = 12
"""Rounds after which a resting node need rest to solver tolerance only."""
NO_NODE, ALL_NODES = -1, -2
REUSE_RATE = 0.1
"""S is reused while the change falls by this factor in each round."""


class ClampSolution(NamedTuple):
    """The solved clamp: the ``part`` and its ``unknowns`` (N', 2), the clamp's ``rates`` (3,), nodal ``slip`` and ``multiplier``
    (N, 2), in space, and states (N,) of friction; ``demand`` (3,): minus the wrench of friction under it and reaction in its nodes'
    equilibrium; its nodes' ``arms`` (n, 2) m, in space."""

    part: ClampedPart
    unknowns: Array
    rates: Array
    slip: Array
    multiplier: Array
    state: NDArray[np.int8]
    demand: Array
    arms: Array
    counts: Counts


@dataclass(frozen=True, kw_only=True)
class ClampProblem:
    """Problem of a clamp's rates; ``nodes``: its own and the others. ``part_of``: rates (3,) -> the smooth part in unknowns
    relative to the clamp's motion at these rates and the ``ground`` (2,); ``bound`` w (N,) N; ``fixed`` (N,): nodes fixed in the
    friction solver, the clamp's all or none; ``free`` (3,) and ``prescribed`` (3,) rates; ``law_at``: (axes, nodes) -> their
    friction law; ``key`` of the factor; ``what``: words for a failure."""

    nodes: ClampedNodes
    part_of: Callable[[Array], ClampedPart]
    bound: Array
    fixed: Bools
    free: Bools
    prescribed: Array
    ground: Array
    law_at: Callable[[Array, NDArray[np.intp]], Law]
    cache: FactorCache
    options: TrescaOptions
    key: Hashable
    what: str

    @property
    def moves(self) -> Bools:
        """Mask (3,) of the clamp's unknown rates; none for a clamp fixed at rest."""
        return self.free & (not self.fixed[self.nodes.clamped[0]])

    def _nodal_problem(self, part: ClampedPart, laws: NodeLaws) -> NodalProblem:
        """Friction problem of a part's unknowns."""
        clamped, others = self.nodes.clamped, self.nodes.others
        law = self.law_at(part.axes, np.concatenate([clamped[:1], clamped[:1], others]))
        return NodalProblem(part=part, laws=laws, law=law, cache=self.cache, key=self.key, options=self.options)

    def guided(self, velocity: Array, reference: Array) -> ClampSolution:
        """Solve for a clamp as one node with prescribed components, from inertial nodal ``velocity`` (N, 2); ``reference`` (N, 2):
        inertial slip velocity against which nodes count as reversed."""
        nodes, free, clamp, none = self.nodes, self.free[:2], self.nodes.clamped, np.zeros(2)
        part = self.part_of(np.where(self.free, [*self.ground, 0.0], self.prescribed))
        prescribed, under = nodes.fixed.copy(), self.bound[clamp]
        whole = float(under.sum())
        prescribed[0] = ~free
        laws = NodeLaws(
            nodes.with_clamp(whole * free.any(), 0.0, self.bound),
            np.zeros(len(prescribed)),
            np.zeros(len(prescribed), np.int8),
            nodes.with_clamp(self.fixed[clamp[0]], False, self.fixed),
            prescribed,
        )
        start = nodes.with_clamp(velocity[clamp[0]], none, velocity) - part.lift
        start[laws.prescribed] = start[laws.fixed] = 0.0
        result = solve_problem(
            self._nodal_problem(part, laws), start, nodes.with_clamp(reference[clamp[0]], none, reference)
        )
        rates = np.array([*(result.velocity[0] + part.lift[0]), 0.0])
        slip, multiplier = (field.take(nodes.number, axis=0) for field in (result.velocity, result.multiplier))
        slip[clamp] = rates[:2] - self.ground
        if free.any():  # in proportion to the bounds
            share = under / whole if whole > 0.0 else under
            multiplier[clamp] = np.outer(share, np.where(free, result.multiplier[0], 0.0))
        else:
            multiplier[clamp] = self.law_at(part.axes, clamp).force(slip[clamp], under)
        arms, counts = self.arms(part), Counts.of(result)
        return ClampSolution(
            part, result.velocity, rates, slip, multiplier, result.state[nodes.number], np.zeros(3), arms, counts
        )

    def turning(self, rates: Array, sliding: Array, reference: Array) -> ClampSolution:
        """Solve for the free ``rates`` (3,) from a start and inertial nodal ``sliding`` velocity (N, 2); ``reference`` as
        ``guided``. Raises Unsolved, RigidFrictionError and the friction solver's errors."""
        nodes, clamp, free, none, space = self.nodes, self.nodes.clamped, self.moves, np.zeros(2), np.eye(2)
        laws = NodeLaws.given(nodes.with_clamp(0.0, 0.0, self.bound), nodes.with_clamp(True, True, self.fixed))
        under, every = self.bound[clamp], np.concatenate([clamp[:1], clamp[:1], nodes.others])
        counts, stiffness, last, change, pivot = Counts(), None, np.inf, 0.0, NO_NODE
        against, sliding = reference[clamp], nodes.with_clamp(none, none, sliding)
        reference = nodes.with_clamp(none, none, reference)
        for _ in range(MAX_CLAMP_ROUNDS):
            part = self.part_of(rates)
            arms = self.arms(part)
            if pivot >= 0:  # that node rests also at the stage's own angle
                to_pivot = rates[2] * np.array([-arms[pivot, 1], arms[pivot, 0]])
                rates = np.where(free, [*(self.ground - to_pivot), rates[2]], rates)
                part = self.part_of(rates)
            A = part.axes
            sliding[laws.fixed] = 0.0
            result = solve_problem(self._nodal_problem(part, laws), sliding @ A, reference @ A)
            counts = counts.plus(Counts.of(result))
            sliding = result.velocity @ A.T
            reference = incoming_slip(self.law_at(space, every), reference, sliding)
            force, moment = part.gradient(result.velocity)[:2]
            demand = np.array([*(A @ force), moment[0]])
            if free.any() and stiffness is None:
                if last < np.inf:
                    self.cache.forget()
                stiffness, response, factorisations = self._response(part, laws, result.velocity)
                counts = counts.plus(Counts(factorisations=factorisations))
            new, multiplier = self._rates(stiffness, (rates, arms), demand, against)
            scale = max(result.tolerance / self.options.rtol, float(np.abs(demand).max()), float(under.sum()))
            if stiffness is not None:
                change = float(np.abs(stiffness @ (new - rates))[free].max())
            stands = self._resting_node(new, arms)
            exact = stands in (NO_NODE, self._resting_node(rates, arms)) or counts.passes > EXACT_ROUNDS
            if exact and change <= 10.0 * self.options.rtol * scale:
                slip, forces = sliding[nodes.number], (result.multiplier @ A.T)[nodes.number]
                slip[clamp], forces[clamp] = self._slip(rates, arms), multiplier
                state = result.state[nodes.number]
                return ClampSolution(part, result.velocity, rates, slip, forces, state, demand, arms, counts)
            if stiffness is not None:  # the other nodes follow the linearised clamp; sticking ones do not
                sliding = sliding + np.tensordot(new - rates, response, 1) @ A.T
                if change > REUSE_RATE * last:
                    stiffness = None
            rates, last, pivot = new, change, stands
        raise Unsolved(
            f"the clamp {self.what} did not settle in {MAX_CLAMP_ROUNDS} rounds (its force still changes by {change:.3g} N)"
        )

    def arms(self, part: ClampedPart) -> Array:
        """Arms (n, 2) m, in space, of the clamp's nodes at the rates of a part."""
        return part.turn(np.zeros((2, 2))).arms @ part.axes.T

    def _slip(self, rates: Array, arms: Array) -> Array:
        return point_velocity(rates - [*self.ground, 0.0], arms)

    def _resting_node(self, rates: Array, arms: Array) -> int:
        """Number of the clamp's loaded node at rest on the ground, NO_NODE or ALL_NODES."""
        still = ~np.any(self._slip(rates, arms), axis=1) & (self.bound[self.nodes.clamped] > 0.0)
        if not still.any() or not self.law_at(np.eye(2), self.nodes.clamped).set_valued:
            return NO_NODE
        return int(np.argmax(still)) if rates[2] != 0.0 else ALL_NODES

    def _response(self, part: ClampedPart, laws: NodeLaws, velocity: Array) -> tuple[Array, Array, int]:
        """Wrenches on the clamp at unit rates x0', y0', ω, the velocities of the other nodes, and the factorisations."""
        modes = np.zeros((3, *velocity.shape))
        modes[:2, 0], modes[2, 1, 0] = part.axes, 1.0
        return reduced_stiffness(self._nodal_problem(part, laws), velocity, modes)

    def _rates(
        self, stiffness: Array | None, now: tuple[Array, Array], demand: Array, incoming: Array
    ) -> tuple[Array, Array]:
        """The clamp's rates (3,) for the linearised rest of the body, and λ (n, 2) N under it; ``now``: its rates and arms."""
        (rates, arms), bound = now, self.bound[self.nodes.clamped]
        law = self.law_at(np.eye(2), self.nodes.clamped)
        if stiffness is None:
            return rates, law.force(self._slip(rates, arms), bound)
        ground = np.array([*self.ground, 0.0])  # friction acts on the velocity relative to it
        row = RigidFrictionProblem(
            inertia=stiffness,
            wrench=stiffness @ (rates - ground) - demand,
            arms=arms,
            bound=bound,
            free=self.moves,
            prescribed=self.prescribed - ground,
        )
        slip = solve_slip(law, row, RigidSlip(rates - ground, np.zeros_like(arms)), incoming)
        return np.where(self.moves, slip.rates + ground, self.prescribed), slip.multiplier
