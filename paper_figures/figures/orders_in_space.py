"""Errors over the time step in space: while contact persists, where sliding ends, and at a landing.

A tall block tips over its sliding edge; a ball slides until it rolls; a tilted block drops on its edge, slides on and falls back
(reference: closed forms, and the equations of a body on its sliding edge alone to twelve digits). SDIRK2 and Moreau end a step
where the ball rolls; its forces are constant before and after, so that only rounding remains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from cases import block_in_space, sphere_on_plane
from cases.app.drawing.style import BLUE, GREEN, ORANGE, VERMILION
from cases.app.parts.space import box_inertia, corners
from floating_frame import (
    Contact,
    Feet,
    InitialState,
    Options,
    Problem,
    RigidSolid,
    assemble,
    simulate,
)
from paper_figures.ink.style import column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Study

Array = NDArray[np.float64]

FILE = "orders_in_space"
ORIGIN = "beyond"
SOURCE = "tipping block, ball that slides and rolls, block that lands (exact solutions)"
CLAIM = "In space SDIRK2 is of second order while contact persists and behind a landing, exact for a ball that rolls in the end."
COST = 40.0

G = 9.81
TIPPING, ROLLING, LANDING = 0.03, 0.25, 0.13  # s; in the first and last the edge still slides, alone
ROUNDING = 1e-9
"""Error over dt² below which no slope is given."""
SCHEMES = {
    "sdirk2": ("SDIRK2", BLUE, "o"),
    "moreau-theta": ("Moreau", GREEN, "^"),
    "backward-euler": ("backward Euler", VERMILION, "s"),
}


class Edge(NamedTuple):
    """A block of 1 kg, ``half`` its length and ``up`` its height m, on its leading edge, which slides under friction ``mu``."""

    half: float
    up: float
    mu: float

    @property
    def inertia(self) -> float:
        """Moment of inertia about the axis of pitching, kg m²."""
        return (self.half**2 + self.up**2) / 3.0

    def arm(self, pitch: float) -> tuple[float, float]:
        """Place of the edge (x, z) m from the centre."""
        c, s = np.cos(pitch), np.sin(pitch)
        return self.half * c - self.up * s, -self.half * s - self.up * c

    def soft(self, pitch: float) -> float:
        """Edge's speed upwards per unit of normal impulse, 1/kg."""
        ax, az = self.arm(pitch)
        return 1.0 + (self.mu * ax * az + ax * ax) / self.inertia

    def normal(self, y: Array) -> float:
        """Normal force N with which the edge stays on the ground; ``y``: x, z, pitch and rates."""
        return float((G + y[5] ** 2 * self.arm(y[2])[1]) / self.soft(y[2]))

    def struck(self, y: Array, impulse: float) -> Array:
        """Rates (3,) of the state ``y`` (6,) after an impulse upwards, N s, and its friction impulse."""
        ax, az = self.arm(y[2])
        return np.asarray(y[3:] + impulse * np.array([-self.mu, 1.0, (-self.mu * az - ax) / self.inertia]))

    def motion(self, start: Array, duration: float) -> Array:
        """State (6,) after ``duration`` s on the edge."""

        def rates(_: float, y: Array) -> Array:
            return np.concatenate([y[3:], self.struck(y, self.normal(y)) - y[3:] - [0.0, G, 0.0]])

        state: Array = solve_ivp(rates, (0.0, duration), start, rtol=1e-12, atol=1e-14).y[:, -1]
        return state


def tipping_errors(steps: Sequence[int], schemes: Sequence[str]) -> xr.Dataset:
    """Largest errors at the end, (scheme, dt): of the centre's ``place`` m and of the normal ``force`` over the weight."""
    edge = Edge(0.1, 0.2, 0.8)  # mu h > l: it tips
    exact = edge.motion(np.array([0.0, edge.up, 0.0, 1.0, 0.0, 0.0]), TIPPING)
    place, force = np.zeros((2, len(schemes), len(steps)))
    for i, scheme in enumerate(schemes):
        for j, n in enumerate(steps):
            given = {"length": 2 * edge.half, "width": 0.1, "height": 2 * edge.up, "mu": edge.mu, "scheme": scheme}
            params = block_in_space.Parameters.model_validate(
                given | {"t_end": TIPPING, "dt": TIPPING / n, "output_every": n}
            )
            data = simulate(assemble(block_in_space.problem(params), block_in_space.options(params)))
            place[i, j] = np.abs(data.frame_position.values[-1, [0, 2]] - exact[:2]).max()
            force[i, j] = abs(float(data.normal_force[-1].sum()) - edge.normal(exact)) / G
    return _table(TIPPING / np.array(steps), schemes, place=place, force=force)


def rolling_errors(steps: Sequence[int], schemes: Sequence[str], phases: int) -> xr.Dataset:
    """Largest error of a ball's ``place`` once it rolls, over mu g m, (scheme, dt), of throws that stop sliding at
    ``phases`` instants of a step."""
    place, brake = np.zeros((len(schemes), len(steps))), 0.3 * G
    for j, n in enumerate(steps):
        dt = ROLLING / n
        for phase in (np.arange(phases) / phases + 0.28) % 1.0:
            speed = 3.5 * brake * dt * (n // 2 + phase)  # rolls from t = 2 v/(7 mu g)
            for i, scheme in enumerate(schemes):
                given = {
                    "vx0": speed,
                    "vy0": 0.0,
                    "spin_x": 0.0,
                    "spin_y": 0.0,
                    "t_end": ROLLING,
                    "dt": dt,
                    "scheme": scheme,
                }
                params = sphere_on_plane.Parameters.model_validate(given | {"output_every": n})
                data = simulate(assemble(sphere_on_plane.problem(params), sphere_on_plane.options(params)))
                error = data.frame_position.values[-1, :2] - sphere_on_plane.exact(params, data.time.values)[0][-1]
                place[i, j] = max(place[i, j], np.hypot(*error) / brake)
    return _table(ROLLING / np.array(steps), schemes, place=place)


def landing_errors(steps: Sequence[int], schemes: Sequence[str], drops: int) -> xr.Dataset:
    """Largest error of ``place`` m, (scheme, dt), of tilted blocks that dropped from ``drops`` heights."""
    edge, tilt, speed = Edge(0.1, 0.05, 0.2), 0.3, 2.0
    body = RigidSolid(mass=1.0, inertia=box_inertia(1.0, 0.2, 0.2, 0.1), shape=Feet(corners(0.2, 0.2, 0.1)))
    place = np.zeros((len(schemes), len(steps)))
    for height in 0.04 + 0.01 * (np.arange(drops) + 0.5) / drops:
        fall, above = np.sqrt(2.0 * height / G), -edge.arm(tilt)[1]
        lands = np.array([speed * fall, above, tilt, speed, -G * fall, 0.0])
        lands[3:] = edge.struck(lands, G * fall / edge.soft(tilt))  # without rebound
        exact = edge.motion(lands, LANDING - fall)
        start = InitialState(
            position=(0.0, 0.0, above + height),
            rotation=(float(np.cos(0.5 * tilt)), 0.0, float(np.sin(0.5 * tilt)), 0.0),
            velocity=(speed, 0.0, 0.0),
        )
        problem = Problem(body=body, t_end=LANDING, contacts=(Contact(mu=edge.mu),), initial=start)
        for i, scheme in enumerate(schemes):
            for j, n in enumerate(steps):
                data = simulate(assemble(problem, Options(dt=LANDING / n, scheme=scheme, output_every=n)))
                place[i, j] = max(place[i, j], np.abs(data.frame_position.values[-1, [0, 2]] - exact[:2]).max())
    return _table(LANDING / np.array(steps), schemes, place=place)


def _table(dt: Array, schemes: Sequence[str], **errors: Array) -> xr.Dataset:
    names = {name: (("scheme", "dt"), values) for name, values in errors.items()}
    return xr.Dataset(names, {"scheme": list(schemes), "dt": dt})


RUNS = {
    "tipping": Study(tipping_errors, {"steps": [8, 16, 32, 64, 128], "schemes": list(SCHEMES)}),
    "rolling": Study(rolling_errors, {"steps": [10, 20, 40, 80], "schemes": list(SCHEMES), "phases": 6}),
    "landing": Study(landing_errors, {"steps": [16, 32, 64, 128], "schemes": list(SCHEMES), "drops": 5}),
}
QUICK = {
    "tipping": {"steps": [8, 16, 32]},
    "rolling": {"steps": [10, 20], "phases": 3},
    "landing": {"steps": [64, 128, 256], "drops": 2},
}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """``dt_*`` s, ``place_*`` by panel and scheme, ``force_*`` of the tipping block, and ``slope_*`` of log error over log
    dt of the finest three."""
    result: Numbers = {}
    for panel, table in data.items():
        result[f"dt_{panel}"] = table.dt.values
        for name in table.data_vars:
            for scheme in table.scheme.values:
                error = table[name].sel(scheme=scheme).values
                result[f"{name}_{panel}_{scheme}"] = error
                result[f"slope_{name}_{panel}_{scheme}"] = _slope(table.dt.values, error)
    return result


def _slope(dt: Array, error: Array) -> float:
    return float(np.polyfit(np.log(dt[-3:]), np.log(error[-3:]), 1)[0])


def draw(numbers: Numbers) -> Figure:
    """Draw the three panels, with slopes."""
    figure = column_figure(175)
    tipping, rolling, landing = figure.subplots(3, 1)
    _panel(tipping, numbers, "tipping", "error of position [m]\nand of force / weight [1]")
    slope = numbers["slope_force_tipping_sdirk2"]
    tipping.plot(
        numbers["dt_tipping"], numbers["force_tipping_sdirk2"], color=ORANGE, marker="D", markersize=3, linewidth=0.9,
        markerfacecolor="white", label=f"SDIRK2, force: {slope:.2f}",
    )  # fmt: skip
    _panel(rolling, numbers, "rolling", r"error of position / $\mu g$ [s$^2$]")
    _panel(landing, numbers, "landing", "error of position [m]")
    for axes, name, title in (
        (tipping, "a", "contact persists: a block tips"),
        (rolling, "b", "sliding ends: a ball rolls"),
        (landing, "c", "a tilted block lands on its edge"),
    ):
        letter(axes, name, title)
        axes.set_ylim(bottom=axes.get_ylim()[0] / 100.0)
        place = "center right" if axes is rolling else "lower right"
        axes.legend(
            loc=place, borderaxespad=0.2, labelspacing=0.25, title="slope of the finest three", title_fontsize=7
        )
    return figure


def _panel(axes: Axes, numbers: Numbers, panel: str, label: str) -> None:
    dt = numbers[f"dt_{panel}"]
    for scheme, (name, colour, marker) in SCHEMES.items():
        slope, error = numbers[f"slope_place_{panel}_{scheme}"], numbers[f"place_{panel}_{scheme}"]
        text = f"{slope:.2f}" if error.max() > ROUNDING * dt.max() ** 2 else "rounding"
        axes.loglog(dt, error, color=colour, marker=marker, markersize=3.5, linewidth=1.0, label=f"{name}: {text}")
    axes.set(xlabel=r"time step $\Delta t$ [ms]", ylabel=label)
    axes.set_xticks(dt, [f"{1e3 * step:.3g}" for step in dt])
    axes.xaxis.set_minor_locator(NullLocator())
