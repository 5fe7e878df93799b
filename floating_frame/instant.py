"""Accelerations and friction at one instant: the initial state, and the end of a step in which nodes were held.

With x and v known, nodal equilibrium and the right-hand side rate law give a once more as a friction problem,

    M a − f + λ = 0,   λ_i = w_i v_i/|v_i| where v_i ≠ 0,   λ_i ∈ w_i ∂|a_i| where v_i = 0,

since a node at rest starts to slide along its acceleration.
"""

from __future__ import annotations

import numpy as np

from floating_frame.coupling import resultant
from floating_frame.kernels import cross_sum, dot
from floating_frame.kinematics import Array, FrameMotion, to_body, to_inertial
from floating_frame.model import Model
from floating_frame.moments import moments
from floating_frame.state import State
from friction import TrescaOptions
from friction import solve as solve_friction


class _InertiaPart:
    """g(a) = M a − f for the friction solver; a (N, 2) m/s², f (N, 2) N, any one set of axes."""

    linear = True

    def __init__(self, model: Model, force: Array) -> None:
        self.indptr, self.indices = model.body.indptr, model.body.indices
        self._mass = model.mass.matrix
        self._data = model.body.mass_data
        self._force = force

    def gradient(self, acceleration: Array) -> Array:
        """M a − f."""
        return self._mass @ acceleration - self._force

    def hessian(self, acceleration: Array) -> Array:
        """M in the body's sparsity."""
        return self._data.copy()

    def energy(self, acceleration: Array) -> float:
        """½ a·M a − f·a."""
        return 0.5 * dot(acceleration, self._mass @ acceleration) - dot(self._force, acceleration)

    def scale(self, acceleration: Array) -> float:
        """Largest nodal force."""
        return float(np.abs(self._force).max(initial=0.0))

    def rounding(self, acceleration: Array) -> float:
        """Rounding level of g."""
        return 16.0 * np.finfo(float).eps * self.scale(acceleration)


def internal_force_at(model: Model, position: Array, velocity: Array, angle: float) -> Array:
    """Internal nodal force (N, 2) N, inertial, of nodal (x, v) in a frame turned by ``angle``, without a resultant moment."""
    mass = model.mass
    r = to_body(position - mass.mean(position), angle)
    internal = model.body.internal_force(r - model.body.X)
    if not model.objective:
        found = moments(mass, position, velocity, np.zeros_like(velocity))
        internal = internal - cross_sum(r, internal) * model.frame.spin_gradient(mass, r, found, angle)
    return to_inertial(internal, angle)


def acceleration_at(
    model: Model, time: float, position: Array, velocity: Array, angle: float, *, left: bool = True
) -> tuple[Array, Array, Array]:
    """(a, λ, external force) at one instant, inertial (N, 2) each; ``angle`` of the frame that measures deformation.

    ``left``: which limit of the loads. Raises friction.FrictionSolveError.
    """
    load = model.loads.nodal_force(time, left=left)
    force = load + internal_force_at(model, position, velocity, angle)
    weights = model.friction_weights(time)
    speed = np.linalg.norm(velocity, axis=1)
    moving = speed > 0.0
    multiplier = model.law.force(velocity, weights)
    result = solve_friction(
        _InertiaPart(model, force - np.where(moving[:, None], multiplier, 0.0)),
        np.where(moving, 0.0, weights) if model.law.set_valued else np.zeros_like(weights),
        velocity=np.zeros_like(velocity),
        multiplier=np.zeros_like(velocity),
        cache=model.cache,
        options=TrescaOptions(rtol=model.options.tolerance),
    )
    return result.velocity, np.where(moving[:, None], multiplier, result.multiplier), load


def initial_kinematics(model: Model) -> tuple[Array, Array, FrameMotion]:
    """(x, v) (N, 2) at t = 0 and the frame motion that its condition gives them (accelerations not yet known)."""
    position, velocity = model.problem.initial.fields(model.body.X)
    found = moments(model.mass, position, velocity, np.zeros_like(position))
    return position, velocity, model.frame.decompose(found, model.mass, 0.0)


def initial_state(model: Model) -> State:
    """The state at t = 0 of an elastic body: decomposed by the frame condition, accelerations at the loads' right limit."""
    body, mass = model.body, model.mass
    position, velocity, start = initial_kinematics(model)
    if model.quasi_static:
        acceleration = multiplier = load = np.zeros_like(position)
    else:
        acceleration, multiplier, load = acceleration_at(model, 0.0, position, velocity, start.angle, left=False)
    motion: FrameMotion = model.frame.decompose(moments(mass, position, velocity, acceleration), mass, start.angle)
    displacement = to_body(position - motion.coordinates[:2], motion.angle) - body.X
    condition = np.where(np.any(velocity, axis=1), 2, 1).astype(np.int8)
    zero = np.zeros(len(position))
    return State(
        time=0.0,
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        multiplier=multiplier,
        condition=condition,
        motion=motion,
        resultant=resultant(load - multiplier, position, motion.coordinates[:2]),
        slip_path=zero,
        friction_work=zero,
        strain_energy=float(body.strain_energy(displacement)),
        kinetic_energy=0.5 * dot(velocity, mass.matrix @ velocity),
    )
