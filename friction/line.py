"""The friction problem along a line, min ½ x·K x − b·x + Σ w_i |x_i|, K with three subdiagonals, by an interior-point method.

``friction.nodal`` needs a matrix that is positive definite on sliding nodes. The matrix of a quasi-static beam without supports
is, while two nodes stick; Newton's iterates may release them. With x = p − m, p, m >= 0, the minimum has the conditions

    K x − b + λ = 0,    p_i α_i = 0,    m_i β_i = 0,    α = w − λ >= 0,    β = w + λ >= 0

Mehrotra's predictor and corrector follow their relaxation p_i α_i = m_i β_i = μ to μ -> 0, in about as many banded solutions at
any number of nodes. With E = p/α + m/β and e the change of p − m at constant λ, a step solves

    (K + 1/E) dx = b − K x − λ + e/E,    dλ = (dx − e)/E.

In the end nodes with K_ii p < α and K_ii m < β stick: mostly exactly the sticking nodes of the minimum. A direct solution with
these, or neighbouring sets, follows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from friction.arrays import Array, Bools
from friction.errors import FrictionSolveError
from friction.result import TrescaResult
from friction.status import FREE, REVERSED, SLIP, STICK

BAND = 3
ITERATIONS, MAX_SIZE_INCREASES, INTERIOR_FRACTION, MAX_ACTIVE_SETS = 200, 20, 0.995, 40
FINAL_MU_RATIO = 1e-24
"""μ over its first value at which the iteration ends: both factors of the products are then accurate to rounding."""
RIGID_MODE_SHIFT = 1e-13
"""Relative shift of the diagonal of a matrix whose sticking nodes leave a rigid motion free."""
LARGEST_ROUNDING = 0.1
"""Rounding of forces over the largest force above which there is no minimum."""
REST_RATIO = 1e-8
"""Rate over the largest start rate below which a node is set to rest: stick is exact, not a creep within tolerance."""


class _Line(NamedTuple):
    """``product``: x -> K x; the lower ``band`` (4, n) of K and its ``absolute`` values; b and w (n,) N; ``size`` N of the absolute
    terms of the sum b."""

    product: Callable[[Array], Array]
    band: Array
    absolute: csr_matrix
    b: Array
    w: Array
    size: float

    def rounding(self, x: Array) -> float:
        """Rounding of the forces at x, N."""
        return 4.0 * float(np.finfo(float).eps) * (self.size + float((self.absolute @ np.abs(x)).max(initial=0.0)))


class _Iterate(NamedTuple):
    """x (n,); g = K x − b (n,), N, accumulated over the steps, as rounding of x times K is not small; the sticking entries
    ``fixed``."""

    x: Array
    g: Array
    fixed: Bools


def solve_increment(
    matrix: csr_matrix, b: Array, bound: Array, start: Array, reference: Array, rtol: float, size: float,
    product: Callable[[Array], Array] | None = None,
) -> TrescaResult:  # fmt: skip
    """Minimiser x (n,) of ``½ x·K x − b·x + Σ w_i |x_i|``, as a result with a zero second component.

    K (n, n), the ``matrix``, has three subdiagonals and is positive semidefinite; ``b`` and w >= 0, the ``bound``, (n,), N;
    ``start`` and ``reference`` (n,), m/s: start, and velocities against which entries count as reversed; ``rtol``, and ``size``,
    N, of the absolute terms of the sum b; ``product``: x -> K x with less rounding than the matrix's. Raises FrictionSolveError
    where there is no minimum.
    """
    band = np.zeros((BAND + 1, len(b)))
    for k in range(BAND + 1):
        band[k, : len(b) - k] = matrix.diagonal(-k)
    line = _Line(product or matrix.__matmul__, band, abs(matrix), b, bound, size)
    scale = max(float(np.abs(b).max(initial=0.0)), float(bound.max(initial=0.0)))
    at, iterations = _interior_point(line, start)
    still = REST_RATIO * float(np.abs(start[bound > 0.0]).max(initial=0.0))
    at = _zeroed(line, at, at.fixed | (bound > 0.0) & (np.abs(at.x) <= still))
    signs, tolerance = np.where(at.fixed, 0.0, np.sign(at.x)), np.inf
    for solves in range(MAX_ACTIVE_SETS):
        tolerance = max(rtol * scale, line.rounding(at.x))
        if not tolerance <= LARGEST_ROUNDING * scale and scale > 0.0:  # an unbounded rigid motion
            break
        slip = float(np.abs(np.where(at.fixed, 0.0, at.g + bound * signs)).max(initial=0.0))
        excess = np.where(at.fixed, np.abs(at.g) - bound, 0.0)
        stick = max(float(excess.max(initial=0.0)), 0.0)
        if slip <= tolerance and stick <= 2.0 * tolerance:
            return _result(line, at, reference, (stick, slip, tolerance), (iterations, solves))
        if slip <= tolerance:
            freed = excess > 2.0 * tolerance
            at, signs = at._replace(fixed=at.fixed & ~freed), np.where(freed, -np.sign(at.g), signs)
        p = _step_to_minimum(line, at, signs)
        if p is None:
            break
        at = at._replace(x=at.x + p, g=at.g + line.product(p))
        at = _zeroed(line, at, at.fixed | (bound > 0.0) & (at.x * signs < 0.0))
        if line.rounding(p) > tolerance:  # after a large step the accumulated g is not that of x
            at = at._replace(g=line.product(at.x) - b)
        signs = np.where(at.fixed, 0.0, np.sign(at.x))
    raise FrictionSolveError(
        "stagnated", _result(line, at, reference, (np.inf, np.inf, tolerance), (iterations, MAX_ACTIVE_SETS))
    )


def _interior_point(line: _Line, start: Array) -> tuple[_Iterate, int]:
    """Interior point with its sticking entries, and the number of steps; ``start`` where there is none.

    Too large a start value leaves rounding errors in the forces; the iteration is then repeated from its result.
    """
    near = start
    for _ in range(2):
        at, steps = _path_following(line, near)
        if at is None:
            break
        near = at.x
        if np.abs(line.product(near) - line.b - at.g).max() <= line.rounding(near):
            return at, steps
    return _Iterate(start, line.product(start) - line.b, (line.w > 0.0) & (start == 0.0)), ITERATIONS


def _zeroed(line: _Line, at: _Iterate, fixed: Bools) -> _Iterate:
    """Iterate with x = 0 where ``fixed``."""
    return _Iterate(np.where(fixed, 0.0, at.x), at.g - line.product(np.where(fixed, at.x, 0.0)), fixed)


def _step_to_minimum(line: _Line, at: _Iterate, signs: Array) -> Array | None:
    """Step to the minimum with x = 0 where ``fixed`` and friction w × ``signs`` elsewhere; None for a singular matrix."""
    band, n = line.band.copy(), len(line.b)
    for k in range(1, BAND + 1):
        band[k, : n - k][at.fixed[k:] | at.fixed[: n - k]] = 0.0
    factor = _factor(band)
    if factor is None:
        band[0] = band[0] * (1.0 + RIGID_MODE_SHIFT) + RIGID_MODE_SHIFT * band[0].max()
        factor = _factor(band)
    return None if factor is None else _solve(factor, np.where(at.fixed, 0.0, -(at.g + line.w * signs)))


def _factor(band: Array) -> Array | None:
    """Cholesky factor of a matrix by its lower ``band`` (4, n); None where it is not positive definite."""
    try:
        return np.asarray(scipy.linalg.cholesky_banded(band, lower=True, check_finite=False))
    except np.linalg.LinAlgError:
        return None


def _solve(factor: Array, rhs: Array) -> Array:
    return np.asarray(scipy.linalg.cho_solve_banded((factor, True), rhs, check_finite=False))


def _path_following(line: _Line, near: Array) -> tuple[_Iterate | None, int]:
    """Interior point, with x of the size of ``near`` (n,) m/s, and the number of steps; None where there is no minimum."""
    frictional = np.flatnonzero(line.w > 0.0)
    bound, stiff, x = line.w[frictional], line.band[0, frictional], np.zeros_like(line.b)
    if not (len(frictional) and line.b.any()):
        return _Iterate(x, -line.b, line.w > 0.0), 0
    least = 1e-3 * float(np.abs(line.b).max() / line.band[0].max())
    size = _initial_size(line, frictional, max(float(np.abs(near[frictional]).max()), least))
    if size is None:
        return None, 0
    p, m, alpha, beta = np.full(len(frictional), size), np.full(len(frictional), size), bound.copy(), bound.copy()
    first = mu = size * float(bound.mean())
    # λ and b − K x − λ are accumulated, so that the rounding of x does not enter them.
    force, residual = np.zeros(len(frictional)), line.b.copy()
    for steps in range(1, ITERATIONS + 1):
        E = p / alpha + m / beta
        factor = _factor_with_diagonal(line, frictional, 1.0 / E)
        if factor is None:
            return None, steps
        goal, second = 0.0, (0.0, 0.0)
        for corrector in (False, True):
            up, down = (goal - second[0]) / alpha - p, (goal - second[1]) / beta - m
            right = residual.copy()
            right[frictional] += (up - down) / E
            dx = _solve(factor, right)
            more = (dx[frictional] - (up - down)) / E
            changes = (up + p * more / alpha, down - m * more / beta, -more, more)
            values = (p, m, alpha, beta)
            share = max(float((-change / value).max()) for value, change in zip(values, changes, strict=True))
            length = min(1.0, INTERIOR_FRACTION / share) if share > 0.0 else 1.0
            new = [value + length * change for value, change in zip(values, changes, strict=True)]
            after = float(new[0] @ new[2] + new[1] @ new[3]) / (2 * len(frictional))
            if not corrector:
                goal, second = mu * min(1.0, after / mu) ** 3, (-changes[0] * more, changes[1] * more)
        p, m, alpha, beta = new
        x += length * dx
        residual -= length * line.product(dx)
        residual[frictional] -= length * more
        force += length * more
        mu = after
        if mu <= FINAL_MU_RATIO * first:
            stick, g = np.zeros(len(x), np.bool_), -residual
            stick[frictional] = (stiff * p < alpha) & (stiff * m < beta)
            g[frictional] -= force
            return _Iterate(x, g, stick), steps
    return None, ITERATIONS


def _factor_with_diagonal(line: _Line, frictional: NDArray[np.intp], diagonal: Array) -> Array | None:
    """Factor of K + ``diagonal`` on the entries ``frictional``."""
    band = line.band.copy()
    band[0, frictional] += diagonal
    return _factor(band)


def _initial_size(line: _Line, frictional: NDArray[np.intp], size: float) -> float | None:
    """Smallest size, from the given one up, for which linear friction w x/size limits the motion to about that size."""
    for _ in range(MAX_SIZE_INCREASES):
        factor = _factor_with_diagonal(line, frictional, line.w[frictional] / size)
        if factor is None:
            return None
        if float(np.abs(_solve(factor, line.b)[frictional]).max()) <= 10.0 * size:
            return size
        size *= 10.0
    return None


def _result(
    line: _Line, at: _Iterate, reference: Array, residuals: tuple[float, float, float], counts: tuple[int, int]
) -> TrescaResult:
    """Result with a zero second component, as of the friction solver."""
    (stick, slip, tolerance), (iterations, solves), w = residuals, counts, line.w
    multiplier = np.where(at.fixed, np.clip(-at.g, -w, w), w * np.sign(at.x))
    state = np.full(len(at.x), SLIP, dtype=np.int8)
    state[at.x * reference < 0.0] = REVERSED
    state[at.fixed], state[w == 0.0] = STICK, FREE
    idle = np.zeros_like(at.x)
    return TrescaResult(
        velocity=np.stack([at.x, idle], axis=1),
        multiplier=np.stack([multiplier, idle], axis=1),
        state=state,
        residual_stick=stick,
        residual_slip=slip,
        tolerance=tolerance,
        iterations=1 + solves,
        fallback_iterations=0,
        factorisations=iterations + solves,
        solves=2 * iterations + solves,
        method="interior point",
    )
