"""What the solver and the time integration ask of a friction law, and what a law without memory answers.

A law acts on nodal slip velocities v, shape (N, 2), m/s, with nodal bounds w = mu_s p_n x area, shape (N,), N. It gives
lambda, shape (N, 2), N; the friction force ON the body is -lambda. mu_s is the static coefficient; laws with a second
one have dynamic_ratio = mu_d/mu_s. A law may have a nodal internal state, shape (N, 2), m (the deformation of bristles), which
is part of the integrator's state and is never written by a law.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

import numpy as np

from friction.arrays import Array


class Law(Protocol):
    """Give λ at nodal slip velocities; the defaults are those of a law without internal state, the same in all directions.

    Every set-valued law is a radial one in stretched slip velocities: λ = Dᵀ y with y the force of the law ``radial`` on v' = D v,
    D the ``metric``. That is all that the solvers ask of a set-valued law; they do not know its class.

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
        """True: the law has a nodal internal state, to be handed in by ``for_stage``."""
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
        """True: the law has a total on the body, to be shared by ``with_total_load`` before a part of the nodes is looked at."""
        return False

    @property
    def metric(self) -> Array | None:
        """D (2, 2), -, symmetric and invertible, in the caller's axes; None for D = 1, the same in all directions."""
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
        """Return a lower bound (N,), N s/m, of the eigenvalues of sym ``tangent`` on the straight ways from start to end."""
        return np.zeros(len(bound))

    @abstractmethod
    def force(self, v: Array, bound: Array) -> Array:
        """Return λ (N, 2), N; a set-valued law gives 0 where v = 0."""

    @abstractmethod
    def tangent(self, v: Array, bound: Array) -> Array:
        """Return dλ/dv (N, 2, 2), N s/m, not always symmetric; a set-valued law gives 0 where v = 0."""

    @abstractmethod
    def dissipation(self, v: Array, bound: Array) -> Array:
        """Return the power (N,), W, >= 0, that becomes heat: λ · v, less what the stage adds to ``stored``."""

    @abstractmethod
    def potential(self, v: Array, bound: Array) -> Array:
        """Return the function (N,), W, 0 at v = 0, whose (sub)gradient in v is λ; NotImplementedError without ``has_potential``."""

    def for_stage(self, internal_state: Array, tau: float) -> Law:
        """Return the law within one stage that starts from an internal state: a function of v, which acts for tau."""
        return self

    def updated_state(self, internal_state: Array, v: Array, tau: float) -> Array:
        """Return the internal state (N, 2), m, at the end of a stage; as it is without one."""
        return internal_state

    def internal_rate(self, internal_state: Array, v: Array) -> Array:
        """Return the rate (N, 2), m/s, of the internal state, for integrators of differential equations; 0 without one."""
        return np.zeros_like(internal_state)

    def stored(self, internal_state: Array, bound: Array) -> Array:
        """Return the elastic energy (N,), J, that the internal state stores; 0 without one."""
        return np.zeros(len(internal_state))

    def rotated(self, angle: float) -> Law:
        """Return the law as seen in rotated axes: rotated(a)(Rᵀ v) = Rᵀ law(v), R the rotation by a."""
        return self

    def with_total_load(self, bound: Array) -> Law:
        """Return the law with totals on the body shared in proportion to all nodes' bounds, for use on a part of the nodes."""
        return self

    @abstractmethod
    def capped(self, cap: float) -> Law:
        """Return the law whose ``|λ|`` is cut to ``cap`` × w, -, >= 0, as well."""


class RadialLaw(Law, Protocol):
    """Give λ by the speed alone: ``λ = w min(m(s), cap) v/s``, ``s = |v|``; see ``friction.laws.radial``."""

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
        """Return m (N,), -, at speeds s (N,), m/s, >= 0; at s = 0 its limit from above."""

    def knots(self) -> tuple[float, ...]:
        """Return the speeds, m/s, from 0 on, between and beyond which m rises or falls throughout."""
        return (0.0,)
