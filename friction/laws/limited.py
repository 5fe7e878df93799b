"""A maximum friction force on the body put on any law: RecurDyn, f_f = sign(f_f) min(|f_f|, f_max)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from friction.arrays import Array
from friction.laws.protocol import Law, RadialLaw, positive
from friction.laws.totals import SharedTotal


@dataclass(frozen=True)
class Limited(SharedTotal):
    """|lambda_i| <= max_force w_i/sum(w): `law` with its force cut in size, not in direction.

    max_force: total on the body, N, positive; ValueError otherwise. Under a uniform slip the whole body's friction is then at
    most max_force, as in the seed, whose contact has one force. Nodes share it by weight. For use on a part of the nodes call
    `shared` with the weights of all of them first: what it returns knows its cap as a share of w.
    """

    law: Law
    max_force: float

    def __post_init__(self) -> None:
        positive("Limited", max_force=self.max_force)
        if not callable(getattr(self.law, "within", None)):
            raise ValueError(f"Limited: law must be a friction law such as Coulomb(), got {self.law!r}")

    @property
    def set_valued(self) -> bool:
        """That of the law."""
        return self.law.set_valued

    @property
    def remembers(self) -> bool:
        """That of the law."""
        return self.law.remembers

    @property
    def has_potential(self) -> bool:
        """That of the law."""
        return self.law.has_potential

    @property
    def falls(self) -> bool:
        """That of the law: whether the cut takes the fall away depends on the weights."""
        return self.law.falls

    @property
    def rate_independent(self) -> bool:
        """That of the law."""
        return self.law.rate_independent

    @property
    def metric(self) -> Array | None:
        """That of the law; the cut of an ellipse depends on the weights."""
        return self.law.metric

    @property
    def radial(self) -> RadialLaw:
        """There is none before the total is shared: ValueError."""
        raise ValueError(f"share the total by the weights first (shared), got {self!r}")

    @property
    def peak(self) -> float:
        """That of the law without the cut."""
        return self.law.peak

    def shared(self, w: Array) -> Law:
        """Return the law cut to cap = max_force/sum(w) in units of w."""
        total = float(w.sum())
        return self.law.shared(w).within(self.max_force / total if total > 0.0 else math.inf)

    def within(self, cap: float) -> Limited:
        """Return the law with a further cut."""
        return Limited(self.law.within(cap), self.max_force)

    def during(self, memory: Array, tau: float) -> Limited:
        """Return the limited law of the stage; without a memory, itself."""
        return self if not self.remembers else Limited(self.law.during(memory, tau), self.max_force)

    def turned(self, angle: float) -> Limited:
        """Return the limit on the law as seen in axes turned by `angle`, rad."""
        return Limited(self.law.turned(angle), self.max_force)

    def remembered(self, memory: Array, v: Array, tau: float) -> Array:
        """Return the law's memory at the end of a stage (N, 2), m: the cut does not change how it goes."""
        return self.law.remembered(memory, v, tau)

    def memory_rate(self, memory: Array, v: Array) -> Array:
        """Return the rate of the law's memory (N, 2), m/s."""
        return self.law.memory_rate(memory, v)

    def stored(self, memory: Array, w: Array) -> Array:
        """Return the energy (N,), J, of a bristle whose force is cut, too."""
        return self.shared(w).stored(memory, w)
