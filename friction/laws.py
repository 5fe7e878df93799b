"""Friction laws by name: set-valued Coulomb friction, its smooth regularisation, and the further ones in files of their own.

Formulation, section 5: lambda_i in w_i d|v_i|. What a law has to offer is said in `friction.protocol`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from friction.elliptic import Elliptic
from friction.protocol import Law, positive
from friction.radial import Radial
from friction.sliding import Sliding
from friction.splines import CoefficientSpline, ForceSpline
from friction.stiction import SlidingStiction
from friction.velocity_dependent import StaticKinetic, Stribeck

__all__ = ["LAWS", "Coulomb", "Law", "Smooth"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Coulomb(Radial):
    """Set-valued Coulomb friction: lambda = w v/|v| in slip, |lambda| <= w at v = 0."""

    set_valued: ClassVar[bool] = True
    constant: ClassVar[bool] = True

    def profile(self, s: Array) -> Array:
        """Return 1 (N,)."""
        return np.ones_like(s)

    def profile_slope(self, s: Array) -> Array:
        """Return 0 (N,)."""
        return np.zeros_like(s)

    def profile_integral(self, s: Array) -> Array:
        """Return s (N,), m/s."""
        return s


@dataclass(frozen=True)
class Smooth(Radial):
    """Regularised Coulomb friction: lambda = w v/sqrt(|v|^2 + v_reg^2). It creeps; it never sticks.

    v_reg: regularisation speed, m/s, positive. ValueError otherwise.
    """

    v_reg: float
    set_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("Smooth", v_reg=self.v_reg)

    def profile(self, s: Array) -> Array:
        """Return s/sqrt(s^2 + v_reg^2) (N,)."""
        return s / np.hypot(s, self.v_reg)

    def profile_slope(self, s: Array) -> Array:
        """Return v_reg^2/(s^2 + v_reg^2)^(3/2) (N,), s/m."""
        size = np.hypot(s, self.v_reg)
        return (self.v_reg / size) ** 2 / size

    def profile_secant(self, s: Array) -> Array:
        """Return 1/sqrt(s^2 + v_reg^2) (N,), s/m."""
        return 1.0 / np.hypot(s, self.v_reg)

    def profile_integral(self, s: Array) -> Array:
        """Return sqrt(s^2 + v_reg^2) - v_reg (N,), m/s, written without cancellation at small s."""
        return s * s / (np.hypot(s, self.v_reg) + self.v_reg)


LAWS: dict[str, Callable[..., Law]] = {
    "coulomb": Coulomb,
    "smooth": Smooth,
    "sliding": Sliding,
    "sliding-stiction": SlidingStiction,
    "static-kinetic": StaticKinetic,
    "stribeck": Stribeck,
    "elliptic": Elliptic,
    "force-spline": ForceSpline,
    "coefficient-spline": CoefficientSpline,
}
"""Classes of laws by the names of the command line; `friction.Limited` puts a maximum force on any of them."""
