"""Penalty contacts in the elastic stage: force, symmetric tangent and potential as functions of the stage's velocity V.

In a stage x = x* + τ V, so F(V) has the tangent ∂F/∂V = τ ∂F/∂x + ∂F/∂v. The normal force goes in whole. Friction on the contact
has no potential together with it, for its bound μ f_n grows with the penetration and nothing grows with the slip; so each
pass takes the bound, shares of totals, and the directions n, t of the last one,

    F(V) = f_n(V) n(V) − λ(s(V), w_k) t_k,      s(V) = t_k·(V − v_o,k),      w_k = μ f_n(V_k),

and the passes converge it (by about μ times the body's coupling of the two directions in each). Potentials, from which F comes by
−∂/∂V: E(d)/τ of the spring and ψ(s, w_k) of friction, which along one axis has a potential with bristles too; that of the damper is
its power integrated along the straight way from V_k. Where the obstacle is curved the damper has none, strictly: its tangent's
antisymmetric part (b κ s τ/2) is left to Newton's method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floating_frame.contact_assembly import AssembledContacts
from floating_frame.contact_force import PointForce, along_wall, dotted, friction_slope, outer, pressed_only
from floating_frame.contact_points import ContactPoints
from floating_frame.kinematics import Array, rotation, to_inertial

_ABSCISSA, _WEIGHT = np.polynomial.legendre.leggauss(6)


@dataclass(frozen=True)
class Frozen:
    """One contact at the last pass's velocity: what is kept of it in this one."""

    points: ContactPoints
    last: PointForce
    start: Array

    @property
    def bound(self) -> Array:
        """w_k (Q,)."""
        return self.last.bound

    def slip(self, v: Array) -> Array:
        """s (Q,) at point velocities v (Q, 2)."""
        return dotted(self.last.t, v - self.last.carrying)

    def potential(self, v: Array) -> Array:
        """ψ(s, w_k) (Q,) W."""
        law: Any = self.last.law
        if law.has_potential:
            return law.potential(along_wall(self.slip(v)), self.bound)
        return law.potential_along(self.slip(v), self.bound)


class StageContact:
    """The contacts of a stage at ``time``: ``origin`` x* (N, 2) inertial, ``tau`` s, ``weight`` θ of the stage's own force;
    ``angle`` of the frame in whose components V (N, 2) and all that is returned are;
    ``last`` (N, 2) the last pass's inertial velocity."""

    def __init__(
        self,
        contacts: AssembledContacts,
        time: float,
        origin: Array,
        tau: float,
        weight: float,
        angle: float,
        last: Array,
    ) -> None:
        self._time, self._origin, self._tau, self._weight, self._angle = time, origin, tau, weight, angle
        points = contacts.points(time, origin + tau * last, last)
        self._parts = [Frozen(p, found, p.at(last)) for p, found in points]
        #: Largest contact stiffness of a node, N/m, which sets the rounding of its force.
        self.stiffness = max((self._nodal_stiffness(part) for part in self._parts), default=0.0)

    def _nodal_stiffness(self, part: Frozen) -> float:
        stiff, _ = part.last.contact.normal.derivatives(part.last.penetration, part.last.rate, self._time)
        shares = part.points.gathered(np.column_stack([part.points.weights * np.abs(stiff)] * 2), len(self._origin))
        return float(shares.max(initial=0.0))

    def _now(self, part: Frozen, v: Array) -> PointForce:
        """The contact at point velocities v (Q, 2), inertial, without friction."""
        return pressed_only(part.last.contact, part.points.at(self._origin) + self._tau * v, v, self._time)

    def force(self, velocity: Array) -> Array:
        """θ F(V) on the nodes, (N, 2) N."""
        inertial, total = to_inertial(velocity, self._angle), np.zeros_like(velocity)
        for part in self._parts:
            v = part.points.at(inertial)
            now = self._now(part, v)
            push = now.normal[:, None] * now.n
            if now.contact.mu > 0.0:
                push = push - part.last.law.force(along_wall(part.slip(v)), part.bound)[:, :1] * part.last.t
            total += part.points.gathered((self._weight * part.points.weights)[:, None] * push, len(total))
        return total @ rotation(self._angle)

    def add_tangent(self, velocity: Array, data: Array) -> None:
        """Add −θ ∂F/∂V, its symmetric part, to ``data`` (nnz,) kg/s in the body's sparsity."""
        inertial, turn = to_inertial(velocity, self._angle), rotation(self._angle)
        for part in self._parts:
            v = part.points.at(inertial)
            now = self._now(part, v)
            by_place, by_velocity = now.normal_derivatives()
            block = -(self._tau * by_place + by_velocity)
            if now.contact.mu > 0.0:
                slope = friction_slope(part.last.law, part.slip(v), part.bound)
                block += slope[:, None, None] * outer(part.last.t, part.last.t)
            block = 0.5 * self._weight * part.points.weights[:, None, None] * (block + block.transpose(0, 2, 1))
            part.points.add_blocks(np.einsum("ki,qkl,lj->qij", turn, block, turn), data)

    def energy(self, velocity: Array) -> float:
        """The potential of −F(V), W."""
        inertial, total = to_inertial(velocity, self._angle), 0.0
        for part in self._parts:
            v = part.points.at(inertial)
            now, contact = self._now(part, v), part.last.contact
            density = now.energy / self._tau
            if contact.mu > 0.0:
                density = density + part.potential(v)
            if contact.normal.damps:
                density = density - self._damper_power(part, v)
            total += self._weight * float(part.points.weights @ density)
        return total

    def _damper_power(self, part: Frozen, v: Array) -> Array:
        """∫ (f_n − f_el) n·dV from V_k to V, (Q,) W."""
        total = np.zeros(len(v))
        for share, weight in zip(0.5 * (_ABSCISSA + 1.0), 0.5 * _WEIGHT, strict=True):
            between = self._now(part, part.start + share * (v - part.start))
            rest = between.normal - between.contact.normal.elastic(between.penetration)
            total += weight * rest * dotted(between.n, v - part.start)
        return total
