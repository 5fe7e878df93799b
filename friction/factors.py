"""Sparse factors: the protocol, SuperLU, and the cache that reuses a factor between solves."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Protocol

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numba import njit
from numpy.typing import NDArray

from friction.arrays import Array, Bools, contiguous
from friction.errors import NotPositiveDefinite
from friction.nodal import kernels as nodes


class Factor(Protocol):
    """Solve directly with matrices of one fixed sparsity, values ``data`` (nnz,), vectors (dN,)."""

    def refactor(self, data: Array) -> None:
        """Factorise the matrix with new values. Raises NotPositiveDefinite (of an unsymmetric one: where it is singular)."""

    def solve(self, rhs: Array) -> Array:
        """Solution for a right-hand side, which is not changed."""


class SparseLU:
    """SciPy's SuperLU; ``symmetric``: with diagonal pivots on a symmetric pattern, as ``FactorCache`` uses it."""

    def __init__(self, indptr: NDArray[np.int32], indices: NDArray[np.int32], *, symmetric: bool = True) -> None:
        self._pattern, self._symmetric = (indices, indptr), symmetric
        self._lu: scipy.sparse.linalg.SuperLU | None = None

    def refactor(self, data: Array) -> None:
        """Factorise. Raises NotPositiveDefinite for a pivot that is not positive or off the diagonal, or a singular matrix."""
        n = len(self._pattern[1]) - 1
        matrix = scipy.sparse.csc_array((data, *self._pattern), shape=(n, n))  # CSR arrays read as CSC: the transpose
        threshold, options = (0.0, {"SymmetricMode": True}) if self._symmetric else (0.01, {})
        try:
            lu = scipy.sparse.linalg.splu(
                matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=threshold, options=options
            )
        except RuntimeError as error:  # SuperLU's "Factor is exactly singular"
            raise NotPositiveDefinite(f"the matrix is singular ({error}); take a smaller step") from None
        pivots = lu.U.diagonal()
        if self._symmetric and (not (pivots > 0.0).all() or not np.array_equal(lu.perm_r, lu.perm_c)):
            worst = float(pivots.min())
            raise NotPositiveDefinite(
                f"the matrix is not positive definite (smallest pivot {worst:.3e}); take a smaller step"
            )
        self._lu = lu

    def solve(self, rhs: Array) -> Array:
        if self._lu is None:
            raise RuntimeError("SparseLU.solve: nothing is factorised yet; call refactor first")
        return np.asarray(self._lu.solve(rhs, trans="N" if self._symmetric else "T"))


def gmres(
    factor: Callable[[Array], Array],
    product: Callable[[Array], Array],
    rhs: Array,
    goal: float,
    limit: int,
    rate: float = 1.0,
) -> tuple[Array, float, int]:
    """Solution x (n,) of ``product`` (x) = ``rhs`` (n,), its residual, and iterations, by generalised conjugate residuals
    (Eisenstat, Elman & Schultz 1983), whose iterates are those of GMRES.

    At most ``limit`` iterations to a residual of ``goal``, each with one solution of the ``factor``. They end early where the
    residual is above twice what a reduction by ``rate`` in each would leave. It is infinite where an image vanishes or is not
    finite, NaN for such a right side.
    """
    x, residual, size, k = np.zeros_like(rhs), rhs.copy(), math.sqrt(rhs @ rhs), 0
    steps, images, error = *np.empty((2, limit, len(rhs))), size
    while k < limit and goal < error <= 2.0 * rate**k * size:
        step = factor(residual)
        error, k = _reduce(step, product(step), k, steps, images, x, residual), k + 1
        if error == np.inf:
            x[:] = 0.0
            break
    return x, error, k


@njit(cache=True, error_model="numpy")
def _reduce(step, image, k, steps, images, x, residual):  # type: ignore[no-untyped-def]
    """Write step ``k`` and its image into their rows (limit, n), orthogonal to the earlier images and of length 1, and subtract the
    part of the residual (n,) along it; return what is left, infinite where the image vanishes or is not finite."""
    d, e = steps[k], images[k]
    d[:], e[:] = step, image
    for j in range(k):
        share = images[j] @ e
        for i in range(len(x)):
            d[i] -= share * steps[j, i]
            e[i] -= share * images[j, i]
    size = math.sqrt(e @ e)
    if not 0.0 < size < np.inf:
        return np.inf
    along = (e @ residual) / size
    for i in range(len(x)):
        d[i] /= size
        e[i] /= size
        x[i] += along * d[i]
        residual[i] -= along * e[i]
    return math.sqrt(residual @ residual)


class FactorCache:
    """Factor and sparsity tables reused from one solve to the next, on problems of one sparsity.

    The ``key`` identifies the factorised matrix, such as by the stage's step size. A solve with an equal key and the same
    constrained components first tries a chord step with the old factor, and refactorises when that does not contract. The
    tolerance of a solve does not depend on the factor.

    Parameters
    ----------
    indptr, indices : ndarray
        (dN + 1,) and (nnz,), sorted.
    factor : Factor, optional
        Default ``SparseLU``.
    d : int
        Components of a node, 2 or 3.
    symmetric : bool
        The factor takes symmetric positive definite matrices only: the coupling of friction to unknown normal forces is then left
        to GMRES.

    Raises
    ------
    ValueError
        For a pattern without full d × d node blocks.
    """

    def __init__(
        self,
        indptr: NDArray[np.int32],
        indices: NDArray[np.int32],
        factor: Factor | None = None,
        *,
        d: int = 2,
        symmetric: bool = True,
    ) -> None:
        self.indptr = contiguous(np.asarray(indptr, np.int32))
        self.indices = contiguous(np.asarray(indices, np.int32))
        self.dims, self.symmetric = (0,) * d, symmetric
        if len(self.indptr) % d != 1:
            raise ValueError(f"FactorCache: expected {d}N + 1 row pointers, got {len(self.indptr)}")
        self.factor: Factor = factor or SparseLU(self.indptr, self.indices, symmetric=symmetric)
        self.own: NDArray[np.int64] = nodes.own_blocks(self.dims, self.indptr, self.indices)
        if self.own.size and self.own.min() < 0:
            node = int(self.own.argmin())
            raise ValueError(f"FactorCache: the sparsity needs full {d}x{d} node blocks, node {node} lacks an entry")
        count, axes = len(self.own), np.arange(d)
        rows = self.indptr[:-1].reshape(-1, d).astype(np.int64) + self.own[:, None]
        self.diagonal: NDArray[np.int64] = (rows[:, :, None] + axes).reshape(count, d * d)
        """(N, d²): places of the entries of each node's own block."""
        self.work, self.data = np.empty((2, len(self.indices)))  # data: room for a part's hessian
        self.constrained = np.zeros((count, d), np.bool_)
        """(N, d): components eliminated from the factor."""
        self.key: Hashable = None
        self.r: Array = np.zeros(count)
        self.valid = self.swept = False  # there is a factor; sweeps alone solve the ``assembled`` matrix
        self.assembled: tuple[object, Array | None, Array] = (None, None, self.data)
        """Part, velocities and values of the last matrix."""
        self._work_arrays: dict[int, tuple[Bools, Array, Array, Array, Array]] = {}

    def work_arrays(self, nt: int) -> tuple[Bools, Array, Array, Array, Array]:
        """Arrays for the linearised laws of nodes with ``nt`` components along the ground: constrained, jump and right side (N, d),
        tangent (N, nt, nt), coupling (N, nt)."""
        if nt not in self._work_arrays:
            count, d = self.constrained.shape
            jump, rhs = np.zeros((2, count, d))
            self._work_arrays[nt] = (
                np.zeros((count, d), np.bool_),
                jump,
                rhs,
                np.zeros((count, nt, nt)),
                np.zeros((count, nt)),
            )
        return self._work_arrays[nt]

    def forget(self) -> None:
        """Discard the factor: the next solve factorises."""
        self.valid = self.swept = False
        self.assembled = None, None, self.data
        self.r[:] = 0.0


def same_key(a: object, b: object) -> bool:
    """True for equal keys. Hashes first: ``==`` of a NumPy number and a tuple would give an array."""
    return hash(a) == hash(b) and bool(a == b)
