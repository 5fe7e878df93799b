"""Accelerations and friction at one instant: the initial state, and the end of a step in which nodes were held.

With x and v known, nodal equilibrium and the right-hand side rate law give a once more as a friction problem,

    M a − f + λ = 0,   λ_i = w_i v_i/|v_i| where v_i ≠ 0,   λ_i ∈ w_i ∂|a_i| where v_i = 0,

since a node at rest starts to slide along its acceleration; on moving ground v and a are those relative to it.
"""

from __future__ import annotations

import numpy as np

from floating_frame.effect.protocol import FrictionProblem
from floating_frame.frame.clamp import without_moment
from floating_frame.frame.kernels import cross_sum
from floating_frame.frame.kinematics import Array, to_body, to_inertial
from floating_frame.frame.skew import skew_of
from floating_frame.system.elastic.equilibrium import InstantEquilibrium
from floating_frame.system.model import Model
from friction import TrescaOptions
from friction import solve as solve_friction
from friction.stick import breakaway


def internal_force_at(model: Model, time: float, position: Array, angle: float) -> Array:
    """Internal nodal force (N, 2) N, inertial, at ``time`` s, of nodal x in a frame turned by ``angle``; no moment."""
    mass = model.mass
    r = to_body(position - mass.mean(position), angle)
    internal = model.body_at(time).internal_force(r - model.body.X)
    if len(model.clamp) and not model.objective:
        internal = without_moment(internal, r, model.body.X, model.clamp)
    elif not model.objective:
        internal = internal - model.frame.couple(mass, r, skew_of(cross_sum(r, internal), 2))
    return to_inertial(internal, angle)


def acceleration_at(
    model: Model, force: Array, slip: Array, problem: FrictionProblem, along: Array
) -> tuple[Array, Array]:
    """(a, λ) at one instant, inertial (N, 2) each, under the nodal ``force`` (N, 2) N of all but friction.

    ``slip`` (N, 2) m/s; ``along`` (2,) m/s²: the acceleration of the ground. Raises friction.FrictionSolveError.
    """
    moving = np.any(slip, axis=1)
    multiplier = problem.law.force(slip, problem.bound)
    part = InstantEquilibrium(model.elastic_at(0.0), force - np.where(moving[:, None], multiplier, 0.0))
    part.lift = part.lift + along
    begins, bounds = breakaway(model.law, problem.bound)
    result = solve_friction(
        part,
        np.where(moving, 0.0, bounds),
        law=begins,
        velocity=np.zeros_like(slip),
        cache=model.cache,
        options=TrescaOptions(rtol=model.options.tolerance),
    )
    return result.velocity + part.lift, np.where(moving[:, None], multiplier, result.multiplier)
