"""Szefer's Fig. 3a, computed: a free elastic plate is pulled, sticks, slips, slides, turns, slips back and stops."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.style import BLUE, GREEN, LIGHT, ORANGE, SKY, VERMILION, shade
from cases.app.parts.headlines import stop_time
from paper_figures.ink.style import PAGE, SMALLEST_TYPE, above_and_below, column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.plate_sequence import draw_energies, draw_shares, draw_snapshots, sequence_numbers
from paper_figures.runs.jobs import Run

FILE = "szefer2001_fig3a"
ORIGIN = "szefer2001"
SOURCE = "Szefer (2001), Fig. 3a: the free plate"
CLAIM = (
    "Pulled eccentrically, the plate slips from the loaded edge on, slides and turns; sliding and "
    "turning end together, by slip that turns back."
)
COST = 6.0
RUNS = {"plate": Run("plate_sliding", {"t_end": 1.3})}
QUICK = {"plate": {"nx": 12, "ny": 6, "dt": 4e-3}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Snapshots and shares of states; speed and spin of the frame over time with the last instants at which each is not zero."""
    run = data["plate"]
    speed, spin = np.hypot(*run.frame_velocity.values.T), run.frame_spin.values
    times, size = run.time.values, float(np.ptp(run.X.values[:, 0]))
    ends = {
        name: float(times[np.flatnonzero(np.abs(values) > 1e-9 * np.abs(values).max())[-1]])
        for name, values in (("sliding_ends", speed), ("turning_ends", spin))
    }
    return {
        **sequence_numbers(run),
        "speed": speed,
        "rim_speed": 0.5 * size * spin,
        "arm": 0.5 * size,
        "stop_time": stop_time(run),
        "angle": float(run.frame_angle[-1]),
        "distance": float(np.hypot(*np.diff(run.frame_position.values, axis=0).T).sum()),
        **ends,
    }


def draw(n: Numbers) -> Figure:
    """Draw six snapshots, and the shares of stick and slip, speed and spin, and the energy over time."""
    figure = column_figure(158, width=PAGE)
    above, below = above_and_below(figure, 2.15, 1.0)
    names = ("slips at the pull", "slides and turns", "slides and turns", "brakes", "slips back", "rests")
    draw_snapshots(above, n, names)
    shares, motion, energy = below.subplots(1, 3)
    draw_shares(shares, n)
    _motion(motion, n)
    draw_energies(energy, n, (ORANGE, SKY, GREEN))
    letter(shares, "g", "nodes that stick, slip, slip back")
    letter(motion, "h", "sliding and turning end together")
    letter(energy, "i", "the work of the pull")
    return figure


def _motion(axes: Axes, n: Numbers) -> None:
    t = n["time"]
    shade(axes, t, t >= n["stop_time"], color=LIGHT)
    for values, colour, label in (
        (n["speed"], BLUE, r"$|\dot{x}_0|$"),
        (n["rim_speed"], VERMILION, rf"$\omega\cdot${n['arm']:g} m"),
    ):
        axes.plot(t, values, color=colour, label=label)
    axes.text(
        n["stop_time"],
        0.6,
        f" at rest\n from\n {n['stop_time']:.3f} s\n on",
        transform=axes.get_xaxis_transform(),
        fontsize=SMALLEST_TYPE,
    )
    axes.set(xlabel="time $t$ [s]", ylabel="speed [m/s]", xlim=(0, t[-1]), ylim=(0, 1.15 * n["speed"].max()))
    axes.legend(loc="upper left")
