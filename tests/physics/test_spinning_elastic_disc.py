"""A disc and an annulus spinning without friction: stationary at the closed form, or at finite strain at its collocation.

A body thrown with the exact stationary displacement and spin neither vibrates nor changes its spin; what it does of both
because of its cells and steps falls with their square.
"""

import functools
from dataclasses import dataclass

import numpy as np
import pytest
from convergence import observed_orders
from scipy.integrate import solve_bvp

import fem
from floating_frame import InitialState, Options, Problem, assemble, simulate

E, NU, DENSITY, OUTER = 1e6, 0.3, 1000.0, 0.1
CROSSING = OUTER / np.sqrt(E / DENSITY)  # s, in which a rod wave runs one radius
SMALL, LARGE = 1e-4, 0.3  # ρ (ω R)²/E
BODIES = {"disc": (0.0, "P1"), "annulus": (0.03, "Q1")}


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
        computed = solve_bvp(slope, ends, r, guess, tol=1e-8, max_nodes=20000)
        assert computed.success, computed.message
        return lambda radius: (computed.sol(np.maximum(radius / self.outer, start))[0] - 1.0) * radius


def spin(inner, load):
    return Spin(inner, OUTER, E, NU, DENSITY, np.sqrt(load * E / DENSITY) / OUTER)


def plate(inner, element, nr, material):
    cell = "triangle" if element == "P1" else "quadrilateral"
    mesh = fem.annulus(inner, OUTER, nr, 4 * nr, cell) if inner else fem.disc(OUTER, nr, 6 * nr)
    return fem.Plate.build(mesh, thickness=0.01, density=DENSITY, material=material(E, NU), element=element)


def radial(body, u):
    """The field (N, 2) of radial displacements u(r)."""
    r = np.hypot(*body.X.T)
    return body.X / np.where(r > 0, r, 1.0)[:, None] * u(r)[:, None]


def flight(exact, body, displacement, steps_per_cell=2.5, crossings=3.0):
    """(vibration, change of spin, trajectory): largest relative changes over some crossings, in the mass-weighted norm."""
    cells = round(float(np.sqrt(len(body.X) / 6)))
    dt = CROSSING / (steps_per_cell * cells)
    start = InitialState(spin=exact.spin, displacement=displacement)
    run = simulate(assemble(Problem(body, crossings * CROSSING, initial=start), Options(dt, stress=True)))
    weight = body.nodal_area[:, None]
    size = np.sqrt(np.sum(weight * displacement**2))
    moved = np.sqrt(np.sum(weight * (run.displacement.values - displacement) ** 2, axis=(1, 2)))
    return moved.max() / size, np.abs(run.frame_spin.values / exact.spin - 1.0).max(), run


def linear(exact):
    return lambda r: exact.linear(np.maximum(r, 1e-9 * OUTER))[0]


@functools.cache
def small_flight(name, nr):
    """(body, displacement, and what `flight` returns) of a small-strain body thrown with the closed form."""
    inner, element = BODIES[name]
    exact, body = spin(inner, SMALL), plate(inner, element, nr, fem.SmallStrain)
    displacement = radial(body, linear(exact))
    return body, displacement, *flight(exact, body, displacement)


def large_flight(name, nr):
    """The same at finite strain, with the finite-strain solution."""
    inner, element = BODIES[name]
    exact, body = spin(inner, LARGE), plate(inner, element, nr, fem.StVenantKirchhoff)
    displacement = radial(body, exact.finite())
    return body, displacement, *flight(exact, body, displacement)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize(("load", "thrown"), [(SMALL, small_flight), (LARGE, large_flight)])
@pytest.mark.quick("0.0001-small_flight-annulus")
def test_a_body_thrown_with_the_stationary_solution_stays_stationary_to_second_order(name, load, thrown):
    computed = []
    for nr in (4, 8, 16):
        _, displacement, vibration, change, run = thrown(name, nr)
        computed.append(np.array([vibration, change]))
    turned = 3.0 * CROSSING * spin(BODIES[name][0], load).spin
    assert float(run.frame_angle[-1]) == pytest.approx(turned, rel=1e-3)
    assert np.abs(displacement).max() > 0.1 * load * OUTER
    orders = observed_orders(computed)
    assert np.all((orders > 1.85) & (orders < 2.15)), (computed, orders)
    assert np.all(computed[-1] > 1e-4 * np.array([1.0, load]))
    assert np.all(computed[-1] < np.array([1e-2, 3e-3 * load]))


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.quick("annulus")
def test_at_finite_strain_the_linear_solution_makes_it_vibrate(name):
    """The finite-strain solution keeps the body still; other displacements of about its size do not."""
    inner, element = BODIES[name]
    exact = spin(inner, LARGE)
    body = plate(inner, element, 8, fem.StVenantKirchhoff)
    still, steady, _ = flight(exact, body, radial(body, exact.finite()))
    shaken, unsteady, _ = flight(exact, body, radial(body, linear(exact)))
    assert shaken > 6.0 * still
    assert unsteady > 3.0 * steady
    assert shaken > 0.05


@pytest.mark.parametrize("inner", [0.0, 0.03])
def test_the_finite_strain_solution_is_the_closed_form_to_first_order_in_the_load(inner):
    r = np.linspace(max(inner, 0.1 * OUTER), OUTER, 9)
    gaps = []
    for load in (0.04, 0.02, 0.01):
        exact = spin(inner, load)
        gaps.append(np.abs(exact.finite()(r) - exact.linear(r)[0]).max() / exact.linear(r)[0].max())
    assert 1e-4 < gaps[-1] < 0.01
    np.testing.assert_allclose(observed_orders(gaps), 1.0, atol=0.06)


@pytest.mark.parametrize(("name", "order"), [("disc", 1), ("annulus", 2)])
@pytest.mark.quick("annulus-2")
def test_stresses_of_the_spinning_body_are_those_of_the_closed_form(name, order):
    """Radial and hoop stress at the middles of cells away from rims and centre: of first order in P1, of second in Q1 cells."""
    inner, _ = BODIES[name]
    exact, errors = spin(inner, SMALL), []
    for nr in (4, 8, 16):
        body, *_, run = small_flight(name, nr)
        stress = run.stress.values[-1]
        middle = body.X[body.cells].mean(axis=1)
        r = np.hypot(*middle.T)
        inside = (r > max(inner, 0.2 * OUTER) * 1.1) & (r < 0.9 * OUTER)
        n = middle / r[:, None]
        along = stress[:, 0] * n[:, 0] ** 2 + stress[:, 1] * n[:, 1] ** 2 + 2 * stress[:, 2] * n[:, 0] * n[:, 1]
        _, radial_stress, hoop = exact.linear(r)
        wrong = np.stack([along - radial_stress, stress[:, 0] + stress[:, 1] - along - hoop])[:, inside]
        errors.append(np.sqrt(np.mean(wrong**2)) / np.abs(hoop).max())
    orders = observed_orders(errors)
    assert np.all(np.abs(orders - order) < 0.25), (errors, orders)
    assert 1e-4 < errors[-1] < 1e-2
