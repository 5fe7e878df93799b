"""Dead loads: nodal forces that depend on time alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from floating_frame.effect.protocol import Blocks, Effect, PointForce, PointMap, Record
from floating_frame.frame.kinematics import Array


class ActingLoads(NamedTuple):
    """The loads at one time: ``force`` at the nodes, N."""

    force: Array
    stiffness: Array | None = None

    def at(self, x: Array, v: Array) -> PointForce:
        return PointForce(self.force)

    def frozen(self, x: Array, v: Array) -> ActingLoads:
        return self

    def potential(self, x: Array, v: Array) -> float:
        return -float(np.vdot(self.force, v))

    def record(self, x: Array, v: Array, force: Blocks) -> Record:
        return Record(force, external=None)


class DeadLoads(Effect):
    """All dead loads on a body: ``force``: (time s, left=) -> nodal force; ``points``: the nodes, or points that take forces in the
    body's axes: these follow it."""

    constant = True

    def __init__(self, force: Callable[..., Array], points: PointMap, name: str = "dead loads") -> None:
        self._force, self.points, self.name = force, points, name

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> ActingLoads:
        return ActingLoads(self._force(time, left=left))
