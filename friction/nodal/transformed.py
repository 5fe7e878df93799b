"""Smooth parts for laws other than Coulomb's: in stretched variables, and with the part of friction that varies with speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from friction.arrays import Array
from friction.laws.coulomb import Coulomb
from friction.laws.protocol import RadialLaw
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


class Stretched:
    """Pose a ``part`` in the variables v' = D v, D = ``metric`` (2, 2) along the ground, symmetric and invertible, and 1 across it.

    With E = D⁻¹: the potential is that of v = E v', so g' = Eᵀ g and each block of the hessian is Eᵀ H_ij E.
    Elliptic friction, ``w DᵀD v/|D v|``, is Coulomb's in v' (the multiplier y of λ = Dᵀ y).
    """

    def __init__(self, part: Differentiable, metric: Array, d: int) -> None:
        self.D = np.eye(d)
        self.D[:2, :2] = metric
        self._part, self._E = part, np.linalg.inv(self.D)
        self._size = float(np.linalg.norm(self._E, 2))
        self.indptr, self.indices, self.linear = part.indptr, part.indices, part.linear
        row, positions = np.repeat(np.arange(len(part.indptr) - 1), np.diff(part.indptr)), np.arange(len(part.indices))
        self._rows = np.stack([positions[row % d == a].reshape(-1, d) for a in range(d)], axis=1)

    def slip(self, v: Array) -> Array:
        """Return v = E v' (N, d), m/s."""
        return v @ self._E.T

    def gradient(self, v: Array) -> Array:
        return self._part.gradient(self.slip(v)) @ self._E

    def hessian(self, v: Array) -> Array:
        data = self._part.hessian(self.slip(v))
        new = np.empty_like(data)
        new[self._rows] = self._E.T @ data[self._rows] @ self._E
        return new

    def energy(self, v: Array) -> float:
        return cast(SmoothPart, self._part).energy(self.slip(v))

    def rounding(self, v: Array) -> float:
        return self._size * self._part.rounding(self.slip(v))

    def scale(self, v: Array) -> float:
        """Return that of the part: ``|g + λ| = |D (g' + y)| <= |g' + y|`` where ``|D| <= 1``."""
        return self._part.scale(self.slip(v))


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
