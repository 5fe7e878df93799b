"""Accelerations, friction and reaction of a clamped body at one instant: ``instant`` with the clamp's q'' as unknowns.

A clamp at rest, like any node at rest, may start to slide along its acceleration.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import FrictionProblem
from floating_frame.frame.clamp import Clamped
from floating_frame.frame.kinematics import Array, FrameMotion, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.model import Model
from floating_frame.system.clamped.newton import ClampProblem, solve_clamp
from floating_frame.system.plate.instant import InertiaPart
from friction import TrescaOptions
from friction.rigid.problem import point_velocity
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
        return max(super().scale(acceleration), self._driven)


def clamped_acceleration_at(
    model: Model,
    frame: Clamped,
    time: float,
    motion: FrameMotion,
    force: Array,
    slip: Array,
    problem: FrictionProblem,
    along: Array,
) -> tuple[Array, Array, Array, Array]:
    """(a, λ, reaction, q''): (N, 2) inertial each, (3,), (3,); arguments as ``instant.acceleration_at``, with the clamp's
    ``motion``."""
    cache, bound = model.cache, problem.bound
    assert cache is not None
    clamp = model.clamp
    moving = np.any(slip, axis=1)
    known = np.where(moving[:, None], problem.law.force(slip, bound), 0.0)
    begins, bounds = breakaway(model.law, bound)
    open_bound = np.where(moving, 0.0, bounds)
    if motion.spin != 0.0:  # a node of a turning clamp, even one that stands still, is accelerated: let it slide
        open_bound[clamp] = 0.0
    fixed = np.zeros(len(bound), dtype=np.bool_)
    fixed[clamp] = True
    free, earlier = frame.free_mask, max(0.0, time - _DIFFERENCE)
    change = frame.prescribed(time + _DIFFERENCE) - frame.prescribed(earlier)
    prescribed = change / (time + _DIFFERENCE - earlier)
    rest = force - known
    of_clamp = ClampProblem(
        part_of=lambda q2, pivot, last: _ClampedInertia(model, rest, clamp, motion, along, q2),
        clamp=clamp,
        bound=open_bound,
        fixed=fixed,
        free=free,
        prescribed=prescribed,
        law_at=lambda angle, nodes: begins.rotated(angle),
        cache=cache,
        options=TrescaOptions(rtol=model.options.tolerance),
        key="instant",
        what=f"at t = {time:.9g} s",
    )
    zero = np.zeros_like(slip)
    solution = solve_clamp(of_clamp, np.where(free, 0.0, prescribed), zero, zero, zero)
    reaction = solution.demand + wrench(solution.part.arms, solution.multiplier[clamp])
    acceleration = solution.result.velocity + solution.part.lift
    return acceleration, known + solution.multiplier, np.where(free, 0.0, reaction), solution.part.rates
