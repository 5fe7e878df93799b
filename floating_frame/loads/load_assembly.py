"""All loads of a problem on its body: nodal forces, tangents of followers, and breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from floating_frame.frame.kernels import cross_sum, dot
from floating_frame.frame.kinematics import Array, cross
from floating_frame.frame.moments import MassDistribution
from floating_frame.input_checks import check_kind
from floating_frame.loads.edges import Body
from floating_frame.loads.followers import FOLLOWERS, Couple, Follower, FollowerTraction
from floating_frame.loads.histories import Breaks, History, values_at
from floating_frame.loads.loads import (
    BodyForce,
    BodyForceField,
    EdgeLoad,
    EdgeTraction,
    LateralLoad,
    SpaceForce,
    TangentialTraction,
)

DeadLoad: TypeAlias = EdgeLoad | BodyForce | TangentialTraction | EdgeTraction | LateralLoad
AnyLoad: TypeAlias = DeadLoad | BodyForceField | FollowerTraction | Couple | SpaceForce
"""Any load of a user."""


@dataclass(frozen=True, kw_only=True)
class AssembledLoads:
    """All loads of a problem on its body. Separable dead ones: ``shapes`` (n, N), ``forces`` (n, 2), ``histories`` (n); a load
    whose direction varies over the body has two rows, one for each axis, with the same history. ``fields``: dead body forces in
    place and time; ``followers``: loads that depend on the positions, and their histories; ``further_breaks`` s (of the ground);
    ``mass``: mass matrix and reference, for ``fields``; ``step`` s: of the run."""

    shapes: Array
    forces: Array
    histories: tuple[History, ...]
    fields: tuple[BodyForceField, ...] = ()
    followers: tuple[tuple[History, Follower], ...] = ()
    further_breaks: tuple[float, ...] = ()
    mass: MassDistribution | None = None
    step: float = 0.0

    @property
    def all_histories(self) -> list[History]:
        """The histories of all loads that have one."""
        return [*self.histories, *(history for history, _ in self.followers)]

    @property
    def _break_times(self) -> list[list[tuple[float, ...]]]:
        """Breaks, s, of each history, field and follower, and further ones."""
        courses = (self.histories, self.fields, [history for history, _ in self.followers])
        return [*([course.breaks for course in group] for group in courses), [self.further_breaks]]

    @cached_property
    def breaks(self) -> Breaks:
        """Times on which steps must end, s."""
        return Breaks.of((t for group in self._break_times for times in group for t in times), self.step)

    @cached_property
    def ground_breaks(self) -> Breaks:
        """Breaks of the ground, s."""
        return Breaks.of(self.further_breaks, self.step)

    @cached_property
    def _breaks_of(self) -> list[list[Breaks]]:
        """Breaks of each history, field and follower, merged up to rounding."""
        return [[Breaks.of(times, self.step) for times in group] for group in self._break_times]

    def history_values(self, time: float, *, left: bool = True) -> Array:
        """h(t) of the separable loads (n,); at a break one of the limits."""
        pairs = zip(self.histories, self._breaks_of[0], strict=True)
        return np.array([h.value(breaks.limit(time, left=left), left=left) for h, breaks in pairs])

    @cached_property
    def _separable(self) -> dict[bytes, Array]:
        """Cache of the last force of the separable loads, by the values of their histories."""
        return {}

    @property
    def separable(self) -> bool:
        """True if all loads are dead and products of a shape and a history."""
        return not (self.fields or self.followers)

    def nodal_force(self, time: float, *, left: bool = True) -> Array:
        """Nodal force of the dead loads, (N, 2) N inertial: Σ h(t) s_i F + M b(X, t)."""
        values = self.history_values(time, left=left)
        key = values.tobytes()
        if key not in self._separable:  # most histories are constant most of the time
            self._separable.clear()
            self._separable[key] = self.shapes.T @ (values[:, None] * self.forces)
        total = self._separable[key]
        for field, breaks in zip(self.fields, self._breaks_of[1], strict=True):
            assert self.mass is not None
            at = breaks.one_sided_time(time, left=left)
            total = total + self.mass.matrix @ field.values(self.mass.reference, at)
        return total

    def separable_values(self, times: Array, *, left: bool = True) -> Array:
        """h of the separable loads at ``times`` (n,) s, (n, L)."""
        pairs = zip(self.histories, self._breaks_of[0], strict=True)
        return (
            np.array([values_at(h, breaks.limits(times, left=left), left) for h, breaks in pairs])
            .reshape(-1, len(times))
            .T
        )

    def separable_wrenches(self, X: Array) -> Array:
        """Σ F (2), Σ X × F and Σ X·F, (L, 4) N, N, N m, N m, of each separable load at history value one, on nodes at ``X``
        (N, 2) m."""
        moments = self.shapes @ X
        each = np.column_stack([self.forces * self.shapes.sum(axis=1, keepdims=True), cross(moments, self.forces)])
        return np.column_stack([each, np.einsum("la,la->l", moments, self.forces)])

    def dead_wrenches(self, times: Array, X: Array, each: Array, *, left: bool = True) -> Array:
        """Wrenches of all dead loads at ``times`` (n,) s, (n, 4); ``each``: ``separable_wrenches``."""
        total: Array = self.separable_values(times, left=left) @ each
        for field, breaks in zip(self.fields, self._breaks_of[1], strict=True):
            assert self.mass is not None
            for k, time in enumerate(times.tolist()):
                at = breaks.one_sided_time(time, left=left)
                force = self.mass.matrix @ field.values(self.mass.reference, at)
                total[k] += [*force.sum(axis=0), cross_sum(X, force), dot(X, force)]
        return total

    def follower_values(self, times: Array, *, left: bool = True) -> Array:
        """h of all followers at ``times`` (n,) s, (n, F)."""
        followers = zip(self.followers, self._breaks_of[2], strict=True)
        each = [values_at(history, breaks.limits(times, left=left), left) for (history, _), breaks in followers]
        return np.array(each).reshape(len(each), len(times)).T

    def follower_value(self, k: int, time: float, *, left: bool = True) -> float:
        """h(t) of follower ``k``; at a break one of the limits."""
        return self.followers[k][0].value(self._breaks_of[2][k].limit(time, left=left), left=left)

    def total_force(self, time: float, position: Array, *, left: bool = True) -> Array:
        """Nodal force of all loads at inertial nodal ``position`` (N, 2) m, (N, 2) N inertial."""
        total = self.nodal_force(time, left=left)
        for k, (_, follower) in enumerate(self.followers):
            total = total + self.follower_value(k, time, left=left) * follower.force(position)
        return total


def assemble_loads(
    loads: Sequence[AnyLoad],
    body: Body,
    mass: MassDistribution,
    further_breaks: Sequence[float] = (),
    step: float = 0.0,
) -> AssembledLoads:
    """Put ``loads`` on ``body`` for steps of ``step`` s. Raises ValueError for unfit ones."""
    separable: list[tuple[Array, Array, History]] = []
    fields: list[BodyForceField] = []
    followers: list[tuple[History, Follower]] = []
    d = body.X.shape[1]
    for load in loads:
        if isinstance(load, FOLLOWERS):
            followers.append((load.history, load.on(body, mass.matrix)))
        elif isinstance(load, BodyForceField):
            if body.X.shape[1] == 2 and not body.planar:
                raise ValueError("a body force field takes a plate or a rigid body; a beam takes LateralLoad")
            load.values(mass.reference, Breaks.of(load.breaks).one_sided_time(0.0, left=False))
            fields.append(load)
        else:
            check_kind("Problem", "loads", load, "nodal_shape", "loads such as EdgeLoad('right', force=(1.0, 0.0))")
            shape, force = load.nodal_shape(body, mass.nodal)  # type: ignore[union-attr]
            if shape.ndim == 1 and force.shape != (d,):
                raise ValueError(f"the force of a load must have {d} components on {body!r}, got {force.tolist()}")
            rows = [(shape, force)] if shape.ndim == 1 else list(zip(shape.T, force * np.eye(d), strict=True))
            separable += [(row, along, load.history) for row, along in rows]
    count = len(separable)
    return AssembledLoads(
        shapes=np.array([shape for shape, _, _ in separable]).reshape(count, len(mass.nodal)),
        forces=np.array([force for _, force, _ in separable]).reshape(count, d),
        histories=tuple(history for _, _, history in separable),
        fields=tuple(fields),
        followers=tuple(followers),
        further_breaks=tuple(further_breaks),
        mass=mass,
        step=step,
    )
