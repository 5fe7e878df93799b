"""An elastic block pressed on rough ground by its weight and pulled at its face: it sticks, slips, slides, and presses more ahead.

Reference: G. Szefer 2001, section 2 with boundary contact forces, with the corrections of docs/space.md.

Analysis: dynamics of an elastic solid in space; Signorini's and Coulomb's laws at the nodes of its base; large deformation.

Purpose: the normal pressure, which the plane code must be given, is found: how it shifts towards the pull and where the base lifts.

Summary: the block rests on the ground under its weight and is pulled at its face x = + by a dead force that grows linearly over
`ramp` and ends at `release`. Slip begins ahead. A stiff block moves as a rigid one: at rest until the pull exceeds μ m g, then with
(F − μ m g)/m. Friction and pull have a couple, so the resultant of the normal forces goes ahead by h F/(2 m g) at rest.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cases.app.parts import parameters
from cases.app.parts.measure import Measure, Refinement, measure, nodal
from cases.app.parts.parameters import EXACT
from cases.app.parts.solids import base_of, pulled
from cases.app.parts.space import options, rubbed
from cases.app.run.results import Headlines, balance, headline
from floating_frame import (
    Problem,
    Ramp,
)

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["STUDY", "Parameters", "measures", "options", "problem", "summary"]

Array = NDArray[np.float64]


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
    """Return the block at rest under its weight, and the pull."""
    return pulled(params)


def weight(params: Parameters) -> float:
    """Return the weight, N."""
    return params.density * params.length * params.width * params.height * params.gravity


def rigid_way(params: Parameters, count: int = 20000) -> float:
    """Return the way, m, of a rigid block under a pull along x at ``t_end``, by the trapezoidal rule.

    It does not turn: m v' = F(t) − μ m g while it slides."""
    mass, course = weight(params) / max(params.gravity, 1e-300), Ramp(params.ramp, params.release)
    times = np.linspace(0.0, params.t_end, count + 1)
    force = abs(params.pull_x) * np.array([course.value(t) for t in times])
    gain = (force - params.mu * weight(params)) / mass * (times[1] - times[0])
    speed = np.zeros(count + 1)
    for k in range(count):
        speed[k + 1] = max(speed[k] + 0.5 * (gain[k] + gain[k + 1]), 0.0)
    return float(np.trapezoid(speed, times))


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return how far the block went, beside a rigid one, when slip began and spread, and how the pressure shifted."""
    base, times = base_of(data), data.time.values
    slips, open_ = data.stick.values[:, base] == 0, data.stick.values[:, base] == -1
    sticks = params.contact == EXACT  # on a penalty all that presses creeps
    first, all_of_it = (np.flatnonzero(sticks & which) for which in (slips.any(axis=1), (slips | open_).all(axis=1)))
    press, total = data.normal_force.values, data.normal_force.values.sum(axis=1)
    arm = (press * data.position.values[:, :, 0]).sum(axis=1) - total * data.frame_position.values[:, 0]
    ahead = arm / np.where(total > 0.0, total, 1.0)
    straight = params.pull_y == 0.0  # a pull across acts beside the centre of mass and turns the block
    known = rigid_way(params) if params.gravity > 0.0 and params.coulomb and straight else None
    place = data.frame_position.values[-1] - data.frame_position.values[0]
    return {
        "way": headline(
            float(np.hypot(*place[:2])), "m", "way of the centre along the ground",
            reference=None if known is None else (known, "a rigid block"),
        ),
        "t_first_slip": headline(times[first[0]] if len(first) else None, "s", "first stored instant at which a node slips"),
        "t_slides": headline(times[all_of_it[0]] if len(all_of_it) else None, "s", "first at which none sticks"),
        "pressure_ahead": headline(
            float(ahead.max()), "m", "largest distance of the normal forces' resultant ahead of the centre", kind="sampled"
        ),
        "lifted": headline(float(open_.mean(axis=1).max()), "1", "largest share of the base's nodes that are off the ground"),
        "weight_error": headline(
            float(abs(np.trapezoid(total, times) / (weight(params) * times[-1]) - 1.0)) if params.gravity > 0.0 else None,
            "1", "error of the normal forces' mean over time against the weight", kind="check"
        ),
        "displacement_max": headline(
            float(np.linalg.norm(data.displacement.values, axis=2).max()), "m", "largest displacement in the frame"
        ),
        "friction_work": headline(rubbed(data), "J", "energy dissipated by friction"),
        "balance_error": balance(data),
    }  # fmt: skip


STUDY = Refinement(
    doubled=("nx", "ny", "nz"),
    dt={"t_end": 0.05, "dt": 0.002, "nx": 3, "ny": 2, "nz": 1, "ramp": 0.02},
    mesh={"t_end": 0.05, "dt": 0.01, "nx": 2, "ny": 2, "nz": 1, "ramp": 0.02},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Return positions, attitude and friction work."""
    attitude = measure(data.frame_rotation.values[-1], "1")
    return nodal(data) | {"attitude": attitude, "friction_work": measure(rubbed(data), "J")}


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
