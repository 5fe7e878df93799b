"""Limit loads of friction that holds a body in quasi-static equilibrium (docs/theory.md, section 8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from floating_frame.errors import LIMIT_LOAD, Unsolved
from floating_frame.frame.kinematics import Array
from friction import Law
from friction.rigid.problem import RigidFrictionProblem
from friction.rigid.solve import solve_at_rest
from friction.stick import COULOMB

_BISECTIONS = 40
ALL_FREE = (True, True, True)


def can_hold(wrench: Array, arms: Array, bound: Array, free: ArrayLike = ALL_FREE, law: Law = COULOMB) -> bool:
    """True if some |λ_i| ≤ w_i (N) at ``arms`` (N, 2) m has the ``wrench`` (F_x, F_y, M_z) N, N, N m, in its ``free`` entries; or
    another bound of λ_i by the ``law``."""
    radius = max(float(np.abs(arms).max()), np.finfo(float).tiny)
    scale = np.array([1.0, 1.0, radius**2])
    problem = RigidFrictionProblem(inertia=scale, wrench=wrench, arms=arms, bound=bound, free=free)
    return not np.any(solve_at_rest(law, problem).rates)


def limit_factor(wrench: Array, arms: Array, bound: Array, free: ArrayLike = ALL_FREE, law: Law = COULOMB) -> float:
    """Factor s of s × ``wrench`` on the limit surface (arguments as ``can_hold``); inf for no wrench."""
    if not np.any(wrench[np.asarray(free)]):
        return np.inf
    low, high = 0.0, 1.0
    while can_hold(high * wrench, arms, bound, free, law):
        low, high = high, 2.0 * high
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if can_hold(middle * wrench, arms, bound, free, law) else (low, middle)
    return 0.5 * (low + high)


def check_limit(
    wrench: Array, arms: Array, bound: Array, time: float, *, free: ArrayLike = ALL_FREE, law: Law = COULOMB
) -> None:
    """Raise Unsolved (LimitLoad) where ``bound`` (N,) N cannot carry the ``wrench`` at ``time`` s (arguments as ``can_hold``)."""
    if not can_hold(wrench, arms, bound, free, law):
        beyond = 1.0 / limit_factor(wrench, arms, bound, free, law)
        raise Unsolved(
            f"limit load: at t = {time:.6g} the load is {beyond:.6g} times what friction alone can hold "
            "(it lies outside the body's limit surface), so no equilibrium exists",
            LIMIT_LOAD,
        )
