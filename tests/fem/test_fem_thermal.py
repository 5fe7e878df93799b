"""Thermal strain: a heated plate is stress-free where it may expand, stressed as in textbooks where it may not."""

import fem_examples
import numpy as np
import pytest
from fem_examples import ELEMENT_NAMES, THICKNESS, E, distorted, finite_state, law, plate, rectangle, warm
from skfem import CellBasis, ElementVector, Functional, LinearForm

import fem
from fem.elements.tables import ELEMENTS, energy_basis

NU = 0.3
LAWS = [(name, plane) for name in ("st-venant-kirchhoff", "small-strain") for plane in ("stress", "strain")]


def heated(element, name, plane, strain=None, mesh=None):
    body = plate(element, law(name, plane, NU), mesh)
    return fem.heated_plate(body, warm(body.X) if strain is None else strain)


@pytest.mark.parametrize("element", [name for name in ELEMENT_NAMES if name != "Q1"])  # test_fem_hourglass.py has Q1
@pytest.mark.parametrize(("name", "plane"), LAWS)
@pytest.mark.parametrize("lateral", [None, 0.0, 0.4])
def test_energy_and_force_are_those_of_the_law_in_space_at_the_strain_less_the_thermal_one(
    element, name, plane, lateral
):
    mesh = distorted(rectangle(element, nx=5, ny=4))
    body = heated(element, name, plane, mesh=mesh)
    nodal = np.repeat(warm(body.X)[:, None], 3, axis=1)
    if lateral is not None:
        nodal = nodal * np.array([1.0, lateral, 0.0])
        body = fem.heated_plate(body.cold, nodal[:, :2])
    u = finite_state(body)
    scalar = energy_basis(mesh, ELEMENTS[element])
    basis = CellBasis(mesh, ElementVector(ELEMENTS[element].shape()), quadrature=(scalar.X, scalar.W))
    H = np.moveaxis(np.asarray(basis.interpolate(u.ravel()).grad), (0, 1), (2, 3))
    theta = np.stack([np.asarray(scalar.interpolate(nodal[:, i])) for i in range(3)], axis=-1)
    elastic = 0.5 * (H + np.swapaxes(H, -1, -2)) - theta[..., None, :2] * np.eye(2)
    if name == "st-venant-kirchhoff":
        elastic = elastic + 0.5 * np.swapaxes(H, -1, -2) @ H
    trace, mu, lam = np.trace(elastic, axis1=-2, axis2=-1), E / (2 * (1 + NU)), E * NU / ((1 + NU) * (1 - 2 * NU))
    across = -lam / (lam + 2 * mu) * trace if plane == "stress" else -theta[..., 2]  # S₃₃ = 0, or E₃₃ = 0
    density = 0.5 * lam * (trace + across) ** 2 + mu * (np.sum(elastic**2, axis=(-2, -1)) + across**2)
    energy = Functional(lambda w: THICKNESS * w["W"]).assemble(basis, W=density)
    assert body.strain_energy(u) == pytest.approx(energy, rel=1e-13)
    stress = lam * (trace + across)[..., None, None] * np.eye(2) + 2 * mu * elastic
    stress = (np.eye(2) + H) @ stress if name == "st-venant-kirchhoff" else stress
    P = np.moveaxis(stress, (2, 3), (0, 1))
    expected = LinearForm(lambda v, w: -THICKNESS * np.einsum("ij...,ij...", P, v.grad)).assemble(basis)
    force = body.internal_force(u)
    np.testing.assert_allclose(force, expected.reshape(-1, 2), rtol=0, atol=1e-13 * np.abs(body.tangent(u)).max())
    assert np.abs(force - body.cold.internal_force(u)).max() > 1e-2 * np.abs(force).max()


@pytest.mark.parametrize("element", ELEMENT_NAMES)
@pytest.mark.parametrize(("name", "plane"), LAWS)
def test_an_evenly_heated_free_plate_expands_without_stress_in_its_plane(element, name, plane):
    theta = 0.08
    body = heated(element, name, plane, theta, distorted(rectangle(element)))
    start = 1.4 * theta * body.X  # in tension: pressed into its cold shape, the hot plate would buckle in its plane
    held, none = fem_examples.held_rigidly(body), np.zeros_like(body.X)
    computed = fem.equilibrium(body, none, held, start=start, prescribed=start)
    strain = theta if plane == "stress" else (1 + NU) * theta  # the thickness that may not expand pushes outwards
    stretch = np.sqrt(1 + 2 * strain) if name == "st-venant-kirchhoff" else 1 + strain
    sides = np.ptp(body.X + computed.displacement, axis=0) / np.ptp(body.X, axis=0)
    np.testing.assert_allclose(sides, stretch, rtol=1e-11)
    assert np.abs(body.stress(computed.displacement)).max() < 1e-9 * E * theta
    assert np.abs(body.cauchy_stress(computed.displacement)).max() < 1e-9 * E * theta
    volume = body.area * THICKNESS
    exact = 0.0 if plane == "stress" else 0.5 * E * theta**2 * volume
    assert abs(body.strain_energy(computed.displacement) - exact) < 1e-9 * E * theta**2 * volume


@pytest.mark.parametrize(("name", "plane"), LAWS)
def test_a_plate_that_may_not_expand_is_pressed_by_the_textbook_stress_whatever_stretches_it(name, plane):
    theta = 0.01
    body = heated("Q1", name, plane, theta)
    zero, stretched = np.zeros_like(body.X), fem_examples.affine(body, [[0.1, 0.04], [-0.02, 0.07]])
    expected = -E * theta / (1 - NU if plane == "stress" else 1 - 2 * NU)
    for u in (zero, stretched):
        pressing = body.stress(u) - body.cold.stress(u)
        np.testing.assert_allclose(pressing, np.tile([expected, expected, 0.0], (len(pressing), 1)), atol=1e-9 * E)
    thickness = np.sqrt(1 + 2 * theta * (1 + NU) / (1 - NU)) if plane == "stress" else 1.0
    thickness = thickness if name == "st-venant-kirchhoff" else 1.0
    np.testing.assert_allclose(body.cauchy_stress(zero)[:, 0], expected / thickness, rtol=1e-13)


def test_heating_needs_fit_values():
    body = plate("P1", law("small-strain"))
    for bad in (np.nan, -0.6, np.zeros(3)):
        with pytest.raises(ValueError, match="thermal strain must be finite"):
            fem.heated_plate(body, bad)
