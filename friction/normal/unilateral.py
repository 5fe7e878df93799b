"""Exact unilateral contact with Coulomb friction in the contacts' own unknowns: a small dense problem.

For m contacts with forces p = (p_n, p_t) on the body and relative velocities u = (u_n, u_t),

    u = F(p),    0 <= u_n  ⟂  p_n >= 0,    |p_t| <= mu p_n,  p_t = -mu p_n sgn(u_t) where u_t ≠ 0,

with F monotone: the response of the body to the forces. In the linear case F(p) = W p + q with the compliance (Delassus operator)
W, symmetric and positive semidefinite. A bound u_n >= b, such as -e u_n^- of Newton's law of restitution, is u_n - b for u_n.

The linear problem is that of points in space (``friction.cone``), proximal steps with W + d, q - d p_k are taken where W is
singular, and a nonlinear F is linearised at each iterate (Josephy). The choice among several solutions: docs/laws-and-contact.md,
"Exact contact".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from friction.arrays import Array, as_numbers, contiguous
from friction.errors import UnilateralError
from friction.normal import unilateral_kernel as kernel
from friction.normal.unilateral_kernel import MAX_ITERATIONS, OPEN, SLIDING, STICKING, residual

__all__ = ["OPEN", "SLIDING", "STICKING", "residual"]

_LINEAR = 1e-12
"""Accuracy of a linear problem."""


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
        (m,), OPEN, STICKING or SLIDING.
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
    told, *found = kernel.solve_linear(contiguous(w), contiguous(q), contiguous(coefficient), contiguous(p), _LINEAR)
    if told == kernel.INDEFINITE:
        smallest = float(np.linalg.eigvalsh(w)[0])
        raise ValueError(
            f"solve_unilateral: compliance must be positive semidefinite, smallest eigenvalue {smallest:.3e}"
        )
    if told != kernel.DONE:
        raise UnilateralError(kernel.REASONS[told], *found[2:4])
    return _result(found[0], found[1], coefficient, *found[2:])


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
        "out of iterations", "indefinite", or that of the linearised problem, with the best residual.
    """
    p, coefficient = np.array(start, float), np.zeros(len(start)) + np.asarray(mu, float)
    memory, noises, level = np.array([np.inf, floor, np.inf]), (float(floor), float(resolution), float(enough)), 0.0
    for iteration in range(1, MAX_ITERATIONS + 1):
        u, w = map(np.ascontiguousarray, response(p.copy()))
        level = float(tolerance())
        told = kernel.improve(iteration, p, u, w, coefficient, noises, level, memory)
        if told == kernel.DONE:
            return _result(p, u.copy(), coefficient, float(memory[kernel.VIOLATION]), level, iteration)
        if told != kernel.GO_ON:
            raise UnilateralError(kernel.REASONS[told], float(memory[kernel.BEST]), level)
    raise UnilateralError(kernel.REASONS[kernel.EXHAUSTED], float(memory[kernel.BEST]), level)


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


def _result(p: Array, u: Array, mu: Array, violation: float, tolerance: float, iterations: int) -> UnilateralResult:
    """Result with the zeros of the law exact."""
    state = np.empty(len(p), np.int8)
    kernel.settle(p, u, mu, state)
    for array in (p, u, state):
        array.flags.writeable = False
    return UnilateralResult(
        force=p, velocity=u, state=state, residual=violation, tolerance=tolerance, iterations=iterations
    )
