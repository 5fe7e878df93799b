"""Springs with dampers at points, compiled: forces, their derivatives, energy and powers (see ``spring``)."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def spring(k, c, rest, d, v):  # type: ignore[no-untyped-def]
    """Force (3) N, ∂F/∂x and ∂F/∂v (9, row by row), energy J and loss W of a spring with ``d`` m from its end to its point, at the
    relative velocity ``v`` m/s; in the plane the last components are 0. ``rest`` m: its length without force, −1: it acts in all
    directions."""
    (dx, dy, dz), (vx, vy, vz) = d, v
    if rest < 0.0:
        force = (-k * dx - c * vx, -k * dy - c * vy, -k * dz - c * vz)
        stored, lost = 0.5 * k * (dx * dx + dy * dy + dz * dz), c * (vx * vx + vy * vy + vz * vz)
        return (
            force,
            (-k, 0.0, 0.0, 0.0, -k, 0.0, 0.0, 0.0, -k),
            (-c, 0.0, 0.0, 0.0, -c, 0.0, 0.0, 0.0, -c),
            stored,
            lost,
        )
    length = np.sqrt(dx * dx + dy * dy + dz * dz)
    nx, ny, nz = (dx / length, dy / length, dz / length) if length > 0.0 else (1.0, 0.0, 0.0)
    rate, over, pull = nx * vx + ny * vy + nz * vz, 1.0 / length if length > 0.0 else 0.0, k * (length - rest)
    turning, across = c * over, (pull + c * rate) * over
    tx, ty, tz = vx - rate * nx, vy - rate * ny, vz - rate * nz
    by_place = (
        -k * nx * nx - across * (1.0 - nx * nx) - turning * nx * tx,
        (across - k) * nx * ny - turning * nx * ty,
        (across - k) * nx * nz - turning * nx * tz,
        (across - k) * ny * nx - turning * ny * tx,
        -k * ny * ny - across * (1.0 - ny * ny) - turning * ny * ty,
        (across - k) * ny * nz - turning * ny * tz,
        (across - k) * nz * nx - turning * nz * tx,
        (across - k) * nz * ny - turning * nz * ty,
        -k * nz * nz - across * (1.0 - nz * nz) - turning * nz * tz,
    )
    xy, xz, yz = -c * nx * ny, -c * nx * nz, -c * ny * nz
    by_rate = (-c * nx * nx, xy, xz, xy, -c * ny * ny, yz, xz, yz, -c * nz * nz)
    force = (-pull * nx - c * rate * nx, -pull * ny - c * rate * ny, -pull * nz - c * rate * nz)
    return force, by_place, by_rate, 0.5 * k * (length - rest) ** 2, c * rate * rate


@njit(cache=True, error_model="numpy")
def springs(stiffness, damping, rest, d, v, force, slopes):  # type: ignore[no-untyped-def]
    """Write forces (P, d) and their ``slopes`` by places and velocities (2, P, d, d) of springs at points; return energy and loss.
    Arguments of ``spring`` by points, in the plane or in space."""
    stored, lost, dims = 0.0, 0.0, d.shape[1]
    for p in range(len(stiffness)):
        dz, vz = (d[p, dims - 1], v[p, dims - 1]) if dims == 3 else (0.0, 0.0)
        arm, rate = (d[p, 0], d[p, 1], dz), (v[p, 0], v[p, 1], vz)
        f, by_place, by_rate, energy, loss = spring(stiffness[p], damping[p], rest, arm, rate)
        for i in range(dims):
            force[p, i] = f[i]
            for j in range(dims):
                slopes[0, p, i, j], slopes[1, p, i, j] = by_place[3 * i + j], by_rate[3 * i + j]
        stored, lost = stored + energy, lost + loss
    return stored, lost
