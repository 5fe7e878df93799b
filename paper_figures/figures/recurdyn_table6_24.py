"""RecurDyn, Table 6.24: the sliding type and the sliding & stiction type compared on an inclined plane."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cases.app.drawing.style import BLUE, GREY, VERMILION
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.recurdyn_laws import PARAMETERS, STICTION, carrying
from paper_figures.runs.jobs import Job, Run

Array = NDArray[np.float64]

FILE = "recurdyn_table6_24"
ORIGIN = "recurdyn"
SOURCE = "RecurDyn, Table 6.24"
CLAIM = "below the bound a block creeps at constant speed under the sliding type, and rests under the sliding & stiction type"
COST = 4.0
GENTLE, STEEP = 0.7, 1.2
"""tan(angle) over mu_s: an incline on which Coulomb friction holds, and one on which it does not."""
GRAVITY = 9.81


def degrees(share: float) -> float:
    """Incline, degrees, on which the weight pulls with `share` of the static bound."""
    return float(np.degrees(np.arctan(share * PARAMETERS["mu_s"])))


_TIMES = {"t_end": 0.3, "dt": 1e-3, "gravity": GRAVITY}
TYPES: Mapping[str, dict[str, object]] = {
    "sliding": PARAMETERS | {"law": "sliding"},
    "stiction": STICTION | {"law": "sliding-stiction"},
}
RUNS: Mapping[str, Job] = {
    f"{name}_{slope}": Run("inclined_plane", _TIMES | law | {"angle": degrees(share)})
    for name, law in TYPES.items()
    for slope, share in (("gentle", GENTLE), ("steep", STEEP))
}
QUICK: Mapping[str, Mapping[str, object]] = {label: {"dt": 6e-3} for label in RUNS}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Slip and velocity down the slope by type and incline, and the table.

    times (n,) s; x (n,) m and v (n,) m/s by label of RUNS; table by type: steady_speed m/s and steady_slip m at the end of the
    gentle run (the slip of the sliding type goes on), acceleration m/s2 over the last half of the steep run; expected: from the
    law, the speed and the deformation at which it carries tan(angle), and g (sin - mu_d cos).
    """
    share = carrying(GENTLE)
    angle = np.radians(degrees(STEEP))
    expected = {
        "acceleration": GRAVITY * (np.sin(angle) - PARAMETERS["mu"] * np.cos(angle)),
        "sliding": {"steady_speed": share * PARAMETERS["v_s"]},
        "stiction": {"steady_speed": 0.0, "steady_slip": share * STICTION["max_stiction_deformation"]},
    }
    motions = {
        label: {
            "times": run.time.values,
            "x": run.frame_position.values[:, 0],
            "v": run.frame_velocity.values[:, 0],
        }
        for label, run in data.items()
    }
    table = {}
    for name in TYPES:
        gentle, steep = motions[f"{name}_gentle"], motions[f"{name}_steep"]
        half = len(steep["times"]) // 2
        table[name] = {
            "steady_speed": float(gentle["v"][-1]),
            "steady_slip": float(gentle["x"][-1]),
            "acceleration": float((steep["v"][-1] - steep["v"][half]) / (steep["times"][-1] - steep["times"][half])),
        }
    return {"motions": motions, "table": table, "expected": expected}


def draw(numbers: Numbers) -> Figure:
    """Draw slip and speed of both types on the gentle incline, and the table of the steady states."""
    figure = column_figure(116)
    top, middle, bottom = figure.subplots(3, 1, height_ratios=[1, 1, 0.85])
    for name, colour, dashes in (("sliding", BLUE, "-"), ("stiction", VERMILION, (0, (5, 1.5)))):
        motion = numbers["motions"][f"{name}_gentle"]
        since = 1e3 * motion["times"]
        label = {"sliding": "sliding", "stiction": "sliding & stiction"}[name]
        top.plot(since, 1e3 * motion["x"], color=colour, linestyle=dashes, label=label)
        speed = np.abs(1e3 * motion["v"])
        middle.semilogy(since, np.where(speed > 0, speed, np.nan), color=colour, linestyle=dashes)
    for axes in (top, middle):
        axes.set(xlabel="time $t$ [ms]", xlim=(since[0], since[-1]))
    top.set_ylabel("slip $x$ [mm]")
    middle.set(ylabel="slip speed [mm/s]")
    middle.axhline(1e3 * numbers["expected"]["sliding"]["steady_speed"], color=GREY, linestyle=":", linewidth=0.9)
    top.legend(loc="upper left", borderaxespad=0.1)
    letter(top, "a", rf"slip, $\tan\alpha = {GENTLE:g}\,\mu_s$")
    letter(middle, "b", "speed; dotted: expected")
    draw_table(bottom, numbers)
    letter(bottom, "c", "steady states, computed (expected)")
    return figure


def draw_table(axes: Axes, numbers: Numbers) -> None:
    """Write the table: steady state of each type, computed and expected."""
    axes.set_axis_off()
    table, expected = numbers["table"], numbers["expected"]
    end = 1e3 * numbers["motions"]["sliding_gentle"]["times"][-1]

    def beside(value: float, known: float) -> str:
        return f"{digits(value)} ({digits(known)})"

    def row(part: str, *, grows: bool = False) -> list[str]:
        values = [1e3 * abs(table[name][part]) for name in TYPES]
        known = [1e3 * expected[name].get(part, np.nan) for name in TYPES]
        first = f"{digits(values[0])}, grows" if grows else beside(values[0], known[0])
        return [first, beside(values[1], known[1])]

    rows = [
        ["", "sliding", "sliding & stiction"],
        [rf"$\tan\alpha = {GENTLE:g}\,\mu_s$", "", ""],
        ["  speed [mm/s]", *row("steady_speed")],
        [f"  slip at {end:.0f} ms [mm]", *row("steady_slip", grows=True)],
        [rf"$\tan\alpha = {STEEP:g}\,\mu_s$", "", ""],
        [r"  $\dot v$ [m/s$^2$]", *(beside(table[name]["acceleration"], expected["acceleration"]) for name in TYPES)],
    ]
    step = 1.0 / len(rows)
    for number, texts in enumerate(rows):
        for place, text, side in zip((0.0, 0.52, 1.0), texts, ("left", "center", "right"), strict=True):
            axes.text(
                place, 1 - (number + 0.5) * step, text, ha=side, va="center", fontsize=7, transform=axes.transAxes
            )
    axes.axhline(1 - step, color="black", linewidth=0.6)
    axes.set_ylim(0, 1)


def digits(value: float) -> str:
    """Number with four digits, small ones with a power of ten."""
    if value == 0 or abs(value) >= 1e-3:
        return f"{value:.4g}"
    exponent = int(np.floor(np.log10(abs(value))))
    return rf"${value / 10.0**exponent:.1f}\cdot 10^{{{exponent}}}$"
