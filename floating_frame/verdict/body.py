"""Checks of the body itself: a size that its units can mean, and extremes at the ends of steps beyond which its model ends.

Numbers in millimetres make houses of plates. Small-strain materials, St. Venant–Kirchhoff's and beams end at strains, motion in
space at Painlevé's number and at depths in obstacles: ``limits`` has them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from floating_frame.system.model import RunModel
from floating_frame.system.rows import Rows
from floating_frame.verdict import limits
from floating_frame.verdict.verdict import Check, RunWarning

EXTREMES = limits.STRAINS | limits.UNIQUE | limits.DEPTHS


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
class ExtremesCheck(Check):
    """The ``extremes`` so far of diagnostics with a limit, by name."""

    extremes: Mapping[str, float]

    @classmethod
    def of(cls, rows: Rows, names: Iterable[str]) -> ExtremesCheck:
        """Begin with those of the ``names`` that the system has."""
        found = {name: rows.diagnostics[name].tolist() for name in names if name in rows.diagnostics}
        return cls({name: EXTREMES[name].worst(values) for name, values in found.items()})

    def after(self, model: RunModel, rows: Rows) -> ExtremesCheck:
        seen = rows.diagnostics
        return ExtremesCheck(
            {
                name: EXTREMES[name].worst([*seen[name].tolist(), value]) if name in seen else value
                for name, value in self.extremes.items()
            }
        )

    def judge(self, model: RunModel) -> list[RunWarning]:
        sizes, warnings = {"radius": model.radius, "thinnest": min(model.radius, model.extent)}, []
        for name, found in self.extremes.items():
            limit = EXTREMES[name]
            value = found / sizes[limit.over] if limit.over and found > 0.0 else found
            if limit.passed(value):
                text = limit.words.format(value=value, percent=100.0 * value, depth=found)
                warnings.append(RunWarning(limit.name, value, limit.value, text))
        return warnings

    def attributes(self, model: RunModel) -> dict[str, float]:
        told = ((EXTREMES[name].told, value) for name, value in self.extremes.items())
        return {name: value for name, value in told if name and np.isfinite(value)}
