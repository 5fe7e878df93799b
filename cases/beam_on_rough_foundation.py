"""A long beam on rough ground, pushed across at its left end, quasi-static: alternating slip zones without end.

Reference: Nikitin (1992); Stupkiewicz and Mróz (1994); the constants are derived in cases/references/beams/self_similar.py.

Analysis: quasi-static increments of an Euler-Bernoulli beam with set-valued friction across its axis.

Purpose: end deflection W(0) P^4/(EJ q^3), slip zones whose lengths approach the ratio (3 - sqrt 5)/2, loss per cycle.

Summary: P/q is the only length, so the deflection grows with P^4, and slip zones of alternating direction follow each other
from the end to 3.231 P/q. With one single step to P friction opposes the deflection instead of its rate: the end goes 5 % farther.
On reversal the friction reverses from the end inwards; a closed cycle encloses its loss. `body` strip: cases/app/parts/strip.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, choice, friction_work, headline, main, measure, quantity
from cases.app.parts import beams, bodies, headlines, histories, parameters, strip
from cases.references.beams import beam_on_rough_foundation as theory
from cases.references.beams.self_similar import RATIO, SelfSimilar, solve

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FORCES = "turning points of the force on the left end, along +y"
_STEPS = "first leg; in few steps friction opposes the deflection rather than its rate"


class Parameters(strip.StripParameters):
    """Parameters of the beam; its friction per length is q = mu x pressure x width."""

    t_end: histories.EndOfHistory = 3.0
    dt: histories.Increment = 0.025
    steps: Annotated[int, quantity("1", "equal increments of a leg of the history", ge=1)] = 120
    scheme: histories.QuasiStatic = histories.QUASI_STATIC
    law: Annotated[str, choice("friction law", ("coulomb",))] = "coulomb"
    mu: parameters.Mu = 0.5
    length: parameters.Length = 2.0
    width: parameters.Width = 0.02
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1000.0
    E: parameters.Young = 1e9
    nu: beams.NoEffect = 0.3
    ne: beams.Elements = 200
    forces: Annotated[parameters.Numbers, quantity("N", _FORCES)] = (0.9, -0.9, 0.9)


def problem(params: Parameters) -> ff.Problem:
    """Beam, or strip, at rest on the ground, without supports, and its history."""
    if params.body == "strip":
        return strip.problem(params)
    body = beams.beam(params)
    return ff.Problem(
        body=body,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=body.mass, area=body.area),
        loads=(ff.LateralLoad(1.0, "left-end", histories.history(params.forces)),),
        frame=ff.Lateral(),
    )


options = bodies.options


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Deflection and loss of each leg, rotation and slip zones of the first leg beside the exact ones, loss per cycle."""
    data = strip.along_axis(data) if params.body == "strip" else data
    w, legs, first = data.displacement.values[:, 0, 1], histories.reached(params), params.forces[0]
    exact = theory.known(params, first) if legs else None
    unit = theory.scales(params, first) if exact else (1.0, 1.0, 1.0)
    loss = (exact.work - exact.energy) * unit[2] if exact and params.steps > 1 else None
    response = ("deflection", w, "m", "deflection of the pushed end at the force {load:g} N")
    slow_leg = [(exact.deflection * unit[1], loss)] if exact else []
    results = histories.of_legs(params, data, params.forces, response, slow_leg)
    results |= _first_leg(params, data, exact, unit[:2]) if exact else {}
    if legs and params.body == "strip":
        results |= strip.beside_beam(params, w[params.steps], problem, options)
    if len(legs) >= 3 and params.forces[legs[-1] - 1] == params.forces[legs[-1] - 3]:
        cycle = slice((legs[-1] - 2) * params.steps, legs[-1] * params.steps + 1)
        lost, text = data.dissipation_friction.values[cycle], "energy dissipated by friction in the last cycle"
        area = theory.loop_area(params, data, w, cycle)
        results["loss_per_cycle"] = headline(lost[-1] - lost[0], "J", text, reference=area)
    return results | {"balance_error": headlines.balance(data)}


def _first_leg(params: Parameters, data: xr.Dataset, exact: SelfSimilar, scale: tuple[float, float]) -> Headlines:
    """Rotation of the end, reduced deflection, slip zones and their ratios after the first leg."""
    at, (length, deflection), slow = params.steps, scale, params.steps > 1
    ends = theory.zones(params, data, at)
    lengths = np.diff(ends, prepend=0.0)
    turn, reduced = float(data.rotation[at, 0]), float(data.displacement[at, 0, 1]) / deflection
    wanted, text = exact.slope * deflection / length, "deflection of the end over P^4/(EJ q^3), leg 1"
    results = {
        "rotation_1": headline(turn, "rad", "rotation of the pushed end, leg 1", exact=wanted),
        "reduced_deflection": headline(reduced, "1", text, exact=exact.deflection),
    }
    if slow:
        single, text = solve(single_step=True), "deflection of the end after a single step to this force (derived)"
        results["single_step_deflection"] = headline(single.deflection * deflection, "m", text, kind="check")
    for number, end in enumerate(ends[:4], start=1):
        text = f"end of slip zone {number}, leg 1"
        results[f"zone_end_{number}"] = headline(end, "m", text, exact=exact.ends[number - 1] * length)
    for number in range(1, min(4, len(lengths))):
        limit = f"; the ratios approach {RATIO:.6f}" if slow else ""
        text = f"length of slip zone {number + 1} over that of zone {number}{limit}"
        ratio, wanted = lengths[number] / lengths[number - 1], exact.lengths[number] / exact.lengths[number - 1]
        results[f"zone_ratio_{number}"] = headline(ratio, "1", text, exact=wanted)
    return results


STUDY = Refinement(
    doubled=("ne", "ny"),
    cells=lambda params: ("ne", "ny") if params.body == "strip" else ("ne",),
    increments="steps",
    dt={"t_end": 1.0, "steps": 4, "ne": 500},
    mesh={"t_end": 1.0, "steps": 1, "ne": 40, "length": 1.7},
    notes={"dt": _STEPS, "mesh": "errors scatter, as zones end anywhere within a cell"},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Deflection and rotation of the pushed end, and friction work, at the end; exact for a beam after its first leg."""
    axis = strip.along_axis(data) if params.body == "strip" else data
    first = params.body == "beam" and params.t_end == 1.0
    deflection, rotation, lost = theory.first_leg(params, params.forces[0]) if first else (None, None, None)
    return {
        "end_deflection": measure(axis.displacement.values[-1, 0, 1], "m", deflection),
        "end_rotation": measure(axis.rotation.values[-1, 0], "rad", rotation),
        "friction_work": friction_work(data, lost),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the first leg's deflections and friction beside the exact ones, and the end's deflection over its force."""
    figure.set_size_inches(drawing.PAGE, 3.6)
    shape, loop, friction = figure.subplot_mosaic("ac;bc", width_ratios=[1.7, 1]).values()
    data = strip.along_axis(data) if params.body == "strip" else data
    w, force = data.displacement.values[:, :, 1], theory.forces_at(params, data)
    last = min(params.steps, len(force) - 1)
    factor, unit = drawing.prefix(np.abs(w).max())
    _shapes(shape, params, data, last, (factor, unit))
    drawing.friction_over_bound(friction, data, last, params.length, theory.zone_ends(params, force[last]))
    curve = theory.curve(params, force[last])
    drawing.loop(loop, factor * w[:, 0], force, curve and (factor * curve[0], curve[1]), "self-similar beam")
    for leg in (leg for leg in histories.reached(params) if leg * params.steps < len(force)):
        at, beside = (factor * w[leg * params.steps, 0], force[leg * params.steps]), (6, -4) if leg == 1 else (-5, 4)
        loop.plot(*at, "o", color=drawing.BLUE, markersize=3)
        loop.annotate(f"{leg}", at, beside, textcoords="offset points", ha="center", fontsize=7)
    loop.set(xlabel=f"deflection of the end $w$ [{unit}m]", ylabel="force $P$ [N]")
    drawing.letters(shape, friction, loop)


def _shapes(axes: Axes, params: Parameters, data: xr.Dataset, last: int, scale: tuple[float, str]) -> None:
    """Draw deflections on the first leg, the later zones enlarged beside the larger first one. ``scale``: factor and prefix."""
    x, w = data.X.values[:, 0] + params.length / 2, data.displacement.values[:, :, 1]
    forces = theory.forces_at(params, data)
    fine = np.linspace(0.0, params.length, 800)
    instants = np.unique(np.round(np.array([0.5, 0.75, 1.0]) * last).astype(int))
    for instant, colour in zip(instants, (drawing.SKY, drawing.ORANGE, drawing.BLUE)[-len(instants) :], strict=True):
        axes.plot(x, scale[0] * w[instant], color=colour, label=f"$P$ = {drawing.number(forces[instant])} N")
        theoretical = theory.profile(params, forces[instant], fine)
        if theoretical is not None:
            axes.plot(
                fine, scale[0] * theoretical, label="self-similar beam" if instant == last else None, **drawing.EXACT
            )
    axes.set(ylabel=f"deflection $w$ [{scale[1]}m]", xlim=(0, params.length), xticklabels=[])
    axes.legend(loc="upper right")
    if theoretical is not None:
        drawing.magnified(axes, (x, w[last]), (fine, theoretical), *theory.later_zones(params, forces[last], fine))


if __name__ == "__main__":
    main(__file__)
