"""The exact rod on rough ground under a slowly changing end force, or heated and cooled (see rod_cycle for the derivation)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cases.references.rods.masing import Turn, profile, turns

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rod:
    """A rod of `stiffness` EA N, `friction` q N/m and `length` m, pushed at its left end, or `heated` with free ends.

    It is the virgin curve of `masing`: for one slipping end, of which a heated rod has two.
    """

    stiffness: float
    friction: float
    length: float
    heated: bool = False

    def displacement(self, load: float) -> float:
        """Return P^2/(2 EA q), m."""
        return load**2 / (2 * self.stiffness * self.friction)

    def loss(self, load: float) -> float:
        """Return P^3/(6 EA q), J."""
        return load**3 / (6 * self.stiffness * self.friction)

    @property
    def limit(self) -> float:
        """Return the load, N, below which the slip zone stays within the rod, or within its half: by symmetry the middle of a
        heated rod stands still.
        """
        return self.friction * self.length * (0.5 if self.heated else 1.0)

    def turns(self, points: Sequence[float]) -> list[Turn] | None:
        """Return the exact state at turning points of the force, N, or of the thermal strain e, which acts as EA e.

        None where they go beyond the `limit`.
        """
        loads = [self.stiffness * point for point in points] if self.heated else list(points)
        return turns(loads, self) if max(map(abs, loads)) < self.limit else None

    def axial_force(self, turn: Turn, x: Array) -> Array:
        """Return N(x), N, at a turning point; x (n,) m from the left end."""
        if not self.heated:
            return -profile(turn.memory, self.friction * x)
        return profile(turn.memory, self.friction * np.minimum(x, self.length - x)) - turn.load
