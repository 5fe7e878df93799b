"""Axes of contact: the tangents and the normal of the obstacle at points, and their rotation with the position of the points.

In the plane t = J n; in space t1, t2 and n are the axes of space after the shortest rotation from e_z to n. For a change dx of x,

    dt_k = −n (t_k·∇∇g dx) + (w·∇∇g dx) n × t_k,   w = (n_y, −n_x, 0)/(1 + n_z)    (in the plane without the last term).
"""

from __future__ import annotations

import numpy as np

from floating_frame.contact.obstacles import Gap
from floating_frame.frame.kinematics import Array
from friction.arrays import contiguous


def to_axes(axes: Array, vectors: Array) -> Array:
    """Components (..., k) along axes (..., k, d) of vectors (..., d)."""
    return np.asarray(np.einsum("...ab,...b->...a", axes, vectors))


def to_space(axes: Array, components: Array) -> Array:
    """Vectors (..., d) of components (..., k) along axes (..., k, d)."""
    return np.asarray(np.einsum("...ab,...a->...b", axes, components))


def contact_axes(normal: Array) -> Array:
    """Axes of contact (M, d, d), rows t, n or t1, t2, n, at normals n (M, d)."""
    tangents, _ = obstacle_tangents(Gap(np.zeros(len(normal)), normal, np.zeros((*normal.shape, normal.shape[1]))))
    return np.concatenate([tangents, normal[:, None]], axis=1)


def obstacle_tangents(gap: Gap, R: Array | None = None) -> tuple[Array, Array]:
    """Tangents (M, d − 1, d) and their twist ∇∇g w (M, d), the rotation about the normal per displacement, 0 in the plane.

    They are fixed to an obstacle of rotation R (d, d) (None: the identity): bristles turn with it."""
    from floating_frame.contact.kernels import axes_of

    (M, d), twist = gap.normal.shape, np.empty(gap.normal.shape)
    tangents = np.empty((M, d - 1, d))
    normal, curvature = (gap.normal, gap.curvature) if R is None else (gap.normal @ R, R.T @ gap.curvature @ R)
    axes_of(contiguous(normal), contiguous(curvature), tangents, twist)
    return (tangents, twist) if R is None else (tangents @ R.T, twist @ R.T)
