"""Accelerations, friction and reaction of a clamped body at one instant: ``instant`` with the clamp's q'' as unknowns.

A clamp at rest, like any node at rest, may start to slide along its acceleration.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from floating_frame.clamped import Clamped, point_velocity, wrench_of
from floating_frame.clamped_newton import ClampProblem, settle
from floating_frame.instant import InertiaPart, internal_force_at, state_at_start
from floating_frame.kinematics import Array, FrameMotion, to_inertial
from floating_frame.memory import at_rest, stage_law
from floating_frame.model import Model
from floating_frame.state import State
from friction import TrescaOptions
from friction.stick import breakaway

_DIFFERENCE = 1e-6
"""Step in seconds for the derivative of prescribed rates (reported accelerations at t = 0 and after arrests only)."""


class _ClampedInertia(InertiaPart):
    """M a − f with the clamp's nodes accelerated by q'' (3,), inertial components; face as ``clamped.ClampedEquilibrium``, with
    accelerations for velocities. ``ground`` (2,) m/s²: what a node at rest does."""

    angle, frozen = 0.0, False

    def __init__(
        self, model: Model, force: Array, clamp: NDArray[np.intp], motion: FrameMotion, ground: Array, q2: Array
    ) -> None:
        super().__init__(model, force)
        self.rates, self.arms = q2, to_inertial(model.body.X[clamp], motion.angle)
        self.clamp_velocity = point_velocity(q2, self.arms)
        self.ground, self.clamp_slip = ground, self.clamp_velocity - ground
        self.lift = self.lift + ground
        self.lift[clamp] = self.clamp_velocity - motion.spin**2 * self.arms
        self._driven = float(np.abs(self._mass @ self.lift).max())

    def scale(self, acceleration: Array) -> float:
        """Largest nodal force, that of the given accelerations included."""
        return max(super().scale(acceleration), self._driven)


def clamped_acceleration_at(
    model: Model, time: float, position: Array, velocity: Array, motion: FrameMotion, *, left: bool = True
) -> tuple[Array, Array, Array, Array, Array]:
    """(a, λ, external force, reaction, q''): (N, 2) inertial each, (3,), (3,); arguments as ``instant.acceleration_at``."""
    frame, cache = model.frame, model.cache
    assert isinstance(frame, Clamped)
    assert cache is not None
    clamp = model.clamp
    load = model.loads.total_force(time, position, left=left)
    weights = model.friction_weights(time, left=left)
    sliding = velocity - model.ground_velocity(time, left=left)
    ground = model.ground_acceleration(time, left=left)
    moving = np.any(sliding, axis=1)
    slipping = stage_law(model.law, weights, at_rest(model.law, len(weights)), 0.0).force(sliding, weights)
    known = np.where(moving[:, None], slipping, 0.0)
    begins, bounds = breakaway(model.law, weights)
    open_weights = np.where(moving, 0.0, bounds)
    if motion.spin != 0.0:  # a node of a turning clamp, even one that stands still, is accelerated: let it slide
        open_weights[clamp] = 0.0
    held = np.zeros(len(weights), dtype=np.bool_)
    held[clamp] = True
    free, earlier = frame.free_mask, max(0.0, time - _DIFFERENCE)
    change = frame.prescribed(time + _DIFFERENCE) - frame.prescribed(earlier)
    prescribed = change / (time + _DIFFERENCE - earlier)
    force = load + internal_force_at(model, time, position, velocity, motion.angle) - known
    problem = ClampProblem(
        part_of=lambda q2, pivot, last: _ClampedInertia(model, force, clamp, motion, ground, q2),
        clamp=clamp,
        weights=open_weights,
        held=held,
        free=free,
        prescribed=prescribed,
        law_at=lambda angle, nodes: begins.turned(angle),
        cache=cache,
        options=TrescaOptions(rtol=model.options.tolerance),
        key="instant",
        what=f"at t = {time:.9g} s",
    )
    zero = np.zeros_like(velocity)
    found = settle(problem, np.where(free, 0.0, prescribed), zero, zero, zero)
    reaction = found.demand + wrench_of(found.part.arms, found.multiplier[clamp])
    acceleration = found.result.velocity + found.part.lift
    return acceleration, known + found.multiplier, load, np.where(free, 0.0, reaction), found.part.rates


def initial_clamped_state(model: Model) -> State:
    """The state at t = 0 of a clamped body, whose initial state agrees with the clamp (checked by ``assemble``)."""
    initial = model.problem.initial
    position, velocity = initial.fields(model.body.X)
    start = FrameMotion(np.zeros(3), np.array([*initial.velocity, initial.spin], dtype=float), np.zeros(3))
    zero = np.zeros_like(position)
    if model.quasi_static:
        return state_at_start(model, position, velocity, zero, zero, zero, start, np.zeros(3))
    acceleration, multiplier, load, reaction, q2 = clamped_acceleration_at(
        model, 0.0, position, velocity, start, left=False
    )
    motion = FrameMotion(start.coordinates, start.rates, q2)
    return state_at_start(model, position, velocity, acceleration, multiplier, load, motion, reaction)
