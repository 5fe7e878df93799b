"""Rigid motion of an obstacle, given in time: at rest, at constant velocity and spin, or by functions of time.

A material point of the obstacle that is at y at t = 0 is at p(t) + R(θ(t)) y; at rest p = 0 and θ = 0. Lengths m, angles rad.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from floating_frame.frame.kinematics import Array, finite, rate_of, rotation, turned
from floating_frame.mistakes import check_rates, require
from friction.arrays import is_finite
from friction.given import Given


@dataclass(frozen=True)
class RigidMotion(Given):
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
        super().__post_init__()
        finite(self.velocity, 2, "an obstacle's velocity (m/s)")
        require(is_finite(self.spin), "an obstacle's spin", "be finite", self.spin)
        finite(self.pivot, 2, "an obstacle's pivot (m)")
        if self.rates is not None and self.path is None:
            raise ValueError("an obstacle's rates need the path of which they are the derivative")

    def check(self, t_end: float) -> None:
        """Refuse rates that are not those of the path until ``t_end`` s: ValueError."""
        if self.rates is not None:
            check_rates(
                lambda t: np.append(*self.pose(t)),
                lambda t: np.append(*self.pose_rates(t)),
                t_end,
                "an obstacle's rates (m/s, m/s, rad/s)",
            )

    @property
    def moves(self) -> bool:
        """Whether there is any motion, or may be."""
        return self.path is not None or bool(np.any([*self.velocity, self.spin]))

    def pose(self, time: float) -> tuple[Array, float]:
        """Return (p (2,) m, θ rad) at ``time`` s."""
        if self.path is not None:
            x, y, angle = finite(self.path(time), 3, "an obstacle's path (m, m, rad)")
            return np.array([x, y]), float(angle)
        pivot, angle = np.asarray(self.pivot, float), self.spin * time
        return pivot + np.asarray(self.velocity, float) * time - rotation(angle) @ pivot, angle

    def pose_rates(self, time: float) -> tuple[Array, float]:
        """Return (p' (2,) m/s, θ' rad/s) at ``time`` s."""
        if self.rates is not None:
            x, y, spin = finite(self.rates(time), 3, "an obstacle's rates (m/s, m/s, rad/s)")
            return np.array([x, y]), float(spin)
        if self.path is not None:
            path = self.path
            rate = rate_of(lambda t: finite(path(t), 3, "an obstacle's path (m, m, rad)"), time)
            return rate[:2], float(rate[2])
        arm = rotation(self.spin * time) @ np.asarray(self.pivot, float)
        return np.asarray(self.velocity, float) - self.spin * turned(arm), self.spin

    def into(self, x: Array, time: float) -> Array:
        """Return the points (M, 2) in space as seen in the obstacle's own axes."""
        place, angle = self.pose(time)
        return (x - place) @ rotation(angle)

    def out(self, directions: Array, time: float) -> Array:
        """Return the directions (M, 2) in the obstacle's axes as seen in space."""
        return directions @ rotation(self.pose(time)[1]).T

    def velocity_at(self, x: Array, time: float) -> Array:
        """Return the velocity (M, 2) m/s of the obstacle's material points that are at x (M, 2) in space at ``time``."""
        place, _ = self.pose(time)
        rate, spin = self.pose_rates(time)
        return rate + spin * turned(x - place)


AT_REST = RigidMotion()
