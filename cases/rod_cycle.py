"""A rod on rough ground under a slowly changing end force, or slowly heated and cooled: it slips in from its ends.

Reference: derived in cases/references/rods/rod_cycle.py; F. D. Fischer, F. G. Rammerstorfer 1991 (heating); Iwan's joints.

Analysis: quasi-static increments with set-valued distributed friction; a 2-D plate.

Purpose: slip length, end displacement, Masing's unloading, loss per cycle and residual stress beside the exact ones.

Summary: the friction q per length takes up the force P on the left end over the slip length P/q; the end moves by P^2/(2 EA q).
A reversal by D moves it back by D^2/(4 EA q), and a cycle loses D^3/(12 EA q). Forces P >= q L, the limit load, are refused.
A thermal strain e of the stuck rod acts as a force EA e that lets go at both free ends; half of the end displacement is left after
cooling. The exact solutions are of rods: `lateral` = 0 heats along the rod only, with `lateral` = 1 the width expands too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import model_validator

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, friction_work, headline, main, measure, quantity
from cases.app.parts import bodies, headlines, histories, laws, parameters
from cases.references.rods.masing import Turn, path
from cases.references.rods.rod_cycle import axial_force, end_displacement, rod, slip_length

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

_FORCES = "turning points of the force on the left end, along x"
_STRAINS = "turning points of the uniform thermal strain, instead of forces; ends free"


class Parameters(histories.HistoryParameters):
    """Parameters of the rod; its friction per length is q = mu x pressure x width."""

    HISTORIES: ClassVar = ("thermal_strains", "forces")

    t_end: histories.EndOfHistory = 3.0
    dt: histories.Increment = 0.05
    scheme: histories.QuasiStatic = histories.QUASI_STATIC
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
    forces: Annotated[parameters.Numbers, quantity("N", _FORCES)] = (0.7848, -0.7848, 0.7848)
    thermal_strains: Annotated[parameters.Numbers, quantity("1", _STRAINS)] = ()
    lateral: Annotated[float, quantity("1", "thermal strain across the rod over that along it; 0: rod theory")] = 0.0

    @classmethod
    def completed(cls, given: parameters.Given) -> parameters.Given:
        """Leave out the default force where thermal strains are given, and fill in the rest."""
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
    """Rod at rest on the ground, and its history."""
    plate = bodies.rectangular_plate(params, (params.length, params.width, params.thickness), params.density)
    heat, along = histories.history(params.thermal_strains), np.array([1.0, params.lateral])

    def strain(X: np.ndarray, time: float) -> np.ndarray:
        return np.tile(heat.value(time) * along, (len(X), 1))

    return ff.Problem(
        body=plate,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=plate.mass, area=plate.area),
        loads=(ff.EdgeLoad("left", (1.0, 0.0), histories.history(params.forces)),) if params.forces else (),
        frame=bodies.frame(params),
        thermal_strain=strain if params.thermal_strains else None,
    )


def options(params: Parameters, *, stress: bool = False) -> ff.Options:
    """Options of the quasi-static run; the stress is always stored, for the residual stress."""
    return bodies.options(params, stress=True)


def exact(params: Parameters) -> list[Turn] | None:
    """Exact turning points; None where slip zones meet, and where rod theory with Coulomb friction does not hold."""
    if params.nu != 0 or (params.lateral != 0 and params.thermal_strains) or not laws.plain_coulomb(params):
        return None
    return rod(params).turns(params.thermal_strains or params.forces)


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return, at each turning point, the displacement of the end and the loss of the leg; slip length, residual stress."""
    legs, known, heated = histories.reached(params), exact(params) or [], bool(params.thermal_strains)
    ends = 2 if heated else 1
    loaded = "outwards at thermal strain {load:g}" if heated else "at force {load:g} N"
    response = ("displacement", end_displacement(params, data), "m", f"displacement of the end {loaded}")
    turns = [(turn.displacement, ends * turn.loss) for turn in known]
    results = histories.of_legs(params, data, params.thermal_strains or params.forces, response, turns)
    if legs:
        slip = abs(known[0].load) / rod(params).friction if known else None
        text = "slip length after the first leg (within two cells)"
        results["slip_length"] = headline(slip_length(params, data, params.steps), "m", text, exact=slip)
        x, force = axial_force(params, data, legs[-1] * params.steps)
        section = params.width * params.thickness
        theory = rod(params).axial_force(known[legs[-1] - 1], x) if known else None
        largest = int(np.argmax(np.abs(force if theory is None else theory)))
        text = f"axial stress of largest size at the end of leg {legs[-1]}, at x = {x[largest]:g} m from the left end"
        wanted = None if theory is None else theory[largest] / section
        results["stress_max"] = headline(force[largest] / section, "Pa", text, exact=wanted)
        if theory is not None:
            error, text = np.abs(force - theory).max() / section, f"largest error of the axial stress, leg {legs[-1]}"
            results["stress_error"] = headline(error, "Pa", text, exact=0.0, kind="check")
    results |= histories.of_cycle(params, data, known, rod(params), ends=ends)
    return results | {"balance_error": headlines.balance(data)}


STUDY = Refinement(
    doubled=("nx",),
    cells=lambda params: ("nx", "ny"),
    increments="steps",
    dt={"nx": 40, "steps": 2},
    mesh={"nx": 25, "steps": 4},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the slipping end and friction work at the end of the history; exact in rod theory."""
    ends, legs = 2 if params.thermal_strains else 1, len(params.thermal_strains or params.forces)
    known = exact(params) if params.t_end == legs else None
    lost = ends * sum(turn.loss for turn in known) if known else None
    u = float(end_displacement(params, data)[-1])
    return {
        "end_displacement": measure(u, "m", known[-1].displacement if known else None),
        "friction_work": friction_work(data, lost),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the loop, N(x) at the turning points and the dissipated energy, each over the exact one where there is one."""
    figure.set_size_inches(drawing.PAGE, 2.6)
    loop, along, spent = figure.subplots(1, 3, width_ratios=[1.2, 1.2, 1.0])
    points, times, known = params.thermal_strains or params.forces, data.time.values, exact(params)
    legs = [leg for leg in histories.reached(params) if leg * params.steps < len(times)]
    heated, scale = (True, 1e3) if params.thermal_strains else (False, 1.0)
    load = scale * np.array([histories.history(points).value(time) for time in times])
    curve = path(points, rod(params).turns, times[-1]) if known else None
    drawing.loop(loop, 1e3 * end_displacement(params, data), load, curve and (1e3 * curve[0], scale * curve[1]))
    loop.set_xlabel(f"end displacement $u_0${', outwards' if heated else ''} [mm]")
    loop.set_ylabel("thermal strain [10$^{-3}$]" if heated else "force $P$ [N]")
    fine = np.linspace(0, params.length, 400)
    curves = [(f"leg {leg}", *axial_force(params, data, leg * params.steps)) for leg in legs]
    theory = [(fine, rod(params).axial_force(known[leg - 1], fine)) for leg in legs] if known else []
    drawing.profiles(along, curves, theory, "exact")
    along.set(xlabel="distance $x$ from the left end [m]", ylabel="axial force $N$ [N]", xlim=(0, params.length))
    spent.plot(times, 1e3 * data.dissipation_friction.values, color=drawing.BLUE, label="computed")
    if known:
        total = 1e3 * (2 if heated else 1) * np.cumsum([0.0, *(known[leg - 1].loss for leg in legs)])
        spent.plot([0, *legs], total, "o", color=drawing.BLACK, ms=3, mfc="white", label="exact", clip_on=False)
    spent.set(xlabel="pseudo-time [s]", ylabel="friction work [mJ]", xlim=(0, times[-1]), ylim=(0, None))
    spent.legend(loc="upper left")
    drawing.letters(loop, along, spent)


if __name__ == "__main__":
    main(__file__)
