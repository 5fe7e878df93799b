"""PyBullet in the suite. Settings: `dt`, `iterations`, `cone` (1: friction within a cone), `erp`, `solver` (si, dantzig, pgs).

Bodies are free bodies on small spheres; for bodies that translate or lie flat they are in the plane of their centre of
mass. Standing bodies settle before the run. A moving ground is at rest in its own axes: its acceleration is a force of inertia.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet as bullet

from cases.app.suite.adapter import Cannot, measured, steps
from cases.app.suite.adapters import _common as common
from cases.app.suite.schema import Problem

NAME = "pybullet"
NEEDS = "pybullet"
FOOT, SETTLING = 1e-3, 0.5
"""Radius of feet, m; time, s, for which a body sinks in before the run."""
DEFAULTS: dict[str, Any] = {"iterations": 200, "cone": 1, "erp": 0.2, "solver": "si"}
SOLVERS = {"si": 1, "dantzig": 3, "pgs": 2}


def solve(problem: Problem, setting: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Simulate a problem."""
    kind, ground = problem.body.kind, problem.ground
    if kind not in ("block", "flat", "rigid", "profile"):
        raise Cannot("bodies that deform, with distributed friction")
    given = DEFAULTS | setting
    count, dt = steps(problem, given["dt"])
    times = dt * np.arange(problem.time.count * count + 1)
    offset, speed = common.ground_motion(problem, times)
    force = np.zeros((len(times), 3))
    pulled = common.forces(problem, times + 0.5 * dt, 3 if kind == "rigid" else 2)
    force[:, [0, 2] if kind == "profile" else slice(pulled.shape[1])] = pulled
    force += problem.body.mass * _gravity(problem)
    if ground is not None and ground.normal_force is not None:
        force[:, 2] -= ground.normal_force
    stiffness, falls = common.stiffness(problem), ground is not None and bool(ground.mu.names)

    def run() -> list[Any]:
        client = bullet.connect(bullet.DIRECT)
        try:
            body = _started(problem, given, client, force[0], speed[0], dt)
            rows = [_state(client, body, dt)]
            for step in range(len(times) - 1):
                place, _ = bullet.getBasePositionAndOrientation(body, client)
                pull = force[step]
                if stiffness:
                    pull = pull - stiffness * np.array([place[0] + offset[step, 0], place[1] + offset[step, 1], 0.0])
                bullet.applyExternalForce(body, -1, pull, place, bullet.WORLD_FRAME, client)
                if falls:
                    v = bullet.getBaseVelocity(body, client)[0]
                    mu = float(ground.mu(speed=float(np.hypot(v[0], v[1]))))
                    bullet.changeDynamics(body, -1, lateralFriction=mu, physicsClientId=client)
                bullet.stepSimulation(client)
                if (step + 1) % count == 0:
                    rows.append(_state(client, body, dt))
            return rows
        finally:
            bullet.disconnect(client)

    spent, rows = measured(run)
    names = ("x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "spin_x", "spin_y", "spin_z", "force_front")
    signals: dict[str, Any] = dict(zip(names, np.array(rows).T, strict=True))
    for k, axis in enumerate("xy"):
        signals |= {axis: signals[axis] + offset[::count, k], f"v{axis}": signals[f"v{axis}"] + speed[::count, k]}
    if kind == "flat":
        signals |= {"angle": np.unwrap(2.0 * np.arctan2(signals["qz"], signals["qw"])), "spin": signals["spin_z"]}
    if kind == "profile":
        turned = -np.unwrap(2.0 * np.arctan2(signals["qy"], signals["qw"]))
        signals |= {"y": signals["z"], "vy": signals["vz"], "angle": turned, "spin": -signals["spin_y"]}
    return signals, spent


def _gravity(problem: Problem) -> Any:
    given = problem.gravity or (0.0, 0.0, 0.0)
    return np.array(given if len(given) == 3 else (given[0], 0.0, given[1]))


def _started(problem: Problem, given: dict[str, Any], client: int, force: Any, speed: Any, dt: float) -> int:
    """The body at t = 0."""
    bullet.setPhysicsEngineParameter(
        fixedTimeStep=dt,
        numSolverIterations=given["iterations"],
        enableConeFriction=given["cone"],
        contactERP=given["erp"],
        solverResidualThreshold=0.0,
        constraintSolverType=SOLVERS[given["solver"]],
        physicsClientId=client,
    )
    solid, initial = problem.body, problem.initial
    flat = solid.kind in ("block", "flat")
    dynamics = {"linearDamping": 0.0, "angularDamping": 0.0, "rollingFriction": 0.0, "spinningFriction": 0.0}
    shape = -1
    if problem.ground is not None:
        floor = bullet.createMultiBody(
            0.0, bullet.createCollisionShape(bullet.GEOM_PLANE, physicsClientId=client), physicsClientId=client
        )
        bullet.changeDynamics(floor, -1, lateralFriction=1.0, restitution=1.0, physicsClientId=client)
        feet, radius = common.solid_feet(problem, FOOT)
        shape = bullet.createCollisionShapeArray(
            shapeTypes=[bullet.GEOM_SPHERE] * len(feet),
            radii=[radius] * len(feet),
            collisionFramePositions=[[x, y, z + radius] for x, y, z in feet],
            physicsClientId=client,
        )
        dynamics |= {"lateralFriction": float(problem.ground.mu(speed=0.0)), "restitution": problem.ground.restitution}
    start = common.vector(initial.position, 3)
    if solid.kind == "profile":
        start = np.array([initial.position[0], 0.0, initial.position[1]])
    if flat or initial.position is None:
        start[2] = common.standing_height(problem)
    height = {"basePosition": start, "physicsClientId": client}
    body = bullet.createMultiBody(solid.mass, shape, **height)
    bullet.changeDynamics(body, -1, localInertiaDiagonal=common.moments(problem), physicsClientId=client, **dynamics)
    stands = problem.ground is not None and common.without_falling(problem) and solid.kind != "profile"
    for _ in range(round(SETTLING / dt) if stands else 0):
        place, _ = bullet.getBasePositionAndOrientation(body, client)
        bullet.applyExternalForce(body, -1, [0.0, 0.0, force[2]], place, bullet.WORLD_FRAME, client)
        bullet.stepSimulation(client)
    if stands:
        start[2] = bullet.getBasePositionAndOrientation(body, client)[0][2]
    bullet.resetBasePositionAndOrientation(body, start, [0.0, 0.0, 0.0, 1.0], client)
    velocity = common.vector(initial.velocity, 3)
    velocity = np.array([velocity[0], 0.0, velocity[1]]) if solid.kind == "profile" else velocity
    velocity[:2] -= speed
    spin = common.vector(initial.spin, 3) if solid.kind == "rigid" else np.array([0.0, 0.0, float(initial.spin or 0.0)])
    if solid.kind == "profile":
        spin = np.array([0.0, -float(initial.spin or 0.0), 0.0])
    bullet.resetBaseVelocity(body, velocity, spin, client)
    return int(body)


def _state(client: int, body: int, dt: float) -> list[float]:
    place, turn = bullet.getBasePositionAndOrientation(body, client)
    velocity, spin = bullet.getBaseVelocity(body, client)
    largest = max((point[9] for point in bullet.getContactPoints(body, physicsClientId=client) or ()), default=0.0)
    return [*place, *turn, *velocity, *spin, largest]
