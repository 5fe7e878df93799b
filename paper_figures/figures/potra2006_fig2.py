"""Potra et al. (2006), Figure 2: the velocity v_x of the block's centre over time, beside the exact solution."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.potra_block import QUICK, RUNS, beside_exact, draw_close_up, draw_history, in_space

__all__ = ["CLAIM", "COST", "FILE", "ORIGIN", "QUICK", "RUNS", "SOURCE", "draw", "numbers"]

FILE = "potra2006_fig2"
ORIGIN = "potra2006"
SOURCE = "Potra et al. (2006), Fig. 2"
CLAIM = (
    "the block's velocity, in the plane and in space, follows the exact solution, and is exactly zero while it sticks"
)
COST = 30.0


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Velocities (parts/potra_block.py), their largest errors, m/s, and the largest speeds in stick, m/s."""
    motion = beside_exact(data["block"]) | in_space(data["space"])
    return motion | {
        "error_max": float(np.max(np.abs(motion["v"] - motion["v_exact"]))),
        "error_max_space": float(np.max(np.abs(motion["v_space"] - motion["v_exact"]))),
        "stick_speed": float(np.max(np.abs(motion["v"][motion["stuck"]]), initial=0.0)),
        "stick_speed_space": float(np.max(np.abs(motion["v_space"][motion["stuck_space"]]), initial=0.0)),
    }


def draw(numbers: Numbers) -> Figure:
    """Draw v_x with the exact one, its error, and the instants around the first return to stick after a slip to the left."""
    figure = column_figure(85)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    draw_history(top, bottom, numbers, "v")
    top.set(ylabel="velocity $v_x$ [mm/s]", ylim=(-46, 70), yticks=[-40, -20, 0, 20, 40, 60])
    inset = top.inset_axes((0.16, 0.66, 0.38, 0.31))
    stop = float(numbers["sticks_exact"][1, 0])
    draw_close_up(inset, numbers, "v", stop, 6 * numbers["dt"])
    inset.set_xlabel(f"$t$ - {stop:.4f} s [ms]", labelpad=1)
    inset.legend(loc="lower right", borderaxespad=0.1, handletextpad=0.1, labelspacing=0.2)
    bottom.text(4.8, 0.5, "0 in stick", ha="center", va="center", transform=bottom.get_xaxis_transform())
    bottom.set_ylabel("error [m/s]")
    letter(top, "a")
    letter(bottom, "b", r"$|v_x - v_{x,\mathrm{exact}}|$; grey: stick")
    top.legend(loc="lower right", bbox_to_anchor=(1.02, 0.98), ncols=3, borderaxespad=0.2, columnspacing=1.0)
    return figure
