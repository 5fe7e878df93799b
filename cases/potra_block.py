"""The block of Potra et al. in space, on four feet: stick–slip under amplitude cos t with the normal forces unknown.

Reference: F. A. Potra, M. Anitescu, B. Gavrea, J. Trinkle, A linearly implicit trapezoidal method for integrating stiff multibody
dynamics with contact, joints, and friction, Int. J. Numer. Meth. Engng 66 (2006) 1079-1124.

Analysis: dynamics of a rigid body in space with four points of contact; stick–slip transitions.

Purpose: the example as it was published, a body in space, against the closed form of its motion in the plane.

Summary: the force acts at the centre of mass and friction at the ground, so that the feet ahead press more; the sum of the normal
forces stays m g and the motion is that of `block_on_table`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from cases import block_on_table
from cases.app.parts import parameters
from cases.app.parts.measure import Measure, Refinement, measure
from cases.app.parts.parameters import EndTime, quantity
from cases.app.parts.solids import at_rest, elastic_block
from cases.app.parts.space import box_inertia, corners, options, rubbed
from cases.app.run.results import Headlines, headline
from floating_frame import (
    Cosine,
    Feet,
    InitialState,
    Problem,
    RigidSolid,
    SolidForce,
    SpaceForce,
)
from floating_frame.frame.conditions import FRAMES

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["STUDY", "Parameters", "exact", "measures", "options", "problem", "summary"]

SIZE = (0.3, 0.3, 0.1)  # m
OMEGA = 1.0  # rad/s, the force's angular frequency
Array = NDArray[np.float64]


class Parameters(parameters.BlockParameters):
    """Parameters of the block and the force."""

    t_end: EndTime = 10.0
    dt: parameters.StepInSpace = 4e-3
    mu: parameters.MuOfGround = 0.8
    amplitude: Annotated[float, quantity("N", "amplitude of the force amplitude cos t along x")] = 8.0
    E: parameters.Young = 1e8


def problem(params: Parameters) -> Problem:
    """Return the block at rest, the ground and the force; an elastic one has four hexahedra and the force on all its mass."""
    place = params.standing(0.5 * SIZE[2], params.mass)
    if params.body == "elastic":
        solid = elastic_block(SIZE, (2, 2, 1), params)
        pull = SolidForce(force=(params.amplitude, 0.0, 0.0), history=Cosine(angular_frequency=OMEGA))
        return Problem(
            body=solid,
            t_end=params.t_end,
            face="bottom",
            contacts=(params.ground(SIZE[0] * SIZE[1]),),
            gravity=params.gravity,
            loads=(pull,),
            frame=FRAMES[params.frame](),
            initial=InitialState(position=place, displacement=at_rest(solid, params.gravity)),
        )
    feet = corners(*SIZE)
    body = RigidSolid(
        mass=params.mass, inertia=box_inertia(params.mass, *SIZE), shape=Feet(feet), outline=feet * [1.0, 1.0, -1.0]
    )
    force = SpaceForce(force=(params.amplitude, 0.0, 0.0), history=Cosine(angular_frequency=OMEGA))
    return Problem(
        body=body,
        t_end=params.t_end,
        gravity=params.gravity,
        loads=(force,),
        initial=InitialState(position=place),
        contacts=(params.ground(len(feet)),),
    )


def exact(params: Parameters, times: Array) -> tuple[Array, Array]:
    """Return position and velocity (n,) along x of the block at ``times`` (n,) s; it does not tip."""
    plane = block_on_table.Parameters(
        t_end=params.t_end, mu=params.mu, mass=params.mass, amplitude=params.amplitude, gravity=params.gravity
    )
    return block_on_table.exact(plane, times)[:2]


def solved(params: Parameters) -> bool:
    """Return whether ``exact`` holds: Coulomb's law, and friction of sliding that does not lift the trailing feet."""
    return params.mu * SIZE[2] <= SIZE[0] and params.coulomb


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return the displacement beside the exact one, and how far the block strays from its line."""
    times, place = data.time.values, data.frame_position.values
    known = exact(params, times)[0] if solved(params) else None
    elastic, ended = params.body == "elastic", None if known is None else float(known[-1])
    weight = params.mass * params.gravity
    total = data.normal_force.values.sum(axis=1)
    return {
        "x_end": headline(
            place[-1, 0],
            "m",
            "displacement of the centre at the end",
            exact=None if elastic else ended,
            reference=(ended, "a rigid block") if elastic and ended is not None else None,
        ),
        "x_error_max": headline(
            None if known is None else np.abs(place[:, 0] - known).max(),
            "m",
            "largest error of the displacement at a stored time (of an elastic block against a rigid one)",
            kind="check",
        ),
        "y_max": headline(np.abs(place[:, 1]).max(), "m", "largest displacement across", kind="check"),
        "weight_error": headline(
            np.abs(total / weight - 1.0).max() if weight > 0.0 else None,
            "1",
            "largest error of the sum of the normal forces over the weight",
            kind="check",
        ),
        "friction_work": headline(rubbed(data), "J", "energy dissipated by friction"),
    }


STUDY = Refinement(doubled=(), dt={"dt": 0.02})


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Return displacement and velocity along x."""
    known = exact(params, data.time.values) if solved(params) and params.body == "rigid" else (None, None)
    x, v = data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    return {
        "x_end": measure(x[-1], "m", None if known[0] is None else known[0][-1]),
        "x_all_times": measure(x, "m", known[0]),
        "velocity_mean": measure(v, "m/s", known[1], mean=True),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
