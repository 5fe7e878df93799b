"""One friction problem under solution: data, tolerance, counts and the work shared by the methods."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from friction.arrays import Array, Bools
from friction.errors import NotPositiveDefinite
from friction.factors import FactorCache
from friction.laws.coulomb import Coulomb
from friction.laws.protocol import Law
from friction.nodal.kernels import newton as kernels
from friction.nodal.smooth_objective import SmoothPart
from friction.result import REVERSED, SLIP, STICK, Counts, TrescaOptions, TrescaResult
from friction.stick import is_coulomb


@dataclass(kw_only=True)
class Iterate:
    """Hold an iterate, v (N, 2), m/s, and g(v) (N, 2), N, with its residuals of stick and slip and what they are judged against, N.

    The ``reason`` why a method ended there is "converged", "cycle", or one of ``friction.errors.REASONS``.
    """

    v: Array
    g: Array
    stick: float
    slip: float
    tolerance: float
    reason: str = ""

    @property
    def residual(self) -> float:
        """The larger residual, N; NaN if a force is not finite."""
        return self.stick if self.slip <= self.stick or self.stick != self.stick else self.slip  # lets NaN through


def ended(at: Iterate, reason: str) -> Iterate:
    """Return the iterate, changed in place, with the ``reason`` why the method ended there."""
    at.reason = reason
    return at


def same_key(a: object, b: object) -> bool:
    """Say whether two keys of factors are equal, item by item: a NumPy number beside a tuple would answer with an array."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same_key(x, y) for x, y in zip(a, b, strict=True))
    return not isinstance(a, tuple) and not isinstance(b, tuple) and bool(a == b)


@dataclass(kw_only=True)
class NodalFrictionProblem:
    """Hold g(v) + λ = 0, λ of the law, v = 0 where fixed, for slip velocities v (N, 2), m/s; a hessian's data are (nnz,), N s/m.

    ``w``: bounds (N,), N; ``fixed`` (N,): where v = 0 is imposed; ``law``: its totals shared; ``key``: what the cache's matrix
    depends on besides v; ``counts``: of the solution so far.
    """

    part: SmoothPart
    w: Array
    fixed: Bools
    law: Law
    cache: FactorCache
    key: Hashable = None
    options: TrescaOptions = field(default_factory=TrescaOptions)
    counts: Counts = field(default_factory=Counts)

    def __post_init__(self) -> None:
        nodes = len(self.w)
        self.w_max = float(self.w.max(initial=0.0))
        self.eliminated = np.zeros(nodes, dtype=np.bool_)
        self.d = np.zeros((nodes, 3))
        self.bound = self.w  # of sticking nodes; a set-valued law with others says so
        self.is_coulomb_problem = is_coulomb(self.law)
        if not same_key(self.cache.key, self.key):
            self.cache.forget()

    def as_coulomb(
        self, bound: Array, part: SmoothPart | None = None, key: object = None, options: TrescaOptions | None = None
    ) -> NodalFrictionProblem:
        """Return the Coulomb problem with the ``bound`` (N,), N, maybe another part, whose matrix ``key`` tells; same counts."""
        return replace(
            self,
            part=part or self.part,
            w=bound,
            law=Coulomb(),
            key=self.key if key is None else (self.key, key),
            options=options or self.options,
        )

    def evaluate(self, v: Array) -> Iterate:
        """Return the iterate at v: gradient, residuals of the law, tolerance."""
        g = np.ascontiguousarray(self.part.gradient(v))
        if self.is_coulomb_problem:
            stick, slip = kernels.residuals(v, g, self.w, self.fixed)
        elif self.law.set_valued:
            stick, slip = self._own_residuals(v, g)
        else:
            force = self.force(v, g)
            stick, slip = 0.0, float(np.hypot(force[:, 0], force[:, 1]).max(initial=0.0))
        scale = max(self.w_max, self.part.scale(v))
        tolerance = max(self.options.rtol * scale, self.part.rounding(v))
        return Iterate(v=v, g=g, stick=stick, slip=slip, tolerance=tolerance)

    def force(self, v: Array, g: Array) -> Array:
        """Return g + λ(v) (N, 2), N, with the law's force of slip; 0 where fixed."""
        return np.where(self.fixed[:, None], 0.0 * g, g + self.law.force(v, self.w))

    def _own_force(self, v: Array, g: Array, multiplier: Array, state: NDArray[np.int8]) -> None:
        """Write lambda of the set-valued law into multiplier (N, 2), which holds what a disc of its bound gives."""
        slip = (state == SLIP) | (state == REVERSED)
        multiplier[slip] = self.law.force(v, self.w)[slip]
        stick = state == STICK
        size, bound = self._pull(g)[stick], self.bound[stick]
        multiplier[stick] = -np.where(size > bound, bound / np.where(size > 0.0, size, 1.0), 1.0)[:, None] * g[stick]

    def _pull(self, g: Array) -> Array:
        """Return what is compared with the bound of a sticking node (N,), N: ``|λ|``, of an ellipse ``|y|`` with λ = Dᵀ y."""
        y = g if self.law.metric is None else np.linalg.solve(self.law.metric, g.T).T
        return np.hypot(y[:, 0], y[:, 1])

    def _own_residuals(self, v: Array, g: Array) -> tuple[float, float]:
        """Return the residuals (stick, slip), N, of a set-valued law other than Coulomb's."""
        rest = ~v.any(axis=1) & (self.bound > 0.0) & ~self.fixed
        slip = self.force(v, g)[~rest]
        if not np.isfinite(g).all():
            return math.nan, math.nan
        excess = np.maximum(self._pull(g) - self.bound, 0.0)[rest].max(initial=0.0)
        return float(excess), float(np.hypot(slip[:, 0], slip[:, 1]).max(initial=0.0))

    def energy(self, v: Array) -> float:
        """Return the energy J(v), W: smooth part and potential of the law."""
        return self.part.energy(v) + float(self.law.potential(v, self.w).sum())

    def contracts(self, at: Iterate, previous: float) -> bool:
        """Say whether the factor at hand is untried at an iterate (``previous`` residual infinite, N), or contracts fast enough."""
        if not self.cache.valid or at.residual >= previous:
            return False
        if math.isinf(previous):
            return True
        steps = math.log(at.residual / at.tolerance) / math.log(previous / at.residual)
        return steps <= self.options.chord_steps

    def hessian(self, v: Array) -> Array:
        """Return the hessian's data (nnz,) and renew the nodal scaling r (N,) from its diagonal."""
        data = self.part.hessian(v)
        self.cache.r = kernels.scaling(data, self.cache.diagonal)
        return data

    def matrix(self, data: Array) -> scipy.sparse.csr_array:
        """Return the hessian (2N, 2N), N s/m, of its data."""
        size = 2 * len(self.w)
        return scipy.sparse.csr_array((data, self.cache.indices, self.cache.indptr), shape=(size, size))

    def set_blocks(self, blocks: Array) -> None:
        """Take symmetric blocks (N, 2, 2), N s/m, as the friction tangent d."""
        self.d[:] = blocks[:, (0, 0, 1), (0, 1, 1)]

    def factorise(self, data: Array, blocks: Array | None = None) -> None:
        """Factorise the hessian + friction tangent, d or ``blocks``, without eliminated nodes; NotPositiveDefinite passes."""
        if blocks is not None:
            self.set_blocks(blocks)
        cache = self.cache
        cache.forget()
        kernels.eliminate(
            cache.indptr, cache.indices, data, cache.diagonal, self.eliminated, self.d, cache.r, cache.work
        )
        self.counts.factorisations += 1
        cache.factor.refactor(cache.work)
        cache.key, cache.eliminated, cache.valid = self.key, self.eliminated.copy(), True

    def factorised(self, data: Array, blocks: Array) -> bool:
        """Factorise with symmetric ``blocks``; False where the sum is not positive definite."""
        try:
            self.factorise(data, blocks)
        except NotPositiveDefinite:
            return False
        return True

    def close_rhs(self, data: Array, rhs: Array) -> None:
        """Couple the jumps at eliminated nodes to the others, in ``rhs`` (N, 2), in place."""
        kernels.close_rhs(self.cache.indptr, self.cache.indices, data, self.eliminated, self.cache.r, rhs)

    def solve(self, rhs: Array) -> Array:
        """Return the factor's solution (N, 2) for rhs (N, 2)."""
        self.counts.solves += 1
        return self.cache.factor.solve(rhs.ravel()).reshape(rhs.shape)

    def result(self, at: Iterate, reference: Array | None, method: str) -> TrescaResult:
        """Return the result at an iterate; slip counts as reversed against ``reference`` (N, 2), m/s."""
        v = at.v.copy()
        v[self.fixed] = 0.0
        multiplier, state = np.empty_like(v), np.empty(len(v), dtype=np.int8)
        against = np.empty((0, 2)) if reference is None else reference
        kernels.outcome(v, at.g, self.bound, self.fixed, against, multiplier, state)
        if not self.law.set_valued:  # no stick: lambda is the law's everywhere
            multiplier = np.where(self.fixed[:, None], multiplier, self.law.force(v, self.w))
            state[state == STICK] = SLIP
        elif not self.is_coulomb_problem:
            self._own_force(v, at.g, multiplier, state)
        for array in (v, multiplier, state):
            array.flags.writeable = False
        return TrescaResult(
            velocity=v,
            multiplier=multiplier,
            state=state,
            residual_stick=at.stick,
            residual_slip=at.slip,
            tolerance=at.tolerance,
            method=method,
            **vars(self.counts),
        )
