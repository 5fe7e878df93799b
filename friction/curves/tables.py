"""Tables of a function: monotone cubic (PCHIP) between the points, straight beyond them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from friction.arrays import Array, as_numbers, shown


@dataclass(frozen=True, eq=False)
class Table:
    """A once differentiable curve through points; no overshoot between them (Fritsch & Carlson).

    Parameters
    ----------
    x, y : Array
        Points (n,), x growing.
    curve : PPoly
        The cubic.
    """

    x: Array
    y: Array
    curve: scipy.interpolate.PPoly

    @classmethod
    def of(cls, name: str, pairs: ArrayLike) -> Table:
        """Tabulate ``pairs`` (n, 2). ValueError, with the ``name``, unless they are at least two, finite, with growing x."""
        points = as_numbers(pairs, name)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.isfinite(points).all():
            raise ValueError(f"{name} must be two or more pairs of finite numbers, got {shown(pairs)}")
        x, y = points.T.copy()
        if np.any(np.diff(x) <= 0.0):
            raise ValueError(f"{name} must have growing abscissae, got {x.tolist()}")
        return cls(x, y, scipy.interpolate.PchipInterpolator(x, y))

    @property
    def numbers(self) -> Array:
        """Parameters for compiled code: n, x (n,), four coefficients of each piece, the integral up to each."""
        return np.array(
            [len(self.x), *self.x, *self.curve.c.T.ravel(), *self.curve.antiderivative().c[-1]], dtype=np.float64
        )


def odd_table(name: str, pairs: ArrayLike) -> Table:
    """Tabulate ``pairs`` (n, 2), made odd about the origin where only x >= 0 is given; messages begin with ``name``."""
    table = Table.of(name, pairs)
    if table.x[0] < 0.0:
        return table
    x, y = (table.x, table.y) if table.x[0] > 0.0 else (table.x[1:], table.y[1:])
    middle = (0.0, 0.0 if table.x[0] > 0.0 else table.y[0])
    return Table.of(name, np.column_stack([[*-x[::-1], middle[0], *x], [*-y[::-1], middle[1], *y]]))
