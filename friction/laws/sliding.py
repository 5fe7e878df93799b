"""The sliding type of RecurDyn: a coefficient of friction over velocity by step5. It creeps; it never sticks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from friction.arrays import Array
from friction.curves.step5 import rise_integral, step5_integral
from friction.laws.radial import CompiledRadial
from friction.laws.stateless import STEPS, require_fraction, require_positive


def check_speeds(law: str, v_s: float, v_d: float, dynamic_ratio: float) -> None:
    """Refuse threshold speeds v_s, v_d, m/s, and a dynamic_ratio, -, out of range: ValueError names the ``law``."""
    require_positive(law, v_s=v_s, v_d=v_d)
    if not v_d > v_s:
        raise ValueError(f"{law}: v_d must be larger than v_s = {v_s!r} m/s, got {v_d!r}")
    require_fraction(law, "dynamic_ratio", dynamic_ratio)


@dataclass(frozen=True)
class Sliding(CompiledRadial):
    """RecurDyn's sliding type, λ = w m(s) n: m = step5(s, −v_s, −1, v_s, 1) up to v_s, step5(s, v_s, 1, v_d,
    dynamic_ratio) beyond.

    RecurDyn's formulas and its Figure 6.293 are this profile, read as docs/laws-and-contact.md says. The potential w ∫m ds is not
    convex beyond v_s, where m falls.

    Parameters
    ----------
    v_s, v_d : float
        Static and dynamic threshold speeds, m/s, 0 < v_s < v_d.
    dynamic_ratio : float
        mu_d/mu_s in (0, 1]; w is the static bound.
    """

    v_s: float
    v_d: float
    dynamic_ratio: float
    set_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_speeds("Sliding", self.v_s, self.v_d, self.dynamic_ratio)

    def knots(self) -> tuple[float, ...]:
        return (0.0, self.v_s, self.v_d)

    @property
    def formula(self) -> tuple[int, list[float]]:
        """Both steps; m/s is 15/(8 v_s) at rest."""
        return STEPS, [self.v_s, self.v_d, self.dynamic_ratio]

    def profile_integral(self, s: Array) -> Array:
        slow = self.v_s * rise_integral(np.minimum(s / self.v_s, 1.0))
        return slow + np.where(
            s > self.v_s, step5_integral(np.maximum(s, self.v_s), self.v_s, 1.0, self.v_d, self.dynamic_ratio), 0.0
        )
