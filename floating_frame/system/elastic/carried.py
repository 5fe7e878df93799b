"""How a turning frame carries the nodes of a body within a step: along arcs, so that stages deform nothing that only turns.

    x_s = x_n + C[R_s − 1] + ξ_s,    ξ_s = Δt Σ_j a_sj (v_j − C[Ω_j R_j]),    R_s = Q_sQ_nᵀ,    C[T]_i = T (x_i − c)_n

for d = 2 and 3, with Ω as a skew matrix and c the centre of mass, or the pivot of a clamp. ξ is what nodes move besides, straight
in a stage. Without C they turn along chords: they swell by ½ (ΔtΩ)², which a body that breathes fast against the step gives
back at once, with a part of its spin. So steps that are ``LONG`` have C; in others nodes move as without any frame. C takes
nothing of where nodes are held: it is counted from those that stick, and across the ground from those that press; these have
none of it themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array

LONG = {2: 10.0, 3: 1.0}
"""Length of a step times the rate at which a body breathes, rad, from which it is long, by d. In the plane steps a tenth as long
resolve the vibrations, and steps of one study go along ways of one kind."""


class Kept(NamedTuple):
    """Nodes that the ground holds: ``stuck`` (k,) altogether, ``level`` (m,) across it, along ``normals`` (m, d), of which some
    ``press`` (m,)."""

    stuck: NDArray[np.intp]
    level: NDArray[np.intp]
    normals: Array
    press: NDArray[np.bool_]

    def across(self, field: Array) -> Array:
        """Return the normal part (m, d) of a field (N, d) at the level nodes."""
        return np.asarray(np.einsum("ma,ma->m", self.normals, field[self.level])[:, None] * self.normals)


class Carried:
    """C of a step that begins with ``arms`` (N, d) m in space; the ground keeps some of the nodes."""

    def __init__(self, arms: Array, kept: Kept) -> None:
        self._arms, self._kept = arms, kept

    def along_arc(self, turn: Array) -> Array:
        """Return C[R − 1] (N, d) m of a turn R (d, d)."""
        return self._by(turn - np.eye(len(turn)))

    def rate(self, spin: Array, turn: Array) -> Array:
        """Return C[Ω R] (N, d) m/s where a frame turned by R spins with Ω (d, d), rad/s."""
        return self._by(spin @ turn)

    def beside(self, spin: Array, turn: Array, tau: float) -> Array:
        """Return C[R − 1 − τ Ω R] (N, d) m: what carries the nodes in a stage beside x* + τ v."""
        return self._by(turn - np.eye(len(turn)) - tau * spin @ turn)

    def _by(self, turning: Array) -> Array:
        """Return C[T] (N, d) of a matrix T (d, d)."""
        field, kept = self._arms @ turning.T, self._kept
        if len(kept.stuck):
            field -= field[kept.stuck].mean(axis=0)
        elif kept.press.any():
            field -= kept.across(field)[kept.press].mean(axis=0)
        if len(kept.level):
            field[kept.level] -= kept.across(field)
        field[kept.stuck] = 0.0
        return field
