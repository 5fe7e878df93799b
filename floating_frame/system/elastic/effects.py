"""Smooth forces on an elastic body in a stage (springs, followers, penalty contacts) as functions of position and velocity.

An effect has the force F(x, v) at points x_q = Σ_b φ_qb x_b. With v = QV and x = x* + τ_x v a stage has

    g(V) = ... − θ QᵀF,    dg/dV = ... − θ Qᵀ(τ_x ∂F/∂x + ∂F/∂v) Q    in the blocks of the points' nodes,

which is not symmetric with friction: the bound depends on the normal force, not vice versa. A symmetric factor has the symmetric
part; Broyden updates in Newton's method supply the remainder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from floating_frame.effect.protocol import Effect, PointForce, StageEffect
from floating_frame.frame.kinematics import Array
from floating_frame.system.elastic.points import PlatePoints


class NodeEffects:
    """The motion-dependent ``effects``, ``acting`` in a stage of length ``tau`` s with weight ``theta``; ``symmetric``: symmetrise
    the tangents."""

    def __init__(
        self, effects: Sequence[Effect], acting: Sequence[StageEffect], tau: float, theta: float, *, symmetric: bool
    ) -> None:
        pairs = zip(effects, acting, strict=True)
        self._acting = [(effect.points, now) for effect, now in pairs if not effect.constant]
        self._tau, self._theta, self._symmetric = tau, theta, symmetric
        #: Scale of the rounding error of the last force, N.
        self.size = 0.0

    def __bool__(self) -> bool:
        return bool(self._acting)

    def _forces(self, x: Array, v: Array) -> Iterator[tuple[PlatePoints, PointForce]]:
        for points, effect in self._acting:
            yield points, effect.at(points.place((x,)), points.velocity((x,), (v,)))

    def force(self, x: Array, v: Array) -> Array:
        """θ F (N, d) N, inertial, at nodal x and v (N, d)."""
        total, self.size = np.zeros_like(x), 0.0
        sizes = float(np.abs(x).max()), float(np.abs(v).max())
        for points, now in self._forces(x, v):
            total += self._theta * points.pull((x,), now.force)[0]
            for slope, size in zip((now.by_place, now.by_velocity), sizes, strict=True):
                self.size = max(self.size, 0.0 if slope is None else float(np.abs(slope).max(initial=0.0)) * size)
        return total

    def add_tangent(self, x: Array, v: Array, axes: Array, data: Array) -> None:
        """Add −θ ∂F/∂V to ``data`` (nnz,) kg/s in the body's sparsity, V in ``axes`` (d, d)."""
        for points, now in self._forces(x, v):
            blocks = None
            for share, slope in ((self._tau, now.by_place), (1.0, now.by_velocity)):
                if slope is not None:
                    blocks = share * slope if blocks is None else blocks + share * slope
            if blocks is None:
                continue
            if self._symmetric:
                back = (0, 2, 1) if blocks.ndim == 3 else (0, 3, 4, 1, 2)
                blocks = 0.5 * (blocks + blocks.transpose(back))
            points.add_tangent(-self._theta * blocks, axes, data)
