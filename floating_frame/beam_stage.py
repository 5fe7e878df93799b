"""The stage of a linear beam: nodal equilibrium with set-valued friction in the lateral velocity V_y, (3.18), (3.19).

    g(V) + λ = 0,   g(V) = M (V − v*)/τ_v + θ K (d* + τ_x V) − f,   λ_i ∈ w_i ∂|V_i|

with the deflections d* and velocities v* that the scheme's earlier stages leave; without inertia τ_v = ∞, and V τ_x is the
increment of a quasi-static step: min ½ Δd·K Δd − (f − K d)·Δd + Σ w_i |Δw_i|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from floating_frame.beam_model import BeamModel
from floating_frame.kinematics import Array
from floating_frame.state import Counts
from friction import Law, TrescaResult
from friction import solve as solve_friction
from friction.nodal.descent import solve_increment
from friction.stick import breakaway


@dataclass(frozen=True)
class BeamHistory:
    """What a stage inherits, free unknowns (n,): ``deflection`` d* m, ``velocity`` v* m/s, ``external`` and ``start_internal`` N,
    ``weights`` w N, and the ``law`` whose totals the body's nodes share; ``tau_x``, ``tau_v`` s, ``force_weight`` θ."""

    deflection: Array
    velocity: Array
    external: Array
    start_internal: Array
    tau_x: float
    tau_v: float
    force_weight: float
    weights: Array
    law: Law


@dataclass(frozen=True)
class BeamStage:
    """A solved stage, free unknowns (n,); ``condition``: codes of ``friction``. ``internal`` − K d and ``external`` as weighted."""

    deflection: Array
    velocity: Array
    acceleration: Array
    multiplier: Array
    condition: NDArray[np.int8]
    external: Array
    internal: Array
    counts: Counts


class LinearPart:
    """g(V) = (m M + k K) V − b for the friction solver, V (n, 2) with a second component that stays 0; b (n,) N, and ``size``
    (n,) N: the sum of absolute terms that b was made of."""

    linear = True

    def __init__(self, model: BeamModel, m: float, k: float, b: Array, size: Array) -> None:
        self.indptr, self.indices = model.cache.indptr, model.cache.indices
        K = model.stiffness  # one pattern for both, explicit zeros kept
        matrix = csr_matrix((m * model.mass.data + k * K.data, K.indices, K.indptr), shape=K.shape)
        first, second = model.places
        self._data = np.zeros(len(self.indices))
        self._data[first] = matrix.data
        self._idle = matrix.diagonal()
        self._data[second] = self._idle
        self.matrix, self._b, self._size = matrix, b, float(size.max(initial=0.0))
        self._absolute = abs(matrix)

    def gradient(self, v: Array) -> Array:
        """g (n, 2), N."""
        return np.stack([self.matrix @ v[:, 0] - self._b, self._idle * v[:, 1]], axis=1)

    def hessian(self, v: Array) -> Array:
        """Its matrix (nnz,)."""
        return self._data

    def energy(self, v: Array) -> float:
        """½ V·A V − b·V, W."""
        first = v[:, 0]
        return float(0.5 * first @ (self.matrix @ first) - self._b @ first + 0.5 * (self._idle @ v[:, 1] ** 2))

    def rounding(self, v: Array) -> float:
        """4 eps × the sum of absolute terms, N."""
        terms = float((self._absolute @ np.abs(v[:, 0])).max(initial=0.0)) + self._size
        return 4.0 * float(np.finfo(float).eps) * terms

    def scale(self, v: Array) -> float:
        """Largest nodal force, N."""
        return float(max(np.abs(self._b).max(initial=0.0), np.abs(self.matrix @ v[:, 0]).max(initial=0.0)))


def solve_beam(
    model: BeamModel,
    part: LinearPart,
    weights: Array,
    velocity: Array,
    multiplier: Array,
    *,
    law: Law,
    key: tuple[float, float],
    reference: Array | None = None,
    held: NDArray[np.bool_] | None = None,
) -> TrescaResult:
    """The friction problem of ``part``, ``law`` with warm start (n,) each. Raises FrictionSolveError, fem.NotPositiveDefinite."""
    return solve_friction(
        part,
        weights,
        law=law,
        velocity=vector(velocity),
        multiplier=vector(multiplier),
        reference=None if reference is None else vector(reference),
        held=held,
        cache=model.cache,
        key=key,
        options=model.tresca,
    )


def vector(values: Array) -> Array:
    """(n,) -> (n, 2) with an idle second component."""
    return np.stack([values, np.zeros_like(values)], axis=1)


def solve_stage(
    model: BeamModel,
    history: BeamHistory,
    velocity: Array,
    multiplier: Array,
    *,
    reference: Array,
    held: NDArray[np.bool_] | None = None,
) -> BeamStage:
    """Solve one stage from the guess ``velocity``, ``multiplier`` (n,); ``reference`` (n,): against it nodes count as reversed."""
    m, k = 1.0 / history.tau_v, history.force_weight * history.tau_x
    bent = model.stiffness @ history.deflection
    incoming = model.mass @ history.velocity
    load = history.external + history.start_internal
    b = m * incoming - history.force_weight * bent + load
    size = abs(model.stiffness) @ np.abs(history.deflection) + np.abs(m * incoming) + np.abs(load)
    part = LinearPart(model, m, k, b, size)
    if model.quasi_static:
        rtol, largest = model.options.tolerance, float(size.max(initial=0.0))
        bounds = breakaway(history.law, history.weights)[1]
        result = solve_increment(part.matrix, b, bounds, velocity, reference, rtol, largest)
    else:
        result = solve_beam(
            model, part, history.weights, velocity, multiplier,
            law=history.law, key=(float(m), float(k)), reference=reference, held=held,
        )  # fmt: skip
    found = result.velocity[:, 0].copy()
    deflection = history.deflection + history.tau_x * found
    return BeamStage(
        deflection=deflection,
        velocity=found,
        acceleration=(found - history.velocity) * m,
        multiplier=result.multiplier[:, 0].copy(),
        condition=result.state,
        external=history.external,
        internal=history.start_internal - history.force_weight * (model.stiffness @ deflection),
        counts=Counts(
            passes=1,
            newton=result.iterations + result.fallback_iterations,
            factorisations=result.factorisations,
            fallbacks=int(result.fallback_iterations > 0),
        ),
    )
