"""The error of a whole run, measured while it runs: a companion takes every step whole of which the run takes two halves.

For a scheme of order p their distance, of positions over the body's size, is 2^p − 1 times the error E of the run; from the first
event on p = 1. E (1 + E/``COARSE``) is taken while p = 2. A run whose estimate passes ``ACCEPTED`` ε (``KINKED`` ε at p = 1) is
begun again with a smaller tolerance for its steps, the error reached at t taken to be (T/t)^1.5 as much at the end T. Derived,
with sources, in docs/theory.md, section 8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from floating_frame.errors import StepFailure
from floating_frame.system.state import State

ACCEPTED, KINKED = 0.85, 0.5
"""Part of the tolerance that the estimated error of a run may reach, in smooth motion and from the first event on, where the
estimate may be off by a factor of two."""

COARSE = 1e-2
"""Estimate whose next term may be as large."""

AIMED = 0.35
"""Part of the tolerance that the next run aims at."""

LEAST, MOST = 1.0 / 32.0, 1.0 / 3.0
"""Bounds of the factor on the steps' tolerance from one run to the next."""

MOST_RUNS = 16
"""Runs after which a tolerance counts as out of reach: their steps' tolerances span at least seven decades."""

FINEST = 1e-15
"""Steps' tolerance below which their errors are rounding."""


@dataclass(frozen=True)
class Companion:
    """``state`` of the companion at the last stored instant, the lowest ``order`` of the steps so far, ``error`` of the run so far:
    see the module."""

    state: State
    order: int
    error: float = 0.0

    def moved(self, apart: float, order: int) -> Companion:
        """Return the companion after a step of an ``order``, ``apart`` from the run: the distance of positions over the body's
        size."""
        lowest = min(order, self.order)
        return replace(self, order=lowest, error=max(self.error, apart / (2.0**lowest - 1.0)))

    def within(self, tolerance: float) -> bool:
        """Say whether the error of the run is accepted under ``tolerance`` ε."""
        if self.order < 2:
            return self.error <= KINKED * tolerance
        return self.error * (1.0 + self.error / COARSE) <= ACCEPTED * tolerance


class RunTooInaccurate(Exception):
    """The estimated ``error`` of a run is larger than accepted at ``time`` s: it has to be begun again."""

    def __init__(self, time: float, error: float) -> None:
        super().__init__(f"the estimated error of the run is {error:.3g} at t = {time:.9g} s")
        self.time = time
        self.error = error


@dataclass(frozen=True)
class Attempt:
    """One run of several: the ``number`` of it, from 1, and the ``tolerance`` of its steps."""

    number: int
    tolerance: float

    def next(self, failure: RunTooInaccurate, wanted: float, end: float) -> Attempt:
        """Return the run after this one, which missed ``wanted`` = error_tolerance; ``end``: T s. Raises StepFailure."""
        factor = AIMED * wanted / failure.error * (failure.time / end) ** 1.5
        tolerance = self.tolerance * float(np.clip(factor, LEAST, MOST))
        if self.number >= MOST_RUNS or tolerance < FINEST:
            raise StepFailure(
                failure.time,
                f"error_tolerance = {wanted:.3g} is out of reach: {failure} in run {self.number}, whose steps were held to "
                f"{self.tolerance:.3g}; rounding or a motion that amplifies errors allows no less",
                f"an error_tolerance above {4.0 * failure.error:.1g}, or a tighter solver tolerance",
            )
        return Attempt(self.number + 1, tolerance)
