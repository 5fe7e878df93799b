"""A face of a solid held by a clamp that does not turn: its nodes are one node of the stage's unknowns, with their common velocity.

What holds them besides, f_i = (M a − f_int − f)_i, is the clamp's reaction; along the clamp's free axes it has no resultant."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from fem import Solid
from fem.elements.sparsity import sparsity
from floating_frame.frame.kinematics import Array
from friction.signorini import SpacePart


class Unknowns(Protocol):
    """Which nodal velocities of a solid are unknown: ``indptr``, ``indices`` of their matrix, ``fixed`` (N', 3): that are 0."""

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    fixed: NDArray[np.bool_] | None

    def numbers(self, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the numbers of nodes among the unknown ones."""

    def part(self, part: SpacePart) -> SpacePart:
        """Return a part in nodal V (N, 3) as one in the unknowns (N', 3)."""

    def reduced(self, velocity: Array) -> Array:
        """Return the unknowns of nodal V (N, 3)."""

    def expanded(self, unknowns: Array) -> Array:
        """Return nodal V (N, 3)."""

    def holding(self, part: SpacePart, velocity: Array) -> Array | None:
        """Return the clamp's force on the nodes (N, 3) N at V; None without a clamp."""


class AllNodes:
    """Every node of a free ``body`` has its own velocity."""

    fixed: NDArray[np.bool_] | None = None

    def __init__(self, body: Solid) -> None:
        self.indptr, self.indices = body.indptr, body.indices

    def numbers(self, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
        return nodes

    def part(self, part: SpacePart) -> SpacePart:
        return part

    def reduced(self, velocity: Array) -> Array:
        return velocity

    def expanded(self, unknowns: Array) -> Array:
        return unknowns

    def holding(self, part: SpacePart, velocity: Array) -> Array | None:
        return None


class ClampedNodes:
    """The ``held`` nodes of a ``body`` move as one, along the ``free`` (3,) of the body's axes."""

    fixed: NDArray[np.bool_] | None

    def __init__(self, body: Solid, held: NDArray[np.intp], free: NDArray[np.bool_]) -> None:
        count = len(body.X)
        self._held, others = held, np.setdiff1d(np.arange(count), held)
        self._number = np.zeros(count, np.intp)
        self._number[others] = 1 + np.arange(len(others))
        self._first = np.concatenate([held[:1], others])
        pattern = sparsity(self._number[body.nodes], len(others) + 1, 3)
        self.indptr, self.indices = pattern.indptr, pattern.indices
        self._kept = np.zeros((len(others) + 1, 3), np.bool_)
        self._kept[0] = ~free
        self.fixed = self._kept
        unknown = (3 * self._number[:, None] + np.arange(3)).ravel()
        rows = unknown[np.repeat(np.arange(3 * count), np.diff(body.indptr))]
        size = len(self.indptr) - 1
        places = csr_matrix((np.arange(len(self.indices)), self.indices, self.indptr), shape=(size, size))
        at = np.asarray(places[rows, unknown[body.indices]]).ravel()
        entries = (np.ones(len(at)), (at, np.arange(len(at))))
        self._sums = csr_array(entries, shape=(len(self.indices), len(at)))

    def numbers(self, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
        return self._number[nodes]

    def part(self, part: SpacePart) -> SpacePart:
        return Merged(part, self)

    def reduced(self, velocity: Array) -> Array:
        return np.where(self._kept, 0.0, velocity[self._first])

    def expanded(self, unknowns: Array) -> Array:
        return np.asarray(unknowns[self._number])

    def holding(self, part: SpacePart, velocity: Array) -> Array | None:
        force = np.zeros_like(velocity)
        force[self._held] = part.gradient(velocity)[self._held]
        return force

    def gathered(self, force: Array) -> Array:
        """Return nodal forces (N, 3), summed up over the held ones (N', 3)."""
        columns = [np.bincount(self._number, column, len(self._first)) for column in force.T]
        return np.column_stack(columns)

    def matrix(self, data: Array) -> Array:
        """Return the matrix (nnz',) of the unknowns from that of all nodes (nnz,)."""
        return np.asarray(self._sums @ data)


class Merged:
    """A ``part`` in the unknowns of a clamped solid."""

    def __init__(self, part: SpacePart, unknowns: ClampedNodes) -> None:
        self._part, self._unknowns, self.linear = part, unknowns, part.linear
        self.indptr, self.indices = unknowns.indptr, unknowns.indices

    def gradient(self, velocity: Array) -> Array:
        return self._unknowns.gathered(self._part.gradient(self._unknowns.expanded(velocity)))

    def hessian(self, velocity: Array) -> Array:
        return self._unknowns.matrix(self._part.hessian(self._unknowns.expanded(velocity)))

    def scale(self, velocity: Array) -> float:
        return self._part.scale(self._unknowns.expanded(velocity))

    def rounding(self, velocity: Array) -> float:
        return self._part.rounding(self._unknowns.expanded(velocity))
