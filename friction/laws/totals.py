"""What laws with a total on the body do alike: everything by the law that their weights make of the total."""

from __future__ import annotations

from abc import ABC, abstractmethod

from friction.arrays import Array
from friction.laws.protocol import Law


class SharedTotal(ABC):
    """A law whose total, N, is shared by the weights w (N,), N: all that it gives is that of `shared(w)`."""

    @property
    def has_total(self) -> bool:
        """Yes."""
        return True

    @abstractmethod
    def shared(self, w: Array) -> Law:
        """Return the law with its total as a share of w."""

    def least_tangent(self, start: Array, end: Array, w: Array) -> Array:
        """Return a lower bound of the tangents on the ways from start to end, (N,), N s/m."""
        return self.shared(w).least_tangent(start, end, w)

    def force(self, v: Array, w: Array) -> Array:
        """Return lambda (N, 2), N."""
        return self.shared(w).force(v, w)

    def tangent(self, v: Array, w: Array) -> Array:
        """Return d lambda/dv (N, 2, 2), N s/m; w is taken as given."""
        return self.shared(w).tangent(v, w)

    def dissipation(self, v: Array, w: Array) -> Array:
        """Return the power (N,), W, that becomes heat."""
        return self.shared(w).dissipation(v, w)

    def potential(self, v: Array, w: Array) -> Array:
        """Return the potential (N,), W, where the law has one."""
        return self.shared(w).potential(v, w)
