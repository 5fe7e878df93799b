"""What the solver and the time integration ask of a friction law, and the defaults of a law without memory.

A law acts on nodal slip velocities v, shape (N, 2), m/s, with nodal bounds w = mu_s p_n x area, shape (N,), N. It gives
lambda, shape (N, 2), N; the friction force ON the body is -lambda. mu_s is the static coefficient; laws with a second
one have dynamic_ratio = mu_d/mu_s. A law may have a nodal memory m, shape (N, 2), m (the deformation of bristles), which
is part of the integrator's state and is never written by a law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import numpy as np

from friction.arrays import Array

_Self = TypeVar("_Self", bound="Plain")


class Law(Protocol):
    """A friction law; see the module. What is a bound |lambda| <= cap w is said by `within`.

    Every set-valued law is a radial one in stretched slip velocities: lambda = D' y with y the force of the law `radial` on
    v' = D v, D the `metric`. That is all that the solvers ask of a set-valued law; they do not know its class.
    """

    @property
    def set_valued(self) -> bool:
        """True: at v = 0 lambda is anything within a bound (true stick). False: lambda is a function of v."""
        ...

    @property
    def remembers(self) -> bool:
        """True: the law has a nodal memory, to be handed in by `during`."""
        ...

    @property
    def has_potential(self) -> bool:
        """True: lambda is a (sub)gradient of `potential`. False: `potential` raises, and no line search relies on it."""
        ...

    @property
    def falls(self) -> bool:
        """True: |lambda| falls somewhere with growing speed: `tangent` can be indefinite, and a step have several solutions."""
        ...

    @property
    def rate_independent(self) -> bool:
        """True: the bound is that of stick at any speed, by the kind of the law (not by chance of its coefficients)."""
        ...

    @property
    def has_total(self) -> bool:
        """True: the law has a total on the body, to be shared by `shared` before a part of the nodes is looked at."""
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
        """The largest |lambda|/w, -, at any speed: the bound of the Coulomb law that starts the search for a regularised one."""
        ...

    def least_tangent(self, start: Array, end: Array, w: Array) -> Array:
        """Return a lower bound (N,), N s/m, of the eigenvalues of the symmetric part of `tangent` from start to end (N, 2), m/s."""
        ...

    def force(self, v: Array, w: Array) -> Array:
        """Return lambda (N, 2), N, at slip velocities v (N, 2), m/s; a set-valued law gives 0 where v = 0."""
        ...

    def tangent(self, v: Array, w: Array) -> Array:
        """Return d lambda / d v (N, 2, 2), N s/m, not always symmetric; a set-valued law gives 0 where v = 0."""
        ...

    def dissipation(self, v: Array, w: Array) -> Array:
        """Return the power (N,), W, >= 0, that becomes heat: lambda . v, less what the stage adds to `stored`."""
        ...

    def potential(self, v: Array, w: Array) -> Array:
        """Return the function (N,), W, 0 at v = 0, whose (sub)gradient in v is lambda. NotImplementedError without one."""
        ...

    def during(self, memory: Array, tau: float) -> Law:
        """Return the law within one stage: its memory starts from `memory` (N, 2), m, and v acts for tau, s."""
        ...

    def remembered(self, memory: Array, v: Array, tau: float) -> Array:
        """Return the memory (N, 2), m, at the end of that stage; `memory` itself without one."""
        ...

    def memory_rate(self, memory: Array, v: Array) -> Array:
        """Return the rate of the memory (N, 2), m/s, for integrators of differential equations; 0 without one."""
        ...

    def stored(self, memory: Array, w: Array) -> Array:
        """Return the elastic energy (N,), J, that the memory stores; 0 without one."""
        ...

    def turned(self, angle: float) -> Law:
        """Return the law as seen in axes turned by `angle`, rad: turned(a)(R'v) = R' law(v), R the rotation by a."""
        ...

    def shared(self, w: Array) -> Law:
        """Return the law with totals on the body (a maximum force, a force spline) shared by the weights w (N,), N.

        After this the law may be used on a part of the nodes. `force` and all others do it themselves with their w.
        """
        ...

    def within(self, cap: float) -> Law:
        """Return the law whose |lambda| is cut to cap x w, cap >= 0, -."""
        ...


class RadialLaw(Law, Protocol):
    """A law that depends on the speed alone: lambda = w min(m(s), cap) v/s, s = |v|; see `friction.laws.radial`."""

    @property
    def cap(self) -> float:
        """|lambda| <= cap w, -."""
        ...

    @property
    def static(self) -> float:
        """The bound of a set-valued law in stick, in units of w, -."""
        ...

    @property
    def kinetic(self) -> float:
        """The limit of |lambda|/w as the speed goes to 0, -."""
        ...

    @property
    def constant(self) -> bool:
        """True when |lambda| does not depend on the speed of slip."""
        ...

    def profile(self, s: Array) -> Array:
        """Return m (N,), -, at speeds s (N,), m/s."""
        ...

    def knots(self) -> tuple[float, ...]:
        """Return the speeds, m/s, from 0 on, between and beyond which m rises or falls throughout."""
        ...


@dataclass(frozen=True)
class Plain:
    """Defaults: no memory, the same in all directions, no totals to share. `cap`: |lambda| <= cap w, -."""

    cap: float = field(default=math.inf, kw_only=True)

    def __post_init__(self) -> None:
        if not self.cap >= 0.0:
            raise ValueError(f"{type(self).__name__}: cap must not be negative, got {self.cap!r}")

    @property
    def remembers(self) -> bool:
        """No memory."""
        return False

    @property
    def has_potential(self) -> bool:
        """Lambda is the (sub)gradient of `potential`."""
        return True

    @property
    def falls(self) -> bool:
        """No."""
        return False

    @property
    def rate_independent(self) -> bool:
        """No."""
        return False

    @property
    def has_total(self) -> bool:
        """No."""
        return False

    @property
    def metric(self) -> Array | None:
        """None: the same in all directions."""
        return None

    @property
    def radial(self) -> RadialLaw:
        """There is none: ValueError."""
        raise ValueError(
            f"a set-valued law must be radial in the velocities of its metric (derive it from friction.Radial), got {self!r}"
        )

    @property
    def peak(self) -> float:
        """1."""
        return 1.0

    def least_tangent(self, start: Array, end: Array, w: Array) -> Array:
        """Return 0 (N,): friction does not fall."""
        return np.zeros(len(w))

    def during(self: _Self, memory: Array, tau: float) -> _Self:
        """Return the law itself."""
        return self

    def remembered(self, memory: Array, v: Array, tau: float) -> Array:
        """Return the memory as it is."""
        return memory

    def memory_rate(self, memory: Array, v: Array) -> Array:
        """Return 0 (N, 2)."""
        return np.zeros_like(memory)

    def stored(self, memory: Array, w: Array) -> Array:
        """Return 0 (N,), J."""
        return np.zeros(len(memory))

    def turned(self: _Self, angle: float) -> _Self:
        """Return the law itself."""
        return self

    def shared(self: _Self, w: Array) -> _Self:
        """Return the law itself."""
        return self

    def within(self: _Self, cap: float) -> _Self:
        """Return the law whose |lambda| is cut to cap x w as well."""
        return replace(self, cap=min(self.cap, cap))


def positive(law: str, **values: float) -> None:
    """Refuse values that are not positive finite numbers: ValueError that names the law and the value."""
    for name, value in values.items():
        if not (isinstance(value, (int, float, np.number)) and math.isfinite(value) and value > 0.0):
            unit = " speed in m/s" if name.startswith("v_") or name.endswith("speed") else " number"
            raise ValueError(f"{law}: {name} must be a positive finite{unit}, got {value!r}")


def share(law: str, name: str, value: float) -> None:
    """Refuse a value outside (0, 1]: ValueError that names the law and the value."""
    if not (isinstance(value, (int, float, np.number)) and 0.0 < value <= 1.0):
        raise ValueError(f"{law}: {name} must lie in (0, 1], got {value!r}")
