"""Cell fields: the stress normal to the plane against the energy's derivative, energies, von Mises and principal values."""

import fem_examples
import numpy as np
import pytest
from fem_examples import energy_in_space, law

from fem import MATERIALS, heated_plate
from fem.analysis.cell_fields import normal_stress, principal_values, strain_energy_density, von_mises

E, NU = 2e5, 0.35
AFFINE = np.array([[0.08, 0.05], [-0.02, -0.06]])
DIFFERENCE = 1e-5


def plate(name, plane, element="P2"):
    return fem_examples.plate(element, law(name, plane, NU, E), fem_examples.rectangle(element, 0.4, 0.3, 2, 2))


@pytest.mark.parametrize("name", MATERIALS)
def test_the_stress_normal_to_the_plane_is_the_derivative_of_the_energy_by_the_thickness(name):
    body = plate(name, "strain")
    u = body.X @ AFFINE.T

    def energy(stretch):
        F = np.eye(3)
        F[:2, :2] += AFFINE
        F[2, 2] = stretch
        return energy_in_space(name, F, E, NU)

    volume = np.linalg.det(np.eye(2) + AFFINE) if body.material.finite_strain else 1.0
    wanted = (energy(1 + DIFFERENCE) - energy(1 - DIFFERENCE)) / (2 * DIFFERENCE) / volume
    assert abs(wanted) > 1e3
    # The difference errs by h² W'''/6, of the order 1e-10 E, and by rounding of W/h, 1e-16 E/1e-5.
    np.testing.assert_allclose(normal_stress(body, u), wanted, rtol=0, atol=1e-8 * E)
    assert not normal_stress(plate(name, "stress"), u).any()


def test_a_heated_plate_that_cannot_thicken_is_pressed_by_its_own_expansion():
    """Free in the plane, plane strain: epsilon_x = epsilon_y = (1 + nu) theta, and sigma_zz = -E theta."""
    cold, theta = plate("small-strain", "strain", "Q1"), 1e-3
    hot = heated_plate(cold, theta)
    u = (1 + NU) * theta * cold.X
    np.testing.assert_allclose(hot.cauchy_stress(u), 0.0, atol=1e-9 * E * theta)
    np.testing.assert_allclose(normal_stress(hot, u), -E * theta, rtol=1e-10)


@pytest.mark.parametrize("element", ["P1", "Q1", "Q2"])
def test_the_density_of_the_strain_energy_integrates_to_it(element):
    body = plate("neo-hookean", "stress", element)
    u = 0.1 * np.sin(7 * body.X[:, ::-1] + 1) * [0.3, 0.2]
    density = strain_energy_density(body, u)
    assert np.ptp(density) > 0.1 * density.max()
    assert float(density @ body.volumes.sum(axis=1)) == pytest.approx(body.strain_energy(u), rel=1e-13)


def test_von_mises_and_principal_stresses_of_known_states():
    pull, shear, press = np.diag([3.0, 0, 0]), np.zeros((3, 3)), -2.0 * np.eye(3)
    shear[0, 1] = shear[1, 0] = 2.0
    states = np.array([pull, shear, press])
    np.testing.assert_allclose(von_mises(states), [3.0, 2.0 * np.sqrt(3.0), 0.0], atol=1e-15)
    np.testing.assert_allclose(principal_values(states), [[3, 0, 0], [2, 0, -2], [-2, -2, -2]], atol=1e-15)
    rng = np.random.default_rng(3)
    in_plane = rng.standard_normal((5, 2, 2))
    random = np.zeros((5, 3, 3))
    random[:, :2, :2], random[:, 2, 2] = in_plane + np.swapaxes(in_plane, 1, 2), rng.standard_normal(5)
    np.testing.assert_allclose(principal_values(random), np.linalg.eigvalsh(random)[:, ::-1], atol=1e-14)
