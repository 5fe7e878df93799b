"""Axes of contact: the tangents and the normal at points before obstacles, and how they turn where the points move.

In the plane t = J n; in space t1, t2 and n are what the shortest turn from e_z to n makes of the axes of space. Where x moves by
dx,

    dt_k = −n (t_k·∇∇g dx) + (w·∇∇g dx) n × t_k,   w = (n_y, −n_x, 0)/(1 + n_z)    (in the plane without the last).
"""

from __future__ import annotations

import numpy as np

from floating_frame.contact.obstacles import Gap
from floating_frame.frame.kinematics import Array
from friction.arrays import for_loops


def to_axes(axes: Array, vectors: Array) -> Array:
    """Return the components (..., k) along axes (..., k, d) of vectors (..., d)."""
    return np.asarray(np.einsum("...ab,...b->...a", axes, vectors))


def to_space(axes: Array, components: Array) -> Array:
    """Return the vectors (..., d) of components (..., k) along axes (..., k, d)."""
    return np.asarray(np.einsum("...ab,...a->...b", axes, components))


def contact_axes(normal: Array) -> Array:
    """Return the axes (M, d, d), rows t, n or t1, t2, n, at normals n (M, d)."""
    tangents, _ = tangents_at(Gap(np.zeros(len(normal)), normal, np.zeros((*normal.shape, normal.shape[1]))))
    return np.concatenate([tangents, normal[:, None]], axis=1)


def tangents_at(gap: Gap) -> tuple[Array, Array]:
    """Return the tangents (M, d − 1, d), and ∇∇g w (M, d): how they turn about the normal where points move; 0 in the plane."""
    from floating_frame.contact.kernels import axes_of

    (M, d), twist = gap.normal.shape, np.empty(gap.normal.shape)
    tangents = np.empty((M, d - 1, d))
    axes_of(for_loops(gap.normal), for_loops(gap.curvature), tangents, twist)
    return tangents, twist


def obstacle_tangents(gap: Gap, R: Array | None) -> tuple[Array, Array]:
    """Return the tangents (M, d − 1, d) and their twist (M, d) of an obstacle that has turned by R (d, d) (None: not at all).

    They are those of the obstacle's own axes, turned with it: what is told along them, bristles, goes along where it spins."""
    if R is None:
        return tangents_at(gap)
    tangents, twist = tangents_at(Gap(gap.gap, gap.normal @ R, R.T @ gap.curvature @ R))
    return tangents @ R.T, twist @ R.T
