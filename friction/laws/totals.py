"""What laws with a total on the body do alike: everything by the law that their weights make of the total."""

from __future__ import annotations

from abc import ABC, abstractmethod

from friction.arrays import Array
from friction.laws.protocol import Law


class SharedTotal(ABC):
    """Share a total, N, in proportion to the bounds: all that the law gives is that of ``with_total_load(bound)``."""

    @property
    def has_total(self) -> bool:
        """Yes."""
        return True

    @abstractmethod
    def with_total_load(self, bound: Array) -> Law:
        """Return the law with its total as a share of w.

        Parameters
        ----------
        bound : Array
            Friction bounds w (N,), N.

        Returns
        -------
        Law
        """

    def least_tangent(self, start: Array, end: Array, bound: Array) -> Array:
        """Return a lower bound of the tangents on the ways from start to end, (N,), N s/m."""
        return self.with_total_load(bound).least_tangent(start, end, bound)

    def force(self, v: Array, bound: Array) -> Array:
        """Return lambda (N, 2), N."""
        return self.with_total_load(bound).force(v, bound)

    def tangent(self, v: Array, bound: Array) -> Array:
        """Return d lambda/dv (N, 2, 2), N s/m; w is taken as given."""
        return self.with_total_load(bound).tangent(v, bound)

    def dissipation(self, v: Array, bound: Array) -> Array:
        """Return the power (N,), W, that becomes heat."""
        return self.with_total_load(bound).dissipation(v, bound)

    def potential(self, v: Array, bound: Array) -> Array:
        """Return the potential (N,), W, where the law has one."""
        return self.with_total_load(bound).potential(v, bound)
