"""A problem of an elastic solid in space turned into what does not change in time."""

from __future__ import annotations

from typing import cast

import numpy as np

from floating_frame.checks import check_problem
from floating_frame.coefficients import coefficients_of
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.loads import DeadLoads
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import Effect
from floating_frame.frame.conditions import Frame
from floating_frame.frame.moments import MassDistribution
from floating_frame.initial import SolidStanding
from floating_frame.loads.load_assembly import assemble_loads
from floating_frame.loads.loads import BodyForce
from floating_frame.problem import Options, Problem
from floating_frame.stepping.step_times import check_number_of_steps
from floating_frame.system.clamped.nodes import ClampedNodes
from floating_frame.system.elastic.equilibrium import ElasticBody
from floating_frame.system.elastic.factors import ElasticFactor
from floating_frame.system.elastic.frame import ClampFrame, FrameOf, FreeFrame
from floating_frame.system.elastic.given_pressure import PressedNodes
from floating_frame.system.elastic.ground import Ground
from floating_frame.system.elastic.points import Nodes, PlateAnchors, PlatePoints
from floating_frame.system.elastic.results import ElasticResults
from floating_frame.system.elastic.system import Begins, ElasticSystem
from floating_frame.system.model import Model, RunModel
from floating_frame.system.solid.facing import FacedNodes
from floating_frame.system.solid.ground import NodesOnGround
from floating_frame.system.space.ground import GroundContact, Impacts
from floating_frame.system.stepper import Integrator, staged_steps
from friction import Coulomb, FactorCache, Law, TrescaOptions


def assemble_solid(problem: Problem, options: Options, staged: Integrator[RunModel]) -> RunModel:
    """Check a problem against its options and build what is constant in time; ``staged`` takes its steps. Raises ValueError in one
    line."""
    check_problem(problem, options)
    check_number_of_steps(problem.t_end, options.dt)
    scheme, body, standing = coefficients_of(options.scheme, options.theta), problem.body, problem.standing
    assert isinstance(standing, SolidStanding)
    solid = ElasticBody.of(body)
    mass = solid.mass
    weight = BodyForce((0.0, 0.0, -float(problem.gravity or 0.0)))
    breaks = () if problem.foundation is None else problem.foundation.breaks
    loads = assemble_loads((weight, *problem.loads), body, mass, breaks, options.dt)

    def system_of(model: Model) -> ElasticSystem:
        effects = DeadLoads(loads.nodal_force, Nodes()), *effects_on(problem, standing), *penalties
        ground, frame = ground_of(model, standing), frame_of(standing, mass)
        return ElasticSystem(
            model, effects, ground, frame, Begins(*standing.places), lambda s: ElasticResults(s, penalties)
        )

    penalties = penalties_of(standing)
    return Model(
        problem=problem,
        options=options,
        body=body,
        mass=mass,
        elastic=solid,
        objective=body.objective,
        frame=cast(Frame, standing.frame),
        clamp=standing.held,
        cache=None,
        loads=loads,
        law=law_of(problem),
        scheme=scheme,
        steps=staged_steps(scheme, options.dt),
        radius=float(np.linalg.norm(body.X, axis=1).max()),
        extent=float(np.ptp(body.X, axis=0).min()),
        system_of=system_of,
        integrator_of=lambda _: staged,
    )


def law_of(problem: Problem) -> Law:
    """Return the law of the foundation, or of the first contact that is exact."""
    if problem.foundation is not None:
        return problem.foundation.law
    return next((contact.law for contact in problem.contacts if not contact.penalty), Coulomb())


def ground_of(model: Model, standing: SolidStanding) -> Ground:
    """Return the ground: with a given pressure, or normal forces that are unknown."""
    problem, nodes, free_of_effects = model.problem, standing.nodes, not model.problem.effects
    solid = model.elastic_at(0.0)
    if problem.foundation is None:
        exact = [contact for contact in problem.contacts if not contact.penalty]
        faced = FacedNodes(nodes, [contact.obstacle for contact in exact])
        symmetric = len(exact) == len(problem.contacts) and free_of_effects
        clamp = None if standing.clamp is None else ClampedNodes(problem.body, standing.held, standing.joint)
        return NodesOnGround(solid, faced, GroundContact(exact, len(nodes)), clamp, symmetric=symmetric)
    body, breaks = problem.body, model.loads.ground_breaks
    friction = FoundationFriction(problem.foundation, body.X[nodes, :2], standing.area, breaks)
    factor = ElasticFactor(body.indptr, body.indices, symmetric=free_of_effects)
    cache = FactorCache(body.indptr, body.indices, factor, d=3, symmetric=free_of_effects)
    options = TrescaOptions(rtol=model.options.tolerance)
    pressed = PressedNodes(model, friction, nodes, standing.guided, cache, options)
    pressed.sources = (Impacts(),)
    return pressed


def effects_on(problem: Problem, standing: SolidStanding) -> list[Effect]:
    """Return the effects that a user gives, such as springs, on their points."""
    place, Q = standing.configuration
    anchors = PlateAnchors(problem.body, place + problem.body.X @ Q.T)
    return [effect.on(anchors.attached(effect.at)) for effect in problem.effects]


def penalties_of(standing: SolidStanding) -> tuple[PenaltyContact[PlatePoints], ...]:
    """Return the penalty contacts, at the nodes of the face that touches, by their shares in its area."""
    points = ContactPoints.at_nodes(standing.nodes, standing.area)
    pressed = [contact for contact in standing.contacts if contact.penalty]
    return tuple(PenaltyContact(contact, PlatePoints(points, standing.body), standing.area) for contact in pressed)


def frame_of(standing: SolidStanding, mass: MassDistribution) -> FrameOf:
    """Return where the frame comes from."""
    if standing.clamp is None:
        return FreeFrame(cast(Frame, standing.frame), mass)
    joint = standing.joint
    return ClampFrame(standing.held, standing.body.X, joint.pivot, turns=bool(joint.free[1].any()))
