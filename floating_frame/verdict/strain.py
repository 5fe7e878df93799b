"""Checks of how far a body may be strained before its model ends: small-strain materials, St. Venant–Kirchhoff, beams."""

from __future__ import annotations

import math
from collections.abc import Mapping

from floating_frame.model import RunModel
from floating_frame.system.state import State
from floating_frame.verdict import limits
from floating_frame.verdict.verdict import Check, Kept, RunWarning

NAME = "strain-range"
Extremes = Mapping[str, float]
"""The most of each measure of strain so far, by name."""


class StrainCheck(Check[Extremes]):
    """The extremes of what limits a body's model (``System.strains``)."""

    def begin(self, model: RunModel, state: State) -> Extremes:
        return model.system.strains(state)

    def observe(self, model: RunModel, record: Extremes, kept: Kept) -> Extremes:
        now = model.system.strains(kept.after)
        return {name: limits.STRAINS[name].worse(now[name], value) for name, value in record.items()}

    def judge(self, model: RunModel, record: Extremes) -> list[RunWarning]:
        warnings = []
        for name, limit in limits.STRAINS.items():
            value = record.get(name, math.nan)
            if limit.passed(value):
                warnings.append(
                    RunWarning(NAME, value, limit.value, limit.words.format(value=value, percent=100.0 * value))
                )
        return warnings
