"""The outcome of a point of a sweep: headline numbers and effort, or the reason why it has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from cases.app.run.results import Headlines

if TYPE_CHECKING:  # the process that distributes the points does not import the numerics
    from floating_frame import RunWarning

OK, FAILED, NOT_RUN = "ok", "failed", "not run"
EFFORT = {
    "steps": ("1", "time steps"),
    "rejected_steps": ("1", "rejected time steps, repeated with a smaller step"),
    "passes": ("1", "staggered passes"),
    "newton_iterations": ("1", "Newton iterations of the friction problem"),
    "fallbacks": ("1", "stages that Newton's method alone did not solve"),
}
"""Counts of a run, summed over its instants: unit and meaning."""


class Outcome(TypedDict):
    """Outcome of a point: `status`, the `reason` of a failure, `results` as in summary.json, `effort`, `seconds` of wall time,
    and the `warnings` of its verdict."""

    status: str
    reason: str
    results: Headlines
    effort: dict[str, int]
    seconds: float
    warnings: list[RunWarning]


def not_run(reason: str = "") -> Outcome:
    """Outcome of a point that did not run."""
    return Outcome(status=NOT_RUN, reason=reason, results={}, effort={}, seconds=float("nan"), warnings=[])


def failed(reason: object, seconds: float = float("nan"), warnings: Sequence[RunWarning] = ()) -> Outcome:
    """Outcome of a failed point, its reason in one line."""
    text = " ".join(str(reason).split())
    return Outcome(status=FAILED, reason=text, results={}, effort={}, seconds=seconds, warnings=list(warnings))


def strictly(outcome: Outcome) -> Outcome:
    """The outcome, failed where it has warnings."""
    if outcome["status"] != OK or not outcome.get("warnings"):
        return outcome
    reason = "; ".join(warning.advice for warning in outcome["warnings"])
    return failed(reason, outcome["seconds"], outcome["warnings"])
