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


@contextmanager
def assembling(name: str, *, shown: bool) -> Iterator[None]:
    """Say on a terminal that loops are being compiled, from the first that is compiled within until a model is assembled."""
    if not (shown and sys.stderr.isatty()):
        yield
        return
    from cases.run.progress_bar import Console
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
        if sys.stderr.isatty():
            from cases.run.progress_bar import bar as showing  # its library is nothing that other runs wait for
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
