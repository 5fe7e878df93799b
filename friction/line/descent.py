"""The friction problem along a line, min ½ x·K x − b·x + Σ w_i |x_i| with a banded K, by descent over active sets.

The general solver of ``friction`` needs a matrix that is positive definite on what slides. A quasi-static beam without supports has
that only while two nodes stick, so Newton's iterates may let the whole beam go. Here every iterate lowers the energy instead:

1. solve for the minimum with the present set of sticking nodes and directions of sliding,
2. go there, or to the lowest point on the way (exact line search over the kinks x_i = 0); nodes that stop on a kink stick,
3. at the minimum of the set, let those go whose friction would exceed w_i: all of them, then, where that is no descent, the
   largest excess alone, which always is.

K is banded with three subdiagonals, so each round costs O(n). The energy decreases and each set is met once: the rounds end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from friction import FREE, REVERSED, SLIP, STICK, FrictionSolveError, TrescaResult
from friction.arrays import Array, Bools
from friction.line import banded, interior_point
from friction.line.interior_point import Product

BAND = 3
ROUNDS_PER_UNKNOWN, FEWEST_ROUNDS = 10, 200
RIGID = 1e-13
"""Share of its diagonal added to a matrix whose sticking nodes leave a rigid motion free; the line search bounds the step."""

LARGEST_ROUNDING = 0.1
"""Of the largest force: where x leaves more to rounding there is no minimum."""

RESTING = 1e-8
"""Of the largest rate before: nodes that move less are tried at rest, so that stick is exact and not a creep within tolerance."""


@dataclass(kw_only=True)
class _Energy:
    """J and what its minimisation needs; ``product``: x -> K x; ``band`` (4, n) its lower form; ``size`` N of the absolute terms
    that b was made of."""

    absolute: csr_matrix
    product: Product
    band: Array
    b: Array
    w: Array
    size: float

    @classmethod
    def of(cls, matrix: csr_matrix, product: Product | None, b: Array, w: Array, size: float) -> _Energy:
        """Take the lower bands out of the matrix."""
        n = len(b)
        band = np.zeros((BAND + 1, n))
        for k in range(BAND + 1):
            band[k, : n - k] = matrix.diagonal(-k)
        of_x = product or matrix.__matmul__
        return cls(absolute=abs(matrix), product=of_x, band=band, b=b, w=w, size=size)

    def rounding(self, x: Array) -> float:
        """What rounding leaves of the forces at x, N."""
        return 4.0 * float(np.finfo(float).eps) * (self.size + float((self.absolute @ np.abs(x)).max(initial=0.0)))

    def toward(self, g: Array, fixed: Bools, signs: Array) -> Array:
        """The step p to the minimum with p = 0 where ``fixed`` and friction w × ``signs`` elsewhere."""
        band = self.band.copy()
        for k in range(BAND + 1):
            pair = fixed[k:] | fixed[: len(fixed) - k]
            band[k, : len(fixed) - k][pair] = 0.0
        band[0][fixed] = self.band[0][fixed]
        rhs, factor, p = np.where(fixed, 0.0, -(g + self.w * signs)), np.empty_like(band), np.empty_like(g)
        if not banded.factorise(band, factor):
            band[0] *= 1.0 + RIGID
            band[0] += RIGID * band[0].max()
            banded.factorise(band, factor)
        banded.solve(factor, rhs, p)
        return np.where(fixed, 0.0, p)

    def lowest(self, x: Array, g: Array, p: Array) -> tuple[float, NDArray[np.int64]]:
        """(t, kinks): the t >= 0 at which J(x + t p) is lowest, and which entries are 0 there. t = 0: p is no descent."""
        slope = float(g @ p) + float(self.w @ np.where(x != 0.0, p * np.sign(x), np.abs(p)))
        if not slope < 0.0:
            return 0.0, np.empty(0, dtype=np.int64)
        curvature = float(p @ self.product(p))
        crossing = np.flatnonzero((self.w > 0.0) & (x * p < 0.0))
        times = -x[crossing] / p[crossing]
        order = np.argsort(times)
        crossing, times = crossing[order], times[order]
        rises = np.concatenate([[0.0], np.cumsum(2.0 * self.w[crossing] * np.abs(p[crossing]))])
        ends = np.concatenate([times, [np.inf]])
        with np.errstate(divide="ignore"):
            zeros = -(slope + rises) / curvature if curvature > 0.0 else np.full(len(rises), np.inf)
        piece = int(np.argmax((zeros <= ends) | (slope + rises >= 0.0)))
        start = 0.0 if piece == 0 else float(times[piece - 1])
        if slope + rises[piece] + curvature * start >= 0.0 and piece > 0:
            return start, crossing[piece - 1 : piece]
        return float(min(zeros[piece], ends[piece])), np.empty(0, dtype=np.int64)


@dataclass(kw_only=True)
class _Iterate:
    """x (n,), g = K x − b (n,) N, summed up on the way, as what rounding leaves in x is not small times K; which entries stick
    (``fixed``), the directions of sliding (``signs``), residuals and tolerance, N."""

    x: Array
    g: Array
    fixed: Bools
    signs: Array
    stick: float = np.inf
    slip: float = np.inf
    tolerance: float = np.inf


def solve_increment(
    matrix: csr_matrix, b: Array, bound: Array, start: Array, reference: Array, rtol: float, size: float,
    product: Product | None = None,
) -> TrescaResult:  # fmt: skip
    """Return x that minimises ``½ x·K x − b·x + Σ w_i |x_i|``, (n,), as a result with an idle second component.

    K (n, n), the ``matrix``, has three subdiagonals and is positive semidefinite; ``b`` and w >= 0, the ``bound``, (n,), N;
    ``start`` and ``reference`` (n,), m/s: where to begin, and against what entries count as reversed; ``rtol``, and ``size``, N, of
    the absolute terms that b was made of; ``product``: x -> K x with less rounding than the matrix's. Raises FrictionSolveError
    when the energy falls no further above the tolerance.
    """
    energy = _Energy.of(matrix, product, b, bound, size)
    scale = max(float(np.abs(b).max(initial=0.0)), float(bound.max(initial=0.0)))
    largest = float(np.abs(start[bound > 0.0]).max(initial=0.0))
    at = _begin(energy, start)
    single, solves = False, 0
    limit = max(FEWEST_ROUNDS, ROUNDS_PER_UNKNOWN * len(b))
    for rounds in range(1, limit + 1):
        at.tolerance = max(rtol * scale, energy.rounding(at.x))
        if at.tolerance > LARGEST_ROUNDING * scale:  # a rigid motion without end
            break
        at.slip = float(np.abs(np.where(at.fixed, 0.0, at.g + bound * at.signs)).max(initial=0.0))
        if at.slip > at.tolerance:
            solves += 1
            moved = _move(energy, at)
            if moved is not None:
                single = moved
                continue
            if at.slip > 1e2 * at.tolerance:  # beyond rounding: not a minimum, and no descent
                break
        excess = np.where(at.fixed, np.abs(at.g) - bound, -np.inf)
        at.stick = max(float(excess.max(initial=0.0)), 0.0)
        if at.stick <= at.tolerance:
            return _result(energy, _at_rest(energy, at, RESTING * largest), reference, rounds, solves)
        freed = np.arange(len(b)) == int(np.argmax(excess)) if single else excess > at.tolerance
        at.fixed &= ~freed
        at.signs[freed] = -np.sign(at.g[freed])
        single = True  # until a step has been made
    best = _result(energy, at, reference, rounds, solves)
    raise FrictionSolveError("stagnated" if rounds < limit else "out of iterations", best)


def _begin(energy: _Energy, start: Array) -> _Iterate:
    """Return the interior point with the entries that stick at rest, ``start`` where there is none.

    Where it began with too large an x, rounding left forces that are not those of its x, and it begins anew.
    """
    rubs, near = energy.w > 0.0, start
    for _ in range(2):
        interior = interior_point.solve(energy.product, energy.band, energy.b, energy.w, near)
        if interior is None:
            break
        near, g, fixed = interior
        if np.abs(energy.product(near) - energy.b - g).max() <= energy.rounding(near):
            g = g - energy.product(np.where(fixed, near, 0.0))
            signs = np.where(rubs & ~fixed, np.sign(near), 0.0)
            return _Iterate(x=np.where(fixed, 0.0, near), g=g, fixed=fixed, signs=signs)
    g = energy.product(start) - energy.b
    return _Iterate(x=start, g=g, fixed=rubs & (start == 0.0), signs=np.where(rubs, np.sign(start), 0.0))


def _move(energy: _Energy, at: _Iterate) -> bool | None:
    """Go towards the minimum of the present set, in place; say whether entries are now to be let go one by one, None where the
    way is no descent, or has no lowest point (beyond the limit load)."""
    rubs = energy.w > 0.0
    p = energy.toward(at.g, at.fixed, at.signs)
    wrong = rubs & ~at.fixed & (at.x == 0.0) & (p * at.signs <= 0.0)  # just let go, and would move against its sign
    if wrong.any():
        at.fixed |= wrong
        at.signs[wrong] = 0.0
        return True
    t, kinks = energy.lowest(at.x, at.g, p)
    if not (np.isfinite(t) and t > 0.0):
        return None
    at.x, at.g = at.x + t * p, at.g + t * energy.product(p)
    at.fixed[kinks] = True
    at.g -= energy.product(np.where(at.fixed, at.x, 0.0))
    at.x[at.fixed] = 0.0
    at.signs = np.where(rubs & ~at.fixed, np.sign(at.x), 0.0)
    return False


def _at_rest(energy: _Energy, at: _Iterate, threshold: float) -> _Iterate:
    """Return the iterate with x = 0 where ``|x|`` <= ``threshold``, if that satisfies the law as well; else as given.

    After a reversal nearly every node is still at its bound but at rest, and slides only by what the tolerance leaves open.
    """
    resting = (energy.w > 0.0) & ~at.fixed & (np.abs(at.x) <= threshold)
    if not resting.any():
        return at
    fixed = at.fixed | resting
    x, signs = np.where(resting, 0.0, at.x), np.where(resting, 0.0, at.signs)
    g = at.g - energy.product(np.where(resting, at.x, 0.0))
    p = energy.toward(g, fixed, signs)
    x, g = x + p, g + energy.product(p)
    excess = max(float(np.where(fixed, np.abs(g) - energy.w, 0.0).max()), 0.0)
    rest = float(np.abs(np.where(fixed, 0.0, g + energy.w * signs)).max())
    if max(excess, rest) > 2.0 * at.tolerance or np.any(x * signs < 0.0):
        return at
    return _Iterate(x=x, g=g, fixed=fixed, signs=signs, stick=excess, slip=rest, tolerance=at.tolerance)


def _result(energy: _Energy, at: _Iterate, reference: Array, rounds: int, solves: int) -> TrescaResult:
    """Return the result with an idle second component, as the friction solver gives it."""
    w, g = energy.w, at.g
    multiplier = np.where(at.fixed, np.clip(-g, -w, w), w * np.sign(at.x))
    state = np.full(len(at.x), SLIP, dtype=np.int8)
    state[at.x * reference < 0.0] = REVERSED
    state[at.fixed], state[w == 0.0] = STICK, FREE
    idle = np.zeros_like(at.x)
    return TrescaResult(
        velocity=np.stack([at.x, idle], axis=1),
        multiplier=np.stack([multiplier, idle], axis=1),
        state=state,
        residual_stick=at.stick,
        residual_slip=at.slip,
        tolerance=at.tolerance,
        iterations=rounds,
        fallback_iterations=0,
        factorisations=solves,
        solves=solves,
        method="descent over active sets",
    )
