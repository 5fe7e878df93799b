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
from cases.app.parts import bodies, parameters, strip
from cases.app.parts.beams import Elements, NoEffect, beam, bending_stiffness, friction_per_length
from cases.app.parts.histories import QUASI_STATIC, history, reached
from cases.app.parts.measure import Measure, Refinement, friction_work, measure
from cases.app.parts.quantities import Numbers, choice, quantity
from cases.app.run.results import Headlines, balance, headline
from cases.references.beams.self_similar import RATIO, SelfSimilar, solve
from floating_frame import (
    Lateral,
    LateralLoad,
    Options,
    Problem,
)

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray


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
    forces: Annotated[Numbers, quantity("N", "turning points of the force on the left end, along +y")] = (
        0.9,
        -0.9,
        0.9,
    )


def problem(params: Parameters) -> Problem:
    """Return the beam, or strip, at rest on the ground, without supports, and its history."""
    body = beam(params)
    if not params.forces:
        raise ValueError("forces: expected at least one turning point, got none")
    if params.body == "strip":
        return strip.problem(params)
    return Problem(
        body=body,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=body.mass, area=body.area),
        loads=(LateralLoad(1.0, "left-end", history(params.forces)),),
        frame=Lateral(),
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the history is followed. A limit load is a limit load: no halving of increments."""
    return bodies.options(params, stress=stress)


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
    """Return deflection, rotation and slip zones of the first leg beside the exact ones; deflection and loss of each leg."""
    data = strip.along_axis(data) if params.body == "strip" else data
    w, lost = data.displacement.values[:, 0, 1], data.dissipation_friction.values
    results: Headlines = {}
    for leg in reached(params):
        at, force = leg * params.steps, params.forces[leg - 1]
        exact = known(params, force) if leg == 1 else None
        length, deflection, work = scales(params, force) if friction_per_length(params) > 0 else (1.0, 1.0, 1.0)
        results[f"deflection_{leg}"] = headline(
            w[at],
            "m",
            f"deflection of the pushed end at the force {force:g} N, leg {leg}",
            exact=exact.deflection * deflection if exact else None,
        )
        results[f"loss_{leg}"] = headline(
            lost[at] - lost[at - params.steps],
            "J",
            f"energy dissipated by friction in leg {leg}",
            exact=(exact.work - exact.energy) * work if exact and params.steps > 1 else None,
        )
        if exact:
            results |= _first_leg(params, data, exact, (length, deflection))
        if leg == 1 and params.body == "strip":
            other = strip.beam_instead(params)
            beam_end = float(ff.simulate(ff.assemble(problem(other), options(other))).displacement[-1, 0, 1])
            results |= strip.beside_beam(params, w[at], beam_end, friction_per_length(params))
    points = params.forces
    legs = reached(params)
    if len(legs) >= 3 and points[legs[-1] - 1] == points[legs[-1] - 3]:
        span = slice((legs[-1] - 2) * params.steps, legs[-1] * params.steps + 1)
        force = np.interp(data.time.values[span], np.arange(len(points) + 1.0), [0.0, *points])
        loop = float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(w[span])))
        stored = float(data.energy_strain.values[span][-1] - data.energy_strain.values[span][0])
        results["loss_per_cycle"] = headline(
            lost[span][-1] - lost[span][0],
            "J",
            "energy dissipated by friction in the last cycle",
            reference=(loop - stored, "area of the force-deflection loop less the change of the strain energy"),
        )
    results["balance_error"] = balance(data)
    return results


def _first_leg(params: Parameters, data: xr.Dataset, exact: SelfSimilar, scale: tuple[float, float]) -> Headlines:
    """Rotation of the end, reduced deflection, slip zones and their ratios after the first leg."""
    at, (length, deflection) = params.steps, scale
    ends = zones(params, data, at)
    lengths = np.diff(ends, prepend=0.0)
    found = {
        "rotation_1": headline(
            float(data.rotation[at, 0]),
            "rad",
            "rotation of the pushed end, leg 1",
            exact=exact.slope * deflection / length,
        ),
        "reduced_deflection": headline(
            float(data.displacement[at, 0, 1]) / deflection,
            "1",
            "deflection of the end over P^4/(EJ q^3), leg 1",
            exact=exact.deflection,
        ),
    }
    if params.steps > 1:
        single = solve(single_step=True).deflection
        found["single_step_deflection"] = headline(
            single * deflection, "m", "what one single step to the same force gives instead (derived)", kind="check"
        )
    for number, end in enumerate(ends[:4], start=1):
        found[f"zone_end_{number}"] = headline(
            end, "m", f"end of slip zone {number}, leg 1", exact=exact.ends[number - 1] * length
        )
    for number in range(1, min(4, len(lengths))):
        found[f"zone_ratio_{number}"] = headline(
            lengths[number] / lengths[number - 1],
            "1",
            f"length of slip zone {number + 1} over that of zone {number}"
            + (f"; the ratios approach {RATIO:.6f}" if params.steps > 1 else ""),
            exact=exact.lengths[number] / exact.lengths[number - 1],
        )
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
    beam = params.body == "beam" and params.t_end == 1.0
    exact = known(params, params.forces[0]) if beam else None
    unit = scales(params, params.forces[0]) if exact else (1.0, 1.0, 1.0)
    return {
        "end_deflection": measure(
            float(axis.displacement[-1, 0, 1]), "m", exact.deflection * unit[1] if exact else None
        ),
        "end_rotation": measure(float(axis.rotation[-1, 0]), "rad", exact.slope * unit[1] / unit[0] if exact else None),
        "friction_work": friction_work(
            data, exact.friction_work(single_step=params.steps == 1) * unit[2] if exact else None
        ),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
