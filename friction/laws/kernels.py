"""The formulas of friction laws, compiled: profiles m(s) of the speed, and the bristles of sliding & stiction.

The ``numbers`` of a law: kind of its profile, cap, m in stick, m as s → 0, and the profile's own parameters.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from friction.curves.kernels import table_at
from friction.laws.common import CAP, FALLING, OWN, ROOT, SPLINE, STEPS
from friction.nodal.kernels import length

FULL = 1.0 - 1e-12
"""Share of Δ_max from which a bristle counts as fully bent; below 1 by the rounding of radial return."""


@njit(cache=True, error_model="numpy")
def rise(x):  # type: ignore[no-untyped-def]
    """Secant step5(x, −1, −1, 1, 1)/x, for x <= 1, and slope, x >= 0, of the quintic step of RecurDyn.

    step5(x, x0, h0, x1, h1) = h0 + (h1 − h0) (10 s³ − 15 s⁴ + 6 s⁵), s = (x − x0)/(x1 − x0) cut to [0, 1]: twice differentiable.
    """
    square = min(x, 1.0) ** 2
    secant = (15.0 + square * (3.0 * square - 10.0)) / 8.0
    return secant, 15.0 / 8.0 * (1.0 - square) ** 2


@njit(cache=True, error_model="numpy")
def profile(numbers, s):  # type: ignore[no-untyped-def]
    """m, m' and m/s (at s = 0 its limit, 0 of a set-valued law) at a speed, without the cap."""
    kind, a, b, c = int(numbers[0]), numbers[OWN], numbers[OWN + 1], numbers[OWN + 2]
    m, slope, at_rest = a, 0.0, 0.0
    if kind == FALLING:
        power = min((s / b) ** c, 745.0)  # exp underflows beyond
        raised = power * b / s if s > 0.0 else 1.0 if c == 1.0 else 0.0  # (s/b)^(c − 1)
        fall = np.exp(-power)
        m = a + (1.0 - a) * fall
        slope = -(1.0 - a) * (c / b * raised * fall)
    elif kind == ROOT:
        size = np.sqrt(s * s + a * a)
        return s / size, (a / size) ** 2 / size, 1.0 / size
    elif kind == STEPS:
        if s <= a:
            secant, rate = rise(s / a)
            return s / a * secant, rate / a, secant / a
        x = min(max((s - a) / (b - a), 0.0), 1.0)
        m = 1.0 + (c - 1.0) * (x * x * x * (10.0 + x * (6.0 * x - 15.0)))
        slope = (c - 1.0) / (b - a) * 30.0 * (x * (1.0 - x)) ** 2
    elif kind == SPLINE:
        last = numbers[OWN + int(a)]
        m, slope, _ = table_at(numbers, OWN, min(s, last))
        m, slope = max(m, 0.0), 0.0 if s > last else slope
        at_rest = slope if m == 0.0 else 0.0
    return m, slope, m / s if s > 0.0 else at_rest


@njit(cache=True, error_model="numpy")
def law_at(bristly, numbers, vx, vy, bx, by, tau):  # type: ignore[no-untyped-def]
    """λ/w (2) and its derivative (xx, xy, yx, yy) at a slip velocity, bristles bent by (bx, by) m at the stage's start."""
    s, cap = length(vx, vy), numbers[CAP]
    m, slope, secant = profile(numbers, s)
    if not bristly and m > cap and s > 0.0:
        secant, slope = cap / s, 0.0
    nx, ny = (vx / s, vy / s) if s > 0.0 else (0.0, 0.0)
    along = slope if s > 0.0 else secant
    fx, fy = secant * vx, secant * vy
    kxx, kxy = secant + (along - secant) * nx * nx, (along - secant) * nx * ny
    kyx, kyy = kxy, secant + (along - secant) * ny * ny
    bending = numbers[OWN + 3]
    if not bristly:
        return fx, fy, kxx, kxy, kyx, kyy
    if s <= numbers[OWN] and bending > 0.0:
        dx, dy = bx + tau * vx, by + tau * vy
        size = np.sqrt(dx * dx + dy * dy)
        risen, rate = rise(size / bending)
        turn = 1.0 / size if size > bending else risen / bending
        move = (rate / bending if size <= bending else 0.0) if size > 0.0 else turn
        ux, uy = (dx / size, dy / size) if size > 0.0 else (0.0, 0.0)
        Dx, Dy, rest, beta = turn * dx, turn * dy, 1.0 - m, slope
        fx, fy = fx + rest * Dx, fy + rest * Dy
        kxx += rest * tau * (turn + (move - turn) * ux * ux) - beta * Dx * nx
        kxy += rest * tau * (move - turn) * ux * uy - beta * Dx * ny
        kyx += rest * tau * (move - turn) * ux * uy - beta * Dy * nx
        kyy += rest * tau * (turn + (move - turn) * uy * uy) - beta * Dy * ny
    size = np.sqrt(fx * fx + fy * fy)
    if size > cap:
        ux, uy, share = fx / size, fy / size, cap / size
        lx, ly = ux * kxx + uy * kyx, ux * kxy + uy * kyy
        kxx, kxy = share * (kxx - ux * lx), share * (kxy - ux * ly)
        kyx, kyy = share * (kyx - uy * lx), share * (kyy - uy * ly)
        fx, fy = share * fx, share * fy
    return fx, fy, kxx, kxy, kyx, kyy


@njit(cache=True, error_model="numpy")
def bristle_energy(numbers, x, y):  # type: ignore[no-untyped-def]
    """ψ/w of bristles bent by (x, y) m: Δ_max times the integral of min(rise, cap) up to ``|Δ|``/Δ_max."""
    most, cap, crossing = numbers[OWN + 3], numbers[CAP], numbers[OWN + 4]
    if most == 0.0:
        return 0.0
    size = np.sqrt(x * x + y * y) / most
    inside = min(size, crossing, 1.0)
    square = inside * inside
    return most * (square * (15.0 + square * (square - 5.0)) / 16.0 + min(cap, 1.0) * (size - inside))


@njit(cache=True, error_model="numpy")
def _bending(numbers, x, y):  # type: ignore[no-untyped-def]
    """Bending velocity kappa v of the bristles, m/s, kappa = min(1, m)."""
    s = length(x, y)
    follows = 1.0 if s <= numbers[OWN] else profile(numbers, s)[0]
    return follows * x, follows * y


@njit(cache=True, error_model="numpy")
def bristle_end(numbers, bx, by, vx, vy, tau):  # type: ignore[no-untyped-def]
    """Deflection Δ + tau kappa v at the end of a stage, m, with radial return to ``|Δ| <= Δ_max``."""
    most, (x, y) = numbers[OWN + 3], _bending(numbers, vx, vy)
    dx, dy = bx + tau * x, by + tau * y
    size = np.sqrt(dx * dx + dy * dy)
    share = most / size if size > most else 1.0
    return share * dx, share * dy


@njit(cache=True, error_model="numpy")
def bristle_rate(numbers, bx, by, vx, vy):  # type: ignore[no-untyped-def]
    """Rate kappa v of the deflection, m/s, without its outward part where ``|Δ|`` has reached Δ_max; 0 without bristles."""
    most, (x, y), size = numbers[OWN + 3], _bending(numbers, vx, vy), np.sqrt(bx * bx + by * by)
    if most == 0.0:
        return 0.0, 0.0
    ux, uy = (bx / size, by / size) if size > 0.0 else (0.0, 0.0)
    outward = max(ux * x + uy * y, 0.0) if size >= FULL * most else 0.0
    return x - outward * ux, y - outward * uy


@njit(cache=True, error_model="numpy")
def profiles(numbers, s, out):  # type: ignore[no-untyped-def]
    """Write m, m' and m/s (3, N) at speeds s (N,)."""
    for i in range(len(s)):
        out[0, i], out[1, i], out[2, i] = profile(numbers, s[i])


@njit(cache=True, error_model="numpy")
def shares(bristly, numbers, v, start, tau, force, tangent):  # type: ignore[no-untyped-def]
    """Write λ/w (N, 2) and its derivative (N, 2, 2) at slip v (N, 2) m/s; ``bristly``: in a stage from bristles ``start`` (N, 2)
    m."""
    for i in range(len(v)):
        fx, fy, xx, xy, yx, yy = law_at(bristly, numbers, v[i, 0], v[i, 1], start[i, 0], start[i, 1], tau)
        force[i, 0], force[i, 1] = fx, fy
        tangent[i, 0, 0], tangent[i, 0, 1], tangent[i, 1, 0], tangent[i, 1, 1] = xx, xy, yx, yy


@njit(cache=True, error_model="numpy")
def bristles(numbers, start, v, tau, ends, rates, energy):  # type: ignore[no-untyped-def]
    """Write the deflections (N, 2) m after tau from ``start`` (N, 2) m, their rates (N, 2) m/s, and ψ/w (N,) m at the start."""
    for i in range(len(v)):
        ends[i, 0], ends[i, 1] = bristle_end(numbers, start[i, 0], start[i, 1], v[i, 0], v[i, 1], tau)
        rates[i, 0], rates[i, 1] = bristle_rate(numbers, start[i, 0], start[i, 1], v[i, 0], v[i, 1])
        energy[i] = bristle_energy(numbers, start[i, 0], start[i, 1])
