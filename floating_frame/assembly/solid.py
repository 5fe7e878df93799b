"""The model of an elastic solid in space: all that is constant in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from floating_frame.checks import check_problem
from floating_frame.coefficients import coefficients_of
from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.loads import DeadLoads
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.errors import UNDAMPED
from floating_frame.frame.conditions import Frame
from floating_frame.initial import Standing
from floating_frame.loads.load_assembly import assemble_loads
from floating_frame.loads.loads import BodyForce
from floating_frame.problem import Options, Problem
from floating_frame.stepping.step_times import check_number_of_steps
from floating_frame.system.clamped.nodes import ClampedNodes
from floating_frame.system.elastic.equilibrium import ElasticBody
from floating_frame.system.elastic.factors import ElasticFactor
from floating_frame.system.elastic.frame import ClampFrame, NodalFrame
from floating_frame.system.elastic.given_pressure import GivenPressureGround
from floating_frame.system.elastic.ground import Ground
from floating_frame.system.elastic.points import Nodes, PlateAnchors, PlatePoints
from floating_frame.system.elastic.results import ElasticResults
from floating_frame.system.elastic.system import ElasticSystem
from floating_frame.system.model import Model, RunModel
from floating_frame.system.solid.contact_geometry import ObstacleNodes
from floating_frame.system.solid.ground import SignoriniGround
from floating_frame.system.space.ground import IMPACTS, GroundContact
from floating_frame.system.stepper import Integrator, staged_steps
from friction import Coulomb, FactorCache

FLUTTERS, HOPS = 0.75, 3.0
"""Default retardation time of solids in friction under unknown normal forces, over μ times the crossing time of a shear wave: of
flat bodies, and of a cube."""


def assemble_solid(problem: Problem, options: Options, staged: Integrator[RunModel]) -> RunModel:
    """Check a problem against its options and build its model; ``staged`` takes its steps. Raises ValueError in one
    line."""
    problem, chosen = with_viscosity(problem)
    check_problem(problem, options)
    check_number_of_steps(problem.t_end, options.dt)
    scheme, body, standing = coefficients_of(options.scheme, options.theta), problem.body, problem.standing
    assert standing is not None
    solid, foundation, nodes, area = ElasticBody.of(body), problem.foundation, standing.nodes, standing.area
    weight = BodyForce((0.0, 0.0, -float(problem.gravity or 0.0)))
    breaks = () if foundation is None else foundation.breaks
    loads = assemble_loads((weight, *problem.loads), body, solid.mass, breaks, options.dt)
    pressed = [contact for contact in standing.contacts if contact.penalty]
    exact = [contact for contact in problem.contacts if not contact.penalty]
    points = ContactPoints.at_nodes(nodes, area)
    penalties = [PenaltyContact(contact, PlatePoints(points, body), area) for contact in pressed]

    def system_of(model: Model) -> ElasticSystem:
        place, Q = standing.configuration
        anchors = PlateAnchors(body, place + body.X @ Q.T)
        own = [effect.on(anchors.attached(effect.at)) for effect in problem.effects]
        effects = DeadLoads(loads.nodal_force, Nodes()), *own, *penalties
        frame, clamp = NodalFrame(model.frame, solid.mass), None
        if standing.clamp is not None:
            joint = standing.joint
            frame = ClampFrame(standing.clamped_nodes, body.X, joint.pivot, turns=bool(joint.free[1].any()))
            clamp = ClampedNodes(body, standing.clamped_nodes, joint)
        ground = ground_of(model, standing, exact, clamp)
        return ElasticSystem(
            model, effects, ground, frame, (*standing.nodal_motion, None), lambda s: ElasticResults(s, penalties)
        )

    laws = [contact.law for contact in exact] if foundation is None else [foundation.law]
    return Model(
        problem=problem,
        options=options,
        body=body,
        mass=solid.mass,
        elastic=solid,
        frame=cast(Frame, standing.frame),
        clamp=standing.clamped_nodes,
        cache=None,
        loads=loads,
        law=next(iter(laws), Coulomb()),
        scheme=scheme,
        steps=staged_steps(scheme, options.dt),
        radius=float(np.linalg.norm(body.X, axis=1).max()),
        extent=float(np.ptp(body.X, axis=0).min()),
        attributes={"viscosity": body.viscosity, "viscosity_choice": chosen},
        system_of=system_of,
        integrator_of=lambda _: staged,
    )


def with_viscosity(problem: Problem) -> tuple[Problem, str]:
    """The problem with the retardation time of its body, and the reason for it.

    Where friction acts under normal forces that are unknown, stiffness and mass of a sliding solid are not symmetric, and
    vibrations grow (docs/space.md, section Viscosity). There a body without a given viscosity gets the retardation time
    max(3/4, 3 H/L) μ H/c_s, H its least and L its largest extent, c_s the speed of shear waves."""
    body, mu = problem.body, max((contact.mu for contact in problem.contacts if not contact.penalty), default=0.0)
    if body.viscosity_given:
        return problem, f"given; {UNDAMPED}" if mu and not body.viscosity else "given"
    if not mu:
        return problem, "none: no friction under unknown normal forces"
    crossings = mu * max(FLUTTERS, HOPS * float(body.extents.min() / body.extents.max()))
    viscous = replace(body, viscosity=crossings * body.crossing_time)
    chosen = (
        f"default: {crossings:.3g} crossings of a shear wave through the body, for friction under unknown normal forces"
    )
    return replace(problem, body=viscous), chosen


def ground_of(model: Model, standing: Standing, exact: Sequence[Contact], clamp: ClampedNodes | None) -> Ground:
    """Ground with a given pressure, or with the unknown normal forces of ``exact`` contacts."""
    problem, body, nodes, symmetric = model.problem, model.body, standing.nodes, not model.problem.effects
    if problem.foundation is None:
        faced = ObstacleNodes(nodes, [c.obstacle for c in exact])
        symmetric = symmetric and len(exact) == len(problem.contacts)
        contact = GroundContact(exact, len(nodes))
        return SignoriniGround(model.elastic_at(0.0), faced, contact, clamp, symmetric=symmetric)
    friction = FoundationFriction(problem.foundation, body.X[nodes, :2], standing.area, model.loads.ground_breaks)
    factor = ElasticFactor(body.indptr, body.indices, symmetric=symmetric)
    cache = FactorCache(body.indptr, body.indices, factor, d=3, symmetric=symmetric)
    pressed = GivenPressureGround(model, friction, nodes, standing.guided_nodes, cache, model.friction_options)
    pressed.sources = (IMPACTS,)
    return pressed
