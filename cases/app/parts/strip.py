"""The beam of beam_on_rough_foundation as a 2-D strip: deviations from beam theory, to first order.

On a strip of width b, sections shear, and friction q/b per area opposes the velocity of each point, so that the axial motion
-y w' of a turning section takes part of it. With one single step to P the deflection minimises

    (energy of bending and shear) + (q/b) int int sqrt(w^2 + y^2 w'^2) dy dx - P w(0),

whose derivative by P is -w(0). To first order its value changes by the terms that beam theory leaves out, evaluated at the beam's
solution. With the self-similar W of a single step, s = P/(q b) (slenderness), the shear coefficient 5/6, and the
mean <.> over -1/2 < eta < 1/2,

    shear:     -int Q^2/(2 k G A) dx          ->  dw(0)/w(0) = 3/(2 W(0)) 0.2 (1 + nu)/s^2 int W'''^2 dxi,
    friction:  F = int <r - |W|> dxi, r = sqrt(W^2 + (eta W'/s)^2), times P^5/(EJ q^3)
                                              ->  dw(0)/w(0) = -(5 F + s dF/ds)/W(0).

Both fall with s^-2 (friction: s^-2 log s) and have opposite signs: the strip is softer by shear and stiffer by friction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import numpy as np
import scipy

import fem
import floating_frame as ff
from cases.app.parts import bodies
from cases.app.parts.beams import Elements, friction_per_length
from cases.app.parts.body_mesh import displacements
from cases.app.parts.histories import History, history
from cases.app.parts.parameters import (
    CellsY,
    Density,
    Element,
    Frame,
    Length,
    Material,
    Numbers,
    Poisson,
    Thickness,
    Width,
    Young,
    choice,
)
from cases.app.run.results import Headlines, headline
from cases.references.beams.self_similar import Array, solve
from floating_frame import FRAMES, EdgeLoad, Options, Problem

if TYPE_CHECKING:
    import xarray as xr

_POINTS, _ACROSS = 200, 24


class StripParameters(History):
    """Further parameters of a strip of `ne` x `ny` cells in place of the beam."""

    length: Length
    width: Width
    thickness: Thickness
    density: Density
    E: Young
    ne: Elements
    forces: Numbers
    body: Annotated[str, choice("beam, or a 2-D strip with friction over its area", ("beam", "strip"))] = "beam"
    nu: Poisson = 0.0
    material: Material = "small-strain"
    elements: Element = "Q2"
    ny: CellsY = 2
    frame: Frame = "mean-axis"


Strip = TypeVar("Strip", bound=StripParameters)


def first_order_gap(slenderness: float, nu: float) -> tuple[float, float]:
    """Relative changes of the end deflection by shear (> 0) and by friction over the width (< 0), for a single step of force.

    `slenderness` s = P/(q b). Derivation: above.
    """
    exact, s = solve(single_step=True), slenderness
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    half = 0.5 * exact.lengths[:, None]
    xi = (exact.ends[:, None] - half + half * points).ravel()
    by = (half * weights).ravel()
    eta, across = np.polynomial.legendre.leggauss(_ACROSS)
    w, slope = exact.profile(xi)[:, None], exact.profile(xi, 1)[:, None]
    turning = (0.5 * eta * slope / s) ** 2
    r = np.sqrt(w**2 + turning)
    # |W| and r are nearly equal where sections hardly turn: the quotient form of r - |W| avoids cancellation.
    excess = turning / np.maximum(r + np.abs(w), np.finfo(float).tiny)
    lost = turning / np.maximum(r, np.finfo(float).tiny)
    friction = -float(by @ ((5.0 * excess - lost) @ (0.5 * across))) / exact.deflection
    shear = 1.5 / exact.deflection * 0.2 * (1.0 + nu) / s**2 * float(by @ exact.profile(xi, 3) ** 2)
    return shear, friction


def problem(params: StripParameters) -> Problem:
    """Problem of the strip at rest on the ground, its left edge under the history of forces along +y."""
    cell = "triangle" if params.elements.startswith("P") else "quadrilateral"
    plate = fem.Plate.build(
        fem.meshes.rectangle(params.length, params.width, params.ne, params.ny, cell),
        thickness=params.thickness,
        density=params.density,
        material=fem.MATERIALS[params.material](E=params.E, nu=params.nu, plane="stress"),
        element=params.elements,
    )
    return Problem(
        body=plate,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=plate.mass, area=plate.area),
        loads=(EdgeLoad("left", (0.0, 1.0), history(params.forces)),),
        frame=FRAMES[params.frame](),
    )


def along_axis(data: xr.Dataset) -> xr.Dataset:
    """A strip's trajectory in the form of a beam's: nodes (n,) are the columns of nodes, from the left end.

    `displacement` in space and `velocity`: means over a column; `friction_force`, `friction_weight`: sums; `rotation`: slope of the
    straight line fitted to the axial displacements of a column. Other variables are unchanged.
    """
    X = data.X.values
    _, column = np.unique(np.round(X[:, 0] / np.ptp(X[:, 0]), 9), return_inverse=True)
    count = np.bincount(column).astype(float)
    sums = scipy.sparse.csr_array((np.ones(len(X)), (np.arange(len(X)), column)))

    def total(field: Array) -> Array:
        """Sums over the columns of a field (..., nodes)."""
        return np.asarray(field @ sums)

    def vector(field: Array, divided: Array | float = 1.0) -> Array:
        return np.stack([total(field[..., axis]) / divided for axis in (0, 1)], axis=-1)

    displacement = displacements(data)
    y = X[:, 1] - (total(X[:, 1]) / count)[column]
    dims = ("time", "node", "axis")
    return data.drop_dims(["node", "cell"]).assign(
        X=(dims[1:], vector(X, count)),
        displacement=(dims, vector(displacement, count)),
        velocity=(dims, vector(data.velocity.values, count)),
        friction_force=(dims, vector(data.friction_force.values)),
        friction_weight=(dims[1:2], total(data.friction_weight.values)),
        rotation=(dims[:2], -total(y * displacement[..., 0]) / total(y**2)),
    )


def beam_instead(params: Strip) -> Strip:
    """Parameters of the beam in place of the strip of `params`, first leg only, with the same number of nodes along it."""
    finer = 2 if params.elements in ("P2", "Q2") else 1
    change = {"body": "beam", "t_end": 1.0, "ne": finer * params.ne, "forces": params.forces[:1]}
    return params.model_copy(update=change)


def beside_beam(
    params: Strip, deflection: float, problem: Callable[[Strip], Problem], options: Callable[[Strip], Options]
) -> Headlines:
    """Headlines of the strip's end `deflection`, m, at the end of leg 1, beside the beam's.

    `problem` and `options` of the case make the beam.
    """
    other, q = beam_instead(params), friction_per_length(params)
    beam = float(ff.simulate(ff.assemble(problem(other), options(other))).displacement[-1, 0, 1])
    results = {"beam_deflection_1": headline(beam, "m", "deflection of the pushed end of a beam, leg 1", kind="check")}
    slenderness = abs(params.forces[0]) / (q * params.width) if q > 0 else np.inf
    single = params.steps == 1 and np.isfinite(slenderness)
    shear, friction = first_order_gap(slenderness, params.nu) if single else (0.0, 0.0)
    source = "shear and friction over the width, to first order, one single step (cases/app/parts/strip.py)"
    results["strip_over_beam"] = headline(
        deflection / beam,
        "1",
        "deflection of the strip's end over the beam's, leg 1",
        reference=(1.0 + shear + friction, source) if single else None,
    )
    if np.isfinite(slenderness):
        results["slenderness"] = headline(
            slenderness, "1", "slenderness P/(q width), large in beam theory", kind="check"
        )
    return results
