"""A thrown, spinning disc (or rectangle) on a rough plane: sliding and spinning end together.

Reference: Z. Farkas, G. Bartels, T. Unger, D. E. Wolf, Frictional coupling between sliding and spinning
motion, Phys. Rev. Lett. 90 (2003) 248302.

Analysis: dynamics of a rigid or elastic body with friction integrated over its area.

Purpose: the coupling of sliding and spinning by friction: stop time, distance, angle and terminal ratio.

Summary: friction couples sliding and spinning so that both end at the same instant, and the ratio v/(R omega)
of a uniform disc tends to 0.6530 from any initial ratio. Stop time, distance and angle are known by
quadrature (`reference`).
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Annotated

import numpy as np

import fem
from cases.app.parts import bodies, laws, parameters
from cases.app.parts.fields import uniform_value
from cases.app.parts.measure import Measure, Refinement, friction_work, measure
from cases.app.parts.quantities import choice, quantity
from cases.app.run.results import Headlines, headline
from cases.references.spinning_disc import SOURCE, Stop, stop, terminal_ratio
from floating_frame import InitialState, Options, Problem, RigidBody

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray


class Parameters(parameters.ElasticParameters):
    """Parameters of the body that is thrown; those of elasticity matter where `body` is elastic."""

    t_end: parameters.EndTime = 0.8
    dt: parameters.TimeStep = 2e-3
    mu: parameters.Mu = 0.3
    shape: Annotated[str, choice("shape of the body", ("disc", "rectangle"))] = "disc"
    body: Annotated[str, choice("whether the body deforms", ("rigid", "elastic"))] = "rigid"
    radius: Annotated[float, quantity("m", "radius of the disc", gt=0)] = 0.1
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
    vx0: Annotated[float, quantity("m/s", "initial velocity along x")] = 1.0
    vy0: Annotated[float, quantity("m/s", "initial velocity along y")] = 0.0
    spin0: parameters.Spin = 20.0


def _area(params: Parameters) -> float:
    return math.pi * params.radius**2 if params.shape == "disc" else params.length * params.width


def _body(params: Parameters) -> fem.Plate | RigidBody:
    if params.shape == "rectangle":
        size = {"thickness": params.thickness, "density": params.density}
        return bodies.rectangular_body(params, params, params.length, params.width, **size)
    if params.body == "rigid":
        mass = params.density * params.thickness * _area(params)
        return RigidBody.disc(params.radius, mass, params.nr, params.nt)
    mesh = fem.meshes.disc(params.radius, params.nr, params.nt, bodies.cell_shape(params))
    return bodies.plate(params, mesh, thickness=params.thickness, density=params.density)


def problem(params: Parameters) -> Problem:
    """Return the body, thrown over the rough plane."""
    weight = {"mass": params.density * params.thickness * _area(params), "area": _area(params)}
    return Problem(
        body=_body(params),
        t_end=params.t_end,
        foundation=bodies.foundation(params, **weight),
        frame=bodies.frame(params),
        initial=InitialState(velocity=(params.vx0, params.vy0), spin=params.spin0),
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the motion is integrated."""
    return bodies.options(params, stress=stress)


def reference(params: Parameters) -> Stop | None:
    """Return the stop of the rigid uniform disc under set-valued friction, accurate to 1e-10; None for a
    rectangle.

    None as well where there is no friction, the law is regularised, or the pressure reacts.
    """
    areal_density = params.density * params.thickness
    deceleration = uniform_value(params.mu) * bodies.pressure(params, mass=areal_density, area=1.0) / areal_density
    reacts = params.reacting_height is not None
    if params.shape != "disc" or reacts or not laws.plain_coulomb(params) or deceleration == 0:
        return None
    return stop(params.radius, deceleration, math.hypot(params.vx0, params.vy0), params.spin0)


def speeds(data: xr.Dataset) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return speed of the frame's origin, m/s, and spin, rad/s, at the stored times, (times,) each."""
    return np.hypot(*data.frame_velocity.values.T), data.frame_spin.values


def stop_time(data: xr.Dataset) -> float | None:
    """Return the time at which the body stops, s; None where it still moves at the end.

    The square root of the kinetic energy falls linearly to zero at the end, which gives the instant inside
    its step.
    """
    energy, times = data.energy_kinetic.values, data.time.values
    moving = np.flatnonzero(energy > 0)
    if moving.size == len(times):
        return None
    if moving.size < 2:
        return float(times[moving.size])
    last = moving[-1]
    before, now = np.sqrt(energy[last - 1 : last + 1])
    left = now * (times[last] - times[last - 1]) / max(before - now, 1e-300)
    return float(min(times[last] + left, times[last + 1]))


def last_ratio(params: Parameters, data: xr.Dataset) -> float | None:
    """Return v/(R omega) just before the stop; None without sliding and spinning, without a stop, or for a rectangle.

    It is taken at the last stored instant that has the speed for at least one more interval of sliding. An elastic
    disc quivers when it stops: there, at the last instant with over 2 % of the initial speed.
    """
    speed, spin = speeds(data)
    size = np.sqrt(data.energy_kinetic.values)
    thrown = speed[0] > 0 and spin[0] != 0
    if size[-1] > 0 or not thrown or params.shape != "disc":
        return None
    least = np.append(0.0, -np.diff(size)) if params.body == "rigid" else 0.02 * size[0]
    moving = np.flatnonzero((size >= least) & (np.abs(spin) > 0))
    return float(speed[moving[-1]] / (params.radius * abs(spin[moving[-1]]))) if moving.size else None


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return stop time, distance, angle and terminal ratio beside those of the rigid disc by quadrature."""
    known = reference(params)
    if known is not None and known.time > params.t_end:
        known = None
    source = "rigid uniform disc, quadrature after " + SOURCE

    def beside(name: str) -> tuple[float, str] | None:
        return None if known is None else (getattr(known, name), source)

    path = np.hypot(*np.diff(data.frame_position.values, axis=0).T).sum()
    coupled = known is not None and params.spin0 != 0 and math.hypot(params.vx0, params.vy0) > 0
    return {
        "stop_time": headline(
            stop_time(data), "s", "time at which sliding and spinning end", reference=beside("time"), kind="motion"
        ),
        "distance": headline(path, "m", "path length of the centre", reference=beside("distance")),
        "angle": headline(float(data.frame_angle.values[-1]), "rad", "angle turned", reference=beside("angle")),
        "terminal_ratio": headline(
            last_ratio(params, data),
            "1",
            "v/(R omega) just before the stop",
            reference=(terminal_ratio(), "limit for a uniform disc, " + SOURCE) if coupled else None,
        ),
        "friction_work": headline(float(data.dissipation_friction.values[-1]), "J", "energy dissipated by friction"),
    }


STUDY = Refinement(
    doubled=("nr", "nt", "nx", "ny"),
    cells=lambda params: ("nr", "nt") if params.shape == "disc" else ("nx", "ny"),
    dt={"dt": 0.008, "nr": 48, "nt": 96},
    mesh={"nr": 3, "nt": 6, "nx": 3, "ny": 2},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Return distance, angle and friction work of the thrown body; the rigid disc's are known once it has stopped."""
    place, angle = data.frame_position.values, data.frame_angle.values
    fields = {"centre_all_times": measure(place, "m"), "angle_all_times": measure(angle, "rad")}
    stop = reference(params) if params.body == "rigid" else None
    if stop is None or stop.time > params.t_end:
        return fields | {"friction_work": friction_work(data)}
    mass = params.density * params.thickness * math.pi * params.radius**2
    energy = mass * (params.vx0**2 + params.vy0**2 + (params.radius * params.spin0) ** 2 / 2) / 2
    # Uniform pressure decelerates a disc along its velocity: it runs straight.
    return {
        "distance": measure(np.hypot(*place[-1]), "m", stop.distance, "reference"),
        "angle_end": measure(angle[-1], "rad", stop.angle, "reference"),
        **fields,
        "friction_work": friction_work(data, energy),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
