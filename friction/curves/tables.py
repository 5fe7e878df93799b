"""Tables of a function: monotone cubic (PCHIP) between the points, straight beyond them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from friction.arrays import Array, as_numbers, shown


@dataclass(frozen=True, eq=False)
class Table:
    """Hold a once differentiable curve through points; no overshoot between them (Fritsch & Carlson).

    Parameters
    ----------
    x, y : Array
        Points (n,), x growing.
    curve, first, primitive : PPoly
        The cubic, its derivative and its integral.
    """

    x: Array
    y: Array
    curve: scipy.interpolate.PPoly
    first: scipy.interpolate.PPoly
    primitive: scipy.interpolate.PPoly

    @classmethod
    def of(cls, name: str, pairs: ArrayLike) -> Table:
        """Tabulate ``pairs`` (n, 2). ValueError, with the ``name``, unless they are at least two, finite, with growing x."""
        points = as_numbers(pairs, name)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.isfinite(points).all():
            raise ValueError(f"{name} must be two or more pairs of finite numbers, got {shown(pairs)}")
        x, y = points.T.copy()
        if np.any(np.diff(x) <= 0.0):
            raise ValueError(f"{name} must have growing abscissae, got {x.tolist()}")
        curve = scipy.interpolate.PchipInterpolator(x, y)
        return cls(x, y, curve, curve.derivative(), curve.antiderivative())

    def _inside(self, x: ArrayLike) -> tuple[Array, Array]:
        """x within the table and how far it lies beyond."""
        at = np.asarray(x, float)
        inside = np.clip(at, self.x[0], self.x[-1])
        return inside, at - inside

    def value(self, x: ArrayLike) -> Array:
        """Return y(x)."""
        inside, beyond = self._inside(x)
        return np.asarray(self.curve(inside) + self.first(inside) * beyond)

    def slope(self, x: ArrayLike) -> Array:
        """Return dy/dx."""
        return np.asarray(self.first(self._inside(x)[0]))

    def integral(self, x: ArrayLike) -> Array:
        """Return the integral of y from the first point to x."""
        inside, beyond = self._inside(x)
        return np.asarray(self.primitive(inside) + beyond * (self.curve(inside) + 0.5 * self.first(inside) * beyond))


def odd_table(name: str, pairs: ArrayLike) -> Table:
    """Tabulate ``pairs`` (n, 2), made odd about the origin where only x >= 0 is given; ``name`` is for the message."""
    table = Table.of(name, pairs)
    if table.x[0] < 0.0:
        return table
    x, y = (table.x, table.y) if table.x[0] > 0.0 else (table.x[1:], table.y[1:])
    middle = (0.0, 0.0 if table.x[0] > 0.0 else table.y[0])
    return Table.of(name, np.column_stack([[*-x[::-1], middle[0], *x], [*-y[::-1], middle[1], *y]]))
