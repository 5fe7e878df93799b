"""The interface of friction laws for solvers and time integration, and the bases of laws without memory and of the speed alone.

A law acts on nodal slip velocities v, shape (N, 2), m/s, with nodal bounds w = mu_s p_n x area, shape (N,), N. It gives
lambda, shape (N, 2), N; the friction force ON the body is -lambda. mu_s is the static coefficient; laws with a second
one have dynamic_ratio = mu_d/mu_s. A law may have a nodal internal state, shape (N, 2), m (the deformation of bristles), which
is part of the integrator's state and is never changed by a law.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

import numpy as np

from friction.arrays import Array, is_number, shown

SAMPLES = 33
"""Sampled speeds between two knots of a profile: accurate to 0.1 % for the extreme slope of step5."""


class Law(Protocol):
    """Force λ at nodal slip velocities; the defaults suit an isotropic law without internal state.

    Every set-valued law is a radial one in stretched slip velocities: λ = Dᵀ y with y the force of the law ``radial`` on v' = D v,
    D the ``metric``. The solvers use nothing else of a set-valued law.

    Notes
    -----
    In all methods ``v``, ``start`` and ``end`` are slip velocities (N, 2), m/s; ``bound`` w (N,), N; ``internal_state`` (N, 2), m;
    ``tau`` the length of a stage, s, >= 0; ``angle`` a rotation of axes, rad.
    """

    @property
    @abstractmethod
    def set_valued(self) -> bool:
        """True: at v = 0 lambda is anything within a bound (true stick). False: lambda is a function of v."""

    @property
    def has_internal_state(self) -> bool:
        """True: the law has a nodal internal state, the argument of ``for_stage``."""
        return False

    @property
    def velocity_weakening(self) -> bool:
        """True: ``|λ|`` falls somewhere with growing speed: ``tangent`` can be indefinite, and a step have several solutions."""
        return False

    @property
    def rate_independent(self) -> bool:
        """True: slip has the bound of stick at any speed, by the kind of the law (not by chance of its coefficients)."""
        return False

    @property
    def has_total(self) -> bool:
        """True: the law has a total on the body, to be shared by ``with_total_load`` before a part of the nodes is evaluated."""
        return False

    @property
    def metric(self) -> Array | None:
        """D (2, 2), -, symmetric and invertible, in the caller's axes; None for D = 1 (isotropic)."""
        return None

    @property
    def radial(self) -> Radial:
        """The law in v' = D v. ValueError where there is none; every set-valued law without a total has one."""
        raise ValueError(
            f"a set-valued law must be radial in the velocities of its metric (derive it from friction.Radial), got {self!r}"
        )

    @property
    def peak(self) -> float:
        """Largest ``|λ|/w``, -, at any speed: the bound of the Coulomb law that starts the search for a regularised one."""
        return 1.0

    def least_tangent(self, start: Array, end: Array, bound: Array) -> Array:
        """Lower bound (N,), N s/m, of the eigenvalues of sym ``tangent`` on the straight paths from start to end."""
        return np.zeros(len(bound))

    @abstractmethod
    def force(self, v: Array, bound: Array) -> Array:
        """Force λ (N, 2), N; 0 where v = 0 under a set-valued law."""

    @abstractmethod
    def tangent(self, v: Array, bound: Array) -> Array:
        """Derivative dλ/dv (N, 2, 2), N s/m, not always symmetric; 0 where v = 0 under a set-valued law."""

    def for_stage(self, internal_state: Array, tau: float) -> Law:
        """The law within a stage of length tau that starts from an internal state: a function of v."""
        return self

    def updated_state(self, internal_state: Array, v: Array, tau: float) -> Array:
        """Internal state (N, 2), m, at the end of a stage; unchanged by a law without one."""
        return internal_state

    def internal_rate(self, internal_state: Array, v: Array) -> Array:
        """Rate (N, 2), m/s, of the internal state, for integrators of differential equations; 0 without one."""
        return np.zeros_like(internal_state)

    def stored(self, internal_state: Array, bound: Array) -> Array:
        """Elastic energy (N,), J, of the internal state; 0 without one."""
        return np.zeros(len(internal_state))

    def rotated(self, angle: float) -> Law:
        """The law in rotated axes: rotated(a)(Rᵀ v) = Rᵀ law(v), R the rotation by a."""
        return self

    def with_total_load(self, bound: Array) -> Law:
        """The law with totals on the body shared in proportion to the bounds of all nodes, for use on a part of them."""
        return self

    @abstractmethod
    def capped(self, cap: float) -> Law:
        """The law with ``|λ|`` also cut to ``cap`` × w, -, >= 0."""


@dataclass(frozen=True)
class StatelessLaw(Law):
    """A law with a cut and the defaults of ``Law``.

    Parameters
    ----------
    cap : float
        The cut ``|λ| <= cap w``, -.
    """

    cap: float = field(default=math.inf, kw_only=True)

    def __post_init__(self) -> None:
        if not (is_number(self.cap) and self.cap >= 0.0):
            raise ValueError(f"{type(self).__name__}: cap must not be negative, got {shown(self.cap)}")

    def capped(self, cap: float) -> Self:
        return replace(self, cap=min(self.cap, cap))


@dataclass(frozen=True)
class Radial(StatelessLaw):
    """Force by the speed s = ``|v|`` alone, λ = w min(m(s), cap) v/s: derive from it with ``profile`` m >= 0 and ``profile_slope``.

    Then dλ/dv = w [(m/s) (1 − n nᵀ) + m' n nᵀ], n = v/s.
    """

    @property
    def constant(self) -> bool:
        """True when ``|λ|`` does not depend on the speed of slip."""
        return False

    def knots(self) -> tuple[float, ...]:
        """Speeds, m/s, from 0 on, between and beyond which m is monotone."""
        return (0.0,)

    @abstractmethod
    def profile(self, s: Array) -> Array:
        """Profile m (N,), -, at speeds s (N,), m/s, >= 0; at s = 0 its limit from above."""

    @abstractmethod
    def profile_slope(self, s: Array) -> Array:
        """Slope dm/ds (N,), s/m, at speeds s (N,), m/s, >= 0."""

    def profile_secant(self, s: Array) -> Array:
        """Secant m/s (N,), s/m; at rest its limit for a regularised law, 0 for a set-valued one."""
        at_rest = np.zeros_like(s) if self.set_valued else self.profile_slope(np.zeros_like(s))
        return np.where(s > 0.0, self.profile(s) / np.where(s > 0.0, s, 1.0), at_rest)

    @property
    def radial(self) -> Radial:
        return self

    @property
    def peak(self) -> float:
        """The largest value of the cut profile at its knots, -; 1 where it vanishes at all of them."""
        return float(np.minimum(self.profile(np.array(self.knots())), self.cap).max()) or 1.0

    @property
    def kinetic(self) -> float:
        """Limit of ``|λ|/w`` as the speed goes to 0, -."""
        return min(float(self.profile(np.zeros(1))[0]), self.cap)

    @property
    def static(self) -> float:
        """Bound of a set-valued law in stick, in units of w, -."""
        return self.kinetic

    @property
    def velocity_weakening(self) -> bool:
        """True where the profile falls between two of its knots."""
        bounds = np.minimum(self.profile(np.array(self.knots())), self.cap)
        return bool((np.diff(bounds) < 0.0).any())

    def least_tangent(self, start: Array, end: Array, bound: Array) -> Array:
        """Lower bound w min(m', m/s) over the speeds on the straight paths."""
        return bound * self.least_slope(*speeds_between(start, end))

    def least_slope(self, slowest: Array, fastest: Array) -> Array:
        """Smallest value of m' and m/s (N,), s/m, over a range of speeds (N,), m/s."""
        s = sample_speeds(self.knots(), slowest, fastest)
        flat = s.ravel()
        cut = (self.profile(flat) > self.cap).reshape(s.shape)
        inside = cut.copy()  # without the last point before the cap is crossed: the slope jumps next to it
        inside[1:] &= cut[:-1]
        inside[:-1] &= cut[1:]
        slope = np.where(inside, 0.0, self.profile_slope(flat).reshape(s.shape))
        result: Array = np.minimum(slope, self._secant(flat).reshape(s.shape)).min(axis=(0, 1))
        return result

    def force(self, v: Array, bound: Array) -> Array:
        return (bound * self._secant(np.hypot(v[:, 0], v[:, 1])))[:, None] * v

    def tangent(self, v: Array, bound: Array) -> Array:
        s = np.hypot(v[:, 0], v[:, 1])
        secant = self._secant(s)
        slope = np.where(self.profile(s) > self.cap, 0.0, self.profile_slope(s))
        n = v / np.where(s > 0.0, s, 1.0)[:, None]
        turning = np.eye(2) - n[:, :, None] * n[:, None, :]
        along = np.where(s > 0.0, slope, secant)  # isotropic at rest
        return (bound * (secant - along))[:, None, None] * turning + (bound * along)[:, None, None] * np.eye(2)

    def _secant(self, s: Array) -> Array:
        safe = np.where(s > 0.0, s, 1.0)
        cut = (self.profile(s) > self.cap) & (s > 0.0)
        return np.where(cut, self.cap / safe, self.profile_secant(s))


def speeds_between(start: Array, end: Array) -> tuple[Array, Array]:
    """Smallest and largest ``|v|``, (N,), m/s each, on straight paths from ``start`` to ``end`` (N, 2), m/s."""
    path = end - start
    square = np.einsum("ia,ia->i", path, path)
    nearest = np.clip(-np.einsum("ia,ia->i", start, path) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    foot = start + nearest[:, None] * path
    ends = np.maximum(np.hypot(start[:, 0], start[:, 1]), np.hypot(end[:, 0], end[:, 1]))
    return np.minimum(np.hypot(foot[:, 0], foot[:, 1]), ends), ends


def sample_speeds(knots: tuple[float, ...], slowest: Array, fastest: Array) -> Array:
    """Speeds (SAMPLES, knots, N), m/s, from each of the ``knots`` to the next, clipped to a range (N,), m/s."""
    marks = np.array([*knots, np.inf])
    below = np.clip(marks[:-1, None], slowest, fastest)
    above = np.clip(marks[1:, None], slowest, fastest)
    share = np.linspace(0.0, 1.0, SAMPLES)[:, None, None]
    result: Array = below + share * (above - below)
    return result
