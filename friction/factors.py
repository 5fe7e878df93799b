"""Sparse factors: the protocol, the default for stand-alone use, and the cache that carries one between solves."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray

from friction.arrays import Array, for_loops
from friction.errors import NotPositiveDefinite
from friction.nodal.kernels import newton as kernels


class Factor(Protocol):
    """Solve directly with symmetric matrices of one fixed sparsity, values ``data`` (nnz,), vectors (2N,)."""

    def refactor(self, data: Array) -> None:
        """Factorise the matrix with new values. Raises NotPositiveDefinite where it is not."""

    def solve(self, rhs: Array) -> Array:
        """Return the solution for a right-hand side, which is left as it is."""


class SparseLU:
    """Factorise by SciPy's SuperLU with diagonal pivots on a fixed symmetric pattern, as ``FactorCache`` takes it."""

    def __init__(self, indptr: NDArray[np.int32], indices: NDArray[np.int32]) -> None:
        self._indptr, self._indices = indptr, indices
        self._lu: scipy.sparse.linalg.SuperLU | None = None

    def refactor(self, data: Array) -> None:
        """Factorise. Raises NotPositiveDefinite when a pivot is not positive or off the diagonal."""
        n = len(self._indptr) - 1
        # A symmetric matrix reads the same by rows and by columns, so CSR arrays serve as CSC.
        matrix = scipy.sparse.csc_array((data, self._indices, self._indptr), shape=(n, n))
        try:
            lu = scipy.sparse.linalg.splu(
                matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
        except RuntimeError as error:  # SuperLU's "Factor is exactly singular"
            raise NotPositiveDefinite(f"the matrix is singular ({error}); take a smaller step") from None
        pivots = lu.U.diagonal()
        if not (pivots > 0.0).all() or not np.array_equal(lu.perm_r, lu.perm_c):
            worst = float(pivots.min())
            raise NotPositiveDefinite(
                f"the matrix is not positive definite (smallest pivot {worst:.3e}); take a smaller step"
            )
        self._lu = lu

    def solve(self, rhs: Array) -> Array:
        if self._lu is None:
            raise RuntimeError("SparseLU.solve: nothing is factorised yet; call refactor first")
        return np.asarray(self._lu.solve(rhs))


class FactorCache:
    """Carry a factor and the sparsity's tables from one call of ``friction.solve`` to the next, on problems of one sparsity.

    Their ``key`` names what the factorised matrix was built for, such as the stage's step size. A solve that is given an equal key
    first tries a chord step with the factor it finds here if its sticking nodes are the same, and refactorises when that does not
    contract. Whatever it starts from, a solve ends at its own tolerance.

    Parameters
    ----------
    indptr, indices : ndarray
        (2N + 1,) and (nnz,), sorted.
    factor : Factor, optional
        Default ``SparseLU``.

    Raises
    ------
    ValueError
        For a pattern without full 2 × 2 node blocks.
    """

    def __init__(self, indptr: NDArray[np.int32], indices: NDArray[np.int32], factor: Factor | None = None) -> None:
        self.indptr = for_loops(np.asarray(indptr, np.int32))
        self.indices = for_loops(np.asarray(indices, np.int32))
        if len(self.indptr) % 2 != 1:
            raise ValueError(f"FactorCache: expected 2N + 1 row pointers, got {len(self.indptr)}")
        self.factor: Factor = SparseLU(self.indptr, self.indices) if factor is None else factor
        self.diagonal = kernels.diagonal_blocks(self.indptr, self.indices)
        if self.diagonal.size and self.diagonal.min() < 0:
            node = int(np.argmin(self.diagonal.min(axis=1)))
            raise ValueError(f"FactorCache: the sparsity needs full 2x2 node blocks, node {node} lacks an entry")
        nodes = len(self.diagonal)
        self.work, self.data = np.empty((2, len(self.indices)))  # data: room for a part's hessian
        self.key: Hashable = None
        self.eliminated = np.zeros(nodes, dtype=np.bool_)
        self.r: Array = np.zeros(nodes)
        self.valid = False

    def forget(self) -> None:
        """Make the next solve factorise anew."""
        self.valid = False
