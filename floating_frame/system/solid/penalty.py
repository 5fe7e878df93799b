"""Penalty contact of a solid with obstacles at nodes of a face, within a stage: forces of places and velocities, in its balance.

Node i stands for the area A_i = ∫φ_i dA of the reference shape: its force is F(x_i, v_i) of ``effect.penalty`` with
f_n = A_i p_n(d, d'), Pa, and friction under the bound μ f_n. With x = x0 + Q(X + u), u = u* + τ_x V and v = QV a stage has

    g(V) = ... − θ QᵀF,    dg/dV = ... − θ Qᵀ(τ_x ∂F/∂x + ∂F/∂v) Q    in the node's own 3 × 3 block,

which is not symmetric where a node rubs: the bound follows the normal force, but not the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem import Solid
from floating_frame.effect.penalty import PenaltyContact
from floating_frame.effect.protocol import Blocks, StageEffect
from floating_frame.frame.kinematics import Array

NO_FORCE = np.zeros(3)


class FaceNodes:
    """Some ``nodes`` (P,) of a ``body``; ``entries`` (P, 3, 3): where their own blocks stand in its sparsity."""

    def __init__(self, nodes: NDArray[np.intp], body: Solid) -> None:
        self.nodes, self._shape = nodes, body.X.shape
        rows = np.repeat(np.arange(body.X.size), np.diff(body.indptr))
        diagonal = np.flatnonzero(body.indices == rows).reshape(-1, 3)[nodes]
        own = np.arange(3)
        self.entries = diagonal[:, :, None] + own - own[:, None]

    def place(self, configuration: Blocks) -> Array:
        return configuration[0][self.nodes]

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        return velocity[0][self.nodes]

    def spread(self, values: Array) -> Array:
        """Return values (P, 3) of the nodes as those of all (N, 3)."""
        field = np.zeros(self._shape)
        field[self.nodes] = values
        return field

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        return self.spread(force), NO_FORCE, NO_FORCE


class NodePenalty(PenaltyContact):
    """A penalty contact at nodes of a solid."""

    points: FaceNodes


class StagePush(NamedTuple):
    """What penalty contacts do to a stage: ``force`` (N, 3) N, space axes; the 3 × 3 ``blocks`` (P, 3, 3) of −∂F/∂V at the places
    ``entries`` of its sparsity; the ``rounding`` of the force, N."""

    force: Array
    blocks: Array
    entries: NDArray[np.intp]
    rounding: float


class StagePenalties:
    """Penalty contacts ``acting`` in a stage of length ``tau`` s, at nodes seen in the frame's axes ``Q``."""

    def __init__(
        self, pairs: Sequence[tuple[NodePenalty, StageEffect]], tau: float, Q: Array, shape: tuple[int, ...]
    ) -> None:
        self._pairs, self._tau, self._Q, self._shape = tuple(pairs), tau, Q, shape

    def __bool__(self) -> bool:
        return bool(self._pairs)

    def none(self) -> StagePush:
        """Return that nothing is pushed."""
        return StagePush(np.zeros(self._shape), np.zeros((0, 3, 3)), _NONE, 0.0)

    def at(self, x: Array, v: Array) -> StagePush:
        """Return forces and derivatives at nodal x and v (N, 3), space."""
        force, blocks, entries, rounding = np.zeros(self._shape), [np.zeros((0, 3, 3))], [_NONE], 0.0
        sizes = [float(np.abs(field).max()) for field in (x, v)]
        for effect, acting in self._pairs:
            now, points = acting.at(x[effect.points.nodes], v[effect.points.nodes]), effect.points
            assert now.by_place is not None
            assert now.by_velocity is not None
            force += points.spread(now.force)
            blocks.append(-self._Q.T @ (self._tau * now.by_place + now.by_velocity) @ self._Q)
            entries.append(points.entries)
            slopes = [float(np.abs(slope).max(initial=0.0)) for slope in (now.by_place, now.by_velocity)]
            rounding = max(rounding, slopes[0] * sizes[0] + slopes[1] * sizes[1])
        return StagePush(force, np.concatenate(blocks), np.concatenate(entries), rounding)


_NONE = np.zeros((0, 3, 3), np.intp)
