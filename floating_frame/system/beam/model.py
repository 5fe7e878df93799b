"""Constants of a linear beam: matrices on its free degrees of freedom and a factor plan.

Unknowns are (w_i, ℓ w_i') node by node, all in metres (ℓ: element length), without supported ones. For the friction solver each
degree of freedom is a 2-vector whose second component stays exactly 0: Coulomb's disc is the interval |λ_i| ≤ w_i, at deflections
only (slopes have w = 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fem.beam import Beam
from floating_frame.frame.kinematics import Array
from floating_frame.system.model import RunModel
from friction import FactorCache


@dataclass(frozen=True, kw_only=True, repr=False)
class BeamModel(RunModel):
    """Constants of a linear beam. n free unknowns; ``free`` (n,) their places among the 2N; ``stiffness``, ``mass`` (n, n) N/m,
    kg; ``scale`` (2N,): natural degrees of freedom = scale × unknowns. ``cache`` is a workspace."""

    beam: Beam
    free: NDArray[np.int64]
    scale: Array
    stiffness: csr_matrix
    mass: csr_matrix
    cache: FactorCache
    places: tuple[NDArray[np.int64], NDArray[np.int64]]

    def on_pattern(self, data: Array) -> csr_matrix:
        """Matrix (n, n) of ``data`` (nnz,) in the one sparsity of mass and stiffness, explicit zeros kept."""
        K = self.stiffness
        return csr_matrix((data, K.indices, K.indptr), shape=K.shape)

    def on_unknowns(self, nodal: Array) -> Array:
        """Nodal values (N,) on the deflections among the free unknowns (n,), 0 on slopes."""
        full = np.zeros(2 * len(self.beam.X))
        full[0::2] = nodal
        return full[self.free]

    @cached_property
    def supported(self) -> NDArray[np.int64]:
        """Places of the supported degrees of freedom among the 2N."""
        return np.setdiff1d(np.arange(2 * len(self.beam.X)), self.free)

    def scaled_load(self, time: float, *, left: bool = True) -> Array:
        """Forces on all unknowns (2N,), N."""
        return self.natural_load(time, left=left) * self.scale

    def natural_force(self, force: tuple[Array, ...]) -> Array:
        """Forces and couples (2N,) N, N m from generalised forces on the free and the supported unknowns."""
        full = np.empty(2 * len(self.beam.X))
        full[self.free], full[self.supported] = force
        return full / self.scale

    def natural_load(self, time: float, *, left: bool = True) -> Array:
        """Nodal forces and couples (2N,), N and N m."""
        return self.loads.nodal_force(time, left=left)[:, 1]

    def elastic_force(self, unknowns: Array) -> Array:
        """K d (n,) N by each element's two strains, φ₂ − φ₁ and φ₁ + φ₂ − 2 (w₂ − w₁) with φ = ℓ w'. Rounding errors then balance
        in each element. With the assembled K they have a resultant and a moment, which at n elements bend the beam n⁴ times more
        than they strain one."""
        full = np.zeros(2 * len(self.beam.X))
        full[self.free] = unknowns
        w, slope = full[0::2], full[1::2]
        stiffness = self.beam.bending_stiffness / self.beam.element_length**3
        first = stiffness * np.diff(slope)
        second = 3.0 * stiffness * (slope[:-1] + slope[1:] - 2.0 * np.diff(w))
        force = np.zeros_like(full)
        force[0:-2:2] += 2.0 * second
        force[2::2] -= 2.0 * second
        force[1:-2:2] += second - first
        force[3::2] += second + first
        return force[self.free]

    def natural(self, unknowns: Array) -> Array:
        """Deflections and slopes (2N,) of the unknowns (n,); 0 at supports."""
        full = np.zeros(2 * len(self.beam.X))
        full[self.free] = unknowns
        return full * self.scale

    def at_nodes(self, unknowns: Array) -> Array:
        """Deflection entries (N,) of a vector on the unknowns (n,); 0 at supports."""
        return self.natural(unknowns)[0::2]
