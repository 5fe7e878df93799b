"""Batches of equal steps that are taken in one compiled call, and what is stored and told of them.

Which steps are taken so follows from the run alone, not from where batches begin: a resumed run takes the same ones. Left out are
steps that a break of the loads cuts, a short last one, and those that the compiled step leaves to its twin.
"""

from __future__ import annotations

import numpy as np

from floating_frame.model import RunModel
from floating_frame.output.ledger_series import count_series
from floating_frame.stepper import Batch, Rows
from floating_frame.stepping.step_times import StepTimes
from floating_frame.system.protocol import Series
from floating_frame.system.state import Counts, State


class Batches:
    """The batches of a model's run."""

    def __init__(self, model: RunModel, times: StepTimes) -> None:
        options, self._times = model.options, times
        equal = options.error_tolerance is None and options.step_control is None
        self._step = model.integrator.compiled if equal else None
        total = len(times)
        self._last = total if times.would_end(total, times.end(total), total - 1, 1) else total - 1

    def after(self, number: int, state: State) -> Batch | None:
        """Return a batch of the steps after the one with ``number``; None where the next one has to be taken alone."""
        if self._step is None or number >= self._last:
            return None
        ends = self._times.ends(number + 1, min(number + self._step.longest, self._last))
        cut = self._times.breaks.cut(np.array([state.time, *ends[:-1]]), ends)
        ends = ends[: int(np.argmax(cut))] if cut.any() else ends
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self._step.take(state, ends) if len(ends) else None


def counted(batch: Batch, rows: Rows, pending: Counts) -> tuple[Series, Counts]:
    """Return the series of the solver's counts at the ends of the steps ``rows`` of a batch, and what comes after the last of
    them; ``pending``: what came before the first step."""
    taken, after = len(batch.times), int(rows[-1]) + 1 if len(rows) else 0
    sums = np.concatenate([np.zeros((1, 3), int), np.cumsum(batch.counts, axis=0)])
    passes, newton, fallbacks = (sums[-1] - sums[after]).tolist()
    least = float(batch.lengths[after:].min(initial=np.inf))
    rest = Counts(passes=passes, newton=newton, fallbacks=fallbacks, steps=taken - after, smallest_step=least)
    if not after:
        return {}, pending.plus(rest)
    none, since = np.zeros(len(rows)), np.diff(sums[rows + 1], axis=0, prepend=0)
    lengths = np.minimum.reduceat(batch.lengths[:after], np.concatenate([[0], rows[:-1] + 1]))
    found: Series = {"steps": np.diff(rows, prepend=-1), "step_size": lengths}
    found |= dict(zip(("passes", "newton_iterations", "fallbacks"), since.T, strict=True))
    before = count_series(pending)
    series = {name: found.get(name, none) + (np.arange(len(rows)) == 0) * value for name, value in before.items()}
    lengths[0] = min(lengths[0], pending.smallest_step)
    return series | {"step_size": lengths}, rest
