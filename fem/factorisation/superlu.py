"""SuperLU (SciPy) as a factorisation backend: slower than PARDISO, available everywhere."""

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse.linalg import SuperLU as Factors
from scipy.sparse.linalg import splu

from fem.factorisation.base import Factor, FactorError, not_positive_definite


class SuperLU(Factor):
    """SuperLU of SciPy; the fill-reducing permutation is computed once."""

    backend = "superlu"

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, symmetric: bool) -> None:
        super().__init__(indptr, indices, symmetric)
        shape = (self.size, self.size)
        # The ordering needs only the pattern; a dominant diagonal makes the model matrix regular.
        model = csr_matrix((np.ones(self.indices.size), self.indices, self.indptr), shape=shape)
        model.setdiag(2.0 * np.diff(self.indptr) + 1.0)
        ordering = splu(model.tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).perm_c
        self._new_to_old = np.argsort(ordering)
        places = csr_matrix((np.arange(1.0, self.indices.size + 1), self.indices, self.indptr), shape=shape)
        permuted = places[self._new_to_old][:, self._new_to_old].tocsc()
        permuted.sort_indices()
        self._order = permuted.data.astype(np.int64) - 1
        self._pattern = permuted.indices, permuted.indptr
        self.analyses += 1
        self._lu: Factors

    def _refactor(self, data: np.ndarray) -> None:
        matrix = csc_matrix((data[self._order], *self._pattern), shape=(self.size, self.size))
        # With a zero threshold the pivots stay on the diagonal; their signs decide definiteness.
        options = {"SymmetricMode": self.symmetric}
        threshold = 0.0 if self.symmetric else 1.0
        try:
            self._lu = splu(matrix, permc_spec="NATURAL", diag_pivot_thresh=threshold, options=options)
        except RuntimeError as error:
            if self.symmetric:
                raise not_positive_definite("a pivot is zero") from error
            raise FactorError("singular", "a pivot is zero") from error
        if self.symmetric:
            pivots = self._lu.U.diagonal()
            if not (pivots > 0).all() or not np.array_equal(self._lu.perm_r, self._lu.perm_c):
                raise not_positive_definite(f"{np.count_nonzero(~(pivots > 0))} pivots are not positive")

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        x = np.empty_like(rhs, order="C")
        x[self._new_to_old] = self._lu.solve(np.ascontiguousarray(rhs[self._new_to_old]))
        return x
