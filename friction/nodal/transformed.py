"""Smooth parts of transformed problems: in local axes of nodes, rotated or stretched, and with rate-dependent friction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from friction.arrays import Array, Bools, contiguous
from friction.laws.protocol import Law
from friction.nodal.kernels import rotate_matrix, rotate_vectors
from friction.nodal.smooth_objective import SmoothPart
from friction.stick import COULOMB


def symmetric(blocks: Array) -> Array:
    """Symmetric part of blocks (N, 2, 2)."""
    return 0.5 * (blocks + blocks.transpose(0, 2, 1))


def positive_part(blocks: Array) -> Array:
    """Symmetric part of blocks (N, 2, 2) with its negative eigenvalues set to 0."""
    values, vectors = np.linalg.eigh(symmetric(blocks))
    result: Array = (vectors * np.maximum(values, 0.0)[:, None, :]) @ vectors.transpose(0, 2, 1)
    return result


class LocalPart:
    """A ``part`` in the velocities u of ``nodes`` (m,) along their own axes, v = Tᵀ u; elsewhere u = v.

    T: the ``axes`` (m, d, d). g is T g, each block of the hessian T_i H_ij T_jᵀ. ``size``: the largest stretch of T, 1 for
    rotations.
    """

    def __init__(self, part: SmoothPart, nodes: NDArray[np.intp], axes: Array, *, size: float = 1.0) -> None:
        d = axes.shape[-1]
        self._part, self._axes, self._size = part, contiguous(axes), size
        self.indptr, self.indices, self.linear = part.indptr, part.indices, part.linear
        count = (len(part.indptr) - 1) // d
        self._number = np.full(count, -1, np.int64)
        self._number[nodes] = np.arange(len(nodes))
        self._level = bool((axes == np.eye(d)).all())
        self._last: tuple[Array | None, Array] = (None, self._axes)

    def velocity(self, u: Array) -> Array:
        """Velocities v (N, d), m/s."""
        last, v = self._last
        if last is not u:
            v = self.rotated(u, back=True)
            self._last = u, v
        return v

    def rotated(self, field: Array, *, back: bool = False) -> Array:
        """T of a ``field`` (N, d), or Tᵀ of it: ``back``."""
        if self._level:
            return field
        rotated = np.empty(field.shape)
        rotate_vectors((0,) * field.shape[1], self._number, self._axes, back, contiguous(field), rotated)
        return rotated

    def gradient(self, u: Array) -> Array:
        return self.rotated(self._part.gradient(self.velocity(u)))

    def hessian(self, u: Array) -> Array:
        data = self._part.hessian(self.velocity(u))
        if self._level:
            return data
        rotated = np.empty_like(data)
        rotate_matrix((0,) * u.shape[1], self.indptr, self.indices, data, self._number, self._axes, rotated)
        return rotated

    def scale(self, u: Array) -> float:
        return self._part.scale(self.velocity(u))

    def rounding(self, u: Array) -> float:
        return self._size * self._part.rounding(self.velocity(u))


class RateDependentPart:
    """A ``part`` plus the difference of a ``law`` of bounds ``w`` from Coulomb friction with the ``bound``, (N,) N each; ``places``
    (N, nt, nt) of the nodes' own blocks in a matrix's data, ``fixed`` (N,): nodes at rest.

    The difference λ(v) − bound n of a set-valued radial law with bound = w m(0) vanishes with v; a law that is a function of v has
    the bound 0. Falling friction makes its tangent indefinite; ``definite_hessian`` adds the positive semidefinite part only, with
    slower convergence, and is the hessian where ``clamped``.
    """

    linear = False

    def __init__(
        self, part: SmoothPart, law: Law, w: Array, bound: Array, places: NDArray[np.int64], fixed: Bools
    ) -> None:
        self._part, self._law, self._w, self.bound, self._places, self._fixed = part, law, w, bound, places, fixed
        self.clamped, self._nt, self._has_bound = False, places.shape[1], bool(bound.any())
        self.indptr, self.indices = part.indptr, part.indices

    def force(self, v: Array) -> Array:
        """Added force (N, d), N."""
        along, added = v[:, : self._nt], np.zeros_like(v)
        added[:, : self._nt] = self._law.force(along, self._w)
        if self._has_bound:
            added[:, : self._nt] -= COULOMB.force(along, self.bound)
        return added

    def gradient(self, v: Array) -> Array:
        g: Array = self._part.gradient(v) + self.force(v)
        return g

    def added_tangent(self, v: Array) -> Array:
        """Derivative (N, nt, nt), N s/m, of the added force; friction's part is 0 at rest."""
        along = v[:, : self._nt]
        tangent = self._law.tangent(along, self._w)
        return tangent - COULOMB.tangent(along, self.bound) if self._has_bound else tangent

    def skew(self, v: Array) -> Array:
        """Entries x (N,), N s/m, of the skew parts [[0, x], [−x, 0]] that the hessian leaves out; empty where there are none."""
        added_tangent = self.added_tangent(v)
        x = np.where(self._fixed, 0.0, 0.5 * (added_tangent[:, 0, 1] - added_tangent[:, 1, 0]))
        return x if x.any() else np.zeros(0)

    def hessian(self, v: Array) -> Array:
        return self.definite_hessian(v) if self.clamped else self._stiffened(v, symmetric(self.added_tangent(v)))

    def definite_hessian(self, v: Array) -> Array:
        """The hessian with the positive semidefinite part of the added tangent."""
        return self._stiffened(v, positive_part(self.added_tangent(v)))

    def _stiffened(self, v: Array, blocks: Array) -> Array:
        data = self._part.hessian(v).copy()
        data[self._places] += blocks
        return data

    def rounding(self, v: Array) -> float:
        return self._part.rounding(v) + 8.0 * float(np.finfo(float).eps) * float(self.bound.max(initial=0.0))

    def scale(self, v: Array) -> float:
        return max(self._part.scale(v), float(self._w.max(initial=0.0)))
