"""Drake in the suite. Settings: `dt`, `solver` (sap, similar, lagged, tamsi, or runge-kutta with `accuracy`), `tolerance` of
stiction m/s, `depth` of penetration m.

Bodies stand on spheres of a millimetre; for bodies that translate or lie flat the spheres are in the plane of their centre
of mass. Standing bodies settle before the run. A moving ground is at rest in its own axes: its acceleration is a force of inertia.
The steps run in C++."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import LinearBushingRollPitchYaw, SpatialInertia, UnitInertia
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import TrajectorySource
from pydrake.trajectories import PiecewisePolynomial

from cases.app.suite.adapter import Cannot, measured, steps
from cases.app.suite.adapters import _common as common
from cases.app.suite.schema import Problem

NAME = "drake"
NEEDS = ("pydrake", "drake")
FOOT, SETTLING = 1e-3, 0.5
"""Radius of feet, m; time, s, for which a body sinks in before the run."""
DEFAULTS: dict[str, Any] = {"solver": "sap", "tolerance": 1e-3, "depth": 1e-5, "accuracy": 1e-6}


def solve(problem: Problem, setting: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Simulate a problem."""
    if problem.body.kind not in ("block", "flat", "rigid"):
        raise Cannot(f"{problem.body.kind}s: chains of bodies and deformable solids were not tried")
    if problem.ground is not None and problem.ground.mu.names:
        raise Cannot("friction that falls with speed")
    given = DEFAULTS | setting
    flat = problem.body.kind != "rigid"
    count, dt = steps(problem, given["dt"])
    times = dt * np.arange(problem.time.count * count + 1)
    motion = common.ground_motion(problem, times)
    force = common.forces(problem, times + 0.5 * dt, 3)
    if problem.springs:
        force[:, :2] -= common.stiffness(problem) * motion[0]
    if flat:
        force[:, 2] -= problem.ground.normal_force
    runs = [_prepared(problem, given, dt, force, flat) for _ in range(2)]

    def run() -> list[Any]:
        simulator, read = runs.pop()
        rows = [read()]
        for t in problem.time.samples[1:]:
            simulator.AdvanceTo(t)
            rows.append(read())
        return rows

    spent, rows = measured(run)
    names = (
        *(f"q{axis}" for axis in "wxyz"),
        "x",
        "y",
        "z",
        "spin_x",
        "spin_y",
        "spin_z",
        "vx",
        "vy",
        "vz",
        "force_front",
    )
    signals: dict[str, Any] = dict(zip(names, np.array(rows).T, strict=True))
    for k, axis in enumerate("xy"):
        signals[axis] = signals[axis] + motion[0][::count, k]
        signals[f"v{axis}"] = signals[f"v{axis}"] + motion[1][::count, k]
    if flat:
        turned = 2.0 * np.arctan2(signals["qz"], signals["qw"])
        signals |= {"angle": np.unwrap(turned), "spin": signals["spin_z"]}
    return signals, spent


def _diagram(problem: Problem, given: dict[str, Any], dt: float, force: Any) -> tuple[Any, Any, Any]:
    """Simulator, plant and body."""
    builder = DiagramBuilder()
    continuous = given["solver"] == "runge-kutta"
    config = MultibodyPlantConfig(
        time_step=0.0 if continuous else dt,
        contact_model="point",
        discrete_contact_approximation="sap" if continuous else given["solver"],
        stiction_tolerance=given["tolerance"],
        penetration_allowance=given["depth"],
    )
    plant, _ = AddMultibodyPlant(config, builder)
    flat = problem.body.kind != "rigid"
    gravity = np.zeros(3) if flat else np.asarray(problem.gravity or (0.0, 0.0, 0.0))
    plant.mutable_gravity_field().set_gravity_vector(gravity)
    mass = problem.body.mass
    inertia = UnitInertia(*(common.moments(problem) / mass))
    body = plant.AddRigidBody("body", SpatialInertia(mass, np.zeros(3), inertia))
    if problem.ground is not None:
        rough, mu = ProximityProperties(), float(problem.ground.mu(speed=0.0))
        AddContactMaterial(friction=CoulombFriction(mu, mu), dissipation=10.0, properties=rough)
        rough.AddProperty("material", "relaxation_time", dt)  # of sap, which lifts a sliding body by mu v times it
        plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", rough)
        points, radius = common.solid_feet(problem, FOOT)
        for k, point in enumerate(points):
            place = RigidTransform(np.add(point, [0.0, 0.0, radius]))
            plant.RegisterCollisionGeometry(body, place, Sphere(radius), f"foot{k}", rough)
    for spring in problem.springs:
        stiffness = [spring.stiffness, spring.stiffness, 0.0]
        plant.AddForceElement(
            LinearBushingRollPitchYaw(
                plant.world_frame(), body.body_frame(), np.zeros(3), np.zeros(3), stiffness, np.zeros(3)
            )
        )
    plant.Finalize()
    wrench = np.vstack([np.zeros((3, len(force))), force.T])
    course = PiecewisePolynomial.ZeroOrderHold(dt * np.arange(len(force)), wrench)
    source = builder.AddSystem(TrajectorySource(course))
    builder.Connect(source.get_output_port(), plant.get_applied_generalized_force_input_port())
    simulator = Simulator(builder.Build())
    if continuous:
        ResetIntegratorFromFlags(simulator, "runge_kutta3", dt)
        simulator.get_mutable_integrator().set_target_accuracy(given["accuracy"])
    return simulator, plant, body


def _prepared(problem: Problem, given: dict[str, Any], dt: float, force: Any, flat: bool) -> tuple[Any, Any]:
    """A simulator at t = 0, and what reads its state."""
    initial, body = problem.initial, problem.body
    place = common.vector(initial.position, 3)
    if flat or initial.position is None:
        place[2] = common.standing_height(problem)
    if problem.ground is not None and common.without_falling(problem):
        place[2] = _settled(problem, given, force, place[2])
    simulator, plant, solid = _diagram(problem, given, dt, force)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.SetFreeBodyPose(context, solid, RigidTransform(place))
    velocity = common.vector(initial.velocity, 3)
    velocity[:2] -= common.ground_motion(problem, dt * np.arange(2))[1][0]
    spin = common.vector(initial.spin, 3) if not flat else np.array([0.0, 0.0, float(initial.spin or 0.0)])
    plant.SetVelocities(context, np.concatenate([spin, velocity]))
    simulator.Initialize()
    results = plant.get_contact_results_output_port()

    def read() -> list[float]:
        now = plant.GetMyContextFromRoot(simulator.get_context())
        state = [*plant.GetPositions(now), *plant.GetVelocities(now)]
        largest = 0.0
        if not flat and body.feet:
            contacts = results.Eval(now)
            forces = [
                contacts.point_pair_contact_info(k).contact_force() for k in range(contacts.num_point_pair_contacts())
            ]
            largest = max((abs(float(force[2])) for force in forces), default=0.0)
        return [*state, largest]

    return simulator, read


def _settled(problem: Problem, given: dict[str, Any], force: Any, height: float) -> float:
    """Height of the centre of mass, m, at which it stands."""
    down = np.zeros((2, 3))
    down[:, 2] = force[0, 2]
    still, plant, body = _diagram(problem, given, 1e-3, down)
    gravity = plant.gravity_field().gravity_vector() * [0.0, 0.0, 1.0]
    plant.mutable_gravity_field().set_gravity_vector(gravity)
    context = plant.GetMyMutableContextFromRoot(still.get_mutable_context())
    plant.SetFreeBodyPose(context, body, RigidTransform([0.0, 0.0, height]))
    still.AdvanceTo(SETTLING)
    return float(plant.EvalBodyPoseInWorld(plant.GetMyContextFromRoot(still.get_context()), body).translation()[2])
