"""The model of a rigid body in space: all that is constant in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from floating_frame.checks import check_problem
from floating_frame.coefficients import Scheme, coefficients_of
from floating_frame.contact.shapes import formula_of
from floating_frame.effect.loads import DeadLoads
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import Effect, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.input_checks import check_kind
from floating_frame.loads.load_assembly import AssembledLoads
from floating_frame.loads.loads import SpaceForce
from floating_frame.problem import Options, Problem
from floating_frame.scheme.rigid import BATCH_NUMBERS, MAX_BATCH, POINT_STEPS, ManySteps
from floating_frame.stepping.landings import landing_step
from floating_frame.stepping.step_times import check_number_of_steps
from floating_frame.system.model import RunModel
from floating_frame.system.space.body import BallPoints, SpacePoints, attached
from floating_frame.system.space.flat import FlatBaseSystem
from floating_frame.system.space.ground import GroundContact
from floating_frame.system.space.plan import SpacePlan
from floating_frame.system.space.system import SpaceRigidSystem
from floating_frame.system.stepper import Integrator, staged_steps


def assemble_space(problem: Problem, options: Options, staged: Integrator[RunModel]) -> RunModel:
    """Check a problem against its options and build its model; ``staged`` takes its steps. Raises ValueError in one
    line."""
    check_problem(problem, options)
    check_number_of_steps(problem.t_end, options.dt)
    scheme, body, initial = coefficients_of(options.scheme, options.theta), problem.body, problem.initial
    for load in problem.loads:
        check_kind("Problem", "loads", load, "at", "SpaceForce(force=(1.0, 0.0, 0.0)) on a rigid body in space")
    weight = SpaceForce(force=(0.0, 0.0, -body.mass * float(problem.gravity or 0.0)))
    forces = (weight, *cast(tuple[SpaceForce, ...], problem.loads))
    loads = AssembledLoads(
        shapes=np.eye(len(forces)),
        forces=np.array([load.force for load in forces]),
        histories=tuple(load.history for load in forces),
        step=options.dt,
    )
    places = np.array([load.at for load in forces])
    follows = np.array([load.follows for load in forces])
    velocity = (np.array(initial.velocity, float), np.array(initial.spin, float))
    assert problem.standing is not None
    configuration = problem.standing.configuration
    start = Motion(configuration, velocity, (np.zeros(3), np.zeros(3)))
    kind = FlatBaseSystem if body.shape.flat else SpaceRigidSystem
    exact = [c for c in problem.contacts if not c.penalty]
    ground = GroundContact(exact, len(body.shape.reference))
    place = BallPoints(body.shape.centres) if body.shape.radius else SpacePoints(body.shape.centres)
    pressed = [
        PenaltyContact(c, place, np.ones(len(body.shape.centres)), body.shape.radius)
        for c in problem.contacts
        if c.penalty
    ]
    obstacles = [c.obstacle for c in exact]
    effects: list[Effect[SpacePoints]] = [DeadLoads(part_of(loads, ~follows), SpacePoints(places[~follows]))]
    if follows.any():
        effects.append(DeadLoads(part_of(loads, follows), SpacePoints(places[follows], follow=True), "follower"))
    effects += [effect.on(attached(effect.at, *configuration)) for effect in problem.effects]
    system = kind(body, start, effects, ground, obstacles, pressed)
    compiled, execution = many_steps(system, scheme, loads, follows)
    step = staged.step if body.shape.flat else landing_step
    return RunModel(
        problem=problem,
        options=options,
        loads=loads,
        law=ground.law,
        scheme=scheme,
        steps=staged_steps(scheme, options.dt),
        radius=body.radius,
        system_of=lambda _: system,
        integrator_of=lambda _: staged._replace(step=step, compiled=compiled, execution=execution),
    )


def many_steps(
    system: SpaceRigidSystem, scheme: Scheme, loads: AssembledLoads, follows: NDArray[np.bool_]
) -> tuple[ManySteps | None, str]:
    """Compiled loop over many steps of a rigid body in space, None where a part of a step is Python; and the words on it for the
    user: "compiled", or the interpreted parts. ``follows``: see ``SpacePlan``."""
    interpreted = [effect.name for _, effect in system.acting.called]
    interpreted += [type(o).__name__ for o in system.contacts.obstacles if not o.flat and formula_of(o) is None]
    if interpreted:
        compiled = "springs, dead loads, followers, and feet, bases and balls in contact with the library's obstacles"
        return None, f"interpreted: {', '.join(dict.fromkeys(interpreted))}; compiled are {compiled}"
    points = max(len(system.nodes.reference), BATCH_NUMBERS // MAX_BATCH)
    plan = SpacePlan(system, scheme, loads, follows)
    return ManySteps(plan, max(1, min(MAX_BATCH, POINT_STEPS // points)), max(1, BATCH_NUMBERS // points)), "compiled"


def part_of(loads: AssembledLoads, chosen: NDArray[np.bool_]) -> Callable[..., Array]:
    """Forces of the ``chosen`` loads, (time s, left=) -> (P, 3) N."""
    return lambda time, *, left=True: loads.nodal_force(time, left=left)[chosen]
