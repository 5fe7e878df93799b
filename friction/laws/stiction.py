"""The sliding & stiction type of RecurDyn: bristles that bend by at most Delta_max carry a body at rest.

In |v| <= v_s, with the bristles' deflection Delta (2,) and D = step5(|Delta|, -Delta_max, -1, Delta_max, 1) Delta/|Delta|,

    lambda = w [(1 - beta) D + beta n],   beta = step5(|v|, -v_s, -1, v_s, 1)   (0 at rest, 1 at v_s);

beyond, lambda is that of the sliding type, whose profile below v_s is the same beta. The bristles follow the slip,
dDelta/dt = kappa v with kappa = min(1, m(|v|)): 1 up to v_s, so that Delta is the displacement of a body in stick, and less as
friction falls beyond; |Delta| <= Delta_max by radial return (a bristle that is fully bent slides on). They store
psi = w integral of D . dDelta. That energy is never created, in a stage or under a cap, is shown in docs/laws-and-contact.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import ClassVar

import numpy as np

from friction.arrays import Array, shown
from friction.curves.step5 import rise, rise_integral, rise_secant, rise_slope
from friction.laws.along import crossings, integral_along
from friction.laws.radial import across, capped_integral, speeds_between, within_disc
from friction.laws.sliding import Sliding, check_speeds
from friction.laws.stateless import StatelessLaw, require_positive

ON_THE_WAY = 17
"""Points at which the tangent of bristles that stick is looked at on a way."""

_FULL = 1.0 - 1e-12
"""Part of Delta_max from which a bristle counts as fully bent: what radial return has just brought there is so but for rounding."""


@dataclass(frozen=True)
class SlidingStiction(StatelessLaw):
    """RecurDyn's sliding & stiction: bristles of deflection Delta (N, 2), m, carry a body at rest; see the module.

    There is no potential: λ's tangent is not symmetric. ``force`` and its kin, called on the law itself, are those
    of undeflected bristles at the instant; ``for_stage`` gives them within a stage.

    RecurDyn's Table 6.24 is read as docs/laws-and-contact.md says; how Delta ("creep") evolves it leaves open.

    Parameters
    ----------
    v_s, v_d : float
        Static and dynamic threshold speeds, m/s, 0 < v_s < v_d.
    dynamic_ratio : float
        mu_d/mu_s in (0, 1].
    max_stiction_deformation : float
        Delta_max, m, >= 0; 0 means no bristles, and the law is ``Sliding``.
    """

    v_s: float
    v_d: float
    dynamic_ratio: float
    max_stiction_deformation: float
    set_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_speeds("SlidingStiction", self.v_s, self.v_d, self.dynamic_ratio)
        if not (isinstance(self.max_stiction_deformation, Real) and self.max_stiction_deformation == 0.0):
            require_positive("SlidingStiction", max_stiction_deformation=self.max_stiction_deformation)

    @property
    def has_internal_state(self) -> bool:
        return True

    @property
    def has_potential(self) -> bool:
        return False

    @property
    def velocity_weakening(self) -> bool:
        """That of the law without bristles: these carry nothing where it falls."""
        return self.sliding.velocity_weakening

    @property
    def sliding(self) -> Sliding:
        """The law without bristles."""
        return Sliding(self.v_s, self.v_d, self.dynamic_ratio, cap=self.cap)

    def for_stage(self, internal_state: Array, tau: float) -> StictionStage:
        own = (self.v_s, self.v_d, self.dynamic_ratio, self.max_stiction_deformation)
        return StictionStage(*own, cap=self.cap, start=internal_state, tau=tau)

    def _undeflected(self, v: Array) -> StictionStage:
        """Return the law at an instant at which the bristles carry nothing, for slip velocities (N, 2)."""
        return self.for_stage(np.zeros_like(v), 0.0)

    def follows(self, v: Array) -> Array:
        """Return ``kappa = min(1, m(|v|))`` (N,), and 1 below v_s: how much of the slip v (N, 2), m/s, bends the bristles."""
        s = np.hypot(v[:, 0], v[:, 1])
        return np.where(s <= self.v_s, 1.0, self.sliding.profile(s))

    def updated_state(self, internal_state: Array, v: Array, tau: float) -> Array:
        """Return Delta at the end of a stage: Delta + tau kappa v, brought back to ``|Delta| <= Delta_max``."""
        return within_disc(internal_state + (tau * self.follows(v))[:, None] * v, self.max_stiction_deformation)

    def internal_rate(self, internal_state: Array, v: Array) -> Array:
        """Return dDelta/dt = kappa v without its outward part where ``|Delta|`` has reached Delta_max."""
        most = self.max_stiction_deformation
        if not most:
            return np.zeros_like(v)
        rate = self.follows(v)[:, None] * v
        size = np.hypot(internal_state[:, 0], internal_state[:, 1])
        unit = internal_state / np.where(size > 0.0, size, 1.0)[:, None]
        outward = np.where(size >= _FULL * most, np.maximum(np.einsum("ia,ia->i", unit, rate), 0.0), 0.0)
        return rate - outward[:, None] * unit

    def stored(self, internal_state: Array, bound: Array) -> Array:
        """Return psi = w times the integral of ``min(|D|, cap)`` from 0 to ``|Delta|``."""
        most = self.max_stiction_deformation
        if not most:
            return np.zeros(len(internal_state))
        size = np.hypot(internal_state[:, 0], internal_state[:, 1]) / most  # beyond 1 psi goes on as a line: convex
        return bound * most * capped_integral(rise, rise_integral, (0.0, 1.0), self.cap, size)

    def least_tangent(self, start: Array, end: Array, bound: Array) -> Array:
        return self._undeflected(start).least_tangent(start, end, bound)

    def force(self, v: Array, bound: Array) -> Array:
        return self._undeflected(v).force(v, bound)

    def tangent(self, v: Array, bound: Array) -> Array:
        return self._undeflected(v).tangent(v, bound)

    def dissipation(self, v: Array, bound: Array) -> Array:
        return self._undeflected(v).dissipation(v, bound)

    def potential(self, v: Array, bound: Array) -> Array:
        """There is none: NotImplementedError. Line searches use the residual."""
        raise NotImplementedError("SlidingStiction has no potential (has_potential is False)")


@dataclass(frozen=True)
class StictionStage(SlidingStiction):
    """Give the law within a stage, from the bristles' deflection at its start.

    ``Delta* = Delta_0 + tau kappa v`` before radial return; D depends on ``Delta*`` directly, with ``|D| = 1`` from Delta_max on.
    The tangent below v_s (kappa = 1), with d beta/dv = beta' n and n = v/s, is ``w [(1 − beta) tau dD/dDelta* + beta' (n − D) nᵀ +
    (beta/s) (1 − n nᵀ)]``. D nᵀ makes it unsymmetric; its symmetric part is positive semidefinite (docs/laws-and-contact.md).

    Parameters
    ----------
    start : Array
        Delta_0 (N, 2), m.
    tau : float
        Length, s, >= 0.
    """

    start: Array = field(kw_only=True)
    tau: float = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.tau) and self.tau >= 0.0):
            raise ValueError(f"SlidingStiction: tau must be a finite time >= 0 s, got {shown(self.tau)}")
        if np.ndim(self.start) != 2 or np.shape(self.start)[1] != 2 or not np.isfinite(self.start).all():
            raise ValueError(
                f"SlidingStiction: internal_state must be finite, of shape (N, 2), got shape {np.shape(self.start)}"
            )

    def least_tangent(self, start: Array, end: Array, bound: Array) -> Array:
        """Return a lower bound: that of the sliding type beyond v_s, that of points on the way where it stays below."""
        slowest, fastest = speeds_between(start, end)
        beyond = fastest > self.v_s
        fall = bound * np.minimum(self.sliding.least_slope(np.maximum(slowest, self.v_s), fastest), 0.0)
        if not (fall[beyond] < 0.0).any():
            return np.zeros(len(bound))
        least = np.full(len(bound), np.inf)
        for t in np.linspace(0.0, 1.0, ON_THE_WAY):
            blocks = self.tangent(start + t * (end - start), bound)
            least = np.minimum(least, np.linalg.eigvalsh(0.5 * (blocks + blocks.transpose(0, 2, 1)))[:, 0])
        return np.where(beyond, fall, least)

    def rotated(self, angle: float) -> StictionStage:
        """Return the law with its internal state in axes rotated by ``angle``, rad."""
        c, s = np.cos(angle), np.sin(angle)
        return replace(self, start=self.start @ np.array([[c, -s], [s, c]]))

    def force(self, v: Array, bound: Array) -> Array:
        return bound[:, None] * within_disc(self._share(v)[0], self.cap)

    def tangent(self, v: Array, bound: Array) -> Array:
        share, derivative = self._share(v)
        size = np.hypot(share[:, 0], share[:, 1])
        cut = size > self.cap
        safe = np.where(cut, size, 1.0)
        turning = np.where(cut[:, None, None], across(share, safe), np.eye(2))
        return bound[:, None, None] * (np.where(cut, self.cap / safe, 1.0)[:, None, None] * turning @ derivative)

    def dissipation(self, v: Array, bound: Array) -> Array:
        """Return lambda . v - (psi(end) - psi(start))/tau >= 0 (N,), W; with tau = 0 the rate of psi in place of the quotient."""
        power: Array = np.einsum("ia,ia->i", self.force(v, bound), v)
        if self.tau > 0.0:
            end = self.updated_state(self.start, v, self.tau)
            stores: Array = (self.stored(end, bound) - self.stored(self.start, bound)) / self.tau
        else:
            pull = bound[:, None] * within_disc(self._bristles(self.start)[0], self.cap)
            stores = np.einsum("ia,ia->i", pull, self.internal_rate(self.start, v))
        return power - stores

    def potential_along(self, speed: Array, bound: Array) -> Array:
        return bound * integral_along(self._along, self._knots, speed)

    def _along(self, speed: Array) -> Array:
        """Return λ/w (N,) for slip at speeds (N,) along the first axis."""
        return within_disc(self._share(np.column_stack([speed, np.zeros_like(speed)]))[0], self.cap)[:, 0]

    @cached_property
    def _knots(self) -> Array:
        """Speeds (N, K), m/s, along the first axis between which λ is a polynomial of degree 10.

        The uncut λ crosses −cap and cap once in ``|v| <= v_s``, where it rises, and once on each way down from v_s to v_d.
        """
        count, most = len(self.start), self.max_stiction_deformation
        marks = [-self.v_d, -self.v_s, self.v_s, self.v_d]
        columns = [np.full(count, k) for k in marks]
        if self.tau > 0.0 and most:
            bend = np.array([-1.0, 0.0, 1.0]) * most
            columns += list(((bend - self.start[:, :1]) / self.tau).T)
        if self.cap < 1.0:
            whole = replace(self, cap=np.inf)
            for level in (-self.cap, self.cap):
                columns += crossings(whole._along, marks, level, count)
        return np.stack(columns, axis=1)

    def _bristles(self, deflection: Array) -> tuple[Array, Array]:
        """Return D (N, 2) and ``dD/dDelta*`` (N, 2, 2), 1/m, at a deflection (N, 2), m, before radial return."""
        most = self.max_stiction_deformation
        if not most:
            return np.zeros_like(deflection), np.zeros((len(deflection), 2, 2))
        size = np.hypot(deflection[:, 0], deflection[:, 1])
        bent = size > most
        safe = np.where(size > 0.0, size, 1.0)
        secant = np.where(bent, 1.0 / safe, rise_secant(size / most) / most)
        slope = rise_slope(size / most) / most
        turning = across(deflection, safe)
        moving = np.where(size > 0.0, slope, secant)[:, None, None]
        return secant[:, None] * deflection, (secant[:, None, None] - moving) * turning + moving * np.eye(2)

    def _share(self, v: Array) -> tuple[Array, Array]:
        """Return lambda/w (N, 2) and its derivative in v (N, 2, 2) before the cut."""
        sliding, one = replace(self.sliding, cap=np.inf), np.ones(len(v))
        F, dF = sliding.force(v, one), sliding.tangent(v, one)
        s = np.hypot(v[:, 0], v[:, 1])
        slow = s <= self.v_s
        n = v / np.where(s > 0.0, s, 1.0)[:, None]
        D, dD = self._bristles(self.start + self.tau * v)
        rest = np.where(slow, 1.0 - sliding.profile(s), 0.0)
        beta_slope = np.where(slow, sliding.profile_slope(s), 0.0)
        F = F + rest[:, None] * D
        dF = dF + (rest * self.tau)[:, None, None] * dD - beta_slope[:, None, None] * D[:, :, None] * n[:, None, :]
        return F, dF
