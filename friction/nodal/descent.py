"""The friction problem of a beam's quasi-static increment: min ½ x·K x − b·x + Σ w_i |x_i|, by descent over active sets.

The general solver of ``friction`` needs a matrix that is positive definite on what slides. A beam without inertia and supports has
that only while two of its nodes stick, and sliding in one direction only adds no curvature (|x| has none away from 0), so Newton's
iterates may let the whole beam go. Here every iterate lowers the energy instead:

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
from scipy.linalg import LinAlgError, solveh_banded
from scipy.sparse import csr_matrix

from friction import FREE, REVERSED, SLIP, STICK, FrictionSolveError, TrescaResult
from friction.arrays import Array, Bools

BAND = 3
ROUNDS_PER_UNKNOWN, FEWEST_ROUNDS = 10, 200
_RIGID = 1e-13
"""Share of its diagonal added to a matrix whose sticking nodes leave a rigid motion free; the line search bounds the step."""

_SETTLED = 1e-8
"""Of the largest rate before: nodes that move less are tried at rest, so that stick is exact and not a creep within tolerance."""


@dataclass
class _Energy:
    """J and what its minimisation needs; ``band`` (4, n) lower form of ``matrix``."""

    matrix: csr_matrix
    band: Array
    b: Array
    w: Array

    def smooth_gradient(self, x: Array) -> Array:
        result: Array = self.matrix @ x - self.b
        return result

    def toward(self, x: Array, g: Array, fixed: Bools, signs: Array) -> Array:
        """The step p to the minimum with x = 0 where ``fixed`` and friction w × ``signs`` elsewhere."""
        band = self.band.copy()
        for k in range(BAND + 1):
            pair = fixed[k:] | fixed[: len(fixed) - k]
            band[k, : len(fixed) - k][pair] = 0.0
        band[0][fixed] = self.band[0][fixed]
        rhs = np.where(fixed, 0.0, -(g + self.w * signs))
        try:
            return np.where(fixed, 0.0, solveh_banded(band, rhs, lower=True))
        except LinAlgError:
            band[0] *= 1.0 + _RIGID
            band[0] += _RIGID * band[0].max()
            return np.where(fixed, 0.0, solveh_banded(band, rhs, lower=True))

    def lowest(self, x: Array, g: Array, p: Array) -> tuple[float, NDArray[np.int64]]:
        """(t, kinks): the t >= 0 at which J(x + t p) is lowest, and which entries are 0 there. t = 0: p is no descent."""
        slope = float(g @ p) + float(self.w @ np.where(x != 0.0, p * np.sign(x), np.abs(p)))
        if not slope < 0.0:
            return 0.0, np.empty(0, dtype=np.int64)
        curvature = float(p @ (self.matrix @ p))
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


def solve_increment(
    matrix: csr_matrix, b: Array, weights: Array, start: Array, reference: Array, rtol: float, size: float
) -> TrescaResult:
    """Minimise from ``start`` (n,); ``matrix`` (n, n) with three subdiagonals, b and ``weights`` w (n,) N; ``reference`` (n,):
    against it entries count as reversed; ``size`` N: absolute terms that b was made of. Raises FrictionSolveError."""
    n = len(b)
    band = np.zeros((BAND + 1, n))
    for k in range(BAND + 1):
        band[k, : n - k] = matrix.diagonal(-k)
    energy = _Energy(matrix, band, b, weights)
    rubs = weights > 0.0
    x = start.copy()
    fixed = rubs & (x == 0.0)
    signs = np.where(rubs, np.sign(x), 0.0)
    scale = max(float(np.abs(b).max(initial=0.0)), float(weights.max(initial=0.0)))
    absolute = abs(matrix)
    largest = float(np.abs(start[rubs]).max(initial=0.0))
    single, solves = False, 0
    tolerance = slip = stick = np.inf
    limit = max(FEWEST_ROUNDS, ROUNDS_PER_UNKNOWN * n)
    for rounds in range(1, limit + 1):
        g = energy.smooth_gradient(x)
        rounding = 4.0 * float(np.finfo(float).eps) * (size + float((absolute @ np.abs(x)).max(initial=0.0)))
        tolerance = max(rtol * scale, rounding)
        slip = float(np.abs(np.where(fixed, 0.0, g + weights * signs)).max(initial=0.0))
        if slip > tolerance:
            p = energy.toward(x, g, fixed, signs)
            solves += 1
            wrong = rubs & ~fixed & (x == 0.0) & (p * signs <= 0.0)  # just let go, and would move against its sign
            if wrong.any():
                fixed |= wrong
                signs[wrong] = 0.0
                single = True
                continue
            t, kinks = energy.lowest(x, g, p)
            if not np.isfinite(t):  # no lowest point: beyond the limit load
                break
            if t > 0.0:
                x = x + t * p
                x[fixed] = 0.0
                x[kinks] = 0.0
                fixed[kinks] = True
                signs = np.where(rubs & ~fixed, np.sign(x), 0.0)
                single = False
                continue
            if slip > 1e2 * tolerance:  # beyond rounding: not a minimum, and no descent
                break
        excess = np.where(fixed, np.abs(g) - weights, -np.inf)
        stick = max(float(excess.max(initial=0.0)), 0.0)
        if stick <= tolerance:
            x, g, fixed, stick, slip = _settled(energy, x, g, fixed, signs, tolerance, _SETTLED * largest, stick, slip)
            return _result(x, g, weights, fixed, reference, stick, slip, tolerance, rounds, solves)
        freed = excess > tolerance
        if single:
            freed = np.arange(n) == int(np.argmax(excess))
        fixed &= ~freed
        signs[freed] = -np.sign(g[freed])
        single = True  # until a step has been made
    g = energy.smooth_gradient(x)
    found = _result(x, g, weights, fixed, reference, stick, slip, tolerance, rounds, solves)
    raise FrictionSolveError("stagnated" if rounds < limit else "out of iterations", found)


def _settled(
    energy: _Energy,
    x: Array,
    g: Array,
    fixed: Bools,
    signs: Array,
    tolerance: float,
    threshold: float,
    stick: float,
    slip: float,
) -> tuple[Array, Array, Bools, float, float]:
    """(x, g, fixed, residuals) with x = 0 where |x| ≤ ``threshold``, if that satisfies the law as well; else as given.

    After a reversal nearly every node is still at its bound but at rest, and slides only by what the tolerance leaves open.
    """
    resting = (energy.w > 0.0) & ~fixed & (np.abs(x) <= threshold)
    if not resting.any():
        return x, g, fixed, stick, slip
    held = fixed | resting
    trial, pulls = np.where(resting, 0.0, x), np.where(resting, 0.0, signs)
    trial = trial + energy.toward(trial, energy.smooth_gradient(trial), held, pulls)
    gradient = energy.smooth_gradient(trial)
    excess = max(float(np.where(held, np.abs(gradient) - energy.w, 0.0).max()), 0.0)
    rest = float(np.abs(np.where(held, 0.0, gradient + energy.w * pulls)).max())
    if max(excess, rest) > tolerance or np.any(trial * pulls < 0.0):
        return x, g, fixed, stick, slip
    return trial, gradient, held, excess, rest


def _result(
    x: Array,
    g: Array,
    w: Array,
    fixed: Bools,
    reference: Array,
    stick: float,
    slip: float,
    tol: float,
    rounds: int,
    solves: int,
) -> TrescaResult:
    """The result with an idle second component, as the friction solver gives it."""
    multiplier = np.where(fixed, np.clip(-g, -w, w), w * np.sign(x))
    state = np.full(len(x), SLIP, dtype=np.int8)
    state[x * reference < 0.0] = REVERSED
    state[fixed], state[w == 0.0] = STICK, FREE
    idle = np.zeros_like(x)
    return TrescaResult(
        velocity=np.stack([x, idle], axis=1),
        multiplier=np.stack([multiplier, idle], axis=1),
        state=state,
        residual_stick=stick,
        residual_slip=slip,
        tolerance=tol,
        iterations=rounds,
        fallback_iterations=0,
        factorisations=solves,
        solves=solves,
        method="descent over active sets",
    )
