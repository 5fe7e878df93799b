"""The differentiable part of a friction problem: the protocol that callers implement, and the quadratic case."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from friction.arrays import Array

Indices = NDArray[np.int32]


class SmoothPart(Protocol):
    """The smooth part of a friction problem in nodal velocities v (N, d), m/s, with gradient g(v), N.

    The friction problem is g(v) + λ = 0, λ_i in w_i ``∂|v_i|``. In the linear case g(v) = A v − b. Matrices share one sparsity
    (dN × dN, dof d i + a, CSR, sorted, with all entries of each node pair present). ``gradient`` is called first at each v,
    and decides on convergence.
    """

    indptr: Indices
    indices: Indices
    linear: bool
    """True when the hessian does not depend on v."""

    def gradient(self, v: Array) -> Array:
        """Gradient g(v) (N, d), N."""

    def hessian(self, v: Array) -> Array:
        """Derivative dg/dv (nnz,), N s/m: symmetric, positive definite on sliding nodes. The solver does not change or store it."""

    def rounding(self, v: Array) -> float:
        """Size, N, below which entries of g(v) are rounding error."""

    def scale(self, v: Array) -> float:
        """Largest nodal force, N, in the sum g(v) (inertia, internal force, load).

        Residuals are relative to max(scale, max w).
        """


class Quadratic:
    """The linear case g(v) = A v − b.

    Parameters
    ----------
    A : scipy.sparse.sparray or scipy.sparse.spmatrix
        Symmetric positive definite (2N, 2N), N s/m; missing entries of its 2 × 2 node blocks are filled in as
        explicit zeros.
    b : Array
        (N, 2), N.

    Raises
    ------
    ValueError
        For other shapes or values that are not finite.
    """

    linear = True

    def __init__(self, A: scipy.sparse.sparray | scipy.sparse.spmatrix, b: Array) -> None:
        b = np.ascontiguousarray(b, dtype=np.float64)
        if b.ndim != 2 or b.shape[1] != 2:
            raise ValueError(f"Quadratic: b must have shape (N, 2), got {b.shape}")
        if A.shape != (b.size, b.size):
            raise ValueError(f"Quadratic: A must have shape {(b.size, b.size)} to match b, got {A.shape}")
        csr = _full_blocks(A)
        if not (np.isfinite(csr.data).all() and np.isfinite(b).all()):
            raise ValueError("Quadratic: A and b must be finite")
        self.indptr: Indices = csr.indptr.astype(np.int32)
        self.indices: Indices = csr.indices.astype(np.int32)
        self.data: Array = csr.data
        self.b = b
        self.matrix = csr
        self._size = abs(csr)

    def gradient(self, v: Array) -> Array:
        result: Array = (self.matrix @ v.ravel()).reshape(v.shape) - self.b
        return result

    def hessian(self, v: Array) -> Array:
        return self.data

    def rounding(self, v: Array) -> float:
        """Rounding error ``16 eps max(|A| |v| + |b|)``, N, of the sum of a row with rounded v."""
        terms = self._size @ np.abs(v).ravel() + np.abs(self.b).ravel()
        return 16.0 * float(np.finfo(float).eps) * float(terms.max(initial=0.0))

    def scale(self, v: Array) -> float:
        product = self.matrix @ v.ravel()
        return float(max(np.abs(product).max(initial=0.0), np.abs(self.b).max(initial=0.0)))


def _full_blocks(A: scipy.sparse.sparray | scipy.sparse.spmatrix) -> scipy.sparse.csr_array:
    """A as CSR with sorted indices and all four entries of every node pair present (explicit zeros)."""
    entries, own = scipy.sparse.coo_array(A), np.arange(A.shape[0])
    data = np.concatenate([entries.data, np.zeros(len(own))])
    places = np.concatenate([entries.row, own]), np.concatenate([entries.col, own])
    full = scipy.sparse.csr_array((data, places), shape=A.shape).tobsr((2, 2)).tocsr()
    full.sort_indices()
    return full
