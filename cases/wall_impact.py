"""A plate runs into a rigid obstacle: contact force, friction on the contact, and rebound.

Reference: contact force F_C and moment M_C of Szefer (2001); standard contact force of RecurDyn.

Analysis: dynamics of a rigid or elastic plate in free flight, or on a rough plane, with a penalty or exact contact.

Purpose: duration, penetration and rebound of an impact against their closed forms; momentum and energy over it.

Summary: a rigid plate that meets a straight wall squarely is a mass on a spring-damper, with an impact in closed form
(`cases/references/wall_impact.py`). An elastic one keeps a part of its energy as vibration; at a hard wall the contact lasts as
long as a wave travels through it and back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, choice, headline, main, measure, nodal
from cases.app.parts import bodies, parameters
from cases.app.parts.wall_contact import contact as normal
from cases.app.parts.wall_contact import friction as wall_friction
from cases.app.parts.wall_contact.parameters import ObstacleParameters
from cases.app.parts.wall_contact.shapes import check_apart, obstacle, wall_normal
from cases.app.parts.wall_contact.steps import step_control
from cases.references.wall_impact import approach, exact, exact_force, mass, wave

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MEAN = ", mean over a step (an exact impact has an impulse and no force: the mean grows as dt falls)"
SCHEMES = ("sdirk2", "backward-euler", "moreau-theta", "radau")
_SCHEME = "time integration scheme; with contact signorini the default is moreau-theta"


class Parameters(ObstacleParameters):
    """Parameters of the plate and its obstacle; forces and stiffnesses are totals over the edge that hits it."""

    t_end: parameters.EndTime = 0.04
    dt: parameters.TimeStep = 1e-4
    scheme: Annotated[str, choice(_SCHEME, SCHEMES)] = "sdirk2"
    mu: parameters.Mu = 0.0
    body: parameters.RigidOrElastic = "rigid"
    length: parameters.Length = 0.2
    width: parameters.Width = 0.1
    thickness: parameters.Thickness = 0.01
    density: parameters.Density = 1100.0
    E: parameters.Young = 5e6
    nu: parameters.Poisson = 0.3
    nx: parameters.CellsX = 16
    ny: parameters.CellsY = 8
    vx0: parameters.SpeedX = 1.0
    vy0: parameters.SpeedY = 0.0
    spin0: parameters.Spin = 0.0


def on_the_plane(params: Parameters) -> bool:
    """True where there is friction under the plate."""
    return params.mu != 0 or params.law != "coulomb"


def problem(params: Parameters) -> ff.Problem:
    """Set the plate in motion towards the obstacle."""
    body = bodies.rectangular_body(params, (params.length, params.width, params.thickness), params.density)
    law, mu = wall_friction.friction(params)
    force = normal.normal_law(params, params.width)
    wall = ff.Contact(obstacle(params), edge=params.edge, normal=force, law=law, mu=mu, integration=params.integration)
    check_apart(body, wall.obstacle)
    area = params.length * params.width
    weight = {"mass": params.density * params.thickness * area, "area": area}
    return ff.Problem(
        body=body,
        t_end=params.t_end,
        foundation=bodies.foundation(params, **weight) if on_the_plane(params) else None,
        frame=bodies.frame(params),
        initial=ff.InitialState(velocity=(params.vx0, params.vy0), spin=params.spin0),
        contacts=(wall,),
    )


def options(params: Parameters, *, stress: bool = False) -> ff.Options:
    """Time integration, with the steps near contact."""
    return replace(bodies.options(params, stress=stress), step_control=step_control(params))


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Duration, penetration, rebound and impulse of the impact, beside their exact values where known."""
    known, n, v, steps = exact(params), wall_normal(params), approach(params), data.attrs
    lasts = None  # attributes are of all steps; stored instants may miss an impact
    if "contact_begin" in steps and "contact_end" in steps:
        lasts = float(steps["contact_end"] - steps["contact_begin"])
    duration, penetration, restitution, impulse = None, None, None, None
    if known is not None:
        duration, penetration, restitution = known
        impulse = mass(params) * v * (1 + restitution)
    after = float((data.frame_velocity.values[-1] - [params.wall_vx, 0.0]) @ n)
    change = data.linear_momentum.values[-1] - data.linear_momentum.values[0]
    # The force of an exact impact may fall between stored instants; the change of momentum does not.
    changed = float(np.hypot(*change)) > 1e-9 * mass(params) * abs(v)
    hit = steps["contact_force_max"] > 0.0 or (changed and not on_the_plane(params))
    rebound, deepest = after / v if v > 0 and hit else None, float(steps["penetration_max"])
    lasting, largest = "from the first touch to the last release", "largest contact force"
    ratio = "normal velocity of the frame's origin at the end over the velocity of approach"
    if params.contact == "signorini":
        largest += _MEAN
    across, along = float(change @ n), float(change @ [-n[1], n[0]])
    lost = float(data.dissipation_contact.values[-1])
    return normal.impacts(data) | {
        "contact_duration": headline(lasts, "s", lasting, exact=duration, reference=wave(params), kind="motion"),
        "penetration_max": headline(deepest, "m", "largest penetration", exact=penetration),
        "restitution": headline(rebound, "1", ratio, exact=restitution),
        "impulse_normal": headline(across, "N s", "change of momentum along the wall's normal", exact=impulse),
        "impulse_tangential": headline(along, "N s", "change of momentum along the wall"),
        "force_max": headline(float(steps["contact_force_max"]), "N", largest),
        "contact_loss": headline(lost, "J", "energy dissipated in the contact"),
    }


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"dt": 0.0004, "nx": 4, "ny": 2},
    mesh={"nx": 4, "ny": 2, "body": "elastic"},
    notes={"dt": "touch and release fall anywhere within a step, so that errors scatter below their order"},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Velocity of the frame after the impact and positions; exact in closed form for a square hit of a rigid plate."""
    known = exact(params)
    rebound = params.wall_vx - known.restitution * approach(params) if known else None
    return nodal(data) | {
        "velocity_end": measure(float(data.frame_velocity.values[-1, 0]), "m/s", rebound),
        "angle_end": measure(float(data.frame_angle.values[-1]), "rad"),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the motion, the contact force and the energies over time."""
    height = drawing.impact_height(data)
    figure.set_size_inches(drawing.PAGE, height + 2.4)
    above, below = drawing.stacked(figure, height, 2.4)
    motion, (force, energy) = above.subplots(), below.subplots(1, 2)
    drawing.impact(motion, data, obstacle(params))
    _draw_force(force, params, data)
    drawing.energies(energy, data.assign_coords(time=1e3 * data.time))
    energy.set_xlabel("time $t$ [ms]")
    drawing.letters(motion, force, energy)


def _draw_force(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the contact force over the time of contact, and the exact one."""
    times, force, n = 1e3 * data.time.values, data.contact_force.values, wall_normal(params)
    across, along = force @ n, force @ np.array([-n[1], n[0]])
    axes.plot(times, across, color=drawing.BLUE, label="normal to the wall")
    if np.abs(along).max() > 1e-9 * max(np.abs(across).max(), 1e-300):
        axes.plot(times, along, color=drawing.ORANGE, label="along the wall")
    axes.axhline(0.0, color=drawing.GREY, linewidth=0.5)
    (touching,) = np.nonzero(normal.pressed(data) > 0)
    known = exact(params)
    if touching.size:
        first, last = times[touching[0]], times[touching[-1]]
        margin = max(0.35 * (last - first), 4 * float(np.diff(times).max()))
        axes.set_xlim(max(first - margin, 0.0), min(last + margin, times[-1]))
        if known is not None and known.duration > 0:
            since, exactly = exact_force(params)
            touch = 1e3 * params.distance / (params.vx0 - params.wall_vx)
            axes.plot(touch + 1e3 * since, exactly, color=drawing.BLACK, linestyle=":", linewidth=1.4, label="exact")
    axes.set(xlabel="time $t$ [ms]", ylabel="contact force $F_C$ [N]")
    drawing.legend_above(axes, 0.25, loc="upper left", ncols=2, columnspacing=2.0)


if __name__ == "__main__":
    main(__file__)
