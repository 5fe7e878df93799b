"""Rigid motion of an obstacle, given in time: at rest, at constant velocity and spin, or by functions of time.

A material point of the obstacle that is at y at t = 0 is at p(t) + R(θ(t)) y; at rest p = 0 and θ = 0. Lengths m, angles rad.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from floating_frame.frame.kinematics import Array, rotation, turned

DIFFERENCE = 1e-4
"""Step in s of the fourth-order difference for a path without rates: error 1e-16 × its fifth derivative/30."""


def _three(values: Any, what: str) -> Array:
    array = np.asarray(values, float)
    if array.shape != (3,) or not np.all(np.isfinite(array)):
        raise ValueError(f"{what} must be three finite numbers (m, m, rad or their rates), got {values!r}")
    return array


@dataclass(frozen=True)
class RigidMotion:
    """Where an obstacle is: ``velocity`` (2,) m/s and ``spin`` rad/s constant, turning about its point ``pivot`` (2,) m (given at
    t = 0), or ``path`` t -> (p_x, p_y, θ) in place of them, with ``rates`` t -> its derivative (left out: by a central difference,
    so that the path must be smooth, and known a little before and after). Raises ValueError for values that are not finite.
    """

    velocity: Sequence[float] = (0.0, 0.0)
    spin: float = 0.0
    pivot: Sequence[float] = (0.0, 0.0)
    path: Callable[[float], Sequence[float]] | None = None
    rates: Callable[[float], Sequence[float]] | None = None

    def __post_init__(self) -> None:
        _three([*self.velocity, self.spin], "an obstacle's velocity and spin")
        _three([*self.pivot, 0.0], "an obstacle's pivot")
        if self.rates is not None and self.path is None:
            raise ValueError("an obstacle's rates need the path of which they are the derivative")

    @property
    def moves(self) -> bool:
        """Whether there is any motion, or may be."""
        return self.path is not None or bool(np.any([*self.velocity, self.spin]))

    def pose(self, time: float) -> tuple[Array, float]:
        """(p (2,) m, θ rad) at ``time`` s."""
        if self.path is not None:
            x, y, angle = _three(self.path(time), "an obstacle's path")
            return np.array([x, y]), float(angle)
        pivot, angle = np.asarray(self.pivot, float), self.spin * time
        return pivot + np.asarray(self.velocity, float) * time - rotation(angle) @ pivot, angle

    def pose_rates(self, time: float) -> tuple[Array, float]:
        """(p' (2,) m/s, θ' rad/s) at ``time`` s."""
        if self.rates is not None:
            x, y, spin = _three(self.rates(time), "an obstacle's rates")
            return np.array([x, y]), float(spin)
        if self.path is not None:
            h, path = DIFFERENCE, self.path
            far, near = (_three(path(time + k * h), "an obstacle's path") - path(time - k * h) for k in (2, 1))
            rate = (8.0 * near - far) / (12.0 * h)
            return rate[:2], float(rate[2])
        arm = rotation(self.spin * time) @ np.asarray(self.pivot, float)
        return np.asarray(self.velocity, float) - self.spin * turned(arm), self.spin

    def into(self, x: Array, time: float) -> Array:
        """Points (M, 2) in space as seen in the obstacle's own axes."""
        place, angle = self.pose(time)
        return (x - place) @ rotation(angle)

    def out(self, directions: Array, time: float) -> Array:
        """Directions (M, 2) in the obstacle's axes as seen in space."""
        return directions @ rotation(self.pose(time)[1]).T

    def velocity_at(self, x: Array, time: float) -> Array:
        """Velocity (M, 2) m/s of the obstacle's material points that are at x (M, 2) in space at ``time``."""
        place, _ = self.pose(time)
        rate, spin = self.pose_rates(time)
        return rate + spin * turned(x - place)


AT_REST = RigidMotion()
