"""The problem of ``unilateral``, compiled: residual, linear problem, and one iteration on a nonlinear response.

Who iterates evaluates u = F(p) and W = ∂F/∂p itself, Python or compiled text."""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.cone.kernels import regular

OPEN, STICKING, SLIDING = 0, 1, 2
"""States of a contact."""
DONE, GO_ON, NOT_FINITE, INDEFINITE, NO_SOLUTION, EXHAUSTED = range(6)
REASONS = ("", "", "non-finite", "indefinite", "no solution", "out of iterations")
"""Codes of a solution or iteration, and the reasons of failures."""
MAX_ITERATIONS = 40
"""Largest number of evaluations of F."""
_MAX_PROXIMAL, _SINGULAR = 30, 1e-11
_REGULAR, _ENOUGH = 1e-8, 1e-10
"""Of a linearised problem: its proximal shift over its compliance, and its accuracy."""
_PROXIMAL = (1e-8, 1e-5, 1e-4)
"""Proximal shifts tried for a singular compliance, over its norm: the smallest needs the fewest steps, larger ones pivot
safely."""
_TINY = np.finfo(float).tiny
BEST, PROXIMAL, VIOLATION = range(3)
"""Places in the memory of ``improve``."""


@njit(cache=True, error_model="numpy")
def residual(p, u, mu, r):  # type: ignore[no-untyped-def]
    """Largest violation, N, of p_n = (p_n − r u_n)+ and p_t = proj(p_t − r u_t; mu p_n); 0 for no contact.

    ``p`` (m, 2), N; ``u`` (m, 2), m/s; ``mu`` (m,); the scaling ``r`` (m, 2), N s/m."""
    most = 0.0
    for i in range(len(p)):
        bound, tried = mu[i] * max(p[i, 0], 0.0), p[i, 1] - r[i, 1] * u[i, 1]
        normal, tangential = p[i, 0] - max(p[i, 0] - r[i, 0] * u[i, 0], 0.0), p[i, 1] - min(max(tried, -bound), bound)
        most = max(most, abs(normal), abs(tangential))
    return most


@njit(cache=True, error_model="numpy")
def scaling(w, least):  # type: ignore[no-untyped-def]
    """Scaling r (m, 2), N s/m, of velocities by the diagonal of W, at ``least`` this, and its largest entry."""
    r, largest = np.empty((len(w) // 2, 2)), 0.0
    for i in range(len(w)):
        r[i // 2, i % 2], largest = 1.0 / max(w[i, i], least), max(largest, w[i, i])
    return r, largest


@njit(cache=True, error_model="numpy")
def solve_definite(w, q, mu, start):  # type: ignore[no-untyped-def]
    """Forces p (m, 2) for a definite compliance, as points in space without motion along t2, and whether they are found."""
    count = len(q)
    response, weight = np.zeros((3 * count, 3 * count)), np.empty(count)
    free, p, left, scale = np.zeros((count, 3)), np.zeros((count, 3)), np.empty(4), _TINY
    for i in range(count):
        normal, slip = 3 * i + 2, 3 * i
        for j in range(count):
            response[normal, 3 * j + 2], response[normal, 3 * j] = w[2 * i, 2 * j], w[2 * i, 2 * j + 1]
            response[slip, 3 * j + 2], response[slip, 3 * j] = w[2 * i + 1, 2 * j], w[2 * i + 1, 2 * j + 1]
        response[slip + 1, slip + 1] = w[2 * i, 2 * i]
        weight[i] = 3.0 / (2.0 * w[2 * i, 2 * i] + w[2 * i + 1, 2 * i + 1])
        for a in range(2):
            free[i, 2 - 2 * a], p[i, 2 - 2 * a] = q[i, a], start[i, a]
            scale = max(scale, abs(start[i, a]), weight[i] * abs(q[i, a]))
    p, _ = regular(p, free, response, mu, weight, scale, left)
    found = np.empty((count, 2))
    for i in range(count):
        found[i, 0], found[i, 1] = p[i, 2], p[i, 0]
    return found, np.nanmin(left) <= 1e-13


@njit(cache=True, error_model="numpy")
def solve_linear(w, q, mu, start, rtol):  # type: ignore[no-untyped-def]
    """Proximal steps around the definite problem; one is enough where W is definite. Return DONE, INDEFINITE or NO_SOLUTION, p and
    u (m, 2), violation and its tolerance, N, and steps."""
    p, u, largest, n = start.copy(), q.copy(), 0.0, len(w)
    symmetric, violation, tolerance = np.empty((n, n)), np.inf, 0.0
    if n == 0:
        return DONE, p, u, 0.0, 0.0, 0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += abs(w[i, j])
            symmetric[i, j] = 0.5 * (w[i, j] + w[j, i])  # W of a law with bristles is not symmetric
        largest = max(largest, row)
    smallest = np.linalg.eigvalsh(symmetric)[0]
    if not largest > 0.0:
        w, largest = np.zeros((n, n)), 1.0
    if smallest < -1e-9 * largest:
        return INDEFINITE, p, u, violation, tolerance, 0
    r, _ = scaling(w, 1e-6 * largest)
    singular = smallest < _SINGULAR * largest
    for attempt in range(len(_PROXIMAL) if singular else 1):
        shift = _PROXIMAL[attempt] * largest if singular else 0.0
        p, stiff = start, w + shift * np.eye(n)
        for iteration in range(1, _MAX_PROXIMAL + 1):
            p, found = solve_definite(stiff, q - shift * p, mu, p)
            if not found:
                break
            size = _TINY / rtol
            for i in range(n):
                velocity = q[i // 2, i % 2]
                for j in range(n):
                    velocity += w[i, j] * p[j // 2, j % 2]
                u[i // 2, i % 2] = velocity
                size = max(size, abs(p[i // 2, i % 2]), abs(r[i // 2, i % 2] * q[i // 2, i % 2]))
            violation, tolerance = residual(p, u, mu, r), rtol * size
            if violation <= tolerance:
                return DONE, p, u, violation, tolerance, iteration
    return NO_SOLUTION, p, u, violation, tolerance, 0


@njit(cache=True, error_model="numpy")
def improve(iteration, p, u, w, mu, noises, level, memory):  # type: ignore[no-untyped-def]
    """One iteration on forces p (m, 2) with the response ``u`` and ``w``: return DONE, GO_ON with new p, or why it fails.

    ``noises``: floor, resolution and enough, see ``unilateral.solve_unilateral_response``; ``level``: tolerance, N; ``memory``
    (3,), infinite, the floor and infinite before the first: best violation, proximal shift, last violation."""
    floor, resolution, enough = noises
    r, largest = scaling(w, floor)
    finite, tried, late = 0.0, np.empty_like(u), iteration > MAX_ITERATIONS // 2
    for i in range(len(w)):
        finite += u[i // 2, i % 2]
        for j in range(len(w)):
            finite += w[i, j]
    if not np.isfinite(finite):
        return NOT_FINITE
    # Velocities less their rounding, or the response to a force of the tolerance: residual slip may be a node's that sticks.
    noise = max(max(resolution, enough) if late else resolution, level * max(largest, 10.0 * floor))
    for i in range(len(u)):
        for a in range(2):
            tried[i, a] = np.sign(u[i, a]) * max(abs(u[i, a]) - noise, 0.0)
    violation = memory[VIOLATION] = residual(p, tried, mu, r)
    if violation <= level:
        return DONE
    # Where W vanishes, the body sticks up to a threshold: forces grow until it moves.
    any_stuck = False
    for i in range(len(w)):
        any_stuck = any_stuck or w[i, i] <= 1e-9 * floor
    memory[PROXIMAL] = 0.1 * memory[PROXIMAL] if violation >= 0.5 * memory[BEST] and any_stuck else floor
    memory[BEST] = min(memory[BEST], violation)
    # The problem linearised at p with W + shift, which is definite and has the same fixed points.
    stiff, q, least = w.copy(), u.copy(), _REGULAR * max(largest, floor)
    for i in range(len(w)):
        stiff[i, i] += max(memory[PROXIMAL] if w[i, i] <= 1e-9 * floor else 0.0, least)
        for j in range(len(w)):
            q[i // 2, i % 2] -= stiff[i, j] * p[j // 2, j % 2]
    told, new, _, _, _, _ = solve_linear(stiff, q, mu, p, _ENOUGH)
    if told != DONE:
        return told
    for i in range(len(p)):
        for a in range(2):
            p[i, a] = 0.5 * (p[i, a] + new[i, a]) if late else new[i, a]
    return GO_ON


@njit(cache=True, error_model="numpy")
def settle(p, u, mu, state):  # type: ignore[no-untyped-def]
    """Make the zeros of the laws exact in a solution, and write the states (m,)."""
    fastest = _TINY
    for i in range(len(p)):
        u[i, 0] = 0.0 if p[i, 0] > 0.0 else u[i, 0]
        fastest = max(fastest, abs(u[i, 0]), abs(u[i, 1]))
    for i in range(len(p)):
        if not p[i, 0] > 0.0:
            p[i, 0], p[i, 1], state[i] = 0.0, 0.0, OPEN
            continue
        at_bound = abs(p[i, 1]) >= mu[i] * p[i, 0] * (1.0 - 1e-9)
        slides = at_bound and p[i, 1] * u[i, 1] <= 0.0 and abs(u[i, 1]) > 1e-12 * fastest
        state[i] = SLIDING if slides else STICKING
        u[i, 1] = u[i, 1] if slides else 0.0
