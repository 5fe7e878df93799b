"""Szefer's case C: the beam free (3.17), translating (3.18) and held (3.19), computed and beside solutions of these equations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cases import beam_bending
from cases.app.drawing.style import BLACK, BLUE, LIGHT, SKY, VERMILION, shade
from cases.app.parts.beams import friction_per_length
from cases.references.beams.swing_motion import deflection
from cases.references.beams.swings import half_swing, swings
from fem.beam import Beam
from floating_frame import (
    Lateral,
    LateralLoad,
    Options,
    Problem,
    Ramp,
)
from friction import Coulomb, Foundation
from paper_figures.ink.style import PAGE, SMALLEST_TYPE, column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.parts.beam_reduced import FreeBeam, free_modes, translating
from paper_figures.runs.jobs import Job, ProblemRun, Run

LENGTH, WIDTH, DENSITY, MU, GRAVITY = 1.0, 0.02, 1000.0, 0.5, 9.81
SECTION, FRICTION = WIDTH**2, MU * DENSITY * WIDTH * GRAVITY * WIDTH
"""Of all three beams: area of the square section, m2, and friction q = b mu p_n, N/m."""
UNIFORM, SINE, TRANSLATING_E = 12.0, 5.0, 1e8
MODES = 16
DOTS: dict[str, Any] = {"color": BLACK, "markersize": 2.0, "fillstyle": "none", "markeredgewidth": 0.45}


def translating_beam(mu: float = MU, ne: int = 40, dt: float = 1e-3, t_end: float = 0.25) -> tuple[Problem, Options]:
    """Beam without supports under a uniform and a sine step load, that moves across its axis and does not turn."""
    beam = Beam.build(length=LENGTH, width=WIDTH, thickness=WIDTH, E=TRANSLATING_E, density=DENSITY, ne=ne)
    ground = Foundation(law=Coulomb(), mu=mu, pressure=DENSITY * WIDTH * GRAVITY) if mu > 0.0 else None
    loads = (LateralLoad(UNIFORM, "uniform", Ramp(0.0)), LateralLoad(SINE, "sine", Ramp(0.0)))
    return Problem(beam, t_end, ground, loads, Lateral(motion="translation")), Options(dt=dt)


FILE = "szefer2001_caseC"
ORIGIN = "szefer2001"
SOURCE = "Szefer (2001), case C: dynamic bending of a beam, (3.17), (3.18), (3.19)"
CLAIM = (
    "Free, translating and held beams move by the corrected (3.17), (3.18), (3.19); (3.17) as "
    "printed misses the free beam's motion."
)
COST = 4.0
_THROWN = {
    "motion": "free",
    "profile": "tip",
    "history": "pulse",
    "duration": 0.05,
    "vx0": 2.0,
    "vy0": 1.0,
    "spin0": 10.0,
}
RUNS: Mapping[str, Job] = {
    "free": Run("beam_bending", _THROWN | {"load": 1.5, "E": 3e7, "t_end": 0.2}),
    "rough": ProblemRun(translating_beam, {"mu": MU, "ne": 40, "dt": 1e-3}),
    "smooth": ProblemRun(translating_beam, {"mu": 0.0, "ne": 40, "dt": 1e-3}),
    "held": Run("beam_bending", {"t_end": 0.25}),
}
QUICK = {
    "free": {"ne": 12, "dt": 2e-3},
    "rough": {"ne": 12, "dt": 2e-3},
    "smooth": {"ne": 12, "dt": 2e-3},
    "held": {"ne": 12, "dt": 1e-3},
}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Deflection w (time, node) m in the frame of the free, translating and held beam, computed and from its equation.

    error: largest `|w - w_equation|` over the largest `|w|`. Besides: (3.17) as printed for the free beam; the effect of
    friction on w of the translating beam, and its smallest V_y after the start; the held beam's time of rest.
    """
    return {
        "free": free_part(data["free"]),
        "translating": translating_part(data["rough"], data["smooth"]),
        "held": held_part(data["held"]),
    }


def _compared(run: xr.Dataset, equation: NDArray[np.float64]) -> Numbers:
    w = run.displacement.values[..., 1]
    error = float(np.abs(w - equation).max() / np.abs(w).max())
    return {"time": run.time.values, "X": run.X.values[:, 0], "w": w, "equation": equation, "error": error}


def free_part(run: xr.Dataset) -> Numbers:
    """Deflection w of the free beam, from (3.17) corrected and as printed; angle, rad; errors of angle, rad, and position, m.

    The computed beam is the elastica with a (stiff) stretch: it differs from the equations by the order of (w/l)^2, and by the
    stretch rho omega^2 l^2/8E of its spin.
    """
    p = beam_bending.Parameters.model_validate_json(run.attrs["parameters"])
    modes, X, t = free_modes(LENGTH, MODES), run.X.values[:, 0], run.time.values
    density, bending = DENSITY * SECTION, p.E * SECTION**2 / 12.0
    beam = FreeBeam(
        modes, density, bending, friction_per_length(p), (p.vx0, p.vy0), p.spin0, p.load * p.length, p.duration
    )
    solved, printed = beam.solve(t), beam.solve(t, printed=True)
    result = _compared(run, solved["amplitudes"] @ modes.at(X))
    other = printed["amplitudes"] @ modes.at(X)
    return result | {
        "printed": other,
        "printed_error": float(np.abs(result["w"] - other).max() / np.abs(result["w"]).max()),
        "angle": run.frame_angle.values,
        "angle_error": float(np.abs(run.frame_angle.values - solved["angle"]).max()),
        "position_error": float(np.abs(run.frame_position.values - solved["x0"]).max()),
        "slowest": float(np.linalg.norm(run.velocity.values, axis=2).min()),
    }


def translating_part(rough: xr.Dataset, smooth: xr.Dataset) -> Numbers:
    """Deflection w of the translating beam and from (3.18), the effect of friction on it, and y0, m, with and without friction."""
    modes = free_modes(LENGTH, MODES)
    density, bending = DENSITY * SECTION, TRANSLATING_E * SECTION**2 / 12.0
    times = rough.time.values
    result = _compared(rough, translating(modes, density, bending, SINE, times, rough.X.values[:, 0]))
    net = UNIFORM + SINE * 2.0 / np.pi - FRICTION
    y0 = 0.5 * net / density * times**2
    without = smooth.displacement.values[..., 1]
    return result | {
        "friction_effect": float(np.abs(result["w"] - without).max() / np.abs(without).max()),
        "slowest": float(rough.velocity.values[1:, :, 1].min()),
        "y0": rough.frame_position.values[:, 1],
        "y0_error": float(np.abs(rough.frame_position.values[:, 1] - y0).max()),
        "y0_without": smooth.frame_position.values[:, 1],
    }


def held_part(run: xr.Dataset) -> Numbers:
    """Deflection w of the held beam and from (3.19), its time of rest, s, and the static deflections of load and friction."""
    p = beam_bending.Parameters.model_validate_json(run.attrs["parameters"])
    exact, ends = deflection(p, run.X.values[:, 0], run.time.values), swings(p)
    assert exact is not None
    assert ends is not None
    rests = np.all(run.stick.values == 1, axis=1)
    moving = np.flatnonzero(~rests)
    static = 5.0 * p.length**4 / (384.0 * p.E * SECTION**2 / 12.0)
    return _compared(run, exact) | {
        "turns": np.arange(len(ends)) * half_swing(p),
        "turning_deflections": np.array(ends) * static,
        "rest_time": float(run.time[min(moving[-1] + 1, len(rests) - 1)]),
        "rest_time_exact": (len(ends) - 1) * half_swing(p),
        "static": static * p.load,
        "friction_static": static * friction_per_length(p),
    }


def draw(n: Numbers) -> Figure:
    """Draw for each motion the deflection along the beam at several instants, and over time, beside its equation's solution."""
    figure = column_figure(115, width=PAGE)
    panels = figure.subplots(2, 3, height_ratios=[1.0, 1.15])
    titles = ("free: (3.17), corrected", "translating: (3.18)", "held: (3.19)")
    spans = (0.2, 0.077, float(n["held"]["turns"][1]))
    for column, (key, title, until) in enumerate(zip(("free", "translating", "held"), titles, spans, strict=True)):
        _shapes(panels[0, column], n[key], until)
        letter(panels[0, column], "abc"[column], title)
        letter(panels[1, column], "def"[column], ("its right end", "its right end", "its middle")[column])
    _free_end(panels[1, 0], n["free"])
    _translating_end(panels[1, 1], n["translating"])
    _held_middle(panels[1, 2], n["held"])
    handles = [handle for axes in (panels[1, 0], panels[1, 2]) for handle in axes.get_legend_handles_labels()[0]]
    known = {handle.get_label(): handle for handle in handles}
    figure.legend(handles=list(known.values()), loc="outside lower center", ncols=5, columnspacing=1.6)
    return figure


def _shapes(axes: Axes, part: Numbers, until: float, count: int = 4) -> None:
    every = max(1, len(part["X"]) // 20)
    last = int(np.searchsorted(part["time"], until * (1 - 1e-9)))
    chosen = np.linspace(0, last, count + 1).round().astype(int)[1:]
    for place, instant in enumerate(chosen):
        fade = 1.0 - (place + 1) / count
        colour = (0.0, 0.15 + 0.6 * fade, 0.35 + 0.65 * fade)
        axes.plot(part["X"], 1e3 * part["w"][instant], color=colour, linewidth=1.0)
        axes.plot(part["X"][::every], 1e3 * part["equation"][instant][::every], "o", **DOTS)
    axes.axhline(0.0, color=LIGHT, linewidth=0.6, zorder=0)
    axes.set(xlabel="$X$ [m]", ylabel="deflection $w$ [mm]", xlim=(-0.52, 0.52))
    times = ", ".join(f"{1e3 * part['time'][instant]:.0f}" for instant in chosen)
    _said(axes, 0.15, 0.0, f"$t$ = {times} ms", top=True)


def _over_time(axes: Axes, part: Numbers, node: int) -> None:
    t, every = part["time"], max(1, len(part["time"]) // 45)
    axes.plot(t, 1e3 * part["w"][:, node], color=BLUE, label="computed")
    axes.plot(t[::every], 1e3 * part["equation"][::every, node], "o", label="solution of the equation alone", **DOTS)
    axes.set(xlabel="time $t$ [s]", ylabel="deflection $w$ [mm]", xlim=(0, t[-1]))


def _said(axes: Axes, above: float, below: float, text: str, *, top: bool = False) -> None:
    """Write a text above or below the curves, in margins given as shares of their height."""
    low, high = axes.get_ylim()
    axes.set_ylim(low - below * (high - low), high + above * (high - low))
    x, y, side, end = (0.5, 0.97, "center", "top") if top else (0.97, 0.03, "right", "bottom")
    axes.text(x, y, text, transform=axes.transAxes, fontsize=SMALLEST_TYPE, linespacing=1.3, ha=side, va=end)


def _free_end(axes: Axes, part: Numbers) -> None:
    _over_time(axes, part, -1)
    style: dict[str, Any] = {"color": VERMILION, "linestyle": (0, (4, 2)), "linewidth": 1.0}
    axes.plot(part["time"], 1e3 * part["printed"][:, -1], label="(3.17) as printed", **style)
    off = f"the beam turns by {part['angle'][-1]:.2f} rad;\n$w$ is {100 * part['error']:.1f} % off (3.17)"
    _said(axes, 0.05, 0.4, f"{off}\nand {100 * part['printed_error']:.0f} % off it as printed")


def _translating_end(axes: Axes, part: Numbers) -> None:
    _over_time(axes, part, -1)
    slower = 1.0 - part["y0"][-1] / part["y0_without"][-1]
    off = f"$w$ is {100 * part['error']:.2f} % off (3.18);\nfriction takes {100 * slower:.0f} % of $y_0$"
    _said(axes, 0.05, 0.45, f"{off}\nand {100 * part['friction_effect']:.2f} % of $w$ ($\\propto h^2$)")


def _held_middle(axes: Axes, part: Numbers) -> None:
    middle = len(part["X"]) // 2
    _over_time(axes, part, middle)
    shade(axes, part["time"], part["time"] >= part["rest_time"], color=LIGHT, label="at rest")
    level, half = 1e3 * part["static"], 1e3 * part["friction_static"]
    axes.axhspan(
        level - half, level + half, color=SKY, alpha=0.3, linewidth=0, zorder=0.1, label="friction can hold it"
    )
    rest = f"rests from {1e3 * part['rest_time']:.0f} ms on\n(exact: {1e3 * part['rest_time_exact']:.1f} ms);"
    _said(axes, 0.05, 0.35, f"{rest}\n$w$ is {100 * part['error']:.2f} % off (3.19)")
