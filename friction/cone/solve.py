"""Signorini's and Coulomb's laws at a few points of one body at the same time, the normal force unknown.

Redundant points of a rigid body make the response W singular: the forces of four feet are not unique. The
forces of feet of equal compliance are chosen: W + ε 1 is solved from p = 0, and the proximal centre is updated until the solution
solves W itself (proximal point method). Where no sticking point is at its bound that is the solution of least norm.

Newton's method (Alart & Curnier 1991) may cycle where many points change at once. It is then restarted from sticking points, with μ
increased in steps, and after sweeps of nonlinear Gauss–Seidel, in this order. Step halving does not help at an impact, for W and p
scale alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from friction.arrays import Array
from friction.cone import kernels
from friction.errors import RigidFrictionError
from friction.status import OPEN, SLIP, STICK

PROXIMAL = (1e-4, 1e-2)
"""ε over the mean diagonal of W: the second where the first fails."""
AT_REST = 1e-12
"""Velocity, relative to the velocities without contact, below which a point is at rest."""
INCONSISTENT = 1e-8
"""Residual velocity, relative to the velocities without contact, that is accepted where no motion obeys all rows."""
CONTINUATION = np.linspace(0.0, 1.0, 21)
"""Factors of μ in the continuation."""
_ROUNDS, _MAX_PROXIMAL_STEPS, _SWEEPS_PER_RESTART, _MAX_RESTARTS, _INFINITE_MU = 40, 120, 25, 15, 1e12


class ConeError(RigidFrictionError):
    """The problem of Signorini's and Coulomb's laws was not solved."""


@dataclass(frozen=True, kw_only=True)
class ConeSolution:
    """Solution of both laws: forces (m, 3), N, along (t1, t2, n), velocities (m, 3), m/s, exactly 0 where a point sticks.

    ``status`` (m,): ``STICK``, ``SLIP`` or ``OPEN``; ``fallback``: Newton's method was restarted; ``unique``: the forces
    are unique; else points of equal compliance are assumed.
    """

    force: Array
    velocity: Array
    status: NDArray[np.int8]
    iterations: int
    fallback: bool
    unique: bool


def solve_cone(
    response: Array, free: Array, friction: Array, start: Array, scale: float, rounding: float = 0.0
) -> ConeSolution:
    """Solve u = free + W p with Signorini's and Coulomb's laws at m points.

    Parameters
    ----------
    response : Array
        W (3m, 3m), s/kg; rows and columns (t1, t2, n) by point.
    free : Array
        (m, 3), m/s, velocities without contact force; the normal one may be a gap over the time step.
    friction : Array
        Coefficients μ (m,), -; infinite: a closed point sticks.
    start : Array
        (m, 3), N, forces to start from.
    scale : float
        N, size of forces; the tolerance is 1e-13 of it.
    rounding : float
        m/s, rounding of the free velocities, as of a gap over a short time step, beyond their own rounding.

    Raises
    ------
    ConeError
        With the residual of every attempt, or for a response that is not positive, or velocities that are not finite.
    """
    count = len(free)
    if not count:
        none, status = np.zeros((0, 3)), np.zeros(0, np.int8)
        return ConeSolution(force=none, velocity=none, status=status, iterations=0, fallback=False, unique=True)
    diagonal = np.diag(response).reshape(count, 3).mean(axis=1)
    if not diagonal.max() > 0.0:
        raise ConeError("contact forces do not move the body")
    if not np.isfinite(free).all():
        raise ConeError("non-finite loads or velocities; check the loads and the initial velocities")
    weight = 1.0 / np.maximum(diagonal, 1e-12 * diagonal.max())
    values = np.linalg.svd(response, compute_uv=False)
    unique = bool(values[-1] > 1e-10 * values[0])
    finite = np.where(np.isfinite(friction), friction, _INFINITE_MU)
    approach = np.column_stack([free[:, :2], np.minimum(free[:, 2], 0.0)])  # points far from the ground need no force
    scale = max(scale, float(np.abs(weight[:, None] * approach).max()), np.finfo(float).tiny)
    problem = Points(response, free, finite, weight, scale)
    if unique:
        p, iterations, fallback = solve_regular(problem, np.ascontiguousarray(start))
        return _solution(problem, p, iterations, fallback, unique)
    mean = float(np.trace(response)) / (3.0 * count)
    for eps in PROXIMAL:
        try:
            return _proximal_point(problem, eps * mean, np.ascontiguousarray(start), rounding)
        except ConeError as error:
            failure = error
    raise failure


class Points(NamedTuple):
    """u = ``free`` + ``response`` p, coefficients μ, the weights κ, and the size of forces."""

    response: Array
    free: Array
    friction: Array
    weight: Array
    scale: float


def _proximal_point(problem: Points, eps: float, start: Array, rounding: float) -> ConeSolution:
    """Solution under equal compliance by the proximal point method. Raises ConeError."""
    stiff = problem._replace(response=problem.response + eps * np.eye(problem.free.size))
    centre, p, iterations, fallback = np.zeros_like(start), start, 0, False
    # The centre would creep for ever by the rounding of velocities.
    rounding += 4.0 * np.finfo(float).eps * float(np.abs(problem.free).max())
    tolerance = max(1e-13 * problem.scale, rounding / eps)
    for _ in range(_MAX_PROXIMAL_STEPS):
        shifted = stiff._replace(free=problem.free - eps * centre)
        p, more, restarted = solve_regular(shifted, p)
        iterations, fallback = iterations + more, fallback or restarted
        change = p - centre
        distance, velocity = float(np.abs(change).max()), float(np.abs(problem.response @ change.ravel()).max())
        # forces in equilibrium among themselves would grow for ever against velocities that they cannot change
        grows = velocity <= 1e-3 * eps * distance and eps * distance <= INCONSISTENT * float(np.abs(problem.free).max())
        if distance <= tolerance or grows:
            break
        centre = p
    return _solution(shifted, p, iterations, fallback, False)


def _solution(problem: Points, p: Array, iterations: int, fallback: bool, unique: bool) -> ConeSolution:
    """Forces and velocities with the zeros of the laws exact."""
    u = problem.free + (problem.response @ p.ravel()).reshape(p.shape)
    status = kernels.statuses(p, u, problem.friction, problem.weight)
    rests = np.hypot(u[:, 0], u[:, 1]) <= AT_REST * float(np.abs(problem.free[:, :2]).max())
    status[rests & (status == SLIP)] = STICK  # at its bound, but at rest
    u[status == STICK] = 0.0
    u[status == SLIP, 2] = 0.0
    force = np.where((status == OPEN)[:, None], 0.0, p)
    return ConeSolution(force=force, velocity=u, status=status, iterations=iterations, fallback=fallback, unique=unique)


def solve_regular(problem: Points, start: Array) -> tuple[Array, int, bool]:
    """Solve for a regular W; return p, Newton iterations and True where the first start failed. Raises ConeError."""
    iterations, residuals = 0, dict[str, float]()
    for name, p, more, error in _attempts(problem, start):
        iterations, residuals[name] = iterations + more, error / problem.scale
        if error <= 1e-13 * problem.scale:  # rounding level
            return p, iterations, len(residuals) > 1
    attempts = ", ".join(f"{name} {error:.2g}" for name, error in residuals.items())
    raise ConeError(f"no contact forces were found: residuals over the forces are {attempts}")


def _attempts(problem: Points, start: Array) -> Iterator[tuple[str, Array, int, float]]:
    """Yield the name of each start, and p (m, 3) N, iterations and residual, N, of Newton's method from it."""
    response, free, friction, weight, scale = problem
    laws, goal = (friction, weight), 1e-14 * scale
    yield "from the last forces", *kernels.newton(start, free, response, *laws, goal, _ROUNDS)
    sticking = -np.linalg.solve(response, free.ravel()).reshape(-1, 3)
    yield "from sticking", *kernels.newton(sticking, free, response, *laws, goal, _ROUNDS)
    p, iterations = np.zeros_like(free), 0
    for share in CONTINUATION:
        p, more, error = kernels.newton(p, free, response, share * friction, weight, goal, _ROUNDS)
        iterations += more
    yield "with grown friction", p, iterations, error
    p = start
    for _ in range(_MAX_RESTARTS):
        p = kernels.sweep(p, free, response, *laws, goal, _SWEEPS_PER_RESTART)
        yield "after sweeps", *kernels.newton(p, free, response, *laws, goal, _ROUNDS)
