"""A plate without friction, spinning and stretched: its invariants.

Reference: verification by conservation laws; equations (3.3), (3.4)1 of Szefer (2001), corrected.

Analysis: dynamics of a free elastic plate at large deformation in its floating frame.

Purpose: linear momentum is kept to round-off, angular momentum and energy at the order of the scheme.

Summary: the plate starts spinning as a whole, stretched by `stretch` along x and at rest in the spinning
frame. It vibrates while it turns; its moment of inertia and its spin vary in opposition. Leaving the term 2
omega K out of (3.4)1, as the paper has it, breaks the conservation of angular momentum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, headline, main, measure, nodal, quantity
from cases.app.parts import bodies, laws, parameters

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Parameters(parameters.ElasticParameters):
    """Parameters of the flying plate; with `mu` > 0 it lies on a rough plane after all."""

    t_end: parameters.EndTime = 1.0
    dt: parameters.TimeStep = 4e-4
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


def problem(params: Parameters) -> ff.Problem:
    """Set the plate in flight, stretched and spinning."""
    plate = bodies.rectangular_plate(params, (params.length, params.width, params.thickness), params.density)
    displacement = np.column_stack([params.stretch * plate.X[:, 0], np.zeros(len(plate.X))])
    on_the_plane = None if laws.frictionless(params) else bodies.foundation(params, mass=plate.mass, area=plate.area)
    return ff.Problem(
        body=plate,
        t_end=params.t_end,
        foundation=on_the_plane,
        frame=bodies.frame(params),
        initial=ff.InitialState(spin=params.spin0, displacement=displacement),
    )


options = bodies.options


def mass(params: Parameters) -> float:
    """Mass of the plate, kg."""
    return params.density * params.thickness * params.length * params.width


def angular_momentum(params: Parameters) -> float:
    """Initial angular momentum of the stretched rectangle, kg m2/s, in closed form."""
    moment = mass(params) * (((1 + params.stretch) * params.length) ** 2 + params.width**2) / 12
    return moment * params.spin0


def energy(data: xr.Dataset) -> np.ndarray:
    """Kinetic plus strain energy at the stored times, (times,) J."""
    result: np.ndarray = data.energy_kinetic.values + data.energy_strain.values
    return result


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Momenta and energy at the end, beside their initial values, and the largest strain energy."""
    free, total = laws.frictionless(params), energy(data)
    spin_end, turned = float(data.angular_momentum.values[-1]), float(data.frame_angle.values[-1])
    start, momentum = angular_momentum(params) if free else None, float(np.max(np.abs(data.linear_momentum.values)))
    energy_start, none = (total[0], 0.0) if free else (None, None)
    largest = "largest component of the linear momentum"
    return {
        "angular_momentum_end": headline(spin_end, "kg m2/s", "angular momentum at the end", exact=start),
        "energy_end": headline(total[-1], "J", "kinetic and strain energy at the end", exact=energy_start),
        "linear_momentum_max": headline(momentum, "kg m/s", largest, exact=none, kind="check"),
        "energy_strain_max": headline(float(data.energy_strain.values.max()), "J", "largest strain energy"),
        "angle_end": headline(turned, "rad", "angle turned by the frame"),
    }


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"dt": 0.001, "t_end": 0.25, "nx": 8, "ny": 4},
    mesh={"dt": 0.0005, "t_end": 0.25, "nx": 4, "ny": 2},
    notes={"mesh": "finer cells have waves of higher frequency, whose energy a fixed time step dissipates"},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Positions and angle against a finer level; angular momentum and energy against their conserved values."""
    free = laws.frictionless(params)
    momentum, total = data.angular_momentum.values, energy(data)
    return nodal(data) | {
        "angle_end": measure(float(data.frame_angle.values[-1]), "rad"),
        "angular_momentum": measure(
            momentum, "kg m2/s", np.full(len(momentum), angular_momentum(params)) if free else None
        ),
        "energy": measure(total, "J", np.full(len(total), total[0]) if free else None),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw deformed shapes over time, spin and strain energy, and the drift of momenta and energy."""
    figure.set_size_inches(drawing.PAGE, 3.9)
    layout: dict[str, Axes] = figure.subplot_mosaic(
        [["shapes", "shapes"], ["spin", "drift"]], height_ratios=[1.15, 1.6]
    )
    shapes, spin, drift = (layout[name] for name in ("shapes", "spin", "drift"))
    times = data.time.values
    instants = np.unique(np.linspace(0, len(times) - 1, 6).round().astype(int))
    drawing.strip(shapes, data, instants, (params.length, params.width))
    spin.plot(times, data.frame_spin.values, color=drawing.BLUE)
    spin.set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]))
    spin.set_ylabel(r"spin $\omega$ [rad/s]", color=drawing.BLUE)
    right = drawing.second_axis(spin, "strain energy [J]", drawing.VERMILION)
    right.plot(times, data.energy_strain.values, color=drawing.VERMILION, linewidth=0.9)
    right.set_ylim(bottom=0)
    _draw_drift(drift, params, data)
    drawing.letters(shapes, spin, drift)


def _draw_drift(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the losses of momenta and energy, and the error of the energy balance, over their sizes."""
    times, total, spinning = data.time.values, energy(data), data.angular_momentum.values
    scale = mass(params) * max(abs(params.spin0) * params.length, np.sqrt(2 * total[0] / mass(params)), 1e-300)
    most = max(float(total.max()), 1e-300)
    turning = abs(spinning[0]) if params.spin0 else scale * params.length
    curves = (
        (np.abs(total - total[0]) / most, drawing.ORANGE, "energy"),
        (np.abs(spinning - spinning[0]) / turning, drawing.BLUE, "angular momentum"),
        (np.abs(data.linear_momentum.values).max(axis=1) / scale, drawing.GREEN, "linear momentum"),
        (np.abs(data.balance_error.values) / most, drawing.PURPLE, "remainder of the energy ledger"),
    )
    for values, colour, label in curves:
        shown = np.where(values > 0, values, np.nan)
        axes.semilogy(times, shown, color=colour, linewidth=0.9)
        late = shown[len(shown) // 2 :]
        if np.any(np.isfinite(late)):
            axes.text(times[-1], 2.5 * np.nanmax(late), label, color=colour, ha="right", va="bottom", fontsize=7)
    axes.set(xlabel="time $t$ [s]", ylabel="relative drift", xlim=(times[0], times[-1]))
    low, high = axes.get_ylim()
    axes.set_ylim(low, 30 * high)


if __name__ == "__main__":
    main(__file__)
