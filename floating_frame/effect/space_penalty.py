"""Penalty contact of a body in space with an obstacle, as an effect on its points: normal force and friction by the slip velocity.

At a point x with velocity v, gap g, n = ∇g, H = ∇∇g, the tangents T (2, 3) of the axes of contact, which turn by dθ = B dx, and
c = v − v_o against an obstacle of velocity v_o and spin ω_o there,

    F = f_n(d, d') n − Tᵀλ(u, μ f_n),    d = −g,   d' = −n·c,   u = T c,

    dF = n df_n + f_n H dx − Tᵀ(λ_u du + (λ/f_n) df_n) + (Tᵀλ) × dθ,
    df_n = −a n·dx − b (n·dc + c·H dx),   du = T (dc + c × dθ),   dc = dv − ω_o × dx,

the laws being proportional to their bound. A node of a solid has f_n times its area. A point that is the nearest one of a ball of
radius ρ about x has d = ρ − g(x), the velocity v + Ω × a and the moment a × F, a = −ρ n. The power is
F·v = F·v_o − dE/dt − (f_n − f_el) d' − λ·u.

A law with memory has at each point a deformation z (2,) m along t1, t2, which goes with these axes; z' = rate(z, u). They are those
of the obstacle's own axes, turned with it, t_k = R t_k(Rᵀn) and B = R B(Rᵀn, RᵀHR) Rᵀ: bristles go along where it spins. A point
without normal force releases it at the end of the stage. What bristles store counts as lost, as in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from floating_frame.contact.contact_force import ROUNDING, dotted
from floating_frame.contact.signorini import Signorini
from floating_frame.effect.protocol import Blocks, Effect, Motion, PassEffect, PointForce, PointMap, Record
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross, hat
from floating_frame.space_contact.contact import SpaceContact
from floating_frame.space_contact.obstacles import SpaceGap, along, axes_turn, contact_axes, in_space
from friction import Law


class Pressed(NamedTuple):
    """A contact at P points, at one instant: the obstacle's ``gap``, the ``axes`` (P, 3, 3) and their ``turn`` B (P, 3, 3);
    ``arms`` a (P, 3) m; ``penetration`` d m and its ``rate`` (P,); velocity ``against`` the obstacle c (P, 3), which moves with
    ``carrying``; ``normal`` force f_n (P,) and ``friction`` λ (P, 2) N along t1, t2 under the ``bound`` w (P,)."""

    gap: SpaceGap
    axes: Array
    turn: Array
    arms: Array
    penetration: Array
    rate: Array
    against: Array
    carrying: Array
    normal: Array
    friction: Array
    bound: Array
    law: Law

    @property
    def slip(self) -> Array:
        """The slip velocity u (P, 2) m/s along t1, t2."""
        return along(self.axes[:, :2], self.against)

    @property
    def force(self) -> Array:
        """The force F (P, 3) N on the body."""
        return in_space(self.axes, np.column_stack([-self.friction, self.normal]))

    @property
    def opens(self) -> Array:
        """Whether a point does not press, (P,)."""
        return np.asarray(self.normal == 0.0)


def carried_axes(gap: SpaceGap, R: Array) -> tuple[Array, Array]:
    """Return the axes of contact (P, 3, 3) of an obstacle that has turned by R (3, 3), and their turn B (P, 3, 3)."""
    own = SpaceGap(gap.gap, gap.normal @ R, R.T @ gap.curvature @ R)
    return contact_axes(own.normal) @ R.T, R @ axes_turn(own) @ R.T


class SpacePenalty(Effect):
    """A ``contact`` by a penalty law at ``points`` (``radius`` 0), or of balls of ``radius`` m about them, whose velocities are
    (v, Ω) and forces (F, a × F), (P, 6). ``weights`` (P,): 1 of single points, m² of nodes that stand for an area."""

    name, dissipates, results = "contact", "contact", ("penalty",)
    may_jump = True

    def __init__(self, contact: SpaceContact, points: PointMap, weights: Array, radius: float = 0.0) -> None:
        assert not isinstance(contact.normal, Signorini)
        self.contact, self.normal, self.points, self.radius = contact, contact.normal, points, radius
        self.weights, self.rubs = weights, contact.mu > 0.0
        remembers = contact.mu > 0.0 and contact.law.has_internal_state
        self._undeformed = np.zeros((len(weights), 2)) if remembers else None

    def seen(self, time: float, motion: Motion, internal: Array | None) -> Pressed:
        """Return everything of the contact at an instant."""
        x, points = motion.configuration, self.points
        return ActingPenalty(self, time, internal).now(points.place(x), points.velocity(x, motion.velocity))

    def initial(self) -> Array | None:
        return self._undeformed

    def rate(self, time: float, internal: Array, x: Array, v: Array) -> Array:
        """Return z' (P, 2) m/s; 0 without normal force."""
        now = ActingPenalty(self, time, internal).now(x, v)
        return np.where(now.opens[:, None], 0.0, now.law.internal_rate(internal, now.slip))

    def inherited(self, internal: Array, earlier: Sequence[Record]) -> Array:
        """Return z*, 0 where an earlier stage of the step released it."""
        released = np.any([np.isnan(r.internal_rate) for r in earlier if r.internal_rate is not None], axis=0)
        return np.where(released, 0.0, internal)

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> ActingPenalty:
        return ActingPenalty(self, time, internal, tau)


class ActingPenalty:
    """A contact in a stage of length ``tau`` s that ends at ``time`` s, from deformations z* ``start`` (P, 2) m (None: none)."""

    def __init__(self, effect: SpacePenalty, time: float, start: Array | None = None, tau: float = 0.0) -> None:
        self.effect, self.time, self.start, self.tau = effect, time, start, tau
        law = effect.contact.law
        self._law = law if start is None else law.for_stage(start, tau)

    def now(self, x: Array, v: Array) -> Pressed:
        """Return everything of the contact."""
        contact, radius, time = self.effect.contact, self.effect.radius, self.time
        gap, motion = contact.obstacle.gap(x, time), contact.obstacle.motion
        (axes, turn), arms = carried_axes(gap, motion.turn(time)), -radius * gap.normal
        carrying = motion.velocity_at(x + arms, time) if motion.moves else np.zeros_like(x)
        velocity = v[:, :3] + cross(v[:, 3:], arms) if radius else v
        against, penetration = velocity - carrying, radius - gap.gap
        rate = -dotted(gap.normal, against)
        normal = self.effect.weights * self.effect.normal.force(penetration, rate, time)
        deep = penetration > ROUNDING * (float(np.abs(x).max(initial=0.0)) + contact.obstacle.size + radius)
        bound = np.where(deep, contact.mu * np.maximum(normal, 0.0), 0.0)
        slip = along(axes[:, :2], against)
        friction = self._law.force(slip, bound) if contact.mu > 0.0 else np.zeros_like(slip)
        return Pressed(gap, axes, turn, arms, penetration, rate, against, carrying, normal, friction, bound, self._law)

    def at(self, x: Array, v: Array) -> PointForce:
        now, radius = self.now(x, v), self.effect.radius
        force, (by_place, by_velocity) = now.force, self._derivatives(now)
        if not radius:
            return PointForce(force, by_place, by_velocity)
        arms, bent = hat(now.arms), -radius * now.gap.curvature
        # c = v + Ω × a − v_o and the moment a × F, with da = −ρ H dx
        by_place = by_place + by_velocity @ (hat(v[:, 3:]) @ bent)
        by_motion = np.concatenate([by_velocity, -by_velocity @ arms], axis=2)
        lifted = np.concatenate([by_place, arms @ by_place - hat(force) @ bent], axis=1)
        moments = np.concatenate([by_motion, arms @ by_motion], axis=1)
        return PointForce(np.concatenate([force, cross(now.arms, force)], axis=1), lifted, moments)

    def _derivatives(self, now: Pressed) -> tuple[Array, Array]:
        """Return ∂F/∂x and ∂F/∂v (P, 3, 3) of the material points."""
        contact, (_, n, H) = self.effect.contact, now.gap
        slopes = self.effect.normal.derivatives(now.penetration, now.rate, self.time)
        a, b = (self.effect.weights * slope for slope in slopes)
        T, turn = now.axes[:, :2], now.turn
        carried = np.zeros_like(turn)
        if contact.obstacle.motion.moves:  # dv_o = ω_o × d(x + a)
            bent = np.eye(3) - self.effect.radius * H
            carried = hat(contact.obstacle.motion.turning) @ bent
        normal_by_velocity = -b[:, None] * n
        bending = np.einsum("pa,pab->pb", now.against, H)
        normal_by_place = -a[:, None] * n - b[:, None] * bending
        normal_by_place -= np.einsum("pa,pab->pb", normal_by_velocity, carried)
        drag = np.einsum("pka,pk->pa", T, now.friction)
        acts = now.normal > 0.0
        ratio = drag / np.where(acts, now.normal, 1.0)[:, None] * acts[:, None]
        slope = now.law.tangent(now.slip, now.bound) if contact.mu > 0.0 else np.zeros((len(n), 2, 2))
        viscous = np.swapaxes(T, 1, 2) @ slope @ T
        direction = (n - ratio)[:, :, None]
        by_velocity = direction * normal_by_velocity[:, None] - viscous
        by_place = direction * normal_by_place[:, None] + now.normal[:, None, None] * H
        return by_place + viscous @ (carried - hat(now.against) @ turn) + hat(drag) @ turn, by_velocity

    def frozen(self, x: Array, v: Array) -> PassEffect:
        raise NotImplementedError("bodies in space are solved without elastic passes")

    def record(self, x: Array, v: Array, force: Blocks) -> Record:
        now, normal, weights = self.now(x, v), self.effect.normal, self.effect.weights
        rubbed = dotted(now.friction, now.slip)
        lost = (now.normal - weights * normal.elastic(now.penetration)) * now.rate + rubbed
        path, end, rate = np.where(now.opens, 0.0, np.hypot(*now.slip.T)), self.start, None
        if self.start is not None and self.tau > 0.0:
            reached, released = now.law.updated_state(self.start, now.slip, self.tau), now.opens[:, None]
            rate = np.where(released, np.nan, (reached - self.start) / self.tau)
            end = np.where(released, 0.0, reached)
        return Record(
            force=force,
            external=float(np.vdot(now.force, now.carrying)),
            dissipated=float(lost.sum()),
            stored=float(weights @ normal.energy(now.penetration)),
            internal=end,
            internal_rate=rate,
            rates=(path, rubbed),
        )
