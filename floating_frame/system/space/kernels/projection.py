"""The projection of points that pressed back to the ground, compiled: the twin of ``SpaceRigidSystem.resplit``."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.space_contact.ways import SHALLOW
from floating_frame.system.space.ground import MAX_PROJECTIONS
from floating_frame.system.space.kernels.algebra import INLINED, arms_of, exponential, product, turned_tensor

EPS = float(np.finfo(np.float64).eps)


@njit(**INLINED)
def project(plan, given, slip, force, stages, linear):  # type: ignore[no-untyped-def]
    """Put points that pressed throughout back on the ground: the twin of ``SpaceRigidSystem.resplit``; return whether they are,
    and were near."""
    x, Q, arms, m, level = stages.place, stages.rotation, linear.arms, plan.feet.shape[0], stages.place[2]
    frames, gap, A, lift = linear.frames, np.empty(m), np.zeros((m, m)), np.zeros(3)
    rounding = 4.0 * EPS * (plan.radius + max(abs(x[0]), abs(x[1]), abs(x[2])))
    chosen, y = np.empty(m, np.int64), np.empty(m)
    for _ in range(MAX_PROJECTIONS):
        arms_of(plan, Q, arms)
        worst = 0.0
        for i in range(m):
            gap[i] = x[2] + arms[i, 2] - min(given.gaps[i], 0.0)
            touches = (slip[i, 2] == 0.0 and force[i, 2] > 0.0) or gap[i] < -rounding
            chosen[i] = 0 if touches else -1
            worst = max(worst, abs(gap[i])) if touches else worst
        if worst <= rounding:
            stages.drift[0] = np.sqrt(lift[0] ** 2 + lift[1] ** 2 + lift[2] ** 2)
            return abs(x[2] - level) + plan.radius * stages.drift[0] <= SHALLOW * plan.radius
        turned_tensor(Q, plan.inverse, frames[5], frames[6])
        for i in range(m):
            a, b = (arms[i, 1], -arms[i, 0]) if plan.turns else (0.0, 0.0)
            y[i] = 0.0
            for j in range(m):
                c, d = (arms[j, 1], -arms[j, 0]) if plan.turns else (0.0, 0.0)
                E = frames[6]
                A[i, j] = 1.0 / plan.mass + a * (E[0, 0] * c + E[0, 1] * d) + b * (E[1, 0] * c + E[1, 1] * d)
        independent(A, gap, chosen, y)
        up, across, along = 0.0, 0.0, 0.0
        for i in range(m):
            up += y[i]
            across += y[i] * arms[i, 1] if plan.turns else 0.0
            along -= y[i] * arms[i, 0] if plan.turns else 0.0
        E = frames[6]
        x[2] -= up / plan.mass
        turn = (
            -E[0, 0] * across - E[0, 1] * along,
            -E[1, 0] * across - E[1, 1] * along,
            -E[2, 0] * across - E[2, 1] * along,
        )
        exponential(turn, frames[4])
        product(frames[4], Q, frames[5])
        for a in range(3):
            lift[a] += turn[a]
            for b in range(3):
                Q[a, b] = frames[5, a, b]
    return False


@njit(**INLINED)
def independent(A, gap, chosen, y):  # type: ignore[no-untyped-def]
    """Solve A y = gap (m,) on up to three independent ones of the points that are ``chosen`` (0; others -1), A of rank three."""
    m, top = gap.shape[0], 0.0
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
        if chosen[i] == 1:
            y[i] = gap[i] / A[i, i]
