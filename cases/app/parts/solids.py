"""What the cases with an elastic solid in space share: their parameters, the body, and its rest under its own weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

import fem
from cases.app.parts import parameters
from cases.app.parts.quantities import choice, quantity
from cases.app.parts.space import EXACT, Mass, RoughParameters
from floating_frame import (
    InitialState,
    Problem,
    Ramp,
    SolidForce,
)
from floating_frame.errors import UNDAMPED
from floating_frame.frame.conditions import FRAMES

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
CELLS = {"P1": "tetrahedron", "Q1": "hexahedron"}
Height = Annotated[float, quantity("m", "size along z", gt=0)]
CellsZ = Annotated[int, quantity("1", "cells along z", ge=1)]
SolidScheme = Annotated[
    str,
    choice(
        "time integration scheme; a step in which a node lands is one of backward Euler", ("sdirk2", "backward-euler")
    ),
]

Material = Annotated[str, choice("elastic material", ("st-venant-kirchhoff", "neo-hookean"))]
Elements = Annotated[
    str,
    choice("finite element: linear tetrahedra, which lock in bending, or hexahedra, which do not", tuple(CELLS)),
]
Viscosity = Annotated[
    float | None,
    quantity(
        "s",
        "retardation time of Kelvin-Voigt viscosity, 0 without; left out: max(3/4, 3 H/L) mu H/c_s where friction acts under "
        "unknown normal forces (H, L: least and largest size, c_s: speed of shear waves), else 0; stated in the results",
        ge=0,
    ),
]
FrameCondition = Annotated[str, choice("condition that defines the floating frame", tuple(FRAMES))]
Body = Annotated[str, choice("rigid, or an elastic solid", ("rigid", "elastic"))]


class ViscousParameters(RoughParameters):
    """What every case takes whose body on the ground is, or may be, an elastic solid."""

    viscosity: Viscosity = None

    @property
    def elastic(self) -> bool:
        """Whether it is one."""
        return True

    def notes(self) -> list[str]:
        """Say besides where a solid without viscosity rubs under unknown normal forces."""
        undamped = self.elastic and self.viscosity == 0.0 and self.contact == EXACT and self.mu > 0.0
        return super().notes() + ([f"viscosity 0: {UNDAMPED}"] if undamped else [])


class SolidParameters(ViscousParameters):
    """What every case with an elastic solid on the ground takes."""

    scheme: SolidScheme = "sdirk2"
    length: parameters.Length
    width: parameters.Width
    height: Height
    density: parameters.Density
    E: parameters.Young
    nu: parameters.Poisson
    material: Material = "st-venant-kirchhoff"
    elements: Elements = "Q1"
    nx: parameters.CellsX
    ny: parameters.CellsY
    nz: CellsZ
    frame: FrameCondition = "mean-axis"


PullX = Annotated[float, quantity("N", "force on the face x = + along x")]
PullY = Annotated[float, quantity("N", "force on the face x = + along y")]


class PulledParameters(SolidParameters):
    """What a case takes whose solid, pressed on the ground by its weight, is pulled at its face x = +."""

    pull_x: PullX
    pull_y: PullY
    ramp: parameters.Ramp
    release: parameters.Release

    def unread(self) -> dict[str, str]:
        """Return the course of a pull that is none."""
        return super().unread() | parameters.course_unread(self.pull_x, self.pull_y)


def pulled(params: PulledParameters, *, velocity: tuple[float, float] = (0.0, 0.0), spin: float = 0.0) -> Problem:
    """Return the solid on the ground under its weight, thrown with ``velocity`` m/s and ``spin`` rad/s about z, and its pull."""
    solid = body(params)
    return Problem(
        body=solid,
        t_end=params.t_end,
        contacts=(params.ground(params.length * params.width),),
        gravity=params.gravity,
        face="bottom",
        loads=(
            SolidForce(
                force=(params.pull_x, params.pull_y, 0.0), on="right", history=Ramp(params.ramp, params.release)
            ),
        ),
        frame=FRAMES[params.frame](),
        initial=InitialState(
            position=params.standing(0.5 * params.height, solid.mass),
            velocity=(*velocity, 0.0),
            spin=(0.0, 0.0, spin),
            displacement=at_rest(solid, params.gravity),
        ),
    )


class BlockParameters(ViscousParameters):
    """What a block takes that is rigid or elastic."""

    mass: Mass = 1.0
    body: Body = "rigid"
    E: parameters.Young = 1e7
    nu: parameters.Poisson = 0.3
    material: Material = "st-venant-kirchhoff"
    frame: FrameCondition = "mean-axis"

    @property
    def elastic(self) -> bool:
        """Whether it is elastic."""
        return self.body == "elastic"

    def unread(self) -> dict[str, str]:
        """Return the parameters of an elastic block where it is rigid."""
        only = ("E", "nu", "material", "viscosity", "frame")
        return super().unread() | ({} if self.elastic else dict.fromkeys(only, "body rigid"))


def elastic_block(
    sizes: tuple[float, float, float], counts: tuple[int, int, int], params: BlockParameters, elements: str = "Q1"
) -> fem.Solid:
    """Return a block about its centre of mass."""
    density, material = params.mass / float(np.prod(sizes)), fem.MATERIALS[params.material](params.E, params.nu)
    mesh = fem.box(*sizes, *counts, CELLS[elements])
    return fem.Solid.build(mesh, density=density, material=material, element=elements, viscosity=params.viscosity)


def base_of(data: xr.Dataset) -> NDArray[np.intp]:
    """Return the numbers (m,) of the nodes of the base."""
    z = data.X.values[:, 2]
    return np.flatnonzero(z <= z.min(initial=np.inf) + 1e-9 * float(np.ptp(z)))


def body(params: SolidParameters) -> fem.Solid:
    """Return the block about its centre of mass."""
    sizes, counts = (params.length, params.width, params.height), (params.nx, params.ny, params.nz)
    mesh = fem.box(*sizes, *counts, CELLS[params.elements])
    material = fem.MATERIALS[params.material](params.E, params.nu)
    return fem.Solid.build(
        mesh, density=params.density, material=material, element=params.elements, viscosity=params.viscosity
    )


def at_rest(solid: fem.Solid, gravity: float) -> Array:
    """Return the displacement (N, 3) m of a block that rests on smooth ground under its own weight. ValueError where it cannot."""
    base, held = solid.boundary("bottom"), np.zeros(solid.X.shape, bool)
    held[base, 2] = True
    corner, other = base[np.argmin(solid.X[base, :2] @ [1.0, 1.0])], base[np.argmax(solid.X[base, :2] @ [1.0, -1.0])]
    held[corner, :2], held[other, 1] = True, True
    weight = np.outer(np.asarray(solid.mass_matrix.sum(axis=1)).ravel(), [0.0, 0.0, -gravity])
    try:
        u: Array = fem.equilibrium(solid, weight, held, options=fem.NewtonOptions(steps=4)).displacement
    except (fem.NewtonError, fem.FactorError) as error:
        raise ValueError(
            f"the block does not bear its own weight ({error.reason}): take a larger E, a smaller density, height or gravity"
        ) from error
    u[:, :2] -= np.asarray(solid.mass_matrix.sum(axis=1)).ravel() @ u[:, :2] / solid.mass
    return u
