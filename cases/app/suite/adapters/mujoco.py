"""MuJoCo in the suite. Settings: see `_mjcf.DEFAULTS`, and `dt`.

Bodies that translate or lie flat have slides and a hinge, and spheres of a millimetre for feet in the plane of their centre
of mass; what moves in space is a free body. All that stand have settled under their normal force before the run. Ground that
moves is at rest in its own axes: its acceleration is a force of inertia. A bar is a chain of masses, springs and joints with
dry friction. Loads are taken in the middle of a step; steps without loads are taken by one call."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from cases.app.suite.adapter import Cannot, measured, steps
from cases.app.suite.adapters import _common as common
from cases.app.suite.adapters import _mjcf as mjcf
from cases.app.suite.schema import Problem

NAME = "mujoco"
NEEDS = "mujoco"
SETTLING = 0.5
"""Time, s, for which bodies that stand sink in before the run."""
Array = Any
"""Numbers, of any shape."""


def solve(problem: Problem, setting: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Simulate a problem."""
    if problem.body.kind not in KINDS:
        raise Cannot(f"{problem.body.kind}s with distributed friction")
    given = mjcf.DEFAULTS | setting
    return KINDS[problem.body.kind](problem, given)


def _model(text: str) -> Any:
    return mujoco.MjModel.from_xml_string(text)


def _march(problem: Problem, model: Any, start: Any, read: Any, before: Any = None) -> tuple[dict[str, Any], Any]:
    """Step a copy of the state ``start`` through all samples; ``before`` (step, data) sets loads; ``read`` gives a row of
    signals."""
    count = round(problem.time.every / model.opt.timestep)

    def run() -> list[Any]:
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = start.qpos, start.qvel
        if before is not None:
            before(0, data)
        mujoco.mj_forward(model, data)
        rows = [read(data)]
        for sample in range(problem.time.count):
            if before is None:
                mujoco.mj_step(model, data, nstep=count)
            else:
                for step in range(sample * count, (sample + 1) * count):
                    before(step, data)
                    mujoco.mj_step(model, data)
            rows.append(read(data))
        return rows

    spent, rows = measured(run)
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}, spent


def _sliding(problem: Problem, given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A block or a flat body, in the ground's axes."""
    body, initial, ground = problem.body, problem.initial, problem.ground
    turns = body.kind == "flat"
    feet = common.disc_feet(body.radius, body.inner_radius)[:, :2] if turns else np.zeros((1, 2))
    count, dt = steps(problem, given["dt"])
    model = _model(mjcf.sliding(problem, given, dt, feet, turns))
    place, velocity = common.vector(initial.position, 2), common.vector(initial.velocity, 2)
    middles = (np.arange(problem.time.count * count) + 0.5) * dt
    offset, speed = common.ground_motion(problem, dt * np.arange(len(middles) + 1))
    force = common.forces(problem, middles)
    data = mujoco.MjData(model)
    data.qvel[:2] = velocity - speed[0]
    if turns:
        data.qvel[3] = initial.spin
    data.qpos[:2] = place
    data.qfrc_applied[2] = -ground.normal_force
    motion = data.qpos.copy(), data.qvel.copy()
    model.jnt_stiffness[:2], springs = 0.0, model.jnt_stiffness.copy()
    for _ in range(round(SETTLING / dt) if given["friction"] == "contact" else 0):
        mujoco.mj_step(model, data)
        height = data.qpos[2], data.qvel[2]
        data.qpos[:], data.qvel[:] = motion
        data.qpos[2], data.qvel[2] = height
    model.jnt_stiffness[:] = springs
    falls = bool(ground.mu.names)

    def before(step: int, data: Any) -> None:
        last = min(step, len(middles) - 1)
        data.qfrc_applied[:2], data.qfrc_applied[2] = force[last], -ground.normal_force
        model.qpos_spring[:2] = -offset[min(step, len(offset) - 1)]
        if falls:
            mu = float(ground.mu(speed=float(np.hypot(*data.qvel[:2]))))
            model.geom_friction[:, 0] = mu
            model.dof_frictionloss[:2] = mu * ground.normal_force * (given["friction"] == "joint")

    def read(data: Any) -> dict[str, float]:
        now = min(round(data.time / dt), len(offset) - 1)
        signals = dict(
            zip(("x", "y", "vx", "vy"), (*(data.qpos[:2] + offset[now]), *(data.qvel[:2] + speed[now])), strict=True)
        )
        return signals | ({"angle": data.qpos[3], "spin": data.qvel[3]} if turns else {})

    return _march(problem, model, data, read, before)


def _rigid(problem: Problem, given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A free body, which stands before it moves."""
    initial, gravity = problem.initial, np.asarray(problem.gravity or (0.0, 0.0, 0.0))
    count, dt = steps(problem, given["dt"])
    model = _model(mjcf.free(problem, given, dt))
    data = mujoco.MjData(model)
    data.qpos[:3] = initial.position or (0.0, 0.0, common.standing_height(problem))
    settled = round(SETTLING / dt) if any(gravity) and common.without_falling(problem) else 0
    model.opt.gravity[:2] = 0.0
    for _ in range(settled):
        mujoco.mj_step(model, data)
    model.opt.gravity[:2] = gravity[:2]
    data.qpos[:2], data.qpos[3:], data.qvel[:] = 0.0, (1.0, 0.0, 0.0, 0.0), 0.0
    data.qvel[:3], data.qvel[3:] = initial.velocity or (0.0, 0.0, 0.0), initial.spin or (0.0, 0.0, 0.0)
    force = common.forces(problem, (np.arange(problem.time.count * count) + 0.5) * dt, 3)

    def before(step: int, data: Any) -> None:
        data.qfrc_applied[:3] = force[min(step, len(force) - 1)]

    def read(data: Any) -> dict[str, float]:
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, data.qpos[3:7])
        spin = turn.reshape(3, 3) @ data.qvel[3:6]
        signals = dict(zip(("x", "y", "z", "qw", "qx", "qy", "qz"), data.qpos, strict=True))
        signals |= dict(zip(("vx", "vy", "vz"), data.qvel[:3], strict=True))
        signals |= dict(zip(("spin_x", "spin_y", "spin_z"), spin, strict=True))
        return signals | ({"force_front": _largest(model, data)} if problem.body.feet else {})

    return _march(problem, model, data, read, before if np.any(force) else None)


def _largest(model: Any, data: Any) -> float:
    """Largest normal force of a contact, N."""
    largest, wrench = 0.0, np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, wrench)
        largest = max(largest, float(wrench[0]))
    return largest


def _profile(problem: Problem, given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A body in the vertical plane that meets the ground; restitution by the damping of the contact."""
    initial = problem.initial
    _, dt = steps(problem, given["dt"])
    model = _model(mjcf.planar(problem, given, dt))
    data = mujoco.MjData(model)
    data.qpos[:2], data.qvel[:2] = initial.position, initial.velocity
    data.qvel[2] = initial.spin or 0.0

    def read(data: Any) -> dict[str, float]:
        names = ("x", "y", "angle", "vx", "vy", "spin")
        return dict(zip(names, (*data.qpos, *data.qvel), strict=True))

    return _march(problem, model, data, read)


def _bar(problem: Problem, given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A chain of masses."""
    body, n, initial = problem.body, given["nx"], problem.initial
    count, dt = steps(problem, given["dt"])
    shares = np.full(n + 1, 1.0 / n)
    shares[[0, -1]] *= 0.5
    mass = body.density * body.area * body.length
    pressed = problem.ground.normal_force or 0.0
    bound = float(problem.ground.mu(speed=0.0)) * pressed * shares
    model = _model(mjcf.chain(problem, given, dt, mass * shares, bound))
    data = mujoco.MjData(model)
    axis = "xy".index(body.axis)
    places = body.length * (np.arange(n + 1) / n - 0.5)
    if axis == 1:
        data.qpos[:] = initial.position[1] - 0.5 * body.length
    data.qvel[:] = (initial.velocity or (0.0, 0.0))[axis]
    middles = (np.arange(problem.time.count * count) + 0.5) * dt
    ends = {"left": 0, "right": -1}
    loads = [(ends[load.on], common.values_over_time(load.force[axis], middles)) for load in problem.loads]
    nodes = {name: int(np.argmin(np.abs(places - place[axis]))) for name, place in problem.probes.items()}
    rigidity = body.young * body.area / body.length * n

    def before(step: int, data: Any) -> None:
        for node, course in loads:
            data.qfrc_applied[node] = course[min(step, len(course) - 1)]

    def read(data: Any) -> dict[str, float]:
        q, v = data.qpos, data.qvel
        energy = 0.5 * mass * shares @ v**2 + 0.5 * rigidity * (np.diff(q) ** 2).sum()
        signals = {"x": shares @ q + 0.5 * body.length * axis, "v": shares @ v, "energy": energy}
        signals["force"] = float(data.qfrc_constraint[0]) if axis == 1 else 0.0
        return signals | {f"{'uw'[axis]}_{name}": q[k] for name, k in nodes.items()}

    return _march(problem, model, data, read, before if loads else None)


KINDS = {"block": _sliding, "flat": _sliding, "rigid": _rigid, "profile": _profile, "bar": _bar}
