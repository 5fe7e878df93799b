"""Loads as effects: dead ones are nodal forces that depend on time alone; one that follows the body acts on the nodes of its edge,
or on all of them, and turns with them.

An elastic stage knows a follower's tangent by segments of the edge. That of a rigid body knows its value alone and settles with the
angle."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from floating_frame.effect.protocol import Blocks, Effect, PointForce, PointMap, Record
from floating_frame.frame.kinematics import Array
from floating_frame.loads.followers import Follower


class ActingLoads(NamedTuple):
    """The loads at one time: ``force`` of the places x (P, d) m of their points."""

    force: Callable[[Array], PointForce]

    def at(self, x: Array, v: Array) -> PointForce:
        return self.force(x)

    def record(self, x: Array, v: Array, force: Blocks) -> Record:
        return Record(force, external=None)


class DeadLoads(Effect):
    """All dead loads on a body: ``force``: (time s, left=) -> nodal force; ``points``: the nodes, or points that take forces in the
    body's axes: these follow it."""

    constant = True

    def __init__(self, force: Callable[..., Array], points: PointMap, name: str = "dead loads") -> None:
        self._force, self.points, self.name = force, points, name

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> ActingLoads:
        now = PointForce(self._force(time, left=left))
        return ActingLoads(lambda x: now)


class FollowerLoad(Effect):
    """A ``follower`` with a history ``value``: (time s, left=) -> its value; its tangent is known on a ``deformable`` body."""

    name = "follower"

    def __init__(self, value: Callable[..., float], follower: Follower, points: PointMap, *, deformable: bool) -> None:
        self._value, self._follower, self.points, self._known = value, follower, points, deformable

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> ActingLoads:
        value, follower = self._value(time, left=left), self._follower

        def force(x: Array) -> PointForce:
            blocks = follower.local_tangent(x) if self._known else None
            return PointForce(value * follower.local_force(x), None if blocks is None else value * blocks)

        return ActingLoads(force)
