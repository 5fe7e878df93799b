"""What any elastic body does with its tables and the compiled loops of its dimension: forces, tangent, smallest det F."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import ModuleType

import numpy as np
from scipy.sparse import csr_matrix


class Elastic(ABC):
    """Give the elastic forces to a body of N nodes that has the attributes below (see ``Plate``, ``Solid``); d = 2 or 3."""

    X: np.ndarray
    nodes: np.ndarray
    gradients: np.ndarray
    jacobian_gradients: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    mass_data: np.ndarray
    entries: np.ndarray
    row_length: np.ndarray

    @property
    @abstractmethod
    def loops(self) -> ModuleType:
        """The compiled loops: ``elastic``, ``bilinear`` or ``solid`` of ``fem.kernels``."""

    @property
    @abstractmethod
    def kernel_tables(self) -> tuple[object, ...]:
        """Their arguments behind the field."""

    def internal_force(self, u: np.ndarray) -> np.ndarray:
        """Return the force of the strained body on its nodes, −∂U/∂u, (N, d), N, at displacements u (N, d), m.

        Where det F ≤ 0: NaN for neo-Hookean, formal values otherwise; see ``smallest_jacobian``.
        """
        out = np.empty_like(self.X)
        self.loops.internal_force(*self._field(u), *self.kernel_tables, out)
        return out

    def tangent(
        self, u: np.ndarray, *, share: float = 1.0, inertia: float = 0.0, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Return ∂²U/∂u² in the fixed sparsity, or the matrix of a step, ``share`` × ∂²U/∂u² + ``inertia`` × mass.

        Parameters
        ----------
        u : ndarray
            Displacement (N, d), m.
        share, inertia : float
            -, 1/s².
        out : ndarray
            (nnz,), to be written and returned.

        Returns
        -------
        ndarray
            (nnz,), N/m, symmetric.
        """
        data = np.empty(self.indices.size) if out is None else out
        places = self.entries, self.row_length
        self.loops.tangent_data(*self._field(u), *self.kernel_tables, *places, share, inertia, self.mass_data, data)
        return data

    def tangent_matrix(self, u: np.ndarray) -> csr_matrix:
        """Return ``tangent(u)`` as a sparse matrix (dN, dN), N/m."""
        return csr_matrix((self.tangent(u), self.indices, self.indptr), shape=(self.X.size, self.X.size))

    def smallest_jacobian(self, u: np.ndarray) -> tuple[float, int]:
        """Return the smallest det F over the cells' Gauss points at u (N, d), m, and its cell; NaN where u is not finite."""
        u, nodes, _ = self._field(u)
        smallest, cell = self.loops.smallest_jacobian(u, nodes, self.jacobian_gradients)
        return float(smallest), int(cell)

    def _field(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        u = np.ascontiguousarray(u, dtype=np.float64)
        if u.shape != self.X.shape:
            raise ValueError(f"a nodal field must have the shape {self.X.shape}, got {u.shape}")
        return u, self.nodes, self.gradients


def read_only(*values: object) -> None:
    """Let nobody write into the arrays among some values."""
    for value in values:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)


def centred(points: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return points (N, d) seen from the centre of the nodal mass (N,)."""
    # Twice: the second pass removes what the first one's rounding left.
    for _ in range(2):
        points = points - mass @ points / mass.sum()
    return points
