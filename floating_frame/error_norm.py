"""How far two ends of a step are apart, relative to the body's size and speed: what error control measures.

The largest change of a nodal component, of positions in units of R = max |X| and of velocities in units of V = R/T + max |v|
(T: the end time), the larger of the two; of positions alone in quasi-static increments. It is the same for every observer at rest.

*Bristles* of a law that remembers are springs under the body, of stiffness Σ_i ∂λ_i/∂Δ = k. A difference δΔ between two
states of equal x and v has the energy k δΔ²/2, which becomes velocity: M δv²/2 = k δΔ²/2, δv = ω δΔ with ω² = k/M, and a body
that settles on them comes to rest δΔ away. So δΔ counts as a position, and ω δΔ as a velocity. With Δ_max in it through k =
1.875 Σw/Δ_max (the steepest slope of step5), this is near δΔ/Δ_max where V is near ω Δ_max, the speed of vibrations on bristles,
and asks for no more of faster motions, in which bristles are no larger part of the error than their force.
"""

from __future__ import annotations

import numpy as np

from floating_frame.memory import stage_law
from floating_frame.model import Model
from floating_frame.state import State

PROBE = 1e-9
"""Deformation over R, far below any Δ_max, from whose force the stiffness of bristles is read."""


def distance(model: Model, start: State, a: State, b: State, *, velocities: bool = True) -> float:
    """Relative distance of two ends of a step from ``start``: see the module. ``velocities`` False: of places alone."""
    size = model.radius
    apart = float(np.abs(a.position - b.position).max()) / size
    bent = 0.0
    if a.memory is not None and b.memory is not None:
        bent = float(np.abs(a.memory - b.memory).max())
        apart = max(apart, bent / size)
    if model.quasi_static:
        return apart
    scale = speed_scale(model, start, a)
    if bent > 0.0:
        apart = max(apart, bristle_frequency(model, a.time) * bent / scale)
    if not velocities:
        return apart
    return max(apart, float(np.abs(a.velocity - b.velocity).max()) / scale)


def speed_scale(model: Model, start: State, end: State) -> float:
    """V = R/T + max |v|, m/s."""
    speed = max(float(np.abs(start.velocity).max()), float(np.abs(end.velocity).max()))
    return model.radius / model.problem.t_end + speed


def bristle_frequency(model: Model, time: float) -> float:
    """ω 1/s of the body on the undeformed bristles of a law that remembers at ``time`` s."""
    weights = model.friction_weights(time)
    bent = np.zeros((len(weights), 2))
    bent[:, 0] = PROBE * model.radius
    force = stage_law(model.law, weights, bent, 0.0).force(np.zeros_like(bent), weights)
    return float(np.sqrt(max(force[:, 0].sum(), 0.0) / (PROBE * model.radius * model.mass.total)))
