"""Smooth parts for laws other than Coulomb's: in stretched variables, and with the part of friction that varies with speed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from friction.arrays import Array
from friction.laws.coulomb import Coulomb
from friction.laws.protocol import RadialLaw
from friction.nodal.smooth_objective import SmoothPart


def symmetric(blocks: Array) -> Array:
    """Return the symmetric part of blocks (N, 2, 2)."""
    return 0.5 * (blocks + blocks.transpose(0, 2, 1))


def definite(blocks: Array) -> Array:
    """Return the symmetric part of blocks (N, 2, 2) with its negative eigenvalues set to 0."""
    values, vectors = np.linalg.eigh(symmetric(blocks))
    result: Array = (vectors * np.maximum(values, 0.0)[:, None, :]) @ vectors.transpose(0, 2, 1)
    return result


class Stretched:
    """Pose a ``part`` in the variables v' = D v, D (2, 2) symmetric and invertible, the same at all nodes.

    With E = D⁻¹: the potential is that of v = E v', so g' = Eᵀ g and each block of the hessian is Eᵀ H_ij E.
    Elliptic friction, ``w DᵀD v/|D v|``, is Coulomb's in v' (the multiplier y of λ = Dᵀ y).
    """

    def __init__(self, part: SmoothPart, D: Array) -> None:
        self._part, self._D, self._E = part, D, np.linalg.inv(D)
        self._size = float(np.linalg.norm(self._E, 2))
        self.indptr, self.indices, self.linear = part.indptr, part.indices, part.linear
        lengths = np.diff(part.indptr)
        even = np.repeat(np.arange(len(lengths)) % 2 == 0, lengths)
        positions = np.arange(len(part.indices))
        self._rows = np.stack([positions[even].reshape(-1, 2), positions[~even].reshape(-1, 2)], axis=1)

    def slip(self, v: Array) -> Array:
        """Return v = E v' (N, 2), m/s."""
        return v @ self._E.T

    def gradient(self, v: Array) -> Array:
        return self._part.gradient(self.slip(v)) @ self._E

    def hessian(self, v: Array) -> Array:
        data = self._part.hessian(self.slip(v))
        new = np.empty_like(data)
        new[self._rows] = self._E.T @ data[self._rows] @ self._E
        return new

    def energy(self, v: Array) -> float:
        return self._part.energy(self.slip(v))

    def rounding(self, v: Array) -> float:
        return self._size * self._part.rounding(self.slip(v))

    def scale(self, v: Array) -> float:
        """Return that of the part: ``|g + λ| = |D (g' + y)| <= |g' + y|`` where ``|D| <= 1``."""
        return self._part.scale(self.slip(v))


class Varying:
    """Add to a ``part`` what a set-valued radial law has beyond Coulomb friction with the bound w0 = w m(0).

    That is ``w (m(|v|) − m(0)) n``, which goes to 0 with v. Where m falls this takes from the hessian; ``clamped``: only what is
    positive semidefinite of it is added, at the price of slower convergence. ``w`` (N,), N; ``diagonal`` (N, 4): positions of the
    nodes' own blocks.
    """

    linear = False

    def __init__(
        self, part: SmoothPart, law: RadialLaw, w: Array, diagonal: NDArray[np.int64], *, clamped: bool = False
    ) -> None:
        self._part, self._law, self._w, self._diagonal, self._clamped = part, law, w, diagonal, clamped
        self.bound = w * law.kinetic
        self.indptr, self.indices = part.indptr, part.indices

    def gradient(self, v: Array) -> Array:
        return self._part.gradient(v) + (self._law.force(v, self._w) - Coulomb().force(v, self.bound))

    def extra(self, v: Array) -> Array:
        """Return the derivative of w (m - m(0)) n (N, 2, 2), N s/m; 0 at rest."""
        return self._law.tangent(v, self._w) - Coulomb().tangent(v, self.bound)

    def hessian(self, v: Array) -> Array:
        data = self._part.hessian(v).copy()
        extra = self.extra(v)
        data[self._diagonal] += (definite(extra) if self._clamped else extra).reshape(-1, 4)
        return data

    def energy(self, v: Array) -> float:
        beyond = self._law.potential(v, self._w) - Coulomb().potential(v, self.bound)
        return self._part.energy(v) + float(beyond.sum())

    def rounding(self, v: Array) -> float:
        return self._part.rounding(v) + 8.0 * float(np.finfo(float).eps) * float(self.bound.max(initial=0.0))

    def scale(self, v: Array) -> float:
        return self._part.scale(v)
