"""The motion x = x0(t) + Q(t) (X + u(X, t)): the split of nodal (x, v, a) into frame and deformation for d = 2 and 3, and the
plane's angle α with Q = Q(α).

(2.1), (2.2) of Szefer (2001), and (3.2), signs corrected (docs/theory.md)::

    x    = x0 + Q r,                      r = X + u
    Qᵀ v = Qᵀ x0' + W r + u'
    Qᵀ a = Qᵀ x0'' + W' r + W² r + 2 W u' + u''

with the spin W = QᵀQ' as a skew matrix, W r = ω × r; in the plane W = ω J, J = [[0, −1], [1, 0]], W² = −ω². Nodal fields are
(N, d) arrays with one vector per row; rotating a row vector by Q is ``field @ Qᵀ``, and W r is −r @ W. "body" in a name
means components in the frame, "inertial" components in space.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Time = TypeVar("Time", float, Array)

TURN_TRANSPOSED: Array = np.array([[0.0, 1.0], [-1.0, 0.0]])
"""Jᵀ, so that ``field @ TURN_TRANSPOSED`` turns every row vector by +90°."""

MEAN_AXIS, TISSERAND, OWN = range(3)
"""Kinds of frame conditions in compiled code."""


DIFFERENCE = 1e-4
"""Step in s of the fourth-order difference for a path without rates: error 1e-16 × its fifth derivative/30."""

_PLANE = np.array([[[0.0, -1.0], [1.0, 0.0]]])
_SPACE = np.zeros((3, 3, 3))
for _k, _i, _j in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):
    _SPACE[_k, _i, _j], _SPACE[_k, _j, _i] = 1.0, -1.0
BASIS: Mapping[int, Array] = {2: _PLANE, 3: _SPACE}
"""The skew matrices B_k (r, d, d) of unit spins, by d."""


def skew_of(components: Array | float, d: int) -> Array:
    """Skew matrix (..., d, d) of a spin, turn or moment (..., r), in the plane also of a number."""
    basis, c = BASIS[d], np.array(components, float, ndmin=1)
    return np.asarray(c @ basis.reshape(len(basis), -1)).reshape(*c.shape[:-1], d, d)


def inertia(second: Array) -> Array:
    """J (..., r, r), kg m², with ω·Jω = ⟨W x·W x⟩, of second moments ⟨x⊗x⟩ (..., d, d): tr S 1 − S in space, tr S in the plane."""
    basis = BASIS[second.shape[-1]]
    return np.asarray(np.einsum("kia,...ab,lib->...kl", basis, second, basis))


def axial(matrix: Array) -> Array:
    """⟨a × b⟩ (..., r) of ⟨a⊗b⟩ (..., d, d)."""
    return np.asarray(np.einsum("kia,...ai->...k", BASIS[matrix.shape[-1]], matrix))


def rate_of(path: Callable[[Time], Array], time: Time) -> Array:
    """Derivative of a smooth path at a ``time`` or times, s, by a central difference of fourth order."""
    far, near = (path(time + k * DIFFERENCE) - path(time - k * DIFFERENCE) for k in (2, 1))
    return (8.0 * near - far) / (12.0 * DIFFERENCE)


def rotation(angle: float) -> Array:
    """Q(angle), (2, 2): turns body components into inertial ones, (3.2)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def unwrap_angle(sine: float, cosine: float, near: float) -> float:
    """Angle, rad, of a sine and a cosine, of any size > 0, next to ``near``, with its full turns."""
    wrapped = math.atan2(sine, cosine)
    return wrapped + 2.0 * math.pi * round((near - wrapped) / (2.0 * math.pi))


def to_inertial(field_body: Array, angle: float) -> Array:
    """Rows Q f: inertial components (N, 2) of the body components ``field_body`` (N, 2)."""
    if angle == 0.0:
        return field_body
    return field_body @ rotation(angle).T


def turned(field: Array) -> Array:
    """Rows J f (N, 2): every vector turned by +90°."""
    return field @ TURN_TRANSPOSED


def scatter(nodes: NDArray[np.integer], values: Array, count: int) -> Array:
    """Sums (``count``, d) of vectors (n, d) at ``nodes`` (n,), which may repeat; 0 at other nodes."""
    return np.stack([np.bincount(nodes, component, count) for component in values.T], axis=1)


def cross(a: Array, b: Array) -> Array:
    """Row-wise a × b = a_x b_y − a_y b_x, (N,): the moment of force b at arm a."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


@dataclass(frozen=True)
class FrameMotion:
    """Position and motion of the frame, inertial components; q = (x0, y0, α) in m, m, rad.

    ``coordinates`` q (3,), ``rates`` q' (3,), ``accelerations`` q'' (3,).
    """

    coordinates: Array
    rates: Array
    accelerations: Array

    @classmethod
    def near(cls, frame: FloatingFrame, angle: float) -> FrameMotion:
        """Motion of the plane with the α next to ``angle`` rad."""
        alpha = unwrap_angle(frame.rotation[1, 0], frame.rotation[0, 0], angle)
        return cls(
            np.array([*frame.origin, alpha]),
            np.array([*frame.velocity, *frame.spin]),
            np.array([*frame.acceleration, *frame.spin_rate]),
        )

    @property
    def floating(self) -> FloatingFrame:
        """The same without the turns of α."""
        q1, q2 = self.rates, self.accelerations
        return FloatingFrame(self.origin, q1[:2], q2[:2], rotation(self.angle), q1[2:], q2[2:])

    @property
    def origin(self) -> Array:
        """x0 (2,), m."""
        return self.coordinates[:2]

    @property
    def angle(self) -> float:
        """α, rad, unwrapped."""
        return float(self.coordinates[2])

    @property
    def spin(self) -> float:
        """ω = α', rad/s."""
        return float(self.rates[2])


class FloatingFrame(NamedTuple):
    """The motion of a frame for d = 2 or 3, components in space: ``origin`` x0 (d,) m, its ``velocity`` and ``acceleration``;
    ``rotation`` Q (d, d), body to space; ``spin`` ω rad/s and ``spin_rate`` ω' rad/s² (r,), one number in the plane."""

    origin: Array
    velocity: Array
    acceleration: Array
    rotation: Array
    spin: Array
    spin_rate: Array


def floating(motions: Array) -> FloatingFrame:
    """Frames of q, q', q'' (K, 3, 3) in the plane."""
    c, s = np.cos(motions[:, 0, 2]), np.sin(motions[:, 0, 2])
    x0, velocity, acceleration = motions[..., :2].swapaxes(0, 1)
    Q = np.stack([c, -s, s, c], axis=1).reshape(-1, 2, 2)
    return FloatingFrame(x0, velocity, acceleration, Q, motions[:, 1, 2:], motions[:, 2, 2:])


class Deformation(NamedTuple):
    """Deformation seen in the frame, body components: u (m), u' (m/s), u'' (m/s²), each (N, d)."""

    displacement: Array
    rate: Array
    acceleration: Array


def body_spins(frame: FloatingFrame) -> tuple[Array, Array]:
    """Spin and spin rate of frames as skew matrices W, W' (..., d, d), body components."""
    Q = frame.rotation
    spin, rate = (Q.swapaxes(-1, -2) @ skew_of(value, Q.shape[-1]) @ Q for value in (frame.spin, frame.spin_rate))
    return spin, rate


def deformation(
    reference: Array, position: Array, velocity: Array, acceleration: Array, frame: FloatingFrame
) -> Deformation:
    """Split nodal (x, v, a) by given frame motions: (2.1), (2.2), in the plane (3.2), solved for u, u', u''.

    ``reference`` X (N, d) from the centre of mass, m; ``position``, ``velocity``, ``acceleration`` (..., N, d) inertial.
    Holds for any frame motion, whether it satisfies a frame condition or not.
    """
    Q, (W, W_rate) = frame.rotation, body_spins(frame)
    r = (position - frame.origin[..., None, :]) @ Q
    rate = (velocity - frame.velocity[..., None, :]) @ Q + r @ W
    second = (acceleration - frame.acceleration[..., None, :]) @ Q + r @ (W_rate - W @ W) + 2.0 * rate @ W
    return Deformation(r - reference, rate, second)


def motion_in_space(reference: Array, split: Deformation, frame: FloatingFrame) -> tuple[Array, Array, Array]:
    """Compose nodal (x, v, a), inertial (..., N, d) each, from frame motions and deformations: (2.1), (2.2), in the plane (3.2)."""
    r = reference + split.displacement
    (W, W_rate), to_space = body_spins(frame), frame.rotation.swapaxes(-1, -2)
    velocity = split.rate - r @ W
    acceleration = split.acceleration - r @ (W_rate - W @ W) - 2.0 * split.rate @ W
    return (
        frame.origin[..., None, :] + r @ to_space,
        frame.velocity[..., None, :] + velocity @ to_space,
        frame.acceleration[..., None, :] + acceleration @ to_space,
    )
