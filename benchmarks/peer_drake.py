"""Jobs A and B of the work-precision page in Drake: [setting, step, CPU time, values] of each run as JSON. Needs the wheel drake.

python benchmarks/peer_drake.py < JSON of the job and its numbers (`peers.TASKS`).

Bodies stand on spheres of 1 mm, four under the block, 6 x 18 of equal areas under the disc, whose lowest points lie in the plane
of the centre of mass, so that friction does not tip them. They settle before the run. It is stepped in C++.
"""

import json
import sys
import time

import numpy as np

try:
    from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
    from pydrake.multibody.tree import SpatialInertia, UnitInertia
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder
    from pydrake.systems.primitives import LogVectorOutput, Sine
except ImportError:
    sys.exit("drake is not installed: left out (pip install drake, or --peers PYTHON of an environment that has it)")

RADIUS = 1e-3
SETTINGS = [("tamsi", 1e-3), ("tamsi", 1e-5), ("tamsi", 1e-7), ("sap", 1e-3), ("similar", 1e-6), ("lagged", 1e-6)]
"""Discrete contact approximations and their stiction tolerances, m/s; sap has one of its own."""


def diagram(job: dict, dt: float, solver: str, tolerance: float, amplitude: float):
    """Return simulator, plant, body and log of a body on its spheres under the force amplitude cos t along x."""
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(
        time_step=dt,
        contact_model="point",
        discrete_contact_approximation=solver,
        stiction_tolerance=tolerance,
        penetration_allowance=1e-5,
    )
    plant, _ = AddMultibodyPlant(config, builder)
    rough = ProximityProperties()
    AddContactMaterial(friction=CoulombFriction(job["mu"], job["mu"]), dissipation=10.0, properties=rough)
    rough.AddProperty("material", "relaxation_time", dt)  # of sap, which lifts a sliding body by mu v times it
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", rough)
    x, y, z = job["gyration"]
    inertia = SpatialInertia(job["mass"], np.zeros(3), UnitInertia(x, y, z))
    body = plant.AddRigidBody("body", inertia)
    for k, (a, b) in enumerate(job["points"]):
        plant.RegisterCollisionGeometry(body, RigidTransform([a, b, RADIUS]), Sphere(RADIUS), f"foot{k}", rough)
    plant.Finalize()
    force = builder.AddSystem(
        Sine(np.array([0.0, 0.0, 0.0, amplitude, 0.0, 0.0]), np.ones(6), np.full(6, np.pi / 2 + dt / 2))
    )
    builder.Connect(force.get_output_port(0), plant.get_applied_generalized_force_input_port())
    log = LogVectorOutput(plant.get_state_output_port(), builder, publish_period=job["every"])
    return Simulator(builder.Build()), plant, body, log


def run(job: dict, dt: float, solver: str, tolerance: float) -> tuple[float, list[float]]:
    """Return the CPU time of a run, s, and what is asked for: x at the stored instants, or distance and angle at the end."""
    settled, plant, body, _ = diagram(job, 1e-3, solver, tolerance, 0.0)
    settled.AdvanceTo(0.5)
    depth = plant.EvalBodyPoseInWorld(plant.GetMyContextFromRoot(settled.get_context()), body).translation()[2]
    simulator, plant, body, log = diagram(job, dt, solver, tolerance, job["force"])
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.SetFreeBodyPose(context, body, RigidTransform([0.0, 0.0, depth]))
    v, w = job["velocity"], job["spin"]
    plant.SetPositionsAndVelocities(context, np.concatenate([plant.GetPositions(context), [0, 0, w, v, 0, 0]]))
    simulator.Initialize()
    start = time.process_time()
    simulator.AdvanceTo(job["t_end"])
    spent = time.process_time() - start
    found = log.FindLog(simulator.get_context())
    q = found.data()
    if job["job"] == "A":
        return spent, q[4, 1:].tolist()
    angle = np.unwrap(2 * np.arctan2(q[3], q[0]))
    return spent, [float(q[4, -1]), float(angle[-1] - angle[0])]


def main() -> None:
    """Read the job, run it with each setting and print what came."""
    job, rows = json.load(sys.stdin), []
    if job["job"] not in ("A", "B"):
        sys.exit(f"drake has no plate that deforms in its plane: job {job['job']} left out")
    for solver, tolerance in SETTINGS:
        for dt in job["steps"]:
            spent = []
            try:
                while len(spent) < job["repeats"] and sum(spent) < job["long"]:
                    seconds, values = run(job, dt, solver, tolerance)
                    spent.append(seconds)
            except RuntimeError as failure:
                print(f"{solver} {tolerance:g}, {dt:g}: left out, {str(failure)[:100]}", file=sys.stderr)
                continue
            setting = "sap" if solver == "sap" else f"{solver}, v_s {tolerance:g} m/s"
            rows.append([setting, dt, min(spent), values])
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
