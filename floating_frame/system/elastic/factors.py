"""Sparse factors of fem with the exceptions of friction."""

from __future__ import annotations

import numpy as np

import fem
from floating_frame.frame.kinematics import Array
from friction import NotPositiveDefinite


class ElasticFactor:
    """Factorise by fem; raise friction's ``NotPositiveDefinite`` for fem's reason of that name.

    ``indptr``, ``indices``: the fixed sparsity, see ``fem.factor``; ``places`` (N, 2) m of the nodes of a body in the
    plane; ``symmetric``: matrices are positive definite.
    """

    def __init__(
        self, indptr: np.ndarray, indices: np.ndarray, places: Array | None = None, *, symmetric: bool = True
    ) -> None:
        self.inner = fem.factor(indptr, indices, places=places, symmetric=symmetric)

    def refactor(self, data: Array) -> None:
        """Factorise the matrix, see ``fem.Factor.refactor``. Raises NotPositiveDefinite and fem.FactorError."""
        try:
            self.inner.refactor(data)
        except fem.FactorError as error:
            if error.reason == fem.NOT_POSITIVE_DEFINITE:
                raise NotPositiveDefinite(str(error)) from error
            raise

    def solve(self, rhs: Array) -> Array:
        """Solution for the right-hand side (n,)."""
        return self.inner.solve(rhs)
