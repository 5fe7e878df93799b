"""The friction problem along a line by an interior-point method: as many banded solutions at any number of nodes.

min ½ x·K x − b·x + Σ w_i |x_i| with x = p − m, p, m >= 0 has the conditions

    K x − b + λ = 0,    p_i α_i = 0,    m_i β_i = 0,    α = w − λ >= 0,    β = w + λ >= 0

of which Mehrotra's predictor and corrector follow those with p_i α_i = m_i β_i = μ to μ -> 0. With E = p/α + m/β and e what p − m
would change by at λ as it is, a step solves (K + 1/E) dx = b − K x − λ + e/E, and dλ = (dx − e)/E. In the end a node sticks where
holding it costs less than its distance from the bounds, K_ii p < α and K_ii m < β: mostly exactly the set of the minimum,
however many nodes a reversal brings to rest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from friction.arrays import Array, Bools
from friction.line import banded

Product = Callable[[Array], Array]

ITERATIONS, SIZES, STEP = 60, 20, 0.995
SMALL = 1e-24
"""μ over its value at the start at which the sets are read off: products of numbers that are both known to the last digit."""


class _Shifted:
    """K + diag on the entries ``rubs``, factorised; ``band`` (4, n): the lower bands of K."""

    def __init__(self, band: Array, rubs: NDArray[np.intp]) -> None:
        self._band, self.rubs = band, rubs
        self._matrix, self._factor, self._solution = band.copy(), np.empty_like(band), np.empty(band.shape[1])

    def factorise(self, diagonal: Array) -> bool:
        self._matrix[0] = self._band[0]
        self._matrix[0, self.rubs] += diagonal
        return bool(banded.factorise(self._matrix, self._factor))

    def solve(self, rhs: Array) -> Array:
        banded.solve(self._factor, rhs, self._solution)
        return self._solution


def solve(product: Product, band: Array, b: Array, w: Array, near: Array) -> tuple[Array, Array, Bools] | None:
    """Return x (n,), near the minimum, K x − b (n,), and which entries with w > 0 stick (n,); None where it finds no minimum.

    ``product``: x -> K x; ``band``: the lower bands of K (4, n); b and w >= 0 (n,), N; ``near`` (n,), m/s, of the size that x may
    have.
    """
    rubs = np.flatnonzero(w > 0.0)
    bound, stiff, shifted = w[rubs], band[0, rubs], _Shifted(band, rubs)
    x, stick = np.zeros_like(b), w > 0.0
    if not (len(rubs) and b.any()):
        return x, -b, stick
    size = _size(shifted, bound, b, max(float(np.abs(near[rubs]).max()), 1e-3 * float(np.abs(b).max() / band[0].max())))
    if size is None:
        return None
    p, m, alpha, beta = np.full(len(rubs), size), np.full(len(rubs), size), bound.copy(), bound.copy()
    first = mu = size * float(bound.mean())
    # λ, and b − K x − λ, are summed up: what rounding leaves in x does not return.
    force, residual = np.zeros(len(rubs)), b.copy()
    for _ in range(ITERATIONS):
        E = p / alpha + m / beta
        if not shifted.factorise(1.0 / E):
            return None
        goal, second = 0.0, (0.0, 0.0)
        for corrector in (False, True):
            up, down = (goal - second[0]) / alpha - p, (goal - second[1]) / beta - m
            right = residual.copy()
            right[rubs] += (up - down) / E
            dx = shifted.solve(right)
            more = (dx[rubs] - (up - down)) / E
            steps = (up + p * more / alpha, down - m * more / beta, -more, more)
            values = (p, m, alpha, beta)
            share = max(float((-change / value).max()) for value, change in zip(values, steps, strict=True))
            length = min(1.0, STEP / share) if share > 0.0 else 1.0
            moved = [value + length * change for value, change in zip(values, steps, strict=True)]
            after = float(moved[0] @ moved[2] + moved[1] @ moved[3]) / (2 * len(rubs))
            if not corrector:
                goal, second = mu * min(1.0, after / mu) ** 3, (-steps[0] * more, steps[1] * more)
        p, m, alpha, beta = moved
        x += length * dx
        residual -= length * product(dx)
        residual[rubs] -= length * more
        force += length * more
        mu = after
        if mu <= SMALL * first:
            stick[rubs] = (stiff * p < alpha) & (stiff * m < beta)
            g = -residual
            g[rubs] -= force
            return x, g, stick
    return None


def _size(shifted: _Shifted, bound: Array, b: Array, size: float) -> float | None:
    """Return the least size, from the given one up, within which friction w x/size, linear in x, about holds the body."""
    for _ in range(SIZES):
        if not shifted.factorise(bound / size):
            return None
        if float(np.abs(shifted.solve(b)[shifted.rubs]).max()) <= 10.0 * size:
            return size
        size *= 10.0
    return None
