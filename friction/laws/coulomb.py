"""Set-valued Coulomb friction, lambda_i in w_i d|v_i|, and its smooth regularisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from friction.arrays import Array
from friction.laws.radial import CompiledRadial, Radial
from friction.laws.stateless import ROOT, require_positive


@dataclass(frozen=True)
class Coulomb(Radial):
    """Set-valued Coulomb friction: ``λ = w v/|v|`` in slip, ``|λ| <= w`` at v = 0."""

    set_valued: ClassVar[bool] = True
    constant: ClassVar[bool] = True
    rate_independent: ClassVar[bool] = True

    def profile(self, s: Array) -> Array:
        return np.ones_like(s)

    def profile_slope(self, s: Array) -> Array:
        return np.zeros_like(s)

    def profile_integral(self, s: Array) -> Array:
        return s


@dataclass(frozen=True)
class Smooth(CompiledRadial):
    """Regularised Coulomb friction: ``λ = w v/sqrt(|v|² + v_reg²)``. It creeps; it never sticks.

    Parameters
    ----------
    v_reg : float
        Regularisation speed, m/s, > 0.
    """

    v_reg: float
    set_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("Smooth", v_reg=self.v_reg)

    @property
    def formula(self) -> tuple[int, list[float]]:
        """s/√(s² + v_reg²)."""
        return ROOT, [self.v_reg]

    def profile_integral(self, s: Array) -> Array:
        """Return sqrt(s^2 + v_reg^2) - v_reg (N,), m/s, written without cancellation at small s."""
        return s * s / (np.hypot(s, self.v_reg) + self.v_reg)
