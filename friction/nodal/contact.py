"""Velocities and contact forces of a step of an elastic solid under Signorini's and Coulomb's laws at its nodes.

    g(v) = Σ p at the contact nodes,  u = (u_t, u_n) = velocity against the ground
    0 <= u_n ⟂ p_n >= 0,   |p_t| <= μ p_n,   p_t = −μ p_n u_t/|u_t| where u_t ≠ 0

``solve_contact`` solves a stage; its ``part`` gives g(v) and its matrix. A node in a groove is listed once per wall."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from friction.arrays import Array, Bools
from friction.cone.kernels import statuses
from friction.errors import RigidFrictionError
from friction.factors import FactorCache
from friction.nodal import coulomb, newton
from friction.nodal.kernels import UNGUIDED, UNILATERAL
from friction.nodal.problem import NodalProblem, NodeLaws
from friction.nodal.shared import SharedContacts, SharedProblem
from friction.nodal.smooth_objective import SmoothPart
from friction.nodal.transformed import LocalPart
from friction.status import OPEN, SLIP, STICK

LARGEST_MU = 1e6
"""Coefficient used for an infinite μ."""


@dataclass(frozen=True, kw_only=True)
class ContactNodes:
    """The m possible contacts of nodes with obstacles.

    Parameters
    ----------
    nodes : ndarray
        (m,) integers, one entry for each obstacle that a node may touch.
    axes : Array
        (m, 3, 3): rows t1, t2 and the normal n towards the body, orthonormal, in the components of v.
    mu : Array
        (m,) >= 0; infinite: no slip while closed.
    ground : Array
        (m, 3), m/s: velocity of the ground along t1 and t2, and the least u_n, (min(0, gap at the start) − gap at u_n = 0)/τ.
    static : Array, optional
        (m,) >= mu: coefficient of the nodes ``resting`` (m,) at the start, until they slip.

    Raises
    ------
    ValueError
        For other shapes and values.
    """

    nodes: NDArray[np.intp]
    axes: Array
    mu: Array
    ground: Array
    static: Array | None = None
    resting: Bools | None = None

    def __post_init__(self) -> None:
        count = len(self.nodes)
        shapes = {"axes": (count, 3, 3), "mu": (count,), "ground": (count, 3), "static": (count,), "resting": (count,)}
        for name, shape in shapes.items():
            value = getattr(self, name)
            if value is None:
                continue
            array = np.ascontiguousarray(value, dtype=np.bool_ if name == "resting" else np.float64)
            if array.shape != shape:
                raise ValueError(f"ContactNodes: {name} must have shape {shape}, got {array.shape}")
            if np.isnan(array).any() or (name in ("axes", "ground") and not np.isfinite(array).all()):
                raise ValueError(f"ContactNodes: {name} must be finite")
            object.__setattr__(self, name, array)
        object.__setattr__(self, "nodes", np.asarray(self.nodes, dtype=np.intp))
        if np.abs(self.axes @ self.axes.transpose(0, 2, 1) - np.eye(3)).max(initial=0.0) > 1e-10:
            raise ValueError("ContactNodes: axes must be orthonormal")
        if self.mu.min(initial=0.0) < 0.0:
            raise ValueError(f"ContactNodes: mu must not be negative, got {float(self.mu.min())!r}")
        if (self.static is None) != (self.resting is None):
            raise ValueError("ContactNodes: static and resting come together")
        if self.static is not None and np.any(self.static < self.mu):
            raise ValueError("ContactNodes: static must not be below mu")


class SignoriniError(RigidFrictionError):
    """The contact problem was not solved: the least ``residual``, N, is above the ``tolerance``, N."""

    def __init__(self, residual: float, tolerance: float) -> None:
        self.residual, self.tolerance = residual, tolerance
        super().__init__(
            f"contact nodes not solved: the least residual is {residual:.2g} N, over a tolerance of {tolerance:.2g} N; "
            "take a smaller step"
        )


@dataclass(frozen=True, kw_only=True)
class SignoriniResult:
    """Velocities and forces that obey both laws, with counts of the solution.

    Parameters
    ----------
    velocity : Array
        v (N, 3), m/s.
    force : Array
        On the body (m, 3), N, along (t1, t2, n).
    slip : Array
        Velocities relative to the ground (m, 3), m/s, along (t1, t2, n): exactly 0 along the ground in stick, along n where closed.
    status : ndarray
        (m,) ``friction.cone``: STICK, SLIP, OPEN.
    residual, tolerance : float
        N.
    iterations, fallback_iterations, factorisations, solves : int
        Newton steps; steps of a fallback; of the sparse factor.
    method : str
        See ``TrescaResult``.
    """

    velocity: Array
    force: Array
    slip: Array
    status: NDArray[np.int8]
    residual: float
    tolerance: float
    method: str
    iterations: int = 0
    fallback_iterations: int = 0
    factorisations: int = 0
    solves: int = 0


def solve_contact(
    part: SmoothPart,
    contact: ContactNodes,
    velocity: ArrayLike,
    *,
    fixed: Bools | None = None,
    cache: FactorCache | None = None,
) -> SignoriniResult:
    """Solve for nodal velocities and contact forces.

    Parameters
    ----------
    part : SmoothPart
        Without contact forces, in space.
    contact : ContactNodes
    velocity : ArrayLike
        (N, 3), m/s, start values, prescribed where ``fixed``.
    fixed : ndarray, optional
        Bool (N, 3): velocities that are prescribed; none at contact nodes.
    cache : FactorCache, optional
        Carries the factor from call to call.

    Raises
    ------
    ValueError
        For bad input.
    SignoriniError
        When the iteration does not converge.
    """
    v, mask, cache = _checked(part, contact, velocity, fixed, cache)
    mu = np.minimum(contact.mu, LARGEST_MU)
    lowest = mu
    if contact.static is not None and contact.resting is not None:
        mu = np.where(contact.resting, np.minimum(contact.static, LARGEST_MU), mu)
    while True:
        result = _solved(part, contact, mu, mask, cache, v)
        slipped = (result.status == SLIP) & (mu > lowest)
        if not slipped.any():
            return result
        mu, v = np.where(slipped, lowest, mu), result.velocity  # a contact that slips has kinetic friction


def _solved(
    part: SmoothPart, contact: ContactNodes, mu: Array, fixed: Bools, cache: FactorCache, velocity: Array
) -> SignoriniResult:
    """Solve with coefficients ``mu`` (m,) from ``velocity`` (N, 3), m/s. Raises SignoriniError."""
    shared, count = SharedContacts(contact.nodes, contact.axes, contact.ground, mu), len(fixed)
    alone = ~shared.which
    single, nodal_mu, kind = contact.nodes[alone], np.zeros(count), np.full(count, UNGUIDED, np.int8)
    nodal_mu[single], kind[single] = mu[alone], UNILATERAL
    own, ground = LocalPart(part, single, contact.axes[alone]), np.zeros((count, 3))
    ground[single] = contact.ground[alone]
    laws = NodeLaws(np.zeros(count), nodal_mu, kind, np.zeros(count, np.bool_), fixed)
    problem = NodalProblem(part=own, laws=laws, cache=cache, ground=ground)
    if len(shared):
        problem = SharedProblem(part=own, laws=laws, cache=cache, ground=ground, shared=shared)
    end, method = coulomb.solve(problem, own.rotated(velocity))
    if end.reason != "converged":
        raise SignoriniError(end.residual, end.tolerance)
    if problem.changed:  # solve again from zero forces of shared contacts in the states of the solution
        again = replace(problem)
        near = newton.iterate(again, replace(end, reason=""), problem.options.max_iterations, least=1)
        end = near if near.reason == "converged" and not again.changed else end
    force, slip = np.empty((2, len(contact.nodes), 3))
    force[alone], slip[alone] = end.g[single], end.v[single] - contact.ground[alone]
    if end.p is not None:
        force[~alone], slip[~alone] = end.p, shared.slip(end.v)
    status, slip, force = _exact(mu, cache.r[contact.nodes], end.tolerance, slip, force)
    slides = alone & (status == SLIP)
    bound, speed = mu * force[:, 2], np.hypot(slip[:, 0], slip[:, 1])
    force[slides, :2] = -(bound[slides] / speed[slides])[:, None] * slip[slides, :2]
    u = end.v.copy()
    u[single] = np.where(slip[alone] == 0.0, contact.ground[alone], u[single])
    v = own.velocity(u)
    if len(shared):
        slip[~alone] = shared.project_onto_obstacles(v, slip[~alone], status[~alone])
    return SignoriniResult(
        velocity=v,
        force=force,
        slip=slip,
        status=status,
        residual=end.residual,
        tolerance=end.tolerance,
        method=method,
        **problem.counts,
    )


def _exact(mu: Array, r: Array, tolerance: float, u: Array, p: Array) -> tuple[NDArray[np.int8], Array, Array]:
    """States (m,), velocities and forces (m, 3) with the zeros of the laws exact."""
    status: NDArray[np.int8] = statuses(p, u, mu, r)
    status[(r * np.hypot(u[:, 0], u[:, 1]) <= tolerance) & (status == SLIP)] = STICK  # at its bound, but at rest
    stick, closed = status == STICK, status != OPEN
    u[stick] = 0.0
    u[closed, 2] = 0.0
    p[~closed] = 0.0
    bound, size = mu * p[:, 2], np.hypot(p[:, 0], p[:, 1])
    over = stick & (size > bound)
    p[over, :2] *= (bound[over] / size[over] * (1.0 - 4e-16))[:, None]
    return status, u, p


def _checked(
    part: SmoothPart,
    contact: ContactNodes,
    velocity: ArrayLike,
    fixed: Bools | None,
    cache: FactorCache | None,
) -> tuple[Array, Bools, FactorCache]:
    """Start, prescribed components and cache; ValueError for bad input."""
    nodes = (len(part.indptr) - 1) // 3
    v = np.array(velocity, dtype=np.float64, order="C")
    if v.shape != (nodes, 3) or not np.isfinite(v).all():
        raise ValueError(f"solve_contact: velocity must be finite, of shape {(nodes, 3)}, got shape {v.shape}")
    mask = np.zeros((nodes, 3), np.bool_) if fixed is None else np.array(fixed, dtype=np.bool_, order="C")
    if mask.shape != (nodes, 3):
        raise ValueError(f"solve_contact: fixed must have shape {(nodes, 3)}, got {mask.shape}")
    if contact.nodes.size and not 0 <= contact.nodes.min() <= contact.nodes.max() < nodes:
        raise ValueError(f"solve_contact: contact nodes must be in 0 ... {nodes - 1}")
    if mask[contact.nodes].any():
        raise ValueError("solve_contact: a node in contact may not be fixed; leave it out of the contact nodes")
    if cache is None:
        cache = FactorCache(part.indptr, part.indices, d=3)
    elif len(cache.indptr) != len(part.indptr) or len(cache.indices) != len(part.indices):
        raise ValueError("solve_contact: the cache was made for another sparsity than the part's")
    return v, mask, cache
