"""Smooth effects on a solid within a stage, springs and penalty contacts: forces of places and velocities, in its balance.

An effect has the force F(x, v) at points x_q = Σ_b φ_qb x_b. With x = x0 + Q(X + u), u = u* + τ_x V and v = QV a stage has

    g(V) = ... − θ QᵀF,    dg/dV = ... − θ Qᵀ(τ_x ∂F/∂x + ∂F/∂v) Q    in the blocks of the points' nodes,

which is not symmetric where a node rubs: the bound follows the normal force, but not the other way round. A node i that touches
stands for the area A_i = ∫φ_i dA of the reference shape, f_n = A_i p_n(δ, δ'), Pa."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from floating_frame.effect.protocol import Effect, StageEffect
from floating_frame.frame.kinematics import Array
from floating_frame.system.plate.points import PlatePoints

Smooth = Sequence[tuple[Effect[PlatePoints], StageEffect]]


class StageEffects:
    """What smooth effects, each with itself in the stage, do to a stage of length ``tau`` s seen in the frame's axes ``Q``."""

    def __init__(self, pairs: Smooth, tau: float, Q: Array) -> None:
        self._pairs, self._tau, self._Q = tuple(pairs), tau, Q

    def __bool__(self) -> bool:
        return bool(self._pairs)

    def force(self, x: Array, v: Array) -> tuple[Array, float]:
        """Return the force (N, 3) N, space axes, at nodal x and v (N, 3), space, and its rounding, N."""
        force, rounding = np.zeros_like(x), 0.0
        sizes = [float(np.abs(field).max()) for field in (x, v)]
        for effect, acting in self._pairs:
            points = effect.points
            now = acting.at(points.place((x,)), points.velocity((x,), (v,)))
            force += points.spread(now.force)
            slopes = [0.0 if s is None else float(np.abs(s).max(initial=0.0)) for s in (now.by_place, now.by_velocity)]
            rounding = max(rounding, slopes[0] * sizes[0] + slopes[1] * sizes[1])
        return force, rounding

    def add_tangent(self, x: Array, v: Array, theta: float, data: Array) -> None:
        """Add −θ ∂F/∂V to ``data`` (nnz,) kg/s in the body's sparsity."""
        for effect, acting in self._pairs:
            points = effect.points
            now = acting.at(points.place((x,)), points.velocity((x,), (v,)))
            for share, slope in ((self._tau, now.by_place), (1.0, now.by_velocity)):
                if slope is not None:
                    points.add_tangent(-theta * share * slope, self._Q, data)

    def energy(self, x: Array, v: Array) -> float:
        """Return the potential in V, W, of effects that have one."""
        total = 0.0
        for effect, acting in self._pairs:
            place, velocity = effect.points.place((x,)), effect.points.velocity((x,), (v,))
            total += acting.frozen(place, velocity).potential(place, velocity)
        return total
