"""How a turning frame carries the nodes of a solid within a step: along arcs, so that stages deform nothing that only turns.

    x_s = x_n + C[Q_sQ_nᵀ − 1] + ξ_s,    ξ_s = Δt Σ_j a_sj (v_j − C[hat(Ω_j) Q_jQ_nᵀ]),    C[T]_i = T (x_i − c)_n

with c the centre of mass, or the pivot of a clamp. ξ is what nodes move besides, straight in a stage. Without C they turn along
chords: they swell by ½ (ΔtΩ)², which a body that breathes fast against the step gives back at once, with a part of its spin. So
steps that are ``LONG`` have C; in others nodes move as without any frame. C takes nothing of where nodes are held: it is counted
from those that stick, and across the ground from those that press; these have none of it themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array

LONG = 1.0
"""Length of a step times the rate at which the body breathes, rad, from which it is long."""


class Kept(NamedTuple):
    """Nodes that the ground holds: ``stuck`` (k,) altogether, ``level`` (m,) across it, along ``normals`` (m, 3), of which some
    ``press`` (m,)."""

    stuck: NDArray[np.intp]
    level: NDArray[np.intp]
    normals: Array
    press: NDArray[np.bool_]

    def across(self, field: Array) -> Array:
        """Return the normal part (m, 3) of a field (N, 3) at the level nodes."""
        return np.asarray(np.einsum("ma,ma->m", self.normals, field[self.level])[:, None] * self.normals)


class Carried:
    """C of a step that begins with ``arms`` (N, 3) m in space; the ground keeps some of the nodes; 0 if it is not ``long``."""

    def __init__(self, arms: Array, kept: Kept, *, long: bool) -> None:
        self._arms, self._kept = (arms if long else np.zeros_like(arms)), kept

    def by(self, turning: Array) -> Array:
        """Return C[T] (N, 3) of a matrix T (3, 3)."""
        field, kept = self._arms @ turning.T, self._kept
        if len(kept.stuck):
            field -= field[kept.stuck].mean(axis=0)
        elif kept.press.any():
            field -= kept.across(field)[kept.press].mean(axis=0)
        field[kept.level] -= kept.across(field)
        field[kept.stuck] = 0.0
        return field
