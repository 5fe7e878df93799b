"""Rotations in space: matrices Q from body to space, rotation vectors Θ in space, Q = exp(hat(Θ)) Q0; attitudes: in the plane the
angle α (1,) rad with its full turns, in space Q (3, 3).

    Q' = hat(Ω) Q,    Ω = dexp(Θ) Θ' = Θ' + ½ Θ × Θ' + ⅙ Θ × (Θ × Θ') + ...,    Θ' = Ω − ½ Θ × Ω + ...

(Iserles, Munthe-Kaas, Nørsett & Zanna 2000). One commutator of the inverse suffices for schemes of order two."""

from __future__ import annotations

import numpy as np

from floating_frame.frame.kinematics import rotation, unwrap_angle
from friction.arrays import Array, contiguous, shown

_SMALL = 1e-4


def hat(a: Array) -> Array:
    """Matrices (..., 3, 3) of b -> a × b for a (..., 3)."""
    matrices = np.zeros((*np.shape(a), 3))
    matrices[..., 0, 1], matrices[..., 0, 2], matrices[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    return matrices - np.swapaxes(matrices, -1, -2)


def cross(a: Array, b: Array) -> Array:
    """a × b of vectors (..., 3); NumPy's takes ten times as long for a few."""
    first = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    product = np.empty((*first.shape, 3))
    product[..., 0] = first
    product[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    product[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product


def exponential(turn: Array) -> Array:
    """exp(hat(Θ)) (3, 3) of a rotation vector Θ (3,), by Rodrigues' formula."""
    angle2 = float(turn @ turn)
    if angle2 < _SMALL**2:
        a, b = 1.0 - angle2 / 6.0, 0.5 - angle2 / 24.0
    else:
        angle = np.sqrt(angle2)
        a, b = np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle2
    matrix = hat(turn)
    return np.eye(3) + a * matrix + b * (matrix @ matrix)


def differential(turn: Array) -> Array:
    """dexp(Θ) (3, 3), which takes dΘ to the rotation vector δφ in space of exp(Θ + dΘ) = exp(δφ) exp(Θ)."""
    angle2 = float(turn @ turn)
    if angle2 < _SMALL**2:
        a, b = 0.5 - angle2 / 24.0, 1.0 / 6.0 - angle2 / 120.0
    else:
        angle = np.sqrt(angle2)
        a, b = (1.0 - np.cos(angle)) / angle2, (angle - np.sin(angle)) / (angle2 * angle)
    matrix = hat(turn)
    return np.eye(3) + a * matrix + b * (matrix @ matrix)


def attitude(start: Array, history: Array, spin: Array, tau: float) -> tuple[Array, Array]:
    """Q after Θ = Θ* + τ (Ω − ½ Θ × Ω) from Q_n = ``start``, and T (3, 3) s: δφ = T δΩ."""
    matrix = np.eye(3) - 0.5 * tau * hat(spin)
    turn: Array = np.asarray(np.linalg.solve(matrix, history + tau * spin), float)
    inner = np.linalg.solve(matrix, tau * (np.eye(3) - 0.5 * hat(turn)))
    return exponential(turn) @ start, differential(turn) @ inner


def rotation_vector(matrix: Array) -> Array:
    """Rotation vector Θ (3,), |Θ| <= π, of a rotation (3, 3)."""
    w, *axis = quaternion(matrix)
    size = float(np.linalg.norm(axis))
    sign = 1.0 if w >= 0.0 else -1.0
    factor = 2.0 if size < 1e-9 else 2.0 * np.arctan2(size, abs(w)) / size
    return sign * factor * np.array(axis)


def quaternion(matrix: Array) -> Array:
    """Unit quaternion (w, x, y, z) of a rotation (3, 3) by Shepperd's method, w or the largest entry positive."""
    return np.asarray(quaternions(matrix[None])[0])


def quaternions(matrices: Array) -> Array:
    """Unit quaternions (K, 4) of rotations (K, 3, 3)."""
    from floating_frame.frame.kernels import write_quaternions  # Numba: not for the help of a case

    result = np.empty((len(matrices), 4))
    write_quaternions(contiguous(matrices), result)
    return result


def matrix_of(quaternion: Array) -> Array:
    """Rotation (3, 3) of a quaternion (w, x, y, z). Raises ValueError where it is zero or not finite."""
    q = np.asarray(quaternion, float)
    size = float(np.linalg.norm(q)) if q.shape == (4,) else 0.0
    if not (np.isfinite(size) and size > 0.0):
        raise ValueError(f"a rotation must be a quaternion (w, x, y, z) that is not zero, got {shown(quaternion)}")
    w, axis = q[0] / size, q[1:] / size
    matrix: Array = (w * w - axis @ axis) * np.eye(3) + 2.0 * np.outer(axis, axis) + 2.0 * w * hat(axis)
    return matrix


def rotation_of(attitude: Array) -> Array:
    """Q (d, d), body to space, of an attitude."""
    return attitude if attitude.ndim > 1 else rotation(float(attitude[0]))


def attitude_of(Q: Array, near: Array) -> Array:
    """The attitude of a rotation Q (d, d); in the plane next to the angle ``near``."""
    return Q if len(Q) == 3 else np.array([unwrap_angle(Q[1, 0], Q[0, 0], float(near[0]))])


def rotation_by(turn: Array) -> Array:
    """The rotation (d, d) of a turn Θ (r,)."""
    return exponential(turn) if len(turn) == 3 else rotation(float(turn[0]))


def rotate_attitude(attitude: Array, turn: Array) -> Array:
    """The attitude after a turn Θ (r,)."""
    return attitude + turn if attitude.ndim == 1 else exponential(turn) @ attitude


def turn_between(start: Array, end: Array) -> Array:
    """The turn Θ (r,) rad from one attitude to another; in space at most half a turn."""
    return end - start if start.ndim == 1 else rotation_vector(end @ start.T)


def turn_rate(start: Array, now: Array, spin: Array) -> Array:
    """Θ' (r,) rad/s of the turn since ``start``, at a ``spin`` (r,) rad/s."""
    return spin if start.ndim == 1 else np.asarray(spin - 0.5 * cross(turn_between(start, now), spin))
