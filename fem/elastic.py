"""What any elastic body does with its tables and the compiled loops of its dimension: forces, tangent, smallest det F."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix


class Elastic(ABC):
    """Give the elastic forces to a body of N nodes that has the attributes below (see ``Plate``, ``Solid``); d = 2 or 3.

    A body is a frozen dataclass, whose arrays are read-only; pickled and copied without its cached properties.
    """

    X: np.ndarray
    nodes: np.ndarray
    gradients: np.ndarray
    jacobian_gradients: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    mass_data: np.ndarray
    entries: np.ndarray
    row_length: np.ndarray
    hourglass: Any

    def __post_init__(self) -> None:
        vars(self).update({name: read_only(value) for name, value in vars(self).items()})

    def __getstate__(self) -> dict[str, Any]:
        kind, kept = type(self), vars(self).items()
        fixed = {name: value for name, value in kept if not isinstance(getattr(kind, name, None), cached_property)}
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in fixed.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.__post_init__()

    @property
    @abstractmethod
    def loops(self) -> ModuleType:
        """The compiled loops: ``elastic``, ``bilinear`` or ``solid`` of ``fem.kernels``."""

    @property
    @abstractmethod
    def kernel_tables(self) -> tuple[object, ...]:
        """Their arguments behind the field."""

    @cached_property
    def cell_tables(self) -> tuple[np.ndarray, np.ndarray]:
        """The loops' arguments that follow the displacement: nodes (C, n) and gradients of the cells."""
        return for_loops(self.nodes), for_loops(self.gradients)

    @cached_property
    def _pattern(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arguments by which the tangent is assembled: places of the entries, lengths of the rows, and the mass matrix."""
        return for_loops(self.entries), for_loops(self.row_length), for_loops(self.mass_data)

    def internal_force(self, u: np.ndarray) -> np.ndarray:
        """Return the force of the strained body on its nodes, −∂U/∂u, (N, d), N, at displacements u (N, d), m.

        Where det F ≤ 0: NaN for neo-Hookean, formal values otherwise; see ``smallest_jacobian``.
        """
        out = np.empty_like(self.X)
        self.loops.internal_force(*self.field(u), *self.kernel_tables, out)
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
        entries, row_length, mass = self._pattern
        at = entries, row_length, share, inertia, mass
        self.loops.tangent_data(*self.field(u), *self.kernel_tables, *at, data)
        return data

    def tangent_matrix(self, u: np.ndarray) -> csr_matrix:
        """Return ``tangent(u)`` as a sparse matrix (dN, dN), N/m."""
        return csr_matrix((self.tangent(u), self.indices, self.indptr), shape=(self.X.size, self.X.size))

    def smallest_jacobian(self, u: np.ndarray) -> tuple[float, int]:
        """Return the smallest det F over the cells' Gauss points at u (N, d), m, and its cell; NaN where u is not finite."""
        smallest, cell = self.loops.smallest_jacobian(*self.field(u)[:2], self.jacobian_tables)
        return float(smallest), int(cell)

    @cached_property
    def jacobian_tables(self) -> np.ndarray:
        """Gradients where det F must be positive, as the compiled loops take them."""
        return for_loops(self.jacobian_gradients)

    def field(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the first arguments of the compiled loops: u (N, d), nodes, gradients. ValueError for another shape."""
        u = for_loops(np.asarray(u, np.float64))
        if u.shape != self.X.shape:
            raise ValueError(f"a nodal field must have the shape {self.X.shape}, got {u.shape}")
        return u, *self.cell_tables


def read_only(value: Any) -> Any:
    """Return a value whose arrays, also those in tuples and mappings, are views that cannot be written."""
    if isinstance(value, np.ndarray):
        view = value.view()
        view.flags.writeable = False
        return view
    if isinstance(value, Mapping):
        return MappingProxyType({name: read_only(part) for name, part in value.items()})
    if isinstance(value, tuple):
        return getattr(value, "_make", tuple)(map(read_only, value))
    return value


def for_loops(array: np.ndarray) -> np.ndarray:
    """Return the array C-contiguous and not flagged read-only, copied only where it has to be.

    Numba compiles a loop once more for every other layout of an argument, and for a read-only one.
    """
    if array.flags.carray:
        return array
    view = array.view()
    try:
        view.flags.writeable = True  # loops write into no argument that they only read
    except ValueError:
        view = array.copy()
    return np.ascontiguousarray(view)


def centred(points: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return points (N, d) seen from the centre of the nodal mass (N,)."""
    # Twice: the second pass removes what the first one's rounding left.
    for _ in range(2):
        points = points - mass @ points / mass.sum()
    return points
