"""Stationary spin of an elastic disc or annulus: plane-stress closed form, and St. Venant-Kirchhoff by collocation."""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_bvp


@dataclass(frozen=True)
class Spin:
    """Disc (inner 0) or annulus of radii m, E Pa, nu, density kg/m³, spinning at ``spin`` rad/s."""

    inner: float
    outer: float
    E: float
    nu: float
    density: float
    spin: float

    def linear(self, r):
        """(u, σ_r, σ_θ) at r (n,), m and Pa, of Hooke's law (Timoshenko & Goodier, Theory of Elasticity, art. 32).

        Equilibrium (r σ_r)' − σ_θ + ρω²r² = 0 with u = C₁ r + C₂/r − (1 − ν²) ρω² r³/(8E) and σ_r = 0 on the rims.
        """
        a, b, nu = self.inner, self.outer, self.nu
        load = self.density * self.spin**2
        hole = (a * b / r) ** 2
        radial = (3 + nu) / 8 * load * (a**2 + b**2 - hole - r**2)
        hoop = (3 + nu) / 8 * load * (a**2 + b**2 + hole - (1 + 3 * nu) / (3 + nu) * r**2)
        return r * (hoop - nu * radial) / self.E, radial, hoop

    def finite(self):
        """u(r) of St. Venant-Kirchhoff in plane stress, a function of reference radii (n,), m.

        With λ = x', v = x/r, S_r = E/(1 − ν²) (E_r + ν E_θ), E_r = (λ² − 1)/2, E_θ = (v² − 1)/2, p = λ S_r, equilibrium is
        (r p)' − v S_θ + ρω² r² v = 0; p = 0 on free rims, λ = v in the centre of a disc. Collocation for v and p, lengths
        over the outer radius, stresses over E/(1 − ν²); λ from p by Newton.
        """
        start = max(self.inner / self.outer, 1e-3)
        load = self.density * (self.spin * self.outer) ** 2 * (1 - self.nu**2) / self.E

        def along(v, p):
            hoop = 0.5 * self.nu * (v**2 - 1)
            stretch = np.ones_like(v)
            for _ in range(50):
                excess = stretch * (0.5 * (stretch**2 - 1) + hoop) - p
                step = excess / (1.5 * stretch**2 - 0.5 + hoop)
                stretch = stretch - step
                if np.abs(step).max() < 1e-14:
                    break
            return stretch

        def slope(r, y):
            v, p = y
            stretch = along(v, p)
            S_around = 0.5 * (v**2 - 1) + 0.5 * self.nu * (stretch**2 - 1)
            return np.stack([(stretch - v) / r, (v * S_around - p) / r - load * r * v])

        def ends(left, right):
            inner = left[1] if self.inner > 0 else along(left[:1], left[1:])[0] - left[0]
            return np.array([inner, right[1]])

        r = np.linspace(start, 1.0, 200)
        u, radial, _ = self.linear(r * self.outer)
        guess = np.stack([1 + u / (r * self.outer), radial * (1 - self.nu**2) / self.E])
        found = solve_bvp(slope, ends, r, guess, tol=1e-8, max_nodes=20000)
        assert found.success, found.message
        return lambda radius: (found.sol(np.maximum(radius / self.outer, start))[0] - 1.0) * radius
