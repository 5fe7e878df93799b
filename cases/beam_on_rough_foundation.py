"""A long beam on rough ground, pushed across at its left end, quasi-static: alternating slip zones without end.

Reference: Nikitin (1992); Stupkiewicz and Mróz (1994); the constants are derived in cases/references/beams/self_similar.py.

Analysis: quasi-static increments of an Euler-Bernoulli beam with set-valued friction across its axis.

Purpose: end deflection W(0) P^4/(EJ q^3), slip zones whose lengths approach the ratio (3 - sqrt 5)/2, loss per cycle.

Summary: with the friction q per length nothing has a length but P/q, so the deflection grows with P^4, and slip zones of
alternating direction follow each other from the end to 3.231 P/q. The history matters: with one single step to P the friction
opposes the deflection instead of its rate, the zones shrink by 0.2421 and the end goes 5 % farther. Between that and slow
loading the error falls in proportion to the step. On reversal the traction turns round from the end again; a closed cycle
encloses what it dissipates. With `body` strip it is a plate whose sections shear and rub in both directions (`parts/strip.py`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.parts import bodies, parameters, strip
from cases.app.parts.beams import Elements, NoEffect, beam, bending_stiffness, friction_per_length
from cases.app.parts.histories import QUASI_STATIC, history, of_legs, reached
from cases.app.parts.measure import Measure, Refinement, friction_work, measure
from cases.app.parts.quantities import Numbers, choice, quantity
from cases.app.run.results import Headlines, balance, headline
from cases.references.beams.self_similar import RATIO, SelfSimilar, solve

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

_FORCES = "turning points of the force on the left end, along +y"


class Parameters(strip.StripParameters):
    """Parameters of the beam; its friction per length is q = mu x pressure x width."""

    t_end: Annotated[float, quantity("s", "end of pseudo-time; left out: all legs of the history", gt=0)] = 3.0
    dt: Annotated[float, quantity("s", "increment of pseudo-time; left out: 1/steps", gt=0)] = 0.025
    steps: Annotated[int, quantity("1", "equal increments of a leg of the history", ge=1)] = 120
    scheme: Annotated[str, choice("time integration scheme", (QUASI_STATIC,))] = QUASI_STATIC
    law: Annotated[str, choice("friction law", ("coulomb",))] = "coulomb"
    mu: parameters.Mu = 0.5
    length: parameters.Length = 2.0
    width: parameters.Width = 0.02
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1000.0
    E: parameters.Young = 1e9
    nu: NoEffect = 0.3
    ne: Elements = 200
    forces: Annotated[Numbers, quantity("N", _FORCES)] = (0.9, -0.9, 0.9)


def problem(params: Parameters) -> ff.Problem:
    """Return the beam, or strip, at rest on the ground, without supports, and its history."""
    body = beam(params)
    if not params.forces:
        raise ValueError("forces: expected at least one turning point, got none")
    if params.body == "strip":
        return strip.problem(params)
    return ff.Problem(
        body=body,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=body.mass, area=body.area),
        loads=(ff.LateralLoad(1.0, "left-end", history(params.forces)),),
        frame=ff.Lateral(),
    )


options = bodies.options


def known(params: Parameters, force: float) -> SelfSimilar | None:
    """Return the self-similar solution of a first leg to `force`, None where it does not hold.

    It needs friction, a force, and a beam that reaches beyond the zones.
    """
    q = friction_per_length(params)
    if not q > 0 or force == 0:
        return None
    exact = solve(single_step=params.steps == 1)
    return exact if exact.reach * abs(force) / q <= params.length else None


def scales(params: Parameters, force: float) -> tuple[float, float, float]:
    """Return the scales P/q m of length, P^4/(EJ q^3) m of deflection, P^5/(EJ q^3) J of work (with P's sign: even)."""
    q, EJ = friction_per_length(params), bending_stiffness(params)
    P = abs(force)
    return P / q, np.copysign(P**4 / (EJ * q**3), force), P**5 / (EJ * q**3)


def forces_at(params: Parameters, data: xr.Dataset) -> NDArray[np.float64]:
    """Return the force on the pushed end at the stored times, (times,) N."""
    return np.asarray(np.interp(data.time.values, np.arange(len(params.forces) + 1.0), [0.0, *params.forces]))


def zones(params: Parameters, data: xr.Dataset, instant: int) -> NDArray[np.float64]:
    """Return the ends (n,) m of the slip zones at a stored instant, from the left end.

    A zone ends where the rate of deflection changes its sign between neighbouring nodes that slide (interpolated), or in the
    middle of what sticks between two that slide in opposite directions.
    """
    x = data.X.values[:, 0] + params.length / 2
    rate = data.velocity.values[instant, :, 1]
    sliding = np.flatnonzero(rate != 0)
    left, right = sliding[:-1], sliding[1:]
    turned = rate[left] * rate[right] < 0
    left, right = left[turned], right[turned]
    share = np.where(right == left + 1, rate[left] / (rate[left] - rate[right]), 0.5)
    result: NDArray[np.float64] = x[left] + share * (x[right] - x[left])
    return result


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return deflection and loss of each leg, rotation and slip zones of the first one beside the exact ones, loss per cycle."""
    data = strip.along_axis(data) if params.body == "strip" else data
    w, legs, first = data.displacement.values[:, 0, 1], reached(params), params.forces[0]
    exact = known(params, first) if legs else None
    unit = scales(params, first) if exact else (1.0, 1.0, 1.0)
    loss = (exact.work - exact.energy) * unit[2] if exact and params.steps > 1 else None
    response = ("deflection", w, "m", "deflection of the pushed end at the force {load:g} N")
    results = of_legs(params, data, params.forces, response, [(exact.deflection * unit[1], loss)] if exact else [])
    if exact:
        results |= _first_leg(params, data, exact, unit[:2])
    if legs and params.body == "strip":
        other = strip.beam_instead(params)
        beam_end = float(ff.simulate(ff.assemble(problem(other), options(other))).displacement[-1, 0, 1])
        results |= strip.beside_beam(params, w[params.steps], beam_end, friction_per_length(params))
    if len(legs) >= 3 and params.forces[legs[-1] - 1] == params.forces[legs[-1] - 3]:
        span = slice((legs[-1] - 2) * params.steps, legs[-1] * params.steps + 1)
        force, lost, stored = (
            forces_at(params, data)[span],
            data.dissipation_friction.values[span],
            data.energy_strain.values[span],
        )
        loop = float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(w[span])))
        area = (
            loop - float(stored[-1] - stored[0]),
            "area of the force-deflection loop less the change of the strain energy",
        )
        text = "energy dissipated by friction in the last cycle"
        results["loss_per_cycle"] = headline(lost[-1] - lost[0], "J", text, reference=area)
    return results | {"balance_error": balance(data)}


def _first_leg(params: Parameters, data: xr.Dataset, exact: SelfSimilar, scale: tuple[float, float]) -> Headlines:
    """Rotation of the end, reduced deflection, slip zones and their ratios after the first leg."""
    at, (length, deflection), slow = params.steps, scale, params.steps > 1
    ends = zones(params, data, at)
    lengths = np.diff(ends, prepend=0.0)
    turn, reduced = float(data.rotation[at, 0]), float(data.displacement[at, 0, 1]) / deflection
    text = "deflection of the end over P^4/(EJ q^3), leg 1"
    found = {
        "rotation_1": headline(
            turn, "rad", "rotation of the pushed end, leg 1", exact=exact.slope * deflection / length
        ),
        "reduced_deflection": headline(reduced, "1", text, exact=exact.deflection),
    }
    if slow:
        single, text = (
            solve(single_step=True).deflection,
            "what one single step to the same force gives instead (derived)",
        )
        found["single_step_deflection"] = headline(single * deflection, "m", text, kind="check")
    for number, end in enumerate(ends[:4], start=1):
        text = f"end of slip zone {number}, leg 1"
        found[f"zone_end_{number}"] = headline(end, "m", text, exact=exact.ends[number - 1] * length)
    for number in range(1, min(4, len(lengths))):
        limit = f"; the ratios approach {RATIO:.6f}" if slow else ""
        text = f"length of slip zone {number + 1} over that of zone {number}{limit}"
        ratio, wanted = lengths[number] / lengths[number - 1], exact.lengths[number] / exact.lengths[number - 1]
        found[f"zone_ratio_{number}"] = headline(ratio, "1", text, exact=wanted)
    return found


STUDY = Refinement(
    doubled=("ne", "ny"),
    cells=lambda params: ("ne", "ny") if params.body == "strip" else ("ne",),
    increments="steps",
    dt={"t_end": 1.0, "steps": 4, "ne": 500},
    mesh={"t_end": 1.0, "steps": 1, "ne": 40, "length": 1.7},
    notes={
        "dt": "the first leg; friction opposes the rate of deflection, the better the more steps",
        "mesh": "errors scatter, as the ends of the slip zones lie anywhere within their cells",
    },
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Deflection and rotation of the pushed end, and friction work, at the end; exact for a beam after its first leg."""
    axis = strip.along_axis(data) if params.body == "strip" else data
    exact = known(params, params.forces[0]) if params.body == "beam" and params.t_end == 1.0 else None
    length, deflection, work = scales(params, params.forces[0]) if exact else (1.0, 1.0, 1.0)
    w, turn = float(axis.displacement[-1, 0, 1]), float(axis.rotation[-1, 0])
    lost = exact.friction_work(single_step=params.steps == 1) * work if exact else None
    return {
        "end_deflection": measure(w, "m", exact.deflection * deflection if exact else None),
        "end_rotation": measure(turn, "rad", exact.slope * deflection / length if exact else None),
        "friction_work": friction_work(data, lost),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the first leg's deflections and friction beside the exact ones, and the end's deflection over its force."""
    figure.set_size_inches(drawing.PAGE, 3.6)
    shape, loop, friction = figure.subplot_mosaic("ac;bc", width_ratios=[1.7, 1]).values()
    data = strip.along_axis(data) if params.body == "strip" else data
    last, w, force = (
        min(params.steps, data.sizes["time"] - 1),
        data.displacement.values[:, :, 1],
        forces_at(params, data),
    )
    exact = known(params, force[last])
    _shapes(shape, params, data, last)
    _friction(friction, params, data, last)
    curve = None
    if exact is not None:
        push = force[last] * np.linspace(0.0, 1.0, 100)[1:]
        curve = (1e3 * exact.deflection * np.array([scales(params, P)[1] for P in push]), push)
    drawing.loop(loop, 1e3 * w[:, 0], force, curve, "self-similar beam")
    for leg in reached(params):
        at, beside = (1e3 * w[leg * params.steps, 0], force[leg * params.steps]), (6, -4) if leg == 1 else (-5, 4)
        loop.plot(*at, "o", color=drawing.BLUE, markersize=3)
        loop.annotate(f"{leg}", at, beside, textcoords="offset points", ha="center", fontsize=7)
    loop.set(xlabel="deflection of the end $w$ [mm]", ylabel="force $P$ [N]")
    drawing.letters(shape, friction, loop)


def _shapes(axes: Axes, params: Parameters, data: xr.Dataset, last: int) -> None:
    """Draw deflections on the first leg, and enlarged the second and third zones, which the first one dwarfs."""
    x, w, forces = data.X.values[:, 0] + params.length / 2, data.displacement.values[:, :, 1], forces_at(params, data)
    fine, instants = (
        np.linspace(0.0, params.length, 800),
        np.unique(np.round(np.array([0.5, 0.75, 1.0]) * last).astype(int)),
    )
    for instant, colour in zip(instants, (drawing.SKY, drawing.ORANGE, drawing.BLUE)[-len(instants) :], strict=True):
        axes.plot(x, 1e3 * w[instant], color=colour, label=f"$P$ = {drawing.number(forces[instant])} N")
        exact = known(params, forces[instant])
        if exact is not None:
            length, deflection, _ = scales(params, forces[instant])
            label = "self-similar beam" if instant == last else None
            profile = deflection * exact.profile(fine / length)
            axes.plot(fine, 1e3 * profile, **drawing.EXACT, label=label)
    axes.set(ylabel="deflection $w$ [mm]", xlim=(0, params.length), xticklabels=[])
    axes.legend(loc="upper right")
    if exact is not None:
        inset = axes.inset_axes((0.46, 0.2, 0.52, 0.34))
        inset.plot(x, 1e6 * w[last], color=drawing.BLUE, linewidth=0.9)
        inset.plot(fine, 1e6 * profile, **drawing.EXACT)
        inset.axhline(0.0, color=drawing.GREY, linewidth=0.4, zorder=0)
        largest = 1e6 * np.abs(profile[fine > exact.ends[0] * length]).max()
        inset.set(
            xlim=(0.85 * exact.ends[0] * length, 1.02 * exact.reach * length), ylim=(-1.5 * largest, 0.6 * largest)
        )
        inset.set_ylabel("$w$ [µm]", fontsize=6, labelpad=1)
        inset.tick_params(labelsize=6)


def _friction(axes: Axes, params: Parameters, data: xr.Dataset, last: int) -> None:
    """Draw the friction over its bound at the end of the first leg, and the exact ends of the slip zones."""
    x, weight = data.X.values[:, 0] + params.length / 2, data.friction_weight.values
    share = data.friction_force.values[last, :, 1] / np.where(weight > 0.0, weight, 1.0)
    axes.fill_between(x, share, 0.0, step="mid", color=drawing.BLUE, alpha=0.25, linewidth=0)
    axes.step(x, share, where="mid", color=drawing.BLUE, linewidth=0.9)
    stuck = data.velocity.values[last, :, 1] == 0.0
    if stuck.any():
        axes.plot(x[stuck], share[stuck], ".", markersize=2.2, color=drawing.GREY, label="sticks")
    force = forces_at(params, data)[last]
    exact = known(params, force)
    if exact is not None:
        ends = exact.ends[exact.ends < exact.reach * (1 - 1e-3)] * scales(params, force)[0]
        axes.vlines(ends, -1.2, 1.2, color=drawing.VERMILION, linewidth=0.7, label="exact ends of the zones", zorder=0)
    axes.set(
        xlabel="distance $x$ from the pushed end [m]", xlim=(0, params.length), ylim=(-1.2, 2.1), yticks=[-1, 0, 1]
    )
    axes.set_ylabel("friction over bound,\n$-\\lambda/w$ [1]")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", ncols=2)


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
