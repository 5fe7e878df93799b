"""An elastic plate on a rough plane, its left edge clamped to a guide along x: it sticks, bends, slides and stops.

Reference: G. Szefer, Fig. 3b, (3.11) and (3.12), with the corrections of docs/theory.md.

Analysis: rigid and elastic motion in a frame that moves with the clamp; set-valued distributed Coulomb friction, large deformation.

Purpose: the clamped frame, in which A, P, B and L do not vanish, and friction that acts on the deformation.

Summary: a rigid clamp holds the left edge; it is free along x, and can neither move along y nor turn. `push_x` acts on the clamp,
`pull_x` and `pull_y` on the right edge; they grow over `ramp` and end at `release`. M x0'' = F_x + F_Cx - B_x (3.12) holds at every
step. Friction on the sliding plate (case B, Fig. 3a) does not deform it; here it turns with the velocity and bends the plate.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, friction_work, headline, main, measure, nodal, quantity
from cases.app.parts import bodies, headlines, parameters
from cases.references.plate_clamped import SPEED, friction_on_deformation, influences

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Parameters(parameters.ElasticParameters):
    """Parameters of the clamped plate."""

    t_end: parameters.EndTime = 1.6
    dt: parameters.TimeStep = 2e-3
    scheme: parameters.ImplicitScheme = "sdirk2"
    mu: parameters.Mu = 0.3
    length: parameters.Length = 1.0
    width: parameters.Width = 0.5
    thickness: parameters.Thickness = 0.02
    density: parameters.Density = 1100.0
    E: parameters.Young = 6e4
    nu: parameters.Poisson = 0.4
    elements: parameters.Element = "Q1"
    frame: Annotated[str, parameters.choice("condition that defines the floating frame", ("clamped",))] = "clamped"
    nx: parameters.CellsX = 32
    ny: parameters.CellsY = 16
    push_x: Annotated[float, quantity("N", "force on the clamp along x")] = 30.0
    pull_x: Annotated[float, quantity("N", "force on the right edge along x")] = 15.0
    pull_y: Annotated[float, quantity("N", "force on the right edge along y")] = 10.0
    ramp: parameters.Ramp = 0.2
    release: parameters.Release = 0.65

    def unread(self) -> dict[str, str]:
        """Also the course of a pull that is zero."""
        return super().unread() | parameters.course_unread(self.push_x, self.pull_x, self.pull_y)


def problem(params: Parameters) -> ff.Problem:
    """Set the clamped plate on the rough plane, with its loads."""
    body = bodies.rectangular_plate(params, (params.length, params.width, params.thickness), params.density)
    history = ff.Ramp(params.ramp, params.release)
    push = ff.EdgeLoad("left", (params.push_x, 0.0), history)
    pull = ff.EdgeLoad("right", (params.pull_x, params.pull_y), history)
    return ff.Problem(
        body=body,
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=body.mass, area=body.area),
        loads=(push, pull),
        frame=ff.Clamped("left", free=("x",)),
    )


options = bodies.options


def wave_speed(params: Parameters) -> float:
    """Speed of a plane wave along x at the clamp, where the plate cannot contract across, m/s."""
    across = 1 - params.nu**2 if params.plane == "stress" else (1 + params.nu) * (1 - 2 * params.nu) / (1 - params.nu)
    return math.sqrt(params.E / (across * params.density))


def release_jump(params: Parameters) -> float:
    """Velocity that the clamp, which has no mass, loses at once when the push ends, m/s: P = rho c A dv (figure clamp_release)."""
    return params.push_x / (params.density * wave_speed(params) * params.width * params.thickness)


def clamp_moment(params: Parameters, data: xr.Dataset) -> np.ndarray:
    """Guide's moment on the clamp about the clamp's middle over time, (time,) N m; the frame does not turn."""
    return np.asarray(data.clamp_moment.values + 0.5 * params.length * data.clamp_reaction.values[:, 1])


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Motion of the clamp, forces of the guide, the residual of (3.12), and the share of friction that acts on the deformation."""
    share = friction_on_deformation(data)
    slides = np.isfinite(share)
    sliding_time = float(np.diff(data.time.values)[slides[1:]].sum())
    clamped, free = influences(params, problem, options)
    same = f"largest change of u by friction over the largest u, same loads, thrown along x at {SPEED:g} mu g t, coarse mesh"
    u, other = np.linalg.norm(data.displacement.values, axis=2), "free plate of case B, pulled along x only"
    path = float(np.abs(np.diff(data.frame_position.values[:, 0])).sum())
    reaction = float(np.abs(data.clamp_reaction.values[:, 1]).max())
    moment = float(np.abs(clamp_moment(params, data)).max())
    residual = float(np.abs(data.rigid_residual.values).max())
    residual_of = "largest residual of (3.4)1, which contains (3.12), over its largest term"
    mean_share = float(share[slides].mean()) if slides.any() else None
    share_of = "share of the friction that acts on the deformation, mean while all slides (0 in case B, Fig. 3a)"
    return {
        "distance": headline(path, "m", "path length of the clamp"),
        "stop_time": headlines.rest_time(data),
        "sliding_time": headline(sliding_time, "s", "time in which all of the plate slides"),
        "displacement_max": headline(u.max(), "m", "largest displacement from the reference shape"),
        "reaction_max": headline(reaction, "N", "largest force of the guide on the clamp, along y"),
        "moment_max": headline(moment, "N m", "largest moment of the guide about the clamp's middle"),
        "rigid_residual": headline(residual, "1", residual_of, exact=0.0, kind="check"),
        "friction_share": headline(mean_share, "1", share_of),
        "friction_influence": headline(clamped, "1", f"{same}: clamped plate", kind="check"),
        "friction_influence_free": headline(free, "1", f"{same}: {other}", kind="check"),
        "friction_work": headlines.friction_work(data),
        "balance_error": headlines.balance(data),
    }


_COARSE = {"dt": 0.004, "t_end": 0.8, "nx": 4, "ny": 2}
STUDY = Refinement(doubled=("nx", "ny"), dt=_COARSE, mesh=_COARSE)


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Positions of the plate, place of its clamp along the guide, and friction work, against a finer level."""
    clamp = measure(float(data.frame_position.values[-1, 0]), "m")
    return nodal(data) | {"clamp_end": clamp, "friction_work": friction_work(data)}


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw six snapshots in space, then the clamp's speed, shares of stick and friction, the guide's reaction, and the energies."""
    height, times = drawing.snapshots_height(data), data.time.values
    figure.set_size_inches(drawing.PAGE, height + 4.0)
    above, below = drawing.stacked(figure, height, 4.0)
    moving = np.flatnonzero(~data.stick.values.astype(bool).all(axis=1))
    instants = np.sort(drawing.chosen_instants(data))
    instants[-1] = min(moving[-1] + 1, len(times) - 1) if moving.size else len(times) - 1
    drawing.clamped_snapshots(above, data, instants)
    (speed, share), (reaction, energy) = below.subplots(2, 2, sharex=True)
    _draw_speed(speed, params, data)
    drawing.instants_named(speed, times[instants])
    drawing.sticking_share(share, data)
    label = "friction that deforms (while all slide)"
    share.plot(times, friction_on_deformation(data), color=drawing.VERMILION, label=label)
    share.set(xlabel="", ylim=(0, 1.45))
    share.legend(loc="upper left")
    reaction.plot(times, data.clamp_reaction.values[:, 1], color=drawing.VERMILION, linewidth=0.9)
    reaction.set(xlabel="time $t$ [s]")
    reaction.set_ylabel("guide's force $R_y$ [N]", color=drawing.VERMILION)
    right = drawing.second_axis(reaction, "guide's moment $M$ [N m]", drawing.GREEN)
    right.plot(times, clamp_moment(params, data), color=drawing.GREEN, linewidth=0.9)
    drawing.common_zero(reaction, right)
    drawing.energies(energy, data)
    drawing.letters(speed, share, reaction, energy, first="g")


def _draw_speed(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    """Draw the clamp's speed, and the value to which the end of the push, a wave, lowers it."""
    times, v = data.time.values, data.frame_velocity.values[:, 0]
    drawing.sticking(axes, data, label="all nodes stick")
    axes.plot(times, v, color=drawing.BLUE)
    axes.set(ylabel=r"speed of the clamp $\dot{x}_0$ [m/s]", xlim=(times[0], times[-1]))
    jump = release_jump(params)
    if jump > 0.0 and params.release < times[-1]:
        after = v[np.searchsorted(times, params.release * (1 + 1e-9)) - 1] - jump
        ends = (params.release, params.release + 0.5 * params.length / wave_speed(params))
        label = "end of the push:\n$-P/(\\rho c A)$ by a wave"
        axes.plot(ends, [after] * 2, color=drawing.VERMILION, linestyle="--", linewidth=1.0, zorder=3, label=label)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right")


if __name__ == "__main__":
    main(__file__)
