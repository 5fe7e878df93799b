"""The compiled element loops equal scikit-fem's assembly of the same forms to rounding, on distorted meshes."""

import fem_examples
import numpy as np
import pytest
from fem_examples import DENSITY, ELEMENT_NAMES, EVERY, body_of, distorted, finite_state, law, plate, rectangle
from skfem import BilinearForm, CellBasis, ElementVector, Functional, LinearForm
from solid_examples import CELL

from fem import MATERIALS, box
from fem.elements.tables import ELEMENTS, SOLID_ELEMENTS, energy_basis

ROUNDING = 2e-14


def distorted_plate(element):
    mesh = distorted(rectangle(element, nx=5, ny=4))
    return plate(element, law("st-venant-kirchhoff"), mesh), mesh


def gradient_last(field):
    """scikit-fem's (d, d, cells, points) as (cells, points, d, d)."""
    return np.moveaxis(np.asarray(field.grad), (0, 1), (2, 3))


def assembled(body, mesh, u):
    """Energy, −internal force and tangent by scikit-fem from the NumPy material, with the same quadrature."""
    d = u.shape[1]
    kind, h = (ELEMENTS[body.element], body.thickness) if d == 2 else (SOLID_ELEMENTS[body.element], 1.0)
    scalar = energy_basis(mesh, kind)
    basis = CellBasis(mesh, ElementVector(kind.shape()), quadrature=(scalar.X, scalar.W))
    state = body.material.response(gradient_last(basis.interpolate(u.ravel())))
    P = np.moveaxis(state.stress, (2, 3), (0, 1))
    A = np.moveaxis(state.tangent, (2, 3, 4, 5), (0, 1, 2, 3))
    energy = Functional(lambda w: h * w["W"]).assemble(basis, W=state.energy)
    force = LinearForm(lambda v, w: h * np.einsum("ij...,ij...", P, v.grad)).assemble(basis)
    tangent = BilinearForm(lambda v, w, _: h * np.einsum("ijkl...,ij...,kl...", A, w.grad, v.grad)).assemble(basis)
    return energy, force.reshape(-1, d), tangent.tocsr()


@pytest.mark.parametrize(
    ("element", "name", "plane"), [one for one in EVERY if one[0] != "Q1"]
)  # test_fem_hourglass.py has Q1
@pytest.mark.quick(
    "P1-st-venant-kirchhoff-strain", "Q2-neo-hookean-strain", "P2-small-strain-stress",
    *(f"{element}-{name}-space" for element in ("P1", "P2") for name in MATERIALS),
)  # fmt: skip
def test_force_tangent_and_energy_equal_their_assembled_twins(element, name, plane):
    if plane == "space":
        body, mesh = body_of(element, name, plane), box(1.0, 0.7, 0.5, 3, 2, 2, CELL[element])
        mesh = type(mesh)((body.X + body.offset)[: mesh.nvertices].T, mesh.t)
    else:
        mesh = distorted(rectangle(element, nx=5, ny=4))
        body = plate(element, law(name, plane), mesh)
    u = finite_state(body)
    assert body.smallest_jacobian(u)[0] > 0.2
    energy, force, tangent = assembled(body, mesh, u)
    assert energy > 0
    assert body.strain_energy(u) == pytest.approx(energy, rel=ROUNDING * 10)
    size = abs(tangent).max() * np.abs(u).max()
    np.testing.assert_allclose(body.internal_force(u), -force, rtol=0, atol=ROUNDING * size)
    assert abs(body.tangent_matrix(u) - tangent).max() < ROUNDING * abs(tangent).max()
    if plane == "space":
        assert abs(body.tangent_matrix(u) - body.tangent_matrix(u).T).max() == 0.0


@pytest.mark.parametrize("element", ELEMENT_NAMES)
def test_pattern_is_that_of_the_mesh_in_full_sorted_blocks(element):
    body, _ = distorted_plate(element)
    matrix = body.tangent_matrix(finite_state(body))
    assert body.indptr.dtype == body.indices.dtype == np.int32
    assert matrix.has_sorted_indices
    rows = np.repeat(np.arange(body.X.size), np.diff(body.indptr))
    pairs = set(zip((rows // 2).tolist(), (body.indices // 2).tolist(), strict=True))
    assert pairs == {(int(i), int(j)) for cell in body.nodes for i in cell for j in cell}
    assert len(body.indices) == 4 * len(pairs)
    assert np.isin(np.arange(body.X.size), rows[rows == body.indices]).all()
    assert abs(matrix - matrix.T).max() <= 4 * np.finfo(float).eps * abs(matrix).max()


@pytest.mark.parametrize("element", ELEMENT_NAMES)
def test_mass_equals_its_assembled_twin_and_sits_in_the_fixed_pattern(element):
    body, mesh = distorted_plate(element)
    basis = CellBasis(mesh, ELEMENTS[element].shape(), intorder=6)
    twin = BilinearForm(lambda u, v, w: DENSITY * fem_examples.THICKNESS * u * v).assemble(basis)
    assert abs(body.mass_matrix - twin).max() < ROUNDING * abs(twin).max()
    v = np.random.default_rng(6).standard_normal(body.X.shape)
    blown_up = body.tangent_matrix(np.zeros_like(v))
    blown_up.data[:] = body.mass_data
    np.testing.assert_allclose((blown_up @ v.ravel()).reshape(-1, 2), twin @ v, rtol=0, atol=1e-13 * body.mass)


@pytest.mark.parametrize("element", ELEMENT_NAMES)
def test_smallest_jacobian_is_found_in_its_cell(element):
    body, _ = distorted_plate(element)
    u = finite_state(body)
    F = np.eye(2) + np.einsum("cbi,cqbj->cqij", u[body.nodes], body.jacobian_gradients)
    det = np.linalg.det(F)
    smallest, cell = body.smallest_jacobian(u)
    assert smallest == pytest.approx(det.min(), rel=1e-12)
    assert cell == det.min(axis=1).argmin()
    u[body.nodes[7, 0]] = np.nan
    smallest, cell = body.smallest_jacobian(u)
    assert np.isnan(smallest)
    assert body.nodes[7, 0] in body.nodes[cell]


@pytest.mark.parametrize("element", ELEMENT_NAMES)
def test_evaluation_repeats_to_the_bit_and_the_matrix_of_a_step_is_its_share_of_tangent_and_mass(element):
    body = plate(element, law("st-venant-kirchhoff"))
    u, room = finite_state(body), np.full(len(body.indices), np.nan)
    u.setflags(write=False)
    np.testing.assert_array_equal(body.internal_force(u), body.internal_force(u.copy()))
    np.testing.assert_array_equal(body.tangent(u), body.tangent(u.copy()))
    data = body.tangent(u, share=0.3, inertia=1e4, out=room)
    assert data is room
    expected = 0.3 * body.tangent(u) + 1e4 * body.mass_data
    assert 1e4 * np.abs(body.mass_data).max() > 1e-3 * np.abs(expected).max()
    np.testing.assert_allclose(data, expected, rtol=0, atol=4e-16 * np.abs(expected).max())
    with pytest.raises(ValueError, match="shape"):
        body.internal_force(u[:-1])


@pytest.mark.parametrize("element", [name for name in ELEMENT_NAMES if name != "Q1"])
def test_st_venant_kirchhoff_energy_is_integrated_exactly_on_affine_cells(element):
    # A shear of the whole mesh makes parallelograms; the energy is a polynomial of the fourth degree in ∂u/∂X.
    straight = rectangle(element, nx=2, ny=2)
    mesh = type(straight)(np.array([[1, 0.4], [0.1, 1]]) @ straight.p, straight.t, straight.boundaries)
    body = plate(element, law("st-venant-kirchhoff"), mesh)
    u = 0.05 * np.random.default_rng(9).standard_normal(body.X.shape)
    basis = CellBasis(mesh, ElementVector(ELEMENTS[element].shape()), intorder=12)
    density = body.material.response(gradient_last(basis.interpolate(u.ravel()))).energy
    exact = Functional(lambda w: body.thickness * w["W"]).assemble(basis, W=density)
    assert exact > 0
    assert body.strain_energy(u) == pytest.approx(exact, rel=1e-13)
