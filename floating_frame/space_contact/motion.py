"""Motion of an obstacle in space, given in time: at rest, at constant velocity and spin, or on a path of time.

With q(t) = pivot + velocity t, or pivot + path(t), a material point that is at y at t = 0 is at q(t) + R(t)(y − pivot), R the turn
by spin t. Lengths m, spins rad/s, space axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from floating_frame.frame.kinematics import Array, rate_of
from floating_frame.frame.rotations import cross, exponential
from floating_frame.mistakes import check_rates, finite_array
from friction.given import Given

Triple = Sequence[float] | Array


@dataclass(frozen=True, kw_only=True)
class SpaceMotion(Given):
    """Constant ``velocity`` (3,) m/s and ``spin`` (3,) rad/s about the material point ``pivot`` (3,) m, or ``path`` t -> way (3,) m
    in place of the velocity, with ``rates`` t -> its derivative (left out: by a central difference, so that the path must be
    smooth, and known a little before and after). Raises ValueError for what is not finite."""

    velocity: Triple = (0.0, 0.0, 0.0)
    spin: Triple = (0.0, 0.0, 0.0)
    pivot: Triple = (0.0, 0.0, 0.0)
    path: Callable[[float], Triple] | None = None
    rates: Callable[[float], Triple] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, what in (("velocity", "velocity (m/s)"), ("spin", "spin (rad/s)"), ("pivot", "pivot (m)")):
            finite_array(getattr(self, name), (3,), f"an obstacle's {what}")
        if self.rates is not None and self.path is None:
            raise ValueError("an obstacle's rates need the path of which they are the derivative")
        if self.path is not None and np.any(self.velocity):
            raise ValueError("an obstacle has either a velocity or a path")
        self.place(0.0), self.place_rate(0.0)  # what is no motion is refused here

    def check(self, t_end: float) -> None:
        """Refuse rates that are not those of the path until ``t_end`` s: ValueError."""
        if self.rates is not None:
            check_rates(self.place, self.place_rate, t_end, "an obstacle's rates (m/s)")

    @cached_property
    def moves(self) -> bool:
        """Whether there is any motion, or may be."""
        return self.path is not None or bool(np.any(self.velocity) or np.any(self.spin))

    @property
    def turning(self) -> Array:
        """The spin (3,) rad/s."""
        return np.asarray(self.spin, float)

    def place(self, time: float) -> Array:
        """Return where the pivot is, q (3,) m."""
        pivot = np.asarray(self.pivot, float)
        if self.path is None:
            return np.asarray(pivot + np.asarray(self.velocity, float) * time)
        return pivot + finite_array(self.path(time), (3,), "an obstacle's path (m)")

    def place_rate(self, time: float) -> Array:
        """Return q' (3,) m/s."""
        if self.path is None:
            return np.asarray(self.velocity, float)
        if self.rates is None:
            return np.asarray(rate_of(self.place, time))
        return finite_array(self.rates(time), (3,), "an obstacle's rates (m/s)")

    def turn(self, time: float) -> Array:
        """Return R (3, 3)."""
        return exponential(self.turning * time)

    def velocity_at(self, x: Array, time: float) -> Array:
        """Return the velocity (M, 3) m/s of the material points at x (M, 3) m."""
        return np.asarray(self.place_rate(time) + cross(self.turning, x - self.place(time)))

    def velocity_rate(self, velocity: Array, time: float) -> Array:
        """Return how fast ``velocity_at`` changes, (M, 3) m/s², at places that move with ``velocity`` (M, 3) m/s."""
        forward = np.zeros(3) if self.path is None else np.asarray(rate_of(self.place_rate, time))
        return np.asarray(forward + cross(self.turning, velocity - self.place_rate(time)))


AT_REST = SpaceMotion()
