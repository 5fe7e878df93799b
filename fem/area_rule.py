"""Quadrature over the area of a plate: a few points in each cell, for fields over the body instead of its nodes.

An example is friction under a rigid body. |v| is convex over the area, so nodal quadrature (the trapezoidal rule) overestimates
the dissipation of every motion with rotation, by O(h²); points inside the cells integrate it to O(h⁴) where the velocity field
has no zero, and to O(h³) about its zero, the instantaneous centre, where |v| is a cone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fem.bodies import Plate
from fem.elements.tables import element, shape_functions

_NEAR, _FAR = 0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)
_QUADRILATERAL = np.array([[_NEAR, _FAR, _FAR, _NEAR], [_NEAR, _NEAR, _FAR, _FAR]])
_TRIANGLE = np.array([[1.0, 4.0, 1.0], [1.0, 1.0, 4.0]]) / 6.0


class AreaRule(NamedTuple):
    """Points and weights of a quadrature over the area.

    Parameters
    ----------
    points : ndarray
        (Q, 2), m, from the centre of mass.
    weights : ndarray
        (Q,), m², > 0.
    cells : ndarray
        (C, k), indices of the points of each cell of the plate, counter-clockwise.
    """

    points: np.ndarray
    weights: np.ndarray
    cells: np.ndarray


def area_rule(plate: Plate, *, refined: bool = False) -> AreaRule:
    """Quadrature with 2 × 2 Gauss points per quadrilateral, three interior points (degree 2) per triangle.

    Cells may be curved (x = Σ φ_b X_b). On straight ones area and moments of inertia are exact.

    Parameters
    ----------
    plate : Plate
        The plate.
    refined : bool
        Use the rule in each quarter of a cell.

    Returns
    -------
    AreaRule
        Points, weights, and the points of each cell.
    """
    quadrilateral = element(plate.element).corners == 4
    reference = _QUADRILATERAL if quadrilateral else _TRIANGLE
    share = (1.0 if quadrilateral else 0.5) / reference.shape[1]
    if refined:
        reference, share = _quartered(reference, quadrilateral), 0.25 * share
    shapes, slopes = shape_functions(element(plate.element).shape(), reference)
    stretch = np.linalg.det(np.einsum("qbj,cbi->cqij", slopes, plate.X[plate.nodes]))
    points = shapes @ plate.X[plate.nodes]
    cells = np.arange(stretch.size, dtype=np.int32).reshape(stretch.shape)
    clockwise = stretch[:, 0] < 0.0  # a mesh may number its corners in either sense
    cells[clockwise] = cells[clockwise, ::-1]
    return AreaRule(points.reshape(-1, 2), share * np.abs(stretch).ravel(), cells)


def _quartered(reference: np.ndarray, quadrilateral: bool) -> np.ndarray:
    """Points (2, 4k) of a rule (2, k) in each quarter of the reference cell."""
    half = 0.5 * reference
    corners = (
        [[0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]] if quadrilateral else [[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]]
    )
    middle = [] if quadrilateral else [0.5 - half]
    return np.concatenate([*(half + np.array(corner)[:, None] for corner in corners), *middle], axis=1)
