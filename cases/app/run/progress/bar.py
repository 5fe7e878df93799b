"""The progress of a run as a bar on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from cases.app.run.progress.remaining_time import RemainingTime

if TYPE_CHECKING:
    from cases.app.run.progress.compiling import Compilation
    from floating_frame.simulate import Progress as StepReport


class _TimeLeft(ProgressColumn):
    """Column of the bar: the time to go, or the note that loops are being compiled."""

    def __init__(self, to_go: RemainingTime, compilation: Compilation) -> None:
        super().__init__()
        self._to_go, self._compilation = to_go, compilation

    def render(self, task: Task) -> Text:
        left = self._to_go.left
        if self._compilation.now:
            return Text(self._compilation.says)
        return Text("" if left is None else str(timedelta(seconds=round(left))), style="progress.remaining")


@contextmanager
def bar(
    name: str, t_end: float, to_go: RemainingTime, compilation: Compilation
) -> Iterator[Callable[[StepReport], None]]:
    """Show a bar on stderr; yield the callback that updates it with a step's report."""
    shown = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("t = {task.completed:.4g} of {task.total:.4g} s, step {task.fields[steps]}"),
        TextColumn("{task.fields[iterations]:.1f} iterations/step"),
        _TimeLeft(to_go, compilation),
        console=Console(stderr=True),
        transient=True,
    )
    with shown:
        task = shown.add_task(name, total=t_end, steps=0, iterations=0.0)
        total = 0

        def advance(report: StepReport) -> None:
            nonlocal total
            total += report.iterations
            to_go.report(report.time)
            shown.update(task, completed=report.time, steps=report.steps, iterations=total / max(report.steps, 1))

        yield advance
