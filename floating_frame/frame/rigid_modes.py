"""Rigid motion of points: the resultant of forces on them, and their velocities for unit rates.

The velocity x0' + ω J d itself is friction's: ``friction.rigid.problem.point_velocity``.
"""

from __future__ import annotations

import numpy as np

from floating_frame.frame.kernels import resultant_sums
from floating_frame.frame.kinematics import Array, turned
from friction.arrays import for_loops

_ORIGIN = np.zeros(2)


def wrench(arms: Array, forces: Array) -> Array:
    """Return (F_x, F_y, M_z), N, N, N m, of forces (n, 2), N, at ``arms`` (n, 2), m, same axes: conjugate to (x0', y0', ω)."""
    return np.array(resultant_sums(for_loops(forces), for_loops(arms), _ORIGIN))


def resultant(forces: Array, position: Array, about: Array) -> Array:
    """Return (F_x, F_y, M_z) of nodal forces (N, 2), N, at ``position`` (N, 2), m, the moment about a point (2,), m."""
    return np.array(resultant_sums(for_loops(forces), for_loops(position), about))


def modes_of(arms: Array) -> Array:
    """Return the velocities (3, n, 2) of points at ``arms`` (n, 2), m, for unit x0', y0', ω."""
    one, zero = np.ones(len(arms)), np.zeros(len(arms))
    return np.stack([np.stack([one, zero], 1), np.stack([zero, one], 1), turned(arms)])
