"""Spins, turns and moments as skew matrices in d = 2 and 3 dimensions: their basis, and what pairs with it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_PLANE = np.array([[[0.0, -1.0], [1.0, 0.0]]])
_SPACE = np.zeros((3, 3, 3))
for _k, _i, _j in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):
    _SPACE[_k, _i, _j], _SPACE[_k, _j, _i] = 1.0, -1.0
BASIS: Mapping[int, Array] = {2: _PLANE, 3: _SPACE}
"""The skew matrices B_k (r, d, d) of unit spins, by d."""


def skew_of(components: Array | float, d: int) -> Array:
    """Return the skew matrix (..., d, d) of a spin, turn or moment (..., r), or of the number that it is in the plane."""
    basis, c = BASIS[d], np.array(components, float, ndmin=1)
    return np.asarray(c @ basis.reshape(len(basis), -1)).reshape(*c.shape[:-1], d, d)


def inertia(second: Array) -> Array:
    """Return J (..., r, r), kg m², with ω·Jω = ⟨|W x|²⟩, of second moments ⟨x⊗x⟩ (..., d, d): tr S 1 − S in space, tr S in the
    plane."""
    basis = BASIS[second.shape[-1]]
    return np.asarray(np.einsum("kia,...ab,lib->...kl", basis, second, basis))


def axial(matrix: Array) -> Array:
    """Return ⟨a × b⟩ (..., r) of ⟨a⊗b⟩ (..., d, d)."""
    return np.asarray(np.einsum("kia,...ai->...k", BASIS[matrix.shape[-1]], matrix))
