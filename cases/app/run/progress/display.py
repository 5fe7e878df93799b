"""Progress of a run: on a terminal a bar with simulated time, steps, iterations per step and time to go; elsewhere a line now
and then in long runs.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cases.app.run.progress.remaining_time import RemainingTime

if TYPE_CHECKING:
    from cases.app.run.progress.compiling import Compilation
    from floating_frame.simulate import Progress as StepReport

FIRST_LINE = 10.0
"""Wall-clock time, s, of the first progress line of a run without a terminal; the next follow at twice, four times, ..."""


@contextmanager
def assembling(name: str, *, shown: bool) -> Iterator[None]:
    """Show on a terminal that loops are being compiled, from the first one until the model is assembled."""
    if not (shown and sys.stderr.isatty()):
        yield
        return
    from cases.app.run.progress.bar import Console
    from cases.app.run.progress.compiling import Compilation, watched

    status = Console(stderr=True).status(f"{name}: {Compilation.says}")
    with watched(status.start):
        try:
            yield
        finally:
            status.stop()


@contextmanager
def progress_bar(name: str, t_end: float, *, shown: bool) -> Iterator[Callable[[StepReport], None] | None]:
    """Yield the callback for a step's report (`time` s, `steps`, `iterations`), or None where not `shown`.

    It updates a bar where stderr is a terminal, and prints lines elsewhere.
    """
    if not shown:
        yield None
        return
    from cases.app.run.progress.compiling import watched

    with watched() as compilation:
        to_go = RemainingTime(t_end, lambda: time.perf_counter() - compilation.spent)
        if sys.stderr.isatty():
            from cases.app.run.progress.bar import bar as showing  # imported here: other runs do without its library
        else:
            showing = _lines
        with showing(name, t_end, to_go, compilation) as tell:
            yield tell


def line(name: str, reached: float, t_end: float, spent: float, to_go: RemainingTime, compilation: Compilation) -> str:
    """Progress of a run after ``spent`` s, one line."""
    so_far = f"{name}: t = {reached:.4g} of {t_end:.4g} s after {spent:.0f} s"
    if compilation.now:
        return f"{so_far}, {compilation.says}"
    return so_far if to_go.left is None else f"{so_far}, about {to_go.left:.0f} s to go"


@contextmanager
def _lines(
    name: str, t_end: float, to_go: RemainingTime, compilation: Compilation
) -> Iterator[Callable[[StepReport], None]]:
    """Yield the callback for a step's report; from `FIRST_LINE` on a thread prints the last report, or that there is none."""
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
