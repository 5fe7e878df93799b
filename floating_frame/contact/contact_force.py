"""The force of a penalty contact at its points: normal force, friction, their powers, and their exact derivatives.

At a point x with velocity v, gap g, normal n = ∇g, t = J n, ∇n = κ t tᵀ, the obstacle's velocity v_o there and c = v − v_o

    F = f_n(d, d') n − λ(s, μ f_n) t,     d = −g,   d' = −n·c,   s = t·c.

With ∂d = −n·dx, ∂d' = −n·dv − κ s t·dx, ∂s = t·dv + κ d' t·dx (the obstacle taken not to spin), ∂n = κ t (t·dx), ∂t = −κ n (t·dx),
a = f_d, b = f_d', and friction's slope λ_s and ratio m = λ/f_n (the laws are proportional to their bound, but for totals over
the contact: what these change with the contact's whole normal force is left to the iteration),

    ∂F/∂v = −(n − m t)(b n)ᵀ − λ_s t tᵀ
    ∂F/∂x = −(n − m t)(a n + b κ s t)ᵀ + κ f_n t tᵀ + κ λ n tᵀ − λ_s κ d' t tᵀ.

Power: F·v = F·v_o − dE/dt − (f_n − f_el) d' − λ s, of which the last two are lost and the first is the obstacle's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from floating_frame.contact.contact import Contact
from floating_frame.frame.kinematics import Array, turned
from friction import Law

ROUNDING = 64.0 * float(np.finfo(float).eps)
"""Share of a point's coordinates below which a penetration says nothing."""


def dotted(a: Array, b: Array) -> Array:
    """Return the row-wise a·b, (Q,)."""
    return np.asarray(np.einsum("qi,qi->q", a, b))


def outer(a: Array, b: Array) -> Array:
    """Return the row-wise a bᵀ, (Q, 2, 2)."""
    return a[:, :, None] * b[:, None, :]


@dataclass(frozen=True, kw_only=True)
class PointForce:
    """Everything of one contact at its Q points, per unit of their weights: ``penetration`` d, ``rate`` d', ``slip`` s, ``normal``
    f_n, ``friction`` λ (Q,); directions ``n``, ``t``, the obstacle's ``carrying`` velocity (Q, 2); ``curvature`` κ; ``time`` s;
    ``law`` of friction at this instant or in this stage, with what totals and bristles make of it; ``resolution`` m of places."""

    contact: Contact
    time: float
    penetration: Array
    rate: Array
    slip: Array
    normal: Array
    friction: Array
    n: Array
    t: Array
    carrying: Array
    curvature: Array
    law: Law
    resolution: float

    @property
    def bound(self) -> Array:
        """w = μ f_n (Q,); nothing where the normal force pulls, or penetration is rounding: it would share totals at random."""
        deep = self.penetration > self.resolution
        return np.where(deep, self.contact.mu * np.maximum(self.normal, 0.0), 0.0)

    @property
    def force(self) -> Array:
        """F (Q, 2)."""
        return self.normal[:, None] * self.n - self.friction[:, None] * self.t

    @property
    def energy(self) -> Array:
        """E(d) (Q,)."""
        energy: Array = self.contact.normal.energy(self.penetration)
        return energy

    @property
    def lost(self) -> Array:
        """(f_n − f_el) d' + λ s (Q,), the power that is dissipated."""
        elastic: Array = self.contact.normal.elastic(self.penetration)
        return (self.normal - elastic) * self.rate + self.friction * self.slip

    @property
    def driven(self) -> Array:
        """F·v_o (Q,), the obstacle's power on the body."""
        return dotted(self.force, self.carrying)

    def normal_derivatives(self) -> tuple[Array, Array]:
        """Return (∂/∂x, ∂/∂v) of f_n n, (Q, 2, 2) each."""
        a, b = self.contact.normal.derivatives(self.penetration, self.rate, self.time)
        along = a[:, None] * self.n + (b * self.curvature * self.slip)[:, None] * self.t
        bent = (self.curvature * self.normal)[:, None, None] * outer(self.t, self.t)
        return bent - outer(self.n, along), -b[:, None, None] * outer(self.n, self.n)

    def derivatives(self) -> tuple[Array, Array]:
        """Return (∂F/∂x, ∂F/∂v), (Q, 2, 2) each, exact for an obstacle that does not spin."""
        by_place, by_velocity = self.normal_derivatives()
        if self.contact.mu == 0.0:
            return by_place, by_velocity
        slope = friction_slope(self.law, self.slip, self.bound)
        acts = self.normal > 0.0  # a contact that pulls does not rub
        ratio = np.where(acts, self.friction / np.where(acts, self.normal, 1.0), 0.0)
        a, b = self.contact.normal.derivatives(self.penetration, self.rate, self.time)
        along = a[:, None] * self.n + (b * self.curvature * self.slip)[:, None] * self.t
        by_place = by_place + ratio[:, None, None] * outer(self.t, along)
        by_place += (self.curvature * self.friction)[:, None, None] * outer(self.n, self.t)
        by_place -= (slope * self.curvature * self.rate)[:, None, None] * outer(self.t, self.t)
        by_velocity = by_velocity + (ratio * b)[:, None, None] * outer(self.t, self.n)
        return by_place, by_velocity - slope[:, None, None] * outer(self.t, self.t)


def along_wall(slip: Array) -> Array:
    """Return the slip velocities as a friction law takes them, (Q, 2), its first axis along the obstacle."""
    return np.column_stack([slip, np.zeros_like(slip)])


def friction_slope(law: Law, slip: Array, bound: Array) -> Array:
    """Return ∂λ/∂s (Q,)."""
    return law.tangent(along_wall(slip), bound)[:, 0, 0]


def pressed_only(contact: Contact, x: Array, v: Array, time: float) -> PointForce:
    """Return the contact without its friction at points x with velocities v, (Q, 2) each, inertial, at ``time`` s."""
    gap = contact.obstacle.gap(x, time)
    carrying = contact.obstacle.velocity(x, time)
    n, t, relative = gap.normal, turned(gap.normal), v - carrying
    penetration, rate, slip = -gap.gap, -dotted(n, relative), dotted(t, relative)
    return PointForce(
        contact=contact,
        time=time,
        penetration=penetration,
        rate=rate,
        slip=slip,
        normal=contact.normal.force(penetration, rate, time),
        friction=np.zeros(len(x)),
        n=n,
        t=t,
        carrying=carrying,
        curvature=gap.curvature,
        law=contact.law,
        resolution=ROUNDING * float(np.abs(x).max(initial=0.0)),
    )


def point_force(
    contact: Contact,
    x: Array,
    v: Array,
    time: float,
    weights: Array | None = None,
    bristles: Array | None = None,
    tau: float = 0.0,
) -> PointForce:
    """Return the same with friction. ``weights`` (Q,) of the points, by which totals over the contact are shared (None: 1 each);
    ``bristles`` (Q,) m: with what deformation along t a stage of length ``tau`` s begins, where the law remembers."""
    pressed = pressed_only(contact, x, v, time)
    if contact.mu == 0.0:
        return pressed
    law = contact.law.with_total_load(pressed.bound if weights is None else weights * pressed.bound)
    if bristles is not None:
        law = law.for_stage(along_wall(bristles), tau)
    return replace(pressed, friction=law.force(along_wall(pressed.slip), pressed.bound)[:, 0], law=law)
