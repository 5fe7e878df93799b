"""Where the floating frame of a solid comes from: a frame condition, or a clamp that holds a face."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Motion
from floating_frame.frame.conditions import Frame
from floating_frame.frame.kinematics import Array, FloatingFrame
from floating_frame.frame.moments import MassDistribution, moments
from floating_frame.frame.rigid_modes import resultant
from floating_frame.frame.rotations import cross, exponential, turn_rate
from floating_frame.frame.skew import inertia
from floating_frame.frame.space_clamp import Joint
from floating_frame.system.protocol import StageHistory
from floating_frame.system.solid.stage import frame_history

NO_TURN = np.zeros(3)


class FrameOf(Protocol):
    """A frame that follows from nodal (x, v, a) (N, 3), and how it advances within a stage. ``free``: whether nothing holds it;
    ``pivot`` (3,) m: the point of the body about which it turns nodes."""

    free: bool
    pivot: Array

    def of(self, x: Array, v: Array, a: Array, Q: Array) -> FloatingFrame:
        """Return the frame; ``Q`` as last known, or as integrated. Raises FrameUndefined."""

    def placed(self, x: Array, found: FloatingFrame | None) -> Array:
        """Return nodal x (N, 3) m at a stage's end, held ones where the clamp's frame as it was ``found`` has them."""

    def after(
        self, history: StageHistory, motion: tuple[Array, Array, Array], force: Array, start: FloatingFrame
    ) -> FloatingFrame:
        """Return the frame at a stage's end by its own equations, from nodal (x, v, a) and force (N, 3) N, but for the internal;
        ``start``: as predicted, or as found with a clamp."""

    def rotation(self, start: Motion, stages: list[Motion], weights: Array) -> Array | None:
        """Return Q where it is integrated over a step from its spins, ``weights`` (S + 1,) s; None where positions give it."""


class FreeFrame:
    """The frame of a free body by a ``condition``."""

    free, pivot = True, NO_TURN

    def __init__(self, condition: Frame, mass: MassDistribution) -> None:
        self._condition, self._mass = condition, mass

    def of(self, x: Array, v: Array, a: Array, Q: Array) -> FloatingFrame:
        return self._condition.decompose(moments(self._mass, x, v, a), self._mass, Q)

    def placed(self, x: Array, found: FloatingFrame | None) -> Array:
        return x

    def after(
        self, history: StageHistory, motion: tuple[Array, Array, Array], force: Array, start: FloatingFrame
    ) -> FloatingFrame:
        of = moments(self._mass, *motion)
        net = resultant(force, motion[0], of.centre[0])
        return self._condition.solve(of, self._mass, frame_history(history), net, start)[0]

    def rotation(self, start: Motion, stages: list[Motion], weights: Array) -> Array | None:
        if self._condition.holonomic:
            return None
        way = np.zeros(3)
        for weight, motion in zip(weights, [start, *stages], strict=True):
            (x, _, Q), (v, *_), (a, *_) = motion
            way += weight * turn_rate(start.configuration[2], Q, self.of(x, v, a, Q).spin)
        return exponential(way) @ start.configuration[2]


class ClampFrame:
    """The frame of a body with ``X`` (N, 3) m that moves with its ``held`` nodes as a ``joint`` lets it."""

    free = False

    def __init__(self, held: NDArray[np.intp], X: Array, joint: Joint) -> None:
        self._held, self._X, self.pivot = held, X[held], joint.pivot
        arms = self._X - self._X.mean(axis=0)
        self._turns = joint.free[1].any()
        self._spread = np.linalg.inv(inertia(arms.T @ arms))

    def of(self, x: Array, v: Array, a: Array, Q: Array) -> FloatingFrame:
        """Return the rigid motion that fits the held nodes'."""
        place, velocity, rate = (field[self._held] for field in (x, v, a))
        arms = (self._X - self._X.mean(axis=0)) @ Q.T
        if not self._turns:
            return FloatingFrame(place[0] - Q @ self._X[0], velocity[0], rate[0], Q, NO_TURN, NO_TURN)
        origin = place.mean(axis=0) - Q @ self._X.mean(axis=0)
        spin = self._fitted(Q, arms, velocity)
        inward = cross(spin, cross(spin, arms))
        spin_rate = self._fitted(Q, arms, rate - inward)
        centre = -Q @ self._X.mean(axis=0)
        return FloatingFrame(
            origin,
            velocity.mean(axis=0) + cross(spin, centre),
            rate.mean(axis=0) + cross(spin_rate, centre) + cross(spin, cross(spin, centre)),
            Q,
            spin,
            spin_rate,
        )

    def _fitted(self, Q: Array, arms: Array, field: Array) -> Array:
        """Return the spin (3,), space, of the rigid motion nearest to a field (n, 3)."""
        return np.asarray(Q @ self._spread @ Q.T @ cross(arms, field).sum(axis=0))

    def placed(self, x: Array, found: FloatingFrame | None) -> Array:
        assert found is not None
        x[self._held] = found.origin + self._X @ found.rotation.T
        return x

    def after(
        self, history: StageHistory, motion: tuple[Array, Array, Array], force: Array, start: FloatingFrame
    ) -> FloatingFrame:
        return start

    def rotation(self, start: Motion, stages: list[Motion], weights: Array) -> Array | None:
        return None
