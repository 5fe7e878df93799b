"""A ball thrown on a rough plane: it slides on a parabola until it rolls.

Reference: L. Euler, J. A. Euler 1758; G.-G. Coriolis, Théorie mathématique des effets du jeu de billard, Paris 1835.

Analysis: dynamics of a rigid body in space with one point of contact; Signorini's and Coulomb's laws.

Purpose: the instant and the place at which sliding ends, and the velocity with which the ball rolls on, against the exact ones.

Summary: the slip velocity u0 = v0 + Ω0 × (−R e_z) keeps its direction and falls as (7/2) μ g t, so that the path is a parabola
until `t = 2 |u0|/(7 μ g)` and a straight line after it, with v0 − (2/7) u0. The guard against reversals keeps the order of two
across the end of sliding.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from cases.app.parts.measure import Measure, Refinement, measure
from cases.app.parts.parameters import (
    EXACT,
    EndTime,
    Mass,
    MuOfGround,
    RoughParameters,
    SpeedX,
    SpeedY,
    StepInSpace,
    quantity,
)
from cases.app.parts.space import options
from cases.app.run.results import Headlines, headline
from floating_frame import (
    Ball,
    InitialState,
    Problem,
    RigidSolid,
)

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["STUDY", "Parameters", "exact", "measures", "options", "problem", "rolls_from", "summary"]

Array = NDArray[np.float64]


class Parameters(RoughParameters):
    """Parameters of the ball and of its throw."""

    t_end: EndTime = 0.7
    dt: StepInSpace = 1e-3
    mu: MuOfGround = 0.3
    radius: Annotated[float, quantity("m", "radius of the ball", gt=0)] = 0.1
    mass: Mass = 1.0
    vx0: SpeedX = 2.0
    vy0: SpeedY = 0.5
    spin_x: Annotated[float, quantity("rad/s", "initial spin about x, space axes")] = -30.0
    spin_y: Annotated[float, quantity("rad/s", "initial spin about y, space axes")] = 10.0
    spin_z: Annotated[float, quantity("rad/s", "initial spin about z, space axes")] = 5.0


def problem(params: Parameters) -> Problem:
    """Return the ball on the plane, at the start of its throw."""
    moment = 0.4 * params.mass * params.radius**2
    return Problem(
        body=RigidSolid(mass=params.mass, inertia=(moment,) * 3, shape=Ball(params.radius)),
        t_end=params.t_end,
        contacts=(params.ground(1),),
        gravity=params.gravity,
        initial=InitialState(
            position=params.standing(params.radius, params.mass),
            velocity=(params.vx0, params.vy0, 0.0),
            spin=(params.spin_x, params.spin_y, params.spin_z),
        ),
    )


def _slip(params: Parameters) -> Array:
    """Return the slip velocity u0 (2,) m/s at t = 0."""
    return np.array([params.vx0 - params.radius * params.spin_y, params.vy0 + params.radius * params.spin_x])


def rolls_from(params: Parameters) -> float:
    """Return the instant, s, from which the ball rolls; infinite without friction."""
    slip, brake = float(np.hypot(*_slip(params))), params.mu * params.gravity
    return 0.0 if slip == 0.0 else 2.0 * slip / (7.0 * brake) if brake > 0.0 else np.inf


def exact(params: Parameters, times: Array) -> tuple[Array, Array]:
    """Return place and velocity (n, 2) of the centre of mass along the plane at ``times`` (n,) s."""
    slip, start = _slip(params), np.array([params.vx0, params.vy0])
    speed, brake = float(np.hypot(*slip)), params.mu * params.gravity
    direction = slip / speed if speed > 0.0 else slip
    sliding = np.minimum(times, rolls_from(params))[:, None]
    velocity = start - brake * sliding * direction
    place = start * sliding - 0.5 * brake * sliding**2 * direction
    return place + velocity * (times[:, None] - sliding), velocity


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return when and how fast the ball rolls, and where it is at the end, beside the exact values."""
    times, rolls = data.time.values, rolls_from(params)
    known, known_velocity = exact(params, times)
    place, velocity = data.frame_position.values, data.frame_velocity.values
    sticks = np.flatnonzero(data.stick.values[:, 0] == 1)
    weight = params.mass * params.gravity
    presses = data.normal_force.values[:, 0]
    return {
        "t_roll": headline(
            times[sticks[0]] if len(sticks) else None,
            "s",
            "first stored instant at which the ball rolls",
            **params.beside(rolls if rolls <= params.t_end else None),
        ),
        "x_end": headline(place[-1, 0], "m", "place x of the centre at the end", **params.beside(known[-1, 0])),
        "y_end": headline(place[-1, 1], "m", "place y of the centre at the end", **params.beside(known[-1, 1])),
        "vx_end": headline(
            velocity[-1, 0], "m/s", "velocity along x at the end", **params.beside(known_velocity[-1, 0])
        ),
        "vy_end": headline(
            velocity[-1, 1], "m/s", "velocity along y at the end", **params.beside(known_velocity[-1, 1])
        ),
        "path_error": headline(
            np.abs(place[:, :2] - known).max(), "m", "largest error of the path at a stored time", kind="check"
        ),
        "normal_force_error": headline(
            np.abs(presses / weight - 1.0).max() if weight > 0.0 else None,
            "1",
            "largest error of the normal force over the weight",
            kind="check",
        ),
    }


STUDY = Refinement(doubled=(), dt={"dt": 0.02})


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Return path and velocity of the centre of mass."""
    known, velocity = exact(params, data.time.values)
    end, path, speed = (known[-1], known, velocity) if params.contact == EXACT else (None, None, None)
    return {
        "place_end": measure(data.frame_position.values[-1, :2], "m", end),
        "place_all_times": measure(data.frame_position.values[:, :2], "m", path),
        "velocity_mean": measure(data.frame_velocity.values[:, :2], "m/s", speed, mean=True),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
