"""Shared functions of adapters: motion of the ground, forces at the middles of steps, feet of round bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from cases.app.suite.adapter import Cannot
from cases.app.suite.schema import Problem


def values_over_time(part: Any, times: Any) -> Any:
    """Values (n,) of a formula of time, or of a number."""
    return np.broadcast_to(part(t=times) if callable(part) else part, np.shape(times)).astype(float)


def ground_motion(problem: Problem, times: Any) -> tuple[Any, Any]:
    """Displacement and velocity (n, 2) of the ground at equidistant ``times`` (n,) s from 0; the displacement by the midpoint
    rule."""
    moves = problem.ground.velocity if problem.ground else None
    if moves is None:
        return np.zeros((len(times), 2)), np.zeros((len(times), 2))
    dt = times[1] - times[0]
    middle = np.column_stack([values_over_time(part, times[:-1] + 0.5 * dt) for part in moves])
    path = np.vstack([[0.0, 0.0], np.cumsum(middle * dt, axis=0)])
    return path, np.column_stack([values_over_time(part, times) for part in moves])


def forces(problem: Problem, times: Any, axes: int = 2) -> Any:
    """Forces (n, axes) N on the centre of mass at ``times`` (n,) s, in axes that move with the ground: its acceleration is a
    force of inertia. Raises Cannot for loads that act elsewhere."""
    force = np.zeros((len(times), axes))
    for load in problem.loads:
        if load.on != "body" or load.force is None:
            raise Cannot(f"loads on {load.on} of a {problem.body.kind}")
        for axis, part in enumerate(load.force[:axes]):
            force[:, axis] += values_over_time(part, times)
    if problem.ground is not None and problem.ground.velocity is not None:
        rates = [[part.rate(t) for part in problem.ground.velocity] for t in times]
        force[:, :2] -= problem.body.mass * np.array(rates)
    return force


def stiffness(problem: Problem) -> float:
    """Stiffness, N/m, of all springs from the centre of mass to the origin."""
    return float(sum(spring.stiffness for spring in problem.springs))


def vector(given: Any, size: int) -> Any:
    """A vector (size,) of the first components given, zeros where none are."""
    vector_of_values = np.zeros(size)
    values = np.ravel(given if given is not None else 0.0)[:size]
    vector_of_values[: len(values)] = values
    return vector_of_values


def disc_feet(radius: float, inner: float, height: float = 0.0, rings: int = 6, spokes: int = 18) -> Any:
    """Feet (n, 3) of equal areas of an annulus, ``height`` below its centre; on one circle where it is a ring."""
    share = (np.arange(rings) + 0.5) / rings
    r = np.sqrt(inner**2 + (radius**2 - inner**2) * share)
    if inner == radius:
        r = np.array([radius])
    angle = 2.0 * np.pi * np.arange(spokes) / spokes
    x, y = np.outer(r, np.cos(angle)).ravel(), np.outer(r, np.sin(angle)).ravel()
    return np.column_stack([x, y, np.full(len(x), -height)])


def solid_feet(problem: Problem, foot: float) -> tuple[Any, float]:
    """Points (n, 3) m on which a body stands, and the radius of the spheres there: ``foot``, or the ball's."""
    body = problem.body
    if body.kind == "block":
        return np.array([[i, j, 0.0] for i in (-0.1, 0.1) for j in (-0.1, 0.1)]), foot
    if body.kind == "flat":
        return disc_feet(body.radius, body.inner_radius), foot
    if body.kind == "profile":
        return np.array([[x, 0.0, y] for x, y in body.points]), foot
    if body.ball is not None:
        return np.array([[0.0, 0.0, -body.ball]]), body.ball
    if body.base is not None:
        return disc_feet(body.base, 0.0, body.height), foot
    return np.reshape(body.feet, (-1, 3)), foot


def moments(problem: Problem) -> Any:
    """Principal moments (3,) kg m² of a body in space; for motion in a plane those about other axes are arbitrary."""
    body = problem.body
    if body.kind == "rigid":
        return np.asarray(body.inertia)
    if body.kind == "profile":
        return np.full(3, body.inertia)
    about_z = getattr(body, "inertia", 0.02 * body.mass)
    return np.array([0.5, 0.5, 1.0]) * about_z


def standing_height(problem: Problem) -> float:
    """Height of the centre of mass, m, of a body that stands on its feet."""
    body = problem.body
    if body.kind != "rigid":
        return 0.0
    return float(body.ball or body.height or max((-foot[2] for foot in body.feet), default=0.0))


def without_falling(problem: Problem) -> bool:
    """True for a body that stands by itself."""
    return problem.body.kind != "rigid" or len(problem.body.feet) != 1
