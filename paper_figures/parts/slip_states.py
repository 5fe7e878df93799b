"""Stick, slip and slip back of every friction point of a trajectory, and the deviation from Coulomb's law there."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

Array = NDArray[np.float64]

STICKS, SLIPS, BACK = 0, 1, 2


def slip_states(stick: NDArray[np.integer], velocity: Array, displacement: Array) -> NDArray[np.int8]:
    """State STICKS, SLIPS or BACK for each instant and point, (...,).

    A point slips BACK, towards its place at the start, where V . (x - x(0)) < 0: its slip has reversed, and with it the friction.

    stick: (...,), nonzero where the sliding velocity is exactly zero; velocity: sliding velocities (..., 2), m/s;
    displacement: x - x(0) (..., 2), m.
    """
    back = np.einsum("...i,...i->...", velocity, displacement) < 0.0
    return np.where(np.asarray(stick) != 0, STICKS, np.where(back, BACK, SLIPS)).astype(np.int8)


def trajectory_states(data: xr.Dataset) -> NDArray[np.int8]:
    """States (time, node) of a trajectory on ground at rest."""
    place = data.position.values
    return slip_states(data.stick.values, data.velocity.values, place - place[0])


def coulomb_errors(data: xr.Dataset) -> dict[str, float]:
    """Deviation of the stored friction from Coulomb's law, over all instants after the first and points with friction.

    intensity: largest `||f|/w - 1|` of points that slip; direction: largest `|f/w + v/|v||` of them; bound: largest `|f|/w` of
    points that stick (at most 1). 0 where no point is in that state. All dimensionless.
    """
    weight = data.friction_weight.values
    rubs = weight > 0.0
    share = data.friction_force.values[1:, rubs] / weight[rubs, None]
    v = data.velocity.values[1:, rubs]
    speed, size = np.linalg.norm(v, axis=2), np.linalg.norm(share, axis=2)
    slips = speed > 0.0
    off = np.linalg.norm(share[slips] + v[slips] / speed[slips, None], axis=1)
    return {
        "intensity": float(np.abs(size[slips] - 1.0).max(initial=0.0)),
        "direction": float(off.max(initial=0.0)),
        "bound": float(size[~slips].max(initial=0.0)),
    }
