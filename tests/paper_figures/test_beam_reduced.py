"""The beam's equations solved on their own: modes, energy, the frequency of a spinning beam, and the rigid limit."""

import dataclasses

import numpy as np
import pytest

from paper_figures.parts.beam_reduced import FreeBeam, free_modes, translating

DENSITY, BENDING = 0.4, 0.4  # kg/m, N m2
FREE = FreeBeam(free_modes(1.0, 6), DENSITY, BENDING, 0.0, (0.0, 0.0), 0.0, 0.0, 0.0)


def test_the_integral_towards_the_right_end_is_exact_for_polynomials():
    modes = free_modes(2.0, 2, points=12)
    for power in range(11):
        exact = (1.0 - modes.X ** (power + 1)) / (power + 1)
        assert modes.tail @ modes.X**power == pytest.approx(exact, abs=1e-13)


def test_the_modes_are_those_of_the_free_beam_and_hold_no_rigid_motion():
    modes = free_modes(1.0, 6)
    assert modes.beta[:4] == pytest.approx([4.73004074, 7.85320462, 10.99560784, 14.13716549], abs=1e-8)
    assert np.abs(modes.phi @ modes.weights).max() < 1e-13
    assert np.abs(modes.phi @ (modes.weights * modes.X)).max() < 1e-13
    gram = modes.phi * modes.weights @ modes.phi.T
    assert np.abs(gram - np.diag(modes.mass)).max() < 1e-12 * modes.mass.max()
    assert modes.at(np.array([0.5]))[:, 0] == pytest.approx(2.0)
    h = 1e-6
    slope = (modes.at(modes.X + h) - modes.at(modes.X - h)) / (2 * h)
    assert np.abs(slope - modes.slope).max() < 1e-6 * np.abs(modes.slope).max()


def test_without_load_and_friction_angular_momentum_is_kept_and_energy_to_fourth_order_in_the_deflection():
    """The equations are of second order in w: what is left of the energy's balance falls with its fourth power."""
    modes, times, left = FREE.modes, np.linspace(0.0, 0.4, 41), []
    for amplitude in (0.02, 0.01):
        solved = dataclasses.replace(FREE, spin=8.0, velocity=(0.3, -0.2)).solve(times, bent=amplitude)
        a, spin = solved["amplitudes"], solved["spin"]
        w, w1, slope = a @ modes.phi, solved["amplitude_rates"] @ modes.phi, a @ modes.slope
        arm = 0.5 * (0.25 - modes.X**2)
        J = DENSITY / 12 + DENSITY * (w**2 - arm * slope**2) @ modes.weights
        H = J * spin
        assert np.abs(J / J[0] - 1).max() > 1e-4 * (amplitude / 0.01) ** 2
        assert np.abs(H / H[0] - 1).max() < 1e-7
        energy = 0.5 * J * spin**2 + 0.5 * DENSITY * (w1**2 @ modes.weights)
        energy += 0.5 * BENDING * a**2 @ modes.stiffness
        elastic = 0.5 * BENDING * modes.stiffness[0] * amplitude**2
        left.append(np.abs(energy - energy[0]).max() / elastic)
    assert left[0] < 0.05
    assert 3.0 < left[0] / left[1] < 5.0, left  # relative to the elastic energy, of order two


def test_the_translating_beam_starts_with_the_acceleration_of_its_load_less_the_mean_and_swings_about_the_static_shape():
    modes, X = free_modes(1.0, 12), np.linspace(-0.5, 0.5, 21)
    t = 1e-4
    w = translating(modes, DENSITY, BENDING, 5.0, np.array([t]), X)[0]
    load = 5.0 * np.sin(np.pi * (X + 0.5))
    start = 0.5 * t**2 * (load - 10.0 / np.pi) / DENSITY
    assert w == pytest.approx(start, abs=0.06 * np.abs(start).max())
    period = 2 * np.pi / np.sqrt(BENDING * modes.stiffness[0] / (DENSITY * modes.mass[0]))
    swing = translating(modes, DENSITY, BENDING, 5.0, np.array([0.5 * period, period]), np.array([0.0]))[:, 0]
    assert swing[0] > 0.01
    assert abs(swing[1]) < 0.05 * swing[0]
