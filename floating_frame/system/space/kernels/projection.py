"""Projection of persistent contacts on their obstacles, M-orthogonal, compiled: on a turning body u_n = 0 at the stages lets them
drift by O(Δt³)."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.system.space.ground import MAX_PROJECTIONS
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.algebra import (
    at,
    cross3,
    dot,
    exponential,
    largest,
    minus,
    plus,
    product,
    put,
    scaled,
    times,
    triple,
    turned_tensor,
)
from floating_frame.system.space.kernels.points import contact_geometry, evaluate_obstacles

EPS = float(np.finfo(np.float64).eps)


@njit(cache=True, error_model="numpy")
def project(body, stage, ground, python, surface, linear, P, response, gap, chosen):  # type: ignore[no-untyped-def]
    """Project a body that ends a step at ``linear.place`` and ``rotation`` on its obstacles; write the rotation, rad, and
    displacement, m. True where it converged. ``response`` (m, m), ``gap`` (2, m), ``chosen`` (m,): scratch."""
    m, x, Q, E = P.shape[0], linear.place, linear.rotation, linear.second
    start, lift, g, y = triple(x, 0), (0.0, 0.0, 0.0), gap[0], gap[1]
    rounding = 4.0 * EPS * (body.radius + largest(start) + body.size)
    for _ in range(MAX_PROJECTIONS):
        given = stage.time, triple(x, 0), Q, P, surface
        if python.curved and not evaluate_obstacles(body, python, ground, *given):
            return False
        contact_geometry(body, ground, triple(x, 0), Q, P, surface)
        worst = 0.0
        for i in range(m):
            g[i] = P[i, rec.GAP] - min(P[i, rec.START_GAP], 0.0)
            touches = (P[i, rec.SLIP + 2] == 0.0 and P[i, rec.FORCE + 2] > 0.0) or (
                g[i] < -rounding and P[i, rec.OPEN_ONLY] == 0.0
            )
            chosen[i] = 0 if touches else -1
            worst = max(worst, abs(g[i])) if touches else worst
        if worst <= rounding:
            break
        turned_tensor(Q, body.inverse, linear.first, E)
        for i in range(m if worst < np.inf else 0):
            n, arm = gap_row(P, i)
            turned = times(E, arm)
            for j in range(m):
                other, lever = gap_row(P, j)
                response[i, j] = dot(n, other) / body.mass + dot(turned, lever)
        solve_independent(response, g, chosen, y, m)
        shift, about = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(m):
            if chosen[i] == 1:
                n, arm = gap_row(P, i)
                shift, about = plus(shift, scaled(-y[i] / body.mass, n)), plus(about, scaled(-y[i], arm))
        turn = times(E, about)
        exponential(turn, linear.first)
        product(linear.first, Q, linear.third)
        lift = plus(lift, turn)
        for a in range(3):
            x[a] += shift[a]
            put(Q, a, 0, at(linear.third, a, 0))
    shift = minus(triple(x, 0), start)
    linear.drift, linear.put = np.sqrt(dot(lift, lift)), np.sqrt(dot(shift, shift))
    return worst <= rounding


@njit(cache=True, error_model="numpy", forceinline=True)
def gap_row(P, i):  # type: ignore[no-untyped-def]
    """Derivatives of a point's gap by place and turn."""
    n = at(P, i, rec.AXES + 6)
    return n, cross3(at(P, i, rec.CENTRE), n)


@njit(cache=True, error_model="numpy", forceinline=True)
def solve_independent(A, gap, chosen, y, m):  # type: ignore[no-untyped-def]
    """Solve A y = gap (m,) on up to six independent ``chosen`` points (0; others -1), A of rank six."""
    top = 0.0
    for _ in range(6):
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
