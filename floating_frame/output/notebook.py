"""Progress of a run, and its display in a notebook: one line, rewritten as the run goes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

REFRESH_SECONDS = 0.2
"""Seconds of wall clock between two lines."""
START_MESSAGE = "starting; a first run of its kind is compiling, once"
"""Shown until the first step is done."""


@dataclass(frozen=True)
class Progress:
    """Report of a step to a progress callback: simulated ``time`` and ``end`` s, ``steps`` done, ``total_steps``, Newton
    ``iterations`` of the step."""

    time: float
    end: float
    steps: int
    total_steps: int
    iterations: int


@contextmanager
def notebook_progress() -> Iterator[Callable[[Progress], None] | None]:
    """Yield the progress callback of a notebook; None anywhere else."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if type(shell).__name__ != "ZMQInteractiveShell":
        yield None
        return
    shown = -REFRESH_SECONDS

    def show(report: Progress) -> None:
        nonlocal shown
        now, last = time.monotonic(), report.steps >= report.total_steps
        if last or now - shown >= REFRESH_SECONDS:
            shown = now
            line = f"t = {report.time:.4g} of {report.end:.4g} s, step {report.steps} of {report.total_steps}"
            print(f"\r{line:60}", end="\n" if last else "", flush=True)

    print(f"\r{START_MESSAGE:60}", end="", flush=True)
    yield show
