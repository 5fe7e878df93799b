"""Shared parts of the cases with an elastic solid in space: body, pull, equilibrium under its weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import fem
import floating_frame as ff

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cases.app.parts.parameters import PulledParameters, SolidParameters, ViscousParameters
    from floating_frame import Problem

    Array = NDArray[np.float64]

CELLS = {"P1": "tetrahedron", "Q1": "hexahedron"}


def pulled(params: PulledParameters, *, velocity: tuple[float, float] = (0.0, 0.0), spin: float = 0.0) -> Problem:
    """Problem of a solid on the ground, compressed by its weight, with initial ``velocity`` m/s, ``spin`` rad/s about z, and a
    pull."""
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


def pull(params: PulledParameters, times: Array) -> Array:
    """Pull (times, 3) N at the face at the largest x."""
    course = ff.Ramp(params.ramp, params.release)
    return np.array([course.value(t) for t in times])[:, None] * [params.pull_x, params.pull_y, 0.0]


def block(
    sizes: tuple[float, float, float],
    counts: tuple[int, int, int],
    params: ViscousParameters,
    density: float,
    elements: str,
) -> fem.Solid:
    """Elastic block about its centre of mass, of ``sizes`` m, with ``counts`` cells along x, y, z."""
    mesh, material = fem.box(*sizes, *counts, CELLS[elements]), fem.MATERIALS[params.material](params.E, params.nu)
    return fem.Solid.build(mesh, density=density, material=material, element=elements, viscosity=params.viscosity)


def body(params: SolidParameters) -> fem.Solid:
    """Block of the parameters about its centre of mass."""
    sizes, counts = (params.length, params.width, params.height), (params.nx, params.ny, params.nz)
    return block(sizes, counts, params, params.density, params.elements)


def at_rest(solid: fem.Solid, gravity: float) -> Array:
    """Displacement (N, 3) m of a block at rest on smooth ground under its weight. ValueError where there is no equilibrium."""
    base, constrained = solid.boundary("bottom"), np.zeros(solid.X.shape, bool)
    constrained[base, 2] = True
    corner, other = base[np.argmin(solid.X[base, :2] @ [1.0, 1.0])], base[np.argmax(solid.X[base, :2] @ [1.0, -1.0])]
    constrained[corner, :2], constrained[other, 1] = True, True
    weight = np.outer(np.asarray(solid.mass_matrix.sum(axis=1)).ravel(), [0.0, 0.0, -gravity])
    try:
        u: Array = fem.equilibrium(solid, weight, constrained, options=fem.NewtonOptions(steps=4)).displacement
    except (fem.NewtonError, fem.FactorError) as error:
        raise ValueError(
            f"the block does not bear its own weight ({error.reason}): take a larger E, a smaller density, height or gravity"
        ) from error
    u[:, :2] -= np.asarray(solid.mass_matrix.sum(axis=1)).ravel() @ u[:, :2] / solid.mass
    return u
