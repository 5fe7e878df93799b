"""A face of a solid that a clamp holds: two nodes of the stage's unknowns stand for its nodes, the clamp's rates w and ℓω.

    v_i = w + ω × r_i,    R_w = Σ g_i,    R_ω = Sᵀ Σ r_i × g_i,    r_i = Q_predictedᵀ Q(ω) (X_i − X_pivot),    δr_i = τ S δω × r_i

ℓ is the size of the arms, so that both rows are forces. The held nodes are where the clamp is at the stage's end, not where their
velocities lead, so u = 0 on the face at every step's end. What holds them, g_i = (M a − f_int − f)_i, is the clamp's reaction; it
has no power on what is free. The matrix takes δv_i as δr_i/τ and is symmetric; what it leaves out is of order τω."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fem import Solid
from fem.elements.sparsity import sparsity
from floating_frame.effect.protocol import Motion, OwnSource, Source
from floating_frame.frame.kinematics import Array, FloatingFrame
from floating_frame.frame.rotations import cross, hat
from floating_frame.frame.space_clamp import Joint
from floating_frame.system.elastic.equilibrium import InstantEquilibrium
from floating_frame.system.elastic.ground import ElasticStage
from floating_frame.system.space.body import attitude
from friction.nodal.smooth_objective import Differentiable

SPACE = np.eye(3)


class UnknownPart(Differentiable, Protocol):
    """A stage or an instant in the unknowns (N', 3)."""

    def start(self, velocity: Array) -> Array:
        """Return the unknowns of nodal V (N, 3), those of a clamp as the stage's frame predicts them."""

    def expanded(self, unknowns: Array) -> Array:
        """Return nodal V (N, 3)."""

    def holding(self, unknowns: Array) -> Array | None:
        """Return the clamp's force on the nodes (N, 3) N; None without a clamp."""

    def frame(self, unknowns: Array) -> FloatingFrame | None:
        """Return the frame at a stage's end that the clamp is."""


class Unknowns(Protocol):
    """Which nodal velocities of a solid are unknown: ``indptr``, ``indices`` of their matrix."""

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    sources: tuple[Source, ...] = ()
    """What holds nodes."""

    @property
    def fixed(self) -> NDArray[np.bool_] | None:
        """Return which unknowns (N', 3) are 0, if any."""

    def axes(self, Q: Array) -> Array:
        """Return the axes (3, 3) along which velocities are counted where the frame is turned by ``Q``."""

    def numbers(self, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the numbers of nodes among the unknown ones."""

    def of_stage(self, stage: ElasticStage) -> UnknownPart:
        """Return a stage in the unknowns."""

    def of_instant(self, instant: InstantEquilibrium, motion: Motion) -> UnknownPart:
        """Return accelerations at an instant in the unknowns."""


CLAMP = OwnSource("clamp", results=("held",))
"""What holds the nodes of a clamped face."""


class AllNodes:
    """Every node of a free ``body`` has its own velocity."""

    fixed: NDArray[np.bool_] | None = None
    sources: tuple[Source, ...] = ()

    def __init__(self, body: Solid) -> None:
        self.indptr, self.indices = body.indptr, body.indices

    def axes(self, Q: Array) -> Array:
        return SPACE

    def numbers(self, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
        return nodes

    def of_stage(self, stage: ElasticStage) -> UnknownPart:
        return FreePart(stage)

    def of_instant(self, instant: InstantEquilibrium, motion: Motion) -> UnknownPart:
        return FreePart(instant)


class FreePart:
    """A ``part`` as it is."""

    def __init__(self, part: ElasticStage | InstantEquilibrium) -> None:
        self.indptr, self.indices, self.linear = part.indptr, part.indices, part.linear
        self.gradient, self.hessian, self.scale, self.rounding = part.gradient, part.hessian, part.scale, part.rounding

    def start(self, velocity: Array) -> Array:
        return velocity

    def expanded(self, unknowns: Array) -> Array:
        return unknowns

    def holding(self, unknowns: Array) -> Array | None:
        return None

    def frame(self, unknowns: Array) -> FloatingFrame | None:
        return None


class Held(NamedTuple):
    """Held nodes at rates w and ω, body components of the stage's frame: arms r (n, 3) m from the pivot, V (n, 3), u (n, 3) m (0 at
    an instant), and S (3, 3), δr/τ = S δω × r."""

    arms: Array
    velocity: Array
    displacement: Array
    lever: Array


class StageKinematics:
    """Held nodes ``X`` (n, 3) m of a ``joint`` in a ``stage``, whose attitude advances as a free frame's does."""

    def __init__(self, joint: Joint, X: Array, stage: ElasticStage) -> None:
        self._joint, self._X, self._stage, self._frame, self._history = joint, X, stage, stage.frame, stage.history
        self.tau = stage.history.tau_x

    def predicted(self) -> tuple[Array, Array]:
        """Return w and ω to start from."""
        Q = self._frame.rotation
        spin = self._frame.spin @ Q
        return self._frame.velocity @ Q + cross(spin, self._joint.pivot), spin

    def _pivot(self, rate: Array) -> Array:
        """Return the pivot's place (3,) m in space."""
        if self._joint.place is not None:
            return self._joint.place
        return np.asarray(self._history.configuration[1] + self.tau * self._frame.rotation @ rate)

    def held(self, rate: Array, spin: Array) -> Held:
        """Return the held nodes at w and ω (3,), body components."""
        Q, history = self._frame.rotation, self._history
        now = attitude(history.origin[2], history.way[2], Q @ spin, self.tau)
        arms = (self._X - self._joint.pivot) @ (now.rotation.T @ Q)
        u = (self._pivot(rate) - self._frame.origin) @ Q + arms - self._X
        return Held(arms, rate + cross(spin, arms), u, Q.T @ now.tangent @ Q / self.tau)

    def placed(self, velocity: Array, nodes: NDArray[np.intp], held: Held) -> Array:
        """Return u (N, 3) m at nodal V (N, 3) with the held ``nodes`` (n,) where the clamp has them."""
        u = self._stage.displacement(velocity)
        u[nodes] = held.displacement
        return u

    def frame(self, rate: Array, spin: Array) -> FloatingFrame:
        """Return the frame at the stage's end."""
        history, before = self._history, self._history.velocity
        spin = self._frame.rotation @ spin
        Q = attitude(history.origin[2], history.way[2], spin, self.tau).rotation
        to_pivot = Q @ self._joint.pivot
        velocity = self._frame.rotation @ rate - cross(spin, to_pivot)
        slopes = (velocity - before[1]) / history.tau_v, (spin - before[2]) / history.tau_v
        return FloatingFrame(self._pivot(rate) - to_pivot, velocity, slopes[0], Q, spin, slopes[1])


class InstantKinematics:
    """Accelerations w' + ω' × r + ω × (ω × r) of held nodes ``X`` (n, 3) m of a ``joint`` that spins with ω = ``spin``."""

    tau = 0.0

    def __init__(self, joint: Joint, X: Array, spin: Array) -> None:
        self._arms = X - joint.pivot
        self._inward = cross(spin, cross(spin, self._arms))

    def predicted(self) -> tuple[Array, Array]:
        return np.zeros(3), np.zeros(3)

    def held(self, rate: Array, spin: Array) -> Held:
        return Held(self._arms, rate + cross(spin, self._arms) + self._inward, np.zeros_like(self._arms), np.eye(3))

    def placed(self, velocity: Array, nodes: NDArray[np.intp], held: Held) -> None:
        return None

    def frame(self, rate: Array, spin: Array) -> None:
        return None


class ClampedNodes:
    """The ``held`` nodes of a ``body`` move as the ``joint`` of their clamp lets them: unknowns 0 and 1; then come the others."""

    fixed: NDArray[np.bool_]
    sources: tuple[Source, ...] = (CLAMP,)

    def __init__(self, body: Solid, held: NDArray[np.intp], joint: Joint) -> None:
        count = len(body.X)
        self.held, self.joint, self.X = held, joint, body.X[held]
        self.others = np.setdiff1d(np.arange(count), held)
        self._number = np.zeros(count, np.intp)
        self._number[self.others] = 2 + np.arange(len(self.others))
        self.size = float(np.sqrt(np.mean(np.sum((self.X - joint.pivot) ** 2, axis=1)))) if joint.free[1].any() else 1.0
        self.fixed = np.zeros((len(self.others) + 2, 3), np.bool_)
        self.fixed[:2] = ~joint.free
        pattern = sparsity(body.nodes, count, 3)
        rows = np.repeat(np.arange(count), np.diff(pattern.node_indptr))
        columns, own = np.asarray(pattern.node_indices, np.intp), np.arange(3)
        self._entries = pattern.blocks[:, None, None] + pattern.row_length[rows, None, None] * own[:, None] + own
        place = np.full(count, -1)
        place[held] = np.arange(len(held))
        self._of_column, self._of_row = (np.flatnonzero(place[ends] >= 0) for ends in (columns, rows))
        self._of_both = np.flatnonzero((place[rows] >= 0) & (place[columns] >= 0))
        self._node = place[columns[self._of_column]], place[rows[self._of_row]]
        self._nodes_of_both = place[rows[self._of_both]], place[columns[self._of_both]]
        self._sum_up(self._number[rows], self._number[columns])

    def _sum_up(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> None:
        """Find where the blocks of all nodes, of rotations in columns, in rows and in both go in the matrix of the unknowns."""
        one = np.ones(len(self._of_both), np.intp)
        ends = (
            (rows, columns),
            (rows[self._of_column], np.ones(len(self._of_column), np.intp)),
            (np.ones(len(self._of_row), np.intp), columns[self._of_row]),
            (one, one),
        )
        pairs = np.column_stack([np.concatenate(side) for side in zip(*ends, strict=True)])
        target = sparsity(pairs, len(self.others) + 2, 3)
        self.indptr, self.indices = target.indptr, target.indices
        own = np.arange(3)
        at = target.entries[:, 0, 1, None, None] + target.row_length[pairs[:, 0], None, None] * own[:, None] + own
        self._turning = at[-1].ravel()
        entries = (np.ones(at.size), (at.ravel(), np.arange(at.size)))
        self._sums = csr_array(entries, shape=(len(self.indices), at.size))

    def axes(self, Q: Array) -> Array:
        return Q

    def numbers(self, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
        return self._number[nodes]

    def of_stage(self, stage: ElasticStage) -> UnknownPart:
        return ClampedPart(stage, self, StageKinematics(self.joint, self.X, stage))

    def of_instant(self, instant: InstantEquilibrium, motion: Motion) -> UnknownPart:
        spin = motion.velocity[2] @ motion.configuration[2]
        return ClampedPart(instant, self, InstantKinematics(self.joint, self.X, spin))

    def gathered(self, force: Array, turned: Array) -> Array:
        """Return nodal forces (N, 3), summed up over the held ones (N', 3); ``turned`` (n, 3, 3): ∂r/∂(ℓω)/τ."""
        held = force[self.held]
        return np.concatenate([[held.sum(axis=0), np.einsum("nab,na->b", turned, held)], force[self.others]])

    def matrix(self, data: Array, turned: Array, geometric: Array) -> Array:
        """Return the matrix (nnz',) of the unknowns from that of all nodes (nnz,); ``geometric`` (3, 3): further stiffness of ω."""
        blocks = data[self._entries]
        into, out = self._node
        first, second = self._nodes_of_both
        parts = (
            blocks,
            blocks[self._of_column] @ turned[into],
            turned[out].transpose(0, 2, 1) @ blocks[self._of_row],
            turned[first].transpose(0, 2, 1) @ blocks[self._of_both] @ turned[second],
        )
        values = np.asarray(self._sums @ np.concatenate(parts).ravel())
        values[self._turning] += geometric.ravel()
        return values


class ClampedPart:
    """A ``part`` in the ``unknowns`` of a clamped solid."""

    def __init__(
        self,
        part: ElasticStage | InstantEquilibrium,
        unknowns: ClampedNodes,
        kinematics: StageKinematics | InstantKinematics,
    ) -> None:
        self._part, self._unknowns, self._kinematics, self.linear = part, unknowns, kinematics, part.linear
        self.indptr, self.indices = unknowns.indptr, unknowns.indices
        self._axes = unknowns.joint.axes / unknowns.size

    def _held(self, unknowns: Array) -> Held:
        return self._kinematics.held(unknowns[0], self._axes @ unknowns[1])

    def _turned(self, held: Held) -> Array:
        """Return ∂r/∂(ℓω)/τ (n, 3, 3)."""
        return -hat(held.arms) @ (held.lever @ self._axes)

    def _nodal(self, unknowns: Array, held: Held) -> tuple[Array, Array | None]:
        """Return nodal V (N, 3) and, of a stage, u (N, 3)."""
        nodes, others = self._unknowns.held, self._unknowns.others
        velocity = np.empty((len(nodes) + len(others), 3))
        velocity[nodes], velocity[others] = held.velocity, unknowns[2:]
        return velocity, self._kinematics.placed(velocity, nodes, held)

    def start(self, velocity: Array) -> Array:
        rate, spin = self._kinematics.predicted()
        turn = np.linalg.solve(self._axes, spin)
        return np.where(self._unknowns.fixed, 0.0, np.vstack([rate, turn, velocity[self._unknowns.others]]))

    def expanded(self, unknowns: Array) -> Array:
        return self._nodal(unknowns, self._held(unknowns))[0]

    def holding(self, unknowns: Array) -> Array | None:
        gradient = self._part.gradient(*self._nodal(unknowns, self._held(unknowns)))
        gradient[self._unknowns.others] = 0.0
        return gradient

    def frame(self, unknowns: Array) -> FloatingFrame | None:
        return self._kinematics.frame(unknowns[0], self._axes @ unknowns[1])

    def gradient(self, unknowns: Array) -> Array:
        held = self._held(unknowns)
        return self._unknowns.gathered(self._part.gradient(*self._nodal(unknowns, held)), self._turned(held))

    def hessian(self, unknowns: Array) -> Array:
        held = self._held(unknowns)
        nodal = self._nodal(unknowns, held)
        force, lever = self._part.gradient(*nodal)[self._unknowns.held], held.lever @ self._axes
        couple = held.arms.T @ force
        geometric = self._kinematics.tau * lever.T @ (couple - np.trace(couple) * np.eye(3)) @ lever
        data = self._part.hessian(*nodal)
        return self._unknowns.matrix(data, self._turned(held), 0.5 * (geometric + geometric.T))

    def scale(self, unknowns: Array) -> float:
        return self._part.scale(self.expanded(unknowns))

    def rounding(self, unknowns: Array) -> float:
        return self._part.rounding(self.expanded(unknowns))
