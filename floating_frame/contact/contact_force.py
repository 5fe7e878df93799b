"""The force of a penalty contact at its points: normal force, friction, their powers, and their exact derivatives.

At a point x with velocity v, gap g, n = ∇g, H = ∇∇g, the tangents T (d − 1, d) of ``axes``, the obstacle's velocity v_o at its
nearest point x − g n, and c = v − v_o,

    F = f_n(δ, δ') n − Tᵀλ(u, μ f_n),    δ = −g,   δ' = −n·c,   u = T c,

and with W the obstacle's velocity gradient, q = Hw of ``axes.twist``, λ_u and m = λ/f_n (the laws are proportional to their bound,
but for totals over the contact, whose derivative by the total normal force is left out of the tangent),

    dc   = dv − W (1 − n nᵀ − g H) dx,       df_n = −a n·dx − b (n·dc + c·H dx),      a = f_δ, b = f_δ',
    du   = T (dc − (n·c) H dx) + (u_2, −u_1) q·dx,
    dF   = n df_n + f_n H dx − Tᵀ(λ_u du + m df_n) + n (Tᵀλ)·H dx − (λ_1 t_2 − λ_2 t_1) q·dx,

in the plane without the terms in q. A point that stands for an area or a length has f_n times that. One that is the nearest of a
ball of radius ρ about x has δ = ρ − g(x), the velocity v + Ω × a and the moment a × F, a = −ρ n.

Power: F·v = F·v_o − dE/dt − (f_n − f_el) δ' − λ·u: the obstacle's power, the stored energy, and the dissipation, which includes the
energy of bristles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.axes import obstacle_tangents, to_axes, to_space
from floating_frame.contact.contact import Contact
from floating_frame.contact.obstacles import Gap
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from friction import Law
from friction.arrays import contiguous

ROUNDING = 64.0 * float(np.finfo(float).eps)
"""Rounding of a penetration, over the coordinates of its point."""


def row_dot(a: Array, b: Array) -> Array:
    """Row-wise scalar product a·b, (P,)."""
    return np.asarray(np.einsum("qi,qi->q", a, b))


@dataclass(frozen=True, kw_only=True)
class ContactForce:
    """Force of one ``contact`` at its P points of ``weights`` (P,) at ``time`` s, and the quantities of which it is made.

    The obstacle's ``gap``; ``tangents`` T (P, d − 1, d) and their ``twist`` q (P, d); ``arms`` a (P, d) m of balls; ``penetration``
    δ m and its ``rate`` (P,); ``relative_velocity`` c and ``obstacle_velocity`` v_o (P, d) m/s; ``normal`` force f_n (P,) and
    ``friction`` λ (P, 2) N along the tangents, in the plane the first alone; ``law`` of friction with its totals shared and the
    bristles of the stage; ``resolution`` m of positions.
    """

    contact: Contact
    weights: Array
    time: float
    gap: Gap
    tangents: Array
    twist: Array
    arms: Array
    penetration: Array
    rate: Array
    relative_velocity: Array
    obstacle_velocity: Array
    normal: Array
    friction: Array
    law: Law
    resolution: float

    @property
    def slip(self) -> Array:
        """u (P, 2) m/s along the tangents, as a friction law takes it: in the plane the second is 0."""
        slip = to_axes(self.tangents, self.relative_velocity)
        return slip if slip.shape[1] == 2 else np.column_stack([slip, np.zeros(len(slip))])

    @property
    def open(self) -> NDArray[np.bool_]:
        """Points without normal force, (P,)."""
        return np.asarray(self.normal == 0.0)

    @property
    def bound(self) -> Array:
        """Friction bounds w = μ f_n (P,) N; 0 where f_n < 0 or penetration is rounding, which would share totals at random."""
        deep = self.penetration > self.resolution
        return np.where(deep, self.contact.mu * np.maximum(self.normal, 0.0), 0.0)

    @property
    def force(self) -> Array:
        """Contact force F (P, d) N."""
        drag = to_space(self.tangents, self.friction[:, : self.tangents.shape[1]])
        return self.normal[:, None] * self.gap.normal - drag

    @property
    def energy(self) -> float:
        """Stored energy E, J."""
        return float(self.weights @ self.contact.normal.energy(self.penetration))

    @property
    def friction_power(self) -> Array:
        """Dissipation of friction λ·u (P,) W."""
        return row_dot(self.friction, self.slip)

    @property
    def lost(self) -> float:
        """Dissipation (f_n − f_el) δ' + λ·u, W."""
        elastic = self.weights * self.contact.normal.elastic(self.penetration)
        return float(((self.normal - elastic) * self.rate).sum() + self.friction_power.sum())

    @property
    def obstacle_power(self) -> float:
        """Power of the obstacle on the body, F·v_o, W."""
        return float(np.vdot(self.force, self.obstacle_velocity))

    def derivatives(self) -> tuple[Array, Array]:
        """Derivatives ∂F/∂x and ∂F/∂v at fixed material points, (P, d, d) each."""
        from floating_frame.contact.kernels import derivatives

        (gap, n, H), contact, d = self.gap, self.contact, self.gap.normal.shape[1]
        stiff, damp = self.weights * contact.normal.derivatives(self.penetration, self.rate, self.time)
        friction, viscous, slip = np.zeros((len(n), 2)), np.zeros((len(n), 2, 2)), self.slip
        if contact.mu > 0.0:
            friction, viscous = self.friction, self.law.tangent(slip, self.bound)
        fields = friction, slip, self.twist, self.relative_velocity
        rows = (gap, self.rate, self.normal, stiff, damp, *(row for field in fields for row in field.T))
        by_place, by_velocity = np.empty((2, len(n), d, d))
        spin = contact.obstacle.motion.spin_at(self.time, d)
        arrays = map(contiguous, (np.stack(rows, axis=1), n, H, self.tangents, viscous, spin))
        derivatives(*arrays, by_place, by_velocity)
        return by_place, by_velocity


def point_force(
    contact: Contact,
    x: Array,
    v: Array,
    time: float,
    weights: Array,
    *,
    bristles: tuple[Array, float] | None = None,
    radius: float = 0.0,
) -> ContactForce:
    """Contact force at points x of velocities v, (P, d) each, inertial, at ``time`` s; of balls of ``radius`` m about x with
    (v, Ω) (P, 6). ``bristles``: of a law with memory, the deformation (P, 2) m along the tangents at the start of the stage, and
    the length of the stage, s."""
    obstacle, d = contact.obstacle, x.shape[1]
    gap = obstacle.gap(x, time)
    tangents, twist = obstacle_tangents(gap, obstacle.motion.turn(time, d) if obstacle.motion.may_turn else None)
    obstacle_velocity, arms = obstacle.velocity(x, time, gap), -radius * gap.normal
    relative_velocity = (v[:, :3] + cross(v[:, 3:], arms) if radius else v) - obstacle_velocity
    penetration, rate = radius - gap.gap, -row_dot(gap.normal, relative_velocity)
    frictionless = ContactForce(
        contact=contact,
        weights=weights,
        time=time,
        gap=gap,
        tangents=tangents,
        twist=twist,
        arms=arms,
        penetration=penetration,
        rate=rate,
        relative_velocity=relative_velocity,
        obstacle_velocity=obstacle_velocity,
        normal=weights * contact.normal.force(penetration, rate, time),
        friction=np.zeros((len(x), 2)),
        law=contact.law,
        resolution=ROUNDING * (float(np.abs(x).max(initial=0.0)) + obstacle.size + radius),
    )
    if contact.mu == 0.0:
        return frictionless
    law = contact.law.with_total_load(frictionless.bound)
    if bristles is not None:
        law = law.for_stage(*bristles)
    return replace(frictionless, friction=law.force(frictionless.slip, frictionless.bound), law=law)
