"""What the solver and the time integration ask of a friction law, and the defaults of a law without memory.

A law acts on nodal slip velocities v, shape (N, 2), m/s, with nodal bounds w = mu_s p_n x area, shape (N,), N. It gives
lambda, shape (N, 2), N; the friction force ON the body is -lambda. mu_s is the static coefficient; laws with a second
one have dynamic_ratio = mu_d/mu_s. A law may have a nodal memory m, shape (N, 2), m (the deformation of bristles), which
is part of the integrator's state and is never written by a law.
"""

from __future__ import annotations

from typing import Protocol

from friction.arrays import Array


class Law(Protocol):
    """Give λ at nodal slip velocities; see the module.

    A bound ``|λ| <= cap w`` is put on by ``capped``. Every set-valued law is a radial one in stretched slip
    velocities: λ = Dᵀ y with y the force of the law ``radial`` on v' = D v, D the ``metric``. That is all that the
    solvers ask of a set-valued law; they do not know its class.
    """

    @property
    def set_valued(self) -> bool:
        """True: at v = 0 lambda is anything within a bound (true stick). False: lambda is a function of v."""
        ...

    @property
    def has_internal_state(self) -> bool:
        """True: the law has a nodal internal state, to be handed in by ``for_stage``."""
        ...

    @property
    def has_potential(self) -> bool:
        """True: λ is a (sub)gradient of ``potential``. False: ``potential`` raises, and no line search relies on it."""
        ...

    @property
    def velocity_weakening(self) -> bool:
        """True: ``|λ|`` falls somewhere with growing speed: ``tangent`` can be indefinite, and a step have several solutions."""
        ...

    @property
    def rate_independent(self) -> bool:
        """True: the bound is that of stick at any speed, by the kind of the law (not by chance of its coefficients)."""
        ...

    @property
    def has_total(self) -> bool:
        """True: the law has a total on the body, to be shared by ``with_total_load`` before a part of the nodes is looked at."""
        ...

    @property
    def metric(self) -> Array | None:
        """D (2, 2), -, symmetric and invertible, in the caller's axes; None for D = 1, the same in all directions."""
        ...

    @property
    def radial(self) -> RadialLaw:
        """The law in v' = D v. ValueError where there is none; every set-valued law without a total has one."""
        ...

    @property
    def peak(self) -> float:
        """Largest ``|λ|/w``, -, at any speed: the bound of the Coulomb law that starts the search for a regularised one."""
        ...

    def least_tangent(self, start: Array, end: Array, bound: Array) -> Array:
        """Return a lower bound of the eigenvalues of the symmetric part of ``tangent`` on straight ways.

        Parameters
        ----------
        start, end : Array
            Slip velocities (N, 2), m/s.
        bound : Array
            Friction bounds w (N,), N.

        Returns
        -------
        Array
            (N,), N s/m.
        """
        ...

    def force(self, v: Array, bound: Array) -> Array:
        """Return λ; a set-valued law gives 0 where v = 0.

        Parameters
        ----------
        v : Array
            Slip velocities (N, 2), m/s.
        bound : Array
            Friction bounds w (N,), N.

        Returns
        -------
        Array
            (N, 2), N.
        """
        ...

    def tangent(self, v: Array, bound: Array) -> Array:
        """Return dλ/dv, not always symmetric; a set-valued law gives 0 where v = 0.

        Parameters
        ----------
        v : Array
            Slip velocities (N, 2), m/s.
        bound : Array
            Friction bounds w (N,), N.

        Returns
        -------
        Array
            (N, 2, 2), N s/m.
        """
        ...

    def dissipation(self, v: Array, bound: Array) -> Array:
        """Return the power that becomes heat: λ · v, less what the stage adds to ``stored``.

        Parameters
        ----------
        v : Array
            Slip velocities (N, 2), m/s.
        bound : Array
            Friction bounds w (N,), N.

        Returns
        -------
        Array
            (N,), W, >= 0.
        """
        ...

    def potential(self, v: Array, bound: Array) -> Array:
        """Return the function, 0 at v = 0, whose (sub)gradient in v is λ.

        Parameters
        ----------
        v : Array
            Slip velocities (N, 2), m/s.
        bound : Array
            Friction bounds w (N,), N.

        Returns
        -------
        Array
            (N,), W.

        Raises
        ------
        NotImplementedError
            Without one (``has_potential``).
        """
        ...

    def for_stage(self, internal_state: Array, tau: float) -> Law:
        """Return the law within one stage, whose internal state starts from a given one.

        Parameters
        ----------
        internal_state : Array
            (N, 2), m.
        tau : float
            Length of the stage, s, >= 0.

        Returns
        -------
        Law
            A function of v, which acts for tau.
        """
        ...

    def updated_state(self, internal_state: Array, v: Array, tau: float) -> Array:
        """Return the internal state at the end of a stage; as it is without one.

        Parameters
        ----------
        internal_state : Array
            (N, 2), m.
        v : Array
            Slip velocities (N, 2), m/s.
        tau : float
            Length of the stage, s, >= 0.

        Returns
        -------
        Array
            (N, 2), m.
        """
        ...

    def internal_rate(self, internal_state: Array, v: Array) -> Array:
        """Return the rate of the internal state, for integrators of differential equations; 0 without one.

        Parameters
        ----------
        internal_state : Array
            (N, 2), m.
        v : Array
            Slip velocities (N, 2), m/s.

        Returns
        -------
        Array
            (N, 2), m/s.
        """
        ...

    def stored(self, internal_state: Array, bound: Array) -> Array:
        """Return the elastic energy that the internal state stores; 0 without one.

        Parameters
        ----------
        internal_state : Array
            (N, 2), m.
        bound : Array
            Friction bounds w (N,), N.

        Returns
        -------
        Array
            (N,), J.
        """
        ...

    def rotated(self, angle: float) -> Law:
        """Return the law as seen in rotated axes: rotated(a)(Rᵀ v) = Rᵀ law(v), R the rotation by a.

        Parameters
        ----------
        angle : float
            Of the axes, rad.

        Returns
        -------
        Law
        """
        ...

    def with_total_load(self, bound: Array) -> Law:
        """Return the law with totals on the body (a maximum force, a force spline) shared in proportion to the bounds.

        After this the law may be used on a part of the nodes. ``force`` and all others do it themselves with their
        bounds.

        Parameters
        ----------
        bound : Array
            Friction bounds w (N,), N, of all nodes.

        Returns
        -------
        Law
        """
        ...

    def capped(self, cap: float) -> Law:
        """Return the law whose ``|λ|`` is cut to cap × w.

        Parameters
        ----------
        cap : float
            -, >= 0.

        Returns
        -------
        Law
        """
        ...


class RadialLaw(Law, Protocol):
    """Give λ by the speed alone: ``λ = w min(m(s), cap) v/s``, ``s = |v|``; see ``friction.laws.radial``."""

    @property
    def cap(self) -> float:
        """The cut ``|λ| <= cap w``, -."""
        ...

    @property
    def static(self) -> float:
        """Bound of a set-valued law in stick, in units of w, -."""
        ...

    @property
    def kinetic(self) -> float:
        """Limit of ``|λ|/w`` as the speed goes to 0, -."""
        ...

    @property
    def constant(self) -> bool:
        """True when ``|λ|`` does not depend on the speed of slip."""
        ...

    def profile(self, s: Array) -> Array:
        """Return m.

        Parameters
        ----------
        s : Array
            Speeds (N,), m/s, >= 0.

        Returns
        -------
        Array
            (N,), -.
        """
        ...

    def knots(self) -> tuple[float, ...]:
        """Return the speeds, m/s, from 0 on, between and beyond which m rises or falls throughout."""
        ...
