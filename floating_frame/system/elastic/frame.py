"""Floating frame of an elastic body, for d = 2 and 3, from a frame condition or from clamped nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from floating_frame.effect.protocol import Motion
from floating_frame.frame.conditions import Frame
from floating_frame.frame.kinematics import BASIS, Array, FloatingFrame, axial, inertia, skew_of
from floating_frame.frame.moments import MassDistribution, moments
from floating_frame.frame.rigid_modes import resultant
from floating_frame.frame.rigid_pass import FrameHistory
from floating_frame.frame.rotations import rotate_attitude, rotation_of, turn_rate


class NodalFrame:
    """Frame of a free body by a ``condition`` on nodal (x, v, a) (N, d), and its advance within a stage.

    ``free``: the body has no clamp; ``pivot`` (d,) m: point of the body about which arcs turn."""

    free = True

    def __init__(self, condition: Frame, mass: MassDistribution) -> None:
        self._condition, self._mass = condition, mass
        self.pivot = np.zeros(mass.reference.shape[1])

    def of(self, x: Array, v: Array, a: Array, Q: Array) -> FloatingFrame:
        """Frame of a nodal motion near ``Q``, the last rotation or the integrated one. Raises Unsolved (FrameUndefined)."""
        return self._condition.decompose(moments(self._mass, x, v, a), self._mass, Q)

    def place_clamped(self, x: Array, frame: FloatingFrame | None) -> Array:
        """Nodal x (N, d) m at a stage's end, clamped nodes placed by the clamp's ``frame``."""
        return x

    def after(
        self, history: FrameHistory, motion: tuple[Array, Array, Array], force: Array, start: FloatingFrame
    ) -> tuple[FloatingFrame, int]:
        """Frame at a stage's end by its equations, for nodal (x, v, a) and external force (N, d) N, and the number of sweeps;
        ``history`` of the frame; ``start``: predicted frame."""
        of = moments(self._mass, *motion)
        if not np.isfinite(history.tau_v):  # without inertia (2.3) is the balance of forces
            return self._condition.decompose(of, self._mass, start.rotation), 0
        net = resultant(force, motion[0], of.centre[0])
        return self._condition.solve(of, self._mass, history, net, start)

    def attitude(self, start: Motion, stages: Sequence[Motion], weights: Array) -> Array | None:
        """Attitude integrated over a step from the spins with ``weights`` (S + 1,) s; None if positions determine it."""
        if self._condition.holonomic:
            return None
        first = start.configuration[2]
        turn = np.zeros_like(start.velocity[2])
        for weight, motion in zip(weights, [start, *stages], strict=True):
            (x, _, attitude), (v, *_), (a, *_) = motion
            spin = self.of(x, v, a, rotation_of(attitude)).spin
            turn = turn + weight * turn_rate(first, attitude, spin)
        return rotate_attitude(first, turn)


class ClampFrame(NodalFrame):
    """Frame fixed to the ``clamped`` nodes of a body with ``X`` (N, d) m; ``turns``: it may turn, about the ``pivot`` (d,) m."""

    free = False

    def __init__(self, clamped: NDArray[np.intp], X: Array, pivot: Array, *, turns: bool) -> None:
        self._clamped, self._X, self.pivot, self._turns = clamped, X[clamped], pivot, turns
        arms = self._X - self._X.mean(axis=0)
        self._spread = np.linalg.inv(inertia(arms.T @ arms))

    def of(self, x: Array, v: Array, a: Array, Q: Array) -> FloatingFrame:
        """Rigid motion that fits the clamped nodes."""
        place, velocity, rate = (field[self._clamped] for field in (x, v, a))
        d = len(Q)
        none = np.zeros(len(BASIS[d]))
        if not self._turns:
            return FloatingFrame(place[0] - Q @ self._X[0], velocity[0], rate[0], Q, none, none)
        arms, centre = (self._X - self._X.mean(axis=0)) @ Q.T, -Q @ self._X.mean(axis=0)
        spin = self._fitted(Q, arms, velocity)
        W = skew_of(spin, d)
        spin_rate = self._fitted(Q, arms, rate - arms @ (W @ W).T)
        return FloatingFrame(
            place.mean(axis=0) + centre,
            velocity.mean(axis=0) + W @ centre,
            rate.mean(axis=0) + skew_of(spin_rate, d) @ centre + W @ (W @ centre),
            Q,
            spin,
            spin_rate,
        )

    def _fitted(self, Q: Array, arms: Array, field: Array) -> Array:
        """Spin (r,), space, of the rigid motion nearest to a field (n, d)."""
        turn = Q if len(Q) == 3 else np.eye(1)
        return np.asarray(turn @ self._spread @ turn.T @ axial(arms.T @ field))

    def place_clamped(self, x: Array, frame: FloatingFrame | None) -> Array:
        assert frame is not None
        x[self._clamped] = frame.origin + self._X @ frame.rotation.T
        return x

    def attitude(self, start: Motion, stages: Sequence[Motion], weights: Array) -> Array | None:
        return None
