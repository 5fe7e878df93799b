"""Axes of contact: the tangents and the normal at points before obstacles, and how they turn where the points move.

In the plane t = J n; in space t1, t2 and n are what the shortest turn from e_z to n makes of the axes of space. Where x moves by
dx,

    dt_k = −n (t_k·∇∇g dx) + (w·∇∇g dx) n × t_k,   w = (n_y, −n_x, 0)/(1 + n_z)    (in the plane without the last).
"""

from __future__ import annotations

import numpy as np

from floating_frame.contact.obstacles import Gap
from floating_frame.frame.kinematics import Array, turned
from floating_frame.frame.rotations import cross

UPSIDE_DOWN = 1e-12
"""1 + n_z below which a normal is −e_z."""


def along(axes: Array, vectors: Array) -> Array:
    """Return the components (M, k) along axes (M, k, d) of vectors (M, d)."""
    return np.asarray(np.einsum("mab,mb->ma", axes, vectors))


def in_space(axes: Array, components: Array) -> Array:
    """Return the vectors (M, d) of components (M, k) along axes (M, k, d)."""
    return np.asarray(np.einsum("mab,ma->mb", axes, components))


def contact_axes(normal: Array) -> Array:
    """Return the axes (M, d, d), rows t, n or t1, t2, n, at normals n (M, d)."""
    if normal.shape[1] == 2:
        return np.stack([turned(normal), normal], axis=1)
    x, y, z = normal.T
    if not (x.any() or y.any()) and z.min(initial=1.0) > 0.0:
        return np.broadcast_to(np.eye(3), (len(normal), 3, 3))
    axes = np.empty((len(normal), 3, 3))
    up = 1.0 + z
    plain = up > UPSIDE_DOWN
    share = np.where(plain, 1.0 / np.where(plain, up, 1.0), 0.0)
    axes[:, 0] = np.column_stack([1.0 - x * x * share, -x * y * share, -x])
    axes[:, 1] = np.column_stack([-x * y * share, np.where(plain, 1.0 - y * y * share, -1.0), -y])
    axes[:, 2] = normal
    return axes


def twist(gap: Gap) -> Array:
    """Return ∇∇g w (M, d): how the tangents turn about the normal where points move; 0 in the plane."""
    n = gap.normal
    if n.shape[1] == 2:
        return np.zeros_like(n)
    up = np.maximum(1.0 + n[:, 2], UPSIDE_DOWN)
    about = np.column_stack([n[:, 1] / up, -n[:, 0] / up, np.zeros(len(n))])
    return np.asarray(np.einsum("ma,mab->mb", about, gap.curvature))


def axes_turn(gap: Gap) -> Array:
    """Return B (M, 3, 3) of points in space: the axes of contact turn by dθ = B dx where x moves, B = hat(n) ∇∇g + n (∇∇g w)ᵀ."""
    n = gap.normal
    turned = cross(n[:, :, None].swapaxes(1, 2), gap.curvature.swapaxes(1, 2)).swapaxes(1, 2)
    return np.asarray(turned + n[:, :, None] * twist(gap)[:, None, :])


def carried(gap: Gap, R: Array | None) -> tuple[Array, Array]:
    """Return the tangents (M, d − 1, d) and their ``twist`` of an obstacle that has turned by R (d, d) (None: not at all).

    They are those of the obstacle's own axes, turned with it: what is told along them, bristles, goes along where it spins."""
    if R is None:
        return contact_axes(gap.normal)[:, :-1], twist(gap)
    own = Gap(gap.gap, gap.normal @ R, R.T @ gap.curvature @ R)
    return contact_axes(own.normal)[:, :-1] @ R.T, twist(own) @ R.T
