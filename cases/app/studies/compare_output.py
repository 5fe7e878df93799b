"""The command compare: table and picture of several runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cases.app.drawing.compare import draw_comparison
from cases.app.run.errors import BadInput
from cases.app.run.results import write_whole
from cases.app.studies.compare import Comparison, Run, compare_runs, labels, read_run

DEFAULT_PICTURE = "results/comparison.png"


def compare_command(directories: Sequence[str], out: str | None) -> int:
    """Compare saved runs, print their table, draw them into the PNG `out` and return the exit status 0.

    Raises BadInput before anything is written.
    """
    if len(directories) < 2:
        raise BadInput(f"expected at least two results directories to compare, got {len(directories)}")
    picture = Path(DEFAULT_PICTURE if out is None else out)
    if picture.suffix != ".png" or not (out is None or picture.parent.is_dir()):
        raise BadInput(f"out: expected a file in a directory that exists, its name ending in .png, got {out!r}")
    comparison = compare_runs(
        [read_run(directory, label) for directory, label in zip(directories, labels(directories), strict=True)]
    )
    print_comparison(comparison)
    picture.parent.mkdir(parents=True, exist_ok=True)
    write_whole(picture, lambda path: draw_comparison(comparison, path))
    print(picture)
    return 0


def print_comparison(comparison: Comparison) -> None:
    """Print the runs, their differing parameters, and the table of final values and largest differences."""
    width = max(len(run.label) for run in comparison.runs)
    for run in comparison.runs:
        state = "" if run.complete else ", incomplete"
        print(f"{run.label:{width}}  {run.case}, {len(run.times)} instants to t = {run.times[-1]:.6g} s{state}")
    for line in differing_parameters(comparison.runs):
        print(line)
    count, end = len(comparison.times), comparison.times[-1]
    print(f"differences from {comparison.runs[0].label} at {count} instants up to t = {end:.6g} s")
    if not comparison.stored:
        print("values between stored instants are interpolated linearly")
    print(table(comparison))


def differing_parameters(runs: Sequence[Run]) -> list[str]:
    """A line for each parameter that differs between runs of one case."""
    if len({run.case for run in runs}) > 1:
        return []
    names = dict.fromkeys(name for run in runs for name in run.parameters)
    lines = []
    for name in names:
        values = [run.parameters.get(name) for run in runs]
        if any(value != values[0] for value in values):
            lines.append(f"  {name}: " + " | ".join(_in_words(value) for value in values))
    return ["parameters that differ:", *lines] if lines else ["parameters are the same"]


def _in_words(value: object) -> str:
    """Text of a parameter's value; None: unknown to the version of the run."""
    return "left out" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def table(comparison: Comparison) -> str:
    """Table: of each quantity the value at the end of the common time, the largest difference and its time."""
    others = comparison.runs[1:]
    head = ["quantity", "unit", *(f"{run.label} at the end" for run in comparison.runs)]
    head += [part for run in others for part in (f"largest difference of {run.label}", "at t [s]")]
    rows = [head]
    for key in comparison.keys:
        series = comparison.runs[0].series[key]
        row = [series.name, series.unit, *(f"{run.at(key, comparison.times)[-1]:.6g}" for run in comparison.runs)]
        for run in others:
            difference = comparison.differences(key, run)
            place = int(np.argmax(np.abs(difference)))
            row += [f"{difference[place]:.3g}", f"{comparison.times[place]:.6g}" if difference[place] else "-"]
        rows.append(row)
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    aligned = [
        "  ".join(
            cell.ljust(w) if k < 2 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in aligned)
