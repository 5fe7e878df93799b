"""Proofs of the kinds of solution of the friction problem of a rigid body or row of points, compiled.

Notation of ``rigid_friction``: p (3,) m/s, m/s, rad/s; H (3, 3), zero in the rows and columns of entries that are not free;
c (3,), zero there; arms d (N, 2) m; w (N,) N; λ (N, 2) N.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.rigid.newton import point_slip


@njit(cache=True)
def _subtract_wrench(missing, multiplier, arms, free):  # type: ignore[no-untyped-def]
    """Take the wrench of λ off ``missing`` (3,), in place; entries that are not free are zero."""
    for i in range(arms.shape[0]):
        missing[0] -= multiplier[i, 0]
        missing[1] -= multiplier[i, 1]
        missing[2] -= arms[i, 0] * multiplier[i, 1] - arms[i, 1] * multiplier[i, 0]
    for k in range(3):
        if not free[k]:
            missing[k] = 0.0


@njit(cache=True)
def distribute_static_friction(multiplier, wrench, arms, w, free):  # type: ignore[no-untyped-def]
    """Add w_i (a + s J d_i) so that the free ones of Σλ, Σ d × λ equal ``wrench``; return the largest ``|λ_i|/w_i``, inf if it
    cannot be."""
    a = np.zeros((3, 3))
    missing = wrench.copy()
    for i in range(w.shape[0]):
        dx, dy = arms[i, 0], arms[i, 1]
        a[0, 0] += w[i]
        a[0, 2] -= w[i] * dy
        a[1, 2] += w[i] * dx
        a[2, 2] += w[i] * (dx * dx + dy * dy)
    a[1, 1] = a[0, 0]
    a[2, 0], a[2, 1] = a[0, 2], a[1, 2]
    if not a[0, 0] > 0.0:
        return np.inf
    _subtract_wrench(missing, multiplier, arms, free)
    scale = np.ones(3)
    for k in range(3):
        if free[k] and a[k, k] > 0.0:
            scale[k] = 1.0 / np.sqrt(a[k, k])
    for k in range(3):
        for j in range(3):
            a[k, j] = a[k, j] * scale[k] * scale[j] if free[k] and free[j] else 0.0
    # All weight in one point carries a force but no moment about itself: then one eigenvalue is zero.
    values, vectors = np.linalg.eigh(a)
    right = missing * scale
    x = np.zeros(3)
    for j in range(3):
        if values[j] > 1e-14:
            part = 0.0
            for k in range(3):
                part += vectors[k, j] * right[k]
            for k in range(3):
                x[k] += vectors[k, j] * part / values[j]
    size = np.abs(wrench * scale).max() + np.sqrt(w.sum())
    for k in range(3):
        left = right[k] - (a[k, 0] * x[0] + a[k, 1] * x[1] + a[k, 2] * x[2])
        if free[k] and abs(left) > 1e-12 * size:
            return np.inf
    x *= scale
    worst = 0.0
    for i in range(w.shape[0]):
        multiplier[i, 0] += w[i] * (x[0] - x[2] * arms[i, 1])
        multiplier[i, 1] += w[i] * (x[1] + x[2] * arms[i, 0])
        length = np.sqrt(multiplier[i, 0] ** 2 + multiplier[i, 1] ** 2)
        if w[i] > 0.0:
            worst = max(worst, length / w[i])
        elif length > 0.0:
            return np.inf
    return worst


@njit(cache=True)
def slip_multipliers(p, arms, w, eps2):  # type: ignore[no-untyped-def]
    """λ_i = w_i v_i/√(v_i² + ε²); zero where v_i = 0."""
    multiplier = np.zeros((w.shape[0], 2))
    for i in range(w.shape[0]):
        vx, vy = point_slip(p, arms[i, 0], arms[i, 1])
        s = np.sqrt(vx * vx + vy * vy + eps2)
        if s > 0.0:
            multiplier[i, 0] = w[i] * vx / s
            multiplier[i, 1] = w[i] * vy / s
    return multiplier


@njit(cache=True)
def slowest_point(p, arms, w):  # type: ignore[no-untyped-def]
    """The slowest of the points that carry weight, and its speed."""
    slowest, least = 0, np.inf
    for i in range(w.shape[0]):
        vx, vy = point_slip(p, arms[i, 0], arms[i, 1])
        speed = np.hypot(vx, vy)
        if w[i] > 0.0 and speed < least:
            slowest, least = i, speed
    return slowest, least


@njit(cache=True)
def _bearing_force(missing, dx, dy, free, scale):  # type: ignore[no-untyped-def]
    """The least force at (dx, dy) whose free wrench is nearest to ``missing`` (3,), in place what it leaves of it; and the
    number of its components that this determines. ``scale`` 1/m weighs the moment against the forces: of the body, not of this
    arm, which is rounding at a point in the centre."""
    g = np.zeros((3, 2))
    if free[0]:
        g[0, 0] = 1.0
    if free[1]:
        g[1, 1] = 1.0
    if free[2]:
        g[2, 0], g[2, 1] = -dy * scale, dx * scale
    right = missing.copy()
    right[2] *= scale
    gram = g.T @ g
    values, vectors = np.linalg.eigh(gram)
    force, rank = np.zeros(2), 0
    projected = g.T @ right
    for j in range(2):
        if values[j] > 1e-12:
            rank += 1
            part = (vectors[0, j] * projected[0] + vectors[1, j] * projected[1]) / values[j]
            force[0] += part * vectors[0, j]
            force[1] += part * vectors[1, j]
    missing[0] -= force[0] if free[0] else 0.0
    missing[1] -= force[1] if free[1] else 0.0
    missing[2] -= dx * force[1] - dy * force[0] if free[2] else 0.0
    return force, rank


@njit(cache=True)
def pivot(p, h, c, arms, w, free, given, tolerance):  # type: ignore[no-untyped-def]
    """Try rotation about the slowest point k; return (accepted, λ); p in place.

    Motions with v_k = 0 are ω (d_y, −d_x, 1)_k. Prescribed entries fix ω, or are zero for all of them; else minimise over ω.
    """
    n = w.shape[0]
    slowest = slowest_point(p, arms, w)[0]
    e = np.array([arms[slowest, 1], -arms[slowest, 0], 1.0])
    prescribed = -1
    for k in range(3):
        if not free[k] and e[k] != 0.0 and (prescribed < 0 or k == 2):
            prescribed = k
    if prescribed >= 0:
        spin = given[prescribed] / e[prescribed]
    else:
        inertia = e @ (h @ e)
        drive = c @ e
        resisting = 0.0
        for i in range(n):
            resisting += w[i] * np.hypot(arms[i, 0] - arms[slowest, 0], arms[i, 1] - arms[slowest, 1])
        spin = np.sign(drive) * max(0.0, abs(drive) - resisting) / inertia
    trial = spin * e
    for k in range(3):
        if not free[k]:
            if abs(trial[k] - given[k]) > 1e-14 * abs(given[k]):
                return False, np.zeros((n, 2))
            trial[k] = given[k]
    vx, vy = point_slip(trial, arms[slowest, 0], arms[slowest, 1])
    if spin == 0.0 or vx != 0.0 or vy != 0.0:
        return False, np.zeros((n, 2))
    multiplier = slip_multipliers(trial, arms, w, 0.0)  # zero where it rests
    missing = c - h @ trial
    _subtract_wrench(missing, multiplier, arms, free)
    force, _ = _bearing_force(
        missing, arms[slowest, 0], arms[slowest, 1], free, tolerance[0] / max(tolerance[2], 1e-300)
    )
    for k in range(3):
        if abs(missing[k]) > tolerance[k]:
            return False, multiplier
    resting = 0.0
    for i in range(n):
        if arms[i, 0] == arms[slowest, 0] and arms[i, 1] == arms[slowest, 1]:
            resting += w[i]
    for i in range(n):  # points that coincide share the force
        if arms[i, 0] == arms[slowest, 0] and arms[i, 1] == arms[slowest, 1]:
            multiplier[i, 0], multiplier[i, 1] = force[0] * w[i] / resting, force[1] * w[i] / resting
    if np.hypot(force[0], force[1]) <= resting + tolerance[0]:
        p[:] = trial
        return True, multiplier
    return False, multiplier


@njit(cache=True)
def polished(p, multiplier, h, c, arms, w, free, tolerance):  # type: ignore[no-untyped-def]
    """Whether p solves up to the rounding of the slowest point's velocity, whose λ then comes from equilibrium; λ in place."""
    missing = c - h @ p
    _subtract_wrench(missing, multiplier, arms, free)
    k, speed = slowest_point(p, arms, w)
    force, rank = _bearing_force(missing, arms[k, 0], arms[k, 1], free, tolerance[0] / max(tolerance[2], 1e-300))
    for j in range(3):
        if not abs(missing[j]) <= tolerance[j]:
            return False
    fastest = 0.0
    for i in range(w.shape[0]):
        vx, vy = point_slip(p, arms[i, 0], arms[i, 1])
        fastest = max(fastest, np.hypot(vx, vy))
    lx, ly = multiplier[k, 0] + force[0], multiplier[k, 1] + force[1]
    size = np.hypot(force[0], force[1])
    if rank == 1 and size > 0.0 and np.hypot(lx, ly) > w[k]:  # the other component follows from |λ| = w
        fx, fy = force[0] / size, force[1] / size
        along, across = lx * fx + ly * fy, -lx * fy + ly * fx
        across = np.sign(across) * np.sqrt(max(0.0, w[k] * w[k] - along * along))
        lx, ly = along * fx - across * fy, along * fy + across * fx
    vx, vy = point_slip(p, arms[k, 0], arms[k, 1])
    defect = np.hypot(speed * lx - w[k] * vx, speed * ly - w[k] * vy)
    if defect > 1e-13 * w[k] * fastest or np.hypot(lx, ly) > w[k] * (1.0 + 1e-9):
        return False
    multiplier[k, 0], multiplier[k, 1] = lx, ly
    return True
