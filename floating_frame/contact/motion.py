"""Rigid motion of an obstacle, given in time, in the plane or in space: at rest, at constant velocity and spin, or on a path.

A material point at y at t = 0 moves to q(t) + R(t)(y − pivot), q(t) = pivot + velocity t, or pivot + path(t), R the rotation by
spin t or by the path's angle. Lengths m, angles rad. d = 2 or 3 is the dimension; a spin is a number in the plane, (3,) in space.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from floating_frame.frame import rotations
from floating_frame.frame.kinematics import Array, rate_of, skew_of
from floating_frame.input_checks import check_rates, require, vector, vectors
from friction.arrays import as_numbers
from friction.given import Given

Vector = Sequence[float] | Array


def rotation_matrix(turn: float | Array, d: int) -> Array:
    """Rotation (d, d) by an angle in the plane, by a rotation vector (3,) in space."""
    return rotations.rotation_by(np.zeros(d * (d - 1) // 2) + turn)


def spin_velocity(spin: float | Array, arms: Array) -> Array:
    """Velocities (M, d) m/s of points at ``arms`` (M, d) m under a spin, a number or (3,) rad/s."""
    d = arms.shape[-1]
    return np.asarray(arms @ skew_of(np.zeros(d * (d - 1) // 2) + spin, d).T)


@dataclass(frozen=True)
class RigidMotion(Given):
    """Constant ``velocity`` (d,) m/s and ``spin`` rad/s, (3,) in space, about the material point ``pivot`` (d,) m, or ``path`` t ->
    (d,) m in place of the velocity (in the plane also (x, y, θ), in place of the spin, too), with ``rates`` t -> its derivative
    (default: a central difference, so that the path must be smooth and defined a little before and after). Raises ValueError for
    values that are not finite."""

    velocity: Vector | float = 0.0
    spin: Vector | float = 0.0
    pivot: Vector | float = 0.0
    path: Callable[[float], Vector] | None = None
    rates: Callable[[float], Vector] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given = {
            name: as_numbers(getattr(self, name), f"an obstacle's {name}") for name in ("velocity", "spin", "pivot")
        }
        for name, unit in (("velocity", "m/s"), ("pivot", "m")):
            if given[name].ndim or given[name]:
                vector(given[name], f"an obstacle's {name} ({unit})")
        spin = given["spin"]
        require(spin.shape in ((), (3,)) and np.all(np.isfinite(spin)), "an obstacle's spin", "be finite", self.spin)
        if self.rates is not None and self.path is None:
            raise ValueError("an obstacle's rates need the path of which they are the derivative")
        if self.path is not None and np.any(self.velocity):
            raise ValueError("an obstacle has either a velocity or a path")
        for course, what in ((self.path, "path (m)"), (self.rates, "rates (m/s)")):
            if course is not None:
                vector(course(0.0), f"an obstacle's {what}")
        require(self.fits(2) or self.fits(3), "an obstacle's motion", "be in the plane or in space", self)

    def check(self, t_end: float) -> None:
        """Refuse rates that differ from the derivative of the path until ``t_end`` s: ValueError."""
        if self.rates is not None:
            assert self.path is not None
            path, rates = self.path, self.rates
            check_rates(
                lambda t: np.asarray(path(t), float),
                lambda t: np.asarray(rates(t), float),
                t_end,
                "an obstacle's rates (m/s, rad/s)",
            )

    def fits(self, d: int) -> bool:
        """True if the motion has ``d`` dimensions."""
        sizes = {np.size(part) for part in (self.velocity, self.pivot) if np.ndim(part)}
        course = d if self.path is None else len(self.path(0.0))
        spins = (np.ndim(self.spin) == 0) == (d == 2) or not np.any(self.spin)
        return sizes <= {d} and spins and (course == d or ((d, course) == (2, 3) and not np.any(self.spin)))

    @cached_property
    def moves(self) -> bool:
        """True if velocity, spin or path may differ from zero."""
        return self.path is not None or bool(np.any(self.velocity) or np.any(self.spin))

    @property
    def may_turn(self) -> bool:
        """True if the rotation may change."""
        return bool(np.any(self.spin)) or (self.path is not None and len(self.path(0.0)) == 3)

    @property
    def turning(self) -> Array:
        """The constant spin (3,) rad/s of a motion in space."""
        return np.asarray(np.zeros(3) + np.asarray(self.spin, float))

    def _course(self, time: float, d: int) -> tuple[Array, float | Array]:
        """Displacement (d,) m of the pivot, and the rotation, an angle or a rotation vector."""
        spin = np.asarray(self.spin, float)
        if self.path is None:
            return np.asarray(self.velocity, float) * time, spin * time
        course = vector(self.path(time), "an obstacle's path (m, rad)")
        return course[:d], course[2] if len(course) > d else spin * time

    def _rates(self, time: float, d: int) -> tuple[Array, float | Array]:
        """Velocity q' (d,) m/s of the pivot, and the spin."""
        spin = np.asarray(self.spin, float)
        if self.path is None:
            return np.zeros(d) + np.asarray(self.velocity, float), spin
        if self.rates is None:
            path = self.path
            rates = rate_of(lambda t: vector(path(t), "an obstacle's path (m, rad)"), time)
        else:
            rates = vector(self.rates(time), "an obstacle's rates (m/s, rad/s)")
        return rates[:d], rates[2] if len(rates) > d else spin

    def pivot_position(self, time: float, d: int = 3) -> Array:
        """Position q (d,) m of the pivot."""
        return np.asarray(np.zeros(d) + np.asarray(self.pivot, float) + self._course(time, d)[0])

    def pivot_velocity(self, time: float, d: int = 3) -> Array:
        """Velocity q' (d,) m/s of the pivot."""
        return self._rates(time, d)[0]

    def turn(self, time: float, d: int = 3) -> Array:
        """Rotation R (d, d)."""
        return rotation_matrix(self._course(time, d)[1], d)

    def to_own_axes(self, x: Array, time: float) -> Array:
        """Coordinates (M, d) m in the obstacle's own axes of points x (M, d) m in space."""
        d = x.shape[-1]
        if not self.moves:
            return x
        return np.asarray((x - self.pivot_position(time, d)) @ self.turn(time, d) + np.asarray(self.pivot, float))

    def to_space(self, y: Array, time: float) -> Array:
        """Positions (M, d) m in space of points y (M, d) m in the obstacle's own axes."""
        d = y.shape[-1]
        if not self.moves:
            return y
        return np.asarray(self.pivot_position(time, d) + (y - np.asarray(self.pivot, float)) @ self.turn(time, d).T)

    def velocity_at(self, x: Array, time: float) -> Array:
        """Velocity (M, d) m/s of the material points at x (M, d) m."""
        d = x.shape[-1]
        rate, spin = self._rates(time, d)
        return np.asarray(rate + spin_velocity(spin, x - self.pivot_position(time, d)))

    def spin_at(self, time: float, d: int) -> Array:
        """Spin (3,) rad/s, in the plane about the last axis."""
        spin = self._rates(time, d)[1] if self.may_turn else 0.0
        return np.array([0.0, 0.0, 1.0]) * spin if d == 2 else np.zeros(3) + spin

    def table(self, times: Array, d: int) -> Array:
        """Position (3) m and velocity (3) m/s of the pivot, the axes R (9) and the spin (3) rad/s at times (n,) s, (n, 18); in
        the plane with 0 beyond."""
        rows, spin = np.zeros((len(times), 18)), np.asarray(self.spin, float)
        rows[:, 6:15] = np.eye(3).ravel()
        if self.path is None:
            rates = np.zeros((len(times), d)) + np.asarray(self.velocity, float)
            course = rates * times[:, None]
        else:
            course, rates = self._along(times)
        rows[:, :d], rows[:, 3 : 3 + d] = np.asarray(self.pivot, float) + course[:, :d], rates[:, :d]
        if not (course.shape[1] > d or spin.any()):
            return rows
        turn = course[:, d] if course.shape[1] > d else np.multiply.outer(times, spin)
        if d == 3:
            rows[:, 15:], rows[:, 6:15] = spin, [rotation_matrix(each, d).ravel() for each in turn]
        else:
            rows[:, 17], c, s = (rates[:, d] if course.shape[1] > d else spin), np.cos(turn), np.sin(turn)
            rows[:, 6], rows[:, 7], rows[:, 9], rows[:, 10] = c, -s, s, c
        return rows

    def _along(self, times: Array) -> tuple[Array, Array]:
        """The path and its rates at times (n,) s, (n, 2) or (n, 3)."""
        assert self.path is not None
        path, count = self.path, len(self.path(0.0))

        def along(at: Array) -> Array:
            return vectors(path, at, "an obstacle's path (m, rad)", count)

        if self.rates is None:
            return along(times), rate_of(along, times)
        return along(times), vectors(self.rates, times, "an obstacle's rates (m/s, rad/s)", count)

    def velocities_at(self, x: Array, times: Array) -> Array:
        """Velocities (K, M, 3) m/s of the material points at x (K, M, 3) m in space, a row at each of the ``times`` (K,) s."""
        if not self.moves:
            return np.zeros_like(x)
        table = self.table(times, 3)[:, None]
        return np.asarray(table[..., 3:6] + rotations.cross(table[..., 15:], x - table[..., :3]))

    def velocity_rate(self, velocity: Array, time: float) -> Array:
        """Rate (M, d) m/s² of ``velocity_at`` at constant spin, at points of ``velocity`` (M, d) m/s."""
        d = velocity.shape[-1]
        rate, spin = self._rates(time, d)
        forward = np.zeros(d) if self.path is None else np.asarray(rate_of(lambda t: self.pivot_velocity(t, d), time))
        return np.asarray(forward + spin_velocity(spin, velocity - rate))


AT_REST = RigidMotion()
