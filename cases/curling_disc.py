"""A thick disc that slides and spins: friction at the ground shifts its weight, and its path curls.

Reference: Z. Farkas, G. Bartels, T. Unger, D. E. Wolf, Frictional coupling between sliding and spinning motion, Phys. Rev. Lett. 90
(2003) 248302, for the flat disc; thick discs curl as a cup on a table does, not as a curling stone.

Analysis: dynamics of a rigid body on a flat base, in space or in the plane with a pressure that reacts to friction.

Purpose: the path, the terminal ratio v/(R omega) and the side force of a disc whose centre of mass is above the ground.

Summary: the moment of friction loads the front of the base more. With a counter-clockwise spin, points at the front move to the
left; their larger friction pushes the disc to the right. While the base does not lift, mu h/R <= 1/4, the terminal ratio and the
side force are known by quadrature (`cases/references/space/curling_disc.py`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
import friction
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, choice, friction_work, headline, main, measure, quantity
from cases.app.parts import headlines, parameters, space

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from cases.references.space.curling_disc import Terminal
    from floating_frame import Problem

    Array = NDArray[np.float64]


class Parameters(parameters.SpaceParameters):
    """Parameters of the disc and of its throw."""

    t_end: parameters.EndTime = 0.4
    dt: parameters.StepInSpace = 2e-3
    mu: parameters.MuOfGround = 0.3
    radius: parameters.Radius = 0.1
    half_height: Annotated[float, quantity("m", "height of the centre of mass above the ground", gt=0)] = 0.05
    mass: parameters.Mass = 1.0
    vx0: parameters.SpeedX = 0.5
    spin0: parameters.SpinZ = 8.0
    model: Annotated[
        str, choice("a rigid body in space, or one in the plane whose pressure reacts to friction", ("space", "plane"))
    ] = "space"
    nr: Annotated[int, quantity("1", "rings of the base, two friction points across each", ge=2)] = 18
    nt: Annotated[int, quantity("1", "friction points along the circumference", ge=3)] = 48


def problem(params: Parameters) -> Problem:
    """Disc at the start of its throw: both models have the same friction points."""
    disc = ff.RigidBody.disc(params.radius, params.mass, params.nr, params.nt)
    points, areas = disc.friction.points, disc.friction.weights
    if params.model == "plane":
        pressure = params.mass * params.gravity / (math.pi * params.radius**2)
        reacting = friction.Reacting(height=params.half_height, pressure=pressure)
        return ff.Problem(
            body=disc,
            t_end=params.t_end,
            foundation=friction.Foundation(friction.Coulomb(), params.mu, reacting),
            initial=ff.InitialState(velocity=(params.vx0, 0.0), spin=params.spin0),
        )
    across = params.mass * (params.radius**2 / 4.0 + params.half_height**2 / 3.0)
    base = ff.Base(np.column_stack([points, np.full(len(points), -params.half_height)]), areas)
    return ff.Problem(
        body=ff.RigidSolid(
            mass=params.mass, inertia=(across, across, 0.5 * params.mass * params.radius**2), shape=base
        ),
        t_end=params.t_end,
        contacts=(ff.Contact(mu=params.mu),),
        gravity=params.gravity,
        initial=ff.InitialState(velocity=(params.vx0, 0.0, 0.0), spin=(0.0, 0.0, params.spin0)),
    )


options = space.options


def reference(params: Parameters) -> Terminal | None:
    """Terminal ratio and side force; None where the disc does not slide and spin, or its base may lift."""
    from cases.references.space.curling_disc import terminal

    if params.vx0 == 0.0 or params.spin0 == 0.0 or params.mu == 0.0 or params.gravity == 0.0:
        return None
    return terminal(params.mu * params.half_height / params.radius)


def speeds(data: xr.Dataset) -> tuple[Array, Array]:
    """Speed (n,) m/s and spin (n,) rad/s about the vertical of a trajectory of either model."""
    spin = data.frame_spin.values
    return np.linalg.norm(data.frame_velocity.values, axis=1), spin if spin.ndim == 1 else spin[:, 2]


def side_force(data: xr.Dataset) -> Array:
    """Side force over the drag (n,), positive to the left of the path; 0 where the disc does not move."""
    v, force = data.frame_velocity.values[:, :2], data.friction_force.values[:, :, :2].sum(axis=1)
    drag, left = -np.einsum("ta,ta->t", force, v), v[:, 0] * force[:, 1] - v[:, 1] * force[:, 0]
    moves = np.linalg.norm(v, axis=1) > 1e-9
    ratio: Array = np.divide(left, drag, out=np.zeros(len(v)), where=moves & (drag > 0.0))
    return ratio


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Place of the stop, curl, and final ratio and side force beside their limits."""
    times, place = data.time.values, data.frame_position.values
    speed, spin = speeds(data)
    known, source = reference(params), "quadrature over the base"
    motion = speed + params.radius * np.abs(spin)
    rest = int(np.flatnonzero(motion > 1e-3 * motion[0]).max(initial=-1)) + 1
    last, stops = max(rest - 1, 0), rest < len(times)
    ends = stops and rest > 0
    stop, at_rest = times[rest] if stops else None, "first stored instant at which the disc neither slides nor spins"
    ratio = speed[last] / (params.radius * abs(spin[last])) if ends and spin[last] != 0.0 else None
    ratio_limit = None if known is None else (known.ratio, source)
    side_limit = None if known is None else (-math.copysign(known.side, params.spin0), source)
    side, left = side_force(data)[last] if ends else None, "side force over drag there, positive to the left"
    late = "v/(R omega) when a thousandth of v + R omega is left"
    return {
        "t_stop": headline(stop, "s", at_rest),
        "x_end": headline(place[-1, 0], "m", "coordinate x of the centre at the end"),
        "y_end": headline(place[-1, 1], "m", "coordinate y of the centre at the end: its curl"),
        "ratio_end": headline(ratio, "1", late, reference=ratio_limit),
        "side_end": headline(side, "1", left, reference=side_limit),
        "friction_work": headlines.friction_work(data),
    }


STUDY = Refinement(
    doubled=("nr", "nt"),
    dt={"t_end": 0.2, "dt": 0.02, "nr": 6, "nt": 16},
    mesh={"t_end": 0.2, "dt": 0.005, "nr": 4, "nt": 12},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Path and the spin of the disc."""
    return {
        "place_end": measure(data.frame_position.values[-1, :2], "m"),
        "place_all_times": measure(data.frame_position.values[:, :2], "m"),
        "spin_all_times": measure(speeds(data)[1], "rad/s"),
        "friction_work": friction_work(data),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the disc along its path, the pressure on its base, the path, and v/(R omega) and side force with their limits."""
    upper, lower = (1.0, 1.0, 1.0, 1.4), (1.2, 1.0, 1.0)
    (*views, base), (path, ratio, side) = drawing.page(figure, panels=4, upper=upper, widths=lower)
    times, (speed, spin), known = data.time.values, speeds(data), reference(params)
    turned = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(times) * (spin[1:] + spin[:-1]))])
    drawing.disc_snapshots(views, data, turned, params.radius, params.half_height)
    areas = ff.RigidBody.disc(params.radius, params.mass, params.nr, params.nt).friction.weights
    drawing.base_pressure(base, data, int(np.argmin(np.abs(speed - 0.5 * speed[0]))), areas)
    place = 1e3 * data.frame_position.values
    path.plot(place[:, 0], place[:, 1], color=drawing.BLUE)
    path.set(xlabel="$x$ [mm]", ylabel="$y$ [mm], enlarged")
    quotient = speed / np.maximum(params.radius * np.abs(spin), 1e-300)
    moves = speed > 1e-3 * max(float(speed[0]), 1e-300)
    goals = (None, None) if known is None else (known.ratio, -math.copysign(known.side, params.spin0))
    drawing.beside_limit(ratio, times[moves], quotient[moves], goals[0], r"$v/(R\omega)$ [1]")
    drawing.beside_limit(side, times[moves], side_force(data)[moves], goals[1], "side force, + left / drag [1]")
    drawing.letters(views[0], base, path, ratio, side)


if __name__ == "__main__":
    main(__file__)
