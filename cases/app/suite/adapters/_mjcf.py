"""Text of MuJoCo's models for the suite's problems."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.app.suite.adapters._common import disc_feet
from cases.app.suite.schema import Problem

Array = NDArray[np.float64]

FOOT = 1e-3
"""Radius of the spheres on which bodies stand, m."""

OPTION = """<option timestep="{dt!r}" gravity="{gravity}" cone="{cone}" impratio="{impratio}" noslip_iterations="{noslip}"
noslip_tolerance="0" integrator="{integrator}" iterations="{iterations}" tolerance="1e-12" solver="{solver}"/>"""
GROUND = '<geom type="plane" size="100 100 1" {contact}/>'
DEFAULTS = {
    **{"cone": "elliptic", "impratio": 1.0, "noslip": 0, "solref": 0.02, "solimp": 0.95, "integrator": "implicitfast"},
    **{"solver": "Newton", "iterations": 100, "friction": "contact"},
}
"""Settings: MuJoCo's own, but for the cone and the number of iterations. `solref`: time constant, s, 0: two steps;
`friction` contact or joint (dry friction of a joint instead of a contact)."""


def words(values: Any) -> str:
    """Numbers as text of an attribute."""
    return " ".join(repr(float(value)) for value in np.ravel(values))


def option(given: dict[str, Any], dt: float, gravity: Any) -> str:
    """The element option of a setting."""
    names = ("cone", "impratio", "noslip", "integrator", "iterations", "solver")
    return OPTION.format(dt=dt, gravity=words(gravity), **{name: given[name] for name in names})


def contact(given: dict[str, Any], dt: float, mu: float, damping: float = 1.0) -> str:
    """Attributes of geometries that touch."""
    constant, impedance = max(given["solref"], 2.0 * dt), given["solimp"]
    solid = f'solref="{constant!r} {damping!r}" solimp="{impedance} {impedance} 1e-3"'
    return f'friction="{mu!r} 0 0" condim="3" {solid}'


def sphere(place: Any, radius: float, attributes: str) -> str:
    """A sphere that touches the ground."""
    return f'<geom type="sphere" size="{radius!r}" pos="{words(place)}" {attributes}/>'


def sliding(problem: Problem, given: dict[str, Any], dt: float, feet: Array, turns: bool) -> str:
    """A body with slides along x, y, z and, if it ``turns``, a hinge about z, on ``feet`` (n, 2); without gravity."""
    touch = contact(given, dt, max(float(problem.ground.mu(speed=0.0)), 0.0))
    spheres = "".join(sphere((x, y, FOOT), FOOT, touch) for x, y in feet)
    loss = [0.0, 0.0]
    if given["friction"] == "joint":
        spheres, loss = "", [problem.ground.mu(speed=0.0) * problem.ground.normal_force] * 2
    constant, impedance = max(given["solref"], 2.0 * dt), given["solimp"]
    solid = f'solreffriction="{constant!r} 1" solimpfriction="{impedance} {impedance} 1e-3"'
    stiffness = sum(spring.stiffness for spring in problem.springs)
    joints = "".join(
        f'<joint type="slide" axis="{axis}" stiffness="{stiffness!r}" frictionloss="{float(lost)!r}" {solid}/>'
        for axis, lost in zip(("1 0 0", "0 1 0"), loss, strict=True)
    )
    joints += '<joint type="slide" axis="0 0 1"/>' + ('<joint type="hinge" axis="0 0 1"/>' if turns else "")
    inertia = getattr(problem.body, "inertia", problem.body.mass)
    own = f'<inertial pos="0 0 0" mass="{problem.body.mass!r}" diaginertia="{words([inertia / 2, inertia / 2, inertia])}"/>'
    return (
        f"<mujoco>{option(given, dt, (0, 0, 0))}<worldbody>{GROUND.format(contact=touch)}"
        f"<body>{joints}{own}{spheres}</body></worldbody></mujoco>"
    )


def free(problem: Problem, given: dict[str, Any], dt: float) -> str:
    """A free body in space on spheres, a ball, or on nothing."""
    body = problem.body
    mu = float(problem.ground.mu(speed=0.0)) if problem.ground else 0.0
    touch = contact(given, dt, mu)
    if body.ball is not None:
        geometry = sphere((0, 0, 0), body.ball, touch)
    else:
        feet = np.reshape(body.feet, (-1, 3)) if body.base is None else disc_feet(body.base, 0.0, body.height)
        geometry = "".join(sphere(np.add(foot, (0.0, 0.0, FOOT)), FOOT, touch) for foot in feet)
    ground = GROUND.format(contact=touch) if problem.ground else ""
    own = f'<inertial pos="0 0 0" mass="{body.mass!r}" diaginertia="{words(body.inertia)}"/>'
    return (
        f"<mujoco>{option(given, dt, problem.gravity or (0, 0, 0))}<worldbody>{ground}"
        f"<body><freejoint/>{own}{geometry}</body></worldbody></mujoco>"
    )


def planar(problem: Problem, given: dict[str, Any], dt: float) -> str:
    """A body in the vertical plane x, z with a hinge about −y, so that its angle is counter-clockwise seen with y up."""
    body, e = problem.body, problem.ground.restitution
    log = math.log(e) if e > 0.0 else -math.inf
    damping = (
        -log / math.hypot(math.pi, log) if e > 0.0 else 1.0
    )  # of an oscillator whose half swing leaves e of the speed
    touch = contact(given, dt, float(problem.ground.mu(speed=0.0)), damping)
    spheres = "".join(sphere((x, 0.0, y + FOOT), FOOT, touch) for x, y in body.points)
    own = f'<inertial pos="0 0 0" mass="{body.mass!r}" diaginertia="{words([body.inertia] * 3)}"/>'
    joints = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 -1 0"/>'
    gravity = problem.gravity or (0.0, 0.0)
    return (
        f"<mujoco>{option(given, dt, (gravity[0], 0, gravity[1]))}<worldbody>{GROUND.format(contact=touch)}"
        f"<body>{joints}{own}{spheres}</body></worldbody></mujoco>"
    )


def chain(problem: Problem, given: dict[str, Any], dt: float, masses: Array, bound: Array) -> str:
    """A bar as masses on slides along x, tied by tendons; dry friction ``bound`` (n,) N is that of the joints. A bar along y is
    limited at its lower end."""
    body, n = problem.body, len(masses) - 1
    constant, impedance = max(given["solref"], 2.0 * dt), given["solimp"]
    solid = f'solreffriction="{constant!r} 1" solimpfriction="{impedance} {impedance} 1e-3"'
    stop = f'limited="true" range="0 1e6" solreflimit="{constant!r} 1" solimplimit="{impedance} {impedance} 1e-3"'
    bodies = "".join(
        f'<body><joint name="j{k}" type="slide" axis="1 0 0" frictionloss="{float(w)!r}" {solid} '
        f"{stop if k == 0 and body.axis == 'y' else ''}/>"
        f'<inertial pos="0 0 0" mass="{float(m)!r}" diaginertia="1 1 1"/></body>'
        for k, (m, w) in enumerate(zip(masses, bound, strict=True))
    )
    stiffness = body.young * body.area / body.length * n
    tendons = "".join(
        f'<fixed stiffness="{stiffness!r}" springlength="0"><joint joint="j{k}" coef="-1"/>'
        f'<joint joint="j{k + 1}" coef="1"/></fixed>'
        for k in range(n)
    )
    return f"<mujoco>{option(given, dt, (0, 0, 0))}<worldbody>{bodies}</worldbody><tendon>{tendons}</tendon></mujoco>"
