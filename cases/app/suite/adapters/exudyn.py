"""Exudyn in the suite: blocks and bars as masses with one coordinate and friction with bristles, and the free top.

Settings: `dt`, `integrator` (generalized-alpha, trapezoidal, rk44, dopri5), `sticking` (stiffness of a bristle over the
friction force, 1/m), `damping` (over its critical damping), `zone` (speed below which friction is proportional to the slip,
m/s: regularised instead of bristles). A moving ground is at rest in its own axes. A block moves along a straight line."""

from __future__ import annotations

from typing import Any, NamedTuple

import exudyn as exu
import exudyn.itemInterface as items
import numpy as np

from cases.app.suite.adapter import Cannot, measured, steps
from cases.app.suite.adapters import _common as common
from cases.app.suite.schema import Problem

NAME = "exudyn"
NEEDS = "exudyn"
DEFAULTS = {"integrator": "generalized-alpha", "sticking": 1e6, "damping": 0.5, "zone": 0.0, "stop": 1e6}
EXPLICIT = {"rk44": "RK44", "dopri5": "DOPRI5"}
SOLVERS = EXPLICIT | {"generalized-alpha": "GeneralizedAlpha", "trapezoidal": "TrapezoidalIndex2"}


def solve(problem: Problem, setting: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Simulate a problem."""
    march = {"block": _block, "bar": _bar, "rigid": _top}.get(problem.body.kind)
    if march is None or (problem.body.kind == "rigid" and problem.ground is not None):
        raise Cannot("friction of an area, and contact in space: its general contact was not tried")
    if problem.ground is not None and problem.ground.mu.names:
        raise Cannot("friction that falls as 1/(1 + v)")
    return march(problem, DEFAULTS | setting)


def _simulated(system: Any, given: dict[str, Any], end: float, count: int) -> None:
    options = exu.SimulationSettings()
    options.timeIntegration.numberOfSteps, options.timeIntegration.endTime = count, end
    options.timeIntegration.verboseMode, options.solution.file.write = 0, False
    options.solution.sensors.writePeriod = 1e-12
    options.timeIntegration.generalizedAlpha.spectralRadius = given.get("radius", 0.8)
    system.SolveDynamic(options, solverType=getattr(exu.DynamicSolverType, SOLVERS[given["integrator"]]))


class _Chain(NamedTuple):
    """Masses kg with friction ``bounds`` N to the ground, a ``spring`` N/m between neighbours; ``load``: (node, function)."""

    masses: Any
    bounds: Any
    spring: float
    places: Any
    speeds: Any
    load: Any
    floor: bool


def _to_ground(given: dict[str, Any], mass: float, bound: float, stops: bool) -> dict[str, Any]:
    """Friction of a mass by bristles or in a zone, and the floor under it."""
    options: dict[str, Any] = {}
    if bound > 0.0:
        options = {"dynamicFrictionForce": bound, "frictionProportionalZone": given["zone"]}
        if not given["zone"]:
            options["stickingStiffness"] = given["sticking"] * bound
            options["stickingDamping"] = 2 * given["damping"] * np.sqrt(given["sticking"] * bound * mass)
    if stops:
        options |= {"useLimitStops": True, "limitStopsLower": 0.0, "limitStopsUpper": 1e6}
        options["limitStopsStiffness"] = given["stop"]
    return options


def _built(problem: Problem, given: dict[str, Any], chain: _Chain) -> tuple[Any, Any, list[int]]:
    """Container, system and nodes of a chain."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = system.AddNode(items.NodePointGround())
    base = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    markers, nodes = [], []
    for k, (mass, bound) in enumerate(zip(chain.masses, chain.bounds, strict=True)):
        state = {"initialCoordinates": [chain.places[k]], "initialVelocities": [chain.speeds[k]]}
        nodes.append(system.AddNode(items.Node1D(referenceCoordinates=[0.0], **state)))
        system.AddObject(items.ObjectMass1D(nodeNumber=nodes[k], mass=mass))
        markers.append(system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[k], coordinate=0)))
        friction = _to_ground(given, mass, bound, chain.floor and k == 0)
        if friction:
            memory = items.NodeGenericData(initialCoordinates=[1.0, chain.places[k], 0.0], numberOfDataCoordinates=3)
            friction["nodeNumber"] = system.AddNode(memory)
        tie = {"markerNumbers": [base, markers[k]], "stiffness": common.stiffness(problem)}
        system.AddObject(items.ObjectConnectorCoordinateSpringDamperExt(**tie, **friction))
    for k in range(len(markers) - 1):
        pair = {"markerNumbers": markers[k : k + 2], "stiffness": chain.spring}
        system.AddObject(items.ObjectConnectorCoordinateSpringDamper(**pair))
    for node, function in chain.load:
        system.AddLoad(items.LoadCoordinate(markerNumber=markers[node], load=1.0, loadUserFunction=function))
    system.Assemble()
    return container, system, nodes


def _watched(system: Any, nodes: list[int]) -> list[tuple[int, int]]:
    """Sensors of coordinate and velocity of some nodes."""
    kinds = exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t
    return [
        tuple(
            system.AddSensor(
                items.SensorNode(nodeNumber=node, storeInternal=True, writeToFile=False, outputVariableType=kind)
            )
            for kind in kinds
        )
        for node in nodes
    ]


def _block(problem: Problem, given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A block along the line of its first place or of its load."""
    initial, ground = problem.initial, problem.ground
    count, dt = steps(problem, given["dt"])
    place = common.vector(initial.position, 2)
    direction = place / np.linalg.norm(place) if np.any(place) else np.array([1.0, 0.0])
    times = dt * np.arange(problem.time.count * count + 1)
    shift, speed = common.ground_motion(problem, times)
    force = common.forces(problem, times) @ direction
    bound = float(ground.mu(speed=0.0)) * ground.normal_force
    pull = force - common.stiffness(problem) * (shift @ direction)

    def load(system: Any, t: float, value: float) -> float:
        return float(np.interp(t, times, pull))

    def run() -> Any:
        begun = (common.vector(initial.velocity, 2) - speed[0]) @ direction
        loads = [(0, load)] if np.any(pull) else []
        chain = _Chain([problem.body.mass], [bound], 0.0, [float(place @ direction)], [float(begun)], loads, False)
        _container, system, nodes = _built(problem, given, chain)
        sensors = _watched(system, nodes)
        system.Assemble()
        _simulated(system, given, problem.time.end, len(times) - 1)
        return [system.GetSensorStoredData(sensor)[:, 1] for sensor in sensors[0]]

    spent, (x, v) = measured(run)
    if len(x) != len(times):
        raise ValueError("the solver ended early")
    x, v = x[::count, None] * direction, v[::count, None] * direction
    x, v = x + shift[::count], v + speed[::count]
    return {"x": x[:, 0], "y": x[:, 1], "vx": v[:, 0], "vy": v[:, 1]}, spent


def _bar(problem: Problem, given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A bar as a chain of masses and springs."""
    body, initial, n = problem.body, problem.initial, given["nx"]
    axis = "xy".index(body.axis)
    count, _ = steps(problem, given["dt"])
    shares = np.full(n + 1, 1.0 / n)
    shares[[0, -1]] *= 0.5
    mass = body.density * body.area * body.length
    bound = float(problem.ground.mu(speed=0.0)) * (problem.ground.normal_force or 0.0)
    places = body.length * (np.arange(n + 1) / n - 0.5)
    start = initial.position[1] - 0.5 * body.length if axis else 0.0
    speed = common.vector(initial.velocity, 2)[axis]
    ends, spring = {"left": 0, "right": n}, body.young * body.area / body.length * n

    def function(part: Any) -> Any:
        return lambda system, t, value: float(part(t=t))

    loads = [(ends[load.on], function(load.force[axis])) for load in problem.loads]
    nodes = {name: int(np.argmin(np.abs(places - place[axis]))) for name, place in problem.probes.items()}

    def run() -> Any:
        starts = np.full(n + 1, start), np.full(n + 1, speed)
        chain = _Chain(mass * shares, bound * shares, spring, *starts, loads, bool(axis))
        _container, system, points = _built(problem, given, chain)
        sensors = _watched(system, points)
        system.Assemble()
        _simulated(system, given, problem.time.end, problem.time.count * count)
        return [np.array([system.GetSensorStoredData(pair[k])[::count, 1] for pair in sensors]) for k in (0, 1)]

    spent, (q, v) = measured(run)
    energy = 0.5 * mass * shares @ v**2 + 0.5 * spring * (np.diff(q, axis=0) ** 2).sum(axis=0)
    signals = {"x": shares @ q + 0.5 * body.length * axis, "v": shares @ v, "energy": energy}
    if axis:
        signals["force"] = given["stop"] * np.maximum(-q[0], 0.0)
    return signals | {f"{'uw'[axis]}_{name}": q[k] for name, k in nodes.items()}, spent


def _top(problem: Problem, given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A free body on Euler parameters, or on a rotation vector by Lie-group steps."""
    from exudyn.rigidBodyUtilities import RigidBodyInertia

    body, initial = problem.body, problem.initial
    count, _ = steps(problem, given["dt"])

    def run() -> Any:
        container = exu.SystemContainer()
        system = container.AddSystem()
        inertia = RigidBodyInertia(body.mass, np.diag(body.inertia))
        made = system.CreateRigidBody(
            inertia=inertia,
            referencePosition=list(initial.position),
            initialAngularVelocity=list(initial.spin),
            initialVelocity=list(common.vector(initial.velocity, 3)),
            nodeType=exu.NodeType.RotationRotationVector
            if given["integrator"] in EXPLICIT
            else exu.NodeType.RotationEulerParameters,
        )
        kinds = ("Position", "Velocity", "RotationMatrix", "AngularVelocity")
        sensors = [
            system.AddSensor(
                items.SensorBody(
                    bodyNumber=made,
                    storeInternal=True,
                    writeToFile=False,
                    outputVariableType=getattr(exu.OutputVariableType, kind),
                )
            )
            for kind in kinds
        ]
        system.Assemble()
        _simulated(system, given, problem.time.end, problem.time.count * count)
        return [system.GetSensorStoredData(sensor)[::count, 1:] for sensor in sensors]

    spent, (x, v, turn, spin) = measured(run)
    from scipy.spatial.transform import Rotation

    quaternion = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_quat()
    signals: dict[str, Any] = {}
    for name, values in (("", x), ("v", v), ("spin_", spin)):
        signals |= {name + axis: values[:, k] for k, axis in enumerate("xyz")}
    return signals | {f"q{axis}": quaternion[:, k] for k, axis in enumerate("xyzw")}, spent
