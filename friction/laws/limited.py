"""A maximum friction force on the body for any law: RecurDyn, f_f = sign(f_f) min(|f_f|, f_max)."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

from friction.arrays import Array
from friction.laws.common import SharedTotal, require_law, require_positive
from friction.laws.protocol import Law, Radial


def _delegated(name: str) -> property:
    """Property of the law that is cut."""
    return property(operator.attrgetter(f"law.{name}"))


@dataclass(frozen=True)
class Limited(SharedTotal):
    """Limit of the friction force on the body: a law with its force cut in size, not in direction, ``|λ_i| <= max_force w_i/Σw``.

    Under a uniform slip the whole body's friction is then at most ``max_force``, as in RecurDyn, whose contact has one force. For
    a part of the nodes call ``with_total_load`` with the bounds of all nodes first.

    Parameters
    ----------
    law : Law
        The law that is cut.
    max_force : float
        Total on the body, N, > 0.
    """

    law: Law
    max_force: float

    def __post_init__(self) -> None:
        require_positive("Limited", max_force=self.max_force)
        require_law("Limited", self.law)

    set_valued, has_internal_state = _delegated("set_valued"), _delegated("has_internal_state")
    velocity_weakening, rate_independent = _delegated("velocity_weakening"), _delegated("rate_independent")
    metric, peak = _delegated("metric"), _delegated("peak")

    @property
    def radial(self) -> Radial:
        """ValueError: undefined before the total is shared."""
        raise ValueError(f"share the total by the bounds first (with_total_load), got {self!r}")

    def with_total_load(self, bound: Array) -> Law:
        """The law cut to cap = max_force/Σw in units of w."""
        total = float(bound.sum())
        return self.law.with_total_load(bound).capped(self.max_force / total if total > 0.0 else math.inf)

    def capped(self, cap: float) -> Limited:
        return Limited(self.law.capped(cap), self.max_force)

    def for_stage(self, internal_state: Array, tau: float) -> Limited:
        return self if not self.has_internal_state else Limited(self.law.for_stage(internal_state, tau), self.max_force)

    def rotated(self, angle: float) -> Limited:
        return Limited(self.law.rotated(angle), self.max_force)

    def updated_state(self, internal_state: Array, v: Array, tau: float) -> Array:
        return self.law.updated_state(internal_state, v, tau)

    def internal_rate(self, internal_state: Array, v: Array) -> Array:
        return self.law.internal_rate(internal_state, v)

    def stored(self, internal_state: Array, bound: Array) -> Array:
        """Elastic energy (N,), J, of bristles with a cut force."""
        return self.with_total_load(bound).stored(internal_state, bound)
