"""Mass-weighted moments of nodal (x, v, a): all that frame conditions and the rigid pass need to know of the body.

With ⟨·,·⟩ and [·,·] the mass-weighted dot and cross products (one mass matrix throughout), y = x − centre, and X
measured from its centre. A frame turned by α sees ⟨X, Qᵀf⟩ = c ⟨X, f⟩ + s [X, f] and [X, Qᵀf] = c [X, f] − s ⟨X, f⟩,
so a sweep of the rigid pass costs a few multiplications, whatever the mesh.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from floating_frame.frame.kernels import cross_sum, dot, moment_sums, product, weighted_sum
from floating_frame.frame.kinematics import Array


class Pairing(NamedTuple):
    """⟨X, f⟩ and [X, f] of one inertial nodal field f."""

    dot: float
    cross: float

    def seen_from(self, angle: float) -> Pairing:
        """Return ⟨X, Qᵀf⟩ and [X, Qᵀf] for a frame turned by ``angle``."""
        c, s = math.cos(angle), math.sin(angle)
        return Pairing(c * self.dot + s * self.cross, c * self.cross - s * self.dot)


@dataclass(frozen=True, kw_only=True)
class MassDistribution:
    """Mass of a body at its nodes: ``matrix`` (N, N) kg, ``nodal`` = M·1 (N,) kg, ``total`` kg, ``reference`` X (N, 2) m,
    ``weighted`` M X (N, 2) kg m, ``second_moment`` ⟨X, X⟩ kg m²."""

    matrix: csr_matrix
    nodal: Array
    total: float
    reference: Array
    weighted: Array
    second_moment: float

    @classmethod
    def of(cls, matrix: csr_matrix, reference: Array) -> MassDistribution:
        """Collect what is constant; ``reference`` must be measured from the centre of mass."""
        nodal, reference = np.asarray(matrix @ np.ones(len(reference))), np.array(reference, float)
        weighted = matrix @ reference
        return cls(
            matrix=matrix,
            nodal=nodal,
            total=float(nodal.sum()),
            reference=reference,
            weighted=weighted,
            second_moment=dot(weighted, reference),
        )

    def times(self, field: Array) -> Array:
        """Return M f (N, 2) of a nodal field f (N, 2)."""
        image = np.empty(field.shape)
        product(self.matrix.indptr, self.matrix.indices, self.matrix.data, field, image)
        return image

    def mean(self, field: Array) -> Array:
        """Return the mass average (2,) of a nodal field (N, 2)."""
        return np.array(weighted_sum(self.nodal, field)) / self.total

    def pairing(self, field: Array) -> Pairing:
        """Return ⟨X, f⟩ and [X, f] of an inertial nodal field (N, 2)."""
        return Pairing(dot(self.weighted, field), cross_sum(self.weighted, field))


@dataclass(frozen=True, kw_only=True)
class Moments:
    """Moments of one instant: centre (x, v, a) (2,) each; pairings of X with y, y', y''; ``yy`` = ⟨y,y⟩, ``yv`` = ⟨y,y'⟩,
    ``cross_yv`` = [y,y'], ``cross_ya`` = [y,y''] (kg m², kg m²/s, kg m²/s, N m)."""

    centre: Array
    centre_velocity: Array
    centre_acceleration: Array
    position: Pairing
    velocity: Pairing
    acceleration: Pairing
    yy: float
    yv: float
    cross_yv: float
    cross_ya: float


def moments(mass: MassDistribution, position: Array, velocity: Array, acceleration: Array) -> Moments:
    """Evaluate the moments of inertial nodal (x, v, a), (N, 2) each."""
    M = mass.matrix
    sums = moment_sums(M.indptr, M.indices, M.data, mass.nodal, mass.weighted, position, velocity, acceleration)
    return Moments(
        centre=np.array(sums[0:2]),
        centre_velocity=np.array(sums[2:4]),
        centre_acceleration=np.array(sums[4:6]),
        position=Pairing(*sums[6:8]),
        velocity=Pairing(*sums[8:10]),
        acceleration=Pairing(*sums[10:12]),
        yy=sums[12],
        yv=sums[13],
        cross_yv=sums[14],
        cross_ya=sums[15],
    )
