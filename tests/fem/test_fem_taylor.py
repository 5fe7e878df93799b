"""One Taylor test for every derivative: stress from energy and tangent from stress, at a point, in plates and in solids."""

import numpy as np
import pytest
from fem_examples import EVERY, LAWS, body_of, finite_state, law, prove_derivative


def gradients(seed):
    """Random displacement gradients with 0.3 < det F < 3, and a direction, (20, 2, 2) each."""
    rng = np.random.default_rng(seed)
    H = rng.uniform(-0.8, 0.8, (400, 2, 2))
    det = np.linalg.det(np.eye(2) + H)
    return H[(det > 0.3) & (det < 3)][:20], rng.standard_normal((20, 2, 2))


@pytest.mark.parametrize(("name", "plane"), LAWS)
@pytest.mark.parametrize("nu", [-0.3, 0.0, 0.3, 0.45])
def test_stress_is_the_gradient_of_energy_and_tangent_that_of_stress(name, plane, nu):
    material = law(name, plane, nu, young=1.0)
    states, directions = gradients(seed=3)
    assert len(states) == 20
    for H, D in zip(states, directions, strict=True):
        at = material.response(H)
        assert np.isfinite(at.energy)
        size = 10 * np.abs(at.tangent).max()
        along = np.einsum("ij,ij", at.stress, D)
        prove_derivative(lambda e, H=H, D=D: material.response(H + e * D).energy, along, size)
        turned = np.einsum("ijkl,kl", at.tangent, D)
        prove_derivative(lambda e, H=H, D=D: material.response(H + e * D).stress, turned, size)


@pytest.mark.parametrize(("element", "name", "plane"), EVERY)
def test_force_is_minus_the_gradient_of_energy_and_tangent_its_derivative(element, name, plane):
    body = body_of(element, name, plane, young=1.0)
    u = finite_state(body)
    assert body.smallest_jacobian(u)[0] > 0.3
    d = 0.1 * np.random.default_rng(4).standard_normal(u.shape)
    size = 10 * abs(body.tangent_matrix(u)).sum(axis=1).max()
    prove_derivative(lambda e: np.array(body.strain_energy(u + e * d)), -(body.internal_force(u) * d).sum(), size)
    along = -(body.tangent_matrix(u) @ d.ravel()).reshape(d.shape)
    prove_derivative(lambda e: body.internal_force(u + e * d), along, size)


@pytest.mark.parametrize(("name", "plane"), LAWS)
def test_tangent_has_the_symmetry_of_a_second_derivative(name, plane):
    states, _ = gradients(seed=8)
    tangent = law(name, plane).response(states).tangent
    assert np.abs(tangent).max() > 0
    np.testing.assert_allclose(tangent, np.einsum("nijkl->nklij", tangent), rtol=0, atol=1e-12 * np.abs(tangent).max())
