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

import floating_frame as ff
from cases.app import drawing
from cases.app.parts import bodies, laws, parameters
from cases.app.parts.body_mesh import section_means
from cases.app.parts.fields import uniform_value
from cases.app.parts.histories import QUASI_STATIC, HistoryParameters, history, of_cycle, of_legs, reached
from cases.app.parts.measure import Measure, Refinement, friction_work, measure
from cases.app.parts.quantities import Numbers, choice, quantity
from cases.app.run.results import Headlines, balance, headline
from cases.references.rods.masing import Turn, path
from cases.references.rods.rod_cycle import Rod

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure
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


def problem(params: Parameters) -> ff.Problem:
    """Return the rod at rest on the ground, and its history."""
    plate = bodies.rectangular_plate(
        params, params, params.length, params.width, thickness=params.thickness, density=params.density
    )
    heat = history(params.thermal_strains)
    along = np.array([1.0, params.lateral])

    def strain(X: NDArray[np.float64], time: float) -> NDArray[np.float64]:
        return np.tile(heat.value(time) * along, (len(X), 1))

    return ff.Problem(
        body=plate,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=plate.mass, area=plate.area),
        loads=(ff.EdgeLoad("left", (1.0, 0.0), history(params.forces)),) if params.forces else (),
        frame=bodies.frame(params),
        thermal_strain=strain if params.thermal_strains else None,
    )


def options(params: Parameters, *, stress: bool = False) -> ff.Options:
    """Return how the history is followed; the stress is stored in any case, for the residual stress."""
    return bodies.options(params, stress=True)


def rod(params: Parameters) -> Rod:
    """Return the exact rod of the parameters."""
    pressure = bodies.pressure(params, mass=params.density * params.thickness, area=1.0)
    stiffness, q = params.E * params.width * params.thickness, uniform_value(params.mu) * pressure * params.width
    return Rod(stiffness, q, params.length, heated=bool(params.thermal_strains))


def exact(params: Parameters) -> list[Turn] | None:
    """Return the exact turning points; None where slip zones meet, and where rod theory with Coulomb friction does not hold."""
    if params.nu != 0 or (params.lateral != 0 and params.thermal_strains) or not laws.plain_coulomb(params):
        return None
    return rod(params).turns(params.thermal_strains or params.forces)


def end_displacement(params: Parameters, data: xr.Dataset) -> NDArray[np.float64]:
    """Return the mean displacement of the left end, (times,) m: along x under forces, outwards under heat."""
    end: NDArray[np.float64] = section_means(data, "position", params.length)[1][:, 0]
    return -end if params.thermal_strains else end


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
    legs, known, heated = reached(params), exact(params) or [], bool(params.thermal_strains)
    ends = 2 if heated else 1
    text = (
        "displacement of the end outwards at thermal strain {load:g}"
        if heated
        else "displacement of the end at force {load:g} N"
    )
    response = ("displacement", end_displacement(params, data), "m", text)
    turns = [(turn.displacement, ends * turn.loss) for turn in known]
    results = of_legs(params, data, params.thermal_strains or params.forces, response, turns)
    if legs:
        slip = abs(known[0].load) / rod(params).friction if known else None
        text = "slip length after the first leg (to two cells)"
        results["slip_length"] = headline(slip_length(params, data, params.steps), "m", text, exact=slip)
        results |= _stress(params, data, legs[-1], known[legs[-1] - 1] if known else None)
    return results | of_cycle(params, data, known, rod(params), ends=ends) | {"balance_error": balance(data)}


def _stress(params: Parameters, data: xr.Dataset, leg: int, turn: Turn | None) -> Headlines:
    """Return the largest axial stress at the end of a leg, and the largest error of the stress where it is known."""
    x, force = axial_force(params, data, leg * params.steps)
    section = params.width * params.thickness
    known = rod(params).axial_force(turn, x) if turn else None
    largest = int(np.argmax(np.abs(force if known is None else known)))
    text = f"axial stress of largest size at the end of leg {leg}, at x = {x[largest]:g} m from the left end"
    if known is None:
        return {"stress_max": headline(force[largest] / section, "Pa", text)}
    error, error_text = np.abs(force - known).max() / section, f"largest error of the axial stress, leg {leg}"
    return {
        "stress_max": headline(force[largest] / section, "Pa", text, exact=known[largest] / section),
        "stress_error": headline(error, "Pa", error_text, exact=0.0, kind="check"),
    }


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


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the loop, N(x) at the turning points and the dissipated energy, each over the exact one where there is one."""
    figure.set_size_inches(drawing.PAGE, 2.6)
    loop, along, spent = figure.subplots(1, 3, width_ratios=[1.2, 1.2, 1.0])
    points, times, known = params.thermal_strains or params.forces, data.time.values, exact(params)
    heated, legs = bool(params.thermal_strains), [leg for leg in reached(params) if leg * params.steps < len(data.time)]
    scale = 1e3 if heated else 1.0
    load = scale * np.array([history(points).value(time) for time in times])
    way = path(points, rod(params).turns, times[-1]) if known else None
    drawing.loop(loop, 1e3 * end_displacement(params, data), load, way and (1e3 * way[0], scale * way[1]))
    loop.set_xlabel(f"end displacement $u_0${', outwards' if heated else ''} [mm]")
    loop.set_ylabel("thermal strain [10$^{-3}$]" if heated else "force $P$ [N]")
    fine = np.linspace(0, params.length, 400)
    curves = [(f"leg {leg}", *axial_force(params, data, leg * params.steps)) for leg in legs]
    theory = [(fine, rod(params).axial_force(known[leg - 1], fine)) for leg in legs] if known else []
    drawing.profiles(along, curves, theory, "exact")
    along.set(xlabel="place $x$ from the left end [m]", ylabel="axial force $N$ [N]", xlim=(0, params.length))
    spent.plot(times, 1e3 * data.dissipation_friction.values, color=drawing.BLUE, label="computed")
    if known:
        total = 1e3 * (2 if heated else 1) * np.cumsum([0.0, *(known[leg - 1].loss for leg in legs)])
        spent.plot([0, *legs], total, "o", color=drawing.BLACK, ms=3, mfc="white", label="exact", clip_on=False)
    spent.set(xlabel="pseudo-time [s]", ylabel="friction work [mJ]", xlim=(0, times[-1]), ylim=(0, None))
    spent.legend(loc="upper left")
    drawing.letters(loop, along, spent)


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
