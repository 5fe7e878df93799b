"""The model of a body with a floating frame in the plane: all that is constant in time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags_array

from fem import BeamAxis, Plate
from floating_frame.checks import check_problem
from floating_frame.coefficients import EXPLICIT, RADAU, Scheme, coefficients_of
from floating_frame.contact.contact_points import ContactPoints, penalty_points
from floating_frame.contact.signorini import exact_contacts
from floating_frame.frame.clamp import Clamped
from floating_frame.frame.conditions import Frame, MeanAxis, Tisserand
from floating_frame.frame.kinematics import Array
from floating_frame.frame.moments import MassDistribution, moments
from floating_frame.leapfrog.stability import explicit_steps
from floating_frame.loads.load_assembly import assemble_loads
from floating_frame.loads.thermal import Heating
from floating_frame.problem import InitialState, Options, Problem
from floating_frame.stepping.step_times import check_number_of_steps
from floating_frame.system.elastic.equilibrium import ElasticBody
from floating_frame.system.elastic.factors import ElasticFactor
from floating_frame.system.model import Model
from floating_frame.system.protocol import System
from floating_frame.system.stepper import Integrator, Steps, staged_steps
from friction import Coulomb, FactorCache
from friction.arrays import shown


def assemble_model(
    problem: Problem,
    options: Options,
    system_of: Callable[[Model], System],
    integrator_of: Callable[[Model], Integrator[Model]],
) -> Model:
    """Check a problem against its options and build its model; ``system_of``, ``integrator_of``: make its
    system and its integrator.

    Raises ValueError in one line for: unknown edges, unfit initial fields, a frame condition that the body or its
    initial deformation cannot meet, an explicit run with elements that cannot be lumped.
    """
    check_problem(problem, options)
    body = problem.body
    if problem.foundation is None and not body.deformable:
        body = body.on_nodes()  # without friction, results are given at its nodes
    mass = MassDistribution.of(body.mass_matrix, body.X)
    explicit, rigid = options.scheme == EXPLICIT, not body.deformable
    if explicit and not rigid:
        check_in_loop(body, problem.frame)
        mass = MassDistribution.of(diags_array(body.lumped_mass).tocsr(), mass.reference)
    foundation = problem.foundation
    law = Coulomb() if foundation is None else foundation.law
    scheme = None if options.scheme in (EXPLICIT, RADAU) else coefficients_of(options.scheme, options.theta)
    elastic = None if rigid else ElasticBody.of(body, mass)
    factor = None if rigid or explicit else ElasticFactor(body.indptr, body.indices, body.X)
    steps = replace(steps_of(options, scheme, body), locates_impacts=rigid)
    check_length(problem.t_end, options, steps)
    breaks = () if foundation is None else foundation.breaks
    return Model(
        system_of=system_of,
        integrator_of=integrator_of,
        elastic=elastic,
        problem=problem,
        options=options,
        body=body,
        mass=mass,
        loads=assemble_loads(problem.loads, body, mass, breaks, steps.length),
        law=law,
        frame=problem.frame,
        clamp=checked_clamp(problem, mass, inertia=steps.inertia),
        scheme=scheme,
        steps=steps,
        cache=None if factor is None else FactorCache(body.indptr, body.indices, factor),
        radius=float(np.hypot(body.X[:, 0], body.X[:, 1]).max()),
        extent=float(np.ptp(body.X, axis=0).min()),
        contact_edges=tuple((c, ContactPoints.samples(c, body)) for c in problem.contacts if c.edge is not None),
        contacts=tuple((c, penalty_points(c, body)) for c in problem.contacts if c.penalty),
        exact=exact_contacts(problem.contacts, body),
        heating=None if problem.thermal_strain is None else Heating(body, problem.thermal_strain),
    )


def steps_of(options: Options, scheme: Scheme | None, body: Plate) -> Steps:
    """Steps of a run; the explicit scheme's own are ``dt`` under error control, if given. Raises ValueError."""
    if options.scheme == EXPLICIT:
        plan = explicit_steps(body, options.dt, rigid=not body.deformable)
        controlled = options.error_tolerance is not None and options.dt > 0.0
        return replace(plan, length=options.dt) if controlled else plan
    return Steps(length=options.dt, controls_error=True) if scheme is None else staged_steps(scheme, options.dt)


def check_length(t_end: float, options: Options, steps: Steps) -> None:
    """Refuse a run of too many steps, or of too many stored instants under error control: ValueError."""
    stride = 1 if options.error_tolerance is None else options.output_every
    of = "dt" if steps.length == options.dt else "the stable step"
    check_number_of_steps(t_end, steps.length, of=of, stride=stride)


def check_in_loop(body: Plate, frame: Frame) -> None:
    """Refuse a user's bodies and frames, which the compiled loop of central differences does not know: ValueError."""
    for what, part, kinds in (("body", body, (Plate, BeamAxis)), ("frame", frame, (MeanAxis, Tisserand))):
        if type(part) not in kinds:
            names = " and ".join(kind.__name__ for kind in kinds)
            raise ValueError(
                f"scheme 'explicit' is a compiled loop that knows the {what} {names} alone, got {shown(part)}; take an implicit "
                f"scheme for a {what} of one's own"
            )


def checked_clamp(problem: Problem, mass: MassDistribution, *, inertia: bool) -> NDArray[np.intp]:
    """Clamped nodes, none of a free body. Raises ValueError for an initial state that contradicts the frame."""
    frame, body, initial = problem.frame, problem.body, problem.initial
    position, velocity = initial.fields(body.X)
    check_initial_energy(mass, velocity)
    if frame.name == "clamped":
        clamp = np.asarray(body.boundary(frame.edge))
        check_clamp(frame, clamp, initial, inertia=inertia)
        return clamp
    if not mass.second_moment > 0.0:
        raise ValueError("the body has no extent: its mass lies in one point and leaves the frame's rotation free")
    if body.deformable:  # a rigid body with an extent has one frame
        check_frame(frame, mass, position, velocity)
    return np.zeros(0, np.intp)


def check_clamp(frame: Clamped, clamp: NDArray[np.intp], initial: InitialState, *, inertia: bool) -> None:
    """Refuse a clamp whose nodes leave a rotation free, or that contradicts the initial state (without ``inertia``: its place
    only): ValueError."""
    if len(clamp) < 2:
        raise ValueError(f"the clamped edge {frame.edge!r} has fewer than two nodes and leaves a rotation free")
    given = np.array([*initial.velocity, initial.spin], dtype=float)
    required = np.where(frame.free_mask, given, frame.prescribed(0.0))
    if inertia and not np.allclose(given, required, rtol=1e-12, atol=0.0):
        raise ValueError(
            f"the initial velocity and spin {given.tolist()} contradict the clamp's prescribed rates {required.tolist()}"
        )
    for name, values in (("displacement", initial.displacement), ("displacement rate", initial.rate)):
        if values is not None and np.any(np.asarray(values)[clamp]):
            raise ValueError(f"the initial {name} must vanish on the clamped edge {frame.edge!r}")


def check_initial_energy(mass: MassDistribution, velocity: Array) -> None:
    """Refuse initial velocities whose kinetic energy is beyond all numbers: ValueError."""
    with np.errstate(over="ignore", invalid="ignore"):
        energy = 0.5 * float(np.vdot(velocity, mass.matrix @ velocity))
    if not np.isfinite(energy):
        fastest = float(np.abs(velocity).max())
        raise ValueError(
            f"the initial velocities, up to {fastest:.3g} m/s, have no finite kinetic energy: take smaller ones"
        )


def check_frame(frame: Frame, mass: MassDistribution, position: Array, velocity: Array) -> None:
    """Refuse a frame that does not determine all three rigid modes of the initial state: ValueError."""
    try:
        motion = frame.decompose(moments(mass, position, velocity, np.zeros_like(position)), mass, np.eye(2))
    except RuntimeError as error:
        raise ValueError(f"the initial state leaves the frame's rotation free: {error}") from error
    if not np.all(np.isfinite(motion.rotation)):
        raise ValueError("the initial state leaves a rigid mode of the frame free: its coordinates are not finite")
