"""A rod on rough ground under a slowly changing end force, or slowly heated and cooled: it slips in from its ends.

Reference: derived below; rails and pipelines on ground, Iwan's models of joints. Heating: F. D. Fischer, F. G.
Rammerstorfer, The thermally loaded heavy beam on a rough surface, Trends in Applications of Mathematics to Mechanics (1991).

Analysis: quasi-static increments with set-valued distributed friction; a 2-D plate.

Purpose: slip length, end displacement, Masing's unloading, loss per cycle and residual stress beside the exact ones.

Summary: with the friction q per length, the force P on the left end is taken up over the slip length P/q, N(x) = -(P - q x),
so u(x) = q (P/q - x)^2/(2 EA) and u0 = P^2/(2 EA q). On a reversal by D friction turns round over D/(2 q), u = u_rev -+
D^2/(4 EA q), and a cycle loses D^3/(12 EA q) (Masing; `masing`). A limit load, P >= q L, is refused by name: exit status 3.

Heat: a thermal strain e of the stuck rod is a force EA e that lets go at both free ends: slip length EA e/q, end displacement
EA e^2/(2 q) outwards, and half of it left after cooling, as for the force P = EA e, as long as the slip length stays below
L/2. The carried force is N = p(x) - EA e with p the profile of that P. The exact solutions are those of rods, so
`lateral` = 0 heats along the rod only, as nu = 0 strains it along its axis only; with `lateral` = 1 the width expands too,
rubs, and turns friction away from the axis: at width/length = 0.02 and a slip length of 0.4 the hot displacement is 0.2 to 0.6
% larger and what is left after cooling 11 to 15 % (ny = 2, 1), falling with about width^1.5 and width^0.5.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import model_validator

from cases.app.parts import bodies, laws, parameters
from cases.app.parts.fields import uniform_value
from cases.app.parts.histories import QUASI_STATIC, HistoryParameters, history, reached
from cases.app.parts.measure import Measure, Refinement, friction_work, measure
from cases.app.parts.quantities import Numbers, choice, quantity
from cases.app.run.results import Headlines, balance, headline
from cases.references.rods.masing import Turn
from cases.references.rods.rod_cycle import Rod
from floating_frame import EdgeLoad, Options, Problem

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray


class Parameters(HistoryParameters):
    """Parameters of the rod; its friction per length is q = mu x pressure x width."""

    HISTORIES: ClassVar = ("thermal_strains", "forces")

    t_end: Annotated[float, quantity("s", "end of pseudo-time; left out: all legs of the history", gt=0)] = 3.0
    dt: Annotated[float, quantity("s", "increment of pseudo-time; left out: 1/steps", gt=0)] = 0.05
    scheme: Annotated[str, choice("time integration scheme", (QUASI_STATIC,))] = QUASI_STATIC
    mu: parameters.Mu = 0.5
    length: parameters.Length = 1.0
    width: parameters.Width = 0.02
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1000.0
    E: parameters.Young = 1e5
    nu: parameters.Poisson = 0.0
    material: parameters.Material = "small-strain"
    elements: parameters.Element = "Q1"
    nx: parameters.CellsX = 100
    ny: parameters.CellsY = 1
    forces: Annotated[Numbers, quantity("N", "turning points of the force on the left end, along x")] = (
        0.7848,
        -0.7848,
        0.7848,
    )
    thermal_strains: Annotated[
        Numbers, quantity("1", "turning points of the uniform thermal strain, instead of forces; ends free")
    ] = ()
    lateral: Annotated[float, quantity("1", "thermal strain across the rod over that along it; 0: rod theory")] = 0.0

    @classmethod
    def completed(cls, given: parameters.Given) -> parameters.Given:
        """Leave out the default force where there is heat, and fill in the rest."""
        return super().completed({"forces": ()} | given if given.get("thermal_strains") else given)

    @model_validator(mode="after")
    def _one_history(self) -> Self:
        if bool(self.forces) == bool(self.thermal_strains):
            given = "both" if self.forces else "neither"
            raise ValueError(f"forces: expected turning points of either forces or thermal_strains, got {given}")
        if any(strain <= -0.5 for strain in self.thermal_strains):
            raise ValueError(f"thermal_strains: expected numbers > -0.5, got {min(self.thermal_strains):g}")
        return self


def rod(params: Parameters) -> Rod:
    """Return the exact rod of the parameters."""
    pressure = bodies.pressure(params, mass=params.density * params.thickness, area=1.0)
    stiffness = params.E * params.width * params.thickness
    return Rod(
        stiffness,
        uniform_value(params.mu) * pressure * params.width,
        params.length,
        heated=bool(params.thermal_strains),
    )


def problem(params: Parameters) -> Problem:
    """Return the rod at rest on the ground, and its history."""
    plate = bodies.rectangular_plate(
        params, params, params.length, params.width, thickness=params.thickness, density=params.density
    )
    heat = history(params.thermal_strains)
    along = np.array([1.0, params.lateral])

    def strain(X: NDArray[np.float64], time: float) -> NDArray[np.float64]:
        return np.tile(heat.value(time) * along, (len(X), 1))

    return Problem(
        body=plate,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=plate.mass, area=plate.area),
        loads=(EdgeLoad("left", (1.0, 0.0), history(params.forces)),) if params.forces else (),
        frame=bodies.frame(params),
        thermal_strain=strain if params.thermal_strains else None,
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the history is followed; the stress is stored in any case, for the residual stress."""
    return bodies.options(params, stress=True)


def exact(params: Parameters) -> list[Turn] | None:
    """Return the exact turning points; None where slip zones meet, and where rod theory with Coulomb friction does not hold."""
    if params.nu != 0 or (params.lateral != 0 and params.thermal_strains) or not laws.plain_coulomb(params):
        return None
    return rod(params).turns(params.thermal_strains or params.forces)


def end_displacement(params: Parameters, data: xr.Dataset) -> NDArray[np.float64]:
    """Return the mean displacement of the left end, (times,) m: along x under forces, outwards under heat."""
    left = data.X.values[:, 0] < data.X.values[:, 0].min() + 1e-9 * params.length
    moved = data.position.values[:, left, 0] - data.X.values[left, 0]
    result: NDArray[np.float64] = (-1.0 if params.thermal_strains else 1.0) * moved.mean(axis=1)
    return result


def axial_force(params: Parameters, data: xr.Dataset, instant: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the middles x of the columns of cells, from the left end, (nx,) m, and the axial force there, (nx,) N."""
    middle = data.X.values[data.cells.values, 0].mean(axis=1) + params.length / 2
    column = np.minimum((middle / params.length * params.nx).astype(int), params.nx - 1)
    # Structured cells are equally large, so the mean over a column is the mean over the cross-section.
    force = np.bincount(column, data.stress.values[instant, :, 0]) / np.bincount(column)
    x = (np.arange(params.nx) + 0.5) * params.length / params.nx
    return x, force * params.width * params.thickness


def slip_length(params: Parameters, data: xr.Dataset, instant: int) -> float:
    """Return how far slip has come from the left end, m: the farthest node of its half, or rod, that has slipped."""
    x = data.X.values[:, 0] + params.length / 2
    slipped = data.slip_path.values[instant] > 1e-9 * data.slip_path.values[instant].max(initial=0.0)
    within = x <= params.length / (2 if params.thermal_strains else 1) + 1e-9
    return float(x[slipped & within].max(initial=0.0))


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return, at each turning point, the displacement of the end and the loss of the leg; slip length, residual stress."""
    legs, known = reached(params), exact(params)
    ends = 2 if params.thermal_strains else 1
    u = end_displacement(params, data)
    lost = data.dissipation_friction.values
    kind = "thermal strain" if params.thermal_strains else "force"
    points = params.thermal_strains or params.forces
    results: Headlines = {}
    for leg in legs:
        turn = known[leg - 1] if known else None
        at = leg * params.steps
        unit = "" if params.thermal_strains else " N"
        results[f"displacement_{leg}"] = headline(
            u[at],
            "m",
            f"displacement of the end {'outwards ' if ends == 2 else ''}at {kind} {points[leg - 1]:g}{unit}, leg {leg}",
            exact=turn.displacement if turn else None,
        )
        results[f"loss_{leg}"] = headline(
            lost[at] - lost[at - params.steps],
            "J",
            f"energy dissipated by friction in leg {leg}",
            exact=ends * turn.loss if turn else None,
        )
    if legs:
        first = known[0] if known else None
        results["slip_length"] = headline(
            slip_length(params, data, params.steps),
            "m",
            "slip length after the first leg (to two cells)",
            exact=abs(first.load) / rod(params).friction if first else None,
        )
        last = known[legs[-1] - 1] if known else None
        results |= _stress(params, data, legs[-1], last)
    results |= _loop(params, data, legs, known, ends)
    results["balance_error"] = balance(data)
    return results


def _stress(params: Parameters, data: xr.Dataset, leg: int, turn: Turn | None) -> Headlines:
    """Return the largest axial stress at the end of the last leg, and how far all of it is from the exact one."""
    x, force = axial_force(params, data, leg * params.steps)
    section = params.width * params.thickness
    known = rod(params).axial_force(turn, x) if turn else None
    largest = int(np.argmax(np.abs(force if known is None else known)))
    found = {
        "stress_max": headline(
            force[largest] / section,
            "Pa",
            f"axial stress of largest size at the end of leg {leg}, at x = {x[largest]:g} m from the left end",
            exact=None if known is None else known[largest] / section,
        )
    }
    if known is not None:
        error = np.abs(force - known).max() / section
        found["stress_error"] = headline(
            error, "Pa", f"largest error of the axial stress, leg {leg}", exact=0.0, kind="check"
        )
    return found


def _loop(params: Parameters, data: xr.Dataset, legs: list[int], known: list[Turn] | None, ends: int) -> Headlines:
    """Return the loss of the last two legs where they make a closed cycle."""
    if known is None or len(legs) < 3 or known[legs[-1] - 1].memory != known[legs[-1] - 3].memory:
        return {}
    lost = data.dissipation_friction.values[[(legs[-1] - 2) * params.steps, legs[-1] * params.steps]]
    span = abs(known[legs[-1] - 1].load - known[legs[-1] - 2].load)
    text = "energy dissipated by friction in the last cycle"
    return {"loss_per_cycle": headline(lost[1] - lost[0], "J", text, exact=ends * 4 * rod(params).loss(span / 2))}


STUDY = Refinement(
    doubled=("nx",),
    cells=lambda params: ("nx", "ny"),
    increments="steps",
    dt={"nx": 40, "steps": 2},
    mesh={"nx": 25, "steps": 4},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the slipping end and friction work at the end of the history; exact in rod theory."""
    known = exact(params)
    ends, legs = 2 if params.thermal_strains else 1, len(params.thermal_strains or params.forces)
    whole = known is not None and params.t_end == legs
    u = float(end_displacement(params, data)[-1])
    lost = ends * sum(turn.loss for turn in known) if known and whole else None
    return {
        "end_displacement": measure(u, "m", known[-1].displacement if known and whole else None),
        "friction_work": friction_work(data, lost),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
