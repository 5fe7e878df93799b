"""Factorisation without the neighbourhoods of nodes in which the matrix is diagonal, such as sticking nodes."""

from collections.abc import Callable

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from fem.factorisation.base import Factor, not_positive_definite

MAX_NEIGHBOURHOODS = 128
"""Largest number of neighbourhoods, and smallest number of nodes N that are divided. N nodes have at most √(N/2) neighbourhoods:
with fewer the factor saves little, with more it needs frequent new analyses."""
MAX_CACHED_PARTS = 4
"""Number of cached analyses of parts."""
MAX_PART_SHARE = 0.5
"""Share of the unknowns up to which a part is factorised alone: a new analysis costs as much as some factorisations."""

MakeFactor = Callable[[np.ndarray, np.ndarray], Factor]


def neighbourhoods(X: np.ndarray) -> np.ndarray:
    """Neighbourhood of each unknown 2 i + a, (2N,), numbered from 0.

    The nodes at X (N, 2), m, are bisected across their longer side, then so are the halves, up to that number of neighbourhoods.
    """
    parts = [np.arange(len(X))]
    while len(parts) < MAX_NEIGHBOURHOODS <= len(X) and len(X) >= 2 * (2 * len(parts)) ** 2:
        halves = []
        for nodes in parts:
            along = X[nodes][:, int(np.argmax(np.ptp(X[nodes], axis=0)))]
            order = nodes[np.argsort(along, kind="stable")]
            halves += [order[: len(order) // 2], order[len(order) // 2 :]]
        parts = halves
    labels = np.empty(len(X), dtype=np.int64)
    for label, nodes in enumerate(parts):
        labels[nodes] = label
    return np.repeat(labels, 2)


@njit(cache=True, error_model="numpy")
def _mark_coupled(indptr, indices, data, labels, coupled):  # type: ignore[no-untyped-def]
    """Mark the neighbourhoods with an off-diagonal entry in a row; by symmetry this covers the columns."""
    for i in range(len(labels)):
        if not coupled[labels[i]]:
            for p in range(indptr[i], indptr[i + 1]):
                if data[p] != 0.0 and indices[p] != i:
                    coupled[labels[i]] = True
                    break


class Coupled(Factor):
    """Factorisation of the coupled neighbourhoods, or of the full matrix if these are many, and division by the diagonal elsewhere.

    The coupled neighbourhoods, and so the factor, follow from the matrix alone, which is symmetric positive definite.

    ``labels``: neighbourhood (n,) of each unknown.
    ``make``: constructor of the factor of a sparsity (indptr, indices).
    """

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, labels: np.ndarray, make: MakeFactor) -> None:
        super().__init__(indptr, indices, True)
        self._labels, self._make = labels, make
        rows = np.repeat(np.arange(self.size), np.diff(self.indptr))
        self._diagonal = np.flatnonzero(self.indices == rows)
        self._places = csr_array((np.arange(len(rows)), self.indices, self.indptr), shape=(self.size, self.size))
        self._parts: dict[bytes, tuple[np.ndarray, np.ndarray, Factor]] = {}
        self._full_factor: Factor | None = None
        self._unknowns, self._pivots = np.empty(0, np.intp), np.empty(self.size)
        self._factor: Factor | None = None

    def _is_finite(self, data: np.ndarray) -> bool:
        """Check the diagonal; non-finite entries beside it couple, so the factor of their part checks them."""
        np.take(data, self._diagonal, out=self._pivots)
        return bool(np.isfinite(self._pivots.sum()))

    def _refactor(self, data: np.ndarray) -> None:
        coupled = np.zeros(int(self._labels.max()) + 1, dtype=np.bool_)
        _mark_coupled(self.indptr, self.indices, data, self._labels, coupled)
        unknowns = np.flatnonzero(coupled[self._labels])
        if len(unknowns) > MAX_PART_SHARE * self.size:
            unknowns, values, factor = np.arange(self.size), data, self._factor_of_all()
        elif not len(unknowns):
            values, factor = data[:0], None
        else:
            unknowns, places, factor = self._factor_of_part(coupled.tobytes(), unknowns)
            values = data[places]
        self._unknowns, self._factor = unknowns, factor
        if not (self._pivots > 0.0).all():
            raise not_positive_definite("an entry of the diagonal is not positive")
        if factor is not None:
            factor.refactor(values)

    def _factor_of_all(self) -> Factor:
        if self._full_factor is None:
            self._full_factor = self._make(self.indptr, self.indices)
            self.analyses += 1
        return self._full_factor

    def _factor_of_part(self, key: bytes, unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray, Factor]:
        """Unknowns of a part, the indices of its entries and its factor, from a cache of the last parts."""
        part = self._parts.pop(key, None)
        if part is None:
            places = self._places[unknowns][:, unknowns]
            places.sort_indices()
            part = unknowns, places.data, self._make(places.indptr, places.indices)
            self.analyses += 1
        while len(self._parts) >= MAX_CACHED_PARTS:
            del self._parts[next(iter(self._parts))]
        self._parts[key] = part
        return part

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        if self._factor is not None and len(self._unknowns) == self.size:
            return self._factor.solve(rhs)
        x: np.ndarray = rhs / (self._pivots if rhs.ndim == 1 else self._pivots[:, None])
        if self._factor is not None:
            x[self._unknowns] = self._factor.solve(rhs[self._unknowns])
        return x
