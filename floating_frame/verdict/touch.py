"""What contacts came to over the steps that were taken: the largest force, first touch and last release.

Steps near contact are shorter than those that are stored (``penalty_steps``), so stored instants may miss an impact altogether.
The penetration grows linearly at first and the force falls so at last: both are continued to zero, between the step's ends. A hard
wall lets single points go and come, so breaks in between count as contact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floating_frame.model import RunModel
from floating_frame.output.ledger_series import wrench_of_contacts
from floating_frame.system.state import State
from floating_frame.verdict.verdict import Check, Kept


class TouchRecord(NamedTuple):
    """``largest`` force N so far; the last ``force`` N, and its ``fall`` N/s in the step before; times, s, of the first touch
    ``begun`` (nan: none seen) and of the last release ``ended`` (nan: none since)."""

    largest: float = 0.0
    force: float = 0.0
    fall: float = 0.0
    begun: float = np.nan
    ended: float = np.nan


class TouchCheck(Check[TouchRecord]):
    """The course of the force ``|F_C|`` of all contacts on the body. It warns of nothing."""

    def begin(self, model: RunModel, state: State) -> TouchRecord:
        force = size_of_force(model, state)
        return TouchRecord(largest=force, force=force)

    def observe(self, model: RunModel, record: TouchRecord, kept: Kept) -> TouchRecord:
        before, after, force = kept.before, kept.after, size_of_force(model, kept.after)
        begun, ended, length = record.begun, record.ended, after.time - before.time
        if force > 0.0:
            if record.largest == 0.0:
                depths = [-model.clearance(before), -model.clearance(after)]
                begun = float(np.interp(0.0, depths, [before.time, after.time]))
            ended = np.nan
        elif record.force > 0.0:
            left = record.force / record.fall if record.fall > 0.0 else 0.0
            ended = min(before.time + left, after.time)
        fall = (record.force - force) / length if record.force > 0.0 else 0.0
        return TouchRecord(max(record.largest, force), force, fall, begun, ended)

    def attributes(self, model: RunModel, record: TouchRecord) -> dict[str, float]:
        times = {"contact_begin": record.begun, "contact_end": record.ended}
        return {"contact_force_max": record.largest} | {k: float(t) for k, t in times.items() if np.isfinite(t)}


def size_of_force(model: RunModel, state: State) -> float:
    """Return ``|F_C|`` N of all contacts at a state; of exact ones in the mean of the step that ends there."""
    return float(np.hypot(*wrench_of_contacts(model.system, state)[:2]))
