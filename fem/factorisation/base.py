"""Interface of the sparse factorisations, and their error."""

from abc import ABC, abstractmethod

import numpy as np

NOT_POSITIVE_DEFINITE = "not positive definite"


class FactorError(RuntimeError):
    """Failure of a factorisation, with its reason.

    Parameters
    ----------
    reason : str
        "non-finite", "singular", "not positive definite" or "internal".
    advice : str
        What to try.
    """

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason, advice)
        self.reason = reason
        self.advice = advice

    def __str__(self) -> str:
        return f"factorisation failed: {self.reason}; {self.advice}"


def not_positive_definite(detail: str) -> FactorError:
    """Error for a symmetric matrix that is not positive definite; ``detail``: the offending pivots."""
    return FactorError(NOT_POSITIVE_DEFINITE, f"{detail}; take a smaller step, or hold the rigid motions")


class Factor(ABC):
    """Factorisation of matrices with one n × n sparsity: analyse once, refactor often, solve many times.

    The counters ``analyses`` (1 for most backends), ``factorisations`` and ``solves``; ``backend``: name of the library.

    Parameters
    ----------
    indptr : ndarray
        (n + 1,).
    indices : ndarray
        (nnz,), sorted, diagonal present.
    symmetric : bool
        The matrices are symmetric positive definite.
    """

    backend: str = ""

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, symmetric: bool) -> None:
        self.indptr = np.ascontiguousarray(indptr, dtype=np.int32)
        self.indices = np.ascontiguousarray(indices, dtype=np.int32)
        self.symmetric = symmetric
        self.size = len(self.indptr) - 1
        self.analyses = 0
        self.factorisations = 0
        self.solves = 0
        self._usable = False

    def refactor(self, data: np.ndarray) -> None:
        """Factorise the matrix with new values.

        Parameters
        ----------
        data : ndarray
            Values (nnz,) in the order of ``indices``; assumed symmetric for ``symmetric=True``.

        Raises
        ------
        FactorError
            With its ``reason``; ``solve`` then needs a successful refactor first.
        """
        data = np.asarray(data, dtype=np.float64)
        if data.shape != self.indices.shape:
            raise ValueError(f"data must have the shape {self.indices.shape}, got {data.shape}")
        self._usable = False
        if not self._is_finite(data):
            raise FactorError(
                "non-finite", "the matrix has NaN or infinite entries; numbers overflow, or an element is inverted"
            )
        self._refactor(data)
        self.factorisations += 1
        self._usable = True

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        """Solve for one right-hand side or several.

        Parameters
        ----------
        rhs : ndarray
            Right-hand sides, (n,) or (n, k).

        Returns
        -------
        ndarray
            Solution of the same shape, C-contiguous.
        """
        rhs = np.asarray(rhs, dtype=np.float64)
        if rhs.shape[0] != self.size or rhs.ndim > 2:
            raise ValueError(f"rhs must have the shape ({self.size},) or ({self.size}, k), got {rhs.shape}")
        if not self._usable:
            raise RuntimeError("solve needs a successful refactor before it")
        self.solves += 1
        return self._solve(rhs)

    def _is_finite(self, data: np.ndarray) -> bool:
        return bool(np.isfinite(data.sum()))

    @abstractmethod
    def _refactor(self, data: np.ndarray) -> None: ...

    @abstractmethod
    def _solve(self, rhs: np.ndarray) -> np.ndarray: ...
