"""Forces along a line, where every force has a potential: its integral, and where it crosses a level."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from friction.arrays import Array

_ABSCISSA, _WEIGHT = np.polynomial.legendre.leggauss(6)


def integral_along(force: Callable[[Array], Array], knots: Array, speed: Array) -> Array:
    """Return the integral (N,) of a force from 0 to speeds (N,), m/s; exact for polynomials of degree 11 between the knots.

    ``force``: speeds (N,) -> (N,); ``knots`` (N, K), m/s.
    """
    ends = np.sort(np.column_stack([knots, np.zeros_like(speed), speed]), axis=1)
    low, high = np.minimum(speed, 0.0)[:, None], np.maximum(speed, 0.0)[:, None]
    ends = np.clip(ends, low, high)
    middle, half = 0.5 * (ends[:, 1:] + ends[:, :-1]), 0.5 * np.diff(ends, axis=1)
    total = np.zeros_like(speed)
    for abscissa, weight in zip(_ABSCISSA, _WEIGHT, strict=True):
        values = np.stack([force(s) for s in (middle + abscissa * half).T], axis=1)
        total += weight * np.einsum("nk,nk->n", half, values)
    return np.sign(speed) * total


def crossings(force: Callable[[Array], Array], marks: Sequence[float], level: float, count: int) -> list[Array]:
    """Return where a force, monotone between increasing marks, m/s, crosses a level, by bisection.

    ``force``: ``count`` speeds (N,), m/s -> (N,). Returns (N,), m/s, for each two marks: an end of these without a crossing.
    """
    places = []
    for low, high in itertools.pairwise(marks):
        a, b = np.full(count, low), np.full(count, high)
        above = force(a) > level
        for _ in range(60):
            middle = 0.5 * (a + b)
            same = (force(middle) > level) == above
            a, b = np.where(same, middle, a), np.where(same, b, middle)
        places.append(0.5 * (a + b))
    return places
