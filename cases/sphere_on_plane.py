"""A ball thrown on a rough plane: it slides on a parabola until it rolls.

Reference: L. Euler, J. A. Euler 1758; G.-G. Coriolis, Théorie mathématique des effets du jeu de billard, Paris 1835.

Analysis: dynamics of a rigid body in space with one point of contact; Signorini's and Coulomb's laws.

Purpose: the instant and the place at which sliding ends, and the velocity with which the ball rolls on, against the exact ones.

Summary: the slip velocity u0 = v0 + Ω0 × (−R e_z) keeps its direction and falls as (7/2) μ g t. The path is a parabola until t =
(2/7) u/(μ g), u the size of u0, then a straight line with the velocity v0 − (2/7) u0. The step is cut at the end of sliding: order
two is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, headline, main, measure, quantity
from cases.app.parts import parameters, space

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from floating_frame import Problem

    Array = NDArray[np.float64]


class Parameters(parameters.RoughParameters):
    """Parameters of the ball and of its throw."""

    t_end: parameters.EndTime = 0.7
    dt: parameters.StepInSpace = 1e-3
    mu: parameters.MuOfGround = 0.3
    radius: parameters.Radius = 0.1
    mass: parameters.Mass = 1.0
    vx0: parameters.SpeedX = 2.0
    vy0: parameters.SpeedY = 0.5
    spin_x: Annotated[float, quantity("rad/s", "initial spin about x, space axes")] = -30.0
    spin_y: Annotated[float, quantity("rad/s", "initial spin about y, space axes")] = 10.0
    spin_z: Annotated[float, quantity("rad/s", "initial spin about z, space axes")] = 5.0


def problem(params: Parameters) -> Problem:
    """Ball on the plane, at the start of its throw."""
    moment = 0.4 * params.mass * params.radius**2
    return ff.Problem(
        body=ff.RigidSolid(mass=params.mass, inertia=(moment,) * 3, shape=ff.Ball(params.radius)),
        t_end=params.t_end,
        contacts=(params.ground(1),),
        gravity=params.gravity,
        initial=ff.InitialState(
            position=params.standing(params.radius, params.mass),
            velocity=(params.vx0, params.vy0, 0.0),
            spin=(params.spin_x, params.spin_y, params.spin_z),
        ),
    )


options = space.options


def _slip(params: Parameters) -> Array:
    """Slip velocity u0 (2,) m/s at t = 0."""
    return np.array([params.vx0 - params.radius * params.spin_y, params.vy0 + params.radius * params.spin_x])


def rolls_from(params: Parameters) -> float:
    """Instant, s, from which the ball rolls; infinite without friction."""
    slip, brake = float(np.hypot(*_slip(params))), params.mu * params.gravity
    return 0.0 if slip == 0.0 else 2.0 * slip / (7.0 * brake) if brake > 0.0 else np.inf


def exact(params: Parameters, times: Array) -> tuple[Array, Array]:
    """Place and velocity (n, 2) of the centre of mass along the plane at ``times`` (n,) s."""
    slip, start = _slip(params), np.array([params.vx0, params.vy0])
    speed, brake = float(np.hypot(*slip)), params.mu * params.gravity
    direction = slip / speed if speed > 0.0 else slip
    sliding = np.minimum(times, rolls_from(params))[:, None]
    velocity = start - brake * sliding * direction
    place = start * sliding - 0.5 * brake * sliding**2 * direction
    return place + velocity * (times[:, None] - sliding), velocity


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Begin and speed of rolling, and final position, beside the exact values."""
    times, rolls = data.time.values, rolls_from(params)
    known, known_velocity = exact(params, times)
    place, velocity = data.frame_position.values, data.frame_velocity.values
    sticks = np.flatnonzero(data.stick.values[:, 0] == 1)
    first = times[sticks[0]] if len(sticks) else None
    rolls_within = params.beside(rolls if rolls <= params.t_end else None)
    weight, presses = params.mass * params.gravity, data.normal_force.values[:, 0]
    off = np.abs(presses / weight - 1.0).max() if weight > 0.0 else None
    path, end, end_velocity = np.abs(place[:, :2] - known).max(), known[-1], known_velocity[-1]
    return {
        "t_roll": headline(first, "s", "first stored instant at which the ball rolls", **rolls_within),
        "x_end": headline(place[-1, 0], "m", "coordinate x of the centre at the end", **params.beside(end[0])),
        "y_end": headline(place[-1, 1], "m", "coordinate y of the centre at the end", **params.beside(end[1])),
        "vx_end": headline(velocity[-1, 0], "m/s", "velocity along x at the end", **params.beside(end_velocity[0])),
        "vy_end": headline(velocity[-1, 1], "m/s", "velocity along y at the end", **params.beside(end_velocity[1])),
        "path_error": headline(path, "m", "largest error of the path at a stored time", kind="check"),
        "normal_force_error": headline(off, "1", "largest error of the normal force over the weight", kind="check"),
    }


STUDY = Refinement(doubled=(), dt={"dt": 0.02})


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Path and velocity of the centre of mass."""
    known, velocity = exact(params, data.time.values)
    end, path, speed = (known[-1], known, velocity) if params.contact == parameters.EXACT else (None, None, None)
    return {
        "place_end": measure(data.frame_position.values[-1, :2], "m", end),
        "place_all_times": measure(data.frame_position.values[:, :2], "m", path),
        "velocity_mean": measure(data.frame_velocity.values[:, :2], "m/s", speed, mean=True),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the ball along its path with the contact force, velocities and slip over time, and the error of position."""
    (view,), (speeds, error) = drawing.page(figure, panels=1, widths=(1.2, 1.0))
    times, place = data.time.values, data.frame_position.values[:, :2]
    off = np.abs(place - exact(params, times)[0]).max(axis=1)
    draw_path(view, params, data)
    draw_speeds(speeds, params, data)
    error.semilogy(times, np.where(off > 0.0, off, np.nan), color=drawing.ORANGE)
    error.set(xlabel="time $t$ [s]", ylabel="error of position [m]", xlim=(times[0], times[-1]))
    for axes in (speeds, error):
        drawing.shade(axes, times, data.stick.values[:, 0] == 1, color=drawing.LIGHT)
    drawing.letters(view, speeds, error)


def draw_speeds(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the centre's velocity beside the exact one, and the slip."""
    times, velocity, known = data.time.values, data.frame_velocity.values, exact(params, data.time.values)[1]
    for k, colour, name in ((0, drawing.BLUE, "$v_x$"), (1, drawing.GREEN, "$v_y$")):
        axes.plot(times, velocity[:, k], color=colour, label=name)
        axes.plot(times, known[:, k], color=drawing.BLACK, linestyle=(0, (3, 2)), linewidth=0.8)
    axes.plot(times, np.hypot(*data.velocity.values[:, 0, :2].T), color=drawing.ORANGE, label="slip $|u_t|$")
    axes.set(xlabel="time $t$ [s]", ylabel="velocity [m/s]", xlim=(times[0], times[-1]))
    axes.legend(loc="best")
    if rolls_from(params) < times[-1]:
        middle = 0.5 * (rolls_from(params) + times[-1])
        axes.text(middle, 1.01, "rolls", transform=axes.get_xaxis_transform(), ha="center", va="bottom", fontsize=7)


def draw_path(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the ball at some instants on the ground, its path beside the exact one, and the contact force."""
    place, stick, radius = data.frame_position.values, data.stick.values[:, 0], params.radius
    margin, scale = 1.6 * radius, 2.6 * radius / max(params.mass * params.gravity, 1e-300)
    spacing = drawing.ground(axes, place[:, :2].min(axis=0) - margin, place[:, :2].max(axis=0) + margin)
    drawing.ground_path(axes, place, stick == 1)
    known = np.column_stack([exact(params, data.time.values)[0], np.zeros(len(place))])
    drawing.line(axes, known, color=drawing.BLACK, linestyle=(0, (3, 2)), linewidth=0.7, zorder=1.1)
    shown = drawing.instants(data, 3.5 * radius)
    for k in shown[np.argsort(-place[shown, 1], kind="stable")]:  # the nearest last
        drawing.ball(axes, place[k], data.frame_rotation.values[k], radius)
        drawing.contact(axes, data.position.values[k], data.contact_force.values[k], data.stick.values[k], scale)
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_axis_off()
    axes.set_title(f"lines every {drawing.number(spacing)} m; dashed: exact", loc="right", fontsize=7)
    drawing.states(axes, data.stick.values[shown])


if __name__ == "__main__":
    main(__file__)
