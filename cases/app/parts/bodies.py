"""Bodies and foundations from parameters, for several cases."""

from __future__ import annotations

from typing import Protocol, Self

import fem
from cases.app.parts import laws
from cases.app.parts.fields import depends_on_time, time_breaks, uniform_value
from cases.app.parts.parameters import ElasticParameters, Parameters
from floating_frame import FRAMES, Options, RigidBody
from floating_frame.frame.conditions import Frame
from friction import Foundation, Reacting

Sizes = tuple[float, float, float]
"""Length, width and thickness, m."""


class Elastic(Protocol):
    """The parameters of an elastic body in the plane."""

    E: float
    nu: float
    plane: str
    material: str
    elements: str


class Rectangle(Elastic, Protocol):
    """The parameters of an elastic rectangle: cells along x and y besides."""

    nx: int
    ny: int

    def model_copy(self, *, update: dict[str, object]) -> Self:
        """Parameters with some of them changed."""


class RigidOrElastic(Rectangle, Protocol):
    """The parameters of a rectangle that is rigid or elastic."""

    body: str


class PressureParameters(Protocol):
    """The parameters of the normal pressure."""

    gravity: float
    pressure: float | str | None


class RoughParameters(PressureParameters, Protocol):
    """The parameters of a body of constant thickness on rough ground."""

    mu: float | str
    thickness: float
    density: float


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Options of the time integration and output, the same for all cases."""
    return Options(
        dt=params.dt,
        scheme=params.scheme,
        output_every=params.output_every,
        stress=stress,
        error_tolerance=params.error_tolerance,
    )


def pressure(params: PressureParameters, *, mass: float, area: float) -> float:
    """Normal pressure p_n, Pa: the given one (NaN for an expression), or the weight of `mass` kg over `area` m2."""
    return mass * params.gravity / area if params.pressure is None else uniform_value(params.pressure)


def friction_per_area(params: RoughParameters) -> float:
    """Friction mu p_n, Pa, under the given pressure or the weight; NaN where mu or p_n is an expression."""
    return uniform_value(params.mu) * pressure(params, mass=params.density * params.thickness, area=1.0)


def deceleration(params: RoughParameters) -> float:
    """Deceleration mu p_n/(rho h), m/s2, of a sliding body; NaN where mu or p_n is an expression."""
    return friction_per_area(params) / (params.density * params.thickness)


def foundation(params: Parameters, *, mass: float, area: float, faces: float = 1.0) -> Foundation:
    """Rough plane under a body of `mass` kg on `area` m2, or two planes at its two `faces`.

    A time-dependent coefficient multiplies the pressure instead: only their product matters.
    """
    mu = laws.bound_coefficient(params)
    on_area: float | str = faces * pressure(params, mass=mass, area=area)
    if isinstance(params.pressure, str):
        on_area = f"{faces!r}*({params.pressure})"
    breaks = tuple(sorted({*time_breaks(mu), *time_breaks(on_area)}))
    if depends_on_time(mu):
        if params.reacting_height is not None:
            raise ValueError("reacting_height: expected none with a mu that depends on t")
        mu, on_area = 1.0, f"({mu})*({on_area})"
    if params.reacting_height is None:
        return Foundation(law=laws.build(params), mu=mu, pressure=on_area, breaks=breaks)
    reacting = Reacting(height=params.reacting_height, pressure=on_area)
    return Foundation(law=laws.build(params), mu=mu, pressure=reacting, breaks=breaks)


def frame(params: ElasticParameters) -> Frame:
    """Frame condition of `params`."""
    return FRAMES[params.frame]()


def cell_shape(params: Elastic) -> str:
    """Cell shape of the elements."""
    return "triangle" if params.elements.startswith("P") else "quadrilateral"


def plate(params: Elastic, mesh: fem.meshes.Mesh, *, thickness: float, density: float) -> fem.Plate:
    """Elastic plate on `mesh`. Raises ValueError for degenerate cells and unfit elements."""
    material = fem.MATERIALS[params.material](E=params.E, nu=params.nu, plane=params.plane)
    return fem.Plate.build(mesh, thickness=thickness, density=density, material=material, element=params.elements)


def rectangular_plate(params: Rectangle, sizes: Sizes, density: float) -> fem.Plate:
    """Elastic plate of `sizes` m on nx x ny cells, with the edges left, right, bottom, top."""
    mesh = fem.meshes.rectangle(*sizes[:2], params.nx, params.ny, cell_shape(params))
    return plate(params, mesh, thickness=sizes[2], density=density)


def rectangular_body(
    params: RigidOrElastic, sizes: Sizes, density: float, *, points_of: str = "Q1"
) -> fem.Plate | RigidBody:
    """`rectangular_plate`; where `params.body` is rigid, the rigid body of its shape with the friction points of the elements
    `points_of`: 2 x 2 per cell of Q1."""
    if params.body != "rigid":
        return rectangular_plate(params, sizes, density)
    twin = params.model_copy(update={"elements": points_of})  # a rigid body has no shape functions
    return RigidBody.from_plate(rectangular_plate(twin, sizes, density))
