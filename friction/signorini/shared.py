"""Nodes that touch several obstacles at once: in a groove two, in the corner of a room three.

The forces p_c of such a node are unknowns beside its velocity, g = Σ T_cᵀ p_c with the axes T_c: they cannot be eliminated like
that of a single contact. Each Newton step holds what the laws say with a large stiffness k about the last forces,

    p_c = p_c' − k (u_c + du_c) in stick and along a closed normal,

so that p_c = base_c − D_c du_c puts Σ T_cᵀ D_c T_c on the node's own block of the matrix. What u_c is off falls to κ/k of itself in
each step: the solution is that of the exact laws. The first p_c' are 0, once more in the states that are found, so that of forces
that are not unique (a node that sticks to two obstacles) those under equal compliance of the contacts are taken."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from friction.arrays import Array, Bools
from friction.signorini.kernels import SLIP, STICK

HOLDS = 1e3
"""k over κ."""
RANK = 1e-12
"""Eigenvalue, over the largest, below which directions of contact are one."""


class SharedNodes:
    """The contacts ``which`` (m,) of nodes that have several; s of them, in arrays (m, ...) as those of all contacts are."""

    def __init__(self, nodes: NDArray[np.intp], axes: Array, ground: Array) -> None:
        """Choose, of the contacts of ``nodes`` (m,) with ``axes`` (m, 3, 3) and ``ground`` (m, 3), those of nodes with several."""
        self.which: Bools = np.bincount(nodes, minlength=1)[nodes] > 1
        self.nodes: NDArray[np.intp] = nodes[self.which]
        self.axes, self._ground = axes[self.which], ground[self.which]
        self.alone = ~self.which

    def __len__(self) -> int:
        return len(self.nodes)

    def spread(self, components: Array, out: Array) -> None:
        """Add forces (s, 3) along the axes to nodal ones (N, 3) as v has them."""
        np.add.at(out, self.nodes, np.einsum("sab,sa->sb", self.axes, components))

    def along(self, vectors: Array) -> Array:
        """Return the components (s, 3) along the axes of nodal vectors (N, 3)."""
        return np.asarray(np.einsum("sab,sb->sa", self.axes, vectors[self.nodes]))

    def laws(
        self, p: Array, u: Array, states: tuple[Bools, NDArray[np.int8]], terms: Sequence[Array], kappa: Array
    ) -> tuple[Array, Array]:
        """Return D (s, 3, 3) N s/m and base (s, 3) N from forces and velocities (m, 3), the states and terms of ``linearise`` and
        κ (N,)."""
        closed, along = (state[self.which] for state in states)
        coupling, pull, tangent = (term[self.which] for term in terms)
        p, u, k = p[self.which], u[self.which], HOLDS * kappa[self.nodes]
        stick, slip = along == STICK, along == SLIP
        D, base = np.zeros((len(p), 3, 3)), np.zeros_like(p)
        D[:, 2, 2], base[:, 2] = closed * k, closed * (p[:, 2] - k * u[:, 2])
        xx, xy, yy = tangent.T
        D[:, 0, 0], D[:, 1, 1] = np.where(stick, k, xx), np.where(stick, k, yy)
        D[:, 0, 1] = D[:, 1, 0] = xy
        D[:, :2, 2] = coupling * D[:, 2, 2, None]
        held = p[:, :2] - k[:, None] * u[:, :2]
        slides = coupling * base[:, 2, None] + pull - np.einsum("sab,sb->sa", D[:, :2, :2], u[:, :2])
        base[:, :2] = np.where(stick[:, None], held, np.where(slip[:, None], slides, 0.0))
        return D, base

    def stiffen(self, diagonal: NDArray[np.intp], data: Array, D: Array) -> None:
        """Add Tᵀ D T to the nodes' own blocks of the matrix, the rows of which begin at ``diagonal`` (N, 3) of its ``data``."""
        blocks, rows = self.axes.transpose(0, 2, 1) @ D @ self.axes, diagonal[self.nodes]
        np.add.at(data, (rows[:, :, None] + np.arange(3)).ravel(), blocks.ravel())

    def place(self, v: Array, u: Array, sticks: Bools, closed: Bools) -> None:
        """Put nodes of v (N, 3) on the obstacles to which they stick, m contacts, or keep their normal velocities where these are
        ``closed``; u (m, 3) of what is free follows."""
        if not len(self):
            return
        given, held, normal = u[self.which], sticks[self.which], self.axes[:, 2]
        missing = np.where(closed[self.which], self._ground[:, 2] - np.einsum("sb,sb->s", normal, v[self.nodes]), 0.0)
        square, rhs, nodes = np.zeros((len(v), 3, 3)), np.zeros_like(v), np.unique(self.nodes)
        np.add.at(square, self.nodes, normal[:, :, None] * normal[:, None] * closed[self.which, None, None])
        np.add.at(rhs, self.nodes, missing[:, None] * normal)
        v[nodes] += np.einsum("nab,nb->na", np.linalg.pinv(square[nodes], rcond=RANK, hermitian=True), rhs[nodes])
        v[self.nodes[held]] = np.einsum("sab,sa->sb", self.axes, given + self._ground)[held]
        free = self.along(v) - self._ground
        free[held] = 0.0
        free[closed[self.which], 2] = 0.0
        u[self.which] = free
