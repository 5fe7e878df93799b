"""Szefer's beam equations (3.15) to (3.18), solved on their own: in free-free modes, as a small ordinary differential equation.

Nothing of the computing code is used. The deflection is w = sum a_k(t) phi_k(X) with the modes of the free beam, orthogonal to 1
and X, so that the frame has its mean axes, A_y = P_y = B_y = L = 0, and x0 is the centre of mass. In body components, with
f the load and friction per length, c = -q V/|V| the friction, V = Q'x0' + omega J (X, w) + (0, w'):

    M x0'' = F,   (J_zz omega)' = M_z,   J_zz = rhoA [l^3/12 + int (w^2 - X int_0^X w'^2)],                       corrected (3.15)
    rhoA m_k (a_k'' - omega^2 a_k) + EJ k_k a_k = int f_y phi_k - int N w' phi_k',   m_k = int phi_k^2,   k_k = int phi_k''^2,
    N(X) = int_{-l/2}^X rhoA a_x - f_x,   a_x = A_0x - omega' w - omega^2 X - 2 omega w',                         corrected (3.17)

and as printed: friction -q sgn V_y in the beam's equation, no N, J_zz = rhoA l^3/12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = NDArray[np.float64]
REGULAR = 1e-4
"""Speed, m/s, that regularises V/|V| and sgn V_y here; it must be small beside the slip speeds."""


@dataclass(frozen=True)
class Modes:
    """The first free-free bending modes of a beam at n Gauss points: X, weights (n,) m; phi, slope (modes, n); mass m_k m,
    stiffness k_k 1/m^3 and wave numbers beta 1/m (modes,); tail (n, n) m: tail @ f is the integral of f from X to l/2.
    """

    length: float
    X: Array
    weights: Array
    phi: Array
    slope: Array
    mass: Array
    stiffness: Array
    beta: Array
    tail: Array

    def at(self, X: Array) -> Array:
        """Shapes phi (modes, len(X)) at the places X, m."""
        return np.array([_mode(k, b, X, self.length)[0] for k, b in enumerate(self.beta)])


def _mode(number: int, beta: float, X: Array, length: float) -> tuple[Array, Array]:
    """Shape phi and slope phi' of mode `number`: even ones symmetric in X, odd ones antisymmetric; phi(l/2) = 2."""
    half = 0.5 * beta * length
    if number % 2 == 0:
        phi = np.cosh(beta * X) / np.cosh(half) + np.cos(beta * X) / np.cos(half)
        return phi, beta * (np.sinh(beta * X) / np.cosh(half) - np.sin(beta * X) / np.cos(half))
    phi = np.sinh(beta * X) / np.sinh(half) + np.sin(beta * X) / np.sin(half)
    return phi, beta * (np.cosh(beta * X) / np.sinh(half) + np.cos(beta * X) / np.sin(half))


def free_modes(length: float, count: int, points: int = 60) -> Modes:
    """First `count` modes: tan x + tanh x = 0 (symmetric), tan x = tanh x (antisymmetric), x = beta l/2."""
    beta = np.empty(count)
    for k in range(count):
        sign, near = (1.0, (k // 2 + 0.75) * np.pi) if k % 2 == 0 else (-1.0, (k // 2 + 1.25) * np.pi)
        root = brentq(lambda x, s=sign: np.sin(x) + s * np.tanh(x) * np.cos(x), near - 0.3, near + 0.3, xtol=1e-14)
        beta[k] = 2.0 * root / length
    s, weight = np.polynomial.legendre.leggauss(points)
    X, weights = 0.5 * length * s, 0.5 * length * weight
    phi, slope = (np.array(part) for part in zip(*(_mode(k, b, X, length) for k, b in enumerate(beta)), strict=True))
    mass = phi**2 @ weights
    return Modes(length, X, weights, phi, slope, mass, beta**4 * mass, beta, 0.5 * length * _tail(s, weight))


def _tail(s: Array, weight: Array) -> Array:
    """Matrix (n, n) of int_s^1 at Gauss points s: f = sum c_k P_k, c_k = (k + 1/2) sum weight P_k f, and
    int_s^1 P_k = (P_k-1(s) - P_k+1(s))/(2k + 1), int_s^1 P_0 = 1 - s."""
    n = len(s)
    P = np.polynomial.legendre.legvander(s, n)
    k = np.arange(n)
    integrals = np.column_stack([1.0 - s, (P[:, : n - 1] - P[:, 2:]) / (2 * k[1:] + 1)])
    return integrals @ ((k + 0.5)[:, None] * (P[:, :n].T * weight))


@dataclass(frozen=True)
class FreeBeam:
    """A thrown beam under a force P N along y in space at its right end until `until` s: rho A kg/m, EJ N m^2, friction q N/m."""

    modes: Modes
    line_density: float
    bending: float
    friction: float
    velocity: tuple[float, float]
    spin: float
    force: float
    until: float

    def solve(self, times: Array, *, bent: float = 0.0, printed: bool = False) -> dict[str, Array]:
        """Motion at `times` (T,) s, increasing from 0 on: x0, velocity (T, 2) m, m/s; angle, spin (T,) rad, rad/s; amplitudes of
        the modes and amplitude_rates (T, modes) m, m/s.

        The beam starts bent by `bent` m times the first mode. RuntimeError where the integrator gives up.
        """
        count, end = len(self.modes.beta), float(times[-1])
        state = np.zeros(6 + 2 * count)
        state[3:6], state[6] = (*self.velocity, self.spin), bent
        y = np.empty((len(times), len(state)))
        y[0] = state
        for begin, until, force in ((0.0, min(self.until, end), self.force), (min(self.until, end), end, 0.0)):
            if until <= begin:
                continue
            given: dict[str, Any] = {"args": (force, printed), "method": "DOP853", "rtol": 1e-9, "atol": 1e-12}
            solution = solve_ivp(self._rate, (begin, until), state, dense_output=True, **given)
            if not solution.success:
                raise RuntimeError(f"the reduced beam equations could not be integrated: {solution.message}")
            within = (times > begin) & (times <= until)
            y[within], state = solution.sol(times[within]).T, solution.y[:, -1]
        motion = {"x0": y[:, :2], "angle": y[:, 2], "velocity": y[:, 3:5], "spin": y[:, 5]}
        return motion | {"amplitudes": y[:, 6 : 6 + count], "amplitude_rates": y[:, 6 + count :]}

    def _rate(self, t: float, y: Array, force: float, printed: bool) -> Array:
        m, rho, count = self.modes, self.line_density, len(self.modes.beta)
        angle, spin, a, a1 = y[2], y[5], y[6 : 6 + count], y[6 + count :]
        c, s = np.cos(angle), np.sin(angle)
        V0 = np.array([c * y[3] + s * y[4], -s * y[3] + c * y[4]])
        w, w1, slope = a @ m.phi, a1 @ m.phi, a @ m.slope
        Vx, Vy = V0[0] - spin * w, V0[1] + spin * m.X + w1
        speed = np.sqrt(Vx**2 + Vy**2 + REGULAR**2)
        fx, fy = -self.friction * Vx / speed, -self.friction * Vy / speed
        px, py, tip = (
            s * force,
            c * force,
            float(2.0 * a.sum()),
        )  # the end's force in body components, the end's deflection
        Fx, Fy = fx @ m.weights + px, fy @ m.weights + py
        Mz = (m.X * fy - w * fx) @ m.weights + 0.5 * m.length * py - tip * px
        A0 = np.array([Fx, Fy]) / (rho * m.length)
        J: Any = rho * m.length**3 / 12.0
        J1: Any = 0.0
        if not printed:
            # int X int_0^X w'^2 = int (l^2/4 - X^2)/2 w'^2, by parts
            arm = 0.5 * (0.25 * m.length**2 - m.X**2)
            J = J + rho * ((w**2 - arm * slope**2) @ m.weights)
            J1 = 2.0 * rho * ((w * w1 - arm * slope * (a1 @ m.slope)) @ m.weights)
        spin_rate = (Mz - J1 * spin) / J
        lateral = -self.friction * Vy / np.sqrt(Vy**2 + REGULAR**2) if printed else fy
        push = m.phi @ (lateral * m.weights) + 2.0 * py
        if not printed:
            ax = A0[0] - spin_rate * w - spin**2 * m.X - 2.0 * spin * w1
            # N(X) from the right end, where the force px acts: N(l/2) = px.
            N = px - m.tail @ (rho * ax - fx)
            push -= m.slope @ (N * slope * m.weights)
        a2 = spin**2 * a + (push - self.bending * m.stiffness * a) / (rho * m.mass)
        return np.concatenate([y[3:6], [c * A0[0] - s * A0[1], s * A0[0] + c * A0[1], spin_rate], a1, a2])


def translating(modes: Modes, line_density: float, bending: float, amplitude: float, times: Array, X: Array) -> Array:
    """Deflection w (T, len(X)) m of (3.18) under a load amplitude sin(pi (X/l + 1/2)) N/m, from rest, while V_y > 0 everywhere.

    Friction and every uniform load are then constant along the beam: they move it and do not excite the modes,
    a_k = P_k/(EJ k_k) (1 - cos omega_k t), P_k = int p phi_k, omega_k^2 = EJ k_k/(rhoA m_k).
    """
    load = amplitude * np.sin(np.pi * (modes.X / modes.length + 0.5))
    pushes = modes.phi @ (load * modes.weights)
    frequency = np.sqrt(bending * modes.stiffness / (line_density * modes.mass))
    course = (1.0 - np.cos(np.outer(times, frequency))) * pushes / (bending * modes.stiffness)
    return np.asarray(course @ modes.at(X))
