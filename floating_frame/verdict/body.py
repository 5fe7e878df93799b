"""Checks of the body itself: a size that its units can mean, and strains within the range of its model.

Numbers in millimetres make houses of plates. Small-strain materials, St. Venant–Kirchhoff's and beams end at the limits of
``limits.STRAINS``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from floating_frame.system.model import RunModel
from floating_frame.system.state import State
from floating_frame.system.stepper import Batch
from floating_frame.verdict import limits
from floating_frame.verdict.verdict import Check, Kept, RunWarning


@dataclass(frozen=True)
class UnitsCheck(Check):
    """The body's size at rest, twice its largest distance from the centre of mass."""

    def judge(self, model: RunModel) -> list[RunWarning]:
        size = 2.0 * model.radius
        if size == 0.0 or limits.SMALLEST_SIZE <= size <= limits.LARGEST_SIZE:
            return []
        large = size > limits.LARGEST_SIZE
        limit = limits.LARGEST_SIZE if large else limits.SMALLEST_SIZE
        text = f"the body is {size:.3g} m in size, {'more' if large else 'less'} than {limit:g} m: are all lengths in metres?"
        return [RunWarning("units", size, limit, text)]


@dataclass(frozen=True)
class StrainCheck(Check):
    """The ``extremes`` of what limits a body's model (``System.strains``), by name."""

    extremes: Mapping[str, float]

    @classmethod
    def of(cls, model: RunModel, state: State) -> StrainCheck:
        return cls(model.system.strains(state))

    def after(self, model: RunModel, kept: Kept) -> StrainCheck:
        now = model.system.strains(kept.after)
        return StrainCheck(
            {name: limits.STRAINS[name].worst([now[name], value]) for name, value in self.extremes.items()}
        )

    def after_batch(self, model: RunModel, batch: Batch) -> StrainCheck:
        extremes = dict(self.extremes)
        for name, values in batch.strains().items():
            extremes[name] = limits.STRAINS[name].worst([extremes[name], *values.tolist()])
        return StrainCheck(extremes)

    def judge(self, model: RunModel) -> list[RunWarning]:
        values = {name: self.extremes.get(name, math.nan) for name in limits.STRAINS}
        return [
            RunWarning("strain-range", value, limit.value, limit.words.format(value=value, percent=100.0 * value))
            for (name, limit), value in zip(limits.STRAINS.items(), values.values(), strict=True)
            if limit.passed(value)
        ]
