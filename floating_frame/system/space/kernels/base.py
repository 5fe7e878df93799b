"""Slip and contact forces under a flat base, point by point, compiled: one pass over the arrays of the points."""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.cone import SLIPS, STICKS
from friction.lanes import LANES, sum_lanes
from friction.rigid.newton import point_slip

(FX, FY, FZ, ROLL, PITCH, TURN) = range(0, 6 * LANES, LANES)
_SUMS = np.int64(6)


@njit(cache=True, error_model="numpy")
def base_fields(rates, arms, friction, pressure, height, slip, multiplier, status, force):  # type: ignore[no-untyped-def]
    """Write ``slip`` velocities (N, 3) m/s, multipliers (N, 3) N, states (N,), and force and moment (6,) on the body.

    Of a base that moves along the ground with ``rates`` (3,) and points at ``arms`` (2, N), ``height`` m below the centre of mass,
    under ``friction`` λ (N, 2), N, and normal forces (N,), N."""
    p, ax, ay = (rates[0], rates[1], rates[2]), arms[0], arms[1]
    sums = np.zeros(6 * LANES)
    for first in range(0, pressure.shape[0], LANES):
        for k in range(min(LANES, pressure.shape[0] - first)):
            i = np.uint64(first + k)
            fx, fy, n = friction[i, 0], friction[i, 1], pressure[i]
            vx, vy = point_slip(p, ax[i], ay[i])
            slip[i, 0], slip[i, 1], slip[i, 2] = vx, vy, 0.0
            multiplier[i, 0], multiplier[i, 1], multiplier[i, 2] = fx, fy, -n
            status[i] = SLIPS if vx != 0.0 or vy != 0.0 else STICKS
            sums[k + FX] -= fx
            sums[k + FY] -= fy
            sums[k + FZ] += n
            sums[k + ROLL] += ay[i] * n
            sums[k + PITCH] -= ax[i] * n
            sums[k + TURN] -= ax[i] * fy - ay[i] * fx
    sum_lanes(sums, _SUMS, pressure.shape[0])
    force[0], force[1], force[2], force[5] = sums[FX], sums[FY], sums[FZ], sums[TURN]
    force[3], force[4] = sums[ROLL] + height * sums[FY], sums[PITCH] - height * sums[FX]
