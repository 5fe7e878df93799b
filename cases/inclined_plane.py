"""A block from rest on an inclined plane under each friction law: stick, creep or slide.

Reference: the contact model of a commercial multibody code, its table "Comparison in inclined plane model" of the sliding and
the sliding & stiction type (RecurDyn, Table 6.24), beside exact Coulomb friction.

Analysis: dynamics of a rigid or elastic block under its weight, friction by any law.

Purpose: a block that should rest creeps under a regularised law, moves a little with bristles, and rests under a set-valued law.

Summary: x points down the slope; the pressure is weight x cos(angle) over the area. Below the friction angle the velocity at the
end is the root of the law's own equation, or zero; above it the motion is exact for Coulomb's law and integrated for the
others (`cases/references/inclined_plane.py`). Weight and friction are uniform, so that an elastic block moves as the rigid one.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, friction_work, headline, main, measure, quantity
from cases.app.parts import bodies, headlines, laws, parameters
from cases.references import inclined_plane as theory

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Parameters(parameters.ElasticParameters):
    """Parameters of the block."""

    t_end: parameters.EndTime = 1.0
    dt: parameters.TimeStep = 1e-2
    mu: parameters.Mu = 0.5
    angle: Annotated[float, quantity("deg", "inclination of the plane", ge=0, lt=90)] = 15.0
    body: parameters.RigidOrElastic = "rigid"
    length: parameters.Length = 0.2
    width: parameters.Width = 0.1
    thickness: parameters.Thickness = 0.05
    density: parameters.Density = 1000.0
    E: parameters.Young = 1e6
    nu: parameters.Poisson = 0.3
    nx: parameters.CellsX = 4
    ny: parameters.CellsY = 2


def mass(params: Parameters) -> float:
    """Mass of the block, kg."""
    return params.density * params.thickness * (params.length * params.width)


def forces(params: Parameters) -> theory.Forces:
    """Mass, drive and friction bound of the block."""
    area, slope = params.length * params.width, math.radians(params.angle)
    normal = bodies.pressure(params, mass=mass(params) * math.cos(slope), area=area) * area
    drive = mass(params) * params.gravity * math.sin(slope)
    return theory.Forces(mass(params), drive, laws.static_coefficient(params) * normal)


def problem(params: Parameters) -> ff.Problem:
    """Set the block on the incline, under its weight, at rest at t = 0."""
    slope, area = math.radians(params.angle), params.length * params.width
    return ff.Problem(
        body=bodies.rectangular_body(params, (params.length, params.width, params.thickness), params.density),
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=mass(params) * math.cos(slope), area=area),
        loads=(ff.BodyForce((params.gravity * math.sin(slope), 0.0)),),
        frame=bodies.frame(params),
    )


options = bodies.options


def laws_beside(params: Parameters, times: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Motions x, m, and v, m/s, at `times` (n,) s under the laws of the table, where their equations can be integrated."""
    one = params.mu_s is None  # with one coefficient static-kinetic friction is Coulomb's
    known = {}
    for name in ("coulomb" if one else "static-kinetic", "sliding", "sliding-stiction"):
        other = params.model_copy(update={"law": name})
        if laws.uniform(other) and laws.agrees(other):
            known[name] = theory.motion(other, forces(other), times)
    return {name: motion for name, motion in known.items() if motion is not None}


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Creep, displacement, velocity and bristles at the end beside the values of the law's own equations."""
    acting, law = forces(params), laws.build(params)
    x, v = float(data.frame_position.values[-1, 0]), float(data.frame_velocity.values[-1, 0])
    creep, bent, known, friction_angle = None, None, None, None
    if laws.uniform(params):
        creep, bent = theory.creep_velocity(params, acting), theory.stiction_deformation(params, acting)
        known = theory.motion(params, acting, np.array([0.0, params.t_end]))
        static = theory.largest_stick(law, acting.bound) if law.set_valued else acting.bound
        weight = acting.mass * params.gravity * math.cos(math.radians(params.angle))
        friction_angle = math.degrees(math.atan2(static, weight))
    closed = (creep == 0.0 and bent is None) or params.law in ("coulomb", "elliptic", "static-kinetic")
    v_end, x_end = (None, None) if known is None else (known[1][-1], known[0][-1])
    source = "the law's own equation of one unknown, integrated to 1e-9"
    beside = partial(headlines.beside, source=None if closed else source)
    creeps, holds = "velocity at the end where the block should rest", "angle up to which static friction holds"
    results = {
        "creep_velocity": headline(None if creep is None else v, "m/s", creeps, exact=creep),
        "velocity_end": beside(v, "m/s", "velocity at the end, down the slope", v_end),
        "displacement_end": beside(x, "m", "displacement at the end, down the slope", x_end),
        "friction_angle": headline(friction_angle, "deg", holds, kind="check"),
    }
    if "bristle_deformation" in data:
        text, deformed = "mean deformation of the bristles at the end", float(data.bristle_deformation[-1, :, 0].mean())
        results["bristle_deformation"] = headline(deformed, "m", text, exact=bent)
    return results | {"balance_error": headlines.balance(data)}


_COARSE: dict[str, float | str] = {"t_end": 0.25, "dt": 0.005}
STUDY = Refinement(doubled=("nx", "ny"), dt=_COARSE, mesh=_COARSE | {"nx": 2, "ny": 1})


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement at the end and at all times, beside the law's own equation, exact for Coulomb's; friction work."""
    times, x = data.time.values, data.frame_position.values[:, 0]
    known = theory.motion(params, forces(params), times) if laws.uniform(params) else None
    kind = "exact" if laws.plain_coulomb(params) else "reference"
    return {
        "x_end": measure(x[-1], "m", None if known is None else known[0][-1], kind),
        "x_all_times": measure(x, "m", None if known is None else known[0], kind),
        "friction_work": friction_work(data),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw v(t) and x(t), computed and by the laws' own equations, and friction over the speed of slip with the drive."""
    figure.set_size_inches(drawing.COLUMN, 5.2)
    velocity, place, curve = figure.subplots(3, 1)
    times, x, v = data.time.values, data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    fine = np.concatenate([[0.0], np.geomspace(0.1 * times[1], times[-1], 300)])
    known = laws_beside(params, fine)
    largest = np.array([np.abs(x).max(), *(np.abs(x_law).max() for x_law, _ in known.values())])
    unit, prefix = drawing.prefix(float(largest.max()))
    styles = ((drawing.BLACK, "-"), (drawing.ORANGE, "--"), (drawing.GREEN, ":"))
    for (name, (x_law, v_law)), (colour, dashes) in zip(known.items(), styles, strict=False):
        velocity.plot(fine, unit * v_law, color=colour, linestyle=dashes, linewidth=0.9, zorder=3, label=name)
        place.plot(fine, unit * x_law, color=colour, linestyle=dashes, linewidth=0.9, zorder=3)
    line: dict[str, Any] = {"color": drawing.BLUE, "linewidth": 2.2, "alpha": 0.55}
    stored = times > 0.0  # a logarithmic axis has no zero
    velocity.plot(times[stored], unit * v[stored], label=f"computed, {params.law}", **line)
    place.plot(times[stored], unit * x[stored], **line)
    velocity.set(ylabel=f"velocity $v_x$ [{prefix}m/s]", xscale="log", xlim=(fine[1], times[-1]))
    place.set(ylabel=f"displacement $x$ [{prefix}m]", xlabel="time $t$ [s]", xscale="log", xlim=(fine[1], times[-1]))
    smallest = unit * largest[largest > 0.0].min(initial=np.inf)
    if unit * largest.max() > 20.0 * smallest:  # one law would fill the axis
        place.set_yscale("symlog", linscale=0.4, linthresh=10.0 ** np.floor(np.log10(smallest)))
        place.set_ylim(bottom=0.0 if x.min() >= 0.0 else None)
    velocity.legend(loc="lower center", bbox_to_anchor=(0.5, 1.02), ncols=2, borderaxespad=0.2, columnspacing=1.2)
    _draw_law(curve, params, float(data.friction_weight.sum()))
    drawing.letters(velocity, place, curve)


def _draw_law(axes: Axes, params: Parameters, bound: float) -> None:
    """Draw friction over the speed of slip, its static bound, and the drive that it has to balance, N."""
    law, fastest = laws.build(params), 2.0 * theory.law_speed(params)
    slip = np.linspace(1e-6, 1.0, 300) * fastest
    brakes = [theory.friction(law, bound, speed) for speed in slip]
    axes.plot(1e3 * slip, brakes, color=drawing.BLUE, label="friction in slip")
    if law.set_valued:
        stick: dict[str, Any] = {"linewidth": 2.5, "solid_capstyle": "butt", "label": "stick"}
        axes.plot([0.0, 0.0], [0.0, theory.largest_stick(law, bound)], color=drawing.BLUE, **stick)
    axes.axhline(forces(params).drive, color=drawing.VERMILION, linestyle="--", label="weight along the slope")
    axes.axhline(0.0, color=drawing.GREY, linewidth=0.5)
    axes.set(xlabel="speed of slip [mm/s]", ylabel="force [N]", xlim=(-0.02e3 * fastest, 1e3 * fastest))
    axes.legend(loc="best")


if __name__ == "__main__":
    main(__file__)
