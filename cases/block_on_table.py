"""A block on a rough table under a force amplitude cos t: stick, slip, stick.

Reference: F. A. Potra, M. Anitescu, B. Gavrea, J. Trinkle, A linearly implicit trapezoidal method for
integrating stiff multibody dynamics with contact, joints, and friction, Int. J. Numer. Meth. Engng 66 (2006)
1079-1124.

Analysis: dynamics of a rigid or elastic block, stick-slip transitions.

Purpose: the times of stick and slip, and the drift over ten seconds, against the exact solution.

Summary: the block slips where `|amplitude cos t|` first exceeds mu m g and until its velocity returns to zero;
both phases are integrated in closed form (`cases/references/block_on_table.py`). Loaded uniformly the elastic
block moves as the rigid one; loaded at its edge it does not, because it slips gradually.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, choice, friction_work, headline, main, measure, quantity
from cases.app.parts import bodies, headlines, laws, parameters
from cases.app.parts.fields import uniform_value
from cases.references.block_on_table import Array, Event, motion

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

LENGTH, WIDTH, HEIGHT = 0.3, 0.3, 0.1  # m
OMEGA = 1.0  # rad/s, the force's angular frequency


class Parameters(parameters.ElasticParameters):
    """Parameters of the block; elasticity is used where `body` is elastic."""

    t_end: parameters.EndTime = 10.0
    dt: parameters.TimeStep = 1e-3
    mu: parameters.Mu = 0.8
    amplitude: Annotated[float, quantity("N", "amplitude a of the force a cos t along x")] = 8.0
    mass: Annotated[float, quantity("kg", "mass of the block, 0.3 x 0.3 x 0.1 m", gt=0)] = 1.0
    body: parameters.RigidOrElastic = "rigid"
    loaded: Annotated[
        str, choice("where the force acts: all over the body, or on its right edge", ("body", "edge"))
    ] = "body"
    E: parameters.Young = 1e6
    nu: parameters.Poisson = 0.3
    nx: parameters.CellsX = 6
    ny: parameters.CellsY = 6


def normal_force(params: Parameters) -> float:
    """Resultant of the normal pressure, N."""
    area = LENGTH * WIDTH
    return bodies.pressure(params, mass=params.mass, area=area) * area


def problem(params: Parameters) -> ff.Problem:
    """Set the block on the table, at rest at t = 0, under the force."""
    area = LENGTH * WIDTH
    density = params.mass / (area * HEIGHT)
    history = ff.Cosine(angular_frequency=OMEGA)
    load: ff.BodyForce | ff.EdgeLoad = ff.EdgeLoad("right", (params.amplitude, 0.0), history)
    if params.loaded == "body":
        load = ff.BodyForce((params.amplitude / params.mass, 0.0), history)
    return ff.Problem(
        body=bodies.rectangular_body(params, (LENGTH, WIDTH, HEIGHT), density),
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=params.mass, area=area),
        loads=(load,),
        frame=bodies.frame(params),
    )


options = bodies.options


def as_rigid(params: Parameters) -> bool:
    """True where all of the block moves alike: it is rigid, or weight, friction and force are uniform."""
    return params.body == "rigid" or params.loaded == "body"


def exact(params: Parameters, times: Array) -> tuple[Array, Array, tuple[Event, ...]]:
    """Position x (n,) m and velocity (n,) m/s of the rigid block at `times` (n,) s under Coulomb friction, and its events."""
    return motion(params.amplitude, params.mass, uniform_value(params.mu) * normal_force(params), times)


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Displacement at the end, friction work and the number of slip phases, beside the exact ones."""
    x, v = data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    stuck = data.stick.values.all(axis=1)
    direction = np.where(stuck, 0.0, np.sign(v))
    slides = ~data.stick.values.any(axis=1)  # a reversal counts where all of the block slides before and after it
    reversals = slides[:-1] & slides[1:] & (direction[:-1] * direction[1:] < 0.0)
    phases = int(np.sum(stuck[:-1] & ~stuck[1:]) + np.sum(reversals))
    x_exact, x_end_exact, phases_exact = None, None, None
    if laws.plain_coulomb(params) and as_rigid(params):
        x_exact, _, events = exact(params, data.time.values)
        x_end_exact, phases_exact = x_exact[-1], sum(event.sign != 0 for event in events)
    return {
        "x_end": headline(x[-1], "m", "displacement of the centre at the end", exact=x_end_exact),
        "x_error_max": headlines.x_error(x, x_exact, "largest error of the displacement at a stored time"),
        "slip_phases": headline(phases, "1", "slip phases of the whole block", exact=phases_exact),
        "friction_work": headlines.friction_work(data),
    }


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"dt": 0.01},
    mesh={"dt": 0.01, "nx": 2, "ny": 2},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the block at the end and at all times, and friction work; exact for the rigid block."""
    times, x, v = data.time.values, data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    x_exact, x_end, v_exact, work = None, None, None, None
    if laws.plain_coulomb(params) and as_rigid(params):
        x_exact, v_exact, events = exact(params, times)
        x_end = x_exact[-1]
        turns = np.array([event.x for event in events] + [x_end])
        work = uniform_value(params.mu) * normal_force(params) * float(np.abs(np.diff(turns)).sum())
    return {
        "x_end": measure(x[-1], "m", x_end),
        "x_all_times": measure(x, "m", x_exact),
        "velocity_mean": measure(v, "m/s", v_exact, mean=True),
        "friction_work": friction_work(data, work),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw velocity and displacement over time beside the rigid block's exact ones, stick shaded, and the difference."""
    figure.set_size_inches(drawing.COLUMN, 4.6)
    known = laws.uniform(params)
    panels = figure.subplots(3 if known else 2, 1, sharex=True, height_ratios=[2, 2, 1.3] if known else None)
    times = data.time.values
    x, v = data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    x_exact, v_exact = exact(params, times)[:2] if known else (None, None)
    other = "rigid block" if not as_rigid(params) else "" if laws.plain_coulomb(params) else "Coulomb"
    for axes, computed, wanted in ((panels[0], v, v_exact), (panels[1], x, x_exact)):
        reference = f"exact, {other}" if other else "exact"
        drawing.beside_exact(axes, times, 1e3 * computed, None if wanted is None else 1e3 * wanted, reference)
    panels[0].set_ylabel("velocity $v_x$ [mm/s]")
    panels[1].set_ylabel("displacement $x$ [mm]")
    if x_exact is not None:
        error = np.abs(x - x_exact)
        panels[2].semilogy(times, np.where(error > 0, error, np.nan), color=drawing.ORANGE)
        if error.max() > 0.0:
            panels[2].set_ylim(max(1e-6 * error.max(), 0.5 * error[error > 0].min()), 4 * error.max())
        panels[2].set_ylabel(rf"$|x - x_\mathrm{{{other.split()[0] if other else 'exact'}}}|$ [m]")
    for axes in panels:
        drawing.sticking(axes, data)
    panels[0].legend(loc="lower center", bbox_to_anchor=(0.55, 1.0), ncols=3, borderaxespad=0.2, columnspacing=1.2)
    panels[-1].set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]))
    drawing.letters(*panels)


if __name__ == "__main__":
    main(__file__)
