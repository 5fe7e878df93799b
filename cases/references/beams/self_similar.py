"""A long beam on a rough plane, pushed across at its end: the self-similar solution, derived and computed.

Nikitin (1992), Stupkiewicz and Mróz (1994). A beam x >= 0 of stiffness EJ lies on ground with friction q per length; the end
force P grows slowly from 0. Nothing has a length but P/q, so with xi = x q/P

    w(x; P) = P^4/(EJ q^3) W(xi),        dw/dP = P^3/(EJ q^3) V(xi),     V = 4 W - xi W'.

Where V > 0 the friction is -q, so W'''' = -1; where V < 0, W'''' = +1; where V = 0 it is in between. W is C^3 (no force but the
end's), with W''(0) = 0 and W'''(0) = 1. Differentiating,

    V' = 3 W' - xi W'',   V'' = 2 W'' - xi W''',   V''' = W''' - xi W'''',   V'''' = 0 within a zone,

so V is a piecewise cubic, C^2, with the jumps -xi_k [W''''] = -+2 xi_k of V''' at its zeros xi_k, and V''(0) = 0, V'''(0) = 1.
A last zone next to stuck ground would need V = V' = V'' = 0 at its far end and V = 0 at its near one, which a cubic without a jump
of V''' in between does not have: so the zones follow each other without end and shrink towards a point xi_inf, beyond which nothing
has moved. There xi_k hardly varies, V''' = +-xi_inf alternates, and a geometric sequence of zones of lengths l, r l, r^2 l, ...
must repeat itself with turned sign: with m, k, c the slope, curvature and third derivative at a zone's start,

    V(l) = m l + k l^2/2 + c l^3/6 = 0,   V'(l) = m + k l + c l^2/2 = -r^2 m,   V''(l) = k + c l = -r k,

which leaves (r + 1)(r^2 - 3 r + 1) = 0, so r = (3 - sqrt 5)/2 = 0.381966.

The numbers: with the pattern W'''' = (-1)^k on (xi_{k-1}, xi_k), all of W follows from the zones' ends,
W(xi) = int_xi^inf (s - xi)^3/6 W''''(s) ds, and the conditions are the balance of forces, int W'''' = -1, of moments,
int xi W'''' = 0, and V(xi_k) = 0. `solve` continues the sequence geometrically after a few zones; with 12 of them the error is
below 1e-12. W(0) = 0.638522577711, W'(0) = -0.657363236485, xi_1 = 1.741440, xi_inf = 3.231020; neighbouring zones have the ratios
0.5618, 0.3296, 0.3644, 0.3756, 0.3796, 0.3811, ... -> r.

One single step to P is another problem: the friction then opposes W itself, W'''' = -sgn W, and W(xi_k) = 0 takes the place of
V(xi_k) = 0. W is a piecewise quartic, and the tail's ratio r follows, one order higher, from c = -1/(1 + r),
k = -(c + 1/2)/(1 + r^2), m = -(k + c/2 + 1/6)/(1 + r^3), m + k/2 + c/6 + 1/24 = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]

RATIO = (3.0 - np.sqrt(5.0)) / 2.0
_TAIL = 30


def _single_step_mismatch(r: float) -> float:
    """W at the end of a tail zone of a single step, over its length to the fourth."""
    c = -1.0 / (1.0 + r)
    k = -(c + 0.5) / (1.0 + r**2)
    m = -(k + c / 2.0 + 1.0 / 6.0) / (1.0 + r**3)
    return m + k / 2.0 + c / 6.0 + 1.0 / 24.0


@cache
def single_step_ratio() -> float:
    """Ratio of successive zones of a single step's tail."""
    return float(scipy.optimize.brentq(_single_step_mismatch, 0.05, 0.9))


@dataclass(frozen=True)
class SelfSimilar:
    """Zone ends xi_1 < xi_2 < ... (n,), of which the last are the geometric tail; all dimensionless."""

    ends: Array

    @property
    def deflection(self) -> float:
        """W(0): end deflection over P^4/(EJ q^3)."""
        return float(self.profile(np.zeros(1), 0)[0])

    @property
    def slope(self) -> float:
        """W'(0): end slope over P^3/(EJ q^2)."""
        return float(self.profile(np.zeros(1), 1)[0])

    @property
    def reach(self) -> float:
        """xi_inf: length in motion over P/q."""
        return float(self.ends[-1])

    @property
    def lengths(self) -> Array:
        """Lengths of the zones (n,), over P/q."""
        return np.diff(self.ends, prepend=0.0)

    @property
    def work(self) -> float:
        """Integral int P dw(0) = 4/5 W(0) of slow loading: work of the end force over P^5/(EJ q^3)."""
        return 0.8 * self.deflection

    @property
    def energy(self) -> float:
        """Integral int W''^2/2: bending energy over P^5/(EJ q^3)."""
        start = self.ends - self.lengths
        points, weights = np.polynomial.legendre.leggauss(6)
        half = 0.5 * self.lengths
        values = self.profile((start[:, None] + half[:, None] * (1.0 + points)).ravel(), 2).reshape(-1, 6)
        return 0.5 * float(np.sum(half[:, None] * weights * values**2))

    def friction_work(self, *, single_step: bool) -> float:
        """Friction work over P^5/(EJ q^3): work less energy of slow loading; of a single step `int |W| = W(0) - int W''^2`."""
        return self.deflection - 2.0 * self.energy if single_step else self.work - self.energy

    def profile(self, xi: Array, order: int = 0) -> Array:
        """Derivative of `order` 0 to 3 of W at xi (m,)."""
        return _profile(self.ends, np.asarray(xi, float), order)


def _signs(count: int) -> Array:
    return np.where(np.arange(count) % 2 == 0, -1.0, 1.0)


def _profile(ends: Array, xi: Array, order: int) -> Array:
    """W and its derivatives by integrating (s - xi)^3/6 over each zone beyond xi."""
    power = 4 - order
    start = np.concatenate([[0.0], ends[:-1]])
    upper = np.maximum(ends[None, :] - xi[:, None], 0.0)
    lower = np.maximum(start[None, :] - xi[:, None], 0.0)
    factor = (-1.0) ** order / np.prod(np.arange(1.0, power + 1))
    result: Array = factor * (upper**power - lower**power) @ _signs(len(ends))
    return result


def _with_tail(ends: Array, ratio: float) -> Array:
    last = ends[-1] - ends[-2]
    return np.concatenate([ends, ends[-1] + last * np.cumsum(ratio ** np.arange(1, _TAIL + 1))])


@cache
def solve(zones: int = 12, *, single_step: bool = False) -> SelfSimilar:
    """The solution with so many free `zones` before the geometric tail, of slow loading or of a `single_step`.

    Raises RuntimeError where the iteration does not converge.
    """
    ratio, slow = (single_step_ratio(), 0.0) if single_step else (RATIO, 1.0)

    def conditions(logarithms: Array) -> Array:
        ends = _with_tail(np.cumsum(np.exp(logarithms)), ratio)
        near = ends[: zones - 2]
        signs, start = _signs(len(ends)), np.concatenate([[0.0], ends[:-1]])
        force = signs @ (ends - start) + 1.0
        moment = 0.5 * signs @ (ends**2 - start**2)
        motion = (1.0 + 3.0 * slow) * _profile(ends, near, 0) - slow * near * _profile(ends, near, 1)
        lengths = np.exp(logarithms[: zones - 2])
        return np.concatenate([[force, moment], motion / lengths ** (4.0 - slow)])

    start = np.log(1.7 * ratio ** np.arange(zones, dtype=float))
    solution = scipy.optimize.root(
        conditions, start, method="lm", options={"xtol": 1e-15, "ftol": 1e-15, "maxiter": 20000}
    )
    if not np.abs(solution.fun).max() < 1e-9:
        raise RuntimeError(f"the self-similar zones were not found: residual {np.abs(solution.fun).max():.3g}")
    return SelfSimilar(_with_tail(np.cumsum(np.exp(solution.x)), ratio))
