"""The force of a penalty contact at its points: normal force, friction, their powers, and their exact derivatives.

At a point x with velocity v, gap g, n = ∇g, H = ∇∇g, the tangents T (d − 1, d) of ``axes``, the obstacle's velocity v_o at its
nearest point x − g n, and c = v − v_o,

    F = f_n(δ, δ') n − Tᵀλ(u, μ f_n),    δ = −g,   δ' = −n·c,   u = T c,

and with W the obstacle's velocity gradient, q = Hw of ``axes.twist``, λ_u and m = λ/f_n (λ is proportional to f_n; the derivative
of a total by the total normal force is left out),

    dc   = dv − W (1 − n nᵀ − g H) dx,       df_n = −a n·dx − b (n·dc + c·H dx),      a = f_δ, b = f_δ',
    du   = T (dc − (n·c) H dx) + (u_2, −u_1) q·dx,
    dF   = n df_n + f_n H dx − Tᵀ(λ_u du + m df_n) + n (Tᵀλ)·H dx − (λ_1 t_2 − λ_2 t_1) q·dx,

in the plane without the terms in q. At an integration point f_n is multiplied by the area or length. The nearest point of a ball of
radius ρ about x has δ = ρ − g(x), the velocity v + Ω × a and the moment a × F, a = −ρ n.

Power: F·v = F·v_o − dE/dt − (f_n − f_el) δ' − λ·u: the obstacle's power, the stored energy, and the dissipation, which includes the
energy of bristles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floating_frame.contact.axes import obstacle_tangents, to_axes
from floating_frame.contact.contact import Contact
from floating_frame.contact.obstacles import Gap
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from friction import Law
from friction.arrays import contiguous

ROUNDING = 64.0 * float(np.finfo(float).eps)
"""Rounding of a penetration, over the coordinates of its point."""


class ContactForce(NamedTuple):
    """Force of one contact at its P points: the obstacle's ``gap``; ``normal`` force f_n (P,) and ``friction`` λ (P, 2) N at the
    ``slip`` velocities u (P, 2) m/s along the tangents, in the plane the second 0; the ``law`` of friction with its totals shared
    and the bristles of the stage; ``force`` F (P, d) N with its derivatives at fixed material points ``by_place`` and
    ``by_velocity`` (P, d, d); energy ``stored`` J; powers of the obstacle on the body, ``external``, and ``dissipated``, W."""

    gap: Gap
    normal: Array
    friction: Array
    slip: Array
    law: Law
    force: Array
    by_place: Array
    by_velocity: Array
    stored: float
    external: float
    dissipated: float


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
    """Contact force at points x of velocities v, (P, d) each, inertial, of ``weights`` (P,), at ``time`` s; of balls of ``radius``
    m about x with (v, Ω) (P, 6). ``bristles``: of a law with memory, the deformation (P, 2) m along the tangents at the start of
    the stage, and the length of the stage, s."""
    from floating_frame.contact.kernels import forces

    (P, d), obstacle, motion, law = x.shape, contact.obstacle, contact.obstacle.motion, contact.law
    gap = obstacle.gap(x, time)
    tangents, twist = obstacle_tangents(gap, motion.turn(time, d) if motion.may_turn else None)
    obstacle_velocity = obstacle.velocity(x, time, gap)
    relative = (v[:, :3] - radius * cross(v[:, 3:], gap.normal) if radius else v) - obstacle_velocity
    penetration, rate = radius - gap.gap, -np.einsum("qi,qi->q", gap.normal, relative)
    of_depth = contact.normal.elastic(penetration), *contact.normal.derivatives(penetration, rate, time)
    normal = weights * contact.normal.force(penetration, rate, time)
    slip, friction, viscous = np.zeros((P, 2)), np.zeros((P, 2)), np.zeros((P, 2, 2))
    slip[:, : d - 1] = to_axes(tangents, relative)
    if contact.mu > 0.0:
        # no bound under tension or by rounding, which would share totals at random
        resolution = ROUNDING * (float(np.abs(x).max(initial=0.0)) + obstacle.size + radius)
        bound = np.where(penetration > resolution, contact.mu * np.maximum(normal, 0.0), 0.0)
        law = law.with_total_load(bound)
        law = law if bristles is None else law.for_stage(*bristles)
        friction, viscous = law.force(slip, bound), law.tangent(slip, bound)
    at_points = gap.gap, rate, normal, *(weights * part for part in of_depth), friction, slip, twist, relative
    values = np.column_stack([*at_points, obstacle_velocity])
    force, slopes = np.empty((P, d)), np.empty((2, P, d, d))
    given = (values, gap.normal, gap.curvature, tangents, viscous, motion.spin_at(time, d))
    external, dissipated = forces(*map(contiguous, given), force, slopes)
    stored = float(weights @ contact.normal.energy(penetration))
    return ContactForce(gap, normal, friction, slip, law, force, slopes[0], slopes[1], stored, external, dissipated)
