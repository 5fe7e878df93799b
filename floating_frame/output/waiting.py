"""Steps taken one by one, whose stored instants wait for others: series are made of many at once."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
import xarray as xr

from floating_frame.output.trajectory import Kept, Sink
from floating_frame.output.variables import series_at
from floating_frame.stepping.attempts import failure
from floating_frame.system.ledger_series import count_series
from floating_frame.system.model import RunModel
from floating_frame.system.protocol import Series
from floating_frame.system.rows import OneStep, Singles, together
from floating_frame.system.state import Counts

SECONDS = 1.0
"""How long instants wait at most, of which those of ``together`` steps do."""


class Waiting:
    """A ``sink`` before which single steps wait; ``energy`` J of the run at t = 0."""

    def __init__(self, model: RunModel, sink: Sink, energy: float) -> None:
        self._model, self._sink, self._energy = model, sink, energy
        self._steps: list[OneStep] = []
        self._counts: list[Counts] = []
        self._torn, self._flushed_at = False, time.monotonic()

    @property
    def done(self) -> bool:
        """Whether all is written."""
        return not (self._steps or self._torn)

    def add(self, step: OneStep, counts: Counts) -> None:
        """Take a stored step with the ``counts`` since the one before. Raises StepFailure where values are too large."""
        self._steps.append(step)
        self._counts.append(counts)
        if len(self._steps) >= together(step.after) or time.monotonic() - self._flushed_at > SECONDS:
            self.flush()

    def write(self, values: Series) -> None:
        """Store instants, see ``Sink``."""
        self.flush()
        self._sink.write(values)

    def flush(self) -> None:
        """Write what waits: all at once, or up to the first one with values that are too large, which raises StepFailure."""
        together = len(self._steps)
        while self._steps:
            steps, counts = self._steps[:together], self._counts[:together]
            try:
                values = series_at(self._model, Singles.of(steps[0].after, steps), self._energy)
            except ArithmeticError as error:
                if together == 1:
                    raise failure(error, steps[0].after.time, 0.0) from error
                together = 1
                continue
            tallies = np.array([each.row for each in counts])
            values = values | count_series(tallies, np.arange(len(steps)), Counts())[0]
            self._torn = True  # an interrupt may come at any time
            del self._steps[:together], self._counts[:together]
            self._sink.write(values)
            self._torn = False
        self._flushed_at = time.monotonic()

    def sync(self) -> None:
        """Bring all to where it lasts."""
        self.flush()
        self._sink.sync()

    def close(self, complete: bool, attributes: Mapping[str, object], kept: Kept | None = None) -> xr.Dataset:
        """Finish, see ``Sink``; what still waits is lost."""
        return self._sink.close(complete, attributes, kept)
