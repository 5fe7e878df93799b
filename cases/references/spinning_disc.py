"""The rigid uniform disc that slides and spins: friction in closed form, motion by quadrature.

Z. Farkas, G. Bartels, T. Unger, D. E. Wolf, Frictional coupling between sliding and spinning motion, Phys.
Rev. Lett. 90 (2003) 248302. A disc of radius R, mass m, under a uniform pressure of resultant N, runs at v
and spins at w. With eps = v/(R w) its friction force and torque about the centre are

    F = mu N f(eps)   against v,        T = mu N R g(eps)   against w,

f and g given by complete elliptic integrals (derived in polar coordinates about the instantaneous centre of
rotation). With v = c sin(phi), R w sqrt(1/2) = c cos(phi), so that the kinetic energy is m c^2/2, and a = mu
N/m,

    dc/dt = -a h(phi),        h = f sin(phi) + sqrt(2) g cos(phi)
    c dphi/dt = -a k(phi),    k = f cos(phi) - sqrt(2) g sin(phi)

which is singular where the motion ends, c = 0. In s = -ln c the ratio's equation dphi/ds = -k/h is
autonomous, and time, distance and angle are integrals of decaying exponentials. The ratio tends to the zero
of k, v/(R w) = 0.6530.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]

SOURCE = "Farkas, Bartels, Unger, Wolf, PRL 90 (2003) 248302"


def friction_force(ratio: ArrayLike) -> Array:
    """Friction force f(eps) = F/(mu N) of a uniform disc for eps = v/(R w) >= 0, any shape."""
    eps = np.asarray(ratio, dtype=float)
    small = np.where(eps < 1, eps, 1 / np.maximum(eps, 1.0))
    e, k, d = _elliptic(small)
    force = 4 / (3 * np.pi) * (e + k - d)
    return np.where(eps == 1, 8 / (3 * np.pi), np.where(eps < 1, eps, 1.0) * force)


def friction_torque(ratio: ArrayLike) -> Array:
    """Friction torque g(eps) = T/(mu N R) of a uniform disc for eps = v/(R w) >= 0, any shape."""
    eps = np.asarray(ratio, dtype=float)
    small = np.where(eps < 1, eps, 1 / np.maximum(eps, 1.0))
    m = small**2
    e, k, d = _elliptic(small)
    inside = (4 - 2 * m) * e - (1 - m) * k
    with np.errstate(divide="ignore", invalid="ignore"):
        outside = np.where(small < 0.3, small * _torque_series(m), (2 * d - k + m * (3 * k - 4 * d)) / small)
    return 4 / (9 * np.pi) * np.where(eps == 1, 2.0, np.where(eps < 1, inside, outside))


def _elliptic(modulus: Array) -> tuple[Array, Array, Array]:
    """E, K and D = (K - E)/modulus^2 (by Carlson's R_D: no cancellation); K = D = 0 at modulus 1,
    unused there.
    """
    m = modulus**2
    rest = np.where(modulus == 1, 1.0, (1 - modulus) * (1 + modulus))
    return scipy.special.ellipe(m), scipy.special.ellipkm1(rest), scipy.special.elliprd(0.0, rest, 1.0) / 3


def _torque_series(m: Array) -> Array:
    """(2 D - K + m (3 K - 4 D))/m by its power series in m < 0.1; the closed form cancels there."""
    a = np.cumprod(((2 * np.arange(1, 21) - 1) / (2 * np.arange(1, 21))) ** 2)
    n = np.arange(1, 21)
    coefficients = np.pi / 2 * (a * n / (n + 1) + np.concatenate([[1.0], a[:-1]]) * (3 - 2 * (2 * n - 1) / n))
    return np.asarray(np.polynomial.polynomial.polyval(m, coefficients), float)


def _rates(phi: Array) -> tuple[Array, Array]:
    """h and k (see the top) at the angle phi in [0, pi/2]."""
    sine, cosine = np.sin(phi), np.cos(phi)
    # R w = sqrt(2) c cos(phi)
    ratio = sine / np.maximum(np.sqrt(2) * cosine, 1e-300)
    f, g = friction_force(ratio), friction_torque(ratio)
    return f * sine + np.sqrt(2) * g * cosine, f * cosine - np.sqrt(2) * g * sine


def terminal_ratio() -> float:
    """Ratio v/(R w) at which a uniform disc that slides and spins comes to rest, 0.6530."""
    phi = scipy.optimize.brentq(lambda p: _rates(np.array(p))[1], 0.1, 1.5, xtol=1e-15)
    return float(np.tan(phi) / np.sqrt(2))


def ratio_path(ratio: float, size: ArrayLike) -> Array:
    """Ratio v/(R w) of a disc thrown with `ratio` > 0, when c has fallen to `size` (n,) of its start; 1 >= size > 0.

    Accurate to about 1e-11.
    """
    left = -np.log(np.asarray(size, dtype=float))
    start = [np.arctan(np.sqrt(2) * ratio)]

    def derivative(s: float, y: Array) -> Array:
        h, k = _rates(y)
        return -k / h

    end = float(left.max(initial=0.0)) + 1e-9
    done = scipy.integrate.solve_ivp(
        derivative, (0.0, end), start, method="DOP853", rtol=1e-12, atol=1e-14, dense_output=True
    )
    return np.asarray(np.tan(done.sol(left)[0]) / np.sqrt(2))


@dataclass(frozen=True)
class Stop:
    """When and where a disc stops: `time` s, `distance` m along its first direction, `angle` rad, signed as
    the spin.

    `ratio`: v/(R w) in the end; 0 without translation, infinite without spin.
    """

    time: float
    distance: float
    angle: float
    ratio: float


def stop(radius: float, deceleration: float, speed: float, spin: float, *, decades: float = 17.0) -> Stop:
    """Stop of a uniform disc with `deceleration` a = mu N/m m/s2, from `speed` >= 0 m/s and `spin`
    rad/s.

    Accurate to about 1e-12 of each value. `decades`: of decay of the speed that the quadrature covers.
    """
    size = float(np.hypot(speed, radius * spin / np.sqrt(2)))
    if size == 0:
        return Stop(0.0, 0.0, 0.0, 0.0)
    if spin == 0:
        return Stop(speed / deceleration, speed**2 / (2 * deceleration), 0.0, np.inf)

    def derivative(s: float, y: Array) -> Array:
        h, k = _rates(y[0])
        decay = np.exp(-s)
        return np.array([-k / h, decay / h, decay**2 * np.sin(y[0]) / h, decay**2 * np.cos(y[0]) / h])

    start = [np.arctan2(speed, radius * abs(spin) / np.sqrt(2)), 0.0, 0.0, 0.0]
    end = decades * np.log(10)
    done = scipy.integrate.solve_ivp(derivative, (0.0, end), start, method="DOP853", rtol=1e-13, atol=1e-15)
    phi, time, distance, angle = done.y[:, -1]
    length = size**2 / deceleration
    return Stop(
        time=float(time * size / deceleration),
        distance=float(distance * length),
        angle=float(np.sign(spin) * angle * length * np.sqrt(2) / radius),
        ratio=float(np.tan(phi) / np.sqrt(2)),
    )


def stop_time(data: xr.Dataset) -> float | None:
    """Time at which a body stops, s; None where it still moves at the end.

    The square root of the kinetic energy falls linearly to zero at the end, which gives the instant inside
    its step.
    """
    energy, times = data.energy_kinetic.values, data.time.values
    moving = np.flatnonzero(energy > 0)
    if moving.size == len(times):
        return None
    if moving.size < 2:
        return float(times[moving.size])
    last = moving[-1]
    before, now = np.sqrt(energy[last - 1 : last + 1])
    left = now * (times[last] - times[last - 1]) / max(before - now, 1e-300)
    return float(min(times[last] + left, times[last + 1]))


def last_ratio(data: xr.Dataset, radius: float, *, rigid: bool) -> float | None:
    """Ratio v/(R omega) just before the stop; None without sliding and spinning, or without a stop.

    It is taken at the last stored instant that has the speed for at least one more interval of sliding. An elastic
    disc quivers when it stops: there, at the last instant with over 2 % of the initial speed.
    """
    speed, spin = np.hypot(*data.frame_velocity.values.T), data.frame_spin.values
    size = np.sqrt(data.energy_kinetic.values)
    if size[-1] > 0 or speed[0] == 0 or spin[0] == 0:
        return None
    least = np.append(0.0, -np.diff(size)) if rigid else 0.02 * size[0]
    moving = np.flatnonzero((size >= least) & (np.abs(spin) > 0))
    return float(speed[moving[-1]] / (radius * abs(spin[moving[-1]]))) if moving.size else None
