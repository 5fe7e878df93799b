"""A thrown, spinning disc (or rectangle) on a rough plane: sliding and spinning end together.

Reference: Z. Farkas, G. Bartels, T. Unger, D. E. Wolf, Phys. Rev. Lett. 90 (2003) 248302.

Analysis: dynamics of a rigid or elastic body with friction integrated over its area.

Purpose: the coupling of sliding and spinning by friction: stop time, distance, angle and terminal ratio.

Summary: sliding and spinning end at the same instant. The ratio v/(R omega) of a uniform disc tends to 0.6530 from any initial
ratio. Stop time, distance and angle are known by quadrature (`cases/references/spinning_disc.py`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

import fem
import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, choice, friction_work, headline, main, measure, quantity
from cases.app.parts import bodies, headlines, laws, parameters
from cases.references.spinning_disc import SOURCE, Stop, last_ratio, stop, stop_time, terminal_ratio

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


class Parameters(parameters.ElasticParameters):
    """Parameters of the thrown body; elasticity is used where `body` is elastic."""

    t_end: parameters.EndTime = 0.8
    dt: parameters.TimeStep = 2e-3
    mu: parameters.Mu = 0.3
    shape: Annotated[str, choice("shape of the body", ("disc", "rectangle"))] = "disc"
    body: parameters.RigidOrElastic = "rigid"
    radius: parameters.Radius = 0.1
    length: parameters.Length = 0.2
    width: parameters.Width = 0.1
    thickness: parameters.Thickness = 0.01
    density: parameters.Density = 1100.0
    E: parameters.Young = 1e5
    nu: parameters.Poisson = 0.4
    nr: Annotated[int, quantity("1", "rings of the disc; two Gauss points across each if rigid", ge=2)] = 24
    nt: Annotated[int, quantity("1", "cells or points around the disc", ge=3)] = 48
    nx: parameters.CellsX = 24
    ny: parameters.CellsY = 12
    vx0: parameters.SpeedX = 1.0
    vy0: parameters.SpeedY = 0.0
    spin0: parameters.Spin = 20.0


def area(params: Parameters) -> float:
    """Area of the body, m2."""
    return math.pi * params.radius**2 if params.shape == "disc" else params.length * params.width


def mass(params: Parameters) -> float:
    """Mass of the body, kg."""
    return params.density * params.thickness * area(params)


def body(params: Parameters) -> fem.Plate | ff.RigidBody:
    """Mesh the disc or the rectangle, elastic or rigid."""
    if params.shape == "rectangle":
        return bodies.rectangular_body(params, (params.length, params.width, params.thickness), params.density)
    if params.body == "rigid":
        return ff.RigidBody.disc(params.radius, mass(params), params.nr, params.nt)
    mesh = fem.meshes.disc(params.radius, params.nr, params.nt, bodies.cell_shape(params))
    return bodies.plate(params, mesh, thickness=params.thickness, density=params.density)


def problem(params: Parameters) -> ff.Problem:
    """Set the body in motion over the rough plane."""
    return ff.Problem(
        body=body(params),
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=mass(params), area=area(params)),
        frame=bodies.frame(params),
        initial=ff.InitialState(velocity=(params.vx0, params.vy0), spin=params.spin0),
    )


options = bodies.options


def reference(params: Parameters) -> Stop | None:
    """Stop of the rigid disc, to 1e-10; None for a rectangle, and where friction is not Coulomb's or not constant."""
    deceleration = bodies.deceleration(params)
    constant = laws.plain_coulomb(params) and params.reacting_height is None
    if params.shape != "disc" or not constant or deceleration == 0:
        return None
    return stop(params.radius, deceleration, math.hypot(params.vx0, params.vy0), params.spin0)


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Stop time, distance, angle and terminal ratio beside those of the rigid disc by quadrature."""
    known, source = reference(params), "rigid uniform disc, quadrature after " + SOURCE
    beside: dict[str, tuple[float, str]] = {}
    if known is not None and known.time <= params.t_end:
        beside = {"time": (known.time, source), "distance": (known.distance, source), "angle": (known.angle, source)}
        if params.spin0 != 0 and math.hypot(params.vx0, params.vy0) > 0:
            beside["ratio"] = (terminal_ratio(), "limit for a uniform disc, " + SOURCE)
    stops, turned = "time at which sliding and spinning end", float(data.frame_angle.values[-1])
    ratio = last_ratio(data, params.radius, rigid=params.body == "rigid") if params.shape == "disc" else None
    return {
        "stop_time": headline(stop_time(data), "s", stops, reference=beside.get("time"), kind="motion"),
        "distance": headlines.path_length(data, reference=beside.get("distance")),
        "angle": headline(turned, "rad", "angle turned", reference=beside.get("angle")),
        "terminal_ratio": headline(ratio, "1", "v/(R omega) just before the stop", reference=beside.get("ratio")),
        "friction_work": headlines.friction_work(data),
    }


STUDY = Refinement(
    doubled=("nr", "nt", "nx", "ny"),
    cells=lambda params: ("nr", "nt") if params.shape == "disc" else ("nx", "ny"),
    dt={"dt": 0.008, "nr": 48, "nt": 96},
    mesh={"nr": 3, "nt": 6, "nx": 3, "ny": 2},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Distance, angle and friction work of the body; the rigid disc's are known once it has stopped."""
    place, angle = data.frame_position.values, data.frame_angle.values
    fields = {"centre_all_times": measure(place, "m"), "angle_all_times": measure(angle, "rad")}
    stop = reference(params) if params.body == "rigid" else None
    if stop is None or stop.time > params.t_end:
        return fields | {"friction_work": friction_work(data)}
    energy = mass(params) * (params.vx0**2 + params.vy0**2 + (params.radius * params.spin0) ** 2 / 2) / 2
    # Uniform pressure decelerates a disc along its velocity: it runs straight.
    return {
        "distance": measure(np.hypot(*place[-1]), "m", stop.distance, "reference"),
        "angle_end": measure(angle[-1], "rad", stop.angle, "reference"),
        **fields,
        "friction_work": friction_work(data, energy),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the path, then v over R omega, and both over time; of a rectangle R is half the diagonal."""
    disc = params.shape == "disc"
    arm = params.radius if disc else math.hypot(params.length, params.width) / 2
    speed, rim = np.hypot(*data.frame_velocity.values.T), arm * np.abs(data.frame_spin.values)
    name = r"R|\omega|" if disc else r"d|\omega|/2"
    path, below = drawing.above_graphs(figure, data, arm)
    portrait, history = below.subplots(1, 2)
    drawing.path(path, data, arm if disc else (params.length, params.width))
    portrait.plot(rim, speed, color=drawing.BLUE)
    portrait.plot(rim[0], speed[0], "o", color=drawing.BLUE, markersize=3.5, clip_on=False, label="thrown")
    right, top = 1.08 * max(rim.max(), 1e-12), 1.08 * max(speed.max(), 1e-12)
    if reference(params) is not None:
        ratio = terminal_ratio()
        limit = {"color": drawing.GREY, "linestyle": (0, (3, 2)), "label": f"$v/{name} = {ratio:.4f}$"}
        portrait.plot([0, right], [0, ratio * right], linewidth=0.9, **limit)
    portrait.set(xlim=(0, right), ylim=(0, top), xlabel=f"${name}$ [m/s]", ylabel="$v$ [m/s]")
    portrait.legend(loc="lower right")
    times, known = data.time.values, reference(params)
    for label, values, colour in (("$v$", speed, drawing.BLUE), (f"${name}$", rim, drawing.ORANGE)):
        history.plot(times, values, color=colour, label=label)
    if known is not None and 0.0 < known.time < times[-1]:
        label = f"quadrature{'' if params.body == 'rigid' else ', rigid'}: stop at {known.time:.4f} s"
        history.axvline(known.time, ymax=0.74, color=drawing.BLACK, linestyle=(0, (1, 1.5)), linewidth=0.9, label=label)
    end = min(times[-1], 1.45 * (stop_time(data) or np.inf))
    history.set(xlim=(0, end), ylim=(0, None), xlabel="time $t$ [s]", ylabel="speed [m/s]")
    drawing.legend_above(history, 0.35)
    drawing.letters(path, portrait, history)


if __name__ == "__main__":
    main(__file__)
