"""Check of the energy of a rigid body's spin in space while nothing turns it.

Its moment of momentum h is kept then, and of T = ½ h·Ω no scheme can take more than T − h²/2J₃, nor may it lead T across h²/2J₂,
beyond which the body turns about another axis (L. D. Landau, E. M. Lifshitz, Mechanics, section 37); so a change of T is measured
against these. The latter counts as soon as a spin about the middle axis would have grown to a turn over, at the rate λ:

    λ t > ½ ln(T / |T − h²/2J₂|),    λ² = (h/J₂)² (J₂ − J₁)(J₃ − J₂)/(J₁J₃)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.system.model import RunModel
from floating_frame.system.rows import Rows
from floating_frame.verdict import limits
from floating_frame.verdict.energy import advice, energy_of_rounding, percent
from floating_frame.verdict.verdict import Check, RunWarning

KEPT = 1e-12
"""Part of h that rounding changes in a step in which nothing turns the body."""
WOBBLE, ASIDE = 1e-3, 1e-9
"""Parts of T by which a spin differs at least from one about the third, and about the middle axis."""


@dataclass(frozen=True)
class SpinCheck(Check):
    """The ``worst`` share, and whether that is of what lies before the middle axis (``turns_over``).

    ``time`` s since which nothing has turned the body, T as ``energy`` J then, h as ``last`` seen (3,) kg m²/s."""

    time: float
    energy: float
    last: Array
    worst: float = 0.0
    turns_over: bool = False

    @classmethod
    def of(cls, rows: Rows) -> SpinCheck:
        seen = rows.diagnostics
        return cls(rows.before.time, float(seen["spin_energy"][0]), seen["spin_momentum"][0])

    def after(self, model: RunModel, rows: Rows) -> SpinCheck:
        times, energy, momentum = rows.times, rows.diagnostics["spin_energy"], rows.diagnostics["spin_momentum"]
        size = np.linalg.norm(momentum, axis=1)
        turned = np.linalg.norm(np.diff(momentum, axis=0, prepend=self.last[None]), axis=1) > KEPT * size
        since = np.maximum.accumulate(np.where(turned, np.arange(1, len(times) + 1), 0))
        begun, before = np.append(self.time, times)[since], np.append(self.energy, energy)[since]
        counts = before > energy_of_rounding(model, 0.0)
        within = np.full((2, len(times)), np.inf)
        first, middle, third = model.system.results.principal_moments
        within[0] = np.maximum(before - 0.5 * size**2 / third, WOBBLE * before)
        aside = np.maximum(np.abs(before - 0.5 * size**2 / middle), ASIDE * before)
        growth = size / middle * np.sqrt((middle - first) * (third - middle) / (first * third))
        with np.errstate(divide="ignore", invalid="ignore"):
            leaves = growth * (times - begun) > 0.5 * np.log(before / aside)
            within[1, leaves] = aside[leaves]
            shares = np.where(counts, np.abs(energy - before) / within, 0.0)
        worst = shares.max(axis=1)
        new = SpinCheck(
            float(begun[-1]), float(before[-1]), momentum[-1], float(worst.max()), bool(worst[1] > worst[0])
        )
        return new if new.worst > self.worst else SpinCheck(new.time, new.energy, new.last, self.worst, self.turns_over)

    def judge(self, model: RunModel) -> list[RunWarning]:
        if not self.worst > limits.NUMERICAL_ENERGY:
            return []
        what = "lies between its spin and one about the middle axis" if self.turns_over else "its momentum lets it lose"
        text = f"the time steps change the energy of the body's free spin by {percent(self.worst)} of what {what}: {advice(model)}"
        return [RunWarning("spin-energy", self.worst, limits.NUMERICAL_ENERGY, text)]
