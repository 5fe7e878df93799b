"""An elastic block pressed on rough ground by its weight and pulled at its face: it sticks, slips, slides, and its pressure shifts.

Reference: G. Szefer 2001, section 2 with boundary contact forces, with the corrections of docs/space.md.

Analysis: dynamics of an elastic solid in space; Signorini's and Coulomb's laws at the nodes of its base; large deformation.

Purpose: the normal pressure, an input of the plane code, is computed: its shift towards the pull and the lifting of the base.

Summary: the block rests on the ground under its weight and is pulled at its right face by a dead force that grows linearly over
`ramp` and ends at `release`. Slip begins at the front. A stiff block moves as a rigid one: at rest until the pull exceeds μ m g,
then with (F − μ m g)/m. The couple of friction and pull shifts the normal forces: at rest their resultant is h F/(2 m g) ahead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, headline, main, measure, nodal
from cases.app.parts import headlines, parameters, solids, space

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from floating_frame import Problem


class Parameters(parameters.PulledParameters):
    """Parameters of the block and its pull."""

    t_end: parameters.EndTime = 0.3
    dt: parameters.StepInSpace = 2e-3
    mu: parameters.MuOfGround = 0.3
    length: parameters.Length = 0.3
    width: parameters.Width = 0.2
    height: parameters.Height = 0.1
    density: parameters.Density = 1200.0
    E: parameters.Young = 5e5
    nu: parameters.Poisson = 0.3
    nx: parameters.CellsX = 6
    ny: parameters.CellsY = 4
    nz: parameters.CellsZ = 2
    pull_x: parameters.PullX = 30.0
    pull_y: parameters.PullY = 0.0
    ramp: parameters.Ramp = 0.1
    release: parameters.Release = 0.2


def problem(params: Parameters) -> Problem:
    """Block at rest under its weight, and the pull."""
    return solids.pulled(params)


options = space.options


def weight(params: Parameters) -> float:
    """Weight, N."""
    return params.density * params.length * params.width * params.height * params.gravity


def rigid_displacement(params: Parameters, count: int = 20000) -> float:
    """Displacement, m, of a rigid block under a pull along x up to ``t_end``, by the trapezoidal rule.

    It does not turn: m v' = F(t) − μ m g while it slides."""
    mass, course = weight(params) / max(params.gravity, 1e-300), ff.Ramp(params.ramp, params.release)
    times = np.linspace(0.0, params.t_end, count + 1)
    force = abs(params.pull_x) * np.array([course.value(t) for t in times])
    gain = (force - params.mu * weight(params)) / mass * (times[1] - times[0])
    speed = np.zeros(count + 1)
    for k in range(count):
        speed[k + 1] = max(speed[k] + 0.5 * (gain[k] + gain[k + 1]), 0.0)
    return float(np.trapezoid(speed, times))


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Displacement of the block and of a rigid one, start and spread of slip, and shift of the pressure."""
    base, times = space.base_of(data), data.time.values
    slips, open_ = data.stick.values[:, base] == 0, data.stick.values[:, base] == -1
    sticks = params.contact == parameters.EXACT  # on a penalty all that presses creeps
    first, all_of_it = (np.flatnonzero(sticks & which) for which in (slips.any(axis=1), (slips | open_).all(axis=1)))
    press, total = data.normal_force.values, data.normal_force.values.sum(axis=1)
    arm = (press * data.position.values[:, :, 0]).sum(axis=1) - total * data.frame_position.values[:, 0]
    ahead = float((arm / np.where(total > 0.0, total, 1.0)).max())
    straight = params.pull_y == 0.0  # a pull across acts beside the centre of mass and turns the block
    known = rigid_displacement(params) if params.gravity > 0.0 and params.coulomb and straight else None
    place = data.frame_position.values[-1] - data.frame_position.values[0]
    mean = float(abs(np.trapezoid(total, times) / (weight(params) * times[-1]) - 1.0)) if params.gravity > 0.0 else None
    return {
        "way": headline(
            float(np.hypot(*place[:2])), "m", "displacement of the centre along the ground at the end",
            reference=None if known is None else (known, "a rigid block"),
        ),
        "t_first_slip": headline(times[first[0]] if len(first) else None, "s", "first stored instant at which a node slips"),
        "t_slides": headline(times[all_of_it[0]] if len(all_of_it) else None, "s", "first stored instant at which no node sticks"),
        "pressure_ahead": headline(
            ahead, "m", "largest distance of the normal forces' resultant ahead of the centre", kind="sampled"
        ),
        "lifted": headline(float(open_.mean(axis=1).max()), "1", "largest share of the base's nodes that are off the ground"),
        "weight_error": headline(mean, "1", "error of the normal forces' mean over time against the weight", kind="check"),
        "displacement_max": space.displacement_max(data),
        "friction_work": space.friction_work(data),
        "balance_error": headlines.balance(data),
    }  # fmt: skip


STUDY = Refinement(
    doubled=("nx", "ny", "nz"),
    dt={"t_end": 0.05, "dt": 0.002, "nx": 3, "ny": 2, "nz": 1, "ramp": 0.02},
    mesh={"t_end": 0.05, "dt": 0.01, "nx": 2, "ny": 2, "nz": 1, "ramp": 0.02},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Positions, attitude and friction work."""
    own = {"attitude": measure(data.frame_rotation.values[-1], "1")}
    return nodal(data) | own | {"friction_work": measure(space.friction_energy(data), "J")}


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the moving deformed block with its pull, the forces over time, and the forces on the base while it slips."""
    views, (forces, base) = drawing.page(figure, panels=3, widths=(1.1, 1.0))
    last, slips = data.sizes["time"] - 1, np.flatnonzero((data.stick.values[:, space.base_of(data)] == 0).any(axis=1))
    largest, size = np.linalg.norm(data.displacement.values, axis=2).max(), np.ptp(data.X.values, axis=0).max()
    magnified = float(np.clip(10.0 ** np.floor(np.log10(0.1 * size / max(largest, 1e-300))), 1.0, 1e4))
    pull = solids.pull(params, data.time.values)
    drawing.solid_snapshots(views, data, [last // 3, 2 * last // 3, last], pull, magnified=magnified)
    draw_forces(forces, params, data, np.linalg.norm(pull, axis=1))
    drawing.base_forces(base, data, int(slips[len(slips) // 3]) if len(slips) else last)
    drawing.letters(views[0], forces, base)


def draw_forces(axes: Axes, params: Parameters, data: xr.Dataset, pull: np.ndarray) -> None:
    """Draw pull, friction and normal force over the weight."""
    times, load = data.time.values, max(weight(params), 1e-300)
    friction, pressing = data.friction_force.values.sum(axis=1), data.normal_force.values.sum(axis=1)
    axes.plot(times, pull / load, color=drawing.GREEN, label="pull")
    axes.plot(times, np.hypot(friction[:, 0], friction[:, 1]) / load, color=drawing.VERMILION, label="friction")
    axes.plot(times, pressing / load, color=drawing.BLUE, label="normal force")
    axes.set(xlabel="time $t$ [s]", ylabel="force / weight [1]", xlim=(times[0], times[-1]), ylim=(0, None))
    axes.legend(loc="best")


if __name__ == "__main__":
    main(__file__)
