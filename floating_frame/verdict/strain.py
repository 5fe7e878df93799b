"""Checks of how far a body may be strained before its model ends: small-strain materials, St. Venant–Kirchhoff, beams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem.strain_range import UNSTRAINED, StrainRange
from floating_frame.frame.kinematics import to_body
from floating_frame.verdict import limits
from floating_frame.verdict.verdict import Kept, RunWarning

NAME = "strain-range"
LARGE = "take st-venant-kirchhoff or neo-hookean"


class PlateStrain:
    """The extremes of a plate's strain, against what its material is made for."""

    def _now(self, model: Any, state: Any) -> StrainRange:
        u = to_body(state.position - state.frame.coordinates[:2], state.frame.angle) - model.body.X
        found: StrainRange = model.body.strain_range(u)
        return found

    def begin(self, model: Any, state: Any) -> StrainRange:
        """Those at t = 0."""
        return self._joined(UNSTRAINED, self._now(model, state))

    def observe(self, model: Any, record: StrainRange, kept: Kept) -> StrainRange:
        """Those of the run so far."""
        return self._joined(record, self._now(model, kept.after))

    @staticmethod
    def _joined(a: StrainRange, b: StrainRange) -> StrainRange:
        return StrainRange(max(a.strain, b.strain), max(a.rotation, b.rotation), min(a.stretch, b.stretch))

    def judge(self, model: Any, record: StrainRange) -> list[RunWarning]:
        """Strain and rotation of a small-strain material; compression of one that softens in it."""
        found = []
        if not model.body.material.finite_strain:
            if record.strain > limits.SMALL_STRAIN:
                text = (
                    f"the small-strain material is strained by {100.0 * record.strain:.3g} %: {LARGE}, or smaller loads"
                )
                found.append(RunWarning(NAME, record.strain, limits.SMALL_STRAIN, text))
            if record.rotation > limits.SMALL_ROTATION:
                text = f"the small-strain material turns by {record.rotation:.3g} rad in its frame: {LARGE}"
                found.append(RunWarning(NAME, record.rotation, limits.SMALL_ROTATION, text))
        if model.body.material.softens_in_compression and record.stretch < limits.COMPRESSION:
            text = (
                f"St. Venant-Kirchhoff material is compressed to the stretch {record.stretch:.3g}, where it softens: "
                "take neo-hookean"
            )
            found.append(RunWarning(NAME, record.stretch, limits.COMPRESSION, text))
        return found


class Largest:
    """The largest value of a measure of the state over the run, against a limit; ``words`` say what it is, with {value}."""

    def __init__(self, measure: Callable[[Any, Any], float], limit: float, words: str) -> None:
        self._measure, self._limit, self._words = measure, limit, words

    def begin(self, model: Any, state: Any) -> float:
        """Its value at t = 0."""
        return self._measure(model, state)

    def observe(self, model: Any, record: float, kept: Kept) -> float:
        """The larger one."""
        return max(record, self._measure(model, kept.after))

    def judge(self, model: Any, record: float) -> list[RunWarning]:
        """A warning above the limit."""
        if not record > self._limit:
            return []
        return [RunWarning(NAME, record, self._limit, self._words.format(value=record))]


def slope(model: Any, state: Any) -> float:
    """Largest |w'| at the nodes of a linear beam; where it translates as a whole the frame takes no part of it."""
    return float(np.abs(model.natural(state.position)[1::2]).max())


def fibre_strain(model: Any, state: Any) -> float:
    """Largest strain of the outermost fibres of a beam's axis in any motion."""
    return float(model.body.largest_fibre_strain(state.position - model.body.X))


def beam_slope() -> Largest:
    """The check of a linear beam."""
    return Largest(
        slope,
        limits.BEAM_SLOPE,
        "the linear beam has a slope of {value:.3g}: take motion free, a plate, or a smaller load",
    )


def beam_fibres() -> Largest:
    """The check of the axis of a beam, which may turn as it likes but is linearly elastic."""
    return Largest(
        fibre_strain, limits.SMALL_STRAIN, "the linearly elastic beam is strained by {value:.3g}: take a smaller load"
    )
