"""Penalty contact of a body with an obstacle, as an effect on its points: normal force, damper, friction with its bristles.

An elastic pass takes the bound of friction and the directions n, t of the last one, k,

    F(V) = f_n(V) n(V) − λ(s(V), w_k) t_k,      s(V) = t_k·(V − v_o,k),      w_k = μ f_n(V_k),

so that F has a potential. A bristle's deformation Δ (P,) is a length along t at its point, Δ' = rate(Δ, s); a point without normal
force releases it to 0 at the end of the stage. Derivation: docs/laws-and-contact.md, normal contact force."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_force import PointForce as ContactForce
from floating_frame.contact.contact_force import along_wall, dotted, friction_slope, outer, point_force, pressed_only
from floating_frame.effect.protocol import Blocks, Effect, PointForce, PointMap, Record
from floating_frame.frame.kinematics import Array

_ABSCISSA, _WEIGHT = np.polynomial.legendre.leggauss(6)


class ActingContact:
    """A contact in a stage of length ``tau`` s that ends at ``time`` s, from bristles Δ* ``start`` (P,) m (None: none)."""

    def __init__(self, effect: PenaltyContact, time: float, start: Array | None, tau: float) -> None:
        self.effect, self.time, self.start, self.tau = effect, time, start, tau

    def now(self, x: Array, v: Array) -> ContactForce:
        """Return everything of the contact at its points, per unit of weight."""
        effect = self.effect
        return point_force(effect.contact, x, v, self.time, effect.weights, self.start, self.tau)

    def at(self, x: Array, v: Array) -> PointForce:
        now, w = self.now(x, v), self.effect.weights
        by_place, by_velocity = now.derivatives()
        return PointForce(w[:, None] * now.force, w[:, None, None] * by_place, w[:, None, None] * by_velocity)

    def frozen(self, x: Array, v: Array) -> FrozenContact:
        return FrozenContact(self, self.now(x, v), v)

    def record(self, x: Array, v: Array, force: Blocks) -> Record:
        now, w = self.now(x, v), self.effect.weights
        end, rate = self._bristles(now)
        return Record(
            force=force,
            external=float(w @ now.driven),
            dissipated=float(w @ now.lost),
            stored=float(w @ now.energy),
            internal=end,
            internal_rate=rate,
        )

    def _bristles(self, now: ContactForce) -> tuple[Array | None, Array | None]:
        """Return Δ and its rate at the end of the stage; at an instant Δ itself."""
        if self.start is None or not self.tau > 0.0:
            return self.start, None
        reached = now.law.updated_state(along_wall(self.start), along_wall(now.slip), self.tau)[:, 0]
        touching = now.normal > 0.0
        rate = np.where(touching, (reached - self.start) / self.tau, np.nan)  # nan: released
        return np.where(touching, reached, 0.0), rate


class FrozenContact:
    """A contact in one elastic pass: ``last``: the contact at the last pass's velocity V_k ``start`` (P, 2), of which friction's
    bound, n and t are kept. ``stiffness`` (P,) N/m sets the rounding of its force."""

    def __init__(self, acting: ActingContact, last: ContactForce, start: Array) -> None:
        self._acting, self._last, self._start = acting, last, start
        stiff, _ = last.contact.normal.derivatives(last.penetration, last.rate, acting.time)
        self.stiffness: Array | None = acting.effect.weights * np.abs(stiff)

    def _pressed(self, x: Array, v: Array) -> ContactForce:
        """Return the contact without its friction."""
        return pressed_only(self._last.contact, x, v, self._acting.time)

    def _slip(self, v: Array) -> Array:
        """Return s (P,) along the last pass's t."""
        return dotted(self._last.t, v - self._last.carrying)

    def at(self, x: Array, v: Array) -> PointForce:
        last, now, w = self._last, self._pressed(x, v), self._acting.effect.weights
        force, (by_place, by_velocity) = now.normal[:, None] * now.n, now.normal_derivatives()
        if now.contact.mu > 0.0:
            slip = self._slip(v)
            force = force - last.law.force(along_wall(slip), last.bound)[:, :1] * last.t
            slope = friction_slope(last.law, slip, last.bound)
            by_velocity = by_velocity - slope[:, None, None] * outer(last.t, last.t)
        return PointForce(w[:, None] * force, w[:, None, None] * by_place, w[:, None, None] * by_velocity)

    def potential(self, x: Array, v: Array) -> float:
        now, tau = self._pressed(x, v), self._acting.tau
        density = now.energy / tau
        if now.contact.mu > 0.0:
            density = density + self._last.law.potential_along(self._slip(v), self._last.bound)
        if now.contact.normal.damps:
            density = density - self._damper_power(x, v, tau)
        return float(self._acting.effect.weights @ density)

    def _damper_power(self, x: Array, v: Array, tau: float) -> Array:
        """Return ∫ (f_n − f_el) n·dV from V_k to V, (P,) W."""
        total, way = np.zeros(len(v)), v - self._start
        for share, weight in zip(0.5 * (_ABSCISSA + 1.0), 0.5 * _WEIGHT, strict=True):
            u = self._start + share * way
            between = self._pressed(x + tau * (u - v), u)
            rest = between.normal - between.contact.normal.elastic(between.penetration)
            total += weight * rest * dotted(between.n, way)
        return total


class PenaltyContact(Effect):
    """A ``contact`` at the ``points`` of a body that stand for ``weights`` (P,) m of its edge, or for single nodes."""

    name = dissipates = "contact"
    results = ("contact",)
    may_jump = True

    def __init__(self, contact: Contact, points: PointMap, weights: Array) -> None:
        self.contact, self.points, self.weights = contact, points, weights

    def initial(self) -> Array | None:
        return np.zeros(len(self.weights)) if self.contact.mu > 0.0 and self.contact.law.has_internal_state else None

    def rate(self, time: float, internal: Array, x: Array, v: Array) -> Array:
        """Return Δ' (P,) m/s; 0 without normal force."""
        now = point_force(self.contact, x, v, time, self.weights, internal, 0.0)
        onward = now.law.internal_rate(along_wall(internal), along_wall(now.slip))[:, 0]
        return np.where(now.normal > 0.0, onward, 0.0)

    def inherited(self, internal: Array, earlier: Sequence[Record]) -> Array:
        """Return Δ*, 0 where an earlier stage of the step released the bristle."""
        opened = np.any([np.isnan(r.internal_rate) for r in earlier if r.internal_rate is not None], axis=0)
        return np.where(opened, 0.0, internal)

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> ActingContact:
        return ActingContact(self, time, internal, tau)
