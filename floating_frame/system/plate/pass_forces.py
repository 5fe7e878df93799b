"""The smooth effects on a deformable body in one elastic pass: their force, symmetric tangent and potential as functions of V."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from floating_frame.effect.protocol import Blocks, Effect, PassEffect, PointMap
from floating_frame.frame.kinematics import Array, rotation, to_inertial
from floating_frame.system.protocol import StageHistory

NO_FRAME = np.zeros(3)


class PassPoints(PointMap, Protocol):
    """Points of a deformable body, which put a tangent into its sparsity."""

    def add_tangent(self, blocks: Array, turn: Array, data: Array) -> None:
        """Add ``blocks`` (P, 2, 2), N/m, inertial, or by groups of points, seen in axes turned by ``turn``, to ``data`` (nnz,)."""


class Acting(NamedTuple):
    """An effect in a pass, and its points."""

    points: PassPoints
    effect: PassEffect


class ActingEffects:
    """The smooth ``effects`` on a deformable body in one stage."""

    def __init__(self, effects: Sequence[Effect[PassPoints]], history: StageHistory) -> None:
        self._history = history
        self._smooth = [(e, a) for e, a in zip(effects, history.effects, strict=True) if not e.constant]
        self._effects = effects
        #: Whether a long step may have no solution.
        self.may_jump = any(e.may_jump for e in effects)

    def __bool__(self) -> bool:
        return bool(self._smooth)

    def in_pass(self, angle: float, last: Array) -> PassForces:
        """Return the effects as a pass sees them in a frame turned by ``angle``; ``last`` (N, 2): inertial velocity so far."""
        return PassForces(self._effects, self._history, angle, last)

    def force(self, position: Array, velocity: Array) -> Array | float:
        """Return θ F, the whole force, on the nodes (N, 2) N at inertial x, v (N, 2)."""
        total: Array | float = 0.0
        x, v = (position, NO_FRAME), (velocity, NO_FRAME)
        for effect, acting in self._smooth:
            now = acting.at(effect.points.place(x), effect.points.velocity(x, v))
            total = total + self._history.theta * effect.points.pull(x, now.force)[0]
        return total


class PassForces:
    """What the effects do at velocities V (N, 2) in the axes of a frame turned by ``angle``; all that is returned is too.

    ``last`` (N, 2): the last pass's inertial velocity, at which an effect is frozen where it has no potential. ``stiffness``
    N/m: the largest of a node, which sets the rounding of its force."""

    def __init__(self, effects: Sequence[Effect[PassPoints]], history: StageHistory, angle: float, last: Array) -> None:
        self._history, self._angle, self._turn = history, angle, rotation(angle)
        x, v = self._motion(last)
        smooth = [(e.points, a) for e, a in zip(effects, history.effects, strict=True) if not e.constant]
        self._acting = [Acting(p, a.frozen(p.place(x), p.velocity(x, v))) for p, a in smooth]
        self.stiffness = max((self._nodal(a) for a in self._acting), default=0.0)

    def __bool__(self) -> bool:
        return bool(self._acting)

    def _nodal(self, acting: Acting) -> float:
        stiffness = acting.effect.stiffness
        if stiffness is None:
            return 0.0
        shares = acting.points.pull(self._history.configuration, np.column_stack([stiffness] * 2))[0]
        return float(np.abs(shares).max(initial=0.0))

    def _motion(self, v: Array) -> tuple[Blocks, Blocks]:
        return (self._history.configuration[0] + self._history.tau_x * v, NO_FRAME), (v, NO_FRAME)

    def _points(self, velocity: Array) -> Iterator[tuple[Acting, Array, Array]]:
        """Yield each effect with x and v of its points, inertial."""
        x, v = self._motion(to_inertial(velocity, self._angle))
        for acting in self._acting:
            yield acting, acting.points.place(x), acting.points.velocity(x, v)

    def force(self, velocity: Array) -> Array:
        """Return θ F(V) on the nodes, (N, 2) N."""
        total = np.zeros_like(velocity)
        for (points, effect), x, v in self._points(velocity):
            total += self._history.theta * points.pull(self._history.configuration, effect.at(x, v).force)[0]
        return total @ self._turn

    def add_tangent(self, velocity: Array, data: Array) -> None:
        """Add −θ ∂F/∂V, its symmetric part, to ``data`` (nnz,) kg/s in the body's sparsity."""
        for (points, effect), x, v in self._points(velocity):
            now, blocks = effect.at(x, v), None
            for share, slope in ((self._history.tau_x, now.by_place), (1.0, now.by_velocity)):
                if slope is not None:
                    blocks = share * slope if blocks is None else blocks + share * slope
            if blocks is not None:
                back = (0, 2, 1) if blocks.ndim == 3 else (0, 3, 4, 1, 2)
                points.add_tangent(-0.5 * self._history.theta * (blocks + blocks.transpose(back)), self._turn, data)

    def energy(self, velocity: Array) -> float:
        return self._history.theta * sum(effect.potential(x, v) for (_, effect), x, v in self._points(velocity))
