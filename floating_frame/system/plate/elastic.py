"""What a stage of nodes and frame inherits in the plane, and what small strains make of the frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floating_frame.effect.protocol import FrictionProblem, Motion
from floating_frame.frame.kernels import cross_sum
from floating_frame.frame.kinematics import Array, FrameMotion, to_body
from floating_frame.frame.skew import skew_of
from floating_frame.system.elastic.equilibrium import NodeHistory
from floating_frame.system.model import Model


@dataclass(frozen=True, kw_only=True)
class NodalHistory:
    """What a stage of nodes and frame inherits, inertial components: x*, v* (N, 2); frame q*, q'* (3,); ``load`` (N, 2) N: all
    nodal force that does not depend on the stage's own motion.

    ``tau_x``, ``tau_v`` s: weights of the stage's own velocity and acceleration; ``force_weight`` θ of its own internal force;
    ``friction``: law, bounds and ground; ``bristles`` Δ* (N, 2) m, where the law remembers; ``time`` s of the stage.
    """

    time: float
    position: Array
    velocity: Array
    coordinates: Array
    rates: Array
    load: Array
    tau_x: float
    tau_v: float
    force_weight: float
    friction: FrictionProblem
    bristles: Array | None = None

    @property
    def nodes(self) -> NodeHistory:
        """That of the nodes alone."""
        return NodeHistory(self.position, self.velocity, self.load, self.tau_x, self.tau_v, self.force_weight)

    @property
    def key(self) -> tuple[float, float, float]:
        """What the matrix of the stage depends on besides the motion."""
        return self.tau_x, self.tau_v, self.force_weight


NO_FRAME_FORCE = np.zeros(3)
"""Forces act on the nodes; the frame has no force of its own."""


def frame_of(motion: Motion) -> FrameMotion:
    """Return the frame's part of a motion of nodes and frame."""
    return FrameMotion(motion.configuration[1], motion.velocity[1], motion.acceleration[1])


def with_frame(x: Array, v: Array, a: Array, frame: FrameMotion) -> Motion:
    """Return the motion of nodes (N, 2), inertial, and of the frame."""
    return Motion((x, frame.coordinates), (v, frame.rates), (a, frame.accelerations))


def frame_moment_force(model: Model, history: NodalHistory, motion: FrameMotion, velocity: Array) -> Array:
    """What makes a non-objective (small-strain) internal force power-consistent in a moving frame, (N, 2) N, body.

    The power of −dU/dt = f_int·u' contains −ω Σ r × f_int through u' = V − Qᵀx0' − ω J r, so the force that does the
    same power through V is f_int − (Σ r × f_int) ∂ω/∂V. It leaves no resultant moment. Taken at the last pass's
    inertial ``velocity`` and frame, it is converged by the passes.
    """
    position = history.position + history.tau_x * velocity
    r = to_body(position - motion.coordinates[:2], motion.angle)
    internal = model.body_at(history.time).internal_force(r - model.body.X)
    return -model.frame.couple(model.mass, r, skew_of(cross_sum(r, internal), 2))
