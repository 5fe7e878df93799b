"""Contact points of a rigid body at one instant: gaps, axes and arms of contact. Derivatives by the body's motion:
``kernels.points``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from floating_frame.contact.axes import contact_axes, to_axes, to_space
from floating_frame.contact.obstacles import Gap, Obstacle, Obstacles
from floating_frame.contact.tunnelling import refuse_tunnelling
from floating_frame.effect.protocol import Blocks, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from floating_frame.rigid_solid import Feet


class ContactPoints(NamedTuple):
    """m points that may touch, at one instant: gaps (m,) m; ``axes`` (m, 3, 3), rows t1, t2, n; ``arms`` (m, 3) m of contact and
    ``centres`` (m, 3) m of their balls, from the centre of mass; ``obstacle_velocity`` (m, 3) m/s there; ``curved``: the gap with
    its curvature, None where no obstacle is curved."""

    gaps: Array
    axes: Array
    arms: Array
    centres: Array
    obstacle_velocity: Array
    curved: Gap | None

    def slip(self, velocity: Blocks) -> Array:
        """Relative velocities (m, 3) m/s along the axes, of a body with (v, Ω)."""
        return self.along(velocity[0] + cross(velocity[1], self.arms) - self.obstacle_velocity)

    def along(self, vectors: Array) -> Array:
        """Components along the axes of vectors (m, 3)."""
        return to_axes(self.axes, vectors)

    def in_space(self, components: Array) -> Array:
        """Vectors (m, 3) of components along the axes."""
        return to_space(self.axes, components)

    def pull(self, components: Array) -> Blocks:
        """Force and moment of forces (m, 3) N along the axes."""
        force = self.in_space(components)
        return force.sum(axis=0), cross(self.arms, force).sum(axis=0)

    @property
    def pulls(self) -> Array:
        """(6, 3m): force and moment of unit forces along the axes."""
        each = np.concatenate([self.axes, cross(self.arms[:, None], self.axes)], axis=2)
        return np.asarray(each.reshape(-1, 6).T)


class Contacts:
    """Contacts of the points of a ``shape`` with ``obstacles``: all points with the first, then all with the next."""

    def __init__(self, shape: Feet, obstacles: Sequence[Obstacle]) -> None:
        self.obstacles, self.radius = tuple(obstacles), shape.radius
        self._each = Obstacles.each(self.obstacles, len(shape.reference))
        self.reference = np.tile(shape.reference, (len(self.obstacles), 1))
        self.reference_centres = np.tile(shape.centres, (len(self.obstacles), 1))
        self._extent = float(np.linalg.norm(shape.reference, axis=1).max(initial=0.0))
        self.size = max((obstacle.size for obstacle in self.obstacles), default=0.0)
        self._last: tuple[Blocks, float, ContactPoints] | None = None

    def at(self, configuration: Blocks, time: float) -> ContactPoints:
        """Contact points of a body at (x, Q), at ``time`` s; the last are cached."""
        if self._last is not None:
            (x, Q), when, result = self._last
            if configuration[0] is x and configuration[1] is Q and when == time:
                return result
        result = self._points(configuration, time)
        self._last = configuration, time, result
        return result

    def over(self, x: Array, rotation: Array, times: Array) -> tuple[Array, Array, Array]:
        """Arms (K, m, 3), axes (K, m, 3, 3) and the obstacles' velocity (K, m, 3), see ``ContactPoints``, of a body at rows of x
        (K, 3) and Q (K, 3, 3)."""
        centres = self.reference_centres @ rotation.transpose(0, 2, 1)
        if all(obstacle.level and not obstacle.motion.moves for obstacle in self.obstacles):
            arms = centres - self.radius * np.array([0.0, 0.0, 1.0])
            return arms, np.broadcast_to(np.eye(3), (*arms.shape, 3)), np.zeros_like(arms)
        places = x[:, None] + centres
        normal = np.concatenate([o.normals_at(places[:, part], times) for o, part in self.groups], axis=1)
        arms = centres - self.radius * normal
        ends, axes = x[:, None] + arms, contact_axes(normal.reshape(-1, 3)).reshape(*arms.shape, 3)
        carried = [o.motion.velocities_at(ends[:, part], times) for o, part in self.groups]
        return arms, axes, np.concatenate(carried, axis=1)

    def _points(self, configuration: Blocks, time: float) -> ContactPoints:
        centres = self.reference_centres @ configuration[1].T
        gap = self._each.gap(configuration[0] + centres, time)
        arms = centres - self.radius * gap.normal if self.radius else centres
        velocity = self._each.rates(configuration[0] + arms, lambda motion, x: motion.velocity_at(x, time))
        curved = gap if gap.curvature.any() else None
        return ContactPoints(gap.gap - self.radius, contact_axes(gap.normal), arms, centres, velocity, curved)

    def convective_rates(self, at: ContactPoints, motion: Motion, time: float) -> Array:
        """Rates of slip (m, 3) m/s², along the axes, without the body's accelerations. With w the relative velocity of a centre, n'
        = H w + ω_o × n, a' = Ω × QX − ρ n'; the normal part is g'', with the slip's share y·n'."""
        (v, spin), n = motion.velocity, at.axes[:, 2]
        moving = v + cross(spin, at.centres)
        turned = self._each.rates(n, lambda motion, normal: cross(motion.turning, normal))
        relative = moving - at.obstacle_velocity - self.radius * turned
        if at.curved is not None:
            turned = turned + np.einsum("mab,mb->ma", at.curved.curvature, relative)
        arm_rate = cross(spin, at.centres) - self.radius * turned
        carried = self._each.rates(v + arm_rate, lambda motion, velocity: motion.velocity_rate(velocity, time))
        along = at.along(cross(spin, arm_rate) - carried)
        along[:, 2] += np.einsum("ma,ma->m", v + cross(spin, at.arms) - at.obstacle_velocity, turned)
        return along

    def refuse_passage(self, start: Blocks, end: Blocks, times: tuple[float, float]) -> None:
        """Raise Unsolved (WentThrough) where a point's path from (x, Q) at the start to (x, Q) at the end crosses an obstacle."""
        first, last = self.centres(start), self.centres(end)
        for obstacle, part in self.groups:
            refuse_tunnelling(obstacle, (first[part], last[part]), times, self.radius, self._extent)

    def centres(self, configuration: Blocks) -> Array:
        """Positions (m, 3) m of the balls' centres; feet are balls of radius 0."""
        return np.asarray(configuration[0] + self.reference_centres @ configuration[1].T)

    @property
    def groups(self) -> tuple[tuple[Obstacle, slice], ...]:
        """Each obstacle with its points."""
        return self._each.groups
