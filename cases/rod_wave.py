"""A rod on rough ground, pushed at its end from t = 0 on: the wave runs in, and friction stops all of it at once.

Reference: characteristics of the 1-D wave equation with dry friction; derived in cases/references/rods/rod_wave.py.

Analysis: waves with set-valued distributed friction; explicit dynamics of a 2-D plate.

Purpose: velocity behind the front, arrest, penetration and residual displacement against the exact ones.

Summary: behind the front the velocity P c/(EA) - q t/(2 rho A) is uniform; at t* = 2 P/(q c) everything stops, the front at
2 P/q, with the residual displacement q (2 P/q - x)^2/(4 EA), at the end twice the quasi-static one. A pulse shorter than
P/(q c) leaves (P T - q c T^2/2)/(rho A c) at the end. The plate meets the 1-D theory for nu = 0 and small strain.

Step and cells: with lumped mass and nu = 0 a row of Q1 cells no longer than wide (dx <= dy) has the stable step dx/c exactly:
its highest mode is the axial one. At c dt = dx, the default of scheme explicit, central differences with the nodal prox leave
the end at the exact residual to round-off and the profile to O(dx^2). While the rod moves, a zigzag rides on it: a front's
first kick takes the friction of a whole step where half is due, and nothing disperses it. Displacements of every other node
are then off by up to P dx/(2 EA), which is O(dx), but strains by up to P/(2 EA), with alternating sign: take them from pairs of
cells. In the energy ledger this is P^3/(8 q EA), an eighth of the work, at t*/2; it is gone at t*.
P1 triangles allow 0.71 dx/c (dx = dy) to 0.94 dx/c (slender cells), nu = 0.3 allows 0.95 dx/c: there the front is dispersed,
and dispersion is turned into friction work, an error that falls more slowly than dx, as with every implicit scheme.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import numpy as np

from cases.app.parts import bodies, laws, parameters
from cases.app.parts.fields import uniform_value
from cases.app.parts.measure import Measure, Refinement, friction_work, measure, nodal
from cases.app.parts.quantities import choice, quantity
from cases.app.run.results import Headline, Headlines, headline
from cases.references.rods.rod_wave import SOURCE, RodWave
from floating_frame import SCHEMES, EdgeLoad, Options, Problem, Ramp
from floating_frame.coefficients import RIGID_ONLY

if TYPE_CHECKING:
    import xarray as xr

AT_REST = 1e-3
"""Of P c/(EA): slower than this counts as arrested."""

WITH_INERTIA = [name for name in SCHEMES if name not in ("quasi-static", *RIGID_ONLY)]
"""Schemes that carry waves in an elastic body."""

_STEP = "time step; left out: dx/c with scheme explicit, dx/(2 c) with others, dx = length/nx; with scheme explicit an upper bound"


class Parameters(parameters.ElasticParameters):
    """Parameters of the rod; its friction per length is q = mu x pressure x width."""

    t_end: parameters.EndTime = 0.1
    dt: Annotated[float | None, quantity("s", _STEP + ", and 0 means a safe part of the stable step", ge=0)] = None  # type: ignore[assignment]
    scheme: Annotated[str, choice("time integration scheme (explicit needs elements P1 or Q1)", WITH_INERTIA)] = (
        "explicit"
    )
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
    duration: Annotated[
        float, quantity("s", "time for which the force acts; inf: until the end", gt=0, allow_inf_nan=True)
    ] = np.inf


def wave(params: Parameters) -> RodWave:
    """Return the exact wave of the push `|force|`."""
    mass = params.density * params.width * params.thickness
    pressure = bodies.pressure(params, mass=mass, area=params.width)
    return RodWave(
        force=abs(params.force),
        duration=params.duration,
        stiffness=params.E * params.width * params.thickness,
        mass=mass,
        friction=uniform_value(params.mu) * pressure * params.width,
    )


def problem(params: Parameters) -> Problem:
    """Return the rod at rest on the ground, and its push."""
    plate = bodies.rectangular_plate(
        params, params, params.length, params.width, thickness=params.thickness, density=params.density
    )
    return Problem(
        body=plate,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=plate.mass, area=plate.area),
        loads=(EdgeLoad("left", (params.force, 0.0), Ramp(0.0, params.duration)),),
        frame=bodies.frame(params),
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the wave is integrated; a step that is left out follows the mesh."""
    cell = params.length / params.nx / wave(params).speed
    step = params.dt if params.dt is not None else cell if params.scheme == "explicit" else 0.5 * cell
    return bodies.options(params.model_copy(update={"dt": step}), stress=stress)


def sections(params: Parameters, data: xr.Dataset, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the x of the rod's cross-sections from the loaded end, (n,) m, and the mean of the x component of the
    variable `name` over each, (times, n), positive in the direction of the force.
    """
    place = data.X.values[:, 0] + params.length / 2
    x, member = np.unique(np.round(place / params.length, 9), return_inverse=True)
    values = data[name].values[..., 0] - (data.X.values[:, 0] if name == "position" else 0.0)
    count = np.bincount(member)
    mean = np.stack([np.bincount(member, row) / count for row in values])
    return x * params.length, np.copysign(1.0, params.force) * mean


def dx(params: Parameters) -> float:
    """Return the length of a cell, m."""
    return params.length / params.nx


def rest_time(times: np.ndarray, v: np.ndarray, known: RodWave) -> float | None:
    """Return the first stored time, s, from which no section moves, `v` (times, n) m/s; None where one does at the end."""
    moving = np.flatnonzero(np.abs(v).max(axis=1) > AT_REST * known.first_velocity)
    return float(times[moving[-1] + 1]) if moving.size > 0 and moving[-1] + 1 < len(times) else None


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return velocity behind the front, arrest, penetration and displacement of the end beside the exact ones."""
    known, times = wave(params), data.time.values
    x, u = sections(params, data, "position")
    _, v = sections(params, data, "velocity")
    instant = int(np.argmin(np.abs(times - 0.5 * min(known.arrest, known.duration, times[-1]))))
    loaded = v[instant][x <= known.speed * times[instant] / 2]
    slipped = np.abs(u).max(axis=0) > 1e-6 * dx(params) * known.first_velocity / known.speed
    one_dimensional = laws.plain_coulomb(params) and known.force > 0
    before = one_dimensional and known.speed * min(times[instant], known.arrest) <= params.length
    inside = one_dimensional and known.penetration <= params.length and times[-1] >= known.arrest
    whole = one_dimensional and known.known(times[-1], params.length)
    at_rest = inside and known.known(times[-1], params.length)
    plain, end = params.nu == 0 and params.material == "small-strain", u[-1, 0]

    def entry(value: float | None, unit: str, text: str, wanted: float, *, holds: bool) -> Headline:
        """Return a headline beside what the theory gives where it `holds`: exact for its material, a reference else."""
        if not (holds and np.isfinite(wanted)):
            return headline(value, unit, text)
        if plain:
            return headline(value, unit, text, exact=float(wanted))
        return headline(value, unit, text, reference=(float(wanted), SOURCE))

    text = f"velocity behind the front at t = {times[instant]:.4g} s"
    behind = float(known.velocity(0.0, times[instant]))
    found = {"front_velocity": entry(loaded.mean(), "m/s", text, behind, holds=before)}
    text = "stored time from which the rod is at rest (slower than 0.001 P c/(EA))"
    found["arrest_time"] = entry(rest_time(times, v, known), "s", text, known.arrest, holds=at_rest)
    way = x[slipped].max(initial=0.0)
    found["penetration"] = entry(way, "m", "length that has slipped", known.penetration, holds=inside)
    text = "displacement of the loaded end at the end of the run, along the force"
    found["end_displacement"] = entry(end, "m", text, float(known.displacement(0.0, times[-1])), holds=whole)
    if known.duration > times[-1] and known.friction > 0:
        ratio = end / known.quasi_static_end if known.force > 0 else None
        text = "displacement of the loaded end over the quasi-static P^2/(2 q EA)"
        found["over_quasi_static"] = entry(ratio, "1", text, 2.0, holds=at_rest)
    heat = float(data.dissipation_friction.values[-1])
    work = known.friction_work(times[-1]) if whole else 0.0
    found["friction_work"] = entry(heat, "J", "energy dissipated by friction", work, holds=whole)
    error = float(np.abs(data.balance_error.values).max())
    return found | {
        "balance_error": headline(error, "J", "largest error of the energy balance", exact=0.0, kind="check")
    }


STUDY = Refinement(
    doubled=("nx",),
    cells=lambda params: ("nx", "ny"),
    dt={"nx": 100},
    mesh={"nx": 50},
)
"""The solution does not vary across the rod."""


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the loaded end, of the rod at all times, and friction work; exact in the 1-D theory."""
    front, times = wave(params), data.time.values
    x, u = sections(params, data, "position")
    plain = params.nu == 0 and params.material == "small-strain" and laws.plain_coulomb(params) and front.force > 0
    if not (plain and front.known(times[-1], params.length)):
        return nodal(data) | {"friction_work": friction_work(data)}
    known, v = front.displacement(x, times[:, None]), sections(params, data, "velocity")[1]
    return {
        "loaded_end": measure(u[-1, 0], "m", known[-1, 0]),
        "displacement_at_end": measure(u[-1], "m", known[-1]),
        "displacement_all_times": measure(u, "m", known),
        "velocity_mean": measure(v, "m/s", front.velocity(x, times[:, None]), mean=True),
        "friction_work": friction_work(data, front.friction_work(times[-1])),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
