"""Geometry of slip velocities v (N, 2), m/s, that laws share: speeds on a straight way, the projection across v."""

from __future__ import annotations

import numpy as np

from friction.arrays import Array

POINTS = 33
"""Speeds looked at between two knots of a profile: the extreme slope of step5 is found to 0.1 %."""


def across(v: Array, size: Array) -> Array:
    """Return the projection across v, ``1 − v vᵀ/|v|²`` (N, 2, 2), where ``size`` is ``|v|`` (N,), > 0."""
    unit = v / size[:, None]
    return np.eye(2) - unit[:, :, None] * unit[:, None, :]


def speeds_between(start: Array, end: Array) -> tuple[Array, Array]:
    """Return the smallest and the largest ``|v|``, (N,), m/s each, on straight ways from ``start`` to ``end`` (N, 2), m/s."""
    way = end - start
    square = np.einsum("ia,ia->i", way, way)
    nearest = np.clip(-np.einsum("ia,ia->i", start, way) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    foot = start + nearest[:, None] * way
    ends = np.maximum(np.hypot(start[:, 0], start[:, 1]), np.hypot(end[:, 0], end[:, 1]))
    return np.minimum(np.hypot(foot[:, 0], foot[:, 1]), ends), ends


def speeds_to_look_at(knots: tuple[float, ...], slowest: Array, fastest: Array) -> Array:
    """Return speeds (POINTS, knots, N), m/s, from each of the ``knots`` to the next, clipped to a range (N,), m/s."""
    marks = np.array([*knots, np.inf])
    below = np.clip(marks[:-1, None], slowest, fastest)
    above = np.clip(marks[1:, None], slowest, fastest)
    share = np.linspace(0.0, 1.0, POINTS)[:, None, None]
    result: Array = below + share * (above - below)
    return result
