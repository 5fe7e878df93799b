"""Mass-weighted moments of nodal (x, v, a): the input of frame conditions and the rigid pass, for d = 2 and 3.

With ⟨·⟩ the sums weighted by the one mass matrix, y = x − centre, and X measured from its centre, they are the second moments
⟨y⊗X⟩, ⟨y'⊗X⟩, ⟨y''⊗X⟩, ⟨y⊗y⟩, ⟨y⊗y'⟩ and ⟨y⊗y''⟩ (d, d). In a frame Q, ⟨r⊗X⟩ = Qᵀ⟨y⊗X⟩ and so on: a sweep of the rigid pass costs a
few products of small matrices, whatever the mesh.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import csr_matrix

from floating_frame.frame.kernels import product
from friction.arrays import Array

YX, VX, AX, YY, YV, YA = range(6)
"""The rows of ``Moments.pairs``."""


@dataclass(frozen=True, kw_only=True)
class MassDistribution:
    """Mass of a body at its nodes: ``matrix`` (N, N) kg, ``nodal`` = M·1 (N,) kg, ``total`` kg, ``reference`` X (N, d) m,
    ``weighted`` M X (N, d) kg m, ``second_moments`` ⟨X⊗X⟩ (d, d) kg m², ``second_moment`` ⟨X·X⟩ kg m²; the ``heaviest`` node, kg,
    and the ``farthest`` coordinate, m."""

    matrix: csr_matrix
    nodal: Array
    total: float
    reference: Array
    weighted: Array
    second_moments: Array
    second_moment: float
    heaviest: float
    farthest: float

    @classmethod
    def of(cls, matrix: csr_matrix, reference: Array) -> MassDistribution:
        """Mass distribution of a body; ``reference`` from the centre of mass."""
        nodal, reference = np.asarray(matrix @ np.ones(len(reference))), np.array(reference, float)
        weighted = matrix @ reference
        second = np.einsum("ni,nj->ij", reference, weighted)
        return cls(
            matrix=matrix,
            nodal=nodal,
            total=float(nodal.sum()),
            reference=reference,
            weighted=weighted,
            second_moments=second,
            second_moment=float(np.trace(second)),
            heaviest=float(nodal.max()),
            farthest=float(np.abs(reference).max()),
        )

    def times(self, field: Array) -> Array:
        """M f (N, d) of a nodal field f (N, d)."""
        image = np.empty(field.shape)
        product((0,) * field.shape[1], self.matrix.indptr, self.matrix.indices, self.matrix.data, field, image)
        return image

    def mean(self, field: Array) -> Array:
        """Mass average (d,) of a nodal field (N, d)."""
        return np.asarray(np.einsum("n,na->a", self.nodal, field)) / self.total


class Moments(NamedTuple):
    """Moments of one instant: ``centre`` (3, d), the mass averages of x m, v m/s, a m/s²; ``pairs`` (6, d, d): ⟨y⊗X⟩, ⟨y'⊗X⟩,
    ⟨y''⊗X⟩, ⟨y⊗y⟩, ⟨y⊗y'⟩, ⟨y⊗y''⟩ in kg m² and per s, per s²; components in space."""

    centre: Array
    pairs: Array


def moments(mass: MassDistribution, position: Array, velocity: Array, acceleration: Array) -> Moments:
    """Evaluate the moments of inertial nodal (x, v, a), (N, d) each."""
    M, d = mass.matrix, position.shape[1]
    result = Moments(np.empty((3, d)), np.empty((6, d, d)))
    fields = position, velocity, acceleration
    moment_sums((0,) * d, M.indptr, M.indices, M.data, mass.nodal, mass.weighted, *fields, *result)
    return result


@njit(cache=True, error_model="numpy")
def moment_sums(dims, indptr, indices, data, nodal, weighted, x, v, a, centre, pairs):  # type: ignore[no-untyped-def]
    """Write the moments of nodal x, v, a (N, d) for a CSR mass, ``nodal`` M 1 (N,) and ``weighted`` M X (N, d); ``dims`` (d zeros)
    tells d to the compiler. One thread, in the order of the nodes; a sum in an array would be stored at every node."""
    d, N, total, y, image = len(dims), len(nodal), 0.0, np.empty(x.shape), np.empty(x.shape)
    for i in range(N):
        total += nodal[i]
    for j in range(d):
        of_x, of_v, of_a = 0.0, 0.0, 0.0
        for i in range(N):
            of_x, of_v, of_a = of_x + nodal[i] * x[i, j], of_v + nodal[i] * v[i, j], of_a + nodal[i] * a[i, j]
        centre[0, j], centre[1, j], centre[2, j] = of_x / total, of_v / total, of_a / total
        for i in range(N):
            y[i, j] = x[i, j] - centre[0, j]
    product(dims, indptr, indices, data, y, image)
    for j in range(d):
        for k in range(d):
            yx, vx, ax, yy, yv, ya = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for i in range(N):
                w, b = v[i, j] - centre[1, j], a[i, j] - centre[2, j]
                yx, vx, ax = yx + y[i, j] * weighted[i, k], vx + w * weighted[i, k], ax + b * weighted[i, k]
                yy, yv, ya = yy + image[i, k] * y[i, j], yv + image[i, k] * w, ya + image[i, k] * b
            pairs[YX, j, k], pairs[VX, j, k], pairs[AX, j, k] = yx, vx, ax
            pairs[YY, k, j], pairs[YV, k, j], pairs[YA, k, j] = yy, yv, ya
