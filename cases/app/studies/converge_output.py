"""The table, converge.csv and converge.png of a convergence study."""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from cases.app.drawing import style as plot_style
from cases.app.registry import load
from cases.app.run.results import OWN, versions, write_whole
from cases.app.studies.orders import AGAINST_FINEST, Convergence
from cases.app.studies.study import COUNTS, Study

CSV_COLUMNS = (
    *("case", "complete", "over", "level", "dt_s", "cells", "quantity", "unit", "against", "error", "order"),
    *("own_error_of_finest", *COUNTS, "run_time_s", "version"),
)
DPI = 300
MARKERS = "osD^v<>pX"


def _head(study: Study) -> str:
    first = study.levels[0].params
    scheme = f"{study.name} over {study.over}: scheme {first.scheme}, t_end = {first.t_end:g} s"
    steps = [f"{study.levels[k].dt:.4g} s" for k in (0, -1)]
    if study.over == "dt":
        fixed = f"{study.levels[0].cells} cells" if study.levels[0].cells else "no mesh"
    else:
        fixed = f"dt = {steps[0]}" if steps[0] == steps[1] else f"dt from {steps[0]} to {steps[1]}"
    return f"{scheme}, {fixed}"


def _rows(study: Study) -> tuple[list[str], list[list[str]]]:
    """Header and rows: per measure its errors, then the orders of pairs of levels; at the end the counts."""
    header = ["error", "against"]
    header += [f"dt = {level.dt:.4g} s" if study.over == "dt" else level.cells for level in study.levels]
    rows: list[list[str]] = []
    for name, measure in study.measures.items():
        errors = [f"{e:.3e}" if math.isfinite(e) else "-" for e in measure.errors]
        if measure.kind == AGAINST_FINEST and math.isfinite(measure.own_error):
            errors[-1] = f"({measure.own_error:.1e})"
        rows.append([f"{name} [{measure.unit}]", measure.kind, *errors])
        rows.append(
            [
                "  order",
                "rounding" if measure.rounding else "unchanged" if measure.unchanged else "",
                *(f"{p:.2f}" if math.isfinite(p) else "" for p in measure.orders),
            ]
        )
    estimates = [level.estimated_error for level in study.levels]
    if any(map(math.isfinite, estimates)):
        rows.append(["estimated error", "companion", *(f"{e:.1e}" if math.isfinite(e) else "-" for e in estimates)])
    for key in COUNTS:
        rows.append([key.replace("_", " "), "", *(str(level.counts[key]) for level in study.levels)])
    rows.append(["run time [s]", "", *(f"{level.seconds:.2f}" for level in study.levels)])
    return header, rows


def _notes(study: Study) -> list[str]:
    notes = [
        "error: the largest over all nodes and the instants common to all levels; of quantities _mean the mean",
        "run time: the first level may include compilation",
    ]
    if any(measure.kind == AGAINST_FINEST for measure in study.measures.values()):
        notes.append(
            "against the finest level: its own error, in brackets, is estimated; the orders take it into account"
        )
    fixed = study.over == "dt" or study.levels[0].dt == study.levels[-1].dt
    if fixed and any(measure.kind != AGAINST_FINEST for measure in study.measures.values()):
        other = "mesh" if study.over == "dt" else "step"
        notes.append(f"against exact and reference values: the error of the {other} remains in the differences")
    if any(measure.unchanged for measure in study.measures.values()):
        refined, other = ("step", "mesh") if study.over == "dt" else ("mesh", "step")
        notes.append(
            f"unchanged: the result does not depend on the {refined}; the error of the {other} or of a tolerance remains"
        )
    notes += [text for over, text in load(study.name).STUDY.notes.items() if over == study.over]
    if study.failure:
        notes.append("incomplete: the next level failed")
    return notes


def print_study(study: Study) -> None:
    """Print the table of a study, with rules on a terminal, in plain columns elsewhere."""
    header, rows = _rows(study)
    if sys.stdout.isatty():
        table = Table(
            title=_head(study), title_justify="left", caption="\n".join(_notes(study)), caption_justify="left"
        )
        for number, text in enumerate(header):
            table.add_column(text, justify="left" if number < 2 else "right", no_wrap=number != 1)
        for row in rows:
            table.add_row(*row, end_section=row[0] == "  order")
        Console().print(table, markup=False)
        return
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(len(header))]
    print(_head(study))
    for row in [header, *rows]:
        words = [text.ljust(w) if k < 2 else text.rjust(w) for k, (text, w) in enumerate(zip(row, widths, strict=True))]
        print("  ".join(words).rstrip())
    for note in _notes(study):
        print(note)


def write_study(study: Study, directory: Path, *, quiet: bool) -> None:
    """Write converge.csv and converge.png into `directory`, each whole or not at all."""
    write_whole(directory / "converge.csv", lambda path: _write_csv(study, path))
    with matplotlib.rc_context(plot_style.STYLE):
        figure = draw(study)
        write_whole(
            directory / "converge.png", lambda path: figure.savefig(path, format="png", metadata={"Software": None})
        )
    if not quiet:
        print(f"study in {directory}: converge.csv, converge.png")


def _write_csv(study: Study, path: Path) -> None:
    """Write one line per level and measure; empty where a number is not defined."""

    def cell(value: float) -> str:
        return repr(float(value)) if math.isfinite(value) else ""

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(CSV_COLUMNS)
        for number, level in enumerate(study.levels):
            for name, measure in study.measures.items():
                what = [study.name, int(not study.failure), study.over, number + 1, repr(level.dt), level.cells, name]
                errors = [measure.unit, measure.kind, cell(measure.errors[number]), cell(measure.orders[number])]
                counts = [level.counts[key] for key in COUNTS]
                writer.writerow(
                    [*what, *errors, cell(measure.own_error), *counts, f"{level.seconds:.3f}", versions()[OWN]]
                )


def draw(study: Study) -> Figure:
    """Figure of the errors of each measure relative to the coarsest level over step or cell size, log-log."""
    figure = Figure(figsize=(plot_style.PAGE * 0.72, 3.2), dpi=DPI)
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    size = _sizes(study)
    colours = (plot_style.BLUE, plot_style.VERMILION, plot_style.GREEN, plot_style.ORANGE, plot_style.PURPLE)
    for number, (name, measure) in enumerate(study.measures.items()):
        scaled = _scaled(measure)
        if measure.rounding or not np.any(np.isfinite(scaled)):
            axes.plot(
                [],
                [],
                linestyle="none",
                label=f"{name}: errors at rounding\n(below {plot_style.number(float(measure.errors.max()), 1)} {measure.unit})",
            )
            continue
        known = [p for p in measure.orders if math.isfinite(p)]
        order = f", last order {plot_style.number(round(known[-1], 2))}" if known else ""
        first = measure.errors[np.flatnonzero(np.isfinite(scaled))[0]]
        axes.loglog(
            size,
            scaled,
            marker=MARKERS[number % len(MARKERS)],
            markersize=3.5,
            color=colours[number % len(colours)],
            label=f"{name}{order}\n({measure.kind}; first: {plot_style.number(float(first), 2)} {measure.unit})",
        )
    unit = "step [s]" if study.over == "dt" else "cell size relative to the coarsest level"
    axes.set(xlabel=unit, ylabel="error relative to that of the coarsest level")
    axes.margins(0.08)
    _triangles(axes, size)
    axes.minorticks_off()
    axes.set_xticks(size, [plot_style.number(float(value)) for value in size])
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), labelspacing=0.9)
    axes.set_title(_head(study) + (" (incomplete)" if study.failure else ""), loc="left")
    return figure


def _sizes(study: Study) -> np.ndarray:
    if study.over == "dt":
        return np.array([level.dt for level in study.levels])
    return 0.5 ** np.arange(len(study.levels))


def _scaled(measure: Convergence) -> np.ndarray:
    """Errors relative to the coarsest level; nan where undefined or zero (logarithmic axes)."""
    positive = np.where(measure.errors > 0, measure.errors, np.nan)
    return positive / positive[np.flatnonzero(np.isfinite(positive))[0]] if np.any(np.isfinite(positive)) else positive


def _triangles(axes: Axes, size: np.ndarray) -> None:
    """Draw slopes 1 and 2 as triangles over the two finest levels, at the lower edge of the curves."""
    if len(size) < 2:
        return
    low, high = axes.get_ylim()
    fine, coarse = float(size[-1]), float(size[-2])
    left, right = fine * (coarse / fine) ** 0.15, fine * (coarse / fine) ** 0.85
    base = low
    for slope in (1, 2):
        rise = (right / left) ** slope
        start = base / rise / 1.25
        axes.plot([left, right, right, left], [start, start, start * rise, start], color=plot_style.GREY, linewidth=0.7)
        axes.annotate(
            str(slope), (right, start * rise**0.5), (3, 0), textcoords="offset points", fontsize=7, va="center"
        )
        base = start
    axes.set_ylim(base / 1.6, high)
