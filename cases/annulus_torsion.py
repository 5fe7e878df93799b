"""An annulus between rough planes, turned at its inner rim: a slip zone grows outwards, and cycles of torque form a loop.

Reference: derived in cases/references/rods/annulus_torsion.py.

Analysis: quasi-static increments (or dynamics) with set-valued distributed friction in plane elasticity.

Purpose: the carried torque T(r), the angle of the rim, Masing's unloading and the loss per cycle beside the exact ones.

Summary: friction tau_f = faces mu p_n takes up the torque over a < r < c: T(r) = (2 pi/3) tau_f (c^3 - r^3). The rim turns by
phi = tau_f/(3 G h) (c^3/(2 a^2) - 3 c/2 + a); unloading slips against twice the friction. At the limit load
T = (2 pi/3) tau_f (b^3 - a^3), refused here, all of it slips. With inertia a sudden torque turns it beyond the quasi-static angle.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import model_validator

import fem
import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, friction_work, headline, main, measure, quantity
from cases.app.parts import bodies, headlines, histories, laws, parameters
from cases.app.parts.histories import QUASI_STATIC, history, of_cycle, of_legs, reached
from cases.references.rods.annulus_torsion import annulus, carried_torque, rim_angle, slip_radius, torque_at
from cases.references.rods.masing import Turn, path

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

_TORQUES = "turning points of the torque on the inner rim"


class Parameters(histories.SuddenOrSlow):
    """Parameters of the annulus; friction traction tau_f = mu x pressure x faces."""

    HISTORIES: ClassVar = ("torques",)

    t_end: histories.EndOfEither = 3.0
    dt: histories.StepOfEither = 0.05
    scheme: parameters.SchemeOrQuasiStatic = QUASI_STATIC
    mu: parameters.Mu = 0.5
    inner_radius: Annotated[float, quantity("m", "inner radius a, where the torque acts", gt=0)] = 0.05
    outer_radius: Annotated[float, quantity("m", "outer radius b", gt=0)] = 0.2
    faces: Annotated[int, quantity("1", "rough planes: 1 (below) or 2 (below and above)", ge=1, le=2)] = 2
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1000.0
    E: parameters.Young = 1e6
    nu: parameters.Poisson = 0.3
    material: parameters.Material = "small-strain"
    elements: parameters.Element = "Q1"
    nr: Annotated[int, quantity("1", "cells along the radius", ge=1)] = 30
    nt: Annotated[int, quantity("1", "cells along the circumference", ge=3)] = 60
    torques: Annotated[parameters.Numbers, quantity("N m", _TORQUES)] = (1.3354, -1.3354, 1.3354)

    @classmethod
    def passage(cls, values: parameters.Given) -> tuple[float, int]:
        """Travel time of a shear wave from rim to rim, s, and number of cells between the rims."""
        speed = math.sqrt(values["E"] / (2 * (1 + values["nu"]) * values["density"]))
        return (values["outer_radius"] - values["inner_radius"]) / speed, values["nr"]

    @model_validator(mode="after")
    def _is_an_annulus(self) -> Self:
        a, b = self.inner_radius, self.outer_radius
        if not a < b:
            raise ValueError(f"outer_radius: expected a number > inner_radius = {a:g}, got {b:g}")
        return self


def problem(params: Parameters) -> ff.Problem:
    """Annulus at rest between the planes, and the torque on its inner rim."""
    mesh = fem.annulus(params.inner_radius, params.outer_radius, params.nr, params.nt, bodies.cell_shape(params))
    plate = bodies.plate(params, mesh, thickness=params.thickness, density=params.density)
    slow = params.scheme == QUASI_STATIC
    course = (1.0, history(params.torques)) if slow else (params.torques[0], ff.Ramp(0.0))
    return ff.Problem(
        body=plate,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=plate.mass, area=plate.area, faces=params.faces),
        loads=(ff.TangentialTraction("inner", *course),),
        frame=bodies.frame(params),
    )


options = bodies.options


def exact(params: Parameters) -> list[Turn] | None:
    """Exact quasi-static turning points; None at or beyond the limit load, and without Coulomb friction."""
    known = annulus(params)
    return known.turns(params.torques) if known.friction > 0 and laws.plain_coulomb(params) else None


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Angle of the rim and loss at each turning point beside the exact ones; slip radius, loss per cycle."""
    results = (_cycle if params.scheme == QUASI_STATIC else _overshoot)(params, data)
    if laws.uniform(params):
        text = "torque at which all of the annulus slips, closed form"
        results["limit_torque"] = headline(annulus(params).limit, "N m", text, kind="check")
    return results | {"balance_error": headlines.balance(data)}


def _overshoot(params: Parameters, data: xr.Dataset) -> Headlines:
    """Angle, slip radius and rest after a sudden torque, beside a slow one."""
    angle, known, source = rim_angle(params, data), exact(params), "quasi-static, closed form"
    slow = (known[0].displacement, source) if known else None
    radius = (annulus(params).slip_radius(abs(params.torques[0])), source) if known else None
    still, text = float(data.stick.values[-1].mean()), "radius of the outermost node that has slipped"
    return {
        "angle_end": headline(angle[-1], "rad", "angle of the inner rim at the end", reference=slow),
        "angle_max": headline(np.abs(angle).max(), "rad", "largest angle of the inner rim"),
        "slip_radius": headline(slip_radius(params, data, -1), "m", text, reference=radius),
        "at_rest": headline(still, "1", "share of nodes at rest at the end"),
    }


def _cycle(params: Parameters, data: xr.Dataset) -> Headlines:
    """Angles and losses of a slow history, and the slip radius and the error of T(r) where it is known."""
    legs, known = reached(params), exact(params) or []
    response = ("angle", rim_angle(params, data), "rad", "angle of the inner rim at torque {load:g} N m")
    results = of_legs(params, data, params.torques, response, [(turn.displacement, turn.loss) for turn in known])
    if legs and known:
        text, wanted = (
            "slip radius after the first leg (within one ring of cells)",
            annulus(params).slip_radius(abs(params.torques[0])),
        )
        results["slip_radius"] = headline(slip_radius(params, data, params.steps), "m", text, exact=wanted)
        r, torque = carried_torque(params, data, legs[-1] * params.steps)
        error = float(np.abs(torque - annulus(params).torque(known[legs[-1] - 1], r)).max())
        text = f"largest error of the torque T(r), leg {legs[-1]}"
        results["torque_error"] = headline(error, "N m", text, exact=0.0, kind="check")
    return results | of_cycle(params, data, known, annulus(params))


STUDY = Refinement(
    doubled=("nr", "nt"), increments="steps", dt={"nr": 12, "nt": 24, "steps": 2}, mesh={"nr": 6, "nt": 12, "steps": 4}
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Angle of the inner rim and friction work at the end; exact where a slow history has ended."""
    ended = params.scheme == QUASI_STATIC and params.t_end == len(params.torques)
    known = (exact(params) if ended else None) or []
    angle, lost = known[-1].displacement if known else None, sum(turn.loss for turn in known) if known else None
    return {"rim_angle": measure(rim_angle(params, data)[-1], "rad", angle), "friction_work": friction_work(data, lost)}


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the loop (or the angle over time), T(r), and the slipped part, beside the quasi-static solution."""
    figure.set_size_inches(drawing.PAGE, 2.6)
    loop, inside, disc = figure.subplots(1, 3, width_ratios=[1.2, 1.2, 1.0])
    known, slow, times = exact(params), params.scheme == QUASI_STATIC, data.time.values
    angle, theory = 1e3 * rim_angle(params, data), "exact" if slow else "quasi-static"
    if slow:
        curve = path(params.torques, annulus(params).turns, times[-1]) if known else None
        drawing.loop(loop, angle, torque_at(params, times), curve and (1e3 * curve[0], curve[1]))
        loop.set(xlabel=r"rim angle $\varphi$ [mrad]", ylabel="torque $T$ [N m]")
    else:
        wanted = 1e3 * known[0].displacement if known else None
        drawing.beside_limit(loop, 1e3 * times, angle, wanted, r"rim angle $\varphi$ [mrad]", known=theory)
        loop.set_xlabel("time $t$ [ms]")
    legs = [leg for leg in reached(params) if leg * params.steps < len(times)] if slow else [1]
    instants = {f"leg {leg}": leg * params.steps for leg in legs} if slow else {"at the end": -1}
    carried = {name: carried_torque(params, data, instant) for name, instant in instants.items()}
    curves = [(name, 1e3 * places, torque) for name, (places, torque) in carried.items()]
    r = np.linspace(params.inner_radius, params.outer_radius, 400)
    slowly = [(1e3 * r, annulus(params).torque(known[leg - 1], r)) for leg in legs] if known else []
    drawing.profiles(inside, curves, slowly, theory)
    inside.set(xlabel="radius $r$ [mm]", ylabel="carried torque $T(r)$ [N m]", xlim=(1e3 * r[0], 1e3 * r[-1]))
    torque = max(map(abs, params.torques[: max(1, len(legs))]))
    drawing.slipped(disc, data, annulus(params).slip_radius(torque) if known else None, theory)
    drawing.letters(loop, inside, disc)


if __name__ == "__main__":
    main(__file__)
