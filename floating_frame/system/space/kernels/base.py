"""What the ground does under a flat base, point by point, compiled: one pass over what is stored of the points."""

from __future__ import annotations

from numba import njit

from friction.cone import SLIPS, STICKS
from friction.rigid.newton import SUMS, point_slip


@njit(cache=True, error_model="numpy", fastmath=SUMS)
def base_fields(rates, arms, friction, pressure, height, slip, multiplier, status, force):  # type: ignore[no-untyped-def]
    """Write ``slip`` velocities (N, 3) m/s, multipliers (N, 3) N, states (N,), and force and moment (6,) on the body.

    Of a base that moves along the ground with ``rates`` (3,) and points at ``arms`` (2, N), ``height`` m below the centre of mass,
    under ``friction`` λ (N, 2), N, and normal forces (N,), N."""
    p, ax, ay = (rates[0], rates[1], rates[2]), arms[0], arms[1]
    x, y, z, roll, pitch, turn = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(pressure.shape[0]):
        fx, fy, n = friction[i, 0], friction[i, 1], pressure[i]
        vx, vy = point_slip(p, ax[i], ay[i])
        slip[i, 0], slip[i, 1], slip[i, 2] = vx, vy, 0.0
        multiplier[i, 0], multiplier[i, 1], multiplier[i, 2] = fx, fy, -n
        status[i] = SLIPS if vx != 0.0 or vy != 0.0 else STICKS
        x -= fx
        y -= fy
        z += n
        roll += ay[i] * n
        pitch -= ax[i] * n
        turn -= ax[i] * fy - ay[i] * fx
    force[0], force[1], force[2] = x, y, z
    force[3], force[4], force[5] = roll + height * y, pitch - height * x, turn
