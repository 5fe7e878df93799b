"""A spring with a damper in the plane, compiled for rigid bodies: force, its derivatives, energy and loss (see ``spring``)."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def spring(k, c, rest, d, v):  # type: ignore[no-untyped-def]
    """Return force (2) N, ∂F/∂x and ∂F/∂v (xx, xy, yx, yy), energy J and loss W of a spring from its end to its point by ``d`` m,
    which moves against it with ``v`` m/s. ``rest`` m: its length without force, −1: it acts in all directions."""
    (dx, dy), (vx, vy) = d, v
    if rest < 0.0:
        force, stored, lost = (
            (-k * dx - c * vx, -k * dy - c * vy),
            0.5 * k * (dx * dx + dy * dy),
            c * (vx * vx + vy * vy),
        )
        return force, (-k, 0.0, 0.0, -k), (-c, 0.0, 0.0, -c), stored, lost
    length = np.sqrt(dx * dx + dy * dy)
    nx, ny = (dx / length, dy / length) if length > 0.0 else (1.0, 0.0)
    rate, over = nx * vx + ny * vy, 1.0 / length if length > 0.0 else 0.0
    pull = k * (length - rest) + c * rate
    turning, across, tx, ty = c * over, pull * over, vx - rate * nx, vy - rate * ny
    by_place = (
        -k * nx * nx - across * (1.0 - nx * nx) - turning * nx * tx,
        -k * nx * ny + across * nx * ny - turning * nx * ty,
        -k * nx * ny + across * nx * ny - turning * ny * tx,
        -k * ny * ny - across * (1.0 - ny * ny) - turning * ny * ty,
    )
    by_rate = (-c * nx * nx, -c * nx * ny, -c * nx * ny, -c * ny * ny)
    return (-pull * nx, -pull * ny), by_place, by_rate, 0.5 * k * (length - rest) ** 2, c * rate * rate
