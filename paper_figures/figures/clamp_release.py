"""Motion of the plate's clamp when its push ends: a physical jump, and a ringing of the mesh.

The push P on the massless clamp ends at once. A wave runs into the plate, and the clamp loses the speed P/(rho c A), c the speed
of a plane wave along x. Waves as short as an element have a lower speed, so a mesh rings after a jump with a
period proportional to h/c, h the length of its cells. That period is measured on three meshes and with two steps.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREEN, ORANGE, VERMILION
from cases.plate_clamped import Parameters, release_jump, wave_speed
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Run

FILE = "clamp_release"
ORIGIN = "beyond"
SOURCE = "plate_clamped: the end of the push, on three meshes and with two steps"
CLAIM = "At the release the clamp loses the speed P/(rho c A) of a wave; the ringing about it is of the mesh, its period 1.8 h/c."
COST = 60.0

RELEASE, SHOWN = 0.5, 0.05
"""Time at which the push ends, and duration of the shown speed after it, s."""
_BRIEF = {"release": RELEASE, "t_end": RELEASE + SHOWN}
RUNS = {
    "coarse": Run("plate_clamped", _BRIEF | {"nx": 16, "ny": 4, "dt": 1e-3}),
    "medium": Run("plate_clamped", _BRIEF | {"nx": 32, "ny": 8, "dt": 1e-3}),
    "medium, half the step": Run("plate_clamped", _BRIEF | {"nx": 32, "ny": 8, "dt": 5e-4}),
    "fine": Run("plate_clamped", _BRIEF | {"nx": 64, "ny": 16, "dt": 5e-4}),
}
QUICK = {
    "coarse": {"nx": 8, "ny": 2, "dt": 2e-3},
    "medium": {"nx": 16, "ny": 4, "dt": 2e-3},
    "medium, half the step": {"nx": 16, "ny": 4, "dt": 1e-3},
    "fine": {"nx": 32, "ny": 8, "dt": 1e-3},
}
LOOK = {
    "coarse": (ORANGE, "-"),
    "medium": (BLUE, "-"),
    "medium, half the step": (GREEN, "--"),
    "fine": (VERMILION, "-"),
}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """By run: time after the release, s, speed of the clamp and level after the jump, m/s, h, m, and the period over h/c."""
    result: Numbers = {}
    for label, run in data.items():
        params = Parameters.model_validate_json(run.attrs["parameters"], strict=False)
        times, speed = run.time.values - params.release, run.frame_velocity.values[:, 0]
        after = times >= -1e-9
        start = float(speed[np.argmax(after)])
        h = params.length / params.nx
        period = ringing(times[after], speed[after])
        result[label] = {
            "t": times[times > -0.1 * SHOWN],
            "speed": speed[times > -0.1 * SHOWN],
            "cell": h,
            "level": start - release_jump(params),
            "period": period * wave_speed(params) / h,
        }
    return result


def ringing(times: np.ndarray, speed: np.ndarray) -> float:
    """Period of the vibration about a slow motion, s: twice the mean distance of its first highest and lowest points."""
    ends = np.flatnonzero((speed[1:-1] - speed[:-2]) * (speed[2:] - speed[1:-1]) < 0) + 1  # highest and lowest points
    first = times[ends[:5]]
    return float(2.0 * np.diff(first).mean()) if len(first) > 1 else 0.0


def draw(numbers: Numbers) -> Figure:
    """Draw the speed on three meshes, and on one of them with two steps."""
    figure = column_figure(105)
    meshes, steps = figure.subplots(2, 1, sharex=True, sharey=True)
    _curves(meshes, numbers, ("coarse", "medium", "fine"))
    _curves(steps, numbers, ("medium", "medium, half the step"))
    low, high = meshes.get_ylim()
    meshes.set_ylim(low, high + 0.45 * (high - low))  # shared
    steps.set_xlabel("time after the release [ms]")
    letter(meshes, "a", "three meshes: the period follows")
    letter(steps, "b", "two steps: it does not follow them")
    return figure


def _curves(axes: Axes, numbers: Numbers, labels: tuple[str, ...]) -> None:
    for label in labels:
        one, (colour, dashes) = numbers[label], LOOK[label]
        name = f"$h$ = {1e3 * one['cell']:.3g} mm: {one['period']:.2f} $h/c$"
        name += ", half the step" if dashes != "-" else ""
        axes.plot(1e3 * one["t"], one["speed"], color=colour, linestyle=dashes, linewidth=1.0, label=name)
    level = numbers["fine"]["level"]
    axes.axhline(level, color=BLACK, linestyle=":", linewidth=0.9, label=r"less $P/(\rho c A)$")
    axes.set(ylabel=r"speed $\dot{x}_0$ [m/s]")
    axes.legend(loc="upper right", title="period of the ringing", title_fontsize=7)
