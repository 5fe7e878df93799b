"""Coulomb friction under a rigid body: three unknowns, one multiplier a sample point.

With p = (x0', y0', ω) and arms d_i = Q X_i, point i slides with v_i = (p_x − p_ω d_y, p_y + p_ω d_x), and a stage is

    min over p of  ½ pᵀ H p − cᵀ p + Σ w_i |v_i(p)|,     H diagonal > 0 (inertia over τ),

which is strongly convex, smooth but where a point stands still. p = 0 is the minimiser if and only if the wrench c is
carried by some |λ_i| ≤ w_i (it lies inside the limit surface). Sliding is found by Newton's method; where that meets the
kinks (all points at rest, or one at the centre of rotation) |v| is replaced by √(v² + ε²) and ε driven to zero, and the
answer is then proved exactly: true stick with admissible multipliers, rotation about one point, or sliding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from floating_frame.errors import RigidFrictionError
from floating_frame.kinematics import Array
from floating_frame.rigid_newton import newton

_DECADES = 16
_MARGIN = 1e-12


class RigidSlip(NamedTuple):
    """Solution: ``rates`` p (3,) (exactly 0 in stick), ``multiplier`` λ (N, 2) N, ``iterations`` (Newton), ``fallback`` whether
    the smoothing path was needed."""

    rates: Array
    multiplier: Array
    iterations: int
    fallback: bool


@njit(cache=True)
def _complete(multiplier, wrench, arms, w):  # type: ignore[no-untyped-def]
    """Add w_i (a + s J d_i) so that Σλ and Σ d × λ equal ``wrench``; return the largest |λ_i|/w_i, inf if it cannot be."""
    a = np.zeros((3, 3))
    missing = wrench.copy()
    for i in range(w.shape[0]):
        dx, dy = arms[i, 0], arms[i, 1]
        a[0, 0] += w[i]
        a[0, 2] -= w[i] * dy
        a[1, 2] += w[i] * dx
        a[2, 2] += w[i] * (dx * dx + dy * dy)
        missing[0] -= multiplier[i, 0]
        missing[1] -= multiplier[i, 1]
        missing[2] -= dx * multiplier[i, 1] - dy * multiplier[i, 0]
    a[1, 1] = a[0, 0]
    a[2, 0], a[2, 1] = a[0, 2], a[1, 2]
    if not (a[0, 0] > 0.0 and a[2, 2] * a[0, 0] - a[0, 2] ** 2 - a[1, 2] ** 2 > 1e-14 * a[2, 2] * a[0, 0]):
        # All weight lies in one point: it carries a force but no moment about itself.
        if not a[0, 0] > 0.0:
            return np.inf
        x = np.array([missing[0] / a[0, 0], missing[1] / a[0, 0], 0.0])
        left = missing[2] - (a[0, 2] * x[0] + a[1, 2] * x[1])
        if abs(left) > 1e-12 * (abs(wrench[2]) + np.abs(a[:2, 2]).max() + np.sqrt(a[0, 0] * a[2, 2])):
            return np.inf
    else:
        x = np.linalg.solve(a, missing)
    worst = 0.0
    for i in range(w.shape[0]):
        multiplier[i, 0] += w[i] * (x[0] - x[2] * arms[i, 1])
        multiplier[i, 1] += w[i] * (x[1] + x[2] * arms[i, 0])
        size = np.hypot(multiplier[i, 0], multiplier[i, 1])
        if w[i] > 0.0:
            worst = max(worst, size / w[i])
        elif size > 0.0:
            return np.inf
    return worst


@njit(cache=True)
def _slip_multipliers(p, arms, w, eps2):  # type: ignore[no-untyped-def]
    """λ_i = w_i v_i/√(v_i² + ε²); zero where v_i = 0."""
    multiplier = np.zeros((w.shape[0], 2))
    for i in range(w.shape[0]):
        vx = p[0] - p[2] * arms[i, 1]
        vy = p[1] + p[2] * arms[i, 0]
        s = np.sqrt(vx * vx + vy * vy + eps2)
        if s > 0.0:
            multiplier[i, 0] = w[i] * vx / s
            multiplier[i, 1] = w[i] * vy / s
    return multiplier


@njit(cache=True)
def _slowest(p, arms, w):  # type: ignore[no-untyped-def]
    """The slowest of the points that carry weight, and its speed."""
    slowest, least = 0, np.inf
    for i in range(w.shape[0]):
        speed = np.hypot(p[0] - p[2] * arms[i, 1], p[1] + p[2] * arms[i, 0])
        if w[i] > 0.0 and speed < least:
            slowest, least = i, speed
    return slowest, least


@njit(cache=True)
def _pivot(p, h, c, arms, w, tolerance):  # type: ignore[no-untyped-def]
    """Try rotation about the slowest point k: minimise over ω, return (accepted, λ); p in place."""
    n = w.shape[0]
    slowest = _slowest(p, arms, w)[0]
    ex, ey = arms[slowest, 1], -arms[slowest, 0]
    inertia = h[0] * ex * ex + h[1] * ey * ey + h[2]
    drive = c[0] * ex + c[1] * ey + c[2]
    resisting = 0.0
    for i in range(n):
        resisting += w[i] * np.hypot(arms[i, 0] - arms[slowest, 0], arms[i, 1] - arms[slowest, 1])
    spin = np.sign(drive) * max(0.0, abs(drive) - resisting) / inertia
    trial = np.array([spin * ex, spin * ey, spin])
    multiplier = _slip_multipliers(trial, arms, w, 0.0)  # zero where it rests
    fx = c[0] - h[0] * trial[0]
    fy = c[1] - h[1] * trial[1]
    resting = 0.0
    for i in range(n):
        fx -= multiplier[i, 0]
        fy -= multiplier[i, 1]
        if arms[i, 0] == arms[slowest, 0] and arms[i, 1] == arms[slowest, 1]:
            resting += w[i]
    for i in range(n):  # points that coincide share the force
        if arms[i, 0] == arms[slowest, 0] and arms[i, 1] == arms[slowest, 1]:
            multiplier[i, 0], multiplier[i, 1] = fx * w[i] / resting, fy * w[i] / resting
    if spin != 0.0 and np.hypot(fx, fy) <= resting + tolerance:
        p[:] = trial
        return True, multiplier
    return False, multiplier


@njit(cache=True)
def _solve(h, c, arms, w, start, multiplier_start, relative):  # type: ignore[no-untyped-def]
    """The whole decision; returns (status, p, λ, iterations, fallback), status 0: solved, 1: out of iterations."""
    total = w.sum()
    p = c / h
    if total == 0.0:
        return 0, p, np.zeros((w.shape[0], 2)), 0, False
    size = np.sqrt((arms[:, 0] ** 2 + arms[:, 1] ** 2).max())
    force = max(np.hypot(c[0], c[1]), total)
    tolerance = relative * np.array([force, force, max(abs(c[2]), total * size)])
    bound = 1.0 + _MARGIN
    for previous in (multiplier_start, np.zeros((w.shape[0], 2))):
        multiplier = previous.copy()
        if _complete(multiplier, c, arms, w) <= bound:
            return 0, np.zeros(3), multiplier, 0, False
    iterations = 0
    if start[0] != 0.0 or start[1] != 0.0 or start[2] != 0.0:
        p = start.copy()
        converged, iterations = newton(p, h, c, arms, w, 0.0, tolerance, 12)
        if converged and (p[0] != 0.0 or p[1] != 0.0 or p[2] != 0.0):
            return 0, p, _slip_multipliers(p, arms, w, 0.0), iterations, False
    p = c / h
    speed = np.hypot(p[0], p[1]) + abs(p[2]) * size
    for decade in range(_DECADES + 1):
        eps = speed * 10.0 ** (-decade)
        _, more = newton(p, h, c, arms, w, eps * eps, tolerance, 60)
        iterations += more
        multiplier = _slip_multipliers(p, arms, w, eps * eps)
        if _complete(multiplier, c, arms, w) <= (bound if decade < _DECADES else 1.0 + 1e-9):
            return 0, np.zeros(3), multiplier, iterations, True
        trial = p.copy()
        accepted, multiplier = _pivot(trial, h, c, arms, w, tolerance[0])
        if accepted:
            return 0, trial, multiplier, iterations, True
        if decade == _DECADES or _slowest(p, arms, w)[1] > eps:
            converged, more = newton(trial, h, c, arms, w, 0.0, tolerance, 12 if decade < _DECADES else 60)
            iterations += more
            if converged and (trial[0] != 0.0 or trial[1] != 0.0 or trial[2] != 0.0):
                return 0, trial, _slip_multipliers(trial, arms, w, 0.0), iterations, True
    return 1, trial, multiplier, iterations, True


def solve_rigid_friction(
    inertia_over_tau: Array,
    wrench: Array,
    arms: Array,
    weights: Array,
    *,
    start: Array,
    multiplier: Array,
    tolerance: float = 1e-12,
) -> RigidSlip:
    """Minimise ½ pᵀHp − cᵀp + Σ w_i|v_i(p)|.

    ``inertia_over_tau`` H (3,) kg/s, kg/s, kg m²/s; ``wrench`` c (3,) N, N, N m; ``arms`` d (N, 2) m inertial; ``weights``
    w (N,) N; ``start`` p (3,) and ``multiplier`` (N, 2): warm start. Raises RigidFrictionError.
    """
    if not (np.all(np.isfinite(wrench)) and np.all(np.isfinite(start))):
        raise RigidFrictionError("non-finite loads or velocities; check the loads and the initial velocities")
    status, p, lam, iterations, fallback = _solve(
        np.asarray(inertia_over_tau, float),
        wrench,
        np.ascontiguousarray(arms),
        weights,
        start,
        multiplier,
        tolerance,
    )
    if not np.all(np.isfinite(p)):
        raise RigidFrictionError("non-finite velocities; check the loads and the initial velocities")
    if status != 0:
        raise RigidFrictionError("Newton's method ran out of iterations; use a smaller time step")
    return RigidSlip(p, lam, int(iterations), bool(fallback))
