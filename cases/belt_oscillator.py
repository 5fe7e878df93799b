"""A block on a running belt, tied to a fixed point by a spring and a damper: stick–slip, or a decaying oscillation.

Reference: J. P. Den Hartog, Trans. ASME 53 (1931) 107-115; R. I. Leine, D. H. van Campen, A. de Kraker, L. van den Steen,
Nonlinear Dynamics 16 (1998) 41-54.

Analysis: dynamics of a rigid or elastic block; static and kinetic friction on a moving ground; a spring–damper.

Purpose: period and amplitude of the stick–slip limit cycle; on a belt at rest the half swings, the stop and the place of rest.

Summary: each phase of stick or slip is a linear oscillator, known in closed form (`cases/references/belt_oscillator.py`). Steps of
sdirk2 are cut where the block breaks loose: its place converges with order two. The period is taken from stored instants.
Tied at its left edge, an elastic block breaks loose gradually: only a stiff one moves as the rigid block.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, friction_work, headline, main, measure, quantity
from cases.app.parts import bodies, headlines, laws, parameters
from cases.app.parts.fields import uniform_value
from cases.app.parts.histories import Unchanging
from cases.references.belt_oscillator import Array, Oscillator, Phase, cycle, limit_cycle, turns
from cases.references.belt_oscillator import motion as exact_motion

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

LENGTH, WIDTH, HEIGHT = 0.1, 0.1, 0.1  # m


class Parameters(parameters.ElasticParameters):
    """Parameters of the block, the belt and the spring."""

    HEADINGS: ClassVar = {"Spring": ("stiffness", "damping", "stretch0")}

    t_end: parameters.EndTime = 3.0
    dt: parameters.TimeStep = 1e-3
    law: parameters.LawName = "static-kinetic"
    mu: parameters.Mu = 0.3
    mu_s: parameters.MuStatic = 0.5
    mass: Annotated[float, quantity("kg", "mass of the block, 0.1 x 0.1 x 0.1 m", gt=0)] = 1.0
    belt_speed: Annotated[float, quantity("m/s", "speed of the belt along +x")] = 0.2
    stiffness: Annotated[float, quantity("N/m", "stiffness of the spring", gt=0)] = 100.0
    damping: Annotated[float, quantity("N s/m", "coefficient of the damper beside it", ge=0)] = 0.0
    stretch0: Annotated[float, quantity("m", "stretch of the spring at t = 0")] = 0.0
    vx0: Annotated[float | None, quantity("m/s", "initial velocity of the block along x; left out: the belt's")] = None
    body: parameters.RigidOrElastic = "rigid"
    E: parameters.Young = 1e6
    nu: parameters.Poisson = 0.3
    nx: parameters.CellsX = 4
    ny: parameters.CellsY = 4


def start_velocity(params: Parameters) -> float:
    """Velocity of the block at t = 0, m/s."""
    return params.belt_speed if params.vx0 is None else params.vx0


def oscillator(params: Parameters) -> Oscillator:
    """Oscillator of one degree of freedom that the rigid block is."""
    normal = bodies.pressure(params, mass=params.mass, area=LENGTH * WIDTH) * LENGTH * WIDTH
    return Oscillator(
        mass=params.mass,
        stiffness=params.stiffness,
        damping=params.damping,
        belt_speed=params.belt_speed,
        static=laws.static_coefficient(params) * normal,
        kinetic=uniform_value(params.mu) * normal,
    )


def problem(params: Parameters) -> ff.Problem:
    """Set the block on the belt, tied to its spring, at rest on the belt unless `vx0` says otherwise."""
    area = LENGTH * WIDTH
    spring = ff.Spring(
        (0.0, 0.0) if params.body == "rigid" else "left",
        stiffness=params.stiffness,
        damping=params.damping,
        path=Unchanging((-params.stretch0, 0.0)),
        rates=Unchanging((0.0, 0.0)),
    )
    ground = bodies.foundation(params, mass=params.mass, area=area)
    return ff.Problem(
        body=bodies.rectangular_body(params, (LENGTH, WIDTH, HEIGHT), params.mass / (area * HEIGHT), points_of="P1"),
        t_end=params.t_end,
        foundation=replace(ground, ground_velocity=(params.belt_speed, 0.0)),
        effects=(spring,),
        initial=ff.InitialState(velocity=(start_velocity(params), 0.0)),
        frame=bodies.frame(params),
    )


options = bodies.options


def exact(params: Parameters, times: Array) -> tuple[Array, Array, list[Phase]] | None:
    """Position, m, and velocity, m/s, of the rigid block at `times` (n,) s, and its phases of stick and slip.

    None for laws other than Coulomb's and static/kinetic friction, with a maximum force, or mu or p_n an expression.
    """
    if params.law not in ("coulomb", "static-kinetic") or params.max_force is not None or not laws.uniform(params):
        return None
    stretch, velocity, known = exact_motion(oscillator(params), params.stretch0, start_velocity(params), times)
    return stretch - params.stretch0, velocity, known


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Limit cycle, half swings, place at the end and errors of the motion, beside the exact ones."""
    times, x, v = data.time.values, data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    period, amplitude = cycle(times, x, data.stick.values.all(axis=1))
    known = exact(params, times) if params.body == "rigid" else None
    x_exact, v_exact = known[:2] if known else (None, None)
    steady = limit_cycle(oscillator(params)) if known and period is not None else None
    turns_exact = None if v_exact is None else turns(v_exact)
    x_end = None if x_exact is None else x_exact[-1]
    return {
        "period": headline(period, "s", "period of the last stick-slip cycle", exact=steady and steady[0]),
        "amplitude": headline(amplitude, "m", "half the range of x over it", exact=steady and steady[1]),
        "half_cycles": headline(turns(v), "1", "number of stops of the block in space", exact=turns_exact),
        "x_end": headline(x[-1], "m", "position at the end", exact=x_end),
        "x_error_max": headlines.x_error(x, x_exact, "largest error of the position at a stored time"),
        "viscous_work": headline(float(data.dissipation_viscous.values[-1]), "J", "energy dissipated by the damper"),
        "friction_work": headlines.friction_work(data),
    }


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"dt": 0.008, "nx": 1, "ny": 1},
    mesh={"dt": 0.004, "t_end": 0.5, "nx": 2, "ny": 2},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Place, velocity and friction work for a convergence study; the motion of the rigid block is known exactly."""
    x, v = data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    known = exact(params, data.time.values) if params.body == "rigid" else None
    x_exact, v_exact = known[:2] if known else (None, None)
    return {
        "x_end": measure(x[-1], "m", None if x_exact is None else x_exact[-1]),
        "x_all_times": measure(x, "m", x_exact),
        "velocity_mean": measure(v, "m/s", v_exact, mean=True),
        "friction_work": friction_work(data),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw x(t) and v(t) with stick shaded, and v over x, each beside the exact motion where it is known."""
    figure.set_size_inches(drawing.COLUMN, 5.2)
    place, velocity, orbit = figure.subplots(3, 1, height_ratios=[1.2, 1.2, 2])
    place.sharex(velocity)
    times, known = data.time.values, exact(params, data.time.values)
    x, v = 1e3 * data.frame_position.values[:, 0], 1e3 * data.frame_velocity.values[:, 0]
    x_exact, v_exact = (1e3 * known[0], 1e3 * known[1]) if known else (None, None)
    reference = "exact" if params.body == "rigid" else "exact, rigid block"
    drawing.beside_exact(place, times, x, x_exact, reference)
    drawing.beside_exact(velocity, times, v, v_exact)
    drawing.beside_exact(orbit, x, v, v_exact, over=x_exact)
    for axes in (place, velocity):
        drawing.sticking(axes, data)
    for axes in (velocity, orbit):
        axes.axhline(1e3 * params.belt_speed, color=drawing.GREY, linewidth=0.8, linestyle=":")
        axes.set_ylabel("velocity $v_x$ [mm/s]")
    place.set_ylabel("position $x$ [mm]")
    place.tick_params(labelbottom=False)
    place.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, borderaxespad=0.2, columnspacing=1.2)
    velocity.set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]))
    mark = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom", "color": drawing.GREY}
    orbit.annotate("belt", (1.0, 1e3 * params.belt_speed), **mark)
    orbit.set(xlabel="position $x$ [mm]")
    drawing.letters(place, velocity, orbit)


if __name__ == "__main__":
    main(__file__)
