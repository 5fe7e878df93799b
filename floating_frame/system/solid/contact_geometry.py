"""Contact geometry of a solid's nodes with obstacles: gaps, axes and velocities of contact, and projection on the obstacles.
Contacts are pairs of nodes and obstacles: all nodes with the first obstacle, then all with the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.axes import contact_axes, to_axes, to_space
from floating_frame.contact.obstacles import Gap, Obstacle, Obstacles
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from floating_frame.system.space.ground import MAX_PROJECTIONS
from friction.arrays import Bools


class ContactGeometry(NamedTuple):
    """Geometry of m contacts at one instant: the ``gap``, the ``axes`` (m, 3, 3), rows t1, t2, n, and the ``obstacle_velocity`` (m,
    3) m/s along them."""

    gap: Gap
    axes: Array
    obstacle_velocity: Array

    def along(self, vectors: Array) -> Array:
        """Components along the axes of vectors (m, 3)."""
        return to_axes(self.axes, vectors)

    def in_space(self, components: Array) -> Array:
        """Vectors (m, 3) of components along the axes."""
        return to_space(self.axes, components)


class ObstacleNodes:
    """Pairs of ``nodes`` (n,) and ``obstacles``, m = n × obstacles; ``of`` (m,): the node of each."""

    def __init__(self, nodes: NDArray[np.intp], obstacles: Sequence[Obstacle]) -> None:
        self.nodes, self.obstacles, self.of = nodes, tuple(obstacles), np.tile(nodes, len(obstacles))
        self._each = Obstacles.each(self.obstacles, len(nodes))
        self.size = max((obstacle.size for obstacle in obstacles), default=0.0)
        self.bends = any(obstacle.bends for obstacle in obstacles)
        self.uneven: Bools = np.repeat([not obstacle.steady for obstacle in obstacles], len(nodes)).astype(bool)

    def at(self, x: Array, time: float) -> ContactGeometry:
        """Contact geometry at positions (m, 3) m."""
        gap, velocity = (
            self._each.gap(x, time),
            self._each.rates(x, lambda motion, place: motion.velocity_at(place, time)),
        )
        axes = contact_axes(gap.normal)
        return ContactGeometry(gap, axes, to_axes(axes, velocity))

    def obstacle_acceleration(self, at: ContactGeometry, v: Array, time: float) -> Array:
        """Accelerations (m, 3) m/s², along the axes, of nodes in persistent contact: n·a from g'' = 0."""
        against = v - at.in_space(at.obstacle_velocity)
        bent = np.einsum("mab,mb->ma", at.gap.curvature, against)
        bent += self._each.rates(at.gap.normal, lambda motion, normal: cross(motion.turning, normal))
        rate = at.along(self._each.rates(v, lambda motion, velocity: motion.velocity_rate(velocity, time)))
        rate[:, 2] -= np.einsum("ma,ma->m", against, bent)
        return rate

    def multiple_contacts(self, chosen: Bools) -> NDArray[np.intp]:
        """Nodes with more than one ``chosen`` (m,) contact."""
        nodes, count = np.unique(self.of[chosen], return_counts=True)
        return np.asarray(nodes[count > 1])

    def project(self, x: Array, time: float, pressed: Bools, floor: Array, rounding: float) -> Array:
        """Nodal x (N, 3) m with ``pressed`` nodes (m,) on their obstacles, others with gaps of at least ``floor`` (m,) m."""
        x = x.copy()
        for _ in range(MAX_PROJECTIONS):
            gap = self._each.gap(x[self.of], time)
            off = np.where(pressed, gap.gap, gap.gap - floor)
            acts = np.where(pressed, np.abs(off), -off) > rounding
            if not acts.any():
                break
            nodes, square, back = np.unique(self.of[acts]), np.zeros((len(x), 3, 3)), np.zeros_like(x)
            acts = np.isin(self.of, nodes) & (acts | pressed)
            n = gap.normal[acts]
            np.add.at(square, self.of[acts], n[:, :, None] * n[:, None])
            np.add.at(back, self.of[acts], -off[acts, None] * n)
            x[nodes] += np.einsum("nab,nb->na", np.linalg.pinv(square[nodes], rcond=1e-10, hermitian=True), back[nodes])
        return x
