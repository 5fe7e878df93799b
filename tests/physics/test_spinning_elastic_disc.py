"""A disc and an annulus spinning without friction, stationary at the closed form.

A body thrown with the exact stationary displacement and spin neither vibrates nor changes its spin; what it does of both
because of its cells and steps falls with their square.
"""

import functools

import numpy as np
import pytest
from convergence import observed_orders
from problems import run

import fem

E, NU, DENSITY, OUTER = 1e6, 0.3, 1000.0, 0.1
CROSSING = OUTER / np.sqrt(E / DENSITY)  # s, in which a rod wave runs one radius
LOAD = 1e-4  # ρ (ω R)²/E
SPIN = np.sqrt(LOAD * E / DENSITY) / OUTER
BODIES = {"disc": (0.0, "P1"), "annulus": (0.03, "Q1")}


def linear(inner, r):
    """(u, σ_r, σ_θ) at r (n,), m and Pa, of Hooke's law (Timoshenko & Goodier, Theory of Elasticity, art. 32).

    Equilibrium (r σ_r)' − σ_θ + ρω²r² = 0 with u = C₁ r + C₂/r − (1 − ν²) ρω² r³/(8E) and σ_r = 0 on the rims.
    """
    a, b, nu, load = inner, OUTER, NU, DENSITY * SPIN**2
    hole = (a * b / r) ** 2
    radial = (3 + nu) / 8 * load * (a**2 + b**2 - hole - r**2)
    hoop = (3 + nu) / 8 * load * (a**2 + b**2 + hole - (1 + 3 * nu) / (3 + nu) * r**2)
    return r * (hoop - nu * radial) / E, radial, hoop


@functools.cache
def flight(name, nr):
    """Body and run of a small-strain body thrown with the closed form, and the largest relative changes over three crossings:
    vibration, in the mass-weighted norm, and change of spin."""
    inner, element = BODIES[name]
    mesh = fem.annulus(inner, OUTER, nr, 4 * nr, "quadrilateral") if inner else fem.disc(OUTER, nr, 6 * nr)
    body = fem.Plate.build(mesh, thickness=0.01, density=DENSITY, material=fem.SmallStrain(E, NU), element=element)
    r = np.maximum(np.hypot(*body.X.T), 1e-9 * OUTER)
    displacement = body.X / r[:, None] * linear(inner, r)[0][:, None]
    dt = CROSSING / (2.5 * round(float(np.sqrt(len(body.X) / 6))))
    data = run(body, 3.0 * CROSSING, dt, stress=True, spin=SPIN, displacement=displacement)
    weight = body.nodal_area[:, None]
    size = np.sqrt(np.sum(weight * displacement**2))
    moved = np.sqrt(np.sum(weight * (data.displacement.values - displacement) ** 2, axis=(1, 2)))
    assert np.abs(displacement).max() > 0.1 * LOAD * OUTER
    return body, data, np.array([moved.max() / size, np.abs(data.frame_spin.values / SPIN - 1.0).max()])


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.quick("annulus")
def test_a_body_thrown_with_the_stationary_solution_stays_stationary_to_second_order(name):
    computed = [flight(name, nr)[2] for nr in (4, 8, 16)]
    turned = float(flight(name, 16)[1].frame_angle[-1])
    assert turned == pytest.approx(3.0 * CROSSING * SPIN, rel=1e-3)
    orders = observed_orders(computed)
    assert np.all((orders > 1.85) & (orders < 2.15)), (computed, orders)
    assert np.all(computed[-1] > 1e-4 * np.array([1.0, LOAD]))
    assert np.all(computed[-1] < np.array([1e-2, 3e-3 * LOAD]))


@pytest.mark.parametrize(("name", "order"), [("disc", 1), ("annulus", 2)])
@pytest.mark.quick("annulus-2")
def test_stresses_of_the_spinning_body_are_those_of_the_closed_form(name, order):
    """Radial and hoop stress at the middles of cells away from rims and centre: of first order in P1, of second in Q1 cells."""
    inner, _ = BODIES[name]
    errors = []
    for nr in (4, 8, 16):
        body, data, _ = flight(name, nr)
        stress, middle = data.stress.values[-1], body.X[body.cells].mean(axis=1)
        r = np.hypot(*middle.T)
        inside = (r > max(inner, 0.2 * OUTER) * 1.1) & (r < 0.9 * OUTER)
        n = middle / r[:, None]
        along = stress[:, 0] * n[:, 0] ** 2 + stress[:, 1] * n[:, 1] ** 2 + 2 * stress[:, 2] * n[:, 0] * n[:, 1]
        _, radial, hoop = linear(inner, r)
        wrong = np.stack([along - radial, stress[:, 0] + stress[:, 1] - along - hoop])[:, inside]
        errors.append(np.sqrt(np.mean(wrong**2)) / np.abs(hoop).max())
    orders = observed_orders(errors)
    assert np.all(np.abs(orders - order) < 0.25), (errors, orders)
    assert 1e-4 < errors[-1] < 1e-2
