"""A problem of an elastic solid in space turned into what does not change in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from floating_frame.checks import check_in_space
from floating_frame.coefficients import coefficients_of
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.effect.dead import DeadLoads
from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import Effect
from floating_frame.frame.conditions import Frame
from floating_frame.frame.moments import MassDistribution
from floating_frame.loads.load_assembly import AssembledLoads
from floating_frame.problem import Options
from floating_frame.scheme.step import initial_state, step
from floating_frame.solid_problem import SolidForce, SolidProblem
from floating_frame.stepping.step_times import check_number_of_steps
from floating_frame.system.elastic.equilibrium import ElasticBody
from floating_frame.system.elastic.points import Nodes, PlateAnchors, PlatePoints
from floating_frame.system.model import RunModel
from floating_frame.system.solid.clamp import AllNodes, ClampedNodes, Unknowns
from floating_frame.system.solid.facing import FacedNodes
from floating_frame.system.solid.frame import ClampFrame, FrameOf, FreeFrame
from floating_frame.system.solid.ground import Ground, NodesOnGround
from floating_frame.system.solid.pressed import PressedNodes
from floating_frame.system.solid.stage import elastic_body
from floating_frame.system.solid.system import SolidSystem
from floating_frame.system.space.ground import GroundContact
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import Integrator, staged_steps


@dataclass(frozen=True, kw_only=True, repr=False)
class SolidModel(RunModel):
    """The model of an elastic solid in space."""

    takes_tolerance: ClassVar[bool] = False

    problem: SolidProblem
    mass: MassDistribution


def assemble_solid(problem: SolidProblem, options: Options) -> SolidModel:
    """Check a problem against its options and build what is constant in time. Raises ValueError in one line."""
    check_in_space(problem, options)
    check_number_of_steps(problem.t_end, options.dt)
    scheme, body = coefficients_of(options.scheme, options.theta), problem.body
    weight = SolidForce(force=(0.0, 0.0, -body.mass * problem.gravity))
    forces = (weight, *problem.loads)
    loads = AssembledLoads(
        shapes=np.array([force.shares(body) for force in forces]),
        forces=np.array([force.force for force in forces], dtype=float),
        histories=tuple(force.history for force in forces),
        further_breaks=() if problem.foundation is None else problem.foundation.breaks,
        step=options.dt,
    )
    solid = elastic_body(body)
    mass = solid.mass
    ground = ground_of(problem, solid, loads, options)
    effects = (DeadLoads(loads.nodal_force, Nodes()), *effects_on(problem)), penalties_of(problem)
    system = SolidSystem(solid, frame_of(problem, mass), problem.places, effects, ground, stress=options.stress)

    def one(model: SolidModel, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
        return step(scheme, system, state, dt, end)

    return SolidModel(
        problem=problem,
        options=options,
        mass=mass,
        loads=loads,
        law=system.friction.law,
        scheme=scheme,
        steps=staged_steps(scheme, options.dt),
        radius=float(np.linalg.norm(body.X, axis=1).max()),
        extent=float(np.ptp(body.X, axis=0).min()),
        system_of=lambda _: system,
        integrator_of=lambda _: Integrator(one, lambda _: initial_state(scheme, system)),
    )


def ground_of(problem: SolidProblem, solid: ElasticBody, loads: AssembledLoads, options: Options) -> Ground:
    """Return the ground: with a given pressure, or normal forces that are unknown."""
    nodes, exact = problem.nodes, problem.exact
    if problem.foundation is None:
        faced = FacedNodes(nodes, [contact.obstacle for contact in exact])
        laws, symmetric = GroundContact(exact, len(nodes)), len(exact) == len(problem.touching) and not problem.effects
        return NodesOnGround(solid, faced, laws, unknowns_of(problem), symmetric=symmetric)
    body, area = problem.body, problem.body.face_area(str(problem.contact))
    friction = FoundationFriction(problem.foundation, body.X[nodes, :2], area[nodes], loads.ground_breaks)
    return PressedNodes(solid, nodes, problem.guided, friction, options.tolerance, symmetric=not problem.effects)


def effects_on(problem: SolidProblem) -> list[Effect]:
    """Return the effects that a user gives, such as springs, on their points."""
    place, Q = problem.configuration
    anchors = PlateAnchors(problem.body, place + problem.body.X @ Q.T)
    return [effect.on(anchors.attached(effect.at)) for effect in problem.effects]


def penalties_of(problem: SolidProblem) -> tuple[PenaltyContact[PlatePoints], ...]:
    """Return the penalty contacts, at the nodes of the face that touches, by their shares in its area."""
    nodes, body = problem.nodes, problem.body
    area = body.face_area(problem.contact)[nodes] if problem.contact else np.zeros(0)
    pressed = [contact for contact in problem.touching if contact.normal.penalty]
    points = ContactPoints.at_nodes(nodes, area)
    return tuple(PenaltyContact(contact, PlatePoints(points, body), area) for contact in pressed)


def unknowns_of(problem: SolidProblem) -> Unknowns:
    """Return which nodal velocities are unknowns."""
    if problem.clamp is None:
        return AllNodes(problem.body)
    return ClampedNodes(problem.body, problem.held, problem.joint)


def frame_of(problem: SolidProblem, mass: MassDistribution) -> FrameOf:
    """Return where the frame comes from."""
    if problem.clamp is None:
        return FreeFrame(cast(Frame, problem.frame), mass)
    return ClampFrame(problem.held, problem.body.X, problem.joint)
