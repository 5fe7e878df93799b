"""The friction problem of a rigid row of points under a law given by code and numbers, compiled.

Without functions as arguments it is compiled once for all laws and cached on disk. The formulas of laws, and their
``numbers``, are those of ``laws.kernels``. Fields at points are (2, N).

With a metric D (elliptic): λ_i ∈ w_i ∂|D v_i|. D is symmetric, so that D J = J adj(D), J the quarter turn, and D v_i is the
velocity x' + ω J d'_i of a point at d'_i = adj(D) d_i under p' = T p, T = diag(D, 1). So p' minimises the isotropic problem with
H' = T⁻¹HT⁻¹, c' = T⁻¹c and arms d', and λ_i = D λ'_i.

Bounds that depend on the speed, |λ_i| ≤ w_i m(|v_i|): a fixed point of Coulomb's problem with given bounds, which contracts by
about τ w |m'|/M over a stage of length τ. Without convergence the stage is too long for the law's slope: an error.

Static and kinetic bounds: a point that slides at the stage's start has its kinetic bound, any other its static one until it
slides in the stage, then the kinetic one. The set of released points only grows, so the rounds end.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.laws.common import CAP, KINETIC, OWN, STATIC
from friction.laws.kernels import bristle_end, bristle_energy, bristle_rate, law_at, profile
from friction.rigid.coulomb import coulomb_slip, smoothed_slip
from friction.rigid.newton import THREE, copy, dot3, point_slip, solve_small
from friction.rigid.stick_proofs import wrench_of
from friction.rigid.uniqueness import may_have_several
from friction.status import (
    BOUNDS_UNSETTLED,
    MAX_BOUND_ROUNDS,
    NEEDS_SMOOTHING,
    NOT_CONVERGED,
    NOT_FINITE,
    OUT_OF_ITERATIONS,
    SEVERAL,
    SINGULAR,
    SOLVED,
)

COULOMB, STRETCHED, RADIAL, SMOOTH, BRISTLES = range(5)
"""Kinds of laws: Coulomb; Coulomb in stretched velocities; bounds by the speed; function of v; function of v with bristles."""
_TOLERANCE, BOUND_CHANGE = 1e-12, 1e-13
"""Tolerance of equilibrium, and of the change of bounds, over Σ w."""


@njit(cache=True, error_model="numpy")
def _equilibrium(bristly, numbers, h, c, arms, w, old, tau, p, multiplier, gradient, matrix):  # type: ignore[no-untyped-def]
    """H p − c + Σ Gᵀλ (3,), its derivative (3, 3) and λ (2, N), in place."""
    for k in range(3):
        copy(h[k], matrix[k])
    for i in range(w.shape[0]):
        dx, dy, weight = arms[0, i], arms[1, i], w[i]
        fx, fy, kxx, kxy, kyx, kyy = law_at(
            bristly, numbers, p[0] - p[2] * dy, p[1] + p[2] * dx, old[0, i], old[1, i], tau
        )
        multiplier[0, i], multiplier[1, i] = weight * fx, weight * fy
        ax, ay, bx, by = dx * kxy - dy * kxx, dx * kyy - dy * kyx, dx * kyx - dy * kxx, dx * kyy - dy * kxy
        block = ((kxx, kxy, ax), (kyx, kyy, ay), (bx, by, dx * ay - dy * ax))
        for k in range(3):
            for j in range(3):
                matrix[k, j] += weight * block[k][j]
    total = wrench_of(multiplier, arms)
    for k in range(3):
        gradient[k] = dot3(h[k], p) - c[k] + total[k]


@njit(cache=True, error_model="numpy")
def _smooth_slip(bristly, numbers, h, c, arms, w, p, multiplier, old, tau):  # type: ignore[no-untyped-def]
    """Solve by Newton's method with backtracking, as ``solve.solve_rigid_regular``."""
    reach, total, largest = 2.3e-308, 0.0, max(abs(c[0]), abs(c[1]), abs(c[2]))
    for i in range(w.shape[0]):
        reach, total = max(reach, abs(arms[0, i]), abs(arms[1, i])), total + w[i]
    level = 1e-12 * (largest + total)
    g, matrix, direction, trial = np.empty(3), np.empty((3, 3)), np.zeros(3), p.copy()
    previous = np.inf
    for iteration in range(101):
        step, size = 1.0, np.inf
        for _ in range(40 if iteration else 1):
            for k in range(3):
                trial[k] = p[k] + step * direction[k]
            _equilibrium(bristly, numbers, h, c, arms, w, old, tau, trial, multiplier, g, matrix)
            size = np.sqrt(g[0] * g[0] + g[1] * g[1] + (g[2] / reach) ** 2)
            if size < previous:
                break
            step *= 0.5
        previous = size
        for k in range(3):
            p[k], direction[k] = trial[k], -g[k]
        if abs(g[0]) <= level and abs(g[1]) <= level and abs(g[2]) <= level * reach:
            return SOLVED, iteration
        if not np.isfinite(p[0] + p[1] + p[2]):
            return NOT_FINITE, iteration
        if not solve_small(matrix, direction, THREE):
            return SINGULAR, iteration
    return NOT_CONVERGED, 0


@njit(cache=True, error_model="numpy")
def _update_bounds(numbers, p, arms, w, slid, bounds):  # type: ignore[no-untyped-def]
    """Write the bounds (N,) of ``|λ|`` by the speed and the mask ``slid`` of released points; return the bounds' largest change."""
    change, rates = 0.0, (p[0], p[1], p[2])
    for i in range(w.shape[0]):
        vx, vy = point_slip(rates, arms[0, i], arms[1, i])
        s, slid[i] = np.sqrt(vx * vx + vy * vy), slid[i] or vx != 0.0 or vy != 0.0
        new = w[i] * (numbers[KINETIC] if slid[i] else numbers[STATIC])
        if s > 0.0:
            new = w[i] * min(profile(numbers, s)[0], numbers[CAP])
        change, bounds[i] = max(change, abs(new - bounds[i])), new
    return change


@njit(cache=True, error_model="numpy")
def _transform(xx, xy, yy, field):  # type: ignore[no-untyped-def]
    """Replace the rows (2, N) of a ``field`` by D v, D = [[xx, xy], [xy, yy]]."""
    field[0], field[1] = xx * field[0] + xy * field[1], xy * field[0] + yy * field[1]


@njit(cache=True, error_model="numpy")
def _stretch(numbers, h, c, arms, p, multiplier, H, C, places):  # type: ignore[no-untyped-def]
    """Write Coulomb's problem in T p, T = diag(D, 1), into ``H``, ``C``, ``places``, p and λ: see the module."""
    xx, xy, yy = numbers[OWN], numbers[OWN + 1], numbers[OWN + 2]
    det, x, y = xx * yy - xy * xy, arms[0], arms[1]
    T = np.array([[yy / det, -xy / det, 0.0], [-xy / det, xx / det, 0.0], [0.0, 0.0, 1.0]])
    for k in range(3):
        C[k] = dot3(T[k], c)
        for j in range(3):
            H[k, j] = T[k, 0] * dot3(h[0], T[j]) + T[k, 1] * dot3(h[1], T[j]) + T[k, 2] * dot3(h[2], T[j])
    places[0], places[1] = yy * x - xy * y, xx * y - xy * x
    p[0], p[1] = xx * p[0] + xy * p[1], xy * p[0] + yy * p[1]
    _transform(yy / det, -xy / det, xx / det, multiplier)


@njit(cache=True, error_model="numpy")
def _unstretch(numbers, p, multiplier):  # type: ignore[no-untyped-def]
    """Replace p and λ by T⁻¹ p and D λ."""
    xx, xy, yy = numbers[OWN], numbers[OWN + 1], numbers[OWN + 2]
    det = xx * yy - xy * xy
    p[0], p[1] = yy / det * p[0] - xy / det * p[1], xx / det * p[1] - xy / det * p[0]
    _transform(xx, xy, yy, multiplier)


@njit(cache=True, error_model="numpy")
def set_valued_slip(code, numbers, h, c, arms, w, p, multiplier, slid, free, given):  # type: ignore[no-untyped-def]
    """Solve the problem of a set-valued law; return (the status, iterations, fallback to smoothing).

    H (3, 3) and c (3,), zero in the rates that are not ``free``, which are ``given`` (3,); bounds w (N,). Slip rates ``p`` (3,) and
    ``multiplier`` (2, N) are start and solution. ``slid`` (N,): mask of points that have slid so far, in place.
    """
    H, C, places, bounds, fixed, points, total = h, c, arms, w, given, w.shape[0], 0.0
    if code == STRETCHED:
        H, C, places, fixed = np.empty((3, 3)), np.empty(3), np.empty((2, points)), given.copy()
        fixed[0] = numbers[OWN] * given[0] + numbers[OWN + 1] * given[1]
        fixed[1] = numbers[OWN + 1] * given[0] + numbers[OWN + 2] * given[1]
        _stretch(numbers, h, c, arms, p, multiplier, H, C, places)
    if code == RADIAL:
        bounds, total = np.zeros(points), w.sum()
        _update_bounds(numbers, p, arms, w, slid.copy(), bounds)  # start rates are no slip
    iterations, change, fallback = 0, 0.0, False
    for _ in range(MAX_BOUND_ROUNDS):
        status, more = coulomb_slip(H, C, places, bounds, p, multiplier, _TOLERANCE, free, fixed)
        iterations += more
        if status == NEEDS_SMOOTHING:
            fallback = True
            status, more = smoothed_slip(H, C, places, bounds, p, multiplier, _TOLERANCE, free, fixed)
            iterations += more
        if status != SOLVED:
            return OUT_OF_ITERATIONS, iterations, fallback
        if code == RADIAL:
            change = _update_bounds(numbers, p, arms, w, slid, bounds)
        if change <= BOUND_CHANGE * total:
            break
    if code == STRETCHED:
        _unstretch(numbers, p, multiplier)
    return SOLVED if change <= BOUND_CHANGE * total else BOUNDS_UNSETTLED, iterations, fallback


@njit(cache=True, error_model="numpy")
def rigid_slip(code, numbers, falling, h, c, arms, w, p, multiplier, incoming, previous, old, tau):  # type: ignore[no-untyped-def]
    """Solve a stage's friction problem, all rates free; arguments and returns as ``set_valued_slip``.

    Slip (2, N) ``incoming`` at the start of the step and of the stage ``previous``; ``old`` (2, N): bristles at the start of the
    stage, of length ``tau`` s. ``falling``: see ``CompiledLaw``; under such a law the status is SEVERAL where another solution may
    be nearer to the slip with which the stage begins.
    """
    if not np.isfinite(c[0] + c[1] + c[2] + p[0] + p[1] + p[2]):
        return NOT_FINITE, 0, False
    if code in (SMOOTH, BRISTLES):
        bristly = code == BRISTLES
        status, iterations = _smooth_slip(bristly, numbers, h, c, arms, w, p, multiplier, old, tau)
        if status == SOLVED and falling.shape[0] > 0:
            several = may_have_several(bristly, numbers, falling, h, arms, w, p, incoming, previous, old, tau)
            status = SEVERAL if several else SOLVED
        return status, iterations, False
    slid = np.zeros(w.shape[0] if code == RADIAL else 0, np.bool_)
    for i in range(slid.shape[0]):
        slid[i] = incoming[0, i] != 0.0 or incoming[1, i] != 0.0 or previous[0, i] != 0.0 or previous[1, i] != 0.0
    free, given = np.ones(3, np.bool_), np.zeros(3)
    return set_valued_slip(code, numbers, h, c, arms, w, p, multiplier, slid, free, given)


@njit(cache=True, error_model="numpy")
def bristle_ends(numbers, old, slip, w, tau, bent, power):  # type: ignore[no-untyped-def]
    """Write the bristles (2, N) at a stage's end and subtract the rate of their energy from λ·v in ``power`` (N,); return the
    energy, J, and the dissipated power, W."""
    total, lost = 0.0, 0.0
    for i in range(w.shape[0]):
        bent[0, i], bent[1, i] = bristle_end(numbers, old[0, i], old[1, i], slip[0, i], slip[1, i], tau)
        energy = w[i] * bristle_energy(numbers, bent[0, i], bent[1, i])
        power[i] -= (energy - w[i] * bristle_energy(numbers, old[0, i], old[1, i])) / tau
        total += energy
        lost += power[i]
    return total, lost


@njit(cache=True, error_model="numpy")
def bristle_rates(numbers, bristles, slip, rates):  # type: ignore[no-untyped-def]
    """Write the rates (2, N) of the bristles."""
    for i in range(slip.shape[1]):
        rates[0, i], rates[1, i] = bristle_rate(numbers, bristles[0, i], bristles[1, i], slip[0, i], slip[1, i])


@njit(cache=True, error_model="numpy")
def _bristle_energies(law, w, bent):  # type: ignore[no-untyped-def]
    """Energy, J, of bristles (2, N) under bounds w (N,); ``law``: code and numbers."""
    total = 0.0
    for i in range(w.shape[0]):
        total += w[i] * bristle_energy(law[1:], bent[0, i], bent[1, i])
    return total


@njit(cache=True, error_model="numpy")
def bound_work(law, bound, before, after):  # type: ignore[no-untyped-def]
    """Work W_b, J, of bounds that change over bristles bent ``before`` and ``after`` a step (2, N): see ``effect.foundation``.

    ``law`` (S + 2, 1 + n), ``bound`` (S + 2, N): in the stages, of which the last ends the step, and left and right limits at its
    start.
    """
    start, jumped, end = law.shape[0] - 2, law.shape[0] - 1, law.shape[0] - 3
    at_jump = _bristle_energies(law[jumped], bound[jumped], before)
    grown = _bristle_energies(law[end], bound[end], before) - at_jump
    grown += _bristle_energies(law[end], bound[end], after) - _bristle_energies(law[jumped], bound[jumped], after)
    return at_jump - _bristle_energies(law[start], bound[start], before) + 0.5 * grown
