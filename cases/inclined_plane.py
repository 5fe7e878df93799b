"""A block from rest on an inclined plane under each friction law: stick, creep or slide.

Reference: the contact model of a commercial multibody code, its table "Comparison in inclined plane model" of the sliding and
the sliding & stiction type (RecurDyn, Table 6.24), beside exact Coulomb friction.

Analysis: dynamics of a rigid or elastic block under its weight, friction by any law.

Purpose: what a law does where a block should rest: the creep of a regularised law, the finite displacement of one with bristles,
and exactly nothing with a set-valued one.

Summary: x points down the slope, the pressure is that of weight x cos(angle). Below the friction angle the velocity at the end is
the root of the law's own equation, or zero; above it the motion is exact for Coulomb's law and integrated for the others
(`cases/references/inclined_plane.py`). Weight and friction are uniform, so that an elastic block moves as the rigid one.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Annotated

import numpy as np

from cases.app.parts import bodies, laws, parameters
from cases.app.parts.measure import Measure, Refinement, friction_work, measure
from cases.app.parts.quantities import choice, quantity
from cases.app.run.results import Headline, Headlines, balance, headline
from cases.references.inclined_plane import Forces, creep_velocity, largest_stick, motion, stiction_deformation
from floating_frame import BodyForce, Options, Problem

if TYPE_CHECKING:
    import xarray as xr


class Parameters(parameters.ElasticParameters):
    """Parameters of the block; those of elasticity matter where `body` is elastic."""

    t_end: parameters.EndTime = 1.0
    dt: parameters.TimeStep = 1e-2
    mu: parameters.Mu = 0.5
    angle: Annotated[float, quantity("deg", "inclination of the plane", ge=0, lt=90)] = 15.0
    body: Annotated[str, choice("whether the block deforms", ("rigid", "elastic"))] = "rigid"
    length: parameters.Length = 0.2
    width: parameters.Width = 0.1
    thickness: parameters.Thickness = 0.05
    density: parameters.Density = 1000.0
    E: parameters.Young = 1e6
    nu: parameters.Poisson = 0.3
    nx: parameters.CellsX = 4
    ny: parameters.CellsY = 2


def forces(params: Parameters) -> Forces:
    """Return mass, drive and friction bound of the block."""
    area, slope = params.length * params.width, math.radians(params.angle)
    mass = params.density * params.thickness * area
    normal = bodies.pressure(params, mass=mass * math.cos(slope), area=area) * area
    return Forces(mass, mass * params.gravity * math.sin(slope), laws.static_coefficient(params) * normal)


def problem(params: Parameters) -> Problem:
    """Return the block on the incline, its weight, and rest at t = 0."""
    size = {"thickness": params.thickness, "density": params.density}
    slope, area = math.radians(params.angle), params.length * params.width
    mass = params.density * params.thickness * area
    return Problem(
        body=bodies.rectangular_body(params, params, params.length, params.width, **size),
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=mass * math.cos(slope), area=area),
        loads=(BodyForce((params.gravity * math.sin(slope), 0.0)),),
        frame=bodies.frame(params),
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the block is integrated."""
    return bodies.options(params, stress=stress)


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return creep, displacement, velocity and bristles at the end beside what the law's own equations give."""
    acting, law, same = forces(params), laws.build(params), laws.uniform(params)
    x, v = float(data.frame_position.values[-1, 0]), float(data.frame_velocity.values[-1, 0])
    creep, bent, known = None, None, None
    if same:
        creep, bent = creep_velocity(params, acting), stiction_deformation(params, acting)
        known = motion(params, acting, np.array([0.0, params.t_end]))
    static = largest_stick(law, acting.bound) if law.set_valued else acting.bound
    rests = creep == 0.0 and bent is None
    closed = rests or params.law in ("coulomb", "elliptic", "static-kinetic")
    source = "the law's own equation of one unknown, integrated to 1e-9"

    def beside(value: float, unit: str, meaning: str, place: int) -> Headline:
        if known is None:
            return headline(value, unit, meaning)
        wanted = float(known[place][-1])
        if closed:
            return headline(value, unit, meaning, exact=wanted)
        return headline(value, unit, meaning, reference=(wanted, source))

    results = {
        "creep_velocity": headline(
            None if creep is None else v, "m/s", "velocity at the end where the block should rest", exact=creep
        ),
        "velocity_end": beside(v, "m/s", "velocity at the end, down the slope", 1),
        "displacement_end": beside(x, "m", "displacement at the end, down the slope", 0),
        "friction_angle": headline(
            math.degrees(math.atan2(static, acting.mass * params.gravity * math.cos(math.radians(params.angle))))
            if same
            else None,
            "deg",
            "angle up to which static friction holds",
            kind="check",
        ),
    }
    if "bristle_deformation" in data:
        deformed = float(data.bristle_deformation[-1, :, 0].mean())
        meaning = "mean deformation of the bristles at the end"
        results["bristle_deformation"] = headline(deformed, "m", meaning, exact=bent)
    results["balance_error"] = balance(data)
    return results


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"t_end": 0.25, "dt": 0.005},
    mesh={"t_end": 0.25, "dt": 0.005, "nx": 2, "ny": 1},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the block on the incline at the end and at all times; the law's own equation tells, exact for Coulomb's."""
    times, x = data.time.values, data.frame_position.values[:, 0]
    known = motion(params, forces(params), times) if laws.uniform(params) else None
    if known is None:
        return {"x_end": measure(x[-1], "m"), "x_all_times": measure(x, "m"), "friction_work": friction_work(data)}
    kind = "exact" if laws.plain_coulomb(params) else "reference"
    return {
        "x_end": measure(x[-1], "m", known[0][-1], kind),
        "x_all_times": measure(x, "m", known[0], kind),
        "friction_work": friction_work(data),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
