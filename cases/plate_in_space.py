"""The plate of `plate_sliding` as a solid of some height whose weight presses it on rough ground, pulled at its right face.

Reference: G. Szefer 2001, Fig. 3a, case B, as a body in space, with the corrections of docs/theory.md and docs/space.md.

Analysis: dynamics of an elastic solid in space; Signorini's and Coulomb's laws at the nodes of its base; large deformation.

Purpose: the error of a given pressure in the plane code: as the height falls, the solid moves as the plate does.

Summary: friction acts at the base and the pull over the height, so that the pressure shifts ahead by μ h/2 and path and angle
differ from those of `plate_sliding` under given pressure by about a fifth of h over the length. A plate that is thrown without pull
or spin stops after v²/(2 μ g).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, headline, main, measure, nodal
from cases.app.parts import headlines, parameters, solids, space

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from floating_frame import Problem

STOPPED = 0.02
"""Part of the largest speed below which the plate counts as stopped: with little damping it quivers and creeps on."""


class Parameters(parameters.PulledParameters):
    """Parameters of the plate, its pull and its throw."""

    t_end: parameters.EndTime = 1.6
    dt: parameters.StepInSpace = 4e-3
    mu: parameters.MuOfGround = 0.3
    length: parameters.Length = 1.0
    width: parameters.Width = 0.5
    height: parameters.Height = 0.05
    density: parameters.Density = 440.0
    E: parameters.Young = 2.4e4
    nu: parameters.Poisson = 0.4
    nx: parameters.CellsX = 12
    ny: parameters.CellsY = 6
    nz: parameters.CellsZ = 1
    pull_x: parameters.PullX = 40.0
    pull_y: parameters.PullY = 30.0
    ramp: parameters.Ramp = 0.2
    release: parameters.Release = 0.65
    vx0: parameters.SpeedX = 0.0
    vy0: parameters.SpeedY = 0.0
    spin0: parameters.SpinZ = 0.0


def problem(params: Parameters) -> Problem:
    """Plate at rest under its weight, or thrown, and its pull."""
    return solids.pulled(params, velocity=(params.vx0, params.vy0), spin=params.spin0)


options = space.options


def rigid_stop(params: Parameters) -> tuple[float, float] | None:
    """Stop time s and distance m of a rigid plate that is thrown without spin or pull, else None."""
    brake, speed = params.mu * params.gravity, math.hypot(params.vx0, params.vy0)
    if params.pull_x or params.pull_y or params.spin0 or not brake or speed / brake > params.t_end:
        return None
    return speed / brake, speed**2 / (2 * brake)


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Place and time of the stop, angle turned, and shift of the pressure."""
    speed = np.linalg.norm(data.frame_velocity.values[:, :2], axis=1)
    moves = speed > STOPPED * speed.max()
    last = np.flatnonzero(moves)
    stop = None if moves[-1] else float(data.time.values[last[-1] + 1]) if len(last) else 0.0
    known = rigid_stop(params)
    path = np.hypot(*np.diff(data.frame_position.values[:, :2], axis=0).T).sum()
    press = data.normal_force.values
    total = press.sum(axis=1)
    place = (press[..., None] * data.position.values[:, :, :2]).sum(axis=1) / np.where(total > 0, total, 1.0)[:, None]
    ahead = np.linalg.norm(place - data.frame_position.values[:, :2], axis=1)[total > 0]
    return {
        "stop_time": headline(
            stop, "s", "time from which the centre has less than a fiftieth of its largest speed",
            reference=known and (known[0], "a rigid plate"),
        ),
        "distance": headline(float(path), "m", "path length of the centre", reference=known and (known[1], "a rigid plate")),
        "angle": headline(float(space.angle_turned(data)[-1]), "rad", "angle turned about z"),
        "pressure_shift": headline(
            float(ahead.mean()) if len(ahead) else None,
            "m", "mean distance of the normal forces' resultant from the centre", kind="sampled",
        ),
        "displacement_max": space.displacement_max(data),
        "work_external": headline(float(data.work_external.values[-1]), "J", "work of the pull and the weight"),
        "friction_work": space.friction_work(data),
        "balance_error": headlines.balance(data),
    }  # fmt: skip


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"t_end": 0.1, "dt": 0.005, "nx": 4, "ny": 2},
    mesh={"t_end": 0.1, "dt": 0.02, "nx": 4, "ny": 2},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Positions, the angle turned and friction work."""
    angle, friction = float(space.angle_turned(data)[-1]), space.friction_energy(data)
    return nodal(data) | {"angle_end": measure(angle, "rad"), "friction_work": measure(friction, "J")}


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the moving deformed plate with its pull, its motion over time, and the forces on the base at its fastest."""
    views, (motion, base) = drawing.page(figure, panels=3, widths=(1.1, 1.0))
    last, fastest = data.sizes["time"] - 1, int(np.argmax(np.linalg.norm(data.frame_velocity.values, axis=1)))
    drawing.solid_snapshots(views, data, [last // 4, last // 2, last], solids.pull(params, data.time.values))
    draw_motion(motion, data)
    drawing.base_forces(base, data, fastest)
    drawing.letters(views[0], motion, base)


def draw_motion(axes: Axes, data: xr.Dataset) -> None:
    """Draw distance from the start, and angle on an axis of its own."""
    times, place = data.time.values, data.frame_position.values
    axes.plot(times, np.hypot(place[:, 0], place[:, 1]), color=drawing.BLUE)
    axes.set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]))
    axes.set_ylabel("distance from the start [m]", color=drawing.BLUE)
    angle = drawing.second_axis(axes, "angle about $z$ [rad], dashed", drawing.VERMILION)
    angle.plot(times, space.angle_turned(data), color=drawing.VERMILION, linestyle=(0, (4, 1.5)))


if __name__ == "__main__":
    main(__file__)
