"""Failures of a run, by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from friction.errors import Failure
from friction.errors import RigidFrictionError as RigidFrictionError

if TYPE_CHECKING:
    import xarray as xr


LIMIT_LOAD = "LimitLoad"
"""The load exceeds the limit of friction; smaller steps do not help."""

UNDAMPED = (
    "friction under unknown normal forces excites an undamped solid, whose motion need not have a limit as dt falls"
)
"""Note of a run of a sliding solid without viscosity."""

ADVICE = {
    "InvertedElement": "a smaller load, a stiffer or neo-Hookean material, or a finer mesh near that element",
    "NotPositiveDefinite": "a smaller dt; the material may have buckled or softened in compression (neo-hookean resists)",
    "FrameUndefined": "frame tisserand",
    **dict.fromkeys(
        ("FactorError", "LinAlgError", "OverflowError", "FloatingPointError"),
        "input values nearer to 1 in SI units",
    ),
    "NotFinite": "smaller loads or velocities, or a smaller dt",
    "FoundationError": "a pressure and a coefficient of friction that are >= 0 until the end",
    "Tips": "a smaller friction coefficient, or forces that act nearer to the ground",
    "Lifts": "a weight or a load that presses the base on the ground, or feet, which may lift",
    LIMIT_LOAD: "a smaller load, more friction, or a dynamic scheme",
    "EnergyGrowth": "dt = 0, the automatic step, a smaller dt, or an implicit scheme",
}
"""Advice on the failures of a step, by name; on all others a smaller step. See docs/failures.md."""


class Unsolved(Failure):
    """A step could not be solved; a smaller one may be. ``code``: name of the failure, key of ``ADVICE``."""

    def __init__(self, text: str, code: str = "NotConverged") -> None:
        super().__init__(text)
        self.code = code


class StepFailure(Failure):
    """A time step could not be solved, even after halving. ``time`` s; ``trajectory`` until then. The message has time, pass,
    residuals and advice."""

    def __init__(self, time: float, reason: str, advice: str) -> None:
        super().__init__(f"the step at t = {time:.9g} s could not be solved: {reason}; try: {advice}")
        self.time = time
        self.reason = reason
        self.advice = advice
        self.trajectory: xr.Dataset | None = None


@contextmanager
def in_pass(number: int, time: float) -> Iterator[None]:
    """Add to a solver's failure its pass, counted from 1, of the stage that ends at ``time`` s."""
    try:
        yield
    except RuntimeError as error:
        error.add_note(f"in pass {number} of the stage ending at t = {time:.9g} s")
        raise
