"""Progress of a run: a bar on a terminal with simulated time, steps, iterations per step and time to go; elsewhere a line now and
then of one that takes long.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

if TYPE_CHECKING:
    from floating_frame.output.compiling import Compilation
    from floating_frame.simulate import Progress as StepReport

FIRST_LINE = 10.0
"""Wall-clock time, s, after which a run without a terminal says on stderr how far it is; again after twice as long, and so on."""
TOGETHER = 0.5
"""Wall-clock time, s, within which reports belong to one batch of steps: they come together as it ends, and show no pace."""


class TimeToGo:
    """Estimates from a run's reports how long it still takes to its ``end``, s.

    The ``clock``, s, stands still while loops are compiled. The estimate is from the pace since the first batch of steps, and there
    is none before a second batch has ended: what comes before the first report, such as tabulated loads, says nothing about steps.
    """

    def __init__(self, end: float, clock: Callable[[], float]) -> None:
        self._end, self._clock = end, clock
        self._first: tuple[float, float] | None = None
        self._last = (0.0, 0.0)

    def report(self, reached: float) -> None:
        """Note that simulated time ``reached``, s, is computed; a run that is begun again is measured anew."""
        now = self._clock()
        if self._first is None or reached < self._last[1]:
            self._first = now, reached
        elif now - self._first[0] < TOGETHER:
            self._first = self._first[0], reached
        self._last = now, reached

    @property
    def left(self) -> float | None:
        """Wall-clock time to go, s, at the pace so far; None where that is not known yet."""
        if self._first is None or not self._last[1] > self._first[1]:
            return None
        (begun, start), (now, reached) = self._first, self._last
        return (now - begun) * (self._end - reached) / (reached - start)


class _TimeLeft(ProgressColumn):
    """The column of the bar that shows the time to go, or that loops are being compiled."""

    def __init__(self, to_go: TimeToGo, compilation: Compilation) -> None:
        super().__init__()
        self._to_go, self._compilation = to_go, compilation

    def render(self, task: Task) -> Text:
        left = self._to_go.left
        if self._compilation.now:
            return Text(self._compilation.says)
        return Text("" if left is None else str(timedelta(seconds=round(left))), style="progress.remaining")


@contextmanager
def assembling(name: str, *, shown: bool) -> Iterator[None]:
    """Say on a terminal that loops are being compiled, from the first that is compiled within until a model is assembled."""
    if not (shown and sys.stderr.isatty()):
        yield
        return
    from floating_frame.output.compiling import Compilation, watched

    status = Console(stderr=True).status(f"{name}: {Compilation.says}")
    with watched(status.start):
        try:
            yield
        finally:
            status.stop()


@contextmanager
def progress_bar(name: str, t_end: float, *, shown: bool) -> Iterator[Callable[[StepReport], None] | None]:
    """Yield a function of a step's report (`time` s, `steps`, `iterations`), or None where nothing is to be
    shown.

    It is a bar where stderr is a terminal, and lines elsewhere.
    """
    if not shown:
        yield None
        return
    from floating_frame.output.compiling import watched

    with watched() as compilation:
        to_go = TimeToGo(t_end, lambda: time.perf_counter() - compilation.spent)
        showing = _bar if sys.stderr.isatty() else _lines
        with showing(name, t_end, to_go, compilation) as tell:
            yield tell


@contextmanager
def _bar(name: str, t_end: float, to_go: TimeToGo, compilation: Compilation) -> Iterator[Callable[[StepReport], None]]:
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("t = {task.completed:.4g} of {task.total:.4g} s, step {task.fields[steps]}"),
        TextColumn("{task.fields[iterations]:.1f} iterations/step"),
        _TimeLeft(to_go, compilation),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(name, total=t_end, steps=0, iterations=0.0)
        total = 0

        def advance(report: StepReport) -> None:
            nonlocal total
            total += report.iterations
            to_go.report(report.time)
            bar.update(task, completed=report.time, steps=report.steps, iterations=total / max(report.steps, 1))

        yield advance


def line(name: str, reached: float, t_end: float, spent: float, to_go: TimeToGo, compilation: Compilation) -> str:
    """Return how far a run is after ``spent`` s."""
    so_far = f"{name}: t = {reached:.4g} of {t_end:.4g} s after {spent:.0f} s"
    if compilation.now:
        return f"{so_far}, {compilation.says}"
    return so_far if to_go.left is None else f"{so_far}, about {to_go.left:.0f} s to go"


@contextmanager
def _lines(
    name: str, t_end: float, to_go: TimeToGo, compilation: Compilation
) -> Iterator[Callable[[StepReport], None]]:
    """Yield a function of a step's report; from `FIRST_LINE` on a thread prints what it was told last, also if nothing yet."""
    begun, reached, ended = time.perf_counter(), [0.0], threading.Event()

    def tell() -> None:
        wait = FIRST_LINE
        while not ended.wait(wait):
            spent = time.perf_counter() - begun
            print(line(name, reached[0], t_end, spent, to_go, compilation), file=sys.stderr)
            wait = spent

    def report(step: StepReport) -> None:
        reached[0] = step.time
        to_go.report(step.time)

    thread = threading.Thread(target=tell, name="progress", daemon=True)
    thread.start()
    try:
        yield report
    finally:
        ended.set()
        thread.join()
