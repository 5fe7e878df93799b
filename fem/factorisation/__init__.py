"""Sparse direct solution with a fixed sparsity: analyse once, refactor often, solve many."""

from functools import partial

import numpy as np

from fem.factorisation.base import NOT_POSITIVE_DEFINITE, Factor, FactorError
from fem.factorisation.coupled import Coupled, neighbourhoods
from fem.factorisation.pardiso import Pardiso
from fem.factorisation.superlu import SuperLU
from fem.input_checks import check_choice

__all__ = ["BACKENDS", "NOT_POSITIVE_DEFINITE", "Factor", "FactorError", "factor"]

BACKENDS: dict[str, type[Factor]] = {"pardiso": Pardiso, "superlu": SuperLU}


def factor(
    indptr: np.ndarray,
    indices: np.ndarray,
    *,
    backend: str = "auto",
    symmetric: bool = True,
    places: np.ndarray | None = None,
) -> Factor:
    """Analyse a CSR sparsity for repeated factorisation.

    Parameters
    ----------
    indptr : ndarray
        (n + 1,).
    indices : ndarray
        (nnz,), sorted, diagonal present, structurally symmetric.
    backend : str
        A name in ``BACKENDS``, or "auto": PARDISO where its library is installed and SuperLU elsewhere.
    symmetric : bool
        The matrices are symmetric positive definite.
    places : ndarray
        Positions (n/2, 2), m, of nodes with the unknowns 2 i + a of a symmetric matrix. Neighbourhoods in which the matrix is
        diagonal are then left out of the factorisation.

    Returns
    -------
    Factor
        The analysed sparsity; call ``refactor`` before ``solve``.

    Raises
    ------
    ValueError
        For an unknown backend.
    """
    if places is not None and (labels := neighbourhoods(places)).any():
        return Coupled(indptr, indices, labels, partial(factor, backend=backend))
    if backend == "auto":
        try:
            return Pardiso(indptr, indices, symmetric)
        except (ImportError, OSError):
            return SuperLU(indptr, indices, symmetric)
    return BACKENDS[check_choice(("auto", *BACKENDS), "backend", backend)](indptr, indices, symmetric)
