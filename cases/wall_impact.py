"""A plate runs into a rigid obstacle: contact force, friction on the contact, and rebound.

Reference: contact force F_C and moment M_C of Szefer (2001); standard contact force of RecurDyn.

Analysis: dynamics of a rigid or elastic plate in free flight, or on a rough plane, with a penalty or exact contact.

Purpose: duration, penetration and rebound of an impact against their closed forms; momentum and energy over it.

Summary: a rigid plate that meets a straight wall squarely is a mass on a spring-damper, whose impact is known in
closed form (`wall_impact_exact`). An elastic one keeps a part of its energy as vibration; as the wall stiffens its contact
lasts as long as a wave needs to run through it and back.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import model_validator

import floating_frame as ff
from cases.app.parts import bodies, laws, parameters, penalty
from cases.app.parts.measure import Measure, Refinement, measure, nodal
from cases.app.parts.quantities import choice, quantity
from cases.app.parts.wall import friction as wall_friction
from cases.app.parts.wall.contact import check
from cases.app.parts.wall.shapes import OBSTACLES, obstacle, wall_normal
from cases.app.parts.wall.steps import BufferRadiusFactor, MaxStepSizeFactor, step_control
from cases.app.run.results import Headlines, headline
from cases.references.wall_impact import Impact, damped, undamped
from floating_frame import Contact, InitialState, Options, Problem
from friction import LAWS, RESTITUTION_LAWS

if TYPE_CHECKING:
    import xarray as xr

SCHEMES = ("sdirk2", "backward-euler", "moreau-theta", "radau")


class Parameters(parameters.ElasticParameters, parameters.Penalty):
    """Parameters of the plate and its obstacle; forces and stiffnesses are totals over the edge that hits it."""

    t_end: parameters.EndTime = 0.04
    dt: parameters.TimeStep = 1e-4
    scheme: Annotated[
        str, choice("time integration scheme (left out with the contact signorini: moreau-theta)", SCHEMES)
    ] = "sdirk2"
    mu: parameters.Mu = 0.0
    body: Annotated[str, choice("whether the body deforms", ("rigid", "elastic"))] = "rigid"
    length: parameters.Length = 0.2
    width: parameters.Width = 0.1
    thickness: parameters.Thickness = 0.01
    density: parameters.Density = 1100.0
    E: parameters.Young = 5e6
    nu: parameters.Poisson = 0.3
    nx: parameters.CellsX = 16
    ny: parameters.CellsY = 8
    vx0: Annotated[float, quantity("m/s", "initial velocity along x")] = 1.0
    vy0: Annotated[float, quantity("m/s", "initial velocity along y")] = 0.0
    spin0: parameters.Spin = 0.0
    edge: Annotated[str, choice("part of the plate's outline that may touch", ("right", "boundary"))] = "right"
    obstacle: Annotated[str, choice("shape of the obstacle", OBSTACLES)] = "line"
    distance: Annotated[float, quantity("m", "from the right edge to the obstacle's foremost point", ge=0)] = 0.01
    wall_y: Annotated[float, quantity("m", "y of the obstacle's foremost point")] = 0.0
    wall_angle: Annotated[float, quantity("deg", "turn of the obstacle about that point, counter-clockwise")] = 0.0
    wall_vx: Annotated[float, quantity("m/s", "velocity of the obstacle along x")] = 0.0
    radius: Annotated[float, quantity("m", "radius of the circle, of the chain's nose; half the box's side", gt=0)] = (
        0.1
    )
    contact: Annotated[str, choice("normal law", ("penalty", "signorini"))] = "penalty"
    stiffness: parameters.Stiffness = 2e4
    restitution: Annotated[float, quantity("1", "restitution of the contact signorini", ge=0, le=1)] = 0.0
    restitution_law: Annotated[
        str, choice("what restitution is a ratio of: velocities, impulses, or (its square) works", RESTITUTION_LAWS)
    ] = "newton"
    integration: Annotated[str, choice("integration over the edge", ("gauss", "nodes"))] = "gauss"
    mu_wall: Annotated[float, quantity("1", "coefficient of friction on the obstacle", ge=0)] = 0.0
    wall_law: Annotated[
        str,
        choice("friction law on the obstacle (auto: smooth with penalty, else coulomb)", (wall_friction.AUTO, *LAWS)),
    ] = wall_friction.AUTO
    mu_s_wall: Annotated[
        float | None, quantity("1", "static coefficient of friction on the obstacle; left out: equal to mu_wall", ge=0)
    ] = None
    max_force_wall: Annotated[
        float | None, quantity("N", "largest friction force of the obstacle on the body; left out: no limit", gt=0)
    ] = None
    buffer_radius_factor: BufferRadiusFactor = 0.0
    max_step_size_factor: MaxStepSizeFactor = 10.0

    @classmethod
    def completed(cls, given: parameters.Given) -> parameters.Given:
        """Fill in the scheme of exact contact, which needs an impact law."""
        return {"scheme": "moreau-theta"} | given if given.get("contact") == "signorini" else given

    def laws_at_hand(self) -> tuple[str, ...]:
        """Return the laws of the plane and of the obstacle."""
        return self.law, wall_friction.of_the_obstacle(self).law

    @model_validator(mode="after")
    def _contact_agrees(self) -> Self:
        wall_friction.check(self)
        check(self)
        return self


def mass(params: Parameters) -> float:
    """Return the plate's mass, kg."""
    return params.density * params.thickness * params.length * params.width


def on_the_plane(params: Parameters) -> bool:
    """Return whether there is friction under the plate."""
    return params.mu != 0 or params.law != "coulomb"


def contact(params: Parameters) -> Contact:
    """Return the contact of the plate's edge with the obstacle."""
    soft = params.contact == "penalty"
    law, mu = wall_friction.friction(params)
    return Contact(
        obstacle(params),
        edge=params.edge,
        normal=penalty.normal_force(params, params.width)
        if soft
        else ff.Signorini(params.restitution, params.restitution_law),
        law=law,
        mu=mu,
        integration=params.integration,
    )


def problem(params: Parameters) -> Problem:
    """Return the plate, running at the obstacle."""
    size = {"thickness": params.thickness, "density": params.density}
    body = bodies.rectangular_body(params, params, params.length, params.width, **size)
    wall, area = contact(params), params.length * params.width
    weight = {"mass": params.density * params.thickness * area, "area": area}
    ends = body.X[body.edge_segments("boundary")[:, :2]]
    outline = (ends[:, :1] + np.linspace(0.0, 1.0, 33)[:, None] * (ends[:, 1:] - ends[:, :1])).reshape(-1, 2)
    overlap = -float(wall.obstacle.gap(np.vstack([body.X, outline]), 0.0).gap.min())
    if overlap > 1e-12:
        raise ValueError(f"distance: the obstacle reaches {overlap:.3g} m into the plate at the start; move it away")
    return Problem(
        body=body,
        t_end=params.t_end,
        foundation=bodies.foundation(params, **weight) if on_the_plane(params) else None,
        frame=bodies.frame(params),
        initial=InitialState(velocity=(params.vx0, params.vy0), spin=params.spin0),
        contacts=(wall,),
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the motion is integrated."""
    return replace(bodies.options(params, stress=stress), step_control=step_control(params))


def approach(params: Parameters) -> float:
    """Return the speed at which the plate comes towards the obstacle along its normal, m/s."""
    return -float(np.array([params.vx0 - params.wall_vx, params.vy0]) @ wall_normal(params))


def exact(params: Parameters) -> Impact | None:
    """Return the impact in closed form: a rigid plate, squarely against a straight wall, with a known force; else None."""
    square = params.obstacle == "line" and params.wall_angle == 0 and params.spin0 == 0 and params.edge == "right"
    smooth = laws.frictionless(params) and (wall_friction.friction(params)[1] == 0 or params.vy0 == 0)
    if not (square and smooth and params.body == "rigid" and approach(params) > 0):
        return None
    if params.contact == "signorini":
        return Impact(0.0, 0.0, params.restitution)
    m, v = mass(params), approach(params)
    linear = (params.m1, params.m2, params.m3, params.onset) == (1, 1, 0, 0)
    splines = params.stiffness_spline or params.damping_spline
    if splines or (params.damping > 0 and (params.tensile or not linear)):
        return None
    found = damped(m, params.stiffness, params.damping, v) if linear else undamped(m, params.stiffness, params.m1, v)
    return found if params.distance / v + found.duration < params.t_end else None


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return duration, penetration, rebound and impulse of the impact, beside their exact values where known."""
    known, n, v = exact(params), wall_normal(params), approach(params)
    seen = data.attrs  # of all steps; stored instants may miss an impact
    over = "contact_begin" in seen and "contact_end" in seen
    after = float((data.frame_velocity.values[-1] - [params.wall_vx, 0.0]) @ n)
    change = data.linear_momentum.values[-1] - data.linear_momentum.values[0]
    # The force of an exact impact may fall between stored instants; what it has done does not.
    changed = float(np.hypot(*change)) > 1e-9 * mass(params) * abs(v)
    hit = seen["contact_force_max"] > 0.0 or (changed and not on_the_plane(params))
    wave = None
    bar = params.E * params.width * params.thickness / params.length
    hard = params.contact == "signorini" or (params.m1 == 1 and params.stiffness >= 20 * bar)
    if params.body == "elastic" and params.obstacle == "line" and params.wall_angle == 0 and hard:
        wave = (2 * params.length * math.sqrt(params.density / params.E), "2 L/c, a bar against a hard wall")
    largest = "largest contact force"
    if params.contact == "signorini":
        largest += (
            " in the mean over a step (an exact impact has an impulse and no force: a smaller dt gives a larger mean)"
        )
    return _impacts(data) | {
        "contact_duration": headline(
            float(seen["contact_end"] - seen["contact_begin"]) if over else None,
            "s",
            "from the first touch to the last release",
            exact=known.duration if known else None,
            reference=wave,
            kind="motion",
        ),
        "penetration_max": headline(
            float(seen["penetration_max"]),
            "m",
            "largest penetration",
            exact=known.penetration if known else None,
        ),
        "restitution": headline(
            after / v if v > 0 and hit else None,
            "1",
            "normal velocity of the frame's origin at the end over that of approach",
            exact=known.restitution if known else None,
        ),
        "impulse_normal": headline(
            float(change @ n),
            "N s",
            "change of momentum along the wall's normal",
            exact=mass(params) * v * (1 + known.restitution) if known else None,
        ),
        "impulse_tangential": headline(float(change @ [-n[1], n[0]]), "N s", "change of momentum along the wall"),
        "force_max": headline(float(seen["contact_force_max"]), "N", largest),
        "contact_loss": headline(float(data.dissipation_contact.values[-1]), "J", "energy dissipated in the contact"),
    }


def _impacts(data: xr.Dataset) -> Headlines:
    """Return what a rigid body's exact impacts came to."""
    if "impacts" not in data or int(data.impacts[-1]) == 0:
        return {}
    return {
        "impacts": headline(int(data.impacts[-1]), "1", "number of impacts"),
        "impact_restitution": headline(
            float(data.impact_restitution[-1]), "1", "restitution that came out of the last impact: -u_n+/u_n-"
        ),
        "impact_impulse": headline(
            float(np.hypot(*data.impact_impulse.values[-1])), "N s", "size of the impulse of all impacts"
        ),
        "impact_loss": headline(float(data.impact_loss[-1]), "J", "energy lost in the impacts"),
        "impact_energy_created": headline(
            float(data.impact_energy_created[-1]),
            "J",
            "energy that impacts have created (Newton's restitution with friction may; Stronge's never does)",
        ),
    }


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"dt": 0.0004, "nx": 4, "ny": 2},
    mesh={"nx": 4, "ny": 2, "body": "elastic"},
    notes={
        "dt": "touch and release are kinks that a step meets at any place within it, so that errors scatter below their order"
    },
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Return velocity of the frame after the impact and positions; exact in closed form for a square hit of a rigid plate."""
    known = exact(params)
    rebound = params.wall_vx - known.restitution * approach(params) if known else None
    return nodal(data) | {
        "velocity_end": measure(float(data.frame_velocity.values[-1, 0]), "m/s", rebound),
        "angle_end": measure(float(data.frame_angle.values[-1]), "rad"),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
