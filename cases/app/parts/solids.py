"""What the cases with an elastic solid in space share besides their parameters: the body, its pull, its rest under its weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import fem
import floating_frame as ff

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

    from cases.app.parts.parameters import BlockParameters, PulledParameters, SolidParameters
    from floating_frame import Problem

    Array = NDArray[np.float64]

CELLS = {"P1": "tetrahedron", "Q1": "hexahedron"}


def pulled(params: PulledParameters, *, velocity: tuple[float, float] = (0.0, 0.0), spin: float = 0.0) -> Problem:
    """Return the solid on the ground under its weight, thrown with ``velocity`` m/s and ``spin`` rad/s about z, and its pull."""
    solid = body(params)
    return ff.Problem(
        body=solid,
        t_end=params.t_end,
        contacts=(params.ground(params.length * params.width),),
        gravity=params.gravity,
        face="bottom",
        loads=(
            ff.SolidForce(
                force=(params.pull_x, params.pull_y, 0.0), on="right", history=ff.Ramp(params.ramp, params.release)
            ),
        ),
        frame=ff.FRAMES[params.frame](),
        initial=ff.InitialState(
            position=params.standing(0.5 * params.height, solid.mass),
            velocity=(*velocity, 0.0),
            spin=(0.0, 0.0, spin),
            displacement=at_rest(solid, params.gravity),
        ),
    )


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
