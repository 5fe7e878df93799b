"""Laws of the speed alone whose profile is a compiled formula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from friction.arrays import Array, contiguous
from friction.laws.protocol import Radial


@dataclass(frozen=True)
class CompiledRadial(Radial):
    """A radial law whose profile is one of the compiled formulas of ``laws.kernels``, of the ``kind``."""

    kind: ClassVar[int]
    parameters: ClassVar[tuple[str, ...]] = ()
    """Fields that the formula takes, in its order."""

    @property
    def own(self) -> tuple[float, ...]:
        """The profile's parameters."""
        return tuple(getattr(self, name) for name in self.parameters)

    @cached_property
    def numbers(self) -> Array:
        """Parameters for compiled code, without the bounds in stick and slip."""
        return np.array([float(self.kind), self.cap, 0.0, 0.0, *self.own, *np.zeros(8)])

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
