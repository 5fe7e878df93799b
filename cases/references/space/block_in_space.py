"""The rigid block that is thrown along rough ground: its path, the load on its leading feet, and how it begins to tip.

Friction mu m g at the ground, a height h below the centre of mass, moves the resultant of the normal forces ahead by mu h. Where
that is farther than the edge, l ahead, the block tips, with the pitch acceleration (mu h - l) g/((h^2 + l^2)/3 - l (mu h - l)).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class ThrownBlock(Protocol):
    """The parameters of a block on the ground and of its throw."""

    mu: float
    gravity: float
    length: float
    width: float
    height: float
    vx0: float
    vy0: float
    spin0: float
    feet: str
    body: str


def _half(params: ThrownBlock) -> float:
    """Distance, m, of the edge of the base from the centre along the throw; infinite at rest, NaN for a block that spins."""
    if params.spin0 != 0.0:
        return np.nan
    ahead = np.abs(_direction(params))
    sides = 0.5 * np.array([params.length, params.width])
    return float(np.min(sides[ahead > 0.0] / ahead[ahead > 0.0], initial=np.inf))


def _direction(params: ThrownBlock) -> Array:
    """Unit vector (2,) of the throw, zero at rest."""
    velocity = np.array([params.vx0, params.vy0])
    speed = float(np.hypot(*velocity))
    return velocity / speed if speed > 0.0 else velocity


def tips(params: ThrownBlock) -> bool | None:
    """True if the block tips over the edge ahead; None without a closed form.

    Friction moves the resultant of the normal forces ahead by mu h, for every direction of the throw."""
    half = _half(params)
    if params.gravity == 0.0 or (params.vx0 == params.vy0 == params.spin0 == 0.0):
        return False
    return None if np.isnan(half) else bool(params.mu * 0.5 * params.height > half)


def exact(params: ThrownBlock, times: Array) -> tuple[Array, Array] | None:
    """Path length and speed (n,) along the throw of a rigid block that neither turns nor tips; None for any other."""
    if params.body == "elastic" or tips(params) is not False:
        return None
    start, brake = float(np.hypot(params.vx0, params.vy0)), params.mu * params.gravity
    sliding = np.minimum(times, start / brake) if brake > 0.0 else times
    speed = start - brake * sliding
    return start * sliding - 0.5 * brake * sliding**2 + speed * (times - sliding), speed


def leading_share(params: ThrownBlock) -> float | None:
    """Largest normal force of a foot over the weight while the block slides; None where that has no closed form: if it
    spins, or is thrown so far askew that a foot lifts."""
    rests = params.gravity == 0.0 or (params.vx0 == 0.0 and params.vy0 == 0.0)
    if tips(params) is not False or rests or params.feet == "area" or params.body == "elastic":
        return None
    sides = 0.5 * np.array([params.length, params.width])
    shift = float(params.mu * 0.5 * params.height * np.sum(np.abs(_direction(params)) / sides))
    return 0.25 * (1.0 + shift) if shift <= 1.0 else None


def pitch_acceleration(params: ThrownBlock) -> float | None:
    """Angular acceleration, rad/s², with which the block begins to tip; None where it does not, or where sliding
    presses the edge harder into the ground than it lifts it (Painlevé)."""
    if params.body == "elastic" or not tips(params) or (params.vx0 != 0.0 and params.vy0 != 0.0):
        return None
    half, up = _half(params), 0.5 * params.height
    excess = params.mu * up - half
    inertia = (up**2 + half**2) / 3.0 - half * excess
    return excess * params.gravity / inertia if inertia > 0.0 else None
