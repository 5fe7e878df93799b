"""The picture of beam_on_rough_foundation: deflections and friction along the beam, and the loop of force and deflection."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREY, ORANGE, PAGE, SKY, VERMILION, letter
from cases.app.parts.histories import reached
from cases.app.parts.strip import along_axis
from cases.beam_on_rough_foundation import Parameters, friction_per_length, known, scales


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the first leg's deflections and friction beside the exact ones, and the end's deflection over its force."""
    figure.set_size_inches(PAGE, 3.6)
    data = along_axis(data) if params.body == "strip" else data
    layout: dict[str, Axes] = figure.subplot_mosaic([["shape", "loop"], ["friction", "loop"]], width_ratios=[1.7, 1])
    last = min(params.steps, data.sizes["time"] - 1)
    _shapes(layout["shape"], params, data, last)
    _friction(layout["friction"], params, data, last)
    _loop(layout["loop"], params, data)
    layout["shape"].sharex(layout["friction"])
    layout["shape"].tick_params(labelbottom=False)
    for name, key in zip("abc", ("shape", "friction", "loop"), strict=True):
        letter(layout[key], name)


def _force(params: Parameters, time: float) -> float:
    return float(np.interp(time, np.arange(len(params.forces) + 1.0), [0.0, *params.forces]))


def _shapes(axes: Axes, params: Parameters, data: xr.Dataset, last: int) -> None:
    x = data.X.values[:, 0] + params.length / 2
    chosen = np.unique(np.round(np.array([0.5, 0.75, 1.0]) * last).astype(int))
    fine = np.linspace(0.0, params.length, 800)
    for instant, colour in zip(chosen, (SKY, ORANGE, BLUE)[-len(chosen) :], strict=True):
        force = _force(params, float(data.time.values[instant]))
        w = data.displacement.values[instant, :, 1]
        axes.plot(x, 1e3 * w, color=colour, label=f"$P$ = {force:.3g} N")
        exact = known(params, force)
        if exact is not None and force != 0.0:
            length, deflection, _ = scales(params, force)
            axes.plot(
                fine, 1e3 * deflection * exact.profile(fine / length), color=BLACK, linestyle=(0, (1, 2)), linewidth=0.9
            )
    if known(params, _force(params, float(data.time.values[last]))) is not None:
        axes.plot([], [], color=BLACK, linestyle=(0, (1, 2)), linewidth=0.9, label="self-similar, exact")
    axes.axhline(0.0, color=GREY, linewidth=0.4, zorder=0)
    axes.set(ylabel="deflection $w$ [mm]", xlim=(0, params.length))
    axes.legend(loc="upper right")
    force = _force(params, float(data.time.values[last]))
    exact = known(params, force)
    if exact is None or not last:
        return
    length, deflection, _ = scales(params, force)
    inset = axes.inset_axes((0.46, 0.2, 0.52, 0.34))  # the second and third zones, which the first one dwarfs
    near = 1e6 * deflection * exact.profile(fine / length)
    inset.plot(x, 1e6 * data.displacement.values[last, :, 1], color=BLUE, linewidth=0.9)
    inset.plot(fine, near, color=BLACK, linestyle=(0, (1, 2)), linewidth=0.9)
    inset.axhline(0.0, color=GREY, linewidth=0.4, zorder=0)
    largest = np.abs(near[fine > exact.ends[0] * length]).max()
    inset.set(xlim=(0.85 * exact.ends[0] * length, 1.02 * exact.reach * length), ylim=(-1.5 * largest, 0.6 * largest))
    inset.set_ylabel("$w$ [µm]", fontsize=6, labelpad=1)
    inset.tick_params(labelsize=6)


def _friction(axes: Axes, params: Parameters, data: xr.Dataset, last: int) -> None:
    x = data.X.values[:, 0] + params.length / 2
    weight = data.friction_weight.values
    share = data.friction_force.values[last, :, 1] / np.where(weight > 0.0, weight, 1.0)
    rate = data.velocity.values[last, :, 1]
    axes.fill_between(x, share, 0.0, step="mid", color=BLUE, alpha=0.25, linewidth=0)
    axes.step(x, share, where="mid", color=BLUE, linewidth=0.9)
    stuck = rate == 0.0
    axes.plot(x[stuck], share[stuck], linestyle="none", marker=".", markersize=2.2, color=GREY, label="sticks")
    force = _force(params, float(data.time.values[last]))
    exact = known(params, force)
    if exact is not None and last:
        ends = exact.ends[exact.ends < exact.reach * (1 - 1e-3)] * scales(params, force)[0]
        for number, end in enumerate(ends):
            label = "exact ends of the zones" if number == 0 else None
            axes.axvline(float(end), color=VERMILION, linewidth=0.7, linestyle=(0, (3, 2)), label=label, zorder=0)
    axes.set(
        xlabel="distance from the pushed end $x$ [m]",
        ylabel="friction over bound,\n$-\\lambda/w$ [1]",
        ylim=(-1.2, 2.3),
    )
    axes.set_yticks([-1, 0, 1])
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", ncols=2, frameon=True, framealpha=1.0, edgecolor="none", borderpad=0.2)


def _loop(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times = data.time.values
    force = np.array([_force(params, float(t)) for t in times])
    w = 1e3 * data.displacement.values[:, 0, 1]
    axes.plot(w, force, color=BLUE, linewidth=1.1)
    style: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "fontsize": 7}
    for leg in reached(params):
        at = int(np.argmin(np.abs(times - leg)))
        axes.plot(w[at], force[at], "o", color=BLUE, markersize=3)
        axes.annotate(
            f"{leg}",
            (w[at], force[at]),
            (5 if leg == 1 else -6, -6 if leg == 1 else 6),
            **style,
        )
    first = params.forces[0]
    if known(params, first) is not None and friction_per_length(params) > 0:
        push = first * np.linspace(0.0, 1.0, 100)[1:]
        exact = [known(params, p).deflection * scales(params, p)[1] * 1e3 for p in push]  # type: ignore[union-attr]
        axes.plot(exact, push, color=BLACK, linestyle=(0, (1, 2)), linewidth=0.9, label="$W(0) P^4/(EJ q^3)$")
        axes.legend(loc="upper left")
    axes.axhline(0.0, color=GREY, linewidth=0.4, zorder=0)
    axes.axvline(0.0, color=GREY, linewidth=0.4, zorder=0)
    axes.margins(0.08)
    axes.set(xlabel="deflection of the end $w$ [mm]", ylabel="force $P$ [N]")
