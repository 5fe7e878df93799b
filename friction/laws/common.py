"""Common parts of laws: codes for compiled formulas, totals on the body, and checks of parameters."""

from __future__ import annotations

from friction.arrays import Array, is_finite, shown
from friction.laws.protocol import Law

CONSTANT, FALLING, ROOT, STEPS, SPLINE = range(5)
"""Kinds of profiles m(s): c; Stribeck's; s/√(s² + v²); the sliding type's; cubic pieces."""
CAP, STATIC, KINETIC, OWN = 1, 2, 3, 4
"""Places of a law's ``numbers`` for ``laws.kernels``; 0: the kind of its profile, from OWN on the profile's own."""


class SharedTotal(Law):
    """A law with a total, N, shared in proportion to the bounds; evaluated as ``with_total_load(bound)``."""

    @property
    def has_total(self) -> bool:
        return True

    def least_tangent(self, start: Array, end: Array, bound: Array) -> Array:
        return self.with_total_load(bound).least_tangent(start, end, bound)

    def force(self, v: Array, bound: Array) -> Array:
        return self.with_total_load(bound).force(v, bound)

    def tangent(self, v: Array, bound: Array) -> Array:
        """Tangent of the shared law at constant w."""
        return self.with_total_load(bound).tangent(v, bound)


def require_law(taker: str, law: object) -> None:
    """Check that ``law`` is a friction law, not a class: ValueError names the ``taker``."""
    if isinstance(law, type) or not callable(getattr(law, "with_total_load", None)):
        raise ValueError(f"{taker}: law must be a friction law such as Coulomb(), got {shown(law)}")


def require_positive(law: str, **values: float) -> None:
    """Check that ``values`` of a ``law`` are positive finite numbers: ValueError names both."""
    for name, value in values.items():
        if not (is_finite(value) and value > 0.0):
            unit = " speed in m/s" if name.startswith("v_") or name.endswith("speed") else " number"
            raise ValueError(f"{law}: {name} must be a positive finite{unit}, got {shown(value)}")


def require_fraction(law: str, name: str, value: float) -> None:
    """Check that a value of a ``law`` lies in (0, 1]: ValueError names both."""
    if not (is_finite(value) and 0.0 < value <= 1.0):
        raise ValueError(f"{law}: {name} must lie in (0, 1], got {shown(value)}")
