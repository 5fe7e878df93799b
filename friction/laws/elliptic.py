"""Anisotropic Coulomb friction: the bound is an ellipse, and slip is normal to it.

The admissible forces are lambda = D' y, |y| <= w: an ellipse with semi-axes w and w/ratio. By maximum dissipation, slip v has
the lambda that maximises lambda . v = y . D v, that is y = w v'/|v'| with v' = D v, and so

    lambda = w D'D v/|D v|:    the gradient of w|D v|, and v is normal to the ellipse at lambda.

In the unknowns v' and y it is Coulomb's law, and is solved as such.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from friction.arrays import Array, is_finite, shown
from friction.laws.common import require_positive
from friction.laws.profiles import Coulomb
from friction.laws.protocol import StatelessLaw


@dataclass(frozen=True)
class Elliptic(StatelessLaw):
    """Set-valued Coulomb friction with the bound w along an axis and w/ratio across it.

    The axis is fixed to the ground: in axes rotated by q the law is ``rotated(q)``. A cap cuts each semi-axis.

    Parameters
    ----------
    ratio : float
        Ratio of the coefficients along and across the axis, -, > 0; 1 is ``Coulomb``.
    angle : float
        Of the axis from the x-axis, rad.
    """

    ratio: float
    angle: float = 0.0
    set_valued: ClassVar[bool] = True
    rate_independent: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("Elliptic", ratio=self.ratio)
        if not is_finite(self.angle):
            raise ValueError(f"Elliptic: angle must be finite, in rad, got {shown(self.angle)}")

    def rotated(self, angle: float) -> Elliptic:
        """The law in rotated axes, its axis at ``self.angle − angle``."""
        return Elliptic(self.ratio, self.angle - angle, cap=self.cap)

    @property
    def radial(self) -> Coulomb:
        """Coulomb's law, in v' = D v."""
        return Coulomb()

    @property
    def metric(self) -> Array:
        """D (2, 2), -, symmetric: semi-axes 1 and 1/ratio, cut to the cap, in the axes of the caller."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        turn = np.array([[c, -s], [s, c]])
        result: Array = turn @ np.diag([min(1.0, self.cap), min(1.0 / self.ratio, self.cap)]) @ turn.T
        return result

    def force(self, v: Array, bound: Array) -> Array:
        D = self.metric
        return self.radial.force(v @ D, bound) @ D

    def tangent(self, v: Array, bound: Array) -> Array:
        """Tangent ``w/|D v| D (1 − y yᵀ/|y|²) D`` (N, 2, 2), N s/m, y = D v, symmetric; 0 where v = 0."""
        D = self.metric
        result: Array = D @ self.radial.tangent(v @ D, bound) @ D
        return result
