"""Clamped nodes, for d = 2 and 3: two nodes of a stage's unknowns replace them, the clamp's rates w and ℓω.

    v_i = w + ω × r_i,    R_w = Σ g_i,    R_ω = Sᵀ Σ r_i × g_i,    r_i = AᵀQ(ω) (X_i − X_pivot),    δr_i = τ S δω × r_i

in the axes A of the stage. ℓ is the size of the arms, so that both rows are forces. The clamp, not their velocities, gives the
positions of the clamped nodes at the stage's end, so u = 0 on them at every step's end. The force on them, g_i = (M a − f_int −
f)_i, is the clamp's reaction, without power along free motions. The matrix has δr_i/τ for δv_i and is symmetric; the neglected
terms are of order τω."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fem.elements.sparsity import sparsity
from floating_frame.effect.protocol import Motion, OwnSource
from floating_frame.frame.kinematics import BASIS, Array, FloatingFrame, inertia, skew_of
from floating_frame.frame.rigid_modes import wrench
from floating_frame.frame.rotations import attitude, rotation_of
from floating_frame.frame.space_clamp import Joint
from floating_frame.system.elastic.equilibrium import ElasticStage, InstantEquilibrium
from floating_frame.system.protocol import StageHistory

Entry = TypeVar("Entry", bound=np.generic)
CLAMP = OwnSource("clamp", results=("held",))
"""Reaction of a clamped face."""


class ClampedNodes:
    """The ``clamped`` nodes (n,) of a ``body`` move by the ``joint`` of their clamp, unknowns 0 and 1; the other nodes follow, N' =
    N − n + 2 in all.

    ``number`` (N,) of each node among these, 0 of clamped ones; ``indptr``, ``indices`` of their matrix; ``fixed`` (N', d):
    unknowns fixed by the joint; ``X`` (n, d) m of the clamped nodes, ``places`` (N', d) m of the unknown ones; ``rigid``: clamped
    nodes have the accelerations of the frame, whose origin is the pivot, not of their own velocities."""

    def __init__(self, body: Any, clamped: NDArray[np.intp], joint: Joint, *, rigid: bool = False) -> None:
        count, d = body.X.shape
        self.clamped, self.joint, self.rigid, self.X = clamped, joint, rigid, body.X[clamped]
        self.others = np.setdiff1d(np.arange(count), clamped)
        self.places = np.concatenate([np.zeros((2, d)), body.X[self.others]])
        self.number = np.zeros(count, np.intp)
        self.number[self.others] = 2 + np.arange(len(self.others))
        self.size = float(np.sqrt(np.mean(np.sum((self.X - joint.pivot) ** 2, axis=1)))) if joint.free[1].any() else 1.0
        self.fixed = np.zeros((len(self.others) + 2, d), np.bool_)
        self.fixed[:2] = ~joint.free
        self.room = np.empty(len(body.indices))
        self._find_blocks(body.indptr, body.indices, d)

    def _find_blocks(self, indptr: NDArray[np.int32], indices: NDArray[np.int32], d: int) -> None:
        """Find the places of the blocks of all nodes, of rotations in columns, in rows and in both, in the matrix of the
        unknowns."""
        of = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        own = np.arange(d)
        place = np.full(len(self.number), -1)
        first = np.flatnonzero((of % d == 0) & (indices % d == 0))
        length, rows, columns = np.diff(indptr)[of[first]], of[first] // d, np.asarray(indices[first] // d, np.intp)
        entries = first[:, None, None] + length[:, None, None] * own[:, None] + own
        place[self.clamped] = np.arange(len(self.clamped))
        column, row = place[columns] >= 0, place[rows] >= 0
        both = row & column
        self._entries = entries[column], entries[row], entries[both]
        self._node = place[columns[column]], place[rows[row]], place[rows[both]], place[columns[both]]
        rows, columns = self.number[rows], self.number[columns]
        into, back, twice = (np.ones(np.count_nonzero(chosen), np.intp) for chosen in (column, row, both))
        ends = (rows, columns), (rows[column], into), (back, columns[row]), (twice, twice)
        pairs = np.column_stack([np.concatenate(side) for side in zip(*ends, strict=True)])
        target = sparsity(pairs, len(self.others) + 2, d)
        self.indptr, self.indices = target.indptr, target.indices
        at = target.entries[:, 0, 1, None, None] + target.row_length[pairs[:, 0], None, None] * own[:, None] + own
        self._into, self._rotated = np.empty(len(indices), np.intp), at[len(entries) :].ravel()
        self._into[entries] = at[: len(entries)]
        self._own = at[-1].ravel()

    def with_clamp(self, first: ArrayLike, second: ArrayLike, field: NDArray[Entry]) -> NDArray[Entry]:
        """Field (N', ...) from values of the clamp's two unknowns, and a field of all nodes (N, ...)."""
        return np.concatenate([np.asarray([first]), np.asarray([second]), field[self.others]], dtype=field.dtype)

    def gathered(self, force: Array, turned: Array) -> Array:
        """Nodal forces (N, d), summed up over the clamped ones (N', d); ``turned`` (n, d, d): ∂r/∂(ℓω)/τ."""
        clamped = force[self.clamped]
        return self.with_clamp(clamped.sum(axis=0), np.einsum("nab,na->b", turned, clamped), force)

    def matrix(self, data: Array, turned: Array, geometric: Array) -> Array:
        """Matrix (nnz',) of the unknowns from the matrix of all nodes (nnz,); ``geometric`` (d, d): further stiffness of ω."""
        values = np.bincount(self._into, data, len(self.indices)).astype(np.float64, copy=False)
        columns, rows, both = (data[entries] for entries in self._entries)
        into, out, first, second = self._node
        back = turned.transpose(0, 2, 1)
        parts = columns @ turned[into], back[out] @ rows, back[first] @ both @ turned[second]
        values += np.bincount(self._rotated, np.concatenate(parts).ravel(), len(values))
        values[self._own] += geometric.ravel()
        return values


class ClampRotation(NamedTuple):
    """Clamped nodes at a spin ω, in the axes: arms r (n, d) m from the pivot, velocity or acceleration besides w (n, d), S (r, r)
    with δr/τ = S δω × r, and ∂r/∂(ℓω)/τ (n, d, d)."""

    arms: Array
    velocity: Array
    lever: Array
    slopes: Array


class ClampedPart:
    """A ``part``, a stage or an instant, in the unknowns of clamped ``nodes``, velocities or accelerations minus a ``lift`` (N',
    d)."""

    tau = 0.0

    def __init__(
        self, part: ElasticStage | InstantEquilibrium, nodes: ClampedNodes, axes: Array, lift: Array | None = None
    ) -> None:
        self.part, self.nodes, self.axes, self.linear = part, nodes, axes, part.linear
        self.lift = np.zeros_like(nodes.places) if lift is None else lift
        self.indptr, self.indices, self._spins = nodes.indptr, nodes.indices, nodes.joint.axes / nodes.size
        self._turn: tuple[Array, ClampRotation] | None = None
        #: Further scale of residuals, N.
        self.force_scale = 0.0

    def rates(self, unknowns: Array) -> tuple[Array, Array]:
        """w (d,) and ω (r,) in the axes."""
        rate, spin = unknowns[:2] + self.lift[:2]
        return rate, self._spins @ spin

    def turn(self, unknowns: Array) -> ClampRotation:
        """Rotation of the clamped nodes; the last is cached."""
        spin = self.rates(unknowns)[1]
        if self._turn is None or not np.array_equal(spin, self._turn[0]):
            self._turn = spin, self._rotated(spin)
        return self._turn[1]

    def _rotated(self, spin: Array) -> ClampRotation:
        raise NotImplementedError

    def _at(self, arms: Array, velocity: Array, lever: Array) -> ClampRotation:
        turns = np.einsum("kab,nb->nak", BASIS[len(self.axes)], arms)
        return ClampRotation(arms, velocity, lever, turns @ (lever @ self._spins))

    def end_frame(self, unknowns: Array) -> FloatingFrame | None:
        """The clamp as the frame at a stage's end."""
        return None

    def predicted_rates(self) -> tuple[Array, Array]:
        """w and ω to start from."""
        return np.zeros(len(self.axes)), np.zeros(len(self._spins))

    def nodal(self, unknowns: Array) -> tuple[Array, ...]:
        """Nodal V (N, d), and of a stage u (N, d) and rates of V."""
        velocity = (unknowns + self.lift).take(self.nodes.number, axis=0)
        velocity[self.nodes.clamped] += self.turn(unknowns).velocity
        return (velocity,)

    def start(self, velocity: Array) -> Array:
        """Unknowns of nodal V (N, d), of the clamp as predicted by the stage's frame."""
        rate, spin = self.predicted_rates()
        turn = self.nodes.size * (self.nodes.joint.axes.T @ spin)
        return np.where(self.nodes.fixed, 0.0, self.nodes.with_clamp(rate, turn, velocity))

    def nodal_velocity(self, unknowns: Array) -> Array:
        """Nodal V (N, d)."""
        return self.nodal(unknowns)[0]

    def clamp_force(self, unknowns: Array) -> Array:
        """Clamp's force on the nodes (N, d) N."""
        gradient = self.part.gradient(*self.nodal(unknowns))
        gradient[self.nodes.others] = 0.0
        return gradient

    def gradient(self, unknowns: Array) -> Array:
        nodal, turn = self.nodal(unknowns), self.turn(unknowns)
        gathered = self.nodes.gathered(self.part.gradient(*nodal), turn.slopes)
        if isinstance(self.part, ElasticStage) and not self.part.body.objective:  # see ``clamp.with_clamp_couple``
            velocity, u, _ = nodal
            couple = wrench(self.part.body.X + u, self.part.internal_force(velocity, u))[len(self.axes) :]
            gathered[1] += self.part.history.theta * (turn.lever @ self._spins).T @ couple
        return gathered

    def hessian(self, unknowns: Array) -> Array:
        nodal, turn = self.nodal(unknowns), self.turn(unknowns)
        data, geometric = self.part.hessian(*nodal[:2]), np.zeros_like(self.axes)
        if self.nodes.joint.free[1].any():
            couple, lever = turn.arms.T @ self.part.gradient(*nodal)[self.nodes.clamped], turn.lever @ self._spins
            geometric = -self.tau * lever.T @ inertia(couple) @ lever
        return self.nodes.matrix(data, turn.slopes, 0.5 * (geometric + geometric.T))

    def scale(self, unknowns: Array) -> float:
        return max(self.part.scale(unknowns), self.force_scale)

    def rounding(self, unknowns: Array) -> float:
        return self.part.rounding(unknowns)


class ClampedStage(ClampedPart):
    """A ``stage``, with the clamp's attitude advanced like a free frame's."""

    part: ElasticStage

    def __init__(self, stage: ElasticStage, nodes: ClampedNodes, lift: Array | None = None) -> None:
        super().__init__(stage, nodes, stage.axes, lift)
        self._history, self.tau = stage.history, stage.history.tau_x
        self._to_axes = self.axes if len(self.axes) == 3 else np.eye(1)

    def predicted_rates(self) -> tuple[Array, Array]:
        frame, d = self.part.frame, len(self.axes)
        spin = frame.spin @ self._to_axes
        return frame.velocity @ self.axes + skew_of(spin, d) @ self.nodes.joint.pivot, spin

    def _pivot(self, rate: Array) -> Array:
        """Pivot's place (d,) m in space."""
        place = self.nodes.joint.place
        return self._history.configuration[1] + self.tau * self.axes @ rate if place is None else place

    def _rotated(self, spin: Array) -> ClampRotation:
        to_axes = self._to_axes
        rotation, tangent = end_rotation(self._history, to_axes @ spin)
        arms = (self.nodes.X - self.nodes.joint.pivot) @ (rotation.T @ self.axes)
        return self._at(arms, arms @ skew_of(spin, len(rotation)).T, to_axes.T @ tangent @ to_axes / self.tau)

    def nodal(self, unknowns: Array) -> tuple[Array, ...]:
        (velocity,), nodes, history = super().nodal(unknowns), self.nodes, self._history
        (rate, spin), arms, before = self.rates(unknowns), self.turn(unknowns).arms, history.velocity
        u, a = self.part.kinematics(velocity)
        u[nodes.clamped] = (self._pivot(rate) - self.part.origin) @ self.axes + arms - nodes.X
        if nodes.rigid and np.isfinite(history.tau_v):
            W, W_rate = (skew_of(s, len(self.axes)) for s in (spin, (spin - before[2]) / history.tau_v))
            a[nodes.clamped] = (rate - before[1] @ self.axes) / history.tau_v + arms @ (W_rate + W @ W).T
        return velocity, u, a

    def end_frame(self, unknowns: Array) -> FloatingFrame:
        (rate, spin), history, before = self.rates(unknowns), self._history, self._history.velocity
        spin = self._to_axes @ spin
        Q = end_rotation(history, spin)[0]
        to_pivot = Q @ self.nodes.joint.pivot
        velocity = self.axes @ rate - skew_of(spin, len(Q)) @ to_pivot
        slopes = (velocity - before[1]) / history.tau_v, (spin - before[2]) / history.tau_v
        return FloatingFrame(self._pivot(rate) - to_pivot, velocity, slopes[0], Q, spin, slopes[1])


class ClampedInstant(ClampedPart):
    """An ``instant``: accelerations w' + ω' × r + ω × (ω × r) of the clamped nodes of a body in ``motion``."""

    def __init__(
        self,
        instant: InstantEquilibrium,
        nodes: ClampedNodes,
        motion: Motion,
        axes: Array,
        lift: Array | None = None,
    ) -> None:
        super().__init__(instant, nodes, axes, lift)
        spin, d = motion.velocity[2], len(axes)
        self._W = skew_of(spin @ axes if d == 3 else spin, d)
        self._arms = (nodes.X - nodes.joint.pivot) @ (rotation_of(motion.configuration[2]).T @ axes)

    def _rotated(self, spin: Array) -> ClampRotation:
        turning = skew_of(spin, len(self.axes)) + self._W @ self._W
        return self._at(self._arms, self._arms @ turning.T, np.eye(len(spin)))


def end_rotation(history: StageHistory, spin: Array) -> tuple[Array, Array]:
    """Rotation (d, d) at a stage's end with a spin (r,) in space, and its tangent (r, r) s, δφ = T δΩ."""
    start, turn, tau = history.origin[2], history.increment[2], history.tau_x
    if start.ndim == 1:
        return rotation_of(start + turn + tau * spin), np.array([[tau]])
    return attitude(start, turn, spin, tau)
