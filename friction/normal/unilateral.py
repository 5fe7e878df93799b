"""Exact unilateral contact with Coulomb friction in the contacts' own unknowns: a small dense problem.

For m contacts with forces p = (p_n, p_t) on the body and relative velocities u = (u_n, u_t),

    u = F(p),    0 <= u_n  ⟂  p_n >= 0,    |p_t| <= mu p_n,  p_t = -mu p_n sgn(u_t) where u_t ≠ 0,

with F monotone: the response of the body to the forces. In the linear case F(p) = W p + q with the compliance (Delassus operator)
W, symmetric and positive semidefinite. A bound u_n >= b, such as -e u_n^- of Newton's law of restitution, is u_n - b for u_n.

The linear problem is solved as one of points in space (``friction.cone``), where W is singular by proximal steps with W + d,
q - d p_k; a nonlinear F is linearised at each iterate (Josephy). The choice among several solutions: docs/laws-and-contact.md,
"Exact contact".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from friction.arrays import Array, as_numbers, contiguous
from friction.cone.solve import ConeError, Points, solve_regular
from friction.errors import UnilateralError
from friction.status import OPEN, SLIP, STICK

_MAX_PROXIMAL, _SINGULAR = 30, 1e-11
MAX_ITERATIONS = 40
"""Largest number of evaluations of F."""
_LINEAR, _REGULAR, _ENOUGH = 1e-12, 1e-8, 1e-10
"""Accuracy of a linear problem; for a linearised one the proximal shift over its compliance, and its accuracy."""
_PROXIMAL = (1e-8, 1e-5, 1e-4)
"""Proximal shifts tried for a singular compliance, over its norm: the smallest needs the fewest steps, larger ones pivot safely."""


@dataclass(frozen=True, kw_only=True)
class UnilateralResult:
    """Solution of a contact problem with m contacts; columns normal and tangential.

    Exactly 0 by the law: p of an open contact, u_n of a closed one, u_t of a sticking one.

    Parameters
    ----------
    force : Array
        p (m, 2), N (or N s for impulses).
    velocity : Array
        u (m, 2), m/s.
    state : ndarray
        (m,), OPEN, STICK or SLIP.
    residual : float
        Residual of p_n = (p_n − r u_n)+ and p_t = proj(p_t − r u_t), N.
    tolerance : float
        Bound of the residual, N.
    iterations : int
        Evaluations of F.
    """

    force: Array
    velocity: Array
    state: NDArray[np.int8]
    residual: float
    tolerance: float
    iterations: int


def solve_unilateral(
    compliance: ArrayLike, velocity: ArrayLike, mu: ArrayLike, *, start: ArrayLike | None = None
) -> UnilateralResult:
    """Solve the linear problem u = W p + q, to 1e-12 max(``|p|``, ``|q|``/W_ii).

    Parameters
    ----------
    compliance : ArrayLike
        W (2m, 2m), m/(N s), symmetric positive semidefinite, dof 2 i + a with a = 0 normal, 1 tangential.
    velocity : ArrayLike
        q (m, 2), m/s.
    mu : ArrayLike
        (m,) or a number, -.
    start : ArrayLike, optional
        p (m, 2), N.

    Raises
    ------
    ValueError
        For bad input.
    UnilateralError
        "no solution", "non-finite".
    """
    w, q, coefficient = _checked(compliance, velocity, mu)
    p = np.zeros_like(q) if start is None else np.array(start, float)
    if p.shape != q.shape:
        raise ValueError(f"solve_unilateral: start must have shape {q.shape}, got {p.shape}")
    try:
        return _solve_linear(w, q, coefficient, p, _LINEAR)
    except UnilateralError as error:
        if error.reason != "indefinite":
            raise
        smallest = float(np.linalg.eigvalsh(w)[0])
        raise ValueError(
            f"solve_unilateral: compliance must be positive semidefinite, smallest eigenvalue {smallest:.3e}"
        ) from None


def solve_unilateral_response(
    response: Callable[[Array], tuple[Array, Array]],
    mu: ArrayLike,
    start: Array,
    *,
    floor: float,
    tolerance: Callable[[], float],
    resolution: float = 0.0,
    enough: float = 0.0,
) -> UnilateralResult:
    """Solve u = F(p) for a nonlinear monotone F.

    Parameters
    ----------
    response : Callable[[Array], tuple[Array, Array]]
        p (m, 2) -> (u (m, 2), W = ∂F/∂p (2m, 2m)), W positive semidefinite, 0 where the body sticks.
    mu : ArrayLike
        (m,) or a number, -.
    start : Array
        p (m, 2), N.
    floor, resolution, enough : float
        A typical compliance, m/(N s), the least in scaling; velocities, m/s, of rounding, early and late.
    tolerance : Callable[[], float]
        () -> tolerance of the residual, N, called after each F.

    Raises
    ------
    UnilateralError
        "out of iterations", "indefinite", or the reason of the linearised problem, with the best residual.
    """
    p, coefficient = np.array(start, float), np.broadcast_to(np.asarray(mu, float), (len(start),))
    best, proximal, level = np.inf, floor, 0.0
    for iteration in range(1, MAX_ITERATIONS + 1):
        u, w = response(p)
        level = tolerance()
        if not (np.all(np.isfinite(u)) and np.all(np.isfinite(w))):
            raise UnilateralError("non-finite", best, level)
        r = 1.0 / np.maximum(np.diag(w), floor).reshape(-1, 2)
        noise = max(resolution, enough) if iteration > MAX_ITERATIONS // 2 else resolution
        violation = residual(p, _without_noise(u, w, noise, level, floor), coefficient, r)
        if violation <= level:
            return _result(p, u, coefficient, violation, level, iteration)
        # Where W vanishes, the body sticks up to a threshold: forces grow until it moves.
        stuck = np.diag(w).reshape(-1, 2) <= 1e-9 * floor
        proximal = 0.1 * proximal if violation >= 0.5 * best and stuck.any() else floor
        best = min(best, violation)
        try:
            step = _proximal_step(w, np.where(stuck, proximal, 0.0), floor, u, p, coefficient)
        except UnilateralError as error:
            raise UnilateralError(error.reason, best, level) from error
        p = step.force if iteration <= MAX_ITERATIONS // 2 else 0.5 * (p + step.force)
    raise UnilateralError("out of iterations", best, level)


def residual(p: Array, u: Array, mu: Array, r: Array) -> float:
    """Largest violation, N, of p_n = (p_n − r u_n)+ and p_t = proj(p_t − r u_t; mu p_n); 0 for no contact.

    ``p`` (m, 2), N; ``u`` (m, 2), m/s; ``mu`` (m,); the scaling ``r`` (m, 2), N s/m.
    """
    normal = np.abs(p[:, 0] - np.maximum(p[:, 0] - r[:, 0] * u[:, 0], 0.0))
    bound = mu * np.maximum(p[:, 0], 0.0)
    tangential = np.abs(p[:, 1] - np.clip(p[:, 1] - r[:, 1] * u[:, 1], -bound, bound))
    return float(max(normal.max(initial=0.0), tangential.max(initial=0.0)))


def _checked(compliance: ArrayLike, velocity: ArrayLike, mu: ArrayLike) -> tuple[Array, Array, Array]:
    q = as_numbers(velocity, "solve_unilateral: velocity")
    if q.ndim != 2 or q.shape[1] != 2:
        raise ValueError(f"solve_unilateral: velocity must have shape (m, 2), got {q.shape}")
    w = as_numbers(compliance, "solve_unilateral: compliance")
    if w.shape != (q.size, q.size):
        raise ValueError(f"solve_unilateral: compliance must have shape {(q.size, q.size)}, got {w.shape}")
    coefficient = as_numbers(mu, "solve_unilateral: mu")
    if coefficient.shape not in ((), (1,), (len(q),)):
        raise ValueError(f"solve_unilateral: mu must be a number or have shape {(len(q),)}, got {coefficient.shape}")
    coefficient = np.array(np.broadcast_to(coefficient, (len(q),)))
    if not (np.all(np.isfinite(w)) and np.all(np.isfinite(q)) and np.all(np.isfinite(coefficient))):
        raise ValueError("solve_unilateral: compliance, velocity and mu must be finite")
    if coefficient.min(initial=0.0) < 0.0:
        raise ValueError(f"solve_unilateral: mu must not be negative, got {float(coefficient.min())!r}")
    if np.abs(w - w.T).max(initial=0.0) > 1e-9 * np.abs(w).max(initial=0.0):
        raise ValueError("solve_unilateral: compliance must be symmetric")
    return 0.5 * (w + w.T), q, coefficient


def _without_noise(u: Array, w: Array, noise: float, level: float, floor: float) -> Array:
    """Velocities reduced by their rounding, or by the response to a force of the tolerance: residual slip may come from a node that
    sticks elsewhere."""
    least = max(noise, level * max(float(np.diag(w).max(initial=0.0)), 10.0 * floor))
    result: Array = np.sign(u) * np.maximum(np.abs(u) - least, 0.0)
    return result


def _proximal_step(w: Array, shift: Array, floor: float, u: Array, p: Array, mu: Array) -> UnilateralResult:
    """Solve the problem linearised at p with W + shift, which is definite and has the same fixed points."""
    least = _REGULAR * max(float(np.diag(w).max(initial=0.0)), floor)
    regular = w + np.diag(np.maximum(shift, least).ravel())
    return _solve_linear(regular, u - (regular @ p.ravel()).reshape(u.shape), mu, p, _ENOUGH)


def _solve_linear(w: Array, q: Array, mu: Array, start: Array, rtol: float) -> UnilateralResult:
    """Proximal steps around the definite problem; one is enough where W is definite."""
    if q.size == 0:
        return _result(start, q, mu, 0.0, 0.0, 0)
    largest = float(np.abs(w).sum(axis=1).max())
    if not largest > 0.0:
        w, largest = np.zeros_like(w), 1.0
    smallest = float(np.linalg.eigvalsh(0.5 * (w + w.T))[0])  # W of a law with bristles is not symmetric
    if smallest < -1e-9 * largest:
        raise UnilateralError("indefinite", np.inf, 0.0)
    r = 1.0 / np.maximum(np.diag(w), 1e-6 * largest).reshape(-1, 2)
    violation, tolerance = np.inf, 0.0
    for shift in _PROXIMAL if smallest < _SINGULAR * largest else (0.0,):
        p, stiff = start, w + shift * largest * np.eye(len(w))
        for iteration in range(1, _MAX_PROXIMAL + 1):
            try:
                p = _solve_definite(stiff, q - shift * largest * p, mu, p)
            except ConeError:
                break
            u = (w @ p.ravel()).reshape(q.shape) + q
            violation = residual(p, u, mu, r)
            tolerance = max(rtol * max(float(np.abs(p).max()), float(np.abs(r * q).max())), np.finfo(float).tiny)
            if violation <= tolerance:
                return _result(p, u, mu, violation, tolerance, iteration)
    raise UnilateralError("no solution", violation, tolerance)


def _solve_definite(w: Array, q: Array, mu: Array, start: Array) -> Array:
    """Forces p (m, 2) for a definite compliance, as points in space without motion along t2. Raises ConeError."""
    places: NDArray[np.intp] = np.add.outer(3 * np.arange(len(q)), [2, 0]).ravel()
    response, (free, p) = np.eye(3 * len(q)), np.zeros((2, 3 * len(q)))
    response[np.ix_(places, places)], free[places], p[places] = w, q.ravel(), start.ravel()
    normal = np.diag(w)[::2]
    response[np.arange(1, 3 * len(q), 3), np.arange(1, 3 * len(q), 3)] = normal
    weight = 3.0 / np.diag(response).reshape(-1, 3).sum(axis=1)
    scale = max(float(np.abs(start).max()), float((weight[:, None] * np.abs(q)).max()), np.finfo(float).tiny)
    points = Points(response, free.reshape(-1, 3), contiguous(mu), weight, scale)
    return np.asarray(solve_regular(points, p.reshape(-1, 3))[0].ravel()[places].reshape(q.shape))


def _result(p: Array, u: Array, mu: Array, violation: float, tolerance: float, iterations: int) -> UnilateralResult:
    """Result with the zeros of the law exact."""
    p, u = p.copy(), u.copy()
    closed = p[:, 0] > 0.0
    p[~closed] = 0.0
    u[closed, 0] = 0.0
    against = p[:, 1] * u[:, 1] <= 0.0
    at_bound = np.abs(p[:, 1]) >= mu * p[:, 0] * (1.0 - 1e-9)
    speed = np.abs(u[:, 1])
    still = speed <= 1e-12 * max(float(np.abs(u).max(initial=0.0)), np.finfo(float).tiny)
    slides = closed & at_bound & against & ~still
    u[closed & ~slides, 1] = 0.0
    state = np.where(closed, np.where(slides, SLIP, STICK), OPEN).astype(np.int8)
    for array in (p, u, state):
        array.flags.writeable = False
    return UnilateralResult(
        force=p, velocity=u, state=state, residual=violation, tolerance=tolerance, iterations=iterations
    )
