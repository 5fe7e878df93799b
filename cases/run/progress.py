"""A progress bar on a terminal: simulated time, steps, iterations per step, time to go."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(name: str, t_end: float, *, shown: bool) -> Iterator[Callable[[Any], None] | None]:
    """Yield a function of a step's report (`time` s, `steps`, `iterations`), or None where no bar is to be
    shown.

    It is shown where `shown` is true and stderr is a terminal.
    """
    if not (shown and sys.stderr.isatty()):
        yield None
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

        def advance(report: Any) -> None:
            nonlocal total
            total += report.iterations
            bar.update(task, completed=report.time, steps=report.steps, iterations=total / max(report.steps, 1))

        yield advance
