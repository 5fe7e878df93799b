"""What acts smoothly on an elastic body in a stage, springs, followers and penalty contacts: forces of places and velocities.

An effect has the force F(x, v) at points x_q = Σ_b φ_qb x_b. With v = QV and x = x* + τ_x v a stage has

    g(V) = ... − θ QᵀF,    dg/dV = ... − θ Qᵀ(τ_x ∂F/∂x + ∂F/∂v) Q    in the blocks of the points' nodes,

which is not symmetric where a node rubs: the bound follows the normal force, but not the other way round. For a symmetric factor
what has no potential is frozen at the last pass's motion, and the passes converge it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from floating_frame.effect.protocol import Effect, PassEffect, PointForce, PointMap, StageEffect
from floating_frame.frame.kinematics import Array


class NodePoints(PointMap, Protocol):
    """Points of an elastic body, which put a tangent into its sparsity."""

    def add_tangent(self, blocks: Array, turn: Array, data: Array) -> None:
        """Add ``blocks`` (P, d, d), N/m, inertial, or by groups of points, seen in axes turned by ``turn``, to ``data`` (nnz,)."""


class Acting(NamedTuple):
    """An effect in a stage, and its points."""

    points: NodePoints
    effect: StageEffect | PassEffect


class NodeEffects:
    """The smooth effects, each ``acting`` on its points, in a stage of length ``tau`` s with the weight ``theta`` of their forces;
    ``symmetric``: only symmetric tangents are of use."""

    def __init__(self, acting: Sequence[Acting], tau: float, theta: float, *, symmetric: bool = False) -> None:
        self._acting, self._tau, self._theta, self._symmetric = tuple(acting), tau, theta, symmetric
        #: What rounding leaves of the last force, in units of rounding, N.
        self.size = 0.0

    @classmethod
    def of(cls, effects: Sequence[Effect], stage: Sequence[StageEffect], tau: float, theta: float) -> NodeEffects:
        """Take those of all ``effects`` that depend on the motion."""
        pairs = zip(effects, stage, strict=True)
        return cls([Acting(e.points, a) for e, a in pairs if not e.constant], tau, theta)

    def __bool__(self) -> bool:
        return bool(self._acting)

    def frozen(self, x: Array, v: Array) -> NodeEffects:
        """Return what of them has a potential, the rest as it is at nodal x and v (N, d), inertial."""
        if not self._acting:
            return self
        held = [Acting(p, a.frozen(p.place((x,)), p.velocity((x,), (v,)))) for p, a in self._acting]  # type: ignore[union-attr]
        return NodeEffects(held, self._tau, self._theta, symmetric=True)

    def _forces(self, x: Array, v: Array) -> Iterator[tuple[NodePoints, PointForce]]:
        for points, effect in self._acting:
            yield points, effect.at(points.place((x,)), points.velocity((x,), (v,)))

    def force(self, x: Array, v: Array) -> Array:
        """Return θ F (N, d) N, inertial, at nodal x and v (N, d)."""
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

    def energy(self, x: Array, v: Array) -> float:
        """Return the potential in V, W, of what has one."""
        total = 0.0
        for points, effect in self._acting:
            place, velocity = points.place((x,)), points.velocity((x,), (v,))
            held = effect if self._symmetric else effect.frozen(place, velocity)  # type: ignore[union-attr]
            total += held.potential(place, velocity)  # type: ignore[union-attr]
        return self._theta * total
