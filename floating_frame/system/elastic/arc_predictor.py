"""Rigid-rotation part of the nodal path within a step: nodes of a turning frame move along arcs, so that rotation causes no strain.

    x_s = x_n + C[R_s − 1] + ξ_s,    ξ_s = Δt Σ_j a_sj (v_j − C[Ω_j R_j]),    R_s = Q_sQ_nᵀ,    C[T]_i = T (x_i − c)_n

for d = 2 and 3, with Ω as a skew matrix and c the centre of mass, or the pivot of a clamp. ξ is the straight remainder of the path.
Without C nodes turn along chords: the body swells by ½ (ΔtΩ)², and a body whose breathing period is short against the step releases
this strain at once, and loses spin. So C is used in steps longer than ``LONG_STEP`` only. It vanishes at constrained nodes,
relative to the sticking nodes and, across the ground, to the pressing ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array

LONG_STEP = {2: 10.0, 3: 1.0}
"""Step length times breathing frequency, rad, above which a step is long, by d. In the plane the vibrations are resolved at a tenth
of it, so that all steps of a convergence study have one kind of path."""


class ArcPredictor(NamedTuple):
    """Rigid-rotation part C of the nodal paths in a step that begins with ``arms`` (N, d) m in space. Nodes excluded from the
    arc: ``sticking`` (k,) in all directions, ``touching`` (m,) along ``normals`` (m, d); ``pressing`` (m,): touching nodes with
    a normal force."""

    arms: Array
    sticking: NDArray[np.intp]
    touching: NDArray[np.intp]
    normals: Array
    pressing: NDArray[np.bool_]

    def along_arc(self, turn: Array) -> Array:
        """C[R − 1] (N, d) m of a turn R (d, d)."""
        return self._rotational_part(turn - np.eye(len(turn)))

    def velocity(self, spin: Array, turn: Array) -> Array:
        """C[Ω R] (N, d) m/s of a frame turned by R with the spin Ω (d, d), rad/s."""
        return self._rotational_part(spin @ turn)

    def remainder(self, spin: Array, turn: Array, tau: float) -> Array:
        """C[R − 1 − τ Ω R] (N, d) m, the difference between a stage's nodal positions and x* + τ v."""
        return self._rotational_part(turn - np.eye(len(turn)) - tau * spin @ turn)

    def _rotational_part(self, T: Array) -> Array:
        """C[T] (N, d) of a matrix T (d, d)."""
        field = self.arms @ T.T
        if len(self.sticking):
            field -= field[self.sticking].mean(axis=0)
        elif self.pressing.any():
            field -= self._normal_part(field)[self.pressing].mean(axis=0)
        if len(self.touching):
            field[self.touching] -= self._normal_part(field)
        field[self.sticking] = 0.0
        return field

    def _normal_part(self, field: Array) -> Array:
        """Normal part (m, d) of a field (N, d) at the touching nodes."""
        return np.asarray(np.einsum("ma,ma->m", self.normals, field[self.touching])[:, None] * self.normals)
