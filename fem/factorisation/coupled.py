"""Factorisation of what is coupled: where whole neighbourhoods are diagonal, as nodes are that stick, they are left out."""

from collections.abc import Callable

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from fem.factorisation.base import Factor, not_positive_definite

MAX_NEIGHBOURHOODS = 128
"""Neighbourhoods of a body, and least nodes of one: fewer save little, more are analysed anew more often."""
MAX_CACHED_PARTS = 4
"""Analyses of parts that are kept."""
MAX_PART_SHARE = 0.5
"""Share of the unknowns up to which a part is factorised by itself: a new analysis costs as much as some factorisations."""

MakeFactor = Callable[[np.ndarray, np.ndarray], Factor]


def neighbourhoods(X: np.ndarray) -> np.ndarray:
    """Return which neighbourhood each unknown 2 i + a belongs to, (2N,), numbered from 0.

    The nodes, at X (N, 2) m, are halved across their longer side until ``MAX_NEIGHBOURHOODS`` parts or nodes are left.
    """
    parts = [np.arange(len(X))]
    while len(parts) < MAX_NEIGHBOURHOODS and len(X) >= 2 * MAX_NEIGHBOURHOODS * len(parts):
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
    """Mark in found the neighbourhoods with an entry off the diagonal; one will do: the matrix is symmetric, so each end has it."""
    for i in range(len(labels)):
        if not coupled[labels[i]]:
            for p in range(indptr[i], indptr[i + 1]):
                if data[p] != 0.0 and indices[p] != i:
                    coupled[labels[i]] = True
                    break


class Coupled(Factor):
    """Factorise neighbourhoods that are coupled, all where they are many, and divide by the diagonal in the others.

    Which are coupled follows from the matrix alone, and so does the factor.

    ``indptr``, ``indices``: see ``Factor``; the matrices are symmetric positive definite.
    ``labels``: Neighbourhood (n,) of each unknown.
    ``make``: the factor of a sparsity (indptr, indices).
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
        """Look at the diagonal: what is not finite beside it couples, so that the part's own factor sees it."""
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
        """Return unknowns of a part, the places of its entries and its factor: the last few parts' are kept."""
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
