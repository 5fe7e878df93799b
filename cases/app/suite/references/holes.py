"""A plate with a hole on a rough base: the rotational wave from a shear stress at the rim, its front and its residual
displacements.

A shear stress τ₀ acts on the rim r₀ from t = 0 on (Filippov 2024). With the rotational velocity v(r, t),

    ρ v_t = τ_r + 2τ/r − F,   τ_t = G (v_r − v/r),   F = f sgn v, |F| <= f where v = 0,

f the friction per volume, c² = G/ρ, V = ρcv. Along dr = ±c dt

    dp/dr = −(V + 2τ)/r + F,  p = τ − V;        −dq/dr = (2τ − V)/r − F,  q = τ + V.

*Front.* Ahead of r₀ + ct the plate is at rest and q = 0, so that V = −τ just behind it, and dp/dr gives d(V√r)/dr = −(f/2)√r,

    V√r = τ₀√r₀ − (f/3)(r^{3/2} − r₀^{3/2}):   the front dies at   r* = r₀ (1 + 3 τ₀/(f r₀))^{2/3}.

*Behind it* p and q are integrated on the grid Δr = cΔt by the trapezoidal rule, friction as an impulse that stops nodes before they
reverse, the front with its values in closed form. Errors fall with the square of Δr."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from cases.app.suite.references import expect
from cases.app.suite.schema import Problem

Array = NDArray[np.float64]
RINGS = 3200
"""Grid intervals from the rim to r*: the error of residual displacements is 2e-6 of the rim's."""


def front_radius(radius: float, stress: float, friction: float) -> float:
    """r* m at which the front from a hole of ``radius`` m dies, under τ₀ = ``stress`` Pa and f = ``friction`` N/m³."""
    return float(radius * (1.0 + 3.0 * stress / (friction * radius)) ** (2.0 / 3.0))


class Residual(NamedTuple):
    """Radii r (n,) m, residual displacements u (n,) m, and the time of arrest, s."""

    radius: Any
    displacement: Any
    arrest: float


def residual(hole: float, stress: float, friction: float, shear: float, density: float, rings: int = RINGS) -> Residual:
    """Residual rotational displacements around a hole of radius ``hole`` m; stress Pa, friction N/m³, shear modulus Pa."""
    speed = math.sqrt(shear / density)
    end = front_radius(hole, stress, friction)
    h = (end - hole) / rings
    r = hole + h * np.arange(rings + 2)
    front = np.maximum(stress * math.sqrt(hole) - friction / 3.0 * (r**1.5 - hole**1.5), 0.0) / np.sqrt(r)
    V, tau, F, u = (np.zeros_like(r) for _ in range(4))
    V[0], tau[0], F[0] = stress, -stress, friction
    a, half, steps = 0.5 * h / r, 0.5 * h, 0
    while steps < rings or np.any(V):
        before = V
        p, q = tau - V - a * (V + 2.0 * tau) + half * F, tau + V + a * (2.0 * tau - V) - half * F
        p, q = np.append(0.0, p[:-1]), np.append(q[1:], 0.0)
        mean, drive, size = 0.5 * (p + q), 0.5 * (q - p) + a * (p + q), 1.0 + 2.0 * a * a
        drive[0], size[0] = q[0] - 2.0 * a[0] * stress + stress, 1.0 + a[0]
        V = np.sign(drive) * np.maximum(np.abs(drive) - half * friction, 0.0) / size
        F, tau = (drive - size * V) / half, mean - a * V
        tau[0] = -stress
        steps += 1
        if steps < rings:
            V[steps], tau[steps], F[steps] = front[steps], -front[steps], friction
            V[steps + 1 :] = tau[steps + 1 :] = F[steps + 1 :] = 0.0
        u = u + half * (before + V)
        if steps < rings:
            u[steps] -= half * V[steps]  # the front arrives at the end of the step
    return Residual(r, u / (density * speed**2), steps * h / speed)


def filippov_plate(problem: Problem) -> dict[str, float]:
    """Radius at which the front dies, and residual displacements of the rim and of the probes."""
    p, body = problem.parameters, problem.body
    assert body.inner_radius is not None
    shear = body.young / (2.0 * (1.0 + body.poisson))
    friction = p["traction"] / body.thickness
    known = residual(body.inner_radius, p["stress"], friction, shear, body.density)
    expect(known.arrest < problem.time.end, "the plate is at rest before the end")
    places = CubicSpline(known.radius, known.displacement)
    return {
        "front_radius": front_radius(body.inner_radius, p["stress"], friction),
        **{f"turned_{name}": float(places(place[0])) for name, place in problem.probes.items()},
    }
