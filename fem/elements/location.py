"""Material points of a mesh: cell and shape functions at a given point."""

from __future__ import annotations

import numpy as np
from skfem import Element

INSIDE_TOLERANCE = 1e-9
"""Tolerance of points outside a cell, relative to its size."""

_MAX_ITERATIONS = 30


def at_point(
    shape: Element, points: np.ndarray, nodes: np.ndarray, place: np.ndarray, *, curved: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (B,) and shape functions (B,), sum 1, that interpolate at a ``place`` (d,), m; at a node that node alone.

    Inverse of x(ξ) = Σ φ_b(ξ) x_b by Newton's method in the cells around the place; exact in one step where sides are straight
    and, on quadrilaterals and hexahedra, parallel. ``shape``: element of scikit-fem; ``points`` (N, d), m; ``nodes`` (C, B) of the
    cells, which may be ``curved``. Raises ValueError for a place outside all cells.
    """
    distance = np.linalg.norm(points - place, axis=1)
    nearest = int(np.argmin(distance))
    if distance[nearest] <= INSIDE_TOLERANCE * float(np.abs(points).max()):
        return np.array([nearest]), np.ones(1)
    simplex = shape.refdom.nnodes == len(place) + 1
    low, high = points[nodes].min(axis=1), points[nodes].max(axis=1)
    margin = (high - low).max(axis=1, keepdims=True) * (0.5 if curved else INSIDE_TOLERANCE)
    for cell in np.flatnonzero(np.all((low - margin <= place) & (place <= high + margin), axis=1)):
        xi = shape.doflocs.mean(axis=0)
        corners = points[nodes[cell]]
        for _ in range(_MAX_ITERATIONS):
            (values,), (slopes,) = shape_functions(shape, xi[:, None])
            change = np.linalg.solve(corners.T @ slopes, place - values @ corners)
            xi = xi + change
            if np.abs(change).max() < 1e-15:
                break
        excess = max(-xi.min(), (xi.sum() if simplex else xi.max()) - 1.0)
        if excess <= INSIDE_TOLERANCE:
            return nodes[cell], shape_functions(shape, xi[:, None])[0][0]
    wanted, nearest_text = (", ".join(f"{x:.6g}" for x in point) for point in (place, points[nearest]))
    raise ValueError(f"the body has no point at ({wanted}) m to attach to; its nearest node is at ({nearest_text}) m")


def shape_functions(shape: Element, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """φ (Q, B) and ∂φ/∂ξ (Q, B, d) at ξ (d, Q)."""
    tables = [shape.lbasis(xi, b) for b in range(len(shape.doflocs))]
    count = xi.shape[1]
    values = np.stack([np.broadcast_to(phi, count) for phi, _ in tables], axis=1)
    return values, np.stack([np.broadcast_to(dphi, xi.shape).T for _, dphi in tables], axis=1)
