"""The sliding & stiction law within one stage: lambda as a function of the stage's slip velocity alone.

Delta* = Delta_0 + tau kappa v before radial return; D depends on Delta* directly, with |D| = 1 from Delta_max on. The
tangent below v_s (kappa = 1), with d beta/dv = beta' n and n = v/s, is

    d lambda/dv = w [(1 - beta) tau dD/dDelta* + beta' (n - D) n' + (beta/s) (1 - n n')].

D n' makes it unsymmetric. Its symmetric part is positive semidefinite below v_s: dD/dDelta* is, and with D . n = c the
others have in the axes n, t the diagonal beta' (1 - c), beta/s >= beta' and off it -beta' (D . t)/2, where
(D . t)^2 <= 1 - c^2 <= 4 (1 - c).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from friction.falling import speeds_between
from friction.protocol import Plain
from friction.radial import across
from friction.step5 import rise_secant, rise_slope

if TYPE_CHECKING:
    from friction.stiction import SlidingStiction

Array = NDArray[np.float64]
_ABSCISSA, _WEIGHT = np.polynomial.legendre.leggauss(6)

ON_THE_WAY = 17
"""Points at which the tangent of bristles that stick is looked at on a way."""


@dataclass(frozen=True)
class StictionStage(Plain):
    """`law` in a stage of length tau, s, >= 0, from the bristles' deflection `start` (N, 2), m. ValueError otherwise."""

    law: SlidingStiction
    start: Array
    tau: float
    set_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.tau) and self.tau >= 0.0):
            raise ValueError(f"SlidingStiction: tau must be a finite time >= 0 s, got {self.tau!r}")
        if np.ndim(self.start) != 2 or np.shape(self.start)[1] != 2 or not np.isfinite(self.start).all():
            raise ValueError(
                f"SlidingStiction: memory must be finite, of shape (N, 2), got shape {np.shape(self.start)}"
            )

    @property
    def remembers(self) -> bool:
        """True."""
        return True

    @property
    def has_potential(self) -> bool:
        """False."""
        return False

    @property
    def falls(self) -> bool:
        """That of the law."""
        return self.law.falls

    def least_tangent(self, start: Array, end: Array, w: Array) -> Array:
        """Return a lower bound (N,), N s/m, of the eigenvalues of the symmetric tangent from start to end (N, 2), m/s.

        Beyond v_s it is that of the sliding type; ways that stay below have the tangents of points on them, >= 0 (see the module).
        """
        slowest, fastest = speeds_between(start, end)
        beyond = fastest > self.law.v_s
        fall = w * np.minimum(self.law.sliding.least_slope(np.maximum(slowest, self.law.v_s), fastest), 0.0)
        if not (fall[beyond] < 0.0).any():
            return np.zeros(len(w))
        least = np.full(len(w), np.inf)
        for t in np.linspace(0.0, 1.0, ON_THE_WAY):
            blocks = self.tangent(start + t * (end - start), w)
            least = np.minimum(least, np.linalg.eigvalsh(0.5 * (blocks + blocks.transpose(0, 2, 1)))[:, 0])
        return np.where(beyond, fall, least)

    def during(self, memory: Array, tau: float) -> StictionStage:
        """Return the law in another stage."""
        return self.law.during(memory, tau)

    def remembered(self, memory: Array, v: Array, tau: float) -> Array:
        """Return the memory (N, 2), m, at the end of a stage, as `SlidingStiction.remembered`."""
        return self.law.remembered(memory, v, tau)

    def memory_rate(self, memory: Array, v: Array) -> Array:
        """Return dDelta/dt (N, 2), m/s, as `SlidingStiction.memory_rate`."""
        return self.law.memory_rate(memory, v)

    def stored(self, memory: Array, w: Array) -> Array:
        """Return the bristles' energy (N,), J, as `SlidingStiction.stored`."""
        return self.law.stored(memory, w)

    def turned(self, angle: float) -> StictionStage:
        """Return the law with its memory in turned axes."""
        c, s = np.cos(angle), np.sin(angle)
        return replace(self, start=self.start @ np.array([[c, -s], [s, c]]))

    def within(self, cap: float) -> StictionStage:
        """Return the stage of the cut law."""
        return replace(self, law=self.law.within(cap))

    def force(self, v: Array, w: Array) -> Array:
        """Return lambda (N, 2), N."""
        return w[:, None] * self._cut(self._share(v)[0])

    def tangent(self, v: Array, w: Array) -> Array:
        """Return d lambda/dv (N, 2, 2), N s/m; see the module."""
        share, derivative = self._share(v)
        size = np.hypot(share[:, 0], share[:, 1])
        cap = self.law.cap
        cut = size > cap
        safe = np.where(cut, size, 1.0)
        projection = np.where(cut, np.where(cut, cap, 1.0) / safe, 1.0)[:, None, None] * np.where(
            cut[:, None, None], across(share, safe), np.eye(2)
        )
        return w[:, None, None] * (projection @ derivative)

    def dissipation(self, v: Array, w: Array) -> Array:
        """Return lambda . v - (psi(end) - psi(start))/tau >= 0 (N,), W; with tau = 0 the rate of psi in place of the quotient."""
        power = np.einsum("ia,ia->i", self.force(v, w), v)
        if self.tau > 0.0:
            end = self.law.remembered(self.start, v, self.tau)
            return power - (self.law.stored(end, w) - self.law.stored(self.start, w)) / self.tau
        pull = w[:, None] * self._cut(self._bristles(self.start)[0])
        return power - np.einsum("ia,ia->i", pull, self.law.memory_rate(self.start, v))

    def potential(self, v: Array, w: Array) -> Array:
        """There is none: NotImplementedError."""
        return self.law.potential(v, w)

    def potential_along(self, speed: Array, w: Array) -> Array:
        """Return the integral of lambda from 0 to `speed` (N,), m/s, for slip along the first axis, as the bristles are bent; W.

        In one dimension every force has a potential. Between the knots lambda is a polynomial of degree 10, which six Gauss
        points integrate exactly.
        """
        ends = np.sort(np.column_stack([self._knots, np.zeros_like(speed), speed]), axis=1)
        low, high = np.minimum(speed, 0.0)[:, None], np.maximum(speed, 0.0)[:, None]
        ends = np.clip(ends, low, high)
        middle, half = 0.5 * (ends[:, 1:] + ends[:, :-1]), 0.5 * np.diff(ends, axis=1)
        total = np.zeros_like(speed)
        for abscissa, weight in zip(_ABSCISSA, _WEIGHT, strict=True):
            total += weight * np.einsum("nk,nk->n", half, self._along(middle + abscissa * half))
        return np.sign(speed) * w * total

    def _along(self, speed: Array) -> Array:
        """Return lambda/w (N, K) for slip at speeds (N, K) along the first axis."""
        columns = [self._cut(self._share(np.column_stack([s, np.zeros_like(s)]))[0])[:, 0] for s in speed.T]
        return np.stack(columns, axis=1)

    @cached_property
    def _knots(self) -> Array:
        """Speeds (N, K), m/s, along the first axis between which lambda is a polynomial.

        The cut is met where the uncut lambda crosses -+cap: once in |v| <= v_s, where it rises, and once on each way down from
        v_s to v_d; found by bisection.
        """
        law, count = self.law, len(self.start)
        knots = [-law.v_d, -law.v_s, law.v_s, law.v_d]
        columns = [np.full(count, k) for k in knots]
        if self.tau > 0.0 and law.max_stiction_deformation:
            bend = np.array([-1.0, 0.0, 1.0]) * law.max_stiction_deformation
            columns += list(((bend - self.start[:, :1]) / self.tau).T)
        if law.cap < 1.0:
            whole = replace(self, law=replace(law, cap=np.inf))
            for level in (-law.cap, law.cap):
                for low, high in itertools.pairwise(knots):
                    a, b = np.full(count, low), np.full(count, high)
                    above = whole._along(a[:, None])[:, 0] > level
                    for _ in range(60):
                        middle = 0.5 * (a + b)
                        same = (whole._along(middle[:, None])[:, 0] > level) == above
                        a, b = np.where(same, middle, a), np.where(same, b, middle)
                    columns.append(0.5 * (a + b))
        return np.stack(columns, axis=1)

    def _cut(self, share: Array) -> Array:
        """Return lambda/w (N, 2) projected on the disc of the cap."""
        size = np.hypot(share[:, 0], share[:, 1])
        return np.where(size > self.law.cap, self.law.cap / np.where(size > 0.0, size, 1.0), 1.0)[:, None] * share

    def _bristles(self, deflection: Array) -> tuple[Array, Array]:
        """Return D (N, 2) and dD/dDelta* (N, 2, 2), 1/m, at a deflection (N, 2), m, before radial return."""
        most = self.law.max_stiction_deformation
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
        law, one = self.law, np.ones(len(v))
        sliding = replace(law.sliding, cap=np.inf)
        F, dF = sliding.force(v, one), sliding.tangent(v, one)
        s = np.hypot(v[:, 0], v[:, 1])
        slow = s <= law.v_s
        n = v / np.where(s > 0.0, s, 1.0)[:, None]
        D, dD = self._bristles(self.start + self.tau * v)
        rest = np.where(slow, 1.0 - sliding.profile(s), 0.0)
        beta_slope = np.where(slow, sliding.profile_slope(s), 0.0)
        F = F + rest[:, None] * D
        dF = dF + (rest * self.tau)[:, None, None] * dD - beta_slope[:, None, None] * D[:, :, None] * n[:, None, :]
        return F, dF
