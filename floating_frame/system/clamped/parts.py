"""What the friction solver is given of a clamped body, in a stage and at an instant: its nodes, with the clamp moving as given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.clamp import without_moment
from floating_frame.frame.kinematics import Array, FrameMotion, rotation, to_body, to_inertial, turned
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import InstantEquilibrium, StageEquilibrium
from floating_frame.system.elastic.ground import ElasticStage
from floating_frame.system.model import Model
from floating_frame.system.protocol import StageHistory
from friction.rigid.problem import point_velocity


def clamp_motion(history: StageHistory, rates: Array) -> FrameMotion:
    """The clamp's motion at the end of a stage where q' is ``rates`` (3,), by the stage formula."""
    place, before = (np.concatenate(blocks[1:]) for blocks in (history.configuration, history.velocity))
    return FrameMotion(place + history.tau_x * rates, rates, (rates - before) / history.tau_v)


class ClampedEquilibrium(StageEquilibrium):
    """g of the nodes of a clamped body, the clamp moving with the frame: the unknown is V less the clamp's V.

    On the clamp u = 0 exactly, and velocity and acceleration are those of the frame, (2.1), (3.2): V = Qᵀx0' + ω J X,
    Qᵀa = Qᵀx0'' + ω' J X − ω² X. ``arms`` (n, 2) m, inertial: of the clamp's nodes from x0; ``clamp_velocity`` and ``clamp_slip``
    (n, 2) m/s, inertial; ``frozen``: whether forces are left that the passes have to converge.
    """

    def __init__(
        self,
        model: Model,
        stage: ElasticStage,
        motion: FrameMotion,
        clamp: NDArray[np.intp],
        effects: NodeEffects,
    ) -> None:
        assert model.cache is not None
        axes, origin = rotation(motion.angle), motion.coordinates[:2]
        super().__init__(stage.elastic, stage.nodes, origin, axes, effects, model.cache.data)
        self._clamp, self._objective, ground = clamp, model.objective, stage.history.friction.ground
        self.motion, self.rates, self.angle, self.ground = motion, motion.rates, motion.angle, ground
        self.frozen = bool(effects)
        arm = model.body.X[clamp]
        self.arms = to_inertial(arm, motion.angle)
        self.clamp_slip = point_velocity(motion.rates - np.array([*ground, 0.0]), self.arms)
        self.clamp_velocity = self.clamp_slip + ground
        lift = np.broadcast_to(self.seen(ground[None]), model.body.X.shape).copy()
        lift[clamp] = to_body(self.clamp_velocity, motion.angle)
        self.lift_by(lift)
        self._clamp_acceleration = (
            to_body(motion.accelerations[:2], motion.angle) + motion.spin_rate * turned(arm) - motion.spin**2 * arm
        )

    def displacement(self, velocity: Array) -> Array:
        """Return u (N, 2) m at the end of the stage; 0 on the clamp."""
        u = super().displacement(velocity)
        u[self._clamp] = 0.0
        return u

    def acceleration(self, velocity: Array) -> Array:
        """Return Qᵀa (N, 2) m/s²; the frame's on the clamp."""
        a = super().acceleration(velocity)
        if np.isfinite(self.nodes.tau_v):
            a[self._clamp] = self._clamp_acceleration
        return a

    def _reached(self, velocity: Array) -> tuple[Array, Array]:
        return self.displacement(velocity), self.acceleration(velocity)

    def _internal(self, velocity: Array, place: Array) -> Array:
        """Return f_int (N, 2) N, body components, without a resultant moment."""
        internal, X = super()._internal(velocity, place), self._elastic.body.X
        return internal if self._objective else without_moment(internal, X + place, X, self._clamp)


class ClampedInertia(InstantEquilibrium):
    """M a − f with the clamp's nodes accelerated by q'' (3,), inertial components; face as ``ClampedEquilibrium``, with
    accelerations for velocities. ``ground`` (2,) m/s²: what a node at rest does."""

    angle, frozen = 0.0, False

    def __init__(
        self, model: Model, force: Array, clamp: NDArray[np.intp], motion: FrameMotion, ground: Array, q2: Array
    ) -> None:
        super().__init__(model.elastic_at(0.0), force)
        self.rates, self.arms = q2, to_inertial(model.body.X[clamp], motion.angle)
        self.clamp_velocity = point_velocity(q2, self.arms)
        self.ground, self.clamp_slip = ground, self.clamp_velocity - ground
        self.lift = self.lift + ground
        self.lift[clamp] = self.clamp_velocity - motion.spin**2 * self.arms
        self._driven = float(np.abs(model.mass.times(self.lift)).max())

    def scale(self, acceleration: Array) -> float:
        return max(super().scale(acceleration), self._driven)
