"""The motion x = x0(t) + Q(alpha(t)) (X + u(X, t)): rotations, and the split of nodal (x, v, a) into frame and deformation.

(2.1), (2.2), (3.2) of Szefer (2001), signs corrected (docs/theory.md)::

    x    = x0 + Q r,                      r = X + u
    Qᵀ v = Qᵀ x0' + ω J r + u'
    Qᵀ a = Qᵀ x0'' + ω' J r − ω² r + 2 ω J u' + u''

with J = [[0, −1], [1, 0]]. Nodal fields are (N, 2) arrays with one vector per row; rotating a row vector by Q is
``field @ Qᵀ``. "body" in a name means components in the frame, "inertial" components in space.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from friction.arrays import as_numbers

Array = NDArray[np.float64]

TURN_TRANSPOSED: Array = np.array([[0.0, 1.0], [-1.0, 0.0]])
"""Jᵀ, so that ``field @ TURN_TRANSPOSED`` turns every row vector by +90°."""


DIFFERENCE = 1e-4
"""Step in s of the fourth-order difference for a path without rates: error 1e-16 × its fifth derivative/30."""


def finite(values: Sequence[float], count: int, what: str) -> Array:
    """Return values as ``count`` finite numbers. ValueError, naming ``what`` they are, for others."""
    array = as_numbers(values, what)
    if array.shape != (count,) or not np.all(np.isfinite(array)):
        words = {2: "two", 3: "three"}[count]
        raise ValueError(f"{what} must be {words} finite numbers, got {values!r}")
    return array


def rate_of(path: Callable[[float], Array], time: float) -> Array:
    """Return the derivative of a smooth path at ``time`` s by a central difference of fourth order."""
    far, near = (path(time + k * DIFFERENCE) - path(time - k * DIFFERENCE) for k in (2, 1))
    return (8.0 * near - far) / (12.0 * DIFFERENCE)


def rotation(angle: float) -> Array:
    """Return Q(angle), (2, 2): turns body components into inertial ones, (3.2)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def to_inertial(field_body: Array, angle: float) -> Array:
    """Return the rows Q f: inertial components (N, 2) of the body components ``field_body`` (N, 2), themselves at angle 0."""
    if angle == 0.0:
        return field_body
    return field_body @ rotation(angle).T


def to_body(field_inertial: Array, angle: float) -> Array:
    """Return the rows Qᵀ f: body components (N, 2) of the inertial components ``field_inertial`` (N, 2), themselves at angle 0."""
    if angle == 0.0:
        return field_inertial
    return field_inertial @ rotation(angle)


def turned(field: Array) -> Array:
    """Return the rows J f (N, 2): every vector turned by +90°, J × of the plane."""
    return field @ TURN_TRANSPOSED


def gathered(nodes: NDArray[np.integer], values: Array, count: int) -> Array:
    """Return the sums (``count``, 2) of vectors (n, 2) that belong to ``nodes`` (n,), which may repeat."""
    return np.stack([np.bincount(nodes, values[:, i], count) for i in (0, 1)], axis=1)


def cross(a: Array, b: Array) -> Array:
    """Return the row-wise a × b = a_x b_y − a_y b_x, (N,); the moment of force b at arm a is r × f for all (errata)."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


@dataclass(frozen=True)
class FrameMotion:
    """Where the frame is and how it moves, inertial components; q = (x0, y0, α) in m, m, rad.

    ``coordinates`` q (3,), ``rates`` q' (3,), ``accelerations`` q'' (3,).
    """

    coordinates: Array
    rates: Array
    accelerations: Array

    @property
    def angle(self) -> float:
        """α, rad, unwrapped."""
        return float(self.coordinates[2])

    @property
    def spin(self) -> float:
        """ω = α', rad/s."""
        return float(self.rates[2])

    @property
    def spin_rate(self) -> float:
        """ω', rad/s²."""
        return float(self.accelerations[2])


class Deformation(NamedTuple):
    """Deformation seen in the frame, body components: u (m), u' (m/s), u'' (m/s²), each (N, 2)."""

    displacement: Array
    rate: Array
    acceleration: Array


def deformation(
    reference: Array, position: Array, velocity: Array, acceleration: Array, motion: FrameMotion
) -> Deformation:
    """Split nodal (x, v, a) by a given frame motion: (2.1), (3.2) solved for u, u', u''.

    ``reference`` X (N, 2) from the centre of mass, m; ``position``, ``velocity``, ``acceleration`` (N, 2) inertial.
    Holds for any frame motion, whether it satisfies a frame condition or not.
    """
    angle, spin = motion.angle, motion.spin
    r = to_body(position - motion.coordinates[:2], angle)
    rate = to_body(velocity - motion.rates[:2], angle) - spin * turned(r)
    second = to_body(acceleration - motion.accelerations[:2], angle) - motion.spin_rate * turned(r)
    second = second + spin**2 * r - 2.0 * spin * turned(rate)
    return Deformation(r - reference, rate, second)


def motion_in_space(reference: Array, split: Deformation, motion: FrameMotion) -> tuple[Array, Array, Array]:
    """Compose nodal (x, v, a), inertial (N, 2) each, from a frame motion and a deformation: (2.1), (3.2)."""
    r = reference + split.displacement
    spin = motion.spin
    velocity = split.rate + spin * turned(r)
    acceleration = split.acceleration + motion.spin_rate * turned(r) - spin**2 * r + 2.0 * spin * turned(split.rate)
    return (
        motion.coordinates[:2] + to_inertial(r, motion.angle),
        motion.rates[:2] + to_inertial(velocity, motion.angle),
        motion.accelerations[:2] + to_inertial(acceleration, motion.angle),
    )
