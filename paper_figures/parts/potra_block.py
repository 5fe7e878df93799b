"""The block of Potra et al. as Figures 2 and 3 show it: in the plane and in space, beside the exact solution; where it sticks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from cases.app.drawing.style import BLUE, LIGHT, ORANGE, SKY, spans
from cases.block_on_table import Parameters, exact
from cases.references.block_on_table import Event
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Job, Run

Array = NDArray[np.float64]

SPACE = Run("potra_block", {"t_end": 10.0, "dt": 1e-3})
"""The block as it was published: a body in space on four feet."""
RUNS: Mapping[str, Job] = {"block": Run("block_on_table", {"t_end": 10.0, "dt": 1e-3}), "space": SPACE}
QUICK: Mapping[str, Mapping[str, object]] = {"block": {"dt": 8e-3}, "space": {"dt": 8e-3}}


def beside_exact(data: xr.Dataset) -> Numbers:
    """Computed and exact motion.

    times (n,) s; v, v_exact (n,) m/s; x, x_exact (n,) m, along the force; stuck (n,) bool, every contact point's sliding velocity
    is exactly zero; sticks, sticks_exact (m, 2) s, start and end of the stick intervals; dt s.
    """
    params = Parameters.model_validate_json(data.attrs["parameters"], strict=False)
    times = data.time.values
    x_exact, v_exact, events = exact(params, times)
    stuck = (data.stick.values == 1).all(axis=1)
    return {
        "times": times,
        "x": data.frame_position.values[:, 0],
        "v": data.frame_velocity.values[:, 0],
        "x_exact": x_exact,
        "v_exact": v_exact,
        "stuck": stuck,
        "sticks": np.array(spans(times, stuck)).reshape(-1, 2),
        "sticks_exact": exact_sticks(events, float(times[-1])),
        "dt": float(json.loads(data.attrs["parameters"])["dt"]),
    }


def in_space(data: xr.Dataset) -> Numbers:
    """``x_space`` (n,) m and ``v_space`` (n,) m/s of the body in space, and ``stuck_space`` (n,): all its feet stick."""
    return {
        "x_space": data.frame_position.values[:, 0],
        "v_space": data.frame_velocity.values[:, 0],
        "stuck_space": (data.stick.values == 1).all(axis=1),
    }


def exact_sticks(events: tuple[Event, ...], t_end: float) -> Array:
    """Intervals (m, 2) s between the end of a slip phase and the start of the next, or `t_end`."""
    bounds = [0.0, *(event.time for event in events), t_end]
    slips = [False, *(event.sign != 0 for event in events)]
    pairs = [(a, b) for a, b, slip in zip(bounds[:-1], bounds[1:], slips, strict=True) if not slip and b > a]
    return np.array(pairs).reshape(-1, 2)


def draw_history(top: Axes, bottom: Axes, numbers: Numbers, name: str) -> None:
    """Draw history `name` ("v" or "x") of both bodies and the exact one above, their errors below; stick intervals are shaded."""
    times, computed, known = (numbers[key] for key in ("times", name, f"{name}_exact"))
    for start, end in numbers["sticks"]:
        for axes in (top, bottom):
            axes.axvspan(start, end, color=LIGHT, linewidth=0, zorder=0)
    space = numbers[f"{name}_space"]
    top.plot(times, 1e3 * computed, color=SKY, linewidth=3.2, label="in the plane")
    top.plot(times, 1e3 * space, color=BLUE, linewidth=1.6, label="in space")
    top.plot(times, 1e3 * known, color=ORANGE, linewidth=0.9, linestyle=(0, (4, 2.5)), label="exact")
    error = np.abs(computed - known)
    for values, colour, width in ((error, SKY, 2.4), (np.abs(space - known), BLUE, 0.9)):
        bottom.semilogy(times, np.where(values > 1e-6 * error.max(), values, np.nan), color=colour, linewidth=width)
    bottom.set_ylim(1e-5 * error.max(), 6 * error.max())
    bottom.set(xlabel="time $t$ [s]", xlim=(times[0], times[-1]))


def draw_close_up(inset: Axes, numbers: Numbers, name: str, centre: float, half: float) -> None:
    """Draw the instants within `half` s of `centre` s one by one, hollow in slip and filled in stick, over the exact curve."""
    times, stuck = numbers["times"], numbers["stuck"]
    near = np.abs(times - centre) <= half
    since, values, stuck = 1e3 * (times[near] - centre), 1e3 * numbers[name][near], stuck[near]
    inset.plot(since, 1e3 * numbers[f"{name}_exact"][near], color=ORANGE, linewidth=0.9)
    style: dict[str, Any] = {
        "linestyle": "none",
        "marker": "o",
        "markersize": 3,
        "markeredgewidth": 0.6,
        "color": BLUE,
    }
    inset.plot(since[~stuck], values[~stuck], markerfacecolor="white", label="slip", **style)
    inset.plot(since[stuck], values[stuck], label="stick", **style)
    inset.spines[["top", "right"]].set_visible(True)
