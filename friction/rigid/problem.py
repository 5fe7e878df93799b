"""The friction problem of a rigid row of points and its solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from friction.arrays import Array, Bools, contiguous
from friction.rigid.newton import point_slips


@dataclass(frozen=True, kw_only=True)
class RigidFrictionProblem:
    """H p − c + Σ Gᵢᵀ λᵢ = 0 in the free ones of the rates p = (x0', y0', ω), m/s, m/s, rad/s.

    Parameters
    ----------
    inertia : Array
        H, inertia over the stage's length: its diagonal (3,) or the full matrix (3, 3), kg/s, kg m/s, kg m²/s; symmetric and
        positive definite on the free entries.
    wrench : Array
        c (3,), N, N, N m.
    arms : Array
        d (N, 2), m, of the points, inertial axes: v_i = (p_x − p_ω d_y, p_y + p_ω d_x).
    bound : Array
        Friction bounds w (N,), N.
    free : ArrayLike
        (3,), mask of the unknown entries of p.
    prescribed : ArrayLike
        (3,), m/s, m/s, rad/s: values of the other entries.
    """

    inertia: Array
    wrench: Array
    arms: Array
    bound: Array
    free: ArrayLike = (True, True, True)
    prescribed: ArrayLike = (0.0, 0.0, 0.0)

    @property
    def matrix(self) -> Array:
        """H (3, 3), a new array."""
        h = np.array(self.inertia, float)
        return np.diag(h) if h.ndim == 1 else h

    @property
    def mask(self) -> Bools:
        """Mask (3,) of the free entries, a new array."""
        return np.array(self.free, np.bool_)


class RigidSlip(NamedTuple):
    """A solution of a rigid row's problem, or the start of one: p (3,), m/s, m/s, rad/s, exactly 0 in stick, λ (N, 2), N, Newton
    iterations, and ``fallback``: by the smoothing path."""

    rates: Array
    multiplier: Array
    iterations: int = 0
    fallback: bool = False

    @classmethod
    def at_rest(cls, points: int) -> RigidSlip:
        """Start without motion and force."""
        return cls(np.zeros(3), np.zeros((points, 2)))


def point_velocity(rates: Array, arms: Array) -> Array:
    """Velocities v_i = x0' + ω J d_i (N, 2), m/s, of points at ``arms`` d (N, 2), m; 0 below rounding."""
    velocity: Array = point_slips(contiguous(rates), contiguous(arms))
    return velocity


def point_maps(arms: Array) -> Array:
    """Matrices G (N, 2, 3) of v_i = G_i p for points at ``arms`` (N, 2), m."""
    maps = np.zeros((len(arms), 2, 3))
    maps[:, 0, 0] = maps[:, 1, 1] = 1.0
    maps[:, 0, 2], maps[:, 1, 2] = -arms[:, 1], arms[:, 0]
    return maps
