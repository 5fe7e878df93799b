"""Szefer's Fig. 1, computed: every place of a moving, deforming body is x = x0 + Q (X + u), drawn vector by vector."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cases import plate_sliding
from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, LIGHT, ORANGE, PURPLE, SKY, VERMILION
from paper_figures.ink.body_marks import arrow, body, frame_axes, tag
from paper_figures.ink.style import SMALLEST_TYPE, column_figure, letter
from paper_figures.numbers import Numbers
from paper_figures.runs.jobs import Run

FILE = "szefer2001_fig1"
ORIGIN = "szefer2001"
SOURCE = "Szefer (2001), Fig. 1: decomposition of the motion (2.1)"
CLAIM = (
    "A computed motion is x = x0 + Q (X + u) to rounding, with u free of rigid motion: its "
    "integrals of rho u and rho X x u vanish."
)
COST = 1.0
RUNS = {
    "thrown": Run(
        "plate_sliding",
        {
            "nx": 20,
            "ny": 10,
            "E": 2.5e4,
            "material": "neo-hookean",
            "pull_x": 0.0,
            "pull_y": 60.0,
            "ramp": 0.1,
            "release": 10.0,
            "vx0": 4.6,
            "vy0": 1.3,
            "spin0": -0.5,
            "t_end": 0.34,
        },
    )
}
QUICK = {"thrown": {"nx": 8, "ny": 4, "dt": 4e-3}}


def numbers(data: Mapping[str, xr.Dataset]) -> Numbers:
    """Bodies and vectors at the last instant, and over time the errors of (2.1), (2.2) and of the frame condition.

    moments (time, 3): integrals of rho u over M and of rho X x u over M length, m; closure (time,) m.
    """
    run = data["thrown"]
    params = plate_sliding.Parameters.model_validate_json(run.attrs["parameters"])
    X, u, x = run.X.values, run.displacement.values, run.position.values
    x0, angle = run.frame_position.values, run.frame_angle.values
    Q = np.stack([np.stack([np.cos(angle), -np.sin(angle)], 1), np.stack([np.sin(angle), np.cos(angle)], 1)], 1)
    closed = x0[:, None] + np.einsum("tij,tnj->tni", Q, X + u)
    mass = plate_sliding.plate(params).mass_matrix
    nodal = np.asarray(mass.sum(axis=1)).ravel()
    total = nodal.sum()
    momentum_like = np.einsum("n,tni->ti", nodal, u) / total
    mX = mass @ X
    turn = (
        (np.einsum("n,tn->t", mX[:, 0], u[..., 1]) - np.einsum("n,tn->t", mX[:, 1], u[..., 0])) / total / params.length
    )
    speed, difference = velocity_difference(run, Q)
    marked = int(np.argmax(X @ [1.0, -1.0]))
    return {
        "time": run.time.values,
        "cells": run.cells.values.astype(np.int64),
        "X": X,
        "rigid": x0[-1] + X @ Q[-1].T,
        "deformed": x[-1],
        "marked": marked,
        "x0": x0[-1],
        "angle": float(angle[-1]),
        "Q": Q[-1],
        "u": u[-1],
        "path": x0,
        "closure": np.abs(closed - x).max(axis=(1, 2)),
        "moments": np.column_stack([momentum_like, turn]),
        "centre": np.abs(np.einsum("n,tni->ti", nodal, x) / total - x0).max(axis=1),
        "speed": speed,
        "velocity_error": difference,
        "size_u": np.linalg.norm(u, axis=2).max(axis=1),
        "size_x0": np.linalg.norm(x0, axis=1),
    }


def velocity_difference(run: xr.Dataset, Q: NDArray[np.float64]) -> tuple[float, float]:
    """Largest speed, and the largest `|v - v_u - v_w|` of (2.2), m/s, v_w = Q du/dt by central differences in time.

    `Q` (time, 2, 2); v_u = dx0/dt + Q [omega x (X + u)].
    """
    r, t = run.X.values + run.displacement.values, run.time.values
    rate = (run.displacement.values[2:] - run.displacement.values[:-2]) / (t[2:] - t[:-2])[:, None, None]
    turning = run.frame_spin.values[1:-1, None, None] * np.stack([-r[1:-1, :, 1], r[1:-1, :, 0]], axis=2)
    split = run.frame_velocity.values[1:-1, None] + np.einsum("tij,tnj->tni", Q[1:-1], turning + rate)
    v = run.velocity.values
    return float(np.linalg.norm(v, axis=2).max()), float(np.linalg.norm(v[1:-1] - split, axis=2).max())


def draw(n: Numbers) -> Figure:
    """Draw reference, rigidly moved and deformed body with the vectors of a marked point, and the closing errors over time."""
    figure = column_figure(104)
    space, errors = figure.subplots(2, 1, height_ratios=[1.45, 1.0])
    _bodies(space, n)
    _errors(errors, n)
    letter(space, "a", f"a computed motion at $t$ = {n['time'][-1]:.2f} s")
    letter(errors, "b", "(2.1) closes; $u$ has no rigid part")
    return figure


def _bodies(axes: Axes, n: Numbers) -> None:
    cells, marked = n["cells"], n["marked"]
    mesh = {"linewidths": 0.25}
    body(axes, n["X"], cells, LIGHT, edgecolors="white", **mesh)
    body(axes, n["deformed"], cells, SKY, edgecolors="white", zorder=1, **mesh)
    body(axes, n["rigid"], cells, "none", edgecolors=GREY, zorder=1.2, **mesh)
    axes.plot(*np.asarray(n["path"]).T, color=BLACK, linewidth=0.7, linestyle=(0, (3, 1.5)), zorder=2)
    origin, x0, QX, x = np.zeros(2), n["x0"], n["rigid"][marked], n["deformed"][marked]
    X = n["X"][marked]
    frame_axes(axes, origin, 0.0, 0.27)
    frame_axes(axes, x0, n["angle"], 0.27)
    for start, end, colour, name, side in (
        (origin, X, GREEN, "$X$", (0.03, -0.09)),
        (origin, x0, BLUE, "$x_0$", (0.12, -0.12)),
        (x0, QX, GREEN, "$QX$", (-0.07, -0.07)),
        (QX, x, VERMILION, "$Qu$", (0.14, 0.0)),
        (origin, x, PURPLE, "$x$", (0.0, 0.1)),
    ):
        arrow(axes, start, end, colour, lw=1.3)
        tag(axes, 0.5 * (start + end) + np.asarray(side), name, colour, fontsize=8)
    axes.plot(*np.stack([X, x]).T, "o", color=BLACK, markersize=2.5, zorder=7)
    for place, name, colour in (
        ((0.0, -0.28), "reference body $X$", BLACK),
        ((1.3, 0.1), "moved rigidly, $x_0 + QX$", GREY),
        ((0.62, 1.05), "deformed, $x = x_0 + Q(X + u)$", BLUE),
    ):
        axes.text(*place, name, fontsize=SMALLEST_TYPE, ha="center", va="top", color=colour)
    axes.set(aspect="equal", xlabel="$x$ [m]", ylabel="$y$ [m]", xlim=(-0.56, 2.12), ylim=(-0.4, 1.2))


def _errors(axes: Axes, n: Numbers) -> None:
    t = n["time"][1:]
    for values, colour, name in (
        (n["size_x0"], BLUE, "$|x_0|$"),
        (n["size_u"], VERMILION, "largest $|u|$"),
        (n["closure"], BLACK, "$|x - x_0 - Q(X + u)|$, largest"),
        (np.abs(n["moments"][:, :2]).max(axis=1), ORANGE, r"$|\int\!\rho u|/M$"),
        (np.abs(n["moments"][:, 2]), GREEN, r"$|\int\!\rho X\times u|/M\ell$"),
    ):
        axes.semilogy(t, np.maximum(np.asarray(values)[1:], 1e-19), color=colour, linewidth=0.9, label=name)
    axes.axhspan(1e-19, 2.2e-16, color=LIGHT, linewidth=0, zorder=0)
    axes.text(
        0.5 * t[-1],
        4e-15,
        "shaded: below the rounding of 1 m",
        fontsize=SMALLEST_TYPE,
        color=GREY,
        ha="center",
        va="bottom",
    )
    axes.set(xlabel="time $t$ [s]", ylabel="length [m]", ylim=(1e-19, 1e2), xlim=(0, t[-1]))
    axes.legend(ncols=2, loc="center", bbox_to_anchor=(0.5, 0.62))
