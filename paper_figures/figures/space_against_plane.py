"""A disc in space against plane bodies as its height falls: the error of a given pressure is of the order of the height, of a
reacting one zero.

All three have the same friction points: only the models differ.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from numpy.typing import NDArray

from cases import curling_disc
from cases.app.drawing.style import BLUE, GREY, ORANGE, VERMILION
from floating_frame import Problem, assemble, simulate
from friction import Coulomb, Foundation
from paper_figures.ink.style import column_figure
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Study

Array = NDArray[np.float64]

FILE = "space_against_plane"
ORIGIN = "beyond"
SOURCE = "Szefer (2001), section 2 in space, and the plane body; the same points of friction"
CLAIM = "A given pressure has an error of the order of the height, a reacting pressure has none."
COST = 40.0

RADIUS, MU = 0.1, 0.3
GIVEN = {"radius": RADIUS, "mu": MU, "vx0": 0.5, "spin0": 8.0, "t_end": 0.3}


def differences(heights: Sequence[float], nr: int, nt: int, dt: float) -> xr.Dataset:
    """By (model, height) the largest distance from the body in space ``across`` and ``along`` its throw, over the length of its
    path, and the relative difference of the ``angle``; ``height``: of the centre of mass over the radius."""
    across, along, angle = np.zeros((3, 2, len(heights)))
    for k, height in enumerate(heights):
        given = GIVEN | {"half_height": height * RADIUS, "nr": nr, "nt": nt, "dt": dt}
        params = curling_disc.Parameters.model_validate(given | {"model": "plane"})
        options, reacting = curling_disc.options(params), curling_disc.problem(params)
        assert isinstance(reacting, Problem)
        pressure = params.mass * params.gravity / (np.pi * RADIUS**2)
        flat = dataclasses.replace(reacting, foundation=Foundation(Coulomb(), MU, pressure))
        space = curling_disc.problem(params.model_copy(update={"model": "space"}))
        place, turned = _motion(simulate(assemble(space, options)))
        length = np.hypot(*np.diff(place, axis=0).T).sum()
        for i, problem in enumerate((flat, reacting)):
            other, other_turned = _motion(simulate(assemble(problem, options)))
            along[i, k], across[i, k] = np.abs(other - place).max(axis=0) / length
            angle[i, k] = np.abs(other_turned - turned).max() / turned[-1]
    names = {"across": across, "along": along, "angle": angle}
    table = {name: (("model", "height"), values) for name, values in names.items()}
    return xr.Dataset(table, {"model": ["given", "reacting"], "height": list(heights)})


def _motion(data: xr.Dataset) -> tuple[Array, Array]:
    """Position (n, 2) m and angle (n,) rad, the latter by the trapezoidal rule from the spin in all models."""
    spin = curling_disc.speeds(data)[1]
    steps = 0.5 * np.diff(data.time.values) * (spin[1:] + spin[:-1])
    return data.frame_position.values[:, :2], np.concatenate([[0.0], np.cumsum(steps)])


RUNS = {
    "heights": Study(
        differences, {"heights": [0.64, 0.32, 0.16, 0.08, 0.04, 0.02, 0.01], "nr": 10, "nt": 32, "dt": 2.5e-3}
    )
}
QUICK = {"heights": {"heights": [0.64, 0.16, 0.04], "nr": 5, "nt": 12, "dt": 7.5e-3}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``height`` over the radius, ``across``, ``along``, ``angle`` of a given pressure, their ``slope_*`` over the lower
    heights, and ``reacting``: the largest of the three with a reacting pressure."""
    table = data["heights"]
    height = table.height.values
    result: Numbers = {"height": height}
    for name in ("across", "along", "angle"):
        values = table[name].sel(model="given").values
        result |= {name: values, f"slope_{name}": float(np.polyfit(np.log(height[1:]), np.log(values[1:]), 1)[0])}
    result["reacting"] = np.max(
        [table[name].sel(model="reacting").values for name in ("across", "along", "angle")], axis=0
    )
    return result


def draw(numbers: Numbers) -> Figure:
    """Draw the differences over the height."""
    figure = column_figure(80)
    axes = figure.subplots()
    height = numbers["height"]
    for name, text, colour, marker in (
        ("across", "position, across", BLUE, "o"),
        ("along", "position, along", ORANGE, "s"),
        ("angle", "angle turned", VERMILION, "^"),
    ):
        label = f"{text}: slope {numbers[f'slope_{name}']:.2f}"
        axes.loglog(height, numbers[name], color=colour, marker=marker, markersize=3.5, linewidth=1.0, label=label)
    axes.loglog(height, numbers["reacting"], color=GREY, marker="D", markersize=3.5, linewidth=1.0)
    middle = len(height) // 2
    axes.annotate(
        "pressure reacts: largest of all three", (height[middle], numbers["reacting"][middle]), (0, 9),
        textcoords="offset points", ha="center", fontsize=7,
    )  # fmt: skip
    axes.set(
        xlabel="height of the centre of mass over the radius, $h/R$", ylabel="difference from the body in space [1]"
    )
    axes.set_ylim(numbers["reacting"].min() / 30.0, 30.0 * numbers["across"].max())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.legend(loc="center right", title="pressure given", title_fontsize=7)
    axes.set_title("disc that slides and spins", loc="left")
    return figure
