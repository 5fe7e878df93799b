"""An annulus between rough planes, turned at its inner rim: slip spreads outwards, and the torque goes in a loop.

Reference: derived below.

Analysis: quasi-static increments (or dynamics) with set-valued distributed friction in plane elasticity.

Purpose: the carried torque T(r), the angle of the rim, Masing's unloading and the loss per cycle beside the exact ones.

Summary: with friction tau_f = faces mu p_n against circumferential slip in a < r < c, the torque carried across r obeys
dT/dr = -2 pi r^2 tau_f, so T(r) = (2 pi/3) tau_f (c^3 - r^3), T(c) = 0. The shear stress T/(2 pi r^2 h) = G r d(u/r)/dr turns
circles by d phi/dr = -T/(2 pi G h r^3), whence the rim's angle phi = tau_f/(3 G h) int_a^c (c^3/r^3 - 1) dr = tau_f/(3 G h)
(c^3/(2 a^2) - 3 c/2 + a). Unloading slips against twice the friction (`masing`). At T = (2 pi/3) tau_f (b^3 - a^3) all of it
slips: a limit load, refused by name. The traction on the rim is dead, so the exact solution holds for small angles.

A dynamic scheme takes one torque, suddenly applied at t = 0: a shear wave overshoots, and friction stops it beyond the
quasi-static angle.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import model_validator

import fem
import floating_frame as ff
from cases.app import drawing
from cases.app.parts import bodies, laws, parameters
from cases.app.parts.fields import uniform_value
from cases.app.parts.histories import QUASI_STATIC, HistoryParameters, history, of_cycle, of_legs, reached
from cases.app.parts.measure import Measure, Refinement, friction_work, measure
from cases.app.parts.quantities import Numbers, choice, quantity
from cases.app.run.results import Headlines, balance, headline
from cases.references.rods.annulus_torsion import Annulus, Array
from cases.references.rods.masing import Turn, path
from floating_frame.coefficients import RIGID_ONLY

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

_SCHEMES = [name for name in ff.SCHEMES if name not in RIGID_ONLY]
_FACES = "rough planes: 1 (below) or 2 (below and above)"
_END = "end of the time; left out: all legs of the history, or with inertia 6 (b - a)/c_s"
_TORQUES = "turning points of the torque on the inner rim"


class Parameters(HistoryParameters):
    """Parameters of the annulus; friction traction tau_f = mu x pressure x faces."""

    HISTORIES: ClassVar = ("torques",)

    t_end: Annotated[float, quantity("s", _END, gt=0)] = 3.0
    dt: Annotated[float, quantity("s", "step; left out: 1/steps, or with inertia (b - a)/(nr c_s)", ge=0)] = 0.05
    scheme: Annotated[str, choice("time integration scheme", _SCHEMES)] = QUASI_STATIC
    mu: parameters.Mu = 0.5
    inner_radius: Annotated[float, quantity("m", "inner radius a, where the torque acts", gt=0)] = 0.05
    outer_radius: Annotated[float, quantity("m", "outer radius b", gt=0)] = 0.2
    faces: Annotated[int, quantity("1", _FACES, ge=1, le=2)] = 2
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1000.0
    E: parameters.Young = 1e6
    nu: parameters.Poisson = 0.3
    material: parameters.Material = "small-strain"
    elements: parameters.Element = "Q1"
    nr: Annotated[int, quantity("1", "cells from rim to rim", ge=1)] = 30
    nt: Annotated[int, quantity("1", "cells around", ge=3)] = 60
    torques: Annotated[Numbers, quantity("N m", _TORQUES)] = (1.3354, -1.3354, 1.3354)

    @classmethod
    def completed(cls, given: parameters.Given) -> parameters.Given:
        """Fill in end, step and the one torque of a run with inertia: six times the way of a shear wave, a cell a step."""
        if given.get("scheme", QUASI_STATIC) == QUASI_STATIC:
            return super().completed(given)
        names = ("E", "nu", "density", "inner_radius", "outer_radius", "nr")
        values = {name: given.get(name, cls.default(name)) for name in names}
        try:
            speed = math.sqrt(values["E"] / (2 * (1 + values["nu"]) * values["density"]))
            across = (values["outer_radius"] - values["inner_radius"]) / speed
            derived = {"t_end": 6 * across, "dt": across / values["nr"], "torques": cls.default("torques")[:1]}
        except (TypeError, ValueError, ArithmeticError):  # the checks of the fields, or the mesh, say what is wrong
            return {"torques": cls.default("torques")[:1]} | given
        return derived | given

    @model_validator(mode="after")
    def _is_an_annulus(self) -> Self:
        if not self.inner_radius < self.outer_radius:
            raise ValueError(
                f"outer_radius: expected a number > inner_radius = {self.inner_radius:g}, got {self.outer_radius:g}"
            )
        if not self.torques:
            raise ValueError("torques: expected at least one number, got none")
        if self.scheme != QUASI_STATIC and len(self.torques) != 1:
            raise ValueError(
                f"torques: expected one torque with scheme {self.scheme}, applied from t = 0 on, got {len(self.torques)}"
            )
        return self


def problem(params: Parameters) -> ff.Problem:
    """Return the annulus at rest between the planes, and the torque on its inner rim."""
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


def annulus(params: Parameters) -> Annulus:
    """Return the exact annulus of the parameters."""
    pressure = bodies.pressure(params, mass=params.density * params.thickness, area=1.0)
    stiffness = params.E / (2 * (1 + params.nu)) * params.thickness
    friction = uniform_value(params.mu) * pressure * params.faces
    return Annulus(params.inner_radius, params.outer_radius, stiffness, friction)


def exact(params: Parameters) -> list[Turn] | None:
    """Return the exact quasi-static turning points; None at or beyond the limit load, and without Coulomb friction."""
    known = annulus(params)
    return known.turns(params.torques) if known.friction > 0 and laws.plain_coulomb(params) else None


def torque_at(params: Parameters, times: Array) -> Array:
    """Return the torque on the inner rim at `times` (n,) s, after a step at t = 0."""
    if params.scheme != QUASI_STATIC:
        return np.full(len(times), params.torques[0])
    given = history(params.torques)
    return np.array([given.value(time) for time in times])


def rim_angle(params: Parameters, data: xr.Dataset) -> Array:
    """Return the mean angle by which the nodes of the inner rim have turned, (times,) rad."""
    X = data.X.values
    rim = np.hypot(*X.T) < params.inner_radius * (1 + 1e-9)
    x, y = np.moveaxis(data.position.values[:, rim], 2, 0)
    result: Array = np.arctan2(X[rim, 0] * y - X[rim, 1] * x, X[rim, 0] * x + X[rim, 1] * y).mean(axis=1)
    return result


def carried_torque(params: Parameters, data: xr.Dataset, instant: int) -> tuple[Array, Array]:
    """Return radii between the rings of nodes, (rings,) m, and the torque carried across them without inertia, N m."""
    X = data.X.values
    f = data.friction_force.values[instant]
    rings = params.nr * (2 if params.elements in ("P2", "Q2") else 1)
    width = (params.outer_radius - params.inner_radius) / rings
    ring = np.round((np.hypot(*X.T) - params.inner_radius) / width).astype(int).clip(0, rings)
    taken = np.bincount(ring, X[:, 0] * f[:, 1] - X[:, 1] * f[:, 0], rings + 1)
    edges = np.asarray(params.inner_radius + (np.arange(rings) + 0.5) * width, float)
    return edges, torque_at(params, data.time.values[[instant]])[0] + np.cumsum(taken)[:-1]


def slip_radius(params: Parameters, data: xr.Dataset, instant: int) -> float:
    """Return the radius of the outermost node that has slipped so far, m."""
    path = data.slip_path.values[instant]
    slipped = path > 1e-9 * path.max(initial=0.0)
    return float(np.hypot(*data.X.values[slipped].T).max(initial=params.inner_radius))


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return the rim's angle and the loss at each turning point beside the exact ones; slip radius, loss per cycle."""
    slow = params.scheme == QUASI_STATIC
    results = _cycle(params, data) if slow else _overshoot(params, data)
    if laws.uniform(params):
        text = "torque at which all of the annulus slips, closed form"
        results["limit_torque"] = headline(annulus(params).limit, "N m", text, kind="check")
    return results | {"balance_error": balance(data)}


def _overshoot(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return angle, slip radius and rest after a sudden torque, beside a slow one."""
    angle, known, source = rim_angle(params, data), exact(params), "quasi-static, closed form"
    slow = (known[0].displacement, source) if known else None
    radius = (annulus(params).slip_radius(abs(params.torques[0])), source) if known else None
    text = "radius of the outermost node that has slipped"
    return {
        "angle_end": headline(angle[-1], "rad", "angle of the inner rim at the end", reference=slow),
        "angle_max": headline(np.abs(angle).max(), "rad", "largest angle of the inner rim"),
        "slip_radius": headline(slip_radius(params, data, -1), "m", text, reference=radius),
        "at_rest": headline(float(data.stick.values[-1].mean()), "1", "share of nodes at rest at the end"),
    }


def _cycle(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return angles and losses of a slow history, and the slip radius and the error of T(r) where it is known."""
    legs, known = reached(params), exact(params) or []
    response = ("angle", rim_angle(params, data), "rad", "angle of the inner rim at torque {load:g} N m")
    results = of_legs(params, data, params.torques, response, [(turn.displacement, turn.loss) for turn in known])
    if legs and known:
        radius, text = (
            slip_radius(params, data, params.steps),
            "slip radius after the first leg (within one ring of cells)",
        )
        expected = annulus(params).slip_radius(abs(params.torques[0]))
        results["slip_radius"] = headline(radius, "m", text, exact=expected)
        r, torque = carried_torque(params, data, legs[-1] * params.steps)
        error = float(np.abs(torque - annulus(params).torque(known[legs[-1] - 1], r)).max())
        text = f"largest error of the torque T(r), leg {legs[-1]}"
        results["torque_error"] = headline(error, "N m", text, exact=0.0, kind="check")
    return results | of_cycle(params, data, known, annulus(params))


STUDY = Refinement(
    doubled=("nr", "nt"),
    increments="steps",
    dt={"nr": 12, "nt": 24, "steps": 2},
    mesh={"nr": 6, "nt": 12, "steps": 4},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Angle of the inner rim and friction work at the end; exact where a slow history has ended."""
    known = exact(params) if params.scheme == "quasi-static" else None
    whole = known is not None and params.t_end == len(params.torques)
    angle = float(rim_angle(params, data)[-1])
    lost = sum(turn.loss for turn in known) if known and whole else None
    return {
        "rim_angle": measure(angle, "rad", known[-1].displacement if known and whole else None),
        "friction_work": friction_work(data, lost),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the loop (or the angle over time), T(r), and the part that has slipped, beside the quasi-static solution."""
    figure.set_size_inches(drawing.PAGE, 2.6)
    loop, inside, disc = figure.subplots(1, 3, width_ratios=[1.2, 1.2, 1.0])
    known, slow, times = exact(params), params.scheme == QUASI_STATIC, data.time.values
    angle, theory = 1e3 * rim_angle(params, data), "exact" if slow else "quasi-static"
    if slow:
        way = path(params.torques, annulus(params).turns, times[-1]) if known else None
        drawing.loop(loop, angle, torque_at(params, times), way and (1e3 * way[0], way[1]))
        loop.set(xlabel=r"rim angle $\varphi$ [mrad]", ylabel="torque $T$ [N m]")
    else:
        loop.plot(1e3 * times, angle, color=drawing.BLUE, label="computed")
        if known:
            loop.axhline(1e3 * known[0].displacement, **drawing.EXACT, label=theory)
        loop.set(xlabel="time $t$ [ms]", ylabel=r"rim angle $\varphi$ [mrad]", xlim=(0, 1e3 * times[-1]))
        loop.legend(loc="lower right")
    count = len(times) - 1
    legs = [leg for leg in reached(params) if leg * params.steps <= count] if slow else [1]
    r = np.linspace(params.inner_radius, params.outer_radius, 400)
    carried = [carried_torque(params, data, leg * params.steps if slow else count) for leg in legs]
    names = [f"leg {leg}" for leg in legs] if slow else ["at the end"]
    curves = [(name, 1e3 * places, torque) for name, (places, torque) in zip(names, carried, strict=True)]
    slowly = [(1e3 * r, annulus(params).torque(known[leg - 1], r)) for leg in legs] if known else []
    drawing.profiles(inside, curves, slowly, theory)
    inside.set(xlabel="radius $r$ [mm]", ylabel="carried torque $T(r)$ [N m]", xlim=(1e3 * r[0], 1e3 * r[-1]))
    torque = max(map(abs, params.torques[: max(1, len(legs))]))
    drawing.slipped(disc, data, annulus(params).slip_radius(torque) if known else None, theory)
    drawing.letters(loop, inside, disc)


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
