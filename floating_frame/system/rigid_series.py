"""What of a rigid body is stored, in the plane and in space: rows of its motion at the ends of K >= 1 steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.system.protocol import Series


class RigidRows(NamedTuple):
    """Motion of a rigid body with axes d = 2 or 3 and r = 1 or 3 components of spins and moments, without an axis in the plane.

    ``place``, ``velocity`` (K, d) of its mass centre, m, m/s; ``spin`` (K, r) rad/s; ``momentum`` (K, d) and ``moment`` (K, r) of
    momentum about the origin, kg m/s, kg m²/s; of its m points ``position`` (K, m, d), ``moving`` (K, m, d) m/s, ``friction``
    (K, m, d) N on the body, and ``stick`` (K, m)."""

    place: Array
    velocity: Array
    spin: Array
    momentum: Array
    moment: Array
    position: Array
    moving: Array
    friction: Array
    stick: Array


def rigid_series(times: Array, rows: RigidRows, residual: Array) -> Series:
    """Series that all rigid bodies have, (K, …); ``residual`` (K,) of their equations, relative to the largest terms."""
    return {
        "time": times,
        "frame_position": rows.place,
        "frame_velocity": rows.velocity,
        "frame_spin": rows.spin,
        "position": rows.position,
        "velocity": rows.moving,
        "friction_force": rows.friction,
        "stick": rows.stick,
        "rigid_residual": residual,
        "linear_momentum": rows.momentum,
        "angular_momentum": rows.moment,
    }


def largest_share(parts: Array, scale: Array, noise: Array) -> Array:
    """Largest of some ``parts`` (..., n) over their ``scale``, (...); 0 where that is not above the ``noise``."""
    return np.asarray(np.where(scale > noise, parts / np.where(scale > noise, scale, 1.0), 0.0).max(axis=-1))
