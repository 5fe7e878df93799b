"""Where a rigid body's points meet obstacles: gaps, axes and arms of contact, and how all of them move with the body.

Each point is the lowest one of a ball of radius ρ about c = x + QX (ρ = 0 of a foot). With the gap g of an obstacle, n = ∇g and
H = ∇∇g at c, the gap of the point is g − ρ, the arm of contact a = QX − ρ n, and where the body moves

    dn = H dc,    da = dφ × QX − ρ H dc,    dθ = B dc of the axes (t1, t2, n),

so that y = v + Ω × a − v_o, the velocity against the obstacle, changes along the axes by A (dy + y × dθ), and a force Aᵀp by
dθ × Aᵀp."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from floating_frame.contact.axes import along, axes_turn, contact_axes, in_space
from floating_frame.contact.obstacles import Gap, Obstacle
from floating_frame.contact.tunnelling import refuse_passage
from floating_frame.effect.protocol import Blocks, Mask, Motion
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross, hat
from floating_frame.rigid_solid import Feet


class Meeting(NamedTuple):
    """m points that may touch, at one instant: gaps (m,) m; ``axes`` (m, 3, 3), rows t1, t2, n; ``arms`` (m, 3) m of contact and
    those of their ``centres``, from the centre of mass; the obstacles' ``carrying`` velocity (m, 3) m/s there and spin ``turning``
    (m, 3); ``curved``: the gap with its curvature, None where no obstacle is curved."""

    gaps: Array
    axes: Array
    arms: Array
    centres: Array
    carrying: Array
    turning: Array
    curved: Gap | None

    def slip(self, velocity: Blocks) -> Array:
        """Return the velocities (m, 3) m/s against the obstacles, along the axes, of a body with (v, Ω)."""
        return self.along(velocity[0] + cross(velocity[1], self.arms) - self.carrying)

    def along(self, vectors: Array) -> Array:
        """Return the components along the axes of vectors (m, 3)."""
        if self._alike:
            return np.asarray(vectors @ self.axes[0].T)
        return along(self.axes, vectors)

    def in_space(self, components: Array) -> Array:
        """Return the vectors (m, 3) of components along the axes."""
        if self._alike:
            return np.asarray(components @ self.axes[0])
        return in_space(self.axes, components)

    @property
    def _alike(self) -> bool:
        """Whether all points have the same axes, kept once."""
        return len(self.axes) > 0 and self.axes.strides[0] == 0

    def pull(self, components: Array) -> Blocks:
        """Return the force and moment of forces (m, 3) N along the axes."""
        force = self.in_space(components)
        return force.sum(axis=0), cross(self.arms, force).sum(axis=0)

    @property
    def pulls(self) -> Array:
        """(6, 3m): force and moment of unit forces along the axes."""
        each = np.concatenate([self.axes, cross(self.arms[:, None], self.axes)], axis=2)
        return np.asarray(each.reshape(-1, 6).T)

    @property
    def gap_rows(self) -> Array:
        """(m, 6): how gaps change with place and turn."""
        n = self.axes[:, 2]
        return np.concatenate([n, cross(self.centres, n)], axis=1)


class Moving(NamedTuple):
    """How a body moves with what a stage varies: its place (3, 6), its points' centres, arms, and the turn of the axes, (m, 3, 6)
    each, the last None where no obstacle is curved."""

    places: Array
    centres: Array
    arms: Array
    turn: Array | None

    @classmethod
    def of(cls, at: Meeting, radius: float, tau: float, tangent: Array) -> Moving:
        """With place x* + τ v and turn δφ = T δΩ, T = ``tangent`` (3, 3), by (v, Ω)."""
        places, arms = np.zeros((3, 6)), np.zeros((len(at.gaps), 3, 6))
        places[:, :3] = tau * np.eye(3)
        arms[:, :, 3:] = -hat(at.centres) @ tangent
        centres = places + arms
        if at.curved is None:
            return cls(places, centres, arms, None)
        return cls(places, centres, arms - radius * at.curved.curvature @ centres, axes_turn(at.curved) @ centres)

    def slip_rows(self, at: Meeting, velocity: Blocks) -> Array:
        """Return how the slip along the axes changes, (m, 3, 6)."""
        spin = hat(velocity[1])
        rows = spin @ self.arms
        rows[:, :, :3] += np.eye(3)
        rows[:, :, 3:] -= hat(at.arms)
        if at.turning.any():
            rows = rows - hat(at.turning) @ (self.places + self.arms)
        if self.turn is not None:
            slip = velocity[0] + cross(velocity[1], at.arms) - at.carrying
            rows = rows + hat(slip) @ self.turn
        return np.asarray(at.axes @ rows)

    def force_slope(self, at: Meeting, force: Array) -> Array:
        """Return how force and moment (6,) of forces (m, 3) N, along the axes, change, (6, 6)."""
        held = hat(at.in_space(force))
        slope = np.zeros((6, 6))
        slope[3:] = -np.einsum("mab,mbk->ak", held, self.arms)
        if self.turn is not None:
            turned = -held @ self.turn
            slope[:3] = turned.sum(axis=0)
            slope[3:] += np.einsum("mab,mbk->ak", hat(at.arms), turned)
        return slope


class Start(NamedTuple):
    """What a step to ``end`` s knows at its start: the obstacles as the m points have ``met`` them, the slip
    ``incoming`` (m, 3) m/s; who touches and presses (``persisting``), who may get no force (``barred``), as points must not land in
    this step; whether sliding is ``jammed``, so that none may go on; whether points land in the step at all."""

    end: float
    met: Meeting
    incoming: Array
    persisting: Mask
    barred: Mask
    jammed: bool
    lands: bool


class Contacts:
    """The points of a ``shape`` with each of the ``obstacles``: all points with the first, then all with the next."""

    def __init__(self, shape: Feet, obstacles: Sequence[Obstacle]) -> None:
        self.obstacles, self.radius, self._count = tuple(obstacles), shape.radius, len(shape.reference)
        self.reference = np.tile(shape.reference, (len(self.obstacles), 1))
        self._centres = np.tile(shape.centres, (len(self.obstacles), 1))
        self._extent = float(np.linalg.norm(shape.reference, axis=1).max(initial=0.0))
        self.size = max((obstacle.size for obstacle in self.obstacles), default=0.0)
        self._last: tuple[Blocks, float, Meeting] | None = None

    def at(self, configuration: Blocks, time: float) -> Meeting:
        """Return the points where the body is at (x, Q), at ``time`` s; of the same arrays once more, what was found for them."""
        if self._last is not None:
            (x, Q), when, found = self._last
            if configuration[0] is x and configuration[1] is Q and when == time:
                return found
        found = self._meeting(configuration, time)
        self._last = configuration, time, found
        return found

    def over(self, x: Array, rotation: Array, times: Array) -> tuple[Array, Array, Array]:
        """Arms (K, m, 3), axes (K, m, 3, 3) and the obstacles' velocity (K, m, 3), see ``Meeting``, of a body at rows of x (K, 3)
        and Q (K, 3, 3)."""
        if all(obstacle.level and not obstacle.motion.moves for obstacle in self.obstacles):
            arms = self._centres @ rotation.transpose(0, 2, 1) - self.radius * np.array([0.0, 0.0, 1.0])
            return arms, np.broadcast_to(np.eye(3), (*arms.shape, 3)), np.zeros_like(arms)
        each = [self.at((a, Q), t) for a, Q, t in zip(x, rotation, times.tolist(), strict=True)]
        arms, axes, carrying = (np.stack(p) for p in zip(*((a.arms, a.axes, a.carrying) for a in each), strict=True))
        return arms, axes, carrying

    def _meeting(self, configuration: Blocks, time: float) -> Meeting:
        centres = self._centres @ configuration[1].T
        gap = gap_of(self.obstacles, configuration[0] + centres, self._count, time)
        arms = centres - self.radius * gap.normal if self.radius else centres
        carrying, turning = np.zeros_like(arms), np.zeros_like(arms)
        for part, obstacle in self.parts():
            if obstacle.motion.moves:
                carrying[part] = obstacle.motion.velocity_at(configuration[0] + arms[part], time)
                turning[part] = obstacle.motion.turning
        curved = gap if gap.curvature.any() else None
        return Meeting(gap.gap - self.radius, contact_axes(gap.normal), arms, centres, carrying, turning, curved)

    def carried_rates(self, at: Meeting, motion: Motion, time: float) -> Array:
        """Return the parts (m, 3) m/s², along the axes, of the rates of slip that are not due to the body's accelerations.

        With w the velocity of a centre against the obstacle n' = H w + ω_o × n, a' = Ω × QX − ρ n'; the normal part is g'', with
        the slip's share y·n'."""
        (v, spin), n = motion.velocity, at.axes[:, 2]
        moving = v + cross(spin, at.centres)
        against = moving - at.carrying - self.radius * cross(at.turning, n)
        turned = cross(at.turning, n)
        if at.curved is not None:
            turned = turned + np.einsum("mab,mb->ma", at.curved.curvature, against)
        arm_rate = cross(spin, at.centres) - self.radius * turned
        rates = cross(spin, arm_rate)
        for part, obstacle in self.parts():
            if obstacle.motion.moves:
                rates[part] -= obstacle.motion.velocity_rate(v + arm_rate[part], time)
        along = at.along(rates)
        along[:, 2] += np.einsum("ma,ma->m", v + cross(spin, at.arms) - at.carrying, turned)
        return along

    def refuse_passage(self, start: Blocks, end: Blocks, times: tuple[float, float]) -> None:
        """Raise WentThrough where a point goes through an obstacle on its way from (x, Q) to (x, Q)."""
        first, last = self.centres(start), self.centres(end)
        for part, obstacle in self.parts():
            refuse_passage(obstacle, (first[part], last[part]), times, self.radius, self._extent)

    def centres(self, configuration: Blocks) -> Array:
        """Return the places (m, 3) m of the balls' centres, of which feet are some without a radius."""
        return np.asarray(configuration[0] + self._centres @ configuration[1].T)

    def parts(self) -> Iterator[tuple[slice, Obstacle]]:
        """Yield the points of each obstacle."""
        for k, obstacle in enumerate(self.obstacles):
            yield slice(k * self._count, (k + 1) * self._count), obstacle


def gap_of(obstacles: Sequence[Obstacle], x: Array, count: int, time: float) -> Gap:
    """Return the gaps at points x (k count, 3) m, ``count`` for each obstacle."""
    if not obstacles:
        return Gap(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)))
    gaps = [obstacle.gap(x[k * count : (k + 1) * count], time) for k, obstacle in enumerate(obstacles)]
    return gaps[0] if len(gaps) == 1 else Gap(*(np.concatenate(parts) for parts in zip(*gaps, strict=True)))
