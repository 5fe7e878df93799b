"""Points of a rigid body: positions and velocities for q and q', wrench of forces on them, and its exact tangent.

In a stage q = q* + τ p the arms a = Q(α) X turn with p_ω, so that with G = [1, J a]

    W = Σ Gᵀ F,   ∂W/∂p = Σ Gᵀ (τ ∂F/∂x + ∂F/∂v) G + columns of p_ω: Gᵀ ∂F/∂v (−τ p_ω a) and, in the moment, −τ a·F.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.contact_points import ContactPoints
from floating_frame.effect.protocol import Attached, Blocks, PointForce
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.rigid_body import RigidBody
from friction.rigid.problem import point_maps, point_velocity


class RigidPoints:
    """Material points at reference ``X`` (P, 2), m, from the centre of mass: x = x0 + Q X, v = x0' + ω J Q X."""

    def __init__(self, X: Array) -> None:
        self.X = X
        self._last: tuple[float, Array] | None = None

    def arms(self, angle: float) -> Array:
        """Q X (P, 2) m; the last is cached."""
        if self._last is None or self._last[0] != angle:
            self._last = angle, to_inertial(self.X, angle)
        return self._last[1]

    def place(self, configuration: Blocks) -> Array:
        return configuration[0][:2] + self.arms(configuration[0][2])

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        return point_velocity(velocity[0], self.arms(configuration[0][2]))

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        return (wrench(self.arms(configuration[0][2]), force),)

    def tangents(self, arms: Array, now: PointForce, spin: float) -> tuple[Array, Array]:
        """∂W/∂q and ∂W/∂q' (3, 3) each at ``arms`` (P, 2) m and ``spin`` rad/s; 0 for a force without derivatives."""
        by_place, by_rate = np.zeros((3, 3)), np.zeros((3, 3))
        if now.by_place is None and now.by_velocity is None:
            return by_place, by_rate
        modes = point_maps(arms)
        if now.by_place is not None:
            by_place += np.tensordot(modes, now.by_place @ modes, ([0, 1], [0, 1]))
            by_place[2, 2] -= float(np.einsum("qi,qi->", arms, now.force))
        if now.by_velocity is not None:
            by_place[:, 2] -= spin * np.tensordot(modes, now.by_velocity @ arms[:, :, None], ([0, 1], [0, 1]))[:, 0]
            by_rate += np.tensordot(modes, now.by_velocity @ modes, ([0, 1], [0, 1]))
        return by_place, by_rate


class RigidAnchors:
    """Points of a rigid ``body`` on which effects act."""

    def __init__(self, body: RigidBody) -> None:
        self._body = body

    def nodes(self) -> RigidPoints:
        return RigidPoints(self._body.X)

    def segments(self, nodes: NDArray[np.int32]) -> RigidPoints:
        return RigidPoints(self._body.X[nodes].reshape(-1, 2))

    def places(self, points: ContactPoints) -> RigidPoints:
        return RigidPoints(points.at(self._body.X))

    def attached(self, at: str | Sequence[float]) -> Attached:
        """Nodes of a named edge, or a point (X, Y), m, anywhere. Raises ValueError for an unknown edge."""
        if not isinstance(at, str):
            X = np.array([at], float)
            return Attached(RigidPoints(X), X, np.ones(1))
        shares, X = self._body.edge_shape(at), self._body.X
        (nodes,) = np.nonzero(shares)
        return Attached(RigidPoints(X[nodes]), X[nodes], shares[nodes])
