"""End times of equal steps: multiples of dt, but exactly the breaks of loads and ground and the end of the run.

k·dt may differ by rounding from an equal break: 1200 · 1e-4 is 0.12000000000000001 s. A load that ends at 0.12 s would then be
missing in the stages at that time, or act in a step of a rounding unit. So the k-th step ends at the break itself where they agree
within ``RESOLUTION`` (see ``histories``). No times are stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array
from floating_frame.loads.histories import RESOLUTION, Breaks

MAX_STEPS = 10**8
"""Largest number of steps of a run: more would take months."""


def number_of_steps(t_end: float, dt: float) -> float:
    """Number of steps of ``dt`` s up to ``t_end`` s, including a shorter last one; inf where it overflows."""
    with np.errstate(over="ignore"):
        return float(np.ceil(np.float64(t_end) / dt * (1.0 - RESOLUTION)))


@dataclass(frozen=True)
class StepTimes:
    """Ends of the steps from 0 to ``t_end`` s: k ``dt`` for k = 1, 2, …, the last one exactly ``t_end``, on ``breaks`` where these
    agree with k dt up to rounding."""

    t_end: float
    dt: float
    breaks: Breaks

    def __len__(self) -> int:
        """Number of steps."""
        return self._count

    @cached_property
    def _count(self) -> int:
        return int(number_of_steps(self.t_end, self.dt))

    def end(self, number: int) -> float:
        """End of the step with this ``number`` (1 is the first), s."""
        return self.t_end if number >= len(self) else self.breaks.limit(number * self.dt)

    def ends_of(self, numbers: NDArray[np.intp]) -> Array:
        """Ends (n,), s, of the steps with these ``numbers``; 0 s of 0."""
        ends = self.breaks.limits(self.dt * numbers.astype(np.float64))
        return np.where(numbers < len(self), np.where(numbers > 0, ends, 0.0), self.t_end)

    def every(self, stride: int, longest: int | None = None, number: int = 0) -> Iterator[tuple[int, float]]:
        """Number and end, s, of each ``stride``-th step after ``number``, of the last, and of steps between at most ``longest``
        apart."""
        while number < len(self):
            number = min(_after(number, stride, longest), len(self))
            yield number, self.end(number)

    def would_end(self, number: int, end: float, before: int, stride: int, longest: int | None = None) -> bool:
        """True if the step ``number`` would follow ``before`` and end at ``end`` s in a longer run, too."""
        return number == _after(before, stride, longest) and end == self.breaks.limit(number * self.dt)


def _after(number: int, stride: int, longest: int | None) -> int:
    return min((number // stride + 1) * stride, number + (longest or stride))


def check_number_of_steps(t_end: float, dt: float, *, of: str = "dt", stride: int = 1) -> None:
    """Refuse a run of more than ``MAX_STEPS``: ValueError. ``of``: name of dt in the message; ``stride``: steps of dt that count as
    one under error control."""
    steps = number_of_steps(t_end, stride * dt)
    if steps > MAX_STEPS:
        times = "" if stride == 1 else f"{stride} × "
        raise ValueError(
            f"t_end = {t_end:g} s takes {steps:.3g} steps of {times}{of} = {dt:g} s, more than {MAX_STEPS:.0e}: "
            "take a shorter t_end or longer steps"
        )
