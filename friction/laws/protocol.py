"""The protocol of friction laws for solvers and time integration, with the defaults of a law without memory.

A law acts on nodal slip velocities v, shape (N, 2), m/s, with nodal bounds w = mu_s p_n x area, shape (N,), N. It gives
lambda, shape (N, 2), N; the friction force ON the body is -lambda. mu_s is the static coefficient; laws with a second
one have dynamic_ratio = mu_d/mu_s. A law may have a nodal internal state, shape (N, 2), m (the deformation of bristles), which
is part of the integrator's state and is never changed by a law.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

import numpy as np

from friction.arrays import Array


class Law(Protocol):
    """Force λ at nodal slip velocities; the defaults are those of an isotropic law without internal state.

    Every set-valued law is a radial one in stretched slip velocities: λ = Dᵀ y with y the force of the law ``radial`` on v' = D v,
    D the ``metric``. The solvers use nothing else of a set-valued law.

    Notes
    -----
    In all methods ``v``, ``start`` and ``end`` are slip velocities (N, 2), m/s; ``bound`` w (N,), N; ``internal_state`` (N, 2), m;
    ``tau`` the length of a stage, s, >= 0; ``angle`` that of axes, rad.
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
    def has_potential(self) -> bool:
        """True: λ is a (sub)gradient of ``potential``. False: ``potential`` raises, and no line search relies on it."""
        return True

    @property
    def velocity_weakening(self) -> bool:
        """True: ``|λ|`` falls somewhere with growing speed: ``tangent`` can be indefinite, and a step have several solutions."""
        return False

    @property
    def rate_independent(self) -> bool:
        """True: the bound is that of stick at any speed, by the kind of the law (not by chance of its coefficients)."""
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
    def radial(self) -> RadialLaw:
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

    @abstractmethod
    def dissipation(self, v: Array, bound: Array) -> Array:
        """Dissipated power (N,), W, >= 0: λ · v less the rate of ``stored``."""

    @abstractmethod
    def potential(self, v: Array, bound: Array) -> Array:
        """Potential (N,), W, 0 at v = 0, whose (sub)gradient in v is λ; NotImplementedError without ``has_potential``."""

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


class RadialLaw(Law, Protocol):
    """Force λ by the speed alone: ``λ = w min(m(s), cap) v/s``, ``s = |v|``; see ``friction.laws.radial``."""

    @property
    def cap(self) -> float:
        """The cut ``|λ| <= cap w``, -."""

    @property
    @abstractmethod
    def kinetic(self) -> float:
        """Limit of ``|λ|/w`` as the speed goes to 0, -."""

    @property
    def static(self) -> float:
        """Bound of a set-valued law in stick, in units of w, -."""
        return self.kinetic

    @property
    def constant(self) -> bool:
        """True when ``|λ|`` does not depend on the speed of slip."""
        return False

    @abstractmethod
    def profile(self, s: Array) -> Array:
        """Profile m (N,), -, at speeds s (N,), m/s, >= 0; at s = 0 its limit from above."""

    def knots(self) -> tuple[float, ...]:
        """Speeds, m/s, from 0 on, between and beyond which m is monotone."""
        return (0.0,)
