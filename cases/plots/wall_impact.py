"""The picture of wall_impact: the plate before, at and after the impact, and the contact force over time."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from cases.app.drawing.style import BLACK, BLUE, GREY, ORANGE, PAGE, SKY, VERMILION, letter, mesh
from cases.app.parts.body_mesh import body_mesh
from cases.app.parts.wall.contact import pressed
from cases.app.parts.wall.shapes import obstacle, wall_normal
from cases.references.wall_impact import force as exact_force
from cases.wall_impact import Parameters, approach, exact, mass


def draw(params: Parameters, data: xr.Dataset, figure: Figure) -> None:
    """Draw the motion, the contact force and the energies over time."""
    figure.set_size_inches(PAGE, 2.6)
    layout: dict[str, Axes] = figure.subplot_mosaic([["motion", "force", "energy"]], width_ratios=[1.3, 1.0, 1.0])
    _motion(layout["motion"], params, data)
    _force(layout["force"], params, data)
    _energy(layout["energy"], data)
    for name, key in zip("abc", ("motion", "force", "energy"), strict=True):
        letter(layout[key], name)


def _motion(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times, (_, places, cells) = data.time.values, body_mesh(data)
    hardest = int(np.argmax(pressed(data)))
    wall = obstacle(params)
    shown = [(0, GREY, "before"), (hardest, ORANGE, "at impact"), (len(times) - 1, BLUE, "after")]
    if hardest == 0:  # it did not touch
        shown = [(0, GREY, "start"), (len(times) - 1, BLUE, "end")]
    mesh(axes, places[hardest], cells, "#CFE6F5", linewidths=0.3, zorder=1)
    rim = _outline(cells)
    for instant, colour, label in shown:
        style = (0, (3, 2)) if instant == 0 else "-"
        lines = LineCollection(list(places[instant][rim]), colors=colour, linewidths=1.0, linestyles=style, zorder=2)
        axes.add_collection(lines)
        axes.plot([], [], color=colour, linestyle=style, label=f"{label}, {1e3 * times[instant]:.3g} ms")
    low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
    pad = 0.12 * float((high - low).max())
    axes.set(xlim=(low[0] - pad, high[0] + pad), ylim=(low[1] - pad, high[1] + pad), aspect="equal")
    for line in wall.outline(float(times[hardest]), 10.0 * params.length):
        axes.plot(*line.T, color=BLACK, linewidth=1.5, zorder=3)
    peak = data.contact_force.values[hardest]
    if np.any(peak):
        arrow = -0.35 * params.length * peak / np.hypot(*peak)
        edge = places[hardest]
        foot = edge[np.argmax(-wall.gap(edge, float(times[hardest])).gap)]
        foot = (
            foot
            if params.obstacle != "line" or params.wall_angle
            else edge[edge[:, 0] > edge[:, 0].max() - 1e-3].mean(0)
        )
        head = {"arrowstyle": "-|>", "color": VERMILION, "lw": 1.2, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", foot - arrow, foot, arrowprops=head, zorder=5)
        tip = foot - 1.12 * arrow
        axes.text(tip[0], tip[1], "$F_C$", color=VERMILION, ha="right", va="bottom", zorder=5)
    axes.set(xlabel="$x$ [m]", ylabel="$y$ [m]")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.06), ncols=3, handlelength=1.0, columnspacing=0.8)


def _outline(cells: np.ndarray) -> np.ndarray:
    """Return the ends (sides, 2) of the cells' sides that belong to one cell only."""
    sides = np.sort(np.stack([cells, np.roll(cells, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    found, count = np.unique(sides, axis=0, return_counts=True)
    result: np.ndarray = found[count == 1]
    return result


def _force(axes: Axes, params: Parameters, data: xr.Dataset) -> None:
    times, force, n = 1e3 * data.time.values, data.contact_force.values, wall_normal(params)
    normal, along = force @ n, force @ np.array([-n[1], n[0]])
    axes.plot(times, normal, color=BLUE, label="normal to the wall")
    if np.abs(along).max() > 1e-9 * max(np.abs(normal).max(), 1e-300):
        axes.plot(times, along, color=ORANGE, label="along the wall")
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    (touching,) = np.nonzero(pressed(data) > 0)
    if touching.size:
        first, last = times[touching[0]], times[touching[-1]]
        margin = max(0.35 * (last - first), 4 * float(np.diff(times).max()))
        axes.set_xlim(max(first - margin, 0.0), min(last + margin, times[-1]))
    known = exact(params)
    if known is not None and known.duration > 0 and touching.size:
        start = 1e3 * params.distance / (params.vx0 - params.wall_vx)
        linear = (params.m1, params.m2, params.m3, params.onset) == (1, 1, 0, 0)
        damping = params.damping if linear else 0.0
        at, exactly = exact_force(mass(params), params.stiffness, damping, params.m1, approach(params))
        axes.plot(start + 1e3 * at, exactly, color=BLACK, linestyle=":", linewidth=1.4, zorder=4, label="exact")
    axes.set(xlabel="time $t$ [ms]", ylabel="contact force $F_C$ [N]")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.34 * (high - low))
    axes.legend(loc="upper left")


def _energy(axes: Axes, data: xr.Dataset) -> None:
    times = 1e3 * data.time.values
    lost = data.dissipation_contact.values + data.dissipation_friction.values
    curves = (
        (data.energy_kinetic.values, BLUE, "kinetic"),
        (data.contact_energy.values, VERMILION, "in the contact"),
        (data.energy_strain.values, SKY, "strain"),
        (lost, ORANGE, "dissipated"),
    )
    size = float(data.energy_kinetic.values.max())
    for values, colour, label in curves:
        if np.abs(values).max() > 1e-6 * size:
            axes.plot(times, values, color=colour, label=label)
    axes.set(xlabel="time $t$ [ms]", ylabel="energy [J]", xlim=(times[0], times[-1]))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.34 * (high - low))
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right")
