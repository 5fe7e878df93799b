"""A uniform disc that slides and spins on a rough plane under uniform pressure: force, moment, and the whole motion.

With ε = v/(Rω) the disc turns about a point εR from its centre. Sums of unit vectors about that point give the friction
force μ m g F(ε) and moment μ m g R T(ε) in complete elliptic integrals (Farkas et al., PRL 90, 2003, 248302), and with
dt = Rω/(μg) dσ the motion has no singularity at its end: ω' = −2 T ω, ε' = 2 ε T − F, and σ → ∞ as the disc stops.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk, ellipkm1


def force_and_moment(ratio: float) -> tuple[float, float]:
    """(F, T) at 0 ≤ ε ≤ 30 (beyond that the closed form cancels), dimensionless."""
    e = ratio
    if e < 1e-6:
        return e, 2.0 / 3.0 - e**2 / 2.0
    if e <= 1.0:
        big_e, big_k = ellipe(e * e), ellipkm1(1.0 - e * e) if e < 1.0 else 0.0
        force = 4.0 / (3.0 * np.pi * e) * ((e * e + 1.0) * big_e - (1.0 - e * e) * big_k)
        moment = 4.0 / (9.0 * np.pi) * ((4.0 - 2.0 * e * e) * big_e + (e * e - 1.0) * big_k)
        return float(force), float(moment)
    m = 1.0 / e**2
    big_e, big_k = ellipe(m), ellipk(m)
    force = 4.0 / (3.0 * np.pi) * ((e * e + 1.0) * big_e - (e * e - 1.0) * big_k)
    moment = 4.0 * e / (9.0 * np.pi) * ((4.0 - 2.0 * e * e) * big_e + (2.0 * e * e - 5.0 + 3.0 * m) * big_k)
    return float(force), float(moment)


def polar_force_and_moment(ratio: float, n: int = 400) -> tuple[float, float]:
    """(F, T) by the trapezoidal rule in the angle about the centre of rotation, for ε < 1: spectrally accurate."""
    angle = 2.0 * np.pi * (np.arange(n) + 0.5) / n
    reach = -ratio * np.cos(angle) + np.sqrt(1.0 - (ratio * np.sin(angle)) ** 2)
    force = np.mean(reach**2 * -np.cos(angle)) * -1.0
    about_pivot = np.mean(2.0 * reach**3 / 3.0)
    return float(abs(force)), float(about_pivot - ratio * abs(force))


def terminal_ratio() -> float:
    """The stable fixed point of ε' = 2 ε T − F: 0.6530."""
    return brentq(lambda e: 2.0 * e * force_and_moment(e)[1] - force_and_moment(e)[0], 0.3, 0.9, xtol=1e-14)


@dataclass(frozen=True)
class Stop:
    time: float
    distance: float
    angle: float


def stop(radius: float, speed: float, spin: float, mu_g: float) -> Stop:
    """Stopping time, distance and angle from v, ω > 0, relative accuracy about 1e-11."""

    def rate(_, y):
        log_spin, ratio = y[:2]
        force, moment = force_and_moment(ratio)
        omega = np.exp(log_spin)
        dt = radius * omega / mu_g
        return [-2.0 * moment, 2.0 * ratio * moment - force, dt, dt * ratio * radius * omega, dt * omega]

    start = [np.log(spin), speed / (radius * spin), 0.0, 0.0, 0.0]
    y = solve_ivp(rate, (0.0, 40.0 + 4.0 * start[1]), start, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    left = radius * np.exp(y[0]) / mu_g / (2.0 * force_and_moment(y[1])[1])  # linear to the end
    return Stop(y[2] + left, y[3], y[4])
