"""The friction problem of a linear beam's stage, for the friction solver: unknowns as first components of idle 2-vectors."""

from __future__ import annotations

import numpy as np

from floating_frame.effect.protocol import Mask
from floating_frame.frame.kinematics import Array
from floating_frame.system.beam.model import BeamModel
from friction import Law, TrescaOptions, TrescaResult
from friction import solve as solve_friction


class LinearPart:
    """g(V) = (m M + k K) V − b for the friction solver, V (n, 2) with a second component that stays 0; b (n,) N, ``size`` (n,) N:
    the sum of absolute terms that b was made of; ``added`` (nnz,) N s/m: to the matrix, by effects."""

    linear = True

    def __init__(self, model: BeamModel, m: float, k: float, b: Array, size: Array, added: Array | float = 0.0) -> None:
        self._model, self._key = model, (m, k)
        self.indptr, self.indices = model.cache.indptr, model.cache.indices
        matrix = model.on_pattern(m * model.mass.data + k * model.stiffness.data + added)
        first, second = model.places
        self._data = np.zeros(len(self.indices))
        self._data[first] = matrix.data
        self._idle = matrix.diagonal()
        self._data[second] = self._idle
        self.matrix, self.right_side, self.size = matrix, b, float(size.max(initial=0.0))
        self._absolute = abs(matrix)
        self._rest = model.on_pattern(m * model.mass.data + added)

    def product(self, v: Array) -> Array:
        """(m M + k K) v (n,), N, without a resultant or a moment of rounding."""
        return np.asarray(self._rest @ v + self._key[1] * self._model.elastic_force(v))

    def gradient(self, v: Array) -> Array:
        return np.stack([self.matrix @ v[:, 0] - self.right_side, self._idle * v[:, 1]], axis=1)

    def hessian(self, v: Array) -> Array:
        return self._data

    def energy(self, v: Array) -> float:
        first = v[:, 0]
        return float(0.5 * first @ (self.matrix @ first) - self.right_side @ first + 0.5 * (self._idle @ v[:, 1] ** 2))

    def rounding(self, v: Array) -> float:
        terms = float((self._absolute @ np.abs(v[:, 0])).max(initial=0.0)) + self.size
        return 4.0 * float(np.finfo(float).eps) * terms

    def scale(self, v: Array) -> float:
        return float(max(np.abs(self.right_side).max(initial=0.0), np.abs(self.matrix @ v[:, 0]).max(initial=0.0)))

    def solve(
        self,
        bound: Array,
        velocity: Array,
        *,
        law: Law,
        reference: Array | None = None,
        fixed: Mask | None = None,
    ) -> TrescaResult:
        """Solve the friction problem under ``law`` from a start, (n,) each. Raises FrictionSolveError, NotPositiveDefinite."""
        return solve_friction(
            self,
            bound,
            law=law,
            velocity=as_vectors(velocity),
            reference=None if reference is None else as_vectors(reference),
            fixed=fixed,
            cache=self._model.cache,
            key=self._key,
            options=TrescaOptions(rtol=self._model.options.tolerance),
        )


def as_vectors(values: Array) -> Array:
    """(n,) -> (n, 2) with an idle second component."""
    return np.stack([values, np.zeros_like(values)], axis=1)
