"""The picture of rod_cycle: load against end displacement, the axial force along the rod, and what friction has dissipated."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILION, letter
from cases.app.parts.histories import history, reached
from cases.rod_cycle import Parameters, axial_force, end_displacement, exact, rod

DASHED = (0, (3, 2))
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the loop, N(x) at the turning points and the dissipated energy, each over the exact one where there is one."""
    figure.set_size_inches(PAGE, 2.5)
    loop, along, spent = figure.subplots(1, 3, width_ratios=[1.2, 1.2, 1.0])
    points = params.thermal_strains or params.forces
    times = data.time.values
    _loop(loop, params, data, points)
    _along(along, params, data)
    spent.plot(times, 1e3 * data.dissipation_friction.values, color=BLUE)
    known = exact(params)
    if known is not None:
        ends = 2 if params.thermal_strains else 1
        legs = reached(params)
        total = ends * np.cumsum([0.0, *(known[leg - 1].loss for leg in legs)])
        spent.plot([0, *legs], 1e3 * total, "o", color=BLACK, ms=3, mfc="white", label="exact", clip_on=False)
        spent.legend(loc="upper left")
    spent.set(xlabel="pseudo-time [s]", ylabel="friction work [mJ]", xlim=(0, times[-1]), ylim=(0, None))
    for name, axes in zip("abc", (loop, along, spent), strict=True):
        letter(axes, name)


def _loop(axes: Axes, params: Parameters, data: xr.Dataset, points: tuple[float, ...]) -> None:
    given = history(points)
    load = np.array([given.value(t) for t in data.time.values])
    scale = 1e3 if params.thermal_strains else 1.0
    if exact(params) is not None:
        fine = np.linspace(0, data.time.values[-1], 60 * len(points) + 1)
        path = []
        for time in fine:
            turns = rod(params).turns([*points[: int(time)], given.value(time)])
            assert turns is not None  # no load on the way is larger than those at the turning points
            path.append((turns[-1].displacement, given.value(time)))
        u, value = np.array(path).T
        axes.plot(1e3 * u, scale * value, color=BLACK, linestyle=DASHED, linewidth=0.9, label="exact", zorder=3)
    axes.plot(1e3 * end_displacement(params, data), scale * load, color=BLUE, linewidth=1.8, label="computed")
    axes.legend(loc="upper left")
    outwards = ", outwards" if params.thermal_strains else ""
    kind = "thermal strain [10$^{-3}$]" if params.thermal_strains else "force $P$ [N]"
    axes.set(xlabel=f"end displacement $u_0${outwards} [mm]", ylabel=kind)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.22 * (high - low))


def _along(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    known = exact(params)
    legs = [leg for leg in reached(params) if leg * params.steps < data.sizes["time"]]
    shown = legs[-len(COLOURS) :]
    for leg, colour in zip(shown, COLOURS, strict=False):
        x, force = axial_force(params, data, leg * params.steps)
        # A leg that ends where an earlier one did lies on top of it: the later one thinner.
        width = 2.4 - 1.4 * shown.index(leg) / max(len(shown) - 1, 1)
        axes.plot(x, force, color=colour, linewidth=width, label=f"leg {leg}")
        if known is not None:
            fine = np.linspace(0, params.length, 400)
            exact_force = rod(params).axial_force(known[leg - 1], fine)
            axes.plot(fine, exact_force, color=BLACK, linestyle=DASHED, linewidth=0.7, zorder=3)
    if shown:
        axes.legend(loc="upper right", fontsize=6)
    axes.set(xlabel="place $x$ from the left end [m]", ylabel="axial force $N$ [N]", xlim=(0, params.length))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.45 * (high - low))
