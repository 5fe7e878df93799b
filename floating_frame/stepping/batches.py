"""Equal steps that are taken many in one compiled call."""

from __future__ import annotations

import numpy as np

from floating_frame.stepping.attempts import FAILURES
from floating_frame.stepping.penalty_steps import touches, unhindered
from floating_frame.stepping.step_times import StepTimes
from floating_frame.system.model import RunModel
from floating_frame.system.rows import Batch, Numbers
from floating_frame.system.state import State

FEW = 16
"""Compiled steps that are tried at once behind one that a contact cuts."""


class Batches:
    """The batches of equal steps of a run that are taken in one compiled call.

    Which steps are taken so follows from the run alone, not from where batches begin: a resumed run takes the same ones. Left out
    are steps that a break of the loads cuts, a short last one, and those that the compiled step leaves to its twin.
    """

    def __init__(self, model: RunModel, times: StepTimes) -> None:
        options, self._times = model.options, times
        equal = options.error_tolerance is None and options.step_control is None
        self._step = model.integrator.compiled if equal else None
        self._longest = 0 if self._step is None else self._step.longest
        self._model, self._touches = model, touches(model)
        self._tried = FEW if self._touches else self._longest
        total = self._total = len(times)
        self._every = min(options.output_every, total + 1)  # NumPy's integers end at 2^63
        self._last = total if times.would_end(total, times.end(total), total - 1, 1) else total - 1

    def after(self, number: int, state: State) -> Batch | None:
        """Return a batch of the steps after the one with ``number``; None where the next one has to be taken alone."""
        if self._step is None or number >= self._last:
            return None
        of_held = (number // self._every + self._step.held) * self._every
        ends = self._times.ends_of(np.arange(number + 1, min(number + self._tried, of_held, self._last) + 1))
        cut = self._times.breaks.cut(np.array([state.time, *ends[:-1]]), ends)
        ends = ends[: int(np.argmax(cut))] if cut.any() else ends
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                batch = self._step.take(state, ends, self.stored(number, len(ends))[0]) if len(ends) else None
                return self._free(batch, len(ends)) if self._touches and batch is not None else batch
        except FAILURES:  # of one of these steps: taken alone, it says so
            return None

    def _free(self, batch: Batch, asked: int) -> Batch | None:
        """Return the steps that no contact cuts; next time about as many are tried as were taken."""
        free = unhindered(self._model, batch)
        taken = 0 if free is None else len(free.times)
        self._tried = min(max(4 * asked if taken == asked else 2 * taken, FEW), self._longest)
        return free

    def stored(self, number: int, taken: int) -> tuple[Numbers, int]:
        """Return which of the steps ``taken`` after the one with ``number`` are stored, and how many of them as they are every so
        often: a longer run does not store its end."""
        numbers = number + 1 + np.arange(taken)
        often = numbers % self._every == 0
        return np.flatnonzero(often | (numbers == self._total)), int(often.sum())
