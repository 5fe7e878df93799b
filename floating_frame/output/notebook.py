"""Progress of a run, and how a notebook shows it: one line, written again as the run goes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

BETWEEN = 0.2
"""Seconds of wall clock between two lines."""


@dataclass(frozen=True)
class Progress:
    """What a progress callback is told after each step: simulated ``time`` and ``end`` s, ``steps`` done, ``total_steps``,
    Newton ``iterations`` of the step."""

    time: float
    end: float
    steps: int
    total_steps: int
    iterations: int


def notebook_progress() -> Callable[[Progress], None] | None:
    """Return what shows the reports of a run in a notebook; None anywhere else."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if type(shell).__name__ != "ZMQInteractiveShell":
        return None
    shown = -BETWEEN

    def show(report: Progress) -> None:
        nonlocal shown
        now, last = time.monotonic(), report.steps >= report.total_steps
        if last or now - shown >= BETWEEN:
            shown = now
            line = f"t = {report.time:.4g} of {report.end:.4g} s, step {report.steps} of {report.total_steps}"
            print(f"\r{line:60}", end="\n" if last else "", flush=True)

    return show
