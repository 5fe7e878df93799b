"""Sweep: a case run at every point of a grid of its parameters, and the results in one dataset."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cases.app.registry import load
from cases.app.run.directory import SWEEP, locked, refuse_foreign
from cases.app.run.errors import SOLVER_FAILURE, BadInput
from cases.app.run.inputs import given_values
from cases.app.run.notes import note
from cases.app.run.signals import Interrupted, interruption, raise_unanswered
from cases.app.studies.sweep.grid import Grid, grid_of
from cases.app.studies.sweep.outcome import NOT_RUN, OK, Outcome, not_run, strictly
from cases.app.studies.sweep.output import closing_lines, dataset, write_dataset
from cases.app.studies.sweep.stored_points import StoredPoints
from cases.app.studies.sweep.workers import WORK, check_scheduler, outcomes

if TYPE_CHECKING:  # the process that distributes the points does not import the numerics
    from cases.app.run.estimate import Estimate


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """Options of a sweep, as texts of the command line.

    Parameters
    ----------
    grid : Sequence[str]
        Texts PARAM=VALUES.
    workers, scheduler : str or None
        Number of processes, or the address of a running Dask scheduler.
    config : str or None
        A TOML file of further parameters.
    out : str
        The results directory.
    quiet, strict : bool
        Print errors only; count a point that warns as failed.
    force : bool
        Replace results of another sweep, case or version.
    estimate : str
        The estimated errors of the points' numbers.
    """

    grid: Sequence[str]
    workers: str | None
    scheduler: str | None
    config: str | None
    out: str
    quiet: bool
    strict: bool
    force: bool = False
    estimate: Estimate = ""


def sweep_command(name: str, given: Mapping[str, str], how: SweepOptions) -> int:
    """Sweep the case `name` and return the exit status: 0, or 3 where any point failed, with `strict` also where one warns.

    `given` are the texts of fixed parameters. Every point is validated before the first runs: raises BadInput, with nothing
    written. DIR/sweep.nc and DIR/sweep.csv contain the finished points, also after an interruption (`complete` 0); DIR/sweep.png is
    drawn for one- and two-dimensional grids. Points that DIR already contains are not computed again.
    """
    case = load(name)
    for key in (text.partition("=")[0].strip() for text in how.grid):
        if key in given:
            raise BadInput(f"grid: expected a parameter that is not fixed by --{key} as well, got {key}")
    points = grid_of(case.Parameters, how.grid, given_values(case.Parameters, given, how.config))
    for text in () if how.quiet else _notes(points, given):
        note(f"note: {text}")
    count = _count(how.workers, how.scheduler)
    if how.scheduler is not None:
        check_scheduler(how.scheduler)
    with locked(how.out) as directory:
        refuse_foreign(directory, name, SWEEP, force=how.force)
        texts = [params.model_dump_json() for params in points.points]
        try:
            stored = StoredPoints(directory, name, [how.estimate + text for text in texts], force=how.force)
            return _swept(name, points, texts, how, stored, directory, count)
        except OSError as error:
            reason = error.strerror or " ".join(str(error).split())
            print(
                f"the results in {directory} cannot be written: {reason}; points that are done are kept there, "
                "and the same command goes on with the others",
                file=sys.stderr,
            )
            return SOLVER_FAILURE


def _notes(points: Grid, given: Iterable[str]) -> list[str]:
    """A line for each parameter of the axes, and each one `given`, without effect in all points."""
    chosen, reasons = {axis.name for axis in points.axes} | set(given), [params.unread() for params in points.points]
    return [
        f"{name}: no effect with {by}"
        for name, by in reasons[0].items()
        if name in chosen and all(name in one for one in reasons)
    ]


def _swept(
    name: str,
    points: Grid,
    texts: Sequence[str],
    how: SweepOptions,
    stored: StoredPoints,
    directory: Path,
    count: int | None,
) -> int:
    """Run the missing points, write the dataset and report. Raises Interrupted and OSError."""
    start, complete = time.perf_counter(), False
    there, missing = len(stored.known), [k for k in range(len(texts)) if k not in stored.known]
    done = [stored.known.get(k) or not_run("interrupted") for k in range(len(texts))]
    try:
        if missing:
            if count != 0:
                _import_for_output(draws=len(points.axes) <= 2)
            wanted = [texts[k] for k in missing]
            with (
                _progress(name, len(missing), shown=not how.quiet) as advance,
                closing(
                    outcomes(name, wanted, workers=count, scheduler=how.scheduler, work=WORK[how.estimate])
                ) as outcomes_in_turn,
            ):
                for index, outcome in outcomes_in_turn:
                    stored.add(missing[index], outcome)
                    done[missing[index]] = outcome
                    advance(strictly(outcome) if how.strict else outcome)
                    raise_unanswered()
        complete = True
    except KeyboardInterrupt as stop:
        number = interruption(stop).number
        ready = sum(outcome["status"] != NOT_RUN for outcome in done)
        line = f"interrupted: {ready} of {len(done)} points are in {directory / SWEEP}; the same command goes on with the others"
        raise Interrupted(number, line) from stop
    finally:
        done = [strictly(outcome) if how.strict else outcome for outcome in done]
        data = dataset(name, points, done, complete=complete)
        write_dataset(data, directory, stored)
    drawn = _draw(directory) if len(points.axes) <= 2 else ""
    lines = closing_lines(data, time.perf_counter() - start)
    if not how.quiet:
        print(lines[0])
        if there:
            print(f"{there} of {len(done)} points were there already")
        print(f"results in {directory}: sweep.nc, sweep.csv{drawn}")
    for line in lines[1:]:
        print(line.strip(), file=sys.stderr)
    return 0 if all(outcome["status"] == OK for outcome in done) else SOLVER_FAILURE


def _count(text: str | None, scheduler: str | None) -> int | None:
    if text is None:
        return None
    if scheduler is not None:
        raise BadInput("workers: expected none with --scheduler, whose workers are there already")
    if not text.isdigit():
        raise BadInput(f"workers: expected an integer >= 0 (0: in this process), got {text!r}")
    return int(text)


def _import_for_output(*, draws: bool) -> None:
    """Import the modules for output and pictures while the server of the processes imports the numerics."""
    for module in (
        "dask.array",
        "distributed",
        *(["cases.app.drawing.sweep"] if draws else []),
    ):  # the former for xarray
        import_module(module)


def _draw(directory: Path) -> str:
    from cases.app.drawing.sweep import plot_sweep  # matplotlib takes half a second to import

    plot_sweep(directory)
    return ", sweep.png"


@contextmanager
def _progress(name: str, total: int, *, shown: bool) -> Iterator[Callable[[Outcome], None]]:
    """Yield the callback for each outcome; it advances a bar where `shown` and stderr is a terminal."""
    if not (shown and sys.stderr.isatty()):
        yield lambda outcome: None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("points, {task.fields[bad]} failed"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(f"sweep {name}", total=total, bad=0)
        bad = 0

        def advance(outcome: Outcome) -> None:
            nonlocal bad
            bad += outcome["status"] != OK
            bar.update(task, advance=1, bad=bad)

        yield advance
