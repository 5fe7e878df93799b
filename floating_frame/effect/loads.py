"""Loads as effects: dead loads are nodal forces that depend on time alone; a follower acts on the nodes of its edge, or on all
nodes, and turns with them.

An elastic stage has a follower's tangent by segments of the edge; the stage of a rigid body iterates on its value with the angle.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from floating_frame.effect.protocol import Blocks, Effect, PointForce, PointMap, Record
from floating_frame.frame.kinematics import Array
from floating_frame.loads.followers import Follower


class DeadLoads(Effect):
    """All dead loads on a body: ``force``: (time s, left=) -> nodal force; ``points``: the nodes, or points with forces in the
    body's axes, which follow it."""

    constant = True
    _now: Any

    def __init__(self, force: Callable[..., Any], points: PointMap, name: str = "dead loads") -> None:
        self._at_time, self.points, self.name = force, points, name

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> DeadLoads:
        stage = copy(self)
        stage._now = self._at_time(time, left=left)
        return stage

    def at(self, x: Array, v: Array) -> PointForce:
        return PointForce(self._now)

    def record(self, x: Array, v: Array, force: Blocks) -> Record:
        return Record(force, external=None)


class FollowerLoad(DeadLoads):
    """A ``follower`` with a history ``value``: (time s, left=) -> its value; on a ``deformable`` body with its tangent."""

    constant = False

    def __init__(self, value: Callable[..., float], follower: Follower, points: PointMap, *, deformable: bool) -> None:
        super().__init__(value, points, "follower")
        self._follower, self._known = follower, deformable

    def at(self, x: Array, v: Array) -> PointForce:
        blocks = self._follower.local_tangent(x) if self._known else None
        force = self._now * self._follower.local_force(x)
        return PointForce(force, None if blocks is None else self._now * blocks)
