"""The motion of a plate in six snapshots with the states of its points, and the shares of these states over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MultipleLocator
from numpy.typing import NDArray

from cases.app.drawing.style import BLACK, instants_named
from paper_figures.ink.body_marks import COLOURS, snapshot, snapshot_numbers, state_key
from paper_figures.numbers import Numbers
from paper_figures.parts.slip_states import BACK, STICKS, Array, coulomb_errors, trajectory_states


def instants(states: NDArray[np.int8], path: Array) -> list[int]:
    """Six stored instants: slip over half of the plate; three along the path; the arrest, with most of the points
    slipping back; the first at which all rests again, or the last.

    states (T, N); path (T,): length of the path of the frame's origin so far, with the turn of a far point, m.
    """
    sticks, turned = (states == STICKS).mean(axis=1), (states == BACK).mean(axis=1)
    moving = np.flatnonzero(sticks < 1.0)
    end = min(int(moving[-1]) + 1, len(sticks) - 1)
    starts = int(np.argmax((sticks < 0.5) & (np.arange(len(sticks)) > 0)))
    along = [int(np.searchsorted(path, share * path[end])) for share in (0.12, 0.45, 0.8)]
    late = np.arange(along[-1] + 1, end)
    partial = late[(sticks[late] > 0.15) & (sticks[late] < 0.85)]
    arrest = int(partial[np.argmax(turned[partial])]) if partial.size else int(late[len(late) // 2])
    return [min(starts, along[0]), *along, arrest, end]


def sequence_numbers(data: xr.Dataset) -> Numbers:
    """Snapshots, shares of stick, slip and slip back over time, the energy ledger, and the errors of Coulomb's law."""
    states = trajectory_states(data)
    size = float(np.ptp(data.X.values, axis=0).max())
    turn = 0.5 * size * np.abs(np.diff(data.frame_angle.values))
    steps = np.hypot(*np.diff(data.frame_position.values, axis=0).T) + turn
    chosen = instants(states, np.concatenate([[0.0], np.cumsum(steps)]))
    spent = {name: data[name].values for name in ("dissipation_friction", "energy_kinetic", "energy_strain")}
    return {
        "time": data.time.values,
        "instants": np.array(chosen),
        "snapshots": [snapshot_numbers(data, states, i, size / 8.5) for i in chosen],
        "shares": np.stack([(states == k).mean(axis=1) for k in range(3)], axis=1),
        "work": data.work_external.values,
        "energies": spent,
        "numerical": data.dissipation_numerical.values,
        "balance_error": float(np.abs(data.balance_error.values).max()),
        "rigid_residual": float(np.abs(data.rigid_residual.values).max()),
        "coulomb": coulomb_errors(data),
    }


def draw_snapshots(figure: Figure | SubFigure, n: Numbers, names: Sequence[str], rows: int = 2) -> list[Axes]:
    """Draw the snapshots in `rows` rows with one scale and a key above; `names`: their titles."""
    panels = figure.subplots(rows, len(n["snapshots"]) // rows, sharex=True, sharey=True)
    places = np.concatenate([at[key] for at in n["snapshots"] for key in ("position", "start")])
    low, high = places.min(axis=0) - 0.1, places.max(axis=0) + 0.1
    for number, (axes, at, name) in enumerate(zip(panels.flat, n["snapshots"], names, strict=True)):
        snapshot(axes, at)
        axes.set(aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        axes.xaxis.set_major_locator(MultipleLocator(0.5))
        axes.yaxis.set_major_locator(MultipleLocator(0.2))
        axes.set_title(rf"$\mathbf{{({'abcdef'[number]})}}$ {at['time']:.2f} s: {name}", loc="left", pad=3)
    for axes in panels[-1]:
        axes.set_xlabel("$x$ [m]")
    for axes in panels[:, 0]:
        axes.set_ylabel("$y$ [m]", labelpad=1.0)
    turned = any(np.any(at["states"] == BACK) for at in n["snapshots"])
    figure.legend(handles=state_key(back_too=turned), loc="outside upper center", ncols=5, columnspacing=1.4)
    return list(panels.flat)


def draw_shares(axes: Axes, n: Numbers) -> None:
    """Draw the shares of the nodes that stick, slip and slip back over time, stacked, with the snapshots' instants."""
    axes.stackplot(n["time"], *np.asarray(n["shares"]).T, colors=COLOURS, linewidth=0)
    axes.set(xlabel="time $t$ [s]", ylabel="nodes / all nodes", ylim=(0, 1), xlim=(0, n["time"][-1]))
    instants_named(axes, np.asarray(n["time"])[n["instants"]], "^", 0.015)


def draw_energies(axes: Axes, n: Numbers, colours: Sequence[str]) -> None:
    """Draw where the work of the loads is: friction, kinetic and strain energy stacked below it."""
    names = {"dissipation_friction": "friction", "energy_kinetic": "kinetic", "energy_strain": "strain"}
    axes.stackplot(
        n["time"], *n["energies"].values(), colors=colours, labels=[names[k] for k in n["energies"]], linewidth=0
    )
    axes.plot(n["time"], n["work"], color=BLACK, linewidth=1.0, label="work of the loads")
    axes.set(xlabel="time $t$ [s]", ylabel="energy [J]", xlim=(0, n["time"][-1]), ylim=(0, None))
    axes.legend(
        loc="lower right",
        frameon=True,
        framealpha=0.8,
        edgecolor="none",
    )
