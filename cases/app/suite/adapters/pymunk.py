"""Pymunk (Chipmunk2D) in the suite. Settings: `dt`, `iterations`, `slop` m and `bias` of collisions.

Seen from above, friction under a given pressure is a pivot joint to the ground at each foot with a bounded force and no
correction of positions, as is usual in games. Seen from the side, bodies in space that move in the plane x, z touch the
ground with small circles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymunk

from cases.app.suite.adapter import Cannot, measured, steps
from cases.app.suite.adapters import _common as common
from cases.app.suite.schema import Problem

NAME = "pymunk"
NEEDS = "pymunk"
FOOT = 1e-3
"""Radius of feet, m."""
DEFAULTS = {"iterations": 50, "slop": 1e-6, "bias": 0.1}


def solve(problem: Problem, setting: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Simulate a problem."""
    given = DEFAULTS | setting
    march = {"block": _above, "flat": _above, "profile": _aside, "rigid": _aside}.get(problem.body.kind)
    if march is None:
        raise Cannot("bodies that deform")
    return march(problem, given)


def _space(given: dict[str, Any]) -> pymunk.Space:
    space = pymunk.Space()
    space.iterations = given["iterations"]
    space.collision_slop, space.collision_bias = given["slop"], given["bias"] ** 60
    return space


def _above(problem: Problem, given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A body that lies on the plane."""
    solid, initial, ground = problem.body, problem.initial, problem.ground
    turns = solid.kind == "flat"
    feet = common.disc_feet(solid.radius, solid.inner_radius)[:, :2] if turns else np.zeros((1, 2))
    count, dt = steps(problem, given["dt"])
    times = dt * np.arange(problem.time.count * count + 1)
    pull, (offset, speed) = common.forces(problem, times + 0.5 * dt), common.ground_motion(problem, times)
    stiffness, bound = common.stiffness(problem), ground.normal_force / len(feet)

    def run() -> list[Any]:
        space = _space(given)
        body = pymunk.Body(solid.mass, solid.inertia if turns else float("inf"))
        body.position, body.velocity = (
            tuple(common.vector(initial.position, 2)),
            tuple(common.vector(initial.velocity, 2) - speed[0]),
        )
        body.angular_velocity = float(initial.spin or 0.0)
        space.add(body)
        joints = [pymunk.PivotJoint(space.static_body, body, (0.0, 0.0), tuple(foot)) for foot in feet]
        for joint in joints:
            joint.max_bias, joint.max_force = 0.0, float(ground.mu(speed=0.0)) * bound
        space.add(*joints)
        rows = [_state(body)]
        for step in range(len(times) - 1):
            place = np.array(body.position) + offset[step]
            body.apply_force_at_world_point(tuple(pull[step] - stiffness * place), tuple(body.position))
            if ground.mu.names:
                joints[0].max_force = float(ground.mu(speed=body.velocity.length)) * bound
            space.step(dt)
            if (step + 1) % count == 0:
                rows.append(_state(body))
        return rows

    spent, rows = measured(run)
    x, y, angle, vx, vy, spin = np.array(rows).T
    signals = {
        "x": x + offset[::count, 0],
        "y": y + offset[::count, 1],
        "vx": vx + speed[::count, 0],
        "vy": vy + speed[::count, 1],
    }
    return signals | ({"angle": angle, "spin": spin} if turns else {}), spent


def _state(body: pymunk.Body) -> list[float]:
    return [*body.position, body.angle, *body.velocity, body.angular_velocity]


def _aside(problem: Problem, given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """A body that moves in the vertical plane."""
    solid, initial, ground = problem.body, problem.initial, problem.ground
    space_body = solid.kind == "rigid"
    if space_body and (solid.base is not None or ground is None or any(common.vector(initial.velocity, 3)[1:])):
        raise Cannot("motions out of a plane")
    spins = common.vector(initial.spin, 3) if space_body else np.array([0.0, -float(initial.spin or 0.0), 0.0])
    if np.any(spins[[0, 2]]):
        raise Cannot("motions out of a plane")
    axes = [0, 2] if space_body else [0, 1]
    feet, radius = common.solid_feet(problem, FOOT)
    arms = np.unique(np.round(feet[:, [0, 2]], 12), axis=0)
    inertia = solid.inertia[1] if space_body else solid.inertia
    count, dt = steps(problem, given["dt"])
    times = dt * np.arange(problem.time.count * count + 1)
    pull = common.forces(problem, times + 0.5 * dt, 3 if space_body else 2)[:, axes]
    pull = pull + solid.mass * np.asarray(problem.gravity or (0.0, 0.0, 0.0))[axes]

    def run() -> list[Any]:
        space = _space(given)
        body = pymunk.Body(solid.mass, inertia)
        start = initial.position or (0.0, 0.0, common.standing_height(problem))
        body.position = start[axes[0]], start[axes[1]]
        body.velocity = tuple(common.vector(initial.velocity, 3)[axes])
        body.angular_velocity = -spins[1]
        line = pymunk.Segment(space.static_body, (-100.0, -1.0), (100.0, -1.0), 1.0)
        circles = [pymunk.Circle(body, radius, (x, z + radius)) for x, z in arms]
        for shape in (line, *circles):
            shape.friction, shape.elasticity = float(np.sqrt(ground.mu(speed=0.0))), float(np.sqrt(ground.restitution))
            shape.filter = pymunk.ShapeFilter(group=0 if shape is line else 1)
        space.add(body, line, *circles)
        rows = [[*_state(body), 0.0]]
        for step in range(len(times) - 1):
            body.apply_force_at_world_point(tuple(pull[step]), tuple(body.position))
            space.step(dt)
            if (step + 1) % count == 0:
                rows.append([*_state(body), _pressed(body) / dt * len(arms) / len(feet)])
        return rows

    spent, rows = measured(run)
    x, z, angle, vx, vz, spin, force = np.array(rows).T
    if not space_body:
        return {"x": x, "y": z, "angle": angle, "vx": vx, "vy": vz, "spin": spin}, spent
    signals = {"x": x, "z": z, "vx": vx, "vz": vz, "spin_y": -spin, "qw": np.cos(angle / 2), "qy": -np.sin(angle / 2)}
    zero = dict.fromkeys(("y", "vy", "spin_x", "spin_z", "qx", "qz"), np.zeros_like(x))
    return signals | zero | {"force_front": force}, spent


def _pressed(body: pymunk.Body) -> float:
    """Largest normal impulse of a contact, N s."""
    impulses = [0.0]
    body.each_arbiter(lambda arbiter: impulses.append(abs(arbiter.total_impulse.y)))
    return max(impulses)
