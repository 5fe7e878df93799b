"""Laws that depend on the speed alone and oppose the slip: lambda = w m(s) n, s = |v|, n = v/s.

Then d lambda/dv = w [(m/s) (1 - n n') + m' n n'], the dissipation is w m s, and lambda is the gradient of the potential
w integral of m from 0 to s, whatever the profile m (it is convex where m does not fall). A cut |lambda| <= cap w makes m
the smaller of m and cap.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from friction.arrays import Array, contiguous
from friction.laws.protocol import RadialLaw
from friction.laws.stateless import StatelessLaw

SAMPLES = 33
"""Sampled speeds between two knots of a profile: accurate to 0.1 % for the extreme slope of step5."""


@dataclass(frozen=True)
class Radial(StatelessLaw, RadialLaw, ABC):
    """Force λ = w m(s) n by a profile m >= 0: derive from it with ``profile``, ``profile_slope`` and ``profile_integral``."""

    @abstractmethod
    def profile_slope(self, s: Array) -> Array:
        """Slope dm/ds (N,), s/m, at speeds s (N,), m/s, >= 0."""

    def profile_secant(self, s: Array) -> Array:
        """Secant m/s (N,), s/m; at rest its limit for a regularised law, 0 for a set-valued one."""
        at_rest = np.zeros_like(s) if self.set_valued else self.profile_slope(np.zeros_like(s))
        return np.where(s > 0.0, self.profile(s) / np.where(s > 0.0, s, 1.0), at_rest)

    @abstractmethod
    def profile_integral(self, s: Array) -> Array:
        """Integral (N,), m/s, of m from 0 to speeds s (N,), m/s, >= 0."""

    @property
    def radial(self) -> Radial:
        return self

    @property
    def peak(self) -> float:
        """The largest value of the cut profile at its knots, -; 1 where it vanishes at all of them."""
        return float(np.minimum(self.profile(np.array(self.knots())), self.cap).max()) or 1.0

    @property
    def kinetic(self) -> float:
        return min(float(self.profile(np.zeros(1))[0]), self.cap)

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
        """Tangent w [(m/s) (1 - n n') + m' n n'] (N, 2, 2), N s/m, symmetric."""
        s = np.hypot(v[:, 0], v[:, 1])
        secant = self._secant(s)
        slope = np.where(self.profile(s) > self.cap, 0.0, self.profile_slope(s))
        turning = transverse_projection(v, np.where(s > 0.0, s, 1.0))
        along = np.where(s > 0.0, slope, secant)  # isotropic at rest
        return (bound * (secant - along))[:, None, None] * turning + (bound * along)[:, None, None] * np.eye(2)

    def dissipation(self, v: Array, bound: Array) -> Array:
        s = np.hypot(v[:, 0], v[:, 1])
        return bound * np.minimum(self.profile(s), self.cap) * s

    def potential(self, v: Array, bound: Array) -> Array:
        s = np.hypot(v[:, 0], v[:, 1])
        return bound * capped_integral(self.profile, self.profile_integral, self.knots(), self.cap, s)

    def _secant(self, s: Array) -> Array:
        safe = np.where(s > 0.0, s, 1.0)
        cut = (self.profile(s) > self.cap) & (s > 0.0)
        return np.where(cut, self.cap / safe, self.profile_secant(s))


@dataclass(frozen=True)
class CompiledRadial(Radial):
    """A radial law whose profile is one of the compiled formulas of ``laws.kernels``."""

    @property
    @abstractmethod
    def formula(self) -> tuple[int, Sequence[float]]:
        """The profile's kind and parameters."""

    @cached_property
    def numbers(self) -> Array:
        """Parameters for compiled code, without the bounds in stick and slip."""
        kind, own = self.formula
        return np.array([float(kind), self.cap, 0.0, 0.0, *own, *np.zeros(8)])

    def _at(self, s: Array) -> Array:
        from friction.laws import kernels

        out = np.empty((3, s.size))
        kernels.profiles(self.numbers, contiguous(np.asarray(s, np.float64).ravel()), out)
        return out.reshape(3, *s.shape)

    def force(self, v: Array, bound: Array) -> Array:
        return bound[:, None] * shares(False, self.numbers, v, v, 0.0)[0]

    def tangent(self, v: Array, bound: Array) -> Array:
        return bound[:, None, None] * shares(False, self.numbers, v, v, 0.0)[1]

    def profile(self, s: Array) -> Array:
        return np.asarray(self._at(s)[0])

    def profile_slope(self, s: Array) -> Array:
        return np.asarray(self._at(s)[1])

    def profile_secant(self, s: Array) -> Array:
        return np.asarray(self._at(s)[2])


def shares(bristly: bool, numbers: Array, v: Array, start: Array, tau: float) -> tuple[Array, Array]:
    """Force λ/w (N, 2) of a law by its ``numbers``, and its derivative in v (N, 2, 2), s/m, at slip velocities v (N, 2), m/s.

    ``bristly``: with bristles bent by ``start`` (N, 2), m, at the start of a stage of length ``tau``, s.
    """
    from friction.laws import kernels

    force, tangent = np.empty(v.shape), np.empty((*v.shape, 2))
    kernels.shares(bristly, numbers, contiguous(v), contiguous(start), float(tau), force, tangent)
    return force, tangent


def capped_integral(profile, integral, knots: tuple[float, ...], cap: float, s: Array) -> Array:  # type: ignore[no-untyped-def]
    """Integral (N,), m/s, of min(profile, cap) from 0 to speeds ``s`` (N,), m/s, from that of the profile.

    The profile is monotone between the ``knots`` m/s; it and the integral are functions of speeds (n,), m/s.
    """
    if math.isinf(cap):
        result: Array = integral(s)
        return result
    last = max(knots[-1], float(s.max(initial=0.0)), 1e-300)
    ends = [k for k in knots if k < last] + [last]

    def excess(x: float) -> float:
        return float(profile(np.array([x]))[0]) - cap

    marks = [0.0]
    for a, b in itertools.pairwise(ends):
        if excess(a) * excess(b) < 0.0:
            marks.append(scipy.optimize.brentq(excess, a, b, xtol=1e-15 * b, rtol=1e-14))
        marks.append(b)
    total = np.zeros_like(s)
    for a, b in itertools.pairwise(marks):
        x = np.clip(s, a, b)
        above = excess(0.5 * (a + b)) > 0.0
        total += cap * (x - a) if above else integral(x) - integral(np.full_like(s, a))
    return total


def transverse_projection(v: Array, size: Array) -> Array:
    """Projection across v, ``1 − v vᵀ/|v|²`` (N, 2, 2), where ``size`` is ``|v|`` (N,), > 0."""
    unit = v / size[:, None]
    return np.eye(2) - unit[:, :, None] * unit[:, None, :]


def speeds_between(start: Array, end: Array) -> tuple[Array, Array]:
    """Smallest and largest ``|v|``, (N,), m/s each, on straight paths from ``start`` to ``end`` (N, 2), m/s."""
    way = end - start
    square = np.einsum("ia,ia->i", way, way)
    nearest = np.clip(-np.einsum("ia,ia->i", start, way) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    foot = start + nearest[:, None] * way
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
