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

from cases.app.run.progress.to_go import TimeToGo

if TYPE_CHECKING:
    from cases.app.run.progress.compiling import Compilation
    from floating_frame.simulate import Progress as StepReport

FIRST_LINE = 10.0
"""Wall-clock time, s, after which a run without a terminal says on stderr how far it is; again after twice as long, and so on."""


@contextmanager
def assembling(name: str, *, shown: bool) -> Iterator[None]:
    """Say on a terminal that loops are being compiled, from the first that is compiled within until a model is assembled."""
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
    """Yield a function of a step's report (`time` s, `steps`, `iterations`), or None where nothing is to be
    shown.

    It is a bar where stderr is a terminal, and lines elsewhere.
    """
    if not shown:
        yield None
        return
    from cases.app.run.progress.compiling import watched

    with watched() as compilation:
        to_go = TimeToGo(t_end, lambda: time.perf_counter() - compilation.spent)
        if sys.stderr.isatty():
            from cases.app.run.progress.bar import bar as showing  # its library is nothing that other runs wait for
        else:
            showing = _lines
        with showing(name, t_end, to_go, compilation) as tell:
            yield tell


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
