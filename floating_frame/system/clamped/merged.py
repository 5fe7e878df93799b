"""Nodes of a body that move as one, as those of a clamp that does not turn: ONE node of a stage's unknowns, for d = 2 and 3.

    u = E u',    f' = Eᵀ f,    K' = Eᵀ K E,    M' = Eᵀ M E

with E of zeros and ones, so what is summed is exact: no bordered solves, no iteration beside the stage's own. The merged node comes
first, and stands where the frame has its origin; then come the others in their order."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from floating_frame.frame.kernels import summed
from floating_frame.frame.kinematics import Array
from floating_frame.frame.moments import MassDistribution
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import ElasticBody
from floating_frame.system.elastic.factors import ElasticCache, ElasticFactor
from friction.arrays import Bools, for_loops
from friction.nodal.problem import NodeLaws

Entry = TypeVar("Entry", bound=np.generic)


class Merged:
    """The nodes ``together`` (n,) of an ``elastic`` body as one of N' = N − n + 1.

    ``number`` (N,): of each node among these; ``offset`` (N, d) m: of each node from where its own is; ``X`` (N', d) m;
    ``cache``: workspace of their matrices.
    """

    def __init__(self, elastic: ElasticBody, together: NDArray[np.intp]) -> None:
        body, mass = elastic.body, elastic.mass
        count, d = body.X.shape
        self.together, self.others = together, np.setdiff1d(np.arange(count), together)
        self.number = np.zeros(count, np.intp)
        self.number[self.others] = 1 + np.arange(len(self.others))
        self.offset = np.zeros_like(body.X)
        self.offset[together] = body.X[together]
        self.X = np.concatenate([np.zeros((1, d)), body.X[self.others]])
        into = csr_matrix((np.ones(count), (self.number, np.arange(count))))
        self.mass = MassDistribution.of((into @ mass.matrix @ into.T).tocsr(), self.X)
        self._find_pattern(body.indptr, body.indices, d)
        self.cache = ElasticCache(self.indptr, self.indices, ElasticFactor(self.indptr, self.indices, self.X), d=d)
        self._room = np.empty(len(body.indices))

    def _find_pattern(self, indptr: NDArray[np.int32], indices: NDArray[np.int32], d: int) -> None:
        """Find the sparsity of E, and where the entries of the body's own go in it."""
        size = d * len(self.X)
        rows, columns = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)), indices.astype(np.int64)
        row, column = (d * self.number[at // d] + at % d for at in (rows, columns))
        entries, self._into = np.unique(row * size + column, return_inverse=True)
        self.indices = (entries % size).astype(np.int32)
        self.indptr = np.concatenate([[0], np.cumsum(np.bincount(entries // size, minlength=size))]).astype(np.int32)

    def of(self, elastic: ElasticBody) -> ElasticBody:
        """Return an elastic body, that of any time, of these nodes."""
        return elastic._replace(body=MergedBody(elastic.body, self), mass=self.mass)

    def gathered(self, field: Array) -> Array:
        """Return the sums (N', ...) of a nodal field (N, ...)."""
        return np.concatenate([field[self.together].sum(axis=0)[None], field[self.others]])

    def headed(self, first: NDArray[Entry], field: NDArray[Entry]) -> NDArray[Entry]:
        """Return a field (N', ...) of what the merged node has, and what the others have in one of all nodes (N, ...)."""
        return np.concatenate([first[None], field[self.others]])

    def expanded(self, field: NDArray[Entry]) -> NDArray[Entry]:
        """Return a field (N', ...) at all nodes (N, ...)."""
        return field.take(self.number, axis=0)

    def laws(self, bound: Array, free: Bools, fixed: Bools) -> NodeLaws:
        """Return what the nodes obey under bounds (N,) N, where some (N',) are ``fixed`` and the merged one keeps what is not
        ``free`` (d,): where it is led all the way, friction is no question."""
        shared, kept = self.gathered(bound), np.zeros(self.X.shape, np.bool_)
        shared[0] *= free.any()
        kept[0] = ~free
        return NodeLaws(shared, np.zeros(len(kept)), np.zeros(len(kept), np.int8), fixed, kept)

    def under(self, multiplier: Array, bound: Array, free: Bools, led: Array) -> Array:
        """Return λ (N, d) N of all nodes from those of these (N', d): the merged one's in proportion to the bounds (N,) N along
        what is ``free`` (d,); where nothing is, ``led`` (n, d) N."""
        found, shares = self.expanded(multiplier), bound[self.together]
        whole = float(shares.sum())
        total = np.outer(shares / whole if whole > 0.0 else shares, np.where(free, multiplier[0], 0.0))
        found[self.together] = total if free.any() else led
        return found

    def summed(self, data: Array, out: Array | None = None) -> Array:
        """Return a matrix (nnz',) of these nodes, in ``out`` if given, from that of all (nnz,)."""
        out = np.empty(len(self.indices)) if out is None else out
        summed(self._into, for_loops(data), out)
        return out

    def room(self) -> Array:
        """Return room for the matrix (nnz,) of all nodes."""
        return self._room


class MergedBody:
    """A ``body`` some of whose nodes are ``merged``, as a stage asks of it; ``internal`` (N, d) N: the last force on all nodes."""

    def __init__(self, body: Any, merged: Merged) -> None:
        self._body, self._merged = body, merged
        self.X, self.indptr, self.indices = merged.X, merged.indptr, merged.indices
        self.viscosity: float = body.viscosity
        self.internal = np.zeros_like(body.X)

    @property
    def mass_data(self) -> Array:
        """The mass (nnz',), kg."""
        return self._merged.summed(self._body.mass_data)

    def internal_force(self, u: Array) -> Array:
        self.internal = self._body.internal_force(self._merged.expanded(u))
        return self._merged.gathered(self.internal)

    def viscous_force(self, u: Array, velocity: Array) -> Array:
        expanded = self._merged.expanded
        return self._merged.gathered(self._body.viscous_force(expanded(u), expanded(velocity)))

    def tangent(self, u: Array, *, share: float = 1.0, inertia: float = 0.0, out: Array | None = None) -> Array:
        merged = self._merged
        data = self._body.tangent(merged.expanded(u), share=share, inertia=inertia, out=merged.room())
        return merged.summed(data, out)

    def strain_energy(self, u: Array) -> float:
        return float(self._body.strain_energy(self._merged.expanded(u)))


class MergedEffects(NodeEffects):
    """The ``effects`` of a stage at places and velocities of ``merged`` nodes (N', d)."""

    def __init__(self, effects: NodeEffects, merged: Merged) -> None:
        self._effects, self._merged, self.size = effects, merged, 0.0

    def __bool__(self) -> bool:
        return bool(self._effects)

    def _at_all(self, x: Array, v: Array) -> tuple[Array, Array]:
        return self._merged.expanded(x) + self._merged.offset, self._merged.expanded(v)

    def force(self, x: Array, v: Array) -> Array:
        force = self._merged.gathered(self._effects.force(*self._at_all(x, v)))
        self.size = self._effects.size
        return force

    def add_tangent(self, x: Array, v: Array, axes: Array, data: Array) -> None:
        whole = self._merged.room()
        whole[:] = 0.0
        self._effects.add_tangent(*self._at_all(x, v), axes, whole)
        data += self._merged.summed(whole)

    def energy(self, x: Array, v: Array) -> float:
        return self._effects.energy(*self._at_all(x, v))
