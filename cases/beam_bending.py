"""A beam on a rough plane, loaded across its axis: free, translating, or bending between supports (Szefer, Fig. 3c).

Reference: Szefer (2001), case C, (3.13) to (3.19), corrected; Hermite elements.

Analysis: dynamics of a slender beam with set-valued friction; large rigid motion, small deflections in the floating frame.

Purpose: half swings of L^2 sqrt(rho A/EJ)/pi, their end shapes (multiples of the static one) and arrest, beside the exact ones.

Summary: simply supported, under a uniform step load p and the friction q < p, all points start and come to rest together, half a
swing pi/omega_1 at a time. The beam then has the static shape of a uniform load E_j, E_{j+1} = 2 (p -+ q) - E_j, and it stays when
`|p - E_j| <= q` (derived in cases/references/beams/swings.py).

Motion free: x0, y0, alpha and the deflection w in the floating frame, (3.15) and (3.17), with the friction `V/|V|` of both
velocity components. Translation, (3.18): V_y = dy0/dt + dw/dt only, the frame does not turn. Fixed, (3.19): the same with supports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import fem
import floating_frame as ff
from cases.app import case, drawing
from cases.app.case import Headlines, Measure, Refinement, choice, friction_work, headline, main, measure, quantity
from cases.app.parts import beams, bodies, headlines, laws, parameters
from cases.app.parts.histories import course
from cases.references.beams.swing_motion import deflection, whole_work
from cases.references.beams.swings import arrest, equivalent_load, half_swing, middle, swings, turning_points
from floating_frame.frame.chord import BEAM_FRAMES

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOAD = "load per length p_t along +y; profile tip: its resultant at the right end"
_DURATION = "duration of a half-sine or a pulse; inf: a pulse without end"
_SUPPORT = "supports with motion fixed (cantilever: clamped left)"


class Parameters(beams.BendingParameters):
    """Parameters of the beam; its friction per length is q = mu x pressure x width."""

    t_end: parameters.EndTime = 0.25
    dt: parameters.TimeStep = 5e-4
    scheme: parameters.ImplicitScheme = "sdirk2"
    mu: parameters.Mu = 0.5
    length: parameters.Length = 1.0
    width: parameters.Width = 0.02
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1000.0
    E: parameters.Young = 1e9
    nu: beams.NoEffect = 0.3
    ne: beams.Elements = 40
    load: Annotated[float, quantity("N/m", _LOAD)] = 12.0
    profile: Annotated[str, choice("distribution of the load along the beam", ("uniform", "sine", "tip"))] = "uniform"
    history: Annotated[str, choice("course of the load in time", ("step", "half-sine", "pulse"))] = "step"
    duration: Annotated[float, quantity("s", _DURATION, gt=0, allow_inf_nan=True)] = 0.1
    motion: Annotated[str, choice("motion of the frame", ("free", "translation", "fixed"))] = "fixed"
    support: Annotated[str, choice(_SUPPORT, ("simply-supported", "cantilever"))] = "simply-supported"
    frame: Annotated[str, choice("condition that defines the frame, with motion free", BEAM_FRAMES)] = "mean-axis"
    vx0: Annotated[float, quantity("m/s", "initial velocity along the beam, with motion free")] = 0.0
    vy0: Annotated[float, quantity("m/s", "initial velocity across the beam, with motion free")] = 0.0
    spin0: parameters.Spin = 0.0


def problem(params: Parameters) -> ff.Problem:
    """Beam, straight, and its load from t = 0 on."""
    body, free = beams.beam(params), params.motion == "free"
    supports = "free" if params.motion == "translation" else params.support
    return ff.Problem(
        body=fem.BeamAxis.build(body) if free else body,
        t_end=params.t_end,
        foundation=None if laws.frictionless(params) else bodies.foundation(params, mass=body.mass, area=body.area),
        loads=(ff.LateralLoad(params.load, params.profile, course(params.history, params.duration)),),
        frame=BEAM_FRAMES[params.frame]() if free else ff.Lateral(supports, params.motion),
        initial=ff.InitialState(velocity=(params.vx0, params.vy0), spin=params.spin0) if free else ff.InitialState(),
    )


options = bodies.options


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Swings and arrest beside the exact ones, or the end of the motion; without load and friction the momentum."""
    known = swings(params)
    results = _swings(params, data, known) if known is not None else Headlines()
    largest, still = np.abs(data.displacement.values[..., 1]).max(), len(known or []) == 1
    results["deflection_max"] = headline(largest, "m", "largest deflection in the frame", exact=0.0 if still else None)
    if params.motion != "fixed":
        pushed = params.profile == "uniform" and params.history == "step" and laws.plain_coulomb(params)
        rigid = pushed and not (params.vx0 or params.vy0 or params.spin0)
        q, mass = beams.friction_per_length(params), params.density * params.thickness * params.width
        pull = np.copysign(max(0.0, abs(params.load) - q), params.load)
        exact, y = pull / mass * params.t_end**2 / 2 if rigid else None, float(data.frame_position.values[-1, 1])
        residual, text = float(data.rigid_residual.values.max()), "largest relative residual of (3.15)"
        results["frame_y_end"] = headline(y, "m", "position of the frame across the beam at the end", exact=exact)
        results["angle_end"] = headline(float(data.frame_angle.values[-1]), "rad", "angle of the frame at the end")
        results["rigid_residual"] = headline(residual, "1", text, exact=0.0, kind="check")
    return results | {"friction_work": headlines.friction_work(data), "balance_error": headlines.balance(data)}


def _swings(params: Parameters, data: xr.Dataset, known: list[float]) -> Headlines:
    """First turning points, the time of a half swing, and the arrest."""
    half, (times, w) = half_swing(params), turning_points(data)
    E, count, results = equivalent_load(params, w), min(len(times), len(known) - 1, 6), Headlines()
    if count:
        results["half_swing"] = headline(times[0], "s", "time of the first half swing", exact=half, kind="motion")
    for j in range(count):
        text = f"uniform load of the static shape at turning point {j + 1}"
        results[f"swing_{j + 1}"] = headline(E[j], "N/m", text, exact=known[j + 1])
    end = (len(known) - 1) * half
    stops = beams.friction_per_length(params) > 0 and 0 < end <= params.t_end
    text = "stored time from which the beam is at rest"
    results["arrest_time"] = headline(arrest(data), "s", text, exact=end if stops else None)
    if stops:
        shape = equivalent_load(params, middle(data)[-1:])[0]
        text = "uniform load of the static shape in which the beam stays"
        results["arrested_shape"] = headline(shape, "N/m", text, exact=known[-1])
    return results


STUDY = Refinement(doubled=("ne",), dt={"dt": 0.002, "ne": 80}, mesh={"dt": 0.00025, "ne": 4})


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Positions against a finer level, deflections against the exact swings, and friction work, exact after the arrest."""
    times, w = data.time.values, data.displacement.values[..., 1]
    known, lost = deflection(params, data.X.values[:, 0], times), whole_work(params, float(times[-1]))
    exact = {}
    if known is not None:
        exact = {"deflection_end": measure(w[-1], "m", known[-1]), "deflection_all_times": measure(w, "m", known)}
    return case.nodal(data) | exact | {"friction_work": friction_work(data, lost)}


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the beam at several instants, its swings or its frame's velocity over time, and the energies."""
    figure.set_size_inches(drawing.PAGE, 4.6)
    shapes, motion, energy = figure.subplot_mosaic("aa;bc", height_ratios=[1.1, 1.0]).values()
    end = float(data.time.values[-1])
    until = min(end, 2 * half_swing(params)) if params.motion == "fixed" else end
    last = int(np.searchsorted(data.time.values, until * (1 - 1e-9)))
    instants = np.unique(np.linspace(0, last, 9 if params.motion != "free" else 7).round().astype(int))
    if params.motion == "fixed":
        drawing.deflections(shapes, data, instants, supports=[0, -1] if params.support == "simply-supported" else [0])
        _draw_swings(motion, params, data)
    else:
        (drawing.beam_in_space if params.motion == "free" else drawing.deflections)(shapes, data, instants)
        drawing.frame_velocities(motion, data, params.length)
    drawing.energies(energy, data)
    drawing.legend_above(energy, 0.5, ncols=2)
    drawing.letters(shapes, motion, energy)


def _draw_swings(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the deflection over time, as equivalent static load with its exact turning points, else in mm."""
    times, exact = data.time.values, swings(params)
    drawing.sticking(axes, data, label="at rest")
    if exact is None:
        tip = params.support == "cantilever"
        w = data.displacement.values[:, -1, 1] if tip else middle(data)
        axes.plot(times, 1e3 * w, color=drawing.BLUE, label="right end" if tip else "middle")
        axes.set(ylabel="deflection $w$ [mm]")
    else:
        axes.plot(times, equivalent_load(params, middle(data)), color=drawing.BLUE, label="middle")
        turns, p, q = np.arange(len(exact)) * half_swing(params), params.load, beams.friction_per_length(params)
        shown = turns <= times[-1]
        label = "exact turning points"
        axes.plot(turns[shown], np.array(exact)[shown], "o", color=drawing.BLACK, ms=3, mfc="none", label=label)
        rest = r"rests if $|p - p_w| \leq q$"
        axes.axhspan(p - q, p + q, color=drawing.ORANGE, alpha=0.2, linewidth=0, zorder=0, label=rest)
        axes.set(ylabel="static load that holds $w$, $p_w$ [N/m]")
    axes.set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]))
    drawing.legend_above(axes, 0.42, ncols=2)


if __name__ == "__main__":
    main(__file__)
