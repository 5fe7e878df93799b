"""Potra et al. (2006), Figure 3: the coordinate x of the block's centre over time, beside the exact solution."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.potra_block import QUICK, RUNS, beside_exact, draw_close_up, draw_history, in_space

__all__ = ["CLAIM", "COST", "FILE", "ORIGIN", "QUICK", "RUNS", "SOURCE", "draw", "numbers"]

FILE = "potra2006_fig3"
ORIGIN = "potra2006"
SOURCE = "Potra et al. (2006), Fig. 3"
CLAIM = "the coordinate of the block, in the plane and in space, follows the exact solution without drift, also at rest"
COST = 30.0


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Coordinates (parts/potra_block.py), their largest errors, m, and the creep in stick, m.

    rests, rests_exact (m,) m: positions of the block in its stick intervals.
    """
    motion = beside_exact(data["block"]) | in_space(data["space"])
    times, x = motion["times"], motion["x"]
    rests = [(times >= start) & (times <= end) for start, end in motion["sticks"]]
    middle = motion["sticks_exact"].mean(axis=1)
    return motion | {
        "error_max": float(np.max(np.abs(x - motion["x_exact"]))),
        "error_max_space": float(np.max(np.abs(motion["x_space"] - motion["x_exact"]))),
        "creep_space": float(max(np.ptp(motion["x_space"][rest & motion["stuck_space"]]) for rest in rests)),
        "creep": float(max(np.ptp(x[rest]) for rest in rests)),
        "rests": np.array([x[rest][-1] for rest in rests]),
        "rests_exact": np.interp(middle, times, motion["x_exact"]),
    }


def draw(numbers: Numbers) -> Figure:
    """Draw x with the exact one, its error, and the instants around the end of the slip to the left."""
    figure = column_figure(85)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    draw_history(top, bottom, numbers, "x")
    top.set(ylabel="coordinate $x$ [mm]", ylim=(-10, 19), yticks=[-10, -5, 0, 5, 10, 15])
    inset = top.inset_axes((0.18, 0.72, 0.36, 0.25))
    stop = float(numbers["sticks_exact"][1, 0])
    draw_close_up(inset, numbers, "x", stop, 12 * numbers["dt"])
    inset.set_xlabel(f"$t$ - {stop:.4f} s [ms]", labelpad=1)
    inset.legend(loc="upper right", borderaxespad=0.1, handletextpad=0.1, labelspacing=0.2)
    bottom.set_ylabel("error [m]")
    letter(top, "a")
    letter(bottom, "b", r"$|x - x_\mathrm{exact}|$; grey: stick")
    top.legend(loc="lower right", bbox_to_anchor=(1.02, 0.98), ncols=3, borderaxespad=0.2, columnspacing=1.0)
    return figure
