"""An elastic plate on a rough plane, its left edge clamped to a guide along x: it sticks, bends, slides and stops.

Reference: G. Szefer, Fig. 3b, (3.11) and (3.12), with the corrections of docs/theory.md.

Analysis: coupled rigid and elastic motion in a frame that moves with the clamp; set-valued distributed Coulomb
friction, large deformation; the clamp's free motion is an unknown of the elastic pass.

Purpose: the clamped frame, in which A, P, B and L do not vanish, and friction that acts on the deformation.

Summary: the plate's left edge is held by a rigid clamp that is free along x and can neither move along y nor turn.
`push_x` acts on the clamp, `pull_x` and `pull_y` on the right edge; they grow linearly over `ramp` and end at `release`.
M x0'' = F_x + F_Cx - B_x (3.12) holds at every step, and the guide's reaction is in the results. A uniform friction that
only brakes the sliding, as in case B of the sliding plate (Fig. 3a), would be a constant force per mass and so take no
part in the deformation; here the lateral velocity does not vanish, friction turns with it, and it bends the plate too.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app.parts import bodies, parameters
from cases.app.parts.measure import Measure, Refinement, friction_work, measure, nodal
from cases.app.parts.quantities import choice, quantity
from cases.app.run.results import Headlines, balance, headline
from cases.plate_sliding import stop_time
from cases.references.plate_clamped import SPEED, influences
from floating_frame import EdgeLoad, Options, Problem, Ramp

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

IMPLICIT = ("sdirk2", "backward-euler", "moreau-theta")
"""Schemes that solve for the clamp's motion."""


class Parameters(parameters.ElasticParameters):
    """Parameters of the clamped plate."""

    t_end: parameters.EndTime = 1.6
    dt: parameters.TimeStep = 2e-3
    scheme: Annotated[str, choice("time integration scheme", IMPLICIT)] = "sdirk2"
    mu: parameters.Mu = 0.3
    length: parameters.Length = 1.0
    width: parameters.Width = 0.5
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1100.0
    E: parameters.Young = 6e4
    nu: parameters.Poisson = 0.4
    elements: parameters.Element = "Q1"
    frame: Annotated[str, choice("condition that defines the floating frame", ("clamped",))] = "clamped"
    nx: parameters.CellsX = 32
    ny: parameters.CellsY = 16
    push_x: Annotated[float, quantity("N", "force on the clamp along x")] = 30.0
    pull_x: Annotated[float, quantity("N", "force on the right edge along x")] = 15.0
    pull_y: Annotated[float, quantity("N", "force on the right edge along y")] = 10.0
    ramp: parameters.Ramp = 0.2
    release: parameters.Release = 0.65

    def unread(self) -> dict[str, str]:
        """Return besides the course of a pull that is none."""
        return super().unread() | parameters.course_unread(self.push_x, self.pull_x, self.pull_y)


def problem(params: Parameters) -> Problem:
    """Return the clamped plate on the rough plane and its loads."""
    body = bodies.rectangular_plate(
        params, params, params.length, params.width, thickness=params.thickness, density=params.density
    )
    history = Ramp(params.ramp, params.release)
    return Problem(
        body=body,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=body.mass, area=body.area),
        loads=(
            EdgeLoad("left", (params.push_x, 0.0), history),
            EdgeLoad("right", (params.pull_x, params.pull_y), history),
        ),
        frame=ff.Clamped("left", free=("x",)),
    )


def options(params: Parameters, *, stress: bool = False) -> Options:
    """Return how the plate is integrated."""
    return bodies.options(params, stress=stress)


def friction_on_deformation(data: xr.Dataset) -> NDArray[np.float64]:
    """Return over time, (time,), the share of the friction that acts on the deformation where all nodes slide, else NaN.

    Of the nodal friction a constant force per mass along the guide moves the plate as a whole and nothing else (case A);
    what is left of it, summed over the nodes, is given relative to mu p_n times the area. It is 0 in case B, and at most 2.
    """
    weight, friction = data.friction_weight.values, data.friction_force.values.copy()
    total = weight.sum()
    share = np.full(len(friction), np.nan)
    if total == 0.0:
        return share
    friction[..., 0] -= (
        friction[..., 0].sum(axis=1)[:, None] * weight / total
    )  # uniform pressure: weight goes with mass
    slides = ~data.stick.values.astype(bool).any(axis=1)
    share[slides] = np.hypot(*np.moveaxis(friction[slides], 2, 0)).sum(axis=1) / total
    return share


def wave_speed(params: Parameters) -> float:
    """Return the speed of a plane wave along x at the clamp, where the plate cannot contract across, m/s."""
    across = 1 - params.nu**2 if params.plane == "stress" else (1 + params.nu) * (1 - 2 * params.nu) / (1 - params.nu)
    return math.sqrt(params.E / (across * params.density))


def release_jump(params: Parameters) -> float:
    """Return by how much the end of the push slows the clamp at once, m/s: it has no mass, so P = rho c A dv.

    The wave's front is steeper than any mesh: the clamp's speed rings about the value after it with a period of 1.8 h/c, h the
    length of a cell, which halves with the cells and not with the step (figure clamp_release).
    """
    return params.push_x / (params.density * wave_speed(params) * params.width * params.thickness)


def clamp_moment(params: Parameters, data: xr.Dataset) -> NDArray[np.float64]:
    """Return the guide's moment on the clamp about the clamp's middle over time, (time,) N m; the frame does not turn."""
    result: NDArray[np.float64] = data.clamp_moment.values + 0.5 * params.length * data.clamp_reaction.values[:, 1]
    return result


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Return the motion of the clamp, what holds it, the residual of (3.12), and how much friction acts on the deformation."""
    times, share = data.time.values, friction_on_deformation(data)
    slides = np.isfinite(share)
    clamped, sliding = influences(params, problem, options)
    same = f"largest change of u by friction over the largest u, same loads, thrown along x at {SPEED:g} mu g t, coarse mesh"
    u = np.linalg.norm(data.displacement.values, axis=2)
    return {
        "distance": headline(float(np.abs(np.diff(data.frame_position.values[:, 0])).sum()), "m", "way of the clamp"),
        "stop_time": headline(stop_time(data), "s", "time from which the plate is at rest"),
        "sliding_time": headline(float(np.diff(times)[slides[1:]].sum()), "s", "time in which all of the plate slides"),
        "displacement_max": headline(u.max(), "m", "largest displacement from the reference shape"),
        "reaction_max": headline(
            float(np.abs(data.clamp_reaction.values[:, 1]).max()),
            "N",
            "largest force of the guide on the clamp, along y",
        ),
        "moment_max": headline(
            float(np.abs(clamp_moment(params, data)).max()),
            "N m",
            "largest moment of the guide about the clamp's middle",
        ),
        "rigid_residual": headline(
            float(np.abs(data.rigid_residual.values).max()),
            "1",
            "largest residual of (3.4)1, (3.12) among it, over its largest term",
            exact=0.0,
            kind="check",
        ),
        "friction_share": headline(
            float(share[slides].mean()) if slides.any() else None,
            "1",
            "share of the friction that acts on the deformation, mean while all slides (0 in case B, Fig. 3a)",
        ),
        "friction_influence": headline(clamped, "1", f"{same}: clamped plate", kind="check"),
        "friction_influence_free": headline(
            sliding, "1", f"{same}: free plate of case B, pulled along x only", kind="check"
        ),
        "friction_work": headline(float(data.dissipation_friction.values[-1]), "J", "energy dissipated by friction"),
        "balance_error": balance(data),
    }


STUDY = Refinement(
    doubled=("nx", "ny"),
    dt={"dt": 0.004, "t_end": 0.8, "nx": 4, "ny": 2},
    mesh={"dt": 0.004, "t_end": 0.8, "nx": 4, "ny": 2},
)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Return positions of the clamped plate, its clamp's way along the guide, and friction work, against a finer level."""
    way = measure(float(data.frame_position.values[-1, 0]), "m")
    return nodal(data) | {"clamp_end": way, "friction_work": friction_work(data)}


if __name__ == "__main__":
    from cases.app.command.cli import main

    raise SystemExit(main(["run", __file__, *sys.argv[1:]]))
