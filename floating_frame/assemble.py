"""``assemble``: a problem and its options turned into a model; the only place that names concrete systems and effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from fem import BeamAxis, Solid
from fem.beam import Beam
from floating_frame.assembly.beam import assemble_beam
from floating_frame.assembly.plane import assemble_model, check_length
from floating_frame.coefficients import EXPLICIT, LINEARLY_IMPLICIT, RADAU, Scheme, backward_euler
from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.loads import DeadLoads, FollowerLoad
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import Effect
from floating_frame.leapfrog.bodies import ExplicitPlate, ExplicitRigid
from floating_frame.leapfrog.stability import under_effects
from floating_frame.leapfrog.step import ExplicitBody, explicit_step
from floating_frame.problem import Options, Problem
from floating_frame.rigid_body import RigidBody
from floating_frame.rigid_solid import RigidSolid
from floating_frame.scheme.instants import initial_state
from floating_frame.scheme.radau import radau_step
from floating_frame.scheme.rigid import RigidSteps
from floating_frame.scheme.rigid_trials import RigidInstant
from floating_frame.scheme.staged import step
from floating_frame.stepping.impacts import ImpactSteps
from floating_frame.stepping.plate_contact_steps import plate_contact_step
from floating_frame.system.clamped.ground import ClampedGround
from floating_frame.system.elastic.exact_contact import ExactContactGround
from floating_frame.system.elastic.frame import ClampFrame, NodalFrame
from floating_frame.system.elastic.given_pressure import CONTACT_FALLBACK, GivenPressureGround
from floating_frame.system.elastic.ground import Ground
from floating_frame.system.elastic.points import PlateAnchors
from floating_frame.system.elastic.results import AxisResults, ElasticResults
from floating_frame.system.elastic.system import ElasticSystem
from floating_frame.system.model import Model, RunModel
from floating_frame.system.protocol import System
from floating_frame.system.rigid.linearised import LinearlyImplicitRigid
from floating_frame.system.rigid.ode import RigidOde
from floating_frame.system.rigid.points import RigidAnchors
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import Integrator
from friction.arrays import shown

Kind = TypeVar("Kind")


def assemble(problem: Problem, options: Options) -> RunModel:
    """Check a problem and its options, and build the time-independent model: of a body in the plane, a linear beam, a rigid body
    or a solid in space.

    Raises ValueError or TypeError in one line for wrong or incompatible arguments.
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"assemble takes a problem first, Problem(body, t_end), got {shown(problem)}")
    if not isinstance(options, Options):
        raise TypeError(f"assemble takes options after the problem, Options(dt=...), got {shown(options)}")
    model = of_class(MODELS, problem.body)(problem, options)
    assert model.system  # built here, so that effects that do not fit the body are refused
    object.__setattr__(model, "assembled_by", assemble)
    return model


def of_class(table: Mapping[type, Kind], body: object) -> Kind:
    """Entry of a table for the class of a body, or for its nearest base class."""
    return next(table[kind] for kind in type(body).__mro__ if kind in table)


def plane_model(problem: Problem, options: Options) -> Model:
    """Model of a body with a floating frame in the plane."""
    model = under_effects(assemble_model(problem, options, system_of, integrator_of))
    check_length(problem.t_end, options, model.steps)  # effects may ask for shorter ones
    return model


def space_model(problem: Problem, options: Options) -> RunModel:
    """Model of a rigid body in space."""
    from floating_frame.assembly.space import assemble_space

    return assemble_space(problem, options, STAGED)


def solid_model(problem: Problem, options: Options) -> RunModel:
    """Model of an elastic body in space."""
    from floating_frame.assembly.solid import assemble_solid

    return assemble_solid(problem, options, STAGED)


MODELS: dict[type, Callable[[Problem, Options], RunModel]] = {
    object: plane_model,
    Beam: lambda problem, options: assemble_beam(problem, options, STAGED),
    RigidSolid: space_model,
    Solid: solid_model,
}
"""Constructors of models by the class of the body or of a base class."""


def staged_step(model: RunModel, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
    """Take one step of a scheme with stages."""
    assert model.scheme is not None
    return step(model.scheme, model.system, state, dt, end)


def staged_start(model: RunModel) -> State:
    """State at t = 0."""
    assert model.scheme is not None
    return initial_state(model.scheme, model.system)


STAGED: Integrator[RunModel] = Integrator(staged_step, staged_start)
SMOOTH = backward_euler()
"""Any scheme with inertia: the start of the motion does not depend on it."""


def integrator_of(model: Model) -> Integrator:
    """Integrator of a model."""
    deformable, system = model.body.deformable, model.system
    if model.options.scheme == RADAU:
        return radau_of(model)
    if model.options.scheme == EXPLICIT:
        return explicit_integrator(ExplicitPlate(model) if deformable else ExplicitRigid(model))
    if model.exact is not None:
        return Integrator(plate_contact_step, staged_start) if deformable else rigid_impacts(model)
    if type(system) is RigidSystem and model.scheme is not None:  # a derived class may move otherwise
        return rigid_steps(system, model.scheme)
    return STAGED


def explicit_integrator(body: ExplicitBody) -> Integrator:
    """Explicit steps of a body."""

    def one(model: Model, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
        return explicit_step(body, state, dt, end)

    return Integrator(one, lambda model: body.initial_state())


def rigid_impacts(model: Model) -> Integrator:
    """Steps of a rigid body with exact contacts."""
    assert isinstance(model.system, RigidSystem)
    assert model.exact is not None
    assert model.scheme is not None
    steps = ImpactSteps(model.system, model.scheme, model.exact)
    execution = steps.free.execution
    if execution == "compiled":
        execution = "compiled in flight, interpreted where exact contacts touch: Python solves their laws"
    return Integrator(steps.step, staged_start, None if steps.free.many is None else steps, execution)


def rigid_steps(system: RigidSystem, scheme: Scheme) -> Integrator:
    """Steps of a rigid body."""
    steps = RigidSteps(system, scheme)

    def one(model: Model, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
        return steps.step(state, dt, end)

    tried = steps.many is not None and not system.model.contacts  # else error control needs states
    return Integrator(
        one, staged_start, steps.many, steps.execution, partial(RigidInstant.of, steps) if tried else None
    )


def radau_of(model: Model) -> Integrator:
    """Error-controlled Runge–Kutta method for a rigid body. Raises TypeError for other systems."""
    if type(model.system) is not RigidSystem:
        raise TypeError(f"{type(model.system).__name__} is no system of ordinary differential equations")
    ode = RigidOde(model.system)

    def one(model: Model, state: State, dt: float, end: float | None = None) -> tuple[State, Counts]:
        options, given = model.options, model.options.error_tolerance
        tolerance = max(options.tolerance if given is None else given, 1e-12)
        return radau_step(ode, tolerance, state, dt, end)

    return Integrator(one, lambda model: initial_state(SMOOTH, ode.system))


def system_of(model: Model) -> System:
    """System of a model."""
    return of_class(SYSTEMS, model.body)(model)


def friction_of(model: Model) -> FoundationFriction:
    """Friction on a model's foundation: of a deformable body at its nodes."""
    body = model.body
    points, areas = (body.X, body.nodal_area) if body.deformable else body.friction[:2]
    return FoundationFriction(model.problem.foundation, points, areas, model.loads.ground_breaks)


def rigid_system(model: Model) -> System:
    """System of a rigid body."""
    system = RigidSystem(model, effects_on(RigidAnchors(model.body), model), friction_of(model), model.exact)
    return LinearlyImplicitRigid(system) if model.options.scheme == LINEARLY_IMPLICIT else system


def deformable_system(model: Model) -> System:
    """System of a deformable body, free or on a clamp."""
    body, stored_as = model.body, AxisResults if type(model.body) is BeamAxis else ElasticResults
    effects, initial, clamp = effects_on(PlateAnchors(body), model), model.problem.initial, model.problem.frame
    options, none = model.friction_options, np.zeros(0, np.intp)
    if any(effect.may_jump for effect in effects):  # a long step may have no solution
        options = replace(options, max_fallback_iterations=CONTACT_FALLBACK)
    pressed = GivenPressureGround(model, friction_of(model), np.arange(len(body.X)), none, model.cache, options)
    ground: Ground = pressed if model.exact is None else ExactContactGround(pressed, model.exact)
    frame: NodalFrame = NodalFrame(model.frame, model.mass)
    if len(model.clamp):
        ground = ClampedGround(pressed, clamp)
        frame = ClampFrame(model.clamp, body.X, np.zeros(2), turns=clamp.turns)
    place = np.zeros(2) if len(model.clamp) or initial.displacement is None else None
    start = *initial.fields(body.X), np.zeros(1), place
    return ElasticSystem(model, effects, ground, frame, start, stored_as)


def effects_on(anchors: PlateAnchors | RigidAnchors, model: Model) -> list[Effect]:
    """Effects on a body: loads, penalty contacts and the problem's effects."""
    loads = model.loads
    effects: list[Effect] = [DeadLoads(loads.nodal_force, anchors.nodes())]
    for k, (_, follower) in enumerate(loads.followers):
        points = anchors.nodes() if follower.nodes is None else anchors.segments(follower.nodes)
        value, deformable = partial(loads.follower_value, k), model.body.deformable
        effects.append(FollowerLoad(value, follower, points, deformable=deformable))
    effects += [PenaltyContact(c, anchors.places(p), p.weights) for c, p in model.contacts]
    return effects + [e.on(anchors.attached(e.at)) for e in model.problem.effects]


SYSTEMS: dict[type, Callable[[Model], System]] = {RigidBody: rigid_system, object: deformable_system}
"""Constructors of systems by the class of the body or of a base class."""
