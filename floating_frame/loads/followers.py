"""Loads that follow the body: tractions that turn with its deformed edge, and couples.

Their nodal force depends on the nodal positions x (N, 2); it turns with them, f(Q x + c) = Q f(x), so the same functions serve
inertial and body components. Their tangent ∂f/∂x is not symmetric in general, for such loads have no potential. The Newton matrix
has its symmetric part, for a Cholesky factor; the residual has the whole force (``elastic``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags_array

from fem import Solid
from fem.deformable_body import DeformableBody
from floating_frame.frame.kernels import dot
from floating_frame.frame.kinematics import TURN_TRANSPOSED, Array, scatter, turned
from floating_frame.input_checks import require, require_one_of
from floating_frame.loads.edges import Body, Edge
from floating_frame.loads.histories import Constant, History, TimeDependent
from friction.arrays import is_finite

MEASURES = ("reference", "current")


@dataclass(frozen=True)
class FollowerTraction(TimeDependent):
    """A traction that turns with the deformed edge: ``normal`` (outward) and ``tangential`` (counter-clockwise around the body).

    Both are totals in N over the edge's reference length L, so q = (q_n, q_t) = (normal, tangential)/L in N/m. ``measure``:
    "reference", q is a force per reference length of constant size, f_i = ∫ φ_i (q_t e − q_n J e) dS; or "current", q is a force
    per current length, as of a gas pressure p (q_n = −p × thickness), f_i = ∫ φ_i (q_t e − q_n J e) ds. On a rigid body both
    are the same. Raises ValueError for numbers that are not finite and for another measure.
    """

    edge: str
    normal: float
    tangential: float = 0.0
    history: History = field(default_factory=Constant)
    measure: str = "reference"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (is_finite(self.normal) and is_finite(self.tangential)):
            raise ValueError(
                f"normal and tangential force on edge {self.edge!r} must be finite, got {self.normal} and {self.tangential}"
            )
        require_one_of(MEASURES, "measure", self.measure)

    def on(self, body: Body, mass_matrix: csr_matrix) -> EdgeFollower:
        """Traction on a body. Raises ValueError for an edge that it does not have."""
        edge = Edge.of(body, self.edge)
        q_n, q_t = self.normal / edge.length, self.tangential / edge.length
        # (q_t − q_n J) e, for row vectors: e @ (q_t 1 − q_n Jᵀ)
        return EdgeFollower(edge, q_t * np.eye(2) - q_n * TURN_TRANSPOSED, self.measure == "reference")


def sparsity_positions(body: DeformableBody | Solid, nodes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Places (n, B, d, B, d) in the body's sparsity of the entries that couple the ``nodes`` (n, B) of a row."""
    order = csr_matrix(
        (np.arange(1, len(body.indices) + 1), body.indices, body.indptr), shape=(body.X.size, body.X.size)
    )
    (n, count), d = nodes.shape, body.X.shape[1]
    dofs = (d * nodes[:, :, None].astype(np.intp) + np.arange(d)).reshape(n, d * count)
    rows, columns = np.repeat(dofs, d * count, axis=1), np.tile(dofs, (1, d * count))
    return np.asarray(order[rows.ravel(), columns.ravel()]).reshape(n, count, d, count, d) - 1


@dataclass(frozen=True)
class EdgeFollower:
    """``FollowerTraction`` on a body at history value one: ``turn`` (2, 2) N/m gives the traction of a unit tangent, as a row,
    e @ turn. It acts on P = n B of the body's nodes, segment by segment."""

    edge: Edge
    turn: Array
    fixed_size: bool

    @property
    def nodes(self) -> NDArray[np.int32]:
        """The nodes (n, B) of its segments."""
        return self.edge.nodes

    def _along(self, position: Array) -> Array:
        """x' (n, Q, 2) m at positions (n B, 2) of the segments' nodes."""
        corners = position.reshape(*self.edge.nodes.shape, 2)
        return np.asarray(np.einsum("qb,nbi->nqi", self.edge.slopes, corners))

    def local_force(self, position: Array) -> Array:
        """∫ φ_i e @ turn dS (fixed size) or ds, (n B, 2) N, at positions (n B, 2) m, in the axes of these."""
        along = self._along(position)
        if self.fixed_size:
            along = along * (self.edge.stretch / np.linalg.norm(along, axis=2))[..., None]
        return self.edge.shares(along @ self.turn)

    def force(self, position: Array) -> Array:
        """Nodal force (N, 2) N on all nodes of the body at positions (N, 2) m."""
        nodes = self.edge.nodes.ravel()
        return scatter(nodes, self.local_force(position[nodes]), len(position))

    def local_tangent(self, position: Array) -> Array:
        """∂f_bi/∂x_cj of each segment, (n, B, 2, B, 2) N/m: φ_b φ'_c turn, times (1 − e eᵀ) ``|X'|/|x'|`` for fixed size."""
        edge, along = self.edge, self._along(position)
        turn = np.broadcast_to(self.turn.T, (*along.shape, 2))
        if self.fixed_size:
            size = np.linalg.norm(along, axis=2)
            e = along / size[..., None]
            across = np.eye(2) - e[..., :, None] * e[..., None, :]
            turn = (edge.stretch / size)[..., None, None] * np.einsum("ij,nqjk->nqik", self.turn.T, across)
        tangent: Array = np.einsum("q,qb,qc,nqij->nbicj", edge.weights, edge.shapes, edge.slopes, turn, optimize=True)
        return tangent


@dataclass(frozen=True)
class Couple(TimeDependent):
    """A couple ``moment`` N m about z, without a resultant force, over the whole body or along a named ``edge``.

    f = M_z J W y / (y·W y), with y = x − ⟨x⟩_W the arms from the W-weighted mean. Then Σ f = 0, Σ r × f = M_z, and its power is M_z
    Ω with Ω = (W y × v)/(y·W y) the W-weighted mean spin, so it does no work on translations. Over the body W is the mass matrix: Ω
    is Tisserand's spin, and f is the inertia force of a spin-up, W (ω' J y) with ω' = M_z/J_zz, so the couple alone deforms
    nothing. Along an edge W has the edge's nodal lengths (a grip). Raises ValueError for a moment that is not finite.
    """

    moment: float
    history: History = field(default_factory=Constant)
    edge: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(is_finite(self.moment), "the moment of a couple", "be finite", self.moment)

    def on(self, body: Body, mass_matrix: csr_matrix) -> CoupleForce:
        """Couple on a body. Raises ValueError for an edge that it does not have."""
        weights = mass_matrix if self.edge is None else diags_array(body.edge_shape(self.edge)).tocsr()
        couple = CoupleForce(float(self.moment), weights, np.asarray(weights @ np.ones(len(body.X))))
        if not couple.arms(body.X)[2] > 0.0:
            raise ValueError(f"a couple needs arms to act on: edge {self.edge!r} has only one node")
        return couple


@dataclass(frozen=True)
class CoupleForce:
    """``Couple`` on all nodes of a body, at history value one: W (N, N) and its row sums (N,)."""

    moment: float
    weights: csr_matrix
    nodal: Array
    nodes: ClassVar[None] = None

    def arms(self, position: Array) -> tuple[Array, Array, float]:
        """y, W y and y·W y; kg m² over a body, m² along an edge."""
        arms = position - self.nodal @ position / self.nodal.sum()
        weighted = self.weights @ arms
        return arms, weighted, float(dot(weighted, arms))

    def force(self, position: Array) -> Array:
        """M_z J W y / (y·W y), (N, 2) N."""
        _, weighted, polar = self.arms(position)
        return self.moment / polar * turned(weighted)

    local_force = force

    def local_tangent(self, position: Array) -> None:
        """None: the tangent's leading part M_z W ⊗ J/(y·W y) is antisymmetric, and the rest couples all nodes."""


Follower: TypeAlias = EdgeFollower | CoupleForce
"""A following load on a body."""

FOLLOWERS = (FollowerTraction, Couple)
"""Kinds of loads that follow the body."""
