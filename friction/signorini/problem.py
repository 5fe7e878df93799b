"""One problem of contact nodes under solution: data, residuals, and linear solves with a factor that is kept while it serves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray

from friction.arrays import Array, Bools
from friction.cone.kernels import residual
from friction.errors import NotPositiveDefinite, RigidFrictionError
from friction.factors import Factor
from friction.result import Counts
from friction.signorini import kernels
from friction.signorini.shared import SharedNodes

Integers = NDArray[np.int32]

FORCING = 1e-3
"""What an iterative solve leaves of the right-hand side of a Newton step."""
LARGEST_MU = 1e6
KEPT = 8
"""An old factor serves while a Newton step takes no more solves with it."""


class SpacePart(Protocol):
    """Give what is differentiable in nodal velocities v (N, 3): ``friction.SmoothPart`` in space, without an energy."""

    indptr: Integers
    indices: Integers
    linear: bool

    def gradient(self, v: Array) -> Array:
        """Return g(v) (N, 3), N: inertia and internal forces less loads, without contact forces."""

    def hessian(self, v: Array) -> Array:
        """Return dg/dv (nnz,), N s/m, symmetric, with full 3 × 3 node blocks."""

    def rounding(self, v: Array) -> float:
        """Return the size, N, below which entries of g(v) are rounding error."""

    def scale(self, v: Array) -> float:
        """Return the largest nodal force, N, of those that g(v) adds up."""


@dataclass(frozen=True, kw_only=True)
class ContactNodes:
    """Hold the m contacts of nodes that may touch, and what they touch.

    Parameters
    ----------
    nodes : ndarray
        (m,) integers, each once for each obstacle that it may touch.
    axes : Array
        (m, 3, 3): rows t1, t2 and the normal n towards the body, orthonormal, in the components of v.
    mu : Array
        (m,) >= 0; infinite: no slip while closed.
    ground : Array
        (m, 3), m/s: velocity of the ground along t1 and t2, and the least normal velocity, such as −gap/Δt.
    static : Array, optional
        (m,) >= mu: coefficient of nodes at rest until they slip; which come in at rest says ``resting`` (m,).

    Raises
    ------
    ValueError
        For other shapes and values.
    """

    nodes: NDArray[np.intp]
    axes: Array
    mu: Array
    ground: Array
    static: Array | None = None
    resting: Bools | None = None

    def __post_init__(self) -> None:
        count = len(self.nodes)
        shapes = {"axes": (count, 3, 3), "mu": (count,), "ground": (count, 3), "static": (count,), "resting": (count,)}
        for name, shape in shapes.items():
            value = getattr(self, name)
            if value is None:
                continue
            array = np.ascontiguousarray(value, dtype=np.bool_ if name == "resting" else np.float64)
            if array.shape != shape:
                raise ValueError(f"ContactNodes: {name} must have shape {shape}, got {array.shape}")
            if np.isnan(array).any() or (name in ("axes", "ground") and not np.isfinite(array).all()):
                raise ValueError(f"ContactNodes: {name} must be finite")
            object.__setattr__(self, name, array)
        object.__setattr__(self, "nodes", np.asarray(self.nodes, dtype=np.intp))
        if np.abs(self.axes @ self.axes.transpose(0, 2, 1) - np.eye(3)).max(initial=0.0) > 1e-10:
            raise ValueError("ContactNodes: axes must be orthonormal")
        if self.mu.min(initial=0.0) < 0.0:
            raise ValueError(f"ContactNodes: mu must not be negative, got {float(self.mu.min())!r}")
        if (self.static is None) != (self.resting is None):
            raise ValueError("ContactNodes: static and resting come together")
        if self.static is not None and np.any(self.static < self.mu):
            raise ValueError("ContactNodes: static must not be below mu")


class ContactFactor:
    """Carry a factor and the sparsity's tables from one call of ``solve_contact`` to the next.

    A factor serves as long as few solves with it do for a Newton step, whatever it was made for.

    Parameters
    ----------
    indptr, indices : ndarray
        (3N + 1,) and (nnz,), sorted, with full 3 × 3 node blocks; ValueError otherwise.
    factor : Factor, optional
        Default SciPy's SuperLU.
    symmetric : bool
        The factor takes symmetric positive definite matrices only: Newton steps with slip are then found by iteration.
    """

    def __init__(
        self, indptr: Integers, indices: Integers, factor: Factor | None = None, *, symmetric: bool = False
    ) -> None:
        self.indptr = np.ascontiguousarray(indptr, dtype=np.int32)
        self.indices = np.ascontiguousarray(indices, dtype=np.int32)
        if len(self.indptr) % 3 != 1:
            raise ValueError(f"ContactFactor: expected 3N + 1 row pointers, got {len(self.indptr)}")
        self.own = kernels.blocks_start(self.indptr, self.indices)
        if self.own.size and self.own.min() < 0:
            raise ValueError(f"ContactFactor: node {int(self.own.argmin())} lacks entries of its 3 x 3 blocks")
        self.factor: Factor = factor or UnsymmetricLU(self.indptr, self.indices)
        self.symmetric = symmetric
        self.turned, self.work, self.definite = np.empty((3, len(self.indices)))
        self.valid = False

    def forget(self) -> None:
        """Make the next solve factorise anew."""
        self.valid = False


class UnsymmetricLU:
    """Factorise by SciPy's SuperLU."""

    def __init__(self, indptr: Integers, indices: Integers) -> None:
        self._pattern = indices, indptr
        self._lu: scipy.sparse.linalg.SuperLU | None = None

    def refactor(self, data: Array) -> None:
        """Factorise. Raises NotPositiveDefinite for a singular matrix."""
        n = len(self._pattern[1]) - 1
        matrix = scipy.sparse.csc_array(
            (data, *self._pattern), shape=(n, n)
        )  # by rows read as by columns: the transpose
        try:
            self._lu = scipy.sparse.linalg.splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.01)
        except RuntimeError as error:  # SuperLU's "Factor is exactly singular"
            raise NotPositiveDefinite(f"the matrix is singular ({error}); take a smaller step") from None

    def solve(self, rhs: Array) -> Array:
        """Return the solution for a right-hand side."""
        if self._lu is None:
            raise RuntimeError("UnsymmetricLU.solve: nothing is factorised yet; call refactor first")
        return np.asarray(self._lu.solve(rhs, trans="T"))


@dataclass(kw_only=True)
class Iterate:
    """Hold v (N, 3) m/s; of contacts the velocities u (m, 3) m/s against the ground and forces p (m, 3) N in their axes;
    g(v) (N, 3) N, at nodes of one contact in its axes, less p at nodes of several; the residual and its tolerance, N."""

    v: Array
    u: Array
    p: Array
    g: Array
    residual: float
    tolerance: float
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Laws:
    """What the nodes obey: coefficients ``mu`` (m,), or friction ``bound`` (m,) N that are given."""

    mu: Array
    bound: Array | None = None

    @property
    def finite(self) -> Array:
        """Return μ (m,), infinite ones as a large number."""
        return np.minimum(self.mu, LARGEST_MU)


@dataclass(kw_only=True)
class SignoriniProblem:
    """Hold a problem: equilibrium g(v) = Σ p, both laws at the contact nodes, v kept where ``fixed`` (N, 3)."""

    part: SpacePart
    contact: ContactNodes
    fixed: Bools
    cache: ContactFactor
    rtol: float
    counts: Counts = field(default_factory=Counts)

    def __post_init__(self) -> None:
        count, shared = len(self.fixed), SharedNodes(self.contact.nodes, self.contact.axes, self.contact.ground)
        self.shared, self.alone = shared, np.flatnonzero(shared.alone)
        self.single = self.contact.nodes[self.alone]
        self.number = np.full(count, -1)
        self.number[self.single] = self.alone
        self.kappa = np.ones(count)
        self.diagonal = self.cache.indptr[:-1].reshape(-1, 3) + self.cache.own[:, None]

    def of_nodes(self, x: Array) -> Array:
        """Return the rows of x (N, 3) at contacts in their axes (m, 3)."""
        rows: Array = np.einsum("mab,mb->ma", self.contact.axes, x[self.contact.nodes])
        return rows

    def slip(self, v: Array) -> Array:
        """Return the velocities (m, 3) m/s against the ground, in the axes of contact."""
        return self.of_nodes(v) - self.contact.ground

    def placed(self, v: Array, u: Array) -> Array:
        """Return v (N, 3) with the velocities of the nodes of one contact that u (m, 3) says."""
        v = v.copy()
        moves = np.einsum("mab,ma->mb", self.contact.axes, u + self.contact.ground)
        v[self.single] = moves[self.alone]
        return v

    def evaluate(self, v: Array, u: Array, laws: Laws, p: Array | None = None) -> Iterate:
        """Return the iterate at v and u, which agree; ``p`` (m, 3) N: of nodes of several contacts (None: 0)."""
        g, shared = self.part.gradient(v).copy(), self.shared
        force = self.of_nodes(g)
        g[self.single] = force[self.alone]
        if len(shared):
            force[shared.which] = 0.0 if p is None else p[shared.which]
            shared.spread(-force[shared.which], g)
        rest, kappa = np.where(self.fixed, 0.0, g), self.kappa[self.contact.nodes]
        rest[self.single] = 0.0
        if laws.bound is None:
            off = residual(force, u, laws.mu, kappa)
        else:
            off = kernels.given_residual(force, u, laws.bound, kappa)
        size = float(np.maximum(np.abs(rest).max(initial=0.0), np.abs(off).max(initial=0.0)))
        scale = max(self.part.scale(v), float(np.abs(force[self.alone]).max(initial=0.0)))
        tolerance = max(self.rtol * scale, self.part.rounding(v))
        return Iterate(v=v, u=u, p=force, g=g, residual=size, tolerance=tolerance)

    def assemble(self, v: Array) -> None:
        """Turn the matrix at v into the axes of contact, in the cache, and renew κ (N,) from its diagonal."""
        cache = self.cache
        kernels.turn(cache.indptr, cache.indices, self.part.hessian(v), self.number, self.contact.axes, cache.turned)
        self.kappa = np.abs(cache.turned[self.diagonal + np.arange(3)]).mean(axis=1)
        self.kappa[self.kappa == 0.0] = 1.0

    def step(
        self, at: Iterate, states: tuple[Bools, NDArray[np.int8]], terms: Sequence[Array], *, settled: bool = False
    ) -> tuple[Array, Array, Array]:
        """Return (v, u, p) of a step with the matrix of ``assemble`` and the contact rows eliminated; states and ``terms`` of
        ``linearise``; ``settled``: forces of nodes of several contacts go on from the last ones, not from 0.

        u of nodes of one contact is exactly 0 where closed and where a node sticks; p is that of the others. Raises what the
        factor raises.
        """
        cache, shared, alone, (coupling, pull, tangent) = self.cache, self.shared, self.alone, terms
        closed, along = states
        fixed, jump, rhs = self.fixed.copy(), np.zeros_like(at.v), -at.g
        imposed = np.column_stack([np.repeat((along == kernels.STICK)[:, None], 2, axis=1), closed])
        fixed[self.single], jump[self.single] = imposed[alone], np.where(imposed, -at.u, 0.0)[alone]
        xx, xy, yy = tangent.T
        x, y = at.u[:, 0], at.u[:, 1]
        slides = pull + coupling * at.p[:, 2:] - np.column_stack([xx * x + xy * y, xy * x + yy * y])
        rhs[self.single, :2] += slides[alone]
        D, base = shared.laws(at.p if settled else np.zeros_like(at.p), at.u, states, terms, self.kappa)
        shared.spread(base - at.p[shared.which], rhs)
        given, laws = (cache.indptr, cache.indices, cache.turned, cache.own, self.number, fixed, jump), (tangent,)
        spare = rhs.copy()
        kernels.eliminate(*given, self.kappa, coupling, *laws, rhs, cache.work)
        shared.stiffen(self.diagonal, cache.work, D)
        regular = cache.work
        if cache.symmetric and coupling.any():
            kernels.eliminate(*given, self.kappa, np.zeros_like(coupling), *laws, spare, cache.definite)
            shared.stiffen(self.diagonal, cache.definite, D * np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1]]))
            regular = cache.definite
        step = self._linear(regular, rhs.ravel()).reshape(rhs.shape)
        moved, p = at.u + step[self.contact.nodes], at.p.copy()
        u = np.where(imposed, 0.0, moved)
        if len(shared):
            change = shared.along(step)
            u[shared.which], p[shared.which] = at.u[shared.which] + change, base - np.einsum("sab,sb->sa", D, change)
        return self.placed(at.v + np.where(self.fixed, 0.0, step), u), u, p

    def smooth_step(self, at: Iterate, force: Array, stiffness: Array) -> tuple[Array, Array]:
        """Return (v, u) of a step with smooth laws p = ``force`` (m, 3) − stiffness du; ``stiffness`` xx, xy, yy, nn (m, 4).

        At nodes of several contacts u need not be the velocities that v has; a step closes the difference."""
        cache, shared, alone, rhs = self.cache, self.shared, self.alone, -at.g
        rhs[self.single] += force[alone]
        off = self.slip(at.v)[shared.which] - at.u[shared.which]
        D = np.zeros((len(shared), 3, 3))
        own = stiffness[shared.which]
        D[:, [0, 0, 1, 1, 2], [0, 1, 0, 1, 2]] = own[:, [0, 1, 1, 2, 3]]
        shared.spread(force[shared.which] - np.einsum("sab,sb->sa", D, off), rhs)
        normal = self.diagonal[self.single, 2] + 2
        kernels.eliminate(
            cache.indptr, cache.indices, cache.turned, cache.own, self.number, self.fixed, np.zeros_like(rhs), self.kappa,
            np.zeros((len(self.contact.nodes), 2)), stiffness[:, :3], rhs, cache.work,
        )  # fmt: skip
        cache.work[normal] += stiffness[alone, 3]
        shared.stiffen(self.diagonal, cache.work, D)
        cache.forget()
        step = self._linear(cache.work, rhs.ravel()).reshape(rhs.shape)
        cache.forget()
        u = at.u + step[self.contact.nodes]
        u[shared.which] = at.u[shared.which] + shared.along(step) + off
        return self.placed(at.v + np.where(self.fixed, 0.0, step), u), u

    def _linear(self, regular: Array, rhs: Array) -> Array:
        """Return the solution of the eliminated matrix: by an old factor and GMRES, else by a factor of ``regular``."""
        cache = self.cache
        if cache.valid:
            step, solved = self._iterated(rhs, KEPT)
            if solved:
                return step
        cache.valid = False
        self.counts.factorisations += 1
        cache.factor.refactor(regular)
        cache.valid = True
        if regular is cache.work:
            self.counts.solves += 1
            return cache.factor.solve(rhs)
        return self._iterated(rhs, 100)[0]

    def _iterated(self, rhs: Array, most: int) -> tuple[Array, bool]:
        """Return what at most ``most`` iterations of GMRES with the factor at hand give, and whether that is enough."""
        cache, size = self.cache, len(rhs)
        matrix = scipy.sparse.csr_array((cache.work, cache.indices, cache.indptr), shape=(size, size))

        def precondition(x: Array) -> Array:
            self.counts.solves += 1
            return cache.factor.solve(x)

        operator = scipy.sparse.linalg.LinearOperator((size, size), matvec=precondition, dtype=np.float64)
        step, info = scipy.sparse.linalg.gmres(matrix, rhs, M=operator, rtol=FORCING, atol=0.0, restart=most, maxiter=1)
        return step, info == 0 and bool(np.isfinite(step).all())


class SignoriniError(RigidFrictionError):
    """Say that no velocities and forces were found that obey both laws: ``residuals`` of each way that was tried, N, over
    ``tolerance``."""

    def __init__(self, residuals: dict[str, float], tolerance: float) -> None:
        self.residuals, self.tolerance = residuals, tolerance
        tried = ", ".join(f"{name} {left:.2g}" for name, left in residuals.items())
        super().__init__(
            f"contact nodes not solved: residuals, N, over a tolerance of {tolerance:.2g} N are {tried}; take a smaller step"
        )
