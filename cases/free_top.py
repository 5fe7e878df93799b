"""A torque-free top in space that turns over: the tennis racket's theorem.

Reference: L. Euler 1758; L. D. Landau, E. M. Lifshitz, Mechanics, 3rd ed., 1976, section 37; M. S. Ashbaugh, C. C. Chicone,
R. H. Cushman, The twisting tennis racket, J. Dyn. Diff. Equ. 3 (1991) 67-85.

Analysis: dynamics of a rigid body in space, (2.3)2 without moments.

Purpose: the spin against Jacobi's elliptic functions; moment of momentum kept to rounding, attitude to second order.

Summary: a spin about the middle axis is unstable: the body turns over repeatedly, at intervals 2K/λ. An interval grows with the
logarithm of the inverse disturbance, so that the energy error of a scheme shifts these instants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app import drawing
from cases.app.case import Headlines, Measure, Refinement, headline, main, measure, quantity
from cases.app.parts import parameters, space

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from floating_frame import Problem

    Array = NDArray[np.float64]


class Parameters(parameters.TimeInSpace):
    """Parameters of the top; at t = 0 its axes are those of space."""

    t_end: parameters.EndTime = 30.0
    dt: parameters.StepInSpace = 0.0125
    J1: Annotated[float, quantity("kg m2", "principal moment of inertia about the first axis", gt=0)] = 1.0
    J2: Annotated[float, quantity("kg m2", "principal moment of inertia about the second axis", gt=0)] = 2.0
    J3: Annotated[float, quantity("kg m2", "principal moment of inertia about the third axis", gt=0)] = 3.0
    spin1: Annotated[float, quantity("rad/s", "initial spin about the first axis")] = 0.01
    spin2: Annotated[float, quantity("rad/s", "initial spin about the second axis")] = 1.0
    spin3: Annotated[float, quantity("rad/s", "initial spin about the third axis")] = 0.0


def problem(params: Parameters) -> Problem:
    """Top, in its reference attitude."""
    start = (params.spin1, params.spin2, params.spin3)
    body = ff.RigidSolid(mass=1.0, inertia=(params.J1, params.J2, params.J3))
    return ff.Problem(body=body, t_end=params.t_end, gravity=0.0, initial=ff.InitialState(spin=start))


options = space.options


def exact(params: Parameters, times: Array) -> Array:
    """Spin (n, 3) rad/s in body axes at ``times`` (n,) s."""
    from cases.references.space.free_top import spin  # its special functions take long to import

    return spin((params.J1, params.J2, params.J3), (params.spin1, params.spin2, params.spin3), times)


def body_spin(data: xr.Dataset) -> Array:
    """Spin (n, 3) rad/s in body axes of a trajectory."""
    w, q = data.frame_rotation.values[:, :1], data.frame_rotation.values[:, 1:]
    omega = data.frame_spin.values  # Qᵀ Ω of the unit quaternion (w, q)
    turned: Array = omega - 2.0 * w * np.cross(q, omega) + 2.0 * np.cross(q, np.cross(q, omega))
    return turned


def summary(params: Parameters, data: xr.Dataset) -> Headlines:
    """Spin at the end beside the exact one, and changes of momentum and energy."""
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
            int(np.sum(np.diff(np.sign(computed[:, 1])) != 0)), "1", "number of sign changes of the spin about axis 2"
        ),
    }


STUDY = Refinement(doubled=(), dt={"dt": 0.1})


def measures(params: Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Spin in body axes at the end and at all times, and the attitude."""
    known, computed = exact(params, data.time.values), body_spin(data)
    return {
        "spin_end": measure(computed[-1], "rad/s", known[-1]),
        "spin_all_times": measure(computed, "rad/s", known),
        "attitude": measure(data.frame_rotation.values[-1], "1"),
    }


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw ω(t) in body axes, the momentum's path on its sphere, and the changes of momentum and energy."""
    figure.set_size_inches(drawing.PAGE, 2.8)
    spins, sphere, changes = figure.subplots(1, 3, width_ratios=[1.6, 1.0, 1.3])
    times, computed, known = data.time.values, body_spin(data), exact(params, data.time.values)
    for k, colour in enumerate((drawing.BLUE, drawing.VERMILION, drawing.ORANGE)):
        spins.plot(times, computed[:, k], color=colour, label=rf"$\omega_{k + 1}$")
        dashed = {"color": drawing.BLACK, "linestyle": (0, (3, 3)), "linewidth": 0.7}
        spins.plot(times, known[:, k], label="exact" if k == 2 else None, **dashed)
    spins.set(xlabel="time $t$ [s]", ylabel="spin in body axes [rad/s]", xlim=(times[0], times[-1]))
    spins.legend(loc="lower center", bbox_to_anchor=(0.57, 1.0), ncols=4, columnspacing=0.8, handlelength=1.2)
    draw_sphere(sphere, params, computed * [params.J1, params.J2, params.J3])
    draw_changes(changes, data)
    drawing.letters(spins, sphere, changes)


def draw_sphere(axes: Axes, params: Parameters, momentum: Array) -> None:
    """Draw the path (n, 3) of J ω on its sphere, arc from between the body's axes 1 and 2, where it turns over."""
    view = np.array([[-0.5, 0.866, 0.0], [-0.354, -0.204, 0.913]])  # rows: to the right, up
    towards = np.cross(view[0], view[1])
    path = momentum / max(float(np.linalg.norm(momentum[0])), 1e-300)
    angle = np.linspace(0.0, 2.0 * np.pi, 181)
    axes.plot(np.cos(angle), np.sin(angle), color=drawing.GREY, linewidth=0.6)
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)])
    for axis in range(3):
        circle = np.roll(ring, axis, axis=1)
        for side, style in ((circle @ towards >= 0.0, "-"), (circle @ towards < 0.0, ":")):
            arc = np.where(side[:, None], circle @ view.T, np.nan)
            axes.plot(*arc.T, color=drawing.GREY, linewidth=0.5, linestyle=style, zorder=0)
        tip, name = 1.3 * np.eye(3)[axis] @ view.T, f"$e_{axis + 1}$"
        look = {"arrowstyle": "-|>", "lw": 0.7, "color": drawing.GREY}
        axes.annotate("", tip, np.eye(3)[axis] @ view.T, arrowprops=look)
        axes.text(float(1.1 * tip[0]), float(1.1 * tip[1]), name, fontsize=7, ha="center", va="center")
    front = (path @ towards >= 0.0)[:, None]
    for half, width, name in ((front, 1.4, "near side"), (~front, 0.6, "far side")):
        axes.plot(*np.where(half, path @ view.T, np.nan).T, color=drawing.BLUE, linewidth=width, label=name)
    axes.plot(*(view @ path[0]), "o", color=drawing.BLUE, markersize=3, label="start")
    axes.set(aspect="equal")
    axes.set_axis_off()
    key = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "ncols": 3, "handlelength": 0.9, "columnspacing": 0.8}
    axes.legend(title="$J\\omega/|J\\omega|$ in body axes", title_fontsize=7, **key)


def draw_changes(axes: Axes, data: xr.Dataset) -> None:
    """Draw the relative changes of momentum and energy."""
    times, momentum, energy = data.time.values, data.angular_momentum.values, data.energy_kinetic.values
    off = np.linalg.norm(momentum - momentum[0], axis=1) / max(float(np.linalg.norm(momentum[0])), 1e-300)
    lost, floor = np.abs(energy / max(float(energy[0]), 1e-300) - 1.0), 1e-17
    axes.semilogy(times, np.maximum(lost, floor), color=drawing.ORANGE, label="energy")
    axes.semilogy(times, np.maximum(off, floor), color=drawing.BLUE, label="moment of momentum")
    axes.set(xlabel="time $t$ [s]", ylabel="relative change", xlim=(times[0], times[-1]), ylim=(floor, None))
    axes.legend(loc="center right")


if __name__ == "__main__":
    main(__file__)
