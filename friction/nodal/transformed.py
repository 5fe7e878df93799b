"""Smooth parts of other problems: in nodes' own axes, turned or stretched, and with the part of friction that varies with speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from friction.arrays import Array
from friction.laws.coulomb import Coulomb
from friction.laws.protocol import RadialLaw
from friction.nodal.kernels import turn
from friction.nodal.smooth_objective import Differentiable, SmoothPart

if TYPE_CHECKING:
    from friction.nodal.problem import NodalProblem


def symmetric(blocks: Array) -> Array:
    """Return the symmetric part of blocks (N, 2, 2)."""
    return 0.5 * (blocks + blocks.transpose(0, 2, 1))


def definite(blocks: Array) -> Array:
    """Return the symmetric part of blocks (N, 2, 2) with its negative eigenvalues set to 0."""
    values, vectors = np.linalg.eigh(symmetric(blocks))
    result: Array = (vectors * np.maximum(values, 0.0)[:, None, :]) @ vectors.transpose(0, 2, 1)
    return result


class LocalPart:
    """A ``part`` in the velocities u of ``nodes`` (m,) along their own axes, v = Tᵀ (u + v_g); elsewhere u = v.

    T: the ``axes`` (m, d, d), v_g the velocity of the ``ground`` (m, d) m/s along them (None: 0). The potential is that of v(u), so
    g is T g and each block of the hessian T_i H_ij T_jᵀ. ``size``: the largest stretch of T, 1 of axes that turn only.
    """

    def __init__(
        self, part: Differentiable, nodes: NDArray[np.intp], axes: Array, ground: Array | None = None, size: float = 1.0
    ) -> None:
        d = axes.shape[-1]
        self._part, self._nodes, self._axes, self._size = part, nodes, np.ascontiguousarray(axes), size
        self.indptr, self.indices, self.linear = part.indptr, part.indices, part.linear
        count = (len(part.indptr) - 1) // d
        self._lift, self._number = np.zeros((count, d)), np.full(count, -1, np.int64)
        self._lift[nodes], self._number[nodes] = 0.0 if ground is None else ground, np.arange(len(nodes))
        self._level = np.array_equal(axes, np.broadcast_to(np.eye(d), axes.shape))

    def velocity(self, u: Array) -> Array:
        """Return v (N, d) m/s."""
        v: Array = u + self._lift
        if not self._level:
            v[self._nodes] = np.einsum("mab,ma->mb", self._axes, v[self._nodes])
        return v

    def against(self, v: Array) -> Array:
        """Return u (N, d) m/s, along axes that turn only."""
        return self._turned(v) - self._lift

    def _turned(self, field: Array) -> Array:
        if self._level:
            return field
        turned = field.copy()
        turned[self._nodes] = np.einsum("mab,mb->ma", self._axes, field[self._nodes])
        return turned

    def gradient(self, u: Array) -> Array:
        return self._turned(self._part.gradient(self.velocity(u)))

    def hessian(self, u: Array) -> Array:
        data = self._part.hessian(self.velocity(u))
        if self._level:
            return data
        turned = np.empty_like(data)
        turn((0,) * u.shape[1], self.indptr, self.indices, data, self._number, self._axes, turned)
        return turned

    def energy(self, u: Array) -> float:
        return cast(SmoothPart, self._part).energy(self.velocity(u))

    def scale(self, u: Array) -> float:
        return self._part.scale(self.velocity(u))

    def rounding(self, u: Array) -> float:
        return self._size * self._part.rounding(self.velocity(u))


class Varying:
    """Add to the part of a ``problem`` what a set-valued radial law has beyond Coulomb friction with the bound w0 = w m(0).

    That is ``w (m(|v|) − m(0)) n``, which goes to 0 with v. Where m falls this takes from the hessian; ``clamped``: only what is
    positive semidefinite of it is added, at the price of slower convergence.
    """

    linear = False

    def __init__(self, problem: NodalProblem, law: RadialLaw, *, clamped: bool = False) -> None:
        self._part, self._law, self._w, self._clamped = problem.part, law, problem.w, clamped
        self._nt, self._places = problem.nt, problem.own_places
        self.bound = self._w * law.kinetic
        self.indptr, self.indices = self._part.indptr, self._part.indices

    def gradient(self, v: Array) -> Array:
        along, g = v[:, : self._nt], self._part.gradient(v).copy()
        g[:, : self._nt] += self._law.force(along, self._w) - Coulomb().force(along, self.bound)
        return g

    def extra(self, v: Array) -> Array:
        """Return the derivative of w (m - m(0)) n (N, 2, 2), N s/m; 0 at rest."""
        along = v[:, : self._nt]
        return self._law.tangent(along, self._w) - Coulomb().tangent(along, self.bound)

    def hessian(self, v: Array) -> Array:
        data = self._part.hessian(v).copy()
        extra = self.extra(v)
        data[self._places] += definite(extra) if self._clamped else extra
        return data

    def energy(self, v: Array) -> float:
        along = v[:, : self._nt]
        beyond = self._law.potential(along, self._w) - Coulomb().potential(along, self.bound)
        return cast(SmoothPart, self._part).energy(v) + float(beyond.sum())

    def rounding(self, v: Array) -> float:
        return self._part.rounding(v) + 8.0 * float(np.finfo(float).eps) * float(self.bound.max(initial=0.0))

    def scale(self, v: Array) -> float:
        return self._part.scale(v)
