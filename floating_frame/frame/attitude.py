"""Attitudes of frames as a step carries them: in the plane the angle α (1,) rad with all its turns, in space the rotation Q (3, 3).

    α + Θ,    exp(Θ) Q,    Θ' = Ω − ½ Θ × Ω

Turns Θ and spins Ω (r,) have one component in the plane, where Θ × Ω = 0."""

from __future__ import annotations

import math

import numpy as np

from floating_frame.frame.kinematics import rotation
from floating_frame.frame.rotations import cross, exponential, rotation_vector
from friction.arrays import Array


def rotation_of(attitude: Array) -> Array:
    """Q (d, d), body to space, of an attitude."""
    return attitude if attitude.ndim == 2 else rotation(float(attitude[0]))


def attitude_of(Q: Array, near: Array) -> Array:
    """The attitude of a rotation Q (d, d); in the plane that next to the angle ``near``: a rotation does not know its turns."""
    if len(Q) == 3:
        return Q
    wrapped = math.atan2(Q[1, 0], Q[0, 0])
    return np.array([wrapped + 2.0 * math.pi * round((float(near[0]) - wrapped) / (2.0 * math.pi))])


def rotation_by(turn: Array) -> Array:
    """The rotation (d, d) of a turn Θ (r,)."""
    return exponential(turn) if len(turn) == 3 else rotation(float(turn[0]))


def turned(attitude: Array, turn: Array) -> Array:
    """The attitude after a turn Θ (r,)."""
    return attitude + turn if attitude.ndim == 1 else exponential(turn) @ attitude


def turn_between(start: Array, end: Array) -> Array:
    """The turn Θ (r,) rad from one attitude to another; in space that by at most half a turn."""
    return end - start if start.ndim == 1 else rotation_vector(end @ start.T)


def turn_rate(start: Array, now: Array, spin: Array) -> Array:
    """Θ' (r,) rad/s of the turn since ``start``, at a ``spin`` (r,) rad/s."""
    return spin if start.ndim == 1 else np.asarray(spin - 0.5 * cross(turn_between(start, now), spin))
