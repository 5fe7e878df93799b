"""A rod on rough ground, pushed at its end from t = 0 on: the wave runs in, and friction stops all of it at once.

Reference: characteristics of the 1-D wave equation with dry friction; derived in cases/references/rods/rod_wave.py.

Analysis: waves with set-valued distributed friction; explicit dynamics of a 2-D plate.

Purpose: velocity behind the front, arrest, penetration and residual displacement against the exact ones.

Summary: behind the front the velocity P c/(EA) - q t/(2 rho A) is uniform; at t* = 2 P/(q c) everything stops, the front at
2 P/q, with the residual displacement q (2 P/q - x)^2/(4 EA), at the end twice the quasi-static one. A pulse shorter than
P/(q c) leaves (P T - q c T^2/2)/(rho A c) at the end. The plate meets the 1-D theory for nu = 0 and small strain.

Step and cells: the explicit scheme at the step dx/c, the default, carries the wave exactly; smaller steps, other elements and
implicit schemes disperse it (cases/references/rods/rod_wave.py, which also explains the zigzag while the rod moves).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, friction_work, main, measure, nodal, quantity
from cases.app.parts import bodies, headlines, laws, parameters
from cases.app.parts.body_mesh import displacements, section_means
from cases.references.rods.rod_wave import SOURCE, RodWave

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

_DURATION = "time for which the force acts; inf: until the end"
_STEP = "time step; left out: dx/c (explicit) or dx/(2 c), dx = length/nx; with scheme explicit an upper bound"


class Parameters(parameters.ElasticParameters):
    """Parameters of the rod; its friction per length is q = mu x pressure x width."""

    t_end: parameters.EndTime = 0.1
    dt: Annotated[float | None, quantity("s", _STEP + ", 0: a safe part of the stable step", ge=0)] = None  # type: ignore[assignment]
    scheme: parameters.SchemeOfElastic = "explicit"
    mu: parameters.Mu = 0.5
    length: parameters.Length = 1.0
    width: parameters.Width = 0.02
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1000.0
    E: parameters.Young = 1e5
    nu: parameters.Poisson = 0.0
    material: parameters.Material = "small-strain"
    elements: parameters.Element = "Q1"
    nx: parameters.CellsX = 200
    ny: parameters.CellsY = 1
    force: Annotated[float, quantity("N", "force on the left end, along x")] = 0.3924
    duration: Annotated[float, quantity("s", _DURATION, gt=0, allow_inf_nan=True)] = np.inf


def problem(params: Parameters) -> ff.Problem:
    """Rod at rest on the ground, and its push."""
    plate = bodies.rectangular_plate(params, (params.length, params.width, params.thickness), params.density)
    return ff.Problem(
        body=plate,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=plate.mass, area=plate.area),
        loads=(ff.EdgeLoad("left", (params.force, 0.0), ff.Ramp(0.0, params.duration)),),
        frame=bodies.frame(params),
    )


def options(params: Parameters, *, stress: bool = False) -> ff.Options:
    """Options of the integration of the wave; the default step follows from the mesh."""
    cell = params.length / params.nx / wave(params).speed
    step = params.dt if params.dt is not None else cell if params.scheme == "explicit" else 0.5 * cell
    return bodies.options(params.model_copy(update={"dt": step}), stress=stress)


def wave(params: Parameters) -> RodWave:
    """Exact wave of the push `|force|`."""
    mass = params.density * params.width * params.thickness
    q = bodies.friction_per_area(params) * params.width
    return RodWave(abs(params.force), params.duration, params.E * params.width * params.thickness, mass, q)


def sections(params: Parameters, data: xr.Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions of the cross-sections, their displacements and velocities, positive in the direction of the force."""
    x, u = section_means(data, displacements(data), params.length)
    v = section_means(data, data.velocity.values, params.length)[1]
    return x, np.copysign(1.0, params.force) * u, np.copysign(1.0, params.force) * v


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Velocity behind the front, arrest, penetration and displacement of the end beside the 1-D theory."""
    known, times = wave(params), data.time.values
    x, u, v = sections(params, data)
    one_dimensional = laws.plain_coulomb(params) and known.force > 0
    whole = one_dimensional and known.known(times[-1], params.length)
    inside = one_dimensional and known.penetration <= params.length and times[-1] >= known.arrest
    plain = params.nu == 0 and params.material == "small-strain"  # else the theory is another material's
    entry = partial(headlines.beside, source=None if plain else SOURCE)
    instant = int(np.argmin(np.abs(times - 0.5 * min(known.arrest, known.duration, times[-1]))))
    behind = v[instant][x <= known.speed * times[instant] / 2].mean()
    before = one_dimensional and known.speed * min(times[instant], known.arrest) <= params.length
    text = f"velocity behind the front at t = {times[instant]:.4g} s"
    results = {"front_velocity": entry(behind, "m/s", text, float(known.velocity(0.0, times[instant])), holds=before)}
    moving = np.flatnonzero(np.abs(v).max(axis=1) > 1e-3 * known.first_velocity)
    rest = float(times[moving[-1] + 1]) if moving.size and moving[-1] + 1 < len(times) else None
    text = "stored time from which the rod is at rest (slower than 0.001 P c/(EA))"
    results["arrest_time"] = entry(rest, "s", text, known.arrest, holds=inside and whole)
    slipped = np.abs(u).max(axis=0) > 1e-6 * params.length / params.nx * known.first_velocity / known.speed
    text = "length that has slipped"
    results["penetration"] = entry(x[slipped].max(initial=0.0), "m", text, known.penetration, holds=inside)
    text = "displacement of the loaded end at the end of the run, along the force"
    results["end_displacement"] = entry(u[-1, 0], "m", text, float(known.displacement(0.0, times[-1])), holds=whole)
    if known.duration > times[-1] and known.friction > 0:
        ratio = u[-1, 0] / known.quasi_static_end if known.force > 0 else None
        text = "displacement of the loaded end over the quasi-static P^2/(2 q EA)"
        results["over_quasi_static"] = entry(ratio, "1", text, 2.0, holds=inside and whole)
    heat, work = float(data.dissipation_friction.values[-1]), known.friction_work(times[-1]) if whole else 0.0
    results["friction_work"] = entry(heat, "J", "energy dissipated by friction", work, holds=whole)
    return results | {"balance_error": headlines.balance(data)}


STUDY = Refinement(doubled=("nx",), cells=lambda params: ("nx", "ny"), dt={"nx": 100}, mesh={"nx": 50})
"""The solution does not vary across the rod."""


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the loaded end, of the rod at all times, and friction work; exact in the 1-D theory."""
    front, times = wave(params), data.time.values
    x, u, v = sections(params, data)
    plain = params.nu == 0 and params.material == "small-strain" and laws.plain_coulomb(params) and front.force > 0
    if not (plain and front.known(times[-1], params.length)):
        return nodal(data) | {"friction_work": friction_work(data)}
    known = front.displacement(x, times[:, None])
    return {
        "loaded_end": measure(u[-1, 0], "m", known[-1, 0]),
        "displacement_at_end": measure(u[-1], "m", known[-1]),
        "displacement_all_times": measure(u, "m", known),
        "velocity_mean": measure(v, "m/s", front.velocity(x, times[:, None]), mean=True),
        "friction_work": friction_work(data, front.friction_work(times[-1])),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw v(x, t) with the characteristics, v(x) at three instants, and u(x) at the end, beside the 1-D theory."""
    figure.set_size_inches(drawing.PAGE, 3.5)
    plane, velocity, end = figure.subplot_mosaic("ab;ac", width_ratios=[1.25, 1]).values()
    known, times, length = wave(params), data.time.values, params.length
    x, u, v = sections(params, data)
    scale = known.first_velocity if known.force > 0 else 1.0
    drawing.wave_plane(plane, x, times, v / scale, r"relative velocity $v\,/\,(Pc/EA)$; grey: sticks")
    instants = [int(np.argmin(np.abs(times - part * min(known.arrest, times[-1])))) for part in (0.2, 0.5, 0.8)]
    for k, colour in zip(instants, (drawing.BLUE, drawing.GREEN, drawing.VERMILION), strict=True):
        velocity.plot(x, v[k], color=colour, label=f"$t$ = {drawing.number(times[k])} s")
    end.plot(x, 1e3 * u[-1], color=drawing.BLUE, linewidth=1.6, label="computed")
    if laws.plain_coulomb(params) and known.force > 0:
        drawing.characteristics(plane, known)
        fine, label = np.linspace(0, length, 2001), "1-D theory"
        for k, name in zip(instants, (label, None, None), strict=True):
            valid = fine[known.holds(fine, times[k], length)]
            velocity.plot(valid, known.velocity(valid, times[k]), **drawing.EXACT, label=name)
        valid = fine[known.holds(fine, times[-1], length)]
        end.plot(
            valid, 1e3 * known.displacement(valid, times[-1]), **drawing.EXACT, label=label if valid.size else None
        )
    if 0 < known.force <= known.friction * length and known.duration > times[-1]:
        end.plot(x, 1e3 * known.quasi_static(x), color=drawing.ORANGE, linewidth=0.9, label="quasi-static")
    far = min(length, 1.5 * x[np.abs(v).max(axis=0) > 1e-9 * known.first_velocity].max(initial=0.0)) or length
    plane.set_xlim(0, far)
    velocity.set(ylabel="velocity $v$ [m/s]", xlim=(0, far), xticklabels=[])
    drawing.legend_above(velocity, 0.3, ncols=2)
    end.set(xlabel=plane.get_xlabel(), ylabel=f"$u$ at $t$ = {drawing.number(times[-1])} s [mm]", xlim=(0, far))
    end.legend(loc="upper right")
    drawing.letters(plane, velocity, end)


if __name__ == "__main__":
    main(__file__)
