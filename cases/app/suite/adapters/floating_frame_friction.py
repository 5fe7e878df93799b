"""This code in the suite: its objects from a problem's tables, and signals from its trajectories.

Settings: `scheme`, `dt` (largest step) or `error_tolerance`, and for some kinds of bodies `rings`, `spokes`, `nx`, `ny`,
`elements`. Default: `moreau-theta` where bodies in the plane touch the ground by contact, else `sdirk2`, with the step between
samples and the mesh of `MESH`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

import fem
import floating_frame as ff
from cases.app.suite.adapter import Cannot, measured, steps
from cases.app.suite.schema import Problem
from friction import CoefficientSpline, Coulomb, Foundation

NAME = "floating-frame-friction"
POISSON_OF_A_BAR = 0.0
MESH = {"bar": {"nx": 100}, "plate": {"nx": 32, "ny": 16}, "beam": {"nx": 20}}
"""Elements where the setting says nothing."""


def solve(problem: Problem, setting: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Simulate a problem and return its signals and CPU time."""
    build, read = KINDS[problem.body.kind]
    setting = MESH.get(problem.body.kind, {}) | setting
    model = ff.assemble(build(problem, setting), _options(problem, setting))
    spent, data = measured(lambda: ff.simulate(model))
    given = _sampled(problem, data.time.values, read(problem, data))
    given["painleve"] = float(any(warning.name == "painleve" for warning in ff.run_warnings(data)))
    return given, spent


def _sampled(problem: Problem, times: np.ndarray, given: dict[str, Any]) -> dict[str, Any]:
    """Signals at the samples; explicit steps, which may be shorter than asked for, are stored beside them."""
    samples = problem.time.samples
    if len(times) == len(samples) and np.allclose(times, samples, rtol=0.0, atol=1e-9 * samples[-1]):
        return given
    return {name: np.interp(samples, times, values) for name, values in given.items()}


def _options(problem: Problem, setting: dict[str, Any]) -> ff.Options:
    touches = problem.ground is not None and problem.ground.normal_force is None and problem.body.kind != "rigid"
    scheme = setting.get("scheme", "moreau-theta" if touches else "sdirk2")
    if "error_tolerance" in setting:
        return ff.Options(problem.time.every, scheme, error_tolerance=setting["error_tolerance"])
    count, dt = steps(problem, setting["dt"])
    return ff.Options(dt, scheme, output_every=count)


def _history(part: Any, jumps: tuple[float, ...]) -> ff.Function:
    return ff.Function(lambda t: float(part(t=float(t))), jumps)


def _body_forces(problem: Problem, mass: float) -> tuple[ff.BodyForce, ...]:
    """Loads on the whole body, component by component."""
    loads = []
    for load in problem.loads:
        if load.on != "body" or load.force is None:
            raise Cannot(f"loads on {load.on} of a {problem.body.kind}")
        for axis, part in enumerate(load.force[:2]):
            loads.append(ff.BodyForce(np.eye(2)[axis] / mass, _history(part, load.jumps)))
    return tuple(loads)


def _law(problem: Problem) -> tuple[Any, float]:
    """The friction law and its coefficient at rest."""
    mu = problem.ground.mu
    rest = float(mu(speed=0.0))
    if not mu.names:
        return Coulomb(), rest
    speeds = np.concatenate([[0.0], np.geomspace(1e-6, 1e2, 400)])
    return CoefficientSpline(speeds.tolist(), (mu(speed=speeds) / rest).tolist()), rest


def _foundation(problem: Problem, area: float) -> Foundation | None:
    ground = problem.ground
    if ground is None or ground.normal_force is None:
        return None
    law, mu = _law(problem)
    moves = ground.velocity
    velocity = (0.0, 0.0) if moves is None else lambda t: [float(part(t=float(t))) for part in moves]
    return Foundation(law=law, mu=mu, pressure=ground.normal_force / area, ground_velocity=velocity)


def _lumps(mass: float, inertia: float, further: np.ndarray, rule: Any = None) -> ff.RigidBody:
    """A rigid body of four masses at the radius of gyration, and ``further`` points (n, 2) without mass."""
    radius = np.sqrt(inertia / mass)
    X = np.vstack([radius * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]]), further])
    masses = np.concatenate([np.full(4, mass / 4.0), np.zeros(len(further))])
    cells = np.array([[0, 1, 2, 3]], np.int32)
    return ff.RigidBody(
        X, np.full(len(X), 1.0 / len(X)), scipy.sparse.diags_array(masses).tocsr(), cells, {}, rule=rule
    )


def _flight(problem: Problem, data: Any) -> dict[str, Any]:
    """Signals of a rigid body in the plane."""
    place = data.frame_position.values + np.asarray(problem.initial.position or (0.0, 0.0))
    velocity = data.frame_velocity.values
    return {
        **{"x": place[:, 0], "y": place[:, 1], "angle": data.frame_angle.values},
        **{"vx": velocity[:, 0], "vy": velocity[:, 1], "spin": data.frame_spin.values},
    }


def _block(problem: Problem, setting: dict[str, Any]) -> ff.Problem:
    mass, start = problem.body.mass, problem.initial
    origin = np.asarray(start.position or (0.0, 0.0))
    return ff.Problem(
        body=_lumps(mass, 0.01 * mass, np.zeros((0, 2))),
        t_end=problem.time.end,
        foundation=_foundation(problem, 1.0),
        loads=_body_forces(problem, mass),
        effects=tuple(ff.Spring((0.0, 0.0), to=tuple(-origin), stiffness=one.stiffness) for one in problem.springs),
        initial=ff.InitialState(velocity=start.velocity or (0.0, 0.0)),
    )


def _block_signals(problem: Problem, data: Any) -> dict[str, Any]:
    signals = _flight(problem, data)
    return {name: signals[name] for name in ("x", "y", "vx", "vy")}


def _flat(problem: Problem, setting: dict[str, Any]) -> ff.Problem:
    """A round body on points of a polar rule: two Gauss points across each ring."""
    body, start = problem.body, problem.initial
    nr, nt = setting.get("rings", 24), setting.get("spokes", 48)
    width = (body.radius - body.inner_radius) / nr
    near = 0.5 - 0.5 / np.sqrt(3.0)
    r = body.inner_radius + width * (np.arange(nr)[:, None] + [near, 1.0 - near]).ravel()
    weights = np.repeat(0.5 * width * r * 2.0 * np.pi / nt, nt)
    if width == 0.0:
        r, weights = np.array([body.radius]), np.full(nt, 1.0 / nt)
    angle = 2.0 * np.pi * (np.arange(nt) + 0.5) / nt
    points = np.stack([np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle))], axis=-1).reshape(-1, 2)
    rule = fem.area_rule.AreaRule(points, weights, np.arange(len(points), dtype=np.int32)[None])
    return ff.Problem(
        body=_lumps(body.mass, body.inertia, np.zeros((0, 2)), rule),
        t_end=problem.time.end,
        foundation=_foundation(problem, float(weights.sum())),
        loads=_body_forces(problem, body.mass),
        initial=ff.InitialState(velocity=start.velocity or (0.0, 0.0), spin=float(start.spin or 0.0)),
    )


def _profile(problem: Problem, setting: dict[str, Any]) -> ff.Problem:
    """A rigid body in the vertical plane above the ground."""
    body, start, ground = problem.body, problem.initial, problem.ground
    law, mu = _law(problem)
    contact = ff.Contact(
        obstacle=ff.Line((0.0, -start.position[1]), (0.0, 1.0)),
        nodes=range(4, 4 + len(body.points)),
        normal=ff.Signorini(ground.restitution, ground.restitution_law),
        law=law,
        mu=mu,
    )
    weight = (ff.BodyForce(problem.gravity),) if problem.gravity and any(problem.gravity) else ()
    return ff.Problem(
        body=_lumps(body.mass, body.inertia, np.array(body.points)),
        t_end=problem.time.end,
        loads=(*_body_forces(problem, body.mass), *weight),
        contacts=(contact,),
        initial=ff.InitialState(velocity=start.velocity or (0.0, 0.0), spin=float(start.spin or 0.0)),
    )


def _rigid(problem: Problem, setting: dict[str, Any]) -> ff.Problem:
    """A rigid body in space: gravity across the ground is the solver's, along it a force."""
    body, start = problem.body, problem.initial
    gravity = np.asarray(problem.gravity or (0.0, 0.0, 0.0))
    loads = [ff.SpaceForce(force=(body.mass * gravity[0], body.mass * gravity[1], 0.0))] if any(gravity[:2]) else []
    for load in problem.loads:
        for axis, part in enumerate(load.force):
            loads.append(ff.SpaceForce(force=np.eye(3)[axis], history=_history(part, load.jumps)))
    shape = ff.Ball(body.ball) if body.ball else ff.Feet(np.reshape(body.feet, (-1, 3)))
    if body.base is not None:
        shape = _base(body.base, body.height, setting.get("rings", 20), setting.get("spokes", 40))
    mu = float(problem.ground.mu(speed=0.0)) if problem.ground else 0.0
    return ff.Problem(
        body=ff.RigidSolid(mass=body.mass, inertia=body.inertia, shape=shape),
        t_end=problem.time.end,
        contacts=(ff.Contact(mu=mu),),
        gravity=-gravity[2],
        loads=tuple(loads),
        initial=ff.InitialState(
            position=start.position,
            velocity=start.velocity or (0.0, 0.0, 0.0),
            spin=start.spin or (0.0, 0.0, 0.0),
        ),
    )


def _base(radius: float, height: float, nr: int, nt: int) -> ff.Base:
    near = 0.5 - 0.5 / np.sqrt(3.0)
    r = radius / nr * (np.arange(nr)[:, None] + [near, 1.0 - near]).ravel()
    angle = 2.0 * np.pi * (np.arange(nt) + 0.5) / nt
    points = np.stack([np.outer(r, np.cos(angle)).ravel(), np.outer(r, np.sin(angle)).ravel()], axis=1)
    return ff.Base(np.column_stack([points, np.full(len(points), -height)]), np.repeat(r, nt))


def _rigid_signals(problem: Problem, data: Any) -> dict[str, Any]:
    parts = {"": data.frame_position, "v": data.frame_velocity, "spin_": data.frame_spin}
    signals = {name + axis: part.values[:, k] for name, part in parts.items() for k, axis in enumerate("xyz")}
    signals |= {f"q{axis}": data.frame_rotation.values[:, k] for k, axis in enumerate("wxyz")}
    if len(problem.body.feet):
        signals["force_front"] = data.normal_force.values.max(axis=1)
    return signals


def _bar(problem: Problem, setting: dict[str, Any]) -> ff.Problem:
    """A bar as a row of Q1 cells without lateral contraction."""
    body, start, side = problem.body, problem.initial, np.sqrt(problem.body.area)
    along = body.axis == "x"
    length, width = (body.length, side) if along else (side, body.length)
    nx, ny = (setting["nx"], 1) if along else (1, setting["nx"])
    material = fem.SmallStrain(E=body.young, nu=POISSON_OF_A_BAR)
    plate = fem.Plate.build(
        fem.rectangle(length, width, nx, ny, "quadrilateral"),
        thickness=side,
        density=body.density,
        material=material,
        element="Q1",
    )
    floor: tuple[ff.Contact, ...] = ()
    if not along:
        line = ff.Line((0.0, -start.position[1]), (0.0, 1.0))
        floor = (ff.Contact(obstacle=line, edge="bottom", normal=ff.Signorini(), integration="nodes"),)
    return ff.Problem(
        body=plate,
        t_end=problem.time.end,
        foundation=_foundation(problem, plate.area),
        loads=_edge_loads(problem),
        contacts=floor,
        initial=ff.InitialState(velocity=start.velocity or (0.0, 0.0)),
    )


def _edge_loads(problem: Problem) -> tuple[Any, ...]:
    loads: list[Any] = []
    mass = problem.body.density * (problem.body.length or 0.0) * getattr(problem.body, "area", 0.0)
    for load in problem.loads:
        if load.torque is not None:
            loads.append(ff.TangentialTraction(load.on, 1.0, _history(load.torque, load.jumps)))
        for axis, part in enumerate(load.force or ()):
            history, unit = _history(part, load.jumps), np.eye(2)[axis]
            loads.append(
                ff.BodyForce(unit / mass, history) if load.on == "body" else ff.EdgeLoad(load.on, unit, history)
            )
    return tuple(loads)


def _probed(problem: Problem, data: Any) -> dict[str, Any]:
    """Displacements of the nodes nearest to the probes, means of those that are equally near."""
    signals: dict[str, Any] = {}
    X = data.X.values
    for name, place in problem.probes.items():
        distance = np.hypot(*(X - np.asarray(place)).T)
        near = distance <= distance.min() * (1.0 + 1e-9) + 1e-12
        shift = (data.position.values[:, near] - X[near]).mean(axis=1)
        signals |= {f"u_{name}": shift[:, 0], f"w_{name}": shift[:, 1]}
    return signals


def _elastic_energy(data: Any) -> Any:
    return (data.energy_kinetic + data.energy_strain).values


def _bar_signals(problem: Problem, data: Any) -> dict[str, Any]:
    axis = "xy".index(problem.body.axis)
    start = np.asarray(problem.initial.position or (0.0, 0.0))
    mass = problem.body.density * problem.body.area * problem.body.length
    signals = {
        "x": data.frame_position.values[:, axis] + start[axis],
        "v": data.linear_momentum.values[:, axis] / mass,
        "energy": _elastic_energy(data),
    }
    if "contact_force" in data:
        signals["force"] = data.contact_force.values[:, axis]
    return signals | _probed(problem, data)


def _plate(problem: Problem, setting: dict[str, Any]) -> ff.Problem:
    body, start = problem.body, problem.initial
    cell = "triangle" if setting.get("elements", "Q1").startswith("P") else "quadrilateral"
    if body.inner_radius is not None:
        mesh = fem.annulus(body.inner_radius, body.outer_radius, setting["nx"], setting["ny"], cell)
    else:
        mesh = fem.rectangle(body.length, body.width, setting["nx"], setting["ny"], cell)
    plate = fem.Plate.build(
        mesh,
        thickness=body.thickness,
        density=body.density,
        material=fem.MATERIALS[body.material](E=body.young, nu=body.poisson, plane=body.plane),
        element=setting.get("elements", "Q1"),
    )
    u = np.column_stack([start.stretch * plate.X[:, 0], np.zeros(len(plate.X))])
    return ff.Problem(
        body=plate,
        t_end=problem.time.end,
        foundation=_foundation(problem, plate.area),
        loads=_body_forces(problem, plate.mass) if _on_body(problem) else _edge_loads(problem),
        contacts=_walls(problem),
        initial=ff.InitialState(
            velocity=start.velocity or (0.0, 0.0),
            spin=float(start.spin or 0.0),
            displacement=u if start.stretch else None,
        ),
    )


def _on_body(problem: Problem) -> bool:
    return all(load.on == "body" for load in problem.loads)


def _walls(problem: Problem) -> tuple[ff.Contact, ...]:
    """The ground under the edge bottom, and smooth walls along the edges that glide, of a plate in the vertical plane."""
    body, ground = problem.body, problem.ground
    if ground is None or ground.normal_force is not None:
        return ()
    law, mu = _law(problem)
    normals = {"left": (1.0, 0.0), "right": (-1.0, 0.0), "bottom": (0.0, 1.0), "top": (0.0, -1.0)}
    loads = []
    for edge, coefficient in (("bottom", mu), *((edge, 0.0) for edge in ground.smooth)):
        point = -0.5 * np.array([body.length, body.width]) * normals[edge]
        line = ff.Line(tuple(point), normals[edge])
        loads.append(
            ff.Contact(obstacle=line, edge=edge, normal=ff.Signorini(), law=law, mu=coefficient, integration="nodes")
        )
    return tuple(loads)


def _plate_signals(problem: Problem, data: Any) -> dict[str, Any]:
    size = np.linalg.norm(data.displacement.values, axis=2).max(axis=1)
    further = {"angular_momentum": data.angular_momentum.values, "strain": size, "energy": _elastic_energy(data)}
    flight = _flight(problem, data)
    return {name: flight[name] for name in ("x", "y", "angle", "vx", "vy")} | further | _probed(problem, data)


def _beam(problem: Problem, setting: dict[str, Any]) -> ff.Problem:
    body = problem.body
    beam = fem.beam.Beam.build(
        length=body.length,
        width=body.width,
        thickness=body.thickness,
        density=body.density,
        E=body.young,
        ne=setting["nx"],
    )
    loads = []
    for load in problem.loads:
        if load.on != "body" or load.force is None:
            raise Cannot(f"loads on {load.on} of a beam")
        loads.append(ff.LateralLoad(1.0 / body.length, "uniform", _history(load.force[1], load.jumps)))
    return ff.Problem(
        body=beam,
        t_end=problem.time.end,
        foundation=_foundation(problem, body.length * body.width),
        loads=tuple(loads),
        frame=ff.Lateral(support="simply-supported"),
    )


def _beam_signals(problem: Problem, data: Any) -> dict[str, Any]:
    return {"energy": _elastic_energy(data), **_probed(problem, data)}


Reader = Callable[[Problem, Any], dict[str, Any]]
KINDS: dict[str, tuple[Callable[[Problem, dict[str, Any]], Any], Reader]] = {
    "block": (_block, _block_signals),
    "flat": (_flat, _flight),
    "profile": (_profile, _flight),
    "rigid": (_rigid, _rigid_signals),
    "bar": (_bar, _bar_signals),
    "plate": (_plate, _plate_signals),
    "beam": (_beam, _beam_signals),
}
"""By kind of body: its constructor, and the reader of its signals."""
