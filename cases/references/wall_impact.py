"""A point mass that runs into a spring-damper wall: duration, penetration and rebound in closed form.

m d'' = -f_n(d, d') from d = 0, d' = v. Without a damper energy is kept, and with f_n = k d^n

    d_max = ((n + 1) m v^2/(2 k))^(1/(n+1)),   T = (2 d_max/v) sqrt(pi) G(1 + p)/G(1/2 + p),   p = 1/(n + 1)

(G the gamma function; n = 1: T = pi sqrt(m/k), n = 3/2: Hertz). With f_n = k d + c d', a = c/2m and w^2 = k/m - a^2,

    d = (v/w) exp(-a t) sin(w t),   d' = 0 at tan(w t) = w/a,   f_n = 0, that is d'' = 0, at tan(w t) = 2 a w/(a^2 - w^2),

which comes before d = 0: a force that may not pull lets go there. Where a^2 > k/m w is imaginary, and the formulas hold.
"""

from __future__ import annotations

import cmath
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cases.app.parts import laws
from cases.app.parts.wall_contact.friction import friction
from cases.app.parts.wall_contact.shapes import wall_normal

if TYPE_CHECKING:
    from cases.app.parts.wall_contact.parameters import ObstacleParameters

Array = NDArray[np.float64]


class Impact(NamedTuple):
    """Duration s, largest penetration m, and restitution: rebound speed over impact speed."""

    duration: float
    penetration: float
    restitution: float


def undamped(mass: float, stiffness: float, exponent: float, speed: float) -> Impact:
    """Impact on f_n = k d^n."""
    p = 1.0 / (exponent + 1.0)
    depth = ((exponent + 1.0) * mass * speed**2 / (2.0 * stiffness)) ** p
    shape = math.sqrt(math.pi) * math.gamma(1.0 + p) / math.gamma(0.5 + p)
    return Impact(2.0 * depth / speed * shape, depth, 1.0)


def force(mass: float, stiffness: float, damping: float, exponent: float, speed: float) -> tuple[Array, Array]:
    """Times (n,) s from the first touch and f_n (n,) N of the impact on k d^n, or k d + c d', until it lets go."""
    import scipy.integrate

    def f_n(d: Array, rate: Array) -> Array:
        return np.asarray(stiffness * np.maximum(d, 0.0) ** exponent + damping * rate)

    end = (undamped(mass, stiffness, exponent, speed) if damping == 0.0 else damped(mass, stiffness, damping, speed))[0]
    times = np.linspace(0.0, end, 201)
    solution = scipy.integrate.solve_ivp(
        lambda t, y: [y[1], -f_n(y[0], y[1]) / mass], (0.0, end), [0.0, speed], t_eval=times, rtol=1e-10, atol=1e-14
    )
    return times, f_n(*solution.y)


def damped(mass: float, stiffness: float, damping: float, speed: float) -> Impact:
    """Impact on f_n = k d + c d', f_n >= 0."""
    a = damping / (2.0 * mass)
    w = cmath.sqrt(stiffness / mass - a * a)
    if abs(w) < 1e-9 * math.sqrt(stiffness / mass):  # aperiodic limit: sin(w t)/w -> t
        w = complex(1e-6 * math.sqrt(stiffness / mass))
    turn = (cmath.atan(w / a) / w).real if damping > 0.0 else 0.5 * math.pi / w.real
    if w.imag == 0.0:
        end = math.atan2(2.0 * a * w.real, a * a - w.real**2) / w.real
    else:
        end = (cmath.atanh(2.0 * a * w.imag / (a * a + w.imag**2)) / w.imag).real
    depth = (cmath.exp(-a * turn) * cmath.sin(w * turn) / w).real * speed
    rebound = -(cmath.exp(-a * end) * (cmath.cos(w * end) - a * cmath.sin(w * end) / w)).real
    return Impact(end, depth, rebound)


def mass(params: ObstacleParameters) -> float:
    """Mass of the plate, kg."""
    return params.density * params.thickness * params.length * params.width


def approach(params: ObstacleParameters) -> float:
    """Speed at which the plate comes towards the obstacle along its normal, m/s."""
    return -float(np.array([params.vx0 - params.wall_vx, params.vy0]) @ wall_normal(params))


def straight(params: ObstacleParameters) -> bool:
    """True for a straight wall across the plate's path."""
    return params.obstacle == "line" and params.wall_angle == 0


def linear(params: ObstacleParameters) -> bool:
    """True for a spring and a damper with linear laws."""
    return (params.m1, params.m2, params.m3, params.onset) == (1, 1, 0, 0)


def exact(params: ObstacleParameters) -> Impact | None:
    """Impact in closed form: a rigid plate, squarely against a straight wall, with a known force; else None."""
    square = straight(params) and params.spin0 == 0 and params.edge == "right"
    smooth = laws.frictionless(params) and (friction(params)[1] == 0 or params.vy0 == 0)
    if not (square and smooth and params.body == "rigid" and approach(params) > 0):
        return None
    if params.contact == "signorini":
        return Impact(0.0, 0.0, params.restitution)
    m, v = mass(params), approach(params)
    splines = params.stiffness_spline or params.damping_spline
    if splines or (params.damping > 0 and (params.tensile or not linear(params))):
        return None
    if linear(params):
        impact = damped(m, params.stiffness, params.damping, v)
    else:
        impact = undamped(m, params.stiffness, params.m1, v)
    return impact if params.distance / v + impact.duration < params.t_end else None


def exact_force(params: ObstacleParameters) -> tuple[Array, Array]:
    """Times (n,) s from the first touch and contact force (n,) N of a rigid plate's impact (see ``exact``)."""
    damping = params.damping if linear(params) else 0.0
    return force(mass(params), params.stiffness, damping, params.m1, approach(params))


def wave(params: ObstacleParameters) -> tuple[float, str] | None:
    """Duration of the contact of an elastic plate with a straight, hard wall, s: a wave runs through it and back."""
    bar = params.E * params.width * params.thickness / params.length
    hard = params.contact == "signorini" or (params.m1 == 1 and params.stiffness >= 20 * bar)
    if params.body == "elastic" and straight(params) and hard:
        return 2 * params.length * math.sqrt(params.density / params.E), "2 L/c, a bar against a hard wall"
    return None
