"""Memory of a friction law (the deformation of bristles) as part of the integrator's state, advanced as positions are.

A law that remembers has a nodal deformation Δ (N, 2) m with Δ' = rate(Δ, v), v the slip velocity. A stage inherits

    Δ*_s = Δ_n + Δt (a_s0 Δ'_n + Σ_j a_sj Δ'_j),   Δ'_j = (Δ_j − Δ*_j)/τ_j,   τ_s = Δt a_ss,

and ends at Δ_s = law.remembered(Δ*_s, v_s, τ_s), a function of v_s alone; so within the stage the force is one too, that of
``law.during(Δ*_s, τ_s)``. Nothing here is written while residuals are evaluated: Δ_s is read off the solved stage, and the state
takes the last one. All components are inertial, as the ground on which the bristles stand may move but does not turn.
The energy that bristles hold, and what of λ·v goes into it, is in ``bristle_energy``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import bmat, csc_matrix

from floating_frame.kinematics import Array, to_body
from friction import Law

if TYPE_CHECKING:
    from floating_frame.model import Model
    from floating_frame.state import State


class Bristles(NamedTuple):
    """Their deformation Δ_s and rate Δ'_s at the end of a stage, (N, 2) m and m/s, inertial, and the power (N,) W that they
    stored in it, (ψ(Δ_s) − ψ(Δ*_s))/τ_s with the stage's weights."""

    deformation: Array
    rate: Array
    storing: Array


def at_rest(law: Law, nodes: int) -> Array | None:
    """Δ (N, 2) m of bristles that nothing has deformed; None for a law that does not remember."""
    return np.zeros((nodes, 2)) if law.remembers else None


def inherited(model: Model, state: State, stages: Sequence[Any], dt: float, row: Array) -> Array | None:
    """Δ*_s (N, 2) m of the stage whose position coefficients are ``row`` (S + 1,), after the earlier ``stages``. Where the
    ground's velocity jumps at the start of the step, Δ'_n is that of its right limit: the bristles bend by it from there on."""
    if state.memory is None:
        return None
    start = state.memory
    if row[0] != 0.0:
        sliding = state.sliding + (state.ground - model.ground_velocity(state.time, left=False))
        start = start + dt * row[0] * model.law.memory_rate(state.memory, sliding)
    for weight, earlier in zip(row[1:], stages, strict=False):
        start = start + dt * weight * earlier.bristles.rate
    return start


def stage_law(
    law: Law, weights: Array, start: Array | None, tau: float, angle: float = 0.0, nodes: Any = slice(None)
) -> Law:
    """The law of a stage of length ``tau`` s that inherits Δ* = ``start``, for velocities in axes turned by ``angle`` rad, at
    ``nodes``; totals on the body are shared by all nodes' ``weights`` (N,) N."""
    seen = law.shared(weights).turned(angle)
    return seen if start is None else seen.during(to_body(start[nodes], angle), tau)


def at_end(law: Law, weights: Array, start: Array | None, sliding: Array, tau: float) -> Bristles | None:
    """The bristles at the end of a stage of slip velocity ``sliding`` (N, 2) m/s, inertial."""
    if start is None:
        return None
    own = law.shared(weights)
    deformation = own.remembered(start, sliding, tau)
    storing = (own.stored(deformation, weights) - own.stored(start, weights)) / tau
    return Bristles(deformation, (deformation - start) / tau, storing)


def with_bristles(
    law: Law, rigid: Array, inertia: Array, modes: Array, memory: Array, sliding: Array, weights: Array
) -> csc_matrix:
    """The Jacobian of (q, q', Δ)' from that of (q, q')', ``rigid`` (6, 6), sparse (6 + 2N, 6 + 2N).

    ``inertia`` D (3,); ``modes`` G (3, N, 2): v = Σ_k q'_k G_k. With the nodal blocks R = ∂Δ'/∂v and F = ∂λ/∂Δ the further ones
    are ∂q''/∂Δ = −D⁻¹ Gᵀ F and ∂Δ'/∂q' = R G; Δ' follows Δ in its stop alone, a jump, which is left out. Differences will do: only
    the iteration sees them.
    """
    size = float(np.abs(memory).max()) + 1e-6
    speed = float(np.abs(sliding).max()) + 1e-9
    pushed = nodal_jacobian(lambda d: law.during(d, 0.0).force(sliding, weights), memory, size)
    following = nodal_jacobian(lambda v: law.memory_rate(memory, v), sliding, speed)
    nodes = len(memory)
    by_bristles = -np.einsum("kna,nab->knb", modes, pushed).reshape(3, 2 * nodes) / inertia[:, None]
    by_rates = np.einsum("nab,knb->nak", following, modes).reshape(2 * nodes, 3)
    right = np.vstack([np.zeros((3, 2 * nodes)), by_bristles])
    below = np.hstack([np.zeros((2 * nodes, 3)), by_rates])
    still = csc_matrix((2 * nodes, 2 * nodes))
    return csc_matrix(bmat([[rigid, right], [below, still]]))


def nodal_jacobian(function: Callable[[Array], Array], at: Array, size: float) -> Array:
    """d function_i / d x_i (N, 2, 2) of a nodal field of x (N, 2) by forward differences of 1e-7 of ``size``."""
    step, value = 1e-7 * size, function(at)
    columns = [(function(at + step * np.eye(2)[axis]) - value) / step for axis in (0, 1)]
    return np.stack(columns, axis=-1)
