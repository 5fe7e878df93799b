"""Pictures of the suite: a matrix of problems and codes, and error over CPU time of each problem."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullFormatter

from cases.app.drawing import style
from cases.app.drawing.style import BLACK, BLUE, GREEN, GREY, LIGHT, ORANGE, PAGE, PURPLE, SKY, VERMILION
from cases.app.run.results import write_whole
from cases.app.suite.table import Result

LOOK = (
    *((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (ORANGE, "D"), (PURPLE, "v"), (SKY, "P"), (BLACK, "X"), (GREY, "*")),
)
"""Colour and marker of a code, by its place in the legend."""
PANELS = 6
"""Number of panels of a picture of error over CPU time."""
FLOOR, CEILING = 1e-12, 10.0
"""Range of relative errors; points beyond are drawn at the edge."""
WITHIN, BEYOND, FAR = "#CDE7DC", "#FBE3BF", "#F3C4A8"
"""Colours of a cell: error within the admissible one, up to ten times it, beyond."""


def write(directory: Path, results: Sequence[Result], codes: Sequence[str]) -> list[str]:
    """Draw all pictures into directory/pictures and return their names, the matrix first."""
    folder = directory / "pictures"
    folder.mkdir(exist_ok=True)
    problems = sorted({one.problem for one in results})
    names = ["suite_matrix.png"]
    with matplotlib.rc_context(style.STYLE):
        _save(matrix(results, problems, codes), folder / names[0])
        measured = [name for name in problems if any(one.problem == name and _drawn(one) for one in results)]
        for k in range(0, len(measured), PANELS):
            names.append(f"suite_work_{k // PANELS + 1}.png")
            _save(work(results, measured[k : k + PANELS], codes), folder / names[-1])
    return names


def _save(figure: Figure, path: Path) -> None:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    write_whole(path, lambda place: style.write_drawn(figure, place))


def matrix(results: Sequence[Result], problems: Sequence[str], codes: Sequence[str]) -> Figure:
    """Matrix of the worst errors over the admissible ones at the documented settings, problems by codes."""
    figure = Figure(figsize=(PAGE, 0.55 + 0.2 * len(problems)))
    axes = figure.subplots()
    documented = {(one.problem, one.code): one for one in results if one.documented}
    for row, problem in enumerate(problems):
        for column, code in enumerate(codes):
            colour, text = _cell(documented.get((problem, code)))
            axes.add_patch(Rectangle((column, row), 1.0, 1.0, facecolor=colour, edgecolor="white", linewidth=1.5))
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=6.5)
    axes.set(xlim=(0, max(len(codes), 1)), ylim=(max(len(problems), 1), 0))
    axes.set_xticks(
        np.arange(len(codes)) + 0.5, [code.replace("floating-frame-friction", "this code") for code in codes]
    )
    axes.set_yticks(np.arange(len(problems)) + 0.5, problems)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xlabel(
        "worst error over the admissible one; –: cannot, ×: no answer or a wrong verdict",
        labelpad=4,
    )
    return figure


def _cell(one: Result | None) -> tuple[str, str]:
    if one is None:
        return "white", ""
    if one.worst is None:
        return LIGHT, "–"
    if not math.isfinite(one.worst):
        return FAR, "×"
    colour = WITHIN if one.worst <= 1.0 else BEYOND if one.worst <= 10.0 else FAR
    return colour, short(one.worst)


def short(value: float) -> str:
    """A number in two digits and few letters."""
    if value == 0.0:
        return "0"
    if 1.0 < value < 1.05:
        return ">1"
    if 0.01 <= value < 1000.0:
        return f"{value:.2g}" if value < 100.0 else f"{value:.0f}"
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def _drawn(one: Result) -> bool:
    return one.relative is not None and math.isfinite(one.relative) and bool(one.seconds)


def work(results: Sequence[Result], problems: Sequence[str], codes: Sequence[str]) -> Figure:
    """Relative error over CPU time, a panel per problem; a line joins the Pareto-optimal runs of a code."""
    columns = 3
    rows = math.ceil(len(problems) / columns)
    figure = Figure(figsize=(PAGE, 0.45 + 1.95 * rows))
    panels = np.atleast_1d(figure.subplots(rows, columns, squeeze=False)).ravel()
    handles: dict[str, Artist] = {}
    for axes, problem in zip(panels, problems, strict=False):
        handles |= _panel(axes, [one for one in results if one.problem == problem and _drawn(one)], codes)
        axes.set_title(problem, loc="left", pad=3)
    for k, axes in enumerate(panels):
        axes.set_visible(k < len(problems))
        if k % columns == 0:
            axes.set_ylabel("relative error [–]")
        if k + columns >= len(problems):
            axes.set_xlabel("CPU time [s]")
    named = [code for code in codes if code in handles]
    labels = [code.replace("floating-frame-friction", "this code") for code in named]
    figure.legend([handles[code] for code in named], labels, loc="outside lower center", ncols=min(len(named), 8) or 1)
    return figure


def _panel(axes: Axes, own: Sequence[Result], codes: Sequence[str]) -> dict[str, Artist]:
    """Draw the runs of a problem; a ring marks the documented setting."""
    handles: dict[str, Artist] = {}
    for code, (colour, marker) in zip(codes, LOOK, strict=False):
        runs = sorted(
            (one.seconds or 0.0, min(max(one.relative or 0.0, FLOOR), CEILING), one) for one in own if one.code == code
        )
        if not runs:
            continue
        front = [run for k, run in enumerate(runs) if all(run[1] < other[1] for other in runs[:k])]
        axes.loglog(
            *zip(*(run[:2] for run in runs), strict=True),
            linestyle="none",
            marker=marker,
            color=colour,
            markersize=2.2,
            alpha=0.45,
        )
        (handles[code],) = axes.loglog(
            *zip(*(run[:2] for run in front), strict=True),
            "-",
            marker=marker,
            color=colour,
            markersize=3.4,
            linewidth=0.9,
        )
        for seconds, error, one in runs:
            if one.documented:
                axes.loglog(
                    [seconds],
                    [error],
                    "o",
                    markersize=7,
                    markerfacecolor="none",
                    markeredgecolor=colour,
                    markeredgewidth=0.8,
                )
    for level in (1e-2, 1e-4, 1e-6):
        axes.axhline(level, color=LIGHT, linewidth=0.7, zorder=0)
    low, high = (
        10.0 ** np.floor(np.log10(min(axes.get_xlim()[0], 1e9))),
        10.0 ** np.ceil(np.log10(axes.get_xlim()[1])),
    )
    axes.set_xlim(low, high)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_minor_formatter(NullFormatter())
    return handles
