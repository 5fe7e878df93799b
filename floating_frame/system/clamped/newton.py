"""Newton's method for the motion of a clamp: the free entries of its rates are unknowns of the elastic pass.

For given rates p the other nodes are solved with the friction solver; what they make the clamp feel, the reduced stiffness S,
comes from bordered solves with the factor at hand; then the clamp's own problem of at most three unknowns, friction under
it included, gives the next p. Rates and accelerations (of one instant) are found alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from floating_frame.errors import Unsolved
from floating_frame.frame.clamp import clamp_modes
from floating_frame.frame.kinematics import Array, to_body, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.system.rigid.stage import solve_slip
from floating_frame.system.state import Counts
from friction import FactorCache, Law, TrescaOptions, TrescaResult
from friction import solve as solve_friction
from friction.nodal.problem import NodalProblem, NodeLaws
from friction.nodal.sensitivity import Response, reduced_stiffness
from friction.nodal.smooth_objective import SmoothPart
from friction.rigid.problem import RigidFrictionProblem, RigidStart, point_velocity
from friction.stick import incoming_slip

MAX_ROUNDS = 40
EXACT_ROUNDS = 12
"""Rounds after which a node that stands still may do so to solver tolerance only."""
NONE, WHOLE = -1, -2
ALL = slice(None)
Nodes = slice | NDArray[np.intp]
KEEP = 0.1
"""S is kept while a round leaves less than this share of the last one's change."""


class ClampPart(SmoothPart, Protocol):
    """The smooth part of a round, with the clamp moving at given ``rates`` (3,): see ``ClampedEquilibrium``."""

    rates: Array
    arms: Array
    angle: float
    ground: Array
    frozen: bool
    clamp_velocity: Array
    clamp_slip: Array


P = TypeVar("P", bound=ClampPart)


@dataclass(frozen=True, kw_only=True)
class ClampProblem(Generic[P]):
    """A clamp whose rates are sought.

    ``part_of``: rates (3,), which of the clamp's nodes stands still (see ``standing``), and the last inertial nodal velocity
    (N, 2) -> the smooth part for the friction solver, see ``parts.ClampedEquilibrium``; ``clamp`` node numbers; ``bound`` w
    (N,) N; ``fixed`` (N,): all nodes that the friction solver keeps, the clamp's among them; ``free`` (3,) and ``prescribed`` (3,)
    rates; ``law_at``: (angle rad, nodes) -> the friction law in axes turned by the angle, at these nodes; ``key``: what the factor
    depends on; ``what``: the words for a failure.
    """

    part_of: Callable[[Array, int, Array], P]
    clamp: NDArray[np.intp]
    bound: Array
    fixed: NDArray[np.bool_]
    free: NDArray[np.bool_]
    prescribed: Array
    law_at: Callable[[float, Nodes], Law]
    cache: FactorCache
    options: TrescaOptions
    key: Hashable
    what: str


class ClampSolution(NamedTuple, Generic[P]):
    """The solved clamp: ``part`` and friction ``result`` at its rates; inertial nodal ``slip`` velocity and ``multiplier``
    (N, 2); the wrench (3,) that its nodes' equilibrium asks of friction under it and reaction, negative."""

    part: P
    result: TrescaResult
    slip: Array
    multiplier: Array
    demand: Array
    counts: Counts


def solve_clamp(problem: ClampProblem[P], rates: Array, sliding: Array, reference: Array) -> ClampSolution[P]:
    """Find the clamp's free ``rates`` (3,) from a start and inertial nodal ``sliding`` velocity (N, 2).

    ``reference`` (N, 2): inertial slip velocity against which nodes count as reversed. Raises NotConverged,
    RigidFrictionError and what the friction solver raises.
    """
    clamp, bound, free = problem.clamp, problem.bound, problem.free
    counts, response, last, change = Counts(), None, np.inf, 0.0
    velocity, pivot = sliding, NONE
    for _ in range(MAX_ROUNDS):
        part = problem.part_of(rates, pivot, velocity)
        rates = part.rates
        result = solve_friction(
            part,
            bound,
            law=problem.law_at(part.angle, ALL),
            velocity=to_body(sliding, part.angle),
            reference=to_body(reference, part.angle),
            fixed=problem.fixed,
            cache=problem.cache,
            key=problem.key,
            options=problem.options,
        )
        of_round = Counts.of(result)
        counts = counts.plus(of_round)
        sliding = to_inertial(result.velocity, part.angle).copy()
        velocity = sliding + part.ground
        reference = incoming_slip(problem.law_at(0.0, ALL), reference, sliding)
        velocity[clamp] = part.clamp_velocity
        multiplier = to_inertial(result.multiplier, part.angle).copy()
        demand = wrench(part.arms, to_inertial(part.gradient(result.velocity)[clamp], part.angle))
        if free.any() and response is None:
            if last < np.inf:
                problem.cache.forget()
            response = _response(problem, part, result)
            counts = counts.plus(Counts(factorisations=response.factorisations))
        new = _clamp_rates(problem, response, part, demand, multiplier, reference)
        scale = max(result.tolerance / problem.options.rtol, float(np.abs(demand).max()), float(bound[clamp].sum()))
        if response is not None:
            change = float(np.abs(response.stiffness @ (new - rates))[free].max())
        stands = standing(problem, part, new)
        exact = stands in (NONE, standing(problem, part, rates)) or counts.passes > EXACT_ROUNDS
        followed = not part.frozen or (of_round.newton == 0 and counts.passes > 1)
        if exact and followed and change <= 10.0 * problem.options.rtol * scale:
            sliding[clamp] = part.clamp_slip
            return ClampSolution(part, result, sliding, multiplier, demand, counts)
        if response is not None:  # the other nodes follow the clamp as linearised; sticking ones do not
            sliding = sliding + to_inertial(np.tensordot(new - rates, response.velocities, 1), part.angle)
            if change > KEEP * last:
                response = None
        rates, last, pivot = new, change, stands
    raise Unsolved(
        f"the clamp {problem.what} did not settle in {MAX_ROUNDS} rounds (its force still changes by {change:.3g} N)"
    )


def standing(problem: ClampProblem[P], part: P, rates: Array) -> int:
    """Which of the clamp's nodes with weight stands still on the ground: its place among them, NONE, or the WHOLE clamp."""
    slip = point_velocity(rates - np.array([*part.ground, 0.0]), part.arms)
    still = ~np.any(slip, axis=1) & (problem.bound[problem.clamp] > 0.0)
    if not problem.law_at(0.0, ALL).set_valued or not still.any():
        return NONE
    return int(np.argmax(still)) if rates[2] != 0.0 else WHOLE


def _response(problem: ClampProblem[P], part: P, result: TrescaResult) -> Response:
    """What the clamp feels of the rest of the body."""
    linear = NodalProblem(
        part=part,
        laws=NodeLaws.given(problem.bound, problem.fixed),
        law=problem.law_at(part.angle, ALL),
        cache=problem.cache,
        key=problem.key,
    )
    modes = clamp_modes(len(problem.bound), problem.clamp, part.arms, part.angle)
    return reduced_stiffness(linear, result.velocity, modes)


def _clamp_rates(
    problem: ClampProblem[P], response: Response | None, part: P, demand: Array, multiplier: Array, reference: Array
) -> Array:
    """The clamp's rates (3,) for the linearised rest of the body; the inertial ``multiplier`` (N, 2) under it in place."""
    rates, bound, law = part.rates, problem.bound[problem.clamp], problem.law_at(0.0, problem.clamp)
    if response is None:
        multiplier[problem.clamp] = law.force(part.clamp_slip, bound)
        return rates
    ground = np.array([*part.ground, 0.0])  # friction acts on the velocity relative to it
    drive = response.stiffness @ (rates - ground) - demand
    row = RigidFrictionProblem(
        inertia=response.stiffness,
        wrench=drive,
        arms=part.arms,
        bound=bound,
        free=problem.free,
        prescribed=problem.prescribed - ground,
    )
    slip = solve_slip(law, row, RigidStart(rates - ground, np.zeros_like(part.arms)), reference[problem.clamp])
    multiplier[problem.clamp] = slip.multiplier
    return np.where(problem.free, slip.rates + ground, problem.prescribed)
