"""Nodes that touch several obstacles at once: in a groove two, in the corner of a room three.

The forces p_c of such a node are unknowns beside its velocity, g = Σ T_cᵀ p_c with the axes T_c: they cannot be eliminated like a
single one. Each Newton step imposes the laws by a large stiffness k about the last forces,

    p_c = p_c' − k (u_c + du_c) in stick and along a closed normal,

so that p_c = base_c − D_c du_c puts Σ T_cᵀ D_c T_c on the node's own block of the matrix. The error of u_c falls by s/(s + k) in
each step, s the stiffness of the rest of the node: some r of its matrix and, across the direction of slip at another obstacle, the
tangent of friction there, w/|u| in slow slip. k is a multiple of both, and the solution obeys the exact laws. The first p_c'
are 0, once more in the final states: where forces are not unique (a node that sticks to two obstacles), this chooses those of
contacts of equal compliance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from friction.arrays import Array, Bools
from friction.cone.kernels import residual
from friction.nodal import kernels as nodes
from friction.nodal.kernels import UNILATERAL
from friction.nodal.problem import LEAST_TOLERANCE, Iterate, NodalProblem
from friction.status import OPEN, STICK

STIFFNESS_RATIO, OVER_FRICTION = 1e3, 30.0
"""k is the first times r plus the second times the largest tangent of friction at the node."""
RANK = 1e-12
"""Relative eigenvalue below which contact directions count as linearly dependent."""
DIMS, TANGS = (0, 0, 0), (0, 0)


class SharedContacts:
    """The contacts ``which`` (m,) of nodes that have several; s of them."""

    def __init__(self, contact_nodes: NDArray[np.intp], axes: Array, ground: Array, mu: Array) -> None:
        """Select from the contacts of ``contact_nodes`` (m,) with ``axes`` (m, 3, 3), ``ground`` (m, 3) and ``mu`` (m,), those of
        nodes with several."""
        self.which: Bools = np.bincount(contact_nodes, minlength=1)[contact_nodes] > 1
        self.nodes: NDArray[np.intp] = contact_nodes[self.which]
        self.axes, self._ground, count = axes[self.which], ground[self.which], int(self.which.sum())
        none = np.zeros(count, np.bool_)
        self.laws = (
            np.zeros(count), mu[self.which], np.full(count, UNILATERAL, np.int8), none, np.zeros((count, 3), np.bool_)
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.nodes)

    def add_to_nodes(self, components: Array, out: Array) -> None:
        """Add forces (s, 3) along the axes to nodal ones (N, 3) as v has them."""
        np.add.at(out, self.nodes, np.einsum("sab,sa->sb", self.axes, components))

    def components_of(self, vectors: Array) -> Array:
        """Components (s, 3) along the axes of nodal vectors (N, 3)."""
        return np.asarray(np.einsum("sab,sb->sa", self.axes, vectors[self.nodes]))

    def slip(self, v: Array) -> Array:
        """Velocities (s, 3), m/s, relative to the obstacles at nodal v (N, 3)."""
        return self.components_of(v) - self._ground

    def project_onto_obstacles(self, v: Array, u: Array, status: NDArray[np.int8]) -> Array:
        """Project v (N, 3) in place: sticking nodes move with their obstacle, closed ones have its normal velocity; return u (s, 3)
        after it."""
        sticks, closed, normal = status == STICK, status != OPEN, self.axes[:, 2]
        missing = np.where(closed, self._ground[:, 2] - np.einsum("sb,sb->s", normal, v[self.nodes]), 0.0)
        square, rhs, chosen = np.zeros((len(v), 3, 3)), np.zeros_like(v), np.unique(self.nodes)
        np.add.at(square, self.nodes, normal[:, :, None] * normal[:, None] * closed[:, None, None])
        np.add.at(rhs, self.nodes, missing[:, None] * normal)
        v[chosen] += np.einsum("nab,nb->na", np.linalg.pinv(square[chosen], rcond=RANK, hermitian=True), rhs[chosen])
        v[self.nodes[sticks]] = np.einsum("sab,sa->sb", self.axes, u + self._ground)[sticks]
        free = self.slip(v)
        free[sticks] = 0.0
        free[closed, 2] = 0.0
        return free


@dataclass(kw_only=True)
class SharedProblem(NodalProblem):
    """A problem some nodes of which have ``shared`` contacts; ``changed``: states differed between linearisations so far."""

    shared: SharedContacts

    def __post_init__(self) -> None:
        super().__post_init__()
        count = len(self.shared)
        self.coupled = self.has_unilateral = True
        self.changed, self._from_zero = False, True  # the first linearisation is about zero forces
        self._last = np.zeros((count, 3))
        self._own = (
            np.zeros((count, 3), np.bool_), np.zeros((count, 2, 2)), np.zeros((count, 2)), np.zeros((count, 3))
        )  # fmt: skip
        self._states, self._stiffness, self._base = b"", np.zeros((count, 3, 3)), np.zeros((count, 3))

    def evaluate(self, v: Array, p: Array | None = None) -> Iterate:
        shared, g = self.shared, self.part.gradient(v).copy()
        p = np.zeros((len(shared), 3)) if p is None else p
        shared.add_to_nodes(-p, g)
        r = self.cache.r
        stick, slip = nodes.residual(self.cache.dims, self.tangs, self.relative(v), g, *self.laws, r)
        of_shared = np.abs(residual(p, shared.slip(v), shared.laws[1], r[shared.nodes])).max()
        tolerance = max(self.options.rtol * self.part.scale(v), self.part.rounding(v), LEAST_TOLERANCE)
        return Iterate(v=v, g=g, stick=stick, slip=max(slip, float(of_shared)), tolerance=tolerance, p=p)

    def active_set_unchanged(self, at: Iterate) -> bool:
        return False

    def newton_step(self, data: Array, at: Iterate) -> tuple[Array, Array | None]:
        self._linearise_shared(at)
        step, _ = super().newton_step(data, at)
        return step, self._base - np.einsum("sab,sb->sa", self._stiffness, self.shared.components_of(step))

    def _linearise_shared(self, at: Iterate) -> None:
        """Write D and base of all shared contacts at an iterate."""
        assert at.p is not None
        shared, (constrained, D, coupling, rhs), u = self.shared, self._own, self.shared.slip(at.v)
        r = self.cache.r[shared.nodes]
        nodes.linearise(DIMS, TANGS, u, at.p, *shared.laws, r, at.tolerance, constrained, D, coupling, rhs)
        states = np.column_stack([constrained, coupling.any(axis=1)]).tobytes()
        self.changed |= self._states not in (b"", states)
        self._states = states
        largest = np.zeros(len(at.v))
        np.maximum.at(largest, shared.nodes, np.trace(D, axis1=1, axis2=2))
        p, k = (
            np.zeros_like(at.p) if self._from_zero else at.p,
            STIFFNESS_RATIO * r + OVER_FRICTION * largest[shared.nodes],
        )
        self._from_zero, self._last = False, at.p
        closed, sticks, full, base = constrained[:, 2], constrained[:, 0], self._stiffness, self._base
        full[:], base[:] = 0.0, 0.0
        full[:, 2, 2], base[:, 2] = closed * k, closed * (p[:, 2] - k * u[:, 2])
        slides = -coupling * base[:, 2, None] - np.einsum("sab,sb->sa", D, u[:, :2])
        full[:, :2, :2] = np.where(sticks[:, None, None], k[:, None, None] * np.eye(2), D)
        full[:, :2, 2] = np.where(sticks[:, None], 0.0, -coupling * full[:, 2, 2, None])
        base[:, :2] = np.where(sticks[:, None], p[:, :2] - k[:, None] * u[:, :2], slides)
        open_ = ~closed
        full[open_], base[open_] = 0.0, 0.0

    def eliminate(self, data: Array) -> Array:
        values, shared = super().eliminate(data), self.shared
        full = self._stiffness.copy()
        if self.cache.symmetric:
            full[:, :2, 2] = 0.0
        blocks = shared.axes.transpose(0, 2, 1) @ full @ shared.axes
        np.add.at(values, self.cache.diagonal[shared.nodes].ravel(), blocks.ravel())
        shared.add_to_nodes(self._base - self._last, self.rhs)
        return values

    def needs_gmres(self) -> bool:
        return True

    def product(self, data: Array, x: Array) -> Array:
        y, shared = super().product(data, x), self.shared
        if self.cache.symmetric:
            full = np.zeros_like(self._stiffness)
            full[:, :2, 2] = self._stiffness[:, :2, 2]
            change = shared.components_of(x.reshape(self.rhs.shape))
            shared.add_to_nodes(np.einsum("sab,sb->sa", full, change), y.reshape(self.rhs.shape))
        return y
