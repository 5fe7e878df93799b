"""A torque-free top in space that turns over: the tennis racket's theorem.

Reference: L. Euler 1758; L. D. Landau, E. M. Lifshitz, Mechanics, 3rd ed., 1976, section 37; M. S. Ashbaugh, C. C. Chicone,
R. H. Cushman, The twisting tennis racket, J. Dyn. Diff. Equ. 3 (1991) 67-85.

Analysis: dynamics of a rigid body in space, (2.3)2 without moments.

Purpose: the spin against Jacobi's elliptic functions; moment of momentum kept to rounding, attitude to second order.

Summary: a spin about the middle axis is unstable: it turns over again and again, after 2K/λ. What a scheme keeps of energy decides
how well the instants of turning over are met, for their distance is the logarithm of the disturbance.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from cases.app.parts.measure import Measure, Refinement, measure
from cases.app.parts.parameters import EndTime, StepInSpace, TimeInSpace, quantity
from cases.app.parts.space import options
from cases.app.run.results import Headlines, headline
from floating_frame import (
    InitialState,
    Problem,
    RigidSolid,
)

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["STUDY", "Parameters", "body_spin", "exact", "measures", "options", "problem", "summary"]

Array = NDArray[np.float64]


class Parameters(TimeInSpace):
    """Parameters of the top; at t = 0 its axes are those of space."""

    t_end: EndTime = 30.0
    dt: StepInSpace = 0.0125
    J1: Annotated[float, quantity("kg m2", "principal moment of inertia about the first axis", gt=0)] = 1.0
    J2: Annotated[float, quantity("kg m2", "principal moment of inertia about the second axis", gt=0)] = 2.0
    J3: Annotated[float, quantity("kg m2", "principal moment of inertia about the third axis", gt=0)] = 3.0
    spin1: Annotated[float, quantity("rad/s", "initial spin about the first axis")] = 0.01
    spin2: Annotated[float, quantity("rad/s", "initial spin about the second axis")] = 1.0
    spin3: Annotated[float, quantity("rad/s", "initial spin about the third axis")] = 0.0


def problem(params: Parameters) -> Problem:
    """Return the top, in its reference attitude."""
    start = (params.spin1, params.spin2, params.spin3)
    body = RigidSolid(mass=1.0, inertia=(params.J1, params.J2, params.J3))
    return Problem(body=body, t_end=params.t_end, gravity=0.0, initial=InitialState(spin=start))


def exact(params: Parameters, times: Array) -> Array:
    """Return the spin (n, 3) rad/s in body axes at ``times`` (n,) s."""
    from cases.references.space.free_top import spin  # its special functions take long to import

    return spin((params.J1, params.J2, params.J3), (params.spin1, params.spin2, params.spin3), times)


def body_spin(data: xr.Dataset) -> Array:
    """Return the spin (n, 3) rad/s in body axes of a trajectory."""
    w, q = data.frame_rotation.values[:, :1], data.frame_rotation.values[:, 1:]
    omega = data.frame_spin.values  # Qᵀ Ω of the unit quaternion (w, q)
    turned: Array = omega - 2.0 * w * np.cross(q, omega) + 2.0 * np.cross(q, np.cross(q, omega))
    return turned


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return the spin at the end beside the exact one, and what changed of what is kept."""
    known, computed = exact(params, data.time.values), body_spin(data)
    momentum = data.angular_momentum.values
    energy = data.energy_kinetic.values
    return {
        **{
            f"spin{k + 1}_end": headline(
                computed[-1, k], "rad/s", f"spin about body axis {k + 1} at the end", exact=known[-1, k]
            )
            for k in range(3)
        },
        "spin_error_max": headline(
            np.abs(computed - known).max(), "rad/s", "largest error of the spin at a stored time", kind="check"
        ),
        "momentum_change": headline(
            np.abs(momentum - momentum[0]).max(), "kg m2/s", "largest change of the moment of momentum", kind="check"
        ),
        "energy_change": headline(
            None if energy[0] == 0.0 else (energy[-1] - energy[0]) / energy[0],
            "1",
            "relative change of the energy",
            kind="check",
        ),
        "turns_over": headline(
            int(np.sum(np.diff(np.sign(computed[:, 1])) != 0)), "1", "times that the spin about axis 2 changed its sign"
        ),
    }


STUDY = Refinement(doubled=(), dt={"dt": 0.1})


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Return the spin in body axes at the end and at all times, and the attitude."""
    known, computed = exact(params, data.time.values), body_spin(data)
    return {
        "spin_end": measure(computed[-1], "rad/s", known[-1]),
        "spin_all_times": measure(computed, "rad/s", known),
        "attitude": measure(data.frame_rotation.values[-1], "1"),
    }


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
