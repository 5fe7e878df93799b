"""All loads of a problem put on its body: nodal forces, the tangent of those that follow it, and their breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fem.beam_axis import BeamAxis
from floating_frame.followers import FOLLOWERS, Follower, FollowingLoad
from floating_frame.histories import History
from floating_frame.kinematics import Array
from floating_frame.loads import BodyForceField, Load
from floating_frame.moments import MassDistribution


@dataclass(frozen=True)
class AssembledLoads:
    """All loads of a problem on its body. Separable dead ones: ``shapes`` (n, N), ``forces`` (n, 2), ``histories`` (n); a load
    whose direction varies over the body has two rows, one for each axis, which share its history. ``fields``: dead body forces in
    place and time; ``followers``: loads that depend on the positions, and their histories; ``further_breaks`` s of what else
    changes in time; ``mass``: mass matrix and reference, for ``fields``.
    """

    shapes: Array
    forces: Array
    histories: tuple[History, ...]
    fields: tuple[BodyForceField, ...] = ()
    followers: tuple[tuple[History, Follower], ...] = ()
    further_breaks: tuple[float, ...] = ()
    mass: MassDistribution | None = None

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times on which steps must end, s."""
        named = [h.breaks for h in self.histories] + [f.breaks for f in self.fields]
        named += [history.breaks for history, _ in self.followers] + [self.further_breaks]
        return tuple(sorted({float(t) for times in named for t in times}))

    @property
    def separable(self) -> bool:
        """Whether all loads are dead and products of a shape and a history."""
        return not (self.fields or self.followers)

    def nodal_force(self, time: float, *, left: bool = True) -> Array:
        """Of the dead loads, (N, 2) N inertial: Σ h(t) s_i F + M b(X, t)."""
        values = np.array([h.value(time, left=left) for h in self.histories])
        total = self.shapes.T @ (values[:, None] * self.forces)
        for field in self.fields:
            assert self.mass is not None
            total = total + self.mass.matrix @ field.values(self.mass.reference, time, left=left)
        return total

    def following_force(self, time: float, position: Array, *, left: bool = True) -> Array:
        """Of the loads that follow the body at nodal ``position`` (N, 2) m, (N, 2) N, in the axes of ``position``."""
        total = np.zeros_like(position)
        for history, follower in self.followers:
            total += history.value(time, left=left) * follower.force(position)
        return total

    def following_tangent(self, time: float, position: Array, data: Array) -> None:
        """Add the symmetric part of ∂(following force)/∂x, N/m, to ``data`` (nnz,) in the body's sparsity."""
        for history, follower in self.followers:
            follower.add_tangent(position, history.value(time), data)

    def total_force(self, time: float, position: Array, *, left: bool = True) -> Array:
        """Of all loads at inertial nodal ``position`` (N, 2) m, (N, 2) N inertial."""
        dead = self.nodal_force(time, left=left)
        return dead + self.following_force(time, position, left=left) if self.followers else dead


def assemble_loads(
    loads: Sequence[Load | BodyForceField | FollowingLoad],
    body: object,
    mass: MassDistribution,
    further_breaks: Sequence[float] = (),
) -> AssembledLoads:
    """Put ``loads`` on ``body``; raises ValueError naming what is wrong with one."""
    shapes: list[Array] = []
    forces: list[Array] = []
    histories: list[History] = []
    fields: list[BodyForceField] = []
    followers: list[tuple[History, Follower]] = []
    for load in loads:
        if isinstance(load, FOLLOWERS):
            followers.append((load.history, load.on(body, mass.matrix)))
        elif isinstance(load, BodyForceField):
            if isinstance(body, BeamAxis):
                raise ValueError("a body force field takes a plate or a rigid body; a beam takes LateralLoad")
            load.values(mass.reference, 0.0, left=False)
            fields.append(load)
        else:
            shape, force = load.nodal_shape(body, mass.nodal)  # type: ignore[union-attr]
            rows = [(shape, force)] if shape.ndim == 1 else list(zip(shape.T, force * np.eye(2), strict=True))
            for row, along in rows:
                shapes.append(row)
                forces.append(along)
                histories.append(load.history)
    count = len(shapes)
    return AssembledLoads(
        np.array(shapes).reshape(count, len(mass.nodal)),
        np.array(forces).reshape(count, 2),
        tuple(histories),
        tuple(fields),
        tuple(followers),
        tuple(further_breaks),
        mass,
    )
