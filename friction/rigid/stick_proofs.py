"""Exact checks of stick, rotation about a point and slip for the friction problem of a rigid row of points, compiled.

Notation of ``rigid.coulomb``: p (3,) m/s, m/s, rad/s; H (3, 3), zero in the rows and columns of entries that are not free;
c (3,), zero there; arms d (2, N) m; w (N,) N; λ (2, N) N.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.rigid.newton import dot3, point_slip


@njit(cache=True, error_model="numpy")
def wrench_of(multiplier, arms):  # type: ignore[no-untyped-def]
    """Σλ, N, N, and Σ d × λ, N m."""
    lx, ly, ax, ay = multiplier[0], multiplier[1], arms[0], arms[1]
    x, y, moment = 0.0, 0.0, 0.0
    for i in range(lx.shape[0]):
        x += lx[i]
        y += ly[i]
        moment += ax[i] * ly[i] - ay[i] * lx[i]
    return x, y, moment


@njit(cache=True, error_model="numpy")
def _residual(h, c, p, multiplier, arms, free):  # type: ignore[no-untyped-def]
    """c − H p − Σ Gᵀλ (3,); entries that are not free are zero."""
    residual, total = np.zeros(3), wrench_of(multiplier, arms)
    for k in range(3):
        if free[k]:
            residual[k] = c[k] - dot3(h[k], p) - total[k]
    return residual


@njit(cache=True, error_model="numpy")
def _weight_sums(arms, w):  # type: ignore[no-untyped-def]
    """Σ w, Σ w d (x, y) and Σ w d·d."""
    ax, ay = arms[0], arms[1]
    total, x, y, polar = 0.0, 0.0, 0.0, 0.0
    for i in range(w.shape[0]):
        total += w[i]
        x += w[i] * ax[i]
        y += w[i] * ay[i]
        polar += w[i] * (ax[i] * ax[i] + ay[i] * ay[i])
    return total, x, y, polar


@njit(cache=True, error_model="numpy")
def distribute_static_friction(multiplier, wrench, arms, w, free):  # type: ignore[no-untyped-def]
    """Add w_i (a + s J d_i) so that the free ones of Σλ, Σ d × λ equal ``wrench``; return the largest ``|λ_i|/w_i``, inf
    without a solution, or for a force at w_i = 0.

    With unknowns scaled by the roots of its diagonal the matrix Σ w Gᵀ G is [[1, 0, u], [0, 1, v], [u, v, 1]], with eigenvalues 1,
    1 ± √(u² + v²). All weight in one point balances a force but no moment about it: then the smallest is zero.
    """
    total, x, y, polar = _weight_sums(arms, w)
    if not total > 0.0:
        return np.inf
    f0, f1, f2 = 1.0 if free[0] else 0.0, 1.0 if free[1] else 0.0, 1.0 if free[2] and polar > 0.0 else 0.0
    force, moment = 1.0 / np.sqrt(total), 1.0 / np.sqrt(polar) if polar > 0.0 else 1.0
    u, v = -y * force * moment * f0 * f2, x * force * moment * f1 * f2
    sums, square = wrench_of(multiplier, arms), u * u + v * v
    r0, r1, r2 = (wrench[0] - sums[0]) * force * f0, (wrench[1] - sums[1]) * force * f1, (wrench[2] - sums[2]) * moment
    r2 = r2 if free[2] else 0.0
    if 1.0 - square > 2e-14:
        turn = f2 * (r2 - u * r0 - v * r1) / (1.0 - square)
        ax, ay = r0 - u * turn, r1 - v * turn
    else:  # the solution of least norm, without the part along (u, v, −1)
        across, along = u * r1 - v * r0, 0.25 * (u * r0 + v * r1 + r2)
        ax, ay, turn = u * along - v * across, v * along + u * across, along
    size = max(abs(wrench[0] * force), abs(wrench[1] * force), abs(wrench[2] * moment)) + np.sqrt(total)
    error = max(abs(r0 - f0 * (ax + u * turn)), abs(r1 - f1 * (ay + v * turn)), abs(r2 - u * ax - v * ay - f2 * turn))
    if error > 1e-12 * size:
        return np.inf
    lx, ly, dx, dy = multiplier[0], multiplier[1], arms[0], arms[1]
    ax, ay, turn, largest, bare = force * ax, force * ay, moment * turn, 0.0, 0.0
    for i in range(w.shape[0]):
        lx[i] += w[i] * (ax - turn * dy[i])
        ly[i] += w[i] * (ay + turn * dx[i])
        square = lx[i] * lx[i] + ly[i] * ly[i]
        bare = max(bare, 0.0 if w[i] > 0.0 else square)
        largest = max(largest, square / (w[i] * w[i]) if w[i] > 0.0 else 0.0)
    return np.inf if bare > 0.0 else np.sqrt(largest)


@njit(cache=True, error_model="numpy")
def slip_multipliers(p, arms, w, eps2, multiplier):  # type: ignore[no-untyped-def]
    """Write λ_i = w_i v_i/√(v_i² + ε²); zero where v_i = 0."""
    lx, ly, ax, ay, rates = multiplier[0], multiplier[1], arms[0], arms[1], (p[0], p[1], p[2])
    for i in range(w.shape[0]):
        vx, vy = point_slip(rates, ax[i], ay[i])
        s = np.sqrt(vx * vx + vy * vy + eps2)
        share = w[i] / s if s > 0.0 else 0.0
        lx[i] = share * vx
        ly[i] = share * vy


@njit(cache=True, error_model="numpy")
def slowest_point(p, arms, w):  # type: ignore[no-untyped-def]
    """Index and speed of the slowest point with w > 0."""
    slowest, least, rates = 0, np.inf, (p[0], p[1], p[2])
    for i in range(w.shape[0]):
        vx, vy = point_slip(rates, arms[0, i], arms[1, i])
        speed = np.sqrt(vx * vx + vy * vy)
        if w[i] > 0.0 and speed < least:
            slowest, least = i, speed
    return slowest, least


@njit(cache=True, error_model="numpy")
def _pivot_force(residual, dx, dy, free, scale):  # type: ignore[no-untyped-def]
    """Least force at (dx, dy) whose free wrench is nearest to ``residual`` (3,), which becomes the remainder; and the number of
    components determined. ``scale`` 1/m weighs moments against forces by the size of the body: the arm of a point at the centre
    is rounding."""
    x, y = (-dy * scale, dx * scale) if free[2] else (0.0, 0.0)
    one, two, moment = 1.0 if free[0] else 0.0, 1.0 if free[1] else 0.0, residual[2] * scale
    a, b, d = one + x * x, x * y, two + y * y
    right, force = (one * residual[0] + x * moment, two * residual[1] + y * moment), np.zeros(2)
    root = np.sqrt(0.25 * (a - d) ** 2 + b * b)
    least, largest, rank = 0.5 * (a + d) - root, 0.5 * (a + d) + root, 0
    if least > 1e-12:
        rank, det = 2, a * d - b * b
        force[0], force[1] = (d * right[0] - b * right[1]) / det, (a * right[1] - b * right[0]) / det
    elif largest > 1e-12:
        rank, turned = 1, a >= d
        ex, ey = (largest - d, b) if turned else (b, largest - a)
        part = (ex * right[0] + ey * right[1]) / ((ex * ex + ey * ey) * largest)
        force[0], force[1] = part * ex, part * ey
    residual[0] -= force[0] if free[0] else 0.0
    residual[1] -= force[1] if free[1] else 0.0
    residual[2] -= dx * force[1] - dy * force[0] if free[2] else 0.0
    return force, rank


@njit(cache=True, error_model="numpy")
def pivot(p, h, c, arms, w, free, given, tolerance, multiplier):  # type: ignore[no-untyped-def]
    """Rotation about the slowest point k; True where it is the solution; p and λ in place.

    Motions with v_k = 0 are ω (d_y, −d_x, 1)_k. Prescribed entries fix ω, or are zero for all of them; else minimise over ω.
    """
    n = w.shape[0]
    slowest = slowest_point(p, arms, w)[0]
    dx, dy = arms[0, slowest], arms[1, slowest]
    e = np.array([dy, -dx, 1.0])
    prescribed = -1
    for k in range(3):
        if not free[k] and e[k] != 0.0 and (prescribed < 0 or k == 2):
            prescribed = k
    if prescribed >= 0:
        spin = given[prescribed] / e[prescribed]
    else:
        inertia, drive, resisting = 0.0, dot3(c, e), 0.0
        for k in range(3):
            inertia += e[k] * dot3(h[k], e)
        for i in range(n):
            resisting += w[i] * np.sqrt((arms[0, i] - dx) ** 2 + (arms[1, i] - dy) ** 2)
        spin = np.sign(drive) * max(0.0, abs(drive) - resisting) / inertia
    trial = spin * e
    for k in range(3):
        if not free[k]:
            if abs(trial[k] - given[k]) > 1e-14 * abs(given[k]):
                return False
            trial[k] = given[k]
    vx, vy = point_slip((trial[0], trial[1], trial[2]), dx, dy)
    if spin == 0.0 or vx != 0.0 or vy != 0.0:
        return False
    slip_multipliers(trial, arms, w, 0.0, multiplier)  # zero where it rests
    residual = _residual(h, c, trial, multiplier, arms, free)
    force, _ = _pivot_force(residual, dx, dy, free, tolerance[0] / max(tolerance[2], 1e-300))
    if np.any(np.abs(residual) > tolerance):
        return False
    here = (arms[0] == dx) & (arms[1] == dy)
    resting = w[here].sum()
    for a in range(2):  # points that coincide share the force
        multiplier[a] = np.where(here, force[a] * w / resting, multiplier[a])
    if np.sqrt(force[0] ** 2 + force[1] ** 2) <= resting + tolerance[0]:
        p[:] = trial
        return True
    return False


@njit(cache=True, error_model="numpy")
def polish(p, multiplier, h, c, arms, w, free, tolerance):  # type: ignore[no-untyped-def]
    """True where p is the solution up to the rounding of the slowest point's velocity; its λ is set from equilibrium, in place."""
    residual = _residual(h, c, p, multiplier, arms, free)
    k, speed = slowest_point(p, arms, w)
    force, rank = _pivot_force(residual, arms[0, k], arms[1, k], free, tolerance[0] / max(tolerance[2], 1e-300))
    if not np.all(np.abs(residual) <= tolerance):
        return False
    fastest, rates = 0.0, (p[0], p[1], p[2])
    for i in range(w.shape[0]):
        vx, vy = point_slip(rates, arms[0, i], arms[1, i])
        fastest = max(fastest, np.sqrt(vx * vx + vy * vy))
    lx, ly = multiplier[0, k] + force[0], multiplier[1, k] + force[1]
    size = np.sqrt(force[0] ** 2 + force[1] ** 2)
    if rank == 1 and size > 0.0 and np.sqrt(lx * lx + ly * ly) > w[k]:  # the other component follows from |λ| = w
        fx, fy = force[0] / size, force[1] / size
        along, across = lx * fx + ly * fy, -lx * fy + ly * fx
        across = np.sign(across) * np.sqrt(max(0.0, w[k] * w[k] - along * along))
        lx, ly = along * fx - across * fy, along * fy + across * fx
    vx, vy = point_slip(rates, arms[0, k], arms[1, k])
    defect = np.sqrt((speed * lx - w[k] * vx) ** 2 + (speed * ly - w[k] * vy) ** 2)
    if defect > 1e-13 * w[k] * fastest or np.sqrt(lx * lx + ly * ly) > w[k] * (1.0 + 1e-9):
        return False
    multiplier[0, k], multiplier[1, k] = lx, ly
    return True
