"""The projection of points that pressed back to the ground, compiled: the twin of ``SpaceRigidSystem.resplit``."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.contact.tunnelling import SHALLOW
from floating_frame.system.space.ground import MAX_PROJECTIONS
from floating_frame.system.space.kernels.algebra import (
    arms_of,
    dot,
    exponential,
    largest,
    plus,
    product,
    row,
    times,
    triple,
    turned_tensor,
    write,
)

EPS = float(np.finfo(np.float64).eps)


@njit(cache=True, error_model="numpy")
def project(plan, given, slip, force, stages, linear):  # type: ignore[no-untyped-def]
    """Put points that pressed throughout back on the ground: the twin of ``SpaceRigidSystem.resplit``; return whether they are,
    and were near."""
    x, Q, arms, m, level = stages.place, stages.rotation, linear.arms, plan.count, stages.place[2]
    gap, chosen, A, E, y, lift = linear.gap, linear.chosen, linear.response, linear.second, linear.lift, (0.0, 0.0, 0.0)
    rounding = 4.0 * EPS * (plan.radius + largest(triple(x, 0)))
    for _ in range(MAX_PROJECTIONS):
        arms_of(plan, Q, arms)
        worst = 0.0
        for i in range(m):
            gap[i] = x[2] + arms[i, 2] - min(given.gaps[i], 0.0)
            touches = (slip[i, 2] == 0.0 and force[i, 2] > 0.0) or gap[i] < -rounding
            chosen[i] = 0 if touches else -1
            worst = max(worst, abs(gap[i])) if touches else worst
        if worst <= rounding:
            stages.drift = np.sqrt(dot(lift, lift))
            return abs(x[2] - level) + plan.radius * stages.drift <= SHALLOW * plan.radius
        turned_tensor(Q, plan.inverse, linear.first, E)
        for i in range(m):
            a, b = (arms[i, 1], -arms[i, 0]) if plan.turns else (0.0, 0.0)
            for j in range(m):
                c, d = (arms[j, 1], -arms[j, 0]) if plan.turns else (0.0, 0.0)
                A[i, j] = 1.0 / plan.mass + a * (E[0, 0] * c + E[0, 1] * d) + b * (E[1, 0] * c + E[1, 1] * d)
        independent(A, gap, chosen, y, m)
        up, about = 0.0, (0.0, 0.0, 0.0)
        for i in range(m):
            up += y[i]
            about = plus(about, (-y[i] * arms[i, 1], y[i] * arms[i, 0], 0.0) if plan.turns else (0.0, 0.0, 0.0))
        x[2] -= up / plan.mass
        turn = times(E, about)
        exponential(turn, linear.first)
        product(linear.first, Q, linear.third)
        lift = plus(lift, turn)
        for a in range(3):
            write(Q, a, row(linear.third, a))
    return False


@njit(cache=True, error_model="numpy", forceinline=True)
def independent(A, gap, chosen, y, m):  # type: ignore[no-untyped-def]
    """Solve A y = gap (m,) on up to three independent ones of the points that are ``chosen`` (0; others -1), A of rank three."""
    top = 0.0
    for _ in range(3):
        best, most = -1, 0.0
        for i in range(m):
            if chosen[i] == 0 and A[i, i] > most:
                best, most = i, A[i, i]
        top = max(top, most)
        if best < 0 or most <= 1e-10 * top:
            break
        chosen[best] = 1
        for i in range(m):
            if i != best and chosen[i] >= 0:
                part = A[i, best] / most
                gap[i] -= part * gap[best]
                for j in range(m):
                    A[i, j] -= part * A[best, j]
    for i in range(m):
        y[i] = gap[i] / A[i, i] if chosen[i] == 1 else 0.0
