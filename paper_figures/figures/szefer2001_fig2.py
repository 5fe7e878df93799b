"""Szefer's Fig. 2, computed: a plate pressed onto the rough plane by p_n and pulled by p_t; friction, stick zone, the law."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from cases.app.drawing.style import BLACK, BLUE, GREY, LIGHT, VERMILION
from fem import Plate, StVenantKirchhoff, rectangle
from floating_frame import EdgeLoad, Options, Problem, Ramp
from friction import Coulomb, Foundation
from paper_figures.ink.body_marks import COLOURS, arrow, body, friction_arrows, nodal_field, snapshot_numbers, state_key
from paper_figures.ink.style import SMALLEST_TYPE, column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.slip_states import coulomb_errors, trajectory_states
from paper_figures.runs.jobs import ProblemRun

LENGTH, WIDTH, THICKNESS, DENSITY, MU = 1.0, 0.5, 0.02, 1100.0, 0.3
WEIGHT = DENSITY * THICKNESS * 9.81
PRESSURE = f"{WEIGHT!r}*(1 + 6*exp(-((x - 0.1)**2 + (y - 0.03)**2)/0.02))"
PULL = (30.0, 18.0)


def pressed_plate(nx: int = 32, ny: int = 16, dt: float = 4e-3, t_end: float = 0.36) -> tuple[Problem, Options]:
    """Plate under its weight and a pressing stamp, pulled at its right edge by a force that grows over 0.6 s."""
    material = StVenantKirchhoff(E=6e4, nu=0.4)
    plate = Plate.build(rectangle(LENGTH, WIDTH, nx, ny), thickness=THICKNESS, density=DENSITY, material=material)
    foundation = Foundation(law=Coulomb(), mu=MU, pressure=PRESSURE)
    problem = Problem(plate, t_end, foundation, (EdgeLoad("right", PULL, Ramp(0.6)),))
    return problem, Options(dt=dt)


FILE = "szefer2001_fig2"
ORIGIN = "szefer2001"
SOURCE = "Szefer (2001), Fig. 2: plate on the rough foundation under p_t and p_n (3.1)"
CLAIM = (
    "Where the plate slips, friction is mu p_n against the slip; where it sticks, V is exactly 0 "
    "and friction is less: (3.1), completed."
)
COST = 1.0
RUNS = {"pressed": ProblemRun(pressed_plate, {"nx": 32, "ny": 16, "dt": 4e-3})}
QUICK = {"pressed": {"nx": 12, "ny": 6, "dt": 8e-3}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Fields at the last instant, every node's point on Coulomb's graph, and the largest deviation from the law."""
    run = data["pressed"]
    states = trajectory_states(run)
    last = run.sizes["time"] - 1
    weight, friction, v = run.friction_weight.values, run.friction_force.values[last], run.velocity.values[last]
    area = nodal_area(run)
    fraction = min(1.0, float(run.time[last]) / 0.6)
    return {
        **snapshot_numbers(run, states, last, 0.085 * LENGTH),
        "pressure": weight / (MU * area),
        "load": fraction * np.array(PULL) / WIDTH,
        "speed": np.linalg.norm(v, axis=1),
        "intensity": np.linalg.norm(friction, axis=1) / weight,
        "friction_total": friction.sum(axis=0),
        "weight_total": float(weight.sum()),
        "load_total": fraction * np.array(PULL),
        "momentum": run.linear_momentum.values,
        "times": run.time.values,
        "stick_share": float((states[last] == 0).mean()),
        "errors": coulomb_errors(run),
        "balance_error": float(np.abs(run.balance_error).max()),
        "work_external": float(run.work_external[last]),
    }


def nodal_area(run: xr.Dataset) -> NDArray[np.float64]:
    """Area of each node, (node,) m2: a third of the triangles around it."""
    corners = run.X.values[run.cells.values]
    edges = corners[:, 1:] - corners[:, :1]
    size = 0.5 * np.abs(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    area = np.zeros(run.sizes["node"])
    np.add.at(area, run.cells.values, size[:, None] / 3.0)
    return area


def draw(n: Numbers) -> Figure:
    """Draw pressure and load, the friction with the stick zone, and Coulomb's graph with all nodes."""
    figure = column_figure(152)
    pressure, friction, graph = figure.subplots(3, 1, height_ratios=[1.0, 1.0, 1.05])
    _pressure(figure, pressure, n)
    _friction(friction, n)
    _graph(graph, n)
    key = state_key(back_too=bool(np.any(n["states"] == 2)), path=False)
    lines = Line2D([], [], color=BLUE, linewidth=0.8, label="$p_n$ = 0.5, 1 kPa")
    figure.legend(handles=[*key, lines], loc="outside lower center", ncols=3, columnspacing=1.0)
    letter(pressure, "a", f"pressure $p_n$ and pull $p_t$ at $t$ = {n['time']:.2f} s")
    letter(friction, "b", "stick zone, and friction on the plate")
    letter(graph, "c", "every node lies on Coulomb's graph")
    return figure


def _place(axes: Axes) -> None:
    axes.set(aspect="equal", xlim=(-0.53, 0.72), ylim=(-0.34, 0.36), xlabel="$x$ [m]", ylabel="$y$ [m]")


def _pressure(figure: Figure, axes: Axes, n: Numbers) -> None:
    where = (*n["position"].T, n["cells"], n["pressure"] / 1e3)
    drawn = axes.tripcolor(*where, shading="gouraud", cmap="cividis", vmin=0, vmax=1.5, rasterized=True)
    figure.colorbar(drawn, cax=axes.inset_axes((1.02, 0.0, 0.03, 1.0))).set_label("$p_n$ [kPa]")
    edge = np.flatnonzero(n["start"][:, 0] > 0.5 * LENGTH - 1e-9)
    edge = edge[np.argsort(n["start"][edge, 1])][:: max(1, len(edge) // 8)]
    for place in n["position"][edge]:
        arrow(axes, place, place + 0.0035 * n["load"], VERMILION)
    size = float(np.linalg.norm(n["load"]))
    axes.text(0.71, -0.325, f"$|p_t|$ = {size:.0f} N/m", fontsize=SMALLEST_TYPE, color=VERMILION, ha="right")
    _place(axes)


def _friction(axes: Axes, n: Numbers) -> None:
    body(axes, n["start"], n["cells"], LIGHT)
    nodal_field(axes, n["position"], n["cells"], np.array(COLOURS)[n["states"]])
    where = (*n["position"].T, n["cells"], n["pressure"] / 1e3)
    axes.tricontour(*where, levels=[0.5, 1.0], colors=BLUE, linewidths=0.8, zorder=2)
    nodes = n["nodes"]
    friction_arrows(axes, n["position"][nodes], n["share"][nodes], 0.8 * n["spacing"], 0.006)
    _place(axes)


def _graph(axes: Axes, n: Numbers) -> None:
    speed, sticks = 1e3 * n["speed"], n["states"] == 0
    far = 1.08 * speed.max()
    axes.plot([0, 0, far], [0, 1, 1], color=GREY, linewidth=4.0, alpha=0.5, solid_joinstyle="miter", zorder=1)
    for mask, colour, name in ((sticks, COLOURS[0], "stick"), (~sticks, COLOURS[1], "slip")):
        style: dict[str, Any] = {
            "color": colour,
            "markersize": 2.6,
            "markeredgewidth": 0.3,
            "markeredgecolor": BLACK,
            "clip_on": False,
        }
        axes.plot(speed[mask], n["intensity"][mask], "o", label=f"{int(mask.sum())} nodes {name}", **style)
    errors = n["errors"]
    claims = (
        "at every instant:",
        rf"slip: $||t|/\mu p_n - 1| < {_power(errors['intensity'])}$",
        rf"slip: $|t/\mu p_n + V/|V||< {_power(errors['direction'])}$",
        rf"stick: $V = 0$, $|t|/\mu p_n \leq$ {errors['bound']:.4f}",
    )
    axes.text(0.2 * far, 0.06, "\n".join(claims), fontsize=SMALLEST_TYPE, linespacing=1.5)
    axes.set(xlabel="slip speed $|V|$ [mm/s]", ylabel=r"friction $|t|/\mu p_n$", ylim=(0, 1.3), xlim=(-0.02 * far, far))
    axes.legend(loc="upper center", ncols=2)


def _power(error: float) -> str:
    """Power of ten above an error, as mathtext."""
    return f"10^{{{int(np.ceil(np.log10(max(error, 1e-300))))}}}"
