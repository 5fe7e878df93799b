"""A plate without friction, spinning and stretched: what its motion must keep.

Reference: verification by conservation laws; equations (3.3), (3.4)1 of Szefer (2001), corrected.

Analysis: dynamics of a free elastic plate at large deformation in its floating frame.

Purpose: linear momentum is kept to round-off, angular momentum and energy at the order of the scheme.

Summary: the plate starts spinning as a whole, stretched by `stretch` along x and at rest in the spinning
frame. It vibrates while it turns; its moment of inertia and its spin vary in opposition. Leaving the term 2
omega K out of (3.4)1, as the paper has it, breaks the conservation of angular momentum.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import numpy as np

from cases.app.parts import bodies, laws, parameters
from cases.app.parts.measure import Measure, Refinement, measure, nodal
from cases.app.parts.quantities import quantity
from cases.app.run.results import Headlines, headline
from floating_frame import InitialState, Options, Problem

if TYPE_CHECKING:
    import xarray as xr


class Parameters(parameters.ElasticParameters):
    """Parameters of the flying plate; with `mu` > 0 it lies on a rough plane after all."""

    t_end: parameters.EndTime = 1.0
    dt: parameters.TimeStep = 1e-3
    mu: parameters.Mu = 0.0
    length: parameters.Length = 1.0
    width: parameters.Width = 0.5
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1100.0
    E: parameters.Young = 2e5
    nu: parameters.Poisson = 0.4
    nx: parameters.CellsX = 16
    ny: parameters.CellsY = 8
    spin0: parameters.Spin = 6.0
    stretch: Annotated[float, quantity("1", "initial displacement u_x = stretch X", gt=-1)] = 0.1


def problem(params: Parameters) -> Problem:
    """Return the plate, stretched and spinning."""
    plate = bodies.rectangular_plate(
        params, params, params.length, params.width, thickness=params.thickness, density=params.density
    )
    displacement = np.column_stack([params.stretch * plate.X[:, 0], np.zeros(len(plate.X))])
    on_the_plane = None if laws.frictionless(params) else bodies.foundation(params, mass=plate.mass, area=plate.area)
    return Problem(
        body=plate,
        t_end=params.t_end,
        foundation=on_the_plane,
        frame=bodies.frame(params),
        initial=InitialState(spin=params.spin0, displacement=displacement),
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the flight is integrated."""
    return bodies.options(params, stress=stress)


def angular_momentum(params: Parameters) -> float:
    """Return the initial angular momentum of the stretched rectangle, kg m2/s, in closed form."""
    mass = params.density * params.thickness * params.length * params.width
    moment = mass * (((1 + params.stretch) * params.length) ** 2 + params.width**2) / 12
    return moment * params.spin0


def energy(data: xr.Dataset) -> np.ndarray:
    """Return kinetic plus strain energy at the stored times, (times,) J."""
    result: np.ndarray = data.energy_kinetic.values + data.energy_strain.values
    return result


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return momenta and energy at the end, beside their initial values, and the largest strain energy."""
    free = laws.frictionless(params)
    total = energy(data)
    momentum = float(np.max(np.abs(data.linear_momentum.values)))
    return {
        "angular_momentum_end": headline(
            float(data.angular_momentum.values[-1]),
            "kg m2/s",
            "angular momentum at the end",
            exact=angular_momentum(params) if free else None,
        ),
        "energy_end": headline(
            total[-1], "J", "kinetic and strain energy at the end", exact=total[0] if free else None
        ),
        "linear_momentum_max": headline(
            momentum, "kg m/s", "largest component of the linear momentum", exact=0.0 if free else None, kind="check"
        ),
        "energy_strain_max": headline(float(data.energy_strain.values.max()), "J", "largest strain energy"),
        "angle_end": headline(float(data.frame_angle.values[-1]), "rad", "angle turned by the frame"),
    }


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"dt": 0.001, "t_end": 0.25, "nx": 8, "ny": 4},
    mesh={"dt": 0.0005, "t_end": 0.25, "nx": 4, "ny": 2},
    notes={"mesh": "finer cells hold quicker waves, whose energy a step that stays the same takes out"},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Return positions and angle against a finer level; angular momentum and energy against their conserved values."""
    free = laws.frictionless(params)
    momentum, total = data.angular_momentum.values, energy(data)
    return nodal(data) | {
        "angle_end": measure(float(data.frame_angle.values[-1]), "rad"),
        "angular_momentum": measure(
            momentum, "kg m2/s", np.full(len(momentum), angular_momentum(params)) if free else None
        ),
        "energy": measure(total, "J", np.full(len(total), total[0]) if free else None),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
