"""The exact annulus between rough planes, turned slowly at its inner rim (see annulus_torsion for the derivation)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cases.references.rods.masing import Turn, profile, turns

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Annulus:
    """An annulus of radii `inner`, `outer` m, `stiffness` G h N/m, friction traction `friction` tau_f Pa of all faces.

    It is the virgin curve of `masing`, with the angle of the inner rim for the displacement.
    """

    inner: float
    outer: float
    stiffness: float
    friction: float

    def capacity(self, r: Array) -> Array:
        """Return the torque that friction can take between the inner rim and r (n,) m, N m."""
        return 2 * np.pi / 3 * self.friction * (r**3 - self.inner**3)

    @property
    def limit(self) -> float:
        """Return the torque, N m, at which all of it slips."""
        return float(self.capacity(np.array(self.outer)))

    def slip_radius(self, torque: float) -> float:
        """Return c, m, from T(a) = (2 pi/3) tau_f (c^3 - a^3)."""
        return float(np.cbrt(self.inner**3 + 3 * torque / (2 * math.pi * self.friction)))

    def displacement(self, load: float) -> float:
        """Return phi = tau_f/(3 G h) (c^3/(2 a^2) - 3 c/2 + a), rad."""
        a, c = self.inner, self.slip_radius(load)
        return self.friction / (3 * self.stiffness) * (c**3 / (2 * a**2) - 1.5 * c + a)

    def loss(self, load: float) -> float:
        """Return T phi - 2 int phi dT, J, the integral with dT = 2 pi tau_f c^2 dc."""
        a, c = self.inner, self.slip_radius(load)
        integral = (c**6 - a**6) / (12 * a**2) - 3 * (c**4 - a**4) / 8 + a * (c**3 - a**3) / 3
        work = 2 * math.pi * self.friction**2 / (3 * self.stiffness) * integral
        return load * self.displacement(load) - 2 * work

    def turns(self, torques: Sequence[float]) -> list[Turn] | None:
        """Return the exact state at turning points of the torque, N m; None where they reach the limit."""
        return turns(torques, self) if max(map(abs, torques)) < self.limit else None

    def torque(self, turn: Turn, r: Array) -> Array:
        """Return the torque T(r) that the annulus carries across r (n,) m at a turning point, N m."""
        return profile(turn.memory, self.capacity(r))
