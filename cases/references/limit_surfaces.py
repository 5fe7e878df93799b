"""Limit surfaces in closed form: the friction wrench of a body that turns about a point, under uniform pressure.

A body under uniform pressure of resultant N that turns about the point c carries the largest wrench in its direction
(Goyal, Ruina, Papadopoulos 1991): with d = X - c and friction against the slip J d/|d|,

    F = mu N <J d/|d|>,        M about c = mu N <|d|>,        M about X = 0:  M_0 = M_c + (c x F),

<.> the mean over the area. For a rectangle the means are differences over its corners d = (x, y), r = |d|, of

    int int r dx dy   = x y r/3 + x^3/6 asinh(y/|x|) + y^3/6 asinh(x/|y|),
    int int y/r dx dy = x r/2 + y^2/2 asinh(x/|y|),   and with x and y exchanged,

as differentiation shows. For a disc see `disc_reference`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cases.references.spinning_disc import friction_force, friction_torque

Array = NDArray[np.float64]


def rectangle_wrench(length: float, width: float, centre: ArrayLike) -> Array:
    """Wrench (F_x, F_y, M_z)/(mu N) (n, 3) of a rectangle that resists turning counter-clockwise about `centre` (n, 2), m.

    F is dimensionless, M_z about the rectangle's centre in m; the largest load in equilibrium, minus the friction. No side of the
    rectangle, prolonged, may go through a centre: there the closed form is a limit, 0 log 0.
    """
    c = np.atleast_2d(np.asarray(centre, float))
    sides = [np.array([-0.5, 0.5]) * size for size in (length, width)]
    x = sides[0][:, None, None] - c[:, 0]
    y = sides[1][None, :, None] - c[:, 1]
    r = np.hypot(x, y)
    across, along = np.arcsinh(x / np.abs(y)), np.arcsinh(y / np.abs(x))
    area = length * width
    arm = _corners(x * y * r / 3 + x**3 / 6 * along + y**3 / 6 * across) / area
    mean_y = _corners(x * r / 2 + y**2 / 2 * across) / area
    mean_x = _corners(y * r / 2 + x**2 / 2 * along) / area
    force = np.stack([-mean_y, mean_x], axis=1)
    moment = arm + c[:, 0] * force[:, 1] - c[:, 1] * force[:, 0]
    return np.column_stack([force, moment])


def _corners(values: Array) -> Array:
    """Double difference over the four corners (2, 2, n)."""
    return np.asarray(values[1, 1] - values[0, 1] - values[1, 0] + values[0, 0])


def disc_wrench(radius: float, ratio: ArrayLike) -> Array:
    """Force and moment (F, M_z)/(mu N) (n, 2), 1 and m, of a disc for v/(R omega) = `ratio` (n,)."""
    eps = np.asarray(ratio, float)
    return np.column_stack([friction_force(eps), radius * friction_torque(eps)])
