"""Friction laws: set-valued Coulomb friction and its regularisation, behind one protocol.

A law acts on nodal slip velocities v, shape (N, 2), m/s, with nodal bounds w = mu p_n x area, shape (N,), N. It gives
lambda, shape (N, 2), N; the friction force ON the body is -lambda. Formulation, section 5: lambda_i in w_i d|v_i|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Law(Protocol):
    """What the solver asks of a friction law."""

    set_valued: ClassVar[bool]
    """True: at v = 0 lambda is anything with |lambda| <= w (true stick). False: lambda is a function of v."""

    def force(self, v: Array, w: Array) -> Array:
        """Return lambda (N, 2), N, at slip velocities v (N, 2), m/s; a set-valued law gives 0 where v = 0."""
        ...

    def tangent(self, v: Array, w: Array) -> Array:
        """Return d lambda / d v (N, 2, 2), N s/m; a set-valued law gives 0 where v = 0."""
        ...

    def dissipation(self, v: Array, w: Array) -> Array:
        """Return lambda . v >= 0 (N,), W."""
        ...

    def potential(self, v: Array, w: Array) -> Array:
        """Return the convex function (N,), W, whose (sub)gradient in v is lambda."""
        ...


def _across(v: Array, size: Array) -> Array:
    """Return 1 - v v'/size^2, shape (N, 2, 2)."""
    unit = v / size[:, None]
    return np.eye(2) - unit[:, :, None] * unit[:, None, :]


@dataclass(frozen=True)
class Coulomb:
    """Set-valued Coulomb friction: lambda = w v/|v| in slip, |lambda| <= w at v = 0."""

    set_valued: ClassVar[bool] = True

    def force(self, v: Array, w: Array) -> Array:
        """Return w v/|v| (N, 2), N, and 0 where v = 0."""
        speed = np.hypot(v[:, 0], v[:, 1])
        return np.where(speed > 0.0, w / np.where(speed > 0.0, speed, 1.0), 0.0)[:, None] * v

    def tangent(self, v: Array, w: Array) -> Array:
        """Return w/|v| (1 - v v'/|v|^2) (N, 2, 2), N s/m, and 0 where v = 0."""
        speed = np.hypot(v[:, 0], v[:, 1])
        safe = np.where(speed > 0.0, speed, 1.0)
        return np.where(speed > 0.0, w / safe, 0.0)[:, None, None] * _across(v, safe)

    def dissipation(self, v: Array, w: Array) -> Array:
        """Return w |v| (N,), W."""
        return w * np.hypot(v[:, 0], v[:, 1])

    def potential(self, v: Array, w: Array) -> Array:
        """Return w |v| (N,), W."""
        return w * np.hypot(v[:, 0], v[:, 1])


@dataclass(frozen=True)
class Smooth:
    """Regularised Coulomb friction: lambda = w v/sqrt(|v|^2 + v_reg^2). It creeps; it never sticks.

    v_reg: regularisation speed, m/s, positive. ValueError otherwise.
    """

    v_reg: float
    set_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not (np.isfinite(self.v_reg) and self.v_reg > 0.0):
            raise ValueError(f"Smooth: v_reg must be a positive finite speed in m/s, got {self.v_reg!r}")

    def _size(self, v: Array) -> Array:
        return np.hypot(np.hypot(v[:, 0], v[:, 1]), self.v_reg)

    def force(self, v: Array, w: Array) -> Array:
        """Return w v/sqrt(|v|^2 + v_reg^2) (N, 2), N."""
        return (w / self._size(v))[:, None] * v

    def tangent(self, v: Array, w: Array) -> Array:
        """Return w/s (1 - v v'/s^2) (N, 2, 2), N s/m, with s = sqrt(|v|^2 + v_reg^2)."""
        size = self._size(v)
        return (w / size)[:, None, None] * _across(v, size)

    def dissipation(self, v: Array, w: Array) -> Array:
        """Return w |v|^2/sqrt(|v|^2 + v_reg^2) (N,), W."""
        return w * (v[:, 0] ** 2 + v[:, 1] ** 2) / self._size(v)

    def potential(self, v: Array, w: Array) -> Array:
        """Return w (sqrt(|v|^2 + v_reg^2) - v_reg) (N,), W, written without cancellation at small v."""
        return w * (v[:, 0] ** 2 + v[:, 1] ** 2) / (self._size(v) + self.v_reg)


LAWS = {"coulomb": Coulomb, "smooth": Smooth}
