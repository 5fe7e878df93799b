"""The quintic step of RecurDyn, step5, with slope and integral, and its odd form through the origin.

step5(x, x0, h0, x1, h1) = h0 + (h1 - h0) (10 s^3 - 15 s^4 + 6 s^5), s = (x - x0)/(x1 - x0) clamped to [0, 1]. Slope and
curvature vanish at both ends (the derivative of the fraction is 30 s^2 (1 - s)^2), so that it is twice differentiable. All take x
of any shape and return values of that shape.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from friction.arrays import Array


def _share(x: ArrayLike, x0: float, x1: float) -> Array:
    return np.clip((np.asarray(x, dtype=np.float64) - x0) / (x1 - x0), 0.0, 1.0)


def step5(x: ArrayLike, x0: float, h0: float, x1: float, h1: float) -> Array:
    """Step from h0 at x0 to h1 at x1 > x0, constant outside."""
    s = _share(x, x0, x1)
    return h0 + (h1 - h0) * (s * s * s * (10.0 + s * (6.0 * s - 15.0)))


def step5_integral(x: ArrayLike, x0: float, h0: float, x1: float, h1: float) -> Array:
    """Integral of ``step5`` from x0 to x >= x0; the integrand is h1 beyond x1."""
    s = _share(x, x0, x1)
    inside = h0 * s + (h1 - h0) * (s * s * s * s * (2.5 + s * (s - 3.0)))
    return (x1 - x0) * inside + h1 * np.maximum(np.asarray(x, dtype=np.float64) - x1, 0.0)


def rise(x: ArrayLike) -> Array:
    """Odd step step5(x, −1, −1, 1, 1) for x >= 0 without cancellation at small x: x (15 − 10 x² + 3 x⁴)/8, then 1.

    Its derivative is 2 x 1/2 x 30 s² (1 − s)² with s = (1 + x)/2, that is 15 (1 − x²)²/8; this is the integral.
    """
    inside = np.minimum(x, 1.0)
    square = inside * inside
    return inside * ((15.0 + square * (3.0 * square - 10.0)) / 8.0)


def rise_integral(x: ArrayLike) -> Array:
    """Integral of ``rise`` from 0 to x."""
    inside = np.minimum(x, 1.0)
    square = inside * inside
    return square * (15.0 + square * (square - 5.0)) / 16.0 + np.maximum(np.asarray(x) - 1.0, 0.0)
