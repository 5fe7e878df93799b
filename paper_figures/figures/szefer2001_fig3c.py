"""Szefer's Fig. 3c, computed: a slender beam, hit across at its end, bends, turns, slides and comes to rest on the rough plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cases import beam_bending
from cases.app.drawing.style import BLACK, BLUE, GREEN, LIGHT, ORANGE, SKY, VERMILION
from cases.app.parts.headlines import stop_time
from paper_figures.ink.style import PAGE, above_and_below, column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.plate_sequence import draw_energies, draw_shares, draw_snapshots, sequence_numbers
from paper_figures.runs.jobs import Run

FILE = "szefer2001_fig3c"
ORIGIN = "szefer2001"
SOURCE = "Szefer (2001), Fig. 3c: the beam in its floating frame, (3.13) to (3.16)"
CLAIM = (
    "A beam hit across at its end bends, turns and slides until friction has stopped all of it; its "
    "momenta are the impulses on it."
)
COST = 4.0
RUNS = {
    "beam": Run(
        "beam_bending",
        {
            "motion": "free",
            "profile": "tip",
            "history": "pulse",
            "duration": 0.05,
            "load": 9.0,
            "E": 1.2e8,
            "mu": 0.8,
            "dt": 1e-3,
            "t_end": 0.7,
        },
    )
}
QUICK = {"beam": {"ne": 12, "dt": 4e-3}}
DRAWN_WIDTH = 0.035
"""Drawn width of the beam, m; its real width is 0.02 m."""


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Snapshots with the axis drawn as a band, shares of states, and momenta beside the time integrals of load and friction.

    momenta, impulses (time, 3): linear momentum along x and y, N s, and angular momentum about the inertial origin, N m s.
    """
    run = data["beam"]
    params = beam_bending.Parameters.model_validate_json(run.attrs["parameters"])
    t, x, friction = run.time.values, run.position.values, run.friction_force.values.copy()
    friction[0] = 0.0  # the instant before the load
    load = np.where(t > params.duration, 0.0, params.load * params.length)
    force = friction.sum(axis=1) + np.stack([np.zeros_like(load), load], axis=1)
    moment = np.sum(x[..., 0] * friction[..., 1] - x[..., 1] * friction[..., 0], axis=1) + x[:, -1, 0] * load
    rates = np.column_stack([force, moment])
    sequence = sequence_numbers(run)
    for at, instant in zip(sequence["snapshots"], sequence["instants"], strict=True):
        at.update(band(x[0], x[instant], run.rotation.values[instant] + at["angle"], at["states"], at["share"]))
    return {
        **sequence,
        "momenta": np.column_stack([run.linear_momentum.values, run.angular_momentum.values]),
        "impulses": np.concatenate(
            [np.zeros((1, 3)), np.cumsum(0.5 * (rates[1:] + rates[:-1]) * np.diff(t)[:, None], 0)]
        ),
        "bent": float(np.abs(run.displacement.values[..., 1]).max()),
        "angle": float(run.frame_angle[-1]),
        "stop_time": stop_time(run) or np.nan,
    }


def band(
    start: NDArray[np.float64],
    place: NDArray[np.float64],
    slope: NDArray[np.float64],
    states: NDArray[np.int8],
    share: NDArray[np.float64],
) -> Numbers:
    """The axis as a band of quadrilaterals: lower edge, upper edge and axis (3 N, 2) m of the N nodes, one after the other.

    start, place (N, 2) m; slope (N,) rad in space; states (N,), share (N, 2) are repeated for the three; arrows sit on the axis.
    """
    count = len(place)
    half = 0.5 * DRAWN_WIDTH

    def edges(axis: NDArray[np.float64], turn: NDArray[np.float64]) -> NDArray[np.float64]:
        across = half * np.column_stack([-np.sin(turn), np.cos(turn)])
        return np.concatenate([axis - across, axis + across, axis])

    i = np.arange(count - 1)
    return {
        "position": edges(place, slope),
        "start": edges(start, np.zeros(count)),
        "cells": np.column_stack([i, i + 1, count + i + 1, count + i]),
        "states": np.tile(states, 3),
        "share": np.tile(share, (3, 1)),
        "lines": BLACK,
        "nodes": 2 * count + np.arange(0, count, max(1, count // 20)),
    }


def draw(n: Numbers) -> Figure:
    """Draw six snapshots, the shares of stick and slip, the momenta beside the impulses, and the energy over time."""
    figure = column_figure(150, width=PAGE)
    above, below = above_and_below(figure, 2.0, 1.0)
    names = ("hit at its end", "bends and turns", "slides", "slides", "slips back", "rests")
    draw_snapshots(above, n, names)
    shares, momenta, energy = below.subplots(1, 3)
    draw_shares(shares, n)
    _momenta(momenta, n)
    draw_energies(energy, n, (ORANGE, SKY, GREEN))
    letter(shares, "g", "nodes by state")
    letter(momenta, "h", "momenta (o), impulses (-)")
    letter(energy, "i", "the work of the hit")
    return figure


def _momenta(axes: Axes, n: Numbers) -> None:
    t, every = n["time"], max(1, len(n["time"]) // 40)
    axes.axhline(0.0, color=LIGHT, linewidth=0.8, zorder=0)
    style: dict[str, Any] = {"color": BLACK, "markersize": 2.4, "fillstyle": "none", "markeredgewidth": 0.5}
    for k, (colour, name) in enumerate(
        ((BLUE, "along x [N s]"), (GREEN, "along y [N s]"), (VERMILION, "angular [N m s]"))
    ):
        axes.plot(t, n["impulses"][:, k], color=colour, linewidth=0.9, label=name)
        axes.plot(t[::every], n["momenta"][::every, k], "o", **style)
    axes.set(xlabel="time $t$ [s]", ylabel="momentum [N s], [N m s]", xlim=(0, t[-1]))
    axes.legend(loc="upper right")
