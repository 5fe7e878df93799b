"""The problem of nodes under contact laws: data, residuals, linear solves with a reused factor."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from friction.arrays import Array, Bools, contiguous
from friction.errors import NotPositiveDefinite
from friction.factors import FactorCache, gmres, same_key
from friction.laws.protocol import Law
from friction.nodal import kernels as nodes
from friction.nodal.kernels import GUIDED, UNILATERAL
from friction.nodal.smooth_objective import SmoothPart
from friction.nodal.transformed import RateDependentPart
from friction.result import TrescaOptions, TrescaResult
from friction.status import REVERSED, SLIP, STICK
from friction.stick import COULOMB, is_coulomb

LEAST_TOLERANCE = float(np.finfo(float).tiny)
"""Least tolerance, N: smaller forces (subnormal numbers, as of a load sin Ωt near t = 0) have no relative accuracy."""
FORCING = 1e-3
"""Relative residual of the iterative solve of a Newton step."""
MAX_STALE_SOLVES, MAX_SOLVES = 8, 60
"""Most iterations of GMRES: with an old factor, beyond which it is renewed, and with the step's own."""
STALE_RATE = 0.5
"""An old factor is renewed where an iteration leaves more of the residual: eight would end at 2⁻⁷, above FORCING."""

DEFAULT_OPTIONS = TrescaOptions()


class NodeLaws(NamedTuple):
    """Contact laws of nodes (``kernels``): the given ``bound`` (N,) N of friction, the coefficient ``mu`` (N,) on the normal
    force, the ``kind`` (N,) of the law across the ground, nodes ``fixed`` (N,) to it, and components ``prescribed`` (N, d) as 0."""

    bound: Array
    mu: Array
    kind: NDArray[np.int8]
    fixed: Bools
    prescribed: Bools

    @classmethod
    def given(cls, bound: Array, fixed: Bools) -> NodeLaws:
        """Laws of nodes in the plane under given bounds."""
        count = len(bound)
        return cls(bound, np.zeros(count), np.zeros(count, np.int8), fixed, np.zeros((count, 2), np.bool_))


@dataclass(kw_only=True)
class Iterate:
    """An iterate v (N, d), m/s, with g(v) (N, d), N, the residuals of stick and slip and their tolerance, N;
    ``p`` (s, d) N: forces of contacts at nodes that have several (``shared``).

    The ``reason`` why a method ended there is "converged", "cycle", "singular" or one of ``friction.errors.REASONS``.
    """

    v: Array
    g: Array
    stick: float
    slip: float
    tolerance: float
    reason: str = ""
    p: Array | None = None
    residual: float = field(init=False)
    """The larger residual, N; NaN if a force is not finite."""

    def __post_init__(self) -> None:
        lets_nan_through = self.slip <= self.stick or self.stick != self.stick
        self.residual = self.stick if lets_nan_through else self.slip


def stopped(at: Iterate, reason: str) -> Iterate:
    """Set the ``reason`` why the method ended at an iterate, in place."""
    at.reason = reason
    return at


@dataclass(kw_only=True)
class NodalProblem:
    """The problem g(v) = p, p of the ``laws``, for slip velocities v (N, d), m/s; a hessian's data are (nnz,), N s/m.

    ``ground`` (N, d), m/s (None: 0): the laws' velocity is v − ground. A gap over a short step is so large a velocity that v −
    ground, as the unknown, would lose the digits of v. ``nt``: components along the ground; ``law``: of friction under given
    bounds, its totals shared; ``key``: the dependence of the cache's matrix besides v; ``weight`` of velocities against forces in
    the laws' equations; ``counts``: of the solution so far, see ``TrescaResult``.
    """

    part: SmoothPart
    laws: NodeLaws
    cache: FactorCache
    ground: Array | None = None
    nt: int = 2
    law: Law = COULOMB
    key: Hashable = None
    options: TrescaOptions = DEFAULT_OPTIONS
    weight: float = 1.0
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        cache, d = self.cache, len(self.cache.dims)
        self.tangs, self.w, self.fixed = (0,) * self.nt, self.laws.bound, self.laws.fixed
        prescribed = self.laws.prescribed
        self.excluded_from_sweeps = self.fixed | prescribed.any(axis=1) if prescribed.any() else self.fixed
        self.w_max = float(self.w.max(initial=0.0))
        self.coupled = self.nt < d and bool(self.laws.mu.any())
        self.bound = self.w  # of sticking nodes; replaced by set-valued laws with another one
        self.has_unilateral = self.nt < d and bool((self.laws.kind == UNILATERAL).any())  # may open: residuals need r
        self.changed = False  # see ``shared``
        self.skew = np.zeros(0)  # of the part's matrix at the last linearisation
        self.is_coulomb_problem = is_coulomb(self.law)
        self.constrained, self.jump, self.rhs, self.D, self.coupling = cache.work_arrays(self.nt)
        if not same_key(cache.key, self.key):
            cache.forget()
            cache.key = self.key

    @property
    def nonsmooth(self) -> bool:
        """True where a node obeys a law of more than one branch: friction, or contact that may open."""
        return self.w_max > 0.0 or self.has_unilateral

    def as_coulomb(
        self, bound: Array, part: SmoothPart | None = None, key: object = None, options: TrescaOptions | None = None
    ) -> NodalProblem:
        """The Coulomb problem with the ``bound`` (N,), N, and maybe another part with the ``key`` of its matrix; same counts."""
        return replace(
            self,
            part=part or self.part,
            laws=self.laws._replace(bound=bound),
            law=COULOMB,
            key=self.key if key is None else (self.key, key),
            options=options or self.options,
        )

    def evaluate(self, v: Array, p: Array | None = None) -> Iterate:
        """Gradient, residuals of the laws and tolerance at v; ``p``: see ``Iterate``."""
        g = self.part.gradient(v)
        stick, slip = nodes.residual(self.cache.dims, self.tangs, self.relative(v), g, *self.laws, self.cache.r)
        scale = max(self.w_max, self.part.scale(v))
        tolerance = max(self.options.rtol * scale, self.part.rounding(v), LEAST_TOLERANCE)
        return Iterate(v=v, g=g, stick=stick, slip=slip, tolerance=tolerance)

    def relative(self, v: Array) -> Array:
        """Velocities (N, d), m/s, against the ground."""
        return v if self.ground is None else v - self.ground

    def absolute(self, u: Array) -> Array:
        """Velocities v (N, d), m/s, from velocities u against the ground."""
        return u if self.ground is None else u + self.ground

    def impose(self, v: Array) -> None:
        """Set the constrained components of v (N, d) that are not prescribed to the ground's."""
        constrained = self.constrained & ~self.laws.prescribed
        v[constrained] = 0.0 if self.ground is None else self.ground[constrained]

    @property
    def imposed(self) -> Bools:
        """Components (N, d) constrained by data: prescribed ones, fixed nodes along the ground, guided ones across it."""
        constrained = self.laws.prescribed.copy()
        constrained[self.fixed, : self.nt] = True
        constrained[self.laws.kind == GUIDED, self.nt :] = True
        return constrained

    def contracts(self, at: Iterate, previous: float) -> bool:
        """True where the old factor, or matrix that sweeps solve, is untried (``previous`` residual infinite, N), or contracts fast
        enough."""
        if not (self.cache.valid or self.cache.swept) or not at.residual < previous:
            return False
        if math.isinf(previous):
            return True
        steps = math.log(at.residual / at.tolerance) / math.log(previous / at.residual)
        return steps <= self.options.chord_steps

    def hessian(self, v: Array, *, keep: bool = False) -> Array:
        """Data (nnz,) of the hessian at v, or the last ones where they are to be kept; the nodal scaling r (N,) is renewed from the
        diagonal."""
        cache = self.cache
        part, at, data = cache.assembled
        if not keep and (part is not self.part or at is not v):
            data = self.part.hessian(v)
            cache.assembled = self.part, v, data
        if isinstance(self.part, RateDependentPart):
            self.skew = self.part.skew(v)
        nodes.scaling(cache.dims, cache.indptr, data, cache.own, self.weight, cache.r)
        return data

    def matrix(self, data: Array) -> scipy.sparse.csr_array:
        """Sparse matrix (dN, dN), N s/m, of the hessian's data."""
        size = self.constrained.size
        return scipy.sparse.csr_array((data, self.cache.indices, self.cache.indptr), shape=(size, size))

    def linearise(self, v: Array, g: Array, tie: float) -> int:
        """Linearise the laws at v, g (N, d): ``constrained``, ``D``, ``coupling``, ``jump``; return the number of nodes brought to
        rest."""
        jumps: int = nodes.linearise(
            self.cache.dims,
            self.tangs,
            self.relative(v),
            g,
            *self.laws,
            self.cache.r,
            tie,
            self.constrained,
            self.D,
            self.coupling,
            self.jump,
        )
        return jumps

    def active_set_unchanged(self, at: Iterate) -> bool:
        """Linearise the laws at an iterate; True where the old factor constrains the same components."""
        return (
            self.linearise(at.v, at.g, at.tolerance) == 0
            and self.constrained.tobytes() == self.cache.constrained.tobytes()
        )

    def eliminate(self, data: Array) -> Array:
        """Matrix (nnz,) of a Newton step without the constrained components; its right-hand side is written into ``rhs``."""
        cache = self.cache
        nodes.eliminate(
            cache.dims, self.tangs, cache.indptr, cache.indices, data, cache.own, self.constrained, self.D, self.coupling,
            not cache.symmetric, cache.r, self.jump, cache.work, self.rhs,
        )  # fmt: skip
        return cache.work

    def factorise(self, data: Array, blocks: Array | None = None, constrained: Bools | None = None) -> None:
        """Factorise the hessian + friction tangent, D or ``blocks`` (N, nt, nt), without the ``constrained`` (N, d) components, by
        default those of the linearisation. Raises NotPositiveDefinite."""
        if blocks is not None:
            self.D[:] = blocks
        if constrained is not None:
            self.constrained[:], self.jump[:], self.coupling[:] = constrained, 0.0, 0.0
        self.refactor(self.eliminate(data))

    def refactor(self, values: Array) -> None:
        """Factorise the ``values`` (nnz,) of ``eliminate``; NotPositiveDefinite passes."""
        cache = self.cache
        cache.valid = False
        self.counts["factorisations"] += 1
        cache.factor.refactor(values)
        cache.key, cache.valid = self.key, True
        cache.constrained[:] = self.constrained

    def factorised(self, data: Array, blocks: Array, constrained: Bools) -> bool:
        """Factorise as ``factorise``; False where the sum is not positive definite."""
        try:
            self.factorise(data, blocks, constrained)
        except NotPositiveDefinite:
            return False
        return True

    def newton_step(self, data: Array, at: Iterate) -> tuple[Array, Array | None]:
        """Newton step (N, d) of the laws linearised at an iterate, and the forces ``Iterate.p`` after it.

        Where friction follows an unknown normal force, the coupling of rows along the ground to those across is left to GMRES with
        the factor of the symmetric part, an old one while few iterations suffice. NotPositiveDefinite passes.
        """
        values = self.eliminate(data)
        needs_gmres = self.needs_gmres()
        if needs_gmres and self.cache.valid:
            step, enough = self._gmres(data, MAX_STALE_SOLVES, STALE_RATE)
            if enough:
                return step, None
        self.refactor(values)
        coupled = needs_gmres and self.cache.symmetric
        return (self._gmres(data, MAX_SOLVES, 1.0)[0] if coupled else self.solve(self.rhs)), None

    def definite_step(self, at: Iterate) -> Array:
        """Newton step (N, d) with the part's definite hessian, where its own is indefinite; NotPositiveDefinite where it has
        none."""
        if not isinstance(self.part, RateDependentPart) or self.w_max:
            raise NotPositiveDefinite("the matrix of a Newton step is not positive definite; take a smaller step")
        self.skew = np.zeros(0)
        self.refactor(self.eliminate(self.part.definite_hessian(at.v)))
        return self.solve(self.rhs)

    def needs_gmres(self) -> bool:
        """True where a step has terms that a symmetric factor leaves out."""
        return (self.coupled and bool(self.coupling.any())) or len(self.skew) > 0

    def product(self, data: Array, x: Array) -> Array:
        """Product (dN,) with the whole matrix of a Newton step, of which ``eliminate`` gives a part."""
        cache, y = self.cache, np.empty(self.rhs.size)
        coupling = self.coupling if cache.symmetric else np.zeros_like(self.coupling)
        nodes.coupled_product(
            cache.dims, self.tangs, cache.indptr, cache.indices, cache.work, data, self.constrained, coupling, x, y
        )
        if len(self.skew):
            v, w = np.where(self.constrained, 0.0, x.reshape(self.rhs.shape)), y.reshape(self.rhs.shape)
            w[:, :2] += np.where(
                self.constrained[:, :2], 0.0, self.skew[:, None] * np.stack([v[:, 1], -v[:, 0]], axis=1)
            )
        return y

    def _gmres(self, data: Array, limit: int, rate: float) -> tuple[Array, bool]:
        """At most ``limit`` iterations of GMRES with the factor at hand, fewer where each leaves more than ``rate`` of the
        residual; return the step, and True where it converged."""
        rhs, goal = self.rhs.ravel(), FORCING * math.sqrt(np.vdot(self.rhs, self.rhs))
        solve = self.cache.factor.solve
        step, error, solves = gmres(solve, lambda x: self.product(data, x), rhs, goal, limit, rate)
        self.counts["solves"] += solves
        return step.reshape(self.rhs.shape), error <= goal

    def solve(self, rhs: Array) -> Array:
        """Solution (N, d) of the factorised system for rhs (N, d)."""
        self.counts["solves"] += 1
        return self.cache.factor.solve(rhs.ravel()).reshape(rhs.shape)

    def result(self, at: Iterate, reference: Array | None, method: str) -> TrescaResult:
        """Result at an iterate; slip counts as reversed against ``reference`` (N, nt), m/s."""
        v, nt, (bound, _, *laws) = at.v, self.nt, self.laws._replace(bound=self.bound)
        multiplier, state = np.empty_like(v), np.empty(len(v), dtype=np.int8)
        against = np.empty((0, nt)) if reference is None else contiguous(reference)
        nodes.forces_and_states(self.cache.dims, self.tangs, v, at.g, bound, *laws, against, multiplier, state)
        if not self.law.set_valued:  # no stick: the law gives lambda everywhere
            multiplier[~self.fixed, :nt] = self.law.force(v[:, :nt], self.w)[~self.fixed]
            state[state == STICK] = SLIP
        elif not self.is_coulomb_problem:
            self._law_multiplier(v, at.g, multiplier, state)
        return TrescaResult(
            velocity=v,
            multiplier=multiplier,
            state=state,
            residual_stick=at.stick,
            residual_slip=at.slip,
            tolerance=at.tolerance,
            method=method,
            **self.counts,
        )

    def _law_multiplier(self, v: Array, g: Array, multiplier: Array, state: NDArray[np.int8]) -> None:
        """Write λ of the set-valued law into the multiplier (N, d), so far λ of a disc: in stick ``|y|``, λ = Dᵀ y, is cut to the
        bound."""
        slip, nt = (state == SLIP) | (state == REVERSED), self.nt
        multiplier[slip, :nt] = self.law.force(v[:, :nt], self.w)[slip]
        stick = state == STICK
        y = np.where(self.laws.prescribed[stick, :nt], 0.0, g[stick, :nt])
        y = y if self.law.metric is None else np.linalg.solve(self.law.metric, y.T).T
        size, bound = np.hypot(y[:, 0], y[:, 1]), self.bound[stick]
        share = np.where(size > bound, bound / np.where(size > 0.0, size, 1.0), 1.0)
        multiplier[stick, :nt] = -share[:, None] * g[stick, :nt]
