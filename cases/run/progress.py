"""Progress of a run: a bar on a terminal with simulated time, steps, iterations per step and time to go; elsewhere a line now and
then of one that takes long.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from floating_frame.simulate import Progress as StepReport

FIRST_LINE = 10.0
"""Wall-clock time, s, after which a run without a terminal says on stderr how far it is; again after twice as long, and so on."""


@contextmanager
def progress_bar(name: str, t_end: float, *, shown: bool) -> Iterator[Callable[[StepReport], None] | None]:
    """Yield a function of a step's report (`time` s, `steps`, `iterations`), or None where nothing is to be
    shown.

    It is a bar where stderr is a terminal, and lines elsewhere.
    """
    if not shown:
        yield None
        return
    if not sys.stderr.isatty():
        with _lines(name, t_end) as tell:
            yield tell
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("t = {task.completed:.4g} of {task.total:.4g} s, step {task.fields[steps]}"),
        TextColumn("{task.fields[iterations]:.1f} iterations/step"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(name, total=t_end, steps=0, iterations=0.0)
        total = 0

        def advance(report: StepReport) -> None:
            nonlocal total
            total += report.iterations
            bar.update(task, completed=report.time, steps=report.steps, iterations=total / max(report.steps, 1))

        yield advance


@contextmanager
def _lines(name: str, t_end: float) -> Iterator[Callable[[StepReport], None]]:
    """Yield a function of a step's report; from `FIRST_LINE` on a thread prints what it was told last, also if nothing yet."""
    begun, reached, ended = time.perf_counter(), [0.0], threading.Event()

    def tell() -> None:
        wait = FIRST_LINE
        while not ended.wait(wait):
            spent, share = time.perf_counter() - begun, reached[0] / t_end
            left = f", about {spent * (1.0 - share) / share:.0f} s to go" if share > 0.0 else ""
            print(f"{name}: t = {reached[0]:.4g} of {t_end:.4g} s after {spent:.0f} s{left}", file=sys.stderr)
            wait = spent

    def report(step: StepReport) -> None:
        reached[0] = step.time

    thread = threading.Thread(target=tell, name="progress", daemon=True)
    thread.start()
    try:
        yield report
    finally:
        ended.set()
        thread.join()
