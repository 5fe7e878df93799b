"""An elastic block that sticks and is pulled until it tips: normal pressure and lifting of its base from the rear.

At rest the resultant of the normal forces is ahead of the centre by F h/(2 m g). Under a rigid base on an elastic bed (Navier) the
pressure is linear, and the base lifts once the resultant leaves the core, F h/(2 m g) > l/6.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILION
from cases.app.parts.space import base_of
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Run

Array = NDArray[np.float64]

FILE = "solid_lifting"
ORIGIN = "beyond"
SOURCE = "an elastic solid in space on rough ground, its normal pressure unknown; moment balance, and Navier's linear pressure"
CLAIM = "Pulled above its base an elastic block presses more ahead and lifts from the rear; its resultant follows from the moments."
COST = 60.0

LENGTH, HEIGHT, SHARE = 0.3, 0.3, 0.8
"""m, m, and the largest pull over the weight; the block would tip at length/height = 1."""
WEIGHT = 1200.0 * 9.81 * LENGTH * 0.1 * HEIGHT
SHOWN = (0.0, 0.2, 0.4, 0.6, 0.8)
COLOURS = (BLACK, GREEN, BLUE, ORANGE, VERMILION)
GIVEN = {
    "length": LENGTH, "width": 0.1, "height": HEIGHT, "mu": 1.5, "E": 1e6, "scheme": "backward-euler", "pull_x": SHARE * WEIGHT,
    "viscosity": 0.0, "ramp": 2.0, "release": 4.0, "t_end": 2.0, "dt": 0.04, "nx": 16, "ny": 2, "nz": 10,
}  # fmt: skip
RUNS = {"block": Run("solid_pulled", GIVEN)}
QUICK = {"block": {"nx": 8, "ny": 1, "nz": 4, "dt": 0.1}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``place`` (n,) m of the rows of base nodes from the middle, their mean ``pressure`` (5, n) over that at rest at the
    ``shown`` pulls over the weight; for each step ``pull`` over the weight, ``ahead``: the resultant from the middle over half the
    length, ``lifted``: the lifted part of the base's length, ``navier``: the lifted part for a linear pressure."""
    run = data["block"]
    base = base_of(run)
    X, press = run.X.values[base], run.normal_force.values[:, base]
    place, row = np.unique(X[:, 0].round(9), return_inverse=True)
    lines = np.array([np.bincount(row, forces) for forces in press])
    share = np.gradient(place)
    share[[0, -1]] *= 0.5
    pull = SHARE * np.minimum(run.time.values / GIVEN["ramp"], 1.0)
    instants = [int(np.argmin(np.abs(pull - wanted))) for wanted in SHOWN]
    now = run.position.values[:, base, 0] - run.frame_position.values[:, :1]
    open_rows = (lines <= 0.0) @ share / LENGTH
    return {
        "place": place,
        "shown": pull[instants],
        "pressure": lines[instants] / share / (WEIGHT / LENGTH),
        "pull": pull[1:],
        "ahead": ((press * now).sum(axis=1) / press.sum(axis=1) / (0.5 * LENGTH))[1:],
        "moment": pull[1:] * HEIGHT / LENGTH,
        "lifted": open_rows[1:],
        "navier": np.maximum(0.0, 1.0 - 1.5 * (1.0 - pull[1:] * HEIGHT / LENGTH)),
    }


def draw(numbers: Numbers) -> Figure:
    """Draw the pressure along the base at some pulls, and the position of the resultant and the lifted part over the pull."""
    figure = column_figure(105)
    above, below = figure.subplots(2, 1, height_ratios=(1.25, 1.0))
    for pull, pressure, colour in zip(numbers["shown"], numbers["pressure"], COLOURS, strict=True):
        above.plot(100.0 * numbers["place"], pressure, color=colour, marker=".", markersize=3, label=f"{pull:.1f}")
    above.axhline(0.0, color=GREY, linewidth=0.6)
    above.set(xlabel="position along the base from its middle [cm]", ylabel="pressure over its mean at rest [1]")
    above.legend(title="pull over weight", title_fontsize=7, loc="upper left")
    letter(above, "a")
    pull = numbers["pull"]
    below.plot(pull, numbers["ahead"], color=BLUE, label="resultant ahead, over $l/2$")
    below.plot(pull[::3], numbers["moment"][::3], ".", color=BLACK, markersize=4, label="moment: $Fh/(mg\\,l)$")
    below.step(pull, numbers["lifted"], where="post", color=VERMILION, label="lifted part of the base")
    below.plot(pull, numbers["navier"], color=VERMILION, linestyle="--", linewidth=1.0, label="of a linear pressure")
    below.set(xlabel="pull over weight, $F/(mg)$ [1]", ylabel="part [1]", xlim=(0.0, pull[-1]), ylim=(0.0, None))
    below.legend(loc="upper left")
    letter(below, "b")
    return figure
