"""A beam on a rough plane, loaded across its axis: free, translating, or bending between supports (Szefer, Fig. 3c).

Reference: Szefer (2001), case C, (3.13) to (3.19), corrected; Hermite elements.

Analysis: dynamics of a slender beam with set-valued friction; large rigid motion, small deflections in the floating frame.

Purpose: half swings of 1/pi L^2 sqrt(rho A/EJ) that end at multiples of the static shape, and arrest, beside the exact ones.

Summary: simply supported, with a uniform step load p on it and the uniform friction q < p: all points start together, and the
modes n = 1, 3, 5, ... with frequencies n^2 omega_1 come to rest together after each half swing pi/omega_1, since n^2 is odd. The
beam then has the static shape of a uniform load E_j, where E_0 = 0, and E_{j+1} = 2 (p -+ q) - E_j (friction against the swing):
every mode is mirrored at its equilibrium under p -+ q. There the force that wants to move it is p - E_j everywhere, so it stays
when `|p - E_j| <= q`. (A sine load over uniform friction moves the middle first and has no such solution.)

Motion free: x0, y0, alpha and the deflection w in the floating frame, (3.15) and (3.17), with the friction `V/|V|` of both
velocity components. Translation, (3.18): V_y = dy0/dt + dw/dt only, the frame does not turn. Fixed, (3.19): the same with supports.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import model_validator

import fem
from cases.app.parts import bodies, laws, parameters
from cases.app.parts.beams import Elements, NoEffect, beam, friction_per_length
from cases.app.parts.measure import Measure, Refinement, friction_work, measure, nodal
from cases.app.parts.quantities import choice, quantity
from cases.app.run.results import Headlines, balance, headline
from cases.references.beams.swing_motion import deflection, whole_work
from cases.references.beams.swings import arrest, equivalent_load, half_swing, middle, swings, turning_points
from floating_frame import (
    Function,
    InitialState,
    Lateral,
    LateralLoad,
    Options,
    Problem,
    Ramp,
)
from floating_frame.frame.chord import BEAM_FRAMES

if TYPE_CHECKING:
    import xarray as xr

    from floating_frame.loads.loads import History

_SCHEMES = ("sdirk2", "backward-euler", "moreau-theta")


class Parameters(parameters.Parameters):
    """Parameters of the beam; its friction per length is q = mu x pressure x width."""

    t_end: parameters.EndTime = 0.25
    dt: parameters.TimeStep = 5e-4
    scheme: Annotated[str, choice("time integration scheme", _SCHEMES)] = "sdirk2"
    mu: parameters.Mu = 0.5
    length: parameters.Length = 1.0
    width: parameters.Width = 0.02
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1000.0
    E: parameters.Young = 1e9
    nu: NoEffect = 0.3
    ne: Elements = 40
    load: Annotated[
        float, quantity("N/m", "load per length p_t along +y; profile tip: its resultant at the right end")
    ] = 12.0
    profile: Annotated[str, choice("distribution of the load along the beam", ("uniform", "sine", "tip"))] = "uniform"
    history: Annotated[str, choice("course of the load in time", ("step", "half-sine", "pulse"))] = "step"
    duration: Annotated[
        float, quantity("s", "duration of a half-sine or a pulse; inf: a pulse without end", gt=0, allow_inf_nan=True)
    ] = 0.1
    motion: Annotated[str, choice("motion of the frame", ("free", "translation", "fixed"))] = "fixed"
    support: Annotated[
        str, choice("supports with motion fixed (cantilever: clamped left)", ("simply-supported", "cantilever"))
    ] = "simply-supported"
    frame: Annotated[str, choice("condition that defines the frame, with motion free", BEAM_FRAMES)] = "mean-axis"
    vx0: Annotated[float, quantity("m/s", "initial velocity along the beam, with motion free")] = 0.0
    vy0: Annotated[float, quantity("m/s", "initial velocity across the beam, with motion free")] = 0.0
    spin0: parameters.Spin = 0.0

    @model_validator(mode="after")
    def _only_a_free_beam_is_thrown(self) -> Self:
        for name in ("vx0", "vy0", "spin0"):
            if self.motion != "free" and getattr(self, name) != 0.0:
                raise ValueError(f"{name}: expected 0 with motion {self.motion}, got {getattr(self, name):g}")
        if self.history == "half-sine" and not np.isfinite(self.duration):
            raise ValueError(f"duration: expected a finite number > 0 with history half-sine, got {self.duration:g}")
        if self.profile == "tip" and self.motion == "translation":
            raise ValueError("profile: expected uniform or sine with motion translation, got 'tip' (it turns the beam)")
        if self.profile == "tip" and self.motion == "fixed" and self.support == "simply-supported":
            raise ValueError("profile: expected uniform or sine with support simply-supported, got 'tip'")
        return self


@dataclass(frozen=True)
class HalfSine:
    """Half a wave of a sine that ends at ``end`` s, then 0."""

    end: float

    def __call__(self, time: float) -> float:
        """Return its value."""
        return float(np.sin(np.pi * time / self.end)) if time <= self.end else 0.0


def course(params: Parameters) -> History:
    """Return the course of the load in time."""
    if params.history == "half-sine":
        end = params.duration
        return Function(HalfSine(end), breaks=(0.0, end))
    return Ramp(0.0, params.duration if params.history == "pulse" else np.inf)


def problem(params: Parameters) -> Problem:
    """Return the beam, straight, and its load from t = 0 on."""
    body = beam(params)
    loads = (LateralLoad(params.load, params.profile, course(params)),)
    foundation = None if laws.frictionless(params) else bodies.foundation(params, mass=body.mass, area=body.area)
    if params.motion == "free":
        return Problem(
            body=fem.BeamAxis.build(body),
            t_end=params.t_end,
            foundation=foundation,
            loads=loads,
            frame=BEAM_FRAMES[params.frame](),
            initial=InitialState(velocity=(params.vx0, params.vy0), spin=params.spin0),
        )
    return Problem(
        body=body,
        t_end=params.t_end,
        foundation=foundation,
        loads=loads,
        frame=Lateral("free" if params.motion == "translation" else params.support, params.motion),
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the motion is integrated."""
    return bodies.options(params, stress=stress)


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return swings and arrest beside the exact ones; or the end of the motion; momentum where nothing acts."""
    results: Headlines = {}
    known = swings(params)
    if known is not None:
        results |= _swings(params, data, known)
    w = data.displacement.values[..., 1]
    at_rest = len(known or []) == 1
    results["deflection_max"] = headline(
        np.abs(w).max(), "m", "largest deflection in the frame", exact=0.0 if at_rest else None
    )
    if params.motion != "fixed":
        rigid = (
            params.profile == "uniform" and params.history == "step" and not (params.vx0 or params.vy0 or params.spin0)
        )
        q, mass = friction_per_length(params), params.density * params.thickness * params.width
        pull = np.copysign(max(0.0, abs(params.load) - q), params.load)
        results["frame_y_end"] = headline(
            float(data.frame_position.values[-1, 1]),
            "m",
            "place of the frame across the beam at the end",
            exact=pull / mass * params.t_end**2 / 2 if rigid and laws.plain_coulomb(params) else None,
        )
        results["angle_end"] = headline(float(data.frame_angle.values[-1]), "rad", "angle of the frame at the end")
        results["rigid_residual"] = headline(
            float(data.rigid_residual.values.max()), "1", "largest relative residual of (3.15)", exact=0.0, kind="check"
        )
    results["friction_work"] = headline(
        float(data.dissipation_friction.values[-1]), "J", "energy dissipated by friction"
    )
    results["balance_error"] = balance(data)
    return results


def _swings(params: Parameters, data: xr.Dataset, known: list[float]) -> Headlines:
    """Return the first turning points, the time of a half swing, and the arrest."""
    half, (times, w) = half_swing(params), turning_points(data)
    E = equivalent_load(params, w)
    found: Headlines = {}
    count = min(len(times), len(known) - 1, 6)
    if count:
        found["half_swing"] = headline(times[0], "s", "time of the first half swing", exact=half, kind="motion")
    for j in range(count):
        found[f"swing_{j + 1}"] = headline(
            E[j], "N/m", f"uniform load of the static shape at turning point {j + 1}", exact=known[j + 1]
        )
    stops = friction_per_length(params) > 0 and (len(known) - 1) * half <= params.t_end and len(known) > 1
    found["arrest_time"] = headline(
        arrest(data),
        "s",
        "stored time from which the beam is at rest",
        exact=(len(known) - 1) * half if stops else None,
    )
    if stops:
        found["arrested_shape"] = headline(
            float(equivalent_load(params, middle(data)[-1:])[0]),
            "N/m",
            "uniform load of the static shape in which the beam stays",
            exact=known[-1],
        )
    return found


STUDY = Refinement(
    doubled=("ne",),
    dt={"dt": 0.002, "ne": 80},
    mesh={"dt": 0.00025, "ne": 4},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Return positions against a finer level, deflections against the exact swings, and friction work, exact after the arrest."""
    times, w = data.time.values, data.displacement.values[..., 1]
    known, lost = deflection(params, data.X.values[:, 0], times), whole_work(params, float(times[-1]))
    exact = {}
    if known is not None:
        exact = {
            "deflection_end": measure(w[-1], "m", known[-1]),
            "deflection_all_times": measure(w, "m", known),
        }
    return nodal(data) | exact | {"friction_work": friction_work(data, lost)}


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
