"""Rigid motion of points for d = 2 and 3: the resultant of forces on them, and their velocities for unit rates.

The velocity x0' + ω J d itself is friction's: ``friction.rigid.problem.point_velocity``.
"""

from __future__ import annotations

import numpy as np

from floating_frame.frame.kernels import resultant_sums
from floating_frame.frame.kinematics import BASIS, Array
from friction.arrays import contiguous


def wrench(arms: Array, forces: Array) -> Array:
    """Force and moment (d + r,), N, N m, of forces (n, d), N, at ``arms`` (n, d), m, same axes: conjugate to (x0', ω)."""
    return resultant(forces, arms, np.zeros(arms.shape[1]))


def resultant(forces: Array, position: Array, about: Array) -> Array:
    """Force and moment (d + r,) of nodal forces (N, d), N, at ``position`` (N, d), m, the moment about a point (d,), m."""
    d = position.shape[1]
    net = np.empty(d + len(BASIS[d]))
    resultant_sums((0,) * d, contiguous(forces), contiguous(position), contiguous(about), net)
    return net


def modes_of(arms: Array) -> Array:
    """Velocities (d + r, n, d) of points at ``arms`` (n, d), m, for unit rates x0', ω."""
    d = arms.shape[1]
    along = np.broadcast_to(np.eye(d)[:, None], (d, *arms.shape))
    return np.concatenate([along, -arms @ BASIS[d]])
