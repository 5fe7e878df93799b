"""Signorini's and Coulomb's laws at nodes of an elastic solid in space: velocities and contact forces of a step.

    g(v) = Σ p at the contact nodes,  u = (u_t, u_n) = velocity against the ground
    0 <= u_n ⟂ p_n >= 0,   |p_t| <= μ p_n,   p_t = −μ p_n u_t/|u_t| where u_t ≠ 0

Newton's method from the last forces comes first, then with smaller κ, which is nearer to the compliance of contacts in long steps;
then along a path of smoothed problems; then the fixed point over given bounds w = μ p_n, each problem of which is convex. The
result says which way found it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from friction.arrays import Array, Bools
from friction.cone.kernels import OPEN, SLIPS, STICKS, statuses
from friction.signorini.interior import follow
from friction.signorini.newton import ended, iterate
from friction.signorini.problem import (
    ContactFactor,
    ContactNodes,
    Iterate,
    Laws,
    SignoriniError,
    SignoriniProblem,
    SpacePart,
)  # fmt: skip

OUTER = 60
"""Rounds of the fixed point."""
MOST_SHORTENED = 80
"""Newton steps that are shortened until residuals fall."""
WEIGHTS = {"newton": (1.0, 12), "newton, smaller weight": (0.05, 30)}
"""On κ, the diagonal of the matrix (the inertia in short steps, more than the stiffness of contacts in long ones), and steps."""
PATHS = {"smoothed": 0.15, "smoothed, slowly": 0.5}
"""What a step on the path leaves of the smoothing."""
SMOOTH = "newton, shortened"
"""Without contact nodes: a regularised friction among the smooth forces may throw plain steps to and fro."""
METHODS = (*WEIGHTS, SMOOTH, *PATHS, "given bounds")


@dataclass(frozen=True, kw_only=True)
class SignoriniResult:
    """Hold velocities and forces that obey both laws, and how they were found.

    Parameters
    ----------
    velocity : Array
        v (N, 3), m/s.
    force : Array
        On the body (m, 3), N, along (t1, t2, n).
    slip : Array
        Velocities against the ground (m, 3), m/s, along (t1, t2, n): exactly 0 along the ground in stick, along n where closed.
    status : ndarray
        (m,) ``friction.cone``: STICKS, SLIPS, OPEN.
    residual, tolerance : float
        N.
    iterations, fallback_iterations, factorisations, solves : int
        Newton steps; steps of the fallbacks; of the sparse factor.
    method : str
        One of ``METHODS``.
    """

    velocity: Array
    force: Array
    slip: Array
    status: NDArray[np.int8]
    residual: float
    tolerance: float
    iterations: int
    fallback_iterations: int
    factorisations: int
    solves: int
    method: str


def solve_contact(
    part: SpacePart,
    contact: ContactNodes,
    velocity: ArrayLike,
    *,
    force: ArrayLike | None = None,
    fixed: Bools | None = None,
    cache: ContactFactor | None = None,
    rtol: float = 1e-11,
) -> SignoriniResult:
    """Solve for nodal velocities and contact forces.

    Parameters
    ----------
    part : SpacePart
        Without contact forces.
    contact : ContactNodes
    velocity : ArrayLike
        (N, 3), m/s, to start from, and kept where ``fixed``.
    force : ArrayLike, optional
        (m, 3), N, along (t1, t2, n), to start from.
    fixed : ndarray, optional
        Bool (N, 3): velocities that are prescribed; none at contact nodes.
    cache : ContactFactor, optional
        Carries the factor from call to call.
    rtol : float
        Residuals are judged against it times the largest force, or against the part's rounding where that is larger; -.

    Raises
    ------
    ValueError
        For bad input.
    SignoriniError
        When no way leads to a solution.
    """
    problem, v, p = _posed(part, contact, velocity, force, fixed, cache, rtol)
    mu = contact.mu
    if contact.static is not None and contact.resting is not None:
        mu = np.where(contact.resting, contact.static, mu)
    while True:
        problem = replace(problem, contact=replace(contact, mu=mu, static=None, resting=None))
        end, method = _solved(problem, v, p)
        status, u, p = _exact(problem, end, mu)
        slipped = (status == SLIPS) & (mu > contact.mu)
        v = problem.placed(end.v, u)
        problem.shared.place(v, u, status == STICKS, status != OPEN)
        if not slipped.any():
            break
        mu = np.where(slipped, contact.mu, mu)  # static friction is lost once it is overcome
    return SignoriniResult(
        velocity=v, force=p, slip=u, status=status, residual=end.residual, tolerance=end.tolerance, method=method,
        **vars(problem.counts),
    )  # fmt: skip


def _posed(
    part: SpacePart, contact: ContactNodes, velocity: ArrayLike, force: ArrayLike | None, fixed: Bools | None,
    cache: ContactFactor | None, rtol: float,
) -> tuple[SignoriniProblem, Array, Array | None]:  # fmt: skip
    """Return the checked problem and the start; ValueError for bad input."""
    nodes = (len(part.indptr) - 1) // 3
    v = _array("velocity", velocity, (nodes, 3)).copy()
    p = None if force is None else _array("force", force, (len(contact.nodes), 3))
    mask = np.zeros((nodes, 3), np.bool_) if fixed is None else np.asarray(fixed, dtype=np.bool_)
    if mask.shape != (nodes, 3):
        raise ValueError(f"solve_contact: fixed must have shape {(nodes, 3)}, got {mask.shape}")
    if contact.nodes.size and not 0 <= contact.nodes.min() <= contact.nodes.max() < nodes:
        raise ValueError(f"solve_contact: contact nodes must be in 0 ... {nodes - 1}")
    if mask[contact.nodes].any():
        raise ValueError("solve_contact: a node in contact may not be fixed; leave it out of the contact nodes")
    if not 0.0 < rtol < 1.0:
        raise ValueError(f"solve_contact: rtol must be between 0 and 1, got {rtol!r}")
    if cache is None:
        cache = ContactFactor(part.indptr, part.indices)
    elif len(cache.indptr) != len(part.indptr) or len(cache.indices) != len(part.indices):
        raise ValueError("solve_contact: the cache was made for another sparsity than the part's")
    return SignoriniProblem(part=part, contact=contact, fixed=mask, cache=cache, rtol=rtol), v, p


def _array(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Return value as a contiguous float array; ValueError for another shape or entries that are not finite."""
    array = np.ascontiguousarray(value, dtype=np.float64)
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"solve_contact: {name} must be finite, of shape {shape}, got shape {array.shape}")
    return array


def _solved(problem: SignoriniProblem, v: Array, p: Array | None) -> tuple[Iterate, str]:
    """Return the solution and the name of the way that led to it. Raises SignoriniError."""
    problem.assemble(v)
    residuals: dict[str, float] = {}
    tolerance = np.nan
    for method, end in _ways(problem, v, p):
        if end.reason == "converged":
            return end, method
        residuals[method], tolerance = min(end.residual, residuals.get(method, np.inf)), end.tolerance
    raise SignoriniError(residuals, tolerance)


def _ways(problem: SignoriniProblem, v: Array, p: Array | None) -> Iterator[tuple[str, Iterate]]:
    """Yield the end of each way in turn, the dearer the later."""
    laws, u = Laws(mu=problem.contact.mu), problem.slip(v)
    start = problem.evaluate(v, u, laws)
    for name, (weight, limit) in WEIGHTS.items():
        yield name, iterate(problem, start, laws, start=p, weight=weight, limit=limit)
        if not u.size:
            yield SMOOTH, iterate(problem, start, laws, limit=MOST_SHORTENED, descends=True)
            return
    for name, fall in PATHS.items():
        yield name, follow(problem, start, laws, fall)
    yield "given bounds", _given_bounds(problem, start, laws)


def _given_bounds(problem: SignoriniProblem, at: Iterate, laws: Laws) -> Iterate:
    """Return the end of the fixed point over friction bounds μ p_n; Newton's method tries each of its iterates."""
    for _ in range(OUTER):
        bound = laws.finite * np.maximum(at.p[:, 2], 0.0)
        given = Laws(mu=laws.mu, bound=bound)
        at = problem.evaluate(at.v, at.u, given, at.p)
        end = iterate(problem, at, given)
        if end.reason != "converged":
            end = follow(problem, at, given, PATHS["smoothed"])
        if end.reason != "converged":
            return end
        near = iterate(problem, problem.evaluate(end.v, end.u, laws, end.p), laws, limit=8, patience=3)
        if near.reason == "converged":
            return near
        at = end
    return ended(near, "stagnated")


def _exact(problem: SignoriniProblem, end: Iterate, mu: Array) -> tuple[NDArray[np.int8], Array, Array]:
    """Return states (m,), velocities and forces (m, 3) with what the laws make exactly zero."""
    nodes = problem.contact.nodes
    p, u = end.p.copy(), end.u.copy()
    status: NDArray[np.int8] = statuses(p, u, mu, problem.kappa[nodes])
    speed = np.hypot(u[:, 0], u[:, 1])
    rests = problem.kappa[nodes] * speed <= end.tolerance
    status[rests & (status == SLIPS)] = STICKS  # at its bound, but it does not move
    stick, slip, closed = status == STICKS, status == SLIPS, status != OPEN
    u[stick] = 0.0
    u[closed, 2] = 0.0
    p[~closed] = 0.0
    bound, size = mu * p[:, 2], np.hypot(p[:, 0], p[:, 1])
    over = stick & (size > bound)
    p[over, :2] *= (bound[over] / size[over] * (1.0 - 4e-16))[:, None]
    slip &= problem.shared.alone
    p[slip, :2] = -(bound[slip] / speed[slip])[:, None] * u[slip, :2]
    return status, u, p
