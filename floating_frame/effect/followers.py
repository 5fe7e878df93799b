"""A load that follows the body, as an effect on the nodes of its edge or on all of them: its force turns with them.

An elastic pass takes it as f_k + S (V − V_k), S = τ sym ∂f/∂x, which has a potential (docs/theory.md, section 6). The stage of a
rigid body knows it by its value alone and settles with the angle."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from floating_frame.effect.protocol import Blocks, Effect, PointForce, PointMap, Record
from floating_frame.frame.kinematics import Array
from floating_frame.loads.followers import Follower


class ActingFollower(NamedTuple):
    """A ``follower`` times its history's ``value``, in a stage of length ``tau`` s."""

    value: float
    follower: Follower
    tau: float

    def at(self, x: Array, v: Array) -> PointForce:
        return PointForce(self.value * self.follower.local_force(x))

    def frozen(self, x: Array, v: Array) -> LinearisedFollower:
        blocks = self.follower.local_tangent(x)
        symmetric = None
        if blocks is not None:
            symmetric = 0.5 * self.value * (blocks + blocks.transpose(0, 3, 4, 1, 2))
        return LinearisedFollower(self.at(x, v).force, v, symmetric, self.tau)

    def record(self, x: Array, v: Array, force: Blocks) -> Record:
        return Record(force, external=None)


class LinearisedFollower(NamedTuple):
    """A follower in one elastic pass: ``last`` f_k (P, 2) N at V_k ``velocity`` (P, 2) m/s, and the symmetric part of its tangent,
    ``blocks`` (n, B, 2, B, 2) N/m by segments (None: no tangent)."""

    last: Array
    velocity: Array
    blocks: Array | None
    tau: float
    stiffness: Array | None = None

    def at(self, x: Array, v: Array) -> PointForce:
        return PointForce(self.last + self._stiff(v - self.velocity), self.blocks)

    def _stiff(self, change: Array) -> Array:
        if self.blocks is None:
            return np.zeros_like(change)
        n, count = self.blocks.shape[:2]
        local: Array = np.einsum("nbicj,ncj->nbi", self.blocks, change.reshape(n, count, 2))
        return self.tau * local.reshape(change.shape)

    def potential(self, x: Array, v: Array) -> float:
        change = v - self.velocity
        return -float(np.vdot(self.last, change)) - 0.5 * float(np.vdot(change, self._stiff(change)))


class FollowerLoad(Effect):
    """A ``follower`` with a history ``value``: (time s, left=) -> its value."""

    name = "follower"

    def __init__(self, value: Callable[..., float], follower: Follower, points: PointMap) -> None:
        self._value, self._follower, self.points = value, follower, points

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> ActingFollower:
        return ActingFollower(self._value(time, left=left), self._follower, tau)
