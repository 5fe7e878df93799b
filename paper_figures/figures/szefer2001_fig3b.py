"""Szefer's Fig. 3b, computed: a plate clamped to a guide along x is bent, slides and stops; (3.12) term by term."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cases import plate_clamped
from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, LIGHT, ORANGE, SKY, VERMILION
from cases.app.parts.headlines import stop_time
from paper_figures.ink.style import PAGE, above_and_below, column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.plate_sequence import draw_energies, draw_shares, draw_snapshots, sequence_numbers
from paper_figures.runs.jobs import Run

FILE = "szefer2001_fig3b"
ORIGIN = "szefer2001"
SOURCE = "Szefer (2001), Fig. 3b: the plate clamped on one side, (3.11) and (3.12)"
CLAIM = (
    "Held by a guide along x, the plate is bent by pull and friction, its frame does not turn, and "
    "M x0'' = F_x + F_Cx - B_x holds."
)
COST = 9.0
RUNS = {"plate": Run("plate_clamped", {"t_end": 1.1})}
QUICK = {"plate": {"nx": 12, "ny": 6, "dt": 4e-3}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Snapshots and shares of states, the time integral of (3.12), N s, and the reaction of the guide.

    load_impulse, friction_impulse (time,): the time integrals of F_x and F_Cx; rigid_momentum, momentum (time,): M dx0/dt, and
    M dx0/dt + P_x, whose rate is M x0'' + B_x; momentum_error: its largest distance from
    the impulses, over its largest value.
    """
    run = data["plate"]
    params = plate_clamped.Parameters.model_validate_json(run.attrs["parameters"])
    t, v = run.time.values, run.frame_velocity.values[:, 0]
    mass = params.density * params.thickness * params.length * params.width
    course = np.where(t > params.release, 0.0, np.minimum(1.0, t / params.ramp))
    loads = (params.push_x + params.pull_x) * course
    friction = run.friction_force.values[..., 0].sum(axis=1)
    friction[0] = 0.0  # at rest, and not yet pulled
    pushed, rubbed = integral(loads, t), integral(friction, t)
    momentum = mass * v + run.P.values[:, 0]
    return {
        **sequence_numbers(run),
        "load_impulse": pushed,
        "friction_impulse": rubbed,
        "rigid_momentum": mass * v,
        "momentum": momentum,
        "momentum_error": float(np.abs(momentum - pushed - rubbed).max() / np.abs(momentum).max()),
        "weight": float(run.friction_weight.values.sum()),
        "turned": float(np.abs(run.frame_angle.values).max()),
        "raised": float(np.abs(run.frame_position.values[:, 1]).max()),
        "reaction": run.clamp_reaction.values[:, 1],
        "bent": float(np.abs(run.displacement.values[..., 1]).max()),
        "distance": float(np.abs(np.diff(run.frame_position.values[:, 0])).sum()),
        "stop_time": stop_time(run) or np.nan,
    }


def integral(values: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Running integral of `values` (time,) by the trapezoidal rule, (time,)."""
    return np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(times))])


def draw(n: Numbers) -> Figure:
    """Draw six snapshots between the rails, the shares of stick and slip, the terms of (3.12), and the energy over time."""
    figure = column_figure(137, width=PAGE)
    above, below = above_and_below(figure, 1.75, 1.0)
    names = ("slips at both ends", "bent, slides", "slides", "brakes", "arrest", "rests")
    for axes, at in zip(draw_snapshots(above, n, names), n["snapshots"], strict=True):
        _guide(axes, at)
    shares, balance, energy = below.subplots(1, 3)
    draw_shares(shares, n)
    _balance(balance, n)
    draw_energies(energy, n, (ORANGE, SKY, GREEN))
    letter(shares, "g", "nodes by state")
    letter(balance, "h", f"(3.12) in time, off by {100 * n['momentum_error']:.1f} %")
    letter(energy, "i", "the work of the loads")
    return figure


def _guide(axes: Axes, at: Numbers) -> None:
    """Draw the clamp between its rails."""
    clamp = at["start"][:, 0] < at["start"][:, 0].min() + 1e-9
    x, y = at["position"][clamp].T
    low, high = y.min() - 0.03, y.max() + 0.03
    axes.plot([x[0], x[0]], [low, high], color=BLACK, linewidth=3.0, zorder=6)
    for side in (low, high):
        axes.axhline(side, color=GREY, linewidth=0.6, linestyle=(0, (6, 3)), zorder=0.5)


def _balance(axes: Axes, n: Numbers) -> None:
    t = n["time"]
    axes.axhline(0.0, color=LIGHT, linewidth=0.8, zorder=0)
    for values, colour, label in (
        (n["load_impulse"], VERMILION, r"$\int\!F_x$"),
        (n["friction_impulse"], GREEN, r"$\int\!F_{Cx}$"),
        (n["load_impulse"] + n["friction_impulse"], BLUE, "their sum"),
        (n["rigid_momentum"], GREY, r"$M\dot{x}_0$"),
    ):
        axes.plot(t, values, color=colour, linewidth=0.9, label=label)
    every = max(1, len(t) // 40)
    style: dict[str, Any] = {"color": BLACK, "markersize": 2.4, "fillstyle": "none", "markeredgewidth": 0.5}
    axes.plot(t[::every], n["momentum"][::every], "o", label=r"$M\dot{x}_0 + P_x$", **style)
    axes.set(xlabel="time $t$ [s]", ylabel="momentum [N s]", xlim=(0, t[-1]))
    axes.legend(loc="lower left", ncols=2, labelspacing=0.2, columnspacing=0.8)
